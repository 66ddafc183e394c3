"""Libraries of Zotero, as it exports them: files with what is stated of them, notes, snapshots."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.archives import Archive
from tests.crawled import PNG
from tests.papers import Sheet, paper

from permacite.bibliography.zotero import items_of
from permacite.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

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
        jotted = {(each.kind, each.text) for each in service.annotations.list(paper["pdi"])}
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


TABLES = """
CREATE TABLE itemTypes (itemTypeID INTEGER PRIMARY KEY, typeName TEXT);
CREATE TABLE libraries (libraryID INTEGER PRIMARY KEY, type TEXT);
CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT, libraryID INT, key TEXT);
CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY);
CREATE TABLE fields (fieldID INTEGER PRIMARY KEY, fieldName TEXT);
CREATE TABLE baseFieldMappings (itemTypeID INT, baseFieldID INT, fieldID INT);
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value);
CREATE TABLE itemData (itemID INT, fieldID INT, valueID INT);
CREATE TABLE creatorTypes (creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT);
CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName, lastName, fieldMode INT);
CREATE TABLE itemCreators (itemID INT, creatorID INT, creatorTypeID INT, orderIndex INT);
CREATE TABLE itemAttachments (itemID INTEGER PRIMARY KEY, parentItemID INT, linkMode INT,
  contentType TEXT, path TEXT);
