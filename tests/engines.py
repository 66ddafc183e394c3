"""The engines that archives of tests keep their records on: SQLite, and a real PostgreSQL.

A test that is marked `engines` runs on each. It names folders; `Repository` here puts the records
of the archive in such a folder where the engine of the test has them.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest

from permacite import archive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive import Location

__all__ = ["Repository", "Server", "server"]

_USER = "permacite"
_SETTINGS = (
    "listen_addresses=''",
    "max_connections=120",
    "shared_buffers=32MB",
    "max_wal_size=256MB",
)


class Server:
    """A PostgreSQL of this test process, in a folder of its own, behind a socket of Unix."""

    def __init__(self, folder: Path, programs: Path, *settings: str) -> None:
        self.folder = folder
        self._settings = settings
        self._programs = programs
        # PostgreSQL refuses to run as root.
        self._owner = "postgres" if os.geteuid() == 0 else None
        if self._owner is not None:
            os.chown(self.folder, pwd.getpwnam(self._owner).pw_uid, -1)

    def location(self, folder: Path) -> str:
        """The location of the archive that keeps all else in `folder`."""
        schema = "t" + hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
        return (
            f"postgresql:///postgres?host={self.folder}&user={_USER}&schema={schema}"
            f"&objects={folder}/objects&log-key={folder}/log.key"
        )

    def drop(self, folder: Path) -> None:
        """Remove the records of the archive that keeps all else in `folder`."""
        schema = self.location(folder).partition("&schema=")[2].partition("&")[0]
        self.execute(f"DROP SCHEMA {schema} CASCADE")

    def make(self) -> None:
        """Make the files of an empty one."""
        self._run("initdb", "--auth=trust", f"--username={_USER}", "--encoding=UTF8", "--no-sync")

    def start(self) -> None:
        """Start it, and return once it answers."""
        settings = " ".join(f"-c {setting}" for setting in (*_SETTINGS, *self._settings))
        options = f"-k {self.folder} {settings}"
        self._run("pg_ctl", "--wait", f"--log={self.folder}/log", "-o", options, "start")

    def follow(self, primary: Server) -> None:
        """Become a synchronous standby of another: it commits nothing that is not here too."""
        shutil.rmtree(self.folder / "data", ignore_errors=True)
        source = (f"--host={primary.folder}", f"--username={_USER}")
        self._run("pg_basebackup", *source, "--write-recovery-conf", "--checkpoint=fast")
        self.start()
        primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.execute("SELECT pg_reload_conf()")
        state = "SELECT sync_state FROM pg_stat_replication"
        while primary.execute(state) != [("sync",)]:
            time.sleep(0.05)

    def promote(self) -> None:
        """Take over from the primary."""
        self.execute("SELECT pg_promote()")

    def execute(self, statement: str) -> list[Any]:
        """Run one statement as the owner of all; its rows."""
        import psycopg  # noqa: PLC0415 - tests of SQLite do without

        address = f"postgresql:///postgres?host={self.folder}&user={_USER}"
        with psycopg.connect(address, autocommit=True) as connection:
            rows = connection.execute(statement.encode())
            return rows.fetchall() if rows.description else []

    def stop(self, mode: str = "immediate") -> None:
        """Stop it: as if it crashed, unless another mode is named."""
        self._run("pg_ctl", "--wait", f"--mode={mode}", "stop")

    def _run(self, program: str, *words: str) -> None:
        data = f"--pgdata={self.folder}/data"
        subprocess.run(
            [self._programs / program, data, *words],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            user=self._owner,
            group=self._owner,
            extra_groups=None if self._owner is None else [],
            cwd=self.folder,
        )


def _programs() -> Path:
    """Where Debian puts them, or the PATH has them; the test is skipped where nothing does."""
    for path in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True):
        return path.parent
    found = shutil.which("initdb")
    if found is None:
        pytest.skip("PostgreSQL is not installed: ./do outside brings it")
    return Path(found).parent


@contextlib.contextmanager
def server(*, is_flushed: bool = False, is_made: bool = True) -> Iterator[Server]:
    """A server that runs until the block ends; one that is not made is to follow another.

    What it writes `is_flushed` for measurements alone: in tests no machine loses power.
    """
    programs = _programs()
    with tempfile.TemporaryDirectory(prefix="permacite-") as folder:
        running = Server(Path(folder), programs, *([] if is_flushed else ["fsync=off"]))
        if is_made:
            running.make()
            running.start()
        try:
            yield running
        finally:
            with contextlib.suppress(subprocess.CalledProcessError):  # a test stopped it
                running.stop()


class Repository(archive.Repository):
    """An archive of a test: a folder stands for where the engine of the test has it."""

    engine: Server | None = None
    """None: SQLite."""

    @classmethod
    def at(cls, location: Location) -> Location:
        """Where the archive of a folder is."""
        if cls.engine is None or not isinstance(location, Path):
            return location
        return cls.engine.location(location)

    @classmethod
    def create(cls, location: Location, **options: Any) -> Self:
        """Make the archive of a folder."""
        return super().create(cls.at(location), **options)

    @classmethod
    def drop(cls, folder: Path) -> None:
        """Remove the records of a closed archive that its folder is not removed with."""
        if cls.engine is not None:
            cls.engine.drop(folder)

    @classmethod
    def open(cls, location: Location, **options: Any) -> Self:
        """Open the archive of a folder."""
        return super().open(cls.at(location), **options)
