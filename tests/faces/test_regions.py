"""What is cited of pictures and sound is seen in a real browser."""

from __future__ import annotations

import io
import math
import struct
import wave
from typing import TYPE_CHECKING

import pytest
from PIL import Image
from tests.faces.sharing import archive, running
from tests.faces.test_reader import address

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page
    from tests.faces.conftest import Running

__all__ = ["archive", "running"]  # fixtures
pytestmark = pytest.mark.browser


def picture() -> bytes:
    """Return a picture of 600 by 400, stored upside down as cameras do, and bright in one part."""
    made = Image.new("RGB", (600, 400), (40, 60, 90))
    made.paste((240, 200, 40), (120, 80, 300, 180))
    exif = Image.Exif()
    exif[0x0112] = 3  # turned by 180 degrees
    kept = io.BytesIO()
    made.rotate(180).save(kept, "JPEG", exif=exif, quality=95)
    return kept.getvalue()


def sound() -> bytes:
    """Return two seconds of a tone."""
    kept = io.BytesIO()
    with wave.open(kept, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        samples = (int(8000 * math.sin(n / 3)) for n in range(16000))
        file.writeframes(b"".join(struct.pack("<h", sample) for sample in samples))
    return kept.getvalue()


def test_a_cited_rectangle_is_outlined_where_it_is(
    archive: Path, running: Running, page: Page, tmp_path: Path
) -> None:
    with Archive.open(archive) as service:
        name = service.add(picture(), name="harbour.jpg").pdi
    page.goto(address(running, f"{name}#rect=(120,80),(300,180)"))
    frame = page.frame_locator("#page")
    mark = frame.locator("mark#permacite-mark")
    mark.wait_for()
    box, whole = mark.bounding_box(), frame.locator("img").bounding_box()
    assert box is not None
    assert whole is not None
    assert (whole["width"], whole["height"]) == (600, 400)
    assert (box["x"] - whole["x"], box["y"] - whole["y"]) == (120, 80)
    assert (box["width"], box["height"]) == (180, 100)
    page.screenshot(path=tmp_path / "shown.png")
    shown = Image.open(tmp_path / "shown.png").convert("RGB")
    inside = shown.getpixel((int(box["x"]) + 90, int(box["y"]) + 50))
    outside = shown.getpixel((int(box["x"]) - 30, int(box["y"]) + 50))
    outline = shown.getpixel((int(box["x"]) - 2, int(box["y"]) + 50))
    assert isinstance(inside, tuple)
    assert isinstance(outside, tuple)
    assert isinstance(outline, tuple)
    assert inside[0] > 200, "the bright part, in the orientation in which it is displayed"
    assert max(outside) < 80, "the rest is dimmed"
    assert outline[0] > 150 > outline[1], "the outline is red"
    assert "rectangle from 120,80 to 300,180" in frame.locator("p").inner_text()


def test_a_player_begins_and_ends_where_it_is_cited(
    archive: Path, running: Running, page: Page
) -> None:
    with Archive.open(archive) as service:
        name = service.add(sound(), name="horn.wav").pdi
    page.goto(address(running, f"{name}#msec=500,1250"))
    frame = page.frame_locator("#page")
    player = frame.locator("audio")
    player.wait_for()
    handle = player.element_handle()
    assert handle is not None
    content = handle.content_frame() or handle.owner_frame()
    assert content is not None
    content.wait_for_function("player => player.currentTime === 0.5", arg=handle)
    assert frame.locator("mark#permacite-mark").inner_text() == "Cited: 0:00.5-0:01.25"
    assert handle.get_attribute("src").endswith("#t=0.5,1.25")  # type: ignore[union-attr]


def test_what_is_not_cited_is_not_marked(archive: Path, running: Running, page: Page) -> None:
    with Archive.open(archive) as service:
        name = service.add(picture(), name="harbour.jpg").pdi
    page.goto(f"{running.base}/{name}")
    frame = page.frame_locator("#page")
    frame.locator("img").wait_for()
    assert frame.locator("mark").count() == 0
