"""The command group `uri`: what it prints for people and for programs, and how it fails."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

BASE = "http://a/b/c/d;p?q"


def test_parse_prints_the_components_that_are_there(cli: Cli) -> None:
    outcome = cli("uri", "parse", "http://u:pw@h.example:/%C3%A9?#f")
    assert outcome.status == 0
    rows = [line.split() for line in outcome.out.splitlines()]
    assert rows == [
        ["component", "text"],
        ["scheme", "http"],
        ["authority", "u:pw@h.example:"],
        ["userinfo", "u:pw"],
        ["host", "h.example"],
        ["port"],
        ["path", "/%C3%A9"],
        ["query"],
        ["fragment", "f"],
        ["as", "IRI", "http://u:pw@h.example:/é?#f"],
    ]
    assert "password" in outcome.err


def test_parse_prints_every_field_as_json(cli: Cli) -> None:
    answer = json.loads(cli("uri", "parse", "mailto:a@b?c", "--json").out)
    assert answer["opaque_part"] == "a@b?c"
    assert answer["path"] is None
    assert answer["absolute"] is True
    answer = json.loads(cli("uri", "parse", "mailto:a@b?c", "--profile", "rfc3986", "--json").out)
    assert (answer["path"], answer["query"], answer["opaque_part"]) == ("a@b", "c", None)
    answer = json.loads(cli("uri", "parse", "//h:25/a;b/c", "--json").out)
    assert (answer["port"], answer["segments"]) == (25, ["a;b", "c"])
    assert answer["warnings"][0]["kind"] == "reserved-port"


def test_parse_points_at_the_first_fault(cli: Cli) -> None:
    outcome = cli("uri", "parse", "http://a b/%c")
    assert outcome.status == 2
    assert "at 8 (RFC 2396 §3.2)" in outcome.err
    assert "http://a b/%c\n" + " " * 10 + "^" in outcome.err


def test_parse_lists_all_faults_on_request(cli: Cli) -> None:
    outcome = cli("uri", "parse", "http://a b/%c", "--faults")
    assert outcome.status == 2
    assert [line.split()[0] for line in outcome.out.splitlines()] == ["offset", "8", "11"]
    outcome = cli("uri", "parse", "http://a b/%c", "--faults", "--json")
    assert [fault["offset"] for fault in json.loads(outcome.out)] == [8, 11]
    assert cli("uri", "parse", "http://a/", "--faults").status == 0


@pytest.mark.parametrize(
    ("arguments", "printed", "said"),
    [
        (("g?y",), "http://a/b/c/g?y", ""),
        (("?y",), "http://a/b/c/?y", ""),
        (("?y", "--profile", "rfc3986"), "http://a/b/c/d;p?y", ""),
        (("#s",), BASE + "#s", "the current document"),
        (("http:g",), "http:g", ""),
        (("http:g", "--loose"), "http://a/b/c/g", ""),
        (("../../../g", "--excess", "remove"), "http://a/g", ""),
    ],
)
def test_resolve_prints_a_uri(
    cli: Cli, arguments: tuple[str, ...], printed: str, said: str
) -> None:
    outcome = cli("uri", "resolve", arguments[0], BASE, *arguments[1:])
    assert (outcome.status, outcome.out, outcome.err.strip()) == (0, printed + "\n", said)


def test_resolve_tells_the_same_document_as_json(cli: Cli) -> None:
    answer = json.loads(cli("uri", "resolve", "#s", BASE, "--json").out)
    assert answer == {"reference": "#s", "same_document": True, "uri": BASE + "#s"}


def test_resolve_refuses_what_cannot_be_a_base(cli: Cli) -> None:
    outcome = cli("uri", "resolve", "g", "mailto:a@b", "--json")
    assert outcome.status == 2
    assert json.loads(outcome.err)["offset"] == 7


def test_normalize_goes_as_far_as_it_is_told(cli: Cli) -> None:
    text = "HTTP://A:80/./%7eb"
    assert cli("uri", "normalize", text).out == "http://a:80/./%7Eb\n"
    assert cli("uri", "normalize", text, "--level", "path").out == "http://a:80/%7Eb\n"
    assert cli("uri", "normalize", text, "--level", "scheme").out == "http://a/~b\n"
    answer = json.loads(cli("uri", "normalize", "http://a/", "--json").out)
    assert answer == {"uri": "http://a/", "level": "syntax", "changed": False}


def test_find_reads_a_file_or_standard_input(cli: Cli, tmp_path: Path) -> None:
    text = "é See <http://a/b-\r\nc> and www.d.example."
    path = tmp_path / "mail.txt"
    path.write_bytes(text.encode())
    outcome = cli("uri", "find", str(path), "--abbreviated")
    rows = [line.split() for line in outcome.out.splitlines()]
    assert rows[1:] == [
        ["7", "21", "http://a/b-c"],
        ["7", "21", "http://a/bc", "or", "this"],
        ["27", "40", "http://www.d.example", "guess"],
    ]
    answer = json.loads(cli("uri", "find", str(path), "--json").out)
    assert [item["uri"] for item in answer] == ["http://a/b-c"]
    assert text[answer[0]["start"] : answer[0]["end"]] == "http://a/b-\r\nc"
    assert cli("uri", "find", str(tmp_path / "none")).status == 2


WRONG_WORDS = [
    # what is wrong, the words, what is said of them
    ("no-command", ["nonsense"], "Error: Argument COMMAND: invalid choice: 'nonsense'"),
    ("no-base", ["resolve", "g"], "Error: The following arguments are required: BASE"),
    ("no-file", ["find", "missing"], "Error: Argument file: 'missing': No such file"),
]


@pytest.mark.parametrize(
    ("words", "problem"), [r[1:] for r in WRONG_WORDS], ids=[r[0] for r in WRONG_WORDS]
)
def test_wrong_words_are_told_as_by_others(cli: Cli, words: list[str], problem: str) -> None:
    outcome = cli("uri", *words)
    assert outcome.status == 2
    usage, help_, *_ = outcome.err.splitlines()
    assert usage.startswith("Usage: permacite uri ")
    assert help_.endswith(" --help' for help.")
    assert problem in outcome.err
