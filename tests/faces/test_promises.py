"""Proofs on the command line and over HTTP: made here, checked anywhere, and forgeries named."""

from __future__ import annotations

import base64
import io
import json
import shutil
import zipfile
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.engines import Repository
from tests.faces.test_http import ask

from permacite.archive.log.keys import Signer
from permacite.archive.model.submitted import NewRepresentation
from permacite.service.proofs import proofs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Running

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

TEXT = b"The tide of the twelfth\nwas the highest in a century."
WORDS = "the highest in a century"


@pytest.fixture
def passage(archive: Path) -> str:
    """The permanent name of the words."""
    with Archive.open(archive) as service:
        saved = service.add(TEXT, name="notes.txt")
        service.add(b"something else", name="other.txt")
        return service.cite(saved.pdi, quote=WORDS).reference


@pytest.fixture
def bundle(cli: Cli, passage: str, tmp_path: Path) -> Path:
    """A proof of the words, in a file."""
    path = tmp_path / "proof.zip"
    outcome = cli("prove", passage, "-o", str(path))
    assert outcome.status == 0, outcome.err
    return path


def test_a_proof_is_checked_without_any_archive(
    cli: Cli, bundle: Path, passage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = json.loads(cli("log", "--json").out)["key"]
    monkeypatch.setenv("PERMACITE_ARCHIVE", str(bundle.parent / "nowhere"))
    outcome = cli("verify", str(bundle), "--key", key)
    assert outcome.status == 0
    assert outcome.out.startswith("these words stood in the archive of lab.example.us/log at 20")
    assert WORDS in outcome.out
    found = json.loads(cli("verify", str(bundle), "--key", key, "--json").out)
    assert (found["holds"], found["trusted"]) == (True, True)
    assert (found["reference"], found["quote"], found["key"]) == (passage, WORDS, key)
    assert [check["name"] for check in found["checks"]] == [
        "content",
        "inclusion",
        "signature",
        "files",
        "key",
        "opening",
        "quote",
    ]
    assert not (bundle.parent / "nowhere").exists()


def test_without_a_key_the_answer_says_that_anyone_could_have_made_it(
    cli: Cli, bundle: Path
) -> None:
    outcome = cli("verify", str(bundle))
    assert outcome.status == 0
    assert outcome.out.startswith("anyone could have made this file: no key was given")
    assert "give the key that the archive publishes with --key, or your --policy" in outcome.err
    told = json.loads(cli("verify", str(bundle), "--json").out)
    assert (told["trusted"], told["caution"]) == (False, outcome.out.split(".\n")[0])


def test_what_is_too_long_for_the_name_of_a_file_is_none(cli: Cli, bundle: Path) -> None:
    assert cli("verify", "a" * 400).status == 2
    assert cli("verify", str(bundle), "--key", "a" * 400).status == 2


def test_a_policy_says_which_logs_count(cli: Cli, bundle: Path, tmp_path: Path) -> None:
    path = tmp_path / "policy.txt"
    for key in json.loads(cli("log", "--json").out)["keys"]:
        path.write_text(f"log {key}\nquorum none\n")
        outcome = cli("verify", str(bundle), "--policy", str(path))
        assert outcome.status == 0
        assert outcome.out.startswith("these words stood in the archive")
        told = json.loads(cli("verify", str(bundle), "--policy", str(path), "--json").out)
        assert (told["holds"], told["trusted"], told["caution"]) == (True, True, None)
    path.write_text(f"log {Signer.make('lab.example.us/log').verifier}\nquorum none\n")
    outcome = cli("verify", str(bundle), "--policy", str(path))
    assert outcome.status == 1
    assert outcome.out.startswith("this proof does not hold: policy")
    path.write_text("log example.com\nquorum none\n")
    outcome = cli("verify", str(bundle), "--policy", str(path))
    assert outcome.status == 2
    assert "the text of a key" in outcome.err


def test_a_key_may_be_read_from_a_file(cli: Cli, bundle: Path, tmp_path: Path) -> None:
    path = tmp_path / "key.txt"
    key = json.loads(cli("log", "--json").out)["key"]
    for text in (f"\n{key}\n", cli("log").out, cli("log", "--json").out):
        path.write_text(text)
        told = json.loads(cli("verify", str(bundle), "--key", str(path), "--json").out)
        assert (told["holds"], told["trusted"]) == (True, True), text
    ml_dsa = json.loads(cli("log", "--json").out)["keys"][1]
    path.write_text(f"{ml_dsa}\n")
    for given in (ml_dsa, str(path)):
        told = json.loads(cli("verify", str(bundle), "--key", given, "--json").out)
        assert (told["holds"], told["trusted"]) == (True, True)
    for text in ("", "{}", "[1]"):
        path.write_text(text)
        assert cli("verify", str(bundle), "--key", str(path)).status == 2


def test_a_bundle_of_another_archive_is_refused(cli: Cli, bundle: Path, tmp_path: Path) -> None:
    with Archive.create(tmp_path / "other", series="lab.example.us") as other:
        key = other.log.state().key
    outcome = cli("verify", str(bundle), "--key", key)
    assert outcome.status == 1
    assert outcome.out.startswith("this proof does not hold: key")


def test_words_that_nobody_cited_are_proven_too(cli: Cli, passage: str, tmp_path: Path) -> None:
    fresh = passage.partition("#")[0] + "#char=4,8"
    path = tmp_path / "fresh.zip"
    assert cli("prove", fresh, "-o", str(path)).status == 0
    assert json.loads(cli("verify", str(path), "--json").out)["quote"] == "tide"
    assert cli("prove", fresh, "-o", str(path)).status == 1, "the file is there already"


def test_a_whole_document_is_proven(cli: Cli, passage: str, tmp_path: Path) -> None:
    name = passage.partition("#")[0]
    path = tmp_path / "whole.zip"
    made = json.loads(cli("prove", name, "-o", str(path), "--json").out)
    assert (made["reference"], made["quote"], made["tree_size"]) == (name, None, 3)
    outcome = cli("verify", str(path))
    assert "\nthese bytes stood in" in outcome.out


def test_a_name_that_was_never_minted_is_proven_absent(
    cli: Cli, passage: str, tmp_path: Path
) -> None:
    path = tmp_path / "absent.zip"
    never = "urn:pdi://lab.example.us/2020/02/29/7.html.1"
    made = cli("prove", never, "-o", str(path))
    assert (made.status, made.out) == (0, f"{path}  {never}\n")
    assert "the file proves that none was ever minted on its day" in made.err
    log = tmp_path / "log.txt"
    log.write_text(cli("log").out)
    told = cli("verify", str(path), "--key", str(log))
    assert told.status == 0
    assert told.out.startswith("the archive of lab.example.us/log, its day sealed at 20")
    assert f"never minted\n{never}" in told.out
    found = json.loads(cli("verify", str(path), "--json").out)
    assert (found["holds"], found["absent"], found["quote"]) == (True, True, None)
    assert passage


UNPROVABLE = [
    ("another-version-of-today", ".text.9", "before it has ended (UTC)"),
    ("another-format", ".html.1", "formats may still be added"),
    ("another-document-of-today", "99.text.1", "before it has ended (UTC)"),
]


@pytest.mark.parametrize(
    ("ending", "told"), [row[1:] for row in UNPROVABLE], ids=[row[0] for row in UNPROVABLE]
)
def test_absence_that_cannot_be_proven_says_why(
    cli: Cli, passage: str, tmp_path: Path, ending: str, told: str
) -> None:
    path = tmp_path / "absent.zip"
    outcome = cli("prove", passage.partition(".text")[0] + ending, "-o", str(path))
    assert (outcome.status, path.exists()) == (1, False)
    assert told in outcome.err


def test_names_of_others_are_not_proven_absent(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "absent.zip"
    outcome = cli("prove", "urn:pdi://other.example.us/2020/01/01/1.text.1", "-o", str(path))
    assert outcome.status == 1
    assert "absence" not in outcome.err


def test_days_are_sealed_by_command(cli: Cli, archive: Path) -> None:
    then = datetime(2026, 11, 20, 12, tzinfo=UTC)
    with Repository.open(archive, clock=lambda: then) as early:
        early.committer.commit([NewRepresentation(b"x", "text/plain")])
    told = cli("log", "--seal")
    assert told.status == 0
    assert told.err == "sealed urn:pdi://lab.example.us/2026/11/20: 1 documents\n"
    again = cli("log", "--seal", "--json")
    assert (again.err, json.loads(again.out)["size"]) == ("", 2)


def changed(content: bytes, name: str, old: bytes, new: bytes) -> bytes:
    """Return a bundle in which one file says something else."""
    target = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as source,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as copy,
    ):
        for member in source.namelist():
            data = source.read(member)
            if member == name:
                assert old in data
                data = data.replace(old, new, 1)
            copy.writestr(member, data)
    return target.getvalue()


FORGED = [
    ("content", b"tide", b"time", "content"),
    ("leaf.json", b'"committed_at":"20', b'"committed_at":"19', "inclusion"),
    ("proof.tlog-proof", b"index 0", b"index 1", "inclusion"),
    ("proof.tlog-proof", b"\n3\n", b"\n4\n", "signature"),
    ("opening.json", b"text/plain", b"text/html!", "opening"),
    ("citation.json", b"citation", b"assertion", "quote"),
    ("citation-opening.json", b"highest", b"lowest!", "quote"),
    ("checkpoint.txt", b"\n3\n", b"\n4\n", "files"),
    ("log-key.pem", b"PUBLIC", b"SECRET", "files"),
    ("log-key.txt", b"+", b"-", "bundle"),
    ("name.txt", b".text.1", b".text.2", "bundle"),
]


@pytest.mark.parametrize(
    ("name", "old", "new", "check"), FORGED, ids=[f"{row[0]}-{row[3]}" for row in FORGED]
)
def test_what_does_not_hold_is_named(
    cli: Cli, bundle: Path, name: str, old: bytes, new: bytes, check: str
) -> None:
    bundle.write_bytes(changed(bundle.read_bytes(), name, old, new))
    outcome = cli("verify", str(bundle))
    assert outcome.status == 1
    first = outcome.out.splitlines()[0]
    assert first.startswith("this proof does not hold: ")
    assert check in first
    found = proofs.check(bundle.read_bytes())
    assert not found.holds
    assert check in [one.name for one in found.checks if not one.ok]


def test_a_file_that_is_no_proof_is_bad_input(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a zip")
    outcome = cli("verify", str(path))
    assert outcome.status == 2
    assert "a zip file" in outcome.err


def test_what_is_not_here_cannot_be_proven(cli: Cli, passage: str, tmp_path: Path) -> None:
    path = tmp_path / "none.zip"
    assert cli("prove", passage.replace("/1.text", "/9.text"), "-o", str(path)).status == 1
    assert cli("prove", "nonsense", "-o", str(path)).status == 2
    assert not path.exists()


def test_the_log_is_held_to_what_it_promised(cli: Cli, passage: str, tmp_path: Path) -> None:
    before = json.loads(cli("log", "--json").out)
    kept = tmp_path / "checkpoint"
    kept.write_text(before["checkpoint"])
    with Archive.open(tmp_path / "archive") as service:
        service.add(b"third", name="third.txt")
    after = json.loads(cli("log", "--since", "3", "--json").out)
    assert (before["size"], after["size"]) == (3, 4)
    assert after["since"]["root"] == before["root"]
    assert [len(base64.b64decode(one)) for one in after["since"]["proof"]] == [32] * 3
    shown = cli("log", "--extends", str(kept))
    assert shown.status == 0
    assert f"extends the log of 3, root {before['root']}" in shown.out
    kept.write_text(after["checkpoint"].replace("\n4\n", "\n3\n"))
    assert cli("log", "--extends", str(kept)).status == 1
    assert cli("log", "--since", "9").status == 1
    assert cli("log", "--since", "1", "--extends", str(kept)).status == 2
    assert passage.startswith("urn:pdi:")


@pytest.mark.parametrize("form", [(), ("--json",), ("--since", "1")], ids=["text", "json", "since"])
def test_what_the_log_prints_is_a_checkpoint_to_keep(
    cli: Cli, passage: str, tmp_path: Path, form: tuple[str, ...]
) -> None:
    kept = tmp_path / "kept"
    kept.write_text(cli("log", *form).out)
    with Archive.open(tmp_path / "archive") as service:
        service.add(b"third", name="third.txt")
    shown = json.loads(cli("log", "--extends", str(kept), "--json").out)
    assert (shown["size"], shown["since"]["size"]) == (4, 3)
    assert passage


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"checkpoint": 1}', "nonsense"])
def test_what_is_no_checkpoint_is_bad_input(cli: Cli, tmp_path: Path, content: str) -> None:
    kept = tmp_path / "kept"
    kept.write_text(content)
    assert cli("log", "--extends", str(kept)).status == 2


def twin(archive: Path, folder: Path, text: bytes) -> Path:
    """Return another archive with the same key and series, and one document of its own."""
    with Archive.create(folder, series="lab.example.us"):
        pass
    shutil.copy(archive / "log.key", folder / "log.key")
    with Archive.open(folder) as service:
        service.add(text, name="notes.txt")
    return folder


def test_two_logs_under_one_key_are_a_split_view(cli: Cli, archive: Path, tmp_path: Path) -> None:
    with Archive.open(archive) as service:
        service.add(b"one", name="notes.txt")
    other = twin(archive, tmp_path / "twin", b"two")
    kept = tmp_path / "kept"
    kept.write_text(cli("log").out)
    told = cli("--archive", other, "log", "--extends", str(kept))
    assert told.status == 1
    assert "split view: one key signed two different logs of 1 entries" in told.err
    with Archive.open(archive) as service:
        service.add(b"more", name="more.txt")
    kept.write_text(cli("log").out)
    told = cli("--archive", other, "log", "--extends", str(kept))
    assert told.status == 1
    assert "the log has 1 entries, and its key signed 2: it was cut short, or" in told.err


def test_a_proof_of_another_log_under_the_same_key_is_a_split_view(
    cli: Cli, archive: Path, bundle: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    kept.write_text(cli("log").out)
    told = cli("verify", str(bundle), "--checkpoint", str(kept))
    assert told.status == 0
    assert "the log of 3 that the checkpoint names" in told.out
    other = twin(archive, tmp_path / "twin", b"other")
    kept.write_text(cli("--archive", other, "log").out)
    assert "nothing to compare" in cli("verify", str(bundle), "--checkpoint", str(kept)).out
    with Archive.open(other) as service:
        service.add(b"more", name="more.txt")
        service.add(b"last", name="last.txt")
    kept.write_text(cli("--archive", other, "log").out)
    told = cli("verify", str(bundle), "--checkpoint", str(kept))
    assert told.status == 1
    assert told.out.startswith("this proof does not hold: view")
    assert "split view: one key signed two different logs of 3 entries" in told.out
    with Archive.create(tmp_path / "third", series="lab.example.us") as third:
        kept.write_text(third.log.state().checkpoint)
    told = cli("verify", str(bundle), "--checkpoint", str(kept))
    assert (told.status, "signed by another key" in told.out) == (1, True)
    assert cli("verify", "urn:pdi://a.zz/2026/01/01/1", "--checkpoint", str(kept)).status == 2


def test_the_log_is_written_as_tiles_and_brought_up(
    cli: Cli, archive: Path, passage: str, tmp_path: Path
) -> None:
    tiles = tmp_path / "tiles"
    assert passage
    assert cli("log", "--tiles", str(tiles)).status == 0
    with Archive.open(archive) as service:
        service.add(b"third", name="third.txt")
    assert json.loads(cli("log", "--tiles", str(tiles), "--json").out)["size"] == 4
    assert len((tiles / "tile/0/000.p/4").read_bytes()) == 128
    assert (tiles / "checkpoint").read_text() == json.loads(cli("log", "--json").out)["checkpoint"]
    (tiles / "tile/0/000.p/4").write_bytes(bytes(128))
    told = cli("log", "--tiles", str(tiles))
    assert told.status == 1
    assert "is no tile of this log" in told.err
    other = twin(archive, tmp_path / "twin", b"other")
    told = cli("--archive", other, "log", "--tiles", str(tiles))
    assert told.status == 1
    assert cli("log", "--tiles", str(tiles), "--since", "1").status == 2


def test_the_log_is_served_as_tiles(running: Running, passage: str) -> None:
    state = ask(running.base, "/-/api/log").json
    answer = ask(running.base, "/-/log/checkpoint")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert answer.body.decode() == state["checkpoint"]
    answer = ask(running.base, "/-/log/tile/0/000.p/2")
    assert (answer.status, len(answer.body)) == (200, 64)
    assert "immutable" in answer.headers["cache-control"]
    entries = ask(running.base, "/-/log/tile/entries/000.p/2")
    assert entries.headers["cache-control"] == "no-cache", "an entry may be withdrawn"
    bundle = entries.body
    length = int.from_bytes(bundle[:2], "big")
    assert json.loads(bundle[2 : 2 + length])["name"] == passage.partition(".text")[0]
    assert ask(running.base, "/-/log/tile/0/000").status == 404
    assert ask(running.base, "/-/log/tile/0/x").status == 400


def test_proofs_and_the_log_over_http(running: Running, passage: str) -> None:
    state = ask(running.base, "/-/api/log?since=1").json
    assert (state["size"], state["since"]["size"]) == (3, 1)
    answer = ask(running.base, "/-/api/proof?name=" + passage.replace("#", "%23"))
    assert (answer.status, answer.headers["content-type"]) == (200, "application/zip")
    assert proofs.check(answer.body, state["key"]).quote == WORDS
    assert ask(running.base, "/-/api/log?since=x").status == 400
    assert ask(running.base, "/-/api/proof").status == 400
    # Asking a server for a proof of absence adds nothing to its log: the day must be sealed before.
    never = "urn:pdi://lab.example.us/2020/02/29/7.html.1"
    assert ask(running.base, f"/-/api/proof?name={never}").status == 404
    assert ask(running.base, "/-/api/log").json["size"] == state["size"]
