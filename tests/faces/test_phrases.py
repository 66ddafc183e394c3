"""Any stretch of any document is found and marked on its place, and nothing of what is not open.

A sample in the catalogs that are kept beside the tests; with `--deep` ten thousand stretches of a
thousand documents. A stretch is what somebody selects and pastes: words whole, but of scripts that
set no spaces any characters. What counts as the same words is decided here by rules of this test's
own: letters and digits, without case and without marks.
"""

from __future__ import annotations

import html
import random
import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.writings import few, script_of, thousand

from permacite.service.archive import Archive
from permacite.web.reader import SCRIPTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.faces.conftest import Outcome
    from tests.writings import Writing

    Cli = Callable[..., Outcome]
    Times = Callable[[int, int], int]

UNSPACED = {"HAN", "KANA", "HANGUL", "THAI", "KHMER", "MYANMAR", "LAO", "TIBETAN"}
MARK = re.compile(r"<mark\b[^>]*>(.*?)</mark>", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
AT_ONCE = 20


def letters(text: str) -> str:
    """What of a text makes it the same words as another."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(sign for sign in plain if unicodedata.category(sign)[0] in "LN")


def is_border(text: str, place: int) -> bool:
    """Whether a selection may end there: no mark goes on, and no word of a script with spaces."""
    if unicodedata.category(text[place])[0] == "M":
        return False
    around = text[place - 1 : place + 1]
    return not around.isalnum() or any(script_of(sign) in UNSPACED for sign in around)


def stretches(text: str, script: str, chance: random.Random) -> Iterator[str]:
    """Yield random stretches of a text with a letter of its script; none with quotation marks."""
    signs = script in UNSPACED
    words = [match.span() for match in re.finditer(r"\S+", text)]
    while words:
        if signs:
            start = chance.randrange(len(text))
            end = start + chance.randint(2, 12)
            while start and not is_border(text, start):
                start -= 1
            while end < len(text) and not is_border(text, end):
                end += 1
        else:
            first = chance.randrange(len(words))
            start, end = (
                words[first][0],
                words[min(len(words), first + chance.randint(1, 8)) - 1][1],
            )
        found = text[start:end].strip()
        if '"' in found or "\ufffd" in found or not 2 <= len(found) <= 300:
            continue
        if any(script_of(sign) == script for sign in found):
            yield found


@pytest.fixture(scope="module")
def writings(request: pytest.FixtureRequest) -> list[Writing]:
    """The documents: all of them, or the few."""
    return thousand() if request.config.getoption("--deep") else few()


class Held(NamedTuple):
    """A document in the archive."""

    writing: Writing
    text: str
    """Its words, as they are cited."""


@pytest.fixture(scope="module")
def library(
    writings: list[Writing], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, Held]]:
    """An archive of them, and each by the name of its document."""
    folder = tmp_path_factory.mktemp("phrases") / "archive"
    found = {}
    with Archive.create(folder, series="lab.example.us") as archive:
        for writing in writings:
            document = archive.add(writing.content, name=writing.name).document
            text = next(each.pdi for each in document.formats if each.media_type == "text/plain")
            found[document.pdi] = Held(writing, archive.resolve(text).text or "")
        archive.index_words()
    return folder, found


def test_every_stretch_is_found_and_marked(
    library: tuple[Path, dict[str, Held]], times: Times
) -> None:
    folder, documents = library
    chance = random.Random(16)  # noqa: S311 - no secret
    drawn = {
        name: stretches(held.text, held.writing.script, chance)
        for name, held in documents.items()
        if any(script_of(sign) == held.writing.script for sign in held.text)
    }
    assert len(drawn) == len(documents)
    trouble = []
    with Archive.open(folder) as archive:
        for _ in range(times(5, 10)):
            for name, phrases in drawn.items():
                phrase = next(phrases)
                problem = wrong(archive, name, phrase)
                if problem:
                    trouble.append((documents[name].writing.name, problem, name, phrase))
    assert trouble == []


def wrong(archive: Archive, name: str, phrase: str) -> str:
    """What is wrong with how a stretch of a document is found; "" for nothing."""
    offset = 0
    while True:
        results = archive.search(f'"{phrase}"', limit=AT_ONCE, offset=offset)
        hit = next((each for each in results.hits if each.pdi.startswith(f"{name}.")), None)
        if hit is not None:
            break
        if not results.more:
            return "not found"
        offset += AT_ONCE
    cited = archive.resolve(hit.reference).text or ""
    if letters(cited) != letters(phrase):
        return f"another place: {cited!r}"
    if letters(hit.words) != letters(phrase):
        return f"other words are shown: {hit.words!r}"
    page = archive.page(hit.reference, scripts=SCRIPTS).html
    marked = html.unescape(TAG.sub("", "".join(MARK.findall(page))))
    if letters(marked) != letters(phrase):
        return f"other words are marked: {marked!r}"
    return ""
