"""PDI §3.8: names over HTTP, and the requests of THTTP (RFC 2169, RFC 2483)."""

from __future__ import annotations

import email.parser
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests import inside
from tests.archives import Archive

pytest.importorskip("starlette", reason="the server needs it")

from permacite.web.app import create_app

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.inside import Answer

pytestmark = pytest.mark.engines(deep=True)

HTML = b"<!doctype html><title>T</title><p>Some words."
TEXT = b"The tide."


@dataclass
class Server:
    """An application that is asked in this process, without a socket."""

    service: Archive
    writable: bool = False

    def ask(self, method: str, target: str, body: bytes = b"", **fields: str) -> Answer:
        """Send one request; `fields` are header fields with underscores for hyphens."""
        app = create_app(
            self.service, names=["resolver.example", "lab.example.us"], writable=self.writable
        )
        return inside.ask(app, target, method, body, **{"host": "resolver.example"} | fields)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Archive]:
    """An open archive."""
    with Archive.create(tmp_path / "archive", series="lab.example.us") as opened:
        yield opened


@pytest.fixture
def names(service: Archive) -> dict[str, str]:
    """The full names of a page, by format, and of a text."""
    page = service.add(HTML, name="page.html", uri="http://example.org/page?x=1")
    text = service.add(TEXT, name="tide.txt")
    return {one.format: one.pdi for one in page.document.formats} | {"text": text.pdi}


@pytest.fixture
def server(service: Archive) -> Server:
    """A server that only reads."""
    return Server(service)


@pytest.fixture
def writer(service: Archive) -> Server:
    """A server that writes too."""
    return Server(service, writable=True)


# ---------------------------------------------------------------- §3.8.2 methods


def parted(name: str) -> tuple[str, str]:
    """Return what a server makes of a name in a request line: a path, and the Host of the line."""
    host, _, path = name.partition("//")[2].partition("/")
    return f"/{path}", host


def test_pdi_51_the_request_line_of_the_draft(writer: Server, names: dict[str, str]) -> None:
    """Clause pdi-51: the line is the method, the name itself and the version of HTTP."""
    path, host = parted(names["text"])
    assert path.startswith("/2")
    for method, status in {"GET": 200, "HEAD": 200, "OPTIONS": 204, "DELETE": 405}.items():
        assert writer.ask(method, path, Host=host).status == status
    found = writer.ask("GET", f"{path}%23char=4,8", Host=host)
    assert (found.body, found.headers["content-location"]) == (TEXT[4:8], names["text"])
    later = writer.ask("PUT", path, b"Later.", content_type="text/plain", Host=host)
    assert later.headers["content-location"] == names["text"].replace(".text.1", ".text.2")
    listed = writer.ask("GET", "/*/*/*/*.text", Host=host, accept="text/uri-list")
    assert listed.lines == [names["text"].replace(".text.1", ".text.2")]


def test_pdi_51_a_series_in_the_request_line_mints(writer: Server) -> None:
    """Clause pdi-51: PUT pdi://series/ gives the next name of today, version 1."""
    path, host = parted("pdi://lab.example.us/")
    made = writer.ask("PUT", path, b"New.", content_type="text/plain", Host=host)
    assert made.status == 201
    today = f"{datetime.now(UTC):%Y/%m/%d}"
    assert made.headers["content-location"] == f"urn:pdi://lab.example.us/{today}/1.text.1"


def test_a_date_at_another_host_is_no_name(writer: Server, names: dict[str, str]) -> None:
    path, _ = parted(names["text"])
    assert writer.ask("GET", path).status == 404
    assert writer.ask("PUT", "/", b"New.", content_type="text/plain").status == 404
    assert writer.ask("GET", path, Host="other.example.us").status == 400


def test_pdi_53_a_proxy_asks_in_the_words_of_thttp(server: Server, names: dict[str, str]) -> None:
    """Clause pdi-53: GET becomes N2R and HEAD becomes N2C, each with the URN as it is."""
    found = server.ask("GET", f"/uri-res/N2R?{names['text']}")
    assert (found.status, found.body) == (200, TEXT)
    told = server.ask("GET", f"/uri-res/N2C?{names['text']}")
    assert told.headers["content-location"] == names["text"]
    assert server.ask("POST", f"/uri-res/N2R?{names['text']}").status == 405


def test_pdi_49_an_open_name_is_answered_with_the_full_one(
    server: Server, names: dict[str, str]
) -> None:
    """Clause pdi-49."""
    for name in (
        names["text"],
        names["text"].removesuffix(".1"),
        names["text"].removesuffix(".text.1"),
    ):
        for form in (name, name.removeprefix("urn:")):
            answer = server.ask("GET", f"/{form}")
            assert (answer.status, answer.body) == (200, TEXT)
            assert answer.headers["content-location"] == names["text"]


