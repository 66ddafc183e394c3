"""PDI §3.1 to §3.4: fragment schemes, their positions, and which formats have them."""

from __future__ import annotations

import pytest

from permacite.errors import ParseError
from permacite.pdi import LINE, SCHEMES, FragmentPDI, FragmentScheme, parse, parse_specifier
from permacite.pdi.schemes import interval

SERIES = "pdi://oma.eop.gov.us/1997/09/01/1."


def fragment(tail: str, *, strict: bool = True) -> FragmentPDI:
    value = parse(SERIES + tail, strict=strict)
    assert isinstance(value, FragmentPDI)
    return value


ACCEPTED = [
    # clause id, format, version and fragment; scheme, explicit, positions
    ("pdi-35-default", "text.1#37,51", "char", False, ("37", "51")),
    ("pdi-35-explicit", "text.1#char=37,51", "char", True, ("37", "51")),
    ("pdi-13-case", "text.1#CHAR=1,2", "char", True, ("1", "2")),
    ("pdi-35-html", "html.1#1,2", "char", False, ("1", "2")),
    ("pdi-35-sgml", "sgml.1#1,2", "char", False, ("1", "2")),
    ("pdi-35-xml", "xml.1#1,2", "char", False, ("1", "2")),
    ("pdi-63-header", "header.1#1,2", "char", False, ("1", "2")),
    ("pdi-63-any-text", "css.1#1,2", "char", False, ("1", "2")),
    ("pdi-63-charset", "utf-8.1#1,2", "char", False, ("1", "2")),
    ("pdi-43-empty", "text.1#0,0", "char", False, ("0", "0")),
    ("pdi-43-empty-further-on", "text.1#5,5", "char", False, ("5", "5")),
    ("pditext-c1-leading-zeros", "text.1#00,7", "char", False, ("00", "7")),
    ("pditext-c1-large", "text.1#0," + "9" * 4000, "char", False, ("0", "9" * 4000)),
    ("pdi-36-elt", "html.1#elt=1,2", "elt", True, ("1", "2")),
    ("pdi-36-same", "html.1#ELT=0,0", "elt", True, ("0", "0")),
    ("pdi-36-xml", "xml.1#elt=0,4", "elt", True, ("0", "4")),
    ("pdi-36-xml-by-suffix", "svg%2bxml.1#elt=0,4", "elt", True, ("0", "4")),
    ("pdi-37-name", "html.1#name=intro,end", "name", True, ("intro", "end")),
    ("pdi-37-digits", "html.1#name=1,2", "name", True, ("1", "2")),
    ("pdi-37-escaped", "html.1#name=a%2cb,c", "name", True, ("a%2cb", "c")),
    ("pdi-37-case-kept", "html.1#name=A,a", "name", True, ("A", "a")),
    ("pdi-39-default", "jpeg.1#(0,0),(10,20)", "rect", False, ("(0,0)", "(10,20)")),
    ("pdi-39-explicit", "gif.1#rect=(0,0),(1,1)", "rect", True, ("(0,0)", "(1,1)")),
    ("pdi-39-frame", "gif.1#(5,10),(25,30),2", "rect", False, ("(5,10)", "(25,30)", "2")),
    ("pdi-39-svg", "svg%2bxml.1#(0,0),(1,1)", "rect", False, ("(0,0)", "(1,1)")),
    ("pdi-40-default", "basic.1#1,2", "sec", False, ("1", "2")),
    ("pdi-40-sec", "basic.1#sec=23,57", "sec", True, ("23", "57")),
    ("pdi-40-msec", "audio+mpeg.1#msec=100,2000", "msec", True, ("100", "2000")),
    ("pdi-40-video", "mpeg.1#23,51", "sec", False, ("23", "51")),
    ("pdi-41-crop", "mpeg.1#crop=sec,23,51", "crop", True, ("sec", "23", "51")),
    ("pdi-41-unit-case", "mpeg.1#crop=MSEC,0,10", "crop", True, ("msec", "0", "10")),
    (
        "pdi-41-area",
        "mpeg.1#crop=sec,1,2,(0,0),(9,9)",
        "crop",
        True,
        ("sec", "1", "2", "(0,0)", "(9,9)"),
    ),
    ("pdi-39-frame-of-a-film", "mp4.1#rect=(0,0),(9,9),31", "rect", True, ("(0,0)", "(9,9)", "31")),
    ("pdi-66-corners", "gif.1#%285,10%29,%2825,30%29,2", "rect", False, ("(5,10)", "(25,30)", "2")),
    ("pdi-66-one", "gif.1#rect=(5,10%29,%2825,30)", "rect", True, ("(5,10)", "(25,30)")),
    (
        "pdi-66-crop",
        "mpeg.1#crop=sec,1,2,%280,0%29,(9,9)",
        "crop",
        True,
        ("sec", "1", "2", "(0,0)", "(9,9)"),
    ),
    ("pdi-67-corners", "gif.1#(5%2c10)%2C(25,30)%2c2", "rect", False, ("(5,10)", "(25,30)", "2")),
    ("pdi-67-all", "gif.1#rect=%285%2C10%29%2C%2825%2C30%29", "rect", True, ("(5,10)", "(25,30)")),
    ("pdi-67-times", "mpeg.1#sec=23%2c51", "sec", True, ("23", "51")),
    ("pdi-67-characters", "text.1#37%2c51", "char", False, ("37", "51")),
    ("pdi-67-octets", "pdf.1#byte=23%2C57", "byte", True, ("23", "57")),
    ("pdi-67-data", "html.1#name=a%2cb,c%2c", "name", True, ("a%2cb", "c%2c")),
    ("pdi-42-text", "text.1#byte=0,10", "byte", True, ("0", "10")),
    ("pdi-42-pdf", "pdf.1#byte=23,57", "byte", True, ("23", "57")),
    ("pdi-42-unknown", "x-unknown.1#byte=1,2", "byte", True, ("1", "2")),
]


