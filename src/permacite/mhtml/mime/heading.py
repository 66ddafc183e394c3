"""Headings: the raw fields before the first empty line (RFC 822 §3.1, RFC 2045 §3).

    RFC 822 §3.1.1 folding -> Field.unfolded     §3.2 field -> parse_heading
    RFC 5322 §2.1 where a heading begins and ends -> opening_end, read_heading

A heading keeps its octets, so it can be written back unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite.errors import ParseError
from permacite.mhtml.mime.words import decode_text
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.mhtml.mime.octets import SourceOctets

__all__ = ["Field", "Heading", "opening_end", "parse_heading", "read_heading", "require_fields"]

_END = rb"(?:\r*+\n|\r|\Z)"
_NAME = rb"(?!--)[!-9;-~]++[ \t]*+:"
_LINES = rb"[^\r\n]*+" + _END + rb"(?:[ \t][^\r\n]*+" + _END + rb")*+"
_ONE = _NAME + _LINES
_ODD = rb"(?!--)[^\r\n]++(?:\r*+\n|\r)(?=" + _NAME + rb")"

_HEADING = compile_pattern(rb"(?:" + _ONE + rb"(?:" + _ONE + rb"|" + _ODD + _ONE + rb")*+)?+")
"""All the fields that stand one after the other; what follows them should be an empty line.

A line that is no field is passed over where a field comes before it and another right after.
"""

_LINE = compile_pattern(
    rb"(([!-9;-~]++)[ \t]*+:[ \t]*+([^\r\n]*+(?:(?:\r*+\n|\r)[ \t][^\r\n]*+)*+)(" + _END + rb")|"
    rb"([^\r\n]++)" + _END + rb"|\r*+\n|\r)"
)
"""The whole of a field, its name, its value and the line end after it; or a line that is none."""
_FOLD = compile_pattern(rb"(?:\r*+\n|\r)(?=[ \t])")
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


class Field(NamedTuple):
    """One field. `value` is everything after the colon and spaces, folds included.

    `offset` is where the value begins, in octets of the file.
    """

    name: str
    value: bytes
    offset: int

    @property
    def unfolded(self) -> bytes:
        """The value on one line: line ends before white space are taken out (RFC 822 §3.1.1)."""
        is_folded = self.value.find(b"\n") >= 0 or self.value.find(b"\r") >= 0
        return (_FOLD.sub(b"", self.value) if is_folded else self.value).strip(b" \t\r\n")

    @property
    def text(self) -> str:
        """The value as people read it: unfolded, encoded words decoded."""
        return decode_text(self.unfolded)

    @property
    def latin1(self) -> str:
        """The unfolded value, one character for each octet."""
        return self.unfolded.decode("latin-1")


class Heading:
    """The fields of one heading, in order. Names are compared without case.

    `faults` are the offsets of lines that are no fields.
    """

    __slots__ = ("faults", "fields")

    def __init__(self, fields: tuple[Field, ...], faults: tuple[int, ...] = ()) -> None:
        self.fields = fields
        self.faults = faults

    def get(self, name: str) -> Field | None:
        """The first field of that name; None where there is none."""
        wanted = name.lower()
        for field in self.fields:
            if field.name.lower() == wanted:
                return field
        return None

    def all(self, name: str) -> tuple[Field, ...]:
        """Every field of that name."""
        wanted = name.lower()
        return tuple(field for field in self.fields if field.name.lower() == wanted)

    def text(self, name: str) -> str | None:
        """The first such field's value as people read it."""
        field = self.get(name)
        return None if field is None else field.text


def parse_heading(octets: bytes, offset: int) -> Heading:
    """The fields of a heading that stands at `offset` of the file. Never fails."""
    fields, faults = [], []
    for line, name, value, end, odd in _LINE.findall(octets):
        if name:
            behind = len(value) + len(end)
            fields.append(Field(name.decode("ascii"), value, offset + len(line) - behind))
        elif odd:
            faults.append(offset)
        offset += len(line)
    return Heading(tuple(fields), tuple(faults))


# ---------------------------------------------------------------- in a file
def opening_end(head: bytes) -> int:
    """Where the first field begins: behind a BOM, empty lines and mailbox lines."""
    opening = _OPENING.match(head)
    return 0 if opening is None else opening.end()


def require_fields(head: bytes, start: int) -> None:
    """Raise ParseError unless a heading with some field that messages have begins at `start`."""
    fields = _HEADING.match(head, start)
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


def read_heading(
    octets: SourceOctets, start: int, limit: int
) -> tuple[bytes, int, tuple[tuple[str, int], ...]]:
    """The octets of the heading that begins at `start`, where the body begins, and faults.

    At most `limit` octets are its own. A fault is the code of a defect and its offset.
    """
    size = min(_FIRST_READ, limit)
    while True:
        read = octets.read(start, start + size + _AHEAD)
        fields = _HEADING.match(read)
        length = 0 if fields is None else fields.end()
        if length <= limit and read.startswith(b"\r\n", length):  # as nearly all do
            return read[:length], start + length + 2, ()
        if length < len(read) - _AHEAD or size == limit or start + len(read) >= octets.size:
            break
        size = min(4 * size, limit)
    faults = []
    if length > limit:
        length = limit
        faults.append(("heading-too-long", start + length))
    blank = _END_OF_LINE.match(read, length)
    body = start + (length if blank is None else blank.end())
    if blank is None and body < octets.size and (length or not read.startswith(b"--")):
        faults.append(("heading-not-ended", body))
    return read[:length], body, tuple(faults)
