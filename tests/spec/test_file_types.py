"""Media types of files and answers (RFC 6838 §4.12, MIME Sniffing §6, §7): the same everywhere.

A media type is part of a permanent name, so what a machine has installed must not change it.
"""

from __future__ import annotations

import mimetypes
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive

from permacite import file_types, pdi
from permacite.service.sources import media_type_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WORDS = b"Words of the keeper here.\n"
PICTURE = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
PAGE = b"<!doctype html><title>A page</title><p>Not found."

REGISTRIES = {
    "none": "",
    "debian": "application/vnd.lotus-organizer org\napplication/pgp-keys asc key\n"
    "application/cu-seeme cu\ntext/x-tex tex ltx\naudio/aac aac adts ass\n",
    "macos": "application/x-tex tex\ntext/x-log log\napplication/x-troff tr\nvideo/mp2t ts\n",
    "windows": "application/x-zip-compressed zip\ntext/xml xml\nimage/pjpeg jpg\n"
    "application/vnd.ms-excel csv\ntext/plain js\n",
    "hostile": "application/x-evil "
    "txt html htm pdf png org tex cu asc bat ass md docx pptx xml csv js py ts zip jpg log\n",
}

FILES = [
    # what is tested, name, content, media type
    ("a text that others call an organizer", "notes.org", WORDS, "text/plain"),
    ("captions that others call sound", "talk.ass", WORDS, "text/plain"),
    ("source code that others call video", "kernel.cu", WORDS, "text/plain"),
    ("a letter that others call a key", "letter.asc", WORDS, "text/plain"),
    ("a program that others call octets", "run.bat", WORDS, "text/plain"),
    ("TeX", "paper.tex", WORDS, "text/x-tex"),
    ("source code", "a.PY", WORDS, "text/x-python"),
    ("TypeScript", "a.ts", WORDS, "text/x-typescript"),
    ("a transport stream", "a.ts", b"G\0\0\0\xff", "video/mp2t"),
    ("a table", "a.csv", WORDS, "text/csv"),
    ("a book", "a.epub", b"PK\3\4\0", "application/epub+zip"),
    ("flat XML of an office", "a.fodt", b"<office:document/>", "application/xml"),
    ("an unknown ending", "a.unheard-of", WORDS, "text/plain"),
    ("octets of an unknown ending", "a.unheard-of", b"\0\1", "application/octet-stream"),
    ("no ending", "README", WORDS, "text/plain"),
    ("UTF-16", "README", "\ufeffwords".encode("utf-16-le"), "text/plain"),
    ("a packed text", "a.txt.gz", b"\x1f\x8b\0", "application/gzip"),
    ("a picture by another name", "a.txt", PICTURE, "image/png"),
    ("a picture by the name of another", "a.jpg", PICTURE, "image/png"),
    ("sound in the form of video", "a.m4a", b"\0\0\0\x20ftypmp42\0\0", "audio/mp4"),
    ("video", "a", b"\0\0\0\x20ftypmp42\0\0", "video/mp4"),
    ("a PDF by another name", "a.txt", b"%PDF-1.7\n\xe2\xe3", "application/pdf"),
    ("a page saved as a PDF", "report.tar.gz.pdf", PAGE, "text/html"),
    ("a page saved as a document", "report.docx", PAGE, "text/html"),
    ("words saved as a picture", "a.png", WORDS, "text/plain"),
    ("a page that is called a text", "a.txt", PAGE, "text/plain"),
    ("words that begin as a bitmap does", "a", b"BMW makes cars.", "text/plain"),
    ("nothing", "a.pdf", b"", "application/pdf"),
]

