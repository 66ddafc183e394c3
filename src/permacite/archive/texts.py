"""Texts of an archive: the charset settled at the commit, and the index of a large text.

The charset is kept with the format as a codec of the Encoding Standard and the version of the
rules, such as `gbk/2`. The names that were minted before have the label as it came: the first rules
go on to read it. docs/decisions/0025-one-text.md says why.

A large text has two sidecars, by which its passages are found without reading it all: the Index of
`permacite.text`, and the digests of its pieces, which every content has that is larger than one.
Both name the digest of what they are of, and are not believed for another.
docs/decisions/0015-an-index-beside-each-large-text.md says what is checked when.
"""

from __future__ import annotations

import dataclasses
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from permacite import markup
from permacite.archive.model.answered import Decoding
from permacite.archive.records.versions import sidecars
from permacite.charsets import RULES_VERSION, of_codec
from permacite.errors import IntegrityError, NotFoundError, ParseError, StorageError
from permacite.media_types import is_xml
from permacite.text.entity import DocumentText, Entity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.engine.pieces import Pieces
    from permacite.archive.engine.write_behind import ArchiveObjects
    from permacite.archive.model.answered import Representation
    from permacite.archive.model.submitted import NewRepresentation
    from permacite.charsets import Charset
    from permacite.text.index import Index

__all__ = [
    "DERIVED",
    "HEAD_BYTES",
    "INDEX",
    "SMALLEST_BYTES",
    "Texts",
    "charset_of",
    "decoding_of",
    "document_text",
    "is_of_first_rules",
    "settle",
    "text_of_new",
    "with_indexes",
]

INDEX = "text-index"

SMALLEST_BYTES = 1 << 17
"""Below this, decoding and counting all of a text costs no more than a few milliseconds."""

_MODE = "http"
"""CRLF, LF and CR end a line, as in the text whose positions a PDI counts (PDI §3.4.1)."""

_SAMPLES = 200
_AT_HAND = 32
"""Indexes that stay in memory; each takes a third of a percent of its text."""
HEAD_BYTES = 1024
"""What `charset_of` wants to see."""

_DECLARING = frozenset({"text/html", "text/css"})
_TEXTS = frozenset({"application/x-subrip"})
"""Texts by another name: those that are in no known charset stay octets."""
_RULES = f"/{RULES_VERSION}"
DERIVED = Decoding(f"utf-8{_RULES}")
"""Of texts that we write."""


def with_indexes(representations: Iterable[NewRepresentation]) -> list[NewRepresentation]:
    """Return formats that are to be committed, each large one with its sidecars.

    All of more than one piece have the digests of their pieces, large texts an index. Raises
    ParseError as `Repository.commit` does.
    """
    return [_with_sidecars(representation) for representation in representations]


def _with_sidecars(new: NewRepresentation) -> NewRepresentation:
    from permacite.archive.engine.pieces import PIECE_BYTES, PIECES, Pieces

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

    def __init__(self, catalog: Catalog, objects: ArchiveObjects) -> None:
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
        from permacite.archive.engine.pieces import CheckedPieces

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
        from permacite.archive.engine.pieces import PIECES

        named = self._catalog.read(sidecars, representation)
        return (named[INDEX], named[PIECES]) if INDEX in named and PIECES in named else None

    def _read_sides(self, index: str, pieces: str) -> tuple[Index, Pieces]:
        """Return sidecars by their digests.

        Raises IntegrityError or NotFoundError where they are not as they were committed, ParseError
        where they are of another kind or version.
        """
        kept = self._objects.get(index), self._objects.get(pieces)
        from permacite.archive.engine.pieces import Pieces
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


def settle(document: markup.Document) -> Decoding | None:
    """The decoding of a text that comes in; None for what is no text.

    Raises ParseError for plain text without a label that is not UTF-8: nothing tells what it is.
    """
    media_type, label = document.media_type, document.label
    declaring = media_type in _DECLARING or document.is_xml
    is_text = media_type.startswith("text/")
    if label is None and not (declaring or is_text or media_type in _TEXTS):
        return None
    settled = document.settled
    if settled.by == "fallback" and label is None and not declaring:
        if is_text:
            raise _unknown(document.content)
        return None
    return Decoding(settled.codec + _RULES, settled.by, label)


def _unknown(content: bytes) -> ParseError:
    """Return the error of text that could be in any charset."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        start = error.start
    return ParseError(
        f"text that is no UTF-8: octet 0x{content[start]:02x}",
        content[: start + 80].decode("utf-8", "replace"),
        len(content[:start].decode("utf-8")),
        "RFC 5147 §1.1",
        hint="say which charset it is in: --charset windows-1252, for example",
    )


def decoding_of(new: NewRepresentation) -> Decoding | None:
    """The decoding of a format that is to be committed. Raises ParseError."""
    return new.decoding or settle(markup.Document(new.content, new.media_type.lower(), new.charset))


def charset_of(media_type: str, recorded: str | None, head: bytes) -> Charset:
    """The charset of a format, from what is recorded of it and its first octets.

    Nothing is recorded of formats that were not taken for text: of those XML may declare its own.
    """
    if recorded is not None and not is_of_first_rules(recorded):
        codec = recorded.removesuffix(_RULES)
        return of_codec(codec)
    if recorded is None and not is_xml(media_type):
        recorded = "us-ascii" if media_type == "message/header" else "utf-8"
    from permacite.text import first_rules

    return first_rules.charset(recorded or markup.sniff_charset(head, None, media_type).codec)


def is_of_first_rules(recorded: str | None) -> bool:
    """Whether a format was committed by the first rules, from what is recorded of its charset."""
    return recorded is None or not recorded.endswith(_RULES)


def document_text(content: bytes, media_type: str, recorded: str | None) -> DocumentText:
    """Return the text of octets, from what is recorded of them."""
    return DocumentText(content, charset_of(media_type, recorded, content))


def text_of_new(new: NewRepresentation) -> DocumentText:
    """Return the text of a format that is to be committed. Raises ParseError."""
    decoding = decoding_of(new)
    recorded = None if decoding is None else decoding.recorded
    return document_text(new.content, new.media_type.lower(), recorded)
