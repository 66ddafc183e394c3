"""Fate of a passage of an old text: where its words are in the new text, or that they are gone.

A passage is followed through the alignment of both texts; the likeness of two passages never
decides between places. What was in the old text already, or came of another passage of it, is no
successor: a passage that is removed beside one like it is gone. The image of a passage is the words
that came of it, and what is among them.
"""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Literal

from permacite.fragments import quote as quotes
from permacite.fragments.alignment.aligning import SAYS_ENOUGH
from permacite.fragments.alignment.differences import WordChange, changes, negations
from permacite.fragments.alignment.editing import resemblance, weigh, weight
from permacite.fragments.alignment.words import Range, is_word
from permacite.fragments.likeness import likeness
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permacite.fragments.alignment.aligning import Alignment
    from permacite.fragments.alignment.words import WordedText

__all__ = ["Fate", "Image", "Similar", "Status", "follow", "image_of", "is_open"]


_PUT_IN = 5
"""So many words beside a replaced word may belong to what replaced it."""

Pairs = list[tuple[int, int]]
"""Words of the old text, and what stands for each, the same word or another; in order."""


@dataclass(frozen=True)
class Image:
    """A part of the old text, and the part of the new one that came of it."""

    alignment: Alignment
    part: Range
    pairs: Pairs

    @property
    def now(self) -> Range:
        """From the first word that came of the part to the last."""
        return Range(self.pairs[0][1], self.pairs[-1][1] + 1)

    @cached_property
    def same(self) -> Pairs:
        """The pairs of the same words."""
        old, new = self.alignment.old.ids, self.alignment.new.ids
        return [(mine, its) for mine, its in self.pairs if old[mine] == new[its]]

    @cached_property
    def kept(self) -> float:
        """What share of the words is the same, by weight, 0 to 1."""
        old, new = self.alignment.old, self.alignment.new
        kept = sum(weight(old.words[mine]) for mine, _ in self.same)
        return 2 * kept / max(1, weigh(old, self.part) + weigh(new, self.now))

    @cached_property
    def whole(self) -> Range:
        """`now` with what was put in before its first word or after its last.

        That belongs to the passage where that word is no longer the one that was cited.
        """
        (first, last), (start, end) = self.part, self.now
        begin, finish = self.alignment.new.sentences_of(start, end)
        if not self._is_firm(first, self.pairs[:2]):
            before = self._beside(first - 1)
            start = before + 1 if max(begin, start - _PUT_IN) <= before + 1 < start else start
        if not self._is_firm(last - 1, self.pairs[:-3:-1]):
            after = self._beside(last)
            end = after if end < after <= min(finish, end + _PUT_IN) else end
        return Range(start, end)

    def _is_firm(self, place: int, pairs: Pairs) -> bool:
        """Whether a word at an end is as it was; a single character alone may be by chance."""
        old, new = self.alignment.old, self.alignment.new
        same = [old.ids[mine] == new.ids[its] for mine, its in pairs]
        return pairs[0][0] == place and same[0] and (is_word(old.words[place]) or all(same))

    def _beside(self, place: int) -> int:
        """The place that answers a word beside the part, out of reach where none does."""
        if place < 0:
            return -1
        if place == len(self.alignment.old):
            return len(self.alignment.new)
        its = self.alignment.counterparts(place, place + 1)[0]
        return its if its >= 0 else len(self.alignment.new) + 1


def image_of(alignment: Alignment, part: Range) -> Image | None:
    """The image of a part, where it has one.

    What stands between its words may have been put in, but is nothing that came of other parts.
    """
    runs: list[Pairs] = [[]]
    for pair in _pairs(alignment, part):
        if runs[-1] and not _follows(alignment, part, runs[-1][-1][1], pair[1]):
            runs.append([])
        runs[-1].append(pair)
    images = [Image(alignment, part, run) for run in runs if run]
    return max(images, key=lambda image: image.kept, default=None)


