"""Libraries of Zotero become committed versions: their files, with what the library says of them.

What an item states is put on record with each of its files, and where it is stated; citations take
it before what the file states of itself. Tags, collections and notes become jottings, which are
private. A snapshot that Zotero saved as a page and files beside it is one page with its parts.
"""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from permacite.bibliography.zotero import items_of
from permacite.errors import NotFoundError, ParseError, PermaciteError, StorageError
from permacite.markup import plain_text
from permacite.media_types import PAGES
from permacite.service import sources
from permacite.service.access import UNSAID
from permacite.service.assertions.jottings import Jottings
from permacite.service.ingest.files import Draft, Terms, read_draft
from permacite.service.ingest.others.folders import complete
from permacite.service.ingest.saving import Ingest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date
    from pathlib import Path

    from permacite.archive import JSON
    from permacite.bibliography.zotero import File, Item
    from permacite.service.access import Choice
    from permacite.service.ingest.saved import Saved

__all__ = ["Libraries", "files_of", "is_library"]

_MARK = b"http://www.zotero.org/namespaces/export#"
_HEAD = 1 << 14
_MOST = 1 << 28
"""A larger export is refused: it is read as one."""
_LONGEST = {"tag": 200, "collection": 200, "note": 20_000}


def is_library(path: Path) -> bool:
    """Whether a file is a library of Zotero."""
    if path.suffix.lower() not in {".rdf", ".xml"}:
        return False
    try:
        with path.open("rb") as file:
            return _MARK in file.read(_HEAD)
    except OSError:
        return False  # whoever reads it will say why


def files_of(library: Path) -> Iterator[Path]:
    """The files that belong to a library, and are no documents beside it."""
    for item in _items(library):
        for file in item.files:
            try:
                path = _inside(library, file.path)
            except PermaciteError:
                continue
            yield path
            if _type_of(path) in PAGES and path.parent != library.parent:
                yield from (each for each in path.parent.rglob("*") if each.is_file())


class Libraries(Ingest, Jottings):
    """Files of a library become committed versions."""

    def add_library(
        self,
        library: Path,
        *,
        series: str | None = None,
        new: bool = False,
        confirmed_date: date | None = None,
        standing: Choice = UNSAID,
    ) -> Iterator[tuple[str, Saved | PermaciteError]]:
        """Commit the files of a library, and yield what became of each, by its path there.

        Items without a file are yielded too, as NotFoundError. Raises ParseError for what is no
        export of Zotero.
        """
        for item in _items(library):
            if not item.files:
                title = next((c.value for c in item.claims if c.field == "title"), item.about)
                yield title, NotFoundError("no file of it is in the export", item.about)
            for file in item.files:
                terms = _terms(library, item, file, Terms(series, None, confirmed_date, standing))
                try:
                    saved = self._add_file(library, file, terms, new=new)
                    self._jot(saved.pdi, item)
                except StorageError:
                    raise  # it would meet all others too
                except PermaciteError as error:
                    yield file.path, error
                else:
                    yield file.path, saved

    def _add_file(self, library: Path, file: File, terms: Terms, *, new: bool) -> Saved:
        path = _inside(library, file.path)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise NotFoundError(f"it cannot be read: {error.strerror}", file.path) from error
        is_page = _type_of(path) in PAGES and path.parent != library.parent
        page = complete(path, content, path.parent) if is_page else None
        if page is not None and page.parts == 1:
            page = None
        held = None if new else self._held(content, path.name, terms, page)
        if held is not None:
            return held
        draft = read_draft(content, path.name, terms, page)
        if page is not None:
            draft = _as_snapshot(draft, terms)
        (outcome,) = self._added([draft], terms)
        if isinstance(outcome, PermaciteError):
            raise outcome
        return outcome

    def _jot(self, name: str, item: Item) -> None:
        """Keep the tags, collections and notes of an item."""
        kinds: list[tuple[Literal["tag", "collection", "note"], tuple[str, ...]]] = [
            ("tag", item.tags),
            ("collection", item.collections),
            ("note", tuple(plain_text(note).text for note in item.notes)),
        ]
        for kind, texts in kinds:
            longest = _LONGEST[kind]
            for text in texts:
                pieces = (text[start : start + longest] for start in range(0, len(text), longest))
                for piece in pieces if kind == "note" else [text[:longest]]:
                    if piece.strip():
                        self.jot(name, kind, piece)


def _items(library: Path) -> list[Item]:
    """The items of a library. Raises ParseError."""
    try:
        with library.open("rb") as file:
            content = file.read(_MOST + 1)
    except OSError as error:
        raise NotFoundError(f"it cannot be read: {error.strerror}", library.name) from error
    if len(content) > _MOST:
        raise ParseError(f"expected at most {_MOST:,} octets", library.name, 0, "Zotero RDF")
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


def _type_of(path: Path) -> str:
    return sources.media_type_of(path.name, b"")


def _terms(library: Path, item: Item, file: File, terms: Terms) -> Terms:
    """How a file is to be committed: with what the library says of it and of its item."""
    shows = "drawn" if sources.media_type_of(file.path, b"") in PAGES else "reported"
    imported: dict[str, JSON] = {
        "format": "Zotero RDF",
        "file": library.name,
        "shows": shows,
        "made_by": {"software": "Zotero"},
        "claimed_at": file.accessed,
    }
    stated: dict[str, JSON] = {
        "file": library.name,
        "item": item.about,
        "type": item.type,
        "claims": [[each.field, each.value, each.place.name, each.given] for each in item.claims],
    }
    title = next((each.value for each in item.claims if each.field == "title"), file.title)
    is_web = file.uri.lower().startswith(("http://", "https://"))
    return dataclasses.replace(
        terms,
        uri=file.uri if is_web else None,
        title=title or None,
        claimed_at=_moment(file.accessed),
        details={"imported": imported, "stated": stated},
    )


def _as_snapshot(draft: Draft, terms: Terms) -> Draft:
    """A page with its files: what the library says of it counts, unless the page says more."""
    own = draft.document.details.get("imported")
    if isinstance(own, dict) and own.get("made_by"):
        return draft
    details = {**draft.document.details, "imported": terms.details["imported"]}
    return dataclasses.replace(draft, document=dataclasses.replace(draft.document, details=details))


def _moment(said: str) -> datetime | None:
    """A time as Zotero writes it, in UTC; None for any other."""
    try:
        at = datetime.fromisoformat(said)
        return (at.replace(tzinfo=UTC) if at.tzinfo is None else at).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
