"""The work of those who draw pages of PDFs: parts as PNG without loss, previews as WebP."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from permacite.errors import ParseError, PermaciteError
from permacite.extract.excerpt import digest_of
from permacite.extract.media import decoders
from permacite.media_types import PDF
from permacite.pdi import PagePlace, parse_specifier
from permacite.renditions import drawing

if TYPE_CHECKING:
    from permacite.extract.media.decoders import Octets
    from permacite.renditions.drawing import Drawn

__all__ = ["preload", "work"]

_QUALITY, _EFFORT = 82, 1
_TRIAL = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>
endobj
4 0 obj<</Length 22>>stream
BT/F 9 Tf 2 2 Td(A)Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
"""


def preload() -> None:
    """Import all that drawing can need, by drawing a page both ways. Raises PermaciteError."""
    images = decoders.load("PIL.Image")
    decoders.load("PIL.PngImagePlugin")
    decoders.load("PIL.WebPImagePlugin")
    for preview in (False, True):
        _, octets = work(_TRIAL, {"fragment": "page=1", "preview": preview}, b"")
        with images.open(io.BytesIO(octets)) as picture:
            if picture.convert("L").getextrema()[0] > 99:  # noqa: PLR2004 - a letter is dark
                raise PermaciteError("PDFium does not draw the page that it is tried with")


def work(content: Octets, words: dict[str, object], _: bytes) -> tuple[dict[str, object], bytes]:
    """Draw what a fragment names: what is said of an excerpt, and the picture.

    Or measure a page, where its number is asked for alone.
    """
    number = words.get("measure")
    if isinstance(number, int):
        return {"measured": drawing.measure(content, number)}, b""
    fragment = str(words["fragment"])
    found = parse_specifier(fragment, PDF)
    place = PagePlace.of(found.scheme, found.positions)
    if place is None:
        raise ParseError("expected a page of a PDF, or an area of it", fragment, 0, "RFC 8118 §3")
    if place.area is not None and 0 in place.area[2:]:
        raise decoders.empty(fragment, fragment.find("=") + 1)
    drawn = drawing.draw(content, place, decoders.admit)
    preview = words.get("preview") is True
    said: dict[str, object] = {
        "media_type": "image/webp" if preview else "image/png",
        "digest": digest_of(f"bgrx8-pdfium{drawn.build}", drawn.pixels.tobytes()),
        "clipped": drawn.clipped,
        "damaged": False,
    }
    return said, _written(drawn, preview=preview)


def _written(drawn: Drawn, *, preview: bool) -> bytes:
    """The picture as a file."""
    images = decoders.load("PIL.Image")
    size = drawn.width, drawn.height
    picture = images.frombuffer("RGB", size, drawn.pixels, "raw", "BGRX", 0, 1)
    target = io.BytesIO()
    if preview:
        picture.save(target, "WEBP", quality=_QUALITY, method=_EFFORT)
    else:
        picture.save(target, "PNG", compress_level=_EFFORT)
    return target.getvalue()
