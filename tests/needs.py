"""Programs that tests use beside Python: how each is found, and the Debian package that has it.

A test that starts one says so: `@pytest.mark.needs("git")`, or `need("git")` in a fixture. It is
skipped where the program is missing, with the reason; with PERMACITE_CI nothing may be skipped.
A test that starts a program without saying so fails everywhere, so that it cannot fail elsewhere
alone. `python tests/needs.py` prints the packages that are missing; `--deep`: for `./do deep`.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

__all__ = [
    "PARTS",
    "QUICKER",
    "Guard",
    "Part",
    "find",
    "is_ci",
    "missing",
    "need",
    "no_right",
    "refuse_to_skip",
]

_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin")
_S3RVER = Path(__file__).resolve().parents[1] / ".outside/node_modules/.bin"
_NO_INSTALLATION = "(no installation changes that)"


def _is_imagemagick(program: str) -> bool:
    done = subprocess.run([program, "-version"], capture_output=True, check=False)
    return done.stdout.startswith(b"Version: ImageMagick")


def _may_trace(program: str) -> bool:
    command = [program, "-o", os.devnull, "true"]
    return not subprocess.run(command, capture_output=True, check=False).returncode


def _has_sandbox(unshare: str) -> bool:
    """Whether pages can be shut in: by a helper of root, or by namespaces (not in a chroot)."""
    if Path("/usr/lib/chromium/chrome-sandbox").exists():
        return True
    command = [unshare, "--user", "true"]
    return not subprocess.run(command, capture_output=True, check=False).returncode


def _has_sumdb(_: str) -> bool:
    return Path("/usr/share/gocode/src/golang.org/x/mod/sumdb/tlog").is_dir()


@dataclass(frozen=True, slots=True)
class Part:
    """A program, under any of its names, and Debian's packages that bring it."""

    name: str
    packages: str
    programs: tuple[str, ...] = ()
    """Its names, the preferred one first; none: that of the part."""
    companions: tuple[str, ...] = ()
    """Other programs of its packages that tests start."""
    is_usable: Callable[[str], bool] | None = None
    is_deep: bool = False
    """Whether tests start it with `--deep` alone."""

    @property
    def path(self) -> str | None:
        """Where the program is, or None."""
        folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
        path = os.pathsep.join(
            [*map(str, folders), os.environ.get("PATH", os.defpath), *_FOLDERS, str(_S3RVER)]
        )
        for program in self.programs or (self.name,):
            found = shutil.which(program, path=path)
            if found is not None and (self.is_usable is None or self.is_usable(found)):
                return found
        return None


_LIST = (
    Part("git", "git"),
    Part("ps", "procps"),
    Part("pgrep", "procps"),
    Part("chromium", "chromium fonts-dejavu-core", ("chromium", "chromium-browser")),
    Part("chromium-sandbox", "chromium-sandbox", ("unshare",), is_usable=_has_sandbox),
    Part("firefox", "firefox-esr", ("firefox-esr", "firefox")),
    Part("go", "golang-go golang-golang-x-mod-dev", is_usable=_has_sumdb),
    Part("cc", "gcc libc6-dev", ("cc", "gcc", "clang")),
    Part("strace", "strace", is_usable=_may_trace),
    Part("ffmpeg", "ffmpeg", companions=("ffprobe",)),
    Part("ImageMagick", "imagemagick", ("convert",), is_usable=_is_imagemagick),
    Part("sox", "sox libsox-fmt-base"),
    Part("openssl", "openssl"),
    Part("nginx", "nginx-light"),
    Part("systemd-analyze", "systemd"),
    Part("PostgreSQL", "postgresql", ("initdb",), ("pg_ctl", "psql", "pg_dump", "pg_basebackup")),
    Part("ceph-mon", "ceph-mon", companions=("ceph", "monmaptool"), is_deep=True),
    Part("ceph-mgr", "ceph-mgr", is_deep=True),
    Part("ceph-osd", "ceph-osd", is_deep=True),
    Part("radosgw", "radosgw", companions=("radosgw-admin",), is_deep=True),
    Part("npm", "npm"),
    Part("s3rver", ""),
    Part("apt-get", "", companions=("dpkg",)),
)
PARTS = {part.name: part for part in _LIST}
QUICKER = Part("chromium-headless-shell", "chromium-headless-shell")
"""Chromium without its windows takes half the time. Not every release has the package."""

