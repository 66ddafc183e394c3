"""Escapes of the PDI grammar, and foreign identifiers encapsulated in a unique-id.

Persistent Document Identifiers (draft-mallery-urn-pdi-00)

| section | function |
|---|---|
| §1.2.4 `other`, §1.2.5 reserved characters | UNIQUE_ID_CHARS, escaped |
| §2.4.1 encapsulation of foreign identifiers | encapsulate, decapsulate |
| §3.6.4 lexical equivalence, steps 1 and 2 | unescaped |

Deviations: none.

Readings:
- The octets that are escaped are those of UTF-8, with hexadecimal digits in lower case, and `%00`
  is refused (RFC 2141 §2.2, §2.4).
- A character that is neither reserved nor a URN character, such as `~` or `&`, stays escaped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.errors import ParseError
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    import re

__all__ = ["UNIQUE_ID_CHARS", "decapsulate", "encapsulate", "escaped", "unescaped"]

UNIQUE_ID_CHARS = r"(?:[A-Za-z0-9():;$_!'\-]++|%(?!00)[0-9A-Fa-f]{2})"
"""A regular expression for some of 1*( alpha / digit / other / "%" hex hex )."""

_ESCAPE = compile_pattern(r"%([0-9A-Fa-f]{2})")
_LITERAL = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789():;$_!'-")
_NOT_UNIQUE_ID = compile_pattern(r"[^A-Za-z0-9():;$_!'\-%]|%(?![0-9A-Fa-f]{2})|%00")


def escaped(text: str) -> str:
    """Write `text` in unique-id-chars: the octets of all others as `%hh` (PDI §1.2.5).

    Raises ParseError where the text holds U+0000, which no URN can, or half a surrogate pair.
    """
    for wrong, problem in ((_NUL, "U+0000 cannot be written in a URN"), (_SURROGATE, _HALF)):
        match = wrong.search(text)
        if match:
            raise ParseError(problem, text, match.start(), "RFC 2141 §2.4")
    if text.isascii():  # its characters are its octets
        return text.translate(_OCTETS)
    return "".join(_OCTETS[octet] for octet in text.encode())


def unescaped(text: str) -> str:
    """Undo needless escapes and write the others in lower case (PDI §3.6.4, steps 1 and 2)."""
    return _ESCAPE.sub(_shortest, text) if "%" in text else text


def encapsulate(foreign: str) -> str:
    """Return the unique-id that holds a foreign identifier (PDI §2.4.1).

    Any text but the empty one, such as a URI or an invoice number, in canonical form:
    `decapsulate` gives it back. Raises ParseError where a URN cannot hold the text.
    """
    if not foreign:
        raise ParseError("expected an identifier", foreign, 0, "PDI §2.4.1")
    return escaped(foreign)


def decapsulate(unique_id: str) -> str:
    """Return the foreign identifier in `unique_id` (PDI §2.4.1).

    Raises ParseError where `unique_id` is none, or its octets are not UTF-8.
    """
    wrong = _NOT_UNIQUE_ID.search(unique_id)
    if wrong or not unique_id:
        raise ParseError(
            "expected a unique-id", unique_id, wrong.start() if wrong else 0, "PDI §1.2.1"
        )
    pieces = _ESCAPE.split(unique_id)
    # The pieces alternate: text as it stands, the two digits of an escape, text, ...
    octets = b"".join(
        bytes([int(piece, 16)]) if index % 2 else piece.encode("ascii")
        for index, piece in enumerate(pieces)
    )
    try:
        return octets.decode()
    except UnicodeDecodeError as error:
        offset = _offset_of_octet(pieces, error.start)
        raise ParseError("expected UTF-8 octets", unique_id, offset, "RFC 2141 §2.2") from None


def _offset_of_octet(pieces: list[str], octet: int) -> int:
    """Return the offset in the unique-id at which the given decoded octet is written."""
    offset = 0
    for index, piece in enumerate(pieces):
        size = 1 if index % 2 else len(piece)
        if octet < size:
            return offset + octet
        octet -= size
        offset += 3 if index % 2 else len(piece)
    return offset


def _shortest(escape: re.Match[str]) -> str:
    octet = int(escape[1], 16)
    return chr(octet) if octet in _LITERAL else escape[0].lower()


_NUL = compile_pattern("\0")
_SURROGATE = compile_pattern("[\ud800-\udfff]")
_HALF = "half a surrogate pair is no character"
_OCTETS = tuple(chr(octet) if octet in _LITERAL else f"%{octet:02x}" for octet in range(256))
