"""Heights of the letters of fonts: from the descriptors of the file, from PDFium, or from boxes.

A font says how far its letters reach above and below the line. Some say nothing: 0, or PDFium has
measured A and g, as in all fonts of drawings (type 3), which have no name. Some give the height of
those letters that the file has, which may be less than the next letter needs.

PDFium measures the letters of a font that says 0, or its box, and does not report that it did. So
the descriptors of fonts (ISO 32000-1, 9.8) are read from the octets of the file, also in streams of
objects (7.5.7), which are unpacked. Those of encrypted streams are not read.
"""

from __future__ import annotations

import ctypes
import math
import zlib
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.renditions.pdf.library import PdfiumLibrary

__all__ = ["Fonts", "Heights", "Said", "heights_of", "measured", "said_heights"]


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
_MOST_FONTS, _MOST_UNPACKED = 100_000, 1 << 28
_UPSIDE_DOWN = 10


def said_heights(content: Any) -> frozenset[Said]:
    """The ascents and descents that fonts say, as PDFium has them where it measures nothing."""
    return frozenset(map(_said, islice(_descriptors(content), _MOST_FONTS)))


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
    """Whether it is the kind of an object, and not the name of an entry."""
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


_LEAST = 0.66, 0.17
"""What capitals and tails of nearly all letters take above and below, for one point of size."""
_OF_LETTERS = 0.85, 0.3
"""What others than A and g take, where these two are all that is known: less than most lines."""
_UNSAID = 0.95, 0.35
"""Where nothing is said: as poppler has it."""
_MOST = 1.3, 0.9
"""A font that says more says nothing: symbols say how far their largest braces reach."""
_STANDARD = {
    b"Courier": (0.629, 0.157),
    b"Helvetica": (0.718, 0.207),
    b"Symbol": (1.01, 0.293),
    b"Times": (0.683, 0.217),
    b"ZapfDingbats": (0.82, 0.143),
}
"""The standard fonts, which files need not hold, by Adobe's tables (AFM)."""
_NAME = 200


class Heights(NamedTuple):
    """How far a font says that it reaches, and what room its boxes have, for one point of size."""

    above: float
    below: float
    """Less than 0 below the line."""
    room_above: float
    room_below: float
    """More than 0, both."""


class Fonts:
    """The fonts of a document."""

    def __init__(self, pdfium: PdfiumLibrary, said: frozenset[Said]) -> None:
        """`said`: what they say of their heights, as the octets of the document have it."""
        self._pdfium, self._said = pdfium, said
        self._room = ctypes.create_string_buffer(_NAME)
        self._known: dict[tuple[bytes, float, float], Heights] = {}
        """By name and what is said: the handle of a font is another one on each page."""

    def heights(self, font: int) -> Heights:
        """The heights of a font of an open page."""
        pdfium = self._pdfium
        above = measured(pdfium, "FPDFFont_GetAscent", font, 1.0)
        below = measured(pdfium, "FPDFFont_GetDescent", font, 1.0)
        self._room.value = b""
        pdfium.FPDFFont_GetBaseFontName(font, ctypes.addressof(self._room), _NAME)
        key = self._room.value, above, below
        if key not in self._known:
            self._known[key] = self._heights(font, *key)
        return self._known[key]

    def _heights(self, font: int, name: bytes, above: float, below: float) -> Heights:
        standard = _STANDARD.get(name.partition(b"-")[0])
        if standard is not None and not self._pdfium.FPDFFont_GetIsEmbedded(font):
            return heights_of(above, below)._replace(
                room_above=max(standard[0], _LEAST[0]), room_below=max(standard[1], _LEAST[1])
            )
        said = round(1000 * above), round(1000 * below)
        if name and self._said and said not in self._said:
            return heights_of(0.0, 0.0)._replace(above=above, below=below)
        return heights_of(above, below, _LEAST if name else _OF_LETTERS)


def heights_of(above: float, below: float, least: tuple[float, float] = _LEAST) -> Heights:
    """The heights of a font of which no more is known, its rooms at least so high."""
    rooms = [
        max(abs(said), room) if 0 < abs(said) <= most else unsaid
        for said, room, most, unsaid in zip((above, below), least, _MOST, _UNSAID, strict=True)
    ]
    return Heights(above, below, *rooms)


def measured(pdfium: PdfiumLibrary, name: str, font: int, *arguments: object) -> float:
    """What a function writes of a font; 0 where it does not know."""
    value = ctypes.c_float()
    known = getattr(pdfium, name)(font, *arguments, ctypes.addressof(value))
    return value.value if known and math.isfinite(value.value) else 0.0
