"""RFC 2396 §3 URI Syntactic Components: exactly what is there, and where it is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from permacite.errors import ParseError
from permacite.uri import Segment, compose, iter_errors, parse, replace

if TYPE_CHECKING:
    from permacite.uri import Reference
    from permacite.uri.syntax import Profile


def six(reference: Reference) -> tuple[str | None, ...]:
    """Scheme, opaque part, authority, path, query, fragment."""
    return (
        reference.scheme,
        reference.opaque_part,
        reference.authority,
        reference.path,
        reference.query,
        reference.fragment,
    )


COMPONENTS = [
    # clause id, text, scheme, opaque part, authority, path, query, fragment
    ("rfc2396-u03-hierarchical", "http://a/b?c#d", ("http", None, "a", "/b", "c", "d")),
    ("rfc2396-u03-abs-path", "s:/a?b", ("s", None, None, "/a", "b", None)),
    ("rfc2396-u03-opaque", "mailto:a@b?c#d", ("mailto", "a@b?c", None, None, None, "d")),
    ("rfc2396-u03-opaque-slashes", "urn:pdi://a/b", ("urn", "pdi://a/b", None, None, None, None)),
    ("rfc2396-u03-opaque-mark", "s:?a", ("s", "?a", None, None, None, None)),
    ("rfc2396-u03-opaque-colon", "s::", ("s", ":", None, None, None, None)),
    ("rfc2396-u05-scheme", "a+B-c.1:x", ("a+B-c.1", "x", None, None, None, None)),
    ("rfc2396-u05-one-letter", "c:/x", ("c", None, None, "/x", None, None)),
    ("rfc2396-u06-ends-at-slash", "//a:1@b/c", (None, None, "a:1@b", "/c", None, None)),
    ("rfc2396-u06-ends-at-mark", "http://a?b/c", ("http", None, "a", "", "b/c", None)),
    ("rfc2396-u06-ends-at-fragment", "http://a#b/c", ("http", None, "a", "", None, "b/c")),
    ("rfc2396-u08-empty", "http://", ("http", None, "", "", None, None)),
    ("rfc2396-u08-empty-relative", "//", (None, None, "", "", None, None)),
    ("rfc2396-u08-empty-then-path", "file:///x", ("file", None, "", "/x", None, None)),
    ("rfc2396-u08-absent", "file:/x", ("file", None, None, "/x", None, None)),
    ("rfc2396-u12-params", "a;b=c/d;e;f", (None, None, None, "a;b=c/d;e;f", None, None)),
    ("rfc2396-u13-query", "?a?/:;=", (None, None, None, "", "a?/:;=", None)),
    ("rfc2396-u13-fragment", "#a?/:;=", (None, None, None, "", None, "a?/:;=")),
    ("rfc2396-u16-all-empty", "s://?#", ("s", None, "", "", "", "")),
    ("rfc2396-u16-empty-query", "a?", (None, None, None, "a", "", None)),
    ("rfc2396-u16-empty-fragment", "a#", (None, None, None, "a", None, "")),
]


@pytest.mark.parametrize(
    ("text", "expected"), [c[1:] for c in COMPONENTS], ids=[c[0] for c in COMPONENTS]
)
def test_divides_into_components(text: str, expected: tuple[str | None, ...]) -> None:
    reference = parse(text)
    assert six(reference) == expected
    assert str(reference) == text
    assert reference.is_absolute == (expected[0] is not None)
    assert reference.is_opaque == (expected[1] is not None)
    scheme, opaque_part, authority, path, query, fragment = expected
    assert reference == compose(
        scheme=scheme,
        opaque_part=opaque_part,
        authority=authority,
        path=path,
        query=query,
        fragment=fragment,
    )


COMPONENTS_3986 = [
    ("rfc2396-u03-3986-rootless", "mailto:a@b?c#d", ("mailto", None, None, "a@b", "c", "d")),
    ("rfc2396-u04-3986-empty", "http:", ("http", None, None, "", None, None)),
    ("rfc2396-u04-3986-empty-query", "http:?", ("http", None, None, "", "", None)),
    ("rfc2396-u08-3986-empty", "//", (None, None, "", "", None, None)),
    ("rfc2396-u11-3986-literal", "http://[::1]:80/x", ("http", None, "[::1]:80", "/x", None, None)),
    ("rfc2396-u11-3986-relative", "//[::1]", (None, None, "[::1]", "", None, None)),
]


@pytest.mark.parametrize(
    ("text", "expected"), [c[1:] for c in COMPONENTS_3986], ids=[c[0] for c in COMPONENTS_3986]
)
def test_divides_as_rfc_3986_does(text: str, expected: tuple[str | None, ...]) -> None:
    assert six(parse(text, "rfc3986")) == expected


REJECTED = [
    # clause id, text, offset of what cannot stand, section
    ("rfc2396-u04-empty-opaque-part", "http:", 5, "3"),
    ("rfc2396-u04-empty-before-fragment", "a:#b", 2, "3"),
    ("rfc2396-u05-begins-with-digit", "1a:b", 0, "3.1"),
    ("rfc2396-u05-begins-with-dot", ".a:b", 0, "3.1"),
    ("rfc2396-u05-underscore", "a_b:c", 1, "3.1"),
    ("rfc2396-u05-escape", "a%41:c", 1, "3.1"),
    ("rfc2396-u05-not-ascii", "é:c", 0, "3.1"),
    ("rfc2396-u05-empty", ":a", 0, "3.1"),
    ("rfc2396-u11-literal", "http://[::1]/", 7, "3.2"),
    ("rfc2396-u11-literal-with-userinfo", "//u@[::1]", 4, "3.2"),
    ("rfc2396-u13-second-fragment", "a#b#c", 3, "4.1"),
    ("rfc2396-u13-opaque-fragment", "m:a#b#", 5, "4.1"),
    ("rfc2396-u06-bad-authority", "//a|b/c", 3, "3.2"),
    ("rfc2396-u12-bad-param", "/a;b|c", 4, "3.3"),
    ("rfc2396-u03-bad-opaque-part", "m:a b", 3, "3"),
]


@pytest.mark.parametrize(
    ("text", "offset", "section"), [c[1:] for c in REJECTED], ids=[c[0] for c in REJECTED]
)
def test_rejects_at_the_right_place(text: str, offset: int, section: str) -> None:
    with pytest.raises(ParseError) as error:
        parse(text)
    assert error.value.offset == offset
    assert error.value.spec == f"RFC 2396 §{section}"


REJECTED_3986 = [
    ("rfc2396-u10-3986-port", "http://h:8a/", 10, "3.2.3"),
    ("rfc2396-u10-3986-two-ports", "//h:8:0", 5, "3.2.3"),
    ("rfc2396-u07-3986-two-ats", "//a@b@c", 5, "3.2.2"),
    ("rfc2396-u07-3986-userinfo", "//a b@c", 3, "3.2.1"),
    ("rfc2396-u11-3986-open", "http://[::1", 7, "3.2.2"),
    ("rfc2396-u11-3986-two-gaps", "//[1::2::3]", 2, "3.2.2"),
    ("rfc2396-u11-3986-nine", "//[1:2:3:4:5:6:7:8:9]", 2, "3.2.2"),
    ("rfc2396-u11-3986-octet", "//[::1.2.3.256]", 2, "3.2.2"),
    ("rfc2396-u11-3986-zone", "//[fe80::1%25eth0]", 2, "3.2.2"),
    ("rfc2396-u11-3986-after", "//[::1]a", 7, "3.2.2"),
    ("rfc2396-u11-3986-inside", "//a[1]", 3, "3.2.2"),
    ("rfc2396-u11-3986-port", "//[::1]:a", 8, "3.2.3"),
]


@pytest.mark.parametrize(
    ("text", "offset", "section"), [c[1:] for c in REJECTED_3986], ids=[c[0] for c in REJECTED_3986]
)
def test_rejects_as_rfc_3986_does(text: str, offset: int, section: str) -> None:
    with pytest.raises(ParseError) as error:
        parse(text, "rfc3986")
    assert error.value.offset == offset
    assert error.value.spec == f"RFC 3986 §{section}"
    assert min(fault.offset for fault in iter_errors(text, "rfc3986")) == offset


SERVERS = [
    # clause id, authority, userinfo, host, port text, port
    ("rfc2396-u09-name", "a", None, "a", None, None),
    ("rfc2396-u09-labels", "a.b-c.d9", None, "a.b-c.d9", None, None),
    ("rfc2396-u09-digit-first", "1a.b", None, "1a.b", None, None),
    ("rfc2396-u09-trailing-dot", "a.b.", None, "a.b.", None, None),
    ("rfc2396-u09-ipv4", "1.2.3.4", None, "1.2.3.4", None, None),
    ("rfc2396-u09-ipv4-no-limit", "256.00.999.4", None, "256.00.999.4", None, None),
    ("rfc2396-u10-port", "a:80", None, "a", "80", 80),
    ("rfc2396-u10-zeros", "a:0080", None, "a", "0080", 80),
    ("rfc2396-u10-empty-port", "a:", None, "a", "", None),
    ("rfc2396-u10-large-port", "a:99999999999", None, "a", "99999999999", 99999999999),
    ("rfc2396-u06-userinfo", "u:p;x@a:1", "u:p;x", "a", "1", 1),
    ("rfc2396-u06-empty-userinfo", "@a", "", "a", None, None),
]


@pytest.mark.parametrize(
    ("authority", "userinfo", "host", "port_text", "port"),
    [c[1:] for c in SERVERS],
    ids=[c[0] for c in SERVERS],
)
def test_divides_a_server(
    authority: str, userinfo: str | None, host: str, port_text: str | None, port: int | None
) -> None:
    reference = parse(f"s://{authority}/")
    assert (reference.userinfo, reference.host) == (userinfo, host)
    assert (reference.port_text, reference.port) == (port_text, port)
    assert reference.reg_name is None
    assert replace(parse("s://x/"), userinfo=userinfo, host=host, port=port_text) == reference


REGISTRIES = [
    # authorities that no server has the form of
    "1", "1.2.3", "1.2.3.4.5", "1.2.3.4.", "a.1", "a..b", ".a", "-a", "a-", "a-.b", "a_b", "a,b",
    "a%41", "a:b", "a:1:2", "a@b@c", "u@", "u@:1", ":1", "1:2", "a.b..", "$", "u@a_b",
]  # fmt: skip


@pytest.mark.parametrize("authority", REGISTRIES, ids=[f"rfc2396-u07-{a}" for a in REGISTRIES])
def test_keeps_another_authority_whole(authority: str) -> None:
    reference = parse(f"//{authority}/")
    assert reference.authority == reference.reg_name == authority
    assert (reference.userinfo, reference.host, reference.port_text) == (None, None, None)
    assert reference.port is None


def test_an_empty_or_absent_authority_has_no_parts() -> None:
    """rfc2396-u08: they differ from each other, and from a name."""
    assert (parse("//").host, parse("//").reg_name, parse("//").authority) == (None, None, "")
    assert (parse("a").host, parse("a").reg_name, parse("a").authority) == (None, None, None)


SERVERS_3986 = [
    ("rfc2396-u11-3986-full", "[1:2:3:4:5:6:7:8]", None, "[1:2:3:4:5:6:7:8]", None),
    ("rfc2396-u11-3986-ipv4", "u@[::ffff:1.2.3.4]:80", "u", "[::ffff:1.2.3.4]", "80"),
    ("rfc2396-u11-3986-gap-last", "[1:2:3:4:5:6:7::]", None, "[1:2:3:4:5:6:7::]", None),
    ("rfc2396-u11-3986-future", "[v1.a:b]", None, "[v1.a:b]", None),
    ("rfc2396-u08-3986-empty", "", None, "", None),
    ("rfc2396-u08-3986-only-port", ":80", None, "", "80"),
    ("rfc2396-u07-3986-any-name", "a_b%41!", None, "a_b%41!", None),
]


@pytest.mark.parametrize(
    ("authority", "userinfo", "host", "port_text"),
    [c[1:] for c in SERVERS_3986],
    ids=[c[0] for c in SERVERS_3986],
)
def test_divides_an_authority_of_rfc_3986(
    authority: str, userinfo: str | None, host: str, port_text: str | None
) -> None:
    reference = parse(f"//{authority}", "rfc3986")
    assert (reference.userinfo, reference.host, reference.port_text) == (userinfo, host, port_text)


def test_a_port_of_any_length_is_a_number() -> None:
    """rfc2396-u10: and takes no quadratic time."""
    reference = parse("//a:" + "9" * 100_000)
    assert reference.port == 10**4000 - 1
    assert len(reference.port_text or "") == 100_000


SEGMENTS = [
    ("rfc2396-u12-none", "", ()),
    ("rfc2396-u12-root", "/", (Segment(""),)),
    ("rfc2396-u12-plain", "/a/b", (Segment("a"), Segment("b"))),
    ("rfc2396-u12-relative", "a/b/", (Segment("a"), Segment("b"), Segment(""))),
    ("rfc2396-u12-any-segment", "/a;x=1;y/b;z", (Segment("a", ("x=1", "y")), Segment("b", ("z",)))),
    ("rfc2396-u12-empty-param", "/a;;b;", (Segment("a", ("", "b", "")),)),
    ("rfc2396-u19-escaped-delimiters", "/a%2Fb%3Bc", (Segment("a%2Fb%3Bc"),)),
]


@pytest.mark.parametrize(
    ("path", "segments"), [c[1:] for c in SEGMENTS], ids=[c[0] for c in SEGMENTS]
)
def test_a_path_has_segments_with_parameters(path: str, segments: tuple[Segment, ...]) -> None:
    assert parse(path).segments == segments
    assert "/".join(map(str, segments)) == path.removeprefix("/")


def test_an_opaque_reference_has_no_segments() -> None:
    """rfc2396-u03: its slashes mean nothing here."""
    assert parse("urn:a/b").segments == ()


COMPOSED: list[tuple[str, dict[str, str | None], Profile, int]] = [
    # clause id, components that would be read as something else, profile, offset
    ("rfc2396-u15-path-as-authority", {"path": "//x"}, "rfc2396", 0),
    ("rfc2396-u18-colon-in-first-segment", {"path": "a:b"}, "rfc2396", 0),
    ("rfc2396-u03-relative-path-with-scheme", {"scheme": "s", "path": "a"}, "rfc2396", 0),
    ("rfc2396-u03-rooted-opaque-part", {"scheme": "s", "opaque_part": "/a"}, "rfc2396", 0),
    ("rfc2396-u03-opaque-part-alone", {"opaque_part": "a"}, "rfc2396", 0),
    ("rfc2396-u03-opaque-part-and-path", {"scheme": "s", "opaque_part": "a", "path": "b"},
     "rfc2396", 0),
    ("rfc2396-u06-path-in-authority", {"authority": "a", "path": "b"}, "rfc2396", 0),
    ("rfc2396-u06-authority-with-slash", {"authority": "a/b"}, "rfc2396", 0),
    ("rfc2396-u13-mark-in-path", {"path": "/ab?c"}, "rfc2396", 3),
    ("rfc2396-u13-hash-in-query", {"query": "a#b"}, "rfc2396", 1),
    ("rfc2396-u02-space", {"fragment": "ab c"}, "rfc2396", 2),
    ("rfc2396-u04-scheme-alone", {"scheme": "s"}, "rfc2396", 2),
    ("rfc2396-u03-3986-opaque-part", {"scheme": "s", "opaque_part": "a"}, "rfc3986", 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("parts", "profile", "offset"), [c[1:] for c in COMPOSED], ids=[c[0] for c in COMPOSED]
)
def test_refuses_to_compose_what_would_not_be_read_back(
    parts: dict[str, str | None], profile: Profile, offset: int
) -> None:
    with pytest.raises(ParseError) as error:
        compose(**parts, profile=profile)
    assert error.value.offset == offset


def test_components_can_be_replaced() -> None:
    """rfc2396-u16: the others stay as they are, absent or empty."""
    reference = parse("http://u@h:80/p?q#f")
    assert str(replace(reference, query=None, fragment="")) == "http://u@h:80/p#"
    assert str(replace(reference, userinfo=None, port=None)) == "http://h/p?q#f"
    assert str(replace(reference, host="x.y", port=8080)) == "http://u@x.y:8080/p?q#f"
    assert str(replace(reference, host=None, userinfo=None, port=None)) == "http:/p?q#f"
    assert str(replace(reference, authority="a_b", scheme=None)) == "//a_b/p?q#f"
    assert str(replace(parse("m:a"), opaque_part="b")) == "m:b"
    assert str(replace(parse("//a", "rfc3986"), host="[::1]")) == "//[::1]"


@pytest.mark.parametrize(
    ("parts", "source", "offset"),
    [
        ({"port": "8a"}, "8a", 1),
        ({"userinfo": "a@b"}, "a@b", 1),
        ({"host": "a_b"}, "a_b", 0),
        ({"host": "a:1"}, "a:1", 0),
        ({"host": None}, "http://u@h:80/p", 0),
        ({"path": "p"}, "http://u@h:80p", 0),
        ({"query": "a b"}, "a b", 1),
    ],
    ids=[f"rfc2396-u16-replaced-{n}" for n in range(7)],
)
def test_replacing_is_checked(parts: dict[str, str | None], source: str, offset: int) -> None:
    with pytest.raises(ParseError) as error:
        replace(parse("http://u@h:80/p"), **parts)
    assert (error.value.source, error.value.offset) == (source, offset)
