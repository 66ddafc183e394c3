"""Decoder of the glyphs of a PDF, by PDFium: characters, origins, advances, boxes, tags, metadata.

What PDFium makes up (spaces and line ends that nobody drew) is left out, and so is its order of
words and blocks: our rules decide those. Scripts and actions are never run. The tags of a page give
each marked content its block. Title, authors and identifiers come from the information dictionary,
and from the XMP packet if it is not compressed.
"""

from __future__ import annotations

import ctypes
from collections import deque
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from permacite.bibliography import Claim, Place
from permacite.errors import LimitError
from permacite.markup import EndTag, StartTag, Text, tokenize
from permacite.renditions.model import Notice
from permacite.renditions.pdf.advances import advances
from permacite.renditions.pdf.fonts import Fonts, said_heights
from permacite.renditions.pdf.library import opened
from permacite.renditions.pdf.pages import GlyphPage, PdfDocument, frame_of
from permacite.renditions.pdf.styles import (
    ANGLE,
    ASCENT,
    DESCENT,
    HIDDEN,
    SCALE,
    SIZE,
    GlyphStyles,
    Raw,
)
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.renditions.model import Original
    from permacite.renditions.pdf.library import PdfiumLibrary

__all__ = ["MOST_GLYPHS", "MOST_PAGES", "NO_BLOCK", "blocks_of", "decode", "page_of", "xmp_claims"]


NO_BLOCK = -1
_WITHIN = frozenset(
    {
        "Span",
        "Link",
        "Em",
        "Strong",
        "Sub",
        "Quote",
        "Code",
        "Reference",
        "Annot",
        "Ruby",
        "RB",
        "RT",
    }
    | {"RP", "Warichu", "WT", "WP", "Lbl", "LBody", "TR", "TH", "TD", "THead", "TBody", "TFoot"}
    | {"NonStruct", "Private"}
)
"""What stands in the lines of the block around it (ISO 32000-1, 14.8.4)."""
_WHOLE = frozenset({"Table", "LI", "TOCI", "Formula", "Figure", "P", "Caption"})
"""What is one block with all that it holds."""
_DEEPEST, _MOST = 60, 100_000


def blocks_of(pdfium: PdfiumLibrary, page: int) -> dict[int, int]:
    """Of each number of marked content the number of its block, in the order of the tags."""
    tree = pdfium.FPDF_StructTree_GetForPage(page)
    if not tree:
        return {}
    try:
        return _StructureWalk(pdfium).blocks(tree)
    finally:
        pdfium.FPDF_StructTree_Close(tree)


class _StructureWalk:
    """One way through a tree, from its root to its leaves; what is too deep or too much is left."""

    def __init__(self, pdfium: PdfiumLibrary) -> None:
        self._pdfium = pdfium
        self._found: dict[int, int] = {}
        self._block = 0
        self._left = _MOST

    def blocks(self, tree: int) -> dict[int, int]:
        """All blocks, or none where the tree is too large to be one."""
        count = self._pdfium.FPDF_StructTree_CountChildren(tree)
        for index in range(min(max(count, 0), self._left)):
            element = self._pdfium.FPDF_StructTree_GetChildAtIndex(tree, index)
            if element:
                self._element(element, 0, whole=False)
        return self._found if self._left > 0 else {}

    def _element(self, element: int, depth: int, *, whole: bool) -> None:
        pdfium = self._pdfium
        self._left -= 1
        if self._left <= 0 or depth > _DEEPEST:
            return
        kind = pdfium.words("FPDF_StructElement_GetType", element)
        begins = not whole and kind not in _WITHIN
        whole = whole or kind in _WHOLE
        self._block += begins
        count = pdfium.FPDF_StructElement_CountChildren(element)
        for index in range(min(max(count, 0), self._left)):
            content = pdfium.FPDF_StructElement_GetChildMarkedContentID(element, index)
            if content >= 0:
                self._found.setdefault(content, self._block)
                continue
            child = pdfium.FPDF_StructElement_GetChildAtIndex(element, index)
            if child:
                self._element(child, depth + 1, whole=whole)
        self._block += begins  # what follows in the element around it is a block of its own


