"""The words of JSON: each rule of docs/explanation/the-words-of-json.md by an example."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permacite.errors import LimitError, ParseError
from permacite.renditions import Original, Rendered
from permacite.renditions.json import JSON_TEXT_1


def rendered(source: str | bytes) -> Rendered:
    content = source if isinstance(source, bytes) else source.encode("utf-8", "surrogatepass")
    return JSON_TEXT_1(Original(content, "application/json"))


RULES = [
    ("1 values alone", '{"a": "b", "c": [1, true, null]}', ["b", "1", "true", "null"]),
    ("2 empty", '["", "a", {}, []]', ["a"]),
    ("3 escapes", r'["\u0041\n\"\ud83c\udf0a"]', ["A", '"\U0001f30a']),
    ("3 half a pair", r'["a\ud800b\u0000c"]', ["a\ufffdbc"]),
    ("3 white space", '[" a  b "]', [" a  b "]),
    ("3 numbers as written", "[1.50E+3, 1e99999, -0]", ["1.50E+3", "1e99999", "-0"]),
    ("4 one value", '"a"', ["a"]),
    ("4 a mark", "\ufeff[1]", ["1"]),
]


@pytest.mark.parametrize(("source", "lines"), [c[1:] for c in RULES], ids=[c[0] for c in RULES])
def test_rules(source: str, lines: list[str]) -> None:
    assert rendered(source).text == "".join(f"{line}\r\n" for line in lines)


def test_pointers() -> None:
    """The example of RFC 6901 §5, as far as it has values."""
    result = rendered(
        '{"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "m~n": 8, "k": {"l": [[7]]}}'
    )
    named = {label.name: result.text[label.start : label.end] for label in result.labels}
    assert named == {
        "/foo/0": "bar", "/foo/1": "baz", "/": "0", "/a~1b": "1", "/c%d": "2", "/m~0n": "8",
        "/k/l/0/0": "7",
    }  # fmt: skip


REJECTED = ["", "[", "[1,]", "[1 2]", '{"a"}', '{"a":}', "{1:2}", "01", "1.", "+1", "nul", "truee",
            '"a', '"\t"', r'"\x"', "[1]]", "NaN", "\x0b1", b"\xff"]  # fmt: skip


@pytest.mark.parametrize("source", REJECTED)
def test_what_is_no_json_is_refused(source: str | bytes) -> None:
    with pytest.raises(ParseError):
        rendered(source)


def test_what_is_too_deep_is_refused() -> None:
    assert rendered("[" * 1000 + "1" + "]" * 1000).text == "1\r\n"
    with pytest.raises(LimitError):
        rendered("[" * 1001 + "1" + "]" * 1001)


def test_long_names_in_depth_take_no_more_than_they_are() -> None:
    name = "n" * 10_000
    source = f'{{"{name}":' * 500 + "[" + "1," * 1000 + "1]" + "}" * 500
    assert rendered(source).labels == ()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(value=VALUES, indent=st.sampled_from([None, 1]))
def test_every_pointer_leads_to_its_value(value: object, indent: int | None) -> None:
    """A reading of RFC 6901 by itself, over what another reader made of the document."""
    result = rendered(json.dumps(value, indent=indent))
    for label in result.labels:
        found: object = value
        for segment in label.name.split("/")[1:]:
            if isinstance(found, list):
                found = found[int(segment)]
            elif isinstance(found, dict):
                found = found[segment.replace("~1", "/").replace("~0", "~")]
        text = found if isinstance(found, str) else json.dumps(found)
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
        stands = result.text[label.start : label.end].replace("\r\n", "\n")
        assert stands == text


@given(source=st.text(alphabet='[]{}":,1ea\\u0 \n'))
def test_the_same_is_json_as_for_another_reader(source: str) -> None:
    try:
        json.loads(source)
    except ValueError:
        with pytest.raises(ParseError):
            rendered(source)
    else:
        rendered(source)
