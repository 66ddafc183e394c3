"""What is exported, read by programs of others: an OCFL validator, and a reader of WARC files."""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from datetime import UTC, datetime, timedelta
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Protocol

import pytest
from tests.archives import Archive
from tests.engines import Repository

from permacite.archive.model.answered import Provenance
from permacite.archive.model.submitted import NewRepresentation
from permacite.service import preservation
from permacite.service.exchange import ocfl

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Site

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

LONG = "a%2f" * 60


class Root(Protocol):
    """The part of the validator that is asked."""

    errors: list[tuple[str, str]]
    good_objects: int
    log: SimpleNamespace

    def validate(self, *, log_warnings: bool) -> bool:
        """Check a whole storage root."""


@pytest.fixture
def validator(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], Root]:
    """Return the validator of ocfl-py, without what it needs for buckets, bags and pairtrees."""
    for name, members in {
        "bagit": (),
        "pairtree": ("id_decode", "id_encode"),
        "s3fs": ("S3FileSystem",),
    }.items():
        absent = ModuleType(name)
        for member in members:
            setattr(absent, member, None)
        monkeypatch.setitem(sys.modules, name, absent)
    made: Callable[..., Root] = import_module("ocfl").StorageRoot
    return lambda root: made(root=str(root))


@pytest.fixture
def rich(archive: Path) -> Path:
    """An archive whose objects have all that objects can have."""
    with Archive.open(archive) as service:
        inner = service._repository  # noqa: SLF001 - what only the library can do
        text = service.add(b"The tide.", name="tide.txt")
        for words in ("The t\u00efde.", "The tide.", "The tides."):
            service.lists.submissions.put(text.pdi, words.encode(), "text/plain; charset=utf-8")
        quoted = f"<meta charset=utf-8><q cite='{text.pdi}#char=4,8'>tide</q>"
        service.add(quoted.encode(), name="q.html")
        title = "\u6f6e\u306e\u9ad8\u3055 \u00b7 \u05d2\u05d0\u05d5\u05ea"
        page = service.add(f"<meta charset=utf-8><title>{title}</title>w".encode(), name="p.html")
        service.annotations.statements.state(page.pdi, "creator", "\u00c4nne", who="Ben")
        service.access.withdraw(page.pdi.removesuffix(".html.1"), reason="court-order", status=451)
        for unique_id in ("http%3a%2f%2fa%2eb%2f%c3%a9", "1%2e%2e%2f", LONG):
            made = inner.committer.commit(
                [
                    NewRepresentation(b"<svg/>", "image/svg+xml", sidecars={"../..": b"side"}),
                    NewRepresentation(b"{}", "application/ld+json", received=b"{ }"),
                ],
                unique_id=unique_id,
                provenance=Provenance(
                    title="\u202e\u00e9 \ud83d\ude00".encode("utf-16", "surrogatepass").decode(
                        "utf-16"
                    )
                ),
            )
            inner.committer.add_format(made.pdi, NewRepresentation(b"", "image/gif"))
            inner.committer.commit(
                [NewRepresentation(b"<svg/>", "image/svg+xml")], replaces=made.pdi
            )
    return archive


def test_a_validator_of_others_finds_nothing_wrong(
    cli: Cli, rich: Path, tmp_path: Path, validator: Callable[[Path], Root]
) -> None:
    assert rich.is_dir()
    outcome = cli("export", "--ocfl", str(tmp_path / "ocfl"))
    assert outcome.status == 0, outcome.err
    root = validator(tmp_path / "ocfl")
    assert root.validate(log_warnings=True)
    assert [message for _, message in root.errors] == []
    assert root.log.messages == []
    assert root.good_objects == 7, "six documents and the records"


def test_it_does_find_what_is_wrong(
    cli: Cli, rich: Path, tmp_path: Path, validator: Callable[[Path], Root]
) -> None:
    assert rich.is_dir()
    assert cli("export", "--ocfl", str(tmp_path / "ocfl")).status == 0
    victim = next((tmp_path / "ocfl").rglob("content/formats/html"))
    victim.write_bytes(victim.read_bytes() + b" ")
    root = validator(tmp_path / "ocfl")
    root.validate(log_warnings=True)
    assert root.good_objects == 6


