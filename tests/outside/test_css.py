"""CSS Syntax Level 3 beside the tests of SimonSapin/css-parsing-tests: the references alone.

`css_urls` reads no values but those of references. What the suite's component values say of url
tokens, of strings in `url()` and of `@import` must be what it finds; a string that stands alone is
put into a `url()`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.outside.conftest import Suite

from permacite.markup import css_urls

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILES = (
    "component_value_list", "declaration_list", "one_component_value", "one_declaration",
    "one_rule", "rule_list", "stylesheet",
)  # fmt: skip


def sheets(place: Path) -> Iterator[tuple[str, tuple[str, Any]]]:
    """Yield each source with its component values."""
    for name in FILES:
        pairs = json.loads((place / f"{name}.json").read_text("utf-8"))
        for number, source in enumerate(pairs[::2]):
            yield f"{name}-{number}", (source, pairs[2 * number + 1])


def strings(place: Path) -> Iterator[tuple[str, object]]:
    """Yield each source of strings, with nothing beside them that opens or closes anything."""
    for name, (source, values) in sheets(place):
        if not name.startswith("component_value_list"):
            continue
        tokens = [value for value in values if value != " "]
        if {"string"} <= {token[0] for token in tokens} <= {"string", "error", "ident"}:
            yield name, (source, [token[1] for token in tokens if token[0] == "string"])


SUITES = {
    "sheet": Suite("SimonSapin/css-parsing-tests", sheets),
    "string": Suite("SimonSapin/css-parsing-tests", strings),
}


def references(value: Any) -> Iterator[str]:
    """Yield the addresses in a component value or a rule, in order."""
    if not isinstance(value, list):
        return
    if value[:1] == ["url"]:
        yield value[1]
    elif value[:1] == ["function"] and value[1].lower() in {"url", "src"}:
        first = next((each for each in value[2:] if each != " "), None)
        if isinstance(first, list) and first[0] == "string":
            yield first[1]
    elif value[:1] == ["at-rule"] and value[1].lower() == "namespace":
        return
    else:
        if value[:1] == ["at-rule"] and value[1].lower() == "import":
            first = next((each for each in value[2] if each != " "), None)
            if isinstance(first, list) and first[0] == "string":
                yield first[1]
        for each in value:
            yield from references(each)


def test_references_are_those_of_the_component_values(sheet: tuple[str, Any]) -> None:
    source, values = sheet
    assert [url.value for url in css_urls(source)] == list(references(values))


def test_strings_have_their_values(string: tuple[str, list[str]]) -> None:
    source, values = string
    assert [url.value for url in css_urls(f"image-set({source}")] == values
