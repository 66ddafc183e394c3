"""The delimiters of the multiparts that are open (RFC 2046 §5.1.1): found, and told apart.

Deviations: a delimiter is a whole line (padding aside), not the beginning of one, so that a
boundary which begins with another one is told apart from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.mhtml.mime.entry import Entry
    from permacite.mhtml.mime.octets import Octets

__all__ = ["LONGEST_LINE", "Delimiter", "Delimiters"]

_REST_OF_LINE = compile_pattern(rb"[^\r\n]*+(\r*\n|\r|)")
LONGEST_LINE = 1200
"""A delimiter with its padding has fewer octets than this, or it is none."""


class Delimiter(NamedTuple):
    """A line that ends a part: of which multipart, and whether it is that one's last.

    The body before it ends at `body_end`, for the line ending there belongs to the delimiter. What
    follows begins at `after`; `ended` says whether a line ending stands before that.
    """

    owner: Entry
    closing: bool
    body_end: int
    after: int
    ended: bool


class Delimiters:
    """The boundaries of the multiparts that have not ended."""

    def __init__(self, octets: Octets) -> None:
        self._octets = octets
        self._owners: dict[bytes, Entry] = {}
        self._line_end = b"\n"
        self._needle = b""

    def lines_end_in_cr(self) -> None:
        """Take a CR for the end of a line: the file knows no LF."""
        self._line_end = b"\r"

    def add(self, name: bytes, owner: Entry) -> bool:
        """Look for this boundary too; False where an outer multipart has the same."""
        if name in self._owners:
            return False
        self._owners[name] = owner
        self._prepare()
        return True

    def drop(self, owner: Entry) -> bool:
        """Look for the boundary of `owner` no more; False where it was not looked for."""
        if owner.boundary is None or self._owners.get(owner.boundary) is not owner:
            return False
        del self._owners[owner.boundary]
        self._prepare()
        return True

    def find(self, start: int) -> int:
        """Return where the next line that may be a delimiter has the line end before it, or -1."""
        return self._octets.find(self._needle, start) if self._owners else -1

    def read(self, line_end: int) -> Delimiter | None:
        """Return the delimiter after a line end, or None where that line is none."""
        start = line_end + 1
        line = self._octets.read(start, start + LONGEST_LINE)
        rest = _REST_OF_LINE.match(line)
        length, after = (len(line), len(line)) if rest is None else rest.span(1)
        name = line[2:length].rstrip(b" \t")
        closing = name not in self._owners and name.endswith(b"--")
        owner = self._owners.get(name[:-2] if closing else name)
        if owner is None or length == LONGEST_LINE:
            return None
        if line_end and self._octets.read(line_end - 1, line_end + 1) == b"\r\n":
            line_end -= 1
        return Delimiter(owner, closing, line_end, start + after, after > length)

    def _prepare(self) -> None:
        """Note what to search for: the whole delimiter where there is but one."""
        only = next(iter(self._owners)) if len(self._owners) == 1 else b""
        self._needle = self._line_end + b"--" + only
