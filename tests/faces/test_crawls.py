"""Pages out of WARC and ARC files: what is kept, what is claimed, and what is wrong with files."""

from __future__ import annotations

import gzip
import io
import json
from itertools import islice
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.crawled import DATE, HTML, PNG, answer, crawl, info, packed, record, response, sha1
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from permacite.service.exchange.crawls import DERIVED_FROM, Crawl
from permacite.service.ingest.options import CommitOptions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Site

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

PAGE = "http://a.example/"
OTHER = "http://a.example/b.html"


def imported(cli: Cli, path: Path, *options: str) -> list[dict[str, object]]:
    """Import a file, and return what was saved."""
    outcome = cli("import", str(path), "--json", *options)
    assert outcome.status == 0, outcome.err
    saved: list[dict[str, object]] = json.loads(outcome.out)
    return saved


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A crawl of two pages."""
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(packed(crawl()))
    return path


def test_pages_are_kept_with_what_they_show(cli: Cli, file: Path) -> None:
    first, second = imported(cli, file)
    assert (first["parts"], second["parts"], first["lost"]) == (3, 1, [])
    shown = json.loads(cli("show", str(first["pdi"]), "--json").out)
    assert shown["document"]["uri"] == PAGE
    assert shown["document"]["retrieved_at"] == "2020-02-03T04:05:06Z"
    assert shown["document"]["reported"] == {
        "file": "crawl.warc.gz",
        "software": "Crawler/1.0",
        "shows": "received",
    }
    origin = shown["provenance"]["imported"]
    assert origin["format"] == "WARC/1.1"
    assert origin["claimed_at"] == "2020-02-03T04:05:06Z"
    assert origin["digests_checked"] == ["block"]


def test_citations_say_who_captured(cli: Cli, file: Path) -> None:
    first, _ = imported(cli, file)
    cited = cli("cite", str(first["pdi"]), "--quote", "tide is high")
    assert "as captured by Crawler/1.0, from crawl.warc.gz" in cited.out
    told = cli("show", str(first["pdi"])).out
    assert "claimed " in told
    assert "retrieved " not in told


def test_a_crawl_again_adds_nothing(cli: Cli, file: Path, tmp_path: Path) -> None:
    names = [each["pdi"] for each in imported(cli, file)]
    again = imported(cli, file)
    assert [(each["pdi"], each["unchanged"]) for each in again] == [(n, True) for n in names]
    plain = tmp_path / "other.warc"
    plain.write_bytes(b"".join(crawl()))
    assert [each["pdi"] for each in imported(cli, plain)] == names
    assert json.loads(cli("list", "--json").out)["total"] == 2


def test_a_crawl_goes_on_where_it_was_cut_off(archive: Path, file: Path) -> None:
    with Archive.open(archive) as service, Crawl([file]) as pages:
        begun = [
            outcome
            for _, outcome in islice(
                service.lists.importer("crawls").add(pages, CommitOptions()), 1
            )
        ]
    with Archive.open(archive) as service, Crawl([file]) as pages:
        outcomes = [
            outcome for _, outcome in service.lists.importer("crawls").add(pages, CommitOptions())
        ]
        assert [getattr(each, "unchanged", None) for each in outcomes] == [True, False]
        assert outcomes[0].pdi == begun[0].pdi
        assert service.documents.list().total == 2


def test_pages_are_chosen(cli: Cli, file: Path) -> None:
    listed = json.loads(cli("import", str(file), "--list-pages", "--json").out)
    assert [each["uri"] for each in listed] == [PAGE, OTHER]
    assert json.loads(cli("list", "--json").out)["total"] == 0
    (only,) = imported(cli, file, "--page", "*b.html")
    assert only["document"]["title"] == "B"  # type: ignore[index]
    (picture,) = imported(cli, file, "--page", "http://a.example/a.png")
    assert str(picture["pdi"]).endswith(".png.1")
    missing = cli("import", str(file), "--page", "http://a.example/none")
    assert missing.status == 1
    assert "no page of these files has this address" in missing.err


def test_versions_stand_in_the_order_of_their_dates(cli: Cli, tmp_path: Path) -> None:
    for year in ("2021", "2019", "2020"):
        path = tmp_path / f"{year}.warc"
        body = f"<title>T</title>{year}".encode()
        path.write_bytes(info() + response(PAGE, body, WARC_Date=f"{year}-01-01T00:00:00Z"))
        imported(cli, path)
    found = cli("resolve", PAGE, "--at", "2019-06-01")
    assert "2019" in found.out
    assert json.loads(cli("list", "--json").out)["total"] == 1


def test_what_others_made_of_a_page_is_a_document(archive: Path, cli: Cli, tmp_path: Path) -> None:
    words = b"The tide is high, says a page."
    page = response(PAGE, HTML)
    fields = {
        "WARC_Refers_To": f"<urn:test:response:{PAGE}:>",
        "WARC_Payload_Digest": sha1(words),
        "Content_Type": "text/plain",
    }
    text = record("conversion", PAGE, words, **fields)
    lost = record("conversion", OTHER, b"Of a page that is not here.", Content_Type="text/plain")
    same = record("conversion", PAGE, HTML, **fields | {"WARC_Payload_Digest": ""})
    damaged = text.replace(b"is high", b"is nigh")
    (tmp_path / "a.warc").write_bytes(page + text + damaged + same + lost)
    outcome = cli("import", str(tmp_path / "a.warc"), "--json")
    saved, made, orphan = json.loads(outcome.out)
    origin = json.loads(cli("show", saved["pdi"], "--json").out)["provenance"]["imported"]
    assert origin["conversions"][0] == {
        "media_type": "text/plain",
        "record": f"<urn:test:conversion:{PAGE}:>",
        "claimed_at": DATE,
        "digest": sha1(words),
    }
    assert "its octets are not those of its block digest" in outcome.err
    with Archive.open(archive) as service:
        (stated,) = service.annotations.statements.about(made["pdi"])
        assert (stated.predicate, stated.object) == (DERIVED_FROM, saved["pdi"])
        assert service.resolve(made["pdi"]).content == words
        assert not service.annotations.statements.about(orphan["pdi"])
        assert service.documents.list().total == 3
    told = json.loads(cli("show", made["pdi"], "--json").out)
    assert told["document"]["reported"]["shows"] == "converted"
    assert (told["document"]["uri"], told["document"]["retrieved_at"]) == (None, DATE)
    again = json.loads(cli("import", str(tmp_path / "a.warc"), "--json").out)
    assert [each["unchanged"] for each in again] == [True] * 3
    with Archive.open(archive) as service:
        assert len(service.annotations.statements.about(made["pdi"])) == 1


def test_an_arc_file_is_read(cli: Cli, tmp_path: Path) -> None:
    block = answer(b"<title>Old</title>words", "text/html")
    line = f"http://a.example/ 192.0.2.1 20010203040506 text/html {len(block)}\n".encode()
    head = b"filedesc://a.arc 0.0.0.0 20010203040506 text/plain 9\n1 0 IA\n\n\n"
    for name, content in (
        ("a.arc", head + line + block + b"\n"),
        ("b.arc.gz", gzip.compress(head) + gzip.compress(line + block + b"\n")),
    ):
        (tmp_path / name).write_bytes(content)
        (saved,) = imported(cli, tmp_path / name, "--new")
        assert saved["document"]["title"] == "Old"  # type: ignore[index]
        assert saved["document"]["retrieved_at"] == "2001-02-03T04:05:06Z"  # type: ignore[index]


def test_a_revisit_shows_what_it_names(cli: Cli, tmp_path: Path) -> None:
    digest = sha1(HTML)
    later = "2020-03-01T00:00:00Z"
    head = answer(b"", "text/html").replace(b": 0", b": 89")
    again = record("revisit", OTHER, head, WARC_Date=later, WARC_Payload_Digest=digest)
    path = tmp_path / "a.warc"
    path.write_bytes(again + response(PAGE, HTML, WARC_Payload_Digest=digest))
    saved = imported(cli, path, "--page", OTHER)
    assert saved[0]["document"]["title"] == "Tide"  # type: ignore[index]
    path.write_bytes(again)
    outcome = cli("import", str(path), "--page", OTHER)
    assert outcome.status == 0 or "not in the file" in outcome.err


def test_codings_and_redirects_are_followed(cli: Cli, tmp_path: Path) -> None:
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(HTML), HTML)
    whole = gzip.compress(HTML)
    moved = answer(b"", "text/css", "301 Moved", "Location: /t.css")
    records = [
        record(
            "response", PAGE, answer(chunks, "text/html", "200 OK", "Transfer-Encoding: chunked")
        ),
        record("response", OTHER, answer(whole, "text/html", "200 OK", "Content-Encoding: gzip")),
        record("response", PAGE + "s.css", moved),
        response(PAGE + "t.css", b"p {}", "text/css"),
    ]
    path = tmp_path / "a.warc.gz"
    path.write_bytes(packed(records))
    first, second = imported(cli, path)
    assert [first["document"]["title"], second["document"]["title"]] == ["Tide", "Tide"]  # type: ignore[index]
    assert first["parts"] == 2
    assert [each["reason"] for each in first["lost"]] == ["not-captured"]  # type: ignore[attr-defined]


def test_cookies_of_a_crawl_are_not_on_record(cli: Cli, tmp_path: Path) -> None:
    asked = (
        b"GET / HTTP/1.1\r\nHost: a.example\r\nCookie: secret-7\r\nAuthorization: secret-8\r\n\r\n"
    )
    block = answer(HTML, "text/html", "200 OK", "Set-Cookie: secret-9")
    own = record("response", PAGE, block)
    request = record("request", PAGE, asked, WARC_Concurrent_To=f"<urn:test:response:{PAGE}:>")
    path = tmp_path / "a.warc"
    path.write_bytes(own + request)
    (saved,) = imported(cli, path)
    shown = cli("show", str(saved["pdi"]), "--json").out
    assert "a.example" in shown
    assert "Host" in shown
    assert "secret" not in shown


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_warcio_writes_is_read(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "w.warc.gz"
    with path.open("wb") as stream:
        writer = WARCWriter(stream, gzip=True)
        writer.write_record(writer.create_warcinfo_record("w", {"software": "warcio"}))
        fields = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        writer.write_record(
            writer.create_warc_record(
                PAGE, "response", payload=io.BytesIO(HTML), http_headers=fields
            )
        )
        writer.write_record(
            writer.create_warc_record(
                OTHER,
                "resource",
                payload=io.BytesIO(b"<title>R</title>x"),
                warc_content_type="text/html",
            )
        )
    first, second = imported(cli, path)
    shown = [
        json.loads(cli("show", str(each["pdi"]), "--json").out)["provenance"]["imported"]
        for each in (first, second)
    ]
    assert [each["shows"] for each in shown] == ["received", "reported"]
    assert [each["digests_checked"] for each in shown] == [["block", "payload"]] * 2


def altered(place: int, old: bytes, new: bytes) -> list[bytes]:
    """The records of a crawl, one of them changed."""
    records = crawl()
    assert old in records[place]
    records[place] = records[place].replace(old, new)
    return records


LENGTH = f"Content-Length: {len(answer(HTML, 'text/html'))}".encode()
ALTERED = [
    # what was altered, the file, how many pages are read, how many records are damaged
    ("nothing", b"".join(crawl()), 2, 0),
    ("cut off in a block", b"".join(crawl())[:-40], 1, 1),
    ("cut off in a head", b"".join(crawl()[:4]) + crawl()[4][:60], 1, 1),
    ("cut off, packed", packed(crawl())[:-60], 1, 1),
    ("cut off behind a record", b"".join(crawl()).rstrip(), 2, 0),
    ("a length too long", b"".join(altered(1, LENGTH, b"Content-Length: 200")), 1, 1),
    ("a length beyond the file", b"".join(altered(1, LENGTH, b"Content-Length: 99999")), 1, 1),
    ("a length too short", b"".join(altered(1, LENGTH, b"Content-Length: 100")), 1, 1),
    ("a length too long, packed", packed(altered(1, LENGTH, b"Content-Length: 9999")), 1, 1),
    ("no length", b"".join(altered(1, LENGTH, b"Content-Size: 1")), 1, 1),
    ("a length of letters", b"".join(altered(1, LENGTH, b"Content-Length: many")), 1, 1),
    ("another octet", b"".join(altered(1, b"is high", b"is nigh")), 1, 1),
    ("another digest", b"".join(altered(1, b"sha1:", b"sha1:A")), 1, 1),
    ("an unknown digest", b"".join(altered(1, b"sha1:", b"blake9:")), 2, 0),
    ("no date", b"".join(altered(1, b"WARC-Date: 2020", b"WARC-Date: MMXX")), 1, 1),
    ("a month too many", b"".join(altered(1, b"2020-02-03", b"2020-13-03")), 1, 1),
    ("no address", b"".join(altered(1, b"WARC-Target-URI", b"WARC-Target")), 1, 0),
    ("in another order", b"".join(reversed(crawl())), 2, 0),
    ("packed as one", gzip.compress(b"".join(crawl())), 2, 0),
    ("another version", b"".join(altered(1, b"WARC/1.1", b"WARC/9.9")), 1, 1),
    ("noise between", b"\0noise\n".join(crawl()), 2, 4),
    ("a broken member", packed(crawl()[:2])[:-90] + packed(crawl()[2:]), 1, 1),
    ("a status that is none", b"".join(altered(1, b"HTTP/1.1 200", b"HTTP/1.1 two")), 1, 1),
]


@pytest.mark.parametrize(
    ("content", "pages", "damaged"), [row[1:] for row in ALTERED], ids=[row[0] for row in ALTERED]
)
def test_what_is_altered(tmp_path: Path, content: bytes, pages: int, damaged: int) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(content)
    with Crawl([path]) as crawled:
        assert [each.uri for each in crawled.pages()][-pages:][-1:] != []
        assert (len(list(crawled.pages())), crawled.unread().damaged) == (pages, damaged), (
            crawled.unread()
        )


def test_damage_is_told_and_the_rest_is_kept(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(altered(2, b"red", b"rod")))
    outcome = cli("import", str(path))
    assert outcome.status == 1
    assert "2 pages imported, 0 refused" in outcome.err
    assert f"{PAGE}s.css: its octets are not those of its block digest" in outcome.err
    assert json.loads(cli("list", "--json").out)["total"] == 2


def test_what_unpacks_to_too_much_is_left_out(cli: Cli, tmp_path: Path) -> None:
    bomb = gzip.compress(bytes(60 * 1024 * 1024))
    block = answer(bomb, "image/png", "200 OK", "Content-Encoding: gzip")
    path = tmp_path / "a.warc.gz"
    path.write_bytes(packed([response(PAGE, HTML), record("response", PAGE + "a.png", block)]))
    (saved,) = imported(cli, path)
    reasons = {each["uri"]: each["reason"] for each in saved["lost"]}  # type: ignore[attr-defined]
    assert reasons == {PAGE + "s.css": "not-captured", PAGE + "a.png": "size"}


def test_a_picture_is_no_page(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(response(PAGE, PNG, "image/png"))
    outcome = cli("import", str(path))
    assert outcome.status == 1
    assert "no page is in these files" in outcome.err


def test_what_is_exported_comes_back(cli: Cli, site: Site, tmp_path: Path) -> None:
    site.put("/s.css", "text/css", "p { color: red }")
    address = site.put("/", "text/html", HTML)
    saved = json.loads(cli("save", address, "--allow-private", "--json").out)
    assert cli("export", "--warc", str(tmp_path / "a.warc.gz")).status == 0
    other = ("--archive", tmp_path / "other")
    assert cli("init", tmp_path / "other", "--series", "other.zz").status == 0
    (again,) = json.loads(cli(*other, "import", str(tmp_path / "a.warc.gz"), "--json").out)
    digests = [
        {item["format"]: item["digest"] for item in each["document"]["formats"]}
        for each in (saved, again)
    ]
    assert digests[0] == digests[1]
    shown = json.loads(cli(*other, "show", again["pdi"], "--json").out)
    assert shown["provenance"]["imported"]["metadata"]["pdi"] == saved["pdi"]
    before, after = (
        each["document"]["retrieved_at"][:19]
        for each in (json.loads(cli("show", saved["pdi"], "--json").out), shown)
    )
    assert after >= before
