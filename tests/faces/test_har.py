"""HAR files: what a browser reports of its requests, as pages; and what such files lack."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.crawled import HTML, PNG

from permacite.errors import ParseError
from permacite.service.exchange.crawls import Crawl

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser
    from tests.faces.conftest import Outcome, Site

    Cli = Callable[..., Outcome]

PAGE = "http://a.example/"
DATE = "2020-02-03T05:05:06.250+01:00"


def entry(uri: str, kind: str, text: str | None, **more: Any) -> dict[str, Any]:
    """Return an entry; `more` are members of its content."""
    content = {"mimeType": kind, "size": 5} | ({} if text is None else {"text": text}) | more
    fields = [
        {"name": ":status", "value": "200"},
        {"name": "content-type", "value": kind},
        {"name": "content-encoding", "value": "br"},
        {"name": "set-cookie", "value": "secret"},
        {"name": "server", "value": "s"},
    ]
    return {
        "startedDateTime": DATE,
        "pageref": "p1",
        "serverIPAddress": "192.0.2.1",
        "request": {"method": "GET", "url": uri},
        "response": {"status": 200, "statusText": "OK", "headers": fields, "content": content},
    }


def log(*entries: Any) -> bytes:
    """Return a HAR file."""
    said = {"version": "1.2", "creator": {"name": "Tool", "version": "3"}, "entries": entries}
    return json.dumps({"log": said}).encode()


def test_a_page_is_made_of_what_is_reported(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "a.har"
    path.write_bytes(
        log(
            entry(PAGE, "text/html; charset=windows-1252", HTML.decode() + "\u00e9"),
            entry(PAGE + "s.css", "text/css", None),
            entry(PAGE + "a.png", "image/png", base64.b64encode(PNG).decode(), encoding="base64"),
            entry("data:text/html,x", "text/html", "x"),
        )
    )
    outcome = cli("import", str(path), "--json")
    assert outcome.status == 1
    assert f"{PAGE}s.css: its content is not in the file" in outcome.err
    (saved,) = json.loads(outcome.out)
    assert (saved["parts"], saved["document"]["title"]) == (2, "Tide")
    assert saved["document"]["reported"] == {
        "file": "a.har",
        "software": "Tool 3",
        "shows": "reported",
    }
    shown = cli("show", saved["pdi"], "--json").out
    asked = json.loads(shown)["provenance"]["requests"][0]
    assert asked["started_at"] == "2020-02-03T04:05:06.250000+00:00"
    assert ["content-encoding", "br"] in asked["response_headers"]
    assert asked["content_type"] == "text/html; charset=utf-8"
    assert "secret" not in shown
    assert "\u00e9" in cli("resolve", saved["pdi"].replace("html", "utf-8")).out


WRONG = [
    # what it is, the file, what is said
    ("no entries", b'{"log": {"creator": {}, "entries": [1]}, "x": [', "expected JSON"),
    ("entries that are none", b'{"log": {"creator": {}, "b": {"entries": []}}}', "with entries"),
    ("nested deep", b'{"log": {"creator": {}, "entries": [' + b"[" * 99999, "expected JSON"),
]


@pytest.mark.parametrize(("content", "said"), [r[1:] for r in WRONG], ids=[r[0] for r in WRONG])
def test_what_is_no_log_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "a.har").write_bytes(content)
    with pytest.raises(ParseError, match=said):
        Crawl([tmp_path / "a.har"])


def test_entries_of_any_shape_are_passed_over(tmp_path: Path) -> None:
    odd: list[Any] = [
        *(1, None, [], {}, {"request": 1}, {"request": {"url": PAGE}}),
        entry(PAGE, "text/html", "x") | {"startedDateTime": "yesterday"},
        entry(PAGE, "text/html", "x") | {"startedDateTime": "2020-02-03T05:05:06"},
        entry(PAGE, "text/html", "!", encoding="base64"),
        entry("http://a.example/\r\nWARC/1.1", "text/html", "\r\n\r\nWARC/1.1\r\n")
        | {"pageref": ""},
    ]
    (tmp_path / "a.har").write_bytes(log(*odd))
    with Crawl([tmp_path / "a.har"]) as crawl:
        assert len(list(crawl.pages())) == 1
        assert crawl.unread().damaged == 5


CUT = [
    # a text, its encoding and its size, what is said of it
    ("words", {"size": 10}, ""),
    ("word", {"size": 10}, "4 of 10 octets are in the file"),
    (base64.b64encode(PNG).decode(), {"encoding": "base64", "size": len(PNG)}, ""),
    (base64.b64encode(PNG).decode(), {"encoding": "base64", "size": len(PNG) + 1}, "are in the"),
]


@pytest.mark.parametrize(("text", "more", "said"), CUT)
def test_what_was_cut_off_is_no_page(
    tmp_path: Path, text: str, more: dict[str, Any], said: str
) -> None:
    (tmp_path / "a.har").write_bytes(log(entry(PAGE, "text/html", text, **more)))
    with Crawl([tmp_path / "a.har"]) as crawl:
        assert len(list(crawl.pages())) == (not said)
        assert said in "".join(map(str, crawl.unread().examples))
        assert crawl.unread().damaged == (2 if said else 0)


def test_a_log_may_name_no_creator(tmp_path: Path) -> None:
    said = {"log": {"entries": [entry(PAGE, "text/html", "words")]}}
    (tmp_path / "a.har").write_text(json.dumps(said))
    with Crawl([tmp_path / "a.har"]) as crawl:
        assert [page.uri for page in crawl.pages()] == [PAGE]


def test_what_playwright_records_is_read(
    cli: Cli, site: Site, browser: Browser, tmp_path: Path
) -> None:
    site.put("/s.css", "text/css", "p { color: red }")
    site.put("/a.png", "image/png", PNG)
    address = site.put("/", "text/html", HTML)
    context = browser.new_context(record_har_path=tmp_path / "a.har")
    page = context.new_page()
    page.goto(address)
    context.close()
    (saved,) = json.loads(cli("import", str(tmp_path / "a.har"), "--json").out)
    assert saved["document"]["uri"] == address
    assert (saved["parts"], saved["document"]["title"]) == (3, "Tide")
    assert "chromium" in saved["document"]["reported"]["software"]
