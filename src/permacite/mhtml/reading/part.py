"""One body part of a message: its heading, its labels and its content, read when asked for.

    RFC 2045 §5.2 default type -> BodyPart.content_type     §6 encodings -> BodyPart.content
    RFC 2557 §4 labels -> BodyPart.content_location, .content_id

A part holds offsets, not octets. What it returns is read from the source each time.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from permacite.charsets import codec_of
from permacite.errors import LimitError
from permacite.mhtml.charset import charset_of_text, is_markup
from permacite.mhtml.label import Label, read_id, read_location
from permacite.mhtml.mime.heading import Heading, parse_heading
from permacite.mhtml.mime.model import Defect
from permacite.mhtml.mime.parameters import is_media_type, parse_structured, without_comments
from permacite.mhtml.mime.transfer import decode_pieces
from permacite.mhtml.reading.stretch import Stretch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from permacite.mhtml.mime.entry import Entry
    from permacite.mhtml.mime.model import Limits
    from permacite.mhtml.mime.octets import Octets

__all__ = ["BodyPart"]

_BEGINNING = 1 << 10
_PIECE = 1 << 20
_WHOLE = 1 << 26


class BodyPart(Stretch):
    """A body part, as RFC 2557 calls it; the message itself is one too.

    `path` numbers it from 1 inside its parent ("3.1"); that of a message with parts is "".
    `parent` is None for the message. `body_parts` are the parts directly inside.
    Offsets count the octets of the file: the heading begins at `offset`, the body at `body_offset`
    and ends at `end`.
    """

    __slots__ = (
        "_charset",
        "_heading",
        "_label",
        "_limits",
        "_type",
        "body_parts",
        "is_message",
        "number",
        "parent",
    )

    def __init__(
        self, octets: Octets, entry: Entry, parent: BodyPart | None, limits: Limits
    ) -> None:
        super().__init__(octets, entry)
        self._limits = limits
        self._charset: tuple[str | None] | None = None
        self._heading: Heading | None = None
        self._label: tuple[Label | None] | None = None
        self._type: tuple[str, Mapping[str, str]] | None = None
        self.parent = parent
        self.number = 0
        self.body_parts: tuple[BodyPart, ...] = ()
        self.is_message = parent is None or not parent.is_multipart

    def __repr__(self) -> str:
        return f"<BodyPart {self.path!r} {self.content_type} {self.content_location or ''}>"

    # ------------------------------------------------------------ heading

    @property
    def heading(self) -> Heading:
        """The fields of its heading."""
        if self._heading is None:
            self._heading = parse_heading(self.raw_heading, self.offset)
        return self._heading

    def _media_type(self) -> tuple[str, Mapping[str, str]]:
        if self._type is None:
            field = self.heading.get("Content-Type")
            media_type: str = self._entry.default_type
            parameters: dict[str, str] = {}
            if field is not None:
                media_type, parameters = parse_structured(field.latin1)
            if not is_media_type(media_type):
                media_type = "text/plain"  # (RFC 2045 §5.2)
            self._type = media_type, MappingProxyType(parameters)
        return self._type

    @property
    def content_type(self) -> str:
        """The media type in lower case, without parameters.

        text/plain where there is none, message/rfc822 inside a multipart/digest.
        """
        return self._media_type()[0]

    @property
    def parameters(self) -> Mapping[str, str]:
        """The parameters of its Content-Type, by name in lower case."""
        return self._media_type()[1]

    @property
    def transfer_encoding(self) -> str:
        """Its Content-Transfer-Encoding in lower case; "" where there is none."""
        field = self.heading.get("Content-Transfer-Encoding")
        if field is None:
            return ""
        return without_comments(field.latin1).partition(";")[0].strip().lower()

    @property
    def label(self) -> Label | None:
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

    # ------------------------------------------------------------ content

    @property
    def content(self) -> bytes:
        """The decoded content, decoded anew each time. Never fails for what is in the file.

        Raises LimitError beyond `Limits.decoded_bytes`.
        """
        # Decoding the whole at once is faster, and takes less than three times its size.
        return b"".join(self.pieces(max(_PIECE, min(self.end - self.body_offset, _WHOLE))))

    def pieces(self, size: int = _PIECE) -> Iterator[bytes]:
        """Yield the decoded content in pieces, from about `size` octets of the file each."""
        encoding = "" if self._entry.children else self.transfer_encoding
        total, limit = 0, self._limits.decoded_bytes
        for piece in decode_pieces(self._raw_pieces(size), encoding):
            total += len(piece)
            if total > limit:
                raise LimitError(
                    f"the content of part {self.path or 'of the message'} is longer than {limit}",
                    limit="decoded_bytes",
                    maximum=limit,
                )
            yield piece

    def _raw_pieces(self, size: int) -> Iterator[bytes]:
        for start in range(self.body_offset, self.end, size):
            yield self._octets.read(start, min(start + size, self.end))

    @property
    def charset(self) -> str | None:
        """The codec of its text (see `permacite.charsets`); None where it is no text.

        The BOM decides, then the heading, then what markup declares about itself, wherever in its
        head. Raises LimitError as `content` does, where that has to be read.
        """
        if self._charset is None:
            declared = self.parameters.get("charset")
            is_told = codec_of(declared or "") is not None or not is_markup(self.content_type)
            octets = self.beginning() if is_told else self.content
            self._charset = (charset_of_text(octets, self.content_type, declared),)
        return self._charset[0]

    def beginning(self, size: int = _BEGINNING) -> bytes:
        """Return the first octets of the decoded content."""
        gathered = b""
        for piece in self.pieces(2 * size):
            gathered += piece
            if len(gathered) >= size:
                break
        return gathered[:size]

    def defect(self, code: str, field: str = "", detail: str = "") -> Defect:
        """Return a defect of this part; where a field is named, at that field's value."""
        found = self.heading.get(field) if field else None
        offset = self.offset if found is None else found.offset
        return Defect(code, offset, self.path, detail)
