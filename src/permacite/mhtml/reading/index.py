"""Index of the parts of a message: one pass over the octets, bodies untouched.

    RFC 2046 §5.1.1 delimiters -> _Delimiters    preamble, epilogue -> _Indexer._end_parts
    RFC 2046 §5.1.2 nested multiparts -> _Indexer._close_above     §5.2.1 messages -> _Indexer._open

Deviations: a delimiter is a whole line (padding aside), not the beginning of one, so that a
boundary which begins with another one is distinct from it.
Readings: where a nested multipart has its parent's boundary, delimiters are the parent's, for
the outer boundary may not occur inside (§5.1.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from permacite.errors import LimitError
from permacite.mhtml.mime.heading import opening_end, read_heading, require_fields
from permacite.mhtml.mime.model import Defect, Limits
from permacite.mhtml.mime.parameters import parse_structured, without_comments
from permacite.mhtml.mime.transfer import IDENTITIES
from permacite.mhtml.reading.part import BodyPart, default_type_of
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.mhtml.mime.octets import SourceOctets

__all__ = ["index"]

_BCHARS = compile_pattern(r"[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]")
_HEAD = 2048
_ENVELOPE = compile_pattern(rb"From [^\r\n]*+(?:\r*\n|\r)")
_FIRST_DELIMITER = compile_pattern(rb"(?:\r*\n|\r)*+--([^\r\n]{1,200})(?:\r*\n|\r)")
_REST_OF_LINE = compile_pattern(rb"[^\r\n]*+(\r*\n|\r|)")
_LONGEST_LINE = 1200
"""A delimiter with its padding has fewer octets than this, or it is none."""

_Delimiter: TypeAlias = tuple[BodyPart, int, int, bool]
"""Of which multipart it is, where the body before it ends (the line end there belongs to the
delimiter), where what follows begins, and whether it is that multipart's last."""


def index(octets: SourceOctets, limits: Limits) -> tuple[list[BodyPart], list[Defect]]:
    """The message and all its parts in the order of the file, and what is wrong.

    Raises ParseError where no message begins, LimitError at more parts than `limits` allows.
    """
    indexer = _Indexer(octets, limits)
    indexer.run()
    return indexer.parts.listed, indexer.parts.defects


class _PartList:
    """The parts so far, in the order of the file, and their defects."""

    def __init__(self, octets: SourceOctets, limits: Limits) -> None:
        self._octets = octets
        self._limits = limits
        self.listed: list[BodyPart] = []
        self.defects: list[Defect] = []
        self.children: dict[BodyPart, list[BodyPart]] = {}

    def read_heading(self, part: BodyPart) -> bytes:
        """List a part, and place its body behind its heading."""
        self.listed.append(part)
        heading, part.body_offset, faults = read_heading(
            self._octets, part.offset, self._limits.heading_bytes
        )
        for code, offset in faults:
            self.report(code, offset, part)
        return heading

    def child(self, parent: BodyPart, start: int) -> BodyPart:
        """Begin a part directly inside another."""
        siblings = self.children.setdefault(parent, [])
        number = str(len(siblings) + 1)
        path = f"{parent.path}.{number}" if parent.path else number
        part = BodyPart(self._octets, self._limits, start, path=path, parent=parent)
        siblings.append(part)
        return part

    def add_implicit(self, multipart: BodyPart, end: int) -> None:
        """Read the body of a multipart without parts, up to `end`, as its only part."""
        body = multipart.body_offset
        self.report("no-parts", body, multipart)
        end = max(body, end)
        head = self._octets.read(body, min(end, body + _HEAD))
        part = self.child(multipart, body + opening_end(head))
        self.read_heading(part)
        part.offset, part.body_offset = min(part.offset, end), min(part.body_offset, end)
        part.end = end

    def report(self, code: str, offset: int, part: BodyPart) -> None:
        """Report a defect of a part."""
        self.defects.append(Defect(code, offset, part.path))


