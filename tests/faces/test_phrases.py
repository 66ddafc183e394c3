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
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

import pytest
from tests.archives import Archive
from tests.engines import Repository
from tests.faces.conftest import served
from tests.faces.test_http import ask
from tests.writings import few, script_of, thousand

from permacite.cli.commands import run
from permacite.service.access import Choice
from permacite.service.reader.pages import FrameOptions
from permacite.web.routes.reader import SCRIPTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.faces.conftest import Outcome
    from tests.writings import Writing

    Cli = Callable[..., Outcome]
    Times = Callable[[int, int], int]

pytestmark = pytest.mark.engines(deep=True)

QUOTES = set('"\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d')
"""A stretch is asked for between quotation marks, of whatever kind."""
UNSPACED = {"HAN", "KANA", "HANGUL", "THAI", "KHMER", "MYANMAR", "LAO", "TIBETAN"}
MARK = re.compile(r"<mark\b[^>]*>(.*?)</mark>", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
AT_ONCE = 20
HIDDEN = ("closed", "embargo", "withdrawn", "erased")
AROUND = 24
"""Characters behind a stretch: who asked for that has not said them."""


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
    """Yield random stretches of a text with a letter of its script; none with quotation marks.

    Of scripts with spaces two words or more, as far as that is to be had.
    """
    words = [match.span() for match in re.finditer(r"\S+", text)]
    tries = 0
    while words:
        tries += 1
        if script in UNSPACED:
            start = chance.randrange(len(text))
            end = start + chance.randint(3, 12)
            while start and not is_border(text, start):
                start -= 1
            while end < len(text) and not is_border(text, end):
                end += 1
        else:
            first = chance.randrange(len(words))
            last = first + (chance.randint(1, 7) if tries % 100 < 50 else 0)
            start, end = words[first][0], words[min(last, len(words) - 1)][1]
        found = text[start:end].strip("".join(QUOTES) + " \r\n\t\xa0")
        if QUOTES & set(found) or "\ufffd" in found or not 2 <= len(found) <= 300:
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
    engine: object, writings: list[Writing], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, Held]]:
    """An archive of them, and each by the name of its document."""
    assert engine is Repository.engine
    folder = tmp_path_factory.mktemp("phrases") / "archive"
    found = {}
    with Archive.create(folder, series="lab.example.us") as archive:
        for writing in writings:
            document = archive.add(writing.content, name=writing.name).document
            text = next(each.pdi for each in document.formats if each.media_type == "text/plain")
            found[document.pdi] = Held(writing, archive.resolve(text).text or "")
        archive.documents.word_index.update()
    return folder, found


@pytest.mark.parametrize("quarter", range(4))
def test_every_stretch_is_found_and_marked(
    library: tuple[Path, dict[str, Held]], times: Times, quarter: int
) -> None:
    folder, every = library
    documents = dict(list(every.items())[quarter::4])
    chance = random.Random(quarter)  # noqa: S311 - no secret
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
    page = archive.documents.reader.page(hit.reference, FrameOptions(SCRIPTS)).html
    marked = html.unescape(TAG.sub("", "".join(MARK.findall(page))))
    if letters(marked) != letters(phrase):
        return f"other words are marked: {marked!r}"
    return ""


def hide(archive: Archive, name: str, how: str) -> None:
    """Have a document no longer be open to all."""
    if how == "closed":
        archive.access.standing(name, Choice(access="closed", ground="consent"))
    elif how == "embargo":
        until = datetime.now(UTC).date() + timedelta(days=9)
        archive.access.standing(name, Choice(embargo_until=until))
    elif how == "withdrawn":
        archive.access.withdraw(name, reason="copyright")
    else:
        archive.access.erase(name, ground="data-protection")


def routes(name: str, phrase: str) -> Iterator[str]:
    """Yield the requests that could tell of a document, or of words in it."""
    typed = quote(phrase, safe="")
    for page in ("search", "api/search"):
        yield f"/-/{page}?q={typed}"
        yield f"/-/{page}?q=%22{typed}%22&versions=all&order=newest"
    yield from (f"/{name}?view={view}" for view in ("bytes", "json", "reader"))
    yield f"/{name}?fragment=char%3D0,9"
    yield f"/-/page/{name}"
    yield f"/-/api/document?name={name}"
    yield f"/-/api/passages?name={name}&quote={typed}"
    yield f"/-/api/reference?name={name}"
    yield f"/-/versions/{name}?fragment=char%3D0,9"
    yield f"/-/follow?all=1&to=https://example.org/&from={name}"
    yield f"/-/api/quoters?name={name}"
    yield f"/-/api/statements?name={name}"
    yield from ("/", "/-/sites", "/-/feed", "/-/sitemap", "/-/news.atom", "/-/api/documents")


def test_no_route_tells_words_of_what_is_not_open(
    library: tuple[Path, dict[str, Held]],
    times: Times,
    tmp_path: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    folder = tmp_path / "archive"
    Repository.duplicate(library[0], folder)
    chance = random.Random(16)  # noqa: S311 - no secret
    hidden = dict(list(library[1].items())[::3])
    with Archive.open(folder) as archive:
        for number, name in enumerate(hidden):
            hide(archive, name, HIDDEN[number % len(HIDDEN)])
        archive.documents.word_index.update()
    shown = letters("".join(held.text for name, held in library[1].items() if name not in hidden))
    tries, told = 0, []
    with Archive.open(folder) as archive, served(folder, "--public") as running:
        while tries < times(20, 1000):
            name = chance.choice(list(hidden))
            held = hidden[name]
            phrase = next(stretches(held.text, held.writing.script, chance))
            at = held.text.index(phrase) + len(phrase)
            behind = held.text[at : at + AROUND].strip()
            if letters(behind) in shown or len(behind) < AROUND // 2 or behind in phrase:
                continue
            tries += 1
            hits = archive.search(phrase, limit=100, every_version=True).hits
            told += [(phrase, hit.pdi) for hit in hits if hit.pdi.rsplit(".", 2)[0] in hidden]
            run(["--archive", str(Repository.at(folder)), "search", "--json", "--", phrase])
            answers = {"command": capfdbinary.readouterr().out}
            answers |= {path: ask(running.base, path).body for path in routes(name, phrase)}
            told += [(phrase, path) for path in telling(answers, behind)]
    assert told == []


def telling(answers: dict[str, bytes], words: str) -> list[str]:
    """The answers that hold words."""
    shown = {
        path: html.unescape(octets.decode("utf-8", "replace")) for path, octets in answers.items()
    }
    return [path for path, text in shown.items() if letters(words) in letters(text)]


def test_the_same_routes_tell_what_is_open(library: tuple[Path, dict[str, Held]]) -> None:
    name, held = next(iter(library[1].items()))
    words = held.text.split()
    phrase, behind = " ".join(words[30:34]), " ".join(words[34:38])
    with served(library[0], "--public") as running:
        answers = {path: ask(running.base, path).body for path in routes(name, phrase)}
    told = telling(answers, behind)
    assert len(told) >= 5
    assert any("/-/search" in path for path in told)
    assert any("/-/api/search" in path for path in told)
