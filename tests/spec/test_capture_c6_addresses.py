"""Private and special addresses are refused, however they are written or come about (C6)."""

from __future__ import annotations

import hashlib
import socket
import ssl
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from permacite.capture import capture, fetch
from permacite.capture.address import refusal
from permacite.capture.fetcher import Fetcher
from permacite.capture.lookup import open_checked_socket
from permacite.capture.model import FetchLimits, FetchOptions
from permacite.errors import CaptureError
from permacite.loops import to_the_end

if TYPE_CHECKING:
    from tests.spec.conftest import Web

    from permacite.capture.model import Exchange

CERTIFICATE = Path(__file__).with_name("harbour.example.pem")

DENIED = [
    # clause id, address
    ("capture-c6-this-network", "0.0.0.0"),
    ("capture-c6-this-network-end", "0.255.255.255"),
    ("capture-c6-private-10", "10.1.2.3"),
    ("capture-c6-carrier-nat", "100.64.0.1"),
    ("capture-c6-carrier-nat-metadata", "100.100.100.200"),
    ("capture-c6-loopback", "127.0.0.1"),
    ("capture-c6-loopback-end", "127.255.255.254"),
    ("capture-c6-cloud-metadata", "169.254.169.254"),
    ("capture-c6-cloud-wire", "168.63.129.16"),
    ("capture-c6-private-172", "172.31.255.255"),
    ("capture-c6-assignments", "192.0.0.8"),
    ("capture-c6-assignments-nat64", "192.0.0.170"),
    ("capture-c6-documentation-1", "192.0.2.1"),
    ("capture-c6-6to4-relay", "192.88.99.1"),
    ("capture-c6-private-192", "192.168.1.1"),
    ("capture-c6-benchmarking", "198.19.0.1"),
    ("capture-c6-documentation-2", "198.51.100.7"),
    ("capture-c6-documentation-3", "203.0.113.7"),
    ("capture-c6-multicast", "224.0.0.1"),
    ("capture-c6-multicast-global", "233.252.0.1"),
    ("capture-c6-reserved", "240.0.0.1"),
    ("capture-c6-broadcast", "255.255.255.255"),
    ("capture-c6-unspecified-6", "::"),
    ("capture-c6-loopback-6", "::1"),
    ("capture-c6-compatible", "::127.0.0.1"),
    ("capture-c6-compatible-public", "::8.8.8.8"),
    ("capture-c6-mapped", "::ffff:127.0.0.1"),
    ("capture-c6-mapped-public", "::ffff:8.8.8.8"),
    ("capture-c6-translated", "::ffff:0:127.0.0.1"),
    ("capture-c6-nat64", "64:ff9b::7f00:1"),
    ("capture-c6-nat64-local", "64:ff9b:1::7f00:1"),
    ("capture-c6-discard", "100::1"),
    ("capture-c6-teredo", "2001:0:4136:e378:8000:63bf:3fff:fdd2"),
    ("capture-c6-benchmarking-6", "2001:2::1"),
    ("capture-c6-orchid", "2001:20::1"),
    ("capture-c6-documentation-6", "2001:db8::1"),
    ("capture-c6-documentation-6-new", "3fff::1"),
    ("capture-c6-6to4", "2002:7f00:1::"),
    ("capture-c6-unique-local", "fd00:ec2::254"),
    ("capture-c6-link-local", "fe80::1"),
    ("capture-c6-link-local-scope", "fe80::1%eth0"),
    ("capture-c6-site-local", "fec0::1"),
    ("capture-c6-multicast-6", "ff02::1"),
    ("capture-c6-multicast-6-global", "ff0e::1"),
    ("capture-c6-outside-unicast", "4000::1"),
    ("capture-c6-no-address", "example"),
    ("capture-c6-no-address-empty", ""),
    ("capture-c6-octal-is-no-address", "0177.0.0.1"),
]

ALLOWED = [
    ("capture-c6-public", "93.184.215.14"),
    ("capture-c6-public-low", "1.1.1.1"),
    ("capture-c6-public-before-private", "9.255.255.255"),
    ("capture-c6-public-after-private", "172.32.0.1"),
    ("capture-c6-public-6", "2606:4700::6810:84e5"),
    ("capture-c6-public-6-low", "2400:cb00::1"),
]

