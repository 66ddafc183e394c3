"""Pages that somebody saved from a browser: their source, date and program stay what they say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permacite.service.ingest.incoming import saved_by_singlefile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

COMMENT = """<!DOCTYPE html> <html lang=en style><!--
 Page saved with SingleFile\x20
 url: https://a.example/report?x=1\x20
 saved date: Sat Feb 01 2020 09:30:00 GMT+0100 (Central European Standard Time)
--><meta charset=utf-8><title>T</title><p>words</html>"""
MESSAGE = b"""From: <Saved by Blink>
Snapshot-Content-Location: https://a.example/report?x=1
Subject: T
Date: Sat, 1 Feb 2020 08:30:00 -0000
MIME-Version: 1.0
Content-Type: multipart/related; type="text/html"; boundary="b"

--b
Content-Type: text/html; charset=utf-8
Content-Location: https://a.example/report?x=1

<title>T</title><p>words
--b--
"""
FILES = [
    # its name, its octets, the program, the format
    ("a.html", COMMENT.encode(), "SingleFile", "HTML"),
    ("a.mhtml", MESSAGE.replace(b"\n", b"\r\n"), "Blink", "MHTML"),
]


@pytest.mark.parametrize(
    ("name", "content", "software", "form"), FILES, ids=[row[0] for row in FILES]
)
def test_what_a_file_says_of_itself_is_kept(
    cli: Cli, tmp_path: Path, name: str, content: bytes, software: str, form: str
) -> None:
    (tmp_path / name).write_bytes(content)
    (saved,) = json.loads(cli("import", str(tmp_path / name), "--json").out)
    document = saved["document"]
    assert document["uri"] == "https://a.example/report?x=1"
    assert document["retrieved_at"] == "2020-02-01T08:30:00Z"
    assert document["reported"] == {"file": name, "software": software, "shows": "drawn"}
    origin = json.loads(cli("show", saved["pdi"], "--json").out)["provenance"]["imported"]
    assert origin["format"] == form
    cited = cli("cite", saved["pdi"], "--quote", "words").out
    assert f"as drawn and captured by {software}, from {name}" in cited
    found = cli("resolve", "https://a.example/report?x=1", "--at", "2020-02-01")
    assert found.status == 0


DATES = [
    ("Sat Feb 01 2020 09:30:00 GMT-0530 (x)", "2020-02-01 15:00:00+00:00"),
    ("Sat Feb 31 2020 09:30:00 GMT+0000", "None"),
    ("Sat Foo 01 2020 09:30:00 GMT+0000", "None"),
    ("Fri Jan 01 0001 00:30:00 GMT+0100", "None"),
    ("Fri Jan 01 2021 00:30:00 GMT+9900", "None"),
    ("yesterday", "None"),
]


@pytest.mark.parametrize(("said", "moment"), DATES, ids=[row[0][:15] for row in DATES])
def test_dates_are_read_or_left(said: str, moment: str) -> None:
    text = COMMENT.replace(
        "Sat Feb 01 2020 09:30:00 GMT+0100 (Central European Standard Time)", said
    )
    told = saved_by_singlefile(text)
    assert told is not None
    assert str(told.at) == moment
    assert told.record["claimed_at"] == said


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_comment_is_read_or_left(address: str, date: str) -> None:
    told = saved_by_singlefile(
        f"<!-- Page saved with SingleFile\n url: {address}\n saved date: {date}\n-->"
    )
    assert told is None or told.uri is None or told.uri.lower().startswith("http")
