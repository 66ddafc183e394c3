"""WebVTT beside the tests of web-platform-tests, as w3c/webvtt.js keeps them.

Of a file, what each assertion says of how many cues there are, and of their identifiers, texts and
times; where cues are shown, which nothing here reads, is left out. Of the text of a cue, the words
of the tree that is expected, and who says them.
"""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING

from tests.outside.conftest import Suite

from permacite.captions import Cue, read_captions
from permacite.captions.formats import pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_COUNT = re.compile(r"assert_equals\(cues\.length, ([0-9]+)")
_FIELD = re.compile(
    r"""assert_equals\(cues\[([0-9]+)\]\.(id|text|startTime|endTime), ("[^"]*"|'[^']*'|[0-9.]+)\)"""
)
_LEAF = re.compile(
    r'^\|( +)(?:"((?:[^"]|"(?!\n))*)"|<span>\n(?:\|\s+class="[^"]*"\n)?\|\s+title="([^"]*)"|<)',
    re.MULTILINE,
)
_NAMES = {"id": "identifier", "text": "text", "startTime": "start_ms", "endTime": "end_ms"}


def files(place: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each file with its assertions."""
    for path in sorted((place / "test" / "wpt-file-parsing").glob("*.vtt")):
        source = path.read_bytes().decode()
        assertions = path.with_suffix(".js").read_text("utf-8")
        if "cues" in assertions:
            yield path.stem, (source, assertions)


def texts(place: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the text of each cue with the tree that is expected."""
    for path in sorted((place / "test" / "wpt-cue-parsing").glob("*.json")):
        for number, case in enumerate(json.loads(path.read_text("utf-8"))):
            yield f"{path.stem}-{number}", (case["text"], case["expectedTree"])


SUITES = {
    "file": Suite("w3c/webvtt.js", files),
    "text": Suite("w3c/webvtt.js", texts),
}


def test_the_cues_of_a_file(file: tuple[str, str]) -> None:
    source, assertions = file
    cues = read_captions(source, "text/vtt").cues
    wanted = _COUNT.search(assertions)
    if wanted is not None:
        assert len(cues) == int(wanted[1])
    for number, name, literal in _FIELD.findall(assertions):
        value = ast.literal_eval(literal)
        if name.endswith("Time"):
            value = round(value * 1000)
        assert getattr(cues[int(number)], _NAMES[name]) == value


def test_the_words_of_a_cue(text: tuple[str, str]) -> None:
    source, tree = text
    cue = source.replace("\0", "\ufffd").partition("\n\n")[0].rstrip("\n")
    pieces = list(pieces_of(Cue(0, 60_000, cue), "text/vtt"))
    assert "".join(piece.text for piece in pieces) == "".join(words for words, _ in _leaves(tree))
    said = [(piece.text, piece.voice) for piece in pieces if piece.text]
    assert [voice for _, voice in said] == [voice for words, voice in _leaves(tree) if words]


def _leaves(tree: str) -> Iterator[tuple[str, str | None]]:
    """The texts of a tree, each with the voice around it."""
    voices: list[tuple[int, str | None]] = [(0, None)]
    for indent, words, voice in _LEAF.findall(tree):
        depth = len(indent)
        while voices[-1][0] >= depth:
            voices.pop()
        if words:
            yield words, voices[-1][1]
        elif voice:
            voices.append((depth, voice))
