"""Bags that come in: ours with their names, others' file by file, and what refuses a bag."""

from __future__ import annotations

import hashlib
import io
import json
import random
import shutil
import tarfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.crawled import HTML, PNG

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.faces.conftest import Outcome, Site

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

GOLDEN = Path(__file__).parents[1] / "golden/bags"
DECLARED = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
WORDS = b"The tide is high.\n"
LISTED = f"{hashlib.sha256(WORDS).hexdigest()}  data/a.txt\n"


def bagged(folder: Path, files: Mapping[str, bytes | str | None]) -> Path:
    """Write a bag with one file, altered: other files, and None for what is left out."""
    usual: dict[str, bytes | str | None] = {
        "bagit.txt": DECLARED,
        "data/a.txt": WORDS,
        "manifest-sha256.txt": LISTED,
    }
    bag = folder / "bag"
    for path, content in (usual | dict(files)).items():
        if content is not None:
            (bag / path).parent.mkdir(parents=True, exist_ok=True)
            octets = content if isinstance(content, bytes) else content.encode()
            (bag / path).write_bytes(octets)
    return bag


def packed(bag: Path, form: str) -> Path:
    """Pack a bag."""
    return Path(shutil.make_archive(str(bag), form, bag.parent, bag.name))


@pytest.mark.parametrize("form", ["", "zip", "tar", "gztar", "xztar"])
def test_our_bags_come_back_whole(
    archive: Path, cli: Cli, site: Site, tmp_path: Path, form: str
) -> None:
    site.put("/s.css", "text/css", "p { color: red }")
    site.put("/a.png", "image/png", PNG)
    address = site.put("/", "text/html", HTML)
    assert cli("save", address, "--allow-private", "--ground", "licence").status == 0
    site.put("/", "text/html", HTML.replace(b"high", b"low"))
    assert cli("save", address, "--allow-private").status == 0
    (tmp_path / "caf\xe9.txt").write_bytes("caf\xe9 tide\n".encode("latin-1"))
    assert cli("import", str(tmp_path / "caf\xe9.txt"), "--charset", "latin1").status == 0
    with Archive.open(archive) as service:
        page = next(each.pdi for each in service.documents.list().documents if each.uri)
        cited = service.cite(page, quote="tide is low").reference
    bag = tmp_path / "bag"
    assert cli("export", "--bag", str(bag)).status == 0
    told = (bag / "permacite/versions.jsonl").read_text(encoding="utf-8").splitlines()
    before = [json.loads(line) for line in told]
    assert len(before) == 3
    there = tmp_path / "there"
    assert cli("init", there, "--series", "b.zz").status == 0
    path = packed(bag, form) if form else bag
    outcome = cli("--archive", there, "import", str(path))
    assert (outcome.status, "cited again" in outcome.err) == (0, True), outcome.err
    again = json.loads(cli("--archive", there, "import", str(path), "--json").out)
    assert [each["unchanged"] for each in again] == [True] * len(before)
    with Archive.open(there) as service:
        assert len(service.documents.list().documents) == 2
        for old in before:
            for name, said in old["formats"].items():
                now = service.resolve(name)
                assert (now.digest, now.reference) == (said["digest"], name)
            new = service.documents.show(service.documents.resolver.now_called(name) or "").document
            assert (new.title, new.uri, new.version) == (old["title"], old["uri"], old["version"])
            at = new.retrieved_at
            assert (at and at.isoformat()) == old["retrieved_at"]
        assert service.resolve(cited).text == "tide is low"
        assert (
            service.access.standing(
                service.documents.resolver.now_called(cited) or ""
            ).standing.ground
            == "licence"
        )
        assert service.copies.fsck().ok
    further = tmp_path / "further"
    assert cli("--archive", there, "export", "--bag", str(tmp_path / "bag2")).status == 0
    assert cli("init", further, "--series", "c.zz").status == 0
    assert cli("--archive", further, "import", str(tmp_path / "bag2")).status == 0
    assert cli("--archive", further, "resolve", cited).out.strip() == "tide is low"


