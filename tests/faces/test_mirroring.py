"""A mirror has what its origin has, and nothing that the origin does not give out."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from tests import engines
from tests.earlier import unpack
from tests.faces.between import altering
from tests.faces.conftest import served
from tests.faces.test_http import ask

from permacite import pdi
from permacite.archive.log.keys import Verifier
from permacite.archive.log.note import Note
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository
from permacite.errors import ConflictError, IntegrityError, PermaciteError
from permacite.service.access import Choice
from permacite.service.archive import Archive
from permacite.service.mirroring.following import follow
from permacite.service.proofs.proofs import check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.faces.conftest import Outcome, Running

    from permacite.archive.engine.location import Location

pytestmark = pytest.mark.engines(deep=True)

PAGE = b"<title>Herons</title><p>A heron stood in the reeds. It did not move.</p>"
QUOTED = b"stood in the reeds"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Return the folder of a fresh archive, whatever the mirror is in."""
    Archive.create(tmp_path / "archive", series="lab.example.us").close()
    return tmp_path / "archive"


@pytest.fixture
def full(archive: Path) -> dict[str, str]:
    """An archive with a bit of everything; names by what they are."""
    with Archive.open(archive) as service:
        page = service.add(PAGE, name="herons.html", uri="https://example.org/herons")
        cited = service.cite(page.pdi, quote="stood in the reeds", note="mine alone")
        quoting = f'<title>Quoter</title><blockquote cite="{cited.reference}">'.encode() + QUOTED
        quoter = service.add(quoting, name="b.html")
        service.annotations.statements.state(page.pdi, "subject", "herons", who="Ann Reader")
        service.add(b"%PDF-1.4 none", name="x.bin")
        service.documents.series.delegate(
            "resolver", "other.example.us", "https://other.example.us"
        )
        service.log.state()
    again(archive, page.document.pdi, b"<title>Herons</title><p>It moved.")
    return {
        "page": page.pdi,
        "document": page.document.pdi,
        "cited": cited.reference,
        "quoter": quoter.pdi,
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of the mirror, with all that is not in its records."""
    return tmp_path / "mirror"


@pytest.fixture
def into(folder: Path) -> Location:
    """Where the mirror is."""
    return engines.Repository.at(folder)


@pytest.fixture
def later(tmp_path: Path) -> Location:
    """Where a mirror is that is made later."""
    return engines.Repository.at(tmp_path / "later")


@pytest.fixture
def origin(archive: Path, full: dict[str, str]) -> Iterator[Running]:
    """The archive, served to the public."""
    assert full
    with served(archive, "--public") as running:
        yield running


def again(archive: Path, name: str, content: bytes) -> None:
    """Commit the next version of a document."""
    document = pdi.parse(name)
    assert isinstance(document, pdi.PDI)
    with Repository.open(archive) as repository:
        repository.committer.commit(
            [NewRepresentation(content, "text/html", "utf-8")], replaces=document
        )


def root(directory: Location) -> tuple[int, bytes]:
    with Repository.open(directory) as archive:
        size = archive.log.size()
        return size, archive.log.root(size)


def findings(directory: Location) -> list[str]:
    with Archive.open(directory) as archive:
        return [f"{item.kind}: {item.name}: {item.detail}" for item in archive.copies.fsck().bad]


@pytest.mark.engines
def test_mirror_has_the_same_log_and_names(
    archive: Path, origin: Running, full: dict[str, str], into: Location
) -> None:
    followed = follow(origin.base, into)
    assert (followed.lost, followed.withheld) == ((), 0)
    assert root(into) == root(archive)
    assert findings(into) == []
    with Archive.open(archive) as there, Archive.open(into) as here:
        for name in full.values():
            assert here.resolve(name).content == there.resolve(name).content
        assert here.log.state().checkpoint == there.log.state().checkpoint
    second = follow(origin.base, into)
    assert (second.entered, second.octets) == (0, 0)


def test_one_flipped_bit_is_named_and_mended(
    archive: Path, origin: Running, full: dict[str, str], into: Location, folder: Path
) -> None:
    follow(origin.base, into)
    before = tree(archive / "objects")
    victim = flip_a_bit(archive, archive, full["page"])
    with Archive.open(archive) as there:
        (bad,) = [item for item in there.copies.fsck().bad if item.kind == "altered"]
        assert bad.name == full["page"]
        report = there.copies.fsck(repair_from=str(into))
    assert [(each.name, each.outcome) for each in report.mended] == [(full["page"], "mended")]
    assert report.ok
    assert tree(archive / "objects") == before
    # and a mirror mends itself from the origin, over HTTP
    (folder / "objects" / victim).unlink()
    with Archive.open(into) as here:
        report = here.copies.fsck(repair_from=origin.base)
    assert [each.outcome for each in report.mended] == ["mended"]
    assert before.items() <= tree(folder / "objects").items()


def test_copy_that_has_other_bytes_is_named_and_nothing_changes(
    archive: Path, origin: Running, full: dict[str, str], into: Location, folder: Path
) -> None:
    follow(origin.base, into)
    flip_a_bit(folder, into, full["page"])
    flip_a_bit(archive, archive, full["page"])
    before = tree(archive / "objects")
    with Archive.open(archive) as there:
        report = there.copies.fsck(repair_from=str(into))
    assert [each.outcome for each in report.mended] == ["wrong"]
    assert [item.kind for item in report.bad] == ["altered"]
    assert tree(archive / "objects") == before
    with Archive.open(into) as here:
        report = here.copies.fsck(repair_from=origin.base)
    assert [each.outcome for each in report.mended] == ["wrong"]


def tree(directory: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


def flip_a_bit(directory: Path, location: Location, name: str) -> str:
    """Alter one bit of the octets of a name; their file is returned."""
    document = pdi.parse(name)
    assert isinstance(document, pdi.PDI)
    with Repository.open(location) as repository:
        digest = repository.lookup.representation(document).digest.removeprefix("sha-256:")
    path = directory / "objects" / digest[:2] / digest[2:4] / digest
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.chmod(0o600)
    path.write_bytes(content)
    return str(path.relative_to(directory / "objects"))


def test_mirror_mints_nothing(
    origin: Running, full: dict[str, str], into: Location, folder: Path
) -> None:
    follow(origin.base, into)
    before = root(into)
    with Archive.open(into) as here:
        for change in (
            lambda: here.add(b"new", name="new.txt"),
            lambda: here.cite(full["page"], quote="did not move"),
            lambda: here.annotations.statements.state(full["page"], "subject", "x"),
            lambda: here.access.withdraw(full["page"], reason="own-error"),
            lambda: here.access.erase(full["document"], ground="own-error"),
        ):
            with pytest.raises(PermaciteError) as refused:
                change()
            assert "mirror" in str(refused.value)
    assert root(into) == before
    assert not (folder / "log.key").exists()


def test_closed_document_is_its_entry_alone_until_it_is_open(
    archive: Path, origin: Running, full: dict[str, str], into: Location, folder: Path
) -> None:
    with Archive.open(archive) as there:
        there.access.standing(full["document"], Choice(access="closed"))
    followed = follow(origin.base, into)
    assert followed.withheld == 4  # two versions, a citation and a statement
    assert root(into) == root(archive)
    assert findings(into) == []
    kept = engines.Repository.all_of(folder)
    for secret in (b"did not move", b"example.org/herons", b"stood in", b"It moved"):
        assert secret not in kept.replace(QUOTED, b"")
    with served(into, "--public") as mirror:
        assert ask(mirror.base, f"/{full['page']}").status == 404
    with Archive.open(archive) as there:
        there.access.standing(full["document"], Choice(access="public"))
    assert follow(origin.base, into).filled == 4
    assert findings(into) == []
    with Archive.open(into) as here:
        assert here.resolve(full["cited"]).text == "stood in the reeds"
    with Archive.open(archive) as there:
        there.access.standing(full["document"], Choice(access="closed"))
    follow(origin.base, into)
    with served(into, "--public") as mirror:
        assert ask(mirror.base, f"/{full['page']}").status == 403


def test_withdrawal_hides_here_what_it_hides_there(
    archive: Path,
    origin: Running,
    full: dict[str, str],
    into: Location,
    later: Location,
    tmp_path: Path,
) -> None:
    follow(origin.base, into)
    with Archive.open(archive) as there:
        there.access.withdraw(full["document"], reason="copyright", status=451, who="Ann Reader")
    for directory in (into, later):  # one that had it, and one that never was given it
        follow(origin.base, directory)
        assert root(directory) == root(archive)
        assert findings(directory) == []
        with served(directory, "--public") as mirror:
            assert ask(mirror.base, f"/{full['page']}").status == 451
            digests = ask(mirror.base, "/-/log/entries?start=0&end=9").json
            assert digests["entries"][0]["withheld"] == "withdrawn"
    assert b"did not move" not in engines.Repository.all_of(tmp_path / "later")
    with Archive.open(archive) as there:
        there.access.reinstate(full["document"])
    follow(origin.base, into)
    with Archive.open(into) as here:
        assert here.resolve(full["page"]).content == PAGE


@pytest.mark.engines
def test_erasure_destroys_here_what_it_destroys_there(
    archive: Path,
    origin: Running,
    full: dict[str, str],
    into: Location,
    later: Location,
    folder: Path,
) -> None:
    follow(origin.base, into)
    assert PAGE in tree(folder / "objects").values()
    with Archive.open(archive) as there:
        there.access.erase(full["document"], ground="data-protection")
    for directory, name in ((into, "mirror"), (later, "later")):
        follow(origin.base, directory)
        assert root(directory) == root(archive)
        assert findings(directory) == []
        kept = engines.Repository.all_of(folder.with_name(name))
        assert b"did not move" not in kept
        assert b"example.org/herons" not in kept
        with served(directory, "--public") as mirror:
            assert ask(mirror.base, f"/{full['page']}").status == 410


def test_mirror_that_does_not_follow_is_told_to_be_late(origin: Running, into: Location) -> None:
    follow(origin.base, into)
    with Repository.open(into) as repository:
        repository.settings.set("mirror followed", "2026-01-01T00:00:00.000000Z")
    with Archive.open(into) as here:
        (late,) = here.copies.fsck().bad
    assert (late.name, late.kind) == (origin.base, "late")
    assert "since 2026-01-01" in late.detail
    follow(origin.base, into)
    assert findings(into) == []


def test_forked_log_is_named_with_both_checkpoints_and_nothing_is_taken(
    archive: Path, tmp_path: Path, into: Location, folder: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(archive, other)
    for directory, words in ((archive, b"one way"), (other, b"another way")):
        with Archive.open(directory) as changed:
            changed.add(words, name="more.txt")
    with served(archive, "--public") as origin:
        follow(origin.base, into)
    with Archive.open(other) as changed:
        changed.add(b"further on", name="further.txt")
    before = root(into)
    with served(other, "--public") as forked, pytest.raises(IntegrityError) as refused:
        follow(forked.base, into)
    assert "forked" in refused.value.problem
    (evidence,) = (folder / "forks").iterdir()
    notes = evidence.read_text()
    for directory in (archive, other):
        with Archive.open(directory) as signer:
            assert signer.log.state().checkpoint in notes
    assert root(into) == before
    assert [line for line in findings(into) if line.startswith("fork: ")]
    with served(archive, "--public") as origin, pytest.raises(IntegrityError) as refused:
        follow(origin.base, into)  # whoever forked once is not believed again
    assert str(evidence) in refused.value.hint


def test_log_that_was_cut_short_is_named(
    archive: Path, tmp_path: Path, into: Location, folder: Path
) -> None:
    earlier = tmp_path / "earlier"
    with Archive.open(archive) as changed:
        changed.add(b"first", name="a.txt")
    shutil.copytree(archive, earlier)
    with Archive.open(archive) as changed:
        changed.add(b"second", name="b.txt")
    with served(archive, "--public") as origin:
        follow(origin.base, into)
    with served(earlier, "--public") as origin, pytest.raises(IntegrityError) as refused:
        follow(origin.base, into)
    assert "shows a log of 1 entries, and had 2" in refused.value.problem
    assert not (folder / "forks").exists()


def test_another_key_is_refused(archive: Path, tmp_path: Path, into: Location) -> None:
    other = tmp_path / "other"
    Archive.create(other, series="lab.example.us").close()
    with served(archive, "--public") as origin:
        follow(origin.base, into)
        with Archive.open(other) as unlike, pytest.raises(IntegrityError) as refused:
            follow(origin.base, tmp_path / "new", key=unlike.log.state().key)
        assert refused.value.problem == "the archive signs with another key"
        assert not (tmp_path / "new").exists()
    with served(other, "--public") as origin, pytest.raises(IntegrityError) as refused:
        follow(origin.base, into)
    assert refused.value.problem == "the checkpoint is not signed by the key of this log"
    with served(archive, "--public") as origin, pytest.raises(ConflictError):
        follow(origin.base, other)


def test_cosigned_checkpoint_is_given_out_and_verifies(
    archive: Path, origin: Running, full: dict[str, str], tmp_path: Path, into: Location
) -> None:
    key = tmp_path / "cosigner"
    followed = follow(origin.base, into, cosigner=key)
    assert followed.cosigned_by is not None
    cosigner = Verifier.parse(followed.cosigned_by)
    with served(into, "--public") as mirror:
        note = Note.parse(ask(mirror.base, "/-/log/checkpoint").body.decode())
    assert cosigner.verifies(note)
    with Archive.open(archive) as there:
        assert Verifier.parse(there.log.state().key).verifies(note)
    assert findings(into) == []
    with Archive.open(into) as here:
        assert check(here.prove(full["page"])).holds


@pytest.mark.engines
def test_mirror_of_a_mirror(
    archive: Path, origin: Running, full: dict[str, str], tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    follow(origin.base, first)
    with served(first, "--public") as mirror:
        follow(mirror.base, second)
    assert root(second) == root(archive)
    assert findings(second) == []
    with Archive.open(second) as here:
        assert here.resolve(full["page"]).content == PAGE


@pytest.mark.parametrize("altered", ["tile/0/", "/-/log/entries", "/-/log/octets/"])
def test_what_is_altered_on_the_way_is_not_taken(
    origin: Running, altered: str, into: Location
) -> None:
    with altering(origin.base, altered) as base:
        if "octets" in altered:
            followed = follow(base, into)
            assert len(followed.lost) > 0
        else:
            with pytest.raises(IntegrityError):
                follow(base, into)
            assert root(into)[0] == 0
    assert follow(origin.base, into).lost == ()  # it comes as soon as it is right
    assert findings(into) == []


def test_connections_that_are_cut_do_not_end_a_run(
    archive: Path, origin: Running, into: Location
) -> None:
    with altering(origin.base, "", cuts=5) as base:
        assert follow(base, into).lost == ()
    assert root(into) == root(archive)


def test_mirror_of_an_archive_of_before(tmp_path: Path, into: Location, later: Location) -> None:
    archive, _ = unpack(tmp_path)
    name = "urn:pdi://{0}"
    with served(archive, "--public") as origin:
        follow(origin.base, into)
        assert root(into) == root(archive)
        assert findings(into) == findings(archive)
        with Archive.open(archive) as there:
            name = there.documents.list(limit=1).documents[0].pdi
            there.access.withdraw(name, reason="copyright")
        for directory in (into, later):
            follow(origin.base, directory)
            assert root(directory) == root(archive)
            assert findings(directory) == findings(archive)
            with served(directory, "--public") as mirror:
                assert ask(mirror.base, f"/{name}").status == 410


def test_command_tells_what_came_and_goes_on(
    archive: Path, origin: Running, cli: Callable[..., Outcome], into: Location
) -> None:
    with Archive.open(archive) as there:
        key = there.log.state().key
    told = json.loads(cli("mirror", origin.base, str(into), "--key", key, "--json").out)
    assert (told["size"], told["entered"], told["lost"]) == (root(archive)[0],) * 2 + ([],)
    assert told["key"] == key
    with Repository.open(into) as here:
        where = here.where
    assert cli("mirror", origin.base, str(into)).out == f"{where}\n"
    for words, status in (
        ((origin.base, str(into), "--key", "none"), 2),
        ((origin.base, str(into), "--once", "--every", "5"), 2),
        (("no address", str(into)), 1),
        ((origin.base, str(archive)), 1),
        ((f"{origin.base}/nothing", str(into)), 1),
    ):
        assert cli("mirror", *words).status == status, words
    assert cli("--archive", str(into), "search", "herons").status == 0


@pytest.mark.sqlite
def test_mirror_is_backed_up(origin: Running, into: Location, tmp_path: Path) -> None:
    follow(origin.base, into)
    with Archive.open(into) as here:
        here.copies.backup(tmp_path / "backup")
    assert root(tmp_path / "backup") == root(into)
