"""Address check: hosts and addresses that a capture may connect to, with the reason of a refusal.

An address is allowed only when it is a public unicast address of the internet. The table below
names every range that is not, because `ipaddress.is_global` alone lets some of them through, and
which ones depends on the version of Python.

Sources: the IANA special-purpose address registries (RFC 6890), RFC 6761 and RFC 8375 (names),
RFC 6762 App. G (names that local networks took), RFC 6052 §2.1 (NAT64), RFC 3056
(6to4), RFC 4380 (Teredo), RFC 3879 (site-local), RFC 4291 §2.5.5 (IPv4-compatible, IPv4-mapped).

Deviations: letters beyond ASCII in a query are sent as UTF-8 whatever the charset of their page,
where browsers use the page's.
"""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network

from permacite.errors import CaptureError, ParseError
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern
from permacite.uri import from_iri, normalize, resolve

__all__ = ["FetchTarget", "absolute", "comparable", "parse_target", "refusal", "unreachable"]

_DENIED_4 = tuple(
    (IPv4Network(network), what)
    for network, what in (
        ("0.0.0.0/8", "part of this network"),
        ("10.0.0.0/8", "part of a private network"),
        ("100.64.0.0/10", "part of a carrier's network"),
        ("127.0.0.0/8", "this machine"),
        ("168.63.129.16/32", "a cloud's metadata service"),
        ("169.254.0.0/16", "on the local link, where metadata services answer"),
        ("172.16.0.0/12", "part of a private network"),
        ("192.0.0.0/24", "reserved for protocols"),
        ("192.0.2.0/24", "for documentation only"),
        ("192.31.196.0/24", "a sink of name servers"),
        ("192.52.193.0/24", "a multicast tunnel"),
        ("192.88.99.0/24", "a 6to4 relay"),
        ("192.168.0.0/16", "part of a private network"),
        ("192.175.48.0/24", "a sink of name servers"),
        ("198.18.0.0/15", "for benchmarks only"),
        ("198.51.100.0/24", "for documentation only"),
        ("203.0.113.0/24", "for documentation only"),
        ("224.0.0.0/4", "a multicast group"),
        ("240.0.0.0/4", "reserved"),
    )
)

_PUBLIC_6 = IPv6Network("2000::/3")
"""The only block that global unicast addresses are given out from."""

_DENIED_6 = tuple(
    (IPv6Network(network), what)
    for network, what in (
        ("::/128", "no address"),
        ("::1/128", "this machine"),
        ("::/96", "an IPv4 address in IPv6 clothes"),
        ("::ffff:0:0/96", "an IPv4 address in IPv6 clothes"),
        ("::ffff:0:0:0/96", "an IPv4 address in IPv6 clothes"),
        ("64:ff9b::/96", "an IPv4 address behind NAT64"),
        ("64:ff9b:1::/48", "an IPv4 address behind NAT64"),
        ("100::/64", "a sink of traffic"),
        ("2001::/32", "a Teredo tunnel"),
        ("2001::/23", "reserved for protocols"),
        ("2001:db8::/32", "for documentation only"),
        ("2002::/16", "a 6to4 tunnel"),
        ("2620:4f:8000::/48", "a sink of name servers"),
        ("3fff::/20", "for documentation only"),
        ("fc00::/7", "part of a private network"),
        ("fe80::/10", "on the local link"),
        ("fec0::/10", "part of a site's network"),
        ("ff00::/8", "a multicast group"),
    )
)


def refusal(address: str) -> str | None:
    """Say in a few words what `address` is if it is not public; None where it is.

    `address` is text as a resolver or a socket gives it, a scope such as `%eth0` included.
    Text that is no address is refused too.
    """
    plain = address.partition("%")[0]
    try:
        return _refusal_6(IPv6Address(plain)) if ":" in plain else _refusal_4(IPv4Address(plain))
    except AddressValueError:
        return "no address at all"


def _refusal_4(address: IPv4Address) -> str | None:
    for network, what in _DENIED_4:
        if address in network:
            return what
    return None if address.is_global else "reserved"


def _refusal_6(address: IPv6Address) -> str | None:
    for network, what in _DENIED_6:
        if address in network:
            return what
    return None if address in _PUBLIC_6 and address.is_global else "reserved"


_LOCAL_NAMES = frozenset(
    [
        "corp",
        "home",
        "home.arpa",
        "internal",
        "intranet",
        "invalid",
        "lan",
        "local",
        "localhost",
        "private",
        "test",
    ]
)
"""Domains that mean something else, or nothing, in each network (RFC 6761, RFC 6762 App. G)."""


def unreachable(uri: str) -> str | None:
    """Say in a few words why others cannot open `uri`; None where they may.

    Nothing is looked up: a name that looks public is taken for one.
    """
    try:
        target = parse_target(absolute(uri))
    except (CaptureError, ParseError) as error:
        return f"{uri} is no address of the web: {error}"
    if target.literal:
        what = refusal(target.host)
        return what and f"{target.host} is {what}"
    labels = target.host.removesuffix(".").split(".")
    if len(labels) == 1 or not _LOCAL_NAMES.isdisjoint((labels[-1], ".".join(labels[-2:]))):
        return f"{target.host} is a name of this machine or its network"
    return None