def _pairs(alignment: Alignment, part: Range) -> Iterator[tuple[int, int]]:
    places = alignment.counterparts(*part)
    return ((mine, its) for mine, its in enumerate(places, part.start) if its >= 0)


def _follows(alignment: Alignment, part: Range, left: int, right: int) -> bool:
    """Whether no words of other parts are between two words of the new text, in this order."""
    return left < right and is_open(alignment, part, Range(left + 1, right))


def is_open(alignment: Alignment, part: Range, now: Range) -> bool:
    """Whether nothing that stands now in a place has come of any other part of the old text."""
    owners = alignment.to_old[slice(*now)]
    return all(mine < 0 or part.start <= mine < part.end for mine in owners)


Status = Literal["verified", "moved", "changed", "ambiguous", "gone", "gone-similar"]

_ENOUGH = 0.5
"""What share of the words must be the same, by their weight, for one passage to be the other."""

_MOSTLY = 0.8
"""What is kept so well may have been joined to more than there is of it."""

_ENOUGH_AROUND = 0.6
_ENOUGH_WITHIN = 0.25
"""The same for the sentence around a part of it, and for the part itself."""

_FEW = 40
"""What weighs less is judged by the sentence around it alone."""

_MAX_SENTENCE = 400
"""How many words of the sentence around a passage are looked at, on either side."""

_REACH = 8
"""So many words beside a passage may negate it."""

_NEAR, _ANYWHERE = 0.15, 0.02
"""How much better a passage must fit than another that is lost: beside it, and anywhere."""

_SIMILAR = 0.6
_VERY_SIMILAR = 0.8
"""What is less alike is not called similar; what is this much may be the passage, moved."""


