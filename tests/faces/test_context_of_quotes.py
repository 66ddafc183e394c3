"""The context around a quotation: no word in it is cut, and it tells equal passages apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.archives import Archive
from tests.engines import Repository

from permacite.errors import NotFoundError
from permacite.service.citations.quoted import CONTEXT

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.engines(deep=True)

WORDS = st.lists(st.text("abcdefg\u00e9\u05d0", min_size=1, max_size=CONTEXT + 8), max_size=12)

CASES = [
    # what stands before, after, and what of it is the context
    ("one two ", " three four", "one two ", " three four"),
    ("ab " + "y" * 31 + " ", " " + "y" * 31 + " ab", "y" * 31 + " ", " " + "y" * 31),
    ("ab " + "y" * 32 + " ", " " + "y" * 32 + " ab", "y" * 31 + " ", " " + "y" * 31),
    ("ab b" + "c" * 28 + " d ", "", "b" + "c" * 28 + " d ", ""),
    ("b" * 60, "b" * 60, "b" * CONTEXT, "b" * CONTEXT),
    ("\u6f22" * 60, "\u5b57" * 60, "\u6f22" * CONTEXT, "\u5b57" * CONTEXT),
    ("", "", "", ""),
]


@pytest.fixture(scope="module")
def service(engine: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """An archive for all of them."""
    assert engine is Repository.engine
    folder = tmp_path_factory.mktemp("context") / "archive"
    with Archive.create(folder, series="lab.example.us") as made:
        yield made


@pytest.mark.parametrize(("before", "after", "lead", "trail"), CASES)
def test_the_context_ends_at_words(
    service: Archive, before: str, after: str, lead: str, trail: str
) -> None:
    name = service.add(f"{before}QUOTE{after}".encode(), name="a.txt", new=True).pdi
    (found,) = service.citations.passages(name, "QUOTE")
    assert (found.before, found.quote, found.after) == (lead, "QUOTE", trail)
    recorded = service.cite(name, quote="QUOTE")
    assert (recorded.before, recorded.after) == (lead, trail)


@given(WORDS, WORDS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_word_is_cut_but_one_that_is_too_long(
    service: Archive, before: list[str], after: list[str]
) -> None:
    lead, trail = " ".join([*before, ""]), " ".join(["", *after])
    name = service.add(f"{lead}QUOTE{trail}".encode(), name="a.txt", new=True).pdi
    (found,) = service.citations.passages(name, "QUOTE")
    assert lead.endswith(found.before)
    assert trail.startswith(found.after)
    assert max(len(found.before), len(found.after)) <= CONTEXT
    for words, shown in ((before, found.before), (after, found.after)):
        longest = max(map(len, words), default=0)
        assert longest >= CONTEXT - 1 or set(shown.split()) <= set(words)


TIDES = "Monday: high tide at noon. Tuesday: high tide at one. Wednesday: high tide at two."


@pytest.mark.parametrize(
    ("before", "after", "nth"),
    [("Tuesday: ", "", 2), ("", " at two", 3), ("Monday:", "", 1), ("day: ", " at  one", 2)],
)
def test_context_chooses_among_equal_words(
    service: Archive, before: str, after: str, nth: int
) -> None:
    name = service.add(TIDES.encode(), name="tides.txt", new=True).pdi
    with pytest.raises(NotFoundError, match="stand 3 times") as error:
        service.cite(name, quote="high tide")
    assert len(error.value.candidates) == 3
    cited = service.cite(name, quote="high tide", before=before, after=after)
    assert cited.reference == service.cite(name, quote="high tide", nth=nth).reference
