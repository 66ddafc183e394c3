"""URI laws: for every text, and for every reference."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, TypeVar, get_args

from hypothesis import assume, example, given
from hypothesis import strategies as st

from permacite.errors import ParseError
from permacite.uri import (
    Base,
    compose,
    find,
    from_iri,
    iter_errors,
    normalize,
    parse,
    quote,
    relativize,
    resolve,
    to_iri,
    unquote,
    warnings,
)
from permacite.uri.escapes import Component
from permacite.uri.normalization import Level
from permacite.uri.syntax import Profile

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

profiles = st.sampled_from(get_args(Profile))
levels = st.sampled_from(get_args(Level))

# Texts that come near to references: pieces that mean something, between any characters.
pieces = st.sampled_from(
    ["http", "s", "://", ":", "//", "/", "?", "#", "@", ".", "..", "/./", "/../", ";", "%41", "%2e",
     "%7E", "%c3", "%", "a", "B", "1", "-", "[", "]", "::1", "[::1]", "80", "a.b", " ", "é", "g",
     "mailto", "http:", "<", ">", '"', "\n", "(", ")", ","]
)  # fmt: skip
texts = st.one_of(st.lists(pieces, max_size=12).map("".join), st.text(max_size=20))
legal = st.lists(
    st.sampled_from(
        ["http:", "s:", "//", "/", "?", "#", "@", ".", "..", ";", "%41", "%2e", "a", "B", "1", "-"]
    ),
    max_size=10,
).map("".join)


def attempt(make: Callable[[], T]) -> T | ParseError:
    """What `make` returns, or the one error that it may raise."""
    try:
        return make()
    except ParseError as error:
        return error


def is_reference(text: str, profile: Profile) -> bool:
    """Whether `text` parses; its error is a good one otherwise."""
    made = attempt(lambda: parse(text, profile))
    if isinstance(made, ParseError):
        assert made.source == text
        assert 0 <= made.offset <= len(text)
        assert made.spec
        return False
    return True


@given(texts, profiles)
@example("http:", "rfc2396")
@example("//h:8x", "rfc3986")
def test_any_text_parses_or_tells_its_first_fault(text: str, profile: Profile) -> None:
    """rfc2396-u02: iter_errors and parse agree on what is wrong, and where."""
    made = attempt(lambda: parse(text, profile))
    faults = list(iter_errors(text, profile))
    assert [str(fault) for fault in faults[:1]] == [str(made)] * isinstance(made, ParseError)
    offsets = [fault.offset for fault in faults]
    assert offsets == sorted(offsets)
    assert is_reference(text, profile) == (not faults)


@given(st.one_of(texts, legal), profiles)
def test_text_and_components_give_each_other_back(text: str, profile: Profile) -> None:
    """rfc2396-u16: exact recombination."""
    assume(is_reference(text, profile))
    reference = parse(text, profile)
    assert str(reference) == text
    assert pickle.loads(pickle.dumps(reference)) == reference  # noqa: S301 - our own
    again = compose(
        scheme=reference.scheme,
        opaque_part=reference.opaque_part,
        authority=reference.authority,
        path=reference.path,
        query=reference.query,
        fragment=reference.fragment,
        profile=profile,
    )
    assert again == reference
    assert reference.reg_name is None or reference.reg_name == reference.authority
    if reference.host is not None and reference.authority is not None:
        userinfo = "" if reference.userinfo is None else reference.userinfo + "@"
        port = "" if reference.port_text is None else ":" + reference.port_text
        assert userinfo + reference.host + port == reference.authority


@given(legal, legal, profiles)
@example("..", "http://a", "rfc3986")
@example(".//a", "s:/b", "rfc2396")
def test_what_is_resolved_is_absolute_and_resolves_to_itself(
    reference: str, base: str, profile: Profile
) -> None:
    """rfc2396-v08: results are references, and absolute."""
    assume(is_reference(reference, profile) and is_reference(base, profile))
    resolved = attempt(lambda: resolve(reference, base, profile=profile))
    if isinstance(resolved, ParseError):
        assert resolved.source in {reference, base}
        return
    result = resolved.reference
    assert parse(result.text, profile) == result
    assert parse(result.text, profile).path == result.path
    assert Base(base, profile=profile).resolve(parse(reference, profile)) == resolved
    if profile == "rfc2396" and resolved.same_document:
        assert result.text == reference
    else:
        assert result.is_absolute
        # An empty reference keeps the dot segments of its base, even in RFC 3986 (§5.2.2).
        again = resolve(result, base, profile=profile).reference
        assert again == result or (profile == "rfc3986" and "." in base)
        assert resolve(again, base, profile=profile).reference == again


@given(legal, legal, profiles)
def test_relative_references_resolve_to_their_target(
    target: str, base: str, profile: Profile
) -> None:
    """rfc2396-v06: the law of relativize."""
    assume(is_reference(target, profile) and is_reference(base, profile))
    relative = relativize(target, base, profile=profile)
    if relative.text != target:
        assert resolve(relative, base, profile=profile).reference.text == target
    elif profile == "rfc2396" and parse(target).is_absolute:
        assert resolve(relative, base).reference.text == target


@given(st.one_of(texts, legal), profiles, levels)
def test_normal_forms_are_normal(text: str, profile: Profile, level: Level) -> None:
    """rfc2396-w05: idempotent, and a reference of the same profile."""
    assume(is_reference(text, profile))
    normal = normalize(text, level, profile=profile)
    assert parse(normal.text, profile) == normal
    assert normalize(normal.text, level, profile=profile) == normal
    for lower in get_args(Level)[: get_args(Level).index(level)]:
        assert normalize(normalize(text, lower, profile=profile), level) == normal


@given(texts, st.booleans(), profiles)
@example('"http://a/-\nb" <s:a', True, "rfc2396")  # noqa: FBT003 - drawn
def test_found_references_have_their_offsets(
    text: str,
    abbreviated: bool,  # noqa: FBT001 - drawn
    profile: Profile,
) -> None:
    """rfc2396-f07: spans are in order, and hold what was found."""
    end = 0
    for found in find(text, abbreviated=abbreviated, profile=profile):
        assert end <= found.start < found.end <= len(text)
        end = found.end
        assert parse(found.uri, profile).is_absolute
        span = "".join(text[found.start : found.end].split())
        assert found.uri == (found.uri.partition("//")[0] + "//" if found.heuristic else "") + span
        for reading in found.alternatives:
            assert parse(reading, profile).is_absolute
            assert reading.replace("-", "") == found.uri.replace("-", "")


@given(st.text(), st.sampled_from(get_args(Component)))
def test_quoted_data_comes_back(text: str, component: Component) -> None:
    """rfc2396-u19: once in, once out."""
    assume(not any("\ud800" <= character <= "\udfff" for character in text))
    quoted = quote(text, component)
    assert unquote(quoted) == text
    assert parse("?" + quoted).query == quoted


@given(st.one_of(texts, legal))
def test_iris_become_references(text: str) -> None:
    """rfc2396-u02: the one fault that cannot be mended is a scheme with nothing behind it."""
    uri = from_iri(text)
    assert from_iri(uri) == uri
    if is_reference(uri, "rfc2396"):
        assert normalize(from_iri(to_iri(uri))) == normalize(uri)
        warnings(uri)
    else:
        assert uri.partition("#")[0].endswith(":")
    if is_reference(text, "rfc2396"):
        assert uri == text
