"""A catalog in which a bit is wrong, or a part is missing, says so, or answers as it did before.

Bits of files are those of SQLite: the files of PostgreSQL are its own, which finds by checksums
what it did not write. Rows that somebody altered are in test_altered_rows.py, on both.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests import inside

from permacite.archive.model.answered import Provenance
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository
from permacite.errors import PermaciteError
from permacite.service.archive import Archive
from permacite.service.findings import HARMLESS
from permacite.service.plain import plain
from permacite.web.app import create_app

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


pytest.importorskip("cryptography", reason="the log's signatures need it")

SERIES = "lab.example.us"
START = datetime(2026, 11, 20, 12, tzinfo=UTC)
PAGE = b"<title>Gr\xc3\xbc\xc3\x9fe</title><h1>Report</h1><p>Some words of a page, and others."
PLAIN = NewRepresentation(b"plain", "text/plain", received=b"pl\x00in")

ROUTES = (
    "/",
    "/-/api/documents",
    "/-/api/document?name={}",
    "/-/api/passages?name={}&quote=words",
    "/-/api/quotes?name={}",
    "/-/api/quoters?name={}",
    "/-/api/statements?name={}",
    "/-/page/{}",
    "/{}",
    "/uri-res/N2C?{}",
    "/-/log/checkpoint",
)

Question = Callable[[], object]


class Clock:
    """A clock that goes on by a second each time."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """Return the next second."""
        self.now += timedelta(seconds=1)
        return self.now


@dataclass(frozen=True)
class Refusal:
    """A question that is answered by an error of ours."""

    problem: str


@dataclass
class Answers:
    """What an archive answered, what `fsck` finds wrong with it, and exceptions of other kinds."""

    given: dict[str, object] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def ask(self, name: str, question: Question) -> object:
        """Ask one thing."""
        try:
            self.given[name] = plain(question())
        except PermaciteError as error:
            self.given[name] = Refusal(str(error))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a fault
            self.faults.append(f"{name}: {error!r}")
        return self.given.get(name)


class Case:
    """An archive with every kind of record, closed, and what it answers while it is whole."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.catalog = directory / "catalog.sqlite"
        clock = Clock(START)
        with Repository.create(directory, series=SERIES, clock=clock) as archive:
            self.names = fill(archive, clock)
        self.content = self.catalog.read_bytes()
        self.answers = self.ask(self.content)
        assert self.answers.findings == self.answers.faults == []

    def ask(self, content: bytes) -> Answers:
        """Ask everything of the archive with another catalog."""
        for suffix in ("", "-wal", "-shm"):
            self.catalog.with_name(self.catalog.name + suffix).unlink(missing_ok=True)
        self.catalog.write_bytes(content)
        return asked(partial(Repository.open, self.directory), self.names)

    def fault(self, content: bytes) -> str:
        """Say what is not as it should be when the catalog is damaged like this; "" if all is."""
        readable = [name for name in self.names if name != self.names[5]]
        return fault(self.ask(content), self.answers, readable)


def asked(opening: Callable[..., Repository], names: list[str]) -> Answers:
    """Open an archive of these names an hour after its last day began, and ask everything of it."""
    answers = Answers()
    now = START + timedelta(days=1, hours=1)
    opened: list[Repository] = []
    answers.ask("open", lambda: opened.append(opening(clock=lambda: now)))
    for archive in opened:
        with archive:
            ask_all(Archive(archive), names, answers)
    return answers


def fault(found: Answers, whole: Answers, held: list[str]) -> str:
    """Say what is not as it should be in the answers of a damaged archive; "" if all is.

    The names in `held` are answered right or refused, whether anybody runs `fsck` or not.
    """
    if found.faults:
        return found.faults[0]
    if isinstance(found.given["open"], Refusal):
        return ""
    of_held = {f"{what} {name}" for what in ("resolve", "export") for name in held}
    for name, answer in found.given.items():
        if answer == whole.given[name] or is_refusal(answer):
            continue
        if not found.findings:
            return f"{name} is answered otherwise, and fsck finds nothing"
        if name in of_held:
            return f"{name} is answered otherwise, and does not say so itself"
    return ""


