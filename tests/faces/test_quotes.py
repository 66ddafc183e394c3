"""Quotations at both faces: told when a document comes in, listed, filled in, shown beside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.faces.test_http import ask

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Running

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)


@pytest.fixture
def source(archive: Path) -> str:
    """The permanent name of a text."""
    with Archive.open(archive) as service:
        return service.add(b"The tide was the highest in a century.", name="tide.txt").pdi


@pytest.fixture
def article(archive: Path, source: str) -> str:
    """The permanent name of a page that quotes it, once right and once wrong."""
    page = (
        f'<title>An article</title><p>They say <q cite="{source}#char=4,8">tide</q> and '
        f'<q cite="{source}#char=17,24">biggest</q>.'
    )
    with Archive.open(archive) as service:
        return service.add(page.encode(), name="article.html", misquoted=True).pdi


def test_both_texts_are_shown_where_they_differ(cli: Cli, article: str, tmp_path: Path) -> None:
    outcome = cli("quotes", article)
    assert outcome.status == 1
    lines = outcome.out.splitlines()
    assert lines[0].startswith("exact ")
    assert lines[2].startswith("differs ")
    assert lines[3:] == ["  here:  biggest", "  there: highest"]
    assert [one["status"] for one in json.loads(cli("quotes", article, "--json").out)] == [
        "exact",
        "differs",
    ]
    again = tmp_path / "again.html"
    again.write_text(cli("resolve", article).out)
    told = cli("import", "--misquoted", str(again))
    assert told.status == 0
    assert "there: highest" in told.err


def test_quoters_are_listed(cli: Cli, article: str, source: str) -> None:
    outcome = cli("quoted-by", f"{source}#char=0,6")
    assert (outcome.status, outcome.out.count("An article")) == (0, 1)
    assert article.rpartition(".html")[0] in outcome.out
    assert "no document" in cli("quoted-by", article).err
    assert "quotes nothing" in cli("quotes", source).err
    assert cli("quoted-by", "nonsense").status == 2
    assert cli("quotes", source.replace("/1.text", "/77.text")).status == 1


def test_templates_are_filled_in(cli: Cli, source: str, tmp_path: Path) -> None:
    template, made = tmp_path / "a.template.md", tmp_path / "a.md"
    template.write_text(f"Say {{{{q {source}#char=4,8}}}}.\n")
    assert "\u201ctide\u201d" in cli("compose", str(template)).out
    assert cli("compose", str(template), "-o", str(made)).status == 0
    assert "\u201ctide\u201d" in made.read_text()
    assert cli("compose", str(template), "-o", str(made)).status == 1
    template.write_text(f"Say {{{{q {source.replace('/1.text', '/77.text')}}}}}.\n")
    assert cli("compose", str(template)).status == 1
    template.write_text("Say {{q no name}}.\n")
    refused = cli("compose", str(template))
    assert refused.status == 2
    assert "Say {{q no name}}" in refused.err


def test_programs_ask_over_http(running: Running, article: str, source: str) -> None:
    def listed(path: str) -> list[dict[str, str]]:
        value = json.loads(ask(running.base, path).body)
        assert isinstance(value, list)
        return value

    quoted = listed(f"/-/api/quotes?name={article}")
    assert [one["status"] for one in quoted] == ["exact", "differs"]
    assert listed(f"/-/api/quoters?name={source}%23char=0,6") == quoted[:1]
    assert listed("/-/api/statements") == []
    linked = ask(running.base, f"/-/api/statements?name={source}", Accept="application/ld+json")
    assert linked.headers["content-type"] == "application/ld+json"
    assert linked.json["@graph"] == []
    assert ask(running.base, "/-/api/quotes").status == 400


def test_the_reader_shows_who_quotes(running: Running, article: str, source: str) -> None:
    page = ask(running.base, f"/{source}?view=reader").body.decode()
    assert 'Quoted by <span class="count">2</span>' in page
    assert "An article" in page
    assert "The words differ" in page
    assert "Quoted by" not in ask(running.base, f"/{article}?view=reader").body.decode()


def test_a_quoter_that_is_withdrawn_is_listed_with_the_reason(
    cli: Cli, article: str, source: str, archive: Path
) -> None:
    with Archive.open(archive) as service:
        service.access.withdraw(article.removesuffix(".html.1"), reason="own-error")
        (found,) = service.quotations.quoters(f"{source}#char=4,8")
    assert (found.status, found.words, found.cited_words) == ("withdrawn", "", None)
    assert found.problem.endswith("was withdrawn: own-error")
    assert "own-error" in cli("quoted-by", source).out
