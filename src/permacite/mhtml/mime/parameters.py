"""Structured fields: comments, media types and their parameters (RFC 822 §3.3, RFC 2045 §5.1).

    RFC 822 §3.3 comment -> without_comments        RFC 2045 §5.1 content -> parse_structured
    RFC 2231 §3 continuations, §4 charsets -> _joined

Deviations: an unquoted value may hold the specials that mailers write in it (`/`, `=`, `?`, `@`);
of a parameter given twice the first counts.
Readings: None.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from permacite.charsets import codec_of, decode
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["is_media_type", "is_token", "parse_structured", "quoted", "without_comments"]

_COMMENT_TOKEN = compile_pattern(r'[^\\()"]++|\\.?|[()"]', re.DOTALL)
_PARAMETER = compile_pattern(
    r';[ \t\r\n]*+([^\s=;"]++)[ \t\r\n]*+=[ \t\r\n]*+'
    r'(?:"((?:[^"\\]|\\.)*+)"?|([^;"]*+))[^;]*+',
    re.DOTALL,
)
_BARE = compile_pattern(r"[!#$%&*+\-.^_`|~0-9A-Za-z]++/[!#$%&*+\-.^_`|~0-9A-Za-z]++")
_ESCAPED = compile_pattern(r"\\(.)", re.DOTALL)
_SECTION = compile_pattern(r"([^*]++)(?:\*([0-9]{1,4}))?(\*)?")
_ENCODED_OCTET = compile_pattern(rb"%([0-9A-Fa-f]{2})")
_TOKEN = compile_pattern(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")


def is_media_type(text: str) -> bool:
    """Whether `text` is type "/" subtype, both tokens (RFC 2045 §5.1)."""
    major, _, minor = text.partition("/")
    return is_token(major) and is_token(minor)


def is_token(text: str) -> bool:
    """Whether `text` is a token (RFC 2045 §5.1)."""
    return _TOKEN.fullmatch(text) is not None


def without_comments(value: str) -> str:
    """Return a structured field's value without its comments, which may nest."""
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
    """Return the leading value in lower case, and the parameters by name in lower case.

    `text/HTML; Charset="utf-8"` gives ("text/html", {"charset": "utf-8"}).
    """
    if _BARE.fullmatch(value) is not None:  # the most frequent by far
        return value.lower(), {}
    bare = without_comments(value)
    head, _, _ = bare.partition(";")
    found: dict[str, str] = {}
    for name, text in _parameters(bare[len(head) :]):
        found.setdefault(name.lower(), text)
    return re.sub(r"\s+", "", head).lower(), _joined(found)


def _parameters(text: str) -> Iterator[tuple[str, str]]:
    for match in _PARAMETER.finditer(text):
        name, in_quotes, plain = match.groups()
        if in_quotes is not None:
            yield name, _ESCAPED.sub(r"\1", in_quotes)
        else:
            yield name, plain.strip()


def _joined(found: Mapping[str, str]) -> dict[str, str]:
    """Put continued and encoded parameters together (RFC 2231 §3, §4)."""
    if not any("*" in name for name in found):
        return dict(found)
    result = {name: text for name, text in found.items() if "*" not in name}
    sections: dict[str, dict[int, tuple[bool, str]]] = {}
    for name, text in found.items():
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
        if encoded and number == 0 and text.count("'") >= 2:  # noqa: PLR2004 - charset'language'
            charset, _, text = text.split("'", 2)
        raw = text.encode("utf-8", "surrogateescape")
        if encoded:
            raw = _ENCODED_OCTET.sub(lambda found: bytes([int(found[1], 16)]), raw)
        octets.append(raw)
    joined = b"".join(octets)
    return decode(joined, codec_of(charset or "utf-8") or "windows-1252", keep_mark=True)


def quoted(value: str) -> str:
    """Return a parameter's value, in quotes unless it is a token."""
    if _TOKEN.fullmatch(value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
