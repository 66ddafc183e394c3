"""What an archive promises, through any sequence of operations, in it and in every copy of it."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.engines import Repository

from permacite import pdi
from permacite.archive.model.submitted import NewCitation, NewRepresentation
from permacite.errors import ConflictError, NotFoundError, StorageError, WithdrawnError
from permacite.service import preservation
from permacite.service.exchange import ocfl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.engines import Server

    from permacite.archive.entries import Leaf
    from permacite.archive.model.answered import Representation

SERIES = ("lab.example.us", "press.example.us")
TYPES = (
    ("text/html", "html"),
    ("text/plain", "text"),
    ("image/png", "png"),
    ("image/svg+xml", "svg%2bxml"),
)
UNIQUE_IDS = (None, None, None, "1", "3", "http:%2f%2fa%2eb%2f%c3%a9")
MARKS = (b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")
CONTENTS = st.binary(max_size=4).filter(lambda content: not content.startswith(MARKS))
"""A byte order mark would settle another charset, and so another token, for plain text."""
FORMATS = st.dictionaries(st.sampled_from(TYPES), CONTENTS, min_size=1, max_size=3)
MIDNIGHT = timedelta(days=1)

Formats: TypeAlias = dict[tuple[str, str], bytes]
Status: TypeAlias = Literal[410, 451]


@dataclass(frozen=True)
class Name:
    """A representation that was acknowledged."""

    document: str
    version: int
    format: str

    @property
    def pdi(self) -> pdi.PDI:
        """The full name."""
        return document(self.document).with_(format=self.format, version=self.version)


def document(text: str) -> pdi.PDI:
    """Return the name of one document."""
    value = pdi.parse(text)
    assert isinstance(value, pdi.PDI)
    return value


def representation(kind: str, content: bytes) -> NewRepresentation:
    """Return a representation of any octets, with others beside it where it is a picture."""
    if kind.startswith("text/"):
        return NewRepresentation(content, kind, charset="iso-8859-1")
    return NewRepresentation(content, kind, received=content + b"!", sidecars={"a/b": content})


def digest(content: bytes) -> str:
    """Return the digest of octets as the archive writes it."""
    return f"sha-256:{hashlib.sha256(content).hexdigest()}"


class Promises(RuleBasedStateMachine):
    """A real archive on the disk, and beside it what it has acknowledged."""

    documents: Bundle[str] = Bundle("documents")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.copies = 0
        self.now = datetime(2026, 12, 31, 22, tzinfo=UTC)
        self.bytes: dict[Name, bytes] = {}
        self.order: list[tuple[str, int]] = []
        self.serials: dict[tuple[str, str], list[int]] = {}
        self.last_day: dict[str, str] = {}
        self.keys: dict[str, tuple[Formats, tuple[str, int]]] = {}
        self.cited: list[tuple[str, str]] = []
        self.stated: list[tuple[str, str, str]] = []
        self.leaves: list[Leaf] = []
        self.roots: dict[int, bytes] = {}

    @initialize()
    def create(self) -> None:
        """Begin with an empty archive of two series."""
        place = self.folder / "0"
        self.archive = Repository.create(place, series=SERIES[0], clock=lambda: self.now)
        self.archive.settings.add_series(SERIES[1])

    # ------------------------------------------------------------ what is committed

    @rule(
        target=documents,
        formats=FORMATS,
        series=st.sampled_from(SERIES),
        unique_id=st.sampled_from(UNIQUE_IDS),
    )
    def mint(self, formats: Formats, series: str, unique_id: str | None) -> str:
        """Commit a new document; a name that is taken, or a clock that is behind, is refused."""
        today = f"{self.now:%Y/%m/%d}"
        wanted = f"urn:pdi://{series}/{today}/{unique_id}"
        taken = any(one == wanted for one, _ in self.order)
        behind = today < self.last_day.get(series, "")
        new = [representation(kind, content) for (kind, _), content in formats.items()]
        try:
            made = self.archive.committer.commit(new, series=series, unique_id=unique_id)
        except StorageError:
            assert behind
            return multiple()  # type: ignore[return-value]
        except ConflictError:
            assert taken
            return multiple()  # type: ignore[return-value]
        assert not behind
        assert not taken
        name = str(made.pdi.document)
        if unique_id is None:
            self.check_serial(name, series, today)
        else:
            assert name == wanted
        self.acknowledge(name, made.number, formats)
        return name

    def check_serial(self, name: str, series: str, today: str) -> None:
        """A serial number is the next of its series and day; names that were given are skipped."""
        before, _, serial = name.rpartition("/")
        assert before == f"urn:pdi://{series}/{today}"
        given = self.serials.setdefault((series, today), [])
        expected = max(given, default=0) + 1
        while any(one == f"{before}/{expected}" for one, _ in self.order):
            expected += 1
        assert serial == str(expected)
        given.append(expected)

    @rule(name=documents, formats=FORMATS)
    def next_version(self, name: str, formats: Formats) -> None:
        """Commit the next version of all formats, also where the series is ahead of the clock."""
        new = [representation(kind, content) for (kind, _), content in formats.items()]
        made = self.archive.committer.commit(new, replaces=document(name))
        assert made.number == self.highest(name) + 1
        self.acknowledge(name, made.number, formats)

    @rule(name=documents, back=st.integers(0, 2), kind=st.sampled_from(TYPES), content=CONTENTS)
    def add_format(self, name: str, back: int, kind: tuple[str, str], content: bytes) -> None:
        """Add a format to any version; other bytes under a name are refused, the same are not."""
        number = max(self.highest(name) - back, 1)
        wanted = Name(name, number, kind[1])
        held = self.bytes.get(wanted)
        asked = document(name).with_(format=self.formats(name, number)[0], version=number)
        new = representation(kind[0], content)
        if held not in {None, content}:
            self.refused(lambda: self.archive.committer.add_format(asked, new))
            return
        self.archive.committer.add_format(asked, new)
        self.bytes[wanted] = content

    @rule(target=documents, name=documents, start=st.integers(0, 9))
    def quote(self, name: str, start: int) -> str:
        """Commit a document that quotes another one."""
        if self.is_behind(f"urn:pdi://{SERIES[0]}/"):
            return multiple()  # type: ignore[return-value]
        number = self.highest(name)
        cited = str(document(name).with_(format=self.formats(name, number)[0], version=number))
        new = NewRepresentation(b"It says so.", "text/plain", quotations=((str(start), cited),))
        made = self.archive.committer.commit([new])
        composite = str(made.pdi.document)
        self.check_serial(composite, SERIES[0], f"{self.now:%Y/%m/%d}")
        self.acknowledge(composite, 1, {TYPES[1]: b"It says so."})
        target = cited.removeprefix("urn:")
        assert f"{composite}.text.1@{start}={target}" in map(
            str, self.archive.passages.quoters(document(name))
        )
        return composite

    @rule(key=st.sampled_from("ab"), formats=FORMATS)
    def commit_with_key(self, key: str, formats: Formats) -> None:
        """The same key again gives the first answer; with other bytes it is refused."""
        new = [representation(kind, content) for (kind, _), content in sorted(formats.items())]
        if key in self.keys:
            before, answer = self.keys[key]
            if before != formats:
                self.refused(lambda: self.archive.committer.commit(new, key=key))
                return
            made = self.archive.committer.commit(new, key=key)
            assert (str(made.pdi.document), made.number) == answer
        elif not self.is_behind(f"urn:pdi://{SERIES[0]}/"):
            made = self.archive.committer.commit(new, key=key)
            name = str(made.pdi.document)
            self.check_serial(name, SERIES[0], f"{self.now:%Y/%m/%d}")
            self.keys[key] = (formats, (name, 1))
            self.acknowledge(name, 1, formats)

    @precondition(lambda self: self.keys)
    @rule(data=st.data())
    def the_same_key_again(self, data: st.DataObject) -> None:
        """Ask again with a key and the bytes that it came with, at whatever time."""
        key = data.draw(st.sampled_from(sorted(self.keys)))
        formats, answer = self.keys[key]
        new = [representation(kind, content) for (kind, _), content in sorted(formats.items())]
        size = self.archive.log.size()
        made = self.archive.committer.commit(new, key=key)
        assert (str(made.pdi.document), made.number) == answer
        assert self.archive.log.size() == size

    # ------------------------------------------------------------ what is said about it

    @rule(name=documents, start=st.integers(0, 2))
    def cite(self, name: str, start: int) -> None:
        """Cite a part; the same again is the record of the first time."""
        number = self.highest(name)
        cited = document(name).with_(format=self.formats(name, number)[-1], version=number)
        fragment = f"{cited}#byte={start},{start + 1}"
        new = NewCitation(fragment, cited, start, start + 1, quote="w\u00f6rds")
        first = self.archive.passages.record(new)
        self.now += timedelta(seconds=1)
        assert self.archive.passages.record(new) == first
        if (str(cited), fragment) not in self.cited:
            self.cited.append((str(cited), fragment))

    @rule(name=documents, value=st.sampled_from(("Ann", "")))
    def state(self, name: str, value: str) -> None:
        """Say something about a document."""
        self.archive.statements.state(name, "creator", value)
        self.stated.append((name, "creator", value))

    @rule(name=documents, whole=st.booleans(), status=st.sampled_from((410, 451)))
    def withdraw(self, name: str, whole: bool, status: Status) -> None:  # noqa: FBT001 - drawn
        """Withdraw a document, or one format of its highest version."""
        subject = self.subject(name, whole=whole)
        self.archive.statements.withdraw(document(subject), reason="safety", status=status)
        self.stated.append((subject, "withdrawn", str(status)))

    @rule(name=documents, whole=st.booleans())
    def reinstate(self, name: str, whole: bool) -> None:  # noqa: FBT001 - drawn
        """Lift a withdrawal, if there is one."""
        subject = self.subject(name, whole=whole)
        try:
            self.archive.statements.reinstate(document(subject))
        except NotFoundError:
            assert self.tombstone([subject]) is None
            return
        assert self.tombstone([subject]) is not None
        self.stated.append((subject, "reinstated", ""))

    def subject(self, name: str, *, whole: bool) -> str:
        """Return what a withdrawal is about."""
        number = self.highest(name)
        one = document(name).with_(format=self.formats(name, number)[0], version=number)
        return name if whole else str(one)

    # ------------------------------------------------------------ what happens to archives

    @rule(hours=st.integers(1, 60))
    def time_goes_on(self, hours: int) -> None:
        """Let the clock go on."""
        self.now += timedelta(hours=hours)

    @rule(hours=st.integers(12, 60))
    def clock_is_set_back(self, hours: int) -> None:
        """Set the clock back, over midnight or not."""
        self.now -= timedelta(hours=hours)

    @rule()
    def midnight_comes(self) -> None:
        """Go to the first instant of the next day."""
        self.now = datetime(self.now.year, self.now.month, self.now.day, tzinfo=UTC) + MIDNIGHT

    @rule()
    def sign(self) -> None:
        """Sign the log as it is, and hold all later logs to it."""
        self.archive.log.checkpoints.current()
        size = self.archive.log.size()
        self.roots[size] = self.archive.log.root(size)

    @rule()
    def close_and_open_again(self) -> None:
        """Go on in the same folder, as after a night."""
        directory = self.archive.directory
        self.archive.close()
        self.archive = Repository.open(directory, clock=lambda: self.now)

    @precondition(lambda _: Repository.engine is None)
    @rule(link=st.booleans())
    def lose_all_but_the_backup(self, link: bool) -> None:  # noqa: FBT001 - drawn
        """Make a backup, refresh it, and go on in it: the first archive is gone."""
        copy = self.new_place()
        self.archive.copies.backup(copy, link=link)
        self.archive.statements.state("urn:pdi://elsewhere.us/2000/01/01/1.text.1", "seen", "")
        self.stated.append(("urn:pdi://elsewhere.us/2000/01/01/1.text.1", "seen", ""))
        self.archive.copies.backup(copy, link=link)
        self.lose_and_go_on_in(copy)

    @rule()
    def lose_all_but_the_ocfl_objects(self) -> None:
        """Export OCFL objects, and go on in what is restored from them, where that is a folder."""
        copy = self.new_place()
        objects = self.new_place()
        ocfl.export(self.archive, objects)
        restored = preservation.restore(objects, copy)
        if Repository.engine is not None:
            assert restored.entries == self.archive.log.size()
            return
        self.lose_and_go_on_in(copy)
        self.keys.clear()  # they guard requests under way, and are no part of what is kept

    def new_place(self) -> Path:
        """Return a folder that is not there yet."""
        self.copies += 1
        return self.folder / str(self.copies)

    def lose_and_go_on_in(self, directory: Path) -> None:
        """Remove the archive, and open the one in `directory`."""
        self.archive.close()
        shutil.rmtree(self.archive.directory)
        self.archive = Repository.open(directory, clock=lambda: self.now)

    # ------------------------------------------------------------ what the model knows

    def acknowledge(self, name: str, number: int, formats: Formats) -> None:
        """Note what the archive has promised."""
        if number == 1:
            self.last_day["/".join(name.split("/")[2:3])] = "/".join(name.split("/")[3:6])
        self.order.append((name, number))
        for (_, token), content in formats.items():
            self.bytes[Name(name, number, token)] = content

    def highest(self, name: str) -> int:
        """Return the highest version that was acknowledged."""
        return max(number for one, number in self.order if one == name)

    def formats(self, name: str, number: int) -> list[str]:
        """Return the formats of a version, in the order of their commit."""
        return [one.format for one in self.bytes if (one.document, one.version) == (name, number)]

    def is_behind(self, name: str) -> bool:
        """Say whether the clock is behind the last day on which the series minted."""
        return f"{self.now:%Y/%m/%d}" < self.last_day.get(name.split("/")[2], "")

    def refused(self, request: Callable[[], object]) -> None:
        """Make a request that must be refused; the invariants find whatever trace it left."""
        with pytest.raises((StorageError, ConflictError)):
            request()

    def tombstone(self, subjects: list[str]) -> str | None:
        """Return the status of the withdrawal that counts for any of `subjects`."""
        effects = [
            (predicate, value)
            for subject, predicate, value in self.stated
            if subject in subjects and predicate in {"withdrawn", "reinstated"}
        ]
        return effects[-1][1] if effects and effects[-1][0] == "withdrawn" else None

    def kept(self) -> Iterator[tuple[Name, Representation]]:
        """Yield what the archive lists."""
        for version in self.archive.lists.list():
            for one in version.representations:
                yield Name(str(version.pdi.document), version.number, one.format), one

    # ------------------------------------------------------------ what must hold after each step

    @invariant()
    def bytes_never_change(self) -> None:
        """Whatever was acknowledged is there, under its name, with its bytes; nothing else is."""
        kept = dict(self.kept())
        assert set(kept) == set(self.bytes)
        for name, content in self.bytes.items():
            found = self.archive.lookup.representation(name.pdi)
            assert found == kept[name]
            assert found.digest == digest(content)
            assert self.archive.contents.octets(found.digest) == content

    @invariant()
    def withdrawn_bytes_are_not_given_out_and_all_others_are(self) -> None:
        """A tombstone stands over what was withdrawn, and over nothing else."""
        for name, content in self.bytes.items():
            status = self.tombstone([name.document, str(name.pdi)])
            found = self.archive.lookup.representation(name.pdi)
            try:
                answer: bytes | str = self.archive.contents.read(found)
            except WithdrawnError as error:
                answer = str(error.status)
            assert answer == (content if status is None else status)

    @invariant()
    def versions_never_fall(self) -> None:
        """The highest version answers, and all below it are there."""
        for name in {name for name, _ in self.order}:
            highest = self.highest(name)
            assert self.archive.lookup.version(document(name)).number == highest
            numbers = [one.number for one in self.archive.lookup.versions(document(name))]
            assert numbers == list(range(1, highest + 1))

    @invariant()
    def each_representation_has_one_leaf(self) -> None:
        """The log tells each once, with its digest, and each statement once; it only grows."""
        leaves = list(self.archive.log.leaves())
        assert leaves[: len(self.leaves)] == self.leaves
        self.leaves = leaves
        entries = [self.archive.log.disclosed(leaf) for leaf in leaves]
        told = [
            (Name(entry["name"], entry["version"], one["format"]), one["digest"])
            for entry in entries
            for one in entry.get("formats", ())
        ]
        assert len(told) == len(self.bytes)
        assert dict(told) == {name: digest(content) for name, content in self.bytes.items()}
        said = [one for one in entries if one["kind"] == "assertion"]
        assert [(one["subject"], one["predicate"]) for one in said] == [
            (subject, predicate) for subject, predicate, _ in self.stated
        ]
        for size, root in self.roots.items():
            assert self.archive.log.root(size) == root

    @invariant()
    def lists_are_in_the_order_of_time(self) -> None:
        """Lists have the order of commit; within a series, names have dates that never fall."""
        listed = [(str(one.pdi.document), one.number) for one in self.archive.lists.list()]
        assert listed == self.order
        newest = self.archive.lists.list(newest_first=True)
        assert [(str(one.pdi.document), one.number) for one in newest] == self.order[::-1]
        for series in SERIES:
            names = [name for name, number in self.order if number == 1 and f"/{series}/" in name]
            days = [name.split("/")[3:6] for name in names]
            assert days == sorted(days)
            pattern = pdi.parse(f"urn:pdi://{series}/*/*/*/*.*.1")
            assert isinstance(pattern, pdi.PDIPattern)
            assert [str(one.pdi.document) for one in self.archive.lists.list(pattern)] == names

    @invariant()
    def serials_are_unique_in_their_day(self) -> None:
        """Within a series and a day, serial numbers rise, and no two documents share a name."""
        for given in self.serials.values():
            assert given == sorted(set(given))
        names = [name for name, number in self.order if number == 1]
        assert len(names) == len(set(names))

    @invariant()
    def what_was_said_stays(self) -> None:
        """Citations and statements stay, each once, in the order in which they were made."""
        cited = [(str(one.pdi), one.fragment) for one in self.archive.passages.citations()]
        assert cited == self.cited
        stated = [(one.subject, one.predicate) for one in self.archive.statements.assertions()]
        assert stated == [(subject, predicate) for subject, predicate, _ in self.stated]

    def teardown(self) -> None:
        """Check everything once more as fsck does, and clean up."""
        if hasattr(self, "archive"):
            # "quote": the words that are recorded here stand in no document.
            assert {one.kind for one in self.archive.fixity.fsck()} <= {"ok", "orphan", "quote"}
            self.archive.close()
            Repository.drop(self.archive.directory)
        shutil.rmtree(self.folder)


@pytest.mark.engines
def test_promises_are_kept(engine: Server | None) -> None:
    """Each keeps them; a server is asked for fewer examples, as a schema takes longer to make."""
    run_state_machine_as_test(
        Promises,
        settings=settings(
            max_examples=max(12, settings().max_examples // 4) // (1 if engine is None else 4),
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
