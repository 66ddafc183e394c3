"""Who may ask for what: every scope, on every route, for every level of access."""

from __future__ import annotations

import http.client
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple, Self
from urllib.parse import urlencode, urlsplit

import pytest
from tests.archives import Archive
from tests.engines import Repository
from tests.faces.conftest import served
from tests.faces.test_http import Answer, ask
from tests.faces.test_suppression import CANARY, names, requests, telling

from permacite.service.access import Choice
from permacite.service.tokens import SCOPES, Share
from permacite.web.route import READING
from permacite.web.route_table import TABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

__all__ = ["names"]  # a fixture

ELSEWHERE = {"X-Forwarded-For": "192.0.2.7"}
"""What a request has that came from another machine; nobody may say it came from this one."""
OTHER = "other.example.us"


class Asker:
    """Asks a server again and again on one connection, always with the same fields."""

    def __init__(self, base: str, fields: Mapping[str, str]) -> None:
        place = urlsplit(base)
        self._connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=30)
        self._fields = dict(fields)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def ask(
        self, path: str, method: str = "GET", body: bytes | None = None, kind: str = ""
    ) -> Answer:
        fields = self._fields | ({"Content-Type": kind} if kind else {})
        self._connection.request(method, path, body, fields)
        answer = self._connection.getresponse()
        told = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, told, answer.read())


@pytest.fixture
def secrets(archive: Path) -> dict[str, str]:
    """A token of each scope, and one of another series that may do everything there."""
    with Archive.open(archive) as held:
        held.documents.series.add(OTHER)
        made = {scope: held.access.tokens.add(scope=scope).secret for scope in SCOPES}
        return made | {"other": held.access.tokens.add(series=OTHER, scope="admin").secret}


def bearing(secret: str) -> dict[str, str]:
    """The fields of a request with a token, from another machine."""
    return ELSEWHERE | {"Authorization": f"Bearer {secret}"}


NEEDS = {route.path: route.scopes for route in TABLE}


def test_each_route_that_writes_has_a_body_limit() -> None:
    for route in TABLE:
        assert set(route.scopes.values()) <= set(SCOPES)
        assert bool(route.scopes.keys() - READING) is (route.body_bytes > 0), route.path


FOR_ALL = ("/-/search", "/-/api/search")
"""What finds words in what is open to all, whoever asks; its index is one for everybody."""
_TOMORROW = datetime.now(UTC).date() + timedelta(days=2)


LEVELS = ("public", "closed", "embargo", "building")
PLACES = {"inside": "192.0.2.7", "outside": "203.0.113.9"}
"""Where who asks is, as a proxy tells it that is believed."""
IN_BUILDING = ("--building", "192.0.2.0/24", "--forwarded-allow-ips", "127.0.0.1")
LARGE = Share(requests=1_000_000)


def sees(level: str, who: str, place: str) -> bool:
    """Whether they may see a document of the archive's own series."""
    return level == "public" or who in SCOPES or (level == "building" and place == "inside")


@pytest.mark.parametrize("level", LEVELS)
def test_what_is_closed_is_told_to_who_may_read_it_alone(
    archive: Path, names: dict[str, str], level: str, times: Callable[[int, int], int]
) -> None:
    """Every cell: scopes, routes and places for a level; one request a route, all with --deep."""
    with Archive.open(archive) as held:
        held.documents.series.add(OTHER)
        secrets = {"": ""} | {
            scope: held.access.tokens.add(scope=scope, share=LARGE).secret for scope in SCOPES
        }
        secrets["other"] = held.access.tokens.add(series=OTHER, scope="admin", share=LARGE).secret
    walk = list(requests(names))
    with served(archive, "--public", *IN_BUILDING) as running:
        with Asker(running.base, ELSEWHERE) as anybody:
            before = telling({path: anybody.ask(path) for _, path in walk})
        assert len(before) > 30, "the canaries are there"
        with Archive.open(archive) as held:
            until = _TOMORROW if level == "embargo" else None
            held.access.standing(names["document"], Choice(access=level, embargo_until=until))
        firsts = dict(reversed(walk))
        firsts |= {route: path for route, path in reversed(walk) if path in before}
        wanted = {path: route for route, path in walk}
        if times(1, 0):
            wanted = {path: wanted[path] for path in firsts.values()}
        for who, secret in secrets.items():
            for place, address in PLACES.items():
                fields = (bearing(secret) if secret else {}) | {"X-Forwarded-For": address}
                with Asker(running.base, fields) as asker:
                    found = {path: asker.ask(path) for path in wanted}
                _check(found, wanted, before, level=level, who=who, place=place)


