"""Kinds of workers: what each imports before it is confined, what it does, and its limits.

A kind is a row here. Its `load` imports all that its work can need, fonts and models included,
since nothing can be opened later; it returns the work itself.
"""

from __future__ import annotations

import ctypes
import io
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from permacite.errors import ParseError, PermaciteError
from permacite.lazy_dataclass import dataclass
from permacite.media_types import PDF
from permacite.pdi import PagePlace, parse_specifier

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.extract.media.decoders import Octets
    from permacite.renditions import Rendered
    from permacite.renditions.drawing import DrawnPage

__all__ = ["KINDS", "Kind", "Work"]

_DARK = 99
"""The darkest pixel of a page with a letter is darker."""
Work: TypeAlias = "Callable[[Octets, dict[str, object], bytes], tuple[dict[str, object], bytes]]"
"""From octets, words that say what is wanted, and octets that go along, to words and octets.

It raises errors of ours.
"""

_MIB = 1 << 20
_QUALITY, _EFFORT = 82, 1
_TRIAL_PAGE = b"""%PDF-1.4
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


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind. Memory is counted beyond what is in use once all is loaded.

    `base_bytes`: what a job may take before it has asked for more. `cpu_s`: computing for one job.
    """

    name: str
    load: Callable[[], Work]
    base_bytes: int
    cpu_s: int


_CHARSETS = (
    "ISO6937 KSC_5601 GB2312 BIG5 UCS-2BE UTF-16 UTF-16LE "
    "ISO-8859-5 ISO-8859-6 ISO-8859-7 ISO-8859-8 ISO-8859-9 ISO-8859-10 ISO-8859-11 ISO-8859-13 "
    "ISO-8859-14 ISO-8859-15"
)
"""In which broadcasts, and others that FFmpeg reads, name themselves (ETSI EN 300 468 annex A)."""


def _media() -> Work:
    """Load what cuts parts out of pictures, sound and video."""
    from permacite.extract import extract
    from permacite.extract.media import decoders, seeking

    decoders.preload()
    _keep_charsets()

    def work(
        content: Octets, words: dict[str, object], index: bytes
    ) -> tuple[dict[str, object], bytes]:
        media_type, fragment = str(words["media_type"]), str(words["fragment"])
        known = seeking.Seeking(index)
        token = seeking.SEEKING.set(known)
        try:
            excerpt = extract(content, media_type, fragment, preview=words.get("preview") is True)
        finally:
            seeking.SEEKING.reset(token)
        said = asdict(excerpt)
        part = said.pop("data")
        return said | {"index_bytes": len(known.made)}, part + known.made

    return work


def _keep_charsets() -> None:
    """Have the system's library open what it reads these by: it would when a file names itself."""
    begin = getattr(ctypes.CDLL(None), "iconv_open", None)
    if begin is not None:  # else it is no part of the system's library, and opens nothing
        for name in _CHARSETS.split():
            begin(b"UTF-8", name.encode())


def _pdf() -> Work:
    """Load the renditions of PDFs, and what checks signatures."""
    from permacite.decoding import signatures

    signatures.preload()
    return _renditions("pdf", signatures.with_signatures)


def _renditions(kind: str, amended: Callable[[Rendered, Octets], Rendered] | None = None) -> Work:
    """Load the renditions that run in this kind of worker, and all charsets."""
    from permacite import charsets
    from permacite.renditions import Original, renditions
    from permacite.renditions.stored import pack

    charsets.preload()
    known = {str(each): each for each in renditions() if each.worker == kind}
    for rendition in known.values():
        if rendition.preload is not None:
            rendition.preload()

    def work(
        content: Octets, words: dict[str, object], _: bytes
    ) -> tuple[dict[str, object], bytes]:
        rendition = known[str(words["rendition"])]
        codec = words.get("codec")
        original = Original(
            content, str(words["media_type"]), codec if isinstance(codec, str) else None
        )
        rendered = rendition(original)
        if amended is not None:
            rendered = amended(rendered, content)
        return pack(rendered, str(rendition))

    return work


def _pages() -> Work:
    """Load what draws pages of PDFs: parts as PNG without loss, previews as WebP."""
    _preload_pages()
    return _draw


def _preload_pages() -> None:
    """Import all that drawing can need, by drawing a page both ways. Raises PermaciteError."""
    from permacite.extract.media import decoders

    images = decoders.load("PIL.Image")
    decoders.load("PIL.PngImagePlugin")
    decoders.load("PIL.WebPImagePlugin")
    for preview in (False, True):
        _, octets = _draw(_TRIAL_PAGE, {"fragment": "page=1", "preview": preview}, b"")
        with images.open(io.BytesIO(octets)) as picture:
            if picture.convert("L").getextrema()[0] > _DARK:
                raise PermaciteError("PDFium does not draw the page that it is tried with")


def _draw(content: Octets, words: dict[str, object], _: bytes) -> tuple[dict[str, object], bytes]:
    """Draw what a fragment names: the fields of an excerpt, and the picture.

    Or measure a page, if only its number is given.
    """
    from permacite.extract.media import decoders
    from permacite.extract.text import digest_of
    from permacite.renditions import drawing

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
    answer: dict[str, object] = {
        "media_type": "image/webp" if preview else "image/png",
        "digest": digest_of(f"bgrx8-pdfium{drawn.build}", drawn.pixels.tobytes()),
        "clipped": drawn.clipped,
        "damaged": False,
    }
    return answer, _picture_file(drawn, preview=preview)


def _picture_file(drawn: DrawnPage, *, preview: bool) -> bytes:
    """The picture as a file."""
    from permacite.extract.media import decoders

    images = decoders.load("PIL.Image")
    size = drawn.width, drawn.height
    picture = images.frombuffer("RGB", size, drawn.pixels, "raw", "BGRX", 0, 1)
    target = io.BytesIO()
    if preview:
        picture.save(target, "WEBP", quality=_QUALITY, method=_EFFORT)
    else:
        picture.save(target, "PNG", compress_level=_EFFORT)
    return target.getvalue()


KINDS = {
    kind.name: kind
    for kind in [
        Kind("media", _media, base_bytes=384 * _MIB, cpu_s=60),
        Kind("documents", partial(_renditions, "documents"), base_bytes=1024 * _MIB, cpu_s=60),
        Kind("pages", _pages, base_bytes=1024 * _MIB, cpu_s=30),
        Kind("pdf", _pdf, base_bytes=2048 * _MIB, cpu_s=120),
    ]
}
