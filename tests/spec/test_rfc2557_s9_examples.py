"""RFC 2557 §4.2, §9: the worked examples, as messages, with what their references mean."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from permacite import mhtml
from permacite.mhtml import links

EXAMPLES = Path(__file__).resolve().parents[1] / "golden/rfc2557"
EXPECTED: dict[str, list[list[str | None]]] = json.loads((EXAMPLES / "expected.json").read_text())
CASES = [(name, *row) for name, rows in EXPECTED.items() for row in rows]
AS_PRINTED = {"9.3-as-printed.eml": "9.3.eml", "9.5-as-printed.eml": "9.5.eml"}
AS_PRINTED |= {"9.3-comments.eml": "9.3.eml"}
CASES += [(name, *row) for name, original in AS_PRINTED.items() for row in EXPECTED[original]]


@pytest.mark.parametrize("profile", ["rfc", "browser"])
@pytest.mark.parametrize(
    ("name", "within", "reference", "uri", "path", "how"),
    CASES,
    ids=[f"{case[0]}-{case[1]}-{case[2]}" for case in CASES],
)
def test_a_reference_means_what_the_text_says(
    name: str, within: str, reference: str, uri: str, path: str | None, how: str, profile: str
) -> None:
    aggregate = mhtml.open(EXAMPLES / name)
    browser = profile == "browser" and reference != "cid:something@else"
    found = aggregate.resolve(
        reference, within=aggregate.part(within), profile="browser" if browser else "rfc"
    )
    assert found.uri == uri
    assert (None if found.part is None else found.part.path) == path
    assert how in {found.matched_by, found.kind}


@pytest.mark.parametrize("name", EXPECTED)
def test_every_reference_of_the_examples_is_in_the_table(name: str) -> None:
    aggregate = mhtml.open(EXAMPLES / name)
    found = {
        (part.path, link.value)
        for part in aggregate.body_parts
        for link in links.references(part.content, part.content_type, part.charset)
    }
    listed = {(row[0], row[2 - 1]) for row in EXPECTED[name]}
    assert found <= listed


@pytest.mark.parametrize("name", EXPECTED)
def test_the_examples_are_sound(name: str) -> None:
    assert mhtml.open(EXAMPLES / name, strict=True).defects == ()


def test_rfc2557_r09_a_nested_aggregate_is_shown_by_its_root() -> None:
    """rfc2557-r09."""
    aggregate = mhtml.open(EXAMPLES / "9.6.eml")
    for reference, shown in (("more-info", "3.1"), ("even-more-info", "4.1")):
        found = aggregate.resolve(f"http://www.ietf.cnri.reston.va.us/{reference}")
        assert found.kind == "aggregate"
        assert found.root is aggregate.part(shown)


def test_rfc2557_a2_the_label_as_printed_matches_nothing() -> None:
    """rfc2557-a2."""
    aggregate = mhtml.open(EXAMPLES / "9.6-as-printed.eml")
    found = aggregate.resolve("images/ietflogo2e.gif", within=aggregate.part("3.1"))
    assert (found.kind, found.part) == ("external", None)
    printed = aggregate.resolve("images/ietflogo2.gif", within=aggregate.part("3.1"))
    assert printed.part is aggregate.part("3.2")


def test_rfc2557_a3_the_notes_as_printed_are_defects() -> None:
    """rfc2557-a3."""
    aggregate = mhtml.open(EXAMPLES / "9.3-as-printed.eml")
    notes = [each.path for each in aggregate.defects if each.code == "label-note"]
    assert notes == ["2", "3"]
    assert [part.content_type for part in aggregate.body_parts[2:]] == ["text/plain"] * 2


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.eml")))
def test_rfc2557_m91_the_examples_are_written_back_octet_for_octet(name: str) -> None:
    """rfc2557-m91."""
    source = (EXAMPLES / name).read_bytes()
    aggregate = mhtml.open(source)
    leaves = {part.path: part.raw for part in aggregate.body_parts if not part.body_parts}
    assert b"".join(aggregate.rebuilt(leaves)) == source
    assert aggregate.raw == source
