"""Laws of the archive that hold through any sequence of operations."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import tempfile
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
)

from permacite import pdi
from permacite.archive import Archive, NewRepresentation
from permacite.archive.canonical_json import canonical_json
from permacite.archive.log.merkle import leaf_hash, node_hash, tree_hash
from permacite.archive.sqlite.leaves import append, append_all, content_of, node
from permacite.archive.sqlite.schema import SCHEMA
from permacite.errors import ConflictError, StorageError

if TYPE_CHECKING:
    from permacite.archive import model

SERIES = ("lab.example.us", "press.example.us")
TYPES = (("text/html", "html"), ("text/plain", "text"), ("image/png", "png"))
CONTENTS = st.binary(max_size=8)
FORMATS = st.lists(st.tuples(st.sampled_from(TYPES), CONTENTS), min_size=1, max_size=3)

Name = tuple[str, int, str]
"""A document, a version, a format."""


def representations(
    formats: list[tuple[tuple[str, str], bytes]],
) -> list[NewRepresentation]:
    """Return one representation a media type: the last one given."""
    chosen = {media_type: content for (media_type, _), content in formats}
    return [representation(content, media_type) for media_type, content in chosen.items()]


def representation(content: bytes, media_type: str) -> NewRepresentation:
    """Return a representation of any octets; every octet is a character of ISO 8859-1."""
    charset = "iso-8859-1" if media_type.startswith("text/") else None
    return NewRepresentation(content, media_type, charset=charset)


class Shelf(RuleBasedStateMachine):
    """Commits, next versions, further formats, reopening and a clock that jumps."""

    documents: Bundle[str] = Bundle("documents")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.now = datetime(2026, 12, 31, 23, tzinfo=UTC)
        self.expected: dict[Name, bytes] = {}
        self.highest: dict[str, int] = {}
        self.last_date: dict[str, str] = {}
        self.keys: dict[str, tuple[str, int]] = {}

    @initialize()
    def create(self) -> None:
        """Begin with an empty archive of two series."""
        self.archive = Archive.create(
            self.folder / "archive", series=SERIES[0], clock=lambda: self.now
        )
        self.archive.add_series(SERIES[1])

    @rule(
        target=documents,
        formats=FORMATS,
        series=st.sampled_from(SERIES),
        unique_id=st.none() | st.sampled_from(("1", "2", "report")),
    )
    def mint(
        self,
        formats: list[tuple[tuple[str, str], bytes]],
        series: str,
        unique_id: str | None,
    ) -> str:
        """Commit a new document, or be refused for a reason that the model knows."""
        date = f"{self.now:%Y/%m/%d}"
        taken = f"urn:pdi://{series}/{date}/{unique_id}" in self.highest
        behind = date < self.last_date.get(series, "")
        try:
            version = self.archive.commit(
                representations(formats), series=series, unique_id=unique_id
            )
        except StorageError:
            assert behind
            return multiple()  # type: ignore[return-value]
        except ConflictError:
            assert taken
            return multiple()  # type: ignore[return-value]
        assert not behind
        assert not taken
        document = str(version.pdi.document)
        assert document not in self.highest
        assert version.number == 1
        assert document.startswith(f"urn:pdi://{series}/{date}/")
        self.last_date[series] = date
        self.remember(document, 1, formats)
        return document

    @rule(document=documents, formats=FORMATS)
    def replace(self, document: str, formats: list[tuple[tuple[str, str], bytes]]) -> None:
        """Commit the next version."""
        with contextlib.suppress(StorageError):
            version = self.archive.commit(representations(formats), replaces=name(document))
            assert version.number == self.highest[document] + 1
            self.remember(document, version.number, formats)

    @rule(document=documents, kind=st.sampled_from(TYPES), content=CONTENTS)
    def add_format(self, document: str, kind: tuple[str, str], content: bytes) -> None:
        """Add a format to the highest version, or be refused where it holds other bytes."""
        number = self.highest[document]
        held = self.expected.get((document, number, kind[1]))
        try:
            self.archive.add_format(name(document), representation(content, kind[0]))
        except StorageError:
            return
        except ConflictError:
            assert held not in {None, content}
            return
        assert held in {None, content}
        self.expected[document, number, kind[1]] = content

    @rule(key=st.sampled_from("ab"), content=CONTENTS)
    def commit_with_key(self, key: str, content: bytes) -> None:
        """Commit under an idempotency key: the first time mints, later times repeat."""
        full_key = f"{key}{content.hex()}"
        with contextlib.suppress(StorageError):
            version = self.archive.commit([NewRepresentation(content, "image/png")], key=full_key)
            answer = (str(version.pdi.document), version.number)
            if full_key not in self.keys:
                self.last_date[SERIES[0]] = f"{self.now:%Y/%m/%d}"
                self.remember(answer[0], 1, [(TYPES[2], content)])
            assert self.keys.setdefault(full_key, answer) == answer

    @rule(hours=st.integers(-30, 30))
    def pass_time(self, hours: int) -> None:
        """Let the clock jump, backwards too."""
        self.now += timedelta(hours=hours)

    @rule()
    def reopen(self) -> None:
        """Close and open again."""
        self.archive.close()
        self.archive = Archive.open(self.folder / "archive", clock=lambda: self.now)

    @rule(document=consumes(documents))
    def forget(self, document: str) -> None:
        """Leave a document alone from now on; it must stay as it is."""

    def remember(
        self, document: str, number: int, formats: list[tuple[tuple[str, str], bytes]]
    ) -> None:
        """Note what the archive has promised."""
        self.highest[document] = number
        for (_, token), content in formats:
            self.expected[document, number, token] = content

    @invariant()
    def bytes_never_change(self) -> None:
        """Everything that was ever committed reads the same; nothing else is there."""
        kept = {
            (str(version.pdi.document), version.number, one.format): self.archive.read(one)
            for version in self.archive.list()
            for one in version.representations
        }
        assert kept == self.expected

    @invariant()
    def versions_run_from_1_to_the_highest(self) -> None:
        """The highest version never falls, and none is missing."""
        for document, number in self.highest.items():
            versions = self.archive.versions(name(document))
            assert [one.number for one in versions] == list(range(1, number + 1))
            assert self.archive.version(name(document)) == versions[-1]

    @invariant()
    def names_sort_by_time(self) -> None:
        """Within a series, first versions in the order of commit have dates that never fall."""
        for series in SERIES:
            pattern = pdi.parse(f"urn:pdi://{series}/*/*/*/*.*.1")
            assert isinstance(pattern, pdi.PDIPattern)
            listed = [one.pdi for one in self.archive.list(pattern)]
            dates = [(one.year, one.month, one.day) for one in listed]
            assert dates == sorted(dates)
            assert len({str(one.document) for one in listed}) == len(listed)

    def teardown(self) -> None:
        """Check all digests once more, and clean up."""
        if hasattr(self, "archive"):
            assert {finding.kind for finding in self.archive.verify()} <= {"ok"}
            self.archive.close()
        shutil.rmtree(self.folder)


def name(text: str) -> pdi.PDI:
    """Return the name of one document."""
    value = pdi.parse(text)
    assert isinstance(value, pdi.PDI)
    return value


TestShelf = Shelf.TestCase
TestShelf.settings = settings(max_examples=25, stateful_step_count=15, deadline=None)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("ab\ufb33\U0001f600"), inner),
    max_leaves=10,
)


@settings(deadline=None)
@given(JSON)
def test_canonical_json_means_what_was_said(value: object) -> None:
    """Reading it back gives the same value, and writing that again the same octets."""
    written = canonical_json(value)  # type: ignore[arg-type]
    read = json.loads(written, parse_int=float)  # as the readers that RFC 8785 has in mind
    assert read == value
    assert canonical_json(read) == written


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12))
def test_leaves_appended_in_groups_make_the_tree_of_those_appended_one_by_one(
    groups: list[int],
) -> None:
    with (
        contextlib.closing(catalog_in_memory()) as grouped,
        contextlib.closing(catalog_in_memory()) as single,
    ):
        number = 0
        for size in groups:
            entries: list[dict[str, model.JSON]] = [
                {"name": f"n{one}"} for one in range(number, number + size)
            ]
            assert append_all(grouped, entries) == number
            for entry in entries:
                append(single, entry)
            number += size
        for table in ("leaf", "log_node"):
            question = f"SELECT * FROM {table} ORDER BY 1, 2"  # noqa: S608 - our own names
            assert grouped.execute(question).fetchall() == single.execute(question).fetchall()
        root = tree_hash(number, partial(node, grouped))
        assert root == tree_of([leaf_hash(content_of({"name": f"n{n}"})) for n in range(number)])


def tree_of(hashes: list[bytes]) -> bytes:
    """Return MTH of leaves, as RFC 6962 §2.1 words it."""
    if len(hashes) == 1:
        return hashes[0]
    split = 1 << ((len(hashes) - 1).bit_length() - 1)
    return node_hash(tree_of(hashes[:split]), tree_of(hashes[split:]))


def catalog_in_memory() -> sqlite3.Connection:
    """Return an empty catalog."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    return connection
