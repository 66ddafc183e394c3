"""What is drawn and marked of pictures, sound and video is cited, and resolves to just that."""

from __future__ import annotations

import io
import re
import wave
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import av
import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image, ImageOps
from playwright.sync_api import expect
from tests.faces.sharing import archive, running
from tests.faces.test_reader import address
from tests.faces.test_regions import picture, sound

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser, FrameLocator, Page, ViewportSize
    from tests.faces.conftest import Running

__all__ = ["archive", "running"]  # fixtures
pytestmark = pytest.mark.browser

PLAYED = """(player, time) => new Promise((done) => {
    const ask = () => (player.currentTime > time ? done() : requestAnimationFrame(ask));
    ask();
})"""
WIDE: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}


class Point(NamedTuple):
    """A place on the screen."""

    x: float
    y: float


class Rect(NamedTuple):
    """A rectangle in pixels, the last two edges excluded."""

    left: int
    top: int
    right: int
    bottom: int

    def __str__(self) -> str:
        return f"({self.left},{self.top}),({self.right},{self.bottom})"


def speckled(size: tuple[int, int]) -> Image.Image:
    """Return a picture in which no two neighbours are alike."""
    made = Image.new("RGB", size)
    width = size[0]
    count = width * size[1]
    made.putdata([(n % 251, n // width % 251, n * 7 % 253) for n in range(count)])
    return made


def saved(made: Image.Image, kind: str, **options: Any) -> bytes:
    """Return a picture as a file."""
    kept = io.BytesIO()
    made.save(kept, kind, **options)
    return kept.getvalue()


def several(kind: str) -> bytes:
    """Return a file of four pictures."""
    pictures = [Image.new("RGB", (300, 200), (60 * n, 200 - 40 * n, 90)) for n in range(4)]
    for n, each in enumerate(pictures):
        each.paste((255, 255, 255), (20 + 50 * n, 40, 60 + 50 * n, 90))
    return saved(pictures[0], kind, save_all=True, append_images=pictures[1:])


@cache
def film(container: str = "mp4", codec: str = "libvpx-vp9") -> bytes:
    """Return two seconds of video, 160 by 120 pixels, each twice as wide as high."""
    target = io.BytesIO()
    make: Callable[[Image.Image], av.VideoFrame] = av.VideoFrame.from_image
    with av.open(target, "w", format=container) as out:
        stream: Any = out.add_stream(codec, rate=10)
        stream.width, stream.height, stream.pix_fmt = 160, 120, "yuv420p"
        stream.codec_context.sample_aspect_ratio = Fraction(2, 1)
        for number in range(20):
            shown = speckled((160, 120)).rotate(number * 9)
            out.mux(stream.encode(make(shown)))
        out.mux(stream.encode(None))
    return target.getvalue()


@pytest.fixture
def add(archive: Path) -> Callable[[bytes, str], str]:
    """Return a function that archives a file and gives its full name."""

    def added(content: bytes, name: str) -> str:
        with Archive.open(archive) as service:
            return service.add(content, name=name, new=True).pdi

    return added


def shown_at(frame: FrameLocator, place: tuple[int, int], size: tuple[int, int]) -> Point:
    """Return where on the screen a pixel's upper left corner is."""
    box = frame.locator("#media").bounding_box()
    assert box is not None
    return Point(
        box["x"] + place[0] / size[0] * box["width"],
        box["y"] + place[1] / size[1] * box["height"],
    )


def draw(page: Page, rect: Rect, size: tuple[int, int]) -> None:
    """Draw a rectangle with the mouse, from the lower right to the upper left."""
    frame = page.frame_locator("#page")
    frame.locator("#surface.drawing").wait_for()
    page.mouse.move(*shown_at(frame, (rect.right, rect.bottom), size))
    page.mouse.down()
    page.mouse.move(*shown_at(frame, (rect.left, rect.top), size), steps=3)
    page.mouse.up()


def shows(page: Page, rect: Rect) -> None:
    """Wait until the form shows these numbers, which come by message."""
    for name, number in zip(Rect._fields, rect, strict=True):
        expect(page.get_by_label(name.capitalize(), exact=True)).to_have_value(str(number))


def cited(page: Page) -> str:
    """Return the reference of the citation that was made."""
    expect(page.locator("#answer")).to_contain_text("Cited.")
    return page.locator(".passage .name code").inner_text()


def cite(page: Page) -> str:
    """Press the button, once it says that the part can be cited."""
    button = page.get_by_role("button", name="Cite this part")
    expect(button).to_have_attribute("aria-disabled", "false")
    # A click while the page still scrolls to the button may go to the frame that was there.
    button.scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    button.click()
    return cited(page)


def pixels(archive: Path, reference: str) -> Image.Image:
    """Return the picture that a reference resolves to."""
    with Archive.open(archive) as service:
        return Image.open(io.BytesIO(service.resolve(reference).content)).convert("RGB")


@pytest.mark.parametrize("ratio", [1, 1.5])
def test_a_rectangle_drawn_by_mouse_is_cited_pixel_by_pixel(
    archive: Path,
    running: Running,
    browser: Browser,
    add: Callable[[bytes, str], str],
    ratio: float,
) -> None:
    """media-r-rect, media-r-exif: numbers are those of the picture as it is displayed."""
    stored = picture()
    name = add(stored, "harbour.jpg")
    rect = Rect(120, 80, 300, 180)
    context = browser.new_context(viewport=WIDE, device_scale_factor=ratio)
    page = context.new_page()
    page.goto(f"{running.base}/{name}")
    draw(page, rect, (600, 400))
    shows(page, rect)
    expect(page.locator("form.parts output")).to_have_text(re.compile("180 by 100 pixels"))
    reference = cite(page)
    context.close()
    assert reference == f"{name}#rect={rect}"
    with Image.open(io.BytesIO(stored)) as whole:
        expected = ImageOps.exif_transpose(whole).convert("RGB").crop(rect)
    assert pixels(archive, reference).tobytes() == expected.tobytes()


def test_pixels_are_counted_where_a_picture_says_how_dense_they_are(
    running: Running, page: Page, add: Callable[[bytes, str], str]
) -> None:
    whole = speckled((400, 300))
    exif = Image.Exif()
    exif.update({0x011A: 144.0, 0x011B: 144.0, 0x0128: 2})  # 144 pixels an inch: CSS has 96
    exif.get_ifd(0x8769).update({0xA002: 200, 0xA003: 150})
    name = add(saved(whole, "JPEG", exif=exif, quality=95), "print.jpg")
    page.goto(f"{running.base}/{name}")
    rect = Rect(40, 30, 200, 100)
    draw(page, rect, whole.size)
    assert page.frame_locator("#page").locator("img").evaluate("node => node.naturalWidth") == 200
    drawn = Rect(*map(int, re.findall("[0-9]+", cite(page).partition("#rect=")[2])))
    # A mouse is at whole pixels of the screen, and each is two of the picture.
    assert all(abs(one - other) <= 1 for one, other in zip(drawn, rect, strict=True))


def test_a_large_picture_fits_and_is_drawn_on_at_both_sizes(
    archive: Path, running: Running, page: Page, add: Callable[[bytes, str], str]
) -> None:
    whole = speckled((2000, 1500))
    name = add(saved(whole, "PNG"), "tiles.png")
    page.goto(f"{running.base}/{name}")
    frame = page.frame_locator("#page")
    rect = Rect(401, 303, 1203, 907)
    draw(page, rect, whole.size)
    scale = 2000 / frame.locator("#media").evaluate("node => node.getBoundingClientRect().width")
    assert scale > 2, "it fits the window"
    assert frame.locator("body").evaluate(
        "() => document.documentElement.scrollHeight <= innerHeight"
    )
    page.keyboard.press("Enter")
    reference = cited(page)
    drawn = Rect(*map(int, re.findall("[0-9]+", reference.partition("#rect=")[2])))
    shows(page, drawn)
    assert all(abs(a - b) <= scale for a, b in zip(drawn, rect, strict=True))
    assert reference == f"{name}#rect={drawn}"
    assert pixels(archive, reference).tobytes() == whole.crop(drawn).tobytes()

    frame.get_by_label("Full size").check()
    assert frame.locator("#media").evaluate("node => node.getBoundingClientRect().width") == 2000
    exact = Rect(37, 41, 240, 190)
    page.get_by_role("button", name="Clear").click()
    draw(page, exact, whole.size)
    shows(page, exact)


def test_a_rectangle_is_moved_and_resized_by_mouse(
    running: Running, page: Page, add: Callable[[bytes, str], str]
) -> None:
    page.goto(f"{running.base}/{add(picture(), 'harbour.jpg')}")
    frame, size = page.frame_locator("#page"), (600, 400)
    draw(page, Rect(100, 100, 200, 200), size)
    for start, end in [((150, 150), (180, 140)), ((230, 190), (250, 220))]:
        page.mouse.move(*shown_at(frame, start, size))
        page.mouse.down()
        page.mouse.move(*shown_at(frame, end, size))
        page.mouse.up()
    shows(page, Rect(130, 90, 250, 220))


def test_a_rectangle_is_drawn_by_touch(
    archive: Path, running: Running, browser: Browser, add: Callable[[bytes, str], str]
) -> None:
    whole = speckled((300, 200))
    name = add(saved(whole, "PNG"), "tiles.png")
    context = browser.new_context(viewport=PHONE, device_scale_factor=3, has_touch=True)
    page = context.new_page()
    page.goto(f"{running.base}/{name}")
    frame = page.frame_locator("#page")
    frame.locator("#surface.drawing").wait_for()
    session = context.new_cdp_session(page)
    places = [shown_at(frame, place, whole.size) for place in [(33, 21), (100, 90), (205, 144)]]
    for kind, point in zip(["touchStart", "touchMove", "touchMove"], places, strict=True):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point._asdict()]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    rect = Rect(33, 21, 205, 144)
    shows(page, rect)
    reference = cite(page)
    context.close()
    assert pixels(archive, reference).tobytes() == whole.crop(rect).tobytes()


def test_a_rectangle_is_drawn_moved_and_cited_by_keyboard(
    archive: Path, running: Running, page: Page, add: Callable[[bytes, str], str]
) -> None:
    whole = speckled((200, 100))
    page.goto(f"{running.base}/{add(saved(whole, 'PNG'), 'tiles.png')}")
    surface = page.frame_locator("#page").get_by_role("application")
    surface.focus()
    page.keyboard.press("ArrowRight")
    shows(page, Rect(50, 25, 150, 75))
    page.keyboard.press("Escape")
    expect(page.get_by_label("Left")).to_have_value("")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp", "Shift+ArrowLeft"):
        page.keyboard.press(key)
    page.keyboard.press("Shift+ArrowDown")
    rect = Rect(52, 24, 151, 75)
    shows(page, rect)
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("Cited.")
    expect(page.locator(".passage .forms button").first).to_be_focused()
    assert pixels(archive, cited(page)).tobytes() == whole.crop(rect).tobytes()


@pytest.mark.parametrize(("kind", "file"), [("GIF", "waves.gif"), ("TIFF", "plans.tiff")])
def test_one_picture_of_several_is_shown_and_cited(
    archive: Path,
    running: Running,
    page: Page,
    add: Callable[[bytes, str], str],
    kind: str,
    file: str,
) -> None:
    """media-r-frame: what is drawn on is a picture by itself, and said to be made of the file."""
    name = add(several(kind), file)
    page.goto(f"{running.base}/{name}")
    page.get_by_label("Frame or page, 0 to 3").fill("2")
    page.get_by_role("button", name="Show it").click()
    frame = page.frame_locator("#page")
    frame.locator("#surface.drawing").wait_for()
    assert (
        f"a PNG made here from the archived image/{kind.lower()}" in frame.locator("p").inner_text()
    )
    rect = Rect(110, 30, 170, 100)
    draw(page, rect, (300, 200))
    reference = cite(page)
    assert reference == f"{name}#rect={rect},2"
    part = pixels(archive, reference)
    assert part.size == (60, 70)
    assert part.getpixel((10, 10)) == part.getpixel((49, 59)) == (255, 255, 255)
    assert part.getpixel((9, 10)) == part.getpixel((50, 59)) == (120, 120, 90)
    page.goto(address(running, reference))
    assert "frame 2, rectangle from 110,30 to 170,100" in frame.locator("p").last.inner_text()
    page.goto(address(running, reference) + "&frame=1")
    frame.locator("#surface.drawing").wait_for()
    assert frame.locator("mark").count() == 0, "what is cited is in another frame"


def test_a_moving_picture_is_shown_as_it_is(
    running: Running, page: Page, add: Callable[[bytes, str], str]
) -> None:
    page.goto(f"{running.base}/{add(several('GIF'), 'waves.gif')}")
    shown = page.frame_locator("#page").locator("#media")
    assert (shown.get_attribute("src") or "").startswith("data:image/gif")
    assert page.get_by_text("To cite a part of a frame, show that one.").is_visible()
    assert page.get_by_role("button", name="Cite this part").count() == 0


def samples(content: bytes) -> bytes:
    """Return the samples of a WAV file."""
    with wave.open(io.BytesIO(content)) as file:
        return bytes(file.readframes(file.getnframes()))


def test_an_interval_is_marked_while_it_plays_and_resolves_to_its_samples(
    archive: Path, running: Running, page: Page, add: Callable[[bytes, str], str]
) -> None:
    """media-r-time: sample n belongs iff start <= n/rate < end."""
    stored = sound()
    page.goto(f"{running.base}/{add(stored, 'horn.wav')}")
    frame = page.frame_locator("#page")
    frame.locator("audio").focus()
    page.keyboard.press("Space")
    for time, key in [(0.2, "i"), (0.7, "o")]:
        frame.locator("audio").evaluate(PLAYED, time)
        page.keyboard.press(key)
    reference = cite(page)
    unit, _, numbers = reference.partition("#")[2].partition("=")
    start, end = map(int, numbers.split(","))
    assert unit == "msec"
    assert 200 <= start < 700 <= end < 2000
    with Archive.open(archive) as service:
        part = samples(service.resolve(reference).content)
    assert part == samples(stored)[start * 8 * 2 : end * 8 * 2], (
        "8 samples a millisecond, of 2 octets"
    )


def test_the_marked_part_is_played_and_stops(
    running: Running, page: Page, add: Callable[[bytes, str], str]
) -> None:
    page.goto(f"{running.base}/{add(sound(), 'horn.wav')}")
    page.get_by_label("From").fill("0:00.5")
    page.get_by_label("Up to").fill("0.9")
    player = page.frame_locator("#page").locator("audio")
    stopped = player.evaluate_handle(
        "player => ({ at: new Promise(done => player.onpause = () => done(player.currentTime)) })"
    )
    page.get_by_role("button", name="Play the marked part").click()
    assert 0.9 <= stopped.evaluate("stopped => stopped.at") < 1.5
    page.get_by_role("button", name="Starts now").click()
    expect(page.get_by_label("From")).not_to_have_value("0:00.5")


def test_buttons_mark_where_the_player_stands(
    archive: Path, running: Running, page: Page, add: Callable[[bytes, str], str]
) -> None:
    stored = sound()
    name = add(stored, "horn.wav")
    page.goto(f"{running.base}/{name}")
    player = page.frame_locator("#page").locator("audio")
    for time, button, label in [(0, "Starts now", "From"), (1, "Ends now", "Up to")]:
        player.evaluate("(player, time) => { player.currentTime = time }", time)
        page.get_by_role("button", name=button).click()
        expect(page.get_by_label(label)).to_have_value(f"0:0{time}")
    reference = cite(page)
    assert reference == f"{name}#sec=0,1"
    with Archive.open(archive) as service:
        assert samples(service.resolve(reference).content) == samples(stored)[:16000]


def planes(content: bytes) -> list[tuple[Fraction, Image.Image]]:
    """Return the pictures of a video, the brightness alone, and their times."""
    opened: Any = av.open(io.BytesIO(content))
    with opened as container:
        return [
            (frame.pts * frame.time_base, frame.reformat(format="gray").to_image())
            for frame in container.decode(video=0)
        ]


def test_a_rectangle_on_a_still_and_a_time_are_a_crop(
    archive: Path, running: Running, page: Page, add: Callable[[bytes, str], str]
) -> None:
    stored = film()
    name = add(stored, "pier.mp4")
    page.goto(f"{running.base}/{name}")
    page.frame_locator("#page").locator("video").wait_for()
    page.get_by_label("From").fill("0.5")
    page.get_by_label("Up to").fill("0:01.2")
    video = page.frame_locator("#page").locator("video")
    page.get_by_role("button", name="Draw on the still").click()
    page.frame_locator("#page").locator("#surface.drawing").wait_for()
    assert video.evaluate("video => [video.videoWidth, video.videoHeight]") == [320, 120]
    rect = Rect(20, 10, 100, 90)
    draw(page, rect, (160, 120))
    shows(page, rect)
    reference = cite(page)
    assert reference == f"{name}#crop=msec,500,1200,{rect}"
    with Archive.open(archive) as service:
        part = planes(service.resolve(reference).content)
    expected = [
        shown.crop(rect).tobytes()
        for time, shown in planes(stored)
        if Fraction(1, 2) <= time < Fraction(6, 5)
    ]
    assert len(expected) == 7
    assert [shown.tobytes() for _, shown in part] == expected


def test_a_part_of_what_browsers_do_not_play_has_a_preview(
    running: Running, page: Page, add: Callable[[bytes, str], str]
) -> None:
    name = add(film("avi", "ffv1"), "pier.avi")
    page.goto(f"{running.base}/{name}")
    said = "Your browser cannot show it here. Its parts can still be cited by their numbers."
    expect(page.locator("form.parts output")).to_have_text(said)
    expect(page.get_by_role("button", name="Starts now")).to_be_hidden()
    page.goto(address(running, f"{name}#msec=500,1200"))
    frame = page.frame_locator("#page")
    assert "A preview of this part alone" in frame.locator("p").last.inner_text()
    loaded = "player.readyState > 1 ? 0 : new Promise((done) => { player.onloadeddata = done; })"
    lasts = frame.locator("video").evaluate(
        f"async (player) => (await ({loaded}), player.duration)"
    )
    assert lasts == pytest.approx(0.7, abs=0.1)
    expect(page.get_by_role("button", name="Starts now")).to_be_hidden()


SAID = [
    # what is filled in, what is said before the button is pressed
    ({}, "Draw a rectangle on the picture, or write its four numbers."),
    ({"Left": "1"}, "A rectangle has four whole numbers, from 0."),
    (
        {"Left": "9", "Top": "0", "Right": "9", "Bottom": "5"},
        "The right edge must lie beyond the left one, and the bottom below the top.",
    ),
    (
        {"Left": "0", "Top": "0", "Right": "601", "Bottom": "5"},
        "The picture has 600 by 400 pixels: the rectangle reaches beyond.",
    ),
]


def test_what_cannot_be_cited_is_said_before(
    running: Running, page: Page, add: Callable[[bytes, str], str]
) -> None:
    page.goto(f"{running.base}/{add(picture(), 'harbour.jpg')}")
    said = page.locator("form.parts output")
    button = page.get_by_role("button", name="Cite this part")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.method))
    for given, words in SAID:
        for label, number in given.items():
            page.get_by_label(label, exact=True).fill(number)
        expect(said).to_have_text(words)
        expect(button).to_have_attribute("aria-disabled", "true")
    page.get_by_label("Right").fill("600")
    expect(button).to_have_attribute("aria-disabled", "false")
    assert "POST" not in asked


