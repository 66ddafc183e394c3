"""Documents that are no pages: they get words by a rendition, and keep what stands beside them."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from permacite.errors import NotFoundError
from permacite.renditions import Record, read_labels
from permacite.service.archive import Archive
from permacite.service.names import document_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faces.conftest import Site

TEI = b"""<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title>On Light</title><author>Roe, Jane</author></titleStmt></fileDesc></teiHeader><text><body>
<pb n="xvii"/><p>The light falls on the <pb n="18"/>water.</p></body></text></TEI>
"""


def run(folder: Path, *arguments: str, content: bytes = b"") -> subprocess.CompletedProcess[str]:
    """Run a command on an archive."""
    command = [sys.executable, "-m", "permacite", "--archive", str(folder), *arguments]
    done = subprocess.run(command, input=content, capture_output=True, check=False)
    return subprocess.CompletedProcess(
        command, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def test_xml_gets_words_labels_and_a_record(archive: Path) -> None:
    with Archive.open(archive) as held:
        saved = held.add(TEI, name="light.tei")
        repository = held._repository  # noqa: SLF001 - what is stored is looked at
        text = repository.representation(document_of(saved.pdi)[0])
        assert (text.format, text.derived_from) == ("utf-8", "tei%2bxml")
        assert text.rendition == "xml-text/1"
        labels = read_labels(repository.sidecar(text, "labels") or b"")
        assert [(label.kind, label.name) for label in labels] == [("page", "xvii"), ("page", "18")]
        record = Record.from_bytes(repository.sidecar(text, "rendering") or b"")
        assert (record.rendition, record.title) == ("xml-text/1", "On Light")
    assert saved.document.title == "On Light"
    assert saved.warnings == ()


def test_words_are_cited_resolved_verified_and_proven(archive: Path, tmp_path: Path) -> None:
    with Archive.open(archive) as held:
        saved = held.add(TEI, name="light.tei")
        cited = held.cite(saved.pdi, quote="falls on the water")
        assert ".utf-8.1#char=" in cited.reference
        resolved = held.resolve(cited.reference)
        assert resolved.text == "falls on the water"
        assert held.verify(cited.reference).ok
    proof = tmp_path / "proof.zip"
    assert run(archive, "prove", cited.reference, "-o", str(proof)).returncode == 0
    assert run(archive, "verify", str(proof)).returncode == 0


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
        (fault,) = held.fsck().bad
    assert (fault.kind, "sidecar labels" in fault.detail) == ("altered", True)


@pytest.mark.parametrize("way", ["backup", "ocfl"])
def test_copies_carry_what_stands_beside(archive: Path, tmp_path: Path, way: str) -> None:
    with Archive.open(archive) as held:
        saved = held.add(TEI, name="light.tei")
        if way == "backup":
            held.backup(tmp_path / "copy")
    if way == "ocfl":
        assert run(archive, "export", "--ocfl", str(tmp_path / "ocfl")).returncode == 0
        assert run(tmp_path / "copy", "restore", str(tmp_path / "ocfl")).returncode == 0
    with Archive.open(tmp_path / "copy") as copy:
        repository = copy._repository  # noqa: SLF001 - what is stored is looked at
        text = repository.representation(document_of(saved.pdi)[0])
        labels = read_labels(repository.sidecar(text, "labels") or b"")
        assert [label.name for label in labels] == ["xvii", "18"]
        assert copy.fsck().ok


def test_a_changed_file_is_followed(archive: Path, site: Site) -> None:
    address = site.put("/light.xml", "application/tei+xml", TEI)
    with Archive.open(archive) as held:
        saved = held.save(address, allow_private=True)
        held.cite(saved.pdi, quote="falls on the water")
        same = held.check(saved.pdi, allow_private=True)
        assert (same.same_bytes, same.passages[0].status) == (True, "verified")
        site.put("/light.xml", "application/tei+xml", TEI.replace(b"The light", b"Now light"))
        moved = held.check(saved.pdi, allow_private=True)
        assert (moved.same_text, moved.passages[0].status) == (False, "verified")
        site.put("/light.xml", "application/tei+xml", TEI.replace(b"falls", b"fell"))
        assert held.check(saved.pdi, allow_private=True).passages[0].status == "changed"