def test_head_tells_what_get_would(server: Server, names: dict[str, str]) -> None:
    get, head = (server.ask(method, f"/{names['text']}") for method in ("GET", "HEAD"))
    assert head.status == 200
    assert head.headers == get.headers


def test_pdi_51_methods_of_a_server_that_reads(server: Server, names: dict[str, str]) -> None:
    """Clause pdi-51."""
    for method in ("PUT", "DELETE", "POST", "PATCH"):
        answer = server.ask(method, f"/{names['text']}", b"x", Content_Type="text/plain")
        assert answer.status == 405
        assert "GET" in answer.headers["allow"]
    assert server.ask("GET", "/" + names["text"].replace("/2.text", "/99.text")).status == 404


def test_pdi_54_options_tells_whether_a_name_would_be_known(
    server: Server, writer: Server, names: dict[str, str]
) -> None:
    """Clause pdi-54, pdi-55."""
    known = server.ask("OPTIONS", f"/{names['text']}")
    assert (known.status, known.headers["allow"]) == (204, "GET, HEAD, OPTIONS")
    # One name of a series stands for all of it (pdi-55): any name of the series may be asked about.
    assert server.ask("OPTIONS", "/pdi://lab.example.us/1999/01/02/3.text.1").status == 204
    assert server.ask("OPTIONS", "/pdi://other.example.us/1999/01/02/3.text.1").status == 404
    assert writer.ask("OPTIONS", f"/{names['text']}").headers["allow"].endswith("PUT")


def test_pdi_51_put_makes_the_next_version(writer: Server, names: dict[str, str]) -> None:
    """Clause pdi-51."""
    answer = writer.ask(
        "PUT", f"/{names['html']}", b"<title>N</title>new", Content_Type="text/html"
    )
    assert answer.status == 201
    assert answer.headers["content-location"] == names["html"].removesuffix(".1") + ".2"
    assert answer.headers["location"] == "/" + answer.headers["content-location"]
    assert answer.json["document"]["title"] == "N"
    assert writer.ask("GET", f"/{names['html']}").body == HTML
    again = writer.ask("GET", "/" + names["html"].removesuffix(".html.1"))
    assert again.headers["content-location"].endswith(".html.2")


def test_pdi_51_put_to_a_series_mints(writer: Server, names: dict[str, str]) -> None:
    """Clause pdi-51."""
    assert names
    for target in ("/pdi://lab.example.us/", "/urn:pdi://LAB.example.us"):
        answer = writer.ask("PUT", target, b"new", Content_Type="text/plain; charset=utf-8")
        assert answer.status == 201
        name = answer.headers["content-location"]
        assert name.startswith("urn:pdi://lab.example.us/20")
        assert name.endswith(".utf-8.1")
        assert writer.ask("GET", f"/{name}").body == b"new"


def test_what_misquotes_is_not_put_unless_it_is_meant(
    writer: Server, names: dict[str, str]
) -> None:
    page = f"<q cite='{names['text']}#char=4,8'>time</q>".encode()
    refused = writer.ask("PUT", "/pdi://lab.example.us/", page, content_type="text/html")
    assert refused.status == 409
    assert (refused.json["actual"], refused.json["expected"]) == ("time", "tide")
    target = "/pdi://lab.example.us/?misquoted"
    meant = writer.ask("PUT", target, page, content_type="text/html")
    assert meant.status == 201
    assert [one["status"] for one in meant.json["quotations"]] == ["differs"]


def test_text_may_change_its_charset(writer: Server, names: dict[str, str]) -> None:
    new = "caf\u00e9".encode()
    answer = writer.ask("PUT", f"/{names['text']}", new, Content_Type="text/plain; charset=utf-8")
    assert answer.headers["content-location"].endswith("/2.utf-8.2")


@pytest.mark.engines
def test_a_repeated_put_is_done_once(writer: Server) -> None:
    fields = {"Content_Type": "text/plain", "Idempotency_Key": "k1"}
    first, second = (
        writer.ask("PUT", "/pdi://lab.example.us/", b"new", **fields) for _ in range(2)
    )
    assert first.headers["content-location"] == second.headers["content-location"]
    other = writer.ask("PUT", "/pdi://lab.example.us/", b"other", **fields)
    assert (other.status, other.json["code"]) == (409, "conflict")


REFUSED = [
    # clause id, target, Content-Type, status
    ("pdi-51-unknown-name", "/pdi://lab.example.us/2026/11/21/77.text.1", "text/plain", 404),
    ("pdi-51-series-not-ours", "/pdi://other.example.us/", "text/plain", 405),
    ("pdi-51-part", "/{text}%23char=1,2", "text/plain", 405),
    ("pdi-51-other-format", "/{text}", "image/png", 405),
    ("pdi-51-no-type", "/{text}", "", 415),
    ("pdi-21-pattern", "/pdi://lab.example.us/2026/11/21/*", "text/plain", 400),
    ("pdi-05-no-series", "/pdi://example.org/", "text/plain", 405),
]


