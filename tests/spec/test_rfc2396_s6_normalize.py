"""RFC 2396 §6 URI Normalization and Equivalence: named levels, each including the one before."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest

from permacite.errors import ParseError
from permacite.uri import DEFAULT_PORTS, equivalent, normalize, parse
from permacite.uri.normalization import Level

if TYPE_CHECKING:
    from permacite.uri.syntax import Profile

NORMAL: list[tuple[str, str, Level, str]] = [
    # clause id, text, level, normal form
    ("rfc2396-w01-scheme-and-host", "HTTP://WWW.Xerox.Com/A", "syntax", "http://www.xerox.com/A"),
    ("rfc2396-w01-userinfo-has-case", "s://U@H:1/", "syntax", "s://U@h:1/"),
    ("rfc2396-w01-reg-name-has-case", "s://A_B/", "syntax", "s://A_B/"),
    ("rfc2396-w01-path-has-case", "S:/A?B#C", "syntax", "s:/A?B#C"),
    ("rfc2396-w01-opaque-part-has-case", "URN:A:B", "syntax", "urn:A:B"),
    ("rfc2396-w01-relative", "//A/B", "syntax", "//a/B"),
    ("rfc2396-w02-not-at-syntax", "http://a:80/", "path", "http://a:80/"),
    ("rfc2396-w02-http", "http://a:80/b", "scheme", "http://a/b"),
    ("rfc2396-w02-zeros", "http://a:0080/b", "scheme", "http://a/b"),
    ("rfc2396-w02-https", "HTTPS://a:443/b", "scheme", "https://a/b"),
    ("rfc2396-w02-empty", "http://a:/b", "scheme", "http://a/b"),
    ("rfc2396-w02-other", "http://a:443/b", "scheme", "http://a:443/b"),
    ("rfc2396-w02-unknown-scheme", "s://a:80/b", "scheme", "s://a:80/b"),
    ("rfc2396-w02-relative", "//a:80/b", "scheme", "//a:80/b"),
    ("rfc2396-w02-empty-path", "http://a", "scheme", "http://a/"),
    ("rfc2396-w02-empty-path-then-query", "http://a?b", "scheme", "http://a/?b"),
    ("rfc2396-w02-empty-path-then-fragment", "http://a:8080#b", "scheme", "http://a:8080/#b"),
    ("rfc2396-w02-empty-path-in-capitals", "HTTP://a", "scheme", "http://a/"),
    ("rfc2396-w02-empty-path-stays", "telnet://a", "scheme", "telnet://a"),
    ("rfc2396-w03-case-of-escapes", "/%2f%aB?%c3#%e9", "syntax", "/%2F%AB?%C3#%E9"),
    ("rfc2396-w03-opaque-part", "urn:%c3%a9", "syntax", "urn:%C3%A9"),
    ("rfc2396-w03-userinfo", "s://%c3@h/", "syntax", "s://%C3@h/"),
    ("rfc2396-w03-reg-name", "s://%c3_/", "syntax", "s://%C3_/"),
    ("rfc2396-w04-not-at-path", "http://a/%7euser", "path", "http://a/%7Euser"),
    ("rfc2396-w04-http", "http://a/%7euser/%41%20", "scheme", "http://a/~user/A%20"),
    ("rfc2396-w04-marks", "http://a/%21%27%28%29%2a", "scheme", "http://a/!'()*"),
    ("rfc2396-w04-reserved-stay", "http://a/%2f%3b?%26", "scheme", "http://a/%2F%3B?%26"),
    ("rfc2396-w04-percent-stays", "http://a/%2541", "scheme", "http://a/%2541"),
    ("rfc2396-w04-unknown-scheme", "s://a/%7e", "scheme", "s://a/%7E"),
    ("rfc2396-w04-reg-name-stays", "http://%61/", "scheme", "http://%61/"),
    ("rfc2396-w05-dots-not-at-syntax", "http://a/./b", "syntax", "http://a/./b"),
    ("rfc2396-w05-dots", "http://a/./b/../c/..", "path", "http://a/"),
    ("rfc2396-w05-excess-kept", "http://a/../b", "path", "http://a/../b"),
    ("rfc2396-w05-relative-path-stays", "../b/./c", "path", "../b/./c"),
    ("rfc2396-w05-escaped-dots-stay", "http://a/b/%2e%2E/c", "path", "http://a/b/%2E%2E/c"),
    ("rfc2396-w05-decoded-then-removed", "http://a/b/%2e%2E/c", "scheme", "http://a/c"),
    ("rfc2396-w05-no-authority-made", "s:/.//b", "path", "s:/.//b"),
    ("rfc2396-w05-no-authority-from-dots", "s:/a/..//b", "path", "s:/.//b"),
    ("rfc2396-w05-plain", "http://a/b.c?d=/x", "scheme", "http://a/b.c?d=/x"),
    ("rfc2396-w05-dot-in-query", "http://a/b?c/./d", "scheme", "http://a/b?c/./d"),
]
NORMAL_3986: list[tuple[str, str, Level, str]] = [
    ("rfc2396-w01-3986-host", "s://A_B%c3%41/", "syntax", "s://a_b%C3a/"),
    ("rfc2396-w01-3986-literal", "http://[::A]:80/", "scheme", "http://[::a]/"),
    ("rfc2396-w02-3986-empty-host", "http://:80/", "scheme", "http:///"),
    ("rfc2396-w04-3986-any-scheme", "s://a/%7e%41?%2D", "syntax", "s://a/~A?-"),
    ("rfc2396-w04-3986-sub-delims-stay", "s:/%21%2a", "scheme", "s:/%21%2A"),
    ("rfc2396-w05-3986-excess-removed", "http://a/../b", "path", "http://a/b"),
    ("rfc2396-w05-3986-decoded-first", "s:/a/%2e%2e/b", "path", "s:/b"),
    ("rfc2396-w05-3986-rootless-stays", "s:a/../b", "path", "s:a/../b"),
    ("rfc2396-w05-3986-example", "eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "path",
     "example://a/b/c/%7Bfoo%7D"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "level", "expected"), [c[1:] for c in NORMAL], ids=[c[0] for c in NORMAL]
)
def test_normalizes(text: str, level: Level, expected: str) -> None:
    check(text, level, expected, "rfc2396")


@pytest.mark.parametrize(
    ("text", "level", "expected"), [c[1:] for c in NORMAL_3986], ids=[c[0] for c in NORMAL_3986]
)
def test_normalizes_by_rfc_3986(text: str, level: Level, expected: str) -> None:
    check(text, level, expected, "rfc3986")


def check(text: str, level: Level, expected: str, profile: Profile) -> None:
    """Assert the normal form, that it is its own, and that it parses."""
    normal = normalize(text, level, profile=profile)
    assert str(normal) == expected
    assert normalize(normal, level) == normal
    assert normalize(parse(text, profile), level) == normal
    assert parse(expected, profile) == normal
    assert equivalent(text, expected, level, profile=profile)


def test_levels_tell_apart_what_lower_ones_cannot_join() -> None:
    """rfc2396-w05: each level includes the one before it."""
    pairs = {
        "syntax": ("http://a/%7E", "HTTP://A/%7e"),
        "path": ("http://a/b", "http://a/./b"),
        "scheme": ("http://a/~", "http://a:80/%7e"),
    }
    levels = get_args(Level)
    assert levels == ("syntax", "path", "scheme")
    for joined, pair in pairs.items():
        joins = [equivalent(*pair, level) for level in levels]
        assert joins == [number >= levels.index(joined) for number in range(3)]


@pytest.mark.parametrize("scheme", DEFAULT_PORTS, ids=lambda s: f"rfc2396-w02-{s}")
def test_every_default_port_is_left_out(scheme: str) -> None:
    port = DEFAULT_PORTS[scheme]
    assert str(normalize(f"{scheme}://a:{port}/b", "scheme")) == f"{scheme}://a/b"
    assert str(normalize(f"{scheme}://a:{port}1/b", "scheme")) == f"{scheme}://a:{port}1/b"


def test_a_reference_is_read_again_for_another_profile() -> None:
    """rfc2396-w04: the profile that is asked for decides."""
    reference = parse("s:%7e")
    assert str(normalize(reference)) == "s:%7E"
    assert str(normalize(reference, profile="rfc3986")) == "s:~"


def test_what_does_not_parse_has_no_normal_form() -> None:
    """rfc2396-w05: and the fault is told."""
    with pytest.raises(ParseError) as error:
        normalize("http://a/b c")
    assert error.value.offset == 10