@dataclass(frozen=True, slots=True)
class Similar:
    """A passage like the one that is gone: where it stands now, and where it stood before."""

    words: str
    start: int
    end: int
    stood_start: int
    stood_end: int


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a passage. Offsets are characters of the new text, but for `stood_...`.

    `status`: "verified", the same words at the same place; "moved", the same words elsewhere;
    "changed", edited where it stood; "gone"; "gone-similar", gone, while a similar passage that
    stood there before (`similar`) still stands; "ambiguous", the words stand newly in several
    places, or others like them in one, and which it is cannot be told. White space does not matter.

    `start` and `end` are None where it has no place. `score` is the likeness of the words there to
    the passage, 0 if there are none; `runner_up` that of the most similar other passage, None if
    none was searched for. `changes` tells what was changed, what matters most first.
    """

    status: Status
    start: int | None = None
    end: int | None = None
    score: float = 0.0
    runner_up: float | None = None
    changes: tuple[WordChange, ...] = ()
    similar: Similar | None = None


def follow(alignment: Alignment, start: int, end: int) -> Fate:
    """The fate of the characters from `start` up to `end` of the old text."""
    old = alignment.old
    end = min(end, len(old.text))
    if not old.text[start:end].strip():
        return Fate("gone")
    passage = Range(*old.covering(start, end))
    now = _same_words(alignment, passage)
    if now is not None:
        negated = _negated_beside(alignment, passage, now)
        return negated or _standing(alignment, passage, now, (start, end))
    places = _new_places(alignment, passage)
    if len(places) == 1:
        return _standing(alignment, passage, places[0], (start, end))
    if places:
        return Fate("ambiguous")
    image = _edited(alignment, passage)
    return _changed(image) if image is not None else _gone(alignment, passage)


def _same_words(alignment: Alignment, passage: Range) -> Range | None:
    """Where the words of a passage stand now, if all do, one after the other."""
    places = alignment.counterparts(*passage)
    now = Range(places[0], places[0] + len(places))
    if places[0] < 0 or places != list(range(*now)):
        return None
    same = alignment.old.ids[slice(*passage)] == alignment.new.ids[slice(*now)]
    return now if same else None


def _negated_beside(alignment: Alignment, passage: Range, now: Range) -> Fate | None:
    """Tell of a negation that was put in or left out right beside the same words."""
    old, new = alignment.old, alignment.new
    for step in (-1, 1):
        was = _other_words(old, passage, step, other=new, places=alignment.counterparts)
        its = _other_words(new, now, step, other=old, places=alignment.origins)
        if negations(old.words[slice(*was)]) != negations(new.words[slice(*its)]):
            whole = Range(min(now.start, its.start), max(now.end, its.end))
            start, end = _span(new, whole)
            words = _text(old, passage)
            change = WordChange("negation", _text(old, was), _text(new, its))
            return Fate("changed", start, end, _alike(words, new.text[start:end]), None, (change,))
    return None


def _other_words(
    text: WordedText,
    part: Range,
    step: int,
    *,
    other: WordedText,
    places: Callable[[int, int], list[int]],
) -> Range:
    """Return the few words before or after a part, in its sentence, that the other text lacks."""
    begin, end = text.sentences_of(*part)
    if step < 0:
        near = Range(max(begin, part.start - _REACH), part.start)
    else:
        near = Range(part.end, min(end, part.end + _REACH))
    known = [
        its >= 0 and text.ids[mine] == other.ids[its]
        for mine, its in zip(range(*near), places(*near), strict=True)
    ][::step]
    count = known.index(True) if True in known else len(known)
    if step < 0:
        return Range(near.end - count, near.end)
    return Range(near.start, near.start + count)


def _standing(alignment: Alignment, passage: Range, now: Range, asked: tuple[int, int]) -> Fate:
    """Return the place of the same words, to the character where a word was not cited whole."""
    old, new = alignment.old, alignment.new
    skipped = max(0, asked[0] - old.starts[passage.start])
    left_out = max(0, old.ends[passage.end - 1] - asked[1])
    start, end = new.starts[now.start] + skipped, new.ends[now.end - 1] - left_out
    if start != old.starts[passage.start] + skipped:
        return Fate("moved", start, end, 1.0)
    if new.text[slice(*asked)] == old.text[slice(*asked)]:
        start, end = asked
    return Fate("verified", start, end, 1.0)


def _new_places(alignment: Alignment, passage: Range) -> list[Range]:
    """Where the words stand that stood nowhere there before: two places at most."""
    old, new = alignment.old, alignment.new
    wanted = old.ids[slice(*passage)]
    places = (
        place
        for span in quotes.occurrences(new.text, _text(old, passage))
        if new.ids[slice(*(place := Range(*new.covering(*span))))] == wanted
        and not _has_origin(alignment, passage, place)
        and _says_enough(alignment, passage, place)
    )
    return list(islice(places, 2))


def _has_origin(alignment: Alignment, passage: Range, place: Range) -> bool:
    """Whether the words in a place came of another part of the old text than the passage."""
    if not is_open(alignment, passage, place):
        return True
    old, new = alignment.old, alignment.new
    known = sum(
        weight(old.words[mine])
        for mine, its in zip(alignment.origins(*place), range(*place), strict=True)
        if old.ids[mine] == new.ids[its] and mine >= 0 and not passage.start <= mine < passage.end
    )
    return 2 * known >= weigh(new, place)


def _says_enough(alignment: Alignment, passage: Range, place: Range) -> bool:
    """Whether the words, with those around them that are the same, are more than chance."""
    old, new = alignment.old, alignment.new
    known = weigh(old, passage)
    for step, mine, its in ((-1, passage.start - 1, place.start - 1), (1, passage.end, place.end)):
        i, k = mine, its
        while known < SAYS_ENOUGH and 0 <= i < len(old) and 0 <= k < len(new):
            if old.ids[i] != new.ids[k] or alignment.to_old[k] >= 0:
                break
            known += weight(old.words[i])
            i, k = i + step, k + step
    return known >= SAYS_ENOUGH


def _edited(alignment: Alignment, passage: Range) -> Image | None:
    """The words that took the passage's place where it stood, if any did."""
    begin, end = alignment.old.sentences_of(*passage)
    around = Range(max(begin, passage.start - _MAX_SENTENCE), min(end, passage.end + _MAX_SENTENCE))
    image, about = image_of(alignment, passage), image_of(alignment, around)
    if image is None or about is None:
        return None
    if image.kept < _ENOUGH and _likeness(image) < _SIMILAR:
        least = 0.0 if weigh(alignment.old, passage) < _FEW else _ENOUGH_WITHIN
        if image.kept < least or about.kept < _ENOUGH_AROUND:
            return None
    if about.kept < _MOSTLY and _is_rather_of_others(alignment, around, about.now):
        return None
    return None if _rival(alignment, around, about.now) else image


