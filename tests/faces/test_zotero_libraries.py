"""Libraries of Zotero, as it exports them: files with what is stated of them, notes, snapshots."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.crawled import PNG

from permacite.bibliography.zotero import items_of
from permacite.errors import ParseError
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

SPACES = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:z="http://www.zotero.org/namespaces/export#" xmlns:dcterms="http://purl.org/dc/terms/"
 xmlns:link="http://purl.org/rss/1.0/modules/link/" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:bib="http://purl.org/net/biblio#" xmlns:foaf="http://xmlns.com/foaf/0.1/"
 xmlns:prism="http://prismstandard.org/namespaces/1.2/basic/">"""


def attachment(number: int, path: str, media_type: str, title: str = "Full Text") -> str:
    """Return an attachment as the translator of Zotero writes it."""
    return f"""<z:Attachment rdf:about="#item_{number}"><z:itemType>attachment</z:itemType>
 <rdf:resource rdf:resource="{escape(path)}"/>
 <dc:identifier><dcterms:URI><rdf:value>https://a.example/{number}</rdf:value></dcterms:URI>
 </dc:identifier><dcterms:dateSubmitted>2020-02-03 04:05:06</dcterms:dateSubmitted>
 <dc:title>{title}</dc:title><z:linkMode>1</z:linkMode><link:type>{media_type}</link:type>
</z:Attachment>"""


ITEM = """<bib:Article rdf:about="#item_1"><z:itemType>journalArticle</z:itemType>
 <dcterms:isPartOf><bib:Journal><dc:title>Annals of Tides</dc:title><prism:volume>7</prism:volume>
  <prism:number>3</prism:number><dc:identifier>DOI 10.1000/182</dc:identifier>
  <dc:identifier>ISSN 0028-0836</dc:identifier></bib:Journal></dcterms:isPartOf>
 <dc:publisher><foaf:Organization><foaf:name>Shore Press</foaf:name></foaf:Organization>
 </dc:publisher>
 <bib:authors><rdf:Seq><rdf:li><foaf:Person><foaf:surname>Müller</foaf:surname>
  <foaf:givenName>Ann &amp; Bo</foaf:givenName></foaf:Person></rdf:li></rdf:Seq></bib:authors>
 <dcterms:isReferencedBy rdf:resource="#item_3"/><link:link rdf:resource="#item_2"/>
 <link:link rdf:resource="#item_4"/><dc:subject>sea</dc:subject>
 <dc:subject><z:AutomaticTag><rdf:value>moon</rdf:value></z:AutomaticTag></dc:subject>
 <dc:title>On High Tides</dc:title><dc:date>2019-05-01</dc:date><bib:pages>17-31</bib:pages>
</bib:Article>
<bib:Memo rdf:about="#item_3">
 <rdf:value>&lt;p&gt;Read the &lt;b&gt;end&lt;/b&gt;.&lt;/p&gt;</rdf:value></bib:Memo>
<bib:Book rdf:about="urn:isbn:1"><z:itemType>book</z:itemType><dc:title>No File</dc:title>
</bib:Book>
<z:Collection rdf:about="#collection_9"><dc:title>Seas</dc:title>
 <dcterms:hasPart rdf:resource="#item_1"/></z:Collection>"""


def exported(folder: Path, *parts: str) -> Path:
    """Write a library."""
    path = folder / "Library.rdf"
    path.write_text("\n".join([SPACES, *parts, "</rdf:RDF>"]), encoding="utf-8")
    return path


