"""The HTML standard §13.2.5, §13.2.6.5: tokens and their places, beside an unrelated parser."""

from __future__ import annotations

import re

import pytest
import turbohtml
from hypothesis import given
from hypothesis import strategies as st

from permacite.markup import (
    TOKENIZER_VERSION,
    Comment,
    Doctype,
    EndTag,
    ProcessingInstruction,
    StartTag,
    Text,
    Token,
    tokenize,
)

TOKENS = [
    # clause id and section, source, what it is read as (see `shape`)
    ("html-h1-s13.2.5.1-text", "a < b <3 <", "'a < b <3 <'"),
    ("html-h1-s13.2.5.1-nul-stays", "a\x00b", "'a\\x00b'"),
    ("html-h1-s13.2.3.5-line-ends", "a\r\nb\rc", "'a\\nb\\nc'"),
    ("html-h1-s13.2.5.6-tags", "<P>x</P >", "<p> | 'x' | </p>"),
    ("html-h1-s13.2.5.6-odd-name", "<a<b>x", "<a<b> | 'x'"),
    ("html-h1-s13.2.5.6-only-ascii-is-lowered", "<K\u212a>", "<k\u212a>"),
    ("html-h1-s13.2.5.7-empty-end-tag", "a</>b", "'a' | ignored | 'b'"),
    ("html-h1-s13.2.5.7-end-tag-at-the-end", "a</", "'a</'"),
    ("html-h1-s13.2.5.7-bogus", "</ p>x", "! p! | 'x'"),
    ("html-h1-s13.2.5.8-cut-off", "x<p a=1", "'x' | ignored"),
    ("html-h1-s13.2.5.8-open-quote", "x<p a='1>y</p>", "'x' | ignored"),
    ("html-h1-s13.2.5.32-slash", "<br/><br /><a/b>", "<br/> | <br/> | <a b=''>"),
    ("html-h1-s13.2.5.32-equals-first", "<a =b=c>", "<a =b='c'>"),
    ("html-h1-s13.2.5.33-first-counts", "<a B=1 b=2\nc>", "<a b='1' c=''>"),
    ("html-h1-s13.2.5.33-odd-names", "<a \"' b'c>", "<a \"'='' b'c=''>"),
    ("html-h1-s13.2.5.36-values", '<a b="1>" c=\'"\'d=e/f>', "<a b='1>' c='\"' d='e/f'>"),
    ("html-h1-s13.2.5.35-no-value", "<a b= >x", "<a b=''> | 'x'"),
    ("html-h1-s13.2.5.38-unquoted", "<a href=x/>y", "<a href='x/'> | 'y'"),
    ("html-h1-s13.2.5.39-nul", "<a\x00 b\x00=\x00>", "<a\ufffd b\ufffd='\ufffd'>"),
    ("html-h1-s13.2.5.73-references", "&amp;&lt;&notit;&not\u0069n;", "'&<\xacit;\u2209'"),
    ("html-h1-s13.2.5.73-unknown", "&x;&;& &#;&#x;", "'&x;&;& &#;&#x;'"),
    ("html-h1-s13.2.5.73-two-code-points", "&NotEqualTilde;", "'\u2242\u0338'"),
    (
        "html-h1-s13.2.5.73-in-values",
        "<a b='&copy=1&copy2&copy;&copy&copy '>",
        "<a b='&copy=1&copy2\xa9\xa9\xa9 '>",
    ),
    (
        "html-h1-s13.2.5.80-numbers",
        "&#65;&#x41&#0;&#x80;&#xD800;&#x110000;",
        "'AA\ufffd\u20ac\ufffd\ufffd'",
    ),
    ("html-h1-s13.2.5.80-controls", "&#1;&#13;", "'\\x01\\r'"),
    ("html-h1-s13.2.5.43-comment", "<!--a--b-->c", "!a--b! | 'c'"),
    ("html-h1-s13.2.5.43-abrupt", "<!-->a<!--->b", "!! | 'a' | !! | 'b'"),
    ("html-h1-s13.2.5.43-short", "<!---->a<!----->b", "!! | 'a' | !-! | 'b'"),
    ("html-h1-s13.2.5.46-less-than", "<!--<!-->a", "!<!! | 'a'"),
    ("html-h1-s13.2.5.52-bang", "<!--a--!>b<!----!>c", "!a! | 'b' | !! | 'c'"),
    ("html-h1-s13.2.5.52-bang-goes-on", "<!--a--!-->b", "!a--!! | 'b'"),
    ("html-h1-s13.2.5.45-open", "<!--a", "!a!"),
    ("html-h1-s13.2.5.45-at-the-end", "<!--a--", "!a!"),
    ("html-h1-s13.2.5.45-bang-at-the-end", "<!--a--!", "!a!"),
    ("html-h1-s13.2.5.45-dash-at-the-end", "<!---", "!!"),
    ("html-h1-s13.2.5.41-bogus", "<!a><!><!-a><?a?>", "!a! | !! | !-a! | !?a?!"),
    ("html-h1-s13.2.5.41-at-the-end", "<!a", "!a!"),
    ("html-h1-s13.2.5.53-doctype", "<!doctype HTML>", "[html None None]"),
    ("html-h1-s13.2.5.53-ids", "<!DOCTYPE a PUBLIC 'b' \"c\">", "[a b c]"),
    ("html-h1-s13.2.5.53-system", "<!DOCTYPE a system'c'>", "[a None c]"),
    ("html-h1-s13.2.5.53-greater-ends", "<!DOCTYPE a PUBLIC 'b>c'>", '[a b None] | "c\'>"'),
    ("html-h1-s13.2.5.53-no-id", "<!DOCTYPE a PUBLIC>", "[a None None]"),
    ("html-h1-s13.2.5.53-nothing", "<!DOCTYPE>", "[None None None]"),
    (
        "html-h1-s13.2.5.2-rcdata",
        "<title>&amp;<b></titlex></title >a",
        "<title> | '&<b></titlex>' | </title> | 'a'",
    ),
    (
        "html-h1-s13.2.5.2-textarea",
        "<textarea>&lt;</p></TEXTAREA>a",
        "<textarea> | '<</p>' | </textarea> | 'a'",
    ),
    (
        "html-h1-s13.2.5.3-style",
        "<style>&lt;</p></style>a",
        "<style> | '&lt;</p>' | </style> | 'a'",
    ),
    ("html-h1-s13.2.5.3-xmp", "<xmp><b></xmp>a", "<xmp> | '<b>' | </xmp> | 'a'"),
    ("html-h1-s13.2.5.3-iframe", "<iframe><b></iframe>a", "<iframe> | '<b>' | </iframe> | 'a'"),
    (
        "html-h1-s13.2.5.3-noembed",
        "<noembed><b></noembed>a",
        "<noembed> | '<b>' | </noembed> | 'a'",
    ),
    (
        "html-h1-s13.2.5.3-noframes",
        "<noframes><b></noframes>a",
        "<noframes> | '<b>' | </noframes> | 'a'",
    ),
    ("html-h1-s13.2.5.3-unclosed", "<style>a</styl", "<style> | 'a</styl'"),
    ("html-h1-s13.2.5.3-cut-off", "<style>a</style ", "<style> | 'a' | ignored"),
    (
        "html-h1-s13.2.5.3-only-ascii",
        "<style>a</\u017ftyle></style>",
        "<style> | 'a</\u017ftyle>' | </style>",
    ),
    ("html-h1-s13.2.5.5-plaintext", "<plaintext>a</plaintext>", "<plaintext> | 'a</plaintext>'"),
    ("html-h1-s13.2.6-noscript-is-markup", "<noscript><p>x", "<noscript> | <p> | 'x'"),
    (
        "html-h1-s13.2.5.4-script",
        "<script>a<b></p></script>c",
        "<script> | 'a<b></p>' | </script> | 'c'",
    ),
    ("html-h1-s13.2.5.18-escaped", "<script><!--</script>a", "<script> | '<!--' | </script> | 'a'"),
    (
        "html-h1-s13.2.5.26-doubly",
        "<script><!--<script></script>--></script>a",
        "<script> | '<!--<script></script>-->' | </script> | 'a'",
    ),
    (
        "html-h1-s13.2.5.26-and-back",
        "<script><!--<script></script></script>a",
        "<script> | '<!--<script></script>' | </script> | 'a'",
    ),
    ("html-h1-s13.2.5.18-short", "<script><!--></script>a", "<script> | '<!-->' | </script> | 'a'"),
    (
        "html-h1-s13.2.5.26-never-closed",
        "<script><!--<script></script>a",
        "<script> | '<!--<script></script>a'",
    ),
    ("html-h1-s13.2.5.42-cdata-in-html", "<![CDATA[a>b]]>", "![CDATA[a! | 'b]]>'"),
    (
        "html-h1-s13.2.5.69-cdata-in-svg",
        "<svg><![CDATA[a>&amp;]]></svg>",
        "<svg> | 'a>&amp;' | </svg>",
    ),
    (
        "html-h1-s13.2.5.69-cdata-in-html-in-svg",
        "<svg><desc><b><![CDATA[a]]></b><![CDATA[c]]></desc></svg>",
        "<svg> | <desc> | <b> | ![CDATA[a]]! | </b> | 'c' | </desc> | </svg>",
    ),
    ("html-h1-s13.2.5.69-cdata-at-the-end", "<svg><![CDATA[a]]", "<svg> | 'a]]'"),
    (
        "html-h1-s13.2.6.5-style-in-svg",
        "<svg><style>&lt;<b></style>",
        "<svg> | <style> | '<' | <b> | </style>",
    ),
    (
        "html-h1-s13.2.6.5-title-in-svg",
        "<svg><title><i>a</i></title>",
        "<svg> | <title> | <i> | 'a' | </i> | </title>",
    ),
    (
        "html-h1-s13.2.6.5-html-in-svg",
        "<svg><foreignObject><style><i></style>",
        "<svg> | <foreignobject> | <style> | '<i>' | </style>",
    ),
    (
        "html-h1-s13.2.6.5-breakout",
        "<svg><p><style><i></style>",
        "<svg> | <p> | <style> | '<i>' | </style>",
    ),
    (
        "html-h1-s13.2.6.5-breakout-by-end-tag",
        "<svg></p><style><i></style>",
        "<svg> | </p> | <style> | '<i>' | </style>",
    ),
    (
        "html-h1-s13.2.6.5-font",
        "<svg><font><style><i></style>",
        "<svg> | <font> | <style> | <i> | </style>",
    ),
    (
        "html-h1-s13.2.6.5-font-breaks-out",
        "<svg><font color=a><style><i></style>",
        "<svg> | <font color='a'> | <style> | '<i>' | </style>",
    ),
    (
        "html-h1-s13.2.6.5-self-closing",
        "<svg/><style><i></style>",
        "<svg/> | <style> | '<i>' | </style>",
    ),
    (
        "html-h1-s13.2.6.5-math-text",
        "<math><mi><style><i></style></mi><style><i></style>",
        "<math> | <mi> | <style> | '<i>' | </style> | </mi> | <style> | <i> | </style>",
    ),
    (
        "html-h1-s13.2.6.5-mglyph",
        "<math><mi><mglyph><style><i></style>",
        "<math> | <mi> | <mglyph> | <style> | <i> | </style>",
    ),
    (
        "html-h1-s13.2.6.5-annotation",
        "<math><annotation-xml><style><i></style>",
        "<math> | <annotation-xml> | <style> | <i> | </style>",
    ),
    (
        "html-h1-s13.2.6.5-annotation-in-html",
        "<math><annotation-xml encoding=Text/HTML><style><i></style>",
        "<math> | <annotation-xml encoding='Text/HTML'> | <style> | '<i>' | </style>",
    ),
    (
        "html-h1-s13.2.6.5-svg-in-annotation",
        "<math><annotation-xml><svg><desc><style><i></style>",
        "<math> | <annotation-xml> | <svg> | <desc> | <style> | '<i>' | </style>",
    ),
    (
        "html-h1-s13.2.6.5-never-closed",
        "<div><svg><g></div><style><i></style>",
        "<div> | <svg> | <g> | </div> | <style> | '<i>' | </style>",
    ),
    (
        "html-h1-s13.2.6.5-closed-within",
        "<div><svg><desc></div><style><i></style>",
        "<div> | <svg> | <desc> | </div> | <style> | '<i>' | </style>",
    ),
]


