"""PDI §3.4.2: elements of HTML, SGML and XML, by position and by name."""

from __future__ import annotations

import pytest

from permacite.errors import LimitError, NotFoundError
from permacite.extract import extract
from permacite.markup.tree import html_elements

HTML = "<!DOCTYPE html>"

ELEMENTS = [
    # clause id, source, position of one element, what it is
    ("media-elt-end-tag", "<div><p>a</p>b</div>c", 0, "<div><p>a</p>b</div>"),
    ("media-elt-inner", "<div><p>a</p>b</div>c", 1, "<p>a</p>"),
    ("media-elt-case", "<DIV>a</div >b", 0, "<DIV>a</div >"),
    ("media-elt-implied-by-the-next", "<p>a\n<p>b", 0, "<p>a\n"),
    ("media-elt-implied-by-the-end", "<p>a\n<p>b", 1, "<p>b"),
    ("media-elt-implied-by-the-parent", "<div><p>a</div>b", 1, "<p>a"),
    ("media-elt-void", "<p>a<br>b</p>", 1, "<br>"),
    ("media-elt-void-slash", "<p>a<br/>b</p>", 1, "<br/>"),
    ("media-elt-slash-is-nothing", "<p/>e</p>f", 0, "<p/>e</p>"),
    ("media-elt-ignored-counts", "<p>a<col>b</p>", 1, "<col>"),
    ("media-elt-after-an-ignored-tag", "<p>a<col><b>c</b></p>", 2, "<b>c</b>"),
    ("media-elt-stray-end-tags", "</em><p>a</i></p>", 0, "<p>a</i></p>"),
    ("media-elt-not-in-comments", "<!-- <p> --><b>x</b>", 0, "<b>x</b>"),
    ("media-elt-not-in-scripts", "<script><p></script><b>x</b>", 1, "<b>x</b>"),
    ("media-elt-not-in-titles", "<title><p></title><b>x</b>", 0, "<title><p></title>"),
    ("media-elt-not-in-textareas", "<textarea><p></textarea>x", 0, "<textarea><p></textarea>"),
    ("media-elt-scripting-off", "<body><noscript><p>x</p></noscript>", 2, "<p>x</p>"),
    ("media-elt-attributes", "<a title='>'>x</a>", 0, "<a title='>'>x</a>"),
    ("media-elt-template", "<template><p>x</template>y", 1, "<p>x"),
    # a nobr that is open, but stands before a marker among the formatting elements
    (
        "media-elt-nobr-marker",
        "<nobr><table><marquee></table><nobr>",
        0,
        "<nobr><table><marquee></table>",
    ),
    (
        "media-elt-nobr-marker-object",
        "<nobr><table><object></table>x<nobr>",
        0,
        "<nobr><table><object></table>x",
    ),
    (
        "media-elt-nobr-marker-inner",
        "<nobr><b><table><applet></table><nobr>y",
        1,
        "<b><table><applet></table>",
    ),
    (
        "media-elt-nobr-marker-block",
        "<nobr><p><table><applet></table><nobr>y",
        0,
        "<nobr><p><table><applet></table><nobr>y",
    ),
    (
        "media-elt-nobr-out-of-scope",
        "<nobr><marquee><nobr>x</marquee>y",
        0,
        "<nobr><marquee><nobr>x</marquee>y",
    ),
    ("media-elt-nobr-in-scope", "<nobr>x<nobr>y", 0, "<nobr>x"),
    ("media-elt-a-marker", "<a><table><marquee></table><a>", 0, "<a><table><marquee></table><a>"),
    # what is left open
    ("media-elt-list", "<ul><li>1<ul><li>2</ul><li>3</ul>", 1, "<li>1<ul><li>2</ul>"),
    ("media-elt-list-block", "<ul><li><div>1<li>2</ul>", 2, "<div>1"),
    ("media-elt-definitions", "<dl><dt>T<dd>D<dd>E</dl>", 2, "<dd>D"),
    ("media-elt-table", "<table><tr><td>x<td>y<tr><td>z</table>", 1, "<tr><td>x<td>y"),
    ("media-elt-cell", "<table><tr><td>x<td>y<tr><td>z</table>", 3, "<td>y"),
    (
        "media-elt-sections",
        "<table><thead><tr><th>x<tbody><tr><td>y</table>",
        1,
        "<thead><tr><th>x",
    ),
    ("media-elt-caption", "<table><caption>c<tr><td>x</table>", 1, "<caption>c"),
    ("media-elt-columns", "<table><colgroup><col><tr><td>x</table>", 1, "<colgroup><col>"),
    (
        "media-elt-nested-table",
        "<table><tr><td><table><tr><td>a</table>b</table>",
        2,
        "<td><table><tr><td>a</table>b",
    ),
    ("media-elt-options", "<select><option>1<option>2</select>", 1, "<option>1"),
    (
        "media-elt-option-groups",
        "<select><optgroup><option>1<optgroup></select>",
        1,
        "<optgroup><option>1",
    ),
    ("media-elt-select-ends", "<select><option>1<input>2", 0, "<select><option>1"),
    ("media-elt-ruby", "<ruby>a<rt>b<rp>c</ruby>", 1, "<rt>b"),
    ("media-elt-headings", "<h1>a<h2>b</h1>c", 0, "<h1>a"),
    ("media-elt-button", "<button>a<button>b</button>", 0, "<button>a"),
    ("media-elt-p-and-table", HTML + "<p>a<table></table>", 0, "<p>a"),
    ("media-elt-p-and-table-in-quirks", "<p>a<table></table>b", 0, "<p>a<table></table>b"),
    ("media-elt-head", "<head><title>t</title><p>x", 0, "<head><title>t</title>"),
    ("media-elt-body", "<body><p>x</body>y", 0, "<body><p>x</body>"),
    ("media-elt-html", "<html><p>x</body></html>\n", 0, "<html><p>x</body></html>"),
    # misnested
    ("media-elt-misnested-outer", "<p>1<b>2<i>3</b>4</i>5</p>", 1, "<b>2<i>3</b>"),
    ("media-elt-misnested-inner", "<p>1<b>2<i>3</b>4</i>5</p>", 2, "<i>3</b>4</i>"),
    ("media-elt-bold-around-a-block", "<b>1<p>2</b>3</p>", 0, "<b>1<p>2</b>"),
    ("media-elt-block-in-bold", "<b>1<p>2</b>3</p>", 1, "<p>2</b>3</p>"),
    ("media-elt-opened-again", "<p><b>1<p>2</b>3", 1, "<b>1<p>2</b>"),
    ("media-elt-link-in-link", "<a>1<a>2</a>3", 0, "<a>1"),
    (
        "media-elt-span-and-div",
        "<div><span>a<div>b</span>c</div>d</div>",
        1,
        "<span>a<div>b</span>c</div>d",
    ),
    ("media-elt-foster", "<table><b>x</b><tr><td>y</table>", 1, "<b>x</b>"),
    ("media-elt-form", "<form><div></form>x</div>", 0, "<form><div></form>"),
    ("media-elt-three-alike", "<p><b><b><b><b>x<p>y</b>z", 1, "<b><b><b><b>x"),
    # foreign content
    ("media-elt-svg-slash", "<svg><path/><circle/></svg>", 1, "<path/>"),
    ("media-elt-svg-cdata", "<svg><![CDATA[<g>]]><g>x</g></svg>", 1, "<g>x</g>"),
    ("media-elt-svg-title", "<svg><title><b>x</b></title></svg>", 2, "<b>x</b>"),
    (
        "media-elt-svg-case",
        "<svg><foreignObject><i>x</i></foreignObject>y</svg>",
        1,
        "<foreignObject><i>x</i></foreignObject>",
    ),
    ("media-elt-svg-left", "<svg><g><p>x</svg>y", 1, "<g>"),
    ("media-elt-math", "<math><mi>x</mi><mspace/></math>", 2, "<mspace/>"),
    (
        "media-elt-annotation",
        "<math><annotation-xml encoding=text/html><p>x</p>y</annotation-xml></math>",
        2,
        "<p>x</p>",
    ),
    ("media-elt-frames", "<frameset><frame><frame></frameset>", 2, "<frame>"),
    # odd tags
    ("media-elt-unquoted-slash", "<a href=x/>y</a>", 0, "<a href=x/>y</a>"),
    ("media-elt-odd-name", "<a<b>c</a<b>", 0, "<a<b>c</a<b>"),
    ("media-elt-line-breaks", "<b\nclass='q'\n>x</b\n>", 0, "<b\nclass='q'\n>x</b\n>"),
    ("media-elt-unterminated-tag", "<p>x<b class=", 0, "<p>x<b class="),
]


