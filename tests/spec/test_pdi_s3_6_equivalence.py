"""PDI §3.6: equivalence, wildcards, and what may be minted."""

from __future__ import annotations

import pytest

from permacite.errors import ParseError
from permacite.pdi import check_mintable, covers, denotes_same, lexically_equal, parse

DAY = "pdi://oma.eop.gov.us/1997/09/01/"
VIDEO = "pdi://video.cnn.co.us/1997/09/30/1234.mpeg.1"
CITING = "pdi://oma.eop.gov.us/1997/11/03/4.text.1"

PAIRS = [
    # clause id, a, b, lexically equal, denotes the same
    ("pdi-57-prefix", f"urn:{DAY}1.text.1", f"{DAY}1.text.1", False, True),
    ("pdi-50-case-of-the-prefix", f"URN:{DAY}1.text.1", f"urn:{DAY}1.text.1", True, True),
    ("pdi-50-case-of-the-series", "pdi://A.US/1997/09/01/1", "pdi://a.us/1997/09/01/1", True, True),
    ("pdi-50-case-of-the-format", f"{DAY}1.TEXT.1", f"{DAY}1.text.1", True, True),
    ("pdi-50-case-of-the-unique-id", f"{DAY}A.text.1", f"{DAY}a.text.1", False, False),
    ("pdi-59-unescape", f"{DAY}%41%3a%28.text.1", f"{DAY}A:(.text.1", True, True),
    ("pdi-59-tilde", f"{DAY}%7e.text.1", f"{DAY}%7E.text.1", True, True),
    ("pdi-59-reserved", f"{DAY}a%2eb.text.1", f"{DAY}a%2Eb.text.1", True, True),
    ("pdi-59-star", f"{DAY}%2a.text.1", f"{DAY}*.text.1", False, False),
    ("pdi-29-opaque", f"{DAY}HTTP:%2f%2fa.html.1", f"{DAY}http:%2f%2fa.html.1", False, False),
    ("pdi-58-serials", f"{DAY}01.text.1", f"{DAY}1.text.1", False, False),
    ("pdi-58-version", f"{DAY}1.text", f"{DAY}1.text.1", False, False),
    ("pdi-11-format", f"{DAY}1", f"{DAY}1.text", False, False),
    ("pdi-58-formats", f"{DAY}1.html.1", f"{DAY}1.text.1", False, False),
    ("pdi-58-versions", f"{DAY}1.text.2", f"{DAY}1.text.1", False, False),
    ("pdi-58-padding", "pdi://a.us/1999/9/16/1", "pdi://a.us/1999/09/16/1", False, True),
    ("pdi-58-same-padding", "pdi://a.us/1999/9/16/1", "pdi://A.us/1999/9/16/1", True, True),
    ("pdi-58-default-scheme", f"{DAY}1.text.1#char=37,51", f"{DAY}1.text.1#37,51", False, True),
    ("pdi-58-numbers", f"{DAY}1.text.1#037,51", f"{DAY}1.text.1#37,51", False, True),
    ("pdi-58-case-of-the-scheme", f"{DAY}1.text.1#CHAR=3,5", f"{DAY}1.text.1#char=3,5", True, True),
    ("pdi-58-schemes", f"{DAY}1.html.1#elt=1,2", f"{DAY}1.html.1#char=1,2", False, False),
    ("pdi-58-positions", f"{DAY}1.html.1#1,2", f"{DAY}1.html.1#1,3", False, False),
    ("pdi-58-fragment-or-none", f"{DAY}1.html.1#1,2", f"{DAY}1.html.1", False, False),
    ("pdi-58-escaped-names", f"{DAY}1.html.1#name=%41,B", f"{DAY}1.html.1#name=A,B", True, True),
    ("pdi-58-case-of-names", f"{DAY}1.html.1#name=a,B", f"{DAY}1.html.1#name=A,B", False, False),
    ("pdi-58-frame", f"{DAY}1.gif.1#(1,2),(3,4)", f"{DAY}1.gif.1#(1,2),(3,4),0", False, True),
    (
        "pdi-58-other-frame",
        f"{DAY}1.gif.1#(1,2),(3,4)",
        f"{DAY}1.gif.1#(1,2),(3,4),1",
        False,
        False,
    ),
    (
        "pdi-66-corners",
        f"{DAY}1.gif.1#%281,2%29,(3,4)",
        f"{DAY}1.gif.1#(1,2),%283,4%29",
        True,
        True,
    ),
    ("pdi-66-names", f"{DAY}1.html.1#name=%28a,b", f"{DAY}1.html.1#name=(a,b", True, True),
    ("pdi-67-reserved", f"{DAY}1.gif.1#(1%2c2),(3,4)", f"{DAY}1.gif.1#(1,2),(3,4)", False, True),
    ("pdi-67-case", f"{DAY}1.gif.1#(1%2c2),(3,4)", f"{DAY}1.gif.1#(1%2C2),(3,4)", True, True),
    ("pdi-67-places", f"{DAY}1.gif.1#(1%2c2),(3,4)", f"{DAY}1.gif.1#(1,2),(3%2c4)", False, True),
    ("pdi-67-both", f"{DAY}1.gif.1#%281%2C2%29,(3,4)", f"{DAY}1.gif.1#(1%2c2),(3,4)", True, True),
    ("pdi-67-times", f"{VIDEO}#sec=1%2c2", f"{VIDEO}#msec=1000,2000", False, True),
    ("pdi-67-data", f"{DAY}1.html.1#name=a%2cb,c", f"{DAY}1.html.1#name=a%2Cb,c", True, True),
    (
        "pdi-66-origin",
        f"{CITING[:-7]}.gif.1@%285,10%29={DAY}1.text.1",
        f"{CITING[:-7]}.gif.1@(5,10)={DAY}1.text.1",
        True,
        True,
    ),
    ("pdi-58-units", f"{VIDEO}#sec=1,2", f"{VIDEO}#msec=1000,2000", False, True),
    ("pdi-58-crop", f"{VIDEO}#crop=sec,23,51", f"{VIDEO}#sec=23,51", False, True),
    ("pdi-58-case-of-the-unit", f"{VIDEO}#crop=SEC,23,51", f"{VIDEO}#crop=sec,23,51", True, True),
    ("pdi-58-area", f"{VIDEO}#crop=sec,1,2,(0,0),(9,9)", f"{VIDEO}#crop=sec,1,2", False, False),
    (
        "pdi-58-area-in-other-units",
        f"{VIDEO}#crop=sec,1,2,(0,0),(9,9)",
        f"{VIDEO}#crop=msec,1000,2000,(0,0),(09,9)",
        False,
        True,
    ),
    ("pdi-41-erratum", f"{VIDEO}#sec,23,51", f"{VIDEO}#sec=23,51", False, True),
    ("pdi-41-erratum-case", f"{VIDEO}#SEC,23,51", f"{VIDEO}#sec,23,51", True, True),
    ("pdi-42-bytes", f"{DAY}1.pdf.1#byte=01,2", f"{DAY}1.pdf.1#byte=1,2", False, True),
    ("pdi-50-same-wildcards", "pdi://a.us/1997/*/01/*", "pdi://a.us/1997/*/01/*", True, True),
    ("pdi-50-other-wildcards", "pdi://a.us/1997/*/01/*", "pdi://a.us/1997/01/*/*", False, False),
    ("pdi-50-any-version", f"{DAY}1.text.*", f"{DAY}1.text.1", False, False),
    ("pdi-45-origins", f"{CITING}@103={DAY}1.text.1", f"{CITING}@104={DAY}1.text.1", False, False),
    ("pdi-45-numbers", f"{CITING}@0103={DAY}1.text.1", f"{CITING}@103={DAY}1.text.1", False, True),
    (
        "pdi-45-defaults",
        f"{CITING}@1={DAY}1.text.1#1,2",
        f"{CITING}@1={DAY}1.text.1#char=1,2",
        False,
        True,
    ),
    (
        "pdi-45-urn-inside",
        f"{CITING}@1=urn:{DAY}1.text.1",
        f"{CITING}@1={DAY}1.text.1",
        False,
        True,
    ),
    ("pdi-45-citation-or-none", f"{CITING}@1={DAY}1.text.1", CITING, False, False),
]


