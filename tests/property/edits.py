"""Documents with lookalikes, edited in known ways: what truly became of a cited passage is known.

A document is sentences of a few patterns, so that each has near twins: other names, other numbers.
One is cited, whole or in part; one edit is made of it, and others around it. Words are our own.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EDITS", "Case", "Edit", "cases"]

Edit = Literal[
    "deleted",
    "deleted with its neighbour",
    "deleted, its twin moved there",
    "one copy deleted",
    "deleted, its twin edited",
    "negated",
    "renumbered",
    "renamed",
    "reworded",
    "moved",
    "laid out",
    "left, its twin deleted",
]
EDITS: tuple[Edit, ...] = get_args(Edit)
GONE = frozenset(edit for edit in EDITS if edit.startswith(("deleted", "one copy")))

Segment = tuple[str, str]
"""A part of a sentence and what it is: "name", "number", "verb" (it can be negated) or "words"."""

Sentence = tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Language:
    """Patterns of sentences, with `{n}` for a name and `{d}` for a number; what fills them."""

    patterns: tuple[str, ...]
    names: tuple[str, ...]
    verbs: dict[str, str]
    """What can be negated, and how."""
    synonyms: dict[str, str]
    space: str
    end: str


@dataclass(frozen=True, slots=True)
class Case:
    """Two texts, the place of the cited passage, and what became of it.

    `now` is None where it is gone, else where it truly stands in the new text.
    """

    edit: Edit
    old: str
    new: str
    start: int
    end: int
    now: tuple[int, int] | None
    same: bool
    """Whether the words are the same."""


ENGLISH = Language(
    patterns=(
        "{n} was acquitted of fraud by the court of {n} in {d}.",
        "The harbour of {n} was dredged in {d} at a cost of {d} crowns.",
        "In {d} the council of {n} did agree to lend {d} crowns to {n}.",
        "{n} has paid {d} crowns for the old mill beside the river.",
        "The report names {n} and {n} as owners of {d} boats.",
        "On page {d} the inspector says that {n} was present when the gate was closed.",
        "The ferry to {n} will leave at {d} every morning in summer.",
        "{n} is the oldest of the {d} bridges across the water.",
        "A sample from {n} was found to hold {d} parts of lead in a thousand.",
        "The school at {n} was opened with {d} pupils by {n}.",
        "No. {d}: {n}, fisherman, was fined {d} crowns.",
        "{n} won by {d} votes.",
    ),
    names=(
        "Jones",
        "Smith",
        "Brown",
        "Lindqvist",
        "Moreau",
        "Okafor",
        "Tanaka",
        "Whitby",
        "Carrick",
        "Holm",
        "Delacroix",
        "Petrov",
        "Varga",
        "Ashdown",
        "Merrow",
        "Kildare",
        "Ostrava",
        "Lund",
        "Farrow",
        "Quince",
        "Bergen",
        "Tolland",
        "Marsh",
        "Ekström",
    ),
    verbs={
        "was": "was not",
        "will": "will not",
        "did": "did not",
        "has": "has never",
        "is": "is not",
        "were": "were not",
    },
    synonyms={
        "old": "ancient",
        "every": "each",
        "closed": "shut",
        "found": "shown",
        "cost": "price",
        "beside": "next to",
        "opened": "founded",
        "owners": "holders",
        "oldest": "eldest",
        "present": "there",
        "says": "states",
        "paid": "given",
        "agree": "consent",
        "fined": "charged",
        "dredged": "deepened",
        "acquitted": "cleared",
        "leave": "depart",
        "votes": "ballots",
    },
    space=" ",
    end=".",
)
CHINESE = Language(
    patterns=(
        "{n}在{d}年被法院宣告无罪。",
        "{n}港口的疏浚费用为{d}万元。",
        "委员会同意借给{n}{d}万元。",
        "报告说{n}拥有{d}艘旧船。",
        "开往{n}的渡轮每天早上{d}点出发。",
        "{n}学校开学时有{d}名学生。",
    ),
    names=(
        "李明",
        "王芳",
        "张伟",
        "上海",
        "天津",
        "青岛",
        "陈静",
        "赵磊",
        "大连",
        "厦门",
        "周涛",
        "宁波",
    ),
    verbs={"同意": "不同意", "拥有": "没有", "被": "没有被"},
    synonyms={
        "旧船": "老船",
        "每天": "每日",
        "出发": "开出",
        "费用": "开支",
        "宣告": "判决",
        "学生": "孩子",
    },
    space="",
    end="。",
)
THAI = Language(
    patterns=(
        "{n}จ่ายเงิน{d}บาทเพื่อซื้อโรงสีเก่าริมแม่น้ำ",
        "ท่าเรือ{n}ถูกขุดลอกในปี{d}ด้วยงบประมาณของเมือง",
        "สภาเมือง{n}ได้ตกลงให้ยืมเงิน{d}บาท",
        "เรือข้ามฟากไป{n}จะออกเวลา{d}นาฬิกาทุกเช้า",
    ),
    names=(
        "สมชาย",
        "สมหญิง",
        "เชียงใหม่",
        "ระยอง",
        "ขอนแก่น",
        "วิชัย",
        "มานี",
        "ปิติ",
        "ภูเก็ต",
        "น่าน",
    ),
    verbs={"ได้": "ไม่ได้", "จะ": "จะไม่", "จ่าย": "ไม่จ่าย", "ถูก": "ไม่ถูก"},
    synonyms={"เก่า": "โบราณ", "ทุก": "แต่ละ", "เมือง": "จังหวัด"},
    space=" ",
    end="",
)
LANGUAGES = (ENGLISH, ENGLISH, ENGLISH, CHINESE, THAI)

_EDITED = {"renumbered": "number", "renamed": "name", "negated": "verb", "reworded": "synonym"}
"""What each edit of words replaces."""

START, END = "\x01", "\x02"
"""Marks around the cited passage while a text is put together."""


class Writer:
    """Writes documents and edits them, by chance."""

    def __init__(self, rng: random.Random, language: Language) -> None:
        self.rng = rng
        self.language = language
        slots = [*map(re.escape, language.verbs), *map(re.escape, language.synonyms)]
        edge = r"\b" if language.space and language is ENGLISH else ""
        self._slot = re.compile(rf"\{{(?:n|d)\}}|{edge}(?:{'|'.join(slots)}){edge}")

    def sentence(self, pattern: str) -> list[Segment]:
        """Fill a pattern."""
        segments: list[Segment] = []
        place = 0
        for found in self._slot.finditer(pattern):
            segments.append(("words", pattern[place : found.start()]))
            segments.append(self._filled(found.group()))
            place = found.end()
        segments.append(("words", pattern[place:]))
        return [segment for segment in segments if segment[1]]

    def _filled(self, slot: str) -> Segment:
        if slot == "{n}":
            return "name", self.rng.choice(self.language.names)
        if slot == "{d}":
            return "number", self.number()
        return ("verb" if slot in self.language.verbs else "synonym"), slot

    def number(self) -> str:
        """Return a year, a count, or one with a decimal point."""
        rng = self.rng
        return rng.choice(
            (
                str(rng.randint(1890, 2026)),
                str(rng.randint(2, 999)),
                f"{rng.randint(1, 99)}.{rng.randint(1, 9)}",
                f"{rng.randint(1, 9)},{rng.randint(0, 9)}00",
            )
        )

    def edited(self, sentence: list[Segment], edit: str) -> list[Segment] | None:
        """Return the sentence with one edit of it; None where it has nothing of the kind."""
        places = [n for n, (kind, _) in enumerate(sentence) if kind == _EDITED[edit]]
        if not places:
            return None
        place = self.rng.choice(places)
        now = was = sentence[place][1]
        while now == was:
            now = self._other(*sentence[place])
        return [*sentence[:place], ("edited", now), *sentence[place + 1 :]]

    def _other(self, kind: str, was: str) -> str:
        if kind == "number":
            return self.number()
        if kind == "name":
            return self.rng.choice(self.language.names)
        return (self.language.verbs if kind == "verb" else self.language.synonyms)[was]

    def document(self, twins: int) -> tuple[list[list[Segment]], int]:
        """Return sentences, and the number of one that has twins, at least one of them near."""
        rng, patterns = self.rng, self.language.patterns
        found = [self.sentence(rng.choice(patterns)) for _ in range(rng.randint(8, 40))]
        place = rng.randrange(len(found))
        pattern = rng.choice(patterns)
        cited = found[place] = self.sentence(pattern)
        for number in range(twins):
            beside = place + rng.choice((0, 1)) if number == 0 else rng.randint(0, len(found))
            found.insert(beside, self.sentence(pattern))
            place += beside <= place
        assert found[place] is cited
        return found, place

    def text(self, sentences: list[str], *, breaks: float, blank: float) -> str:
        """Lay sentences out."""
        rng, space = self.rng, self.language.space
        laid = []
        for sentence in sentences:
            words = sentence.split(" ") if self.language is ENGLISH else [sentence]
            for word in words[:-1]:
                laid += [word, "\r\n" if rng.random() < breaks else " "]
            end = "\r\n" if rng.random() < breaks else space
            laid += [words[-1], "\r\n\r\n" if rng.random() < blank else end]
        return "".join(laid).strip()


def _flat(sentence: list[Segment]) -> str:
    return "".join(text for _, text in sentence)


def _marked(sentence: list[Segment], part: tuple[int, int]) -> str:
    """Return the text of a sentence with marks around some of its segments."""
    first, last = part
    text = _flat(sentence[first:last])
    lead = len(text) - len(text.lstrip())
    tail = len(text.rstrip())
    text = text[:lead] + START + text[lead:tail] + END + text[tail:]
    return _flat(sentence[:first]) + text + _flat(sentence[last:])


def _unmarked(text: str) -> tuple[str, tuple[int, int] | None]:
    start, end = text.find(START), text.find(END) - 1
    return text.replace(START, "").replace(END, ""), (start, end) if start >= 0 else None


def cases(count: int, seed: int = 1, *, only: str | None = None) -> Iterator[Case]:
    """Yield as many cases, the same for the same seed: each edit in turn, or one alone."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, not secret
    turns = cycle([edit for edit in EDITS if only in {None, edit}])
    while count:
        edit = next(turns)
        while (case := _case(rng, edit)) is None:
            pass
        count -= 1
        yield case