@pytest.mark.parametrize("name", ["bagit.zip", "bagit.tar.gz"])
def test_bags_of_the_library_bagit(cli: Cli, name: str) -> None:
    outcome = cli("import", str(GOLDEN / name), "--json")
    assert outcome.status == 0, outcome.err
    saved = json.loads(outcome.out)
    titles = {each["document"]["title"]: each["pdi"] for each in saved}
    assert set(titles) == {"Report", "a b.txt", "50%.txt", "bytes.bin", "na\u0308me.txt"}
    found = cli("cite", titles["Report"], "--quote", "the tide is low", "--form", "markdown").out
    assert "the tide is low" in found
    shown = json.loads(cli("show", titles["a b.txt"], "--json").out)
    told = shown["provenance"]["bag"]
    fields = dict(told["info"])
    assert (told["file"], told["path"]) == (name, "data/sub/a b.txt")
    assert fields["Source-Organization"] == "Tide Office"
    assert fields["External-Description"].count("and on") == 20
    assert told["digests_checked"] == (["md5", "sha256", "sha512"] if "zip" in name else ["sha1"])
    again = json.loads(cli("import", str(GOLDEN / name), "--json").out)
    assert [each["unchanged"] for each in again] == [True] * 5


OTHER = hashlib.sha256(b"other").hexdigest()
ALTERED: list[tuple[str, dict[str, bytes | str | None], str]] = [
    # what is wrong, files that differ (None: left out), words of the verdict ("": none)
    ("nothing", {}, ""),
    ("octets", {"data/a.txt": b"The tide is low.\n"}, "is not the file"),
    ("length", {"data/a.txt": b""}, "is not the file"),
    ("missing", {"data/a.txt": None, "data/b.txt": WORDS}, "not complete"),
    ("unlisted", {"data/b.txt": b"b"}, "not in all of its manifests"),
    ("no manifest", {"manifest-sha256.txt": None}, "no manifest"),
    ("unknown algorithm", {"manifest-sha256.txt": None, "manifest-crc.txt": LISTED}, "not known"),
    ("one of two", {"manifest-md5.txt": f"{'0' * 32}  data/a.txt\n"}, "md5 manifest"),
    ("an empty one", {"manifest-md5.txt": ""}, "not in all of its manifests"),
    ("two digests", {"manifest-sha256.txt": LISTED + f"{OTHER}  data/a.txt\n"}, "two digests"),
    ("no line", {"manifest-sha256.txt": LISTED + "data/a.txt\n"}, "line 2"),
    ("climbing", {"manifest-sha256.txt": LISTED + f"{OTHER}  data/../../x\n"}, "leads out"),
    ("absolute", {"manifest-sha256.txt": LISTED + f"{OTHER}  /etc/hostname\n"}, "leads out"),
    ("home", {"manifest-sha256.txt": LISTED + f"{OTHER}  ~/.ssh/id\n"}, "leads out"),
    ("holes", {"fetch.txt": "https://a.example/b - data/b.txt\n"}, "has holes"),
    ("filled holes", {"fetch.txt": "https://a.example/a - data/a.txt\n"}, ""),
    ("lying count", {"bag-info.txt": "Payload-Oxum: 18.2\n"}, "Payload-Oxum"),
    ("lying octets", {"bag-info.txt": "Payload-Oxum: 17.1\n"}, "Payload-Oxum"),
    ("right count", {"bag-info.txt": "Payload-Oxum: 18.1\n"}, ""),
    ("broken tag", {"tagmanifest-sha256.txt": f"{OTHER}  bagit.txt\n"}, "is not the file"),
    ("missing tag", {"tagmanifest-sha256.txt": f"{OTHER}  x.txt\n"}, "not complete"),
    ("no declaration", {"bagit.txt": "a bag\n"}, "no declaration"),
    ("later version", {"bagit.txt": DECLARED.replace(b"1.0", b"2.0")}, "nobody has described"),
    ("no charset", {"bagit.txt": DECLARED.replace(b"UTF-8", b"EBCDIC-9")}, "no charset"),
    ("earlier version", {"bagit.txt": DECLARED.replace(b"1.0", b"0.97")}, ""),
    ("md5sum's form", {"manifest-sha256.txt": LISTED.replace("  ", " *").upper()}, "not complete"),
    ("a star", {"manifest-sha256.txt": LISTED.replace("  ", " *./")}, ""),
    ("carriage returns", {"manifest-sha256.txt": LISTED.replace("\n", "\r")}, ""),
]


@pytest.mark.parametrize(
    ("files", "verdict"), [r[1:] for r in ALTERED], ids=[r[0] for r in ALTERED]
)
def test_every_altered_bag_has_its_verdict(
    archive: Path, cli: Cli, tmp_path: Path, files: dict[str, bytes | str | None], verdict: str
) -> None:
    bag = bagged(tmp_path, files)
    for path in (bag, packed(bag, "zip"), packed(bag, "gztar")):
        outcome = cli("import", str(path))
        assert (outcome.status == 0) == (not verdict), outcome.err
        assert verdict in outcome.err, outcome.err
    with Archive.open(archive) as service:
        assert len(service.documents.list().documents) == (not verdict)