@pytest.mark.parametrize(
    ("source", "position", "expected"), [c[1:] for c in ELEMENTS], ids=[c[0] for c in ELEMENTS]
)
def test_an_element_of_html(source: str, position: int, expected: str) -> None:
    found = extract(source.encode(), "text/html", f"elt={position},{position}")
    assert found.data.decode() == expected
    assert found.source_range is not None
    assert source.encode()[slice(*found.source_range)] == found.data


RANGES = [
    # clause id, source, fragment, expected
    ("pdi-36-two", "<p>a</p>-<p>b</p>c", "elt=0,1", "<p>a</p>-<p>b</p>"),
    ("media-elt-nested-end", "<div>a<p>b</p>c</div>", "elt=0,1", "<div>a<p>b</p>"),
    (
        "pdi-37-name",
        "<p>a<i name=x>b</i><i name=y>c</i>d",
        "name=x,y",
        "<i name=x>b</i><i name=y>c</i>",
    ),
    ("pdi-37-first", "<i name=x>1</i><i name=x>2</i>", "name=x,x", "<i name=x>1</i>"),
    ("pdi-37-case", "<i name=A>1</i><i name=a>2</i>", "name=a,a", "<i name=a>2</i>"),
    (
        "media-name-decoded",
        "<i name='a&amp;b'>1</i>",
        "name=a%26b,a%26b",
        "<i name='a&amp;b'>1</i>",
    ),
    ("media-name-space", "<i name='a b'>1</i>", "name=a%20b,a%20b", "<i name='a b'>1</i>"),
    (
        "media-name-not-ascii",
        "<i name='\u00e9'>1</i>",
        "name=%c3%a9,%c3%a9",
        "<i name='\u00e9'>1</i>",
    ),
    ("media-name-tag-case", "<I NAME=x>1</I>", "name=x,x", "<I NAME=x>1</I>"),
    ("media-name-id", "<i id=x>1</i>", "name=x,x", "<i id=x>1</i>"),
    ("media-name-before-id", "<i id=x>1</i><i name=x>2</i>", "name=x,x", "<i name=x>2</i>"),
    (
        "media-name-not-in-comments",
        "<!-- <i name=x> --><b name=x>1</b>",
        "name=x,x",
        "<b name=x>1</b>",
    ),
]


