"""Answers on their way: packed where that gives nothing away, tagged, assets kept for a year."""

from __future__ import annotations

import gzip
import hashlib
import re
from base64 import b64encode
from typing import TYPE_CHECKING

import pytest
from tests.faces.conftest import served
from tests.faces.test_http import ask
from tests.inside import ask as ask_inside

from permacite.service.archive import Archive
from permacite.web.middleware.compression import Compression
from permacite.web.templates import FOLDER, address_of

try:
    from compression import zstd  # type: ignore[import-not-found, unused-ignore] # from 3.14
except ModuleNotFoundError:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from starlette.types import Receive, Scope, Send
    from tests.faces.conftest import Running

TEXT = "".join(f"Line {number} of the harbour log.\r\n" for number in range(4000)).encode()
LARGE = TEXT * 20
PICTURE = bytes(range(256)) * 40
UNPACKED = {"zstd": zstd.decompress, "gzip": gzip.decompress, "": bytes}


@pytest.fixture(scope="module")
def names(engine: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Return the base of a server, and names in its archive."""
    assert engine is None
    folder = tmp_path_factory.mktemp("packing") / "archive"
    with Archive.create(folder, series="lab.example.us") as held:
        page = held.add(b"<title>Harbour</title><p>" + TEXT, name="page.html")
        found = {
            "page": page.pdi,
            "pattern": f"{page.document.pdi}.*.*",
            "text": held.add(TEXT, name="log.txt").pdi,
            "large": held.add(LARGE, name="large.txt").pdi,
            "short": held.add(b"A short text.\r\n", name="short.txt").pdi,
            "picture": held.add(PICTURE, name="data.bin").pdi,
            "packed": held.add(gzip.compress(TEXT, mtime=0), name="log.txt.gz").pdi,
            "secret": held.access.tokens.add(scope="read").secret,
        }
    with served(folder, "--public") as running:
        yield found | {"base": running.base}


ACCEPTED = [
    # what is asked for, and the coding of the answer
    ("gzip, deflate, br, zstd", "zstd"),
    ("gzip, deflate, br", "gzip"),
    ("zstd;q=0.5, gzip;q=0.8", "gzip"),
    ("gzip;q=0, *", "zstd"),
    ("*;q=0.1", "zstd"),
    ("identity;q=1, gzip;q=0.5", ""),
    ("gzip;q=0", ""),
    ("br", ""),
    ("", ""),
]


@pytest.mark.parametrize(("accepted", "coding"), ACCEPTED, ids=[each[0] for each in ACCEPTED])
def test_the_coding_is_what_is_liked_most(
    names: dict[str, str], accepted: str, coding: str
) -> None:
    plain = ask(names["base"], f"/{names['text']}")
    answer = ask(names["base"], f"/{names['text']}", Accept_Encoding=accepted)
    assert answer.headers.get("content-encoding", "") == coding
    assert UNPACKED[coding](answer.body) == TEXT
    assert "Accept-Encoding" in answer.headers["vary"]
    assert answer.headers["etag"] == ("W/" if coding else "") + plain.headers["etag"]
    digest = f"sha-256=:{b64encode(hashlib.sha256(TEXT).digest()).decode()}:"
    assert answer.headers["unencoded-digest" if coding else "repr-digest"] == digest
    assert ("repr-digest" in answer.headers) != bool(coding)
    if coding:
        assert len(answer.body) * 5 < len(TEXT)
        head = ask(names["base"], f"/{names['text']}", "HEAD", Accept_Encoding=accepted)
        assert head.headers["content-encoding"] == coding
        assert head.headers["etag"] == answer.headers["etag"]


def test_what_is_packed_already_short_or_a_part_goes_as_it_is(names: dict[str, str]) -> None:
    for name in ("short", "picture", "packed"):
        answer = ask(names["base"], f"/{names[name]}", Accept_Encoding="gzip, zstd")
        assert "content-encoding" not in answer.headers, name
        assert "repr-digest" in answer.headers
    part = ask(names["base"], f"/{names['text']}", Accept_Encoding="zstd", Range="bytes=0-999")
    assert (part.status, part.body) == (206, TEXT[:1000])
    assert "content-encoding" not in part.headers
    weak = ask(names["base"], f"/{names['text']}", Accept_Encoding="zstd").headers["etag"]
    held = {"Accept_Encoding": "zstd", "Range": "bytes=0-999", "If_Range": weak}
    assert ask(names["base"], f"/{names['text']}", "GET", None, **held).status == 200, (
        "not of packed octets"
    )


def test_a_large_text_is_packed_by_the_piece(names: dict[str, str]) -> None:
    for coding in ("zstd", "gzip"):
        answer = ask(names["base"], f"/{names['large']}", Accept_Encoding=coding)
        assert answer.headers["content-encoding"] == coding
        assert "content-length" not in answer.headers
        assert UNPACKED[coding](answer.body) == LARGE


def test_what_is_shown_to_a_token_is_never_packed(names: dict[str, str]) -> None:
    for shown in (
        {"Authorization": f"Bearer {names['secret']}"},
        {"Cookie": f"permacite={names['secret']}"},
        {"Cookie": "anything=1"},
    ):
        for path in (f"/{names['page']}?view=reader", "/-/search?q=harbour", f"/{names['text']}"):
            answer = ask(names["base"], path, "GET", None, Accept_Encoding="zstd, gzip", **shown)
            assert answer.status == 200
            assert "content-encoding" not in answer.headers


def test_what_has_a_coding_of_its_own_keeps_it() -> None:
    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        fields = [(b"content-type", b"text/plain"), (b"content-encoding", b"gzip")]
        fields.append((b"content-length", b"%d" % len(TEXT)))
        await send({"type": "http.response.start", "status": 200, "headers": fields})
        await send({"type": "http.response.body", "body": TEXT})

    answer = ask_inside(Compression(application), "/", Accept_Encoding="zstd")
    assert (answer.headers["content-encoding"], answer.body) == ("gzip", TEXT)


PAGES = ("/", "/{page}?view=reader", "/-/search?q=harbour", "/-/api/documents", "/-/feed")
OTHERS = (
    "/-/api/document?name={page}",
    "/{page}?view=json",
    "/{pattern}",
    "/-/sites",
    "/-/api/quoters?name={page}",
    "/uri-res/N2Ns?{page}",
    "/-/log/checkpoint",
    "/-/openapi.json",
    "/-/extension.zip",
    "/robots.txt",
    "/sitemap.xml",
)


@pytest.mark.parametrize("path", [*PAGES, *OTHERS])
def test_whatever_is_read_is_not_sent_twice(names: dict[str, str], path: str) -> None:
    path = path.format(**names)
    for coding in ("", "zstd"):
        first = ask(names["base"], path, Accept_Encoding=coding)
        assert first.status == 200
        tag = first.headers["etag"]
        again = ask(names["base"], path, Accept_Encoding=coding, If_None_Match=tag)
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
        assert (
            again.headers.get("vary") == first.headers.get("vary")
            or "Accept-Encoding" in (again.headers["vary"])
        )
        assert "content-type" not in again.headers
        other = ask(names["base"], path, Accept_Encoding=coding, If_None_Match='"other"')
        assert (other.status, other.body) == (200, first.body)


def test_a_tag_is_another_when_the_page_is(archive: Path, running: Running) -> None:
    tags = set()
    with Archive.open(archive) as held:
        for number in range(3):
            held.add(f"text {number}".encode(), name="a.txt")
            for language in ("en", "de"):
                fields = {"Accept": "text/html", "Accept_Language": language}
                tags.add(ask(running.base, "/", "GET", None, **fields).headers["etag"])
    assert len(tags) == 6


def test_what_is_never_to_be_kept_has_no_tag(names: dict[str, str]) -> None:
    for path in ("/-/health", "/-/api/search?q=harbour", "/-/api/sites"):
        assert "etag" not in ask(names["base"], path).headers


def test_statics_are_kept_for_a_year_and_answered_under_old_addresses(
    names: dict[str, str],
) -> None:
    page = ask(names["base"], f"/{names['page']}?view=reader").body.decode()
    asked = re.findall(r'(?:src|href)="(/-/static/[^"]+)"', page)
    assert {path.rpartition("/")[2] for path in asked} == {"reader.js", "reader.css", "icon.svg"}
    for path in [*asked, *(address_of(each.name) for each in FOLDER.glob("*.js"))]:
        name = path.rpartition("/")[2]
        kept = ask(names["base"], path)
        assert kept.status == 200
        assert kept.headers["cache-control"] == "max-age=31536000, immutable"
        for other in (f"/-/static/{name}", f"/-/static/{'0' * 16}/{name}"):
            plain = ask(names["base"], other)
            assert (plain.body, plain.headers["cache-control"]) == (kept.body, "no-cache")
        unchanged = ask(names["base"], path, If_None_Match=kept.headers["etag"])
        assert unchanged.status == 304
    assert ask(names["base"], address_of("none.js")).status == 404
    assert ask(names["base"], address_of("openapi.json")).status == 404
