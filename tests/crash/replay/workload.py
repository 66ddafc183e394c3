"""What is recorded: an archive at work, one scene for each process, telling what was acknowledged.

Usage: workload.py SCENE FOLDER SEED, with RECORD_ACKS naming where acknowledgements go. Each is one
write of a JSON list of facts; a fact is a list of texts, and invariants.py finds the same facts
again in what a crash left. A fact is told once the call that made it so has returned.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from permacite.archive.model.answered import Provenance
from permacite.archive.model.submitted import NewCitation, NewRepresentation
from permacite.archive.repository import Repository
from permacite.errors import ConflictError, StorageError
from permacite.service import preservation
from permacite.service.exchange import ocfl

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.archive.model.answered import Clock, Version

SERIES = "lab.example.zz"
THREADS = 3
FULL_FROM = 60
"""A commit makes fewer calls than this."""


class Told:
    """Where facts are told, each list of them in one write."""

    def __init__(self) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._descriptor = os.open(os.environ["RECORD_ACKS"], flags, 0o600)
        self.tell()  # nothing yet: a mark where the process begins

    def tell(self, *facts: list[str]) -> None:
        """Tell facts that hold from now on."""
        os.write(self._descriptor, json.dumps(facts).encode())

    def fill_disk(self, first: int, last: int) -> None:
        """Let the disk be full for those calls from now on, `last` excluded."""
        os.write(self._descriptor, f"!{first} {last}".encode())


def clock_from(start: datetime) -> Clock:
    """Return a clock that starts at `start` and goes on by a millisecond with each reading."""
    lock = threading.Lock()
    now = [start]

    def read() -> datetime:
        with lock:
            now[0] += timedelta(milliseconds=1)
            return now[0]

    return read


def on_day(day: int) -> Clock:
    """Return a clock of one of the days on which the scenes play."""
    return clock_from(datetime(2026, 11, day, 12, tzinfo=UTC))


def facts_of(version: Version, contents: dict[str, bytes]) -> list[list[str]]:
    """Return a fact for each format: name, number, format, digest of the octets handed in."""
    return [
        ["format", str(version.pdi.document), str(version.number), token, digest(content)]
        for token, content in contents.items()
    ]


def digest(content: bytes) -> str:
    """Return the SHA-256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def new(contents: dict[str, bytes]) -> list[NewRepresentation]:
    """Return representations, the token of each being its media type's."""
    media_types = {"html": "text/html", "png": "image/png", "utf-8": "text/plain"}
    return [
        NewRepresentation(
            content,
            media_types[name],
            charset="utf-8" if name == "utf-8" else None,
            format=name,
            sidecars={"map": content[:7]} if name == "html" else {},
        )
        for name, content in contents.items()
    ]


def planned(contents: dict[str, bytes]) -> Provenance:
    """Return a record of which formats belong to the version: it must never be seen with fewer."""
    return Provenance(title=" ".join(contents))


def keep_checkpoints_small(archive: Repository) -> None:
    """Let SQLite move its write-ahead log into the database every few pages."""
    archive._catalog.write(  # noqa: SLF001 - no other way in
        lambda changing: changing.connection.execute("PRAGMA wal_autocheckpoint = 12").fetchall()
    )


def commit(
    archive: Repository, told: Told, contents: dict[str, bytes], *, key: str | None = None
) -> Version:
    """Commit a document and tell it."""
    version = archive.committer.commit(new(contents), provenance=planned(contents), key=key)
    facts = facts_of(version, contents)
    if key is not None:
        facts.append(["idempotency", key, str(version.pdi.document)])
    told.tell(*facts)
    return version


def create(folder: Path, told: Told, chance: random.Random) -> None:
    """Make an archive in folders that are not there yet, and commit at once.

    The scene is played twice, for the first time by a process that is killed in the middle of it.
    """
    facts = [["created"]]
    try:
        archive = Repository.create(folder, series=SERIES, clock=on_day(1))
        facts.append(["readme"])
    except ConflictError:
        archive = Repository.open(folder, clock=on_day(1))
    with archive:
        told.tell(*facts, ["key", str(archive.log.keys.verifier)])
        for _ in range(2):
            commit(archive, told, {"png": chance.randbytes(900)})