_MOST_ON_A_PAGE = 2_000_000
_MOST_OBJECTS = 10_000
"""Among so many of a page a picture is looked for."""
_IMAGE = 3
_MOST_LINKS = 10_000
_OUTSIDE = (2, 4)
"""Actions that open another document (GoToR), or start a program (Launch)."""
_SPACE, _HYPHEN, _UNKNOWN = 0x20, 0x2D, 0xFFFD
_BLANKS = (0x09, 0x0A, 0x0D)
_HIGH, _LOW, _SURROGATES_END, _LAST = 0xD800, 0xDC00, 0xE000, 0x10FFFF
_HYPHENS = (0x02, 0xFFFE)
"""What PDFium gives for a hyphen at the end of a line, by builds."""
_FEW_WORDS = 100
_TAGGED = 0.8
"""So many of the glyphs of a page must be tagged, or its tags are not asked."""


def page_of(
    pdfium: PdfiumLibrary, document: int, index: int, *, tagged: bool, fonts: Fonts, acts: set[str]
) -> GlyphPage | None:
    """The page with that number, from 0; None where it cannot be read.

    `fonts` are those of the document. `acts` is given the files that its links would start or open.
    """
    handle = pdfium.FPDF_LoadPage(document, index)
    if not handle:
        return None
    try:
        acts.update(_acts_of(pdfium, handle))
        text = pdfium.FPDFText_LoadPage(handle)
        if not text:
            return None
        try:
            label = pdfium.words("FPDF_GetPageLabel", document, index)[:100]
            reader = _PageReader(pdfium, handle, text, fonts)
            return reader.page(index + 1, " ".join(label.split()), tagged=tagged)
        finally:
            pdfium.FPDFText_ClosePage(text)
    finally:
        pdfium.FPDF_ClosePage(handle)


def _acts_of(pdfium: PdfiumLibrary, page: int) -> Iterator[str]:
    """The files that the links of a page would start or open."""
    at, link = ctypes.c_int(0), ctypes.c_void_p()
    for _ in range(_MOST_LINKS):
        if not pdfium.FPDFLink_Enumerate(page, ctypes.addressof(at), ctypes.addressof(link)):
            return
        action = pdfium.FPDFLink_GetAction(link.value) if link.value else None
        if action and pdfium.FPDFAction_GetType(action) in _OUTSIDE:
            length = min(max(pdfium.FPDFAction_GetFilePath(action, None, 0), 1), 1 << 12)
            room = ctypes.create_string_buffer(length)
            pdfium.FPDFAction_GetFilePath(action, ctypes.addressof(room), length)
            name = " ".join(room.value.decode("utf-8", "replace").split())[:200]
            yield name or "one without a name"


