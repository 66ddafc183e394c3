"""A page that a browser hands over: who may, what becomes of it, and what is refused."""

from __future__ import annotations

import io
import json
import socket
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from tests.archives import Archive
from tests.engines import Repository
from tests.faces.parcels import ADDRESS, DOCUMENT, PIECES, PNG, SERVED, TOLD, parcel
from tests.faces.test_http import ask

from permacite.errors import NotFoundError, ParseError, PermaciteError, TokenError
from permacite.service.archive import public_view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.faces.conftest import Outcome, Running

    from permacite.service.extension.taking import Taken, Uploads

pytestmark = pytest.mark.engines(deep=True)

KIND = "application/vnd.permacite.capture"


@pytest.fixture
def service(archive: Path) -> Iterator[Archive]:
    """An open archive."""
    with Archive.open(archive) as opened:
        yield opened


def take(service: Archive, content: bytes) -> Taken:
    """Hand a parcel over, with a token of its own."""
    added = service.access.tokens.add()
    uploads: Uploads = service.lists.importer("extension")
    return uploads.take(io.BytesIO(content), service.access.tokens.find(added.secret))


def test_a_page_is_committed_as_served_and_as_drawn_and_its_words_are_cited(
    service: Archive,
) -> None:
    taken = take(service, parcel())
    formats = {each.format: each for each in taken.saved.document.formats}
    assert set(formats) == {"html", "utf-8", "related", "multipart+drawn", "text+drawn", "png"}
    assert service.resolve(formats["html"].pdi).content == SERVED
    assert taken.cited is not None
    assert taken.cited.quote == "tides <rise>"
    assert taken.cited.reference == f"{formats['text+drawn'].pdi}#char=7,19"
    assert service.resolve(taken.cited.reference).text == "tides <rise>"
    assert (taken.way, taken.account, taken.not_cited) == ("received", False, "")
    record = service.documents.show(taken.saved.pdi).provenance["drawing"]
    assert isinstance(record, dict)
    assert record["by"] == "a person's own browser"
    assert record["left_out"] == {"script": 2}
    assert (record["octets"], record["had"]) == ("received", {"cache": 1, "memory": 1})


def test_places_count_as_browsers_do(service: Archive) -> None:
    taken = take(service, parcel(cite={"selection": [0, 0, 27, 1, 8]}))
    assert taken.cited is not None
    assert taken.cited.quote == "\U0001f30a twice.\r\nA second"


def test_a_page_whose_octets_were_not_had_is_kept_as_drawn_alone(service: Archive) -> None:
    taken = take(service, parcel(page=None, answers=[], way="drawn"))
    formats = {each.format for each in taken.saved.document.formats}
    assert formats == {"multipart+drawn", "text+drawn", "png"}
    assert taken.way == "drawn"
    assert taken.cited is not None
    assert taken.saved.document.title == "Tides"
    assert service.verify(taken.cited.reference).ok
    again = service.cite(taken.saved.pdi, quote="A second line")
    assert service.resolve(again.reference).text == "A second line"


def test_a_part_of_the_picture_is_cited(service: Archive) -> None:
    taken = take(service, parcel(cite={"picture": [0, 0, 1, 1]}))
    assert taken.cited is not None
    assert taken.cited.reference.endswith(".png.1#rect=(0,0),(1,1)")


def test_what_is_selected_and_was_not_drawn_is_told_and_the_page_is_kept(service: Archive) -> None:
    taken = take(service, parcel(cite={"selection": [0, 1, 3, 1, 3]}))
    assert taken.cited is None
    assert taken.not_cited == "what is selected is no words that are drawn"
    assert service.documents.show(taken.saved.pdi).versions == (1,)


def test_an_account_closes_the_page_and_is_told(service: Archive) -> None:
    taken = take(service, parcel(account=True))
    assert taken.cited is not None
    assert service.access.standing(taken.saved.pdi).standing.access == "closed"
    assert "an account" in " ".join(taken.saved.warnings)
    assert "archive-url" not in taken.cited.forms.wiki
    assert "an account" in " ".join(taken.cited.forms.warnings)
    with pytest.raises(PermaciteError):
        public_view(service).resolve(taken.cited.reference)
    unsaid = take(service, parcel(account=None, key="another-key"))
    assert unsaid.account, "where nothing is said there may be one"