def test_what_is_restored_is_the_same_in_every_byte_and_word(
    cli: Cli, rich: Path, tmp_path: Path
) -> None:
    copy, anew = tmp_path / "ocfl", tmp_path / "anew"
    assert cli("export", "--ocfl", str(copy)).status == 0
    assert cli("--archive", str(anew), "restore", str(copy)).status == 0
    with Archive.open(rich) as old, Archive.open(str(anew)) as new:
        first, second = old._repository, new._repository  # noqa: SLF001 - withdrawn bytes as well
        assert list(second.lists.list()) == list(first.lists.list())
        for version in first.lists.list():
            for one in version.representations:
                for digest in {one.digest, one.received_digest or one.digest}:
                    assert second.contents.octets(digest) == first.contents.octets(digest)
        assert list(second.log.leaves()) == list(first.log.leaves())
        assert new.annotations.statements.about() == old.annotations.statements.about()
        assert second.passages.citations() == first.passages.citations()
        for document in old.documents.list().documents:
            for kept in document.formats:
                assert new.quotations.quoters(kept.pdi) == old.quotations.quoters(kept.pdi)
        (quoting,) = new.quotations.quoters(f"{old.documents.list().documents[0].pdi}")
        assert (quoting.status, quoting.words) == ("exact", "tide")


def test_serial_numbers_come_back_as_serial_numbers(tmp_path: Path) -> None:
    now = [datetime(2026, 12, 31, 22, tzinfo=UTC)]
    image = [NewRepresentation(b"", "image/png")]
    with Repository.create(tmp_path / "a", series="lab.example.us", clock=lambda: now[0]) as first:
        for unique_id in (None, "2", "9", None):
            first.committer.commit(image, unique_id=unique_id)
        now[0] += timedelta(days=2)
        first.committer.commit(image, unique_id="1")
        ocfl.export(first, tmp_path / "ocfl")
        leaves = list(first.log.leaves())
        following = first.committer.commit(image).pdi
    preservation.restore(tmp_path / "ocfl", tmp_path / "anew")
    with Repository.open(str(tmp_path / "anew"), clock=lambda: now[0]) as second:
        assert list(second.log.leaves()) == leaves, "the seal of the day tells its highest serial"
        assert second.committer.commit(image).pdi == following


def test_the_earlier_key_is_told_and_still_holds_the_log(
    cli: Cli, rich: Path, tmp_path: Path
) -> None:
    copy, second, third = tmp_path / "ocfl", tmp_path / "second", tmp_path / "third"
    kept = tmp_path / "kept.txt"
    kept.write_text(cli("log").out, encoding="utf-8")
    before = json.loads(cli("log", "--json").out)
    assert before["earlier"] == []
    assert cli("export", "--ocfl", str(copy)).status == 0
    made = cli("--archive", str(second), "restore", str(copy))
    assert "its log is signed with a new key: lab.example.us/log+" in made.err
    after = json.loads(cli("--archive", str(second), "log", "--json").out)
    assert after["key"] != before["key"]
    signed = {name: before[name] for name in ("key", "size", "checkpoint")}
    assert after["earlier"] == [signed]
    assert f"goes on from {before['size']} entries" in cli("--archive", str(second), "log").out
    assert cli("--archive", str(second), "log", "--extends", str(kept)).status == 0
    again = tmp_path / "again"
    assert cli("--archive", str(second), "export", "--ocfl", str(again)).status == 0
    assert cli("--archive", str(third), "restore", str(again)).status == 0
    with Archive.open(str(third)) as service:
        assert [one.key for one in service.log.state().earlier] == [before["key"], after["key"]]
        assert service.log.held_to(kept.read_text(encoding="utf-8")).size == before["size"]
    with Archive.open(rich) as service:
        service.add(b"later", name="later.txt")
    kept.write_text(cli("log").out, encoding="utf-8")
    refused = cli("--archive", str(second), "log", "--extends", str(kept))
    assert (refused.status, "signed later is not here" in refused.err) == (1, True)


