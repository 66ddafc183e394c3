"""The command group `text`: what it prints for people and for programs, and how it fails."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

MD5 = "12d7137faba2ed311538a6456a061c28"
UTF_16_MD5 = hashlib.md5(
    b"\xff\xfe" + "one\r\ntwo\nthree café".encode("utf-16-le"), usedforsecurity=False
).hexdigest()


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Return a text of three lines, with endings of two kinds."""
    path = tmp_path / "text.txt"
    path.write_bytes("one\r\ntwo\nthree café".encode())
    return str(path)


def test_locate_prints_where_a_fragment_is(cli: Cli, file: str) -> None:
    outcome = cli("text", "locate", file, "char=4,8")
    assert outcome.status == 0
    assert [line.split() for line in outcome.out.splitlines()] == [
        ["characters", "code", "points", "bytes", "text"],
        ["4,8", "5,9", "5,9", "two\\n"],
    ]


def test_locate_tells_checks_apart(cli: Cli, file: str) -> None:
    outcome = cli("text", "locate", file, "line=1,;length=16;x=y")
    assert (outcome.status, outcome.out) == (1, "")
    assert "length: failed, the file has 18" in outcome.err
    assert "x: unknown" in outcome.err
    assert cli("text", "locate", file, "line=1,;length=16", "--force").status == 0
    answer = json.loads(cli("text", "locate", file, "char=0,1;length=18", "--json").out)
    assert answer["checks"][0]["result"] == "ok"
    assert answer["parts"][0]["text"] == "o"


def test_rfc5147_a26_locate_transcodes_when_asked(cli: Cli, file: str) -> None:
    fragment = f"char=0,3;length=18,utf-16;md5={UTF_16_MD5},utf-16"
    skipped = cli("text", "locate", file, fragment)
    assert "md5: other-charset" in skipped.err
    outcome = cli("text", "locate", file, fragment, "--transcode")
    assert outcome.status == 0
    assert "md5: ok in the charset of the check\n" in outcome.err
    answer = json.loads(cli("text", "locate", file, fragment, "--transcode", "--json").out)
    assert [check["transcoded"] for check in answer["checks"]] == [True, True]
    assert cli("text", "locate", file, f"char=0;md5={MD5},utf-16", "--transcode").status == 1


def test_locate_points_at_what_cannot_be_right(cli: Cli, file: str) -> None:
    outcome = cli("text", "locate", file, "line=2,1")
    assert outcome.status == 2
    assert "range runs backwards: 2,1 at 5 (RFC 5147 §4.2)" in outcome.err
    assert cli("text", "locate", file, "match(", "--syntax", "wilde00").status == 2
    assert cli("text", "locate", file, "char=1", "--charset", "no-such").status == 2
    assert cli("text", "locate", f"{file}.not", "char=1").status == 1
    assert cli("text", "locate", file, "19,21", "--syntax", "pdi").status == 2


def test_locate_understands_the_draft(cli: Cli, file: str) -> None:
    outcome = cli("text", "locate", file, "match(o)line(1)", "--json")
    answer = json.loads(outcome.out)
    assert [part["text"] for part in answer["parts"]] == ["one", "o"]
    assert [part["places"] for part in answer["of"]] == [2, 1]
    assert cli("text", "locate", file, "match(zebra)", "--syntax", "wilde00").status == 1
    assert cli("text", "locate", file, "match(o)", "--syntax", "rfc5147").status == 2


def test_locate_has_gnu_operators_where_asked(cli: Cli, file: str) -> None:
    expression = r"match(zebra\|one)"
    assert cli("text", "locate", file, expression).status == 1
    answer = json.loads(cli("text", "locate", file, expression, "--gnu", "--json").out)
    assert [part["text"] for part in answer["parts"]] == ["one"]


def test_locate_moves_out_of_a_line_ending(cli: Cli, file: str) -> None:
    outcome = cli("text", "locate", file, "char=5,9", "--syntax", "pdi")
    assert outcome.out.splitlines()[1].split()[0] == "4,8"
    assert "moved outwards" in outcome.err
    assert cli("text", "locate", file, "5,10", "--syntax", "pdi").err == ""


def test_cite_adds_checks(cli: Cli, file: str) -> None:
    outcome = cli("text", "cite", file, "line=1,2")
    assert outcome.out == f"line=1,2;length=18,utf-8;md5={MD5},utf-8\n"
    assert outcome.err == "line 2: two\\n\n"
    outcome = cli("text", "cite", file, "char=99", "--check", "length")
    assert outcome.out == "char=18;length=18,utf-8\n"


def test_cite_finds_words(cli: Cli, file: str) -> None:
    outcome = cli("text", "cite", file, "--quote", "two three", "--check", "length")
    assert outcome.out == "char=4,13;length=18,utf-8\n"
    outcome = cli("text", "cite", file, "--quote", "two trees")
    assert outcome.status == 1
    assert "two\nthree" in outcome.err
    assert cli("text", "cite", file).status == 2


@pytest.mark.parametrize(
    ("fragment", "start", "end", "converted"),
    [
        ("char=4,8", "rfc5147", "pdi", "char=5,10"),
        ("line=1,2", "rfc5147", "wilde00", "char(6,9)"),
        ("5,10", "pdi", "rfc5147", "char=4,8"),
        ("char(6,9)", "wilde00", "pdi", "char=5,10"),
        ("char=4", "rfc5147", "pdi", "char=5,5"),
    ],
)
def test_convert(cli: Cli, file: str, fragment: str, start: str, end: str, converted: str) -> None:
    outcome = cli("text", "convert", file, fragment, "--from", start, "--to", end)
    assert (outcome.status, outcome.out) == (0, converted + "\n")


def test_convert_says_where_it_is_not_exact(cli: Cli, file: str) -> None:
    outcome = cli("text", "convert", file, "char(5,6)", "--from", "wilde00", "--to", "rfc5147")
    assert (outcome.status, outcome.out) == (0, "char=3,5\n")
    assert "not exact" in outcome.err
    outcome = cli("text", "convert", file, "char=2,2", "--from", "rfc5147", "--to", "wilde00")
    assert outcome.status == 2


def test_answers_as_json(cli: Cli, file: str) -> None:
    answer = json.loads(cli("text", "cite", file, "char=0,3", "--json").out)
    assert (answer[0]["text"], answer[0]["line"]) == ("one", 1)
    outcome = cli("text", "convert", file, "0,3", "--from", "pdi", "--to", "wilde00", "--json")
    assert json.loads(outcome.out) == {"fragment": "char(1,3)", "exact": True}


def test_what_cannot_be_converted_is_told(cli: Cli, file: str) -> None:
    for fragment, start in (("4,2", "pdi"), ("x", "pdi"), ("match(o)", "wilde00")):
        outcome = cli("text", "convert", file, fragment, "--from", start, "--to", "rfc5147")
        assert (outcome.status, outcome.out) == (2, "")
