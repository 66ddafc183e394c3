"""Regular expression laws, against a matcher that tries every way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from permacite.errors import LimitError, ParseError
from permacite.fragments import bre
from permacite.fragments.bre.syntax import (
    Alternation,
    Anchor,
    BackReference,
    CharacterSet,
    Group,
    Node,
    Repeat,
    Sequence,
    parse,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

Groups = tuple[tuple[int, str], ...]
Way = tuple[int, Groups]
"""How far a match has come, and what its groups have matched."""


def ways(node: Node, text: str, way: Way) -> set[Way]:
    """All ways in which `node` matches from there on."""
    match node:
        case Group(number, item):
            return {
                (end, tuple(sorted({**dict(inner), number: text[way[0] : end]}.items())))
                for end, inner in ways(item, text, way)
            }
        case Alternation(items):
            return {found for item in items for found in ways(item, text, way)}
        case Sequence(items):
            found = {way}
            for item in items:
                found = {after for before in found for after in ways(item, text, before)}
            return found
        case Repeat():
            return repeated(node, text, way)
        case _:
            return simple(node, text, way)


def simple(node: Node, text: str, way: Way) -> set[Way]:
    """The same for what has no parts."""
    place, groups = way
    match node:
        case CharacterSet(ranges):
            code = ord(text[place]) if place < len(text) else -1
            return {(place + 1, groups)} if any(a <= code <= b for a, b in ranges) else set()
        case Anchor(kind):
            return {way} if stands(kind, text, place) else set()
        case BackReference(number):
            said = dict(groups).get(number)
            fits = said is not None and text.startswith(said, place)
            return {(place + len(said or ""), groups)} if fits else set()
    raise AssertionError(node)


def repeated(node: Repeat, text: str, way: Way) -> set[Way]:
    rounds, found, done = {way}, set(), 0
    seen: set[Way] = set()
    while rounds and (node.high is None or done <= node.high):
        if done >= node.low:
            found |= rounds
            rounds -= seen
            seen |= rounds
        rounds = {after for before in rounds for after in ways(node.item, text, before)}
        done += 1
    return found


def stands(kind: str, text: str, place: int) -> bool:
    return {
        "start": place == 0,
        "end": place == len(text),
        "line-start": place == 0 or text[place - 1] == "\n",
        "line-end": place == len(text) or text[place] == "\n",
    }[kind]


def all_matches(root: Node, text: str) -> Iterator[tuple[int, int]]:
    place = 0
    while place < len(text):
        end = max((end for end, _ in ways(root, text, (place, ()))), default=place)
        if end > place:
            yield place, end
        place = max(end, place + 1)


singles = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", "é", "*", "^", "$", r"\*", "\n"])
duplications = st.sampled_from(
    ["", "", "", "*", r"\{2\}", r"\{0,1\}", r"\{1,2\}", r"\{2,\}", r"\{0\}", r"\{,2\}"]
)


def _with_groups(items: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pieces = st.tuples(items.map(lambda item: rf"\({item}\)") | singles | items, duplications)
    return st.lists(pieces.map("".join), max_size=4).map("".join)


patterns = st.recursive(singles, _with_groups, max_leaves=8)
references = st.lists(patterns | st.sampled_from([r"\1", r"\2", r"\1*"]), max_size=4).map("".join)
texts = st.text("aab\né", max_size=8)


@given(patterns | references, texts, st.booleans())
@settings(max_examples=max(100, settings().max_examples))
@example(r"\(\(aa*b*a\)*a\{0,1\}b\{1,2\}\)\2", "aaaaaaaabaab", False)  # noqa: FBT003 - an example
@example(r"\(a*\)*\1", "aaa", False)  # noqa: FBT003 - an example
@example(r"\(a\{0,2\}b\{0,1\}\)\{2,3\}\1", "ababaab", False)  # noqa: FBT003 - an example
@example(r"^*\(^a*\)\{0,2\}", "*aa", False)  # noqa: FBT003 - an example
def test_all_matches_are_found(pattern: str, text: str, newline: bool) -> None:  # noqa: FBT001
    try:
        root = parse(pattern, newline=newline)
    except ParseError:
        return
    found = bre.compile(pattern, newline=newline).find_all(text)
    assert found == list(all_matches(root, text))


@given(st.text(r"\(){}[]*.^$-:=.,01ab|+?w" + "\né\ud800"), st.booleans())
@settings(max_examples=max(100, settings().max_examples))
def test_any_text_is_an_expression_or_an_error(pattern: str, gnu: bool) -> None:  # noqa: FBT001
    try:
        found = bre.compile(pattern, gnu=gnu).find_all("ab(w)\n*é\ud800")
    except LimitError:
        return
    except ParseError as error:
        found = []
        where = error.offset
        assert where <= len(pattern)
    assert all(start < end for start, end in found)
    assert found == sorted(found)


@pytest.mark.parametrize("newline", [False, True])
def test_the_reference_agrees_on_what_is_plain(newline: bool) -> None:  # noqa: FBT001
    root = parse("^a*b", newline=newline)
    expected = [(0, 3), (4, 6)] if newline else [(0, 3)]
    assert list(all_matches(root, "aab\nab")) == expected
