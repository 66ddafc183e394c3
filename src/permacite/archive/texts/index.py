"""The index that a large text is kept with, so that its passages are found without reading it all.

Two sidecars stand beside such a text: the Index of `permacite.text`, and the digests of
its pieces, which every content has that is larger than one. Both name the digest of what they are
of, and are not believed for another.
docs/decisions/0015-an-index-beside-each-large-text.md says what is checked when.
"""

from __future__ import annotations

import dataclasses
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from permacite.archive.records.versions import sidecars
from permacite.archive.texts.decoding import HEAD_BYTES, charset_of, document_text, text_of_new
from permacite.errors import IntegrityError, NotFoundError, ParseError, StorageError
from permacite.text.document import DocumentText
from permacite.text.entity import Entity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.engine.write_behind import WriteBehind
    from permacite.archive.model.answered import Representation
    from permacite.archive.model.submitted import NewRepresentation
    from permacite.archive.texts.pieces import Pieces
    from permacite.text.index import Index

__all__ = ["INDEX", "SMALLEST_BYTES", "Texts", "with_indexes"]

INDEX = "text-index"

SMALLEST_BYTES = 1 << 17
"""Below this, decoding and counting all of a text costs no more than a few milliseconds."""

_MODE = "http"
"""CRLF, LF and CR end a line, as in the text whose positions a PDI counts (PDI §3.4.1)."""

_SAMPLES = 200
_AT_HAND = 32
"""Indexes that stay in memory; each takes a third of a percent of its text."""


def with_indexes(representations: Iterable[NewRepresentation]) -> list[NewRepresentation]:
    """Return formats that are to be committed, each large one with its sidecars.

    All of more than one piece have the digests of their pieces, large texts an index. Raises
    ParseError as `Repository.commit` does.
    """
    return [_with_sidecars(representation) for representation in representations]


def _with_sidecars(new: NewRepresentation) -> NewRepresentation:
    from permacite.archive.texts.pieces import PIECE_BYTES, PIECES, Pieces

    if len(new.content) <= PIECE_BYTES:
        return new
    index = _index_of(new)
    sha256 = None if index is None else bytes.fromhex(index.sha256)
    sides = {PIECES: Pieces.of(new.content, sha256=sha256).to_bytes()}
    if index is not None:
        sides[INDEX] = index.to_bytes()
    return dataclasses.replace(new, sidecars={**new.sidecars, **sides})


def _index_of(new: NewRepresentation) -> Index | None:
    """The index of a large text; None for what is none, or could not be shown as it is counted."""
    if not new.media_type.lower().startswith("text/") or len(new.content) < SMALLEST_BYTES:
        return None
    from permacite.text.index import Index

    index = Index.build(new.content, text_of_new(new).charset, _MODE)
    return index if index.valid else None


class Texts:
    """The texts of an archive that have an index. Any number of threads may ask."""

    def __init__(self, catalog: Catalog, objects: WriteBehind) -> None:
        """Take a catalog and objects that are open."""
        self._catalog = catalog
        self._objects = objects
        # By digest: what was read once under it never changes.
        self._read = lru_cache(maxsize=_AT_HAND)(self._read_sides)

    def text(self, representation: Representation, *, whole: bool) -> DocumentText:
        """Return a text: by its index, where it has one that is right, else all of it.

        Each piece of it is checked when it is read; with `whole`, the digest of all octets now.
        Raises IntegrityError, NotFoundError, StorageError.
        """
        indexed = self._indexed(representation)
        if indexed is None:
            content = self._objects.get(representation.digest)
            return document_text(content, representation.media_type, representation.decoding)
        if whole:
            self._objects.check(representation.digest)
        return indexed

    def fault(self, representation: Representation) -> str:
        """Say what is wrong with the index of a text; "" where nothing is, or where it has none.

        Octets that are not as they were committed are told by `verification` already.
        """
        sides = self._sides(representation)
        if sides is None:
            return ""
        try:
            index, pieces = self._read_sides(*sides)
            if not _of(representation, index, pieces):
                return "the index is of another text"
            text = self._opened(representation, index, pieces)
            if text is None:
                return "the index is of another charset"
            return _difference(text, self._objects.get(representation.digest))
        except ParseError as error:
            return error.problem
        except (IntegrityError, NotFoundError, StorageError):
            return ""

    def _indexed(self, representation: Representation) -> DocumentText | None:
        """Return a text with its index; None where it has none, or none that is right."""
        sides = self._sides(representation)
        if sides is None:
            return None
        try:
            index, pieces = self._read(*sides)
        except (IntegrityError, NotFoundError, ParseError):
            return None  # damaged or lost: the text itself may be well, and can be counted
        right = _of(representation, index, pieces)
        return self._opened(representation, index, pieces) if right else None

    def _opened(
        self, representation: Representation, index: Index, pieces: Pieces
    ) -> DocumentText | None:
        """Return the text by its pieces; None where its index was counted in another charset."""
        from permacite.archive.texts.pieces import CheckedPieces

        source = CheckedPieces(partial(self._objects.open, representation.digest), pieces)
        head = source.octets(0, HEAD_BYTES)
        charset = charset_of(representation.media_type, representation.decoding, head)
        counted = (index.charset, index.mark_bytes, index.valid)
        if counted != (charset.label, charset.encoding(head).mark_bytes, True):
            return None
        return DocumentText(source, charset, index)

    def _sides(self, representation: Representation) -> tuple[str, str] | None:
        """Return the digests of the sidecars; None where there are none."""
        if representation.size_bytes < SMALLEST_BYTES:
            return None
        from permacite.archive.texts.pieces import PIECES

        named = self._catalog.read(sidecars, representation)
        return (named[INDEX], named[PIECES]) if INDEX in named and PIECES in named else None

    def _read_sides(self, index: str, pieces: str) -> tuple[Index, Pieces]:
        """Return sidecars by their digests.

        Raises IntegrityError or NotFoundError where they are not as they were committed, ParseError
        where they are of another kind or version.
        """
        kept = self._objects.get(index), self._objects.get(pieces)
        from permacite.archive.texts.pieces import Pieces
        from permacite.text.index import Index

        return Index.from_bytes(kept[0]), Pieces.from_bytes(kept[1])


def _of(representation: Representation, index: Index, pieces: Pieces) -> bool:
    """Say whether sidecars are of this text."""
    owners = {f"sha-256:{index.sha256}", f"sha-256:{pieces.sha256.hex()}"}
    sizes = {index.size_bytes, pieces.size_bytes}
    return owners == {representation.digest} and sizes == {representation.size_bytes}


def _difference(text: DocumentText, content: bytes) -> str:
    """Say where an index does not count as its text is; a sample of places is compared."""
    indexed, counted = text.entity, Entity(content, text.charset, _MODE)
    size = counted.end.code_point
    positions = range(0, size + 1, max(1, size // _SAMPLES))
    if indexed.end != counted.end:
        return "the index has another end"
    if indexed.places("code_point", positions) != counted.places("code_point", positions):
        return "the index has other places"
    return ""
