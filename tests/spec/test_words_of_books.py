"""The words of EPUB: each rule of docs/explanation/the-words-of-books.md by an example."""

from __future__ import annotations

import pytest
from tests.spec.zips import zipped

from permacite.errors import ParseError
from permacite.renditions import Original, Rendered, rendition_named

CONTAINER = (
    "<container xmlns='urn:oasis:names:tc:opendocument:xmlns:container'><rootfiles>"
    "<rootfile full-path='a/b.opf'/></rootfiles></container>"
)
OPF = (
    "<package xmlns='http://www.idpf.org/2007/opf' xmlns:dc='http://purl.org/dc/elements/1.1/' "
    "xmlns:opf='http://www.idpf.org/2007/opf'>"
)
META = (
    "<metadata><dc:title>On Light</dc:title><dc:creator id='c'>Jane Roe</dc:creator>"
    "<dc:creator id='i'>Ed Ill</dc:creator><meta refines='#i' property='role'>ill</meta>"
    "<dc:creator opf:role='trl'>Tom Trl</dc:creator><dc:identifier>urn:isbn:9780306406157"
    "</dc:identifier><dc:date>1899-02-03</dc:date></metadata>"
)
XHTML = "xmlns='http://www.w3.org/1999/xhtml' xmlns:epub='http://www.idpf.org/2007/ops'"


def page(body: str) -> str:
    return f"<html {XHTML}><head><title>no</title></head><body>{body}</body></html>"


def book(
    items: dict[str, str],
    spine: list[str],
    *,
    metadata: str = "",
    nav: str | None = None,
    ncx: str | None = None,
    more: dict[str, str] | None = None,
) -> bytes:
    """A book of pages by their names; `spine` has their order."""
    manifest = "".join(
        f"<item id='{name}' href='{name}.xhtml' media-type='application/xhtml+xml'/>"
        for name in items
    )
    files = {f"a/{name}.xhtml": page(body) for name, body in items.items()}
    if nav is not None:
        manifest += (
            "<item id='nav' href='n/nav.xhtml' media-type='application/xhtml+xml' "
            "properties='nav'/>"
        )
        files["a/n/nav.xhtml"] = page(nav)
    if ncx is not None:
        manifest += "<item id='ncx' href='x.ncx' media-type='application/x-dtbncx+xml'/>"
        files["a/x.ncx"] = f"<ncx xmlns='http://www.daisy.org/z3986/2005/ncx/'>{ncx}</ncx>"
    order = "".join(f"<itemref idref='{name}'/>" for name in spine)
    package = f"{OPF}{metadata}<manifest>{manifest}</manifest><spine toc='ncx'>{order}</spine>"
    files |= {"META-INF/container.xml": CONTAINER, "a/b.opf": f"{package}</package>"} | (more or {})
    return zipped({name: content.encode() for name, content in files.items()})


def rendered(content: bytes) -> Rendered:
    return rendition_named("epub-text/1")(Original(content, "application/epub+zip"))


PAGES = {"one": "<h1>One</h1><p>a<br/>b</p>", "two": "<p id='x'>c</p><p>d</p>", "3": "<p>e</p>"}


def test_pages_follow_in_the_order_of_the_spine() -> None:
    """Rules 1 and 2."""
    result = rendered(book(PAGES, ["two", "one", "two"]))
    assert result.text == "c\r\n\r\nd\r\n\r\nOne\r\n\r\na\r\nb\r\n"
    assert not result.notices


def shown(result: Rendered) -> list[tuple[str, str, str, str]]:
    return [
        (each.kind, each.name, " ".join(result.text[each.start : each.end].split()), each.target)
        for each in result.labels
    ]


NAV = (
    "<nav epub:type='toc'><ol><li><a href='../one.xhtml'>I <i>One</i></a><ol><li>"
    "<a href='../two.xhtml#x'>Two</a></li></ol></li><li><a href='../3.xhtml'>Three</a></li>"
    "<li><a href='../../../gone.xhtml'>Gone</a></li></ol></nav>"
    "<nav epub:type='page-list'><ol><li><a href='../one.xhtml'>xvii</a></li>"
    "<li><a href='../3.xhtml'>18</a></li></ol></nav>"
)
NAMED = [
    ("chapter", "I One", "One a b c d", "a/one.xhtml"),
    ("page", "xvii", "One a b c d", "a/one.xhtml"),
    ("section", "Two", "c d", "a/two.xhtml#x"),
    ("chapter", "Three", "e", "a/3.xhtml"),
    ("page", "18", "e", "a/3.xhtml"),
]


