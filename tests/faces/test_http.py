"""The resolver over HTTP: names, fragments, negotiation, digests, ranges, problems."""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import re
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from tests.archives import Archive
from tests.engines import Repository
from tests.faces.conftest import served

from permacite.service.reader.pages import FramedPage
from permacite.service.reader.reading import _size

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.engines import Server
    from tests.faces.conftest import Running

pytestmark = pytest.mark.engines(deep=True)

HTML = "<!doctype html><title>Page</title><p>Some <b>archived</b> words.</p><script>x()</script>"
BROWSER_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@dataclass(frozen=True)
class Answer:
    """An HTTP answer; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        """The body as a JSON object."""
        value = json.loads(self.body)
        assert isinstance(value, dict)
        return value


def ask(
    base: str, path: str, method: str = "GET", body: bytes | None = None, **fields: str
) -> Answer:
    """Send one request; `fields` are header fields with underscores for hyphens."""
    place = urlsplit(base)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=20)
    headers = {name.replace("_", "-"): value for name, value in fields.items()}
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    names = {name.lower(): value for name, value in answer.getheaders()}
    whole = Answer(answer.status, names, answer.read())
    connection.close()
    return whole


@pytest.fixture(scope="module")
def shared_archive(engine: Server | None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the archive of all tests that only read, or add what no other test sees."""
    assert Repository.engine is engine
    folder = tmp_path_factory.mktemp("shared") / "archive"
    Archive.create(folder, series="lab.example.us").close()
    return folder


@pytest.fixture(scope="module")
def shared_names(engine: Server | None, shared_archive: Path) -> dict[str, str]:
    """Return the names in the archive that tests share."""
    assert Repository.engine is engine
    return filled(shared_archive)


@pytest.fixture(scope="module")
def shared(engine: Server | None, shared_archive: Path) -> Iterator[Running]:
    """Run one server for all tests that share an archive."""
    assert Repository.engine is engine
    with served(shared_archive) as running:
        yield running


@pytest.fixture
def names(archive: Path) -> dict[str, str]:
    """Return the names in an archive of one test."""
    return filled(archive)


def filled(archive: Path) -> dict[str, str]:
    """Archive one page, one text; return the names of their formats."""
    with Archive.open(archive) as service:
        page = service.add(HTML.encode(), name="page.html")
        text = service.add(b"one\ntwo\nthree\n", name="notes.txt")
    named = {item.format: item.pdi for item in page.document.formats}
    return named | {"text": text.pdi}


def test_bytes_with_their_digest_that_are_asked_for_again(
    shared_names: dict[str, str], shared: Running
) -> None:
    answer = ask(shared.base, "/" + shared_names["html"])
    assert (answer.status, answer.body) == (200, HTML.encode())
    digest = base64.b64encode(hashlib.sha256(HTML.encode()).digest()).decode()
    assert answer.headers["repr-digest"] == f"sha-256=:{digest}:"
    assert answer.headers["content-location"] == shared_names["html"]
    assert answer.headers["cache-control"] == "no-cache", "it may be withdrawn"
    assert answer.headers["content-type"].startswith("text/html")
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_part_of_a_text_has_the_charset_of_its_octets(
    shared_archive: Path, shared: Running
) -> None:
    words = "caf\u00e9 tide"
    with Archive.open(shared_archive) as service:
        name = service.add(words.encode("latin-1"), name="a.txt", charset="windows-1252").pdi
    for fragment, charset, part in (
        ("char=0,4", "windows-1252", words[:4]),
        ("char=5,9", "utf-8", words[5:]),
    ):
        answer = ask(shared.base, f"/{name}?fragment={fragment}")
        assert answer.headers["content-type"] == f"text/plain; charset={charset}"
        assert answer.body.decode(charset) == part


def test_a_part_in_a_wide_charset_is_not_taken_for_ascii(archive: Path) -> None:
    words = "one\ntide\n"
    with Archive.open(archive) as service:
        wide = service.add(words.encode("utf-16"), name="a.txt", charset="utf-16").pdi
        plain = service.add(words.encode(), name="b.txt", charset="windows-1252").pdi
        part, told = service.resolve(f"{wide}#char=0,9"), service.resolve(f"{plain}#char=0,9")
    assert (part.content.decode(str(part.charset)), part.charset) == (words[:8], "utf-16le")
    assert (told.content, told.charset) == (words[:8].encode(), "utf-8")


def test_an_open_version_is_not_cached_and_says_what_answers(
    shared_names: dict[str, str], shared: Running
) -> None:
    answer = ask(shared.base, "/" + shared_names["html"].rsplit(".", 1)[0])
    assert answer.headers["content-location"] == shared_names["html"]
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    "suffix",
    ["?fragment=char=5,8", "?fragment=5,8", "%23char=5,8", "%235,8", "?fragment=char%3D5%2C8"],
)
def test_a_fragment_travels_in_path_or_query(
    shared_names: dict[str, str], shared: Running, suffix: str
) -> None:
    assert ask(shared.base, f"/{shared_names['text']}{suffix}").body == b"two"


