"""Library of Zotero: an RDF export, or the data folder with its database and files.

| in the database | in the result |
|---|---|
| `items`, `itemData`, `itemCreators` | `ZoteroItem`: claims, under Zotero's names of its fields |
| `itemAttachments`, link modes 0 and 1 | a file below `storage/KEY` |
| link mode 2, a linked file | a file, where it lies in a folder that the command names |
| link mode 3, a link to the web; 4, a picture in a note | no file |
| `itemAnnotations` | marked passages of a file |
| `itemNotes`, `itemTags`, `collectionItems` | notes, tags, collections |
| `deletedItems`, feeds | left out: the trash, and items that nobody added |

Source: `userdata.sql` and `system.sql` of Zotero, schemas 100 (Zotero 5) to 125; others are tried,
and refused where they have other tables.

Readings: Zotero keeps its database locked, and may write to it at any time. It is copied with its
journal until it did not change during a copy; then the copy is read. `storage:` is the folder of
the item's key; `attachments:` a folder that only Zotero's settings have, so that it is searched in
the folders that the command names. A linked file anywhere else is not read: else a database from
somebody else would choose which files of this machine are archived.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import tempfile
from collections import defaultdict
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.bibliography.model import ZOTERO, Claim, Place
from permacite.bibliography.zotero import TYPES, Annotation, AttachedFile, ZoteroItem, items_of
from permacite.errors import NotFoundError, ParseError, PermaciteError
from permacite.media_types import PAGES
from permacite.scan import compile_pattern
from permacite.service import sources
from permacite.service.ingest.collections import ZOTERO_DATABASE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Library", "files_of"]

_ASIDE = ("", "-journal", "-wal")
_MOST_TRIES = 5
_MOST = 4 << 30
_MOST_OF_RDF = 1 << 28
"""A larger export is refused: it is read as one."""
_OF_DATA = ("cache", "locate", "logs", "pipes", "storage", "styles", "tmp", "translators")
"""Folders of a data folder, none of whose files is a document by itself."""
_YEAR_MONTH_DAY = compile_pattern(r"[0-9]+-[0-9]+-[0-9]+")
_FIELDS = {
    "title": "title",
    "date": "issued",
    "language": "language",
    "pages": "pages",
    "publicationTitle": "container",
    "volume": "volume",
    "issue": "issue",
    "publisher": "publisher",
    "DOI": "doi",
    "ISBN": "isbn",
    "ISSN": "issn",
}
"""Fields of Zotero, or those that its types have in their place, and fields of a reference."""
_ROLES = {"author": "author", "editor": "editor"}
_CREATORS = (
    "SELECT creatorType, firstName, lastName, fieldMode FROM itemCreators JOIN creators"
    " USING (creatorID) JOIN creatorTypes USING (creatorTypeID)"
    " WHERE itemID = ? ORDER BY orderIndex"
)
_KINDS = {1: "highlight", 2: "note", 3: "image", 4: "ink", 5: "underline", 6: "text"}
_IMPORTED = frozenset({0, 1})
_LINKED = 2
_WITHOUT_ITEM = frozenset({"attachment", "note", "annotation"})


class _Row(NamedTuple):
    """An attachment."""

    item: int
    parent: int | None
    mode: int
    media_type: str
    path: str
    key: str


def files_of(path: Path, roots: Sequence[Path] = ()) -> Iterator[Path]:
    """The files that belong to a library, and are no documents beside it; `roots` as below."""
    if path.name == ZOTERO_DATABASE:
        yield from path.parent.glob("*.sqlite*")
        for folder in _OF_DATA:
            yield from (each for each in (path.parent / folder).rglob("*") if each.is_file())
    library = Library(path, roots)
    for item in library.items:
        for file in item.files:
            try:
                found = library.path_of(file)
            except PermaciteError:
                continue
            yield found
            if sources.media_type_of(found.name, b"") in PAGES and found.parent != path.parent:
                yield from (each for each in found.parent.rglob("*") if each.is_file())


class Library:
    """A library of Zotero that was read: an export as RDF, or a data folder.

    Linked files are read where they lie in one of the folders `roots`. Raises ParseError for what
    is neither, NotFoundError.
    """

    def __init__(self, path: Path, roots: Sequence[Path] = ()) -> None:
        self.path = path
        self.is_data = path.name == ZOTERO_DATABASE
        self.form = "Zotero" if self.is_data else "Zotero RDF"
        self._roots = roots
        try:
            self.items = _database_items(path, roots) if self.is_data else _exported_items(path)
        except OSError as error:
            raise NotFoundError(f"it cannot be read: {error.strerror}", path.name) from error
        self.marked: list[tuple[str, str, Annotation]] = []
        """Marked passages of imported files: the name here, the path there, the passage."""

    def path_of(self, file: AttachedFile) -> Path:
        """Where a file is. Raises ParseError for one that leads out, NotFoundError."""
        path = Path(file.path)
        if not self.is_data or not path.is_absolute():
            return _inside(self.path, file.path)
        found = path.resolve()
        if any(found.is_relative_to(root.resolve()) for root in self._roots):
            return found
        problem = "it is linked, and lies in no folder that the command names"
        raise NotFoundError(problem, file.path, hint="name the folder of linked files beside")


def _exported_items(library: Path) -> list[ZoteroItem]:
    """The items of an export. Raises ParseError, OSError."""
    with library.open("rb") as file:
        content = file.read(_MOST_OF_RDF + 1)
    if len(content) > _MOST_OF_RDF:
        raise ParseError(f"expected at most {_MOST_OF_RDF:,} octets", library.name, 0, "Zotero RDF")
    return items_of(content.decode("utf-8-sig", "replace"))


def _inside(library: Path, name: str) -> Path:
    """The path of a file of a library. Raises ParseError for one that leads out of its folder."""
    path = library.parent
    for part in name.replace("\\", "/").split("/"):
        path /= part
        if part in {"", ".", ".."} or ":" in part or "\0" in part or path.is_symlink():
            problem = "the path leads out of the folder of the library"
            raise ParseError(problem, name, 0, hint="nothing was archived of it")
    return path


def _database_items(database: Path, roots: Sequence[Path] = ()) -> list[ZoteroItem]:
    """The items of a database, and its files that stand by themselves.

    Paths of files are below the folder of the database, or whole: those of linked files, which lie
    in one of the folders `roots`. Raises ParseError for a database of other tables, or one that
    changes all the time, OSError.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = _copied(database, Path(folder))
        with contextlib.closing(sqlite3.connect(copy, isolation_level=None)) as rows:
            try:
                return list(_Reading(rows, database.parent, roots).items())
            except sqlite3.Error as error:
                raise ParseError(
                    f"expected a database of Zotero 5 or later: {error}", database.name, 0, "Zotero"
                ) from error