class _Indexer:
    """One pass over the delimiters; the parts that have not ended are open, outermost first."""

    def __init__(self, octets: SourceOctets, limits: Limits) -> None:
        self.octets = octets
        self.limits = limits
        self.parts = _PartList(octets, limits)
        self._digests: set[BodyPart] = set()
        self._open_parts: list[BodyPart] = []
        self._delimiters = _Delimiters(octets)

    def run(self) -> None:
        top = self._begin_message()
        at = max(top.offset, top.body_offset - 1)
        while (delimiter := self._delimiters.first(at)) is not None:
            at = self._end_parts(delimiter)
        self._close_above(-1, self.octets.size)
        for part, children in self.parts.children.items():
            part.body_parts = tuple(children)

    def _begin_message(self) -> BodyPart:
        head = self.octets.read(0, self.limits.heading_bytes)
        start = opening_end(head)
        require_fields(head, start)
        if b"\n" not in head and b"\r" in head:
            self._delimiters.lines_end_in_cr()
        top = BodyPart(self.octets, self.limits, start, path="", parent=None)
        if start:
            self.parts.report("envelope-line", 0, top)
        self._open(top)
        if not top.is_multipart and len(self.parts.listed) == 1:
            top.path = "1"
            self.parts.defects = [
                Defect(each.code, each.offset, each.path or "1", each.detail)
                for each in self.parts.defects
            ]
        return top

    def _open(self, part: BodyPart) -> None:
        """Open a part that begins, and the messages that begin in it, one inside the other."""
        inner: BodyPart | None = part
        while inner is not None:
            if len(self.parts.listed) == self.limits.parts:
                raise LimitError(
                    f"the message has more than {self.limits.parts} parts",
                    limit="parts",
                    maximum=self.limits.parts,
                )
            heading = self.parts.read_heading(inner).lower()
            self._open_parts.append(inner)
            # `in` would make and drop an exception for each, which takes longer than the search.
            is_plain = heading.find(b"multipart/") < 0 and heading.find(b"message/") < 0
            is_leaf = is_plain and inner.parent not in self._digests
            inner = None if is_leaf else self._look_inside(inner)

    def _look_inside(self, part: BodyPart) -> BodyPart | None:
        """Note the boundary of a multipart; return the message inside a message part."""
        media_type, parameters, offset = _type_of(part)
        is_message = media_type in ("message/rfc822", "message/global")
        if not is_message and not media_type.startswith("multipart/"):
            return None
        if len(self._open_parts) > self.limits.depth:
            self.parts.report("too-deep", part.offset, part)
            return None
        encoding = part.heading.get("Content-Transfer-Encoding")
        named = "" if encoding is None else without_comments(encoding.latin1).strip().lower()
        encoded = named not in IDENTITIES
        if not is_message:
            if encoded and encoding is not None:
                self.parts.report("multipart-encoded", encoding.offset, part)
            self._begin_multipart(part, parameters.get("boundary"), offset)
            if media_type == "multipart/digest":
                self._digests.add(part)
            return None
        if encoded:
            self.parts.report("message-encoded", part.offset, part)
            return None
        return self._begin_inner_message(part)

    def _begin_inner_message(self, part: BodyPart) -> BodyPart:
        """The message in a part; the line that mailboxes put before one is no field."""
        start = part.body_offset
        envelope = _ENVELOPE.match(self.octets.read(start, start + _LONGEST_LINE))
        inner = self.parts.child(part, start if envelope is None else start + envelope.end())
        if envelope is not None:
            self.parts.report("envelope-line", start, inner)
        return inner

    def _begin_multipart(self, part: BodyPart, given: str | None, offset: int) -> None:
        part.is_multipart = True
        if not given:
            self.parts.report("no-boundary", offset, part)
        elif _BCHARS.fullmatch(given) is None:
            self.parts.report("bad-boundary", offset, part)
        name = _guessed(self.octets, part) if not given else given.encode("latin-1", "replace")
        if name is None:
            return
        if self._delimiters.add(name.rstrip(), part):
            part.boundary = name.rstrip()
        else:
            self.parts.report("boundary-reused", offset, part)

    def _end_parts(self, delimiter: _Delimiter) -> int:
        """End the parts before a delimiter, begin the one behind it; return where to go on."""
        owner, body_end, after, closing = delimiter
        self._close_above(self._open_parts.index(owner), body_end)
        if not closing:
            self._open(self.parts.child(owner, after))
            return self._open_parts[-1].body_offset - 1
        if owner not in self.parts.children:
            self.parts.add_implicit(owner, body_end)
        self._delimiters.drop(owner)
        return after - 1

    def _close_above(self, level: int, end: int) -> None:
        """End every open part inside the one at `level` (all of them, for -1)."""
        while len(self._open_parts) > level + 1:
            part = self._open_parts.pop()
            part.end = max(part.body_offset, end)
            if part.is_multipart:
                self._end_multipart(part)

    def _end_multipart(self, part: BodyPart) -> None:
        has_parts = part in self.parts.children
        if self._delimiters.drop(part) and has_parts:
            self.parts.report("not-closed", part.end, part)
        if not has_parts:
            self.parts.add_implicit(part, part.end)