@pytest.mark.parametrize(
    ("a", "b", "lexical", "semantic"), [c[1:] for c in PAIRS], ids=[c[0] for c in PAIRS]
)
def test_equivalence(a: str, b: str, *, lexical: bool, semantic: bool) -> None:
    assert lexically_equal(a, b) is lexically_equal(b, a) is lexical
    assert denotes_same(a, b) is denotes_same(b, a) is semantic
    values = parse(a, strict=False), parse(b, strict=False)
    assert lexically_equal(*values) is lexical
    assert denotes_same(*values) is semantic


COVERED = [
    # clause id, pattern, name, covered
    ("pdi-60-itself", f"{DAY}1.text.1", f"{DAY}1.text.1", True),
    ("pdi-60-other-form", f"{DAY}*", f"urn:{DAY}1.text.1", True),
    ("pdi-60-generic", f"{DAY}1", f"{DAY}1.text.1", True),
    ("pdi-60-format", f"{DAY}1.text", f"{DAY}1.text.1", True),
    ("pdi-60-other-format", f"{DAY}1.html", f"{DAY}1.text.1", False),
    ("pdi-60-fragment", f"{DAY}*", f"{DAY}1.text.1#0,5", True),
    ("pdi-60-fragment-of-a-version", f"{DAY}1.text.1", f"{DAY}1.text.1#0,5", True),
    ("pdi-60-citation", f"{DAY}*", f"{DAY}1.text.1@3={CITING}", True),
    ("pdi-60-not-what-is-cited", f"{DAY}*", f"{CITING}@3={DAY}1.text.1", False),
    ("pdi-60-any-version", f"{DAY}1.text.*", f"{DAY}1.text.3", True),
    ("pdi-60-version-must-be-there", f"{DAY}1.text.*", f"{DAY}1.text", False),
    ("pdi-60-format-must-be-there", f"{DAY}1.*", f"{DAY}1", False),
    ("pdi-60-any-format", f"{DAY}1.*.2", f"{DAY}1.html.2", True),
    ("pdi-60-year", "pdi://oma.eop.gov.us/*/09/01/1.*.1", f"{DAY}1.text.1", True),
    ("pdi-60-other-month", "pdi://oma.eop.gov.us/*/08/01/*", f"{DAY}1.text.1", False),
    ("pdi-34-month", "pdi://oma.eop.gov.us/1997/09/*/*", f"{DAY}1.text.1", True),
    ("pdi-60-unpadded", "pdi://oma.eop.gov.us/1997/9/1/*", f"{DAY}1.text.1", True),
    ("pdi-60-series-whole", "pdi://eop.gov.us/1997/09/01/*", f"{DAY}1.text.1", False),
    ("pdi-31-series-longer", "pdi://x.oma.eop.gov.us/1997/09/01/*", f"{DAY}1.text.1", False),
    ("pdi-60-case", "pdi://OMA.eop.gov.US/1997/09/01/*", f"{DAY}1.text.1", True),
    ("pdi-60-case-of-the-unique-id", f"{DAY}a", f"{DAY}A.text.1", False),
    ("pdi-60-escapes", f"{DAY}%41", f"{DAY}A.text.1", True),
    ("pdi-59-escaped-star", f"{DAY}%2a.text.1", f"{DAY}1.text.1", False),
    ("pdi-60-wider-pattern", f"{DAY}*", f"{DAY}*.text", True),
    ("pdi-60-narrower-pattern", f"{DAY}*.text", f"{DAY}*", False),
    ("pdi-60-fragment-covers-itself", f"{DAY}1.text.1#0,5", f"{DAY}1.text.1#char=0,5", True),
    ("pdi-60-fragment-covers-no-more", f"{DAY}1.text.1#0,5", f"{DAY}1.text.1", False),
]