def shape(token: Token) -> str:
    """Return a token as a short text."""
    if isinstance(token, StartTag):
        attributes = "".join(f" {each.name}={each.value!r}" for each in token.attributes)
        return f"<{token.name}{attributes}{'/' if token.self_closing else ''}>"
    if isinstance(token, EndTag):
        return f"</{token.name}>"
    if isinstance(token, Text):
        return repr(token.data)
    if isinstance(token, Comment):
        return f"!{token.data}!"
    if isinstance(token, Doctype):
        return f"[{token.name} {token.public_id} {token.system_id}]"
    return f"?{token.data}?" if isinstance(token, ProcessingInstruction) else "ignored"


@pytest.mark.parametrize(
    ("source", "expected"), [c[1:] for c in TOKENS], ids=[c[0] for c in TOKENS]
)
def test_reads_as_the_standard_says(source: str, expected: str) -> None:
    assert " | ".join(map(shape, tokenize(source))) == expected


def test_the_frozen_version() -> None:
    """A change to any row above is a new version, and the old one stays."""
    assert TOKENIZER_VERSION == 1


SHOWN = [
    ("<a b>", "StartTag('<a b>', 0, 5)"),
    ("</a>", "EndTag('</a>', 0, 4)"),
    ("a&lt;", "Text('a&lt;', 0, 5, 'data')"),
    ("<!--a-->", "Comment('a', 0, 8)"),
    ("<!DOCTYPE a>", "Doctype('<!DOCTYPE a>', 0, 12)"),
    ("<?a?>", "ProcessingInstruction('a', 0, 5)"),
    ("<a", "Ignored('<a', 0, 2)"),
]


