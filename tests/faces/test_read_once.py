"""A document that comes in is decoded once and its tags are found once, whatever is asked of it."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from tests.archives import Archive

from permacite.charsets import decoding
from permacite.markup import tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import CodeType, FrameType

    from tests.faces.conftest import Site

pytestmark = pytest.mark.engines(deep=True)

_SOURCE = "The court finds that the harbour was closed on Monday."
_FILLER = "<p>One of many paragraphs, with <b>some</b> <i>tags</i>.</p>\n" * 500
_LARGE = 10_000
"""Octets and characters from which a reading counts: all that is read here of other things, of
the log's entries say, is smaller."""


@pytest.fixture
def source(archive: Path) -> str:
    """The permanent name of a text that is quoted."""
    with Archive.open(archive) as service:
        return service.add(_SOURCE.encode(), name="ruling.txt").pdi


def _counted(work: Callable[[], object]) -> Counter[str]:
    """How often large texts were decoded and searched for tags while `work` was done."""
    counts: Counter[str] = Counter()
    named: dict[CodeType, tuple[str, str]] = {
        tokenizer.tokenize.__code__: ("tokens", "source"),
        decoding.Encoding.decode.__code__: ("decodings", "octets"),
        decoding.decode.__code__: ("decodings", "data"),
    }

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code in named:
            name, of = named[frame.f_code]
            counts[name] += len(frame.f_locals[of]) >= _LARGE
        elif event == "c_call" and argument.__name__ == "decode":
            octets = getattr(argument, "__self__", b"")
            is_built_in = isinstance(octets, bytes) and len(octets) >= _LARGE
            counts["decodings"] += is_built_in

    threading.setprofile(watch)  # where a loop runs already, a page is fetched in a thread
    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return counts


def _page(
    quotation: str = "",
    *,
    charset: str = '<meta charset="utf-8">',
    title: str = "<title>A page</title>",
) -> bytes:
    return f"<!doctype html>{charset}{title}\n{quotation}{_FILLER}".encode()


def _quoting(name: str) -> str:
    return f'<blockquote cite="{name}#char=4,15">court finds</blockquote>'


ONCE = [
    # what comes in, name, whether it quotes, passes over the tokens, decodings
    ("a page", "a.html", _page(), 1, 1),
    ("a page without a title", "a.html", _page(title=""), 1, 1),
    ("plain text", "a.txt", _SOURCE.encode() * 500, 0, 0),
    # The head is searched for a declaration, octet by octet; whether octets that nothing declares
    # are UTF-8 is told by decoding them.
    ("an undeclared page", "a.html", _page(charset="").replace(b"One", b"\xc3\x89", 1), 2, 3),
    ("undeclared plain text", "a.txt", "é".encode() * _LARGE, 0, 1),
]


@pytest.mark.parametrize(
    ("name", "content", "passes", "decodings"), [c[1:] for c in ONCE], ids=[c[0] for c in ONCE]
)
def test_an_import_reads_once(
    archive: Path, name: str, content: bytes, passes: int, decodings: int
) -> None:
    with Archive.open(archive) as service:
        counts = _counted(lambda: service.add(content, name=name))
    assert (counts["tokens"], counts["decodings"]) == (passes, decodings)


def test_a_page_that_quotes_is_read_once(archive: Path, source: str) -> None:
    with Archive.open(archive) as service:
        counts = _counted(lambda: service.add(_page(_quoting(source)), name="a.html"))
    assert (counts["tokens"], counts["decodings"]) == (1, 1)


def test_a_page_that_is_saved_is_read_once(archive: Path, source: str, site: Site) -> None:
    address = site.put("/a.html", "text/html", _page(_quoting(source)))
    with Archive.open(archive) as service:
        counts = _counted(lambda: service.save(address, allow_private=True))
    assert (counts["tokens"], counts["decodings"]) == (1, 1)


def test_the_reader_reads_once_what_it_shows(archive: Path) -> None:
    with Archive.open(archive) as service:
        saved = service.add(_page(), name="a.html")
        text = next(one.pdi for one in saved.document.formats if one.format == "utf-8")
        counts = _counted(lambda: service.documents.reader.page(f"{text}#char=4,15"))
    assert (counts["tokens"], counts["decodings"]) == (1, 1)
