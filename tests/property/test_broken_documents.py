"""Broken documents of all kinds have a text or are refused by an error of ours, and in time."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from tests.broken import KINDS, mutated, problem_of, started, tried

from permacite.errors import LimitError, ParseError
from permacite.renditions import Original, rendition_named

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", [each for each in KINDS if each != "pdf"])
def test_broken_documents_have_a_text_or_are_refused(
    kind: str, times: Callable[[int, int], int]
) -> None:
    """In this process, where an error shows whence it comes."""
    texts = 0
    for number in range(times(600, 6_000)):
        rules, content = mutated(kind, number)
        rendition = rendition_named(rules)
        try:
            result = rendition(Original(content, min(rendition.media_types, default="")))
        except (ParseError, LimitError):
            continue
        except Exception as error:
            raise AssertionError(f"{kind} {number} {rules}") from error
        texts += 1
        assert problem_of(result) == "", f"{kind} {number} {rules}"
    assert texts


@pytest.mark.timeout(6 * 3600)
@pytest.mark.parametrize("kind", KINDS)
def test_broken_documents_are_read_or_refused_by_workers(
    kind: str, times: Callable[[int, int], int]
) -> None:
    if kind == "pdf":
        pytest.importorskip("pypdfium2_raw", reason="needs the extra pdf")
    with ExitStack() as stack:
        tally = tried(kind, 0, times(150, 100_000), started(stack))
    assert tally.problems == []
    assert tally.answers["text"]
    assert tally.answers["refused"]
