"""The words of the reader: alike in all languages, all of them used, and no others on its pages."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, get_args

import pytest
from jinja2 import Environment, nodes
from tests.archives import Archive
from tests.faces.sharing import archive, running
from tests.faces.test_http import ask

from permacite.fragments.alignment.passages import Status
from permacite.service.access import ERASURE_GROUNDS, REASONS
from permacite.service.plain import STATUS
from permacite.web.headers import chosen_language
from permacite.words import LANGUAGES, words_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.faces.conftest import Running

__all__ = ["archive", "running"]  # fixtures
pytestmark = pytest.mark.engines(deep=True)

SOURCE = Path(__file__).parents[2] / "src" / "permacite"
TEMPLATES = sorted((SOURCE / "web" / "pages").glob("*.html"))
SCRIPTS = sorted((SOURCE / "web" / "static").glob("*.js"))
PYTHON = [*(SOURCE / "web").rglob("*.py"), *(SOURCE / "service").rglob("*.py")]
TRANSLATED = {"alt", "aria-label", "aria-description", "content", "placeholder", "title", "value"}

CLASSES = {"permacite", *(path.stem for path in TEMPLATES)}
"""What a page is called, and what kind of page it is: for style sheets."""

BY_CODE = {
    *(f"problem.{code}" for code in STATUS),
    *(
        f"reason.{code}"
        for code in (*REASONS, *ERASURE_GROUNDS, "closed", "embargo", "building", "unstated")
    ),
    *(
        f"restricted.{kind}{form}"
        for kind in ("withdrawn", "erased", "closed")
        for form in ("", "_since")
    ),
    *(
        f"parts.{form}{what}"
        for what in ("character", "line", "element", "byte")
        for form in ("", "before_")
    ),
    *(
        f"parts.{form}"
        for axis in ("row", "column")
        for form in (axis, f"last_{axis}", f"{axis}_to_last")
    ),
    *(f"problem.{kind}_means" for kind in ("withdrawn", "erased", "closed")),
    *(f"versions.{status}" for status in (*get_args(Status), "unchecked")),
    *(f"versions.{kind}" for kind in ("withdrawn", "erased", "closed")),
    *(f"change.{kind}" for kind in ("negation", "number", "name")),
    *(f"signing.{scope}" for scope in ("read", "cite", "save", "admin")),
}
"""The keys that are put together from codes."""

CHOSEN = [
    # Accept-Language, the language chosen
    ("", "en"),
    ("de", "de"),
    ("de-CH, en;q=0.5", "de"),
    ("DE-at", "de"),
    ("fr;q=0.4, de;q=0.6, en;q=0.5", "de"),
    ("nl, fr;q=0.1", "fr"),
    ("nl", "en"),
    ("*", "en"),
    ("en;q=0, *;q=0.5", "de"),
    ("de;q=0, fr;q=0", "en"),
    ("de;q=x, fr;q=0.1", "fr"),
    ("den, deu", "en"),
    ("fr, de", "fr"),
    (",;q=,;;", "en"),
]


@pytest.mark.parametrize(("field", "language"), CHOSEN)
def test_the_language_is_what_the_browser_asks_for(field: str, language: str) -> None:
    assert chosen_language({"accept-language": field}, LANGUAGES) == language


def places(pattern: str) -> set[str | None]:
    return {name for _, name, _, _ in Formatter().parse(pattern) if name is not None}


def forms(text: str | dict[str, str]) -> dict[str, str]:
    return {"other": text} if isinstance(text, str) else text


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_languages_say_the_same(language: str) -> None:
    english, words = words_in("en"), words_in(language)
    assert list(words.texts) == list(english.texts)
    for key, text in words.texts.items():
        wanted, other = places(forms(english.texts[key])["other"]), forms(text)["other"]
        for pattern in forms(text).values():
            assert pattern.strip(" ") == pattern != "", key
            assert pattern is not other or places(pattern) == wanted, key
            assert places(pattern) <= wanted, key
            assert all(str(name).isidentifier() for name in places(pattern)), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_are_translated(language: str) -> None:
    """What is said in two words or more is said in other ones."""
    english, words = words_in("en").texts, words_in(language).texts
    alike = [key for key, text in words.items() if text == english[key] and " " in str(text)]
    names = {f"numbers.{unit}" for unit in ("kib", "mib", "gib")} | {"dates.day", "dates.month"}
    names |= {"forms.annotation", "home.version", "document.printed_page"}
    assert language == "en" or [key for key in alike if key not in names] == []


def test_every_key_that_is_used_exists_and_every_key_is_used() -> None:
    keys, used = set(words_in("en").texts), set(BY_CODE)
    for path in [*TEMPLATES, *SCRIPTS, *PYTHON]:
        text = path.read_text(encoding="utf-8")
        asked = re.findall(r"""(?<![\w.])(?:t|words|ENGLISH)\(\s*['"]([\w-]+\.[\w-]+)['"]""", text)
        assert set(asked) - keys == set(), path.name
        used |= set(re.findall(r"""['"]([\w-]+\.[\w-]+)['"]""", text))
    formatted = {key for key in keys if key.startswith(("numbers.", "dates.", "language."))}
    assert keys - used - formatted == set()


class Texts(HTMLParser):
    """What a page says: text and attributes that people read, but for code and names of keys."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Collect the attributes that people read."""
        self._silent += tag in {"code", "kbd"}
        if tag != "meta" and ("type", "hidden") not in attributes:
            self.said += [value or "" for name, value in attributes if name in TRANSLATED]

    def handle_endtag(self, tag: str) -> None:
        """Hear again what code kept silent."""
        self._silent -= tag in {"code", "kbd"}

    def handle_data(self, data: str) -> None:
        """Collect text."""
        if not self._silent:
            self.said.append(data)


def written(template: nodes.Template) -> Iterator[str]:
    """The source of a page with a mark for each value, in order."""
    for output in template.find_all(nodes.Output):
        for node in output.nodes:
            yield node.data if isinstance(node, nodes.TemplateData) else "\x00"


def literals(node: nodes.Node) -> Iterator[str]:
    """The strings of an expression, but for keys and what becomes an address."""
    if isinstance(node, nodes.Call) and getattr(node.node, "name", "") in {"t", "kept"}:
        return
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        yield node.value
    for child in node.iter_child_nodes():
        yield from literals(child)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_templates_hold_no_words(path: Path) -> None:
    template = Environment(autoescape=True).parse(path.read_text(encoding="utf-8"))
    page = Texts()
    page.feed("".join(written(template)))
    said = [text.strip("\x00 \n") for text in page.said]
    assert [text for text in said if re.search(r"[^\W\d_]{2}", text) and text not in CLASSES] == []
    shown = [text for output in template.find_all(nodes.Output) for text in literals(output)]
    assert [text for text in shown if re.search(r"^[A-Z][a-z]|[a-z] [a-z]", text)] == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_hold_no_words(path: Path) -> None:
    script = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
    literal = re.findall(r'"([^"\n]*)"|`([^`]*)`', script)
    said = [one or other for one, other in literal]
    assert [
        text for text in said if re.search(r"^[A-Z][a-z]+ [a-z]|[a-z]{2} [a-z]+ [a-z]", text)
    ] == []


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        ("en", ("1 byte", "1.5 KiB", "1 November 2026", "2 November 2026, 09:05 UTC", "1,234.5")),
        (
            "de",
            ("1 Byte", "1,5 KiB", "1. November 2026", "2. November 2026, 09:05 Uhr UTC", "1.234,5"),
        ),
        (
            "fr",
            (
                "1 octet",
                "1,5 Kio",
                "1er novembre 2026",
                "2 novembre 2026 à 09:05 UTC",
                "1\u202f234,5",
            ),
        ),
    ],
)
def test_numbers_and_dates_are_those_of_the_language(language: str, shown: tuple[str, ...]) -> None:
    words = words_in(language)
    moment = datetime(2026, 11, 2, 9, 5, tzinfo=UTC)
    assert (
        words.size(1),
        words.size(1536),
        words.day(date(2026, 11, 1)),
        words.moment(moment),
        words.number(1234.5, 1),
    ) == shown


