"""The glyphs of a PDF, by PDFium: their characters as it finds them, origins, advances and boxes.

What PDFium makes up (spaces and line ends that nobody drew) is left out, and so is its order of
words and blocks: rules of ours decide those. Scripts and actions are never run.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
from collections import deque
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from permacite.errors import LimitError, ParseError
from permacite.renditions.model import Notice
from permacite.renditions.pdf.glyphs import Document, Page
from permacite.renditions.pdf.library import library
from permacite.renditions.pdf.stated import stated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.renditions.model import Original
    from permacite.renditions.pdf.library import Library

__all__ = ["MOST_GLYPHS", "MOST_PAGES", "decode", "opened", "preload"]

MOST_PAGES = 20_000
MOST_GLYPHS = 50_000_000
_MOST_ON_A_PAGE = 2_000_000
_MOST_OBJECTS = 10_000
"""Among so many of a page a picture is looked for."""
_IMAGE = 3
_INVISIBLE = 3
_SPACE, _HYPHEN, _UNKNOWN = 0x20, 0x2D, 0xFFFD
_SURROGATES, _LAST = (0xD800, 0xE000), 0x10FFFF
_SIZE, _ANGLE, _SCALE, _HIDDEN, _ASCENT, _DESCENT, _FONT, _COLUMNS = range(8)
"""The columns of a manner in which glyphs are drawn."""
_SMALLEST, _LARGEST = 0.01, 1e5
"""What no eye sees, and no page holds."""
_TALLEST, _FLATTEST, _DEEPEST = 1.05, 0.2, 0.4
"""What fonts say beyond that, for one point of size, is not believed."""
_SAME = 0.01
_EQUAL = 0.0005
_FIRST_SHAPED = 0x590
_UNUSED = 0xF8F7
"""For private use: no font has it."""
_OFTEN, _ANOTHER, _ALIKE = 4, 0.08, 0.004
_SLANTED = 0.05
_HYPHENS = (0x02, 0xFFFE)
"""What PDFium gives for a hyphen at the end of a line, by builds."""
_PASSWORD, _SECURITY = 4, 5


def preload() -> None:
    """Load and start the library."""
    library()


@contextlib.contextmanager
def opened(content: Any) -> Iterator[tuple[Library, int]]:
    """Open octets: the library, and its handle of the document. Raises ParseError."""
    pdfium = library()
    octets = np.frombuffer(content, np.uint8)
    document = pdfium.FPDF_LoadMemDocument64(octets.ctypes.data, octets.size, None)
    if not document:
        fault = pdfium.FPDF_GetLastError()
        start = bytes(octets[:40]).decode("latin-1")
        if fault == _PASSWORD:
            raise ParseError("expected a PDF that opens without a password", start, 0)
        if fault == _SECURITY:
            raise ParseError("it is encrypted in a way that is not known here", start, 0)
        raise ParseError("expected a PDF, found none that can be read", start, 0)
    try:
        yield pdfium, document
    finally:
        pdfium.FPDF_CloseDocument(document)


def decode(original: Original) -> Document:
    """All glyphs, and what the document says of itself. Raises ParseError, LimitError."""
    with opened(original.content) as (pdfium, document):
        count = pdfium.FPDF_GetPageCount(document)
        if count > MOST_PAGES:
            raise LimitError("too many pages", limit="pages", maximum=MOST_PAGES)
        pages, notices, glyphs = [], [], 0
        damaged = []
        for index in range(count):
            page = _page(pdfium, document, index)
            if page is None:
                damaged.append(index + 1)
                continue
            glyphs += page.codes.size
            if glyphs > MOST_GLYPHS:
                raise LimitError("too many glyphs", limit="glyphs", maximum=MOST_GLYPHS)
            pages.append(page)
        if damaged:
            told = f"{len(damaged)} pages cannot be read, the first is number {damaged[0]}"
            notices.append(Notice("damaged-pages", told))
        notices += _notices(pdfium, document)
        title, claims = stated(pdfium, document, original.content)
        builds = {"pdfium": pdfium.build, "numpy": np.__version__}
        return Document(tuple(pages), title, claims, tuple(notices), builds)


def _notices(pdfium: Library, document: int) -> Iterator[Notice]:
    if pdfium.FPDF_GetSecurityHandlerRevision(document) >= 0:
        yield Notice("encrypted", "it is encrypted, and opens without a password")
    signatures = pdfium.FPDF_GetSignatureCount(document)
    if signatures > 0:
        yield Notice("signed", "it is signed; the signature was not checked")
    if pdfium.FPDFDoc_GetJavaScriptActionCount(document) > 0:
        yield Notice("scripts", "it has scripts, which were not run")
    if pdfium.FPDF_GetFormType(document) > 0:
        yield Notice("form", "it has a form; what its fields hold is no part of the text")
    attached = min(max(pdfium.FPDFDoc_GetAttachmentCount(document), 0), 100)
    names = []
    for index in range(attached):
        handle = pdfium.FPDFDoc_GetAttachment(document, index)
        names.append(pdfium.words("FPDFAttachment_GetName", handle)[:200] if handle else "")
    if names:
        yield Notice("attachments", "files are attached to it: " + ", ".join(filter(None, names)))


def _page(pdfium: Library, document: int, index: int) -> Page | None:
    handle = pdfium.FPDF_LoadPage(document, index)
    if not handle:
        return None
    try:
        text = pdfium.FPDFText_LoadPage(handle)
        if not text:
            return None
        try:
            label = pdfium.words("FPDF_GetPageLabel", document, index)[:100]
            return _Reader(pdfium, handle, text).page(index + 1, " ".join(label.split()))
        finally:
            pdfium.FPDFText_ClosePage(text)
    finally:
        pdfium.FPDF_ClosePage(handle)


class _Reader:
    """One open page."""

    def __init__(self, pdfium: Library, page: int, text: int) -> None:
        self._pdfium = pdfium
        self._handle = page
        self._text = text
        box = (ctypes.c_float * 4)()
        if not pdfium.FPDF_GetPageBoundingBox(page, ctypes.addressof(box)):
            box[:] = [0.0, 792.0, 612.0, 0.0]
        self._left, self._top, self._right, self._bottom = box
        self._turns = pdfium.FPDFPage_GetRotation(page) % 4

    def page(self, number: int, label: str) -> Page:
        count = min(self._pdfium.FPDFText_CountChars(self._text), _MOST_ON_A_PAGE)
        count = max(count, 0)
        numbers, codes = self._kept(count)
        origins, loose = self._places(numbers)
        manner, which = self._manners(numbers, origins, loose)
        advance = self._advances(numbers, codes, (origins, loose), (manner, which))
        size, direction, scale = manner[which, _SIZE], manner[which, _ANGLE], manner[which, _SCALE]
        width, height = self._right - self._left, self._top - self._bottom
        if self._turns % 2:
            width, height = height, width
        x, y = self._turned(origins[:, 0], origins[:, 1])
        angle = (np.rint(direction).astype(np.int64) + 90 * self._turns) % 360
        advance = np.where(scale > 0, advance, 0.0)
        above, below = manner[which, _ASCENT] * size, manner[which, _DESCENT] * size
        return Page(
            number,
            label,
            float(width),
            float(height),
            codes,
            x,
            y,
            advance,
            size,
            angle,
            _boxes((x, y), advance, angle, (above, below)),
            manner[which, _HIDDEN] != 0,
            self._has_pictures(count),
        )

    def _kept(self, count: int) -> tuple[Any, Any]:
        """The numbers of the glyphs that were drawn, and their characters."""
        text, pdfium = self._text, self._pdfium
        codes = np.fromiter(
            map(pdfium.FPDFText_GetUnicode, repeat(text), range(count)), np.uint32, count
        )
        for code in _HYPHENS:
            codes[codes == code] = _HYPHEN
        doubtful = np.flatnonzero((codes <= _SPACE) | (codes == _HYPHEN))
        made_up = np.fromiter(
            map(pdfium.FPDFText_IsGenerated, repeat(text), doubtful.tolist()),
            np.int8,
            doubtful.size,
        )
        kept = np.ones(count, np.bool_)
        kept[doubtful[made_up != 0]] = False
        kept &= (codes >= _SPACE) | (codes == 0)
        numbers = np.flatnonzero(kept)
        codes = codes[numbers]
        surrogate = (codes >= _SURROGATES[0]) & (codes < _SURROGATES[1])
        codes[surrogate | (codes == 0) | (codes > _LAST)] = _UNKNOWN
        return numbers, codes

    def _places(self, numbers: Any) -> tuple[Any, Any]:
        """Of each glyph its origin, and its box."""
        text, pdfium, count = self._text, self._pdfium, numbers.size
        listed = numbers.tolist()
        origins = np.zeros((count, 2), np.float64)
        begin = origins.ctypes.data
        each_x = range(begin, begin + 16 * count, 16)
        each_y = range(begin + 8, begin + 8 + 16 * count, 16)
        deque(map(pdfium.FPDFText_GetCharOrigin, repeat(text), listed, each_x, each_y), maxlen=0)
        boxes = np.zeros((count, 4), np.float32)
        begin = boxes.ctypes.data
        each = range(begin, begin + 16 * count, 16)
        deque(map(pdfium.FPDFText_GetLooseCharBox, repeat(text), listed, each), maxlen=0)
        wild = ~np.isfinite(origins).all(axis=1) | ~np.isfinite(boxes).all(axis=1)
        origins[wild], boxes[wild] = 0, 0
        np.clip(origins, -1e6, 1e6, out=origins)
        return origins, np.clip(boxes, -1e6, 1e6).astype(np.float64)

    def _manners(self, numbers: Any, origins: Any, loose: Any) -> tuple[Any, Any]:
        """How glyphs are drawn: a row for each manner, and of each glyph the number of its row.

        All glyphs of one object of the page are drawn in one manner. Builds that do not tell their
        objects are asked for the first glyph of each stretch on one line in one font.
        """
        if not numbers.size:
            return np.zeros((1, _COLUMNS)), np.zeros(0, np.int64)
        pdfium, _text = self._pdfium, self._text
        if pdfium.has("FPDFText_GetTextObject"):
            drawn = np.fromiter(
                map(self._object, numbers.tolist()),
                np.int64,
                numbers.size,
            )
            _, firsts, which = np.unique(drawn, return_index=True, return_inverse=True)
            handles = drawn[firsts].tolist()
        else:
            same = np.zeros(numbers.size, np.bool_)
            same[1:] = (
                (np.abs(np.diff(origins[:, 1])) < _SAME)
                & (np.abs(np.diff(loose[:, 1])) < _SAME)
                & (np.abs(np.diff(loose[:, 3])) < _SAME)
            )
            firsts = np.flatnonzero(~same)
            which = np.cumsum(~same) - 1
            handles = [0] * firsts.size
        rows = [
            self._manner(int(numbers[first]), origins[first], loose[first], handle)
            for first, handle in zip(firsts.tolist(), handles, strict=True)
        ]
        return np.array(rows, np.float64), which

    def _object(self, number: int) -> int:
        return self._pdfium.FPDFText_GetTextObject(self._text, number) or 0

    def _manner(self, number: int, origin: Any, loose: Any, drawn: int) -> tuple[float, ...]:
        pdfium = self._pdfium
        matrix = (ctypes.c_float * 6)()
        tall = float(pdfium.FPDFText_GetFontSize(self._text, number))
        pdfium.FPDFText_GetMatrix(self._text, number, ctypes.addressof(matrix))
        a, b, c, d = matrix[:4]
        size = abs(tall) * math.hypot(c, d)
        scale = abs(tall) * math.hypot(a, b)
        if not (_SMALLEST < size < _LARGEST and 0 <= scale < _LARGEST):
            size = scale = 1.0
        direction = -math.degrees(math.atan2(b, a)) + (180 if tall < 0 else 0)
        hidden, font, ascent, descent = False, 0, 0.0, 0.0
        if drawn:
            hidden = pdfium.FPDFTextObj_GetTextRenderMode(drawn) == _INVISIBLE
            font = pdfium.FPDFTextObj_GetFont(drawn) or 0
        if font:
            ascent = self._measured("FPDFFont_GetAscent", font, 1.0)
            descent = self._measured("FPDFFont_GetDescent", font, 1.0)
            if ascent == descent:  # a font of drawings (type 3), whose widths cannot be asked for
                font = 0
        elif direction == 0:
            ascent = float(loose[3] - origin[1]) / size
            descent = float(loose[1] - origin[1]) / size
        if not _FLATTEST < ascent <= _TALLEST:
            ascent = 0.75 if ascent <= _TALLEST else _TALLEST
        if not -_DEEPEST <= descent <= 0:
            descent = -0.25 if descent > 0 else -_DEEPEST
        return (size, direction, scale, float(hidden), ascent, descent, float(font))

    def _measured(self, name: str, font: int, *arguments: object) -> float:
        """What a function writes of a font; 0 where it does not know."""
        value = ctypes.c_float()
        known = getattr(self._pdfium, name)(font, *arguments, ctypes.addressof(value))
        return value.value if known and math.isfinite(value.value) else 0.0

    def _advances(
        self, numbers: Any, codes: Any, places: tuple[Any, Any], drawn: tuple[Any, Any]
    ) -> Any:
        """How far the next glyph stands from each.

        The loose box of a glyph reaches so far, or as far as its ink does. Where ink hangs over,
        the font is asked, once for each of its glyphs on the page.
        """
        (origins, loose), (manner, which) = places, drawn
        turned = np.radians(manner[which, _ANGLE])
        right, up = np.cos(turned), -np.sin(turned)
        spans = (loose - np.tile(origins, 2)) * np.tile(np.stack((right, up), axis=1), 2)
        upright = np.abs(right) > np.abs(up)
        reach = np.where(
            upright, np.maximum(spans[:, 0], spans[:, 2]), np.maximum(spans[:, 1], spans[:, 3])
        )
        size = manner[which, _SIZE]
        oblique = np.minimum(np.abs(right), np.abs(up)) > _SLANTED
        pieces = np.zeros(numbers.size + 1, np.bool_)  # of one glyph, which is as wide as all
        pieces[1:-1] = (np.abs(np.diff(origins, axis=0)) < _EQUAL).all(axis=1)
        for step in (slice(None), slice(None, None, -1)):  # a first piece is shown as half of it
            last, joined = reach[step], (pieces[1:-1])[step]
            last[1:] = np.where(joined, np.maximum(last[1:], last[:-1]), last[1:])
        if not manner[:, _FONT].any():
            return np.where(oblique, np.minimum(reach, 0.6 * size), reach)
        # The same piece of one font, as wide: one is asked for all.
        fonts = np.unique(manner[:, _FONT], return_inverse=True)[1][which].astype(np.int64)
        share = np.clip(np.rint(reach / size * 1000), 0, (1 << 20) - 1).astype(np.int64)
        shapes = (fonts << 41) | (codes.astype(np.int64) << 20) | share
        _, firsts, group = np.unique(shapes, return_index=True, return_inverse=True)
        exact = np.zeros(firsts.size)
        tight = (ctypes.c_double * 4)()
        at = [ctypes.addressof(tight) + 8 * index for index in range(4)]
        for place, first in enumerate(firsts.tolist()):
            number, row = int(numbers[first]), manner[which[first]]
            if row[_SCALE] <= 0 or not row[_FONT]:
                continue
            self._pdfium.FPDFText_GetCharBox(self._text, number, *at)
            ends = (tight[0], tight[1]) if upright[first] else (tight[2], tight[3])
            along = 0 if upright[first] else 1
            sign = (right if upright[first] else up)[first]
            ink = max((end - origins[first, along]) * sign for end in ends)
            # Glyphs of other scripts change with their neighbours; a font tells the width of one.
            known = codes[first] < _FIRST_SHAPED and chr(codes[first]).isalpha()
            if known and ink >= reach[first] - _EQUAL * size[first]:
                exact[place] = self._width(int(row[_FONT]), int(codes[first]))
                exact[place] *= row[_SCALE] / size[first]
        known = self._believed(exact, group, (origins, size, which)) * size
        known[pieces[1:] | pieces[:-1]] = 0
        advance = np.where((known > 0) & (known < reach), known, reach)
        return np.where(oblique, np.minimum(advance, 0.6 * size), advance)

    def _width(self, font: int, code: int) -> float:
        """The advance of a character for one point; 0 where the font does not know it."""
        width, unknown = (
            self._measured("FPDFFont_GetGlyphWidth", font, each, 1.0) for each in (code, _UNUSED)
        )
        return 0.0 if width == unknown else width

    @staticmethod
    def _believed(exact: Any, group: Any, places: tuple[Any, Any, Any]) -> Any:
        """The advance that its font gives each glyph, unless the glyphs behind it say otherwise.

        A font is asked by characters, of which two of its glyphs may be one. Where what follows
        always stands further away, and often enough, the font meant another glyph.
        """
        origins, size, which = places
        nearest = np.full(exact.size, np.inf)
        steps = np.hypot(*np.diff(origins, axis=0).T) / size[:-1]
        within = which[1:] == which[:-1]
        np.minimum.at(nearest, group[:-1][within], steps[within])
        each = group[:-1][within]
        often = np.bincount(each, minlength=exact.size)
        close = steps[within] < nearest[each] + _ALIKE
        alike = np.bincount(each, weights=close, minlength=exact.size)
        wrong = (often >= _OFTEN) & (alike > 0.7 * often) & (nearest > exact + _ANOTHER)
        return np.where(wrong, 0.0, exact)[group]

    def _turned(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Places on the page as it is shown."""
        right, down = x - self._left, self._top - y
        width, height = self._right - self._left, self._top - self._bottom
        if self._turns == 1:
            return height - down, right
        if self._turns == 2:  # noqa: PLR2004 - upside down
            return width - right, height - down
        if self._turns == 3:  # noqa: PLR2004 - to the left
            return down, width - right
        return right, down

    def _has_pictures(self, glyphs: int) -> bool:
        """Whether there is a picture, looked for where there are few words."""
        if glyphs > 100:  # noqa: PLR2004 - words enough
            return False
        pdfium = self._pdfium
        count = min(pdfium.FPDFPage_CountObjects(self._handle), _MOST_OBJECTS)
        objects = (pdfium.FPDFPage_GetObject(self._handle, index) for index in range(count))
        return any(each and pdfium.FPDFPageObj_GetType(each) == _IMAGE for each in objects)


def _boxes(origin: tuple[Any, Any], advance: Any, angle: Any, reach: tuple[Any, Any]) -> Any:
    """The box of each glyph: its advance along its line, what its font takes above and below."""
    turned = np.radians(angle)
    right, down = np.cos(turned), np.sin(turned)
    x, y = origin
    corners = [
        (x + along * right + across * down, y + along * down - across * right)
        for along in (0.0, advance)
        for across in reach
    ]
    return np.stack(
        [
            np.min([corner[0] for corner in corners], axis=0),
            np.min([corner[1] for corner in corners], axis=0),
            np.max([corner[0] for corner in corners], axis=0),
            np.max([corner[1] for corner in corners], axis=0),
        ],
        axis=1,
    )
