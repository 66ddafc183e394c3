"""What became of cited regions, times and octets on the live page: it always has an answer."""

from __future__ import annotations

import io
import wave
from typing import TYPE_CHECKING, Any, cast

import pytest
from PIL import Image
from tests.archives import Archive
from tests.faces.test_regions import picture, sound
from tests.spec.test_extract_s3_4_media import film

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Site

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)


def painted(box: tuple[int, int, int, int], size: tuple[int, int] = (600, 400)) -> bytes:
    """Return a PNG with a bright part."""
    made = Image.new("RGB", size, (40, 60, 90))
    made.paste((240, 200, 40), box)
    kept = io.BytesIO()
    made.save(kept, "PNG")
    return kept.getvalue()


def shorter(seconds: float) -> bytes:
    """Return the beginning of the sound."""
    kept = io.BytesIO()
    with wave.open(io.BytesIO(sound())) as whole, wave.open(kept, "wb") as file:
        file.setparams(whole.getparams())
        file.writeframes(whole.readframes(int(seconds * 8000)))
    return kept.getvalue()


def kept_as(data: bytes, kind: str) -> bytes:
    """Return a picture in another format, without loss."""
    kept = io.BytesIO()
    Image.open(io.BytesIO(data)).save(kept, kind, lossless=True)
    return kept.getvalue()


BRIGHT = painted((120, 80, 300, 180))
PAGE = "<!DOCTYPE html><html><body><p>One.</p><p id=two>Two is here.</p></body></html>"
CASES = [
    # what is archived, the part, what is there now, the status, why
    (("image/png", BRIGHT), {"rect": "0,0,9,9"}, ("image/png", BRIGHT), "verified", ""),
    (("image/png", BRIGHT), {"rect": "0,0,9,9"}, ("image/png", painted((0, 300, 9, 309))),
     "verified", ""),
    (("image/png", BRIGHT), {"rect": "120,80,300,180"}, ("image/webp", kept_as(BRIGHT, "WEBP")),
     "verified", ""),
    (("image/png", BRIGHT), {"rect": "120,80,300,180"}, ("image/png", painted((0, 0, 9, 9))),
     "changed", ""),
    (("image/png", BRIGHT), {"rect": "120,80,300,180"},
     ("image/png", painted((120, 80, 200, 180), (200, 400))), "changed", "reaches beyond the end"),
    (("image/png", BRIGHT), {"rect": "120,80,300,180"},
     ("image/png", painted((0, 0, 9, 9), (90, 90))), "gone", "90 pixels across"),
    (("image/png", BRIGHT), {"rect": "0,0,9,9"}, ("text/html", PAGE.encode()),
     "gone", "no fragment scheme rect"),
    (("image/png", BRIGHT), {"rect": "0,0,9,9"}, ("image/png", BRIGHT[:60]), "unchecked",
     "cannot be decoded"),
    (("image/png", BRIGHT), {"byte": "0,8"}, ("image/png", painted((0, 0, 9, 9))), "verified", ""),
    (("image/png", BRIGHT), {"byte": "0,70"}, ("image/png", painted((0, 0, 9, 9), (90, 90))),
     "changed", ""),
    (("image/png", BRIGHT), {"byte": "0,8"}, ("text/html", PAGE.encode()), "changed", ""),
    (("audio/wav", sound()), {"sec": "0,1"}, ("audio/wav", shorter(1.5)), "verified", ""),
    (("audio/wav", sound()), {"sec": "1,2"}, ("audio/wav", shorter(1.5)), "changed",
     "reaches beyond the end"),
    (("audio/wav", sound()), {"msec": "1500,2000"}, ("audio/wav", shorter(1)), "gone",
     "lasts 1"),
    (("video/x-matroska", film()), {"sec": "0,1"}, ("video/x-matroska", film(25)), "verified", ""),
    (("video/x-matroska", film()), {"crop": "sec,1,2,0,0,4,4"}, ("video/x-matroska", film(25)),
     "gone", "lasts 1"),
    (("text/html", PAGE.encode()), {"name": "two"},
     ("text/html", PAGE.replace("One.", "One and a half.").encode()), "verified", ""),
    (("text/html", PAGE.encode()), {"elt": "3,3"},
     ("text/html", PAGE.replace("<p>One.</p>", "").encode()), "moved", ""),
    (("text/html", PAGE.encode()), {"elt": "3,3"},
     ("text/html", PAGE.replace("Two is", "Two was").encode()), "changed", ""),
    (("text/html", PAGE.encode()), {"elt": "3,3"}, ("image/png", BRIGHT), "gone", "scheme elt"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "part", "new", "status", "why"), CASES)
def test_every_part_has_an_answer(
    archive: Path, site: Site, old: tuple[str, bytes], part: dict[str, str],
    new: tuple[str, bytes], status: str, why: str,
) -> None:  # fmt: skip
    address = site.put("/shown", *old)
    with Archive.open(archive) as service:
        saved = service.save(address, allow_private=True)
        reference = service.cite(saved.pdi, **cast("Any", part)).reference
        site.put("/shown", *new)
        (drift,) = service.drift.check(saved.pdi, allow_private=True).passages
    assert (drift.reference, drift.status) == (reference, status)
    assert why in drift.trouble
    assert bool(why) == bool(drift.trouble)
    assert drift.told


def test_a_part_of_a_format_without_a_live_page_is_not_compared(archive: Path, site: Site) -> None:
    address = site.put("/shown", "text/html", PAGE)
    with Archive.open(archive) as service:
        saved = service.save(address, allow_private=True)
        for format_ in ("related", "utf-8"):
            service.cite(saved.pdi.replace(".html.", f".{format_}."), byte="0,9")
        same = service.drift.check(saved.pdi, allow_private=True)
        site.put("/shown", "text/html", PAGE.replace("One", "Eleven"))
        other = service.drift.check(saved.pdi, allow_private=True)
    assert {drift.status for drift in same.passages} == {"verified"}
    assert {drift.status for drift in other.passages} == {"unchecked"}
    assert {drift.trouble for drift in other.passages} == {"only html has a live page"}


def test_the_command_tells_regions_in_words(archive: Path, site: Site, cli: Cli) -> None:
    address = site.put("/horn.jpg", "image/jpeg", picture())
    with Archive.open(archive) as service:
        name = service.save(address, allow_private=True).pdi
        service.cite(name, rect="120,80,300,180")
        title = service.documents.show(name).document.title or name
    assert f"rectangle from 120,80 to 300,180 of {title}" in cli("show", name).out
    told = cli("check", name, "--allow-private")
    assert (told.status, f"cited: rectangle from 120,80 to 300,180 of {title}" in told.out) == (
        0,
        True,
    )
    site.put("/horn.jpg", "image/jpeg", kept_as(painted((0, 0, 9, 9), (99, 99)), "JPEG"))
    told = cli("check", name, "--allow-private")
    assert told.status == 1
    assert "gone" in told.out
    assert "why:   the document has 99 pixels across" in told.out