def test_the_collapsed_slashes_of_a_proxy_are_put_right(
    shared_names: dict[str, str], shared: Running
) -> None:
    answer = ask(shared.base, "/" + shared_names["text"].replace("://", ":/") + "?fragment=5,8")
    assert answer.status == 308
    assert answer.headers["location"] == f"/{shared_names['text']}?fragment=5,8"


def test_json_and_the_reader_by_negotiation(shared_names: dict[str, str], shared: Running) -> None:
    path = f"/{shared_names['text']}?fragment=char=5,8"
    as_json = ask(shared.base, path, Accept="application/json").json
    assert (as_json["text"], as_json["start"], as_json["end"]) == ("two", 5, 8)
    assert as_json["pdi"] == shared_names["text"]
    reader = ask(shared.base, path, Accept=BROWSER_ACCEPT)
    assert reader.headers["content-type"].startswith("text/html")
    assert b"<mark>two</mark>" in reader.body
    assert "frame-src 'self'" in reader.headers["content-security-policy"]
    assert ask(shared.base, path + "&view=bytes", Accept=BROWSER_ACCEPT).body == b"two"


def test_head_etag_and_not_modified(shared_names: dict[str, str], shared: Running) -> None:
    path = "/" + shared_names["html"]
    head = ask(shared.base, path, "HEAD")
    assert (head.status, head.body) == (200, b"")
    again = ask(shared.base, path, If_None_Match=head.headers["etag"])
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize(
    ("asked", "status", "expected"),
    [
        ("bytes=0-8", 206, HTML[:9]),
        ("bytes=-9", 206, HTML[-9:]),
        ("bytes=9-", 206, HTML[9:]),
        ("bytes=99999-", 416, ""),
        ("bytes=-0", 416, ""),
        ("bytes=5-3", 200, HTML),
        ("bytes=0-1,4-5", 206, HTML[:6]),
        (",".join(["bytes=0-1"] + ["4-5"] * 40), 200, HTML),
        ("lines=0-1", 200, HTML),
    ],
)
def test_ranges(
    shared_names: dict[str, str], shared: Running, asked: str, status: int, expected: str
) -> None:
    answer = ask(shared.base, "/" + shared_names["html"], Range=asked)
    assert (answer.status, answer.body) == (status, expected.encode())


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/urn:pdi://lab.example.us/1999/01/01/1.text.1", 404, "not-found"),
        ("/urn:pdi://lab.example.us/1999/13/01/1.text.1", 400, "syntax"),
        ("/{text}?fragment=char=0,9999", 404, "not-found"),
        ("/{text}?fragment=char=9,0", 400, "syntax"),
        ("/favicon.ico", 404, "not-found"),
        ("/urn:favicon.ico", 400, "syntax"),
        ("/-/static/none.js", 404, "not-found"),
    ],
)
def test_problems_are_told_with_their_place(
    shared_names: dict[str, str], shared: Running, path: str, status: int, code: str
) -> None:
    answer = ask(shared.base, path.format(**shared_names))
    assert (answer.status, answer.json["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    if code == "syntax":
        assert isinstance(answer.json["offset"], int)
    page = ask(shared.base, path.format(**shared_names), Accept=BROWSER_ACCEPT)
    assert (page.status, page.headers["content-type"][:9]) == (status, "text/html")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "POST"])
def test_names_cannot_be_changed(
    shared_names: dict[str, str], shared: Running, method: str
) -> None:
    answer = ask(shared.base, "/" + shared_names["html"], method)
    assert answer.status == 405
    assert "GET" in answer.headers["allow"]


def test_options_tells_what_may_be_done(shared_names: dict[str, str], shared: Running) -> None:
    answer = ask(shared.base, "/" + shared_names["html"], "OPTIONS")
    assert (answer.status, answer.headers["allow"]) == (204, "GET, HEAD, OPTIONS")


def test_citing_gives_the_forms_of_the_command_line(
    names: dict[str, str], running: Running, archive: Path
) -> None:
    wanted = {"reference": names["utf-8"], "quote": "archived words"}
    body = json.dumps(wanted).encode()
    answer = ask(running.base, "/-/api/cite", "POST", body, Content_Type="application/json")
    assert answer.status == 201
    with Archive.open(archive) as service:
        again = service.cite(names["utf-8"], quote="archived words")
    assert answer.json["reference"] == again.reference
    assert answer.json["forms"]["markdown"] == again.forms.markdown
    shown = ask(running.base, f"/-/api/document?name={names['html']}").json
    assert [item["reference"] for item in shown["citations"]] == [again.reference]


