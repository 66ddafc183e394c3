"""Indexing of words: the index follows the log, and each entry is read once.

| entry of the log | what is done |
|---|---|
| a version, a format | the version is indexed |
| a citation | its version is cited from now on |
| an assertion | what is known of its document is indexed again, or withdrawn |
| an erasure | all is made again, so that no term of what was erased is left in the file |

Who may see a document is in no entry: a mark says of which that changed since.

The index is beside the catalog. Whatever it says, only what is given out is reported.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from permacite.errors import PermaciteError
from permacite.service import addresses, names
from permacite.service.search.index import Row, SearchIndex, forget, put
from permacite.service.search.terms import folded

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from permacite.archive.entries import Leaf
    from permacite.archive.model.answered import Representation, Restriction, Version
    from permacite.archive.repository import Repository
    from permacite.pdi import PDI

__all__ = ["WordIndex", "follow", "text_of"]

_FILE = "search.sqlite"
_ENTRIES = 200
"""Taken into one transaction."""
_MOST_CHARACTERS = 50_000_000
"""Of a text: more is no prose."""
_STATEMENTS = 100
"""About one document are indexed: the first."""
_FAR_MORE = 2
"""Times as many octets of words, from which on those that were drawn are indexed."""
_MARK = "mark of access"
"""The state behind which accesses changed that the index has not seen."""


class WordIndex:
    """The index of the words of an archive."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def file(self) -> SearchIndex:
        """The index beside the catalog; where that may only be read, in the user's cache."""
        folder = self._repository.directory
        if os.access(folder, os.W_OK):
            return SearchIndex(folder / _FILE)
        import platformdirs

        name = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:16]
        cache = platformdirs.user_cache_path("permacite", appauthor=False)
        return SearchIndex(cache / f"{name}-{_FILE}")

    def update(
        self,
        *,
        anew: bool = False,
        until: int | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> int:
        """Index all that is new, or all `anew`; return how many versions are in the index.

        With `until`, what the log names up to that entry, or somewhat more.
        """
        with self.file() as index:
            if anew:
                index.anew()
            follow(self._repository.public(), index, until=until, tell=progress)
            return index.count()


def follow(
    repository: Repository,
    index: SearchIndex,
    *,
    most_s: float | None = None,
    until: int | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> bool:
    """Index what is new, for so many seconds at most; say whether all is.

    `until`: so many entries of the log will do. `tell` is called with the number of entries that
    are done, and of all.
    """
    end_s = None if most_s is None else monotonic() + most_s
    while True:
        done, size, is_all = _step(repository, index)
        if tell is not None:
            tell(min(done, size), size)
        if is_all:
            return True
        if until is not None and done >= until:
            return False
        if end_s is not None and monotonic() > end_s:
            return False


def _step(repository: Repository, index: SearchIndex) -> tuple[int, int, bool]:
    """Take some entries in; return how many are done, of how many, and whether nothing is left."""
    start = int(index.state("entries") or 0)
    size = repository.log.size()  # asked last: others take in meanwhile what is committed meanwhile
    begun = int(index.state("begun") or size)
    seen = index.state(_MARK)
    # All that comes into an empty index is as open as it is from here on.
    changed, mark = repository.access.changes(seen if start else None)
    if start == size and mark == seen:
        return start, size, True
    entries = list(islice(repository.log.leaves(start, size), _ENTRIES))
    erased = any(_kind(leaf) == "erasure" and leaf.sequence >= begun for leaf in entries)
    if erased or start > size:  # or another archive stands here now
        index.anew()
        return 0, size, False
    rows = rows_of(repository, _named(entries))
    with index.writing() as connection:
        if start != int(_value(connection, "entries") or 0):  # another process was quicker
            return start, size, False
        put(connection, rows)
        for leaf in entries:
            _take(repository, connection, leaf)
        for document in dict.fromkeys(changed):
            _renew(repository, connection, document)
        done = start + len(entries)
        for name, value in (("entries", done), ("begun", begun), (_MARK, mark)):
            _set(connection, name, str(value))
    return done, size, done >= size and not changed


def _entry(leaf: Leaf) -> dict[str, object]:
    try:
        entry = json.loads(leaf.content)
    except ValueError:
        return {}
    return entry if isinstance(entry, dict) else {}


def _kind(leaf: Leaf) -> object:
    return _entry(leaf).get("kind")


def _named(entries: list[Leaf]) -> dict[tuple[str, int], None]:
    """The versions that entries say are new, or have a format more."""
    named: dict[tuple[str, int], None] = {}
    for leaf in entries:
        entry = _entry(leaf)
        name, number = entry.get("name"), entry.get("version")
        if entry.get("kind") in {"version", "format"} and type(number) is int:
            named[str(name), number] = None
    return named


def _take(repository: Repository, connection: sqlite3.Connection, leaf: Leaf) -> None:
    """Take in an entry that is about what is indexed."""
    entry = _entry(leaf)
    if entry.get("kind") not in {"citation", "assertion"}:
        return
    try:
        subject = names.document_of(str(entry.get("name")))[0]
    except PermaciteError:  # a pattern of names
        return
    name = str(subject.document)
    if entry["kind"] == "citation":
        connection.execute(
            "UPDATE document SET cited = 1 WHERE name = ? AND coalesce(number = ?, 1)",
            (name, entry.get("version")),
        )
        return
    _renew(repository, connection, subject.document)


def _renew(repository: Repository, connection: sqlite3.Connection, document: PDI) -> None:
    """Have the versions of a document leave that are given out no longer; index the others anew."""
    name = str(document)
    forget(connection, name)
    numbers = [version.number for version in repository.lookup.versions(document)]
    put(connection, rows_of(repository, [(name, number) for number in numbers]))


def _is_open(version: Version, restricted: Mapping[PDI, Restriction]) -> bool:
    """Whether anything of a version is given out."""
    return any(item.pdi not in restricted for item in version.representations)


def text_of(
    repository: Repository, version: Version, restricted: Mapping[PDI, Restriction] | None = None
) -> Representation | None:
    """The format whose characters are the words of a version; None where none is given out.

    Where a browser drew far more words than were served, they are those that it drew.
    `restricted`, of its formats, spares asking.
    """
    if restricted is None:
        restricted = repository.lookup.restrictions(version.representations)
    texts = [item for item in version.representations if item.pdi not in restricted]
    plain = [item for item in texts if item.media_type == "text/plain"]
    drawn = [item for item in plain if names.is_drawn(item)]
    if drawn and drawn[0].size_bytes > _FAR_MORE * plain[0].size_bytes:
        return drawn[0]
    others = [item for item in texts if item.media_type.startswith("text/")]
    return next(iter(plain or others), None)


def rows_of(repository: Repository, wanted: Iterable[tuple[str, int]]) -> list[Row]:
    """Versions as they are indexed, without those of which nothing is given out.

    They are asked for together. Whether the log agrees with them is asked when one is found.
    """
    named = []
    for name, number in wanted:
        with suppress(PermaciteError):
            named.append(replace(names.document_of(name)[0], version=number))
    known = [version for version in repository.lookup.find_versions(named) if version is not None]
    restricted = repository.lookup.restrictions(
        item for version in known for item in version.representations
    )
    return [
        _row(repository, version, restricted) for version in known if _is_open(version, restricted)
    ]


def _row(repository: Repository, version: Version, restricted: Mapping[PDI, Restriction]) -> Row:
    source = text_of(repository, version, restricted)
    text = ""
    if source is not None:
        with suppress(PermaciteError):  # it is damaged, and fsck tells of it
            text = repository.contents.text(source).text[:_MOST_CHARACTERS]
    address = version.provenance.uri or version.provenance.final_uri or ""
    main = repository.lookup.main(version, restricted)
    return Row(
        name=str(version.pdi.document),
        number=version.number,
        pdi=str(main.pdi),
        site=(urlsplit(address).hostname or "") if address else "",
        kind=main.media_type,
        saved=addresses.captured_at(version).isoformat(timespec="seconds"),
        cited=bool(repository.passages.citations(version.pdi)),
        title=folded(version.title or ""),
        about=folded(" ".join(_about(repository, version, restricted, address))),
        text=folded(text),
    )


def _about(
    repository: Repository, version: Version, restricted: Mapping[PDI, Restriction], address: str
) -> Iterator[str]:
    """What is known of a version beside its words: where it is from, and what is stated of it."""
    from permacite.service.citations.source import reference_of

    yield address
    yield str(version.provenance.details.get("file_name", ""))
    try:
        reference = reference_of(repository, version, restricted)
    except PermaciteError:
        return
    stated = (reference.title, reference.container, reference.site, reference.publisher)
    yield from (each.value for each in (*stated, reference.doi, reference.isbn) if each is not None)
    for person in (*reference.authors, *reference.editors):
        yield str(person.value)
    name = str(version.pdi.document)
    within = [(name, f"{name}A")]  # a part of it has a dot, a number sign or an at sign behind
    for statement in repository.statement_search.page(
        within, None, after=0, limit=_STATEMENTS
    ).items:
        yield statement.object


def _value(connection: sqlite3.Connection, name: str) -> str:
    row = connection.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
    return "" if row is None else str(row[0])


def _set(connection: sqlite3.Connection, name: str, value: str) -> None:
    connection.execute(
        "INSERT INTO state VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, value),
    )