def _check(
    found: Mapping[str, Answer],
    routes: Mapping[str, str],
    before: set[str],
    *,
    level: str,
    who: str,
    place: str,
) -> None:
    """Check that who may see a document is told, and who may not is not."""
    told = telling(dict(found))
    owned = {path for path, route in routes.items() if NEEDS[route].get("GET") == "admin"}
    if who == "admin":  # a search finds in what the owner jots down too
        owned |= {path for path in routes if path.startswith(FOR_ALL)}
    expected = before & found.keys() if sees(level, who, place) else set()
    if level != "public":
        expected = {path for path in expected if not path.startswith(FOR_ALL)}
    cell = f"{level} {who or 'nobody'} {place}"
    assert told - owned == expected - owned, cell
    assert bool(told & owned) is (who == "admin"), cell
    if who or place == "inside":
        kept = {found[path].headers["cache-control"] for path in told}
        assert kept <= {"private, no-cache", "private, no-store"}, cell


class Write(NamedTuple):
    """A request that changes something."""

    route: str
    method: str
    path: str
    body: bytes
    kind: str = "application/json"


def writes(names: Mapping[str, str]) -> Iterator[Write]:
    """Each of the routes that write, about a document."""
    form = "application/x-www-form-urlencoded"
    cited = {"reference": names["utf-8"], "quote": "words"}
    jotted = {"reference": names["document"], "kind": "tag", "text": "x"}
    name = names["html"].rpartition(".")[0]
    put = b"<p>Another version."
    yield Write("/-/api/cite", "POST", "/-/api/cite", json.dumps(cited).encode())
    yield Write("/-/cite", "POST", "/-/cite", urlencode(cited).encode(), form)
    derived = json.dumps({"reference": names["html"]}).encode()
    yield Write("/-/api/derive", "POST", "/-/api/derive", derived)
    yield Write("/{name:path}", "PUT", f"/{name}", put, "text/html")
    saved = urlencode({"to": "http://127.0.0.1:9/"}).encode()
    yield Write("/-/save", "POST", "/-/save", saved, form)
    yield Write("/-/api/captures", "POST", "/-/api/captures", b"none", "text/plain")
    yield Write("/-/api/jottings", "POST", "/-/api/jottings", json.dumps(jotted).encode())
    yield Write("/-/jottings", "POST", "/-/jottings", urlencode(jotted).encode(), form)
    yield Write("/-/api/jottings", "GET", "/-/api/jottings", b"")
    yield Write("/-/jottings", "GET", "/-/jottings", b"")


REFUSED = {401, 403, 405}
HERE = {"": "cite", "--writable": "admin", "--public": "cite"}
"""What being on this machine is worth, by the option of the server."""


def test_the_walk_takes_every_route_that_asks_for_a_scope(names: dict[str, str]) -> None:
    walked = {(each.route, each.method) for each in writes(names)}
    asking = {
        (path, method)
        for path, methods in NEEDS.items()
        for method, scope in methods.items()
        if scope != "read" and method != "HEAD"
    }
    assert walked == asking


@pytest.mark.parametrize("option", HERE)
def test_a_scope_lets_do_what_it_names_and_nothing_else(
    archive: Path, names: dict[str, str], secrets: dict[str, str], option: str
) -> None:
    callers: dict[str, dict[str, str]] = {"here": {}, "elsewhere": ELSEWHERE}
    callers |= {who: bearing(secret) for who, secret in secrets.items()}
    worth = {scope: scope for scope in SCOPES} | {"elsewhere": "read", "other": "read"}
    worth["here"] = HERE[option]
    with served(archive, *filter(None, [option])) as running:
        for who, fields in callers.items():
            with Asker(running.base, fields) as asker:
                for each in writes(names):
                    need = NEEDS[each.route][each.method]
                    answer = asker.ask(each.path, each.method, each.body, each.kind)
                    may = SCOPES.index(worth[who]) >= SCOPES.index(need)
                    where = f"{who} {each.method} {each.path} {answer.status}"
                    if each.route == "/-/api/captures" and who in {"here", "other"}:
                        # A token alone admits; of which series is in what is handed over.
                        assert answer.status == (401 if who == "here" else 415), where
                    elif (each.route, who) == ("/-/save", "other"):
                        assert answer.status == 303, "an address is of no series"
                    else:
                        assert (answer.status not in REFUSED) is may, where
    with Archive.open(archive) as held:
        assert {each.token for each in held.access.tokens.written()} <= {
            each.id for each in held.access.tokens.list()
        }


def test_who_wrote_what_is_known_until_the_person_is_forgotten(
    archive: Path, names: dict[str, str], cli: Cli
) -> None:
    secret = cli("token", "add", "--scope", "admin", "--person", "Ann Lee").out.strip()
    (token,) = json.loads(cli("token", "list", "--json").out)
    with served(archive) as running, Asker(running.base, bearing(secret)) as asker:
        for each in writes(names):
            if each.method != "GET" and each.route not in {"/-/save", "/-/api/captures"}:
                before = len(json.loads(cli("token", "written", "--json").out))
                assert asker.ask(each.path, each.method, each.body, each.kind).status < 400
                assert len(json.loads(cli("token", "written", "--json").out)) > before, each.path
    written = json.loads(cli("token", "written", token["id"], "--json").out)
    assert {each["person"] for each in written} == {"Ann Lee"}
    assert "Ann Lee" in cli("token", "written").out
    assert b"Ann Lee" not in Repository.written(archive)
    assert cli("token", "forget", token["id"]).status == 0
    assert cli("token", "forget", token["id"]).status == 1
    for path in archive.glob("tokens.sqlite*"):
        assert b"Ann Lee" not in path.read_bytes()
    after = json.loads(cli("token", "written", token["id"], "--json").out)
    assert [each["name"] for each in after] == [each["name"] for each in written]