def fill(archive: Repository, clock: Clock) -> list[str]:
    """Commit on two days, quote, cite, state, withdraw, delegate, sign; return what to ask for."""
    service = Archive(archive)
    service.documents.series.add(f"press.{SERIES}")
    page = service.add(PAGE, name="page.html", uri="https://example.org/page").pdi
    text = page.replace(".html.", ".utf-8.")
    cited = service.cite(text, quote="Some words", note="a note").reference
    lines = NewRepresentation(b"a line\r\n" * 9, "text/plain", sidecars={"side": b"object"})
    text_of_lines = str(archive.committer.commit([lines]).representations[0].pdi)
    provenance = Provenance("A title", "https://example.org/a", None, clock(), {"status": 200})
    kept = archive.committer.commit([PLAIN], provenance=provenance, key="a key")
    archive.committer.commit(
        [NewRepresentation(b"more", "text/plain")], replaces=kept.pdi, key="another"
    )
    archive.committer.add_format(kept.pdi, NewRepresentation(b"{}", "application/json"))
    clock.now += timedelta(days=1)
    quoting = NewRepresentation(b"<p>Some words", "text/html", quotations=(("3", cited),))
    composite = str(archive.committer.commit([quoting], unique_id="quoting").representations[0].pdi)
    gone = service.add(b"withdrawn words", name="gone.txt").pdi
    service.access.withdraw(gone, reason="court-order", status=451)
    service.annotations.statements.state(page, "same-as", "https://example.org/page", who="Ann")
    service.documents.series.delegate("resolver", f"a.{SERIES}", "https://pdi.example.org")
    service.log.state()
    archive.settings.set("resolver", "https://pdi.example.org")
    absent = f"urn:pdi://{SERIES}/2026/11/20/none"
    return [
        page,
        text,
        cited,
        str(kept.pdi.document),
        composite,
        gone,
        absent,
        f"{text_of_lines}#char=9,20",
    ]


def ask_all(service: Archive, names: list[str], answers: Answers) -> None:
    """Ask for findings, on every route, and everything else; what writes comes last."""
    try:
        bad = service.copies.fsck().bad
        answers.findings = [f"{one.name}: {one.kind}: {one.detail}" for one in bad]
    except Exception as error:  # noqa: BLE001 - a finding is never an exception
        answers.faults.append(f"fsck: {error!r}")
    routes = ask_routes(service, (names[0], names[2], names[5]), answers)
    with ThreadPoolExecutor(1) as pool:  # a browser of another test may keep a loop in this thread
        pool.submit(asyncio.run, routes).result()
    for name, question in questions(service, names):
        answers.ask(name, question)


def questions(service: Archive, names: list[str]) -> Iterator[tuple[str, Question]]:
    """Return what can be asked of a service."""
    for name in names:
        yield f"resolve {name}", partial(service.resolve, name, whole=False)
    for name in names[:-1]:
        yield f"verify {name}", partial(verified, service, name)
        yield f"show {name}", partial(service.documents.show, name)
        yield f"export {name}", partial(service.documents.export, name)
        yield f"prove {name}", partial(service.prove, name)
        yield f"quotes {name}", partial(service.quotations.of, name)
        yield f"quoters {name}", partial(service.quotations.quoters, name)
        yield f"statements {name}", partial(service.annotations.statements.about, name)
        yield f"read {name}", partial(service.documents.reader.read, name, text=True)
    for pattern in (None, SERIES, f"{SERIES}/2026/11/20", f"urn:pdi://{SERIES}/*/*/*/*.text.1"):
        yield f"list {pattern}", partial(service.documents.list, pattern)
    yield "delegations", service.documents.series.delegations
    yield (
        "elsewhere",
        lambda: service.documents.series.elsewhere(f"urn:pdi://a.{SERIES}/2026/11/20/1"),
    )
    yield "series", service.documents.series.names
    yield "about", service.documents.about
    yield "log", service.log.state
    yield "entries", lambda: service.log.tile("tile/entries/000.p/5")
    yield "hashes", lambda: service.log.tile("tile/0/000.p/5")
    yield "verify", partial(verified, service, None)
    archive = service._repository  # noqa: SLF001 - over HTTP a key would be given
    yield "the same key", lambda: archive.committer.commit([PLAIN], key="a key").pdi
    yield "cite", lambda: service.cite(names[1], quote="others", note="later")