@pytest.mark.parametrize(
    ("tail", "scheme", "explicit", "positions"),
    [c[1:] for c in ACCEPTED],
    ids=[c[0] for c in ACCEPTED],
)
def test_reads_a_fragment(
    tail: str, scheme: str, positions: tuple[str, ...], *, explicit: bool
) -> None:
    value = fragment(tail)
    assert (value.scheme, value.explicit, value.positions) == (scheme, explicit, positions)
    assert str(value) == SERIES + tail
    assert str(value.pdi) == SERIES + tail.partition("#")[0]
    assert parse(value.canonical()) == value


REJECTED = [
    # clause id, format, version and fragment; offset after SERIES
    ("pdi-43-nothing", "text.1#", 7),
    ("pdi-43-cut-short", "text.1#37", 9),
    ("pdi-43-no-end", "text.1#37,", 10),
    ("pdi-43-no-start", "text.1#,51", 7),
    ("pdi-43-nothing-after-the-scheme", "text.1#char=", 12),
    ("pdi-43-backwards", "text.1#51,37", 7),
    ("pdi-43-backwards-by-digits", "text.1#char=10,9", 12),
    ("pditext-c1-three", "text.1#1,2,3", 10),
    ("pditext-c1-sign", "text.1#-1,4", 7),
    ("pditext-c1-plus", "text.1#+1,4", 7),
    ("pditext-c1-space", "text.1#1, 4", 9),
    ("pditext-c1-other-digits", "text.1#\u0661,4", 7),
    ("pditext-c1-newline", "text.1#1,4\n", 10),
    ("pditext-c1-too-long", "text.1#0," + "9" * 4001, 9),
    ("pdi-14-conjunction", "text.1#char=1,2;char=3,4", 15),
    ("pdi-14-second-fragment", "text.1#1,2#3,4", 10),
    ("pditext-c5-ampersand", "text.1#1,2&3,4", 10),
    ("pdi-15-unknown", "text.1#line=1,2", 7),
    ("pdi-15-rfc-5147-check", "text.1#char=1,2;length=9", 15),
    ("pdi-36-text-has-no-elements", "text.1#elt=1,2", 7),
    ("pdi-36-backwards", "html.1#elt=9,3", 11),
    ("pdi-36-one", "html.1#elt=9", 12),
    ("pdi-37-one", "html.1#name=intro", 17),
    ("pdi-37-three", "html.1#name=a,b,c", 15),
    ("pdi-37-empty", "html.1#name=,b", 12),
    ("pdi-37-reserved", "html.1#name=a@b,c", 13),
    ("pdi-37-star", "html.1#name=*,b", 12),
    ("pdi-37-null", "html.1#name=a%00,b", 13),
    ("pdi-37-without-scheme", "html.1#intro,end", 7),
    ("pdi-37-not-in-xml", "xml.1#name=a,b", 6),
    ("pdi-37-not-in-sgml", "sgml.1#name=a,b", 7),
    ("pdi-39-no-parentheses", "gif.1#0,0,1,1", 6),
    ("pdi-39-one-corner", "gif.1#(0,0)", 11),
    ("pdi-39-open", "gif.1#(0,0,(1,1)", 10),
    ("pdi-39-three-axes", "gif.1#(0,0,0),(1,1,1)", 10),
    ("pdi-39-left-of-the-start", "gif.1#(5,5),(4,9)", 6),
    ("pdi-39-above-the-start", "gif.1#(5,5),(9,4)", 6),
    ("pdi-39-frame-cut-short", "gif.1#(0,0),(1,1),", 18),
    ("pdi-39-minus", "gif.1#(-5,0),(1,1)", 7),
    ("pdi-39-text", "text.1#rect=(0,0),(1,1)", 7),
    ("pdi-66-open", "gif.1#%285,10,(25,30)", 13),
    ("pdi-66-other-brackets", "gif.1#%5b5,10%5d,(25,30)", 6),
    ("pdi-66-twice", "gif.1#%25285,10%2529,(25,30)", 6),
    ("pdi-67-backwards", "gif.1#(5%2c5),(4%2c9)", 6),
    ("pdi-67-no-separator", "html.1#name=a%2cb", 17),
    ("pdi-40-picture", "gif.1#sec=0,1", 6),
    ("pdi-40-mixed", "basic.1#sec=1,msec=2000", 14),
    ("pdi-40-fraction", "basic.1#sec=1.5,2", 13),
    ("pdi-41-sound", "basic.1#crop=sec,1,2", 8),
    ("pdi-41-unit", "mpeg.1#crop=23,51", 12),
    ("pdi-41-long-s", "mpeg.1#crop=\u017fec,23,51", 12),
    ("pdi-41-one-corner", "mpeg.1#crop=sec,1,2,(0,0)", 25),
    ("pdi-41-backwards", "mpeg.1#crop=sec,9,2", 16),
    ("pdi-13-no-default", "pdf.1#1,2", 6),
    ("pdi-13-no-default-for-unknown", "x-unknown.1#1,2", 12),
    ("pdi-13-not-of-the-format", "pdf.1#char=1,2", 6),
]