@pytest.mark.parametrize(
    ("source", "fragment", "expected"), [c[1:] for c in RANGES], ids=[c[0] for c in RANGES]
)
def test_from_one_element_to_another(source: str, fragment: str, expected: str) -> None:
    found = extract(source.encode(), "text/html", fragment)
    assert found.text == expected
    assert found.data == expected.encode()


NOT_THERE = [
    # clause id, source, fragment
    ("media-name-none", "<i name=x>1</i>", "name=y,y"),
    ("media-name-end", "<i name=x>1</i>", "name=x,y"),
    ("media-name-backwards", "<i name=y>1</i><i name=x>2</i>", "name=x,y"),
    ("media-name-other-case", "<i name=X>1</i>", "name=x,x"),
]


@pytest.mark.parametrize(
    ("source", "fragment"), [c[1:] for c in NOT_THERE], ids=[c[0] for c in NOT_THERE]
)
def test_no_element_of_that_name(source: str, fragment: str) -> None:
    with pytest.raises(NotFoundError):
        extract(source.encode(), "text/html", fragment)


def test_names_that_differ_in_case_are_offered() -> None:
    """media-name: names are compared exactly."""
    with pytest.raises(NotFoundError) as error:
        extract(b"<i name=X>1</i>", "text/html", "name=x,x")
    assert error.value.candidates == ("X",)


XML = [
    # clause id, source, position, expected
    ("media-xml-root", "<?xml version='1.0'?><!-- <a> --><r><a/></r>\n", 0, "<r><a/></r>"),
    ("media-xml-empty", "<r><a b='>'/></r>", 1, "<a b='>'/>"),
    ("media-xml-case", "<r><A>x</A><a>y</a></r>", 2, "<a>y</a>"),
    ("media-xml-cdata", "<r><![CDATA[<a>]]><b/></r>", 1, "<b/>"),
    ("media-xml-instruction", "<r><?pi <a> ?><b/></r>", 1, "<b/>"),
    ("media-xml-entities", '<!DOCTYPE r [<!ENTITY e "<z/>">]><r>&e;<y/></r>', 1, "<y/>"),
    ("media-xml-same-name", "<a><a>x</a>y</a>", 1, "<a>x</a>"),
    ("media-xml-space", "<r><a\n b = '1' ></a ></r>", 1, "<a\n b = '1' ></a >"),
    ("media-xml-not-closed", "<r><a>x</r>y", 1, "<a>x"),
    ("media-xml-stray-end-tag", "<r></b>x</r>y", 0, "<r></b>x</r>"),
    ("media-xml-cut-off", "<r><a>x", 0, "<r><a>x"),
]


@pytest.mark.parametrize("media_type", ["text/xml", "application/xml", "application/xhtml+xml"])
@pytest.mark.parametrize(
    ("source", "position", "expected"), [c[1:] for c in XML], ids=[c[0] for c in XML]
)
def test_an_element_of_xml(source: str, position: int, expected: str, media_type: str) -> None:
    found = extract(source.encode(), media_type, f"elt={position},{position}")
    assert found.data.decode() == expected


def test_the_source_is_cut_as_it_is() -> None:
    """media-out: the bytes are those of the document, in its charset, with its line ends."""
    data = "<p>\u00e9\n<p>\u00e8".encode("iso-8859-1")
    found = extract(data, "text/html", "elt=0,0", charset="iso-8859-1")
    assert found.data == b"<p>\xe9\n"
    assert found.text == "<p>\u00e9\r\n"
    assert found.source_range == (0, 5)


@pytest.mark.parametrize(
    "source",
    ["<p><button>" + "<div>" * 9_000, "<svg><g>" * 4_000 + "</x>" * 4_000],
    ids=["media-limits-scopes", "media-limits-foreign"],
)
def test_hostile_nesting_is_an_error_in_time(source: str) -> None:
    with pytest.raises(LimitError) as error:
        html_elements(source)
    assert error.value.limit == "elements"
