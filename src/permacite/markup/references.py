"""Character references of HTML and XML: what `&amp;` and its kind mean.

HTML: Living Standard §13.2.5.72-80, by the names of §13.5 (a list the standard promises never to
change; the standard library carries it). XML 1.0 §4.1, §4.6.

Deviations: none for HTML. XML: names that only a DTD could declare are looked up among HTML's, as
browsers do for XHTML, and stay as they are written where they are not there. Nothing is expanded.

Readings: a reference to U+000D stays U+000D, while a CR in the source is a line end.
"""

from __future__ import annotations

import sys
from html.entities import html5
from typing import TYPE_CHECKING

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    import re

__all__ = ["REFERENCE", "decode", "decode_mapped", "resolve"]

_SURROGATES = range(0xD800, 0xE000)
REFERENCE = compile_pattern(
    r"&(?:#(?:[xX]([0-9a-fA-F]++)|([0-9]++));?+|([A-Za-z][A-Za-z0-9]*+);?+)"
)
"""Everything that may be a reference; `resolve` says whether it is one."""

_PLAIN = compile_pattern(r"&|\r|\x00")
_MAPPED = compile_pattern(rf"{REFERENCE.pattern}|\r\n?+|\x00")

_LEGACY = frozenset(name for name in html5 if not name.endswith(";"))
_LONGEST_LEGACY = max(map(len, _LEGACY))
_MAX_SIGNIFICANT = 7
"""Digits of the largest code point, in decimal; hexadecimal needs six."""

# What numbers in the C1 range meant to those who wrote windows-1252 (§13.2.5.80).
_C1 = dict(
    zip(
        (number for number in range(0x80, 0xA0) if number not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)),
        "\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d"
        "\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178",
        strict=True,
    )
)
_REPLACEMENT = "\ufffd"


def resolve(
    match: re.Match[str], *, attribute: bool = False, xml: bool = False
) -> tuple[str, int] | None:
    """What a match of REFERENCE stands for and the offset where the reference ends.

    None where it is no reference, but text. `attribute`: in an attribute value of HTML, where a
    name without semicolon before "=" or a letter or digit is text, as in `?a=1&copy=2`.
    """
    hexadecimal, decimal, name = match.group(1, 2, 3)
    if name is None:
        digits, base = (decimal, 10) if hexadecimal is None else (hexadecimal, 16)
        return _code_point(digits, base), match.end()
    closed = match.end() > match.end(3)
    if closed and f"{name};" in html5:
        return html5[f"{name};"], match.end()
    return None if xml else _legacy(match, name, attribute=attribute)


def _code_point(digits: str, base: int) -> str:
    """Numeric character reference end state (§13.2.5.80)."""
    digits = digits.lstrip("0")
    if len(digits) > _MAX_SIGNIFICANT:
        return _REPLACEMENT
    number = int(digits or "0", base)
    if number == 0 or number > sys.maxunicode or number in _SURROGATES:
        return _REPLACEMENT
    return _C1.get(number) or chr(number)


def _legacy(match: re.Match[str], name: str, *, attribute: bool) -> tuple[str, int] | None:
    """Return the longest name without semicolon that `name` starts with (§13.2.5.73)."""
    for length in range(min(len(name), _LONGEST_LEGACY), 1, -1):
        if name[:length] in _LEGACY:
            end = match.start(3) + length
            if attribute:
                following = match.string[end : end + 1]
                if following == "=" or (following.isascii() and following.isalnum()):
                    return None
            return html5[name[:length]], end
    return None


def decode(raw: str, *, attribute: bool = False, xml: bool = False, nul: str = "\ufffd") -> str:
    """Return `raw` with references resolved, line ends as LF, and U+0000 as `nul`."""
    if _PLAIN.search(raw) is None:
        return raw
    if "\r" in raw:
        raw = raw.replace("\r\n", "\n").replace("\r", "\n")
    if "\x00" in raw:
        raw = raw.replace("\x00", nul)

    def replace(match: re.Match[str]) -> str:
        resolved = resolve(match, attribute=attribute, xml=xml)
        if resolved is None:
            return match.group()
        value, end = resolved
        return value + raw[end : match.end()]

    return REFERENCE.sub(replace, raw) if "&" in raw else raw


def decode_mapped(
    raw: str, *, attribute: bool = False, xml: bool = False, references: bool = True
) -> tuple[str, list[int] | range]:
    """Return the decoded text, and for each of its offsets and its end the offset in `raw`.

    `references` False: only line ends and U+0000 are read, as in raw text.
    """
    if _PLAIN.search(raw) is None:
        return raw, range(len(raw) + 1)
    pieces: list[str] = []
    offsets: list[int] = []
    done = 0
    for match in _MAPPED.finditer(raw):
        value, end = _mapped_value(match, attribute=attribute, xml=xml, references=references)
        if value is None:
            continue
        pieces += raw[done : match.start()], value
        offsets += range(done, match.start())
        offsets += [match.start()] * len(value)
        done = end
    pieces.append(raw[done:])
    offsets += range(done, len(raw) + 1)
    return "".join(pieces), offsets


def _mapped_value(
    match: re.Match[str], *, attribute: bool, xml: bool, references: bool
) -> tuple[str | None, int]:
    """What a match of _MAPPED becomes and where it ends; None: nothing changes."""
    first = match.string[match.start()]
    if first != "&":
        return ("\n" if first == "\r" else _REPLACEMENT), match.end()
    resolved = resolve(match, attribute=attribute, xml=xml) if references else None
    return resolved or (None, match.end())
