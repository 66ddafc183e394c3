"""Read pages: tokens, and the plain text with its map, beside libraries that parse HTML.

Alone: python benchmarks/bench_markup.py
"""

from __future__ import annotations

import importlib
import random
import statistics
import time
from contextlib import suppress
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from permacite.markup import plain_text, tokenize

if TYPE_CHECKING:
    from collections.abc import Callable

TITLE = "HTML: tokens and plain text"
RIVALS = ["beautifulsoup4", "html5lib", "selectolax", "turbohtml"]

ROUNDS = 7
TEXT = (
    "harbour tide gauge keeper north light ferry table water level morning evening log entry the "
    "of and a to in was by for that with on as at from"
)
WORDS = TEXT.split()


def article(rng: random.Random, paragraphs: int) -> str:
    """Return a page as newspapers write them: a long head, links, lists, a few references."""
    head = "<style>" + ".a>.b{color:red}\n" * 300 + "</style><script>" + "if(a<b){c()}\n" * 800
    body = []
    for number in range(paragraphs):
        words = [
            f'<a href="/topic/{number}?from=text&amp;id={index}" class="link">{word}</a>'
            if rng.random() < 0.03
            else word
            for index, word in enumerate(rng.choices(WORDS, k=70))
        ]
        items = "".join(f"\n      <li><span>{rng.choice(WORDS)}</span></li>" for _ in range(4))
        title = f"{rng.choice(WORDS)} &mdash; {number}"
        body.append(
            f'\n  <div class="row" id="r{number}">\n    <h2>{title}</h2>'
            f"\n    <p>{' '.join(words)}&nbsp;m.</p>\n    <ul>{items}\n    </ul>\n  </div>"
        )
    return f"<!DOCTYPE html><html><head>{head}</script></head><body>{''.join(body)}\n</body></html>"


def tables(rng: random.Random, rows: int) -> str:
    """Return a page that is one long table, with closing tags left out."""
    cells = ("<td>".join(["", *rng.choices(WORDS, k=8)]) for _ in range(rows))
    return "<title>t</title><table><tr>" + "\n<tr>".join(cells) + "</table>"


class _Silent(HTMLParser):
    """The standard library's parser, told to do nothing with what it finds."""

    def handle_data(self, data: str) -> None:
        """Take the text."""


def tokenizers() -> dict[str, Callable[[str], object]]:
    """Return what reads a page into tokens, by name; rivals that are not at hand are left out."""
    found: dict[str, Callable[[str], object]] = {
        "permacite": lambda page: sum(1 for _ in tokenize(page)),
        "html.parser": lambda page: _Silent().feed(page),
    }
    with suppress(ImportError):
        turbohtml = importlib.import_module("turbohtml")
        found["turbohtml (C)"] = lambda page: sum(1 for _ in turbohtml.tokenize(page))
    with suppress(ImportError):
        html5lib = importlib.import_module("html5lib._tokenizer")
        found["html5lib"] = lambda page: sum(1 for _ in html5lib.HTMLTokenizer(page))
    return found


def texts() -> dict[str, Callable[[str], object]]:
    """Return what makes a page a text; none but ours keeps a map to the source."""
    found: dict[str, Callable[[str], object]] = {"permacite, with a map": plain_text}
    with suppress(ImportError):
        bs4 = importlib.import_module("bs4")
        found["beautifulsoup4 on html.parser"] = lambda page: bs4.BeautifulSoup(
            page, "html.parser"
        ).get_text("\n", strip=True)
    with suppress(ImportError):
        html5lib = importlib.import_module("html5lib")
        found["html5lib, tree and itertext"] = lambda page: "".join(
            html5lib.parse(page, treebuilder="etree").itertext()
        )
    with suppress(ImportError):
        lexbor = importlib.import_module("selectolax.lexbor")
        found["selectolax (C)"] = lambda page: lexbor.LexborHTMLParser(page).text(separator="\n")
    with suppress(ImportError):
        turbohtml = importlib.import_module("turbohtml")
        found["turbohtml (C)"] = lambda page: turbohtml.parse(page).text
    return found


def medians(contenders: dict[str, Callable[[str], object]], page: str) -> dict[str, float]:
    """Return the median seconds of each; all take turns, so that a busy machine is fair."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(ROUNDS):
        for name, read in contenders.items():
            start = time.perf_counter()
            read(page)
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in seconds.items()}


def section(title: str, contenders: dict[str, Callable[[str], object]], page: str) -> str:
    """Return a table of ratios: how much longer each takes than permacite."""
    found = medians(contenders, page)
    ours = next(iter(found.values()))
    rate = len(page) / ours / 1_000_000
    lines = [
        f"### {title}: {len(page) / 1_000_000:.1f} million characters",
        "",
        f"| | time, permacite = 1 ({rate:.1f} million characters a second) |",
        "|---|---|",
        *(
            f"| {name} | {each / ours:.2f} |"
            for name, each in sorted(found.items(), key=lambda x: x[1])
        ),
        "",
    ]
    return "\n".join(lines)


def measure() -> str:
    """Return the results as Markdown."""
    rng = random.Random(2026)  # noqa: S311 - the same page each time
    page, table = article(rng, 1200), tables(rng, 12_000)
    return "\n".join(
        [
            section("Tokens of an article", tokenizers(), page),
            section("Tokens of a table", tokenizers(), table),
            section("Text of an article", texts(), page),
            section("Text of a table", texts(), table),
        ]
    )


if __name__ == "__main__":
    print(measure())
