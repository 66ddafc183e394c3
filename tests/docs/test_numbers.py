"""Structure of the code: no number of it grows, and a search answers a newcomer's questions."""

from __future__ import annotations

import gc
import re
from typing import TYPE_CHECKING

import pytest
from tests.structure import LIMITS, PAGE, ROOT, Source, entered

import permacite

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_FILES = 12
"""A search that finds more files answers nothing."""

_QUESTION = re.compile(r"^\| [^|]+\? \| `(?P<words>[^`]+)` \| `(?P<file>[^`]+)` \|$", re.MULTILINE)


@pytest.fixture(scope="module")
def source() -> Iterator[Source]:
    """Return the package as it is; the garbage collector would look through its trees for long."""
    gc.disable()
    yield Source(ROOT)
    gc.enable()


def test_no_number_grows(source: Source) -> None:
    numbers = source.counted() | entered()
    assert numbers.keys() == LIMITS.keys()
    assert {name: now for name, now in numbers.items() if now > LIMITS[name]} == {}


def test_classes_are_short(source: Source) -> None:
    assert list(source.long_classes()) == [], "split what is new"


def test_an_archive_has_few_public_names() -> None:
    names = [name for name in dir(permacite.Archive) if not name.startswith("_")]
    assert len(names) <= LIMITS["public names of Archive"], names


def test_a_search_answers_ten_questions() -> None:
    questions = _QUESTION.findall(PAGE.read_text())
    assert len(questions) == 10
    base = ROOT / "src/permacite"
    files = [path for path in base.rglob("*") if path.suffix in {".py", ".toml", ".html"}]
    texts = {str(path.relative_to(base)): path.read_text().lower() for path in files}
    for words, file in questions:
        found = [name for name, text in texts.items() if words.lower() in text]
        assert file in found, words
        assert len(found) <= MOST_FILES, (words, found)
