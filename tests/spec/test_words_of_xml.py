"""The words of XML: each rule of docs/explanation/the-words-of-xml.md by an example."""

from __future__ import annotations

import pytest

from permacite.errors import ParseError
from permacite.extract import extract
from permacite.renditions import Label, Original, Rendered
from permacite.renditions.xml import XML_TEXT_1


def rendered(source: str, media_type: str = "application/xml") -> Rendered:
    return XML_TEXT_1(Original(source.encode(), media_type))


RULES = [
    # what it shows, source, lines
    ("1 characters", "<a x='no'>b &amp; <!--no--><?no?>c</a>", ["b & c"]),
    ("1 cdata", "<a><![CDATA[<b>]]></a>", ["<b>"]),
    ("1 local names", "<t:TEI><t:p>a</t:p><t:p>b</t:p></t:TEI>", ["a", "b"]),
    ("2 left out", "<svg><style>no</style><text>a<tspan>b</tspan></text></svg>", ["ab"]),
    ("2 pagenum", "<p>a <pagenum>17</pagenum>b</p>", ["a b"]),
    ("3 entities", "<!DOCTYPE a [<!ENTITY x 'y'>]><a>b &x; c</a>", ["b &x; c"]),
    ("4 white space", "<a>\n b \n\t c </a>", ["b c"]),
    ("4 preserved", "<a xml:space='preserve'> b\n  c\n</a>", [" b", "  c"]),
    ("4 code", "<sec><p>a</p><preformat>x\n y</preformat><p>b</p></sec>", ["a", "x", " y", "b"]),
    ("4 NUL", "<a>b\x00c</a>", ["bc"]),
    ("5 blocks in a line", "<p>a <list><item>b</item><item>c</item></list> d</p>", [*"abcd"]),
    ("5 inline alone", "<sec><bold>a</bold><italic>b</italic></sec>", ["ab"]),
    ("5 mixed content", "<x>a <y>b</y> c</x>", ["a b c"]),
    ("5 elements alone", "<x><y>b</y><y>c</y></x>", ["b", "c"]),
    ("6 lb", "<p>a<lb/>b</p>", ["a", "b"]),
    ("6 joined", "<p>wa <lb break='no'/>ter</p>", ["water"]),
    ("6 cells", "<table><tr><td>a</td><td><p>b</p></td></tr><tr><td>c</td></tr></table>", None),
    ("6 empty cells", "<table><tr><td>a</td><td/><td>c</td></tr></table>", ["a\t\tc"]),
    ("7 notes", "<p>a<note>b <p>c</p></note> d</p><p>e</p>", ["a d", "b", "c", "e"]),
    ("9 not well formed", "<a><b>c</a>", ["c"]),
]


@pytest.mark.parametrize(("source", "lines"), [c[1:] for c in RULES], ids=[c[0] for c in RULES])
def test_rules(source: str, lines: list[str] | None) -> None:
    text = rendered(source).text
    if lines is None:
        assert text == "a\r\nb\r\nc\r\n"  # a block in a cell stands on a line of its own
    else:
        assert text == "".join(f"{line}\r\n" for line in lines)


TEI = """<?xml version="1.0"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>On Light</title>
<author>Jane Roe</author></titleStmt><publicationStmt><date when="1899-02-03">Feb</date>
<idno type="DOI">10.1000/x</idno></publicationStmt></fileDesc></teiHeader>
<text><body><pb n="xvii"/><div type="chapter" n="2"><head>Of <hi>rays</hi></head>
<p>The light falls<note n="1">See <title>Optics</title>.</note> on the <pb n="18"/>water.</p>
<lg n="3"><l n="7">one</l></lg></div></body></text></TEI>
"""
JATS = """<article><front><journal-meta><journal-title-group><journal-title>J</journal-title>
</journal-title-group></journal-meta><article-meta><article-id pub-id-type="doi">10.1/y</article-id>
<title-group><article-title>On <italic>E. coli</italic></article-title></title-group><contrib-group>
<contrib><name><surname>Roe</surname><given-names>J</given-names></name></contrib></contrib-group>
<pub-date><day>3</day><month>2</month><year>2020</year></pub-date><fpage>17</fpage><lpage>31</lpage>
</article-meta></front><body><sec><label>2.1</label><title>Methods</title><p>We did.</p></sec>
<sec><title>Results</title><fig><label>Fig. 1</label><caption><p>Cells.</p></caption></fig></sec>
</body></article>"""


def labelled(result: Rendered) -> dict[tuple[str, str], str]:
    return {
        (label.kind, label.name): result.text[label.start : label.end] for label in result.labels
    }


def test_labels_of_tei() -> None:
    result = rendered(TEI, "application/tei+xml")
    labels = labelled(result)
    assert labels["page", "xvii"] == "Of rays\r\nThe light falls on the"
    assert labels["page", "18"].startswith("water.")
    assert labels["chapter", "2"].startswith("Of rays")
    assert labels["note", "1"] == "See Optics."
    assert labels["stanza", "3"] == labels["line", "7"] == "one"


def test_a_target_is_the_element_itself() -> None:
    result = rendered(TEI, "application/tei+xml")
    (verse,) = [label for label in result.labels if label.kind == "line"]
    part = extract(TEI.encode(), "application/tei+xml", verse.target)
    assert part.data == b'<l n="7">one</l>'


def test_labels_of_jats() -> None:
    labels = labelled(rendered(JATS))
    assert labels["section", "2.1"] == "2.1\r\nMethods\r\nWe did."
    assert labels["section", "Results"].endswith("Cells.")
    assert labels["figure", "Fig. 1"] == "Fig. 1\r\nCells."


def test_what_is_stated() -> None:
    tei, jats = rendered(TEI), rendered(JATS)
    stated = {claim.field: (claim.value, claim.given) for claim in tei.stated}
    assert tei.title == "On Light"
    assert stated["author"] == ("Jane Roe", None)
    assert (stated["issued"][0], stated["doi"][0]) == ("1899-02-03", "10.1000/x")
    stated = {claim.field: (claim.value, claim.given) for claim in jats.stated}
    assert jats.title == "On E. coli"
    assert stated["author"] == ("Roe", "J")
    assert stated["issued"][0] == "2020-02-03"
    assert (stated["container"][0], stated["first page"][0]) == ("J", "17")
    assert stated["kind"][0] == "article-journal"


def test_title_of_any_other() -> None:
    assert rendered("<svg><title>A map</title><text>b</text></svg>").title == "A map"


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "entities"),
        ("<a><b>c</a>", "not-well-formed"),
        ("<a>c", "not-well-formed"),
        ("<a/>", "no-words"),
    ],
)
def test_notices(source: str, code: str) -> None:
    assert code in {notice.code for notice in rendered(source).notices}


def test_a_billion_laughs_stay_short() -> None:
    entities = "".join(
        f"<!ENTITY l{number} '{f'&l{number - 1};' * 10}'>" for number in range(1, 10)
    )
    source = f"<!DOCTYPE a [<!ENTITY l0 'ha'>{entities}]><a>&l9;</a>"
    assert rendered(source).text == "&l9;\r\n"


def test_what_has_no_element_is_refused() -> None:
    with pytest.raises(ParseError, match="no element"):
        rendered("just words")


def test_depth_is_no_matter() -> None:
    assert rendered("<a>" * 100_000 + "b").text == "b\r\n"


def test_a_label_has_no_white_space_at_its_ends() -> None:
    assert rendered("<x><p n='1'> a </p><p>b</p></x>").labels == (
        Label(0, 1, "paragraph", "1", "elt=1,1"),
    )