_PART_OF = {
    program: part.name
    for part in (*_LIST, QUICKER)
    for program in (part.name, *part.programs, *part.companions)
} | {QUICKER.name: "chromium"}
_ESSENTIAL = {"env", "file", "mount", "sh", "sha256sum", "sha512sum", "timeout", "true", "umount"}
"""Programs that every Debian has; and `file`, which Python's platform module tries."""
_lasting: set[str] = set()
"""What fixtures asked for that outlast a test."""
_asked: set[str] = set()
"""What the test that runs asked for."""


def is_ci() -> bool:
    """Whether nothing may be skipped."""
    return bool(os.environ.get("PERMACITE_CI")) or os.environ.get("CI") in {"1", "true"}


def missing(what: str) -> NoReturn:
    """Skip the test for want of `what`."""
    import pytest

    pytest.skip(f"{what}: ./do parts installs it")


def no_right(why: str) -> NoReturn:
    """Skip the test because this user may not do what it does; that is allowed everywhere."""
    import pytest

    pytest.skip(f"{why} {_NO_INSTALLATION}")


def refuse_to_skip(report: Report) -> Report:
    """Turn a skip into a failure where nothing may be skipped, except for want of a right."""
    if is_ci() and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr
        words = reason[2] if isinstance(reason, tuple) else report.longreprtext
        if not words.endswith(_NO_INSTALLATION):
            report.outcome = "failed"
            report.longrepr = f"skipped, where nothing may be: {words}"
    return report


def find(name: str) -> str | None:
    """Return the path of a program, or None where it is missing."""
    _asked.add(name)
    return _path(name)


def need(name: str) -> str:
    """Return the path of a program; skip the test where it is missing."""
    found = find(name)
    if found is None:
        missing(f"{name} is not installed, or not usable")
    return found


@functools.cache
def _path(name: str) -> str | None:
    with _Unguarded():
        return PARTS[name].path


class Guard:
    """Keeps tests from starting programs that they do not ask for: an audit hook of the process."""

    is_on = False

    @classmethod
    def install(cls) -> None:
        """Watch every start of a program from now on."""
        sys.addaudithook(cls._watch)

    @classmethod
    def begin(cls) -> None:
        """Begin a test, which has asked for nothing."""
        cls.is_on = True
        _asked.clear()

    @classmethod
    def end(cls) -> None:
        """End a test."""
        cls.is_on = False

    @staticmethod
    @contextlib.contextmanager
    def lasting() -> Iterator[None]:
        """Let what is asked for in this block be asked for until the session ends."""
        before = set(_asked)
        try:
            yield
        finally:
            _lasting.update(_asked - before)

    @classmethod
    def _watch(cls, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "subprocess.Popen" and cls.is_on:
            program = os.fsdecode(arguments[0] or arguments[1][0])
            name = Path(program).name
            part = _PART_OF.get(name)
            of_environment = Path(program).parent == Path(sys.executable).parent
            if part is None and (of_environment or shutil.which(name) != shutil.which(program)):
                return  # of the test's own, or of the lock file
            if part is None and not name.startswith("python") and name not in _ESSENTIAL:
                part = name
            if part is not None and part not in _asked | _lasting:
                raise AssertionError(f'a test starts {name}: mark it needs("{part}")')


class _Unguarded:
    """Programs that are tried out."""

    def __enter__(self) -> None:
        self._was, Guard.is_on = Guard.is_on, False

    def __exit__(self, *_: object) -> None:
        Guard.is_on = self._was


def packages(*, deep: bool) -> list[str]:
    """Return the packages of Debian that bring what is missing."""
    parts = [part for part in (*_LIST, QUICKER) if deep or not part.is_deep]
    missing = [part.packages.split() for part in parts if part.packages and part.path is None]
    return sorted({package for each in missing for package in each})


if __name__ == "__main__":
    print(*packages(deep="--deep" in sys.argv))  # noqa: T201 - for ./do