@pytest.mark.parametrize(
    ("old", "new"), [(b"\n\n", b"\n"), (b"lab.example.us/log ", b"lab.example.us/lag ")]
)
def test_a_checkpoint_that_vouches_for_nothing_is_refused(
    cli: Cli, rich: Path, tmp_path: Path, old: bytes, new: bytes
) -> None:
    assert rich.is_dir()
    assert cli("export", "--ocfl", str(tmp_path / "ocfl")).status == 0
    note = next((tmp_path / "ocfl").rglob("checkpoint.txt"))
    inventories = list(note.parents[2].rglob("inventory.json"))
    raw = note.read_bytes()
    changed = raw.replace(old, new)
    assert changed != raw
    note.write_bytes(changed)
    for inventory in inventories:
        content = inventory.read_bytes()
        for digest in (hashlib.sha512, hashlib.sha256):
            before, after = (digest(one).hexdigest().encode() for one in (raw, changed))
            content = content.replace(before, after)
        inventory.write_bytes(content)
        line = f"{hashlib.sha512(content).hexdigest()} inventory.json\n"
        inventory.with_name("inventory.json.sha512").write_text(line)
    refused = cli("--archive", str(tmp_path / "anew"), "restore", str(tmp_path / "ocfl"))
    assert (refused.status, "the checkpoint that was exported" in refused.err) == (1, True)


def records(path: Path) -> list[tuple[str, str, str, bytes]]:
    """Return type, address, content type and block of each record, as another reader has them."""
    iterate = import_module("warcio.archiveiterator").ArchiveIterator
    found = []
    with path.open("rb") as file:
        for record in iterate(file, check_digests="raise"):
            content = record.content_stream().read()
            assert record.digest_checker.passed
            digest = base64.b32encode(hashlib.sha1(content, usedforsecurity=False).digest())
            header = record.rec_headers.get_header
            answered = record.rec_type == "response"
            assert (header("WARC-Block-Digest") == f"sha1:{digest.decode()}") != answered
            payload = record.rec_type in {"resource", "conversion", "response"}
            assert header("WARC-Payload-Digest") == (f"sha1:{digest.decode()}" if payload else None)
            address = header("WARC-Target-URI") or ""
            found.append((record.rec_type, address, record.content_type, content))
    return found


@pytest.mark.parametrize("suffix", ["warc", "warc.gz"])
def test_a_reader_of_others_finds_every_page_of_a_warc_file(
    cli: Cli, site: Site, rich: Path, tmp_path: Path, suffix: str
) -> None:
    assert rich.is_dir()
    style = site.put(
        "/a b/\u00e9.css".replace(" ", "%20").replace("\u00e9", "%C3%A9"), "text/css", "p {}"
    )
    page = f'<meta charset="utf-8"><title>\u6f6e</title><link rel="stylesheet" href="{style}">w'
    address = site.put("/p", "text/html", page)
    assert cli("save", address, "--allow-private").status == 0
    site.put("/p", "text/html", page + "2")
    assert cli("save", address, "--allow-private").status == 0
    file = tmp_path / f"x.{suffix}"
    assert cli("export", "--warc", str(file)).status == 0
    found = records(file)
    shown = [one for one in found if one[1] == address and one[0] == "response"]
    assert [one[3].decode() for one in shown] == [page, page + "2"]
    assert {one[3] for one in found if one[1] == style} == {b"p {}"}
    assert not any("\u6f6e\u306e".encode() in content for *_, content in found), "withdrawn"
    named = [content.decode() for kind, _, _, content in found if kind == "metadata"]
    assert len(named) == 13, "4 texts, a page, 3 times 2 drawings, 2 pages; not what was withdrawn"
    assert sum("title: \u6f6e\r\n" in each for each in named) == 2


def test_a_damaged_warc_file_is_found_out(cli: Cli, rich: Path, tmp_path: Path) -> None:
    assert rich.is_dir()
    file = tmp_path / "x.warc"
    assert cli("export", "--warc", str(file)).status == 0
    file.write_bytes(file.read_bytes().replace(b"The tides.", b"The tidel."))
    with pytest.raises(import_module("warcio.exceptions").ArchiveLoadFailed):
        records(file)
