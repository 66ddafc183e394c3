"""A page that scripts draw: committed as served and as drawn, its words cited from either."""

from __future__ import annotations

import hashlib
import http.client
import zlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import pytest
from tests.faces.sharing import archive, running
from tests.faces.test_export_browser import EVIL, HOSTILE

from permacite import mhtml
from permacite.archive.model.answered import Provenance
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.texts import with_indexes
from permacite.capture.model import Capture, Exchange, Frozen, body_parts
from permacite.errors import NotFoundError
from permacite.renditions.drawn import Drawing, draw
from permacite.service import sources
from permacite.service.archive import Archive
from permacite.service.citations.ways import citable
from permacite.service.ingest import drawn
from permacite.service.proofs import proofs
from permacite.service.reader.pages import FrameOptions, Scripts
from permacite.service.reader.selection import Selected

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from playwright.sync_api import Browser
    from tests.faces.conftest import Running, Site

    from permacite.archive.model.answered import Version

__all__ = ["archive", "running"]  # fixtures
HERE = "https://tides.example/page"
SERVED = b"""<!DOCTYPE html><title>Tides</title><link rel=stylesheet href=a.css>
<p>Said in both. Loading</p><script src=app.js></script><img src=unused.png>"""
CSS = b"p { background: url(b.png) }"
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360f8cf500f0003860180"
    "5a347b6f0000000049454e44ae426082"
)
TEXT, LINE, FRAME = 0, 1, 8
DRAWN = [
    "<!DOCTYPE html><html><head><link rel=stylesheet href=a.css></head><body><p>",
    "Said in both.",
    "</p><p>",
    "Spring tides   rise <high>",
    "</p><x-a><template shadowrootmode=open><b>",
    "from the shadow",
    '</b></template></x-a><iframe src="cid:frame-1@drawn"></iframe>',
    "",
    "<script>alert(1)</script><p onclick=x()>",
    "the end",
    "</p></body></html>",
]
FLOW = [
    LINE,
    TEXT,
    0,
    0,
    LINE,
    TEXT,
    1,
    0,
    LINE,
    TEXT,
    2,
    0,
    LINE,
    FRAME,
    1,
    LINE,
    TEXT,
    4,
    0,
    LINE,
]
INNER = ["<!DOCTYPE html><p>", "words of a frame", "</p>"]


def exchange(path: str, content: bytes, content_type: str) -> Exchange:
    """Return one request that was answered."""
    uri = f"https://tides.example/{path}"
    return Exchange(
        uri=uri,
        final_uri=uri,
        method="GET",
        status=200,
        reason="OK",
        request_headers=(),
        response_headers=(),
        content=content,
        content_type=content_type,
        sniffed=False,
        peer_address=None,
        certificate=None,
        redirects=(),
        started_at=datetime(2026, 11, 23, 9, 30, tzinfo=UTC),
        duration_s=0.1,
        digest=f"sha-256:{hashlib.sha256(content).hexdigest()}",
    )


def captured(served: bytes = SERVED, drawings: Mapping[int, Drawing] | None = None) -> Capture:
    """Return a page, captured and drawn."""
    drawings = drawings or {0: Drawing(DRAWN, FLOW), 1: Drawing(INNER, [TEXT, 0, 0])}
    sources, rendered = draw(drawings, {})
    frame = mhtml.Resource(
        sources[1].text.encode(), "text/html; charset=utf-8", None, "frame-1@drawn"
    )
    view = {"browser": "Chrome/156.0.1", "width": 1280, "height": 900, "left_out": {"canvas": 2}}
    return Capture(
        requested_uri=HERE,
        root=exchange("page", served, "text/html; charset=utf-8"),
        led_by=(),
        resources=(
            exchange("a.css", CSS, "text/css"),
            exchange("b.png", PNG, "image/png"),
            exchange("unused.png", PNG, "image/png"),
            exchange("app.js", b"draw()", "text/javascript"),
        ),
        failures=(),
        left_out=(),
        aliases=(),
        started_at=datetime(2026, 11, 23, 9, 30, tzinfo=UTC),
        duration_s=1,
        drawn=Frozen(
            mhtml.Resource(sources[0].text.encode(), "text/html; charset=utf-8", HERE),
            (frame,),
            rendered.text,
            rendered.map,
            PNG,
            view,
        ),
    )


