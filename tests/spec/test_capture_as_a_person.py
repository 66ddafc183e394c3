"""What a server wants of a visitor, and gets: cookies, a referrer, patience, and credentials."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

import pytest

from permacite.capture import capture, fetch
from permacite.capture.credentials import WITHHELD, Cookie, read_credentials
from permacite.capture.model import FetchLimits, FetchOptions, body_parts
from permacite.capture.trouble import explain
from permacite.errors import CaptureError, ParseError

if TYPE_CHECKING:
    from http.server import BaseHTTPRequestHandler

    from tests.spec.conftest import Web

    from permacite.capture.credentials import Credentials
    from permacite.capture.model import Capture


def _capture(uri: str, credentials: Credentials | None = None) -> Capture:
    return capture(uri, FetchOptions(allow_private=True, credentials=credentials))


def _asked(web: Web, path: str) -> dict[str, str]:
    return next(headers for asked, headers in web.asked if asked == path)


def test_a_cookie_set_before_a_redirect_comes_back(web: Web) -> None:
    web.put("/in", "", status=302, headers=(("Location", "/page"), ("Set-Cookie", "visit=7")))
    web.put("/page", '<img src="a.png">')
    web.put("/a.png", b"", "image/png")
    captured = _capture(web.uri("/in"))
    assert [_asked(web, path).get("Cookie") for path in ("/in", "/page", "/a.png")] == [
        None,
        "visit=7",
        "visit=7",
    ]
    (sent,) = (v for name, v in captured.root.request_headers if name == "Cookie")
    assert sent == WITHHELD


def test_cookies_end_with_the_capture(web: Web) -> None:
    web.put("/", "words", headers=(("Set-Cookie", "visit=7"),))
    _capture(web.uri())
    _capture(web.uri())
    assert "Cookie" not in web.asked[-1][1]


def test_a_referrer_goes_to_its_own_origin_alone(web: Web) -> None:
    elsewhere = web.uri("/b.png").replace("127.0.0.1", "localhost")
    web.put("/page?q", f'<img src="a.png"><img src="{elsewhere}">')
    web.put("/a.png", b"", "image/png")
    web.put("/b.png", b"", "image/png")
    _capture(web.uri("/page?q#part"))
    assert _asked(web, "/a.png")["Referer"] == web.uri("/page?q")
    assert "Referer" not in _asked(web, "/page?q")
    assert "Referer" not in _asked(web, "/b.png")


LED_ON = [
    # clause id, the page, header fields
    ("element", '<meta http-equiv=Refresh content="0; url=next">', ()),
    ("comma", "<meta http-equiv=refresh content='5,\"next\"'>", ()),
    ("base", '<base href="/"><meta http-equiv=refresh content="1; next">', ()),
    ("field", "<p>moved", (("Refresh", "0; url=next"),)),
]


@pytest.mark.parametrize(("body", "headers"), [c[1:] for c in LED_ON], ids=[c[0] for c in LED_ON])
def test_a_refresh_is_followed_and_both_pages_are_kept(
    web: Web, body: str, headers: tuple[tuple[str, str], ...]
) -> None:
    first = f"<title>one moment</title>{body}"
    web.put("/", first, headers=headers)
    web.put("/next", "<title>here</title><img src=a.png>")
    web.put("/a.png", b"png", "image/png")
    captured = _capture(web.uri())
    assert captured.root.final_uri == web.uri("/next")
    assert [page.content for page in captured.led_by] == [first.encode()]
    root, others = body_parts(captured)
    assert root.content_location == web.uri("/next")
    assert [part.content_location for part in others] == [web.uri("/"), web.uri("/a.png")]
    assert captured.record()["led_by"] == [web.uri("/")]


STAYS = [
    ("itself", '<meta http-equiv=refresh content="5">'),
    ("itself-by-name", '<meta http-equiv=refresh content="5; url=/">'),
    ("late", '<meta http-equiv=refresh content="999; url=/next">'),
    ("very-late", '<meta http-equiv=refresh content="99999999999999999999; url=/next">'),
    ("no-uri", '<meta http-equiv=refresh content="0; url=http://[">'),
    ("no-seconds", '<meta http-equiv=refresh content="soon; url=/next">'),
    ("in-a-script", "<script>'<meta http-equiv=refresh content=\"0; url=/next\">'</script>"),
]


@pytest.mark.parametrize("body", [c[1] for c in STAYS], ids=[c[0] for c in STAYS])
def test_a_page_that_does_not_lead_on_is_the_page(web: Web, body: str) -> None:
    web.put("/", body)
    captured = _capture(web.uri())
    assert (captured.root.uri, captured.led_by) == (web.uri(), ())
    assert web.paths == ["/"]


def test_refreshes_that_lead_round_or_nowhere_end(web: Web) -> None:
    web.put("/", '<meta http-equiv=refresh content="0; url=/b">')
    web.put("/b", '<meta http-equiv=refresh content="0; url=/">')
    captured = _capture(web.uri())
    assert [page.uri for page in captured.led_by] == [web.uri()]
    web.put("/b", '<meta http-equiv=refresh content="0; url=/missing">')
    captured = _capture(web.uri())
    assert captured.root.uri == web.uri("/b")
    assert [(lost.uri, lost.reason) for lost in captured.failures] == [
        (web.uri("/missing"), "status")
    ]


def _busy_once(web: Web, wait: str) -> str:
    """A page that can be had the second time."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        first = web.paths.count("/") == 1
        request.send_response(503 if first else 200)
        request.send_header("Retry-After", wait)
        request.send_header("Content-Type", "text/html")
        request.send_header("Content-Length", "5")
        request.end_headers()
        request.wfile.write(b"words")

    return web.behave("/", answer)


