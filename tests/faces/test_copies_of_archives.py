"""Copies that web archives gave, in files: the original address and its time are found."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.crawled import answer, record

from permacite.capture.web_archives import at_address, memento_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

AT = "2020-02-01T09:30:00Z"
ORIGINAL = "http://a.example/report?x=1"
COPY = f"https://web.archive.org/web/20200201093000/{ORIGINAL}"
REWRITTEN = f"""<!DOCTYPE html>
<html><head><script src="https://web-static.archive.org/_static/js/wombat.js"></script>
<script type="text/javascript">
  __wm.init("https://web.archive.org/web");
  __wm.wombat("{ORIGINAL}","20200201093000","https://web.archive.org/","web",
\t      "1580549400");
</script><title>T</title></head>
<body><p>words</body></html>
<!--
     FILE ARCHIVED ON 09:30:00 Feb 01, 2020 AND RETRIEVED FROM THE
     INTERNET ARCHIVE ON 10:00:00 Mar 01, 2024.
-->
"""
SAVED_FROM = f"<!-- saved from url=({len(COPY):04})" + COPY + " -->"
RAW = COPY.replace("0/http", "0id_/http")
FILES = [
    # what it is, the file, further words, what it shows, the address shown, whether rewritten
    ("the Wayback Machine's", REWRITTEN, (), "reported", ORIGINAL, True),
    ("saved by Chromium", SAVED_FROM + REWRITTEN, (), "drawn", COPY, True),
    ("told by the comment alone", SAVED_FROM + "<title>T</title>words", (), "drawn", COPY, True),
    ("raw", "<title>T</title>words", ("--uri", RAW), "reported", RAW, False),
]


@pytest.mark.parametrize(
    ("text", "more", "shows", "address", "is_rewritten"),
    [row[1:] for row in FILES],
    ids=[row[0] for row in FILES],
)
def test_a_copy_says_of_what(
    cli: Cli,
    tmp_path: Path,
    text: str,
    more: tuple[str, ...],
    shows: str,
    address: str,
    *,
    is_rewritten: bool,
) -> None:
    (tmp_path / "a.html").write_text(text, encoding="utf-8")
    (one,) = json.loads(cli("import", str(tmp_path / "a.html"), *more, "--json").out)
    document = one["document"]
    assert (document["uri"], document["retrieved_at"]) == (address, AT)
    assert document["reported"]["shows"] == shows
    assert document["reported"]["software"] == "the web archive web.archive.org"
    origin = json.loads(cli("show", one["pdi"], "--json").out)["provenance"]["imported"]
    assert origin["memento"]["original"] == ORIGINAL
    assert origin["memento"]["rewritten"] is is_rewritten
    assert cli("resolve", ORIGINAL, "--at", "2020-02-01").status == 0


@pytest.mark.parametrize(
    "script",
    [
        REWRITTEN.replace("20200201093000", "20209901093000"),
        REWRITTEN.replace('"http://a', '"ftp://a'),
        REWRITTEN.replace("__wm.wombat", "wombat"),
    ],
)
def test_what_says_no_time_or_address_is_no_copy(cli: Cli, tmp_path: Path, script: str) -> None:
    (tmp_path / "a.html").write_text(script, encoding="utf-8")
    (one,) = json.loads(cli("import", str(tmp_path / "a.html"), "--json").out)
    assert one["document"]["reported"] is None


def test_a_record_of_a_copy_tells_its_original(cli: Cli, tmp_path: Path) -> None:
    fields = (
        "Memento-Datetime: Sat, 01 Feb 2020 09:30:00 GMT",
        f'Link: <{ORIGINAL}>; rel="original", <{COPY}>; rel="first memento"',
        "X-Archive-Orig-Server: Apache",
    )
    block = answer(b"<title>T</title>words", "text/html", "200 OK", *fields)
    (tmp_path / "a.warc").write_bytes(
        record("response", COPY, block) + record("response", RAW.replace("report", "other"), block)
    )
    first, second = json.loads(cli("import", str(tmp_path / "a.warc"), "--json").out)
    assert [each["document"]["uri"] for each in (first, second)] == [
        *(COPY, RAW.replace("report", "other"))
    ]
    shown = json.loads(cli("show", first["pdi"], "--json").out)["provenance"]
    assert shown["imported"]["memento"] == {
        "original": ORIGINAL,
        "claimed_at": "2020-02-01T09:30:00+00:00",
        "archive": "web.archive.org",
        "rewritten": True,
    }
    assert ["Server", "Apache"] in shown["requests"][0]["response_headers"]
    assert first["document"]["retrieved_at"] == AT
    assert cli("resolve", ORIGINAL, "--at", "2020-02-01").status == 0


ADDRESSES = [
    # an address, of what it is a copy, whether raw
    (COPY, ORIGINAL, False),
    (RAW, ORIGINAL, True),
    ("https://web.archive.org/web/20200201093000if_/http:/a.example/", "http://a.example/", False),
    (
        "http://localhost:8080/coll/20200201093000mp_/https://a.example/",
        "https://a.example/",
        False,
    ),
    ("https://web.archive.org/web/2020/http://a.example/", None, False),
    ("https://web.archive.org/web/20209901093000/http://a.example/", None, False),
    ("https://a.example/?u=/20200201093000/http://a.example/", None, False),
]


@pytest.mark.parametrize(("uri", "original", "raw"), ADDRESSES, ids=[row[0] for row in ADDRESSES])
def test_addresses_of_copies(uri: str, original: str | None, *, raw: bool) -> None:
    memento = at_address(uri)
    assert (memento and memento.original) == original
    assert memento is None or memento.is_raw is raw


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_any_fields_say_something_or_nothing(uri: str, moment: str, link: str) -> None:
    memento = memento_of(uri, (("Memento-Datetime", moment), ("Link", link)))
    assert memento is None or isinstance(memento.at, datetime)