WRITTEN = [
    # clause id, URI that leads to this machine or a private one for some program, reason
    ("capture-c6-dotted", "http://127.0.0.1/", "address"),
    ("capture-c6-decimal", "http://2130706433/", "address"),
    ("capture-c6-hex", "http://0x7f000001/", "address"),
    ("capture-c6-hex-parts", "http://0x7f.0.0.1/", "address"),
    ("capture-c6-octal", "http://0177.0.0.1/", "address"),
    ("capture-c6-octal-whole", "http://017700000001/", "address"),
    ("capture-c6-short", "http://127.1/", "address"),
    ("capture-c6-zero", "http://0/", "address"),
    ("capture-c6-bare-hex", "http://0x/", "address"),
    ("capture-c6-trailing-dot", "http://127.0.0.1./", "address"),
    ("capture-c6-leading-zero", "http://127.000.000.001/", "address"),
    ("capture-c6-too-large", "http://127.0.0.256/", "address"),
    ("capture-c6-name-ends-in-number", "http://example.1/", "address"),
    ("capture-c6-full-width", "http://\uff11\uff12\uff17.\uff10.\uff10.\uff11/", "address"),
    ("capture-c6-full-width-dots", "http://127\u30020\u30020\u30021/", "address"),
    ("capture-c6-name", "http://localhost/", "address"),
    ("capture-c6-name-case", "http://LOCALHOST/", "address"),
    ("capture-c6-brackets", "http://[::1]/", "address"),
    ("capture-c6-brackets-mapped", "http://[::ffff:127.0.0.1]/", "address"),
    ("capture-c6-brackets-mapped-hex", "http://[::ffff:7f00:1]/", "address"),
    ("capture-c6-brackets-scope", "http://[fe80::1%25eth0]/", "syntax"),
    ("capture-c6-userinfo", "http://example.com@127.0.0.1/", "syntax"),
    ("capture-c6-userinfo-password", "http://example.com:80@127.0.0.1/", "syntax"),
    ("capture-c6-backslash", "http://127.0.0.1\\@example.com/", "address"),
    ("capture-c6-fragment-trick", "http://127.0.0.1#@example.com/", "address"),
    ("capture-c6-query-trick", "http://127.0.0.1?@example.com/", "address"),
    ("capture-c6-port", "http://127.0.0.1:8080/", "address"),
]


@pytest.mark.parametrize("address", [c[1] for c in DENIED], ids=[c[0] for c in DENIED])
def test_refuses_what_is_not_public(address: str) -> None:
    assert refusal(address)


@pytest.mark.parametrize("address", [c[1] for c in ALLOWED], ids=[c[0] for c in ALLOWED])
def test_allows_what_is_public(address: str) -> None:
    assert refusal(address) is None


@pytest.mark.parametrize(("uri", "reason"), [c[1:] for c in WRITTEN], ids=[c[0] for c in WRITTEN])
def test_refuses_however_it_is_written(uri: str, reason: str) -> None:
    with pytest.raises(CaptureError) as error:
        fetch(uri)
    assert (error.value.reason, error.value.uri) == (reason, uri)


REFUSED_ANSWERS = [
    ("capture-c6-one-private-among-public", ("93.184.215.14", "10.0.0.1")),
    ("capture-c6-private-first", ("10.0.0.1", "93.184.215.14")),
    ("capture-c6-private-v6-beside-public-v4", ("93.184.215.14", "fd00::1")),
    ("capture-c6-mapped-answer", ("::ffff:10.0.0.1",)),
]


class Names:
    """A name server: answers in turn, the last one for ever; `asked` lists the hosts."""

    def __init__(self, *answers: tuple[str, ...]) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str, _port: int) -> list[str]:  # noqa: D102 - a Lookup
        self.asked.append(host)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if not answer:
            raise OSError(f"{host}: no such host")
        return list(answer)


def _all_but_this_machine(address: str) -> str | None:
    """The real check, with a hole for the server of the test."""
    return None if address == "127.0.0.1" else refusal(address)


def _fetch_guarded(uri: str, names: Names) -> Exchange:
    async def fetched() -> Exchange:
        async with Fetcher(FetchLimits(), refuse=_all_but_this_machine, lookup=names) as fetcher:
            return await fetcher.fetch(uri)

    return to_the_end(fetched())


@pytest.mark.parametrize(
    "addresses", [c[1] for c in REFUSED_ANSWERS], ids=[c[0] for c in REFUSED_ANSWERS]
)
def test_refuses_a_name_with_any_private_address(addresses: tuple[str, ...]) -> None:
    with pytest.raises(CaptureError) as error:
        fetch("http://harbour.example/", FetchOptions(lookup=Names(addresses)))
    assert error.value.reason == "address"
    assert "harbour.example" in error.value.problem
    assert "--allow-private" in error.value.hint


