"""PDI §1: the syntax of names, what is read strictly, what leniently, and what is refused where."""

from __future__ import annotations

import pytest

from permacite.errors import ParseError
from permacite.pdi import PDI, PDIPattern, parse

WHITE_HOUSE = "pdi://oma.eop.gov.us/1997/09/01/"


def pdi(text: str, *, strict: bool = True) -> PDI:
    value = parse(text, strict=strict)
    assert isinstance(value, PDI)
    return value


PREFIXES = [
    # clause id, text, urn
    ("pdi-01-lower", "urn:pdi://oma.eop.gov.us/1997/09/01/1.text.1", True),
    ("pdi-01-upper", "URN:PDI://OMA.EOP.GOV.US/1997/09/01/1.TEXT.1", True),
    ("pdi-01-mixed", "Urn:pDi://Oma.eop.gov.us/1997/09/01/1.Text.1", True),
    ("pdi-02-url", "pdi://oma.eop.gov.us/1997/09/01/1.text.1", False),
    ("pdi-02-url-upper", "PDI://oma.eop.gov.us/1997/09/01/1.text.1", False),
]


@pytest.mark.parametrize(("text", "urn"), [c[1:] for c in PREFIXES], ids=[c[0] for c in PREFIXES])
def test_both_forms_have_the_same_fields(text: str, *, urn: bool) -> None:
    series = ("oma", "eop", "gov", "us")
    assert pdi(text) == PDI(urn, series, "1997", "09", "01", "1", "text", 1)
    assert str(pdi(text)) == text
    bare = "pdi://oma.eop.gov.us/1997/09/01/1.text.1"
    assert pdi(text).canonical() == ("urn:" + bare if urn else bare)


ACCEPTED = [
    # clause id, text after the prefix, unique id, format, version
    ("pdi-08-generic", "a.us/1997/09/01/1", "1", None, None),
    ("pdi-08-format-alone", "a.us/1997/09/01/1.html", "1", "html", None),
    ("pdi-65-second-part-is-the-format", "a.us/1997/09/01/1.1", "1", "1", None),
    ("pdi-10-versions", "a.us/1997/09/01/1.text.10", "1", "text", 10),
    ("pdi-10-large", "a.us/1997/09/01/1.text.99999999999999999999", "1", "text", 10**20 - 1),
    ("pdi-04-hyphens-and-digits", "a-b.c-1.de/1997/09/01/1.text.1", "1", "text", 1),
    ("pdi-04-digits-alone", "1.2.jp/1997/09/01/1.text.1", "1", "text", 1),
    ("pdi-04-country-as-component", "us.us/1997/09/01/1.text.1", "1", "text", 1),
    ("pdi-04-punycode", "xn--bcher-kva.de/1997/09/01/1.text.1", "1", "text", 1),
    ("pdi-04-any-two-letters", "a.zz/1997/09/01/1.text.1", "1", "text", 1),
    ("pdi-06-first-year", "a.us/0001/01/01/1.text.1", "1", "text", 1),
    ("pdi-06-last-day", "a.us/9999/12/31/1.text.1", "1", "text", 1),
    ("pdi-06-leap-day", "a.us/2000/02/29/1.text.1", "1", "text", 1),
    ("pdi-07-case-kept", "a.us/1997/09/01/Budget-FY98.text.1", "Budget-FY98", "text", 1),
    ("pdi-07-zero", "a.us/1997/09/01/0.text.1", "0", "text", 1),
    ("pdi-07-leading-zero", "a.us/1997/09/01/01.text.1", "01", "text", 1),
    ("pdi-07-other", "a.us/1997/09/01/():;$_!'-.text.1", "():;$_!'-", "text", 1),
    ("pdi-07-escapes", "a.us/1997/09/01/%23%7E.text.1", "%23%7E", "text", 1),
    ("pdi-07-not-utf-8", "a.us/1997/09/01/%ff.text.1", "%ff", "text", 1),
    ("pdi-09-mixed-case", "a.us/1997/09/01/1.HtMl.1", "1", "html", 1),
    ("pdi-09-major-and-minor", "a.us/1997/09/01/1.audio+mpeg.1", "1", "audio+mpeg", 1),
    ("pdi-09-digits", "a.us/1997/09/01/1.mp4.1", "1", "mp4", 1),
    ("pdi-09-charset", "a.us/1997/09/01/1.utf-8.1", "1", "utf-8", 1),
    ("pdi-09-escaped", "a.us/1997/09/01/1.svg%2Bxml.1", "1", "svg%2bxml", 1),
    ("pdi-09-needless-escape", "a.us/1997/09/01/1.%54ext.1", "1", "text", 1),
    ("pdi-09-unknown", "a.us/1997/09/01/1.x-foo.1", "1", "x-foo", 1),
]