def test_a_drawing_stays_inert_and_no_rectangle_of_it_is_offered(
    running: Running, page: Page, add: Callable[[bytes, str], str]
) -> None:
    drawing = (
        b'<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90" onload="top.ran = 1">'
        b"<script>top.ran = 1; alert(1)</script><circle cx='40' cy='40' r='30'/></svg>"
    )
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    page.goto(f"{running.base}/{add(drawing, 'mark.svg')}")
    frame = page.frame_locator("#page")
    frame.locator("img").wait_for()
    assert frame.locator("svg").count() == 0
    assert page.evaluate("window.ran") is None
    assert dialogs == []
    assert page.get_by_text("no rectangle of it can be cited").is_visible()
    assert page.get_by_role("button", name="Cite this part").count() == 0


FORGED = """addEventListener("message", ({ data, source }) => {
    if (data?.permacite !== "known" || window.heard) return;
    const left = document.forms[0].elements.left;
    const say = (data) => dispatchEvent(new MessageEvent("message", { data, source }));
    say({ permacite: "part", rect: ["<b>1</b>", -1, 1e300, {}], start: "0", end: null });
    window.first = left.value;
    say({ permacite: "part", rect: [1, 2, 30, 40], start: null, end: null });
    window.heard = left.value !== ""; // the reader's script may come later than the frame's
    say({ permacite: "cite" });
});"""
"""What a frame might say that a fault of the browser's decoder has taken over."""


