"""`permacite mhtml`: what each command answers, and what hostile files cannot make it do."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from permacite import mhtml

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

EXAMPLES = Path(__file__).resolve().parents[1] / "golden/rfc2557"
NESTED = str(EXAMPLES / "9.6.eml")
PAGE = b'<title>T</title><img src="i.gif"><input type=hidden name=token value="abc">\n'


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Return a small aggregate as a file."""
    root = mhtml.Resource(PAGE, "text/html; charset=utf-8", "http://a/p")
    image = mhtml.Resource(b"GIF89a\xff", "image/gif", "http://a/i.gif")
    path = tmp_path / "saved.mhtml"
    path.write_bytes(mhtml.build(root, [image], subject="T"))
    return path


def test_ls_lists_parts_and_marks_the_root(cli: Cli) -> None:
    lines = cli("mhtml", "ls", NESTED).out.splitlines()
    starts = [line.split()[0] for line in lines if line[:1].isdigit()]
    assert starts == ["1*", "2", "3", "3.1", "3.2", "4", "4.1", "4.2"]


def test_ls_answers_in_json(cli: Cli) -> None:
    answer = json.loads(cli("mhtml", "ls", NESTED, "--json").out)
    assert answer["subject"] == "A simple example"
    assert answer["faults"] == []
    assert [part["path"] for part in answer["parts"] if part["is_root"]] == ["1"]
    assert answer["parts"][1]["content_type"] == "image/gif"


def test_ls_reads_standard_input(cli: Cli, saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(saved.read_bytes()))
    monkeypatch.setattr("sys.stdin", stream)
    assert len(json.loads(cli("mhtml", "ls", "-", "--json").out)["parts"]) == 2


def test_cat_writes_the_root_or_a_part_by_number_or_uri(cli: Cli, saved: Path) -> None:
    assert cli("mhtml", "cat", str(saved)).out == PAGE.decode()
    assert cli("mhtml", "cat", NESTED, "3.1").out.startswith("The image reference below")
    by_uri = cli("mhtml", "cat", NESTED, "http://www.ietf.cnri.reston.va.us/more-info")
    assert by_uri.out == cli("mhtml", "cat", NESTED, "3.1").out
    assert cli("mhtml", "cat", NESTED, "3.2", "--raw").out.startswith("Content-Location: http:")
    answer = json.loads(cli("mhtml", "cat", str(saved), "--json").out)
    assert answer == {
        "path": "1",
        "content_type": "text/html",
        "charset": "utf-8",
        "size_bytes": len(PAGE),
    }


def test_cat_names_what_is_not_there(cli: Cli) -> None:
    outcome = cli("mhtml", "cat", NESTED, "7.7")
    assert outcome.status == 1
    assert "7.7" in outcome.err


def test_links_say_what_satisfies_them_and_why(cli: Cli) -> None:
    answer = json.loads(cli("mhtml", "links", NESTED, "--within", "3.1", "--json").out)
    assert [(link["reference"], link["part"]) for link in answer] == [
        ("images/ietflogo.gif", "2"),
        ("images/ietflogo2e.gif", "3.2"),
    ]
    assert answer[0]["base"] == "http://www.ietf.cnri.reston.va.us/more-info"
    assert answer[0]["base_from"] == "content-location"
    table = cli("mhtml", "links", NESTED, "--embedded", "--matching", "rfc").out
    assert "more-info " not in table.splitlines()[0]


def test_check_tells_faults_losses_and_secrets_apart(cli: Cli, saved: Path) -> None:
    sound = cli("mhtml", "check", str(saved))
    assert (sound.status, sound.out) == (0, "0 faults, 0 missing\n")
    assert "private: hidden-value in part 1: field token" in sound.err
    assert "abc" not in sound.out + sound.err
    faulty = cli("mhtml", "check", str(EXAMPLES / "9.5-as-printed.eml"))
    assert faulty.status == 1
    assert "label-note at" in faulty.out
    missing = json.loads(cli("mhtml", "check", NESTED, "--json").out)["missing"]
    assert [link["within"] for link in missing] == ["1", "4.1"]