def zipped(path: Path, *entries: tuple[str, bytes, int]) -> Path:
    """Pack a bag with further entries, each with the mode of its file."""
    whole = (("b/bagit.txt", DECLARED, 0o100644), ("b/data/a.txt", WORDS, 0o100644))
    listed = ("b/manifest-sha256.txt", LISTED.encode(), 0o100644)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, octets, mode in (*whole, listed, *entries):
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            file.writestr(entry, octets, zipfile.ZIP_DEFLATED)
    return path


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("entry", "verdict"),
    [
        (("b/../../x", b"", 0o100644), "leads out"),
        (("/x", b"", 0o100644), "leads out"),
        (("b/data/l", b"/etc/hostname", 0o120777), "is a link"),
        (("b/data/a.txt", WORDS, 0o100644), "stands twice"),
        (("b/data/z", bytes(9 << 20), 0o100644), "too much"),
        (("c/x", b"", 0o100644), "beside the folder"),
        (("__MACOSX/b/._a", b"", 0o100644), ""),
    ],
)
def test_zip_files_that_are_no_plain_folder(
    cli: Cli, tmp_path: Path, entry: tuple[str, bytes, int], verdict: str
) -> None:
    outcome = cli("import", str(zipped(tmp_path / "b.zip", entry)))
    assert (outcome.status == 0) == (not verdict)
    assert verdict in outcome.err, outcome.err


def test_links_and_devices_of_a_tar_file_and_a_folder(
    archive: Path, cli: Cli, tmp_path: Path
) -> None:
    bag = bagged(tmp_path, {})
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        tar.add(bag, "bag")
        link = tarfile.TarInfo("bag/data/l")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        tar.addfile(link, io.BytesIO())
    assert "is a link" in cli("import", str(tmp_path / "a.tar")).err
    (bag / "data/l").symlink_to("/etc/hostname")
    assert "is a link" in cli("import", str(bag)).err
    with Archive.open(archive) as service:
        assert not service.documents.list().documents


def test_no_flipped_bit_of_a_bag_goes_unseen(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(HTML)
    assert cli("import", str(tmp_path / "a.html")).status == 0
    bag, there, chance = tmp_path / "bag", tmp_path / "there", random.Random(17)  # noqa: S311 - places in files
    assert cli("export", "--bag", str(bag)).status == 0
    assert cli("init", there, "--series", "b.zz").status == 0
    files = (each for each in bag.rglob("*") if each.is_file() and each.stat().st_size)
    for path in sorted(files):
        whole = path.read_bytes()
        for _ in range(3):
            octets = bytearray(whole)
            octets[chance.randrange(len(octets))] ^= 1
            path.write_bytes(octets)
            outcome = cli("--archive", there, "import", str(bag))
            assert outcome.status != 0, (path, octets)
        path.write_bytes(whole)
    with Archive.open(there) as service:
        assert not service.documents.list().documents
    assert cli("--archive", there, "import", str(bag)).status == 0


def test_what_a_lying_list_tells_leads_no_name(archive: Path, cli: Cli, tmp_path: Path) -> None:
    name = "urn:pdi://a.us/2020/02/03/1.text.1"
    said = {"media_type": "text/plain", "digest": "sha-256:" + OTHER}
    line = json.dumps({"files": {name: "data/a.txt"}, "formats": {name: said}, "title": 7})
    outcome = cli("import", str(bagged(tmp_path, {"permacite/versions.jsonl": line})))
    assert (outcome.status, "another digest" in outcome.err) == (1, True)
    for nonsense in ("[]", "{", '{"files": 1}', line.replace("text.1", "text"), line[:-1]):
        outcome = cli("import", str(bagged(tmp_path, {"permacite/versions.jsonl": nonsense})))
        assert outcome.status == 0, outcome.err
    with Archive.open(archive) as service:
        assert service.documents.resolver.now_called(name) is None
        (document,) = service.documents.list().documents
        assert document.title == "a.txt"


def test_bags_are_found_among_files(archive: Path, cli: Cli, tmp_path: Path) -> None:
    bagged(tmp_path / "all", {})
    (tmp_path / "all/beside.txt").write_text("beside")
    with zipfile.ZipFile(tmp_path / "all/no.zip", "w") as file:
        file.writestr("a.txt", "no bag")
    assert cli("import", str(tmp_path / "all")).status == 0
    with Archive.open(archive) as service:
        titles = {each.title for each in service.documents.list().documents}
    assert titles == {"a.txt", "beside.txt", "no.zip"}
