"""The description of the routes for programs (OpenAPI): true to the code and to the answers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.faces.test_http import ask, names

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.faces.conftest import Running

__all__ = ["names"]

WEB = Path(__file__).resolve().parents[2] / "src/permacite/web"

READ = (
    re.compile(r'(?:query_params|parameters)\.get\(\s*"([a-z0-9]+)"'),
    re.compile(r'"([a-z0-9]+)" (?:not )?in (?:request\.query_params|parameters)\b'),
    re.compile(r'_wanted\(request, "([a-z0-9]+)"\)'),
)
EVERYWHERE = {"lang"}
"""Told once, in the words of the page: the language of the reader."""


def description() -> dict[str, Any]:
    """Return what is served."""
    described = json.loads((WEB / "static/openapi.json").read_text())
    assert isinstance(described, dict)
    return described


def test_every_parameter_that_is_read_is_described() -> None:
    described = {
        parameter["name"]
        for path in description()["paths"].values()
        for operation in path.values()
        for parameter in operation["parameters"]
    }
    read = {
        name
        for module in WEB.rglob("*.py")
        for pattern in READ
        for name in pattern.findall(module.read_text())
    }
    assert len(read) > 20
    assert read - described == EVERYWHERE


def test_answers_are_as_described(
    running: Running, names: dict[str, str], times: Callable[[int, int], int], tmp_path: Path
) -> None:
    """Schemathesis asks for all that is described, and for what is not."""
    assert ask(running.base, "/-/api/document?name=" + names["html"]).status == 200
    program = Path(sys.executable).with_name("schemathesis")
    command = [str(program), "run", f"{running.base}/-/openapi.json", "--workers=1", "--no-color"]
    options = [
        f"--max-examples={times(2, 200)}",
        f"--phases={'coverage,fuzzing'[: times(8, 16)]}",
        "--exclude-checks=positive_data_acceptance",  # names have a grammar, not a schema
    ]
    done = subprocess.run(
        [*command, *options], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stdout
    tested = re.search(r"Tested: ([0-9]+)", done.stdout)
    assert tested is not None
    assert int(tested[1]) >= len(description()["paths"])