@pytest.mark.parametrize(
    ("tail", "unique_id", "format_", "version"),
    [c[1:] for c in ACCEPTED],
    ids=[c[0] for c in ACCEPTED],
)
def test_reads_a_name(tail: str, unique_id: str, format_: str | None, version: int | None) -> None:
    for prefix in ("pdi://", "urn:pdi://"):
        value = pdi(prefix + tail)
        assert (value.unique_id, value.format, value.version) == (unique_id, format_, version)
        assert str(value) == prefix + tail
        assert value == parse(prefix + tail, strict=False)
        assert not value.violations


PATTERNS = [
    # clause id, text, the fields from the year on
    ("pdi-16-date", "pdi://a.us/*/*/*/1", ("*", "*", "*", "1", None, None)),
    ("pdi-16-day-of-any-year", "pdi://a.us/*/02/29/1", ("*", "02", "29", "1", None, None)),
    ("pdi-16-day-of-any-month", "pdi://a.us/1997/*/31/1", ("1997", "*", "31", "1", None, None)),
    ("pdi-16-unique-id", "pdi://a.us/1997/09/01/*", ("1997", "09", "01", "*", None, None)),
    ("pdi-16-of-a-format", "pdi://a.us/1997/09/01/*.html", ("1997", "09", "01", "*", "html", None)),
    ("pdi-16-any-format", "pdi://a.us/1997/09/01/1.*.2", ("1997", "09", "01", "1", "*", 2)),
    (
        "pdi-16-any-version",
        "pdi://a.us/1997/09/01/1.html.*",
        ("1997", "09", "01", "1", "html", "*"),
    ),
]


@pytest.mark.parametrize(
    ("text", "fields"), [c[1:] for c in PATTERNS], ids=[c[0] for c in PATTERNS]
)
def test_reads_a_pattern(text: str, fields: tuple[object, ...]) -> None:
    value = parse(text)
    assert isinstance(value, PDIPattern)
    assert (value.year, value.month, value.day) == fields[:3]
    assert (value.unique_id, value.format, value.version) == fields[3:]
    assert str(value) == value.canonical() == text


def test_an_escaped_star_is_no_wildcard() -> None:
    """pdi-59: the escape keeps it a character."""
    assert pdi("pdi://a.us/1997/09/01/%2A.text.1").canonical() == "pdi://a.us/1997/09/01/%2a.text.1"


