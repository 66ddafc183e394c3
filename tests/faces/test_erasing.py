"""What is erased is nowhere: not in the archive's files, in copies, in exports; all else holds."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.earlier import unpack
from tests.engines import Repository
from tests.faces.test_http import ask

from permacite.errors import ErasedError
from permacite.service.proofs import proofs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.faces.conftest import Outcome, Running

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

CANARY = "canary-heron"
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(1, 200)) + b"unlike any other octets"
PAGE = f"<title>{CANARY} title</title><p>Some {CANARY} words. ".encode() + b"long " * 40_000


@pytest.fixture
def names(archive: Path) -> dict[str, str]:
    """A page full of canaries, a picture, both at once, what quotes them, and what stays."""
    with Archive.open(archive) as service:
        page = service.add(PAGE, name=f"{CANARY}.html", uri=f"https://example.org/a?token={CANARY}")
        cited = service.cite(page.pdi, quote=f"{CANARY} words", note=f"a {CANARY} note")
        service.annotations.statements.state(
            page.pdi, "subject", f"about {CANARY}", who=f"Ann {CANARY}"
        )
        service.annotations.statements.state(cited.reference, "subject", f"a part about {CANARY}")
        service.access.withdraw(
            page.document.pdi, reason="safety", who=f"Bob {CANARY}", note=f"Jane {CANARY}"
        )
        service.access.reinstate(page.document.pdi)
        picture = service.add(PICTURE, name="a.png")
        other = service.add(b"other words that stay", name="other.txt")
        kept = service.cite(other.pdi, quote="words that stay")
        quoting = f'<title>Quoter</title><blockquote cite="{kept.reference}">{kept.quote}'
        quoter = service.add(quoting.encode(), name="b.html")
        service.log.state()
        return {
            "page": page.document.pdi,
            "html": page.pdi,
            "cited": cited.reference,
            "picture": picture.document.pdi,
            "png": picture.pdi,
            "other": other.document.pdi,
            "kept": kept.reference,
            "quoter": quoter.document.pdi,
        }


def traces(folder: Path) -> list[str]:
    """Return the files below a folder with a canary in them, in any coding that we write.

    The records are one of them, wherever they are.
    """
    wanted = [
        CANARY.encode(),
        CANARY.encode("utf-16-le"),
        CANARY.encode("utf-16-be"),
        PICTURE[8:60],
    ]
    wanted += [CANARY.encode().hex().encode(), CANARY.upper().encode(), PICTURE[8:60]]
    files = {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    if (folder / "log.key").exists() and not (folder / "catalog.sqlite").exists():
        files["records"] = Repository.written(folder)
    return [name for name, content in files.items() if any(one in content for one in wanted)]


def others(archive: Path, names: dict[str, str]) -> Iterator[bytes]:
    """Yield proofs of what is not erased."""
    with Archive.open(archive) as service:
        for name in ("other", "kept", "quoter"):
            yield service.prove(names[name])


def test_what_is_erased_is_found_nowhere(
    cli: Cli, archive: Path, names: dict[str, str], tmp_path: Path
) -> None:
    copy, plain = tmp_path / "linked", tmp_path / "copied"
    assert cli("backup", str(copy)).status == cli("backup", str(plain), "--copy").status == 0
    assert traces(archive)
    assert traces(copy)
    bundles = [cli("prove", names[one], "-o", str(tmp_path / f"{one}.zip")) for one in ("png",)]
    assert [one.status for one in bundles] == [0]
    earlier = list(others(archive, names))
    made = cli("erase", names["page"], names["png"], "--ground", "data-protection", "--yes")
    assert made.out.splitlines() == [
        f"erased (data-protection): {names['page']}",
        f"erased (data-protection): {names['picture']}, version 1",
    ]
    assert traces(archive) == []
    assert cli("backup", str(copy)).status == cli("backup", str(plain), "--copy").status == 0
    assert traces(copy) == traces(plain) == []
    for one in (archive, str(copy), str(plain)):
        assert cli("--archive", one, "fsck").out.endswith(" 0 bad\n")
        assert "erased on " in cli("--archive", one, "verify", names["html"]).err
    cli("log", "--tiles", str(tmp_path / "tiles"))
    cli("export", "--warc", str(tmp_path / "all.warc"))
    assert {"tiles", "all.warc"} <= {one.name for one in tmp_path.iterdir()}
    (tmp_path / "png.zip").unlink()
    assert traces(tmp_path) == []
    for proof in (*earlier, *others(archive, names)):
        assert proofs.check(proof).holds


def test_everyone_is_told_that_it_was_erased(
    cli: Cli, running: Running, names: dict[str, str]
) -> None:
    assert cli("erase", names["page"], "--ground", "court-order", "--yes").status == 0
    for words in (
        ["resolve", names["html"]],
        ["resolve", names["cited"]],
        ["prove", names["html"]],
    ):
        told = cli(*words)
        assert (told.status, " was erased on " in told.err) == (1, True), words
    shown = json.loads(cli("show", names["page"], "--json").out)
    restricted = shown["document"]["restricted"]
    assert (restricted["kind"], restricted["status"]) == ("erased", 410)
    assert (shown["document"]["title"], shown["citations"], shown["provenance"]) == (None, [], {})
    answer = ask(running.base, f"/{names['html']}")
    assert (answer.status, answer.json["code"], answer.json["reason"]) == (
        410,
        "erased",
        "court-order",
    )
    home = ask(running.base, "/", Accept="text/html").body.decode()
    assert re.search(r"Erased [^<]+ \(410\): ", home)
    verified = json.loads(cli("verify", names["html"], "--json").out)
    assert {one["kind"] for one in verified["erased"]} == {"erased"}
    assert cli("verify", names["html"]).status == 0
    refused = cli("cite", names["page"], "--quote", "Some")
    assert (refused.status, "was erased" in refused.err) == (1, True)


def test_a_proof_in_the_hands_of_others_goes_on_proving(
    cli: Cli, archive: Path, names: dict[str, str]
) -> None:
    with Archive.open(archive) as service:
        proof, kept = service.proofs.proof(names["cited"]), service.log.state()
        cli("erase", names["page"], "--ground", "court-order", "--yes")
        assert proofs.check(proof.content, proof.key).holds
        assert service.log.held_to(kept.checkpoint).size > kept.size


def test_a_name_that_is_erased_is_never_used_again(
    cli: Cli, archive: Path, names: dict[str, str]
) -> None:
    with Archive.open(archive) as service:
        second = service.lists.submissions.put(names["png"], PICTURE + b"2", "image/png").pdi
        service.access.erase(second, ground="safety")
        third = service.lists.submissions.put(names["png"], PICTURE + b"3", "image/png").pdi
        assert third.endswith(".3")
        assert service.resolve(names["png"]).content == PICTURE
        service.access.erase(names["picture"], ground="safety")
    with Archive.open(archive) as service:
        for name in (names["png"], second, third):
            with pytest.raises(ErasedError, match="was erased"):
                service.resolve(name)
        with pytest.raises(ErasedError, match="was erased"):
            service.lists.submissions.put(names["png"], b"again", "image/png")
    assert cli("fsck").out.endswith(" 0 bad\n")


def test_octets_that_others_have_too_stay(cli: Cli, archive: Path, names: dict[str, str]) -> None:
    with Archive.open(archive) as service:
        twin = service.add(PICTURE, name="twin.png", new=True)
    made = cli("erase", names["picture"], "--ground", "safety", "--yes")
    assert "1 objects stay" in made.err
    with Archive.open(archive) as service:
        assert service.resolve(twin.pdi).content == PICTURE
        service.access.erase(twin.pdi, ground="safety")
    assert not any(PICTURE in path.read_bytes() for path in archive.rglob("*") if path.is_file())
    assert cli("fsck").out.endswith(" 0 bad\n")


def test_a_copy_in_the_layout_of_others_has_nothing_of_it(
    cli: Cli, names: dict[str, str], tmp_path: Path
) -> None:
    copy, anew = tmp_path / "ocfl", tmp_path / "anew"
    assert cli("export", "--ocfl", str(copy)).status == 0
    assert traces(copy)
    cli("erase", names["page"], names["png"], "--ground", "data-protection", "--yes")
    assert cli("export", "--ocfl", str(copy)).status == 0, "an earlier copy is written anew"
    assert traces(copy) == []
    assert cli("--archive", str(anew), "restore", str(copy)).status == 0
    assert cli("--archive", str(anew), "fsck").out.endswith(" 0 bad\n")
    assert "was erased on" in cli("--archive", str(anew), "resolve", names["html"]).err
    assert cli("--archive", str(anew), "resolve", names["kept"]).out == "words that stay"
    other = tmp_path / "other"
    with Archive.create(other, series="lab.example.us") as service:
        service.add(b"another archive", name="x.txt")
    told = cli("--archive", other, "export", "--ocfl", str(copy))
    assert (told.status, "of another archive" in told.err) == (1, True)
    assert [one.name for one in tmp_path.iterdir() if "ocfl." in one.name] == []


def test_the_operator_is_asked_and_told_who_quotes(cli: Cli, names: dict[str, str]) -> None:
    assert cli("erase", names["other"], "--ground", "safety").status == 1, "nobody said yes"
    assert cli("resolve", names["other"]).status == 0
    assert cli("erase", names["other"], "--yes").status == 2
    assert cli("erase", names["kept"], "--ground", "safety", "--yes").status == 1
    made = cli("erase", names["other"], "--ground", "safety", "--yes")
    assert names["quoter"] in made.err
    assert cli("erase", names["other"], "--ground", "safety", "--yes").status == 0, "it is repeated"
    assert cli("quotes", names["quoter"]).out.startswith("erased ")


def test_entries_in_clear_of_earlier_archives_are_emptied(cli: Cli, tmp_path: Path) -> None:
    directory, bundles = unpack(tmp_path)
    Repository.adopt(directory)
    with Archive.open(directory) as service:
        documents = [one.pdi for one in service.documents.list().documents]
        before = service.log.state()
    made = cli("--archive", directory, "erase", *documents, "--ground", "data-protection", "--yes")
    assert made.status == 0, made.err
    left = [str(row) for row in Repository.rows(directory, "SELECT * FROM leaf")]
    assert [row for row in left if "canary" in row and "delegation" not in row] == []
    told = cli("--archive", directory, "fsck")
    assert told.out.endswith(" 0 bad\n"), told.err
    with Archive.open(directory) as service:
        service.log.held_to(before.checkpoint)
        service.copies.export("ocfl", tmp_path / "ocfl")
    assert cli("--archive", str(tmp_path / "anew"), "restore", str(tmp_path / "ocfl")).status == 0
    told = cli("--archive", str(tmp_path / "anew"), "fsck")
    assert told.out.endswith(" 0 bad\n"), told.err
    for name, bundle in bundles.items():
        if name.endswith(".zip"):
            assert proofs.check(bundle).holds, name