@pytest.mark.parametrize(
    ("target", "content_type", "status"), [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED]
)
def test_what_cannot_be_put_is_refused(
    writer: Server, names: dict[str, str], target: str, content_type: str, status: int
) -> None:
    fields = {"Content_Type": content_type} if content_type else {}
    assert writer.ask("PUT", target.format(**names), b"x", **fields).status == status
    assert writer.service.documents.list().total == 2


def test_pdi_51_nothing_is_ever_deleted(writer: Server, names: dict[str, str]) -> None:
    """Clause pdi-51."""
    answer = writer.ask("DELETE", f"/{names['text']}")
    assert answer.status == 405
    assert "DELETE" not in answer.headers["allow"]


# ---------------------------------------------------------------- §3.6.3 sets


def test_pdi_48_a_set_never_claims_to_be_complete(server: Server, names: dict[str, str]) -> None:
    """Clause pdi-48."""
    answer = server.ask("GET", "/urn:pdi://lab.example.us/*/*/*/*")
    assert answer.status == 200
    assert (answer.json["complete"], answer.json["known"]) == (False, 2)
    assert set(answer.json["names"]) == set(names.values())
    day = names["text"].rpartition("/")[0]
    few = server.ask("GET", f"/{day}/*.text?limit=1").json
    assert (few["known"], few["names"]) == (1, [names["text"]])
    listed = server.ask("GET", f"/{day}/*", Accept="text/uri-list")
    assert listed.headers["content-type"].startswith("text/uri-list")
    assert set(listed.lines) == set(names.values())
    assert server.ask("GET", f"/{day}/*?limit=0").status == 400
    page = server.ask("GET", f"/{day}/*", Accept="text/html")
    assert (page.status, page.headers["location"].startswith("/?pattern=urn%3Apdi")) == (303, True)


def test_an_unknown_set_is_empty(server: Server) -> None:
    assert server.ask("GET", "/urn:pdi://other.example.us/*/*/*/*").json["names"] == []


# ---------------------------------------------------------------- §3.8.3 proxies, delegation


def test_pdi_52_a_delegated_name_leads_to_who_answers(
    server: Server, service: Archive, names: dict[str, str]
) -> None:
    """Clause pdi-52."""
    service.documents.series.delegate("resolver", "lab.example.us", "https://other.example/at")
    unknown = names["text"].replace("/2.text", "/99.text")
    for target in (f"/{unknown}", f"/{unknown}?view=reader"):
        answer = server.ask("GET", target)
        assert (answer.status, answer.headers["location"]) == (
            307,
            f"https://other.example/at/{unknown}",
        )
    for request in ("N2R", "N2Ns", "N2C", "N2L"):
        assert server.ask("GET", f"/uri-res/{request}?{unknown}").status == 307
    fragment = server.ask("GET", f"/{unknown}%23char=1,2").headers["location"]
    assert fragment == f"https://other.example/at/{unknown}?fragment=char=1,2"
    assert server.ask("GET", f"/{names['text']}").status == 200, "what is here is answered here"
    service.access.withdraw(names["text"], reason="safety")
    assert server.ask("GET", f"/{names['text']}").status == 410


def test_a_delegation_to_itself_leads_nowhere(server: Server, service: Archive) -> None:
    service.documents.series.delegate("resolver", "lab.example.us", "http://resolver.example")
    assert server.ask("GET", "/pdi://lab.example.us/1999/01/02/3.text.1").status == 404


# ---------------------------------------------------------------- §3.8.4 THTTP


@pytest.mark.parametrize("request_", ["N2R", "I2R", "n2r"])
def test_pdi_53_n2r_gives_the_resource(
    server: Server, names: dict[str, str], request_: str
) -> None:
    """Clause pdi-53."""
    answer = server.ask("GET", f"/uri-res/{request_}?{names['text']}")
    assert (answer.status, answer.body) == (200, TEXT)
    assert answer.headers["content-location"] == names["text"]
    part = server.ask("GET", f"/uri-res/{request_}?{names['text']}%23char=4,8", Accept="text/html")
    assert part.body == b"tide"
    open_ = server.ask("GET", f"/uri-res/{request_}?{names['html'].removesuffix('.html.1')}")
    assert open_.headers["content-location"] == names["html"]
    assert "immutable" not in open_.headers["cache-control"]


