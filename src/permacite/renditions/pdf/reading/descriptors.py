"""What the fonts of a file say of their heights, read from its octets.

PDFium measures the letters of a font that says 0, or its box, and does not tell that it did. The
descriptors of fonts (ISO 32000-1, 9.8) stand in the file as they are, or in streams of objects
(7.5.7), which are unpacked. Those of encrypted streams are not read.
"""

from __future__ import annotations

import zlib
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Said", "said_heights"]

Said: TypeAlias = tuple[int, int]
"""Ascent and descent, in thousandths; the descent is 0 or less, but for those of up to 10."""

_KIND, _PACKED = b"/FontDescriptor", b"/ObjStm"
_ASCENT, _DESCENT = (
    compile_pattern(rb"/" + name + rb"\s++(-?+[0-9]{1,9})(?![0-9]|\s++[0-9]++\s++R)")
    for name in (b"Ascent", b"Descent")
)
_FIRST = compile_pattern(rb"/First\s++([0-9]{1,9})")
_LONGEST = 4000
"""So far from its kind an entry of a descriptor is looked for."""
_MOST, _MOST_UNPACKED = 100_000, 1 << 28
_UPSIDE_DOWN = 10


def said_heights(content: Any) -> frozenset[Said]:
    """The ascents and descents that fonts say, as PDFium has them where it measures nothing."""
    return frozenset(map(_said, islice(_descriptors(content), _MOST)))


def _said(descriptor: bytes) -> Said:
    ascent, descent = (
        int(found[1]) if (found := each.search(descriptor)) is not None else 0
        for each in (_ASCENT, _DESCENT)
    )
    return ascent, -descent if descent > _UPSIDE_DOWN else descent


def _descriptors(content: Any) -> Iterator[bytes]:
    """The octets of each object that is the descriptor of a font, or holds one."""
    for place in _places(content, _KIND):
        if _is_kind(content, place):
            start = content.rfind(b"obj", max(place - _LONGEST, 0), place)
            end = content.find(b"endobj", place, place + _LONGEST)
            start = start if start >= 0 else max(place - _LONGEST, 0)
            yield bytes(content[start : end if end >= 0 else place + _LONGEST])
    left = _MOST_UNPACKED
    for place in _places(content, _PACKED):
        plain, first = _unpacked(content, place, left)
        left -= len(plain)
        if any(_is_kind(plain, kind) for kind in _places(plain, _KIND)):
            yield from (each for each in _objects(plain, first) if _KIND in each)


def _places(content: Any, word: bytes) -> Iterator[int]:
    place = content.find(word)
    while place >= 0:
        yield place
        place = content.find(word, place + len(word))


def _is_kind(content: Any, place: int) -> bool:
    """Whether what stands there is the kind of an object, and not the name of an entry."""
    return bool(bytes(content[max(place - 9, 0) : place]).rstrip().endswith(b"/Type"))


def _unpacked(content: Any, place: int, most: int) -> tuple[bytes, int]:
    """The stream of objects behind a place, and where its objects begin; b"" if it is not read."""
    start = content.find(b"stream", place, place + _LONGEST)
    head = bytes(content[max(place - _LONGEST, 0) : start])
    firsts = _FIRST.findall(head[head.rfind(b"obj", 0, min(place, _LONGEST)) :])
    end = content.find(b"endstream", start)
    if start < 0 or end < 0 or not firsts or most <= 0:
        return b"", 0
    start += len(b"stream")
    start += 2 if content[start : start + 2] == b"\r\n" else 1
    try:
        return zlib.decompressobj().decompress(content[start:end], most), int(firsts[-1])
    except zlib.error:
        return b"", 0


def _objects(plain: bytes, first: int) -> Iterator[bytes]:
    """The objects of a stream, which begins with the number of each and where it begins."""
    head = plain[:first].split()
    if not all(each.isdigit() for each in head):
        return
    places = sorted(first + int(each) for each in head[1::2])
    yield from (plain[begin:end] for begin, end in pairwise([*places, len(plain)]))