@pytest.mark.parametrize(("source", "shown"), SHOWN)
def test_tokens_show_what_they_are(source: str, shown: str) -> None:
    (token,) = tokenize(source, xml=True)
    assert repr(token) == shown


XML = [
    ("html-h1-xml-s2.4-text", "a &amp; &x; &nbsp; &amp", "'a & &x; \\xa0 &amp'"),
    ("html-h1-xml-s2.5-comment", "<!--a--!>-->b", "!a--!>! | 'b'"),
    ("html-h1-xml-s2.6-instruction", "<?a <b> ?>c", "?a <b> ? | 'c'"),
    ("html-h1-xml-s2.7-cdata", "<a><![CDATA[<b>]]></a>", "<a> | '<b>' | </a>"),
    (
        "html-h1-xml-s2.8-subset",
        "<!DOCTYPE a [<!ENTITY b ']>'><!-- ]> -->]><a/>",
        "[a None None] | <a/>",
    ),
    ("html-h1-xml-s2.8-declaration", "<!ELEMENT a>b", "ignored | 'b'"),
    ("html-h1-xml-s3.1-case", "<A b='1' B='2'/>", "<A b='1' B='2'/>"),
    ("html-h1-xml-s3.1-no-raw-text", "<script><b/></script>", "<script> | <b/> | </script>"),
    ("html-h1-xml-s3.1-white-space", '<a  \n x = "1"  ></a  >', "<a x='1'> | </a>"),
    ("html-h1-xml-s3.3.3-references", "<a b='&lt;&#65;&copy1;'/>", "<a b='<A&copy1;'/>"),
    ("html-h1-xml-malformed", "<a <b>< 1 </>", "<a <b=''> | '< 1 </>'"),
]


