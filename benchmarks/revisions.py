"""What became of sentences between two releases of the same documents, for bench_drift.

    python benchmarks/revisions.py OLD NEW [OLD NEW...] > cases.jsonl

reads pairs of folders, such as two unpacked releases of a package, and compares documents of one
name sentence by sentence, by difflib alone. Only what is plain is taken: what stands once on both
sides; one sentence that was replaced by one like it; one that was removed and left nothing behind.
Beside these, sentences that have a lookalike in their document are cut out of it.
"""

from __future__ import annotations

import difflib
import json
import random
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from permacite import markup

if TYPE_CHECKING:
    from collections.abc import Iterator

_SENTENCE = re.compile(
    r"[^.!?\r\n]+(?:(?:[.!?](?!\s)|\r\n(?!\s*\r\n))[^.!?\r\n]*)*[.!?]?",
)
_SUFFIXES = {".md", ".rst", ".txt", ".html"}
_EACH = 3
"""How many cases of one kind are taken from a document."""

Span = tuple[int, int]


class Sentence(NamedTuple):
    """Where a sentence stands, and its words."""

    start: int
    end: int
    words: str


def documents(folder: Path) -> dict[str, str]:
    """Return the documents of a release, a page as its text."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.suffix in _SUFFIXES and path.is_file() and "test" not in name:
            text = path.read_text("utf-8", "replace")
            if path.suffix == ".html":
                text = markup.plain_text(text, xml=False).text
            found[name] = re.sub(r"\r\n?|\n", "\r\n", text)
    return found


def sentences(text: str) -> list[Sentence]:
    """Return what is long enough to be cited."""
    found = []
    for match in _SENTENCE.finditer(text):
        words = " ".join(match.group().split())
        if len(words) >= 25 and words.count(" ") >= 3:
            start = match.start() + len(match.group()) - len(match.group().lstrip())
            found.append(
                Sentence(
                    start, match.end() - len(match.group()) + len(match.group().rstrip()), words
                )
            )
    return found


def ratio(one: str, other: str) -> float:
    """Return how alike two sentences are."""
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    return matcher.ratio() if min(matcher.real_quick_ratio(), matcher.quick_ratio()) > 0.55 else 0.0


def revised(old: str, new: str) -> Iterator[tuple[str, Span, Span | None]]:
    """Yield what became of sentences: the kind, where each stood, and where it stands."""
    mine, its = sentences(old), sentences(new)
    was, now = [one.words for one in mine], [one.words for one in its]
    flat = " ".join(new.split())
    fresh = [words for words in now if words not in was]
    for kind, i, j, k, m in difflib.SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if kind == "equal":
            for n in range(i, j):
                if was.count(was[n]) == now.count(was[n]) == 1:
                    yield "left", mine[n][:2], its[n - i + k][:2]
        elif kind == "replace" and j - i == m - k == 1:
            if was[i] not in flat and now[k] not in was and ratio(was[i], now[k]) >= 0.7:
                yield "edited", mine[i][:2], its[k][:2]
        elif (
            kind == "delete" and 0 < k < len(its) and not new[its[k - 1].end : its[k].start].strip()
        ):
            for n in range(i, j):
                if was[n] not in flat and all(ratio(was[n], words) < 0.55 for words in fresh):
                    yield "removed", mine[n][:2], None


def lookalikes(old: str) -> Iterator[Span]:
    """Yield sentences that have a lookalike."""
    found = sentences(old)
    if len(found) > 60:
        return
    for one in found:
        if any(0.6 <= ratio(one.words, other.words) < 1 for other in found if other is not one):
            yield one[:2]


def cases(old: str, new: str, rng: random.Random) -> Iterator[dict[str, object]]:
    """Yield some cases of each kind."""
    kinds: dict[str, list[tuple[Span, Span | None]]] = {}
    for kind, span, now in revised(old, new):
        kinds.setdefault(kind, []).append((span, now))
    for kind, found in kinds.items():
        for span, now in rng.sample(found, min(_EACH, len(found))):
            yield {"edit": kind, "old": old, "new": new, "span": span, "now": now}
    similar = list(lookalikes(old))
    for start, end in rng.sample(similar, min(_EACH, len(similar))):
        rest = f"{old[:start].rstrip(' ')} {old[end:].lstrip(' ')}"
        yield {
            "edit": "cut out beside a lookalike",
            "old": old,
            "new": rest,
            "span": (start, end),
            "now": None,
        }


def main() -> None:
    """Write the cases of all pairs of folders."""
    rng = random.Random(1)  # noqa: S311 - reproducible, not secret
    folders = [Path(name) for name in sys.argv[1:]]
    for before, after in zip(folders[::2], folders[1::2], strict=True):
        news = documents(after)
        for name, old in documents(before).items():
            if name in news and news[name] != old:
                for case in cases(old, news[name], rng):
                    print(json.dumps({"document": f"{before.name}/{name}", **case}))


if __name__ == "__main__":
    main()