ANSWERS = [
    # what is tested, Content-Type, address, content, media type
    ("as declared", "text/html", "/a.pdf", PAGE, "text/html"),
    ("a text stays a text", "text/plain", "/a.html", PAGE, "text/plain"),
    ("words about PDF", "text/plain", "/a", b"%PDF-1.7 begins a PDF", "text/plain"),
    ("a PDF as text", "text/plain", "/a", b"%PDF-1.7\n\xe2\xe3", "application/pdf"),
    ("a PDF as a page", "text/html; charset=utf-8", "/a", b"%PDF-1.7\n\xe2", "application/pdf"),
    ("a picture as text", "text/plain", "/a", PICTURE, "image/png"),
    ("octets", "application/octet-stream", "/a", b"\1\2\0", "application/octet-stream"),
    (
        "octets that are a PDF",
        "application/octet-stream",
        "/a",
        b"%PDF-1.7\n\xe2\0",
        "application/pdf",
    ),
    ("octets by their name", "binary/octet-stream", "/a.docx?x=.pdf", b"PK\3\4\0", "docx"),
    ("a page as octets", "application/octet-stream", "/a", PAGE, "application/octet-stream"),
    ("nothing declared", "", "/a.txt", PAGE, "text/html"),
    ("nothing declared, by its name", "", "/a.epub", b"PK\3\4\0", "application/epub+zip"),
]


@pytest.fixture(params=REGISTRIES)
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A machine that has a registry of its own."""
    registry = tmp_path / "mime.types"
    registry.write_text(REGISTRIES[request.param])
    mimetypes.init([str(registry)])
    yield request.param
    mimetypes.init()


@pytest.mark.parametrize(
    ("name", "content", "media_type"), [row[1:] for row in FILES], ids=[row[0] for row in FILES]
)
def test_a_file_has_one_type_on_every_machine(
    name: str, content: bytes, media_type: str, machine: str
) -> None:
    assert machine in REGISTRIES
    assert media_type_of(name, content) == media_type


def test_names_are_the_same_on_every_machine(machine: str, tmp_path: Path) -> None:
    assert machine in REGISTRIES
    with Archive.create(tmp_path / "a", series="lab.example.us") as archive:
        names = [archive.add(content, name=name, new=True).pdi for _, name, content, _ in FILES[:9]]
    formats = ["text"] * 5 + ["text+x-tex", "text+x-python", "text+x-typescript", "mp2t"]
    assert [name.split(".")[-2] for name in names] == formats


@pytest.mark.parametrize(
    ("field", "address", "content", "media_type"),
    [row[1:] for row in ANSWERS],
    ids=[row[0] for row in ANSWERS],
)
def test_a_declared_type_counts_but_where_it_says_nothing_or_calls_octets_a_text(
    field: str, address: str, content: bytes, media_type: str
) -> None:
    found, sniffed = file_types.content_type_of(field, content, uri=f"https://a.example{address}")
    wanted = file_types.by_name("a.docx") if media_type == "docx" else media_type
    assert found.partition(";")[0] == wanted
    assert sniffed == (found != field)


def test_every_ending_leads_to_a_type_that_has_a_token() -> None:
    for ending in ("txt", "html", "pdf", "docx", "svg", "mp3"):
        media_type = file_types.by_name(f"A.{ending.upper()}")
        assert media_type is not None
        assert file_types.by_name(f"a{file_types.ending_of(media_type)}") == media_type
        assert pdi.media_type_for(pdi.token_for(media_type)) == media_type


def test_a_file_that_is_here_keeps_the_type_that_it_was_committed_with(tmp_path: Path) -> None:
    with Archive.create(tmp_path / "a", series="lab.example.us") as archive:
        before = archive.add(WORDS, name="notes.tex", media_type="application/x-tex")
        again = archive.add(WORDS, name="notes.tex")
        assert (again.pdi, again.unchanged) == (before.pdi, True)
        asked = archive.add(WORDS, name="notes.tex", media_type="text/markdown")
        assert (asked.unchanged, asked.pdi.split(".")[-2]) == (False, "markdown")
        elsewhere = archive.add(WORDS, name="other.txt")
        assert not elsewhere.unchanged
        newer = archive.lists.files.retype(before.pdi, "text/x-tex")
        assert newer.outcome == "renewed"
        assert newer.pdi.endswith(".text+x-tex.2")
        assert archive.lists.files.retype(newer.pdi, "text/x-tex").outcome == "present"