@pytest.mark.parametrize("command", ["ls", "cat", "links", "check", "export"])
def test_what_is_no_message_is_bad_input(cli: Cli, tmp_path: Path, command: str) -> None:
    path = tmp_path / "x.mhtml"
    path.write_bytes(b"<!doctype html><p>no message")
    outcome = cli("mhtml", command, str(path))
    assert outcome.status == 2
    assert "expected an MHTML or MIME message" in outcome.err
    assert "^" in outcome.err


def test_extract_and_pack_give_the_same_aggregate(cli: Cli, saved: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    assert cli("mhtml", "extract", str(saved), str(folder)).status == 0
    assert sorted(path.name for path in folder.iterdir()) == ["aggregate.json", "i.gif", "p.html"]
    assert (folder / "p.html").read_bytes() == PAGE
    packed = tmp_path / "packed.mhtml"
    outcome = cli("mhtml", "pack", str(folder), "-o", str(packed), "--json")
    assert json.loads(outcome.out)["size_bytes"] == saved.stat().st_size
    assert packed.read_bytes() == saved.read_bytes()


def test_extract_replaces_nothing_unless_it_is_told_to(
    cli: Cli, saved: Path, tmp_path: Path
) -> None:
    (tmp_path / "p.html").write_text("mine")
    refused = cli("mhtml", "extract", str(saved), str(tmp_path))
    assert refused.status == 1
    assert "--force" in refused.err
    assert (tmp_path / "p.html").read_text() == "mine"
    assert cli("mhtml", "extract", str(saved), str(tmp_path), "--force").status == 0
    assert (tmp_path / "p.html").read_bytes() == PAGE


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_extract_follows_no_link(cli: Cli, saved: Path, tmp_path: Path, force: list[str]) -> None:
    outside = tmp_path / "outside"
    outside.write_text("mine")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "p.html").symlink_to(outside)
    (folder / "i.gif").symlink_to(tmp_path / "nowhere")
    outcome = cli("mhtml", "extract", str(saved), str(folder), *force)
    assert outcome.status == (0 if force else 1)
    assert outside.read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()


HOSTILE = [
    "http://a/../../../etc/passwd",
    "http://a/..%2f..%2fpasswd",
    "file:///etc/passwd",
    "C:\\windows\\system32\\x.dll",
    "http://a/.ssh",
    "http://a/%00x",
    "http://a/CON",
    "http://a/nul.gif",
    "http://a/aggregate.json",
    "http://a/AGGREGATE.JSON",
    "http://a/" + "x" * 400 + ".gif",
    "http://a/\u202egpj.exe",
    "..",
    "a/.",
    "http://a/-rf",
    "http://a/a%0ab",
    "http://b/p.html",
    "http://c/P.HTML",
]


def test_hostile_names_stay_in_the_folder(cli: Cli, tmp_path: Path) -> None:
    root = mhtml.Resource(PAGE, "text/html", "http://a/p")
    parts = [mhtml.Resource(b"x", "image/gif", label) for label in HOSTILE]
    path = tmp_path / "in.mhtml"
    path.write_bytes(mhtml.build(root, parts))
    folder = tmp_path / "deep/er/folder"
    assert cli("mhtml", "extract", str(path), str(folder)).status == 0
    names = sorted(path.name for path in folder.iterdir())
    assert len(names) == len(HOSTILE) + 2
    assert len({name.casefold() for name in names}) == len(names)
    assert not any(name.startswith((".", "-")) or len(name) > 100 for name in names)
    assert not {name.partition(".")[0].lower() for name in names} & {"con", "nul"}
    others = {path.name for path in tmp_path.iterdir()}
    assert others == {"archive", "deep", "in.mhtml"}


