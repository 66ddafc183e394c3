"""Differences between two wordings of a passage, the most important first; both wordings as one.

A number, a negation or a name that changed can reverse a sentence; other words mostly do not. The
lists of negations and of numbers in words cover common languages and are not complete: a word that
is not in them is reported with the other words.

In the combined wording, words of both texts are shown once, in reading order. Words that were moved
within the passage are shown as deleted in one place and inserted in another.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Literal

from permacite.fragments.alignment.aligning import align
from permacite.fragments.alignment.chains import MatchedBlock, longest_chain
from permacite.fragments.alignment.words import is_mark, is_number, is_word
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from permacite.fragments.alignment.words import WordedText

__all__ = ["Kind", "Piece", "WordChange", "changes", "compared", "negations"]

_SHORT = 3
"""Characters of a word that begins others by chance."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of both wordings, or of the old or the new one alone."""

    kind: Literal["same", "removed", "added"]
    words: str
    """As they stand there, with the white space that follows them."""
    start: int = field(default=0, compare=False, metadata={"json": False})
    """Where they stand there; those of both, in the new one."""


def compared(old: str, new: str) -> tuple[Piece, ...]:
    """The difference of two wordings. What is the same has the white space of the new one."""
    aligned = align(old, new)
    places = aligned.counterparts(0, len(aligned.old))
    pairs = [
        MatchedBlock(mine, its, 1)
        for mine, its in enumerate(places)
        if its >= 0 and aligned.old.ids[mine] == aligned.new.ids[its]
    ]
    return tuple(_pieces(aligned.old, aligned.new, longest_chain(pairs)))


def _pieces(old: WordedText, new: WordedText, pairs: Sequence[MatchedBlock]) -> Iterator[Piece]:
    """Yield runs of words; what was left out stands before what was put in for it."""
    was, now, same = 0, 0, 0
    for mine, its, _ in (*pairs, MatchedBlock(len(old), len(new), 0)):
        if mine > was or its > now or mine == len(old):
            yield from _piece("same", new, same, now)
            yield from _piece("removed", old, was, mine)
            yield from _piece("added", new, now, its)
            same = its
        was, now = mine + 1, its + 1


def _piece(
    kind: Literal["same", "removed", "added"], text: WordedText, first: int, last: int
) -> Iterator[Piece]:
    """Yield the words up to where the next one begins, if there are any."""
    if first < last:
        end = text.starts[last] if last < len(text) else len(text.text)
        start = text.starts[first] if first else 0
        yield Piece(kind, text.text[start:end], start)


Kind = Literal["negation", "number", "name", "words", "signs"]

_ORDER: tuple[Kind, ...] = ("negation", "number", "name", "words", "signs")

_NEGATIONS = frozenset(
    # English; German, Dutch; Scandinavian, Finnish; French, Spanish, Portuguese, Italian; Polish,
    # Czech, Croatian, Hungarian, Turkish, Greek; Russian, Ukrainian, Hebrew, Arabic, Persian,
    # Hindi, Korean; Chinese and Japanese, whose characters are read one by one.
    """
    not no never none nor neither nobody nothing nowhere without cannot
    nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne niet geen nooit
    niets inte icke aldrig ingen inget inga utan ikke aldri ingenting intet uden uten ei
    eivät älä ilman ne pas non jamais aucun aucune sans rien nunca jamás sin ningún ninguno
    ninguna nada nadie não nem nenhum nenhuma sem ninguém senza nessuno nessuna niente nigdy bez
    żaden žádný nikdy není nejsou nije nisu nem sincs nincs soha nélkül değil yok asla δεν
    μην όχι ποτέ χωρίς не нет никогда без нельзя ані немає ніколи לא אין בלי לא لا لم لن ليس ليست
    غير بدون نه نیست नहीं मत बिना 안 못 아니 않다 없다 없는 不 没 沒 無 无 非 未 勿 否 别 別
    """.split()  # noqa: SIM905 - a list that people read
)
_NUMBERS = frozenset(
    # English; German; French; Spanish; Chinese and Japanese, character by character.
    """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
    hundred hundreds thousand thousands million millions billion billions dozen half twice once
    first second third fourth fifth
    null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig
    fünfzig sechzig siebzig achtzig neunzig hundert tausend millionen milliarden
    deux trois quatre cinq sept huit neuf dix onze douze vingt trente quarante cinquante soixante
    cent mille dos tres cuatro cinco seis siete ocho nueve diez veinte treinta cien mil millones
    一 二 三 四 五 六 七 八 九 十 百 千 万 萬 亿 億
    """.split()  # noqa: SIM905 - a list that people read
)
_UNSPACED_NEGATIONS = ("ない", "ません", "ぬ", "ไม่", "มิได้", "ห้าม")
_NEGATING_ENDS = ("n't", "n\u2019t")
_NEGATING_STARTS = ("un", "in", "im", "il", "ir", "non", "dis")


