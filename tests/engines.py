"""The engines that archives of tests keep their records on: SQLite, and a real PostgreSQL.

A test that is marked `engines` runs on each. It names folders; `Repository` here puts the records
of the archive in such a folder where the engine of the test has them.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pwd
import select
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest
from tests.needs import need

from permacite.archive import repository
from permacite.archive.administration import place_of
from permacite.archive.entries import seal
from permacite.archive.model.answered import utc_now

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.engine.location import Location
    from permacite.archive.model.answered import Clock

__all__ = ["Between", "Refused", "Repository", "Server", "on", "server"]

_USER = "permacite"
_SOCKET = ".s.PGSQL.5432"
_SETTINGS = (
    "listen_addresses=''",
    "max_connections=120",
    "shared_buffers=32MB",
    "max_wal_size=256MB",
)


class Refused(Exception):  # noqa: N818 - it is what the rules did
    """A rule of the engine refused a change by hand."""


class Server:
    """A PostgreSQL of this test process, in a folder of its own, behind a socket of Unix."""

    def __init__(self, folder: Path, programs: Path, *settings: str) -> None:
        self.folder = folder
        self._settings = settings
        self._programs = programs
        self.stores: dict[Path, str] = {}
        """Where the octets of an archive are, by its folder, if not in that."""
        # PostgreSQL refuses to run as root.
        self._owner = "postgres" if os.geteuid() == 0 else None
        if self._owner is not None:
            os.chown(self.folder, pwd.getpwnam(self._owner).pw_uid, -1)

    def location(self, folder: Path) -> str:
        """The location of the archive that keeps all else in `folder`."""
        schema = "t" + hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
        objects = self.stores.get(folder, f"{folder}/objects")
        return (
            f"postgresql:///postgres?host={self.folder}&user={_USER}&schema={schema}"
            f"&objects={objects}&log-key={folder}/log.key"
        )

    def _schema(self, folder: Path) -> str:
        return self.location(folder).partition("&schema=")[2].partition("&")[0]

    def drop(self, folder: Path) -> None:
        """Remove the records of the archive that keeps all else in `folder`, if there are any."""
        self.execute(f"DROP SCHEMA IF EXISTS {self._schema(folder)} CASCADE")

    def by_hand(self, folder: Path, *statements: str, is_ruled: bool = True) -> None:
        """Run statements on the records of that archive. Raises Refused where a rule does."""
        import psycopg

        role = "origin" if is_ruled else "replica"
        setting = f"SET search_path = {self._schema(folder)}; SET session_replication_role = {role}"
        words = ";".join([setting, *statements])
        try:
            self.execute(words.replace("zeroblob(32)", "decode(repeat('00', 32), 'hex')"))
        except psycopg.IntegrityError as error:
            raise Refused(str(error)) from error

    def written(self, folder: Path) -> bytes:
        """All that the rows of the archive have that keeps all else in `folder`."""
        import psycopg

        schema = self._schema(folder)
        named = f"SELECT tablename FROM pg_tables WHERE schemaname = '{schema}'"  # noqa: S608 - its own
        address = f"postgresql:///postgres?host={self.folder}&user={_USER}"
        parts: list[bytes] = []
        with psycopg.connect(address) as connection, connection.cursor() as cursor:
            for (table,) in self.execute(named):
                words = f'COPY {schema}."{table}" TO STDOUT (FORMAT BINARY)'
                with cursor.copy(words.encode()) as rows:
                    parts += map(bytes, rows)
        return b"".join(parts)

    def rows(self, folder: Path, question: str) -> list[Any]:
        """The rows of that archive that answer a question."""
        import psycopg

        path = f"-c search_path={self._schema(folder)}"
        host = str(self.folder)
        with psycopg.connect(host=host, user=_USER, dbname="postgres", options=path) as connection:
            return connection.execute(question.encode()).fetchall()

    def duplicate(self, folder: Path, target: Path) -> None:
        """Copy the records of the archive that keeps all else in `folder`."""
        program = str(self._programs / "psql")
        load = [program, *self.address, "--quiet", "--set=ON_ERROR_STOP=1", "postgres"]
        schema, its = self._schema(folder), self._schema(target)
        dump = [str(self._programs / "pg_dump"), *self.address, f"--schema={schema}", "postgres"]
        words = subprocess.run(dump, check=True, capture_output=True).stdout
        words = words.replace(schema.encode(), its.encode())
        subprocess.run(load, check=True, input=words, stdout=subprocess.DEVNULL)

    @property
    def address(self) -> tuple[str, str]:
        """How programs of PostgreSQL find it."""
        return f"--host={self.folder}", f"--username={_USER}"

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
        self._run("pg_basebackup", *primary.address, "--write-recovery-conf", "--checkpoint=fast")
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
        import psycopg

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
    return Path(need("PostgreSQL")).parent


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


class Between:
    """Stands between archives and the server, and hands on what `passes`, as long as it does."""

    def __init__(self, folder: Path | None, server: Server) -> None:
        """Listen in a `folder`, which a location names in place of the server's; else at a port."""
        self._to = str(server.folder / _SOCKET)
        if folder is None:
            self._listener = socket.create_server(("127.0.0.1", 0))
            self.port = self._listener.getsockname()[1]
        else:
            self._listener = socket.socket(socket.AF_UNIX)
            self._listener.bind(str(folder / _SOCKET))
            self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def passes(self, octets: bytes, *, by_client: bool) -> bool:
        """Whether these octets go on; else their connection ends. One thread a connection."""
        raise NotImplementedError

    def close(self) -> None:
        """Let nobody in any more."""
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        ended = contextlib.suppress(OSError)  # by either of them, in the midst
        with ended, client, socket.socket(socket.AF_UNIX) as server:
            server.connect(self._to)
            while True:
                for ready in select.select([client, server], [], [])[0]:
                    octets = ready.recv(65536)
                    if not octets or not self.passes(octets, by_client=ready is client):
                        return
                    (server if ready is client else client).sendall(octets)