@pytest.mark.parametrize("strict", [True, False], ids=["strict", "lenient"])
@pytest.mark.parametrize(
    ("tail", "offset"), [c[1:] for c in REJECTED], ids=[c[0] for c in REJECTED]
)
def test_rejects_at_the_right_place(tail: str, offset: int, *, strict: bool) -> None:
    with pytest.raises(ParseError) as error:
        parse(SERIES + tail, strict=strict)
    assert error.value.offset == len(SERIES) + offset
    assert error.value.spec


NAMES = [
    # clause id, name and fragment, whether the lenient profile reads it
    ("pdi-12-version", "pdi://a.us/1997/09/01/1.gif#(0,0),(1,1)", True),
    ("pdi-12-format", "pdi://a.us/1997/09/01/1#char=1,2", False),
    ("pdi-16-unique-id", "pdi://a.us/1997/09/01/*.text.1#1,2", False),
    ("pdi-16-version", "pdi://a.us/1997/09/01/1.text.*#1,2", False),
    ("pdi-16-date", "pdi://a.us/1997/09/*/1.text.1#1,2", False),
]


@pytest.mark.parametrize(("text", "lenient"), [c[1:] for c in NAMES], ids=[c[0] for c in NAMES])
def test_a_fragment_needs_one_document(text: str, *, lenient: bool) -> None:
    with pytest.raises(ParseError) as error:
        parse(text)
    assert error.value.offset == text.index("#")
    if lenient:
        value = parse(text, strict=False)
        assert [each.rule for each in value.violations] == ["fragment-without-version"]
        assert str(value) == text
    else:
        with pytest.raises(ParseError):
            parse(text, strict=False)


