"""Plain text of a page, by the numbered rules of markup.plain, and its map to the source."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from permacite.errors import NotFoundError
from permacite.markup import RENDITION_VERSION, plain_text, title

GOLDEN = Path(__file__).parents[1] / "golden" / "rendition"

RULES = [
    # rule, source, text (line ends as LF here)
    ("1-references", "a&amp;b&eacute;&#8364;&bogus;&notit;", "a&b\xe9\u20ac&bogus;\xacit;\n"),
    ("1-no-attribute-is-text", "a<img alt='b' title='c'>d<input value='e'>", "ad\n"),
    ("1-nothing-invented", "<ol><li>a<li>b</ol><q>c</q>", "a\nb\nc\n"),
    ("1-comments", "a<!-- b -->c", "ac\n"),
    ("2-head", "<title>a</title><style>b</style><script>c</script>d", "d\n"),
    ("2-template", "<template>a<template>b</template>c</template>d", "d\n"),
    ("2-shadow-root", "<div><template shadowrootmode=open>a</template>b</div>", "ab\n"),
    ("2-fallbacks", "<iframe>a</iframe><video>b<p>c</p></video><canvas>d</canvas>e", "e\n"),
    ("2-options", "<select><option>a<optgroup><option>b</select><datalist>c</datalist>d", "d\n"),
    ("2-old-fallbacks", "<noembed>a</noembed><noframes>b</noframes>c", "c\n"),
    ("2-ruby", "<ruby>a<rp>(</rp><rt>b</rt><rp>)</rp></ruby>", "ab\n"),
    ("2-mathml", "<math><mi>a</mi><annotation>b</annotation></math>", "a\n"),
    ("2-svg", "<svg><title>a</title><desc>b</desc><metadata>c</metadata>d</svg>", "d\n"),
    ("2-noscript-is-text", "<noscript>a</noscript>b", "ab\n"),
    ("2-object-is-text", "<object>a</object><button>b</button><textarea>c</textarea>", "ab\nc\n"),
    ("2-hidden", "<div hidden>a<div>b</div>c</div>d", "d\n"),
    ("2-hidden-in-any-form", "<b HIDDEN=until-found>a</b>b<i data-hidden>c</i>", "bc\n"),
    ("2-hidden-void", "a<br hidden>b<hr hidden>c", "abc\n"),
    ("2-hidden-body-is-not-heeded", "<body hidden>a", "a\n"),
    ("2-dialog", "<dialog>a</dialog><dialog open>b</dialog>", "b\n"),
    ("3-nested", "<b hidden>a<b>b</b>c</b>d", "d\n"),
    ("3-never-closed", "a<b hidden>b<p>c", "a\n"),
    ("3-list-item", "<ul><li hidden>a<li>b<li hidden>c</ul>d", "b\nd\n"),
    ("3-list-in-item", "<ul><li hidden>a<ul><li>b</ul>c<li>d</ul>", "d\n"),
    ("3-paragraph", "<p hidden>a<b>b<div>c</div>", "c\n"),
    ("3-cells", "<table><tr><td hidden>a<td>b<tr hidden><td>c<tr><td>d</table>", "b\nd\n"),
    ("3-definition", "<dl><dt hidden>a<dd>b<dd hidden>c</dl>d", "b\nd\n"),
    ("3-stray-end-tag", "<b hidden>a</i>b</b>c", "c\n"),
    ("4-white-space", " a \t\n\f\r\n b  ", "a b\n"),
    ("4-across-tags", "a <b> b </b> c<i> d</i>", "a b c d\n"),
    ("4-no-break-space", "a&nbsp; &nbsp;b\xa0", "a\xa0 \xa0b\xa0\n"),
    ("4-other-spaces", "a\u2003\u200bb\x0bc\xad", "a\u2003\u200bb\x0bc\xad\n"),
    ("4-nul", "a\x00b&#0;", "ab\ufffd\n"),
    ("4-references-to-white-space", "a&#32;&#10;&Tab; b", "a b\n"),
    ("5-paragraphs", "<p>a<p>b</p>c", "a\n\nb\n\nc\n"),
    ("5-open-paragraph", "<p>a<ul><li>b</ul><div><p>c</div>d", "a\n\nb\n\nc\n\nd\n"),
    ("5-open-paragraph-and-inline-blocks", "<p>a<textarea>b</textarea>c", "a\nb\nc\n"),
    ("5-headings", "<h1>a</h1><h2>b</h2><div>c</div>", "a\n\nb\n\nc\n"),
    ("5-blocks", "<div>a<div>b</div></div><section>c</section>d", "a\nb\nc\nd\n"),
    ("5-inline", "<span>a</span><b>b</b><x-y>c</x-y>", "abc\n"),
    ("5-br", "a<br>b<br><br>c<br><br><br>d</br>e", "a\nb\n\nc\n\nd\ne\n"),
    ("5-br-at-the-end", "<p>a<br></p><div>b<br></div>c", "a\n\nb\nc\n"),
    ("5-spaces-at-line-ends", "a <br> b <p> c ", "a\nb\n\nc\n"),
    ("5-one-empty-line", "<p>a</p><p></p><hr><p> </p><p>b", "a\n\nb\n"),
    ("5-edges", "<p></p><br><p>a</p><br><p></p>", "a\n"),
    ("5-empty", "", ""),
    ("5-nothing-to-see", " <p> <br> </p><!-- a --> ", ""),
    ("6-table", "<table><tr><th>a</th> <th>b</th>\n<tr><td>c<td>d</table>e", "a\tb\nc\td\ne\n"),
    ("6-empty-cells", "<table><tr><td><td>a<td><td>b<td></table>", "a\t\tb\n"),
    ("6-blocks-in-cells", "<table><tr><td><p>a</p><p>b</p></td><td><div>c</div><tr><td>d</table>",
     "a\n\nb\tc\nd\n"),
    ("6-br-at-the-edge", "<table><tr><td>a<td><br>b<br></table>", "a\tb\n"),
    ("6-nested", "<table><tr><td>a<td><table><tr><td>b<td>c</table><td>d</table>", "a\nb\tc\nd\n"),
    ("6-caption-and-sections", "<table><caption>a</caption><thead><tr><td>b<tbody><td>c</table>",
     "a\nb\nc\n"),
    ("6-cell-outside", "a<td>b", "ab\n"),
    ("7-pre", "<pre>\n a  b\n\n\n\tc &lt;\n</pre>d", " a  b\n\n\n\tc <\n\nd\n"),
    ("7-edges", "x<pre>\n\n  \n a\n \n</pre>y", "x\n\n a\n\ny\n"),
    ("7-edges-inside", "x<pre><b>\n a</b>\n\n<i> </i></pre>y", "x\n\n a\n\ny\n"),
    ("7-edges-first", "<pre> \n\n a</pre>", " a\n"),
    ("7-inline-inside", "<pre>a\n<b>  b</b>\n</pre>", "a\n  b\n"),
    ("7-br", "<pre>a<br>  b\n<br>c</pre>", "a\n  b\n\nc\n"),
    ("7-line-ends", "<pre>a\rb\r\nc&#10;d&#13;e</pre>", "a\nb\nc\nd\ne\n"),
    ("7-nested", "<pre>a<pre> b</pre>  c</pre>d  e", "a\n\n b\n\n  c\n\nd e\n"),
    ("7-textarea", "a<textarea>\n b\n  c</textarea>d", "a\n b\n  c\nd\n"),
    ("7-xmp", "<xmp><b>&amp;</xmp>c", "<b>&amp;\n\nc\n"),
    ("7-plaintext", "a<plaintext>\n <b>", "a\n\n <b>\n"),
    ("8-svg", "a<svg><text>b</text><text>c<tspan>d</tspan></text></svg>e", "a\nb\ncd\ne\n"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "text"), [c[1:] for c in RULES], ids=[c[0] for c in RULES])
def test_the_rules(source: str, text: str) -> None:
    assert plain_text(source).text == text.replace("\n", "\r\n")


XML = [
    ("9-xhtml", "<html><head><title>a</title></head><body><div/>b<br/>c</body></html>", "b\nc\n"),
    ("9-prefixes", "<h:html><h:p>a</h:p><h:p>b</h:p><h:script>c</h:script></h:html>", "a\n\nb\n"),
    ("9-prefixes-unknown-root", "<h:a><h:p>b</h:p><h:p>c</h:p></h:a>", "bc\n"),
    ("9-script-closes-itself", "<html><script src='a'/><p>b</p></html>", "b\n"),
    ("9-cdata", "<html><p>a<![CDATA[ <b>&amp; ]]></p></html>", "a <b>&amp;\n"),
    ("9-svg", "<svg><title>a</title><g><text>b</text><text>c</text></g></svg>", "b\nc\n"),
    ("9-other", "<a>\n <title>b &amp; c</title>\n\n <d>e  f<g>h</g></d></a>", "b & c\ne fh\n"),
    ("9-other-p-is-no-paragraph", "<a><p>b</p><p>c</p> <d hidden='x'>d</d></a>", "bc d\n"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "text"), [c[1:] for c in XML], ids=[c[0] for c in XML])
def test_the_rules_for_xml(source: str, text: str) -> None:
    assert plain_text(source, xml=True).text == text.replace("\n", "\r\n")


TITLES = [
    ("<title> a\n &amp; b </title>", "a & b"),
    ("<title></title><title>a</title>", None),
    ("<svg><title>a</title></svg><title>b</title>", "b"),
    ("<p>a", None),
    ("<title>a", "a"),
]


@pytest.mark.parametrize(("source", "expected"), TITLES)
def test_the_title_is_separate_from_the_text(source: str, expected: str | None) -> None:
    assert title(source) == expected


def test_the_frozen_version() -> None:
    """A change to any row or golden file is a new version, and the old one stays."""
    assert RENDITION_VERSION == plain_text("").version == 1


# ---------------------------------------------------------------- the map
PAGE = "<p>One &amp; <b>two</b>\n  three<p>four<br>five<img>six"
#       text: "One & two three", empty line, "four", "fivesix"


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        ("One", "One"),
        ("&", "&amp;"),
        ("two", "two"),
        ("two three", "two</b>\n  three"),
        ("ne & t", "ne &amp; <b>t"),
        ("three\r\n\r\nfo", "three<p>fo"),
        ("four\r\nfive", "four<br>five"),
        ("esi", "e<img>si"),
        ("\r\n\r\n", "<p>"),
    ],
)
def test_html_h3_text_leads_to_its_source(quote: str, source: str) -> None:
    """html-h3: text with CRLF line ends, source with any."""
    rendition = plain_text(PAGE)
    start = rendition.text.index(quote)
    begin, end = rendition.source_range(start, start + len(quote))
    assert PAGE[begin:end] == source


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("One", "One"),
        ("mp;", "&"),
        ("<b>two</b>", "two"),
        ("two</b>\n  three", "two three"),
        ("three<p>four", "three\r\n\r\nfour"),
        ("<p>four", "four"),
        ("<br>", ""),
        (PAGE, "One & two three\r\n\r\nfour\r\nfivesix"),
    ],
)
def test_html_h3_source_leads_to_its_text(source: str, text: str) -> None:
    """html-h3, the other way round."""
    rendition = plain_text(PAGE)
    begin = PAGE.index(source)
    start, end = rendition.text_range(begin, begin + len(source))
    assert rendition.text[start:end] == text


def test_runs_are_what_can_be_wrapped() -> None:
    rendition = plain_text(PAGE)
    runs = [PAGE[run.source_start : run.source_end] for run in rendition.runs()]
    assert runs == ["One &amp; ", "two", "\n  three", "four", "five", "six"]
    assert [rendition.text[run.start : run.end] for run in rendition.runs(12, 22)] == [
        "ree",
        "fou",
    ]


def test_positions_have_places_too() -> None:
    rendition = plain_text("<p>ab</p>")
    assert [rendition.source_range(at, at) for at in range(5)] == [
        (3, 3),
        (4, 4),
        (5, 5),
        (5, 5),
        (9, 9),
    ]
    assert plain_text("<p>").source_range(0, 0) == (0, 0)
    assert plain_text("<p>").text_range(0, 3) == (0, 0)
    assert list(plain_text("<p>").runs()) == []


@pytest.mark.parametrize(("start", "end"), [(-1, 0), (0, 5), (3, 2), (5, 5)])
def test_ranges_outside_the_text_name_nothing(start: int, end: int) -> None:
    rendition = plain_text("<p>ab</p>")
    for ask in (rendition.source_range, rendition.runs, rendition.pieces):
        with pytest.raises(NotFoundError, match="4 characters"):
            list(ask(start, end))


# ---------------------------------------------------------------- whole pages
@pytest.mark.parametrize("name", sorted(path.name for path in GOLDEN.glob("*.*html")))
def test_whole_pages(name: str) -> None:
    """`python tests/spec/test_plain_rendition.py` writes the golden files again: read the diff."""
    for path, content in golden(GOLDEN / name).items():
        assert path.read_bytes() == content


def golden(page: Path) -> dict[Path, bytes]:
    """Return the golden files of a page: its text, and the pieces of its map, one a line."""
    rendition = plain_text(page.read_bytes().decode(), xml=page.suffix == ".xhtml")
    pieces = ",\n".join(json.dumps(piece) for piece in rendition.pieces())
    return {
        page.with_suffix(".txt"): rendition.text.encode(),
        page.with_suffix(".map.json"): f"[{pieces}]\n".encode(),
    }


# ---------------------------------------------------------------- time
HOSTILE = [
    "<b hidden>",
    "<p>",
    "<li hidden>",
    "<table><tr><td>",
    "<pre>\n",
    " ",
    "&amp;",
    "a ",
    "<br>",
]
HOSTILE += [
    "<pre> \n",
    "&#32;",
    "\x00",
    "<svg>",
    "<td>",
    "<div hidden></div>",
    "<dialog>",
    "<!---->",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_takes_linear_time(piece: str) -> None:
    """Were it quadratic, each of these would take minutes."""
    for source in (piece * 12_000, "<pre>" + piece * 12_000, f"<b hidden>{piece * 12_000}</b>a"):
        rendition = plain_text(source)
        assert rendition.source_range(0, len(rendition.text)) <= (len(source), len(source))


if __name__ == "__main__":
    for written in sorted(GOLDEN.glob("*.*html")):
        for target, made in golden(written).items():
            target.write_bytes(made)