def test_nought_is_singular_in_french_alone() -> None:
    said = [words_in(language)("home.heading", count=0) for language in LANGUAGES]
    assert said == ["0 archived documents", "0 archivierte Dokumente", "0 document archivé"]


PAGE = (
    "<!doctype html><html lang=en><title>The log</title><p>A bright green meteor crossed the sky."
)


@pytest.fixture
def paths(archive: Path) -> list[str]:
    """The reader's pages: home, a document, its text, a citation, a problem."""
    with Archive.open(archive) as service:
        added = service.add(PAGE.encode(), name="a.html", uri="https://example.org/")
        cited = service.cite(added.pdi, quote="green meteor").reference
    name, _, fragment = cited.partition("#")
    return [
        "/",
        "/?pattern=lab.example.us/*",
        "/-/search?q=words&order=newest",
        f"/{added.pdi}",
        f"/{added.pdi}?show=text",
        f"/{name}?fragment={fragment}",
        "/urn:pdi://lab.example.us/1999/1/1/1.html.1",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_say_in_which_language_they_are(
    paths: list[str], running: Running, language: str
) -> None:
    for path in paths:
        answer = ask(running.base, path, Accept="text/html", Accept_Language=f"{language}-CH")
        assert f'<html lang="{language}" ' in answer.body.decode()
        assert answer.headers["content-language"] == language
        assert "Accept-Language" in answer.headers["vary"]
        assert "lang=en" not in re.sub(
            r'<nav class="languages".*?</nav>', "", answer.body.decode(), flags=re.DOTALL
        )


def test_a_chosen_language_stays(paths: list[str], running: Running) -> None:
    for path in paths:
        asked = f"{path}{'&' if '?' in path else '?'}lang=fr"
        answer = ask(running.base, asked, Accept="text/html", Accept_Language="de")
        assert answer.headers["content-language"] == "fr"
        page = re.sub(r'<nav class="languages".*?</nav>', "", answer.body.decode(), flags=re.DOTALL)
        ours = re.findall(r'(?:href|action|src)="(/[^"]*)"', page)
        read = [
            address
            for address in ours
            if not address.startswith(("/-/static/", "/-/api/")) and "view=bytes" not in address
        ]
        assert read
        forms = {"/", "/-/search"}  # these keep it in a field
        assert [each for each in read if "lang=fr" not in each and each not in forms] == []
        if 'action="/-/search"' in page:
            assert '<input type="hidden" name="lang" value="fr">' in page


def test_an_unknown_language_is_none(running: Running) -> None:
    answer = ask(running.base, "/?lang=xx", Accept="text/html", Accept_Language="de")
    assert answer.headers["content-language"] == "de"
    assert "lang=xx" not in answer.body.decode()
