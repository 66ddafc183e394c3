"""Documents that are no pages: they get words by a rendition, and keep what stands beside them."""

from __future__ import annotations

import io
import json
import subprocess
import zipfile
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive, command_on
from tests.spec.test_words_of_office_files import REVIEWED

from permacite.archive.model.submitted import NewRepresentation
from permacite.errors import ConflictError, NotFoundError
from permacite.renditions import RenditionRecord, read_labels
from permacite.service.names import document_of
from permacite.service.proofs.proofs import check

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faces.conftest import Site

pytestmark = pytest.mark.engines(deep=True)

TEI = b"""<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title>On Light</title><author>Roe, Jane</author></titleStmt></fileDesc></teiHeader><text><body>
<pb n="xvii"/><p>The light falls on the <pb n="18"/>water.</p></body></text></TEI>
"""


def run(
    folder: Path | str, *arguments: str, content: bytes = b""
) -> subprocess.CompletedProcess[str]:
    """Run a command on an archive."""
    command = command_on(folder, *arguments)
    done = subprocess.run(command, input=content, capture_output=True, check=False)
    return subprocess.CompletedProcess(
        command, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def test_xml_gets_words_labels_and_a_record(archive: Path) -> None:
    with Archive.open(archive) as held:
        saved = held.add(TEI, name="light.tei")
        repository = held._repository  # noqa: SLF001 - what is stored is looked at
        text = repository.lookup.representation(document_of(saved.pdi)[0])
        assert (text.format, text.derived_from) == ("utf-8", "tei%2bxml")
        assert text.rendition == "xml-text/1"
        labels = read_labels(repository.contents.sidecar(text, "labels") or b"")
        assert [(label.kind, label.name) for label in labels] == [("page", "xvii"), ("page", "18")]
        record = RenditionRecord.from_bytes(repository.contents.sidecar(text, "rendering") or b"")
        assert (record.rendition, record.title) == ("xml-text/1", "On Light")
    assert saved.document.title == "On Light"
    assert saved.warnings == ()


def test_the_same_words_keep_the_labels_of_their_own_archive(archive: Path, tmp_path: Path) -> None:
    """Two archives of one process may give one name to documents that only number differently."""
    Archive.create(tmp_path / "other", series="lab.example.us").close()
    labels = []
    for folder, page in ((archive, b"xvii"), (tmp_path / "other", b"7")):
        with Archive.open(folder) as held:
            saved = held.add(TEI.replace(b"xvii", page), name="light.tei")
            labels.append(next(way.label for way in saved.citable if way.label))
    assert labels == ["xvii", "7"]


LIGHT = b'{"title": "On Light", "verses": [{"line": "It falls\\non the w\\u0061ter", "no": 1e2}]}'


@pytest.mark.parametrize(
    ("name", "content", "words", "told"),
    [
        ("light.tei", TEI, "falls on the water", "pp. xvii-18"),
        ("light.json", LIGHT, "falls\r\non the water", "pointer /verses/0/line"),
    ],
)
def test_words_are_cited_resolved_verified_and_proven(
    archive: Path, tmp_path: Path, *, name: str, content: bytes, words: str, told: str
) -> None:
    with Archive.open(archive) as held:
        saved = held.add(content, name=name)
        cited = held.cite(saved.pdi, quote=words)
        assert ".utf-8.1#char=" in cited.reference
        assert cited.labels[0].told == told
        resolved = held.resolve(cited.reference)
        assert resolved.text == words
        assert held.verify(cited.reference).ok
    proof = tmp_path / "proof.zip"
    assert run(archive, "prove", cited.reference, "-o", str(proof)).returncode == 0
    assert run(archive, "verify", str(proof)).returncode == 0


def test_a_proof_shows_the_printed_page(archive: Path, tmp_path: Path) -> None:
    with Archive.open(archive) as held:
        cited = held.cite(held.add(BOOK, name="light.tei").pdi, quote="on the water")
        proof = held.prove(cited.reference)
        report = check(proof)
        assert (report.holds, report.printed) == (True, "pp. xvii-18, chapter 2")
        assert check(held.prove(cited.reference, html=True)).holds
    altered = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(proof)) as old, zipfile.ZipFile(altered, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b'"xvii"', b'"xvi"'))
    assert not check(altered.getvalue()).holds
    (tmp_path / "proof.zip").write_bytes(proof)
    assert "(pp. xvii-18, chapter 2)" in run(archive, "verify", str(tmp_path / "proof.zip")).stdout


