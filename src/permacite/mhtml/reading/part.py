"""Body part of a message: its heading, its labels and its content, read on demand.

    RFC 2045 §5.2 default type -> BodyPart.content_type     §6 encodings -> BodyPart.content
    RFC 2557 §4 labels -> BodyPart.content_location, .content_id

A part holds offsets, not octets. What it returns is read from the source each time.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from permacite.charsets import codec_of
from permacite.errors import LimitError
from permacite.media_types import essence, is_media_type
from permacite.mhtml.charset import charset_of_text, is_markup
from permacite.mhtml.label import LocationLabel, read_id, read_location
from permacite.mhtml.mime.heading import Heading, parse_heading
from permacite.mhtml.mime.model import Defect
from permacite.mhtml.mime.parameters import parse_structured, without_comments
from permacite.mhtml.mime.transfer import decode, decode_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from permacite.mhtml.mime.model import Limits
    from permacite.mhtml.mime.octets import SourceOctets

__all__ = ["BodyPart", "beginning_of", "default_type_of", "defect_of"]

_BEGINNING = 1 << 10
_PIECE = 1 << 20
_WHOLE = 1 << 26
"""A body up to here is decoded at once: faster, and in less than three times its size."""


class BodyPart:
    """A body part, as RFC 2557 calls it; the message itself is one too.

    `path` numbers it from 1 inside its parent ("3.1"), "" for a message with parts. `parent` is
    None for the message. `body_parts` are the parts directly inside. `is_multipart`: of a multipart
    type that was opened, with delimiters made of `boundary`. Offsets count octets of the file: the
    heading begins at `offset`, the body at `body_offset`, and ends at `end`, before a delimiter.
    """

    __slots__ = (
        "_charset", "_heading", "_label", "_limits", "_octets", "_type",
        "body_offset", "body_parts", "boundary", "end", "is_message", "is_multipart", "offset",
        "parent", "path",
    )  # fmt: skip

    def __init__(
        self,
        octets: SourceOctets,
        limits: Limits,
        offset: int,
        *,
        path: str,
        parent: BodyPart | None,
    ) -> None:
        self._octets = octets
        self._limits = limits
        self._charset: tuple[str | None] | None = None
        self._heading: Heading | None = None
        self._label: tuple[LocationLabel | None] | None = None
        self._type: tuple[str, Mapping[str, str]] | None = None
        self.path = path
        self.offset = self.body_offset = self.end = offset
        self.is_multipart = False
        self.boundary: bytes | None = None
        self.parent = parent
        self.body_parts: tuple[BodyPart, ...] = ()
        self.is_message = parent is None or not parent.is_multipart

    def __repr__(self) -> str:
        return f"<BodyPart {self.path!r} {self.content_type} {self.content_location or ''}>"

    @property
    def raw(self) -> bytes:
        """The octets of the part in the file: heading, empty line, encoded body."""
        return self._octets.read(self.offset, self.end)

    @property
    def raw_heading(self) -> bytes:
        """The octets of the heading, with the empty line that ends it."""
        return self._octets.read(self.offset, self.body_offset)

    @property
    def body(self) -> bytes:
        """The octets of the body, still encoded."""
        return self._octets.read(self.body_offset, self.end)

    @property
    def heading(self) -> Heading:
        """The fields of its heading."""
        if self._heading is None:
            self._heading = parse_heading(self.raw_heading, self.offset)
        return self._heading

    @property
    def content_type(self) -> str:
        """The media type in lower case, without parameters; where none is, the default."""
        if self._type is None:
            self._type = _type_of(self)
        return self._type[0]

    @property
    def parameters(self) -> Mapping[str, str]:
        """The parameters of its Content-Type, by name in lower case."""
        if self._type is None:
            self._type = _type_of(self)
        return self._type[1]

    @property
    def transfer_encoding(self) -> str:
        """Its Content-Transfer-Encoding in lower case; "" where there is none."""
        field = self.heading.get("Content-Transfer-Encoding")
        if field is None:
            return ""
        return essence(without_comments(field.latin1))

    @property
    def label(self) -> LocationLabel | None:
        """The first Content-Location, decoded, with the octets that matching compares."""
        if self._label is None:
            field = self.heading.get("Content-Location")
            self._label = (None if field is None else read_location(field.value),)
        return self._label[0]

    @property
    def content_location(self) -> str | None:
        """The URI that labels it, decoded and unfolded; it may be relative."""
        label = self.label
        return None if label is None else label.text

    @property
    def content_id(self) -> str | None:
        """Its Content-ID, without angle brackets."""
        field = self.heading.get("Content-ID")
        return None if field is None else read_id(field.value)[0]

    @property
    def message_id(self) -> str | None:
        """Its Message-ID, without angle brackets; None unless it is a message."""
        field = self.heading.get("Message-ID") if self.is_message else None
        return None if field is None else read_id(field.value)[0]

    @property
    def content(self) -> bytes:
        """The decoded content, decoded each time. Never fails for what is in the file.

        Raises LimitError beyond `Limits.decoded_bytes`.
        """
        if self.end - self.body_offset > _WHOLE:
            return b"".join(self.pieces(_WHOLE))
        content = decode(self.body, _encoding_of(self))
        _require_room(self, len(content), self._limits.decoded_bytes)
        return content

    def pieces(self, size: int = _PIECE) -> Iterator[bytes]:
        """Yield the decoded content in pieces, from about `size` octets of the file each."""
        places = range(self.body_offset, self.end, size)
        raw = (self._octets.read(start, min(start + size, self.end)) for start in places)
        total = 0
        for piece in decode_pieces(raw, _encoding_of(self)):
            total += len(piece)
            _require_room(self, total, self._limits.decoded_bytes)
            yield piece

    @property
    def charset(self) -> str | None:
        """The codec of its text (see `permacite.charsets`); None where it is no text.

        The BOM decides, then the heading, then what markup declares about itself, wherever in its
        head. Raises LimitError as `content` does, where that has to be read.
        """
        if self._charset is None:
            self._charset = (_charset_of(self),)
        return self._charset[0]


def default_type_of(part: BodyPart) -> str:
    """The media type of a part that names none (RFC 2045 §5.2, RFC 2046 §5.1.5)."""
    outer = part.parent
    is_digest = outer is not None and outer.content_type == "multipart/digest"
    return "message/rfc822" if is_digest else "text/plain"


def beginning_of(part: BodyPart, size: int = _BEGINNING) -> bytes:
    """The first octets of the decoded content."""
    gathered = b""
    for piece in part.pieces(2 * size):
        gathered += piece
        if len(gathered) >= size:
            break
    return gathered[:size]


def defect_of(part: BodyPart, code: str, field: str = "", detail: str = "") -> Defect:
    """A defect of a part; where a field is named, at the value of that field."""
    value = part.heading.get(field) if field else None
    offset = part.offset if value is None else value.offset
    return Defect(code, offset, part.path, detail)


def _type_of(part: BodyPart) -> tuple[str, Mapping[str, str]]:
    field = part.heading.get("Content-Type")
    media_type: str = default_type_of(part)
    parameters: dict[str, str] = {}
    if field is not None:
        media_type, parameters = parse_structured(field.latin1)
    if not is_media_type(media_type):
        media_type = "text/plain"  # (RFC 2045 §5.2)
    return media_type, MappingProxyType(parameters)


def _charset_of(part: BodyPart) -> str | None:
    declared = part.parameters.get("charset")
    is_known = codec_of(declared or "") is not None or not is_markup(part.content_type)
    octets = beginning_of(part) if is_known else part.content
    return charset_of_text(octets, part.content_type, declared)


def _encoding_of(part: BodyPart) -> str:
    """The encoding of the body: none where that holds parts."""
    return "" if part.body_parts else part.transfer_encoding


def _require_room(part: BodyPart, size_bytes: int, limit: int) -> None:
    if size_bytes > limit:
        raise LimitError(
            f"the content of part {part.path or 'of the message'} is longer than {limit}",
            limit="decoded_bytes",
            maximum=limit,
        )