class _Delimiters:
    """The boundaries of the multiparts that have not ended."""

    def __init__(self, octets: SourceOctets) -> None:
        self._octets = octets
        self._owners: dict[bytes, BodyPart] = {}
        self._line_end = b"\n"
        self._needle = b""
        self._only: BodyPart | None = None

    def lines_end_in_cr(self) -> None:
        """Take a CR for the end of a line: the file knows no LF."""
        self._line_end = b"\r"

    def add(self, name: bytes, owner: BodyPart) -> bool:
        """Look for this boundary too; False where an outer multipart has the same."""
        if name in self._owners:
            return False
        self._owners[name] = owner
        self._prepare()
        return True

    def drop(self, owner: BodyPart) -> bool:
        """Look for the boundary of `owner` no more; False where it was not looked for."""
        if owner.boundary is None or self._owners.get(owner.boundary) is not owner:
            return False
        del self._owners[owner.boundary]
        self._prepare()
        return True

    def first(self, start: int) -> _Delimiter | None:
        """The first delimiter whose line end before it stands from `start` on; None: no more."""
        while self._owners:
            line_end = self._octets.find(self._needle, start)
            if line_end < 0:
                break
            start = line_end + 1
            before = line_end - (line_end > 0)
            lines = self._octets.read(before, start + _LONGEST_LINE)
            body_end = before if lines.startswith(b"\r\n") else line_end
            end = line_end - before + len(self._needle)
            if self._only is not None and lines.startswith(b"\r\n", end):  # as nearly all are
                return self._only, body_end, before + end + 2, False
            delimiter = self._read(lines, start - before)
            if delimiter is not None:
                owner, after, closing = delimiter
                return owner, body_end, before + after, closing
        return None

    def _read(self, lines: bytes, start: int) -> tuple[BodyPart, int, bool] | None:
        """Whose delimiter begins at `start`, where its line ends, and whether it is the last."""
        rest = _REST_OF_LINE.match(lines, start)
        end, after = (len(lines), len(lines)) if rest is None else rest.span(1)
        name = lines[start + 2 : end].rstrip(b" \t")
        owner, closing = self._owners.get(name), False
        if owner is None and name.endswith(b"--"):
            owner, closing = self._owners.get(name[:-2]), True
        return None if owner is None or end - start == _LONGEST_LINE else (owner, after, closing)

    def _prepare(self) -> None:
        """Note what to search for: the whole delimiter where there is but one."""
        name, self._only = b"", None
        if len(self._owners) == 1:
            ((name, self._only),) = self._owners.items()
        self._needle = self._line_end + b"--" + name


def _type_of(part: BodyPart) -> tuple[str, dict[str, str], int]:
    """The media type and the parameters of a part, and where they stand."""
    field = part.heading.get("Content-Type")
    if field is None:
        return default_type_of(part), {}, part.offset
    return *parse_structured(field.latin1), field.offset


def _guessed(octets: SourceOctets, part: BodyPart) -> bytes | None:
    """The boundary of what looks like the first delimiter of a body."""
    start = part.body_offset
    delimiter = _FIRST_DELIMITER.match(octets.read(start, start + _LONGEST_LINE))
    return None if delimiter is None else delimiter[1]
