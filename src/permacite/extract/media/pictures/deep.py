"""Pictures of more bits, or of other samples, than the usual decoder keeps: rows of octets."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["LEFT_TO_RIGHT", "TOP_TO_BOTTOM", "TRANSPOSED", "Deep"]

TRANSPOSED = frozenset({5, 6, 7, 8})
LEFT_TO_RIGHT = frozenset({2, 3, 6, 7})
TOP_TO_BOTTOM = frozenset({3, 4, 7, 8})
"""What each EXIF orientation asks for, in this order."""


@dataclass(frozen=True, slots=True)
class Deep:
    """Rows of pixels of so many `octets` each, big-endian. `kind` names their layout."""

    kind: str
    octets: int
    rows: tuple[bytes, ...]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return len(self.rows[0]) // self.octets, len(self.rows)

    def crop(self, box: tuple[int, int, int, int]) -> Deep:
        """Return a part: left, top, right, bottom, the last two excluded."""
        left, top, right, bottom = box
        rows = self.rows[top:bottom]
        return replace(
            self, rows=tuple(row[left * self.octets : right * self.octets] for row in rows)
        )

    def oriented(self, orientation: int) -> Deep:
        """Return the picture as EXIF orientation 1 to 8 has it displayed."""
        if orientation not in TRANSPOSED | LEFT_TO_RIGHT | TOP_TO_BOTTOM:
            return self
        rows = [self._pixels(row) for row in self.rows]
        if orientation in TRANSPOSED:
            rows = [list(column) for column in zip(*rows, strict=True)]
        if orientation in LEFT_TO_RIGHT:
            rows = [row[::-1] for row in rows]
        if orientation in TOP_TO_BOTTOM:
            rows = rows[::-1]
        return replace(self, rows=tuple(b"".join(row) for row in rows))

    def _pixels(self, row: bytes) -> list[bytes]:
        return [row[at : at + self.octets] for at in range(0, len(row), self.octets)]