@dataclass(frozen=True, slots=True)
class WordChange:
    """Words that were replaced; `was` or `now` is empty where words were put in or left out."""

    kind: Kind
    was: str
    now: str


def changes(
    old: WordedText,
    new: WordedText,
    pairs: Sequence[tuple[int, int]],
    whole: tuple[int, int, int, int],
) -> tuple[WordChange, ...]:
    """The differences between two parts (old start and end, new start and end; of words).

    `pairs` are the words that are the same in both, in order. Changes of one kind are in the order
    of the text.
    """
    differences: list[WordChange] = []
    i, k = whole[0], whole[2]
    for mine, its in (*pairs, (whole[1], whole[3])):
        differences += _change(old, new, (i, mine), (k, its))
        i, k = mine + 1, its + 1
    return tuple(sorted(differences, key=lambda change: _ORDER.index(change.kind)))


def _change(
    old: WordedText, new: WordedText, was: tuple[int, int], now: tuple[int, int]
) -> Iterator[WordChange]:
    """Yield what replaced some words: one word another, where there are as many of them."""
    first, second = old.words[slice(*was)], new.words[slice(*now)]
    if len(first) == len(second) > 1 and all(map(is_word, (*first, *second))):
        for mine, its in zip(range(*was), range(*now), strict=True):
            yield from _change(old, new, (mine, mine + 1), (its, its + 1))
    elif first or second:
        kind = _kind(first, second, old.vocabulary)
        yield WordChange(kind, _told(old, *was), _told(new, *now))


def _told(text: WordedText, first: int, last: int) -> str:
    if first == last:
        return ""
    return " ".join(text.text[text.starts[first] : text.ends[last - 1]].split())


def _kind(was: Sequence[str], now: Sequence[str], vocabulary: Container[str]) -> Kind:
    if negations(was) != negations(now) or _is_negated(was, now):
        return "negation"
    if _numbers(was) != _numbers(now):
        return "number"
    if any(_is_name(word, vocabulary) for word in {*was} ^ {*now}):
        return "name"
    return "signs" if all(map(is_mark, (*was, *now))) else "words"


def negations(words: Sequence[str]) -> int:
    """Count the negations."""
    folded = [word.casefold() for word in words]
    count = sum(word in _NEGATIONS or word.endswith(_NEGATING_ENDS) for word in folded)
    return count + sum("".join(folded).count(negation) for negation in _UNSPACED_NEGATIONS)


def _numbers(words: Sequence[str]) -> list[str]:
    return [word for word in words if is_number(word) or word.casefold() in _NUMBERS]


def _is_negated(was: Sequence[str], now: Sequence[str]) -> bool:
    """Whether a word is the other with a syllable before it that turns it round."""
    first, second = ({word.casefold() for word in words} for words in (was, now))
    return any(
        start + word in longer
        for shorter, longer in ((first, second), (second, first))
        for word in shorter
        if len(word) > _SHORT
        for start in _NEGATING_STARTS
    )


def _is_name(word: str, vocabulary: Container[str]) -> bool:
    """Whether a word has a capital, and stands nowhere without."""
    lower = word[:1].lower() + word[1:]
    return lower != word and is_word(word) and lower not in vocabulary