REJECTED = [
    # clause id, text, offset of the first character that cannot be right
    ("pdi-03-empty", "", 0),
    ("pdi-03-prefix-alone", "pdi:", 4),
    ("pdi-03-one-slash", "pdi:/a.us/1997/09/01/1", 5),
    ("pdi-03-no-scheme", "a.us/1997/09/01/1.text.1", 0),
    ("pdi-03-relative", "//a.us/1997/09/01/1.text.1", 0),
    ("pdi-03-other-scheme", "pdx://a.us/1997/09/01/1", 2),
    ("pdi-03-urn-twice", "urn:urn:pdi://a.us/1997/09/01/1", 4),
    ("pdi-03-space-before", " pdi://a.us/1997/09/01/1", 0),
    ("pdi-01-dotless-i", "pd\u0131://a.us/1997/09/01/1", 2),
    ("pdi-04-no-country", "pdi://us/1997/09/01/1.text.1", 6),
    ("pdi-04-nothing", "pdi:///1997/09/01/1.text.1", 6),
    ("pdi-04-three-letters", "pdi://a.usa/1997/09/01/1.text.1", 8),
    ("pdi-04-one-letter", "pdi://a.u/1997/09/01/1.text.1", 9),
    ("pdi-04-letter-and-digit", "pdi://a.u1/1997/09/01/1.text.1", 8),
    ("pdi-04-dotless-i", "pdi://a.\u0131s/1997/09/01/1.text.1", 8),
    ("pdi-04-empty-component", "pdi://a..us/1997/09/01/1.text.1", 8),
    ("pdi-04-leading-dot", "pdi://.a.us/1997/09/01/1.text.1", 6),
    ("pdi-04-trailing-dot", "pdi://a.us./1997/09/01/1.text.1", 11),
    ("pdi-04-port", "pdi://a.us:80/1997/09/01/1.text.1", 10),
    ("pdi-04-userinfo", "pdi://me@a.us/1997/09/01/1.text.1", 8),
    ("pdi-04-underscore", "pdi://a_b.us/1997/09/01/1.text.1", 7),
    ("pdi-04-escape", "pdi://a%2d.us/1997/09/01/1.text.1", 7),
    ("pdi-05-generic-domain", "pdi://oma.eop.gov/1997/09/01.html.1", 14),
    ("pdi-16-series", "pdi://a.*/1997/09/01/1.text.1", 8),
    ("pdi-16-component", "pdi://*.us/1997/09/01/1.text.1", 6),
    ("pdi-06-year-0", "pdi://a.us/0000/01/01/1.text.1", 11),
    ("pdi-06-short-year", "pdi://a.us/97/09/01/1.text.1", 13),
    ("pdi-06-long-year", "pdi://a.us/19970/09/01/1.text.1", 15),
    ("pdi-06-month-0", "pdi://a.us/1997/00/10/1.text.1", 16),
    ("pdi-06-month-13", "pdi://a.us/1997/13/10/1.text.1", 16),
    ("pdi-06-day-0", "pdi://a.us/1997/09/00/1.text.1", 19),
    ("pdi-06-day-32", "pdi://a.us/1997/12/32/1.text.1", 19),
    ("pdi-06-day-31", "pdi://a.us/1997/09/31/1.text.1", 19),
    ("pdi-06-no-leap-year", "pdi://a.us/1900/02/29/1.text.1", 19),
    ("pdi-06-in-no-year", "pdi://a.us/*/02/30/1.text.1", 16),
    ("pdi-06-long-day", "pdi://a.us/1997/09/001/1.text.1", 21),
    ("pdi-06-dashes", "pdi://a.us/1997-09-01/1.text.1", 15),
    ("pdi-06-day-missing", "pdi://a.us/1997/09/1.text.1", 20),
    ("pdi-06-date-missing", "pdi://a.us/1.text.1", 12),
    ("pdi-06-nothing-after-the-series", "pdi://a.us/", 11),
    ("pdi-06-series-alone", "pdi://a.us", 10),
    ("pdi-06-other-digits", "pdi://a.us/\u0661\u0669\u0669\u0667/09/01/1.text.1", 11),
    ("pdi-06-space", "pdi://a.us/1997/ 9/01/1.text.1", 16),
    ("pdi-16-two-stars", "pdi://a.us/1997/**/01/1.text.1", 16),
    ("pdi-07-empty", WHITE_HOUSE, 32),
    ("pdi-07-empty-before-the-format", WHITE_HOUSE + ".text.1", 32),
    ("pdi-07-equals", WHITE_HOUSE + "a=b.text.1", 33),
    ("pdi-07-question-mark", WHITE_HOUSE + "a?b.text.1", 33),
    ("pdi-07-plus", WHITE_HOUSE + "a+b.text.1", 33),
    ("pdi-07-comma", WHITE_HOUSE + "a,b.text.1", 33),
    ("pdi-07-slash", WHITE_HOUSE + "1/", 33),
    ("pdi-07-space", WHITE_HOUSE + "a b.text.1", 33),
    ("pdi-07-tilde", WHITE_HOUSE + "~a.text.1", 32),
    ("pdi-07-not-ascii", WHITE_HOUSE + "caf\u00e9.text.1", 35),
    ("pdi-07-surrogate", WHITE_HOUSE + "a\ud800.text.1", 33),
    ("pdi-07-no-escape", WHITE_HOUSE + "a%zz.text.1", 33),
    ("pdi-07-half-an-escape", WHITE_HOUSE + "a%2", 33),
    ("pdi-07-null", WHITE_HOUSE + "a%00.text.1", 33),
    ("pdi-16-part-of-a-unique-id", WHITE_HOUSE + "1*.text.1", 33),
    ("pdi-16-star-and-more", WHITE_HOUSE + "*1.text.1", 33),
    ("pdi-09-empty", WHITE_HOUSE + "1.", 34),
    ("pdi-09-empty-before-the-version", WHITE_HOUSE + "1..1", 34),
    ("pdi-09-slash", WHITE_HOUSE + "1.text/html.1", 38),
    ("pdi-09-major-alone", WHITE_HOUSE + "1.audio+.1", 39),
    ("pdi-09-minor-alone", WHITE_HOUSE + "1.+mpeg.1", 34),
    ("pdi-09-two-plus", WHITE_HOUSE + "1.a+b+c.1", 37),
    ("pdi-09-null", WHITE_HOUSE + "1.a%00.1", 35),
    ("pdi-16-part-of-a-format", WHITE_HOUSE + "1.te*t.1", 36),
    ("pdi-10-zero", WHITE_HOUSE + "1.text.0", 39),
    ("pdi-10-leading-zero", WHITE_HOUSE + "1.text.01", 39),
    ("pdi-10-sign", WHITE_HOUSE + "1.text.+1", 39),
    ("pdi-10-minus", WHITE_HOUSE + "1.text.-1", 39),
    ("pdi-10-empty", WHITE_HOUSE + "1.text.", 39),
    ("pdi-10-letters", WHITE_HOUSE + "1.1.text", 36),
    ("pdi-10-other-digits", WHITE_HOUSE + "1.text.\uff11", 39),
    ("pdi-10-too-long", WHITE_HOUSE + "1.text." + "1" * 4001, 39),
    ("pdi-10-newline", WHITE_HOUSE + "1.text.1\n", 40),
    ("pdi-10-space", WHITE_HOUSE + "1.text.1 ", 40),
    ("pdi-10-query", WHITE_HOUSE + "1.text.1?=q", 40),
    ("pdi-16-part-of-a-version", WHITE_HOUSE + "1.text.1*", 40),
    ("pdi-16-two-stars-for-a-version", WHITE_HOUSE + "1.text.**", 40),
    ("pdi-65-four-parts", WHITE_HOUSE + "1.text.1.2", 40),
]