def test_a_name_without_addresses_cannot_be_reached() -> None:
    with pytest.raises(CaptureError, match="does not resolve") as error:
        fetch("http://harbour.example/", FetchOptions(lookup=Names(())))
    assert error.value.reason == "connect"


def test_looks_up_once_and_keeps_the_host(web: Web) -> None:
    """capture-c6-pinned: the second answer would lead elsewhere, and is never asked for."""
    web.put("/", '<img src="a.png"><img src="b.png">')
    web.put("/a.png", b"a", "image/png")
    web.put("/b.png", b"b", "image/png")
    names = Names(("127.0.0.1",), ("10.0.0.1",))
    here = f"harbour.example:{web.port}"
    captured = capture(f"http://{here}/", FetchOptions(allow_private=True, lookup=names))
    assert len(captured.resources) == 2
    assert names.asked == ["harbour.example"]
    assert {headers["Host"] for _, headers in web.asked} == {here}
    assert captured.root.peer_address == "127.0.0.1"


REDIRECTED = [
    ("capture-c6-redirect-literal", "http://10.0.0.1/secret"),
    ("capture-c6-redirect-decimal", "http://2130706433/secret"),
    ("capture-c6-redirect-v6", "http://[::1]/secret"),
    ("capture-c6-redirect-userinfo", "http://harbour.example@10.0.0.1/"),
    ("capture-c6-redirect-relative-authority", "//192.168.0.1/"),
    ("capture-c6-redirect-name", "http://inside.example/"),
]


@pytest.mark.parametrize("location", [c[1] for c in REDIRECTED], ids=[c[0] for c in REDIRECTED])
def test_refuses_a_redirect_to_a_private_address(web: Web, location: str) -> None:
    web.redirect("/", location)
    names = Names(("127.0.0.1",), ("10.0.0.1",))
    with pytest.raises(CaptureError) as error:
        _fetch_guarded(f"http://harbour.example:{web.port}/", names)
    assert error.value.reason in {"address", "syntax"}
    assert web.paths == ["/"]


def test_refuses_at_the_socket_too() -> None:
    """capture-c6-socket: the last wall holds without the first."""
    opened = open_checked_socket(refusal)
    with pytest.raises(PermissionError, match="this machine"):
        opened((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", 80)))


def test_allow_private_opens_this_machine(web: Web) -> None:
    web.put("/", "<p>inside</p>")
    with pytest.raises(CaptureError):
        fetch(web.uri())
    assert fetch(web.uri(), FetchOptions(allow_private=True)).content == b"<p>inside</p>"


def test_proxies_of_the_environment_are_not_used(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    web.put("/", "direct")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert fetch(web.uri(), FetchOptions(allow_private=True)).content == b"direct"


def test_tls_asks_for_the_host_at_the_pinned_address(
    tls_web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """capture-c6-sni: the address is pinned, the name in the handshake is the page's."""
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    tls_web.put("/", "secret")
    uri = f"https://harbour.example:{tls_web.port}/"
    exchange = fetch(uri, FetchOptions(allow_private=True, lookup=Names(("127.0.0.1",))))
    assert exchange.content == b"secret"
    assert tls_web.names == ["harbour.example"]
    pem = CERTIFICATE.read_text()
    der = ssl.PEM_cert_to_DER_cert(pem[pem.index("-----BEGIN CERTIFICATE") :])
    assert exchange.certificate == "sha-256:" + hashlib.sha256(der).hexdigest()


UNTRUSTED = [
    ("capture-c6-tls-unknown-issuer", "harbour.example", False),
    ("capture-c6-tls-other-name", "elsewhere.example", True),
]


@pytest.mark.parametrize(
    ("host", "trusted"), [c[1:] for c in UNTRUSTED], ids=[c[0] for c in UNTRUSTED]
)
def test_a_certificate_that_does_not_hold_is_refused(
    tls_web: Web, monkeypatch: pytest.MonkeyPatch, host: str, *, trusted: bool
) -> None:
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with pytest.raises(CaptureError, match="certificate is not trusted") as error:
        fetch(
            f"https://{host}:{tls_web.port}/",
            FetchOptions(allow_private=True, lookup=Names(("127.0.0.1",))),
        )
    assert error.value.reason == "tls"