def test_files_come_with_what_is_stated_of_them(archive: Path, cli: Cli, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "files/2").mkdir(parents=True)
    (home / "files/4").mkdir()
    (home / "files/2/paper.txt").write_text("The tide is high.")
    page = "<title>Snapshot</title><p>words<img src=a.png><img src=../2/paper.txt>"
    (home / "files/4/page.html").write_text(page)
    (home / "files/4/a.png").write_bytes(PNG)
    exported(
        home,
        ITEM,
        attachment(2, "files/2/paper.txt", "text/plain"),
        attachment(4, "files/4/page.html", "text/html", "Snapshot"),
    )
    outcome = cli("import", str(home), "--json")
    paper, snapshot = json.loads(outcome.out)
    assert outcome.status == 1
    assert "No File: not imported" in outcome.err
    assert paper["document"]["uri"] == "https://a.example/2"
    assert paper["document"]["title"] == "On High Tides"
    assert paper["document"]["retrieved_at"] == "2020-02-03T04:05:06Z"
    assert paper["document"]["reported"] == {
        "file": "Library.rdf",
        "software": "Zotero",
        "shows": "reported",
    }
    assert (snapshot["parts"], snapshot["document"]["reported"]["shows"]) == (2, "drawn")
    assert [each["uri"] for each in snapshot["lost"]] == ["../2/paper.txt"]
    cited = cli("cite", paper["pdi"], "--quote", "tide is high", "--form", "bibtex").out
    for word in ("On High Tides", "Annals of Tides", "2019", "10.1000/182", "17-31"):
        assert word in cited, cited
    with Archive.open(archive) as service:
        jotted = {(each.kind, each.text) for each in service.jottings(paper["pdi"])}
    assert jotted == {
        ("tag", "sea"),
        ("tag", "moon"),
        ("collection", "Seas"),
        ("note", "Read the end."),
    }
    again = json.loads(cli("import", str(home / "Library.rdf"), "--json").out)
    assert [each["unchanged"] for each in again] == [True, True]


OUT = [
    "../secret.txt",
    "/etc/hostname",
    "files/../../secret.txt",
    "C:/a.txt",
    "files\\..\\..\\a",
    "link.txt",
    "gone.txt",
    "",
]


@pytest.mark.parametrize("path", OUT)
def test_no_path_leads_out_of_the_library(cli: Cli, tmp_path: Path, path: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (home / "link.txt").symlink_to(tmp_path / "secret.txt")
    library = exported(home, attachment(2, path, "text/plain"))
    outcome = cli("import", str(library), "--json")
    assert outcome.status in {1, 2}
    assert json.loads(outcome.out) == []


def test_claims_tell_where_they_are_stated() -> None:
    (item, book) = items_of(f"{SPACES}{ITEM}</rdf:RDF>")
    told = {(each.field, each.value, each.given): each.place.name for each in item.claims}
    assert told[("author", "Müller", "Ann & Bo")] == "bib:authors"
    assert told[("container", "Annals of Tides", None)] == "dcterms:isPartOf dc:title"
    assert told[("kind", "article-journal", None)] == "itemType"
    assert {"publisher", "doi", "issn", "volume", "issue", "pages", "issued"} <= {
        each.field for each in item.claims
    }
    assert (book.files, book.collections, item.collections) == ((), (), ("Seas",))
    renamed = f"{SPACES}{ITEM}</rdf:RDF>".replace("dc:", "q:").replace(":dc=", ":q=")
    assert items_of(renamed)[0].claims == item.claims


@pytest.mark.parametrize("source", ["", "<a/>", "<rdf:RDF>", "no XML at all", "<!DOCTYPE a><a>&b;"])
def test_what_is_no_library_is_refused(source: str) -> None:
    with pytest.raises(ParseError):
        items_of(source)


@given(
    st.lists(
        st.sampled_from(
            [
                SPACES,
                ITEM,
                attachment(2, "a", "b"),
                "<",
                "</rdf:li>",
                "</rdf:RDF>",
                "<a:b>" * 60,
                "&#0;",
                "]]>",
            ]
        )
    )
)
def test_any_shape_is_read_or_refused(pieces: list[str]) -> None:
    with contextlib.suppress(ParseError):
        assert isinstance(items_of("".join(pieces)), list)