@pytest.mark.parametrize("strict", [True, False], ids=["strict", "lenient"])
@pytest.mark.parametrize(
    ("text", "offset"), [c[1:] for c in REJECTED], ids=[c[0] for c in REJECTED]
)
def test_rejects_at_the_right_place(text: str, offset: int, *, strict: bool) -> None:
    with pytest.raises(ParseError) as error:
        parse(text, strict=strict)
    assert (error.value.source, error.value.offset) == (text, offset)
    assert error.value.spec


UNPADDED = [
    # clause id, date as written, padded, offset of the strict error
    ("pdi-06-month", "1999/9/16", "1999/09/16", 17),
    ("pdi-06-day", "1999/09/1", "1999/09/01", 20),
    ("pdi-06-both", "1999/9/1", "1999/09/01", 17),
]


@pytest.mark.parametrize(
    ("date", "padded", "offset"), [c[1:] for c in UNPADDED], ids=[c[0] for c in UNPADDED]
)
def test_the_lenient_profile_pads_dates(date: str, padded: str, offset: int) -> None:
    """As the only server that was deployed wrote them; strict parsing offers the right form."""
    text = f"pdi://a.us/{date}/1.text.1"
    with pytest.raises(ParseError) as error:
        parse(text)
    assert error.value.offset == offset
    assert error.value.hint == f"write {padded}"
    value = pdi(text, strict=False)
    assert f"{value.year}/{value.month}/{value.day}" == padded
    assert (str(value), value.canonical()) == (text, f"pdi://a.us/{padded}/1.text.1")
    assert [(each.rule, each.found, each.offset) for each in value.violations] == [
        ("unpadded-date", date, 11)
    ]


HINTS = [
    # clause id, text, what the error offers
    ("pdi-03-prefix", "a.us/1997/09/01/1", "did you mean urn:pdi://a.us/1997/09/01/1"),
    ("pdi-03-slashes", "urn:pdi:a.us/1997/09/01/1", "did you mean urn:pdi://a.us/1997/09/01/1"),
    ("pdi-05-country", "pdi://oma.gov/1997/09/01/1", "such as oma.gov.us"),
    ("pdi-06-dashes", "pdi://a.us/1997-09-01/1", "write 1997/09/01"),
    ("pdi-07-reserved", "pdi://a.us/1997/09/01/a=b", "to mean '=', write %3d"),
    ("pdi-07-not-ascii", "pdi://a.us/1997/09/01/\u00e9", "to mean '\u00e9', write %c3%a9"),
    ("pdi-07-percent", "pdi://a.us/1997/09/01/100%", "by itself it is %25"),
    ("pdi-65-order", "pdi://a.us/1997/09/01/1.1.text", "the format comes before the version"),
]


@pytest.mark.parametrize(("text", "hint"), [c[1:] for c in HINTS], ids=[c[0] for c in HINTS])
def test_an_error_offers_what_was_meant(text: str, hint: str) -> None:
    with pytest.raises(ParseError) as error:
        parse(text)
    assert hint in error.value.hint
