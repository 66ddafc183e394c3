"""Headings: the fields before the first empty line, as they stand (RFC 822 §3.1, RFC 2045 §3).

    RFC 822 §3.1.1 folding -> Field.unfolded     §3.2 field -> parse_heading

A heading keeps its octets: whatever was read can be written back as it was.
"""

from __future__ import annotations

from dataclasses import dataclass

from permacite.mhtml.mime.words import decode_text
from permacite.scan import compile_pattern

__all__ = ["HEADING", "Field", "Heading", "parse_heading"]

_END = rb"(?:\r*+\n|\r|\Z)"
_NAME = rb"(?!--)[!-9;-~]++[ \t]*+:"
_LINES = rb"[^\r\n]*+" + _END + rb"(?:[ \t][^\r\n]*+" + _END + rb")*+"
_ONE = _NAME + _LINES
_ODD = rb"(?!--)[^\r\n]++(?:\r*+\n|\r)(?=" + _NAME + rb")"

HEADING = compile_pattern(rb"(?:" + _ONE + rb"(?:(?:" + _ODD + rb")?+" + _ONE + rb")*+)?+")
"""All the fields that stand one after the other; what follows them should be an empty line.

A line that is no field is passed over where a field comes before it and another right after.
"""

_LINE = compile_pattern(
    rb"([!-9;-~]++)[ \t]*+:[ \t]*+([^\r\n]*+(?:(?:\r*+\n|\r)[ \t][^\r\n]*+)*+)" + _END + rb"|"
    rb"([^\r\n]++)" + _END + rb"|\r*+\n|\r"
)
_FOLD = compile_pattern(rb"(?:\r*+\n|\r)(?=[ \t])")


@dataclass(frozen=True, slots=True)
class Field:
    """One field. `value` is as it stands behind the colon and spaces, folds included.

    `offset` is where the value begins, in octets of the file.
    """

    name: str
    value: bytes
    offset: int

    @property
    def unfolded(self) -> bytes:
        """The value on one line: line ends before white space are taken out (RFC 822 §3.1.1)."""
        return _FOLD.sub(b"", self.value).strip(b" \t\r\n")

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

    __slots__ = ("_by_name", "faults", "fields")

    def __init__(self, fields: tuple[Field, ...], faults: tuple[int, ...] = ()) -> None:
        self.fields = fields
        self.faults = faults
        self._by_name: dict[str, Field] = {}
        for field in fields:
            self._by_name.setdefault(field.name.lower(), field)

    def get(self, name: str) -> Field | None:
        """Return the first field of that name; None where there is none."""
        return self._by_name.get(name.lower())

    def all(self, name: str) -> tuple[Field, ...]:
        """Return every field of that name."""
        wanted = name.lower()
        return tuple(field for field in self.fields if field.name.lower() == wanted)

    def text(self, name: str) -> str | None:
        """Return the first such field's value as people read it."""
        field = self.get(name)
        return None if field is None else field.text


def parse_heading(octets: bytes, offset: int) -> Heading:
    """Return the fields of a heading that stands at `offset` of the file. Never fails."""
    fields, faults = [], []
    for found in _LINE.finditer(octets):
        if found[1] is not None:
            fields.append(Field(found[1].decode("ascii"), found[2], offset + found.start(2)))
        elif found[3] is not None:
            faults.append(offset + found.start())
    return Heading(tuple(fields), tuple(faults))
