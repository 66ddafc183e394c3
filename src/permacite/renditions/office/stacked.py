"""Text of stacked pieces, each as it was written: cells, or parts of a mail."""

from __future__ import annotations

from permacite.errors import LimitError
from permacite.renditions.model import MOST_LABELS, Label
from permacite.scan import compile_pattern

__all__ = ["Stacked", "cleaned"]

_LEADING = compile_pattern(r"(?:[\t ]*+\r\n)++")
_LINE_ENDS = compile_pattern(r"\r\n|\r|\n")
_SURROGATES = compile_pattern("[\ud800-\udfff]")
_LONGEST_NAME = 200


def cleaned(text: str) -> str:
    """A text without U+0000, with U+FFFD for each surrogate that stands alone."""
    return _SURROGATES.sub("\ufffd", text.replace("\x00", ""))


class Stacked:
    """White space stays, line ends are CRLF; between two pieces stands an empty line.

    Of a piece empty lines at the beginning and white space at the end are dropped.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.length = 0
        self._labels: list[Label] = []

    def write(self, text: str) -> tuple[int, int] | None:
        """Write a piece; return where it stands, None where nothing is left of it."""
        piece = _LINE_ENDS.sub("\r\n", cleaned(text)).rstrip("\t\r\n ")
        leading = _LEADING.match(piece)
        piece = piece[leading.end() :] if leading else piece
        if not piece:
            return None
        before = "\r\n" if self._parts else ""
        start = self.length + len(before)
        self._parts += (before, piece, "\r\n")
        self.length = start + len(piece) + 2
        return start, self.length - 2

    def label(self, start: int, end: int, named: tuple[str, str], target: str = "") -> None:
        """Label what was written by a kind and a name, if that is not empty."""
        kind, name = named
        if len(self._labels) == MOST_LABELS:
            raise LimitError("too many labels", limit="labels", maximum=MOST_LABELS)
        words = " ".join(cleaned(name).split())[:_LONGEST_NAME]
        if words and start < end:
            self._labels.append(Label(start, end, kind, words, target))

    def finished(self) -> tuple[str, tuple[Label, ...]]:
        """The text and its labels in order, the outer before the inner."""
        labels = sorted(self._labels, key=lambda label: (label.start, -label.end))
        return "".join(self._parts), tuple(labels)