CREATE TABLE itemNotes (itemID INTEGER PRIMARY KEY, parentItemID INT, note TEXT);
CREATE TABLE tags (tagID INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE itemTags (itemID INT, tagID INT);
CREATE TABLE collections (collectionID INTEGER PRIMARY KEY, collectionName TEXT);
CREATE TABLE collectionItems (collectionID INT, itemID INT);
CREATE TABLE itemAnnotations (itemID INTEGER PRIMARY KEY, parentItemID INT, type INT, text TEXT,
  comment TEXT, pageLabel TEXT, sortIndex TEXT, position TEXT);
INSERT INTO itemTypes VALUES (1,'journalArticle'),(2,'attachment'),(3,'note'),(4,'annotation'),
  (5,'thesis'),(6,'webpage');
INSERT INTO libraries VALUES (1,'user'),(2,'feed');
INSERT INTO fields VALUES (1,'title'),(2,'date'),(3,'publicationTitle'),(4,'DOI'),(5,'url'),
  (6,'accessDate'),(7,'publisher'),(8,'university');
INSERT INTO baseFieldMappings VALUES (5,7,8);
INSERT INTO creatorTypes VALUES (1,'author'),(2,'editor');
"""
"""The tables of Zotero 7 as far as they are read, and names in them."""


def database(home: Path, rows: str) -> Path:
    """Write a data folder."""
    home.mkdir(exist_ok=True)
    path = home / "zotero.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as written:
        written.executescript(TABLES + rows)
    return path


def put(path: Path, content: bytes) -> Path:
    """Write a file, and its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


PDF = paper(Sheet(((20, 300, "The tide is high."), (20, 280, "The tide is low."))))
ROWS = """
INSERT INTO items VALUES (1,1,1,'AAAAAAAA'),(2,2,1,'BBBBBBBB'),(3,3,1,'CCCCCCCC'),
  (4,4,1,'DDDDDDDD'),(5,4,1,'EEEEEEEE'),(6,5,1,'FFFFFFFF'),(7,2,1,'GGGGGGGG'),
  (8,1,1,'HHHHHHHH'),(9,6,2,'IIIIIIII'),(10,2,1,'JJJJJJJJ'),(11,2,1,'KKKKKKKK'),(12,4,1,'LLLLLLLL');
INSERT INTO deletedItems VALUES (8),(12);
INSERT INTO itemDataValues VALUES (1,'On High Tides'),(2,'2019-05-00 May 2019'),
  (3,'Annals of Tides'),(4,'10.1000/182'),(5,'https://a.example/2'),(6,'2020-02-03 04:05:06'),
  (7,'Shore University'),(8,'In the trash'),(9,'Ebb'),(10,'Full Text PDF');
INSERT INTO itemData VALUES (1,1,1),(1,2,2),(1,3,3),(1,4,4),(2,1,10),(2,5,5),(2,6,6),(6,1,9),
  (6,8,7),(8,1,8);
INSERT INTO creators VALUES (1,'Ann','Muller',0),(2,'','Tide Office',1);
INSERT INTO itemCreators VALUES (1,2,1,1),(1,1,1,0);
INSERT INTO itemAttachments VALUES (2,1,0,'application/pdf','storage:paper.pdf'),
  (7,6,2,'text/plain','LINKED'),(10,6,3,'',NULL),(11,NULL,1,'text/plain','storage:alone.txt');
INSERT INTO itemNotes VALUES (3,1,'<div class="zotero-note"><p>Read the <b>end</b>.</p></div>');
INSERT INTO tags VALUES (1,'sea'),(2,'moon');
INSERT INTO itemTags VALUES (1,1),(2,2);
INSERT INTO collections VALUES (1,'Seas');
INSERT INTO collectionItems VALUES (1,1);
INSERT INTO itemAnnotations VALUES
  (4,2,1,'tide is low','so it falls','1','0','{"pageIndex":0,"rects":[[20,278,120,292]]}'),
  (5,2,1,'no such words','but kept','1','1','{"pageIndex":0,"rects":[]}'),
  (12,2,1,'tide is high','gone','1','2','{"pageIndex":0,"rects":[]}');
"""


def test_a_data_folder_comes_with_all_it_states(archive: Path, cli: Cli, tmp_path: Path) -> None:
    home, papers = tmp_path / "Zotero", tmp_path / "papers"
    linked = put(papers / "ebb.txt", b"The ebb.")
    database(home, ROWS.replace("LINKED", str(linked)))
    put(home / "storage/BBBBBBBB/paper.pdf", PDF)
    put(home / "storage/KKKKKKKK/alone.txt", b"Alone.")
    put(home / "translators/x.js", b"no document")
    before = (home / "zotero.sqlite").read_bytes()
    outcome = cli("import", str(home), "--json")
    assert outcome.status == 1
    assert "name the folder of linked files beside" in outcome.err
    outcome = cli("import", str(home), str(papers), "--json")
    saved = {each["document"]["title"]: each for each in json.loads(outcome.out)}
    assert set(saved) == {"On High Tides", "Ebb", "alone.txt"}, outcome.err
    assert outcome.status == 0
    first = saved["On High Tides"]
    assert first["unchanged"]
    assert first["document"]["uri"] == "https://a.example/2"
    assert first["document"]["retrieved_at"] == "2020-02-03T04:05:06Z"
    cited = cli("cite", first["pdi"], "--quote", "tide is high", "--form", "bibtex").out
    for word in ("On High Tides", "Annals of Tides", "2019-05", "10.1000/182", "Muller, Ann"):
        assert word in cited, cited
    assert "Shore University" in cli("reference", saved["Ebb"]["pdi"], "--json").out
    with Archive.open(archive) as service:
        jotted = {(each.kind, each.text) for each in service.annotations.list(first["pdi"])}
        marked = [each for each in service.documents.show(first["pdi"]).citations if each.note]
    assert jotted == {
        ("tag", "sea"),
        ("tag", "moon"),
        ("collection", "Seas"),
        ("note", "Read the end."),
        ("note", "no such words\nbut kept"),
    }
    assert [(each.quote, each.note) for each in marked] == [("tide is low", "so it falls")]
    assert (home / "zotero.sqlite").read_bytes() == before


STRANGE = [
    # what is in the database, a word of what is told
    (
        "climbing",
        "INSERT INTO itemAttachments VALUES (2,1,0,'','storage:../../x.txt');",
        "leads out",
    ),
    ("absolute", "INSERT INTO itemAttachments VALUES (2,1,2,'','/etc/hostname');", "is linked"),
    ("a base", "INSERT INTO itemAttachments VALUES (2,1,2,'','attachments:../x');", "leads out"),
    ("a drive", "INSERT INTO itemAttachments VALUES (2,1,2,'','C:\\\\x.txt');", "leads out"),
    ("missing", "INSERT INTO itemAttachments VALUES (2,1,0,'','storage:x.txt');", "cannot be read"),
    ("other tables", "DROP TABLE itemDataValues;", "a database of Zotero 5 or later"),
]


@pytest.mark.parametrize(("rows", "told"), [r[1:] for r in STRANGE], ids=[r[0] for r in STRANGE])
def test_what_a_database_says_leads_nowhere_else(
    archive: Path, cli: Cli, tmp_path: Path, rows: str, told: str
) -> None:
    home = tmp_path / "Zotero"
    put(tmp_path / "x.txt", b"secret")
    items = "INSERT INTO items VALUES (1,1,1,'AAAAAAAA'),(2,2,1,'BBBBBBBB');"
    database(home, items + rows)
    outcome = cli("import", str(home))
    assert (outcome.status != 0, told in outcome.err) == (True, True), outcome.err
    with Archive.open(archive) as service:
        assert not service.documents.list().documents


def test_a_database_is_read_while_its_owner_writes(cli: Cli, tmp_path: Path) -> None:
    home = tmp_path / "Zotero"
    path = database(home, ROWS)
    put(home / "storage/BBBBBBBB/paper.pdf", PDF)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as owner:
        owner.execute("PRAGMA locking_mode = EXCLUSIVE")
        owner.execute("PRAGMA cache_size = 2")
        owner.execute("BEGIN EXCLUSIVE")
        owner.execute("DELETE FROM itemDataValues")
        for number in range(2000):  # more than the cache holds, so that it is in the file
            owner.execute("INSERT INTO tags VALUES (NULL, ?)", (f"{number:0200}",))
        outcome = cli("import", str(path), "--json")
        owner.execute("ROLLBACK")
    titles = {each["document"]["title"] for each in json.loads(outcome.out)}
    assert "On High Tides" in titles, outcome.err


def test_containers_that_stand_beside_their_items_are_found() -> None:
    beside = """<bib:Article rdf:about="#item_1"><z:itemType>journalArticle</z:itemType>
     <dcterms:isPartOf rdf:resource="urn:issn:1"/><dc:title>T</dc:title></bib:Article>
     <bib:Journal rdf:about="urn:issn:1"><dc:title>Annals</dc:title>
     <prism:volume>7</prism:volume></bib:Journal>
     <bib:Book rdf:about="#item_2"><z:itemType>book</z:itemType><dcterms:isPartOf><bib:Series>
     <dc:title>A Series</dc:title></bib:Series></dcterms:isPartOf><dc:title>B</dc:title>
     </bib:Book>"""
    article, book = items_of(f"{SPACES}{beside}</rdf:RDF>")
    stated = {each.field: each.value for each in article.claims}
    assert (stated["container"], stated["volume"]) == ("Annals", "7")
    assert {each.field for each in book.claims} == {"kind", "title"}
