"""What is told of a page as it is saved: what scripts would draw, what is missing, credentials."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Site

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

WORDS = "The tide of the twelfth was the highest in a century. " * 6
THIN = [
    # what the page is made of, whether it is thin, scripts in it, scripts left out
    ("<div id=root></div><script src=/app.js></script>", True, 0, 1),
    ("<p>Loading</p><script>draw()</script><script type=module>go()</script>", True, 2, 0),
    (f"<p>{WORDS}</p><script>draw()</script>", False, 1, 0),
    ("<p>Small.</p>", False, 0, 0),
    ('<p>Small.</p><script type="application/ld+json">{}</script>', False, 0, 0),
]


@pytest.mark.parametrize(("body", "thin", "inside", "left_out"), THIN)
def test_a_page_that_scripts_would_draw_is_never_saved_without_a_word(
    cli: Cli, site: Site, body: str, *, thin: bool, inside: int, left_out: int
) -> None:
    address = site.put("/", "text/html", f"<title>t</title>{body}")
    for unchanged in (False, True):
        told = json.loads(cli("save", address, "--allow-private", "--via", "http", "--json").out)
        assert (told["thin"], told["unchanged"]) == (thin, unchanged)
        assert (told["inline_scripts"], len(told["left_out"])) == (inside, left_out)
        assert any("scripts draw this page" in each for each in told["warnings"]) is thin
    said = cli("save", address, "--allow-private", "--via", "http").err
    assert ("--via browser has it drawn" in said) is thin
    assert ("none is run" in said) is bool(inside or left_out)


@pytest.mark.browser
@pytest.mark.needs("chromium", "chromium-sandbox")
def test_a_page_that_scripts_draw_is_drawn_where_there_is_a_browser(cli: Cli, site: Site) -> None:
    drawing = "fetch('/words').then((it) => it.text()).then((it) => document.body.append(it))"
    site.put("/app.js", "text/javascript", drawing)
    site.put("/words", "text/plain", WORDS)
    frames = "<iframe srcdoc='<p>inner'></iframe><iframe></iframe><iframe src=/a.svg></iframe>"
    site.put("/a.svg", "image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg"/>')
    page = f"<title>t</title><body>{frames}<script src=/app.js></script>"
    address = site.put("/", "text/html", page)
    drawn = []
    for via in ("auto", "browser"):
        outcome = cli("save", address, "--allow-private", "--via", via, "--json", "--new")
        told = json.loads(outcome.out)
        assert (told["thin"], told["parts"], told["left_out"], told["lost"]) == (True, 4, [], [])
        assert any("came as served" in each for each in told["warnings"])
        shown = json.loads(cli("show", told["pdi"], "--json").out)
        kinds = [each["kind"] for each in shown["provenance"]["drawing"]["requests"]]
        assert sorted(kinds[:4]) == ["document", "document", "script", "xhr"]
        made = {each["format"]: each["digest"] for each in told["document"]["formats"]}
        assert {"multipart+drawn", "text+drawn", "png"} <= made.keys()
        drawn.append(made)
        cited = cli("cite", told["pdi"], "--quote", "the highest in a century", "--nth", "2")
        name = re.search(r"urn:pdi:\S+\.text\+drawn\.1#char=\d+,\d+", cited.out)
        assert name
        assert cli("resolve", name[0]).out == "the highest in a century"
        assert cli("verify", name[0]).status == 0
    assert drawn[0] == drawn[1], "a page is drawn the same way each time"
    wrong = cli("save", address, "--allow-private", "--browser", "/no/such")
    assert "/no/such is no program" in wrong.err


def test_what_is_missing_is_folded_by_its_reason(cli: Cli, site: Site) -> None:
    pictures = "".join(f'<img src="/{number}.png">' for number in range(20))
    address = site.put("/", "text/html", pictures + '<img src="ftp://a.example/b">')
    said = cli("save", address, "--allow-private").err
    assert "status: 17 more, which --json names" in said
    assert said.count("status: http") == 3
    assert said.count("scheme: ftp") == 1
    told = json.loads(cli("save", address, "--allow-private", "--json").out)
    assert len(told["lost"]) == 21


def test_credentials_come_from_files_and_variables_and_are_kept_nowhere(
    cli: Cli, site: Site, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = site.put("/", "text/html", "<p>for members</p>")
    (tmp_path / "cookies.txt").write_text("127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\ts3cret\n")
    monkeypatch.setenv("TOKEN", "X-Token: s3cret")
    options = ("--cookies", str(tmp_path / "cookies.txt"), "--headers", "env:TOKEN")
    done = cli("save", address, "--allow-private", *options)
    assert "seen with an account" in done.err
    assert done.status == 0
    kept = (each for each in archive.rglob("*") if each.is_file())
    assert not any(b"s3cret" in each.read_bytes() for each in kept)


FAULTS = [
    ("--headers", "env:NOBODY_SET_THIS", "NOBODY_SET_THIS does not exist"),
    ("--cookies", "missing.txt", "missing.txt does not exist"),
    ("--netrc", ".", "Is a directory"),
    ("--headers", "env:BAD", "expected `Name: value` in line 1"),
]


@pytest.mark.parametrize(("option", "value", "said"), FAULTS)
def test_credentials_that_cannot_be_read_are_told(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, option: str, value: str, said: str
) -> None:
    monkeypatch.setenv("BAD", "no field")
    done = cli("save", "https://example.org/", option, value)
    assert (done.status, said in done.err) == (2, True), done.err
