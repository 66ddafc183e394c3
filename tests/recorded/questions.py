"""Requests to the server of the scripted archive, some 600: each route, each kind of document."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Question", "private", "public"]

N = "urn:pdi://lab.example.us/2026/11/22"
SITE = "http://127.83.0.1:8327"
HTML = ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
JSON = ("Accept", "application/json")
FORM = ("Content-Type", "application/x-www-form-urlencoded")
OWN = ("Origin", "http://127.83.0.2:8328")

_DOCUMENTS = [f"{N}/{number}" for number in range(1, 50)]
_FORMATS = [
    f"{N}/{name}.1"
    for name in (
        "1.html", "1.utf-8", "3.html", "5.utf-8", "6.epub%2bzip", "7.application+x-ipynb%2bjson",
        "10.pdf", "10.utf-8", "11.pdf", "13.rfc822", "14.png", "15.gif", "16.audio+x-wav",
        "17.text", "18.text", "19.csv", "20.json", "21.application+xml", "22.utf-8", "23.vtt",
        "24.octet-stream", "27.html", "29.related", "34.text", "35.csv", "38.html", "38.related",
        "40.related", "1.pdf", "999.html",
    )
]  # fmt: skip
_PARTS = [
    f"{N}/{name}"
    for name in (
        "1.utf-8.1#char=10,40", "1.html.1#elt=5,6", "1.html.1#char=10,40", "1.utf-8.1#char=40,10",
        "1.utf-8.1#char=10,99999", "1.utf-8.1#nonsense", "1#char=10,40", "5.utf-8.1#char=0,10",
        "10.utf-8.1#char=0,20", "10.pdf.1#page=1", "10.pdf.1#viewrect=10,10,200,100",
        "11.utf-8.1#char=0,20", "14.png.1#rect=(1,1),(5,5)", "14.png.1#rect=(1,1),(500,500)",
        "15.gif.1#rect=(0,0),(2,2)", "16.audio+x-wav.1#sec=0,0.2", "16.audio+x-wav.1#msec=0,100",
        "17.text.1#char=0,10", "19.csv.1#row=2", "19.csv.1#cell=2,1", "20.json.1#pointer=/places/0",
        "22.utf-8.1#char=100000,100050", "24.octet-stream.1#byte=0,10", "34.text.1#char=0,10",
        "38.utf-8.1#char=10,40", "38.html.1#elt=7,9", "3.html.1#elt=5,6", "23.utf-8.1#char=0,4",
    )
]  # fmt: skip


@dataclass(frozen=True)
class Question:
    """One request."""

    method: str
    path: str
    fields: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    name: str = ""
    """Of the file that the answer is kept in; default: its number."""

    def __str__(self) -> str:
        """Return it in one line."""
        fields = "".join(f" {name}: {value}" for name, value in self.fields)
        body = f" <- {self.body[:100]!r}" if self.body is not None else ""
        return f"{self.method} {self.path}{fields}{body}"


def private(secrets: Sequence[str]) -> list[Question]:
    """Requests to a server that lets this machine write; `secrets`: of three tokens."""
    found = [Question("GET", "/-/openapi.json", name="openapi")]
    for each in (_names, _parts, _pages, _lists, _log, _answers, _refused, _written):
        found += each()
    return found + list(_with_tokens(secrets))


def public() -> list[Question]:
    """Requests to a public server under a path: the pages, and what leads to them."""
    asked = [*_pages(), *_lists(), *_refused()]
    return [replace(each, path=f"/archive{each.path}", name="") for each in asked[::3]]


def _get(path: str, *fields: tuple[str, str], method: str = "GET") -> Question:
    return Question(method, path, fields)


def _query(path: str, **values: object) -> str:
    return f"{path}?{urlencode({name.rstrip('_'): value for name, value in values.items()})}"


def _post(path: str, content: object, *fields: tuple[str, str]) -> Question:
    if isinstance(content, dict) and FORM in fields:
        body = urlencode(content).encode()
    else:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return Question("POST", path, fields or (("Content-Type", "application/json"),), body)


def _names() -> Iterator[Question]:
    for name in _DOCUMENTS:
        yield _get(f"/{name}", HTML)
        yield _get(f"/{name}")
        yield _get(_query("/-/api/document", name=name))
    for name in _DOCUMENTS[::5]:
        yield _get(f"/{name}", JSON)
        yield _get(f"/{name}", method="HEAD")
        yield _get(f"/{name}", method="OPTIONS")
        yield _get(f"/{name.upper()}")
        yield _get(f"/{name.removeprefix('urn:')}")
    for name in _FORMATS:
        yield _get(f"/{name}")
        yield _get(f"/{name}", HTML)
        yield _get(f"/{name}", ("Range", "bytes=5-14"))
        yield _get(f"/-/page/{name}")
    yield _get(f"/{N}/1.html.1", ("Range", "bytes=999999-"))
    yield _get(f"/{N}/1.html.1", ("Range", "bytes=0-3,8-11"))
    yield _get(f"/{N}/1.html.1", ("If-None-Match", "*"))
    yield _get(f"/{N}/1.html.1", ("Want-Repr-Digest", "sha-512=9"))
    yield _get(f"/{N}/22.utf-8.1?check=whole", ("Range", "bytes=1000000-1000020"))
    yield _get(f"/{N}/*?limit=3")
    yield _get(f"/{N}/*?limit=3&after={N}/3", ("Accept", "text/uri-list"))
    yield _get("/urn:pdi://there.example.us/2026/1/1/1.html.1")
    yield _get("/urn:pdi://old.example.us/2024/1/1/1")
    yield _get("/urn:pdi://other.example.us/2024/1/1/1", HTML)


def _parts() -> Iterator[Question]:
    for name in _PARTS:
        address, _, fragment = name.partition("#")
        yield _get(f"/{address}%23{quote(fragment)}")
        yield _get(f"/{address}?fragment={quote(fragment)}", HTML)
        yield _get(f"/{address}?fragment={quote(fragment)}", JSON)
    yield _get(f"/{N}/10.pdf.1?fragment=page%3D1&view=preview")
    yield _get(f"/{N}/16.audio%2Bx-wav.1?fragment=sec%3D0,0.2", HTML)
    yield _get(f"/{N}/22.utf-8.1?at=50000", HTML)
    yield _get(f"/{N}/17.text.1?rfc5147=line%3D0,1", HTML)
    yield _get(f"/{N}/1.utf-8.1?fragment=char%3D10,40&show=text", HTML)
    yield _get(f"/{N}/15.gif.1?frame=0", HTML)
    yield _get(f"/-/page/{N}/15.gif.1?frame=0")
    yield _get(f"/-/page/{N}/10.pdf.1?frame=0")


def _pages() -> Iterator[Question]:
    for path in (
        "/", _query("/", after=f"{N}/40"), _query("/", pattern=f"{N}/1*"), "/-/search",
        _query("/-/search", q="harbour"), _query("/-/search", q="harbour", order="newest"),
        _query("/-/search", q='"the gale began"'), _query("/-/search", q=f"{SITE}/storm.html"),
        _query("/-/search", q="harbour", cited="yes", versions="all"), "/-/sites",
        _query("/-/sites", site="127.83.0.1:8327"), _query("/-/calendar", to=f"{SITE}/storm.html"),
        _query("/-/calendar", to=f"{SITE}/storm.html", year=2026, day="2026-11-22"),
        _query("/-/calendar", to="http://x.example/"), "/-/save", _query("/-/save", to=f"{SITE}/x"),
        "/-/save/nothing", "/-/sign-in", "/-/jottings", f"/-/versions/{N}/38.utf-8.1%23char=10,40",
        f"/-/versions/{N}/38.utf-8.1%23char=10,40?part=list", f"/-/changes/{N}/38",
        f"/-/changes/{N}/38?with=9", f"/-/changes/{N}/1", "/-/nothing", "/nothing",
        _query("/-/follow", to=f"{SITE}/storm.html"), f"/web/2026/{SITE}/storm.html",
        _query("/-/follow", to=f"{SITE}/absent.html", from_=f"{N}/37.html.1", all="yes"),
        _query("/-/follow", to=f"{SITE}/pictures/gauge.png", from_=f"{N}/37.html.1"),
        f"/web/*/{SITE}/storm.html", f"/{N}/1.html.1", f"/{N}/38?fragment=char%3D10,40",
        f"/{N}/5", f"/{N}/11", f"/{N}/34", f"/{N}/999", "/urn:pdi://bad",
    ):  # fmt: skip
        yield _get(path, HTML)
    for language in ("de", "fr,en;q=0.5", "xx"):
        for path in ("/", f"/{N}/1.html.1", "/-/nothing", f"/{N}/5", _query("/-/search", q="sea")):
            yield _get(path, HTML, ("Accept-Language", language))


def _lists() -> Iterator[Question]:
    for path in (
        "/robots.txt", "/sitemap.xml", "/-/sitemap", _query("/-/sitemap", after=f"{N}/40"),
        "/-/feed", _query("/-/feed", after=f"{N}/20"), "/-/news.atom", "/-/health", "/-/ready",
        "/-/api/documents", "/-/api/documents?limit=2", f"/-/api/documents?limit=2&after={N}/2",
        "/-/api/documents?limit=0", "/-/api/documents?pattern=lab.example.us/2026/11/21",
        f"/-/timegate/{SITE}/storm.html", f"/-/timemap/link/{SITE}/storm.html",
        f"/-/timemap/json/{SITE}/storm.html", f"/-/timemap/xml/{SITE}/storm.html",
        "/-/timegate/http://x.example/", f"/web/20261122/{SITE}/storm.html", "/web/x/y",
        "/-/api/sites", "/-/api/sites?site=127.83.0.1:8327&limit=1", "/-/api/sites?limit=x",
        _query("/-/api/calendar", to=f"{SITE}/storm.html", year=2026),
        _query("/-/api/follow", to=f"{SITE}/storm.html"), _query("/-/api/follow", to="nothing"),
        "/-/api/search?q=harbour", "/-/api/search?q=harbour&limit=1", "/-/api/search?q=",
        "/-/api/search?q=harbour&type=application/pdf", "/-/api/search?q=%22began+at+nine%22",
        "/-/api/search?q=harbour&since=2026-11-23", "/-/api/search?q=harbour&site=127.83.0.1",
        "/-/api/token", "/-/api/jottings", _query("/-/api/jottings", name=f"{N}/1"),
    ):  # fmt: skip
        yield _get(path)
    yield _get(
        f"/-/timegate/{SITE}/storm.html", ("Accept-Datetime", "Sun, 22 Nov 2026 09:00:00 GMT")
    )
    yield _get("/-/feed", ("Accept-Encoding", "gzip"))


def _log() -> Iterator[Question]:
    for path in (
        "/-/api/log", "/-/api/log?since=10", "/-/api/log?since=9999", "/-/api/log?since=x",
        "/-/log/checkpoint", "/-/log/tile/0/000", "/-/log/tile/0/000.p/70",
        "/-/log/tile/entries/000",
        "/-/log/tile/0/x", "/-/log/entries?start=0&end=9", "/-/log/entries?start=60&end=70",
        "/-/log/entries?start=9999", "/-/log/standings", "/-/log/standings?after=2",
        "/-/log/octets/00", f"/-/log/octets/{'0' * 64}", "/-/witness/00/checkpoint",
        _query("/-/api/proof", name=f"{N}/1.utf-8.1#char=10,40", format="zip"),
        _query("/-/api/proof", name=f"{N}/1.utf-8.1#char=10,40", format="html", lang="de"),
        _query("/-/api/proof", name=f"{N}/17.text.1", format="zip"),
        _query("/-/api/proof", name=f"{N}/999", format="zip"),
        _query("/-/api/proof", name=f"{N}/11", format="zip"),
        _query("/-/api/proof", name=f"{N}/1", format="tar"),
    ):  # fmt: skip
        yield _get(path)


def _answers() -> Iterator[Question]:
    for name in (f"{N}/1", f"{N}/17.text.1#char=0,10", f"{N}/27.html.1", f"{N}/5", "nonsense"):
        for path in ("quotes", "quoters", "reference", "versions", "statements", "changes"):
            yield _get(_query(f"/-/api/{path}", name=name))
    passage = f"{N}/38.utf-8.1#char=10,40"
    yield _get(_query("/-/api/versions", name=passage, limit=1))
    yield _get(_query("/-/api/changes", name=f"{N}/38", with_=1))
    yield _get(_query("/-/api/passages", name=f"{N}/1.html.1", quote="the harbour"))
    yield _get(_query("/-/api/passages", name=f"{N}/1.html.1", quote="no such words"))
    yield _get(_query("/-/api/statements"), ("Accept", "application/ld+json"))
    yield _get(_query("/-/api/statements", predicate="creator", limit=1))
    for style in ("apa", "mla", "bibtex", "none"):
        yield _get(_query("/-/api/reference", name=passage, style=style))
    for program in ("hypothesis", "zotero", "none"):
        yield _get(_query("/-/api/reference", name=passage, for_=program))
    for service in ("N2R", "N2Rs", "N2L", "N2Ls", "N2C", "N2Cs", "N2N", "N2Ns", "I2R", "X2Y"):
        for name in (f"{N}/1.html.1", f"{N}/38", f"{N}/999"):
            yield _get(f"/uri-res/{service}?{name}")
    for service in ("L2R", "L2N", "L2Ns", "L2C", "L2Ls"):
        yield _get(f"/uri-res/{service}?{SITE}/storm.html")


def _refused() -> Iterator[Question]:
    for method in ("DELETE", "PATCH", "POST", "TRACE"):
        yield _get(f"/{N}/1.html.1", method=method)
        yield _get("/-/api/documents", method=method)
    yield _get("/", ("Host", "attacker.example"))
    yield _get("/-/api/documents", ("Host", "attacker.example"))
    for path in ("/%ff", "/urn:pdi://lab.example.us/2026/13/45/1", "/-/static/none.css", "/web/",
                 "/-/api/nothing", "/-/page/nothing", "/-/", "/uri-res/", "/urn:isbn:0451450523",
                 "/http://x.example/", "/-/log/nothing", "/" + "a" * 3000):  # fmt: skip
        yield _get(path)
        yield _get(path, HTML)


def _written() -> Iterator[Question]:
    page = f"{N}/1.html.1"
    for body in (
        {"reference": page, "quote": "the harbour", "nth": 2},
        {"reference": page, "quote": "the harbour"},
        {"reference": page, "quote": "no such words"},
        {"reference": page, "char": "10,40"},
        {"reference": page, "elt": "5,6"},
        {"reference": f"{N}/1.utf-8.1#char=10,40"},
        {"reference": f"{N}/14.png.1", "rect": "1,1,5,5"},
        {"reference": f"{N}/16.audio+x-wav.1", "sec": "0,0.2"},
        {"reference": f"{N}/24.octet-stream.1", "byte": "0,100"},
        {"reference": f"{N}/19.csv.1", "row": "2"},
        {"reference": page, "selector": {"type": "TextQuoteSelector", "exact": "Observatory"}},
        {"reference": page, "char": "10,40", "quote": "both"},
        {"reference": f"{N}/999", "quote": "x"},
        {"quote": "x"},
        ["no", "object"],
    ):
        yield _post("/-/api/cite", body)
    yield _post("/-/api/cite", b"no JSON")
    place = {"reference": page, "start": 5, "end": 15, "head": "", "before": "", "after": ""}
    yield _post("/-/api/place", place | {"checksum": 0})
    yield _post("/-/api/place", {"reference": page})
    yield _post("/-/api/derive", {"reference": f"{N}/8"})
    yield _post("/-/api/derive", {"reference": f"{N}/8", "rendition": "docx-text"})
    yield _post("/-/api/look-up", [page, f"{N}/999", "nonsense", f"{SITE}/storm.html"])
    yield _post("/-/api/look-up", page.encode(), ("Content-Type", "text/uri-list"))
    yield _post("/-/api/look-up", {"not": "a list"})
    jotting = {"reference": f"{N}/1", "kind": "tag", "text": "by HTTP"}
    yield _post("/-/api/jottings", jotting)
    yield _post("/-/api/jottings", jotting | {"remove": True})
    yield _post("/-/api/jottings", jotting | {"kind": "none"})
    yield _post("/-/jottings", jotting, FORM, OWN)
    yield _post("/-/jottings", jotting | {"act": "remove"}, FORM, OWN)
    yield _post("/-/jottings", jotting, FORM, ("Origin", "http://attacker.example"))
    form = {"reference": page, "quote": "the harbour", "nth": "", "frame": ""}
    yield _post("/-/cite", form, FORM, OWN)
    yield _post("/-/cite", form | {"nth": "1"}, FORM, OWN)
    yield _post("/-/cite", form | {"quote": "no such words"}, FORM, OWN, HTML)
    yield _post("/-/sign-in", {"token": "wrong"}, FORM, OWN)
    yield _post("/-/sign-in", {"act": "out"}, FORM, OWN)
    yield _post("/-/save", {"to": "ftp://x.example/"}, FORM, OWN)
    yield _post(
        "/-/api/captures", b"no parcel", ("Content-Type", "application/vnd.permacite.capture")
    )
    yield _post("/-/witness/add-checkpoint", b"old 0\n\n", FORM)
    text = ("Content-Type", "text/plain;charset=utf-8")
    for path in (
        "/pdi://lab.example.us/",
        f"/{N}/17",
        f"/{N}/17",
        f"/{N}/999",
        "/pdi://x.example.us/",
    ):
        yield Question("PUT", path, (text,), b"Put by HTTP.\n")
    yield Question("PUT", f"/{N}/17", (text, ("If-Match", '"none"')), b"Put under a condition.\n")
    yield Question("PUT", "/pdi://lab.example.us/", (text, ("Idempotency-Key", "a")), b"Once.\n")
    yield Question("PUT", "/pdi://lab.example.us/", (text, ("Idempotency-Key", "a")), b"Once.\n")


def _with_tokens(secrets: Sequence[str]) -> Iterator[Question]:
    for secret in (*secrets, "permacite_wrong"):
        bearer = ("Authorization", f"Bearer {secret}")
        yield _get("/-/api/token", bearer)
        for name in (f"{N}/3.html.1", f"{N}/34.text.1", f"{N}/36.csv.1", f"{N}/5"):
            yield _get(f"/{name}", bearer)
        yield _get("/-/api/jottings", bearer)
        yield _post("/-/api/cite", {"reference": f"{N}/1.html.1", "char": "1,5"}, bearer)
        yield Question("PUT", "/pdi://lab.example.us/", (bearer,), f"By {secret[:14]}.\n".encode())
        yield _post("/-/sign-in", {"token": secret}, FORM, OWN)