@pytest.mark.parametrize(("source", "expected"), [c[1:] for c in XML], ids=[c[0] for c in XML])
def test_reads_xml(source: str, expected: str) -> None:
    assert " | ".join(map(shape, tokenize(source, xml=True))) == expected


PLACES = [
    # source, an attribute, its name in the source, its raw value there, the quotation mark
    ("<a b=1>", "b", "b", "1", ""),
    ('<a B = "x&amp;y" c>', "b", "B", "x&amp;y", '"'),
    ("<a b='' c>", "b", "b", "", "'"),
    ("<a b c=d>", "b", "b", "", None),
    ("<a b= >", "b", "b", "", ""),
    ("<a\nb=c/d>", "b", "b", "c/d", ""),
]


@pytest.mark.parametrize(("source", "name", "raw_name", "raw", "quote"), PLACES)
def test_html_h1_attributes_have_places(
    source: str, name: str, raw_name: str, raw: str, quote: str | None
) -> None:
    tag = next(tokenize(f"text{source}"[4:]))
    assert isinstance(tag, StartTag)
    attribute = tag.attribute(name)
    assert attribute is not None
    assert source[attribute.name_start : attribute.name_end] == raw_name
    assert source[attribute.start : attribute.end] == raw
    assert attribute.quote == quote