def absolute(reference: str, base: str = "") -> str:
    """Return the URI that a browser asks for, without fragment; `base` "" for what users type.

    Illegal characters are encoded, a backslash in a path counts as a slash, and `http:g` is
    relative, all as browsers do it. Raises ParseError where nothing comes of it.
    """
    document = re.split(r"[?#]", reference, maxsplit=1)[0]
    reference = document.replace("\\", "/") + reference[len(document) :]
    legal = from_iri(reference, "rfc3986")
    if base:
        legal = str(resolve(legal, base, profile="rfc3986", same_scheme="loose").reference)
    return legal.partition("#")[0]


def comparable(uri: str) -> str:
    """A URI as it is compared: browsers and we escape different characters."""
    try:
        # Of what we do not escape, browsers escape this one, in queries (URL Standard §1.3).
        return str(normalize(absolute(uri), "scheme", "rfc3986")).replace("%27", "'")
    except ParseError:
        return uri


@dataclass(frozen=True, slots=True)
class FetchTarget:
    """What a request goes to: `uri` without its fragment, and the parts that a socket needs.

    `host` is lower case, an IPv6 literal without its brackets; `literal`: it is an address.
    """

    uri: str
    scheme: str
    host: str
    port: int
    literal: bool


_HTTP_URI = compile_pattern(
    r"(?P<scheme>https?)://(?P<authority>[^/?#\\]*)(?P<rest>[^#]*)", re.IGNORECASE
)
_AUTHORITY = compile_pattern(
    r"(?:\[(?P<six>[0-9A-Fa-f:.]{2,45})\]|(?P<name>[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*+\.?))(?::(?P<port>[0-9]{0,5}))?"
)
_NUMBER = compile_pattern(r"[0-9]+|0[xX][0-9A-Fa-f]*")
_ILLEGAL = compile_pattern(r"[^\x21-\x7e]")
_MAX_PORT = 65535
_PORTS = {"http": 80, "https": 443}


def parse_target(uri: str) -> FetchTarget:
    """Take `uri` apart for a request; the fragment is dropped.

    Raises CaptureError: "scheme" for anything but http and https, "syntax" for an authority that
    is not exactly a host and a port, "address" for a number that only some programs take for an
    IPv4 address.
    """
    match = _HTTP_URI.match(uri)
    if match is None:
        raise _not_http(uri)
    rest = match["rest"]
    if bad := _ILLEGAL.search(match[0]):
        raise _syntax(uri, f"a URI has no {bad[0]!r}")
    authority = _AUTHORITY.fullmatch(match["authority"])
    if authority is None:
        raise _syntax(uri, _authority_problem(match["authority"]))
    scheme = match["scheme"].lower()
    port = int(authority["port"] or _PORTS[scheme])
    if not 0 < port <= _MAX_PORT:
        raise _syntax(uri, f"there is no port {port}")
    host = (authority["six"] or authority["name"]).lower()
    literal = _is_literal(uri, host)
    # Request URIs start with a slash (RFC 2396 §3: an empty path of http means "/").
    path = rest if rest.startswith("/") else "/" + rest
    return FetchTarget(
        f"{scheme}://{match['authority'].lower()}{path}", scheme, host, port, literal
    )


def _is_literal(uri: str, host: str) -> bool:
    """Tell addresses from names, and refuse what resolvers would take for an address."""
    if ":" in host:
        try:
            IPv6Address(host)
        except AddressValueError:
            raise _syntax(uri, f"[{host}] is no IPv6 address") from None
        return True
    last = host.removesuffix(".").rpartition(".")[2]
    if not _NUMBER.fullmatch(last):
        return False
    try:
        IPv4Address(host)
    except AddressValueError:
        raise CaptureError(
            f"{host} is neither a name nor four decimal numbers, so it is not asked",
            uri=uri,
            reason="address",
        ) from None
    return True


def _authority_problem(authority: str) -> str:
    if "@" in authority:
        return "a user name or password would be kept in the record, so such a URI is not fetched"
    if not authority:
        return "a host is missing after //"
    return f"{authority!r} is not a host and a port"


def _not_http(uri: str) -> CaptureError:
    if uri.lower().startswith(("http:", "https:")):
        return _syntax(uri, "// and a host are missing after the scheme")
    scheme = re.match(r"[A-Za-z][A-Za-z0-9+.-]*(?=:)", uri)
    if scheme is None:
        return CaptureError(
            "a page is fetched by its whole URI",
            uri=uri,
            reason="scheme",
            hint=f"did you mean https://{uri}",
        )
    return CaptureError(
        f"only http and https are fetched, not {scheme[0]}", uri=uri, reason="scheme"
    )


def _syntax(uri: str, problem: str) -> CaptureError:
    return CaptureError(problem, uri=uri, reason="syntax")