def test_a_token_is_revoked_on_every_server_at_once(archive: Path, names: dict[str, str]) -> None:
    with Archive.open(archive) as held:
        held.access.standing(names["document"], Choice(access="closed"))
        added = held.access.tokens.add(scope="read")
        with served(archive) as one, served(archive) as two:
            for answered in (200, 401):
                for running in (one, two):
                    bearer = f"Bearer {added.secret}"
                    told = ask(running.base, f"/{names['html']}", Authorization=bearer)
                    assert told.status == answered
                if answered == 200:
                    held.access.tokens.revoke(added.token.id)


def test_a_token_has_its_share_over_all_servers(archive: Path, names: dict[str, str]) -> None:
    share = Share(requests=6, octets=1000)
    with Archive.open(archive) as held:
        secret = held.access.tokens.add(scope="cite", share=share).secret
        large = held.access.tokens.add(scope="save", share=share).secret
    bearer = f"Bearer {secret}"
    with served(archive) as one, served(archive) as two:
        path = f"/{names['html']}"
        told = [ask((one, two)[n % 2].base, path, Authorization=bearer) for n in range(16)]
        assert sorted({each.status for each in told}) == [200, 429]
        refused = next(each for each in told if each.status == 429)
        assert 0 < int(refused.headers["retry-after"]) <= 60
        assert refused.json["code"] == "rate"
        fields = {"Authorization": f"Bearer {large}", "Content_Type": "text/plain"}
        whole = ask(one.base, "/pdi://lab.example.us/", "PUT", b"a" * 1001, **fields)
        assert (whole.status, whole.json["limit"]) == (413, "token_octets")
        assert ask(one.base, "/pdi://lab.example.us/", "PUT", b"a" * 700, **fields).status == 201
        again = ask(two.base, "/pdi://lab.example.us/", "PUT", b"b" * 700, **fields)
        assert again.status == 429
        chunked = {"Transfer_Encoding": "chunked"}
        pieces = b"190\r\n" + b"c" * 400 + b"\r\n0\r\n\r\n"
        later = ask(two.base, "/pdi://lab.example.us/", "PUT", pieces, **fields, **chunked)
        assert later.status == 429


def test_a_token_of_another_series_puts_nothing_here(
    archive: Path, names: dict[str, str], secrets: dict[str, str]
) -> None:
    del names
    other = bearing(secrets["other"])
    with served(archive) as running, Asker(running.base, other) as asker:
        here = asker.ask("/pdi://lab.example.us/", "PUT", b"a", "text/plain")
        assert (here.status, here.json["reason"]) == (403, "series")
        there = asker.ask(f"/pdi://{OTHER}/", "PUT", b"a", "text/plain")
        assert there.status == 201
        assert (
            asker.ask(f"/pdi://{OTHER}/2020/01/01/9.text.1", "PUT", b"a", "text/plain").status
            == 404
        )
        assert asker.ask(f"/pdi://{OTHER}/2020/01/01/9.text.1", "DELETE").status == 405
        allowed = asker.ask(f"/{there.headers['content-location']}", "OPTIONS").headers["allow"]
        assert "PUT" in allowed


def test_a_person_signs_in_by_a_cookie_and_out(
    archive: Path, names: dict[str, str], secrets: dict[str, str]
) -> None:
    with Archive.open(archive) as held:
        held.access.standing(names["document"], Choice(access="closed"))
    with served(archive) as running, Asker(running.base, ELSEWHERE) as asker:
        form = urlencode({"token": secrets["cite"]}).encode()
        kind = "application/x-www-form-urlencoded"
        wrong = asker.ask("/-/sign-in", "POST", b"token=permacite_x", kind)
        assert wrong.status == 403
        assert "set-cookie" not in wrong.headers
        signed = asker.ask("/-/sign-in", "POST", form, kind)
        cookie, *how = signed.headers["set-cookie"].split("; ")
        assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(how)
        with Asker(running.base, ELSEWHERE | {"Cookie": cookie}) as person:
            assert CANARY in person.ask(f"/{names['html']}").body.decode()
            assert "permacite_" not in person.ask("/-/sign-in").body.decode()
            cited = urlencode({"reference": names["utf-8"], "quote": "words"}).encode()
            assert person.ask("/-/cite", "POST", cited, kind).status == 303
            out = person.ask("/-/sign-in", "POST", b"act=out", kind)
            assert "Max-Age=0" in out.headers["set-cookie"]
        with Archive.open(archive) as held:
            for token in held.access.tokens.list():
                held.access.tokens.revoke(token.id)
        with Asker(running.base, ELSEWHERE | {"Cookie": cookie}) as person:
            assert person.ask(f"/{names['html']}").status == 403
            assert person.ask("/").status == 200, "a stale cookie shuts nobody out"
