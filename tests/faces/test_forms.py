"""The forms of a citation survive their own syntax, whatever the title and the words hold."""

from __future__ import annotations

import html.parser
import json
import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from permacite.service.citations.recorded import CitationForms
from permacite.service.citations.source import Source

REFERENCE = "urn:pdi://lab.example.us/2026/11/21/7.utf-8.1#char=1024,1039"
URL = "https://archive.example.org/urn:pdi://lab.example.us/2026/11/21/7.utf-8.1?fragment=char=1024,1039"

HOSTILE = [
    "plain words",
    "*stars* _lines_ `ticks` [brackets](x) <b>tags</b> ~~tildes~~",
    "# heading",
    "- item",
    "12. number",
    "braces { } and } ends {{ }}",
    "a | pipe }} end",
    "quotes \" and ' and &amp; entity",
    "100% of $5 & #1 ^~ \\ back_slash",
]


def source(
    title: str,
    quote: str,
    uri: str | None = "https://example.org/a_b?x=1&y=%20#z",
    url: str = URL,
) -> Source:
    """Return a source with the given title and quote."""
    moment = datetime(2026, 11, 21, 9, 5, tzinfo=UTC)
    return Source(REFERENCE, url, quote, title, uri, moment, "lab.example.us")


class _Words(html.parser.HTMLParser):
    """Collect text and the attributes of start tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words = ""
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_data(self, data: str) -> None:
        self.words += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def squeezed(text: str) -> str:
    """Return text with white space made alike."""
    return " ".join(text.split())


@pytest.mark.parametrize("words", HOSTILE)
def test_markdown_shows_the_words_and_nothing_else(words: str) -> None:
    rendered = MarkdownIt("commonmark").render(CitationForms(source(words, words)).markdown)
    shown = _Words(rendered)
    quoted, _, credit = shown.words.partition("—")
    assert squeezed(quoted) == squeezed(words)
    assert credit.strip().startswith(squeezed(words))
    assert {tag for tag, _ in shown.tags} == {"blockquote", "p", "a", "code"}


@pytest.mark.parametrize("words", HOSTILE)
def test_html_cites_the_permanent_name(words: str) -> None:
    shown = _Words(CitationForms(source(words, f"{words}\r\n{words}")).html)
    assert shown.tags[0] == ("blockquote", {"cite": REFERENCE})
    assert squeezed(shown.words).startswith(squeezed(f"{words} {words} — {words}"))


@pytest.mark.parametrize("words", HOSTILE)
def test_bibtex_braces_balance_and_fields_are_whole(words: str) -> None:
    entry = CitationForms(source(words, words)).bibtex
    depth = 0
    for character in re.sub(r"\\[{}]", "", entry):
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    assert entry.startswith("@online{lab-example-us-2026-11-21-7-utf-8-1-char-1024-1039,")
    assert f"url = {{{URL}}}" in entry


@pytest.mark.parametrize("words", HOSTILE)
def test_csl_json_is_an_array_of_one_item(words: str) -> None:
    (item,) = json.loads(CitationForms(source(words, words)).csl_json)
    assert item["title"] == words
    assert item["note"] == squeezed(words)
    assert item["accessed"] == {"date-parts": [[2026, 11, 21]]}
    assert item["container-title"] == "example.org"
    assert item["archive_location"] == REFERENCE


def test_ris_has_one_tag_a_line_and_an_end() -> None:
    lines = CitationForms(source("a\nb", "one\r\ntwo")).ris.split("\n")
    assert lines[0] == "TY  - ELEC"
    assert lines[-1] == "ER  - "
    assert all(re.fullmatch(r"[A-Z][A-Z0-9]  - .*", line) for line in lines)
    assert "N1  - one two" in lines


@pytest.mark.parametrize("words", HOSTILE)
def test_wiki_template_ends_where_it_should(words: str) -> None:
    wiki = CitationForms(source(words, words)).wiki
    inner = wiki.removeprefix("{{cite web |").removesuffix("}}")
    assert "}}" not in inner
    assert "{{" not in inner
    names = [field.partition("=")[0] for field in inner.split(" |")]
    assert names == [
        "title", "website", "url", "access-date",
        "archive-url", "archive-date", "url-status", "id", "quote",
    ]  # fmt: skip


PRIVATE = [
    # base address of a resolver, what the warning says of it
    ("http://127.0.0.1:8420", "127.0.0.1 is this machine"),
    ("http://[::1]:8420", "::1 is this machine"),
    ("http://10.1.2.3", "10.1.2.3 is part of a private network"),
    ("http://192.168.1.1", "192.168.1.1 is part of a private network"),
    ("http://169.254.1.1", "169.254.1.1 is on the local link"),
    ("http://[fd00::1]", "fd00::1 is part of a private network"),
    ("http://localhost:8420", "localhost is a name of this machine or its network"),
    ("http://archive", "archive is a name of this machine or its network"),
    ("http://nas.local", "nas.local is a name"),
    ("https://NAS.Local.", "nas.local. is a name"),
    ("https://archive.home.arpa", "archive.home.arpa is a name"),
    ("https://wiki.corp.internal", "wiki.corp.internal is a name"),
    ("file:///srv/archive", "no address of the web"),
]


@pytest.mark.parametrize(("base", "reason"), PRIVATE)
def test_an_address_that_others_cannot_open_is_no_archive_url(base: str, reason: str) -> None:
    made = CitationForms(source("title", "words", url=f"{base}/{REFERENCE}"))
    assert "archive" not in made.wiki
    assert "|url=https://example.org/" in made.wiki
    (warning,) = made.warnings
    assert reason in warning
    alone = CitationForms(source("title", "words", uri=None, url=f"{base}/{REFERENCE}"))
    assert "url=" not in alone.wiki


PUBLIC = [
    "https://archive.example.org",
    "http://archive.example.org.:8420",
    "http://93.184.215.14",
    "https://localhost.example.org",
    "https://b\u00fccher.example.org",
]


@pytest.mark.parametrize("base", PUBLIC)
def test_an_address_that_others_can_open_is_an_archive_url(base: str) -> None:
    made = CitationForms(source("title", "words", url=f"{base}/{REFERENCE}"))
    assert f"|archive-url={base}/" in made.wiki
    assert made.warnings == ()


def test_a_document_without_an_address_has_all_forms() -> None:
    made = CitationForms(source("title", "words", uri=None))
    assert "url-status" not in made.wiki
    assert "howpublished" not in made.bibtex
    assert URL in made.markdown


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_gives_forms(title: str, quote: str) -> None:
    made = CitationForms(source(title, quote))
    assert json.loads(made.csl_json)[0]["title"] == title
    assert _Words(made.html).tags[0][1] == {"cite": REFERENCE}


def test_the_words_of_a_recording_say_when_they_are_heard() -> None:
    heard = Source(
        reference="urn:pdi://lab.example.us/2026/11/21/7.audio+x-wav.1#sec=2,4",
        url="https://archive.example.org/urn:pdi://lab.example.us/2026/11/21/7.audio+x-wav.1?fragment=sec=2,4",
        quote="Ann: the tide turns",
        title="talk.wav",
        uri=None,
        retrieved_at=datetime(2026, 11, 21, tzinfo=UTC),
        archive="lab.example.us",
        media_type="audio/wav",
    )
    made = CitationForms(heard)
    for form in (made.sentence, made.markdown, made.html):
        assert "0:02-0:04" in form
        assert "Ann: the tide turns" in form
    assert "0:02-0:04" in made.wiki