def _copied(database: Path, folder: Path) -> Path:
    """Copy a database and its journal while neither changes."""
    copy = folder / ZOTERO_DATABASE
    for _ in range(_MOST_TRIES):
        before = _states(database)
        if before[0] is None or before[0][0] > _MOST:
            raise ParseError(f"expected a database of up to {_MOST:,} octets", database.name, 0)
        for ending, state in zip(_ASIDE, before, strict=True):
            beside = copy.with_name(ZOTERO_DATABASE + ending)
            beside.unlink(missing_ok=True)
            if state is not None:
                with contextlib.suppress(FileNotFoundError):  # then the states differ
                    shutil.copyfile(database.with_name(database.name + ending), beside)
        if _states(database) == before:
            return copy
    raise ParseError(
        "it changes while it is read", database.name, 0, "Zotero", hint="close Zotero for a moment"
    )


def _states(database: Path) -> list[tuple[int, int] | None]:
    """Size and time of a database and of the files of its journal."""
    states: list[tuple[int, int] | None] = []
    for ending in _ASIDE:
        try:
            known = database.with_name(database.name + ending).stat()
        except FileNotFoundError:
            states.append(None)
        else:
            states.append((known.st_size, known.st_mtime_ns))
    return states


class _Reading:
    """Reads the tables, each once."""

    def __init__(self, rows: sqlite3.Connection, home: Path, roots: Sequence[Path]) -> None:
        self._rows = rows
        self._home = home
        self._roots = roots
        self._types = dict(self._ask("SELECT itemTypeID, typeName FROM itemTypes"))
        self._items: dict[int, tuple[str, str]] = {
            item: (str(key), str(self._types.get(kind, "")))
            for item, key, kind in self._ask(
                "SELECT itemID, key, itemTypeID FROM items"
                " WHERE itemID NOT IN (SELECT itemID FROM deletedItems) AND libraryID NOT IN"
                " (SELECT libraryID FROM libraries WHERE type = 'feed') ORDER BY itemID"
            )
        }
        self._data = self._fields()
        self._tags = self._of_items("SELECT itemID, name FROM itemTags JOIN tags USING (tagID)")
        self._collections = self._of_items(
            "SELECT itemID, collectionName FROM collectionItems JOIN collections"
            " USING (collectionID) ORDER BY collectionName"
        )
        self._notes = self._of_items(
            "SELECT coalesce(parentItemID, itemID), note FROM itemNotes"
            " WHERE itemID NOT IN (SELECT itemID FROM deletedItems) ORDER BY itemID"
        )
        self._annotations = self._annotated()

    def _ask(self, question: str) -> Iterator[tuple[Any, ...]]:
        return iter(self._rows.execute(question))

    def _of_items(self, question: str) -> dict[int, tuple[str, ...]]:
        """Texts by items, in their order, each once."""
        told: dict[int, dict[str, None]] = defaultdict(dict)
        for item, text in self._ask(question):
            if text:
                told[item][str(text)] = None
        return {item: tuple(texts) for item, texts in told.items()}

    def _fields(self) -> dict[int, dict[str, str]]:
        """The fields of items; those that a type has in the place of another under that one's."""
        data: dict[int, dict[str, str]] = defaultdict(dict)
        for item, name, value in self._ask(
            "SELECT d.itemID, coalesce(base.fieldName, own.fieldName), v.value FROM itemData d"
            " JOIN itemDataValues v USING (valueID) JOIN items i USING (itemID)"
            " JOIN fields own ON own.fieldID = d.fieldID"
            " LEFT JOIN baseFieldMappings m"
            " ON m.itemTypeID = i.itemTypeID AND m.fieldID = d.fieldID"
            " LEFT JOIN fields base ON base.fieldID = m.baseFieldID"
        ):
            data[item][name] = str(value)
        return data

    def _annotated(self) -> dict[int, list[Annotation]]:
        """Marked passages by attachment; none in databases before Zotero 6."""
        marked: dict[int, list[Annotation]] = defaultdict(list)
        known = self._rows.execute("SELECT 1 FROM sqlite_master WHERE name = 'itemAnnotations'")
        if known.fetchone() is None:
            return marked
        for file, kind, text, comment, label, position in self._ask(
            "SELECT parentItemID, type, text, comment, pageLabel, position FROM itemAnnotations"
            " WHERE itemID NOT IN (SELECT itemID FROM deletedItems)"
            " ORDER BY parentItemID, sortIndex"
        ):
            said = {
                "annotationType": _KINDS.get(kind, ""),
                "annotationText": text or "",
                "annotationPageLabel": label or "",
                "annotationPosition": str(position or ""),
            }
            marked[file].append(Annotation(json.dumps(said), str(text or ""), str(comment or "")))
        return marked

    # ------------------------------------------------------------ items
    def items(self) -> Iterator[ZoteroItem]:
        """All items, in their order."""
        files: dict[int | None, list[_Row]] = defaultdict(list)
        for item, parent, mode, media_type, path in self._ask(
            "SELECT itemID, parentItemID, linkMode, contentType, path FROM itemAttachments"
            " ORDER BY itemID"
        ):
            if item in self._items and (parent is None or parent in self._items):
                key = self._items[item][0]
                row = _Row(item, parent, mode, str(media_type or ""), str(path or ""), key)
                files[item if parent is None else parent].append(row)
        for item, (key, kind) in self._items.items():
            if kind not in _WITHOUT_ITEM or item in files:
                yield self._item(item, key, kind, files.get(item, []))

    def _item(self, item: int, key: str, kind: str, files: list[_Row]) -> ZoteroItem:
        own = [item, *(row.item for row in files if row.item != item)]
        return ZoteroItem(
            key,
            kind,
            () if kind == "attachment" else tuple(self._claims(item, kind)),
            tuple(file for row in files if (file := self._file(row)) is not None),
            tuple(note for each in own for note in self._notes.get(each, ())),
            tuple(dict.fromkeys(tag for each in own for tag in self._tags.get(each, ()))),
            self._collections.get(item, ()),
        )

    def _claims(self, item: int, kind: str) -> Iterator[Claim]:
        """Yield the metadata of an item, each under its name in Zotero."""
        if kind in TYPES:
            yield Claim("kind", TYPES[kind], Place(ZOTERO, "itemType"))
        data = self._data.get(item, {})
        for name, of in _FIELDS.items():
            if data.get(name):
                value = _date(data[name]) if name == "date" else data[name]
                yield Claim(of, value, Place(ZOTERO, name))
        for role, given, family, is_whole in self._rows.execute(_CREATORS, (item,)):
            if role in _ROLES and family:
                name = "" if is_whole else str(given or "")
                yield Claim(_ROLES[role], str(family), Place(ZOTERO, role), name)

    def _file(self, row: _Row) -> AttachedFile | None:
        """The file of an attachment; None for a link to the web, or a picture in a note."""
        path = self._path(row)
        if path is None:
            return None
        data = self._data.get(row.item, {})
        return AttachedFile(
            path,
            data.get("title", ""),
            data.get("url", ""),
            data.get("accessDate", ""),
            row.media_type,
            tuple(self._annotations.get(row.item, ())),
        )

    def _path(self, row: _Row) -> str | None:
        if row.mode in _IMPORTED and row.path:
            return f"storage/{row.key}/{row.path.removeprefix('storage:')}"
        if row.mode != _LINKED or not row.path:
            return None
        if row.path.startswith("attachments:"):
            inner = row.path.removeprefix("attachments:")
            found = (root / inner for root in self._roots if (root / inner).is_file())
            return str(next(found, row.path))
        is_windows = PureWindowsPath(row.path).drive and not Path(row.path).is_absolute()
        return row.path if is_windows else str(Path(row.path))


def _date(value: str) -> str:
    """A date as Zotero keeps it, "2019-05-00 May 2019", as ISO 8601 has it."""
    first, _, rest = value.partition(" ")
    if not _YEAR_MONTH_DAY.fullmatch(first):
        return value
    parts = first.split("-")
    known = "-".join(part for part in parts if int(part))
    return known if int(parts[0]) else rest or value