def _case(rng: random.Random, edit: Edit) -> Case | None:
    """Return a case; None where chance made one that nobody could judge."""
    writer = Writer(rng, rng.choice(LANGUAGES))
    sentences, place = writer.document(rng.randint(1, 3))
    distinct = len({_flat(sentence) for sentence in sentences}) == len(sentences)
    cited = sentences[place]
    if edit == "one copy deleted":
        other = place - rng.randint(3, 6) if rng.random() < 0.5 else place + rng.randint(4, 6)
        sentences.insert(max(0, min(other, len(sentences))), list(cited))
        place = next(n for n, sentence in enumerate(sentences) if sentence is cited)
        near = sentences[max(0, place - 2) : place] + sentences[place + 1 : place + 3]
        distinct = distinct and cited not in near
    changed = writer.edited(cited, edit) if edit in _EDITED else cited
    if not distinct or changed is None:
        return None
    if changed is not cited and _flat(changed) in map(_flat, sentences):
        return None
    new = _new(writer, sentences, place, changed=changed, edit=edit)
    if new is None:
        return None
    part = _part(rng, cited, changed, edit)
    old = [_marked(one, part) if one is cited else _flat(one) for one in sentences]
    return _laid(
        writer, edit, old, [_marked(one, part) if one is changed else _flat(one) for one in new]
    )


