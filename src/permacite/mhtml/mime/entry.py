"""Where one part of a message stands, as the index finds it."""

from __future__ import annotations

__all__ = ["Entry"]


class Entry:
    """Where one part stands, in octets of the file, and what it holds."""

    __slots__ = (
        "body",
        "boundary",
        "children",
        "digest",
        "end",
        "multipart",
        "parent",
        "path",
        "start",
    )

    def __init__(self, start: int, parent: Entry | None, path: str) -> None:
        self.start = start
        self.body = start
        self.end = start
        self.parent = parent
        self.path = path
        self.multipart = False
        self.digest = False
        self.boundary: bytes | None = None
        self.children: list[Entry] = []

    @property
    def default_type(self) -> str:
        """The media type of a part that names none (RFC 2045 §5.2, RFC 2046 §5.1.5)."""
        in_digest = self.parent is not None and self.parent.digest
        return "message/rfc822" if in_digest else "text/plain"

    def numbered(self, number: int) -> str:
        """Return the path of the child with that number, from 1."""
        return f"{self.path}.{number}" if self.path else str(number)