def test_what_cannot_be_read_is_kept_and_told(archive: Path, tmp_path: Path) -> None:
    file = tmp_path / "junk.tei"
    file.write_bytes(b"just words")
    done = run(archive, "import", str(file), "--json")
    assert done.returncode == 0
    (saved,) = json.loads(done.stdout)
    assert [item["format"] for item in saved["document"]["formats"]] == ["tei%2bxml"]
    assert "no text could be made of it" in saved["warnings"][0]
    with Archive.open(archive) as held, pytest.raises(NotFoundError, match="has no text"):
        held.cite(saved["pdi"], quote="words")


def test_an_altered_label_is_found(archive: Path) -> None:
    with Archive.open(archive) as held:
        held.add(TEI, name="light.tei")
    (labels,) = [
        path
        for path in (archive / "objects").rglob("*")
        if path.is_file() and path.read_bytes().startswith(b"permacite-labels/1\n")
    ]
    labels.chmod(0o600)
    labels.write_bytes(labels.read_bytes().replace(b"xvii", b"xvi"))
    with Archive.open(archive) as held:
        (fault,) = held.copies.fsck().bad
    assert (fault.kind, "sidecar labels" in fault.detail) == ("altered", True)


@pytest.mark.parametrize("way", ["backup", "ocfl"])
def test_copies_carry_what_stands_beside(archive: Path, tmp_path: Path, way: str) -> None:
    with Archive.open(archive) as held:
        saved = held.add(TEI, name="light.tei")
        if way == "backup":
            held.copies.backup(tmp_path / "copy")
    if way == "ocfl":
        assert run(archive, "export", "--ocfl", str(tmp_path / "ocfl")).returncode == 0
        assert run(str(tmp_path / "copy"), "restore", str(tmp_path / "ocfl")).returncode == 0
    with Archive.open(str(tmp_path / "copy")) as copy:
        repository = copy._repository  # noqa: SLF001 - what is stored is looked at
        text = repository.lookup.representation(document_of(saved.pdi)[0])
        labels = read_labels(repository.contents.sidecar(text, "labels") or b"")
        assert [label.name for label in labels] == ["xvii", "18"]
        assert copy.copies.fsck().ok


def test_a_changed_file_is_followed(archive: Path, site: Site) -> None:
    address = site.put("/light.xml", "application/tei+xml", TEI)
    with Archive.open(archive) as held:
        saved = held.save(address, allow_private=True)
        held.cite(saved.pdi, quote="falls on the water")
        same = held.drift.check(saved.pdi, allow_private=True)
        assert (same.same_bytes, same.passages[0].status) == (True, "verified")
        site.put("/light.xml", "application/tei+xml", TEI.replace(b"The light", b"Now light"))
        moved = held.drift.check(saved.pdi, allow_private=True)
        assert (moved.same_text, moved.passages[0].status) == (False, "verified")
        site.put("/light.xml", "application/tei+xml", TEI.replace(b"falls", b"fell"))
        assert held.drift.check(saved.pdi, allow_private=True).passages[0].status == "changed"


def committed_without_text(held: Archive, content: bytes, media_type: str) -> str:
    """Commit a document as it was before there were rules for it; returns its name."""
    repository = held._repository  # noqa: SLF001 - an archive of earlier years
    version = repository.committer.commit([NewRepresentation(content, media_type)])
    return str(version.representations[0].pdi)


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1"])
def test_an_earlier_document_gets_its_text_in_the_same_version(
    archive: Path, encoding: str
) -> None:
    head = f"<?xml version='1.0' encoding='{encoding}'?>"
    content = f"{head}<a><p>d\u00e9j\u00e0 vu</p></a>".encode(encoding)
    with Archive.open(archive) as held:
        name = committed_without_text(held, content, "application/xml")
        done = held.documents.derivations.derive(name)
        assert (done.outcome, done.rendition) == ("added", "xml-text/1")
        assert held.resolve(str(done.text)).text == "d\u00e9j\u00e0 vu\r\n"
        assert held.documents.derivations.derive(name).outcome == "present"
        assert held.documents.show(name).document.version == 1
        assert held.copies.fsck().ok


