"""RFC 2396 §4 URI References, App. A and B: the value, and what the grammar leaves open."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING

import pytest

from permacite.errors import ParseError
from permacite.uri import Base, Reference, parse, resolve
from permacite.uri.reference import trusted

if TYPE_CHECKING:
    from permacite.uri.syntax import Profile

PROFILES: tuple[Profile, ...] = ("rfc2396", "rfc3986")


@pytest.mark.parametrize("profile", PROFILES)
def test_a_reference_may_be_empty(profile: Profile) -> None:
    """rfc2396-u14: nothing but a path, which is empty."""
    reference = parse("", profile)
    assert (reference.path, reference.is_absolute, str(reference)) == ("", False, "")
    assert reference.scheme is reference.authority is reference.query is reference.fragment is None


GREEDY = [
    # clause id, text, authority, path
    ("rfc2396-u15-authority-wins", "//a/b", "a", "/b"),
    ("rfc2396-u15-after-scheme", "s://a/b", "a", "/b"),
    ("rfc2396-u15-third-slash", "///a", "", "/a"),
    ("rfc2396-u15-fourth-slash", "s:////a", "", "//a"),
    ("rfc2396-u15-one-slash", "s:/a//b", None, "/a//b"),
]


@pytest.mark.parametrize(
    ("text", "authority", "path"), [c[1:] for c in GREEDY], ids=[c[0] for c in GREEDY]
)
@pytest.mark.parametrize("profile", PROFILES)
def test_the_authority_wins(text: str, authority: str | None, path: str, profile: Profile) -> None:
    reference = parse(text, profile)
    assert (reference.authority, reference.path) == (authority, path)


@pytest.mark.parametrize("text", ["?y", "?", "?#", "?a/b?c#d"], ids=lambda t: f"rfc2396-u17-{t}")
@pytest.mark.parametrize("profile", PROFILES)
def test_a_reference_may_be_a_query_alone(text: str, profile: Profile) -> None:
    reference = parse(text, profile)
    assert reference.path == ""
    assert reference.query == text.partition("#")[0][1:]


COLON = [
    # clause id, text, offset of the fault
    ("rfc2396-u18-digit", "1:2", 0),
    ("rfc2396-u18-comma", "a,b:c/d", 1),
    ("rfc2396-u18-at-sign", "a@b:80", 1),
    ("rfc2396-u18-leading", ":a", 0),
]


@pytest.mark.parametrize(("text", "offset"), [c[1:] for c in COLON], ids=[c[0] for c in COLON])
@pytest.mark.parametrize("profile", PROFILES)
def test_the_first_segment_has_no_colon(text: str, offset: int, profile: Profile) -> None:
    with pytest.raises(ParseError) as error:
        parse(text, profile)
    assert error.value.offset == offset


@pytest.mark.parametrize(
    "text", ["./1:2", "a/b:c", "?a:b", "#a:b", "/1:2", "//1:2"], ids=lambda t: f"rfc2396-u18-{t}"
)
def test_a_colon_is_allowed_in_a_later_segment(text: str) -> None:
    assert parse(text).scheme is None


def test_appendix_b_gives_its_own_example() -> None:
    """rfc2396-u16: the table of App. B."""
    reference = parse("http://www.ics.uci.edu/pub/ietf/uri/#Related")
    assert reference.scheme == "http"
    assert reference.authority == "www.ics.uci.edu"
    assert reference.path == "/pub/ietf/uri/"
    assert reference.query is None
    assert reference.fragment == "Related"


EXAMPLES = [
    "ftp://ftp.is.co.za/rfc/rfc1808.txt",
    "gopher://spinaltap.micro.umn.edu/00/Weather/California/Los%20Angeles",
    "http://www.math.uio.no/faq/compression-faq/part1.html",
    "mailto:mduerst@ifi.unizh.ch",
    "news:comp.infosystems.www.servers.unix",
    "telnet://melvyl.ucop.edu/",
]


@pytest.mark.parametrize("text", EXAMPLES, ids=[f"rfc2396-u03-{t[:8]}" for t in EXAMPLES])
def test_the_examples_of_section_1_3_parse(text: str) -> None:
    assert str(parse(text)) == str(parse(text, "rfc3986")) == text


def references() -> list[Reference]:
    """One of each way in which a value comes to be."""
    return [
        parse("http://u@h:1/p?q#f"),
        parse("mailto:a"),
        parse("mailto:a", "rfc3986"),
        resolve("g", "http://a/").reference,
    ]


@pytest.mark.parametrize("number", range(4), ids=[f"rfc2396-u16-value-{n}" for n in range(4)])
def test_a_reference_is_a_value(number: int) -> None:
    reference = references()[number]
    for copied in (
        pickle.loads(pickle.dumps(reference)),  # noqa: S301 - our own
        copy.copy(reference),
        copy.deepcopy(reference),
        parse(str(reference), reference.profile),
    ):
        assert copied == reference
        assert hash(copied) == hash(reference)
        assert copied.path == reference.path
        assert copied.profile == reference.profile
        assert eval(repr(copied)) == reference  # noqa: S307 - what repr promises


@pytest.mark.parametrize("number", range(4), ids=[f"rfc2396-u16-frozen-{n}" for n in range(4)])
def test_a_reference_cannot_be_changed(number: int) -> None:
    reference = references()[number]
    text = str(reference)
    for name in ("path", "text", "host", "anything"):
        with pytest.raises(AttributeError):
            setattr(reference, name, "x")
    with pytest.raises(AttributeError):
        del reference.path
    with pytest.raises(AttributeError):
        reference.absent  # type: ignore[attr-defined]  # noqa: B018 - that is the test
    assert str(reference) == text


def test_references_are_equal_by_text_and_profile() -> None:
    """rfc2396-u16: equality is of what is written; see `equivalent` for what is meant."""
    assert parse("HTTP://a") != parse("http://a")
    assert parse("a:b") != parse("a:b", "rfc3986")
    assert parse("a") != "a"
    assert len({parse("a"), parse("a"), resolve("#", "x:/").reference, parse("#")}) == 2
    assert isinstance(Base("http://a").resolve("b").reference, Reference)


def test_a_value_restored_from_text_that_is_none_says_so() -> None:
    """rfc2396-u02: a pickle is not parsed when it is loaded, but when it is read."""
    made_by_hand = trusted("a b", "rfc2396")
    with pytest.raises(ParseError) as error:
        made_by_hand.path  # noqa: B018 - reading it is the test
    assert error.value.offset == 1


def test_an_unknown_profile_is_a_mistake_of_the_caller() -> None:
    """rfc2396-u11: there are two."""
    with pytest.raises(KeyError):
        parse("a", "whatwg")  # type: ignore[arg-type]  # on purpose
