"""The story on the command line: save, cite, resolve, check, verify, and every way to go wrong."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest

from permacite import mhtml

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Site

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

PAGE = """<!doctype html>
<html><head><meta charset="utf-8"><title>Harbour &amp; tide</title>
<link rel="stylesheet" href="/style.css"></head>
<body><h1>Tide tables</h1>
<p>The tide of the twelfth was the <em>highest</em> in a century.</p>
<p>Boats were moved. Boats were lost. Caf\u00e9 owners <b>swept</b> the quay.</p>
<img src="/tide.png" alt="A gauge"></body></html>
"""
PNG = b"\x89PNG\r\n\x1a\n" + b"not really pixels"


@pytest.fixture
def saved(cli: Cli, site: Site) -> dict[str, str]:
    """Save the page; returns the address and the names of its formats."""
    site.put("/style.css", "text/css", "body{background:url(/tide.png)}")
    site.put("/tide.png", "image/png", PNG)
    address = site.put("/", "text/html", PAGE)
    outcome = cli("save", address, "--allow-private", "--json")
    assert outcome.status == 0, outcome.err
    answer = json.loads(outcome.out)
    names = {item["format"]: item["pdi"] for item in answer["document"]["formats"]}
    return names | {"address": address, "main": answer["pdi"]}


def test_save_commits_three_formats_under_one_name(saved: dict[str, str], cli: Cli) -> None:
    assert saved["main"] == saved["html"]
    assert {"html", "utf-8", "related"} <= set(saved)
    shown = json.loads(cli("show", saved["main"], "--json").out)
    assert shown["document"]["title"] == "Harbour & tide"
    assert shown["document"]["uri"] == saved["address"]
    assert cli("resolve", saved["html"]).out == PAGE


def test_saving_the_same_again_mints_nothing(saved: dict[str, str], cli: Cli) -> None:
    again = json.loads(cli("save", saved["address"], "--allow-private", "--json").out)
    assert again["unchanged"] is True
    assert again["pdi"] == saved["html"]


def test_a_changed_page_is_the_next_version(saved: dict[str, str], cli: Cli, site: Site) -> None:
    site.put("/", "text/html", PAGE.replace("highest", "lowest"))
    again = json.loads(cli("save", saved["address"], "--allow-private", "--json").out)
    assert again["pdi"] == saved["html"].removesuffix(".1") + ".2"
    assert "highest" in cli("resolve", saved["html"]).out


def test_cite_resolve_and_verify(saved: dict[str, str], cli: Cli) -> None:
    outcome = cli("cite", saved["main"], "--quote", "the highest in a  century", "--json")
    assert outcome.status == 0, outcome.err
    cited = json.loads(outcome.out)
    assert cited["quote"] == "the highest in a century"
    assert cited["reference"].startswith(saved["utf-8"] + "#char=")
    resolved = cli("resolve", cited["reference"])
    assert (resolved.status, resolved.out) == (0, "the highest in a century")
    assert cli("resolve", cited["url"]).out == "the highest in a century"
    context = cli("resolve", cited["reference"], "--context", "9").out
    assert context == "twelfth was [the highest in a century]."[3:] + "\r\n\r\nBoat"[:8] + "\n"
    verified = cli("verify", cited["reference"])
    assert verified.status == 0
    assert "0 bad" in verified.out


def test_check_tells_what_became_of_each_passage(
    saved: dict[str, str], cli: Cli, site: Site
) -> None:
    for quote in ("the highest in a century", "Boats were lost", "swept the quay"):
        assert cli("cite", saved["main"], "--quote", quote).status == 0
    assert cli("check", saved["main"], "--allow-private").status == 0
    site.put(
        "/",
        "text/html",
        "<title>x</title><p>" + "New words of no importance stand here now. " * 8 + "</p>"
        "<p>The tide of the twelfth was the highest in a century.</p>"
        "<p>Boats were moved. Boats were found. Nothing else is said.</p>",
    )
    outcome = cli("check", saved["main"], "--allow-private", "--json")
    assert outcome.status == 1
    checked = json.loads(outcome.out)
    assert checked["same_bytes"] is False
    states = {drift["quote"]: drift["status"] for drift in checked["passages"]}
    assert states["the highest in a century"] in {"moved", "verified"}
    assert states["Boats were lost"] in {"changed", "ambiguous"}
    assert states["swept the quay"] == "gone"


def test_check_accuses_no_lookalike(saved: dict[str, str], cli: Cli, site: Site) -> None:
    for quote in ("Boats were moved.", "Boats were lost.", "the highest in a century"):
        assert cli("cite", saved["main"], "--quote", quote).status == 0
    changed = PAGE.replace("Boats were lost. ", "").replace("twelfth was", "twelfth was not")
    site.put("/", "text/html", changed)
    checked = json.loads(cli("check", saved["main"], "--allow-private", "--json").out)
    twin, gone, negated = checked["passages"]
    assert (twin["status"], twin["now"]) == ("moved", "Boats were moved.")
    assert (gone["status"], gone["start"], gone["now"]) == ("gone-similar", None, None)
    assert gone["similar"]["words"].startswith("Boats were moved")
    assert (negated["status"], negated["now"]) == ("changed", "not the highest in a century")
    assert negated["changes"] == [{"kind": "negation", "was": "", "now": "not"}]
    told = cli("check", saved["main"], "--allow-private").out
    assert "negation: nothing -> not" in told
    assert "it stood there before" in told


def test_one_of_several_occurrences_is_chosen(saved: dict[str, str], cli: Cli) -> None:
    refused = cli("cite", saved["main"], "--quote", "Boats were")
    assert refused.status == 1
    assert "2 times" in refused.err
    assert "--nth" in refused.err
    assert refused.err.count("[Boats were]") == 2
    second = json.loads(
        cli("cite", saved["main"], "--quote", "Boats were", "--nth", "2", "--json").out
    )
    assert second["after"].startswith(" lost")
    assert (second["nth"], second["occurrences"]) == (2, 2)


def test_a_quote_that_is_not_there_offers_the_nearest(saved: dict[str, str], cli: Cli) -> None:
    refused = cli("cite", saved["main"], "--quote", "the highst in a centry")
    assert refused.status == 1
    assert "the highest in a century" in refused.err


def test_list_by_pattern(saved: dict[str, str], cli: Cli) -> None:
    everything = json.loads(cli("list", "--json").out)
    assert everything["total"] == 1
    year = json.loads(cli("list", "lab.example.us/" + saved["main"].split("/")[3], "--json").out)
    assert year["total"] == 1
    assert json.loads(cli("list", "lab.example.us/1999", "--json").out)["total"] == 0
    assert (
        json.loads(cli("list", "urn:pdi://lab.example.us/*/*/*/1.html", "--json").out)["total"] == 1
    )


def test_export_writes_an_aggregate_and_never_over_a_file(
    saved: dict[str, str], cli: Cli, tmp_path: Path
) -> None:
    target = tmp_path / "page.mhtml"
    assert cli("export", saved["main"].rsplit(".", 2)[0], "-o", str(target)).status == 0
    assert b"multipart/related" in target.read_bytes()
    again = cli("export", saved["main"], "-o", str(target))
    assert again.status == 1
    assert "--force" in again.err
    assert cli("export", saved["html"], "-o", "-").out == PAGE


def test_a_name_gives_the_stored_octets_and_a_derived_file_says_that_it_is(
    saved: dict[str, str], cli: Cli, tmp_path: Path
) -> None:
    shown = json.loads(cli("show", saved["main"], "--json").out)["document"]["formats"]
    file, derived = tmp_path / "stored", tmp_path / "derived"
    for item in shown:
        assert cli("export", item["pdi"], "-o", str(file), "--force").status == 0
        assert item["digest"] == f"sha-256:{hashlib.sha256(file.read_bytes()).hexdigest()}"
    assert cli("export", saved["main"].rsplit(".", 2)[0], "-o", str(file), "--force").status == 0
    outcome = cli("export", saved["related"], "--for-browsers", "-o", str(derived))
    assert outcome.status == 0
    assert f"derived from {saved['related']}" in outcome.err
    assert derived.read_bytes() != file.read_bytes()
    assert [part.content for part in mhtml.open(derived.read_bytes()).body_parts[1:]] == [
        part.content for part in mhtml.open(file.read_bytes()).body_parts[1:]
    ]
    refused = cli("export", saved["html"], "--for-browsers", "-o", "-")
    assert (refused.status, refused.out) == (2, "")
    assert "only an aggregate" in refused.err


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["resolve", "urn:pdi://lab.example.us/2026/11/21/999.html.1"], 1, "999"),
        (["resolve", "urn:pdi://lab.example.us/2026/13/21/1.html.1"], 2, "^"),
        (["resolve", "nonsense"], 2, "^"),
        (["cite", "{main}"], 2, "expected a passage"),
        (["cite", "{main}", "--char", "9,3"], 2, "backwards"),
        (["cite", "{main}", "--char", "0,999999"], 1, "ends at"),
        (["cite", "{main}", "--line", "x"], 2, "two numbers"),
        (["cite", "{main}", "--quote", "  "], 2, "expected the words"),
        (["resolve", "{text}#char=0,999999"], 1, "end"),
        (["resolve", "{text}#char=9,3"], 2, "^"),
        (["save", "http://127.0.0.1:1/"], 1, "private"),
        (["save", "http://127.0.0.1:1/", "--allow-private"], 1, "127.0.0.1"),
        (["save", "ftp://example.org/"], 1, "http"),
        (["save", "{address}missing", "--allow-private"], 1, "404"),
        (["import", "/nonexistent/file.txt"], 1, "No such file"),
        (["list", "urn:pdi://lab.example.us/20/*/*/*"], 2, "^"),
        (["show", "urn:pdi://*/2026/11/21/1"], 2, "^"),
        (["verify"], 2, "--all"),
        (["export", "{document}.png.9"], 1, "version 9"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_bad_input_is_one_clear_error(
    saved: dict[str, str], cli: Cli, words: list[str], status: int, said: str
) -> None:
    fields = {"main": saved["main"], "text": saved["utf-8"], "address": saved["address"]}
    fields["document"] = saved["main"].removesuffix(".html.1")
    outcome = cli(*(word.format(**fields) for word in words))
    assert said in outcome.err
    assert outcome.status == status
    assert "Traceback" not in outcome.err
    assert outcome.out == ""
    assert cli("verify", "--all").status == 0


OFFERED = [
    (["lst"], 2, "Did you mean list?"),
    (["series", "ad", "x"], 2, "'add'"),
    (["resolve", "{document}.html.9"], 1, "\n  {main}\n"),
    (["resolve", "{document}.htm.1"], 1, "\n  {main}\n"),
    (["show", "{document}.htm.1"], 1, "\n  {main}\n"),
    (["quotes", "{document}.htm.1"], 1, "\n  {main}\n"),
    (["quoted-by", "{document}.htm.1"], 1, "\n  {main}\n"),
    (["cite", "{document}.htm.1", "--quote", "x"], 1, "\n  {main}\n"),
    (["cite", "{document}.htm.1", "--quote", "x", "--list"], 1, "\n  {main}\n"),
    (["resolve", "{misspelt}.html.1"], 1, "\n  {document}\n"),
    (["resolve", "{document}0.html.1"], 1, "\n  {document}\n"),
    (["resolve", "{text}#char=1,999999"], 1, "\n  {text}#char=1,{length}\n"),
    (["withdraw", "{document}.html", "--reason", "safety"], 1, "such as {document} or {main}"),
    (["delegate", "x.us", "http://x.us", "--from", "2026-1-2"], 2, "did you mean 2026-01-02"),
    (["delegate", "x.us", "http://x.us", "--from", "2026/1/32"], 2, "yyyy-mm-dd"),
    (["--archive", "nowhere", "list"], 1, "permacite init nowhere"),
]


@pytest.mark.parametrize(
    ("words", "status", "said"), OFFERED, ids=[" ".join(row[0]) for row in OFFERED]
)
def test_errors_offer_what_was_probably_meant(
    saved: dict[str, str], cli: Cli, words: list[str], status: int, said: str
) -> None:
    document = saved["main"].removesuffix(".html.1")
    fields = {
        "document": document,
        "misspelt": document.replace("example", "examplle"),
        "main": saved["main"],
        "text": saved["utf-8"],
        "length": len(cli("resolve", saved["utf-8"]).out),
    }
    outcome = cli(*(word.format(**fields) for word in words))
    assert said.format(**fields) in outcome.err
    assert outcome.status == status


def test_an_empty_list_says_so(saved: dict[str, str], cli: Cli) -> None:
    assert saved
    outcome = cli("list", "lab.examplle.us")
    assert (
        outcome.err == "nothing here is covered by lab.examplle.us\ndid you mean lab.example.us\n"
    )
    assert (outcome.status, len(outcome.out.splitlines())) == (0, 1)


def test_the_help_page_has_whole_sentences(cli: Cli) -> None:
    out = cli("--help").out
    assert "..." not in out.partition("Commands:")[2]


def test_an_unknown_archive_is_named(cli: Cli, tmp_path: Path) -> None:
    outcome = cli("--archive", str(tmp_path / "nowhere"), "list")
    assert outcome.status == 1
    assert "nowhere" in outcome.err


def test_errors_as_json_carry_code_and_offset(cli: Cli) -> None:
    outcome = cli("resolve", "urn:pdi://lab.example.us/2026/13/21/1.html.1", "--json")
    problem = json.loads(outcome.err)
    assert (problem["code"], problem["status"]) == ("syntax", 400)
    assert problem["source"][problem["offset"] :].startswith("13")


TEXT = "one\rtwo\nthree\r\nfour"


def test_import_of_text_counts_line_ends_as_two(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "mixed.txt"
    file.write_bytes(TEXT.encode())
    answer = json.loads(cli("import", str(file), "--json").out)[0]
    assert answer["pdi"].endswith(".text.1")
    assert cli("resolve", answer["pdi"] + "#char=5,8").out == "two"
    assert cli("export", answer["pdi"], "-o", "-").out == TEXT
    cited = json.loads(cli("cite", answer["pdi"], "--line", "2,4", "--json").out)
    assert cited["quote"] == "three\r\nfour"
    fragment = cited["rfc5147_url"].partition("#")[2]
    assert fragment.startswith("char=8,18;length=18,windows-1252;md5=")


def test_import_goes_on_after_a_bad_file(cli: Cli, tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.txt", tmp_path / "good.txt"
    bad.write_bytes(b"caf\xe9 latin")
    good.write_bytes("caf\u00e9 utf".encode())
    outcome = cli("import", str(bad), str(good), "--json")
    assert outcome.status == 2
    assert "--charset" in outcome.err
    (answer,) = json.loads(outcome.out)
    assert answer["pdi"].endswith(".utf-8.1")
    helped = cli("import", str(bad), "--charset", "windows-1252", "--json")
    assert json.loads(helped.out)[0]["pdi"].endswith(".text.1")


def test_a_part_of_a_text_on_the_web_or_in_a_file(cli: Cli, site: Site, tmp_path: Path) -> None:
    address = site.put(
        "/log.txt", "text/plain; charset=utf-8", "na\u00efve\r\ngale\r\ncalm gale\r\n"
    )
    file = tmp_path / "log.txt"
    file.write_bytes(b"one\ntwo\nthree\n")
    assert cli("resolve", address + "#char=6,10", "--allow-private").out == "gale"
    assert cli("resolve", address + "#match(gale)", "--allow-private").out == "gale\ngale"
    assert cli("resolve", file.as_uri() + "#line=1,2").out == "two\n"
    assert cli("resolve", file.as_uri()).out == "one\ntwo\nthree\n"


def test_a_failed_check_is_told_and_can_be_overridden(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "log.txt"
    file.write_bytes(b"one\ntwo\n")
    reference = file.as_uri() + "#char=0,3;length=9"
    refused = cli("resolve", reference)
    assert (refused.status, refused.out) == (1, "")
    assert "length is 8" in refused.err
    forced = cli("resolve", reference, "--force")
    assert (forced.status, forced.out) == (0, "one")
    assert "warning: a check has failed" in forced.err


@pytest.mark.parametrize(
    ("fragment", "status", "said"),
    [("char=3,1", 2, "^"), ("char=x", 2, "^"), ("match(a", 2, "^"), ("Line=1", 2, "^")],
)
def test_a_fragment_of_neither_syntax(
    cli: Cli, tmp_path: Path, fragment: str, status: int, said: str
) -> None:
    file = tmp_path / "log.txt"
    file.write_bytes(b"one\n")
    outcome = cli("resolve", f"{file.as_uri()}#{fragment}")
    assert (outcome.status, outcome.out) == (status, "")
    assert said in outcome.err


def test_verify_of_a_fragment_that_names_nothing(saved: dict[str, str], cli: Cli) -> None:
    outcome = cli("verify", saved["utf-8"] + "#char=0,99999")
    assert outcome.status == 1
    assert "not-found" in outcome.err


def test_a_passage_cited_by_its_fragment_is_cited_like_any_other(
    saved: dict[str, str], cli: Cli
) -> None:
    by_words = json.loads(cli("cite", saved["main"], "--quote", "Boats were lost", "--json").out)
    by_name = json.loads(cli("cite", by_words["reference"], "--json").out)
    assert by_name == by_words


def test_an_element_is_cited_and_checked_by_its_own_scheme(
    saved: dict[str, str], cli: Cli, site: Site
) -> None:
    cited = json.loads(cli("cite", saved["html"] + "#elt=6,6", "--json").out)
    assert cited["quote"] == "<h1>Tide tables</h1>"
    assert cited["rfc5147_url"] is None
    assert cli("check", saved["main"], "--allow-private").status == 0
    site.put("/", "text/html", PAGE.replace("Tide tables", "Tide table"))
    outcome = cli("check", saved["main"], "--allow-private", "--json")
    (drift,) = json.loads(outcome.out)["passages"]
    assert (drift["status"], drift["now"]) == ("changed", "<h1>Tide table</h1>")


def test_a_bad_pattern_is_shown_as_it_was_typed(cli: Cli) -> None:
    outcome = cli("list", "nonsense//")
    assert outcome.status == 2
    assert "  nonsense//\n" in outcome.err


def test_a_text_fragment_of_a_page_is_refused(cli: Cli, site: Site) -> None:
    """rfc5147-a24: these fragments are of text/plain alone."""
    address = site.put("/page", "text/html", PAGE)
    outcome = cli("resolve", address + "#char=0,4", "--allow-private")
    assert (outcome.status, outcome.out) == (2, "")
    assert "expected text/plain" in outcome.err


def test_a_guessed_charset_and_an_aggregate_cut_off_are_warned_of(cli: Cli, tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_bytes(b"<p>caf\xe9")
    assert "html: nothing says its charset, and it is no UTF-8" in cli("import", str(page)).err
    (told,) = json.loads(cli("import", str(page), "--charset", "x-none", "--json").out)
    assert told["warnings"] == [
        "html: 'x-none' is no charset, and it is no UTF-8; it is read as windows-1252"
    ]
    aggregate = tmp_path / "a.mhtml"
    aggregate.write_bytes(
        b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x; type=text/html\r\n\r\n"
        b"--x\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>caf\xc3\xa9"
    )
    (told,) = json.loads(cli("import", str(aggregate), "--json").out)
    assert told["warnings"] == [
        "the closing delimiter of a multipart is missing: it may have been cut off"
    ]
    name = told["pdi"].rsplit(".", 2)[0]
    assert "café" in cli("resolve", f"{name}.utf-8.1").out