def write(folder: Path, told: Told, chance: random.Random) -> None:
    """Commit from several threads: some of two formats, some of the same octets."""
    with Repository.open(folder, clock=on_day(1)) as archive:
        keep_checkpoints_small(archive)
        first = commit(archive, told, {"utf-8": b"first words"})
        seeds = [chance.randrange(1 << 30) for _ in range(THREADS)]
        threads = [
            threading.Thread(target=_write_some, args=(archive, told, first, random.Random(seed)))  # noqa: S311 - no secret
            for seed in seeds
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def _write_some(archive: Repository, told: Told, first: Version, chance: random.Random) -> None:
    """Commit what one thread commits."""
    who = f"{chance.randrange(1 << 30):x}"
    commit(archive, told, {"html": f"<p>{who}".encode(), "utf-8": who.encode()})
    commit(archive, told, {"png": b"the same octets in every thread" * 40})
    _cite(archive, told, first, who)
    commit(archive, told, {"png": chance.randbytes(6000)}, key=who)
    _state(archive, told, first, who)
    contents = {"html": f"<p>two {who}".encode(), "utf-8": f"two {who}".encode()}
    version = archive.committer.commit(
        new(contents), replaces=first.pdi, provenance=planned(contents)
    )
    told.tell(*facts_of(version, contents))


def _cite(archive: Repository, told: Told, version: Version, note: str) -> None:
    """Record a citation of a version's text."""
    pdi = version.representation("utf-8").pdi
    archive.passages.record(NewCitation(f"{pdi}#char=0,5", pdi, 0, 5, quote="first", before=note))
    told.tell(["citation", f"{pdi}#char=0,5", "first", note])


def _state(archive: Repository, told: Told, version: Version, value: str) -> None:
    """Record a statement about a document."""
    subject = str(version.pdi.document)
    archive.statements.state(subject, "seeAlso", value)
    told.tell(["assertion", subject, "seeAlso", value])


def keep(folder: Path, told: Told, chance: random.Random) -> None:
    """Come back on the next day: withdraw, sign, add a format, set, delegate, commit."""
    with Repository.open(folder, clock=on_day(2)) as archive:
        keep_checkpoints_small(archive)
        version = commit(archive, told, {"utf-8": chance.randbytes(20).hex().encode()})
        _sign(archive, told)
        picture = chance.randbytes(300)
        archive.committer.add_format(version.pdi, new({"png": picture})[0])
        told.tell(*facts_of(version, {"png": picture}))
        archive.statements.withdraw(version.pdi.document, reason="court-order", status=451)
        told.tell(["withdrawal", str(version.pdi.document), "court-order"])
        archive.settings.set("resolver", "https://resolver.example/")
        told.tell(["setting", "resolver", "https://resolver.example/"])
        archive.delegations.delegate("minter", f"press.{SERIES}", "someone")
        told.tell(["delegation", f"press.{SERIES}", "someone"])
        _sign(archive, told)
        commit(archive, told, {"utf-8": b"last words"})


def later(folder: Path, told: Told, chance: random.Random) -> None:
    """Go on in what a crash left."""
    with Repository.open(folder, clock=on_day(2)) as archive:
        keep_checkpoints_small(archive)
        _sign(archive, told)
        for _ in range(4):
            commit(archive, told, {"png": chance.randbytes(3000)})


def full(folder: Path, told: Told, chance: random.Random) -> None:
    """Commit on a disk that is full for a while, each time from another call on."""
    with Repository.open(folder, clock=on_day(1)) as archive:
        keep_checkpoints_small(archive)
        for first in range(FULL_FROM):
            told.fill_disk(first, first + chance.choice((1, 4, 1000)))
            try:
                commit(archive, told, {"html": chance.randbytes(30).hex().encode(), "png": b"same"})
            except StorageError as error:
                told.tell(["refused", error.reason])
            told.fill_disk(0, 0)
        commit(archive, told, {"png": b"after all that"})


def bring_up(folder: Path, told: Told, _: random.Random) -> None:
    """Open an archive of an earlier schema, which brings it up, and close it."""
    with Repository.open(folder, clock=on_day(22)):
        told.tell(["created"])


def restore(folder: Path, told: Told, chance: random.Random) -> None:
    """Commit, write everything as OCFL objects elsewhere, and make another archive of them."""
    elsewhere = Path(os.environ["RECORD_ACKS"]).with_name("ocfl")
    with Repository.open(folder, clock=on_day(1)) as archive:
        commit(archive, told, {"png": chance.randbytes(100)})
        ocfl.export(archive, elsewhere)
    preservation.restore(elsewhere, folder.with_name("restored"))
    told.tell(["restored"])


def _sign(archive: Repository, told: Told) -> None:
    """Sign the log, as if the checkpoint were then handed to others."""
    told.tell(["checkpoint", archive.log.checkpoints.current()])


def die(folder: Path, told: Told, chance: random.Random) -> None:
    """Commit without end: whoever starts this scene kills it."""
    archive = Repository.open(folder, clock=on_day(1), busy_timeout_s=60)
    keep_checkpoints_small(archive)

    def work(seed: int) -> None:
        mine = random.Random(seed)  # noqa: S311 - no secret
        while True:
            contents = {"png": mine.randbytes(mine.randrange(2000)), "html": mine.randbytes(9)}
            representations = [
                NewRepresentation(contents["png"], "image/png"),
                NewRepresentation(contents["html"], "text/html", "latin-1", format="html"),
            ]
            version = archive.committer.commit(representations, provenance=planned(contents))
            told.tell(*facts_of(version, contents))

    for _ in range(THREADS):
        threading.Thread(target=work, args=(chance.randrange(1 << 30),)).start()


def back_up(folder: Path, told: Told, chance: random.Random) -> None:
    """Make a backup beside the archive, commit, and bring the backup up. Played as `create` is."""
    with Repository.open(folder, clock=on_day(2)) as archive:
        for link in (True, False):
            archive.copies.backup(folder.with_name("backup"), link=link)
            told.tell(["backup"])
            commit(archive, told, {"png": chance.randbytes(40)})


SCENES: dict[str, Callable[[Path, Told, random.Random], None]] = {
    "create": create,
    "write": write,
    "die": die,
    "keep": keep,
    "backup": back_up,
    "later": later,
    "full": full,
    "restore": restore,
    "bring-up": bring_up,
}

if __name__ == "__main__":
    SCENES[sys.argv[1]](Path(sys.argv[2]), Told(), random.Random(sys.argv[3]))  # noqa: S311 - no secret
