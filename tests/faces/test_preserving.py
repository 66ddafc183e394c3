"""Archives in the formats of others: OCFL and back with the same log, WARC for web archives."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from tests.archives import Archive

from permacite import pdi
from permacite.archive.model.answered import Provenance
from permacite.archive.model.submitted import NewRepresentation
from permacite.errors import IntegrityError, PermaciteError
from permacite.service import preservation
from permacite.service.exchange import ocfl_layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.faces.conftest import Outcome, Site

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

PAGE = b'<!doctype html><title>T</title><p>Words <q cite="%s">tide</q>'


@pytest.fixture
def full(archive: Path) -> Path:
    """An archive with all that can stand in one."""
    with Archive.open(archive) as service:
        service.documents.series.add("press.lab.example.us")
        text = service.add(b"The tide.", name="tide.txt")
        page = service.add(
            PAGE % f"{text.pdi}#char=4,8".encode(), name="page.html", series="press.lab.example.us"
        )
        service.lists.submissions.put(
            text.pdi, "The t\u00efde.".encode(), "text/plain; charset=utf-8"
        )
        service.cite(page.pdi, quote="Words", note="a remark")
        service.annotations.statements.state(page.pdi, "creator", "Ann", who="Ben")
        service.documents.series.delegate(
            "resolver", "old.lab.example.us", "https://a.example", last="2020-01-01"
        )
        service.documents.series.delegate(
            "minter", "press.lab.example.us", "Ann", first="2020-01-01"
        )
        inner = service._repository  # noqa: SLF001 - what only the library can do
        picture = NewRepresentation(
            b"PNG", "image/png", sidecars={"a/../b": b"side", "c": b"side 2"}, received=b"png"
        )
        made = inner.committer.commit(
            [picture], unique_id="my%20own", provenance=Provenance(details={"a": [1, {"b": None}]})
        )
        inner.committer.add_format(made.pdi, NewRepresentation(b"GIF", "image/gif"))
        service.access.withdraw(page.pdi, reason="court-order", status=451, who="Ann")
        service.access.withdraw(text.pdi.removesuffix(".text.1"), reason="safety")
        service.access.reinstate(text.pdi.removesuffix(".text.1"))
    return archive


def test_an_archive_comes_back_from_ocfl_with_the_same_log(
    cli: Cli, full: Path, tmp_path: Path
) -> None:
    copy, anew = tmp_path / "ocfl", tmp_path / "anew"
    outcome = cli("export", "--ocfl", str(copy))
    assert outcome.status == 0, outcome.err
    before = json.loads(cli("log", "--json").out)
    assert cli("--archive", str(anew), "restore", str(copy)).status == 0
    after = json.loads(cli("--archive", str(anew), "log", "--json").out)
    assert (after["size"], after["root"]) == (before["size"], before["root"])
    assert after["key"] != before["key"]
    assert cli("--archive", str(anew), "fsck").out == cli("fsck").out
    with Archive.open(full) as old, Archive.open(str(anew)) as new:
        assert new.documents.list().documents == old.documents.list().documents
        assert new.documents.about().all_series == old.documents.about().all_series
        assert new.documents.series.delegations() == old.documents.series.delegations()
        assert new.annotations.statements.about() == old.annotations.statements.about()
        for document in old.documents.list().documents:
            assert new.documents.show(document.pdi) == old.documents.show(document.pdi)
        page = next(one for one in new.documents.list().documents if one.title == "T")
        new.access.reinstate(page.formats[0].pdi)
        assert [one.status for one in new.quotations.of(page.formats[1].pdi)] == ["exact"]
        name = pdi.parse(f"{new.documents.list().documents[-1].pdi}.png.1")
        assert isinstance(name, pdi.PDI)
        inner = new._repository  # noqa: SLF001 - the sidecars have no name
        assert inner.contents.sidecar(inner.lookup.representation(name), "a/../b") == b"side"
        assert (
            inner.contents.octets(inner.lookup.representation(name).received_digest or "") == b"png"
        )
        again = new.add(b"goes on", name="new.txt")
    assert again.pdi.rpartition("/")[2] == "3.text.1" or again.pdi.endswith(".text.1")


def test_objects_stand_where_the_layout_says(cli: Cli, full: Path, tmp_path: Path) -> None:
    assert full.is_dir()
    root = tmp_path / "ocfl"
    assert cli("export", "--ocfl", str(root)).status == 0
    assert (root / "0=ocfl_1.1").read_text() == "ocfl_1.1\n"
    places = [path.parent for path in root.rglob("0=ocfl_object_1.1")]
    assert len(places) == 4, "three documents and the records"
    heads = []
    for place in places:
        raw = (place / "inventory.json").read_bytes()
        inventory = json.loads(raw)
        name = hashlib.sha256(inventory["id"].encode()).hexdigest()
        assert place.parent == root / name[:3] / name[3:6] / name[6:9]
        assert place.name == quote(inventory["id"], safe="").replace(".", "%2e").lower()
        digest, _, file = (place / "inventory.json.sha512").read_text().strip().partition(" ")
        assert (digest, file) == (hashlib.sha512(raw).hexdigest(), "inventory.json")
        assert (place / inventory["head"] / "inventory.json").read_bytes() == raw
        for expected, paths in inventory["manifest"].items():
            for path in paths:
                assert hashlib.sha512((place / path).read_bytes()).hexdigest() == expected
        for version in inventory["versions"].values():
            assert set(version["state"]) <= set(inventory["manifest"])
        stored = {str(p.relative_to(place)) for p in place.rglob("content/**/*") if p.is_file()}
        assert stored == {path for paths in inventory["manifest"].values() for path in paths}
        heads.append(inventory["head"])
    assert sorted(heads) == ["v1", "v1", "v1", "v2"]


def test_damage_and_what_is_there_are_refused(cli: Cli, full: Path, tmp_path: Path) -> None:
    assert full.is_dir()
    root, anew = tmp_path / "ocfl", tmp_path / "anew"
    assert cli("export", "--ocfl", str(root)).status == 0
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken/x").touch()
    assert cli("export", "--ocfl", str(tmp_path / "taken")).status == 1, "it is not empty"
    victim = next(path for path in root.rglob("content/formats/html"))
    kept = victim.read_bytes()
    victim.write_bytes(kept + b" ")
    refused = cli("--archive", str(anew), "restore", str(root))
    assert (refused.status, "altered" in refused.err) == (1, True)
    assert [path.name for path in tmp_path.iterdir() if "anew" in path.name] == []
    victim.unlink()
    assert cli("--archive", str(anew), "restore", str(root)).status == 1
    victim.write_bytes(kept)
    anew.mkdir()
    assert cli("--archive", str(anew), "restore", str(root)).status == 0
    assert cli("--archive", str(anew), "restore", str(root)).status == 1


VALUES: tuple[object, ...] = (None, 7, "x", [], {})
"""What a member is changed into; None takes it away."""


def members(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The way to each member of a JSON value, from the outside in."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from members(inner, (*path, key))


def altered(raw: bytes, path: tuple[str | int, ...], value: object) -> bytes:
    """An inventory with another value in one place; None takes the member away."""
    inventory = json.loads(raw)
    place = inventory
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return json.dumps(inventory).encode()


@pytest.fixture
def copy(cli: Cli, archive: Path, tmp_path: Path) -> Path:
    """A copy of an archive that holds two versions of a text."""
    (tmp_path / "a.txt").write_bytes(b"one two")
    name = cli("import", str(tmp_path / "a.txt")).out.split()[0]
    with Archive.open(archive) as service:
        service.lists.submissions.put(name, b"one three", "text/plain; charset=us-ascii")
    assert cli("export", "--ocfl", str(tmp_path / "ocfl")).status == 0
    return tmp_path / "ocfl"


def refused(copy: Path, anew: Path) -> str:
    """Why a copy is not restored."""
    with pytest.raises(IntegrityError) as error:
        preservation.restore(copy, anew)
    assert not anew.exists()
    return str(error.value)


def test_each_member_of_each_inventory_is_checked(copy: Path, tmp_path: Path) -> None:
    """Digests beside it are made anew, as by someone who knows the format."""
    inventories = sorted(copy.rglob("inventory.json"))
    assert len(inventories) == 5, "an object of two versions, and the records of one"
    for inventory in inventories:
        beside, raw = inventory.with_name("inventory.json.sha512"), inventory.read_bytes()
        line = beside.read_text()
        identifier = json.loads(raw)["id"]
        for path in members(json.loads(raw)):
            for value in VALUES:
                changed = altered(raw, path, value)
                inventory.write_bytes(changed)
                beside.write_text(f"{hashlib.sha512(changed).hexdigest()} inventory.json\n")
                with pytest.raises(IntegrityError, match="cannot be read"):
                    ocfl_layout.read_object(copy, identifier)
        assert "cannot be read" in refused(copy, tmp_path / "anew")
        inventory.write_bytes(raw)
        beside.write_text(line)
    assert preservation.restore(copy, tmp_path / "anew").versions == 2


def test_each_file_of_a_copy_is_checked(copy: Path, tmp_path: Path) -> None:
    for file in sorted(path for path in copy.rglob("*") if path.is_file()):
        raw = file.read_bytes()
        for changed in (b"", raw + b" ", raw.replace(b"e", b"E", 1) or b"x", b"\xff" + raw):
            file.write_bytes(changed)
            if changed != raw:
                refused(copy, tmp_path / "anew")
        file.unlink()
        if file.name != "0=ocfl_1.1":  # without it, it is no copy at all
            refused(copy, tmp_path / "anew")
        file.write_bytes(raw)
    assert preservation.restore(copy, tmp_path / "anew").versions == 2


def test_what_is_no_part_of_an_object_is_refused(copy: Path, tmp_path: Path) -> None:
    place = next(path.parent for path in copy.rglob("0=ocfl_object_1.1"))
    for name in ("v1/content/more", "v3/content/more", "v1/more", "more"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(b"more")
        assert "of an inventory is altered" in (why := refused(copy, tmp_path / "anew")) or (
            f"{name} is no part of the object" in why
        )
        (place / name).unlink()
    (place / "v1" / "content" / "link").symlink_to(tmp_path / "a.txt")
    assert "leads out of its object" in refused(copy, tmp_path / "anew")


def test_records_that_were_altered_are_refused(copy: Path, tmp_path: Path) -> None:
    """All digests are right again: what the records then tell cannot be entered."""
    file = next(copy.rglob("archive.json"))
    raw = file.read_bytes()
    for path in members(json.loads(raw)):
        for value in VALUES:
            changed = altered(raw, path, value)
            rewritten(file, changed)
            try:
                preservation.restore(copy, tmp_path / "anew")
            except PermaciteError:
                assert not (tmp_path / "anew").exists()
            else:
                shutil.rmtree(tmp_path / "anew")
            rewritten(file, raw)


def test_an_altered_copy_is_not_written_over(cli: Cli, copy: Path) -> None:
    file = next(copy.rglob("archive.json"))
    for changed in (b'{"a": 1}', b"[1]", b'{"size": "x", "root": ""}', b"no JSON"):
        rewritten(file, changed)
        told = cli("export", "--ocfl", str(copy))
        assert (told.status, "the copy that is there cannot be read" in told.err) == (1, True)
    rewritten(file, b'{"size": -1, "root": ""}')
    assert "of another archive" in cli("export", "--ocfl", str(copy)).err


def rewritten(file: Path, content: bytes) -> None:
    """Replace a file of the records, and every digest of it."""
    raw = file.read_bytes()
    file.write_bytes(content)
    for inventory in file.parents[2].rglob("inventory.json"):
        told = inventory.read_bytes()
        for digest in (hashlib.sha512, hashlib.sha256):
            before, after = (digest(one).hexdigest().encode() for one in (raw, content))
            told = told.replace(before, after)
        inventory.write_bytes(told)
        line = f"{hashlib.sha512(told).hexdigest()} inventory.json\n"
        inventory.with_name("inventory.json.sha512").write_text(line)


def test_an_empty_archive_comes_back(cli: Cli, tmp_path: Path) -> None:
    assert cli("export", "--ocfl", str(tmp_path / "ocfl")).status == 0
    made = preservation.restore(tmp_path / "ocfl", tmp_path / "anew")
    assert (made.documents, made.entries) == (0, 0)


def warc(content: bytes) -> list[tuple[dict[str, str], bytes]]:
    """Return the fields and blocks of the records of a WARC file, strictly read."""
    records = []
    while content:
        head, _, rest = content.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        assert first == "WARC/1.1"
        fields = dict(line.split(": ", 1) for line in lines)
        size = int(fields["Content-Length"])
        assert rest[size : size + 4] == b"\r\n\r\n"
        records.append((fields, rest[:size]))
        content = rest[size + 4 :]
    return records


@pytest.fixture
def saved(cli: Cli, site: Site) -> str:
    """Save a page with a style sheet; returns its address."""
    site.put("/style.css", "text/css", "body { color: red }")
    address = site.put(
        "/", "text/html", '<title>T</title><link rel="stylesheet" href="style.css">w'
    )
    assert cli("save", address, "--allow-private").status == 0
    return address


def test_a_page_is_written_as_warc_records(cli: Cli, saved: str, tmp_path: Path) -> None:
    file = tmp_path / "x.warc"
    assert cli("export", "--warc", str(file)).status == 0
    records = warc(file.read_bytes())
    assert [fields["WARC-Type"] for fields, _ in records] == [
        "warcinfo",
        "response",
        "conversion",
        "response",
        "metadata",
    ]
    page, text, style, names = records[1:]
    assert page[0]["WARC-Target-URI"] == saved
    assert style[0]["WARC-Target-URI"] == f"{saved}style.css"
    assert style[0]["WARC-Concurrent-To"] == page[0]["WARC-Record-ID"]
    head, _, body = style[1].partition(b"\r\n\r\n")
    assert body == b"body { color: red }"
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"Content-Type: text/css" in head
    assert text[0]["WARC-Refers-To"] == page[0]["WARC-Record-ID"]
    assert b"pdi: urn:pdi://lab.example.us/" in names[1]
    assert b"title: T\r\n" in names[1]
    assert len({fields["WARC-Record-ID"] for fields, _ in records}) == 5


def test_a_warc_file_is_compressed_by_its_suffix(cli: Cli, full: Path, tmp_path: Path) -> None:
    assert full.is_dir()
    whole, some = tmp_path / "x.warc.gz", tmp_path / "y.warc"
    assert cli("export", "--warc", str(whole)).status == 0
    assert cli("export", "--warc", str(whole)).status == 1, "it is there already"
    records = warc(gzip.decompress(whole.read_bytes()))
    assert not any(PAGE[:20] in block for _, block in records), "withdrawn"
    assert cli("export", "--warc", str(some), "press.lab.example.us").status == 0
    types = [fields["WARC-Type"] for fields, _ in warc(some.read_bytes())]
    assert types == ["warcinfo", "conversion", "metadata"]


@pytest.mark.parametrize(
    "words",
    [(), ("urn:pdi://lab.example.us/2026/11/21/1", "--ocfl", "x"), ("--ocfl", "x", "-o", "y")],
)
def test_one_way_at_a_time(cli: Cli, words: tuple[str, ...]) -> None:
    assert cli("export", *words).status == 2