def commit(
    service: Archive, served: bytes = SERVED, drawings: Mapping[int, Drawing] | None = None
) -> Version:
    """Return the page as a committed version."""
    capture = captured(served, drawings)
    page = sources.source_of(capture.root.document)
    root, resources = body_parts(capture)
    related = NewRepresentation(mhtml.build(root, resources), "multipart/related")
    formats = [*sources.representations(page), related, *drawn.formats(capture, page.title)]
    provenance = Provenance(
        title=page.title,
        uri=HERE,
        final_uri=HERE,
        retrieved_at=capture.started_at,
        details=drawn.on_record(page, capture),
    )
    return service._repository.committer.commit(  # noqa: SLF001 - no browser draws here
        with_indexes(formats), provenance=provenance
    )


@pytest.fixture
def service(archive: Path) -> Iterator[Archive]:
    """Return an archive that is empty."""
    with Archive.open(archive) as opened:
        yield opened


@pytest.mark.parametrize(
    ("markup", "title"),
    [("<title>Neap &amp; spring</title>", "Neap & spring"), ("<title> </title>", "Tides")],
)
def test_the_title_is_that_which_was_drawn(markup: str, title: str) -> None:
    capture = captured(drawings={0: Drawing([markup, "a", ""], [TEXT, 0, 0]), 1: Drawing([""], [])})
    assert drawn.title_of(capture, sources.source_of(capture.root.document)) == title


def test_what_was_drawn_is_committed_beside_what_was_served(service: Archive) -> None:
    version = commit(service)
    told = [(item.format, item.media_type, item.derived_from) for item in version.representations]
    assert told == [
        ("html", "text/html", None),
        ("utf-8", "text/plain", "html"),
        ("related", "multipart/related", None),
        ("multipart+drawn", "multipart/related", "related"),
        ("text+drawn", "text/plain", "multipart+drawn"),
        ("png", "image/png", "multipart+drawn"),
    ]
    name = str(version.pdi.document.with_(format="multipart+drawn", version=1))
    aggregate = mhtml.open(service.resolve(name).content)
    shown = {part.content_location or part.content_id for part in aggregate.body_parts}
    wanted = {HERE, "frame-1@drawn", "https://tides.example/a.css", "https://tides.example/b.png"}
    assert shown == wanted
    assert service.resolve(name.replace("multipart", "text")).media_type == "text/plain"
    assert service.verify(name).findings == ()
    held = citable(service._repository, version, {})  # noqa: SLF001 - as above
    ways = {(way.format, way.scheme) for way in held}
    assert {("utf-8", "char"), ("text+drawn", "char"), ("png", "rect")} <= ways


@pytest.mark.parametrize(
    ("words", "token"),
    [
        ("Said in both.", "utf-8"),
        ("Spring tides rise <high>", "text+drawn"),
        ("from the shadow", "text+drawn"),
        ("words of a frame the end", "text+drawn"),
    ],
)
def test_a_quote_is_looked_for_as_served_then_as_drawn(
    service: Archive, words: str, token: str
) -> None:
    version = commit(service)
    cited = service.cite(str(version.pdi.document), quote=words)
    assert f".{token}.1#char=" in cited.reference
    is_drawn = token.endswith("drawn")
    told = "as drawn by Chromium 156, 1280x900, at 2026-11-23T09:30Z"
    assert cited.drawn == (told if is_drawn else "")
    assert (told in cited.forms.sentence) is (told in cited.forms.html) is is_drawn
    assert service.resolve(cited.reference).text == cited.quote
    assert proofs.check(
        service.proofs.proof(cited.reference).content, key=service.log.state().key
    ).holds
    shown = service.documents.reader.page(cited.reference)
    assert shown.marked
    assert (
        'class="permacite-mark"' in shown.html or "class=&quot;permacite-mark&quot;" in shown.html
    )