def verified(service: Archive, name: str | None) -> object:
    """Return what a check of one document, or of everything, finds."""
    return service.verify(name).findings


async def ask_routes(service: Archive, names: tuple[str, ...], answers: Answers) -> None:
    """Ask every route about some names."""
    app = create_app(service, names=("localhost",))
    for name in names:
        for route in ROUTES:
            path = route.format(name.replace("#", "%23" if "?" in route else "?fragment="))
            for accept in ("application/json", "text/html")[: 2 if route == "/{}" else 1]:
                asked = f"GET {path} {accept}"
                try:
                    given = await inside.answer(app, path, accept=accept)
                    answers.given[asked] = given.status, given.body
                except Exception as error:  # noqa: BLE001 - the server would answer 500
                    answers.faults.append(f"{asked}: {error!r}")


def is_refusal(answer: object) -> bool:
    """Say whether an answer tells that something is wrong."""
    if isinstance(answer, Refusal):
        return True
    if isinstance(answer, tuple):
        return bool(answer[0] >= 400)
    findings = answer if isinstance(answer, list) else ()
    return any(isinstance(one, dict) and one.get("kind", "ok") not in HARMLESS for one in findings)


def damages(content: bytes, chance: random.Random, count: int) -> Iterator[tuple[str, bytes]]:
    """Return damaged catalogs: mostly a bit among those that say anything, also a part that lacks.

    Of most pages a large part is empty; what is there is never read.
    """
    written = [place for place, octet in enumerate(content) if octet]
    for number in range(count):
        damaged = bytearray(content)
        place = chance.choice(written)
        if number % 10:
            bit = chance.randrange(8)
            damaged[place] ^= 1 << bit
            yield f"bit {bit} of octet {place}", bytes(damaged)
        elif number % 20:
            damaged[place:] = b""
            yield f"cut at {place}", bytes(damaged)
        else:
            start = place // 4096 * 4096
            damaged[start : start + 4096] = bytes(4096)
            yield f"page at {start} is empty", bytes(damaged)


def faults(directory: Path, seed: int, count: int) -> list[str]:
    """Return what went wrong in so many damaged catalogs."""
    case = Case(directory)
    chance = random.Random(seed)  # noqa: S311 - no secret
    found = ((told, case.fault(content)) for told, content in damages(case.content, chance, count))
    return [f"{told}: {problem}" for told, problem in found if problem]


@pytest.mark.timeout(36_000)
def test_damage_is_told_or_changes_no_answer(
    tmp_path: Path, times: Callable[[int, int], int]
) -> None:
    assert faults(tmp_path / "archive", 2026, times(50, 10_000)) == []


def test_a_version_that_lost_its_formats_is_told_of(tmp_path: Path) -> None:
    case = Case(tmp_path / "archive")
    case.catalog.write_bytes(case.content)
    with closing(sqlite3.connect(case.catalog)) as connection:
        rows = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
        ).fetchall()
        for (name,) in rows:
            connection.execute(f'DROP TRIGGER "{name}"')
        connection.execute("DELETE FROM representation WHERE version_id = 1")
        connection.commit()
    assert case.fault(case.catalog.read_bytes()) == ""