def test_pdi_53_n2rs_gives_all_formats(server: Server, names: dict[str, str]) -> None:
    """Clause pdi-53."""
    answer = server.ask("GET", f"/uri-res/N2Rs?{names['html'].removesuffix('.html.1')}")
    head = f"Content-Type: {answer.headers['content-type']}\r\n\r\n".encode()
    message = email.parser.BytesParser().parsebytes(head + answer.body)
    assert message.get_content_type() == "multipart/alternative"
    parts = {
        part["Content-Location"]: str(part.get_payload())
        for part in message.walk()
        if part["Content-Location"]
    }
    assert parts[names["html"]].rstrip("\r\n") == HTML.decode()
    assert set(parts) == {names["html"], names["utf-8"]}


LISTS = [
    # clause id, request, what stands after the question mark, lines
    ("pdi-53-n2ns", "N2Ns", "{document}", ["{html}", "{utf-8}"]),
    ("pdi-53-i2ns", "I2Ns", "{document}", ["{html}", "{utf-8}"]),
    ("pdi-53-n2n", "N2N", "{document}", ["{html}"]),
    ("pdi-53-n2ns-full", "N2Ns", "{text}%23char=1,2", ["{text}#char=1,2"]),
    ("pdi-53-l2ns", "L2Ns", "http://example.org/page?x=1", ["{html}", "{utf-8}"]),
    ("pdi-53-l2ns-escaped", "L2Ns", "http%3A//example.org/page%3Fx=1", ["{html}", "{utf-8}"]),
    ("pdi-53-i2ns-address", "I2Ns", "http://example.org/page?x=1", ["{html}", "{utf-8}"]),
    ("pdi-53-n2ls", "N2Ls", "{text}", ["http://resolver.example/{text}"]),
    (
        "pdi-53-l2ls",
        "L2Ls",
        "http://example.org/page?x=1",
        ["http://resolver.example/{html}", "http://resolver.example/{utf-8}"],
    ),
    ("pdi-48-n2ns-of-a-set", "N2Ns", "pdi://lab.example.us/*/*/*/*.text", ["{text}"]),
]


@pytest.mark.parametrize(
    ("request_", "asked", "lines"), [row[1:] for row in LISTS], ids=[row[0] for row in LISTS]
)
def test_lists_are_lines(
    server: Server, names: dict[str, str], request_: str, asked: str, lines: list[str]
) -> None:
    every = names | {"document": names["html"].removesuffix(".html.1")}
    answer = server.ask("GET", f"/uri-res/{request_}?{asked.format(**every)}")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/uri-list")
    assert answer.lines == [line.format(**every) for line in lines]


@pytest.mark.parametrize("request_", ["N2L", "I2L"])
def test_pdi_53_n2l_leads_to_the_exact_name(
    server: Server, names: dict[str, str], request_: str
) -> None:
    """Clause pdi-53."""
    answer = server.ask("GET", f"/uri-res/{request_}?{names['text'].removesuffix('.1')}%23char=1,2")
    assert answer.status == 303
    assert answer.headers["location"] == f"http://resolver.example/{names['text']}%23char=1,2"


@pytest.mark.parametrize("request_", ["N2C", "N2Cs", "I2C", "I2Cs"])
def test_pdi_53_n2c_tells_what_is_known(
    server: Server, names: dict[str, str], request_: str
) -> None:
    """Clause pdi-53."""
    answer = server.ask("GET", f"/uri-res/{request_}?{names['html']}")
    assert answer.json["document"]["title"] == "T"
    assert answer.headers["content-location"] == names["html"]
    by_address = server.ask("GET", "/uri-res/L2C?http://example.org/page?x=1")
    assert by_address.json["document"]["pdi"] == answer.json["document"]["pdi"]
    several = server.ask("GET", f"/uri-res/{request_}?pdi://lab.example.us/*/*/*/*")
    assert several.json["complete"] is False


FAULTS = [
    ("pdi-53-no-such-request", "N2X?{text}", 404),
    ("pdi-53-nothing-asked", "N2R", 400),
    ("pdi-53-no-name", "N2R?nonsense", 400),
    ("pdi-53-unknown-name", "N2R?pdi://lab.example.us/1999/01/02/3.text.1", 404),
    ("pdi-53-unknown-address", "L2Ns?http://example.org/other", 404),
    ("pdi-53-set-of-resources", "N2R?pdi://lab.example.us/*/*/*/*", 405),
]


@pytest.mark.parametrize(("target", "status"), [r[1:] for r in FAULTS], ids=[r[0] for r in FAULTS])
def test_what_cannot_be_answered_is_told(
    server: Server, names: dict[str, str], target: str, status: int
) -> None:
    answer = server.ask("GET", "/uri-res/" + target.format(**names))
    assert answer.status == status
    assert answer.headers["content-type"] == "application/problem+json"


def test_pdi_53_other_methods_are_refused(server: Server, names: dict[str, str]) -> None:
    """Clause pdi-53."""
    assert server.ask("POST", f"/uri-res/N2R?{names['text']}").status == 405