def test_pages_of_an_account_and_open_ones_are_different_documents(service: Archive) -> None:
    seen = take(service, parcel(account=True)).saved.document.pdi
    open_ = take(service, parcel(key="key-number-2")).saved.document.pdi
    pieces = (*PIECES[:2], SERVED + b"later")
    assert seen != open_
    assert take(service, parcel(pieces, account=True)).saved.document.pdi.startswith(seen[:-1])
    assert service.access.standing(open_).standing.access == "public"


def test_the_same_parcel_again_is_the_same_page(service: Archive) -> None:
    first, again = (take(service, parcel()) for _ in range(2))
    assert again.saved.pdi == first.saved.pdi
    assert again.saved.unchanged
    assert again.cited == first.cited or again.cited.reference == first.cited.reference  # type: ignore[union-attr]


def changed(**changes: Any) -> bytes:
    """Return a parcel with another document."""
    return parcel((json.dumps({**DOCUMENT, **changes}).encode(), *PIECES[1:]))


def answer(**changes: Any) -> bytes:
    """Return a parcel with another first answer."""
    return parcel(answers=[{**TOLD["answers"][0], **changes}])  # type: ignore[index]


REFUSED = {
    "nothing": b"",
    "another form": b"permacite-capture/2\n{}\n",
    "no line": b"permacite-capture/1\n{",
    "no JSON": b"permacite-capture/1\n{]\n",
    "too deep": b"permacite-capture/1\n" + b"[" * 100_000 + b"\n",
    "cut off": parcel()[:-1],
    "more behind": parcel() + b"x",
    "another octet": parcel()[:-1] + b"X",
    "no pieces": parcel(octets=None),
    "negative": parcel(octets=[[-1, "sha-256:"]]),
    "half a character": parcel(agent="\ud800"),
    "no address": parcel(uri="javascript:alert(1)"),
    "a password": parcel(uri="https://ann:secret@tides.example/"),
    "an address of two lines": parcel(uri="https://tides.example/\r\nX: y"),
    "no time": parcel(started_at="yesterday"),
    "an endless time": parcel(duration_s=1e300),
    "no way": parcel(way="magic"),
    "no such answer": parcel(page=7),
    "no such piece": parcel(view=7),
    "no page": parcel(documents=[]),
    "numbers backwards": parcel(documents=[{"number": -1, "piece": 0}]),
    "no key": parcel(key=None),
    "a cookie": answer(fields=[["Set-Cookie", "a=b"]]),
    "a field of two lines": answer(fields=[["A", "b\r\nSet-Cookie: a=b"]]),
    "a failed answer": answer(status=404),
    "no fields": answer(fields=7),
    "an even number of pieces": changed(pieces=["a", "b"]),
    "numbers for texts": changed(pieces=[1]),
    "another flow": changed(flow=[0, 99, 0]),
    "no parts": changed(parts=7),
    "a clip of words": changed(parts=[{"clip": ["a", 0, 0, 0]}]),
    "an endless view": changed(size=[1e999, 0, 1]),
    "a view beyond numbers": changed(size=[10**20, 0, 1]),
    "a count beyond numbers": changed(left=[["blob", 10**20]]),
    "half a selection": parcel(cite={"selection": [0, 1]}),
    "no object to cite": parcel(cite=7),
    "a text that is not there": parcel(cite={"picture": [0, 0, -1, 1]}),
}


