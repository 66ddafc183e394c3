"""PDI §3.5: quotations found in composite documents, recorded, compared, filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.archives import Archive

from permacite.errors import NotFoundError, ParseError
from permacite.markup import read_page
from permacite.service.quotations import finding

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from permacite.service.ingest.saved import Saved
    from permacite.service.quotations.comparing import Quotation

pytest.importorskip("cryptography", reason="the archive signs its log")

pytestmark = pytest.mark.engines(deep=True)

SOURCE = b"The tide of the twelfth\nwas the highest in a century.\n"
NAME = "urn:pdi://lab.example.us/2026/11/21/7.text.1"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Archive]:
    """An open archive."""
    with Archive.create(tmp_path / "archive", series="lab.example.us") as opened:
        yield opened


@pytest.fixture
def source(service: Archive) -> str:
    """The full name of a text that can be quoted."""
    return service.add(SOURCE, name="tide.txt").pdi


def quoting(service: Archive, name: str, text: str) -> tuple[Saved, list[Quotation]]:
    """Import a document and return it with what it quotes."""
    saved = service.add(text.encode(), name=name, misquoted=True)
    found = service.quotations.of(saved.pdi)
    assert found == list(saved.quotations)
    return saved, found


STATES = [
    ("pdi-47-exact", "{}#char=0,8", "The tide", "exact"),
    ("pdi-47-mark-up-does-not-count", "{}#char=0,8", "The <b>ti</b>de", "exact"),
    ("pdi-47-white-space", "{}#char=16,32", "twelfth was the", "space"),
    ("pdi-47-other-words", "{}#char=0,8", "The time", "differs"),
    ("pdi-47-by-reference", "{}#char=0,8", "", "reference"),
    (
        "pdi-46-whole-document",
        "{}",
        "The tide of the twelfth was the highest in a century.",
        "space",
    ),
    ("pdi-44-beyond-the-end", "{}#char=0,800", "The tide", "unknown"),
]


@pytest.mark.parametrize(
    ("reference", "words", "status"), [row[1:] for row in STATES], ids=[row[0] for row in STATES]
)
@pytest.mark.parametrize("element", ["blockquote", "q"])
def test_quoted_words_are_compared_with_their_source(
    service: Archive, source: str, element: str, reference: str, words: str, status: str
) -> None:
    cited = reference.format(source)
    text = f'<title>x</title><p>He says: <{element} cite="{cited}">{words}</{element}> indeed.'
    saved, (found,) = quoting(service, "x.html", text)
    assert (found.status, found.cited) == (status, cited)
    assert found.composite == saved.pdi.replace(".html.", ".utf-8.")
    assert found.citation == f"{found.composite}@{found.start}={cited.removeprefix('urn:')}"
    there = service.resolve(f"{found.composite}#char={found.start},{found.end}").text
    assert there == found.words
    assert " ".join(found.words.split()) == "".join(words.replace("<b>", "").split("</b>"))


@pytest.mark.engines
def test_pdi_45_the_citation_is_recorded_and_logged(service: Archive, source: str) -> None:
    """Clause pdi-45."""
    text = f'<blockquote cite="{source}#char=4,8">tide</blockquote>'
    saved, (found,) = quoting(service, "x.html", text)
    assert found.citation == f"{found.composite}@0={source.removeprefix('urn:')}#char=4,8"
    assert service.resolve(found.citation).text == "tide"
    assert service.verify().findings == ()
    assert saved.quotations == (found,)


def test_a_resolvers_address_is_a_name_too(service: Archive, source: str) -> None:
    address = f"http://127.0.0.1:8420/{source}?fragment=char=4,8"
    _, (found,) = quoting(service, "x.html", f'<q cite="{address}">tide</q>')
    assert (found.status, found.cited) == ("exact", f"{source}#char=4,8")


NOT_RECORDED = [
    ("pdi-45-no-version", "urn:pdi://lab.example.us/2026/11/21/7.text"),
    ("pdi-45-no-format", "urn:pdi://lab.example.us/2026/11/21/7"),
    ("pdi-16-pattern", "urn:pdi://lab.example.us/2026/11/*/7.text.1"),
    ("pdi-05-no-country", "urn:pdi://lab.example.org/2026/11/21/7.text.1"),
]


@pytest.mark.parametrize(
    "cited", [row[1] for row in NOT_RECORDED], ids=[r[0] for r in NOT_RECORDED]
)
def test_a_name_that_cannot_be_quoted_from_is_told_and_not_recorded(
    service: Archive, cited: str
) -> None:
    _, (found,) = quoting(service, "x.html", f'<q cite="{cited}">words</q>')
    assert (found.status, found.citation) == ("invalid", None)
    assert found.problem


def test_what_another_archive_holds_is_recorded(service: Archive) -> None:
    _, (found,) = quoting(service, "x.html", f'<q cite="{NAME}#char=1,2">x</q>')
    assert (found.status, found.cited_words) == ("unknown", None)
    assert found.citation is not None


def test_other_quotations_are_left_alone(service: Archive) -> None:
    text = '<blockquote cite="https://example.org/">x</blockquote><q>y</q><p cite="pdi://a.us/1">'
    assert quoting(service, "x.html", text)[1] == []
    assert quoting(service, "x.txt", f"> words\n\n-- {NAME}\n")[1] == []


def test_quotations_nest_in_the_order_of_their_beginnings() -> None:
    inner = f'<q cite="{NAME}#1,2">b</q>'
    text = f'<blockquote cite="{NAME}">a<blockquote><p>{inner}</blockquote>c'
    outer, within = finding.in_page(read_page(text))
    assert outer.words.split() == ["a", "b", "c"]
    assert (within.words, within.reference) == ("b", f"{NAME}#1,2")


def test_xhtml_is_read_as_xml() -> None:
    text = f'<h:html xmlns:h="x"><h:q cite="{NAME}"/>a<h:Q cite="{NAME}">b</h:Q></h:html>'
    assert [one.words for one in finding.in_page(read_page(text, xml=True))] == [""]


MARKDOWN = [
    # id, text, names found, words of the first
    (
        "ours",
        f"> The tide\n>\n> \u2014 [t](<http://h/{NAME}?fragment=char=0,8>), x. `{NAME}#char=0,8`",
        "The tide",
    ),
    ("link-below", f"> The tide\n\n\u2014 <{NAME}#char=0,8>\n", "The tide"),
    ("next-line", f"> The tide\n-- ({NAME}#char=0,8).\n", "The tide"),
    ("two-paragraphs", f"> a\n>\n> b\n\n[x]({NAME}#char=0,8)\n", "a\r\n\r\nb"),
    ("escapes", f"> 1\\. \\*a\\* \\\\\n\n`{NAME}#char=0,8`\n", "1. *a* \\"),
]


@pytest.mark.parametrize(
    ("text", "words"), [row[1:] for row in MARKDOWN], ids=[f"pdi-45-{row[0]}" for row in MARKDOWN]
)
def test_reads_block_quotations_of_markdown(text: str, words: str) -> None:
    text = "# Title\n\n" + text
    text = text.replace("\n", "\r\n")
    (found,) = finding.in_markdown(text)
    assert (found.words, found.reference) == (words, f"{NAME}#char=0,8")
    assert text[found.start : found.end].startswith(words[:1])


NO_MARKDOWN = [
    f"> The tide\n\nSee {NAME} for more.",
    f"> The tide\n\n\n\n-- {NAME}",
    f"```\n> The tide\n\n-- {NAME}\n```\n",
    f"> \n\n-- {NAME}\n",
    "> The tide\n\n-- nobody\n",
    f"-- {NAME}\n",
]


@pytest.mark.parametrize("text", NO_MARKDOWN)
def test_finds_no_quotation_of_markdown(text: str) -> None:
    assert finding.in_markdown(text.replace("\n", "\r\n")) == []


def test_pdi_45_who_quotes_a_passage_is_found(service: Archive, source: str) -> None:
    """Clause pdi-45."""
    quoting(service, "a.html", f'<title>A</title><q cite="{source}#char=4,16">tide of the</q>')
    quoting(service, "b.md", f"> twelfth\n\n-- {source}#char=16,23\n")
    quoting(service, "c.html", f'<title>C</title><q cite="{source}">all of it</q>')

    def who(reference: str) -> list[str | None]:
        return [one.title for one in service.quotations.quoters(reference)]

    assert who(source) == ["A", "b.md", "C"]
    assert who(f"{source}#char=0,5") == ["A", "C"]
    assert who(f"{source}#char=15,17") == ["A", "b.md", "C"]
    assert who(f"{source}#char=23,30") == ["C"]
    assert who(source.removesuffix(".text.1")) == ["A", "b.md", "C"]
    with pytest.raises(NotFoundError):
        who(NAME.replace("/7", "/99"))


COMPOSED = [
    ("html", "<p>{{quote NAME#char=0,32}}</p><p>{{q NAME#char=4,8}} {{words NAME#char=0,3}}", 2),
    ("md", "# T\n\n{{quote NAME#char=0,32}}\n\n  {{quote NAME#char=4,8}}\n", 2),
]


@pytest.mark.parametrize(("suffix", "template", "count"), COMPOSED, ids=[c[0] for c in COMPOSED])
def test_what_is_filled_in_is_found_again_exact(
    service: Archive, source: str, suffix: str, template: str, count: int
) -> None:
    composed = service.quotations.templates.compose(
        template.replace("NAME", source), suffix=f".{suffix}"
    )
    assert "{{" not in composed.text
    assert composed.references[0] == f"{source}#char=0,32"
    _, found = quoting(service, f"x.{suffix}", composed.text)
    assert [one.status for one in found] == ["exact"] * count


def test_a_version_is_filled_in(service: Archive, source: str) -> None:
    open_ = source.removesuffix(".1") + "#char=4,8"
    composed = service.quotations.templates.compose(f"{{{{q {open_}}}}}", suffix=".txt")
    assert composed.text == f"\u201ctide\u201d ({source}#char=4,8)"
    assert (
        service.quotations.templates.compose("{{other}} {{ x }}", suffix=".md").text
        == "{{other}} {{ x }}"
    )


@pytest.mark.parametrize(
    ("suffix", "mark", "written"),
    [
        (".tex", "words", r"5\% of A\&B, \textbraceleft{}x\_y\textbraceright{}"),
        (".tex", "q", "\u201c5\\% of A"),
        (".tex", "quote", "\\begin{quote}\n5\\% of A"),
        (".xml", "words", "5% of A&amp;B, {x_y}"),
        (".txt", "words", "5% of A&B, {x_y}"),
    ],
)
def test_what_is_filled_in_is_escaped_as_the_template_wants_it(
    service: Archive, suffix: str, mark: str, written: str
) -> None:
    name = service.add(b"5% of A&B, {x_y}", name="a.txt").pdi
    composed = service.quotations.templates.compose(f"{{{{{mark} {name}}}}}", suffix=suffix)
    assert composed.text.startswith(written)
    with pytest.raises(ParseError):
        service.quotations.templates.compose(f"{{{{{mark} {name}}}}}", suffix=".rst")


def test_words_are_escaped(service: Archive) -> None:
    name = service.add(b"<b> & *stars* [x]", name="x.txt").pdi
    assert (
        service.quotations.templates.compose(f"{{{{words {name}}}}}", suffix=".html").text
        == "&lt;b&gt; &amp; *stars* [x]"
    )
    assert (
        "\\*stars\\* \\[x\\]"
        in service.quotations.templates.compose(f"{{{{words {name}}}}}", suffix=".md").text
    )


def test_a_passage_that_cuts_a_tag_makes_no_illegal_page(service: Archive) -> None:
    """Clause pdi-38."""
    page = service.add(b'<p class="a">one <b>two</b></p>', name="x.html").pdi
    composed = service.quotations.templates.compose(
        f"<p>{{{{q {page}#char=3,20}}}}</p>", suffix=".html"
    )
    assert composed.text == (
        f'<p><q cite="{page}#char=3,20">class=&quot;a&quot;&gt;one &lt;b&gt;</q></p>'
    )


REFUSED = [
    ("no name", "a {{quote }} b", 10),
    ("no name of ours", "a {{q http://example.org/}} b", 6),
    ("a pattern", "{{q urn:pdi://lab.example.us/2026/*/*/*}}", 34),
]


@pytest.mark.parametrize(
    ("template", "offset"), [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED]
)
def test_a_mark_that_is_wrong_is_shown_in_the_template(
    service: Archive, template: str, offset: int
) -> None:
    with pytest.raises(ParseError) as error:
        service.quotations.templates.compose(template, suffix=".html")
    assert (error.value.source, error.value.offset) == (template, offset)


def test_a_block_shares_no_line_in_markdown(service: Archive, source: str) -> None:
    with pytest.raises(ParseError) as error:
        service.quotations.templates.compose(f"see {{{{quote {source}}}}}", suffix=".md")
    assert error.value.offset == 4


@given(st.text(alphabet="<>qblockquote cite=\"'/pdi:/ \n\r>-`()[]7.1#", max_size=200))
def test_any_text_is_searched(text: str) -> None:
    for xml in (False, True):
        finding.in_page(read_page(text, xml=xml))
    finding.in_page(read_page(f'<q cite="pdi://{text}">'))
    for found in finding.in_markdown(text.replace("\r", "").replace("\n", "\r\n")):
        assert found.start < found.end


def test_the_log_says_what_was_quoted(service: Archive, source: str) -> None:
    quoting(service, "b.md", f"> tide\n\n-- {source}#char=4,8\n")
    log = service._repository.log  # noqa: SLF001 - the log as it is written
    entry = log.disclosed([*log.leaves()][-1])
    assert entry["formats"][0]["quotations"] == [["2", f"{source}#char=4,8"]]