def test_a_frame_says_numbers_alone_and_cites_nothing_by_itself(
    running: Running, page: Page, add: Callable[[bytes, str], str]
) -> None:
    name = add(picture(), "harbour.jpg")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.method))
    page.add_init_script(FORGED)
    page.goto(f"{running.base}/{name}")
    shows(page, Rect(1, 2, 30, 40))
    assert page.evaluate("window.first") == ""
    page.get_by_label("Bottom").press("Enter")
    assert cited(page) == f"{name}#rect=(1,2),(30,40)"
    assert asked.count("POST") == 1, "what was pressed"


def test_numbers_alone_cite_without_scripts(
    archive: Path, running: Running, browser: Browser, add: Callable[[bytes, str], str]
) -> None:
    names = [add(picture(), "harbour.jpg"), add(sound(), "horn.wav"), add(film(), "pier.mp4")]
    corners = {"Left": "120", "Top": "80", "Right": "300", "Bottom": "180"}
    inside = {"Left": "20", "Top": "10", "Right": "100", "Bottom": "90"}
    whole, parts = {"From": "0", "Up to": "1"}, {"From": "0:00.25", "Up to": "1.5"}
    rows = [
        (names[0], corners, "rect=(120,80),(300,180)"),
        (names[1], whole, "sec=0,1"),
        (names[1], parts, "msec=250,1500"),
        (names[2], whole, "sec=0,1"),
        (names[2], parts | inside, "crop=msec,250,1500,(20,10),(100,90)"),
    ]
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(10_000)
    for name, given, fragment in rows:
        page.goto(f"{running.base}/{name}")
        for label, text in given.items():
            page.get_by_label(label, exact=True).fill(text)
        page.get_by_role("button", name="Cite this part").click()
        page.get_by_role("heading", name="Cited part").wait_for()
        assert page.locator(".lead .passage .name").inner_text() == f"{name}#{fragment}"
        with Archive.open(archive) as service:
            assert service.documents.show(name).citations[-1].reference == f"{name}#{fragment}"
    context.close()