@pytest.mark.parametrize("content", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_parcel_is_refused_and_nothing_is_committed(
    service: Archive, content: bytes
) -> None:
    with pytest.raises(ParseError):
        take(service, content)
    assert service.documents.about().documents == 0


def test_a_token_lets_its_bearer_save_until_it_is_revoked(
    cli: Callable[..., Outcome], archive: Path, service: Archive
) -> None:
    secret = cli("token", "add", "--note", "the laptop").out.strip()
    (listed,) = json.loads(cli("token", "list", "--json").out)
    assert listed["note"] == "the laptop"
    assert secret not in json.dumps(listed)
    assert "the laptop" in cli("token", "list").out
    assert secret.encode() not in (archive / "tokens.sqlite").read_bytes()
    assert (archive / "tokens.sqlite").stat().st_mode & 0o777 == 0o600
    assert service.access.tokens.find(secret).id == listed["id"]
    assert cli("token", "revoke", listed["id"]).status == 0
    assert cli("token", "revoke", listed["id"]).status == 1
    with pytest.raises(TokenError):
        service.access.tokens.find(secret)
    assert cli("token", "add", "--series", "other.us").status == 1


def test_no_copy_has_a_token(service: Archive, archive: Path, tmp_path: Path) -> None:
    service.access.tokens.add()
    service.copies.backup(tmp_path / "copy")
    assert not (tmp_path / "copy" / "tokens.sqlite").exists()
    assert b" token " not in Repository.written(archive)


def test_a_token_of_another_series_is_refused(service: Archive) -> None:
    with pytest.raises(TokenError) as refused:
        take(service, parcel(series="other.us"))
    assert refused.value.reason == "series"
    with pytest.raises(NotFoundError):
        service.access.tokens.revoke("none")


def test_the_route_takes_what_a_token_admits_from_any_origin(
    running: Running, service: Archive
) -> None:
    secret = service.access.tokens.add(note="mine").secret
    fields = {
        "Authorization": f"Bearer {secret}",
        "Origin": "chrome-extension://abc",
        "Sec_Fetch_Site": "cross-site",
    }
    told = ask(running.base, "/-/api/token", "GET", None, **fields)
    assert (told.json["series"], told.json["scope"]) == ("lab.example.us", "save")
    asked = ask(running.base, "/-/api/captures", "OPTIONS", Origin="https://a.example")
    assert asked.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in asked.headers
    posted = ask(running.base, "/-/api/captures", "POST", parcel(), Content_Type=KIND, **fields)
    assert posted.status == 201
    assert posted.headers["access-control-allow-origin"] == "*"
    assert posted.json["cited"]["quote"] == "tides <rise>"
    assert ask(running.base, f"/{posted.json['saved']['pdi']}?view=reader").status == 200
    cut = ask(running.base, "/-/api/captures", "POST", parcel()[:-9], Content_Type=KIND, **fields)
    assert (cut.status, cut.json["code"]) == (400, "syntax")
    assert "cut off" in cut.json["detail"]
    other = ask(running.base, "/-/api/captures", "POST", parcel(), **fields)
    assert other.status == 415
    nobody = ask(running.base, "/-/api/captures", "POST", parcel(), Content_Type=KIND)
    assert (nobody.status, nobody.json["reason"]) == (401, "missing")
    assert nobody.headers["www-authenticate"] == "Bearer"
    service.access.tokens.revoke(service.access.tokens.list()[0].id)
    gone = ask(running.base, "/-/api/captures", "POST", parcel(), Content_Type=KIND, **fields)
    assert (gone.status, gone.json["reason"]) == (401, "unknown")
    assert gone.headers["access-control-allow-origin"] == "*"


def test_a_page_as_drawn_alone_is_shown(running: Running, service: Archive) -> None:
    taken = take(service, parcel((PIECES[0], PNG), page=None, answers=[], way="drawn"))
    shown = ask(running.base, f"/{taken.saved.pdi}?view=reader")
    assert shown.status == 200
    assert ADDRESS.encode() in shown.body
    assert ask(running.base, f"/{taken.saved.document.pdi}?view=reader").status == 200


def test_nothing_half_is_committed_where_a_browser_is_closed_in_the_middle(
    running: Running, service: Archive, archive: Path
) -> None:
    secret = service.access.tokens.add().secret
    place = urlsplit(running.base)
    for size, sent in ((len(parcel()), parcel()[:-100]), (10**10, b"")):
        with socket.create_connection((place.hostname, place.port), timeout=20) as browser:
            lines = (
                "POST /-/api/captures HTTP/1.1",
                f"Host: {place.netloc}",
                f"Authorization: Bearer {secret}",
                f"Content-Type: {KIND}",
                f"Content-Length: {size}",
            )
            browser.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + sent)
            if not sent:
                assert b" 413 " in browser.recv(4096).split(b"\r\n")[0]
    for number in range(5):  # more than may come in at once: none is still counted
        posted = ask(
            running.base,
            "/-/api/captures",
            "POST",
            parcel(key=f"number-{number}"),
            Content_Type=KIND,
            Authorization=f"Bearer {secret}",
        )
        assert posted.status in {200, 201}
    assert service.documents.about().documents == 1
    assert list(archive.glob("tmp*")) == []
