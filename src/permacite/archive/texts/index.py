"""The index that a large text is kept with, so that its passages are found without reading it all.

Two side objects stand beside such a text: the Index of `permacite.fragments`, and the digests of
its pieces. Both name the digest of the text that they are of, and are not believed for another.
docs/decisions/0015-an-index-beside-each-large-text.md says what is checked when.
"""

from __future__ import annotations

import codecs
import dataclasses
from functools import lru_cache
from typing import TYPE_CHECKING

from permacite import markup
from permacite.archive.deposit import with_charset
from permacite.archive.texts.pieces import CheckedFile, Pieces, check_digest
from permacite.errors import IntegrityError, NotFoundError, ParseError, StorageError
from permacite.fragments import Index, Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from permacite.archive.catalog import Catalog
    from permacite.archive.model import NewRepresentation, Representation
    from permacite.archive.objects import Objects

__all__ = ["INDEX", "PIECES", "SMALLEST_BYTES", "Texts", "with_indexes"]

INDEX = "text-index"
PIECES = "piece-digests"

SMALLEST_BYTES = 1 << 17
"""Below this, decoding and counting all of a text costs no more than a few milliseconds."""

_MODE = "http"
"""CRLF, LF and CR end a line, as in the text whose positions a PDI counts (PDI §3.4.1)."""

_HEAD_BYTES = 8
_SAMPLES = 200
_AT_HAND = 32
"""Indexes that stay in memory; each takes a third of a percent of its text."""


def with_indexes(representations: Iterable[NewRepresentation]) -> list[NewRepresentation]:
    """Return formats that are to be committed, each large text with its side objects.

    Raises ParseError as `Archive.commit` does.
    """
    return [_with_index(one) for one in representations]


def _with_index(new: NewRepresentation) -> NewRepresentation:
    if not new.media_type.lower().startswith("text/") or len(new.content) < SMALLEST_BYTES:
        return new
    charset = with_charset(new).charset
    if charset is None or not _read_alike(new.content, charset, new.media_type.lower()):
        return new
    index = Index.build(new.content, charset, _MODE)
    if not index.valid:
        return new
    sides = {INDEX: index.to_bytes(), PIECES: Pieces.of(new.content).to_bytes()}
    return dataclasses.replace(new, attachment={**new.attachment, **sides})


def _read_alike(head: bytes, charset: str, media_type: str) -> bool:
    """Whether a charset is the same to whoever counts characters as to whoever shows them.

    The Encoding Standard, which browsers follow, reads ISO-8859-1 as windows-1252, for one.
    """
    try:
        counted = Text(head[:_HEAD_BYTES], charset)
    except ParseError:
        return False
    if counted.line_endings != _MODE:
        return False  # EBCDIC has another line ending
    codec = counted.encoding.codec
    shown = markup.sniff_charset(head, charset, media_type)
    return codec == "ascii" or _codec(codec) == _codec(shown)


def _codec(name: str) -> str | None:
    try:
        return codecs.lookup(name).name
    except LookupError:
        return None


class Texts:
    """The texts of an archive that have an index. Any number of threads may ask."""

    def __init__(self, catalog: Catalog, objects: Objects) -> None:
        """Take a catalog and objects that are open."""
        self._catalog = catalog
        self._objects = objects
        # By digest: what was read once under it never changes.
        self._read = lru_cache(maxsize=_AT_HAND)(self._read_sides)

    def text(self, representation: Representation, *, whole: bool) -> Text | None:
        """Return a text with its index; None where it has none, or none that is right.

        Each piece of it is checked when it is read; with `whole`, the digest of all octets now.
        Raises IntegrityError, NotFoundError, StorageError.
        """
        sides = self._sides(representation)
        if sides is None:
            return None
        try:
            index, pieces = self._read(*sides)
        except (IntegrityError, NotFoundError, ParseError):
            return None  # damaged or lost: the text itself may be well, and can be counted
        if not _of(representation, index, pieces):
            return None
        path = self._objects.path(representation.digest)
        if whole:
            check_digest(path, representation.digest)
        return _opened(representation, CheckedFile(path, pieces), index)

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
            path = self._objects.path(representation.digest)
            text = _opened(representation, CheckedFile(path, pieces), index)
            if text is None:
                return "the index is of another charset"
            return _difference(text, self._objects.get(representation.digest))
        except ParseError as error:
            return error.problem
        except (IntegrityError, NotFoundError, StorageError):
            return ""

    def _sides(self, representation: Representation) -> tuple[str, str] | None:
        """Return the digests of the side objects; None where there are none."""
        if representation.size_bytes < SMALLEST_BYTES:
            return None
        named = self._catalog.attachments(representation)
        return (named[INDEX], named[PIECES]) if INDEX in named and PIECES in named else None

    def _read_sides(self, index: str, pieces: str) -> tuple[Index, Pieces]:
        """Return side objects by their digests.

        Raises IntegrityError or NotFoundError where they are not as they were committed, ParseError
        where they are of another kind or version.
        """
        kept = self._objects.get(index), self._objects.get(pieces)
        return Index.from_bytes(kept[0]), Pieces.from_bytes(kept[1])


def _of(representation: Representation, index: Index, pieces: Pieces) -> bool:
    """Say whether side objects are of this text."""
    owners = {f"sha-256:{index.sha256}", f"sha-256:{pieces.sha256.hex()}"}
    sizes = {index.size_bytes, pieces.size_bytes}
    return owners == {representation.digest} and sizes == {representation.size_bytes}


def _opened(representation: Representation, file: CheckedFile, index: Index) -> Text | None:
    """Return the text in a file; None where its index counts otherwise than it is shown."""
    head = file.octets(0, _HEAD_BYTES)
    charset = representation.charset or "us-ascii"
    if not index.valid or not _read_alike(head, charset, representation.media_type):
        return None
    try:
        return Text(file, charset, _MODE, index=index)
    except ValueError:
        return None  # the index is of another charset


def _difference(text: Text, content: bytes) -> str:
    """Say where an index does not count as its text is; a sample of places is compared."""
    counted = Text(content, text.charset.label, _MODE)
    positions = range(0, text.end.code_point + 1, max(1, text.end.code_point // _SAMPLES))
    if text.end != counted.end:
        return "the index has another end"
    if text.places("code_point", positions) != counted.places("code_point", positions):
        return "the index has other places"
    return ""