def _laid(writer: Writer, edit: Edit, old: list[str], new: list[str]) -> Case | None:
    """Lay both texts out, the new one often otherwise."""
    rng = writer.rng
    old_text, old_place = _unmarked(writer.text(old, breaks=rng.choice((0, 0.1)), blank=0.2))
    laid_out = edit == "laid out" or rng.random() < 0.3
    if laid_out:
        new = ["Home", "About us", f"News ({rng.randint(1, 99)})", *new]
    breaks, blank = (0.3, 0.2) if laid_out else (0.0, 0.1)
    new_text, new_place = _unmarked(writer.text(new, breaks=breaks, blank=blank))
    assert old_place is not None
    assert (new_place is None) == (edit in GONE)
    words = _squeezed(old_text[slice(*old_place)])
    if new_place is None:
        # Where a part that is cited stands as often as before, nobody can say that it is gone.
        if _squeezed(new_text).count(words) >= _squeezed(old_text).count(words):
            return None
        return Case(edit, old_text, new_text, *old_place, None, same=False)
    same = words == _squeezed(new_text[slice(*new_place)])
    return Case(edit, old_text, new_text, *old_place, new_place, same)


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _part(
    rng: random.Random, cited: list[Segment], changed: list[Segment], edit: Edit
) -> tuple[int, int]:
    """Return which segments of the sentence are cited: all, or some with what will be edited."""
    whole = (0, len(cited))
    if rng.random() < 0.6:
        return whole
    edited = [place for place, segment in enumerate(changed) if segment[0] == "edited"]
    if not edited:
        return (
            whole if len(cited) < 4 else rng.choice([(0, len(cited) - 1), (1, len(cited)), (0, 4)])
        )
    first, last = edited[0], edited[0] + 1
    if edit in {"renumbered", "renamed"} and rng.random() < 0.3:
        return first, last
    return rng.randint(0, first), rng.randint(last, len(cited))


