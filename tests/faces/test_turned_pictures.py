"""Pictures are turned as browsers turn them (PDI §3.4.5): by EXIF in JPEG and PNG, and not in WebP.

Chromium shows each picture, and is asked for the colours in the middle of its four quarters; what
is cut out of it must have the same ones at the same places.
"""

from __future__ import annotations

import base64
import io
import struct
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from permacite.extract import extract

if TYPE_CHECKING:
    from playwright.sync_api import Browser

images = pytest.importorskip("PIL.Image", reason="needs the media extra")

pytestmark = pytest.mark.browser

SIZE = (64, 32)
COLOURS = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)]
ASKED = """
async (address) => {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  const [width, height] = [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const places = [[1, 1], [3, 1], [1, 3], [3, 3]];
  return [width, height, ...places.map(([x, y]) =>
    [...context.getImageData(x * width / 4, y * height / 4, 1, 1).data].slice(0, 3))];
}
"""
XMP = (
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF '
    'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" '
    'xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6"/></rdf:RDF></x:xmpmeta>'
)


def exif(orientation: int) -> bytes:
    """EXIF that says nothing but how a picture is turned."""
    return struct.pack("<2sHIHHHIII", b"II", 42, 8, 1, 0x0112, 3, 1, orientation, 0)


def picture(kind: str, **options: Any) -> bytes:
    """A picture of four colours, one in each quarter."""
    made = images.new("RGB", SIZE)
    for colour, place in zip(COLOURS, [(0, 0), (32, 0), (0, 16), (32, 16)], strict=True):
        made.paste(colour, (*place, place[0] + 32, place[1] + 16))
    target = io.BytesIO()
    made.save(target, kind, **options)
    return target.getvalue()


def png_with_exif_behind(orientation: int) -> bytes:
    """A PNG whose eXIf chunk stands behind its pixels, where it may stand."""
    data = exif(orientation)
    body = b"eXIf" + data
    chunk = struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    return picture("PNG")[:-12] + chunk + picture("PNG")[-12:]


def exif_head(orientation: int) -> bytes:
    """EXIF as JPEG and WebP have it."""
    return b"Exif\0\0" + exif(orientation)


ROWS = [
    *[
        (f"jpeg-{turned}", picture("JPEG", exif=exif_head(turned), quality=95))
        for turned in range(1, 9)
    ],
    *[(f"png-{turned}", picture("PNG", exif=exif_head(turned))) for turned in range(1, 9)],
    ("png-behind-6", png_with_exif_behind(6)),
    ("webp-6", picture("WEBP", exif=exif_head(6), lossless=True)),
    ("webp-8", picture("WEBP", exif=exif_head(8), lossless=True)),
    ("avif-6", picture("AVIF", exif=exif_head(6), quality=95)),
    ("avif-5", picture("AVIF", exif=exif_head(5), quality=95)),
    ("avif-3", picture("AVIF", exif=exif_head(3), quality=95)),
    ("jpeg-by-xmp-6", picture("JPEG", xmp=XMP.encode(), quality=95)),
    ("webp-by-xmp-6", picture("WEBP", xmp=XMP.encode(), lossless=True)),
]


@pytest.mark.parametrize(
    ("name", "content"), ROWS, ids=[f"media-exif-browser-{name}" for name, _ in ROWS]
)
def test_a_picture_is_turned_as_the_browser_shows_it(
    browser: Browser, name: str, content: bytes
) -> None:
    kind = f"image/{name.partition('-')[0]}"
    page = browser.new_page()
    try:
        address = f"data:{kind};base64,{base64.b64encode(content).decode()}"
        width, height, *shown = page.evaluate(ASKED, address)
    finally:
        page.close()
    found = extract(content, kind, f"rect=(0,0),({width},{height})")
    assert not found.clipped
    with images.open(io.BytesIO(found.data)) as part:
        assert part.size == (width, height)
        places = [(x * width // 4, y * height // 4) for x, y in [(1, 1), (3, 1), (1, 3), (3, 3)]]
        cut = [part.convert("RGB").getpixel(place) for place in places]
    for there, here in zip(shown, cut, strict=True):
        assert max(abs(one - other) for one, other in zip(there, here, strict=True)) < 32, (
            shown,
            cut,
        )
