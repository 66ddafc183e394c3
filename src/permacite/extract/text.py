"""Cut characters and lines out of text (PDI §3.4.1).

Positions count the code points of the canonical text: every line end is CRLF, two characters, and
a byte order mark is none. A position between CR and LF of a line end that is stored as one
character is a place all the same: the text is cut there, the bytes are those of the whole line end.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

from permacite.errors import ParseError
from permacite.extract.excerpt import Excerpt, digest_of, extent
from permacite.fragments import Text
from permacite.markup import StartTag, charset_in, codec_of, decode, sniff_charset, tokenize
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.markup import Token

__all__ = ["Document", "characters", "lines", "read"]

_LINE_END = compile_pattern(r"\r\n?|\n")
_LONE = compile_pattern(r"\r(?!\n)|(?<!\r)\n")
"""A line end that is one character, and two in the canonical text."""

_DECLARES = ("text/html", "text/xml", "application/xml", "text/css")
"""The media types whose documents may say what charset they are in."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text: its bytes, their codec, its characters (line ends as stored, no byte order mark)."""

    data: bytes
    media_type: str
    codec: str
    text: str

    def part(self, start: int, end: int, *, clipped: bool = False) -> Excerpt:
        """Return the characters from offset `start` up to `end`, with the bytes they stand for."""
        text = _LINE_END.sub("\r\n", self.text[start:end])
        return self.excerpt(text, start, end, clipped=clipped)

    def excerpt(self, text: str, start: int, end: int, *, clipped: bool) -> Excerpt:
        """Return `text` with the bytes of the characters from offset `start` up to `end`."""
        # The two decoders agree on how many characters there are, whatever the bytes.
        codec = self.codec if codec_of(self.codec) != "x-user-defined" else "iso-8859-1"
        place = Text(self.data, codec, "http").span(start, end, "code_point").byte
        digest = digest_of("utf-8", text.encode())
        part = self.data[place[0] : place[1]]
        return Excerpt(part, self.media_type, text, place, clipped, digest)


def read(data: bytes, media_type: str, charset: str | None) -> Document:
    """Decode a document: by its byte order mark, `charset`, what it declares, or the default.

    The default is US-ASCII for text/plain and message/header and UTF-8 for all others; HTML that is
    not UTF-8 is windows-1252. Bytes that are no characters become U+FFFD. Raises ParseError for an
    unknown charset.
    """
    if charset is not None and codec_of(charset) is None:
        raise ParseError("expected a charset that can be decoded", charset, 0, "PDI §3.4.1")
    if charset is None and not media_type.endswith("+xml") and media_type not in _DECLARES:
        plain = media_type in {"text/plain", "message/header"}
        charset = "us-ascii" if plain else "utf-8"
    codec = sniff_charset(data, charset, media_type)
    if charset is None and codec == "windows-1252" and _is_undeclared_utf_8(data):
        codec = "utf-8"
    return Document(data, media_type, codec, decode(data, codec))


def _is_undeclared_utf_8(data: bytes) -> bool:
    """Whether a page says nothing of its charset, and is UTF-8 all the same."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    metas = (token for token in tokenize(decode(data[:1024], "utf-8")) if _is_meta(token))
    return not any(meta.get("charset") or charset_in(meta.get("content") or "") for meta in metas)


def _is_meta(token: Token) -> TypeGuard[StartTag]:
    return isinstance(token, StartTag) and token.name == "meta"


def characters(document: Document, start: int, end: int) -> Excerpt:
    """Return the characters of the canonical text from `start` up to `end`."""
    source = document.text
    lone = [found.start() for found in _LONE.finditer(source)]
    found = extent(start, end, len(source) + len(lone), "characters")
    first, into = _offset(lone, found.start)
    last, over = _offset(lone, found.end)
    # The end may stand between CR and LF: then the line end is in the part, and half of it counts.
    raw = last + over
    lead, tail = (at > 0 and source[at - 1 : at + 1] == "\r\n" for at in (first, raw))
    # A stored CRLF that the part begins or ends within is one line end all the same.
    text = _LINE_END.sub("\r\n", source[first - lead : raw + tail])[into + lead :]
    text = text[: found.end - found.start]
    return document.excerpt(text, first, raw, clipped=found.clipped)


def _offset(lone: list[int], position: int) -> tuple[int, int]:
    """Return the offset of a canonical position in the source, and 1 where it splits a line end.

    `lone`: where the line ends of one character are; the canonical text has one more for each.
    """
    low = bisect_left(range(len(lone)), position, key=lambda index: lone[index] + index)
    before = position - low
    splits = low > 0 and before == lone[low - 1]
    return before, int(splits)


def lines(document: Document, start: int, end: int) -> Excerpt:
    """Return the lines from `start` up to `end`, their line ends included.

    What follows the last line end is a line, if it is anything; an empty text has one line.
    """
    starts = [0, *(found.end() for found in _LINE_END.finditer(document.text))]
    if len(starts) > 1 and starts[-1] == len(document.text):
        starts.pop()
    found = extent(start, end, len(starts), "lines")
    starts.append(len(document.text))
    return document.part(starts[found.start], starts[found.end], clipped=found.clipped)
