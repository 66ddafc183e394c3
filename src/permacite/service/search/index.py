"""Full-text index: a file beside the catalog that follows the log, and can be made again any time.

What it says is looked up in the archive before it is reported. So a file that is damaged, cut off
or made by other rules is made again. Words are kept by their terms alone.

| table | |
|---|---|
| `state` | which rules made it; how much of the log it has; sums that tell of other changes |
| `document` | a version that is given out: its name, site, times, type |
| `words` | FTS5: the terms of its title, of what is known about it, of its text |

| entry of the log | what is done |
|---|---|
| a version, a format | the version is indexed |
| a citation | its version is cited from now on |
| an assertion | what is known of its document is indexed again, or withdrawn |
| an erasure | all is made again, so that no term of what was erased is left in the file |

Who may see a document is in no entry: a mark says of which that changed since.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, Self
from urllib.parse import urlsplit

from permacite.archive.sqlite.connection import write_ahead
from permacite.errors import PermaciteError, StorageError
from permacite.service import addresses, names
from permacite.service.citations.source import reference_of
from permacite.service.search.terms import RULES, folded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from permacite.archive.entries import Leaf
    from permacite.archive.model.answered import Representation, Restriction, Version
    from permacite.archive.repository import Repository
    from permacite.pdi import PDI

__all__ = ["Filters", "Row", "SearchIndex", "follow", "forget", "put", "text_of"]

_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS document (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- terms of what was forgotten keep theirs
    name TEXT NOT NULL,
    number INTEGER NOT NULL,
    pdi TEXT NOT NULL,
    site TEXT NOT NULL,
    kind TEXT NOT NULL,
    saved TEXT NOT NULL,
    latest INTEGER NOT NULL,
    cited INTEGER NOT NULL,
    UNIQUE (name, number)
);
CREATE INDEX IF NOT EXISTS site ON document (site, id);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
    text, title, about, content='', tokenize='ascii'
);
PRAGMA user_version = {RULES};
COMMIT;
"""
_OTHER_RULES = "made by other rules"
_WEIGHTS = "1.0, 8.0, 2.0"
"""Of the columns. Places in the first take two octets less for each word of a document."""
_RANKED = 15_000
"""So many of the newest finds are put in the order of how well they fit."""
_AMONG = (
    " AND words.rowid >= coalesce((SELECT min(rowid) FROM (SELECT rowid FROM words"  # noqa: S608 - ours
    f" WHERE words MATCH ? ORDER BY rowid DESC LIMIT {_RANKED})), 0)"
)
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


class Row(NamedTuple):
    """A version, as it is indexed. All but the terms can be asked for."""

    name: str
    """Of the document, without version."""
    number: int
    pdi: str
    """The full name of its main format."""
    site: str
    kind: str
    """Its media type."""
    saved: str
    """ISO 8601, UTC."""
    cited: bool
    title: str
    """Terms, as the two below."""
    about: str
    text: str


class Filters(NamedTuple):
    """What finds are restricted to; an empty text or None leaves it open."""

    site: str = ""
    """A host, and those below it."""
    kind: str = ""
    """A media type, or its first half with a slash: "text/"."""
    since: str = ""
    until: str = ""
    cited: bool | None = None
    every_version: bool = False
    among: tuple[str, ...] | None = None
    """The names of documents; any where None."""

    def conditions(self) -> tuple[str, list[object]]:
        """As SQL, with its values."""
        parts, values = ["1"], list[object]()
        if self.site:
            parts.append("(d.site = ? OR substr(d.site, -length(?)) = ?)")
            values += [self.site, f".{self.site}", f".{self.site}"]
        if self.kind:
            parts.append("substr(d.kind, 1, length(?)) = ?")
            values += [self.kind, self.kind]
        for bound, operator in ((self.since, ">="), (self.until, "<")):
            if bound:
                parts.append(f"d.saved {operator} ?")
                values.append(bound)
        if self.cited is not None:
            parts.append("d.cited = ?")
            values.append(self.cited)
        if self.among is not None:
            parts.append("d.name IN (SELECT value FROM json_each(?))")
            values.append(json.dumps(self.among))
        if not self.every_version:
            parts.append("d.latest")
        return " AND ".join(parts), values