def test_pack_makes_an_aggregate_of_plain_files(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "site/img").mkdir(parents=True)
    (tmp_path / "site/index.html").write_bytes(b'<img src="img/a%20b.gif">')
    (tmp_path / "site/img/a b.gif").write_bytes(b"GIF89a")
    (tmp_path / "site/link").symlink_to("/etc/passwd")
    output = tmp_path / "site.mhtml"
    assert cli("mhtml", "pack", str(tmp_path / "site"), "-o", str(output)).status == 0
    aggregate = mhtml.open(output, strict=True)
    assert len(aggregate.body_parts) == 2
    assert aggregate.resolve("img/a%20b.gif").part is aggregate.part("2")


def test_pack_refuses_a_folder_without_a_page(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "x.gif").write_bytes(b"GIF89a")
    outcome = cli("mhtml", "pack", str(tmp_path))
    assert outcome.status == 2
    assert "expected a page" in outcome.err


BAD_MANIFESTS = [
    b"{",
    b"[]",
    b'{"format": "x"}',
    b'{"format": "permacite.aggregate/1"}',
    b'{"format": "permacite.aggregate/1", "root": {"file": 1}, "resources": []}',
    b'{"format": "permacite.aggregate/1", "root": {"multipart": "x"}, "resources": []}',
    b'{"format": "permacite.aggregate/1", "root": null, "resources": [], "headers": [[1]]}',
    b"[" * 100_000,
    b"\xff",
]


@pytest.mark.parametrize("manifest", BAD_MANIFESTS)
def test_pack_refuses_a_manifest_that_is_none(cli: Cli, tmp_path: Path, manifest: bytes) -> None:
    (tmp_path / "aggregate.json").write_bytes(manifest)
    outcome = cli("mhtml", "pack", str(tmp_path))
    assert outcome.status == 2
    assert "aggregate.json" in outcome.err


def test_pack_names_a_file_that_is_missing(cli: Cli, saved: Path, tmp_path: Path) -> None:
    cli("mhtml", "extract", str(saved), str(tmp_path / "f"))
    (tmp_path / "f/i.gif").unlink()
    outcome = cli("mhtml", "pack", str(tmp_path / "f"))
    assert outcome.status == 1
    assert "i.gif" in outcome.err


def test_export_makes_one_page_or_another_aggregate(cli: Cli, saved: Path, tmp_path: Path) -> None:
    html = cli("mhtml", "export", str(saved)).out
    assert "data:image/gif" in html
    target = tmp_path / "b.mhtml"
    assert cli("mhtml", "export", str(saved), "--as", "chromium", "-o", str(target)).status == 0
    assert mhtml.open(target, strict=True).root.content == PAGE
    wrong = cli("mhtml", "export", str(saved), "1", "--as", "mail")
    assert wrong.status == 2


def test_mail_makes_a_message_and_says_what_it_changed(
    cli: Cli, saved: Path, tmp_path: Path
) -> None:
    target = tmp_path / "m.eml"
    words = ["--from", "ann@a.example", "--to", "b@b.example", "--to", "c@c.example"]
    outcome = cli("mhtml", "mail", str(saved), *words, "-o", str(target))
    assert outcome.status == 0
    assert "line ends made canonical, so that digests differ: parts 1" in outcome.err
    assert "private: hidden-value" in outcome.err
    message = mhtml.open(target, strict=True).message.heading
    assert message.text("To") == "b@b.example, c@c.example"
    assert message.text("Subject") == "T"
    assert message.text("Date") is not None
    answer = cli("mhtml", "mail", str(saved), *words, "-o", str(target), "--force", "--json")
    assert [part["changed"] for part in json.loads(answer.out)["parts"]] == [True, False]


def test_a_heading_cannot_be_smuggled_in(cli: Cli, saved: Path) -> None:
    words = ["--from", "a@b\r\nBcc: x@y", "--to", "b@c"]
    outcome = cli("mhtml", "mail", str(saved), *words)
    assert outcome.status == 2
    assert "control character" in outcome.err
