"""Tags, collections and notes: the owner's alone, changed at will, gone with what is erased."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from tests.archives import Archive
from tests.earlier import unpack
from tests.engines import Repository
from tests.faces.conftest import served
from tests.faces.test_http import ask

from permacite.errors import NotFoundError, ParseError
from permacite.service.access import Choice
from permacite.service.archive import public_view

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Site
    from tests.faces.test_http import Answer

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

PAGE = "https://sea.example.org/tides"


@pytest.fixture
def names(archive: Path) -> list[str]:
    """The names of two documents, the first one a page."""
    with Archive.open(archive) as held:
        page = held.add(b"<title>Tides</title>high tide", name="a.html", uri=PAGE)
        return [page.document.pdi, held.add(b"low tide", name="b.txt").document.pdi]


def kept(folder: Path, **wanted: str) -> list[tuple[str, str]]:
    with Archive.open(folder) as held:
        return [(each.kind, each.text) for each in held.annotations.list(**wanted)]  # type: ignore[arg-type]


def test_jottings_are_kept_listed_and_taken_away(archive: Path, names: list[str], cli: Cli) -> None:
    assert cli("tag", PAGE, "sea", "to  read").status == 0
    assert cli("tag", names[1], "sea").status == 0
    assert cli("tag", names[1], "sea").status == 0, "the same again"
    assert cli("collection", "Thesis", names[1], PAGE).status == 0
    assert cli("note", f"{names[1]}.text.1#char=0,3", " look\nagain ").status == 0
    told = cli("collection", "Thesis").out
    assert told.index(names[1]) < told.index(names[0]), "in the order in which they were put in"
    assert kept(archive, reference=names[1]) == [
        ("tag", "sea"),
        ("collection", "Thesis"),
        ("note", "look\nagain"),
    ]
    found = json.loads(cli("jottings", "--json", names[1]).out)
    assert found[2]["reference"] == f"{names[1]}.text.1#char=0,3"
    assert cli("tag", names[1], "sea", "--remove").status == 0
    assert "no such tag" in cli("tag", names[1], "sea", "--remove").err
    assert kept(archive, kind="tag", text="sea") == [("tag", "sea")]
    with Archive.open(archive) as held:
        assert held.log.state().size == 2 + len(held.documents.list().documents) - 2, (
            "no entry tells of them"
        )
        assert held.copies.fsck().findings == ()


WRONG = [
    # command, what it ends with
    (("tag", "NAME", " "), 2),
    (("tag", "NAME", "x" * 201), 2),
    (("tag", "urn:pdi://lab.example.us/2020/01/01/1", "x"), 1),
    (("tag", "https://elsewhere.example/", "x"), 1),
    (("tag", "no name", "x"), 2),
    (("note", "NAME", "x" * 20_001), 2),
    (("note", "NAME.text.7", "x"), 1),
]


@pytest.mark.parametrize(("words", "status"), WRONG)
def test_what_is_no_jotting_is_refused(
    archive: Path, names: list[str], cli: Cli, words: tuple[str, ...], status: int
) -> None:
    assert cli(*(word.replace("NAME", names[0]) for word in words)).status == status
    assert kept(archive) == []


def test_search_is_narrowed_down_by_them(archive: Path, names: list[str], cli: Cli) -> None:
    with Archive.open(archive) as held:
        held.annotations.annotate(names[1], "tag", "to read")
        held.annotations.annotate(names[0], "collection", "Thesis")
        hits = [hit.pdi.startswith(names[1]) for hit in held.search("tide", tag="to read").hits]
        assert hits == [True]
        assert len(held.search("tide", collection="Thesis").hits) == 1
        assert held.search("tide", tag="to read", collection="Thesis").hits == ()
        assert held.search("tide", tag="unread").hits == ()
        assert public_view(held).search("tide", tag="to read").hits == ()
        assert len(public_view(held).search("tide").hits) == 2
    assert cli("search", "tide", "--tag", "to read").status == 0
    assert cli("search", "tide", "--tag", "unread").status == 1


def test_their_words_are_found_by_their_owner(archive: Path, names: list[str], cli: Cli) -> None:
    with Archive.open(archive) as held:
        held.annotations.annotate(names[0], "note", "Compare with the Caf\u00e9 log, 1953")
        held.annotations.annotate(names[1], "tag", "harbour cafe")

        def found(typed: str) -> list[str]:
            assert public_view(held).search(typed).jotted == ()
            return [each.kind for each in held.search(typed).jotted]

        assert found("cafe") == ["note", "tag"]
        assert found('"cafe log"') == ["note"]
        assert found("CAFE -harbour") == ["note"]
        assert found("harb*") == ["tag"]
        assert found("harb") == found("cafe nowhere") == []
    told = cli("search", "1953", "compare")
    assert (told.status, "your note: Compare" in told.out) == (0, True)
    with served(archive, "--writable") as running:
        page = ask(running.base, "/-/search?q=compare").body.decode()
        assert "In what you jotted down" in page
        assert len(ask(running.base, "/-/api/search?q=cafe").json["jotted"]) == 2
        other = ask(running.base, "/-/search?q=compare", Sec_Fetch_Site="cross-site")
        assert b"Compare with" not in other.body
    with served(archive) as running:
        assert ask(running.base, "/-/api/search?q=cafe").json["jotted"] == []


def test_the_public_has_none_and_publishing_is_asked_for(archive: Path, names: list[str]) -> None:
    with Archive.open(archive) as held:
        held.annotations.annotate(names[0], "tag", "secret heron")
        held.annotations.annotate(names[0], "note", "a heron")
        public = public_view(held)
        assert list(public.annotations.list()) == list(public.annotations.list(names[0])) == []
        assert held.annotations.statements.about(names[0]) == []
        assert held.search("heron").hits == ()
        stated = held.annotations.publish(names[0], "tag", "secret heron", who="Ann")
        assert (stated.predicate, stated.object) == ("subject", "secret heron")
        assert held.annotations.publish(names[0], "note", "a heron").predicate == "description"
        assert len(public.annotations.statements.about(names[0])) == 2
        with pytest.raises(NotFoundError):
            held.annotations.publish(names[0], "tag", "another")
        held.annotations.remove(names[0], "tag")
        assert len(held.annotations.statements.about(names[0])) == 2, "what is stated stays"


def test_they_go_with_what_is_erased(archive: Path, names: list[str]) -> None:
    with Archive.open(archive) as held:
        held.annotations.annotate(names[0], "tag", "heron")
        held.annotations.annotate(names[1], "tag", "heron")
        held.annotations.annotate(f"{names[0]}.html.1", "note", "canary-heron")
        held.access.standing(names[1], Choice(access="closed"))
        held.access.erase(names[0], ground="data-protection")
        assert [each.reference for each in held.annotations.list()] == [names[1]]
    assert b"canary-heron" not in Repository.written(archive)


def test_of_an_erased_version_its_notes_go(archive: Path, site: Site) -> None:
    with Archive.open(archive) as held:
        for words in ("high tide", "low tide"):
            page = held.save(site.put("/", "text/html", f"<p>{words}"), allow_private=True)
        held.annotations.annotate(page.document.pdi, "tag", "heron")
        for version in ("1", "2"):
            held.annotations.annotate(
                f"{page.document.pdi}.html.{version}", "note", f"of {version}"
            )
        held.access.erase(f"{page.document.pdi}.html.1", ground="own-error")
        assert [each.text for each in held.annotations.list()] == ["heron", "of 2"]
        held.access.erase(f"{page.document.pdi}.html.2", ground="own-error")
        assert list(held.annotations.list()) == []


def test_what_is_exported_is_taken_in_again(
    archive: Path, names: list[str], cli: Cli, tmp_path: Path
) -> None:
    with Archive.open(archive) as held:
        held.annotations.annotate(names[0], "tag", "sea")
        held.annotations.annotate(f"{names[1]}.text.1#char=0,3", "note", "Grüße")
    file = tmp_path / "jottings.json"
    assert cli("jottings", "--export", str(file)).status == 0
    before = kept(archive)
    assert cli("jottings", "--import", str(file)).status == 0
    assert kept(archive) == before
    cli("tag", names[0], "sea", "--remove")
    assert cli("jottings", "--import", str(file)).status == 0
    assert sorted(kept(archive)) == sorted(before)
    exported = json.loads(file.read_text())
    exported["jottings"][0]["reference"] = "urn:pdi://other.example.us/2026/01/01/1"
    file.write_text(json.dumps(exported))
    said = cli("jottings", "--import", str(file))
    assert (said.status, "not here: urn:pdi://other" in said.err) == (1, True)


NO_EXPORTS = [
    b"",
    b"{}",
    b"[" * 100_000,
    b'{"form": "permacite jottings 1", "jottings": [7]}',
    b'{"form": "permacite jottings 1", "jottings": [{"reference": "x", "kind": "tag"}]}',
    b"\xff\xfe",
]


@pytest.mark.parametrize("octets", NO_EXPORTS)
def test_what_is_no_export_is_refused(
    archive: Path, cli: Cli, tmp_path: Path, octets: bytes
) -> None:
    file = tmp_path / "jottings.json"
    file.write_bytes(octets)
    assert cli("jottings", "--import", str(file)).status == 2
    assert kept(archive) == []


def test_an_archive_made_before_has_none_and_takes_them(tmp_path: Path) -> None:
    folder, _ = unpack(tmp_path)
    Repository.adopt(folder)
    with Archive.open(folder) as held:
        name = held.documents.list().documents[0].pdi
        assert list(held.annotations.list()) == []
        held.annotations.annotate(name, "tag", "old")
        assert [each.text for each in held.annotations.list(name)] == ["old"]
        assert held.copies.fsck().findings == ()


@pytest.mark.sqlite
def test_where_the_schema_of_before_may_only_be_read_there_are_none(
    archive: Path, names: list[str]
) -> None:
    with Archive.open(archive) as held:
        with contextlib.closing(sqlite3.connect(archive / "catalog.sqlite")) as catalog:
            catalog.execute("PRAGMA user_version = 5")
        assert list(held.annotations.list(names[0])) == []


def test_a_kind_that_is_none_is_refused(archive: Path, names: list[str]) -> None:
    with Archive.open(archive) as held, pytest.raises(ParseError):
        held.annotations.annotate(names[0], "label", "x")  # type: ignore[arg-type]


def form(base: str, **fields: str) -> Answer:
    return ask(base, "/-/jottings", "POST", urlencode(fields).encode())


def test_the_owner_jots_down_in_the_reader(archive: Path, names: list[str]) -> None:
    with served(archive, "--writable") as running:
        part = f"{names[1]}.text.1#char=0,3"
        for fields in (
            {"reference": names[1], "kind": "tag", "text": "sea"},
            {"reference": part, "kind": "note", "text": "<b>low</b>"},
        ):
            assert form(running.base, **fields).status in {200, 303}
        shown = ask(running.base, f"/{names[1]}", Accept="text/html").body.decode()
        assert "&lt;b&gt;low&lt;/b&gt;" in shown
        every = ask(running.base, "/-/jottings").body.decode()
        assert part.replace("#", "?fragment=") in every
        assert "sea" in every
        found = json.loads(ask(running.base, f"/-/api/jottings?name={names[1]}").body)
        assert [each["kind"] for each in found] == ["tag", "note"]
        assert len(ask(running.base, "/-/api/search?q=tide&tag=sea").json["hits"]) == 1
        assert "sea" in ask(running.base, "/-/search?q=tide&tag=sea").body.decode()
        gone = {"reference": names[1], "kind": "tag", "text": "sea", "remove": True}
        left = ask(running.base, "/-/api/jottings", "POST", json.dumps(gone).encode()).body
        assert [each["kind"] for each in json.loads(left)] == ["note"]
        for wrong in (b"", b"[" * 100_000, b'{"reference": 7}', b"\xff"):
            assert ask(running.base, "/-/api/jottings", "POST", wrong).status == 400
        for method, path in (("GET", "/-/api/jottings"), ("POST", "/-/jottings")):
            other = ask(running.base, path, method, b"", Sec_Fetch_Site="cross-site")
            assert other.status == 403


@pytest.mark.parametrize("options", [(), ("--public",), ("--public", "--writable")])
def test_no_other_server_tells_or_takes_any(
    archive: Path, names: list[str], options: tuple[str, ...]
) -> None:
    with Archive.open(archive) as held:
        held.annotations.annotate(names[0], "tag", "canary")
        held.annotations.annotate(names[0], "note", "heron canary")
    with served(archive, *options) as running:
        tagged = b"reference=" + names[0].encode() + b"&kind=tag&text=x"
        assert ask(running.base, "/-/jottings", "POST", tagged).status == 403
        for path in (
            "/-/jottings",
            "/-/api/jottings",
            "/-/api/search?q=tide&tag=canary",
            "/-/search?q=tide&collection=canary",
        ):
            assert ask(running.base, path).status == 403, path
        for path in (f"/{names[0]}", "/", "/-/search?q=heron", "/-/api/statements"):
            told = ask(running.base, path, Accept="text/html, application/json;q=0.5").body
            assert b"canary" not in told, path
    assert kept(archive) == [("tag", "canary"), ("note", "heron canary")]