def test_words_that_stand_nowhere_are_told(service: Archive) -> None:
    version = commit(service)
    with pytest.raises(NotFoundError, match="do not stand in the text"):
        service.cite(str(version.pdi.document), quote="nowhere at all")


def test_the_name_says_which_words_are_meant(service: Archive) -> None:
    document = commit(service).pdi.document
    page = str(document.with_(format="multipart+drawn", version=1))
    assert ".text+drawn.1#" in service.cite(page, quote="Said in both.").reference
    assert ".utf-8.1#" in service.cite(str(document), quote="Said in both.").reference


def test_the_drawn_page_is_inert_and_holds_what_it_shows(service: Archive) -> None:
    document = commit(service).pdi.document
    shown = service.documents.reader.page(
        str(document.with_(format="multipart+drawn", version=1)), FrameOptions(Scripts(words="0"))
    )
    assert shown.unresolved == ()
    assert "alert" not in shown.html
    assert "onclick" not in shown.html
    assert "shadowrootmode" in shown.html
    assert "words of a frame" in shown.html
    assert "Loading" not in shown.html
    served = service.documents.reader.page(str(document.with_(format="html", version=1)))
    assert "Loading" in served.html


def test_a_selection_in_the_drawn_page_is_cited_in_its_words(service: Archive) -> None:
    page = str(commit(service).pdi.document.with_(format="multipart+drawn", version=1))
    before, words = "Saidinboth.Springtides", "rise<high>theend"
    end = len(before) + len(words)
    selected = Selected(len(before), end, words, before, "", zlib.crc32(words.encode()))
    place = service.documents.reader.place(page, selected)
    start, end = map(int, place.char.split(","))
    text = service.resolve(page.replace("multipart", "text")).text or ""
    assert text[start:end].startswith("rise <high>")
    assert text[start:end].endswith("the end")


def test_the_reader_tells_drawn_from_served(service: Archive) -> None:
    document = str(commit(service).pdi.document)
    both, only = (service.cite(document, quote=each) for each in ("Said in both.", "the end"))
    reading = service.documents.reader.read(both.reference)
    assert reading.drawn is not None
    assert (reading.drawn.is_shown, reading.drawn.browser) == (False, "Chrome/156.0.1")
    assert reading.drawn.other is not None
    assert ".text+drawn.1#char=0,13" in reading.drawn.other
    reading = service.documents.reader.read(only.reference, text=True)
    assert reading.drawn is not None
    assert (reading.drawn.is_shown, reading.drawn.other) == (True, None)
    assert reading.drawn.only == {2, 3, 4, 5}
    assert reading.cautions == ("not all could be frozen: canvases that no screenshot reaches",)


def test_the_same_capture_is_the_same_octets(service: Archive) -> None:
    versions = [commit(service) for _ in range(3)]
    digests = [[item.digest for item in version.representations] for version in versions]
    assert digests[0] == digests[1] == digests[2]


def test_the_pages_of_the_reader_offer_both(archive: Path, running: Running) -> None:
    with Archive.open(archive) as service:
        document = str(commit(service).pdi.document)
        cited = service.cite(document, quote="Spring tides rise <high>")
    for language, told in {
        "en": ("As served", "As drawn", "These words were not served so"),
        "de": ("Wie geliefert", "Wie gezeichnet", "Diese Wörter wurden so nicht geliefert"),
        "fr": (
            "Telle que dessin",
            "Telle que dessinée",
            "Ces mots n\N{RIGHT SINGLE QUOTATION MARK}ont pas été servis ainsi",
        ),
    }.items():
        name, _, fragment = cited.reference.partition("#")
        page = asked(running, f"/{name}?fragment={quote(fragment)}", language)
        assert all(words in page for words in told)
        assert "Chrome/156.0.1" in page


