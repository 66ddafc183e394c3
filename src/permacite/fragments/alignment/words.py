"""Words and sentences of a text, in any script, without white space.

A word is a run of letters with their marks, or a number with its separators. Scripts that are
written without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) have each character for a
word. Every other character is a word by itself, so that nothing but white space is passed over.

A sentence ends where its mark stands, at a blank line, and in Thai and its neighbours at a space.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Range", "WordedText", "is_mark", "is_number", "is_word", "read"]

_SPACED_CLAUSES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17d3\u17d5-\u17ff\u1a20-\u1aad\uaa60-\uaa7f"
"""Thai, Lao, Burmese, Khmer and scripts beside them: spaces stand between clauses."""

_NO_SPACES = (
    _SPACED_CLAUSES
    + "\u2e80-\u2fff\u3005-\u3007\u3021-\u3029\u3031-\u303c\u3041-\u30ff\u3105-\u312f"
    "\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua48f\uf900-\ufaff\uff66-\uff9f"
    "\U0001b000-\U0001b2ff\U00020000-\U0003ffff"
)
_MARKS = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059"
    "\u17b4-\u17d3\u17dd\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef"
)
_SIGNS = (
    "\x00-/:-@\\[-\\^`{-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u037e\u0387"
    "\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05f3\u05f4\u060c\u061b\u061f\u066a-\u066d\u06d4"
    "\u0964\u0965\u0f04-\u0f14\u104a-\u104f\u1360-\u1368\u17d4-\u17da\u1800-\u180a\u2000-\u200b"
    "\u200e-\u206f\u20a0-\u20cf\u2190-\u2bff\u3000-\u3004\u3008-\u3020\u302a-\u3030\u303d-\u3040"
    "\ufe10-\ufe1f\ufe30-\ufe6f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
)
_LETTER = rf"[^\s{_SIGNS}{_NO_SPACES}]"
_LONGEST = 48
"""Longer runs are cut: what is no word of a language is read in pieces."""

_WORD = (
    rf"\d++(?:[.,:/'\u2019-]\d++)*+(?!{_LETTER})"
    rf"|[{_NO_SPACES}][{_MARKS}]{{0,8}}+"
    rf"|{_LETTER}{{1,{_LONGEST}}}+(?:['\u2019]{_LETTER}{{1,{_LONGEST}}}+)?+"
    r"|\S"
)
_PIECE = compile_pattern(rf"(?:{_WORD})\s*+")

_LONGEST_ABBREVIATION = 3

_NUMBER = compile_pattern(r"\d")
_MARK = compile_pattern(rf"[{_SIGNS}]")
_UNSPACED = compile_pattern(rf"[{_NO_SPACES}]")
_BREAK = compile_pattern(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_BLANK_LINE = compile_pattern(r"\n[^\S\n]*\n|\r[^\S\n\r]*\r|[\f\u2029]")
_CLAUSE = compile_pattern(rf"[{_SPACED_CLAUSES}]")

_ENDS_BEFORE_SPACE = frozenset(".!?\u2026\u203c\u2047\u2048\u2049\u061f\u06d4\u0589\u1362\u1367")
"""European, Arabic, Armenian, Ethiopic; the Latin full stop stands in numbers and names too."""

_ENDS = frozenset("\u3002\uff0e\uff01\uff1f\uff61\u0964\u0965\u104b\u17d4\u17d5\u0f0e")
"""Chinese and Japanese, Indic, Burmese, Khmer, Tibetan: no space need follow."""

_CLOSES = frozenset(
    "\"')]}\u2019\u201d\u00bb\u203a\uff09\uff3d\uff5d\u300d\u300f\u3011\u3009\u300b\u3015"
)


class Range(NamedTuple):
    """Words from one place up to another."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class WordedText:
    """A text and its words: where each starts and ends, and the words with which parts begin.

    `starts` and `ends` are offsets of characters. `sentences` and `lines` are places of words,
    the first 0 and the last the number of words; each line is within one sentence. `ids` holds
    a number for each word, the same for the same word in all texts that were read by one table.
    """

    text: str
    words: list[str]
    ids: list[int]
    starts: list[int]
    ends: list[int]
    sentences: list[int]
    lines: list[int]
    vocabulary: Mapping[str, int]
    """The numbers of all words that were read by that table."""

    def __len__(self) -> int:
        """How many words there are."""
        return len(self.words)

    def begins(self, place: int) -> bool:
        """Whether a sentence or a line begins with this word; the end of the text counts as one."""
        number = bisect_left(self.lines, place)
        return number < len(self.lines) and self.lines[number] == place

    def covering(self, start: int, end: int) -> tuple[int, int]:
        """Return the places of the first and after the last word that these characters touch."""
        return bisect_right(self.ends, start), bisect_left(self.starts, end)

    def sentences_of(self, first: int, last: int) -> tuple[int, int]:
        """Where the sentences begin and end that hold some words."""
        begin = self.sentences[bisect_right(self.sentences, first) - 1]
        return begin, self.sentences[bisect_left(self.sentences, last)]


def read(text: str, table: dict[str, int]) -> WordedText:
    """Take a text apart, in linear time. New words are added to the table of their numbers."""
    lead = len(text) - len(text.lstrip())
    pieces = _PIECE.findall(text, lead)
    words = list(map(str.rstrip, pieces))
    starts = list(accumulate(map(len, pieces), initial=lead))
    starts.pop()
    ends = [start + len(word) for start, word in zip(starts, words, strict=True)]
    sentences, lines = _bounds(pieces, words)
    ids = [table.setdefault(word, len(table)) for word in words]
    return WordedText(text, words, ids, starts, ends, sentences, lines, table)


def is_number(word: str) -> bool:
    """Whether the word has a digit of any script."""
    return _NUMBER.search(word) is not None


def is_mark(word: str) -> bool:
    """Whether this is a sign of punctuation or the like."""
    return _MARK.match(word) is not None


def is_word(word: str) -> bool:
    """Whether this is a whole word of a language that parts them: no sign, no single character."""
    return _MARK.match(word) is None and _UNSPACED.match(word) is None


def _bounds(pieces: list[str], words: list[str]) -> tuple[list[int], list[int]]:
    """Return the words that begin a sentence, and those that begin a line or a sentence."""
    sentences, lines = [0], [0]
    ended, last = False, ""
    for place, (piece, word) in enumerate(zip(pieces, words, strict=True), 1):
        ended = _is_end(last, word) or (ended and word in _CLOSES)
        last = word
        spaced = len(piece) > len(word)
        if not (ended or spaced):
            continue
        space = piece[len(word) :]
        if _ends_sentence(word, space, ended=ended):
            sentences.append(place)
            lines.append(place)
        elif _BREAK.search(space):
            lines.append(place)
    for bounds in (sentences, lines):
        if bounds[-1] != len(words):
            bounds.append(len(words))
    return sentences, lines


def _is_end(last: str, word: str) -> bool:
    """Whether a mark ends a sentence; the point behind "No" or an initial may not."""
    if word == ".":
        return not (last[:1].isupper() and len(last) <= _LONGEST_ABBREVIATION)
    return word in _ENDS_BEFORE_SPACE or word in _ENDS


def _ends_sentence(word: str, space: str, *, ended: bool) -> bool:
    if ended and (space or word in _ENDS):
        return True
    if not space:
        return False
    return _BLANK_LINE.search(space) is not None or _CLAUSE.match(word) is not None