@pytest.mark.parametrize("wait", ["0", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_comes_back_once_when_a_busy_server_says_so(web: Web, wait: str) -> None:
    assert fetch(_busy_once(web, wait), FetchOptions(allow_private=True)).content == b"words"


@pytest.mark.parametrize("wait", ["", "soon", "3600", "-1", "Wed, 99 Oct 2015"])
def test_does_not_wait_for_long_or_for_nothing(web: Web, wait: str) -> None:
    with pytest.raises(CaptureError, match="503") as caught:
        fetch(_busy_once(web, wait), FetchOptions(allow_private=True))
    assert caught.value.reason == "status"
    assert web.paths == ["/"]


def test_comes_back_no_more_than_once(web: Web) -> None:
    uri = web.put("/", "", status=429, headers=(("Retry-After", "0"),))
    with pytest.raises(CaptureError, match="429"):
        fetch(uri, FetchOptions(allow_private=True, limits=FetchLimits(wait_s=1)))
    assert web.paths == ["/", "/"]


COOKIES = """# Netscape HTTP Cookie File
#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\ts3cret
.example.org\tTRUE\t/\tTRUE\t0\tother\telsewhere
127.0.0.1\tFALSE\t/inside\tFALSE\t0\tdeep\t1
"""


def test_credentials_are_sent_to_their_origin_and_are_not_on_record(web: Web) -> None:
    elsewhere = web.uri("/b.png").replace("127.0.0.1", "localhost")
    web.put("/", f'<img src="{elsewhere}"><img src="a">', headers=(("Set-Cookie", "t=s3cret"),))
    web.redirect("/a", elsewhere)
    web.put("/b.png", b"", "image/png")
    said = read_credentials(
        "# of the intranet\n\nX-Token: s3cret\n",
        COOKIES,
        "machine 127.0.0.1 login me password s3cret\nmachine localhost login me password s3cret\n"
        "default login me password s3cret\n",
    )
    captured = _capture(web.uri(), said)
    first = _asked(web, "/")
    assert (first["X-Token"], first["Cookie"]) == ("s3cret", "session=s3cret")
    assert first["Authorization"] == "Basic bWU6czNjcmV0"
    for path, headers in web.asked:
        if path == "/b.png":
            assert not {"X-Token", "Authorization", "Cookie"} & set(headers)
    assert "s3cret" not in repr(captured.record())
    assert "s3cret" not in repr(said)
    assert captured.record()["with_credentials"] is True


FAULTS = [
    # which file, its text, what is said
    ("headers", "no field", "line 1"),
    ("headers", "Good: x\nHost: a", "Host says how an answer travels"),
    ("headers", "Bad\x00: x", "line 1"),
    ("headers", "Bad: a\x0bb", "line 1"),
    ("cookies", "a b c", "7 columns"),
    ("cookies", "a\tFALSE\t/\tFALSE\t0\tb;c\td", "name of a cookie"),
    ("passwords", "machine a login b secret c", "line 1"),
]


@pytest.mark.parametrize(("which", "text", "said"), FAULTS)
def test_what_is_no_credential_is_told_without_its_value(which: str, text: str, said: str) -> None:
    with pytest.raises(ParseError, match=said):
        read_credentials(**{which: text})


def test_a_cookie_of_a_domain_goes_below_it() -> None:
    (cookie,) = read_credentials(cookies=".a.example\tTRUE\t/\tTRUE\t0\tn\tv\n").cookies
    assert cookie == Cookie("a.example", below=True, path="/", secure=True, name="n", value="v")
    assert cookie.morsels()["n"]["domain"] == "a.example"


def test_a_server_of_http_2_alone_is_told_of(web: Web) -> None:
    """It begins with its settings (RFC 9113 §3.4), whatever it is asked."""
    settings = b"\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x80"

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(settings)

    uri = web.behave("/", answer)
    with pytest.raises(CaptureError) as caught:
        fetch(uri, FetchOptions(allow_private=True))
    assert "HTTP/2 alone" in caught.value.hint
    refused = ssl.SSLError(1, "tlsv1 alert no application protocol")
    refused.reason = "TLSV1_ALERT_NO_APPLICATION_PROTOCOL"
    assert "HTTP/2 alone" in explain(refused, "https://a.example/").hint
