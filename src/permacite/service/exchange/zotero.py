"""Import of Zotero libraries: their files become committed versions with their metadata.

A library is an export as RDF, or the data folder itself. What an item states is put on record with
each of its files, and where it is stated; citations take it before what the file states of itself.
Tags, collections and notes are kept, and are private; what is marked in files is cited. A
snapshot that Zotero saved as a page and files beside it is one page with its parts.
"""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from permacite.errors import NotFoundError, PermaciteError
from permacite.markup import plain_text
from permacite.media_types import PAGES
from permacite.service import sources
from permacite.service.assertions.jottings import Annotations
from permacite.service.citations.selecting.selections import Selections
from permacite.service.ingest.collections import attempted
from permacite.service.ingest.files import Draft, FileIngest, Terms, read_draft
from permacite.service.ingest.folders import complete

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive.model.answered import JSON
    from permacite.archive.repository import Repository
    from permacite.bibliography.zotero import AttachedFile, ZoteroItem
    from permacite.service.exchange.zotero_library import Library
    from permacite.service.ingest.options import CommitOptions
    from permacite.service.ingest.saved import Saved

__all__ = ["Libraries"]

_LONGEST = {"tag": 200, "collection": 200, "note": 20_000}
_TOLD = 60
"""How many characters of marked words name them in a report."""


class Libraries:
    """Files of a library become committed versions."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._ingest = FileIngest(repository)
        self._selections = Selections(repository)
        self._annotations = Annotations(repository)

    def add(
        self, library: Library, options: CommitOptions
    ) -> Iterator[tuple[str, Saved | PermaciteError]]:
        """Commit the files of a library, and yield the outcome of each by its path there.

        Items without a file are yielded too, as NotFoundError.
        """
        for item in library.items:
            if not item.files:
                title = next((c.value for c in item.claims if c.field == "title"), item.about)
                yield title, NotFoundError("no file of it is in the library", item.about)
            for file in item.files:
                terms = _terms(library, item, file, Terms.of(options))
                outcome = attempted(self._add_file, library, item, file, terms, new=options.new)
                if not isinstance(outcome, PermaciteError):
                    marked = ((outcome.pdi, file.path, each) for each in file.annotations)
                    library.marked.extend(marked)
                yield file.path, outcome

    def add_selections(self, library: Library) -> Iterator[tuple[str, str | PermaciteError]]:
        """Cite the passages marked in imported files, and yield the outcome of each.

        Each is (the marked words, the name here or the error). A passage that cannot be cited is
        kept as a note on its document.
        """
        for name, path, marked in library.marked:
            words = " ".join(marked.text.split())[:_TOLD]
            note = marked.comment or None
            cited = attempted(self._selections.cite, name, marked.selector, note=note)
            if isinstance(cited, PermaciteError):
                kept = "\n".join(each for each in (marked.text, marked.comment) if each.strip())
                if kept:
                    self._annotations.annotate(name, "note", kept[: _LONGEST["note"]])
                yield f"{path}: {words}", cited
            else:
                yield f"{path}: {words}", cited.reference

    def _add_file(
        self, library: Library, item: ZoteroItem, file: AttachedFile, terms: Terms, *, new: bool
    ) -> Saved:
        """Commit a file, and keep the tags, collections and notes of its item."""
        saved = self._saved_file(library, file, terms, new=new)
        self._keep_notes(saved.pdi, item)
        return saved

    def _saved_file(
        self, library: Library, file: AttachedFile, terms: Terms, *, new: bool
    ) -> Saved:
        path = library.path_of(file)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise NotFoundError(f"it cannot be read: {error.strerror}", file.path) from error
        page = terms.incoming(path.name, content)
        is_page = page.document.is_page and path.parent != library.path.parent
        whole = complete(path, page, path.parent) if is_page else None
        if whole is not None and whole.parts == 1:
            whole = None
        held = None if new else self._ingest.held(page, terms, whole)
        if held is not None:
            return held
        draft = read_draft(page, terms, whole)
        if whole is not None:
            draft = _as_snapshot(draft, terms)
        return self._ingest.commit(draft, terms)

    def _keep_notes(self, name: str, item: ZoteroItem) -> None:
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
                        self._annotations.annotate(name, kind, piece)


def _terms(library: Library, item: ZoteroItem, file: AttachedFile, terms: Terms) -> Terms:
    """Return the terms of a commit, with the metadata of the file and of its item."""
    shows = "drawn" if sources.media_type_of(file.path, b"") in PAGES else "reported"
    imported: dict[str, JSON] = {
        "format": library.form,
        "file": library.path.name,
        "shows": shows,
        "made_by": {"software": "Zotero"},
        "claimed_at": file.accessed,
    }
    stated: dict[str, JSON] = {
        "file": library.path.name,
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
    """Add the metadata of the library to a page with its files, unless the page has its own."""
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