@pytest.mark.parametrize(
    ("pattern", "name", "covered"), [c[1:] for c in COVERED], ids=[c[0] for c in COVERED]
)
def test_what_a_pattern_covers(pattern: str, name: str, *, covered: bool) -> None:
    assert covers(pattern, name) is covered
    assert covers(parse(pattern, strict=False), parse(name)) is covered


MINTABLE = [
    # clause id, name, offset where it may not be minted
    ("pdi-21-whole", f"{DAY}1.text.1", None),
    ("pdi-21-urn", f"urn:{DAY}Budget-FY98.utf-8.12", None),
    ("pdi-21-leading-zero", f"{DAY}01.text.1", None),
    ("pdi-29-encapsulated", f"{DAY}http:%2f%2fwww%2ewhitehouse%2egov%2f.html.1", None),
    ("pdi-21-format", f"{DAY}1", 33),
    ("pdi-21-version", f"{DAY}1.text", 38),
    ("pdi-21-wildcard", f"{DAY}*.text.1", 32),
    ("pdi-21-any-version", f"{DAY}1.text.*", 39),
    ("pdi-64-fragment", f"{DAY}1.text.1#0,5", 40),
    ("pdi-64-citation", f"{CITING}@3={DAY}1.text.1", 40),
    ("pdi-64-serial-zero", f"{DAY}0.text.1", 32),
    ("pdi-64-serial-zeros", f"{DAY}000.text.1", 32),
    ("pdi-64-hyphen-before", "pdi://-a.us/1997/09/01/1.text.1", 6),
    ("pdi-64-hyphen-after", "pdi://b.a-.us/1997/09/01/1.text.1", 8),
    ("pdi-64-reserved-country", "pdi://a.uk/1997/09/01/1.text.1", 8),
    ("pdi-64-no-country", "pdi://a.eu/1997/09/01/1.text.1", 8),
    ("pdi-64-user-assigned", "urn:pdi://a.zz/1997/09/01/1.text.1", 12),
    ("pdi-07-not-utf-8", f"{DAY}a%ff.text.1", 33),
]


@pytest.mark.parametrize(
    ("text", "offset"), [c[1:] for c in MINTABLE], ids=[c[0] for c in MINTABLE]
)
def test_what_may_be_minted(text: str, offset: int | None) -> None:
    for name in (text, parse(text)):
        if offset is None:
            check_mintable(name)
        else:
            with pytest.raises(ParseError) as error:
                check_mintable(name)
            assert (error.value.source, error.value.offset) == (text, offset)


@pytest.mark.parametrize("country", ["aa", "qm", "qz", "xa", "xz", "zz"])
def test_user_assigned_countries_are_for_those_who_ask(country: str) -> None:
    """pdi-64: ISO 3166 leaves these codes to its users."""
    name = f"urn:pdi://my.archive.{country}/1997/09/01/1.text.1"
    check_mintable(name, user_assigned=True)
    with pytest.raises(ParseError, match="ISO 3166"):
        check_mintable(name)


def test_an_unpadded_date_is_not_minted() -> None:
    """pdi-06: what is read leniently is not made anew."""
    with pytest.raises(ParseError, match="yyyy/mm/dd"):
        check_mintable(parse("pdi://a.us/1999/9/16/1.text.1", strict=False))
