"""Where every part of a message stands: one pass over the octets, bodies untouched.

    RFC 2046 §5.1.1 delimiters -> delimiters     preamble, epilogue -> Indexer._delimiter
    RFC 2046 §5.1.2 nested multiparts -> Indexer._close_above      §5.2.1 messages -> Indexer._open

Deviations: see delimiters.
Readings: where a nested multipart has its parent's boundary, delimiters are the parent's, for
the outer boundary may not occur inside (§5.1.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.errors import LimitError
from permacite.mhtml.mime.beginning import opening_end, read_heading, require_fields
from permacite.mhtml.mime.delimiters import LONGEST_LINE, Delimiters
from permacite.mhtml.mime.entry import Entry
from permacite.mhtml.mime.heading import Heading, parse_heading
from permacite.mhtml.mime.model import Defect, Limits
from permacite.mhtml.mime.parameters import parse_structured, without_comments
from permacite.mhtml.mime.transfer import IDENTITIES
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.mhtml.mime.delimiters import Delimiter
    from permacite.mhtml.mime.octets import Octets

__all__ = ["index"]

_BCHARS = compile_pattern(r"[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]")
_HEAD = 2048
_ENVELOPE = compile_pattern(rb"From [^\r\n]*+(?:\r*\n|\r)")
_FIRST_DELIMITER = compile_pattern(rb"(?:\r*\n|\r)*+--([^\r\n]{1,200})(?:\r*\n|\r)")


def index(octets: Octets, limits: Limits) -> tuple[Entry, list[Defect]]:
    """Return the message's own entry, with all its parts below it, and what is wrong.

    Raises ParseError where no message begins, LimitError at more parts than `limits` allows.
    """
    indexer = _Indexer(octets, limits)
    return indexer.run(), indexer.defects


class _Indexer:
    """One pass over the delimiters; the parts that have not ended are open, outermost first."""

    def __init__(self, octets: Octets, limits: Limits) -> None:
        self.octets = octets
        self.limits = limits
        self.defects: list[Defect] = []
        self._open_entries: list[Entry] = []
        self._delimiters = Delimiters(octets)
        self._count = 0

    def run(self) -> Entry:
        top = self._begin_message()
        at = max(top.start, top.body - 1)
        while (line_end := self._delimiters.find(at)) >= 0:
            found = self._delimiters.read(line_end)
            at = line_end + 1 if found is None else max(line_end + 1, self._delimiter(found))
        self._close_above(-1, self.octets.size)
        return top

    # ------------------------------------------------------------ the beginning

    def _begin_message(self) -> Entry:
        head = self.octets.read(0, self.limits.heading_bytes)
        start = opening_end(head)
        require_fields(head, start)
        if b"\n" not in head and b"\r" in head:
            self._delimiters.lines_end_in_cr()
        top = Entry(start, None, "")
        if start:
            self._report("envelope-line", 0, top)
        self._open(top)
        if not top.multipart and not top.children:
            top.path = "1"
            self.defects = [
                Defect(each.code, each.offset, each.path or "1", each.detail)
                for each in self.defects
            ]
        return top

    # ------------------------------------------------------------ headings

    def _open(self, entry: Entry) -> None:
        """Open a part that begins, and the messages that begin in it, one inside the other."""
        inner: Entry | None = entry
        while inner is not None:
            inner = self._open_one(inner)

    def _open_one(self, entry: Entry) -> Entry | None:
        """Read a part's heading, make it the innermost open part, return the message in it."""
        self._count += 1
        if self._count > self.limits.parts:
            raise LimitError(
                f"the message has more than {self.limits.parts} parts",
                limit="parts",
                maximum=self.limits.parts,
            )
        heading = self._heading_of(entry)
        self._open_entries.append(entry)
        lower = heading.lower()
        in_digest = entry.parent is not None and entry.parent.digest
        if not in_digest and b"multipart/" not in lower and b"message/" not in lower:
            return None
        return self._look_inside(entry, parse_heading(heading, entry.start))

    def _heading_of(self, entry: Entry) -> bytes:
        """Return the octets of a heading, and place the body behind it."""
        read = read_heading(self.octets, entry.start, self.limits.heading_bytes)
        entry.body = read.body
        for code, offset in read.faults:
            self._report(code, offset, entry)
        return read.octets

    def _look_inside(self, entry: Entry, heading: Heading) -> Entry | None:
        """Note the boundary of a multipart; return the message inside a message part."""
        media_type, parameters, offset = _type_of(entry, heading)
        is_message = media_type in ("message/rfc822", "message/global")
        if not is_message and not media_type.startswith("multipart/"):
            return None
        if len(self._open_entries) > self.limits.depth:
            self._report("too-deep", entry.start, entry)
            return None
        encoding = heading.get("Content-Transfer-Encoding")
        named = "" if encoding is None else without_comments(encoding.latin1).strip().lower()
        encoded = named not in IDENTITIES
        if not is_message:
            if encoded and encoding is not None:
                self._report("multipart-encoded", encoding.offset, entry)
            self._begin_multipart(entry, parameters.get("boundary"), offset)
            entry.digest = media_type == "multipart/digest"
            return None
        if encoded:
            self._report("message-encoded", entry.start, entry)
            return None
        return self._begin_inner_message(entry)

    def _begin_inner_message(self, entry: Entry) -> Entry:
        """Return the message in a part; the line that mailboxes put before one is no field."""
        envelope = _ENVELOPE.match(self.octets.read(entry.body, entry.body + LONGEST_LINE))
        inner = _child(entry, entry.body if envelope is None else entry.body + envelope.end())
        if envelope is not None:
            self._report("envelope-line", entry.body, inner)
        return inner

    def _begin_multipart(self, entry: Entry, given: str | None, offset: int) -> None:
        entry.multipart = True
        if not given:
            self._report("no-boundary", offset, entry)
        elif _BCHARS.fullmatch(given) is None:
            self._report("bad-boundary", offset, entry)
        name = _guessed(self.octets, entry) if not given else given.encode("latin-1", "replace")
        if name is None:
            return
        if self._delimiters.add(name.rstrip(), entry):
            entry.boundary = name.rstrip()
        else:
            self._report("boundary-reused", offset, entry)

    # ------------------------------------------------------------ delimiters

    def _delimiter(self, found: Delimiter) -> int:
        """End the parts before a delimiter, begin the one behind it; return where to go on."""
        owner = found.owner
        self._close_above(self._open_entries.index(owner), found.body_end)
        if not found.closing:
            self._open(_child(owner, found.after))
            return self._open_entries[-1].body - 1
        if not owner.children:
            self._implicit_part(owner, found.body_end)
        self._delimiters.drop(owner)
        return found.after - found.ended

    def _close_above(self, level: int, end: int) -> None:
        """End every open part inside the one at `level` (all of them, for -1)."""
        while len(self._open_entries) > level + 1:
            entry = self._open_entries.pop()
            entry.end = max(entry.body, end)
            if entry.multipart:
                self._end_multipart(entry)

    def _end_multipart(self, entry: Entry) -> None:
        if self._delimiters.drop(entry) and entry.children:
            self._report("not-closed", entry.end, entry)
        if not entry.children:
            self._implicit_part(entry, entry.end)

    def _implicit_part(self, entry: Entry, end: int) -> None:
        """Read the body of a multipart without parts, up to `end`, as its only part."""
        self._report("no-parts", entry.body, entry)
        end = max(entry.body, end)
        start = entry.body + opening_end(self.octets.read(entry.body, min(end, entry.body + _HEAD)))
        part = _child(entry, start)
        self._heading_of(part)
        part.start, part.body, part.end = min(start, end), min(part.body, end), end

    def _report(self, code: str, offset: int, entry: Entry, detail: str = "") -> None:
        self.defects.append(Defect(code, offset, entry.path, detail))


def _type_of(entry: Entry, heading: Heading) -> tuple[str, dict[str, str], int]:
    """Return the media type and the parameters of a part, and where they stand."""
    field = heading.get("Content-Type")
    if field is None:
        return entry.default_type, {}, entry.start
    return *parse_structured(field.latin1), field.offset


def _child(parent: Entry, start: int) -> Entry:
    """Add a part to `parent`."""
    entry = Entry(start, parent, parent.numbered(len(parent.children) + 1))
    parent.children.append(entry)
    return entry


def _guessed(octets: Octets, entry: Entry) -> bytes | None:
    """Return the boundary of what looks like the first delimiter of a body."""
    found = _FIRST_DELIMITER.match(octets.read(entry.body, entry.body + LONGEST_LINE))
    return None if found is None else found[1]