@pytest.mark.parametrize(
    ("fields", "body", "status"),
    [
        ({"Content_Type": "text/plain"}, b"{}", 415),
        ({"Content_Type": "application/json"}, b"{", 400),
        ({"Content_Type": "Application/JSON; charset=utf-8"}, b"{", 400),
        ({"Content_Type": "application/json"}, b"[]", 400),
        ({"Content_Type": "application/json"}, b'{"reference": 5}', 400),
        ({"Content_Type": "application/json"}, b'{"reference": "x", "quote": 5}', 400),
        ({"Content_Type": "application/json"}, b'{"reference": "x", "nth": 0}', 400),
        ({"Content_Type": "application/json"}, b" " * 300_000, 413),
    ],
)
def test_bad_requests_to_cite(
    shared: Running, fields: dict[str, str], body: bytes, status: int
) -> None:
    assert ask(shared.base, "/-/api/cite", "POST", body, **fields).status == status


def test_a_form_of_another_site_cites_nothing(names: dict[str, str], running: Running) -> None:
    body = f"reference={names['utf-8']}&quote=archived".encode()
    fields = {"Content_Type": "application/x-www-form-urlencoded"}
    other = ask(running.base, "/-/cite", "POST", body, Origin="http://evil.example", **fields)
    assert other.status == 403
    own = ask(running.base, "/-/cite", "POST", body, Origin=running.base, **fields)
    assert own.status == 303
    assert own.headers["location"].startswith("/" + names["utf-8"] + "?fragment=char=")


def test_another_host_name_is_refused(shared: Running) -> None:
    assert ask(shared.base, "/", Host="evil.example").status == 400


def test_archived_pages_are_served_inert(shared_names: dict[str, str], shared: Running) -> None:
    frame = ask(shared.base, f"/-/page/{shared_names['html']}")
    policy = frame.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "sandbox allow-scripts" in policy
    assert "allow-same-origin" not in policy
    assert b"x()" not in frame.body
    assert frame.headers["referrer-policy"] == "no-referrer"
    assert frame.headers["x-dns-prefetch-control"] == "off"


def test_a_shown_page_is_made_once_and_not_sent_again(
    shared_names: dict[str, str], shared: Running
) -> None:
    path = f"/-/page/{shared_names['html']}"
    first = ask(shared.base, path)
    tag = first.headers["etag"]
    assert first.headers["cache-control"] == "no-cache"
    assert re.fullmatch(r"\w{3}, [0-9]{2} \w{3} 20.. ..:..:.. GMT", first.headers["last-modified"])
    again = ask(shared.base, path, If_None_Match=f'"x", W/{tag}')
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
    policy = "content-security-policy"
    assert again.headers[policy] == first.headers[policy]
    assert ask(shared.base, path, If_None_Match='"x"').body == first.body
    head = ask(shared.base, path, "HEAD")
    assert (head.status, head.body, head.headers["etag"]) == (200, b"", tag)
    marked = ask(shared.base, f"{path}?fragment=elt=0,0")
    assert (marked.status, marked.headers["etag"] != tag) == (200, True)
    assert ask(shared.base, f"{path}?rfc5147=char%3D0,1").headers["etag"] != tag


def test_a_page_of_an_open_name_is_asked_for_again(
    names: dict[str, str], running: Running, archive: Path
) -> None:
    document = names["html"].removesuffix(".html.1")
    for name in (document, f"{document}.html"):
        first = ask(running.base, f"/-/page/{name}")
        assert first.headers["cache-control"] == "no-cache"
        tag = first.headers["etag"]
        assert ask(running.base, f"/-/page/{name}", If_None_Match=tag).status == 304
    with Archive.open(archive) as service:
        service.lists.submissions.put(names["html"], b"<p>another", "text/html")
    changed = ask(running.base, f"/-/page/{document}.html", If_None_Match=tag)
    assert (changed.status, b"another" in changed.body) == (200, True)


def test_a_page_that_was_withdrawn_is_not_shown_from_memory(
    names: dict[str, str], running: Running, archive: Path
) -> None:
    path = f"/-/page/{names['html']}"
    tag = ask(running.base, path).headers["etag"]
    with Archive.open(archive) as service:
        service.access.withdraw(names["html"], reason="court-order", status=451)
    assert ask(running.base, path).status == 451
    assert ask(running.base, path, If_None_Match=tag).status == 451


def test_a_page_takes_the_bytes_of_its_characters() -> None:
    sizes = [_size(FramedPage("urn:pdi:x", text, "")) for text in ("x" * 2300, "\u4e2d" * 2300)]
    assert sizes[1] > 1.9 * sizes[0]
    assert _size(FramedPage("urn:pdi:x", "x" * 2300 + "\xe9", "")) < 1.1 * sizes[0]


def test_broken_requests_do_not_stop_the_server(running: Running) -> None:
    place = urlsplit(running.base)
    with socket.create_connection((place.hostname or "", place.port or 0), timeout=10) as raw:
        raw.sendall(b"GET /%zz%00\xff HTTP/1.1\r\nHost: localhost\r\n\r\n")
        raw.recv(1024)
    assert ask(running.base, "/").status == 200