class _PageReader:
    """One open page."""

    def __init__(self, pdfium: PdfiumLibrary, page: int, text: int, fonts: Fonts) -> None:
        self._pdfium = pdfium
        self._fonts = fonts
        self._handle = page
        self._text = text
        self._frame = frame_of(pdfium, page)

    def page(self, number: int, label: str, *, tagged: bool) -> GlyphPage:
        count = min(self._pdfium.FPDFText_CountChars(self._text), _MOST_ON_A_PAGE)
        count = max(count, 0)
        numbers, codes = self._kept(count)
        origins = self._origins(numbers)
        raw = Raw(self._handle, self._text, numbers, codes, origins)
        styles = GlyphStyles(self._pdfium, raw, self._fonts)
        advance = advances(self._pdfium, raw, styles)
        row = styles.rows[styles.which]
        size, scale = row[:, SIZE], row[:, SCALE]
        width, height = self._frame.size
        # Builds differ by a ten-thousandth.
        x, y = (np.round(each, 2) for each in self._frame.shown(*origins.T))
        angle = (np.rint(row[:, ANGLE]).astype(np.int64) + 90 * self._frame.turns) % 360
        advance = np.where(scale > 0, np.round(advance, 2), 0.0)
        return GlyphPage(
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
            _boxes((x, y), advance, angle, (row[:, ASCENT] * size, row[:, DESCENT] * size)),
            row[:, HIDDEN] != 0,
            self._blocks(styles) if tagged else np.full(numbers.size, NO_BLOCK, np.int64),
            self._has_pictures(count),
        )

    def _kept(self, count: int) -> tuple[Any, Any]:
        """The numbers of the glyphs that were drawn, and their characters."""
        codes = self._codes(count)
        for code in _HYPHENS:
            codes[codes == code] = _HYPHEN
        kept = ~np.isin(codes, _BLANKS)
        doubtful = np.flatnonzero((codes <= _SPACE) & kept)
        kept[doubtful[self._made_up(doubtful.tolist())]] = False
        high = np.flatnonzero((codes >= _HIGH) & (codes < _LOW))
        if high.size:  # characters beyond 16 bits come as two
            high = high[high + 1 < count]
            low = codes[high + 1]
            pair = (low >= _LOW) & (low < _SURROGATES_END)
            high, low = high[pair], low[pair]
            codes[high] = 0x10000 + ((codes[high] - _HIGH) << 10) + (low - _LOW)
            kept[high + 1] = False
        numbers = np.flatnonzero(kept)
        codes = codes[numbers]
        surrogate = (codes >= _HIGH) & (codes < _SURROGATES_END)
        codes[surrogate | (codes < _SPACE) | (codes > _LAST)] = _UNKNOWN
        return numbers, codes

    def _codes(self, count: int) -> Any:
        """All characters: at once, where none is missing from the text that PDFium has of them."""
        text, pdfium = self._text, self._pdfium
        last = count - 1
        if count and pdfium.FPDFText_GetTextIndexFromCharIndex(text, last) == last:
            room = np.zeros(count + 2, np.uint16)
            if pdfium.FPDFText_GetText(text, 0, count, room.ctypes.data) == count + 1:
                return room[:count].astype(np.uint32)
        asked = map(pdfium.FPDFText_GetUnicode, repeat(text), range(count))
        return np.fromiter(asked, np.uint32, count)

    def _made_up(self, numbers: list[int]) -> Any:
        """Which of these PDFium made up; it forgets of some that it did, but draws them nowhere."""
        text, pdfium, count = self._text, self._pdfium, len(numbers)
        asked = map(pdfium.FPDFText_IsGenerated, repeat(text), numbers)
        made_up = np.fromiter(asked, np.int8, count) != 0
        if pdfium.tells_objects:
            ask = pdfium.FPDFText_GetTextObject
            for index in np.flatnonzero(~made_up).tolist():
                made_up[index] = not ask(text, numbers[index])
        return made_up

    def _origins(self, numbers: Any) -> Any:
        """Of each glyph its origin."""
        count = numbers.size
        origins = np.zeros((count, 2), np.float64)
        begin = origins.ctypes.data
        each_x = range(begin, begin + 16 * count, 16)
        each_y = range(begin + 8, begin + 8 + 16 * count, 16)
        ask, listed = self._pdfium.FPDFText_GetCharOrigin, numbers.tolist()
        deque(map(ask, repeat(self._text), listed, each_x, each_y), maxlen=0)
        origins[~np.isfinite(origins).all(axis=1)] = 0
        return np.clip(origins, -1e6, 1e6)

    def _blocks(self, styles: GlyphStyles) -> Any:
        """Of each glyph the number of its block in the order of the tags."""
        none = np.full(styles.which.size, NO_BLOCK, np.int64)
        if not any(styles.handles):
            return none
        ask = self._pdfium.FPDFPageObj_GetMarkedContentID
        known = blocks_of(self._pdfium, self._handle)
        if len(set(known.values())) <= 1:  # one block has no order
            return none
        each = [
            known.get(ask(handle), NO_BLOCK) if handle else NO_BLOCK for handle in styles.handles
        ]
        blocks = np.array(each, np.int64)[styles.which]
        return blocks if (blocks != NO_BLOCK).mean() >= _TAGGED else none

    def _has_pictures(self, glyphs: int) -> bool:
        """Whether there is a picture, looked for where there are few words."""
        if glyphs > _FEW_WORDS:
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


_DOI = compile_pattern(r"\b10\.[0-9]{4,9}/[^\s\"<>]{1,200}")
_DATE = compile_pattern(r"D:([0-9]{4})([0-9]{2})?([0-9]{2})?")
_PACKET, _END = b"<x:xmpmeta", b"</x:xmpmeta>"
_LONGEST_PACKET = 1 << 20
_MOST_CLAIMS = 100
_LONGEST = 2000
_INFORMATION = {"Title": "title", "Author": "author", "CreationDate": "issued"}
_FIELDS = {
    "dc:title": "title",
    "dc:creator": "author",
    "dc:publisher": "publisher",
    "dc:language": "language",
    "prism:doi": "doi",
    "prism:issn": "issn",
    "prism:volume": "volume",
    "prism:publicationname": "container",
    "crossmark:doi": "doi",
    "pdfx:doi": "doi",
}