def test_words_alone_cite_without_scripts(
    running: Running, browser: Browser, add: Callable[[bytes, str], str]
) -> None:
    name = add(b"<title>Tides</title><p>It rained all day.", "tides.html")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(10_000)
    page.goto(f"{running.base}/{name}")
    page.get_by_label("Select words in the page").fill("rained all day")
    page.get_by_role("button", name="Cite these words").click()
    assert page.locator(".lead .passage mark").inner_text() == "rained all day"
    context.close()


@pytest.mark.parametrize(
    ("viewport", "scheme"),
    [pytest.param(WIDE, "light", marks=pytest.mark.deep), (PHONE, "dark")],
    ids=["wide", "phone"],
)
def test_axe_finds_nothing(
    running: Running,
    browser: Browser,
    add: Callable[[bytes, str], str],
    viewport: ViewportSize,
    scheme: Literal["light", "dark"],
) -> None:
    names = [add(picture(), "harbour.jpg"), add(sound(), "horn.wav"), add(film(), "pier.mp4")]
    addresses = [f"{running.base}/{name}" for name in names]
    addresses += [f"{running.base}/{add(several('TIFF'), 'plans.tiff')}?frame=1"]
    addresses += [address(running, f"{names[0]}#rect=(120,80),(300,180)")]
    context = browser.new_context(viewport=viewport, color_scheme=scheme)
    page = context.new_page()
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    for each in addresses:
        page.goto(each)
        page.frame_locator("#page").locator("#media").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), each
        for frame in page.frames:
            whole = frame is page.main_frame  # a part of a page needs no heading of its own
            options = {
                "runOnly": [*rules, "best-practice"] if whole else rules,
                "rules": {"target-size": {"enabled": True}},
            }
            found = Axe().run(frame, options=options)
            assert found.violations_count == 0, (each, frame.url, found.generate_report())
    context.close()