def test_tracked_changes_are_told_and_are_text_on_request(archive: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.docx"
    file.write_bytes(REVIEWED)
    done = run(archive, "import", str(file))
    assert (
        "2 tracked changes: insertions are text, deletions are not; with --reviewed" in done.stderr
    )
    name = done.stdout.split()[0]
    with Archive.open(archive) as held:
        cited = held.cite(name, quote="in it")
        assert held.documents.derivations.derive(name, rendition="docx-text").outcome == "present"
        made = held.documents.derivations.derive(name, rendition="docx-reviewed-text")
        assert (made.outcome, made.rendition) == ("renewed", "docx-reviewed-text/1")
        assert held.resolve(str(made.text)).text == "in out it\r\nWhy?\r\n"
        deleted = held.cite(str(made.text), quote="out")
        assert "deletion Bob" in [label.told for label in deleted.labels]
        assert held.resolve(cited.reference).text == "in it"
        assert held.documents.derivations.derive(
            name.partition(".utf")[0], rendition="docx-reviewed-text/1"
        ).outcome == ("present")
        with pytest.raises(ConflictError, match="xml-text/1 reads none of its formats"):
            held.documents.derivations.derive(name, rendition="xml-text")
        with pytest.raises(NotFoundError, match="no rendition"):
            held.documents.derivations.derive(name, rendition="no-text")
    again = run(archive, "import", "--reviewed", str(file))
    assert again.stdout.split()[0] == made.text
    fresh = run(archive, "import", "--reviewed", "--new", str(file))
    assert "tracked" not in fresh.stderr
    assert run(archive, "resolve", fresh.stdout.split()[0]).stdout.startswith("in out it")
    assert run(archive, "derive", "--all", "--rendition", "docx-reviewed-text").returncode == 2
    usual = run(archive, "derive", fresh.stdout.split()[0], "--rendition", "docx-text")
    assert usual.stdout.startswith("renewed")


LETTER = b"""\
From: Jane Roe <jane@lab.example.us>\r
Subject: On light\r
MIME-Version: 1.0\r
Content-Type: multipart/mixed; boundary=x\r
\r
--x\r
Content-Type: multipart/alternative; boundary=y\r
\r
--y\r
Content-Type: text/plain\r
\r
It falls, *plainly*.\r
--y\r
Content-Type: text/html; charset=utf-8\r
\r
<p>It <em>falls</em> on the water.</p>\r
--y--\r
--x\r
Content-Type: text/plain; name="notes.txt"\r
Content-Disposition: attachment\r
\r
Measured at noon.\r
--x\r
Content-Type: application/pdf\r
Content-Disposition: attachment; filename="report.pdf"\r
Content-Transfer-Encoding: base64\r
\r
JVBERi0=\r
--x--\r
"""


def test_a_mail_has_the_words_of_all_its_parts_and_its_page(archive: Path, tmp_path: Path) -> None:
    file = tmp_path / "letter.eml"
    file.write_bytes(LETTER)
    done = run(archive, "import", str(file))
    assert "1 attachments have no words: report.pdf" in done.stderr
    with Archive.open(archive) as held:
        (listed,) = held.documents.list().documents
        assert listed.title == "On light"
        assert {item.format: item.rendition for item in listed.formats}["utf-8"] == "mail-text/1"
        name = listed.formats[0].pdi
        sent = held.cite(name, quote="falls on the water")
        assert ".utf-8.1#char=" in sent.reference
        noted = held.cite(name, quote="Measured at noon")
        assert noted.labels[0].told == "attachment notes.txt"
        assert held.cite(name, quote="Jane Roe").quote == "Jane Roe"
        for cited in (sent, noted):
            assert check(held.prove(cited.reference)).holds
            shown = held.documents.reader.page(cited.reference)
            assert shown.marked
            assert f"{cited.quote}</mark>" in shown.html
        assert held.copies.fsck().ok


def test_elements_of_a_mail_are_cited_in_its_page(archive: Path) -> None:
    head, _, body = LETTER.partition(b"--y\r\nContent-Type: text/html")
    page = b"Subject: Light\r\nContent-Type: text/html" + body.partition(b"--y--")[0]
    assert head
    with Archive.open(archive) as held:
        saved = held.add(page, name="page.eml")
        formats = [item.format for item in saved.document.formats]
        assert formats == ["html", "rfc822", "utf-8"]
        assert held.resolve(held.cite(saved.pdi, elt="1,1").reference).text == "<em>falls</em>"
        assert "<em>falls</em>" in held.documents.reader.page(saved.pdi).html
        words = held.cite(saved.pdi, quote="falls on")
        assert held.resolve(words.reference).text == "falls on"


def test_all_documents_get_theirs_and_go_on_where_it_ended(archive: Path) -> None:
    with Archive.open(archive) as held:
        names = [
            committed_without_text(held, b"<a>b</a>", "application/xml"),
            committed_without_text(held, b"no xml", "application/xml"),
            committed_without_text(held, b"\x00", "application/octet-stream"),
            str(held.add(b"<p>page", name="a.html").pdi),
            committed_without_text(held, b"<a>c</a>", "application/xml"),
        ]
        held.access.withdraw(names[4], reason="copyright")
    done = run(archive, "derive", "--all", "--json")
    assert done.returncode == 0
    outcomes = [item["outcome"] for item in json.loads(done.stdout)]
    assert outcomes == ["added", "failed", "none", "present", "restricted"]
    done = run(archive, "derive", "--all", "--after", names[2])
    assert "1 present, 1 restricted" in done.stderr


NEWER = """
from dataclasses import replace

from permacite.renditions import Label, Rendered, Rendition
from permacite.renditions.xml import XML_TEXT_1

XML_TEXT_2 = replace(XML_TEXT_1, version=2, render=lambda text: Rendered(f"It {text[3:-4]}.\\r\\n"))


def dots(original):
    return original.content[:].decode("ascii")


def words(dots):
    text = {"...": "s", "---": "o"}
    text = "".join(text[dot] for dot in dots.split()) + "\\r\\n"
    return Rendered(text, (Label(0, 1, "page", "i"),), builds={"morse": "7"})


TYPE = "text/x-morse"
MORSE = Rendition("morse", 1, frozenset({TYPE}), dots, words, suffixes={".morse": TYPE})
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a package of others with renditions, for commands that are run from now on."""
    folder = tmp_path / "site"
    (folder / "newer-1.dist-info").mkdir(parents=True)
    (folder / "newer.py").write_text(NEWER)
    (folder / "newer-1.dist-info/METADATA").write_text("Name: newer\nVersion: 1\n")
    points = "[permacite.renditions]\nxml-text-2 = newer:XML_TEXT_2\nmorse-1 = newer:MORSE\n"
    points += "broken-1 = absent:RENDITION\nnone-1 = newer:TYPE\n"
    (folder / "newer-1.dist-info/entry_points.txt").write_text(points)
    monkeypatch.setenv("PYTHONPATH", str(folder))


@pytest.mark.usefixtures("installed")
def test_a_package_of_others_brings_a_format(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "a.morse").write_text("... --- ...")
    done = run(archive, "import", str(tmp_path / "a.morse"))
    assert done.returncode == 0, done.stderr
    assert "broken-1 (absent:RENDITION) is left out: it cannot be loaded" in done.stderr
    assert "none-1 (newer:TYPE) is left out: it is no Rendition" in done.stderr
    name = done.stdout.split()[0]
    assert run(archive, "resolve", name).stdout.strip() == "sos"
    with Archive.open(archive) as held:
        shown = held.documents.show(name).document
    assert [(item.media_type, item.rendition) for item in shown.formats] == [
        ("text/x-morse", None),
        ("text/plain", "morse/1"),
    ]


def test_newer_rules_make_a_version_of_the_same_source(
    archive: Path, site: Site, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = site.put("/a.xml", "application/xml", b"<a>falls</a>")
    with Archive.open(archive) as held:
        first = held.save(address, allow_private=True).pdi
        held.cite(first, quote="falls")
    request.getfixturevalue("installed")
    (current,) = json.loads(run(archive, "derive", first, "--json").stdout)
    assert current["outcome"] == "present"  # ours reads XML, unless another is preferred
    monkeypatch.setenv("PERMACITE_RENDITIONS", "xml-text/2")
    (older,) = json.loads(run(archive, "derive", first, "--json").stdout)
    (renewed,) = json.loads(run(archive, "derive", first, "--renew", "--json").stdout)
    assert older["outcome"] == "older"
    assert (renewed["outcome"], renewed["rendition"]) == ("renewed", "xml-text/2")
    with Archive.open(archive) as held:
        assert held.resolve(renewed["text"]).text == "It falls.\r\n"
        assert held.resolve(first).text == "falls\r\n"
        shown = held.documents.show(renewed["text"]).document
        assert shown.version == 2
        assert shown.same_source == first.replace("utf-8", "application+xml")
    # The old version is as it was, and nothing has drifted, by whatever rules.
    for name in (first, renewed["text"]):
        checked = json.loads(run(archive, "check", name, "--allow-private", "--json").stdout)
        assert (checked["same_bytes"], checked["same_text"]) == (True, True)
        assert {drift["status"] for drift in checked["passages"]} <= {"verified"}
    saved = json.loads(run(archive, "save", address, "--allow-private", "--json").stdout)
    assert saved["unchanged"]


BOOK = b"""<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title>On Light</title><author>Roe, Jane</author></titleStmt></fileDesc></teiHeader><text><body>
<div type="chapter" n="2"><pb n="xvii"/><p>It falls. The light falls on the <pb n="18"/>water. It
falls on.</p></div></body></text></TEI>"""


def test_the_printed_page_goes_into_every_form(archive: Path) -> None:
    with Archive.open(archive) as held:
        saved = held.add(BOOK, name="light.tei")
        cited = held.cite(saved.pdi, quote="It falls on.")
        assert [label.told for label in cited.labels] == ["p. 18", "chapter 2"]
        forms = cited.forms
        assert "\u201cOn Light\u201d, p. 18" in forms.sentence
        assert "), p\\. 18" in forms.markdown or "), p. 18" in forms.markdown
        assert "</cite>, p. 18" in forms.html
        assert "  pages = {18}" in forms.bibtex
        assert "author = {Roe, Jane}" in forms.bibtex
        assert json.loads(forms.csl_json)[0]["locator"] == "18"
        assert "\nSP  - 18\n" in forms.ris
        assert "|page=18" in forms.wiki
        across = held.cite(saved.pdi, quote="on the water")
        assert across.labels[0].told == "pp. xvii-18"
        assert "\nSP  - xvii\nEP  - 18\n" in across.forms.ris
        assert "|pages=xvii-18" in across.forms.wiki


def test_a_page_tells_occurrences_apart(archive: Path) -> None:
    with Archive.open(archive) as held:
        saved = held.add(BOOK, name="light.tei")
        with pytest.raises(NotFoundError, match="2 times"):
            held.cite(saved.pdi, quote="It falls")
        assert held.cite(saved.pdi, quote="It falls", page="18").after.startswith(" on.")
        assert held.cite(saved.pdi, page="18").quote == "water. It falls on."
        with pytest.raises(NotFoundError, match="do not stand on that page"):
            held.cite(saved.pdi, quote="The light", page="18")
        with pytest.raises(NotFoundError) as error:
            held.cite(saved.pdi, page="19")
        assert error.value.candidates == ("xvii", "18")
    done = run(archive, "cite", saved.pdi, "--page", "18")
    assert "printed   p. 18, chapter 2" in done.stdout


def test_a_text_with_a_caution_is_cited_with_it(archive: Path) -> None:
    with Archive.open(archive) as held:
        saved = held.add(b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>d &b; e</a>", name="a.xml")
        cited = held.cite(saved.pdi, quote="d")
    assert "not expanded" in saved.warnings[0]
    assert cited.cautions == (saved.warnings[0].partition(": ")[2],)


def test_a_file_comes_by_standard_input(archive: Path) -> None:
    done = run(archive, "import", "-", "--name", "light.tei", "--json", content=TEI)
    (saved,) = json.loads(done.stdout)
    assert saved["document"]["title"] == "On Light"
    assert run(archive, "import", "-", content=TEI).returncode == 2
    assert run(archive, "import", "a.txt", "--name", "b.txt").returncode == 2


def test_an_import_again_gives_the_text_that_is_lacking(archive: Path) -> None:
    with Archive.open(archive) as held:
        committed_without_text(held, TEI, "application/tei+xml")
        saved = held.add(TEI, name="light.tei")
        assert (saved.unchanged, saved.document.tokens) == (True, ("tei%2bxml", "utf-8"))


def test_a_short_token_is_read_and_never_written(archive: Path) -> None:
    with Archive.open(archive) as held:
        saved = held.add(TEI, name="light.tei")
        short = saved.pdi.replace(".utf-8.", ".tei.")
        resolved = held.resolve(f"{short}#elt=8,8")
        assert resolved.text == '<pb n="xvii"/>'
        assert resolved.exact == f"{saved.pdi.replace('utf-8', 'tei%2bxml')}#elt=8,8"
        cited = held.cite(short, elt="8,8")
        assert cited.reference == resolved.exact
        with pytest.raises(NotFoundError):
            held.resolve(saved.pdi.replace(".utf-8.", ".docx."))
