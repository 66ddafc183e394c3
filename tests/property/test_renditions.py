"""Rendition laws: for all installed renditions and any octets."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permacite.errors import LimitError, NotFoundError, ParseError
from permacite.renditions import (
    Original,
    Rendered,
    Rendition,
    media_type_of,
    rendition_for,
    rendition_named,
    renditions,
)
from permacite.renditions.registry import TABLE
from permacite.renditions.stored import RenditionRecord, pack, read_labels, unpack

MARKUP = ("<a>", "</a>", "<p n='1'>", "</p>", "<pb n='2'/>", "<note>", "</note>", "<l n='3'/>")
MORE = ("<sec>", "</sec>", "<label>", "<title>", "<row>", "<cell>", "</cell>", "<lb break='no'/>")
DATA = (
    "{",
    "}",
    "[",
    "]",
    '"',
    ":",
    ",",
    "1",
    "e",
    "null",
    "\\u0041",
    "\\ud800",
    ";",
    "\x00",
    "\t",
)
PIECES = st.sampled_from((*MARKUP, *MORE, *DATA, "&amp;", "&x;", "\r", "\n", " "))
ANY = st.binary(max_size=200) | st.lists(PIECES | st.text(max_size=3), max_size=40).map(
    lambda pieces: "".join(pieces).encode("utf-8", "surrogatepass")
)


def ours() -> list[Rendition[Any]]:
    return [rendition for rendition in renditions() if rendition.worker == "documents"]


@pytest.mark.parametrize("name", TABLE)
def test_the_table_says_what_the_rendition_says(name: str) -> None:
    rendition, entry = rendition_named(name), TABLE[name]
    asked = frozenset() if rendition.on_request else rendition.media_types
    assert (str(rendition), asked, rendition.suffixes) == (name, entry.media_types, {})


def test_every_type_of_the_table_is_read_by_ours() -> None:
    for name, entry in TABLE.items():
        for media_type in entry.media_types:
            kind = f"application/x{media_type}" if media_type.startswith("+") else media_type
            assert str(rendition_for(kind)) == name
    assert media_type_of("A.TAR.PDF") == "application/pdf"
    assert rendition_for("application/pdf", ["xml-text"]) is rendition_named("pdf-text/1")
    assert rendition_for("text/plain") is None
    with pytest.raises(NotFoundError):
        rendition_for("application/pdf", ["absent-text/1"])


@pytest.mark.parametrize("rendition", ours(), ids=str)
@given(content=ANY)
def test_any_octets_have_a_text_or_are_refused(rendition: Rendition[Any], content: bytes) -> None:
    original = Original(content, min(rendition.media_types, default=""))
    try:
        result = rendition(original)
    except (ParseError, LimitError):
        return
    assert result.text == "" or result.text.endswith("\r\n")
    assert "\x00" not in result.text
    assert all(label.start < label.end for label in result.labels)
    assert rendition(original) == result
    assert unpack(*pack(result, str(rendition))) == result


@given(data=st.binary() | st.just(b'permacite-labels/1\n[1,2,"a","b","c"]'))
def test_any_octets_are_labels_or_refused(data: bytes) -> None:
    for read in (read_labels, RenditionRecord.from_bytes):
        try:
            read(data)
        except ParseError:
            continue


@given(text=st.text(), sizes=st.dictionaries(st.sampled_from(["text", "rendering"]), st.integers()))
def test_what_comes_from_a_worker_is_checked(text: str, sizes: dict[str, int]) -> None:
    try:
        result = unpack({"sizes": sizes}, text.encode())
    except ParseError:
        return
    assert isinstance(result, Rendered)


@pytest.mark.parametrize("text", ["a\nb", "a\rb", "\ud800"])
def test_a_text_that_is_not_canonical_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        Rendered(text)
