"""Fragments of plain text: parse both syntaxes, locate, index, and find a quote again."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from permacite.errors import LimitError, ParseError
from permacite.fragments import Index, Text, rfc5147, wilde00
from permacite.fragments.alignment.aligning import align
from permacite.fragments.alignment.passages import follow

if TYPE_CHECKING:
    from collections.abc import Callable

    Fragment = rfc5147.TextFragment | wilde00.TextFragment

SEEDS = [
    b"char=1,3;length=9,utf-8;md5=af80be2e6d697f29a9d85b87a4999206\x00utf-8\x00one\r\ntwo\rthree",
    b"line=,2;x=%2C\x00utf-16\x00\xff\xfeh\x00\xe9\x00\r\x00\n\x00=\xd8\x00\xde",
    b"char(2,9)line(1)match(a%5E()\x00shift_jis\x00\x95\\\r\n\x83\\ABC\r\xb1",
    b"match(^^[a-z]*)\x00iso-2022-jp\x00A\x1b$BF|K\\\x1b(B\r\nB",
    b"line=1,\x00cp037\x00\x81\x82\x15\x83\x0d\x25",
    b"char=0,99\x00utf-7\x00a+Ti1lhw-\r\n+-",
    b"char=7\x00gb18030\x00\x84\x31\x95\x33\xd6\xd0\x949\xfc6",
    b"char=1\x00utf-8\x00\xf0\x9f\x98\x80\xe4\xb8\xed\xa0\x80\xc2\x85",
]


def target(data: bytes) -> None:
    """`data`: a fragment, a charset and an entity, with zero bytes between."""
    fragment, charset, content = (*data.split(b"\0", 2), b"", b"")[:3]
    source = fragment.decode(errors="replace")
    _round_trip(rfc5147.parse, source)
    _round_trip(wilde00.parse, source)
    with suppress(ParseError, LimitError):
        text = Text(content, charset.decode("latin-1"), "all")
        _located(text, source)
        _indexed(content, text)
    words = content.decode(errors="replace")
    follow(align(words, words[1:4] + words[2:]), 3, 9)
    _loaded(data)


def _law(holds: bool, law: str) -> None:  # noqa: FBT001 - a statement and whether it is true
    """Raise for a law that does not hold."""
    if not holds:
        raise AssertionError(law)


def _round_trip(parse: Callable[[str], Fragment], source: str) -> None:
    try:
        parsed = parse(source)
    except ParseError as error:
        _law(0 <= error.offset <= len(source), "an error points into the text")
        return
    _law(str(parsed) == source, "what parses is given back")
    canonical = parsed.canonical()
    _law(parse(canonical).canonical() == canonical, "canonical forms are canonical")


def _located(text: Text, source: str) -> None:
    """Locate by either syntax; spans lie in the entity."""
    locations = [text.locate(source)]
    with suppress(ParseError, LimitError):
        locations.append(text.locate(wilde00.parse(source)))
    for location in locations:
        for span in location.spans:
            _law(0 <= span.byte[0] <= span.byte[1] <= text.source.size, "bytes are in bounds")
            _law(0 <= span.char[0] <= span.char[1] <= text.length, "characters are in bounds")


def _indexed(content: bytes, text: Text) -> None:
    """Build an index of small steps; places by it are those without."""
    index = Index.build(content, text.charset.label, "all", step_bytes=7)
    _law(index.end == text.end, "an index counts what a text counts")
    again = Text(content, text.charset.label, "all", index=Index.from_bytes(index.to_bytes()))
    for position in (1, 5, 9):
        same = again.place("char", position) == text.place("char", position)
        _law(same, "an index finds what a text finds")


def _loaded(data: bytes) -> None:
    """What is no index is refused."""
    with suppress(ParseError):
        Index.from_bytes(b"pcindex1" + data)
