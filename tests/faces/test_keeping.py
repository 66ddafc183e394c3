"""Keeping an archive: backups and restores, damage found, withdrawals, series, delegations."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.engines import Repository
from tests.faces.test_http import ask

from permacite.archive.model.answered import Timekeeper
from permacite.archive.model.submitted import NewRepresentation

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Running

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)


@pytest.fixture
def saved(archive: Path) -> dict[str, str]:
    """The full names of a page, by format."""
    with Archive.open(archive) as service:
        page = service.add(b"<title>A</title><p>Some words.", name="a.html")
        service.cite(page.pdi, quote="Some words")
    return {one.format: one.pdi for one in page.document.formats}


def test_a_backup_is_an_archive_and_restores_one(
    cli: Cli, saved: dict[str, str], tmp_path: Path
) -> None:
    copy, anew = tmp_path / "copy", tmp_path / "anew"
    made = json.loads(cli("backup", str(copy), "--copy", "--json").out)
    assert (made["documents"], made["versions"], made["entries"]) == (1, 1, 2)
    assert cli("backup", str(copy)).status == 0, "it may be refreshed"
    assert cli("--archive", str(anew), "restore", str(copy)).status == 0
    assert cli("--archive", str(anew), "resolve", saved["html"]).out.endswith("Some words.")
    assert cli("--archive", str(anew), "fsck").status == 0
    again = cli("--archive", str(anew), "restore", str(copy))
    assert (again.status, "not empty" in again.err) == (1, True)
    assert cli("backup", str(tmp_path)).status == 1


def test_a_drill_ends_with_the_same_log(
    cli: Cli, saved: dict[str, str], tmp_path: Path, archive: Path
) -> None:
    copy, drill = tmp_path / "copy", tmp_path / "drill"
    made = json.loads(cli("backup", str(copy), "--copy", "--json").out)
    assert (made["whole"], made["files"] >= len(saved), made["lost"]) == (True, True, [])
    cli("access", saved["html"], "closed", "--ground", "consent")
    made = json.loads(cli("backup", str(copy), "--copy", "--json").out)
    assert (made["whole"], made["files"]) == (False, 0)
    assert cli("--archive", str(drill), "restore", str(copy)).status == 0
    assert cli("--archive", str(drill), "fsck").status == 0
    logs = [json.loads(cli("--archive", one, "log", "--json").out) for one in (archive, str(drill))]
    assert logs[0]["root"] == logs[1]["root"]
    assert not (drill / "backup.txt").exists()
    assert cli("--archive", str(drill), "access", saved["html"]).out.startswith("closed")


def test_what_the_archive_lost_is_told_and_all_else_copied(
    cli: Cli, saved: dict[str, str], archive: Path, tmp_path: Path
) -> None:
    assert saved
    victim = damage(archive)
    outcome = cli("backup", str(tmp_path / "copy"), "--copy")
    assert outcome.status == 1
    assert f"not copied: sha-256:{victim.name}" in outcome.err
    assert cli("--archive", str(tmp_path / "copy"), "list").status == 0


def test_a_restore_that_was_cut_short_can_be_repeated(
    cli: Cli, saved: dict[str, str], tmp_path: Path
) -> None:
    copy, anew = tmp_path / "copy", tmp_path / "anew"
    assert cli("backup", str(copy), "--copy").status == 0
    shutil.copytree(copy, anew)
    (anew / "catalog.sqlite").rename(anew / "catalog.sqlite.7.new")
    shutil.rmtree(min(path for path in (anew / "objects").iterdir() if path.name != "tmp"))
    (anew / "other.txt").touch()
    refused = cli("--archive", str(anew), "restore", str(copy))
    assert (refused.status, "not empty" in refused.err) == (1, True)
    (anew / "other.txt").unlink()
    assert cli("--archive", str(anew), "restore", str(copy)).status == 0
    assert cli("--archive", str(anew), "fsck").status == 0
    assert cli("--archive", str(anew), "resolve", saved["html"]).out.endswith("Some words.")


def damage(folder: Path) -> Path:
    """Change one object of an archive behind its back."""
    victim = min(path for path in (folder / "objects").rglob("*") if path.is_file())
    content = victim.read_bytes()
    victim.chmod(0o600)
    victim.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    return victim


def test_damage_is_found_and_never_restored(
    cli: Cli, saved: dict[str, str], tmp_path: Path
) -> None:
    assert saved
    copy = tmp_path / "copy"
    assert cli("backup", str(copy), "--copy").status == 0
    assert cli("fsck").out.endswith(" checked, 0 bad\n")
    damage(copy)
    outcome = cli("--archive", str(copy), "fsck")
    assert outcome.status == 1
    assert "altered: urn:pdi:" in outcome.err
    told = json.loads(cli("--archive", str(copy), "fsck", "--json").out)
    assert [one["kind"] for one in told["bad"]] == ["altered"]
    refused = cli("--archive", str(tmp_path / "anew"), "restore", str(copy))
    assert (refused.status, "damaged" in refused.err) == (1, True)
    assert not (tmp_path / "anew").exists()


def test_what_is_withdrawn_is_told_and_not_given_out(
    cli: Cli, saved: dict[str, str], tmp_path: Path
) -> None:
    document = saved["html"].removesuffix(".html.1")
    words = ["--reason", "own-error", "--note", "asked for by Jane Roe", "--json"]
    made = json.loads(cli("withdraw", document, *words).out)
    assert (made["pdi"], made["status"], made["left"]) == (document, 410, [])
    refused = cli("resolve", saved["html"], "--json")
    assert refused.status == 1
    problem = json.loads(refused.err)
    assert (problem["code"], problem["status"]) == ("withdrawn", 410)
    assert problem["reason"] == "own-error"
    assert cli("export", document, "-o", str(tmp_path / "x.mhtml")).status == 1
    assert cli("prove", saved["html"], "-o", str(tmp_path / "x.zip")).status == 1
    assert "asked for by Jane Roe" in cli("show", document).out, "what is known of it stays"
    assert cli("verify", "--all").status == 0, "nothing of it is damaged"
    assert cli("fsck").status == 0
    assert cli("reinstate", document).status == 0
    assert cli("resolve", saved["html"]).status == 0
    assert cli("reinstate", document).status == 1


def test_one_format_is_withdrawn_alone(cli: Cli, saved: dict[str, str]) -> None:
    outcome = cli("withdraw", saved["html"], "--reason", "court-order", "--status", "451")
    assert outcome.out == f"withdrawn (451): {saved['html']}\n"
    assert outcome.err == f"still given out: {saved['utf-8']}\n"
    assert cli("resolve", saved["utf-8"]).status == 0
    assert cli("resolve", saved["html"]).status == 1
    assert cli("withdraw", saved["utf-8"] + "#char=0,1", "--reason", "safety").status == 1
    assert cli("withdraw", saved["html"].replace("/1.", "/9."), "--reason", "safety").status == 1
    assert cli("withdraw", saved["html"]).status == 2


STATES = [("410", 410), ("451", 451)]


@pytest.mark.parametrize(("status", "http"), STATES)
def test_http_answers_a_withdrawal(
    running: Running, archive: Path, saved: dict[str, str], status: str, http: int
) -> None:
    with Archive.open(archive) as service:
        service.access.withdraw(saved["html"], reason="safety", status=int(status))
    answer = ask(running.base, "/" + saved["html"])
    assert (answer.status, answer.json["code"]) == (http, "withdrawn")
    assert answer.json["reason"] == "safety"
    for view in ("reader", "json"):
        assert ask(running.base, f"/{saved['html']}?view={view}").status == http
    page = ask(running.base, "/" + saved["html"], Accept="text/html").body.decode()
    assert "was withdrawn: safety" in page
    assert ask(running.base, f"/-/page/{saved['html']}").status == http
    assert ask(running.base, "/" + saved["utf-8"]).status == 200


def test_what_is_withdrawn_is_marked_wherever_it_is_listed(
    cli: Cli, saved: dict[str, str], archive: Path
) -> None:
    with Archive.open(archive) as service:
        second = service.lists.submissions.put(saved["html"], b"<p>second", "text/html").pdi
        service.access.withdraw(saved["html"], reason="court-order", status=451)
    assert cli("list").out.count("[451]") == 0, "the highest version is given out"
    first = json.loads(cli("show", saved["html"], "--json").out)
    told = {one["format"]: one["restricted"] for one in first["document"]["formats"]}
    assert (told["html"]["status"], told["html"]["reason"]) == (451, "court-order")
    assert (told["utf-8"], first["document"]["restricted"]) == (None, None)
    assert first["history"][0]["pdi"] == saved["utf-8"], "what is given out of it"
    assert "withdrawn (451), " in cli("show", saved["html"]).out
    refused = cli("resolve", saved["html"])
    assert refused.err.splitlines()[-2:] == ["still given out:", f"  {saved['utf-8']}"]
    with Archive.open(archive) as service:
        for name in (second, saved["utf-8"], second.replace(".html.", ".utf-8.")):
            service.access.withdraw(name, reason="copyright")
    assert "html[410] utf-8[410]" in cli("list").out
    shown = cli("show", second).out
    assert "2 of 1[410], 2[410]" in shown
    assert ": copyright" in shown
    for words in (["cite", second, "--quote", "second"], ["quotes", second]):
        outcome = cli(*words)
        assert outcome.status == 1, words
    assert "was withdrawn: copyright" in cli("cite", second, "--quote", "second").err


def test_the_reader_marks_what_is_withdrawn(
    running: Running, archive: Path, saved: dict[str, str]
) -> None:
    with Archive.open(archive) as service:
        service.lists.submissions.put(saved["html"], b"<p>second", "text/html")
        service.access.withdraw(saved["html"], reason="court-order", status=451)
    first = ask(running.base, "/" + saved["utf-8"], Accept="text/html").body.decode()
    assert "<del>html</del>" in first
    assert "(451): by order of a court" in first
    refused = ask(running.base, "/" + saved["html"], Accept="text/html").body.decode()
    assert "Still given out" in refused
    assert f'href="/{saved["utf-8"]}"' in refused
    names = ask(running.base, f"/uri-res/N2Rs?{saved['utf-8'].replace('.utf-8.', '.text.')}")
    assert (names.status, names.body.count(b"Content-Location")) == (200, 1)
    with Archive.open(archive) as service:
        service.access.withdraw(saved["utf-8"], reason="copyright")
    second = saved["html"].removesuffix(".1") + ".2"
    page = ask(running.base, "/" + second, Accept="text/html").body.decode()
    assert '<a href="/' + saved["html"] in page
    assert page.count("(withdrawn)") == 1
    home = ask(running.base, "/", Accept="text/html").body.decode()
    assert "Withdrawn" not in home
    assert ask(running.base, f"/uri-res/N2Rs?{saved['html']}").status == 451


def test_series_are_added(cli: Cli, tmp_path: Path) -> None:
    assert cli("series", "list").out == "lab.example.us\n"
    added = json.loads(cli("series", "add", "Press.lab.example.us", "--json").out)
    assert added == ["lab.example.us", "press.lab.example.us"]
    assert cli("series", "add", "example.org").status == 2
    path = tmp_path / "x.txt"
    path.write_text("x")
    assert "//press.lab" in cli("import", str(path), "--series", "press.lab.example.us").out


def test_another_series_mints_where_none_is_named(cli: Cli, tmp_path: Path) -> None:
    used = json.loads(cli("series", "use", "new.lab.example.us", "--json").out)
    assert used == ["new.lab.example.us", "lab.example.us"]
    path = tmp_path / "a.txt"
    path.write_text("words")
    assert "//new.lab.example.us/" in cli("import", str(path)).out
    assert "//lab.example.us/" in cli("import", str(path), "--series", "lab.example.us").out
    assert cli("series", "use", "example.org").status == 2


def test_the_date_can_be_confirmed(cli: Cli, archive: Path, tmp_path: Path) -> None:
    today = datetime.now(UTC)
    path = tmp_path / "a.txt"
    path.write_text("words")
    long_ago = Timekeeper(lambda: today - timedelta(days=99), lambda: True)
    with Repository.open(archive, clock=long_ago) as opened:
        opened.settings.add_series("old.example.us")
        opened.committer.commit([NewRepresentation(b"x", "text/plain")], series="old.example.us")
    assert cli("import", str(path), "--confirm-date", "today").status == 2
    confirmed = cli("import", str(path), "--confirm-date", f"{today:%Y-%m-%d}")
    assert confirmed.status == 0
    assert f"/{today:%Y/%m}/" in confirmed.out


def test_delegations_lead_to_who_answers(cli: Cli) -> None:
    words = ("delegate", "press.lab.example.us", "https://press.example/", "--until", "2019-12-31")
    made = json.loads(cli(*words, "--json").out)[0]
    assert made["target"] == "https://press.example"
    assert (made["kind"], made["first"], made["last"]) == ("resolver", None, "2019-12-31")
    assert cli("delegate", "lab.example.us", "Ann", "--kind", "minter").status == 0
    shown = json.loads(cli("delegations", "press.lab.example.us", "--json").out)
    assert [one["target"] for one in shown] == ["https://press.example", "Ann"]
    refused = cli("resolve", "urn:pdi://press.lab.example.us/2019/01/02/3.text.1#char=1,2")
    assert refused.status == 1
    assert (
        "https://press.example/urn:pdi://press.lab.example.us/2019/01/02/3.text.1?fragment=char=1,2"
        in refused.err
    )
    later = cli("resolve", "urn:pdi://press.lab.example.us/2020/01/02/3.text.1")
    assert "press.example/" not in later.err


WRONG = [
    ("delegate", "example.org", "https://a.example"),
    ("delegate", "lab.example.us", "ftp://a.example"),
    ("delegate", "lab.example.us", "https://a.example", "--from", "2019-13-01"),
    (
        "delegate",
        "lab.example.us",
        "https://a.example",
        "--from",
        "2020-01-02",
        "--until",
        "2020-01-01",
    ),
    ("delegations", "example.org"),
]


@pytest.mark.parametrize("words", WRONG)
def test_a_delegation_that_is_wrong_is_refused(cli: Cli, words: tuple[str, ...]) -> None:
    assert cli(*words).status == 2