def on(sampled: str) -> pytest.MarkDecorator:
    """For a test that has a fixture `location`: an archive of either kind; in the sample of one."""
    engines = [
        pytest.param(each, marks=[] if each == sampled else pytest.mark.deep)
        for each in ("folder", "postgresql")
    ]
    return pytest.mark.parametrize("location", engines, indirect=True)


class Repository(repository.Repository):
    """An archive of a test: a folder stands for where the engine of the test has it."""

    engine: Server | None = None
    """None: SQLite."""
    blind: str | None = None
    """The fixture at work whose things outlast an engine, and that does not ask for one."""

    @classmethod
    def at(cls, location: Location) -> Location:
        """The location of the archive of a folder; a text is a location already."""
        if not isinstance(location, Path):
            return location
        assert cls.blind is None, f"{cls.blind} makes an archive for many tests: ask for `engine`"
        if cls.engine is None:
            return location
        if (location / "catalog.sqlite").exists():  # a copy, or what a test made in a folder itself
            return location
        return cls.engine.location(location)

    @classmethod
    def create(cls, location: Location, *, objects: str | None = None, **options: Any) -> Self:
        """Make the archive of a folder."""
        if objects and cls.engine is not None and isinstance(location, Path):
            cls.engine.stores[location], objects = objects, None
        return super().create(cls.at(location), objects=objects, **options)

    @classmethod
    def drop(cls, folder: Path) -> None:
        """Remove the records of a closed archive that its folder is not removed with."""
        if cls.engine is not None:
            cls.engine.drop(folder)

    @classmethod
    def open(cls, location: Location, **options: Any) -> Self:
        """Open the archive of a folder."""
        return super().open(cls.at(location), **options)

    @classmethod
    def duplicate(cls, folder: Path, target: Path) -> None:
        """Copy an archive that nobody has open: making one waits for the disk."""
        shutil.copytree(folder, target)
        if cls.engine is not None:
            cls.engine.duplicate(folder, target)

    @classmethod
    def all_of(cls, folder: Path) -> bytes:
        """All that an archive has, in records and in files: where to look for what must be gone."""
        files = [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()]
        return b"".join(files) + (b"" if cls.engine is None else cls.written(folder))

    @classmethod
    def adopt(cls, folder: Path) -> None:
        """Bring an unpacked archive, whose records are SQLite's, to where the engine is.

        It takes the place of what was made there before, as it does where it is unpacked.
        """
        if cls.engine is not None:
            cls.engine.drop(folder)
            aside = folder.rename(folder.with_name(f"{folder.name}.unpacked"))
            with repository.Repository.open(aside) as unpacked:
                unpacked.copies.copy(cls.at(folder), with_key=(aside / "log.key").exists())
            shutil.rmtree(aside)

    @classmethod
    def catalog(cls, folder: Path, *, clock: Clock = utc_now) -> Catalog:
        """The records of an archive, without all else."""
        place = place_of(cls.at(folder))
        return place.catalog(clock=clock, sealer=seal, busy_timeout_s=5)

    @classmethod
    def rows(cls, folder: Path, question: str) -> list[Any]:
        """Rows as somebody reads them with psql or sqlite3."""
        if cls.engine is not None:
            return cls.engine.rows(folder, question)
        with contextlib.closing(sqlite3.connect(folder / "catalog.sqlite")) as catalog:
            return catalog.execute(question).fetchall()

    @classmethod
    def written(cls, folder: Path) -> bytes:
        """All that is written in the records, for those who look for words in it."""
        if cls.engine is not None:
            return cls.engine.written(folder)
        return (folder / "catalog.sqlite").read_bytes()

    @classmethod
    def by_hand(cls, folder: Path, *statements: str, is_ruled: bool = True) -> None:
        """Change records as somebody does with psql or sqlite3: no settings of ours.

        Raises Refused where a rule refuses it; nothing rules who owns all and wants it so.
        """
        if cls.engine is not None:
            cls.engine.by_hand(folder, *statements, is_ruled=is_ruled)
            return
        catalog = sqlite3.connect(folder / "catalog.sqlite")
        with contextlib.closing(catalog), catalog:
            rules = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
            triggers = [] if is_ruled else catalog.execute(rules).fetchall()
            for name, _ in triggers:
                catalog.execute(f"DROP TRIGGER {name}")
            try:
                for statement in statements:
                    catalog.execute(statement)
                for _, rule in triggers:
                    catalog.execute(rule)
            except sqlite3.IntegrityError as error:
                raise Refused(str(error)) from error

    @classmethod
    def tamper(cls, folder: Path, *statements: str) -> None:
        """Change records as who owns all can, rules out of the way."""
        cls.by_hand(folder, *statements, is_ruled=False)
