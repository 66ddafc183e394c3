"""Terms: what of a text is indexed, and what a question asks for, by the same rules.

A term is a word in lower case, without the marks that writers leave out: accents, points of Hebrew,
vowels of Arabic (marks of a combining class of 10 to 36, or from 200). Compatibility forms are one
(NFKD). Vowel signs of the scripts of India stay, for they are letters there. Scripts that set no
spaces between words, Korean, and symbols that stand for letters are indexed by the character, and
asked for as phrases. Words are not brought to their stems: who asks for *boat* finds *boat*, and
with `boat*` *boats* too.

The rules have a version; an index made by another is made anew.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from permacite.errors import ParseError
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

__all__ = ["RULES", "Query", "Term", "folded", "read_query", "terms_in", "terms_of", "words_in"]

RULES = 3

_INDIC = "".join(
    f"{chr(block)}-{chr(block + 3)}{chr(block + 0x3A)}-{chr(block + 0x4F)}"
    f"{chr(block + 0x51)}-{chr(block + 0x57)}{chr(block + 0x62)}-{chr(block + 0x63)}"
    for block in range(0x0900, 0x0E00, 0x80)
)
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a"
    "\u07a6-\u07b0" + _INDIC + "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd"
    "\u0f18\u0f19\u0f35\u0f37\u0f39\u0f71-\u0f84\u0f86-\u0fbc\u102b-\u103e\u1056-\u109d"
    "\u135d-\u135f\u17b4-\u17d3\u17dd\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u20d0-\u20f0\u302a-\u302f"
    "\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f"
)
"""Characters that go on with a word and are no letters to `\\w`."""
_SIGNS = (
    "\u20a8\u2100\u2101\u2103\u2105\u2106\u2109\u2116\u2120-\u2122\u213b\u249c-\u24e9\ufdfc"
    "\U0001f110-\U0001f12e\U0001f130-\U0001f14f\U0001f16a-\U0001f16c\U0001f190"
)
"""Symbols that stand for letters and are none to `\\w`: who asks for Acme finds Acme\u2122 too."""
_UNSPACED = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u2e9f\u2ef3\u2f00-\u2fd5\u3005-\u3007\u3040-\u30ff"
    "\u3196-\u319f\u31f0-\u321e\u322a-\u3247\u3250\u3260-\u327e\u328a-\u32b0\u32c0-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U0001f200-\U0001f251"
    "\U00020000-\U0003ffff"
)
_ALONE = _SIGNS + _UNSPACED
_WORD = compile_pattern(
    rf"(?:(?:[{_ALONE}]|(?![{_ALONE}])[^\W_])[{_MARKS}]*+)"
    rf"(?:(?<![{_ALONE}])(?:(?![{_ALONE}])[^\W_]|[{_MARKS}]))*+"
)
_ASCII_WORD = compile_pattern(r"[0-9A-Za-z]++")
_LONGEST = 60
"""Of a term: what is longer is data, and its beginning stands for it."""
_MOST_TERMS = 64
"""Of a question."""
_LONGEST_QUERY = 4000


class Term(NamedTuple):
    """A term, and where in the text it stands."""

    text: str
    start: int
    end: int


def folded(text: str) -> str:
    """All terms of a text, set apart by spaces."""
    return " ".join(terms_of(text, 0, len(text)))


def terms_of(text: str, start: int, end: int) -> list[str]:
    """The terms of a stretch of a text without their places, which is quicker by far."""
    if text.isascii():
        return [word[:_LONGEST] for word in _ASCII_WORD.findall(text[start:end].lower())]
    return list(map(_folded, _WORD.findall(text, start, end)))


def words_in(text: str, start: int) -> Iterator[re.Match[str]]:
    """What the terms behind a place are made of, in order."""
    return (_ASCII_WORD if text.isascii() else _WORD).finditer(text, start)


def terms_in(text: str, start: int = 0, end: int | None = None) -> Iterator[Term]:
    """The terms of a stretch of a text, in order."""
    words = _ASCII_WORD if text.isascii() else _WORD  # to compile the other takes 7 ms
    for match in words.finditer(text, start, len(text) if end is None else end):
        yield Term(_folded(match.group()), *match.span())


@lru_cache(maxsize=1 << 16)
def _folded(word: str) -> str:
    if word.isascii():
        return word[:_LONGEST].lower()
    plain = unicodedata.normalize("NFKD", word[:_LONGEST].casefold())
    kept = "".join(sign for sign in plain if not _is_left_out(sign))
    return unicodedata.normalize("NFKC", kept).casefold().replace(" ", "") or word


def _is_left_out(sign: str) -> bool:
    """Whether writers leave a mark out as often as they set it, or it only surrounds letters."""
    order = unicodedata.combining(sign)
    return order >= 200 or 10 <= order <= 36 or sign in "\u0640\u200c\u200d\ufe0e\ufe0f()/°"  # noqa: PLR2004 - see above


class Query(NamedTuple):
    """What a question asks for. Each wanted thing is a phrase: one term or several in a row."""

    wanted: tuple[tuple[str, ...], ...]
    unwanted: tuple[tuple[str, ...], ...]
    open_ended: frozenset[int]
    """Which of `wanted` go on: their last term is the beginning of a word."""

    @property
    def matching(self) -> str:
        """As FTS5 takes it; terms hold no quotation marks."""
        phrases = [
            f'"{" ".join(phrase)}"' + (" *" if number in self.open_ended else "")
            for number, phrase in enumerate(self.wanted)
        ]
        without = "".join(f' NOT "{" ".join(phrase)}"' for phrase in self.unwanted)
        return f"({' AND '.join(phrases)}){without}"

    def stands_in(self, text: str) -> bool:
        """Whether a short text, in no index, has all that is wanted."""
        terms = f" {folded(text)} "

        def has(number: int, phrase: tuple[str, ...]) -> bool:
            return f" {' '.join(phrase)}{'' if number in self.open_ended else ' '}" in terms

        return all(has(*each) for each in enumerate(self.wanted)) and not any(
            has(-1, phrase) for phrase in self.unwanted
        )

    def as_phrase(self) -> Query:
        """All that is wanted in a row, as a passage stands in a text."""
        whole = tuple(term for phrase in self.wanted for term in phrase)
        last = len(self.wanted) - 1 in self.open_ended
        return Query((whole,), self.unwanted, frozenset({0} if last else ()))


_PIECE = compile_pattern(r'(?P<minus>-?)(?:"(?P<phrase>[^"]*+)"?|(?P<word>[^\s"]++))')
_QUOTES = str.maketrans(dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d", '"'))


def read_query(typed: str) -> Query:
    """Read a question: words, "phrases", -without, and begin*. Anything else is left aside.

    Raises ParseError where nothing is asked for, or too much.
    """
    if len(typed) > _LONGEST_QUERY:
        raise ParseError(f"expected at most {_LONGEST_QUERY} characters", typed[:40], 0)
    wanted: list[tuple[str, ...]] = []
    unwanted: list[tuple[str, ...]] = []
    open_ended: set[int] = set()
    for piece in _PIECE.finditer(typed.translate(_QUOTES)):
        source = piece["phrase"] if piece["phrase"] is not None else piece["word"]
        terms = tuple(folded(source).split())
        if not terms:
            continue
        is_sign = piece["minus"] and (not piece.start() or typed[piece.start() - 1].isspace())
        if is_sign:
            unwanted.append(terms)
            continue
        if piece["word"] and piece["word"].endswith("*"):
            open_ended.add(len(wanted))
        wanted.append(terms)
    if not wanted:
        raise ParseError("expected words to look for", typed[:40], 0)
    if sum(map(len, (*wanted, *unwanted))) > _MOST_TERMS:
        raise ParseError(f"expected at most {_MOST_TERMS} words to look for", typed[:40], 0)
    return Query(tuple(wanted), tuple(unwanted), frozenset(open_ended))
