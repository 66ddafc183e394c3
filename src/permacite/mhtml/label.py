"""Labels of body parts: Content-Location and Content-ID, read from a heading and written to one.

    RFC 2557 §4.1 syntax, comments -> read_location      §4.4.1 encoding -> write_location
    RFC 2557 §4.4.3 unfolding, decoding -> read_location  §4.4.2 folding (RFC 2017 §3.1) -> fold_url
    RFC 2045 §7 Content-ID -> read_id

Deviations: None.
Readings: white space of a fold is taken out of a URI (RFC 2017 §3.1), a raw space stays, as a
defect. Words after ` ;` are no part of the URI, though no grammar allows them: the RFC's own
examples have them (§9.3, §9.5). A fold before `;` that no space follows is a fold inside the URI.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from permacite import charsets
from permacite.errors import ParseError
from permacite.mhtml.mime.words import ENCODED_WORD, encode_word, octets_of_word
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.charsets import Charset

__all__ = ["LocationLabel", "fold_url", "read_id", "read_location", "write_location"]

_SPACE = b" \t\r\n"
_SPACES = compile_pattern(rb"[ \t\r\n]*+")
_NOTE = compile_pattern(rb"(?<![ \t\r\n])([ \t\r\n]++);([ \t\r\n]|\Z)?")
_TOKENS = compile_pattern(rb"[ \t\r\n]++|\\.|[()]|[^ \t\r\n\\()]++|\\", re.DOTALL)
_WORDS = compile_pattern(rb"[ \t\r\n]++|[^ \t\r\n]++")
_PLAIN = compile_pattern(rb"(?!\()[!#$%&'()*+,\-./0-9:;=?@A-Z_a-z~]++")
"""A URI without fold, note, comment or fault; without encoded words unless it holds `=?`."""
_ILLEGAL = compile_pattern(rb"[^!#$%&'()*+,\-./0-9:;=?@A-Z_a-z~]")
_IN_BRACKETS = compile_pattern(rb"<([^<>]*+)>")
_ILLEGAL_TEXT = compile_pattern(r"[^!#$%&'()*+,\-./0-9:;=?@A-Z_a-z~]")
_MISREAD = compile_pattern(r"\A\(|=\?|[;(]{30}")
"""What would be read as a comment or an encoded word, or cannot be folded."""
_URL_WORD = 40
"""RFC 2017 §3.1 folds a URL into words of at most 40 characters."""
_UNFOLDED = 60
"""A URL no longer than this stays on one line."""
_WORD_OCTETS = 18
"""Octets in one encoded word: with a long charset name it still has at most 75 characters."""


class LocationLabel(NamedTuple):
    """The URI of a Content-Location. Matching compares `octets`; `text` is for people.

    `faults` are codes of defects, each with an offset into the field's value.
    """

    octets: bytes
    text: str
    faults: tuple[tuple[str, int], ...] = ()


def read_location(value: bytes) -> LocationLabel:
    """The URI of a Content-Location field, given its raw value. Never fails."""
    if _PLAIN.fullmatch(value) is not None and value.find(b"=?") < 0 and value[3:4] != b":":
        return LocationLabel(value, value.decode("ascii"))
    faults: list[tuple[str, int]] = []
    start, end = _bounds(value)
    end = _before_note(value, start, end, faults)
    end = _before_comment(value, start, end)
    decoding = _Decoding(faults)
    decoding.value(value[start:end], start)
    octets, text = b"".join(decoding.octets), "".join(decoding.text)
    if not octets:
        faults.append(("label-empty", start))
    elif octets[:4].lower() == b"cid:":
        faults.append(("cl-cid", start))
    return LocationLabel(octets, text, tuple(faults))


def _bounds(value: bytes) -> tuple[int, int]:
    """Where the value begins and ends without white space and leading comments."""
    start, end = 0, len(value.rstrip(_SPACE))
    while True:
        start = _after_space(value, start, end)
        if value[start : start + 1] != b"(":
            return start, end
        after = _after_comment(value, start, end)
        if after is None or _after_space(value, after, end) == end:
            return start, end
        start = after


def _after_space(value: bytes, start: int, end: int) -> int:
    space = _SPACES.match(value, start, end)
    return start if space is None else space.end()


def _after_comment(value: bytes, start: int, end: int) -> int | None:
    """Where the comment that begins at `start` ends; None if it does not end."""
    depth = 0
    for token in _TOKENS.finditer(value, start, end):
        depth += {b"(": 1, b")": -1}.get(token[0], 0)
        if depth == 0:
            return token.end()
    return None


def _before_note(value: bytes, start: int, end: int, faults: list[tuple[str, int]]) -> int:
    """Where the URI ends if a note after a semicolon follows it."""
    for note in _NOTE.finditer(value, start, end):
        if note[2] is not None or b"\n" not in note[1]:
            faults.append(("label-note", note.end(1)))
            return note.start()
    return end


def _before_comment(value: bytes, start: int, end: int) -> int:
    """Where the URI ends if comments follow it; parentheses in a URI begin none."""
    if value[end - 1 : end] != b")":
        return end
    depth, candidate, after_space = 0, None, False
    for token in _TOKENS.finditer(value, start, end):
        text = token[0]
        space = text[:1] in b" \t\r\n"
        if text == b"(" and (depth or after_space or candidate is not None):
            candidate = token.start() if candidate is None else candidate
            depth += 1
        elif text == b")" and depth:
            depth -= 1
        elif not depth and not space:
            candidate = None
        after_space = space
    if candidate is None or depth:
        return end
    return start + len(value[start:candidate].rstrip(_SPACE))


class _Decoding:
    """The octets and the text of a label, as its tokens are decoded one after the other."""

    __slots__ = ("faults", "octets", "text")

    def __init__(self, faults: list[tuple[str, int]]) -> None:
        self.faults = faults
        self.octets: list[bytes] = []
        self.text: list[str] = []

    def value(self, value: bytes, start: int) -> None:
        """Take out folds, decode encoded words, and note what no URI may hold."""
        space, after_word = b"", False
        for token in _WORDS.finditer(value):
            if token[0][:1] in _SPACE:
                space = token[0]
                continue
            word = ENCODED_WORD.fullmatch(token[0])
            raw = space and b"\n" not in space and b"\r" not in space
            if raw and not (word and after_word):
                self.faults.append(("label-space", start + token.start() - len(space)))
                self._take(space, None)
            self._token(token[0], start + token.start())
            space, after_word = b"", word is not None

    def _token(self, token: bytes, offset: int) -> None:
        """Decode the encoded words of one token; normally it is one, or none is in it."""
        at = 0
        for word in ENCODED_WORD.finditer(token):
            charset = word[1].partition(b"*")[0].decode("ascii")
            if len(word[0]) < len(token):
                if _known(charset) is None and charset.lower() != "unknown-8bit":
                    continue
                self.faults.append(("label-words", offset + word.start()))
            self._plain(token[at : word.start()], offset + at)
            self._take(octets_of_word(word[2], word[3]), _known(charset))
            at = word.end()
        self._plain(token[at:], offset + at)

    def _plain(self, piece: bytes, offset: int) -> None:
        illegal = _ILLEGAL.search(piece)
        if illegal is not None:
            self.faults.append(("label-illegal", offset + illegal.start()))
        self._take(piece, None)

    def _take(self, octets: bytes, charset: Charset | None) -> None:
        self.octets.append(octets)
        self.text.append(_to_text(octets, charset))


def _known(label: str) -> Charset | None:
    """The charset that a label names, as MIME has it; None where it names none."""
    try:
        return charsets.resolve(label)
    except ParseError:
        return None


def _to_text(octets: bytes, charset: Charset | None) -> str:
    for codec in ("utf-8" if charset is None else charset.codec, "utf-8"):
        try:
            return charsets.incremental(codec, "strict").decode(octets, final=True)
        except UnicodeError:
            continue
    return octets.decode("latin-1")


def read_id(value: bytes) -> tuple[str, bool]:
    """A Content-ID or Message-ID without its angle brackets, and whether it had them."""
    inside = _IN_BRACKETS.search(value)
    inner = value if inside is None else inside[1]
    return inner.translate(None, _SPACE).decode("latin-1"), inside is not None


def write_location(uri: str, *, charset: str | None = None) -> str:
    """The value of a Content-Location field for `uri`.

    What a URI may not hold is put into encoded words, in `charset` if there are octets beyond
    ASCII, which is unknown-8bit where it is None (RFC 2557 §4.4.1). Long ones are folded after
    that (§4.4.2).
    """
    if _ILLEGAL_TEXT.search(uri) is None and _MISREAD.search(uri) is None:
        return fold_url(uri)
    octets, name = _octets(uri, charset)
    pieces = _pieces(uri, octets, name)
    return "\r\n ".join(encode_word(piece, name) for piece in pieces)


def _pieces(uri: str, octets: bytes, charset: str) -> list[bytes]:
    """Split what is to be encoded, between characters: a word holds whole ones (RFC 2047 §5)."""
    known = _known(charset)
    codec = (known and known.encoder) or "utf-8"
    pieces, piece = [], b""
    for character in uri:
        more = character.encode(codec, "replace")
        if len(piece) + len(more) > _WORD_OCTETS:
            pieces.append(piece)
            piece = b""
        piece += more
    pieces.append(piece)
    if b"".join(pieces) == octets:
        return pieces
    # A charset with shifts, or octets that are no text: only the octets count (RFC 2557 §4.4.1).
    return [octets[at : at + _WORD_OCTETS] for at in range(0, len(octets), _WORD_OCTETS)]


def _octets(uri: str, charset: str | None) -> tuple[bytes, str]:
    """The octets of a URI, and the name of the charset to declare for them."""
    if uri.isascii():
        return uri.encode("ascii"), "US-ASCII"
    known = _known(charset) if charset else None
    if known is not None and known.encoder is not None and charset is not None:
        try:
            octets = uri.encode(known.encoder)
        except UnicodeError:
            pass
        else:
            # UTF-16 and its like cannot stand in a heading: no ASCII in them.
            if b"\0" not in octets:
                return octets, charset
    try:
        octets = uri.encode("utf-8", "surrogateescape")
    except UnicodeError:  # half a character, which no octets stand for
        octets = uri.encode("utf-8", "replace")
    return octets, "utf-8" if charset else "unknown-8bit"


def fold_url(uri: str) -> str:
    """Split a long URL into words on lines of their own; none begins with what could be a note."""
    if len(uri) <= _UNFOLDED:
        return uri
    words, start = [], 0
    while start < len(uri):
        end = min(start + _URL_WORD, len(uri))
        while end < len(uri) and end > start + 1 and uri[end] in ";(":
            end -= 1
        words.append(uri[start:end])
        start = end
    return "\r\n " + "\r\n ".join(words)