def test_contents_and_pages_of_epub_3_are_labels() -> None:
    """Rule 3."""
    assert sorted(shown(rendered(book(PAGES, list(PAGES), nav=NAV)))) == sorted(NAMED)


def point(kind: str, name: str, reference: str, inner: str = "") -> str:
    label = f"<navLabel><text>{name}</text></navLabel>"
    return f"<{kind}>{label}<content src='{reference}'/>{inner}</{kind}>"


def test_contents_and_pages_of_epub_2_are_labels() -> None:
    """Rule 3."""
    two = point("navPoint", "Two", "two.xhtml#x")
    ncx = (
        f"<navMap>{point('navPoint', 'I One', 'one.xhtml', two)}"
        f"{point('navPoint', 'Three', '3.xhtml')}</navMap><pageList>"
        f"{point('pageTarget', 'xvii', 'one.xhtml')}"
        f"{point('pageTarget', '18', '3.xhtml')}</pageList>"
    )
    assert sorted(shown(rendered(book(PAGES, list(PAGES), ncx=ncx)))) == sorted(NAMED)


def test_page_breaks_are_labels_where_no_list_of_pages_is() -> None:
    """Rule 3."""
    pages = {
        "one": "<p>a <span epub:type='pagebreak' title='4'></span>b</p>",
        "two": "<p>c</p><div role='doc-pagebreak' aria-label='5'></div><p>d</p>",
    }
    assert shown(rendered(book(pages, ["one", "two"]))) == [
        ("page", "4", "b c", "a/one.xhtml"),
        ("page", "5", "d", "a/two.xhtml"),
    ]


def test_encrypted_fixed_and_missing_pages_are_reported() -> None:
    """Rule 4."""
    encryption = (
        "<encryption xmlns:enc='http://www.w3.org/2001/04/xmlenc#'><enc:EncryptedData>"
        "<enc:CipherData><enc:CipherReference URI='a/{}'/></enc:CipherData></enc:EncryptedData>"
        "</encryption>"
    )
    fixed = "<metadata><meta property='rendition:layout'>pre-paginated</meta></metadata>"
    sealed = {"META-INF/encryption.xml": encryption.format("two.xhtml")}
    result = rendered(book(PAGES, ["one", "two", "gone"], metadata=fixed, more=sealed))
    assert result.text == "One\r\n\r\na\r\nb\r\n"
    assert [notice.code for notice in result.notices] == ["fixed-layout", "encrypted", "missing"]
    fonts = {"META-INF/encryption.xml": encryption.format("font.otf")}
    (notice,) = rendered(book(PAGES, ["one"], more=fonts)).notices
    assert notice.code == "fonts"
    with pytest.raises(ParseError, match="expected an EPUB with pages that can be read"):
        rendered(book(PAGES, ["two"], more=sealed))


def test_the_package_states_title_authors_and_date() -> None:
    """Rule 5."""
    result = rendered(book(PAGES, ["one"], metadata=META))
    assert result.title == "On Light"
    assert [(claim.field, claim.value) for claim in result.stated] == [
        ("title", "On Light"),
        ("author", "Jane Roe"),
        ("identifier", "urn:isbn:9780306406157"),
        ("issued", "1899-02-03"),
    ]


def test_contents_that_are_damaged_cost_the_labels_alone() -> None:
    result = rendered(book(PAGES, ["one"], nav="<nav>&nbsp;</nav>"))
    assert result.text == "One\r\n\r\na\r\nb\r\n"
    assert [(notice.code, notice.text) for notice in result.notices] == [
        ("missing", "missing or damaged: a/n/nav.xhtml")
    ]


@pytest.mark.parametrize(
    "files",
    [
        {"a": b"b"},
        {"META-INF/container.xml": b"<a/>"},
        {"META-INF/container.xml": CONTAINER.encode()},
        {"META-INF/container.xml": CONTAINER.encode(), "a/b.opf": OPF.encode() + b"</package>"},
    ],
)
def test_what_is_no_book_is_refused(files: dict[str, bytes]) -> None:
    with pytest.raises(ParseError, match="expected an EPUB"):
        rendered(zipped(files))