def asked(running: Running, path: str, language: str = "en") -> str:
    """Return a page of the reader."""
    place = urlsplit(running.base)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=20)
    fields = {"Accept": "text/html", "Accept-Language": language}
    connection.request("GET", path, headers=fields)
    page = connection.getresponse().read().decode()
    connection.close()
    return page


def test_a_thin_page_opens_as_it_was_drawn(archive: Path, running: Running) -> None:
    with Archive.open(archive) as service:
        thin = commit(service, b"<title>T</title><div id=root></div><script>draw()</script>")
        document = thin.pdi.document
        drawn, served = (
            str(document.with_(format=each, version=1)) for each in ("multipart+drawn", "html")
        )
        assert service.documents.reader.read(str(document)).pdi == drawn
        assert service.documents.reader.read(str(document), text_fragment="char=0,1").pdi == served
        assert service.resolve(str(document)).pdi == served
        assert service.documents.opened(served) == drawn
        followed = service.documents.reader.follow(HERE)
        assert drawn in {followed.reference, *(each.pdi for each in followed.versions)}
        found = service.search(HERE)
        assert found.goes_to == drawn
    assert f'href="/{drawn}"' in asked(running, "/")
    for language, told in {
        "en": "next to no words of it were served",
        "de": "geliefert wurde fast kein Wort von ihr",
        "fr": "presque aucun de ses mots",
    }.items():
        page = asked(running, f"/{document}", language)
        assert told in page
        assert f'src="/-/page/{drawn}' in page.replace("&#43;", "+")
        assert f'<a href="/{served}">' in page
        page = asked(running, f"/{served}", language)
        assert told in page
        assert f'src="/-/page/{served}' in page


def test_a_page_with_words_opens_as_it_was_served(service: Archive) -> None:
    document = str(commit(service).pdi.document)
    reading = service.documents.reader.read(document)
    assert reading.drawn is not None
    assert (reading.pdi, reading.drawn.is_thin) == (f"{document}.html.1", False)


@pytest.mark.browser
def test_a_hostile_drawing_asks_nobody_and_runs_nothing(
    archive: Path, running: Running, site: Site, browser: Browser
) -> None:
    """replay-r1: whoever made it, since drawings are taken from other people's browsers too."""
    runs = "document.documentElement.dataset.ran = 1"
    harm = HOSTILE.replace(EVIL, f"{site.base}/").replace("</body>", "")
    harm += f"<script>{runs}</script><img src='data:x' onerror='{runs}'>"
    inside = f'{harm}<iframe src="cid:frame-1@drawn"></iframe><p>'
    drawings = {
        0: Drawing([inside, "These words", "</p>"], [LINE, TEXT, 0, 0, FRAME, 1, LINE]),
        1: Drawing([f"{harm}<p>", "Those words", "</p>"], [TEXT, 0, 0]),
    }
    with Archive.open(archive) as service:
        document = commit(service, drawings=drawings).pdi.document
    context = browser.new_context()
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    page.goto(f"{running.base}/{document.with_(format='multipart+drawn', version=1)}")
    page.frame_locator("#page").get_by_text("These words").wait_for()
    page.wait_for_load_state("networkidle")
    frames = [each for each in page.frames if each.parent_frame is not None]
    assert any("Those words" in each.content() for each in frames[1:])
    for each in frames:
        assert each.evaluate("document.documentElement.dataset.ran") is None
        assert not each.evaluate("[...document.scripts].some((each) => each.src)")
    assert [uri for uri in asked if not uri.startswith((running.base, "data:", "about:"))] == []
    assert site.requests == []
    context.close()
