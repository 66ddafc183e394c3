"""Structured fields of mail: what they have beyond those of HTTP (see `permacite.media_types`).

    RFC 822 §3.3 comment -> without_comments        RFC 2045 §5.1 content -> parse_structured
    RFC 2231 §3 continuations, §4 charsets -> _joined

Deviations: of a parameter given twice the first counts.
Readings: white space may stand around the slash of a media type, as between any two tokens (§5.1).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from permacite import media_types
from permacite.charsets import codec_of, decode
from permacite.media_types import is_media_type, is_token
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["parse_structured", "quoted", "without_comments"]

_COMMENT_TOKEN = compile_pattern(r'[^\\()"]++|\\.?|[()"]', re.DOTALL)
_SECTION = compile_pattern(r"([^*]++)(?:\*([0-9]{1,4}))?(\*)?")
_ENCODED_OCTET = compile_pattern(rb"%([0-9A-Fa-f]{2})")


def without_comments(value: str) -> str:
    """A structured field's value without its comments, which may nest."""
    if "(" not in value:
        return value
    kept, depth, in_string = [], 0, False
    for piece in _COMMENT_TOKEN.findall(value):
        if piece == '"' and not depth:
            in_string = not in_string
        elif piece == "(" and not in_string:
            depth += 1
            continue
        elif piece == ")" and depth:
            depth -= 1
            continue
        if not depth:
            kept.append(piece)
    return "".join(kept)


def parse_structured(value: str) -> tuple[str, dict[str, str]]:
    """The leading value in lower case, and the parameters by name in lower case.

    `text/HTML; Charset="utf-8"` gives ("text/html", {"charset": "utf-8"}).
    """
    if is_media_type(value):  # the most frequent by far
        return value.lower(), {}
    bare = without_comments(value)
    first: dict[str, str] = {}
    for name, text in media_types.parameters(bare):
        first.setdefault(name, text)
    return re.sub(r"\s+", "", media_types.essence(bare)), _joined(first)


def _joined(values: dict[str, str]) -> dict[str, str]:
    """Put continued and encoded parameters together (RFC 2231 §3, §4)."""
    if not any("*" in name for name in values):
        return values
    result = {name: text for name, text in values.items() if "*" not in name}
    sections: dict[str, dict[int, tuple[bool, str]]] = {}
    for name, text in values.items():
        match = _SECTION.fullmatch(name)
        if match is not None and "*" in name:
            sections.setdefault(match[1], {})[int(match[2] or 0)] = (match[3] is not None, text)
    for name, parts in sections.items():
        result.setdefault(name, _section_text(parts))
    return result


def _section_text(parts: Mapping[int, tuple[bool, str]]) -> str:
    """Join sections 0, 1, 2... up to the first gap, and decode what is encoded."""
    charset, octets = "utf-8", []
    for number in range(len(parts)):
        if number not in parts:
            break
        encoded, text = parts[number]
        if encoded and number == 0 and text.count("'") > 1:  # charset'language'
            charset, _, text = text.split("'", 2)
        raw = text.encode("utf-8", "surrogateescape")
        if encoded:
            raw = _ENCODED_OCTET.sub(lambda octet: bytes([int(octet[1], 16)]), raw)
        octets.append(raw)
    joined = b"".join(octets)
    return decode(joined, codec_of(charset or "utf-8") or "windows-1252", keep_mark=True)


def quoted(value: str) -> str:
    """A parameter's value, in quotes unless it is a token."""
    if is_token(value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