def test_the_comma_of_the_draft_is_read_leniently() -> None:
    """pdi-41: `#sec,23,51` is printed for `#sec=23,51`."""
    text = SERIES + "mpeg.1#sec,23,51"
    with pytest.raises(ParseError) as error:
        parse(text)
    assert (error.value.offset, error.value.hint) == (text.index(","), "write sec=23,51")
    value = fragment("mpeg.1#sec,23,51", strict=False)
    assert (value.scheme, value.explicit, value.positions) == ("sec", True, ("23", "51"))
    assert [each.rule for each in value.violations] == ["comma-after-scheme"]
    assert (str(value), value.canonical()) == (text, SERIES + "mpeg.1#sec=23,51")


def test_fractions_of_seconds_are_offered_as_milliseconds() -> None:
    """media-time: times are whole numbers."""
    with pytest.raises(ParseError, match="msec=1500"):
        parse(SERIES + "basic.1#sec=1.5,2")


# ---------------------------------------------------------------- further schemes


def test_a_scheme_can_be_added() -> None:
    """pdi-15: the registry is a value that callers extend."""
    stanza = FragmentScheme("stanza", lambda kind: kind == "application/pdf", interval, "example")
    schemes = SCHEMES.extended(stanza)
    value = parse(SERIES + "pdf.1#STANZA=1,2", schemes=schemes)
    assert isinstance(value, FragmentPDI)
    assert (value.scheme, value.positions) == ("stanza", ("1", "2"))
    with pytest.raises(ParseError, match="text has no fragment scheme stanza"):
        parse(SERIES + "text.1#stanza=1,2", schemes=schemes)
    with pytest.raises(ParseError, match="unknown"):
        parse(SERIES + "pdf.1#stanza=1,2")


def test_lines_are_an_extension() -> None:
    """pdi-15: `line` is ours, and is read on request only."""
    value = parse(SERIES + "text.1#line=1,2", schemes=SCHEMES.extended(LINE))
    assert isinstance(value, FragmentPDI)
    assert (value.scheme, value.positions) == ("line", ("1", "2"))


GENERIC = [
    # clause id, fragment, positions; None where the generic grammar refuses it
    ("pdi-15-words", "foo=a1,b2", ("a1", "b2")),
    ("pdi-15-parentheses", "foo=(a,b,c),d", ("(a,b,c)", "d")),
    ("pdi-15-one", "foo=1", ("1",)),
    ("pdi-15-empty", "foo=", None),
    ("pdi-15-empty-position", "foo=1,,2", None),
    ("pdi-15-hyphen", "foo=a-b", None),
    ("pdi-15-open", "foo=(a,b", None),
]


@pytest.mark.parametrize(
    ("tail", "positions"), [c[1:] for c in GENERIC], ids=[c[0] for c in GENERIC]
)
def test_unknown_schemes_are_read_on_request(tail: str, positions: tuple[str, ...] | None) -> None:
    schemes = SCHEMES.extended(generic=True)
    if positions is None:
        with pytest.raises(ParseError):
            parse(SERIES + "pdf.1#" + tail, schemes=schemes)
        return
    value = parse(SERIES + "pdf.1#" + tail, schemes=schemes)
    assert isinstance(value, FragmentPDI)
    assert (value.scheme, value.explicit, value.positions) == ("foo", True, positions)
    with pytest.raises(ParseError):
        parse(SERIES + "pdf.1#" + tail)


def test_a_fragment_is_read_by_itself() -> None:
    """pdi-13: for a document that is known by its media type."""
    assert parse_specifier("3,9", "text/html").scheme == "char"
    assert parse_specifier("(0,0),(1,1)", "image/png").positions == ("(0,0)", "(1,1)")
    with pytest.raises(ParseError) as error:
        parse_specifier("3,9", "application/pdf")
    assert error.value.offset == 0