def _is_rather_of_others(alignment: Alignment, part: Range, now: Range) -> bool:
    """Whether more of the sentences around `now` came of other parts than of this one."""
    old, new = alignment.old, alignment.new
    now = Range(*new.sentences_of(*now))
    balance = 0
    for mine, its in zip(alignment.origins(*now), range(*now), strict=True):
        if mine >= 0 and old.ids[mine] == new.ids[its]:
            balance += weight(old.words[mine]) * (1 if part.start <= mine < part.end else -1)
    return balance < 0


def _rival(alignment: Alignment, part: Range, now: Range) -> bool:
    """Whether another part of the old text that is nowhere else has as good a claim to `now`."""
    old, new = alignment.old, alignment.new
    now = Range(*new.sentences_of(*now))
    claim = resemblance(old, part, new, now)
    for other in alignment.orphans.like(new, now):
        if _overlap(other, part):
            continue
        margin = _NEAR if alignment.are_lost_between(part, other) else _ANYWHERE
        if resemblance(old, other, new, now) >= claim - margin:
            image = image_of(alignment, other)
            if image is None or image.kept < _ENOUGH or _overlap(image.now, now):
                return True
    return False


def _overlap(one: Range, other: Range) -> bool:
    return one.start < other.end and other.start < one.end


def _changed(image: Image) -> Fate:
    """Describe the words there, and what changed in them."""
    old, new = image.alignment.old, image.alignment.new
    differences = changes(old, new, image.same, (*image.part, *image.whole))
    return Fate("changed", *_span(new, image.whole), _likeness(image), changes=differences)


def _likeness(image: Image) -> float:
    texts = image.alignment.old, image.alignment.new
    return _alike(_text(texts[0], image.part), _text(texts[1], image.whole))


def _text(text: WordedText, part: Range) -> str:
    if part.start == part.end:
        return ""
    return text.text[slice(*_span(text, part))]


def _span(text: WordedText, part: Range) -> tuple[int, int]:
    return text.starts[part.start], text.ends[part.end - 1]


def _alike(words: str, now: str) -> float:
    return likeness(" ".join(words.split()), " ".join(now.split()))


def _gone(alignment: Alignment, passage: Range) -> Fate:
    """Tell that the passage is gone, and what is like it elsewhere."""
    new = alignment.new
    for near in quotes.nearest(new.text, _text(alignment.old, passage)):
        if near.score < _SIMILAR:
            break
        place = Range(*new.covering(near.start, near.end))
        stood = _stood(alignment, place)
        if stood is not None and not _overlap(stood, passage):
            spans = (*_span(new, place), *_span(alignment.old, stood))
            similar = Similar(_text(new, place), *spans)
            return Fate("gone-similar", runner_up=near.score, similar=similar)
        if stood is None and near.score >= _VERY_SIMILAR and not _rival(alignment, passage, place):
            return Fate("ambiguous", runner_up=near.score)
    return Fate("gone")


def _stood(alignment: Alignment, place: Range) -> Range | None:
    """The place in the old text of the words in a place, if most of them were there."""
    origins = [mine for mine in alignment.origins(*place) if mine >= 0]
    if 2 * len(origins) < place.end - place.start:
        return None
    return Range(min(origins), max(origins) + 1)