# ---------------------------------------------------------------- beside another tokenizer
_PIECES = [
    *["<", "</", ">", "/", "=", '"', "'", " ", "\n", "\r\n", "\r", "\t", "\f", "a", "A", "1", ";"],
    *["<!--", "-->", "--!>", "--", "-", "!", "<!", "<!doctype", "<!DOCTYPE html", " public ", "&"],
    *[
        " system ",
        '"x"',
        "'y'",
        "&amp;",
        "&copy",
        "&#65;",
        "&#x41",
        "&#0;",
        "&notit;",
        "\x00",
        "]]>",
    ],
    *["<p ", "<a b='", "href=", "<![CDATA[", "\u212a", "\u017f", "\U0001f600", "p", "x", "&#x"],
    *["script", "style", "title", "textarea", "xmp", "iframe", "plaintext", "noembed", "noframes"],
    *[
        "<script>",
        "</script>",
        "<style>",
        "</style>",
        "<title>",
        "</title>",
        "</textarea ",
        "</xmp/",
    ],
]
html_sources = st.lists(st.sampled_from(_PIECES), max_size=25).map("".join)


def ours(source: str) -> list[tuple[object, ...]]:
    """Return our tokens as the other tokenizer could have given them, texts joined."""
    found: list[tuple[object, ...]] = []
    for token in tokenize(source):
        if isinstance(token, StartTag):
            attributes = [(each.name, each.value) for each in token.attributes]
            found.append((token.start, token.name, attributes, token.self_closing))
        elif isinstance(token, EndTag):
            found.append((token.start, "/" + token.name))
        elif isinstance(token, Comment):
            found.append((token.start, "comment", token.data))
        elif isinstance(token, Doctype):
            found.append((token.start, token.name or "", token.public_id, token.system_id))
        elif isinstance(token, Text):
            found.append((token.start, "text", token.data))
    return joined(found)


def theirs(source: str) -> list[tuple[object, ...]]:
    """Return the tokens of turbohtml, with offsets in place of its lines and columns."""
    lines = [0, *(found.end() for found in re.finditer("\r\n?|\n", source))]
    found: list[tuple[object, ...]] = []
    for token in turbohtml.tokenize(source):
        at = lines[token.line - 1] + token.col
        kind = token.type.name
        if kind == "START_TAG":
            found.append((at, token.tag, list(token.attrs or ()), token.self_closing))
        elif kind == "END_TAG":
            found.append((at, f"/{token.tag}"))
        elif kind == "DOCTYPE":
            found.append((at, token.name or "", token.public_id, token.system_id))
        else:
            found.append((at, kind.lower(), token.data))
    return joined(found)