def _new(
    writer: Writer,
    sentences: list[list[Segment]],
    place: int,
    *,
    changed: list[Segment],
    edit: Edit,
) -> list[list[Segment]] | None:
    """Return the sentences after the edit, and others around it; None where it cannot be made."""
    rng = writer.rng
    kin = [kind for kind, _ in sentences[place]]
    twins = [n for n, other in enumerate(sentences) if n != place and [k for k, _ in other] == kin]
    new = list(sentences)
    new[place] = changed
    if edit == "moved":
        new.pop(place)
        new.insert(rng.choice([n for n in range(len(new) + 1) if abs(n - place) > 1]), changed)
        return new
    dropped = {
        "deleted": [place],
        "deleted, its twin edited": [place],
        "one copy deleted": [place],
        "deleted with its neighbour": [place, place - 1 if place else place + 1],
        "left, its twin deleted": twins[:1],
    }.get(edit, [])
    other = rng.choice(twins)
    if edit == "deleted, its twin edited":
        twin = writer.edited(new[other], rng.choice(("renumbered", "renamed")))
        if twin is None or _flat(twin) in map(_flat, sentences):
            return None
        new[other] = twin
    elif edit == "deleted, its twin moved there":
        new[place] = new[other]
        dropped = [other]
    keep = {id(changed), *(id(new[n]) for n in twins)}
    return _noise(writer, [one for n, one in enumerate(new) if n not in dropped], keep, kin)


def _noise(
    writer: Writer, sentences: list[list[Segment]], keep: set[int], kin: list[str]
) -> list[list[Segment]]:
    """Edit some others, put some in and leave some out; none is put in that is like the cited."""
    rng = writer.rng
    for _ in range(rng.choice((0, 0, 1, 3))):
        place = rng.randrange(len(sentences))
        if rng.random() < 0.4:
            other = writer.sentence(rng.choice(writer.language.patterns))
            if [kind for kind, _ in other] != kin:
                sentences.insert(place, other)
        elif id(sentences[place]) not in keep:
            edited = writer.edited(sentences[place], rng.choice(("renumbered", "renamed")))
            sentences[place : place + 1] = [edited] if edited and rng.random() < 0.6 else []
    return sentences
