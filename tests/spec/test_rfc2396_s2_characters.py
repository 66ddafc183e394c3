"""RFC 2396 §2 URI Characters and Escape Sequences: legal characters, and escapes for others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from permacite.errors import ParseError
from permacite.uri import (
    from_iri,
    iter_errors,
    parse,
    quote,
    quote_from_bytes,
    to_iri,
    unquote,
    unquote_to_bytes,
)

if TYPE_CHECKING:
    from permacite.uri.escapes import Component

PLACES = {
    # component: a text with a place in it
    "opaque": "mailto:a{}b",
    "authority": "http://a{}b/",
    "path": "http://h/a{}b",
    "relative": "a{}b/c",
    "query": "http://h/?a{}b",
    "fragment": "http://h/#a{}b",
}
EXCLUDED = {
    "control": "\x00\t\n\x1f\x7f",
    "space": " ",
    "delims": '<>"',
    "unwise": "{}|\\^[]`",
    "not-ascii": "é٣\u2028\U0001f600\ud800\x80",
}


@pytest.mark.parametrize("profile", ["rfc2396", "rfc3986"])
@pytest.mark.parametrize("place", PLACES.values(), ids=[f"rfc2396-u02-{name}" for name in PLACES])
@pytest.mark.parametrize("characters", EXCLUDED.values(), ids=EXCLUDED.keys())
def test_excluded_characters_are_refused_everywhere(
    characters: str, place: str, profile: str
) -> None:
    for character in characters:
        text = place.replace("{}", character)
        with pytest.raises(ParseError) as error:
            parse(text, profile)  # type: ignore[arg-type]  # one of the two
        assert error.value.offset == text.index(character)
        assert error.value.source == text
        assert error.value.spec.startswith("RFC ")


LONE = ["%", "%4", "%g0", "%4g", "%%41", "% 41", "%u0041", "%\uff10\uff11"]


@pytest.mark.parametrize("place", PLACES.values(), ids=[f"rfc2396-u01-{name}" for name in PLACES])
@pytest.mark.parametrize("escape", LONE)
def test_a_lone_percent_sign_is_refused_with_its_offset(escape: str, place: str) -> None:
    text = place.replace("{}", escape + "/")
    with pytest.raises(ParseError) as error:
        parse(text)
    assert error.value.offset == text.index("%")
    assert error.value.spec == "RFC 2396 §2.4.1"


@pytest.mark.parametrize("place", PLACES.values(), ids=[f"rfc2396-u01-{name}" for name in PLACES])
def test_escapes_are_accepted_in_either_case(place: str) -> None:
    for escape in ("%20", "%aF", "%00", "%25", "%2F"):
        assert str(parse(place.replace("{}", escape))) == place.replace("{}", escape)


def test_every_fault_is_reported_in_order() -> None:
    """rfc2396-u02: one string, all of its faults, with the rule of each."""
    text = "http://a b/%c|d?é#e#f"
    faults = [(fault.offset, fault.spec) for fault in iter_errors(text)]
    assert faults == [
        (8, "RFC 2396 §3.2"),
        (11, "RFC 2396 §2.4.1"),
        (13, "RFC 2396 §3.3"),
        (16, "RFC 2396 §3.4"),
        (19, "RFC 2396 §4.1"),
    ]
    assert list(iter_errors("http://a/b?c#d")) == []
    with pytest.raises(ParseError, match="' ' cannot stand in the authority at 8"):
        parse(text)


QUOTED: list[tuple[str, Component, str, str]] = [
    ("rfc2396-u19-percent", "segment", "100%", "100%25"),
    ("rfc2396-u19-escape-is-data", "segment", "%41", "%2541"),
    ("rfc2396-u19-slash-in-segment", "segment", "a/b;c=d?e", "a%2Fb%3Bc%3Dd%3Fe"),
    ("rfc2396-u19-slash-in-path", "path", "a/b;c", "a/b%3Bc"),
    ("rfc2396-u19-param", "param", "v=1;w", "v%3D1%3Bw"),
    ("rfc2396-u19-query", "query", "a=b&c+d", "a%3Db%26c%2Bd"),
    ("rfc2396-u19-fragment", "fragment", "a/b?c=d#e", "a/b?c=d%23e"),
    ("rfc2396-u19-userinfo", "userinfo", "u:p@h", "u%3Ap%40h"),
    ("rfc2396-u19-reg-name", "reg_name", "a:b$c", "a%3Ab$c"),
    ("rfc2396-u19-unreserved", "query", "-_.!~*'()aZ9", "-_.!~*'()aZ9"),
    ("rfc2396-u19-utf-8", "path", "é \U0001f600", "%C3%A9%20%F0%9F%98%80"),
]


@pytest.mark.parametrize(
    ("component", "data", "text"), [c[1:] for c in QUOTED], ids=[c[0] for c in QUOTED]
)
def test_data_is_escaped_for_its_component_once(component: Component, data: str, text: str) -> None:
    assert quote(data, component) == text
    assert unquote(text) == data


def test_octets_are_escaped_and_come_back() -> None:
    """rfc2396-u19: a component stands for octets, whatever their charset."""
    octets = bytes(range(256))
    assert unquote_to_bytes(quote_from_bytes(octets, "query")) == octets
    assert unquote_to_bytes("é%ff") == b"\xc3\xa9\xff"


@pytest.mark.parametrize(
    ("text", "offset"),
    [("a%4", 1), ("é%20%", 4), ("%41%ff", 3), ("é%c3", 1), ("a%c3é", 1), ("%c3%28", 0)],
    ids=[f"rfc2396-u19-refused-{n}" for n in range(6)],
)
def test_escapes_that_decode_to_no_text_are_refused(text: str, offset: int) -> None:
    with pytest.raises(ParseError) as error:
        unquote(text)
    assert (error.value.source, error.value.offset) == (text, offset)


def test_a_surrogate_has_no_octets() -> None:
    """rfc2396-u19: and its place is told."""
    with pytest.raises(ParseError) as error:
        quote("ab\ud800", "path")
    assert error.value.offset == 2


CONVERTED = [
    ("rfc2396-u02-iri-legal", "http://a/b%20c?d#e", "http://a/b%20c?d#e"),
    ("rfc2396-u02-iri-space", "http://a/b c", "http://a/b%20c"),
    ("rfc2396-u02-iri-unwise", "/a|b{c}^`\\", "/a%7Cb%7Bc%7D%5E%60%5C"),
    ("rfc2396-u02-iri-delims", 'a"b<c>', "a%22b%3Cc%3E"),
    ("rfc2396-u02-iri-percent", "a%2 %zz%41%", "a%252%20%25zz%41%25"),
    ("rfc2396-u02-iri-fragment", "a#b#c d", "a#b%23c%20d"),
    ("rfc2396-u02-iri-not-ascii", "/é?ü#ß", "/%C3%A9?%C3%BC#%C3%9F"),
    ("rfc2396-u02-iri-white-space", "\n \thttp://a/b\r\n/c\t \x00", "http://a/b/c"),
    ("rfc2396-u02-iri-host", "http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"),
    ("rfc2396-u02-iri-server", "//ü:p w@bücher:80?x", "//%C3%BC:p%20w@xn--bcher-kva:80?x"),
    ("rfc2396-u02-iri-not-idna", "http://é..x/", "http://%C3%A9..x/"),
    ("rfc2396-u02-iri-long-host", f"//{'é' * 1025}/", f"//{'%C3%A9' * 1025}/"),
    ("rfc2396-u02-iri-brackets", "http://[::1]:80/[a]", "http://%5B::1%5D:80/%5Ba%5D"),
    ("rfc2396-u02-iri-surrogate", "a\ud800b", "a%EF%BF%BDb"),
    ("rfc2396-u02-iri-pair", "\ud83d\ude00", "%F0%9F%98%80"),
    ("rfc2396-u18-iri-colon", "1:2", "./1:2"),
    ("rfc2396-u18-iri-colon-after-escape", "é:b/c", "./%C3%A9:b/c"),
    ("rfc2396-u18-iri-colon-later", "a/1:2", "a/1:2"),
    ("rfc2396-u14-iri-empty", " ", ""),
]


@pytest.mark.parametrize(
    ("text", "expected"), [c[1:] for c in CONVERTED], ids=[c[0] for c in CONVERTED]
)
def test_iris_are_converted_explicitly(text: str, expected: str) -> None:
    assert from_iri(text) == expected
    assert from_iri(expected) == expected
    parse(expected)


def test_ip_literals_stay_in_the_profile_that_has_them() -> None:
    """rfc2396-u11: brackets of a host, and no others."""
    assert from_iri("http://u@[::1]:80/[é]", "rfc3986") == "http://u@[::1]:80/%5B%C3%A9%5D"


SHOWN = [
    ("rfc2396-u19-to-iri", "/%C3%A9%20?%e4%BD%A0#%c3%9F", "/é%20?你#ß"),
    ("rfc2396-u19-to-iri-not-utf-8", "/%C3%A9%FFa%C3", "/é%FFa%C3"),
    ("rfc2396-u19-to-iri-not-printable", "/%E2%80%AE%C2%85%E3%80%80", "/%E2%80%AE%C2%85%E3%80%80"),
    (
        "rfc2396-u19-to-iri-host",
        "http://u@xn--bcher-kva.example:80/",
        "http://u@bücher.example:80/",
    ),
    ("rfc2396-u19-to-iri-no-idna", "http://xn--a/", "http://xn--a/"),
    ("rfc2396-u19-to-iri-idna-mapped", "http://XN--bcher-kva/", "http://XN--bcher-kva/"),
    ("rfc2396-u19-to-iri-opaque", "urn:x:%C3%A9", "urn:x:é"),
]


@pytest.mark.parametrize(("uri", "expected"), [c[1:] for c in SHOWN], ids=[c[0] for c in SHOWN])
def test_uris_are_shown_as_iris(uri: str, expected: str) -> None:
    assert to_iri(uri) == expected
    assert from_iri(expected).lower() == uri.lower()
