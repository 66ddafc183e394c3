"""What comes with the program for servers: units of systemd, a configuration, a container."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.needs import need

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.faces.conftest import Outcome

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
PROGRAM = "/opt/permacite/bin/permacite"
UNITS = sorted(
    path.name for path in DEPLOY.iterdir() if path.suffix in {".service", ".socket", ".timer"}
)
MOST_EXPOSED = 20
"""Tenths, as `systemd-analyze security` counts; an ordinary service has 96."""


def test_the_configuration_is_right(cli: Callable[..., Outcome]) -> None:
    checked = cli("config", "check", str(DEPLOY / "permacite.toml"), "--json")
    assert checked.status == 0, checked.err
    assert len(json.loads(checked.out)["given"]) == 6


def test_the_units_are_right_and_let_little_be_done(tmp_path: Path) -> None:
    program = need("systemd-analyze")
    for name in UNITS:
        text = (DEPLOY / name).read_text()
        (tmp_path / name).write_text(text.replace(PROGRAM, "/bin/true"))
    units = [str(tmp_path / name) for name in UNITS]
    verified = subprocess.run(
        [program, "verify", *units], check=False, capture_output=True, text=True
    )
    assert (verified.returncode, verified.stderr) == (0, "")
    services = [unit for unit in units if unit.endswith(".service")]
    limit = f"--threshold={MOST_EXPOSED}"
    secured = subprocess.run([program, "security", "--offline=true", limit, *services], check=False)
    assert secured.returncode == 0


@pytest.mark.parametrize("unit", [name for name in UNITS if name.endswith(".service")])
def test_the_commands_of_units_are_those_of_the_program(
    cli: Callable[..., Outcome], unit: str
) -> None:
    found = re.search(rf"^ExecStart={PROGRAM} (.*)$", (DEPLOY / unit).read_text(), re.MULTILINE)
    assert found is not None
    words = shlex.split(found[1])
    assert words[:2] == ["--config", "/etc/permacite.toml"]
    assert cli(*words[2:], "--help").status == 0


def instructions(stage: int) -> list[tuple[str, str]]:
    """Return the instructions of one stage of the Containerfile."""
    text = (DEPLOY / "Containerfile").read_text()
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    starts = [number for number, line in enumerate(lines) if line.startswith("FROM ")]
    ends = [*starts[1:], len(lines)]
    chosen = lines[starts[stage] + 1 : ends[stage]]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in chosen]


def test_the_container_tells_the_program_what_it_takes(
    cli: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = dict(instructions(1))
    for variable in shlex.split(said["ENV"]):
        monkeypatch.setenv(*variable.split("=", 1))
    assert cli("config", "check").status == 0
    assert cli(*json.loads(said["CMD"]), "--help").status == 0
    assert said["USER"].split(":")[0] not in {"0", "root"}


@pytest.mark.deep
@pytest.mark.timeout(3600)
@pytest.mark.skipif(os.geteuid() != 0, reason="takes the user of the container: needs root")
def test_the_steps_of_the_container_make_a_server() -> None:
    # Not where pytest has its folders: each run of it shuts others out of them.
    with tempfile.TemporaryDirectory(prefix="permacite-container-") as folder:
        Path(folder).chmod(0o755)
        _make_a_server(Path(folder))


def _make_a_server(root: Path) -> None:
    # That of the tests may stand where other users cannot go.
    python = shutil.which("python3", path="/usr/local/bin:/usr/bin") or sys.executable

    def here(words: str) -> str:
        words = re.sub(r"(?<![\w.-])/(permacite|opt|archive)\b", rf"{root}/\1", words)
        return words.replace("python -m venv", f"{python} -m venv")

    for name, words in instructions(0):
        if name == "COPY":
            *sources, target = words.split()
            folder = Path(here(target))
            for source in sources:
                origin = DEPLOY.parent / source
                if origin.is_dir():
                    shutil.copytree(origin, folder)
                else:
                    folder.mkdir(parents=True, exist_ok=True)
                    shutil.copy(origin, folder)
        elif name == "RUN":
            subprocess.run(here(words), shell=True, check=True)  # noqa: S602 - the steps are ours
    said = dict(instructions(1))
    subprocess.run(here(said["RUN"]), shell=True, check=True)  # noqa: S602 - the same
    user = int(said["USER"].split(":")[0])
    environ = {"PATH": "/usr/bin:/bin", "PERMACITE_SERVE_PORT": "0"}
    environ |= dict(item.split("=", 1) for item in shlex.split(here(said["ENV"])))
    program = json.loads(here(said["ENTRYPOINT"]))
    archive = environ["PERMACITE_ARCHIVE"]
    init = [*program, "init", archive, "--series", "lab.example.us"]
    subprocess.run(init, check=True, user=user, env=environ, cwd="/")
    command = [*program, *json.loads(said["CMD"])]
    with subprocess.Popen(
        command, user=user, env=environ, cwd="/", stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        port = next(
            found[1] for line in server.stderr if (found := re.search(r":([0-9]+)/ answers", line))
        )
        check = json.loads(here(said["HEALTHCHECK"].removeprefix("CMD ")).replace("8420", port))
        assert subprocess.run(check, check=False, user=user, cwd="/").returncode == 0
        time.sleep(0.1)
        server.terminate()
        assert server.wait(30) == 0
