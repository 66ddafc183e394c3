"""How a message and each of its parts begin: what is passed over, and the octets of the heading."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite.errors import ParseError
from permacite.mhtml.mime.heading import HEADING
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.mhtml.mime.octets import Octets

__all__ = ["RawHeading", "opening_end", "read_heading", "require_fields"]

_OPENING = compile_pattern(
    rb"(?:\xef\xbb\xbf)?+(?:From [^\r\n]*+(?:\r?\n|\r)|[ \t]*+(?:\r?\n|\r))*+"
)
_KNOWN = compile_pattern(
    rb"(?im)^(?:content-[a-z-]+|mime-version|from|to|cc|subject|date|message-id|received|sender|"
    rb"reply-to|return-path|delivered-to|snapshot-content-location|x-[a-z0-9-]+)[ \t]*+:"
)
_END_OF_LINE = compile_pattern(rb"\r*\n|\r")
_FIRST_READ = 2048
_AHEAD = 4
"""What is read behind a heading: the empty line that should stand there."""


class RawHeading(NamedTuple):
    """The octets of a heading, where the body begins, and what is wrong: codes and offsets."""

    octets: bytes
    body: int
    faults: tuple[tuple[str, int], ...]


def opening_end(head: bytes) -> int:
    """Return where the first field begins: behind a BOM, empty lines and mailbox lines."""
    opening = _OPENING.match(head)
    return 0 if opening is None else opening.end()


def require_fields(head: bytes, start: int) -> None:
    """Raise ParseError unless a heading with some field that messages have begins at `start`."""
    fields = HEADING.match(head, start)
    length = 0 if fields is None else fields.end() - start
    if length and _KNOWN.search(head[start : start + length]) is not None:
        return
    raise ParseError(
        "expected an MHTML or MIME message, which begins with a heading of fields such as "
        "'Content-Type: multipart/related'",
        head[: start + 200].decode("latin-1"),
        start,
        "RFC 2557 §3",
    )


def read_heading(octets: Octets, start: int, limit: int) -> RawHeading:
    """Read the heading that begins at `start`, up to `limit` octets of it."""
    size = _FIRST_READ
    while True:
        read = octets.read(start, start + min(size, limit) + _AHEAD)
        found = HEADING.match(read)
        length = 0 if found is None else found.end()
        if length < len(read) - _AHEAD or size >= limit or start + len(read) >= octets.size:
            break
        size *= 4
    faults = []
    if length > limit:
        length = limit
        faults.append(("heading-too-long", start + length))
    blank = _END_OF_LINE.match(read, length)
    body = start + (length if blank is None else blank.end())
    if blank is None and body < octets.size and (length or not read.startswith(b"--")):
        faults.append(("heading-not-ended", body))
    return RawHeading(read[:length], body, tuple(faults))
