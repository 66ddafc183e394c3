"""Where a body part stands in its file, and its octets as they are there.

A part holds offsets, not octets. What it returns is read from the source each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from permacite.mhtml.mime.entry import Entry
    from permacite.mhtml.mime.octets import Octets

__all__ = ["Stretch"]


class Stretch:
    """A stretch of the file: a heading, an empty line, and a body. Offsets count octets from 0."""

    __slots__ = ("_entry", "_octets")

    def __init__(self, octets: Octets, entry: Entry) -> None:
        self._octets = octets
        self._entry = entry

    @property
    def path(self) -> str:
        """The part's number, such as "3.1"; "" for a message that holds parts."""
        return self._entry.path

    @property
    def offset(self) -> int:
        """Where the heading begins."""
        return self._entry.start

    @property
    def body_offset(self) -> int:
        """Where the body begins, behind the empty line."""
        return self._entry.body

    @property
    def end(self) -> int:
        """Where the body ends; the line ending before a delimiter is not part of it."""
        return self._entry.end

    @property
    def is_multipart(self) -> bool:
        """Whether it is of a multipart type that was opened."""
        return self._entry.multipart

    @property
    def boundary(self) -> bytes | None:
        """What its delimiters are made of, if it is a multipart that has any."""
        return self._entry.boundary

    @property
    def raw(self) -> bytes:
        """The part as it stands in the file: heading, empty line, encoded body."""
        return self._octets.read(self.offset, self.end)

    @property
    def raw_heading(self) -> bytes:
        """The heading as it stands, with the empty line that ends it."""
        return self._octets.read(self.offset, self.body_offset)

    @property
    def body(self) -> bytes:
        """The body as it stands, still encoded."""
        return self._octets.read(self.body_offset, self.end)
