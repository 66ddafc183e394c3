"""What a command costs before it does anything: processes from start to exit, beside others'.

Each command runs as a user runs it, its bytecode compiled. User and system time of the process are
counted by the system; the unit is an interpreter that does nothing.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from permacite.service.archive import Archive

TITLE = "Start: from the call of a command to its end"
RIVALS = ["warcio", "click"]
ROUNDS = 25
NOTICE = b"The harbour is closed until noon.\r\n"
SURROUNDINGS = {
    **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}
"""Git and Python as they come, whatever their user has set: bytecode is kept once compiled."""

SCRIPT = "import sys; from permacite.__main__ import main; sys.exit(main())"
"""What the installed program runs."""

Commands = dict[str, list[str]]


def _made(folder: Path) -> Commands:
    """Keep one small text with each contestant, and give the commands to be timed."""
    archive = folder / "archive"
    with Archive.create(archive, series="lab.example.us") as made:
        saved = made.add(NOTICE, name="notice.txt")
    program = [sys.executable, "-c", SCRIPT]
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        'python -c "import permacite"': [sys.executable, "-c", "import permacite"],
        "permacite --version": [*program, "--version"],
        "permacite uri resolve": [*program, "uri", "resolve", "../g", "http://a.example/b/c"],
        "permacite resolve NAME#char=4,11": [
            *(*program, "--archive", str(archive), "resolve", f"{saved.pdi}#char=4,11"),
        ],
        "click, imported": [sys.executable, "-c", "import click"],
    }
    return commands | _of_warcio(folder) | _of_git(folder)


def _of_warcio(folder: Path) -> Commands:
    """Extract a record from a web archive."""
    head = (
        b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:"
        b"00000000-0000-4000-8000-000000000000>\r\nWARC-Date: 2026-11-22T00:00:00Z\r\n"
        b"WARC-Target-URI: http://a.example/notice.txt\r\nContent-Type: text/plain\r\n"
    )
    record = head + b"Content-Length: %d\r\n\r\n" % len(NOTICE) + NOTICE + b"\r\n\r\n"
    (folder / "notice.warc").write_bytes(record)
    program = [sys.executable, "-c", "import sys; from warcio.cli import main; sys.exit(main())"]
    return {
        "warcio --version": [*program, "--version"],
        "warcio extract": [*program, "extract", str(folder / "notice.warc"), "0"],
    }


def _of_git(folder: Path) -> Commands:
    """Show a file of a repository."""
    git = shutil.which("git")
    if git is None:
        return {}
    at = [git, "-C", str(folder)]
    (folder / "notice.txt").write_bytes(NOTICE)
    who = ("-c", "user.name=a", "-c", "user.email=a@a.example")
    for words in (["init", "-q"], ["add", "notice.txt"], [*who, "commit", "-qm", "notice"]):
        subprocess.run([*at, *words], check=True, env=SURROUNDINGS)
    return {"git --version": [git, "--version"], "git show": [*at, "show", "HEAD:notice.txt"]}


def _cpu_s(command: list[str]) -> float:
    """User and system time of one process, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=SURROUNDINGS)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure() -> str:
    """The section: medians, in units of an interpreter that does nothing."""
    with tempfile.TemporaryDirectory() as folder:
        commands = _made(Path(folder))
        for command in commands.values():
            _cpu_s(command)  # from now on the bytecode is compiled
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                times[name].append(_cpu_s(command))
    unit = statistics.median(times["python -c pass"])
    about = (
        f"CPU of whole processes, medians of {ROUNDS} rounds in which each command runs once; "
        f"`python -c pass` takes {unit * 1000:.0f} ms here. A name is resolved, and a record "
        "extracted, from an archive of one small text."
    )
    rows = ["| command | times `python -c pass` |", "|---|---|"]
    rows += [
        f"| `{name}` | {statistics.median(taken) / unit:.1f} |" for name, taken in times.items()
    ]
    return "\n\n".join([about, "\n".join(rows)])


if __name__ == "__main__":
    print(measure())
