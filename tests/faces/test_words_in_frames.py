"""Words of pages within a page are cited, resolved, proven, followed and marked as any others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.archives import Archive

from permacite import mhtml
from permacite.errors import NotFoundError, ParseError
from permacite.extract import extract
from permacite.pdi import FragmentPDI, denotes_same, parse

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser
    from tests.faces.conftest import Outcome, Running, Site

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

OUTER = (
    "<!doctype html><title>Outer</title><p>Words outside, twice.</p>"
    "<iframe src=inner.html></iframe><iframe src=other.html></iframe><img src=a.png>"
)
INNER = (
    "<!doctype html><meta charset=latin1><title>In</title><p>The caf\xe9 in</p><p>here opens.</p>"
)
OTHER = "<!doctype html><p>When it opens it shuts.</p><iframe src=deep.html></iframe>"
DEEP = "<!doctype html><p>Deep down it says so.</p>"
NAME = "urn:pdi://lab.example.us/2026/11/21/1.related.1#"


@pytest.fixture
def saved(archive: Path, site: Site) -> str:
    """The name of a page with pages in it, one of them in the frame of another."""
    site.put("/inner.html", "text/html", INNER.encode("latin-1"))
    site.put("/other.html", "text/html", OTHER)
    site.put("/deep.html", "text/html", DEEP)
    site.put("/a.png", "image/png", b"\x89PNG\r\n\x1a\n")
    with Archive.open(archive) as held:
        return held.save(site.put("/", "text/html", OUTER), allow_private=True).pdi


CITED = [
    # the words, which of several, the part of the aggregate, what is told
    ("The caf\xe9 in here opens", None, "part=2,0,25", "characters 0-24, body part 2"),
    ("says so", None, "part=4,13,20", "characters 13-19, body part 4"),
    ("it", 2, "part=3,14,16", "characters 14-15, body part 3"),
]


@pytest.mark.parametrize(("quote", "nth", "part", "told"), CITED)
def test_words_of_a_frame_are_cited_in_the_aggregate(
    archive: Path, saved: str, quote: str, nth: int | None, part: str, told: str
) -> None:
    with Archive.open(archive) as held:
        cited = held.cite(saved, quote=quote, nth=nth)
        assert cited.reference == f"{saved.replace('.html.', '.related.')}#{part}"
        assert cited.part == told
        assert " ".join(cited.quote.split()) == quote
        assert held.cite(cited.reference).reference == cited.reference
        assert held.cite(saved, part=part.removeprefix("part=")).reference == cited.reference
        found = held.resolve(cited.reference)
        assert " ".join((found.text or "").split()) == quote
        assert held.verify(cited.reference).ok
        assert held.prove(cited.reference)


def test_the_text_of_the_page_itself_comes_first(archive: Path, saved: str) -> None:
    with Archive.open(archive) as held:
        assert ".utf-8.1#char=" in held.cite(saved, quote="twice").reference
        with pytest.raises(NotFoundError, match="2 times"):
            held.cite(saved, quote="it")
        with pytest.raises(NotFoundError, match="do not stand") as error:
            held.cite(saved, quote="Words inside")
        assert error.value.candidates
        for typed in ("9,0,1", "5,0,1", "2,0,99"):
            with pytest.raises(NotFoundError):
                held.cite(saved, part=typed)
        with pytest.raises(ParseError, match="body part"):
            held.cite(saved, part="two,0,1")


def test_the_reader_leads_to_them_and_marks_them(
    running: Running, saved: str, browser: Browser, cli: Cli
) -> None:
    done = cli("cite", saved, "--quote", "here opens")
    reference = done.out.split()[0]
    page = browser.new_page()
    page.goto(f"{running.base}/{reference.replace('#', '?fragment=')}")
    frame = page.frame_locator("iframe").first
    expect(frame.locator("mark.permacite-mark").first).to_have_text("here opens")
    expect(page.locator("body")).to_contain_text("here opens")
    page.close()


def test_what_became_of_them_is_found_out(site: Site, saved: str, cli: Cli) -> None:
    cli("cite", saved, "--quote", "here opens")
    cli("watch", "add", saved)
    look = ("watch", "run", "--all", "--allow-private", "--pause", "0")
    assert "verified" in cli(*look).out
    site.put("/other.html", "text/html", OTHER.replace("When", "Once"))
    assert "verified" not in cli(*look).out  # told before
    site.put("/inner.html", "text/html", INNER.replace("opens", "shuts").encode("latin-1"))
    assert "changed" in cli(*look).out


REFUSED = ["part=0,1,2", "part=2,1", "part=2,5,3", "part=(2,1,5", "part=(2,),1,2", "part=2.1,1,2"]


@pytest.mark.parametrize("written", REFUSED)
def test_what_is_no_part_of_an_aggregate_is_refused(written: str) -> None:
    with pytest.raises(ParseError):
        parse(NAME + written)


def test_a_part_within_a_part_has_all_its_numbers() -> None:
    value = parse(NAME + "part=%283%2c1%29,15,32")
    assert isinstance(value, FragmentPDI)
    assert value.canonical() == parse(NAME + "part=(3,1),15,32").canonical()
    assert denotes_same(value, parse(NAME + "PART=(3,1),15,32"))
    with pytest.raises(ParseError):
        parse(NAME.replace("related", "html") + "part=2,1,2")


def test_parts_are_cut_without_an_archive() -> None:
    root, within = (
        mhtml.Resource(text.encode(), "text/html", content_location=f"http://a.example/{n}")
        for n, text in enumerate([OUTER, DEEP])
    )
    aggregate = mhtml.build(root, [within])
    assert extract(aggregate, "multipart/related", "part=2,0,4").text == "Deep"
    assert extract(aggregate, "multipart/related", "part=1,0,5").text == "Words"
    with pytest.raises(NotFoundError):
        extract(aggregate, "multipart/related", "part=7,0,5")
    with pytest.raises(ParseError):
        extract(b"no aggregate", "multipart/related", "part=1,0,5")