class SearchIndex:
    """The index in a file, made where it is missing; a context manager. Processes may share it.

    One that is damaged, or made by other rules, is thrown away. Raises StorageError where the disk
    does not let it be.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._connection = self._opened()
        except sqlite3.Error as error:
            if not _is_damage(error):
                raise self._trouble(error) from error
            self.anew(close=False)
        except OSError as error:
            raise self._trouble(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def _opened(self) -> sqlite3.Connection:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.touch(mode=0o600, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=30, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous = OFF")  # what is lost is made anew
            (rules,) = connection.execute("PRAGMA user_version").fetchone()
            if rules == 0:
                write_ahead(connection)
                connection.executescript(_SCHEMA)
            elif rules != RULES:
                raise sqlite3.DatabaseError(_OTHER_RULES)  # noqa: TRY301 - as any damage
            connection.execute("SELECT name FROM document LIMIT 1").fetchone()
            connection.execute(
                "SELECT rowid FROM words WHERE words MATCH '\"a\"' LIMIT 1"
            ).fetchone()
        except BaseException:
            connection.close()
            raise
        return connection

    def _trouble(self, error: sqlite3.Error | OSError) -> StorageError:
        reason = "full" if "full" in str(error) else "io"
        problem = f"the index of words cannot be used: {error}"
        return StorageError(problem, path=str(self.path), reason=reason)

    def anew(self, *, close: bool = True) -> None:
        """Throw away all that is in it. Raises StorageError."""
        if close:
            self._connection.close()
        for ending in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
        try:
            self._connection = self._opened()
        except sqlite3.Error as error:
            raise self._trouble(error) from error

    @contextmanager
    def asking(self) -> Iterator[sqlite3.Connection]:
        """The connection. Raises StorageError; what is damaged is thrown away first."""
        try:
            yield self._connection
        except sqlite3.Error as error:
            if _is_damage(error):
                self.anew()
            raise self._trouble(error) from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The same in one transaction, which no other process writes beside."""
        with self.asking() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    def state(self, name: str) -> str:
        """A value of the state; "" where it has none."""
        with self.asking() as connection:
            row = connection.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
            return "" if row is None else str(row[0])

    def find(
        self, matching: str, filters: Filters, *, newest: bool, limit: int, offset: int
    ) -> list[str]:
        """The names of versions in which terms stand, best first, or newest first."""
        where, values = filters.conditions()
        order, among, matches = "d.id DESC", "", [matching]
        if not newest:
            order, among, matches = f"bm25(words, {_WEIGHTS}), d.id DESC", _AMONG, [matching] * 2
        sql = (
            "SELECT d.pdi FROM words JOIN document AS d ON d.id = words.rowid"  # noqa: S608 - ours
            f" WHERE words MATCH ?{among} AND {where} ORDER BY {order} LIMIT ? OFFSET ?"
        )
        with self.asking() as connection:
            rows = connection.execute(sql, (*matches, *values, limit, offset)).fetchall()
        return [pdi for (pdi,) in rows]

    def count(self) -> int:
        """How many versions are in it."""
        with self.asking() as connection:
            return int(connection.execute("SELECT count(*) FROM document").fetchone()[0])


def _is_damage(error: sqlite3.Error) -> bool:
    """Whether a file is no index, or no longer one."""
    told = str(error)
    signs = ("malformed", "not a database", _OTHER_RULES, "no such", "corrupt", "vtable")
    return any(sign in told for sign in signs)


def put(connection: sqlite3.Connection, rows: Sequence[Row]) -> None:
    """Add versions, or have what is newly known of them in place of the old."""
    for row in rows:
        old = connection.execute(
            "SELECT id FROM document WHERE name = ? AND number = ?", (row.name, row.number)
        ).fetchone()
        if old is not None:
            forget(connection, row.name, row.number)
        (newer,) = connection.execute(
            "SELECT count(*) FROM document WHERE name = ? AND number > ?", (row.name, row.number)
        ).fetchone()
        if not newer:
            connection.execute("UPDATE document SET latest = 0 WHERE name = ?", (row.name,))
        (at,) = connection.execute(
            "INSERT INTO document (name, number, pdi, site, kind, saved, latest, cited)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            (row.name, row.number, row.pdi, row.site, row.kind, row.saved, not newer, row.cited),
        ).fetchone()
        connection.execute(
            "INSERT INTO words (rowid, title, about, text) VALUES (?, ?, ?, ?)",
            (at, row.title, row.about, row.text),
        )


def forget(connection: sqlite3.Connection, name: str, number: int | None = None) -> None:
    """Versions of a document are found no more; their terms go when the file is made anew."""
    connection.execute(
        "DELETE FROM document WHERE name = ? AND coalesce(number = ?, 1)", (name, number)
    )
    connection.execute(
        "UPDATE document SET latest = 1 WHERE name = ? AND number ="
        " (SELECT max(number) FROM document WHERE name = ?)",
        (name, name),
    )


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
    repository: Repository,
    version: Version,
    restricted: Mapping[PDI, Restriction] | None = None,
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
    repository: Repository,
    version: Version,
    restricted: Mapping[PDI, Restriction],
    address: str,
) -> Iterator[str]:
    """What is known of a version beside its words: where it is from, and what is stated of it."""
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