def _stated(
    pdfium: PdfiumLibrary, document: int, content: Any
) -> tuple[str | None, tuple[Claim, ...]]:
    """The title, and all that is stated, XMP first."""
    claims = list(xmp_claims(_packet(content)))
    for key, field in _INFORMATION.items():
        value = _line(pdfium.words("FPDF_GetMetaText", document, key.encode()))
        if field == "issued":
            value = _day(value)
        if value:
            claims.append(Claim(field, value, Place("PDF information", key)))
    if not any(claim.field == "doi" for claim in claims):
        for key in ("doi", "DOI", "Subject", "Keywords"):
            doi = _DOI.search(pdfium.words("FPDF_GetMetaText", document, key.encode()))
            if doi is not None:
                claims.append(Claim("doi", doi[0].rstrip(".,;)"), Place("PDF information", key)))
                break
    title = next((claim.value for claim in claims if claim.field == "title"), None)
    return title, tuple(claims)


def _packet(content: Any) -> str:
    """The XMP packet that stands last in the file, where it is not compressed; else ""."""
    start = content.rfind(_PACKET)
    end = content.find(_END, start) if start >= 0 else -1
    if end < 0 or end - start > _LONGEST_PACKET:
        return ""
    return bytes(content[start:end]).decode("utf-8", "replace")


def xmp_claims(packet: str) -> Iterator[Claim]:
    """What the packet states of the fields that a reference has."""
    path: list[str] = []
    count = 0
    for token in tokenize(packet, xml=True):
        if isinstance(token, StartTag):
            name = token.name.lower()
            for attribute in ("prism:doi", "pdfx:doi"):
                value = _line(token.get(attribute) or "")
                if value:
                    yield Claim("doi", value, Place("XMP", attribute))
            if not token.self_closing:
                path.append(name)
        elif isinstance(token, EndTag):
            if path:
                path.pop()
        elif isinstance(token, Text):
            within = next((name for name in reversed(path) if name in _FIELDS), None)
            value = _line(token.data)
            if within and value and count < _MOST_CLAIMS:
                count += 1
                yield Claim(_FIELDS[within], value, Place("XMP", within))


def _line(value: str) -> str:
    """The value on one line, and not too long."""
    shown = "".join(c if c.isprintable() else " " for c in value[:_LONGEST])
    return " ".join(shown.split())


def _day(value: str) -> str:
    parts = _DATE.match(value)
    return "-".join(part for part in parts.groups() if part) if parts is not None else ""


MOST_PAGES = 20_000
MOST_GLYPHS = 50_000_000
_LAUNCH = compile_pattern(rb"/S\s*/Launch\b")
_NAMED = 20


def decode(original: Original) -> PdfDocument:
    """All glyphs, and what the document says of itself. Raises ParseError, LimitError."""
    with opened(original.content) as (pdfium, document):
        count = pdfium.FPDF_GetPageCount(document)
        if count > MOST_PAGES:
            raise LimitError("too many pages", limit="pages", maximum=MOST_PAGES)
        pages, notices, glyphs = [], [], 0
        tagged = pdfium.FPDFCatalog_IsTagged(document) > 0
        damaged = []
        fonts, acts = Fonts(pdfium, said_heights(original.content)), set[str]()
        for index in range(count):
            page = page_of(pdfium, document, index, tagged=tagged, fonts=fonts, acts=acts)
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
        notices += _outside(original.content, sorted(acts))
        title, claims = _stated(pdfium, document, original.content)
        builds = {"pdfium": pdfium.build, "numpy": np.__version__}
        return PdfDocument(tuple(pages), title, claims, tuple(notices), builds)


def _outside(content: Any, files: list[str]) -> Iterator[Notice]:
    """What of it would reach out of it, were it followed."""
    if _LAUNCH.search(content) is not None:
        yield Notice("launch", "it has actions that would start programs, which were not followed")
    if files:
        more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
        yield Notice("outside", "links lead to other files: " + ", ".join(files[:_NAMED]) + more)


def _notices(pdfium: PdfiumLibrary, document: int) -> Iterator[Notice]:
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