def joined(tokens: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """Return the tokens with neighbouring texts as one."""
    whole: list[tuple[object, ...]] = []
    for token in tokens:
        if whole and whole[-1][1] == token[1] == "text":
            token = (whole[-1][0], "text", f"{whole.pop()[2]}{token[2]}")  # noqa: PLW2901 - joined
        whole.append(token)
    return whole


@given(source=html_sources)
def test_html_h1_agrees_with_an_unrelated_tokenizer(source: str) -> None:
    assert ours(source) == theirs(source)


DIFFERENCES = [
    # what differs, source, why ours is what the rules here say
    ("noscript", "<noscript><p>", "scripting is off here, so its content is markup"),
    ("instruction", "<?a b>c", "a bogus comment here; a later draft of the standard differs"),
    ("cdata", "<svg><![CDATA[a]]>", "without a tree builder it cannot know of foreign content"),
    ("foreign", "<svg><style><b>", "the same"),
]


@pytest.mark.parametrize(
    ("source", "reason"), [c[1:] for c in DIFFERENCES], ids=[c[0] for c in DIFFERENCES]
)
def test_differs_from_the_other_tokenizer_for_a_reason(source: str, reason: str) -> None:
    assert ours(source) != theirs(source), reason


FOREIGN = [row for row in TOKENS if "s13.2.6.5" in row[0]] + [
    (
        "html-h1-several",
        "<svg><g><title><b>a</b></title><a><style>b</style></a></svg><style><b>",
        "",
    ),
    ("html-h1-nested", "<svg><desc><math><mtext><svg><style><b></style></svg></mtext>", ""),
    ("html-h1-table", "<table><tr><td><svg><g></td><td><title><b></title>", ""),
]


@pytest.mark.parametrize("source", [c[1] for c in FOREIGN], ids=[c[0] for c in FOREIGN])
def test_foreign_content_agrees_with_a_tree_builder(source: str) -> None:
    document = turbohtml.parse(source, source_locations=True)
    elements = [each for each in document.descendants if isinstance(each, turbohtml.Element)]
    places = [each.source_location for each in elements]
    built = {place.start_tag.start_offset for place in places if place and place.start_tag}
    assert {token.start for token in tokenize(source) if isinstance(token, StartTag)} == built


# ---------------------------------------------------------------- time
HOSTILE = [
    ("html-h2-spaces", "<a" + " " * 100_000),
    ("html-h2-spaces-in-tags", ("<a" + " " * 3000 + "\n") * 100),
    ("html-h2-slashes", "<a" + "/" * 100_000),
    ("html-h2-equals", "<a" + " =" * 33_000),
    ("html-h2-quotes", "<a b='" + "x" * 100_000),
    ("html-h2-open-quotes", "<a b='\"" * 16_000),
    ("html-h2-attributes", "<a " + "b=c " * 16_000 + ">"),
    ("html-h2-less-than", "<" * 100_000),
    ("html-h2-end-tags", "</" * 50_000),
    ("html-h2-comments", "<!--" * 25_000),
    ("html-h2-comment-ends", "<!-- -- " + "--" * 50_000),
    ("html-h2-closed-comments", "<!--a-->" * 16_000),
    ("html-h2-scripts", "<script>" * 13_000),
    ("html-h2-script-escapes", "<script>" + "<!--<script" * 13_000),
    ("html-h2-style-ends", "<style>" + "</styl" * 16_000),
    ("html-h2-titles", "<title></titl" * 10_000),
    ("html-h2-cdata", "<svg>" + "<![CDATA[" * 13_000),
    ("html-h2-foreign", "<svg>" * 13_000 + "</p>" * 13_000),
    ("html-h2-foreign-ends", "<svg>" + "<g>" * 13_000 + "</x>" * 13_000),
    ("html-h2-desc", "<svg><desc>" * 10_000 + "</b>" * 13_000),
    ("html-h2-references", "&" * 100_000),
    ("html-h2-names", "&" + "a" * 100_000),
    ("html-h2-digits", "&#" + "9" * 100_000),
    ("html-h2-doctype", "<!DOCTYPE " * 10_000),
    ("html-h2-instructions", "<?" * 50_000),
]


@pytest.mark.parametrize("xml", [False, True], ids=["html", "xml"])
@pytest.mark.parametrize("source", [c[1] for c in HOSTILE], ids=[c[0] for c in HOSTILE])
def test_takes_linear_time(source: str, *, xml: bool) -> None:
    """Were it quadratic, each of these would take minutes."""
    for token in tokenize(source, xml=xml):
        shape(token)
