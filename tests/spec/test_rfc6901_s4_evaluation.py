"""RFC 6901: values of JSON by their pointers, cut out as they are written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permacite.errors import LimitError, NotFoundError, ParseError
from permacite.extract import extract
from permacite.pdi import encapsulate

SOURCE = """\ufeff{ "foo": ["bar", { "b\\u0061z" : [ 1, -2.50e3 ] } ], "": 0, "a/b": 1, "c%d": 2,
 "e^f": 3, "g|h": 4, "i\\\\j": 5, "k\\"l": 6, " ": 7, "m~n": 8, "é": null, "x": 1, "x": 2 }"""
"""The example of RFC 6901 §5, and more."""

VALUES = [
    # pointer, what stands there
    ("/foo", '["bar", { "b\\u0061z" : [ 1, -2.50e3 ] } ]'),
    ("/foo/0", '"bar"'),
    ("/foo/1", '{ "b\\u0061z" : [ 1, -2.50e3 ] }'),
    ("/foo/1/baz", "[ 1, -2.50e3 ]"),
    ("/foo/1/baz/1", "-2.50e3"),
    ("/", "0"),
    ("/a~1b", "1"),
    ("/c%d", "2"),
    ("/e^f", "3"),
    ("/g|h", "4"),
    ("/i\\j", "5"),
    ('/k"l', "6"),
    ("/ ", "7"),
    ("/m~0n", "8"),
    ("/é", "null"),
]


@pytest.mark.parametrize(("pointer", "wanted"), VALUES)
def test_a_value_is_cut_out_as_it_is_written(pointer: str, wanted: str) -> None:
    source = SOURCE.encode()
    fragment = f"pointer={encapsulate(pointer)}"
    for kind in ("application/json", "application/ld+json"):
        found = extract(source, kind, fragment)
        assert (found.text, found.data) == (wanted, wanted.encode())
        assert found.source_range is not None
        assert source[slice(*found.source_range)] == found.data


@pytest.mark.parametrize("pointer", ["/no", "/foo/2", "/foo/-", "/foo/00", "/foo/bar", "//", "/x"])
def test_what_is_not_there_or_not_one_names_nothing(pointer: str) -> None:
    with pytest.raises(NotFoundError) as error:
        extract(SOURCE.encode(), "application/json", f"pointer={encapsulate(pointer)}")
    assert error.value.name == pointer


REJECTED = [
    # what follows the "=", why
    ("", "expected a JSON pointer, escaped"),
    ("a", "begins with '/'"),
    ("%2fa%7e", "expected ~0"),
    ("%2fa%7e2", "expected ~0"),
    ("/a", "expected a JSON pointer, escaped"),
    ("%2fa,b", "expected the end"),
    ("%2f%ff", "expected UTF-8"),
]


@pytest.mark.parametrize(("written", "why"), REJECTED)
def test_malformed_pointers_are_refused(written: str, why: str) -> None:
    with pytest.raises(ParseError, match=why):
        extract(SOURCE.encode(), "application/json", f"pointer={written}")


@pytest.mark.parametrize("source", ["", "{", '{"a":1}x', '{"a":01}', "[1,]", '{"a":"\n"}'])
def test_what_is_no_json_has_no_values(source: str) -> None:
    with pytest.raises(ParseError):
        extract(source.encode(), "application/json", "pointer=%2fa")


def test_depth_is_limited() -> None:
    with pytest.raises(LimitError):
        extract(b"[" * 5000, "application/json", "pointer=%2f0")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("ab~/ é", max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(JSON, st.sampled_from([None, 1]), st.booleans())
def test_every_value_has_a_pointer(document: object, indent: int | None, ascii_: bool) -> None:  # noqa: FBT001
    source = json.dumps(document, indent=indent, ensure_ascii=ascii_).encode()
    for pointer, value in _pointers(document, ""):
        if pointer:
            found = extract(source, "application/json", f"pointer={encapsulate(pointer)}")
            assert json.loads(found.data) == value


def _pointers(value: object, pointer: str) -> list[tuple[str, object]]:
    inside: list[tuple[str, object]] = []
    if isinstance(value, list):
        inside = [(str(index), each) for index, each in enumerate(value)]
    elif isinstance(value, dict):
        inside = [
            (name.replace("~", "~0").replace("/", "~1"), each) for name, each in value.items()
        ]
    below = [found for name, each in inside for found in _pointers(each, f"{pointer}/{name}")]
    return [(pointer, value), *below]
