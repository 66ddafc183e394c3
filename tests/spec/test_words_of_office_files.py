"""The words of DOCX and ODT: each rule of docs/explanation/the-words-of-office-files.md."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest
from tests.spec.zips import zipped

from permacite.errors import LimitError, ParseError
from permacite.renditions import Label, Notice, Original, Rendered, rendition_named

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SPACES = (
    f"xmlns:w='{WORD}' xmlns:mc='http://schemas.openxmlformats.org/markup-compatibility/2006' "
    "xmlns:m='http://schemas.openxmlformats.org/officeDocument/2006/math'"
)
ODF = "urn:oasis:names:tc:opendocument:xmlns:"
ODF_SPACES = " ".join(
    f"xmlns:{name}='{ODF}{long}:1.0'"
    for name, long in {
        "office": "office", "text": "text", "table": "table", "draw": "drawing",
        "svg": "svg-compatible",
    }.items()
)  # fmt: skip


def docx(body: str, **parts: str) -> bytes:
    """A file with this body; `parts` are others by the kind of their relationship."""
    relations = "".join(
        f"<Relationship Id='r{kind}' Type='{OFFICE}/{kind}' Target='{kind}.xml'/>" for kind in parts
    )
    entries = {
        "word/document.xml": f"<w:document {SPACES}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": (
            f"<Relationships xmlns='{RELATIONS}'>{relations}</Relationships>"
        ),
    }
    entries |= {
        f"word/{kind}.xml": f"<w:{kind} {SPACES}>{content}</w:{kind}>"
        for kind, content in parts.items()
    }
    return zipped({name: content.encode() for name, content in entries.items()})


def odt(body: str) -> bytes:
    content = f"<office:document-content {ODF_SPACES}><office:body><office:text>{body}"
    end = "</office:text></office:body></office:document-content>"
    return zipped({"content.xml": (content + end).encode()})


def rendered(content: bytes, rendition: str = "docx-text/1") -> Rendered:
    chosen = rendition_named(rendition)
    return chosen(Original(content, min(chosen.media_types, default="")))


def p(text: str, properties: str = "") -> str:
    run = f"<w:r><w:t xml:space='preserve'>{text}</w:t></w:r>"
    return f"<w:p><w:pPr>{properties}</w:pPr>{run}</w:p>"


def cells(*contents: str) -> str:
    return "<w:tr>" + "".join(f"<w:tc>{content}</w:tc>" for content in contents) + "</w:tr>"


def field(*middle: str) -> str:
    marks = ["begin", "separate", "end"]
    parts = [f"<w:r><w:fldChar w:fldCharType='{mark}'/></w:r>" for mark in marks]
    return parts[0] + middle[0] + parts[1] + middle[1] + parts[2]


def r(content: str) -> str:
    return f"<w:r>{content}</w:r>"


def runs(*contents: str) -> str:
    return "<w:p>" + "".join(map(r, contents)) + "</w:p>"


NOTES = {"footnotes": f"<w:footnote w:id='2'>{p('Of')}{p('it')}</w:footnote>"}
BOX = "<w:pict><w:txbxContent>" + p("box") + "</w:txbxContent></w:pict>"
INNER = f"<w:tbl>{cells(p('b'), p('c'))}</w:tbl>{p('')}"
NOTED = "<w:footnoteReference w:id='2'/>"
DOCX_RULES = [
    ("1 runs", p("a") + p("b &amp; c"), ["a", "b & c"]),
    ("1 formulas", "<w:p><m:oMath><m:r><m:t>x</m:t></m:r></m:oMath></w:p>", ["x"]),
    ("1 nothing else", "<w:p><w:r><w:instrText>no</w:instrText></w:r>no</w:p>", []),
    ("2 white space", p(" a \t b\n") + p("") + p("c "), ["a b", "c"]),
    ("2 breaks", runs("<w:t>a</w:t><w:br/><w:t>b</w:t><w:tab/><w:t>c</w:t>"), ["a", "b c"]),
    ("2 tab stops", p("a", "<w:tabs><w:tab w:val='left'/></w:tabs>"), ["a"]),
    ("2 first letter", p("D", "<w:framePr w:dropCap='drop'/>") + p("rop"), ["Drop"]),
    ("3 cells", f"<w:tbl>{cells(p('a'), p(''), p('c'))}{cells(p('d'))}</w:tbl>", ["a\t\tc", "d"]),
    (
        "3 paragraphs",
        f"<w:tbl>{cells(p('a') + p('b'), p('c'))}</w:tbl>{p('d')}",
        ["a", "b\tc", "d"],
    ),
    ("3 empty cell first", f"{p('x')}<w:tbl>{cells(p(''), p('b'))}</w:tbl>", ["x", "b"]),
    (
        "3 table in a cell",
        f"<w:tbl>{cells(p('a'), INNER, p('d'))}</w:tbl>",
        ["a", "b\tc", "d"],
    ),
    ("4 hyphens", runs("<w:t>a</w:t><w:noBreakHyphen/><w:softHyphen/>"), ["a\u2011\u00ad"]),
    ("4 symbols", runs("<w:sym w:font='Symbol' w:char='F061'/>"), ["\uf061"]),
    ("4 no symbol", runs("<w:sym w:char='D800'/><w:sym w:char='x'/><w:t>a</w:t>"), ["a"]),
    (
        "5 notes",
        runs("<w:t>a</w:t>" + NOTED + "<w:t>b</w:t>") + p("c"),
        ["ab", "Of", "it", "c"],
    ),
    ("5 a note once", runs(NOTED, NOTED), ["Of", "it"]),
    ("5 boxes", runs("<w:t>a</w:t>" + BOX + "<w:t>b</w:t>"), ["ab", "box"]),
    (
        "5 boxes once",
        (
            f"<w:p><mc:AlternateContent><mc:Choice>{r(BOX)}</mc:Choice><mc:Fallback>{r(BOX)}"
            "</mc:Fallback></mc:AlternateContent></w:p>"
        ),
        ["box"],
    ),
    ("5 fields", f"<w:p>{field(r('<w:t>no</w:t>'), r('<w:t>17</w:t>'))}</w:p>", ["17"]),
    (
        "5 fields in fields",
        f"<w:p>{field(field(r(''), r('<w:t>no</w:t>')), r('<w:t>17</w:t>'))}</w:p>",
        ["17"],
    ),
    (
        "6 changes",
        (
            f"<w:p><w:ins>{r('<w:t>in</w:t>')}</w:ins><w:del>{r('<w:delText>out</w:delText>')}</w:del>"
            f"<w:moveFrom>{r('<w:t>from</w:t>')}</w:moveFrom></w:p>"
        ),
        ["in"],
    ),
    ("6 deleted mark", p("a", "<w:rPr><w:del/></w:rPr>") + p("b"), ["ab"]),
    ("6 former properties", p("a", "<w:pPrChange><w:pPr/></w:pPrChange>"), ["a"]),
    ("7 hidden", runs("<w:rPr><w:vanish/></w:rPr><w:t>a</w:t>", "<w:t>b</w:t>"), ["b"]),
    ("7 not hidden", runs("<w:rPr><w:vanish w:val='0'/></w:rPr><w:t>a</w:t>"), ["a"]),
    ("7 hidden mark", p("a", "<w:rPr><w:vanish/></w:rPr>"), ["a"]),
    ("8 logical order", p("\u05e9\u05dc\u05d5\u05dd"), ["\u05e9\u05dc\u05d5\u05dd"]),
]


@pytest.mark.parametrize(
    ("body", "lines"), [c[1:] for c in DOCX_RULES], ids=[c[0] for c in DOCX_RULES]
)
def test_rules_of_docx(body: str, lines: list[str]) -> None:
    assert rendered(docx(body, **NOTES)).text == "".join(f"{line}\r\n" for line in lines)


def test_strict_files_are_read_as_the_others() -> None:
    content = f"<w:document xmlns:w='{STRICT}'><w:body>{p('a')}</w:body></w:document>".encode()
    assert rendered(zipped({"word/document.xml": content})).text == "a\r\n"


def labelled(result: Rendered) -> list[tuple[str, str, str]]:
    return [
        (label.kind, label.name, result.text[label.start : label.end]) for label in result.labels
    ]


STYLES = (
    "<w:style w:styleId='H1'><w:name w:val='heading 1'/><w:pPr><w:numPr><w:numId w:val='1'/>"
    "</w:numPr></w:pPr></w:style><w:style w:styleId='H2'>"
    "<w:basedOn w:val='H1'/><w:name w:val='Heading 2'/>"
    "<w:pPr><w:numPr><w:ilvl w:val='1'/><w:numId w:val='1'/></w:numPr></w:pPr></w:style>"
)


def level(number: int, form: str, text: str) -> str:
    return (
        f"<w:lvl w:ilvl='{number}'><w:start w:val='1'/><w:numFmt w:val='{form}'/>"
        f"<w:lvlText w:val='{text}'/></w:lvl>"
    )


def number(name: int, of: int, more: str = "") -> str:
    return f"<w:num w:numId='{name}'><w:abstractNumId w:val='{of}'/>{more}</w:num>"


NUMBERING = (
    f"<w:abstractNum w:abstractNumId='7'>{level(0, 'upperRoman', '%1')}"
    f"{level(1, 'decimal', '%1.%2')}</w:abstractNum>"
    f"<w:abstractNum w:abstractNumId='8'>{level(0, 'lowerLetter', '(%1)')}"
    f"{level(1, 'bullet', 'o')}</w:abstractNum>"
    + number(1, 7)
    + number(2, 8)
    + number(3, 8, "<w:lvlOverride w:ilvl='0'><w:startOverride w:val='1'/></w:lvlOverride>")
)


def item(text: str, number: int, at: int = 0) -> str:
    return p(text, f"<w:numPr><w:ilvl w:val='{at}'/><w:numId w:val='{number}'/></w:numPr>")


def test_labels_of_docx() -> None:
    """Rule 9."""
    heading = "<w:pStyle w:val='H{}'/>".format
    body = (
        p("One", heading(1)) + p("Two", heading(2)) + p("x") + p("Three", heading(2))
        + item("a", 2) + item("dot", 2, 1) + item("b", 2) + item("anew", 3) + p("End", heading(1))
    )  # fmt: skip
    result = rendered(docx(body, styles=STYLES, numbering=NUMBERING))
    assert [(kind, name, text.split("\r\n")[0]) for kind, name, text in labelled(result)] == [
        ("section", "I One", "One"),
        ("section", "I.1 Two", "Two"),
        ("section", "I.2 Three", "Three"),
        ("item", "(a)", "a"),
        ("item", "(b)", "b"),
        ("item", "(a)", "anew"),
        ("section", "II End", "End"),
    ]
    assert labelled(result)[0][2].endswith("anew")


def test_notes_are_named_by_their_numbers_where_these_are_known() -> None:
    body = runs("<w:t>a</w:t>" + NOTED)
    assert labelled(rendered(docx(body, **NOTES))) == [("note", "1", "Of\r\nit")]
    anew = "<w:sectPr><w:footnotePr><w:numRestart w:val='eachPage'/></w:footnotePr></w:sectPr>"
    assert not rendered(docx(body + anew, **NOTES)).labels


REVIEWED = docx(
    f"<w:p><w:ins w:author='Ann'>{r('<w:t>in </w:t>')}</w:ins>"
    f"<w:del w:author='Bob'>{r('<w:delText>out</w:delText>')}</w:del>"
    + r("<w:t> it</w:t><w:commentReference w:id='0'/>")
    + "</w:p>",
    comments=f"<w:comment w:id='0' w:author='Cy'>{p('Why?')}</w:comment>",
)


def test_changes_and_comments_are_reported() -> None:
    """Rule 6."""
    result = rendered(REVIEWED)
    assert result.text == "in it\r\n"
    told = "it has 2 tracked changes: insertions are text, deletions are not"
    assert result.notices == (
        Notice("tracked-changes", told),
        Notice("comments", "it has 1 comments, left out"),
    )


def test_changes_and_comments_are_text_where_they_are_asked_for() -> None:
    result = rendered(REVIEWED, "docx-reviewed-text/1")
    assert result.text == "in out it\r\nWhy?\r\n"
    assert labelled(result) == [
        ("insertion", "Ann", "in"),
        ("deletion", "Bob", "out"),
        ("comment", "Cy", "Why?"),
    ]
    assert not result.notices


# ---------------------------------------------------------------- OpenDocument


def t(text: str) -> str:
    return f"<text:p>{text}</text:p>"


def row(*contents: str) -> str:
    inner = "".join(f"<table:table-cell>{content}</table:table-cell>" for content in contents)
    return f"<table:table-row>{inner}</table:table-row>"


def note(number: str, text: str) -> str:
    return (
        f"<text:note><text:note-citation>{number}</text:note-citation><text:note-body>{text}"
        "</text:note-body></text:note>"
    )


ODT_RULES = [
    ("1 paragraphs", t("a <text:span>b</text:span>") + "<text:h>c</text:h>", ["a b", "c"]),
    ("1 descriptions", t("a<draw:frame><svg:title>no</svg:title></draw:frame>"), ["a"]),
    ("2 white space", t(" a<text:s text:c='4'/>\n b<text:tab/>c") + t(""), ["a b c"]),
    ("2 breaks", t("a<text:line-break/>b"), ["a", "b"]),
    ("3 cells", f"<table:table>{row(t('a'), t(''), t('c'))}</table:table>", ["a\t\tc"]),
    ("3 repeated", row(t("a")).replace(">", " table:number-rows-repeated='9'>", 1), ["a"]),
    ("4 notes", t(f"a{note('i', t('x') + t('y'))}b") + t("c"), ["ab", "x", "y", "c"]),
    ("4 boxes", t(f"a<draw:text-box>{t('x')}</draw:text-box>b"), ["ab", "x"]),
    ("5 changes", (f"<text:tracked-changes><text:changed-region>{t('no')}</text:changed-region>"
     f"</text:tracked-changes>{t('a')}"), ["a"]),
    ("5 comments", t(f"a<office:annotation>{t('no')}</office:annotation>"), ["a"]),
    ("5 hidden", t("a<text:hidden-text>no</text:hidden-text>"), ["a"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "lines"), [c[1:] for c in ODT_RULES], ids=[c[0] for c in ODT_RULES]
)
def test_rules_of_odt(body: str, lines: list[str]) -> None:
    assert rendered(odt(body), "odt-text/1").text == "".join(f"{line}\r\n" for line in lines)


def test_labels_and_notices_of_odt() -> None:
    """Rules 5 and 6."""
    heading = "<text:h text:outline-level='{}'>{}</text:h>".format
    region = f"<text:tracked-changes><text:changed-region>{t('no')}</text:changed-region>"
    body = (
        f"{region}</text:tracked-changes>" + heading(1, "One") + heading(2, "Two")
        + t(f"a{note('*', t('n'))}<office:annotation/>") + heading(1, "End")
    )  # fmt: skip
    result = rendered(odt(body), "odt-text/1")
    assert labelled(result) == [
        ("section", "One", "One\r\nTwo\r\na\r\nn"),
        ("section", "Two", "Two\r\na\r\nn"),
        ("note", "*", "n"),
        ("section", "End", "End"),
    ]
    assert [notice.code for notice in result.notices] == ["tracked-changes", "comments"]
    assert isinstance(result.labels[0], Label)


# ---------------------------------------------------------------- what is refused


def test_zips_that_contradict_themselves_are_refused() -> None:
    good = docx(p("a"))
    twice = io.BytesIO()
    with zipfile.ZipFile(twice, "w") as archive:
        archive.writestr("word/document.xml", b"<a/>")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("word/document.xml", b"<b/>")
    within = bytearray(good)
    at = within.index(b"PK\x01\x02", within.index(b"PK\x01\x02") + 1)
    within[at + 42 : at + 46] = struct.pack("<I", 4)
    encrypted = bytearray(good)
    encrypted[encrypted.index(b"PK\x01\x02") + 8] |= 1
    for content in (b"", b"PK", good[:-30], twice.getvalue(), bytes(within), bytes(encrypted)):
        with pytest.raises(ParseError):
            rendered(content)


def test_files_of_older_formats_and_encrypted_ones_are_named() -> None:
    with pytest.raises(ParseError, match="encrypted by Office, or of its older formats"):
        rendered(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512))
    manifest = f"<manifest:manifest xmlns:manifest='{ODF}manifest:1.0'><manifest:encryption-data/>"
    sealed = zipped(
        {"content.xml": b"x", "META-INF/manifest.xml": f"{manifest}</manifest:manifest>".encode()}
    )
    with pytest.raises(ParseError, match="not encrypted"):
        rendered(sealed, "odt-text/1")


BOMB = b"<w:document>" + b" " * (64 << 20)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", ParseError),
        (b"<a>" * 501, LimitError),
        (b"<a></b>", ParseError),
        (b"\xff\xfe\x00", ParseError),
        (b"<?xml version='1.0' encoding='x'?><a/>", ParseError),
        (BOMB, LimitError),
    ],
    ids=["entities", "depth", "not well-formed", "no text", "no charset", "bomb"],
)
def test_hostile_parts_are_refused(content: bytes, error: type[Exception]) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", content)
    with pytest.raises(error):
        rendered(packed.getvalue())


def test_nothing_outside_the_zip_is_asked_for() -> None:
    relation = f"<Relationship Type='{OFFICE}/officeDocument' Target='../../../etc/passwd'/>"
    root = f"<Relationships xmlns='{RELATIONS}'>{relation}</Relationships>".encode()
    content = f"<w:document {SPACES}><w:body>{p('a')}</w:body></w:document>".encode()
    assert rendered(zipped({"_rels/.rels": root, "word/document.xml": content})).text == "a\r\n"
