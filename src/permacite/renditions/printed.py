"""Printed places of words: the document's own page and section numbers, p. 17, section 2.1."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.renditions.model import Label

__all__ = ["Printed", "printed_at", "ranges_of"]

_SHORT = {"page": ("p.", "pp.")}


@dataclass(frozen=True, slots=True)
class Printed:
    """Where in a document words stand, as it numbers or names its own parts."""

    kind: str
    """Such as "page" or "section"."""
    first: str
    """As it is printed, such as "xvii"; and the last one where the words stand in several."""
    last: str
    target: str
    """What names the first in the format of the source, such as "page=17"; may be empty."""

    @property
    def name(self) -> str:
        """As 17, or 17-18."""
        return self.first if self.first == self.last else f"{self.first}-{self.last}"

    @property
    def told(self) -> str:
        """As people write it: p. 17, pp. 17-18, section 2.1."""
        one, several = _SHORT.get(self.kind, (self.kind, f"{self.kind}s"))
        return f"{one if self.first == self.last else several} {self.name}"


def printed_at(labels: Sequence[Label], start: int, end: int) -> tuple[Printed, ...]:
    """Where the text from `start` up to `end` stands: pages first, then the innermost parts first.

    Of each kind the innermost that holds it all, else the first and the last that hold some of it.
    """
    before = bisect_left(labels, max(end, start + 1), key=lambda label: label.start)
    found: dict[str, list[Label]] = {}
    for label in labels[:before]:
        if label.end > start:
            found.setdefault(label.kind, []).append(label)
    chosen: list[tuple[int, Printed]] = []
    for kind, several in found.items():
        around = [label for label in several if label.start <= start and end <= label.end]
        first, last = several[0], several[-1]
        if around:
            first = last = min(around, key=lambda label: label.end - label.start)
        size = 0 if kind == "page" else last.end - first.start
        chosen.append((size, Printed(kind, first.name, last.name, first.target)))
    return tuple(printed for _, printed in sorted(chosen, key=lambda pair: pair[0]))


def ranges_of(labels: Sequence[Label], kind: str, name: str) -> list[tuple[int, int]]:
    """The stretches of text with this label."""
    return [
        (label.start, label.end)
        for label in labels
        if label.kind == kind and label.name == name and label.start < label.end
    ]
