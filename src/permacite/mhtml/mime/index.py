"""Where every part of a message stands: one pass over the octets, bodies untouched.

    RFC 2046 §5.1.1 delimiters, preamble, epilogue -> Indexer._delimiter
    RFC 2046 §5.1.2 nested multiparts -> Indexer._close_above      §5.2.1 messages -> Indexer._open

Deviations: a delimiter is a whole line (padding aside), not the beginning of one, so that a
boundary which begins with another one is told apart from it.
Readings: where a nested multipart has its parent's boundary, delimiters are the parent's, for
the outer boundary may not occur inside (§5.1.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.errors import LimitError, ParseError
from permacite.mhtml.mime.heading import HEADING, Heading, parse_heading
from permacite.mhtml.mime.model import Defect, Limits
from permacite.mhtml.mime.parameters import parse_structured, without_comments
from permacite.mhtml.mime.transfer import IDENTITIES
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.mhtml.mime.octets import Octets

__all__ = ["Entry", "index"]

_BCHARS = compile_pattern(r"[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]")
_OPENING = compile_pattern(
    rb"(?:\xef\xbb\xbf)?+(?:From [^\r\n]*+(?:\r?\n|\r)|[ \t]*+(?:\r?\n|\r))*+"
)
_KNOWN = compile_pattern(
    rb"(?im)^(?:content-[a-z-]+|mime-version|from|to|cc|subject|date|message-id|received|sender|"
    rb"reply-to|return-path|delivered-to|snapshot-content-location|x-[a-z0-9-]+)[ \t]*+:"
)
_FIRST_DELIMITER = compile_pattern(rb"(?:\r*\n|\r)*+--([^\r\n]{1,200})(?:\r*\n|\r)")
_END_OF_LINE = compile_pattern(rb"\r*\n|\r")
_REST_OF_LINE = compile_pattern(rb"[^\r\n]*+(\r*\n|\r|)")
_LINE = 1200
"""A delimiter with its padding is shorter than this, or it is none."""
_FIRST_READ = 2048
_SPEC = "RFC 2557 §3"


class Entry:
    """Where one part stands, in octets of the file, and what it holds."""

    __slots__ = ("body", "boundary", "children", "end", "multipart", "parent", "path", "start")

    def __init__(self, start: int, parent: Entry | None, path: str) -> None:
        self.start = start
        self.body = start
        self.end = start
        self.parent = parent
        self.path = path
        self.multipart = False
        self.boundary: bytes | None = None
        self.children: list[Entry] = []

    def numbered(self, number: int) -> str:
        """Return the path of the child with that number, from 1."""
        return f"{self.path}.{number}" if self.path else str(number)


def index(octets: Octets, limits: Limits) -> tuple[Entry, list[Defect]]:
    """Return the message's own entry, with all its parts below it, and what is wrong.

    Raises ParseError where no message begins, LimitError at more parts than `limits` allows.
    """
    indexer = _Indexer(octets, limits)
    return indexer.run(), indexer.defects


def _nothing(_: int) -> int:
    return -1


class _Indexer:
    """One pass over the delimiters; the parts that have not ended are open, outermost first."""

    def __init__(self, octets: Octets, limits: Limits) -> None:
        self.octets = octets
        self.limits = limits
        self.defects: list[Defect] = []
        self._open_entries: list[Entry] = []
        self._active: dict[bytes, Entry] = {}
        self._count = 0
        self._carriage_returns = False
        self._next = self._searcher()

    def run(self) -> Entry:
        top = self._begin_message()
        at = max(top.start, top.body - 1)
        while (found := self._next(at)) >= 0:
            at = self._delimiter(found)
        self._close_above(-1, self.octets.size)
        return top

    # ------------------------------------------------------------ the beginning

    def _begin_message(self) -> Entry:
        head = self.octets.read(0, self.limits.heading_bytes)
        opening = _OPENING.match(head)
        start = opening.end() if opening is not None else 0
        self._require_fields(head, start)
        self._carriage_returns = b"\n" not in head and b"\r" in head
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

    def _require_fields(self, head: bytes, start: int) -> None:
        fields = HEADING.match(head, start)
        length = 0 if fields is None else fields.end() - start
        if length and _KNOWN.search(head[start : start + length]) is not None:
            return
        raise ParseError(
            "expected an MHTML or MIME message, which begins with a heading of fields such as "
            "'Content-Type: multipart/related'",
            head[: start + 200].decode("latin-1"),
            start,
            _SPEC,
        )

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
        if b"multipart/" not in lower and b"message/" not in lower:
            return None
        return self._look_inside(entry, parse_heading(heading, entry.start))

    def _heading_of(self, entry: Entry) -> bytes:
        """Return the octets of a heading, and place the body behind it."""
        size, limit = _FIRST_READ, self.limits.heading_bytes
        while True:
            read = self.octets.read(entry.start, entry.start + min(size, limit) + 4)
            found = HEADING.match(read)
            length = 0 if found is None else found.end()
            if (
                length < len(read) - 4
                or size >= limit
                or entry.start + len(read) >= self.octets.size
            ):
                break
            size *= 4
        if length > limit:
            length = limit
            self._report("heading-too-long", entry.start + length, entry)
        blank = _END_OF_LINE.match(read, length)
        entry.body = entry.start + (length if blank is None else blank.end())
        unended = blank is None and entry.body < self.octets.size and length <= limit
        if unended and (length or not read.startswith(b"--")):
            self._report("heading-not-ended", entry.body, entry)
        return read[:length]

    def _look_inside(self, entry: Entry, heading: Heading) -> Entry | None:
        """Note the boundary of a multipart; return the message inside a message part."""
        field = heading.get("Content-Type")
        if field is None:
            return None
        media_type, parameters = parse_structured(field.latin1)
        is_message = media_type in ("message/rfc822", "message/global")
        if not is_message and not media_type.startswith("multipart/"):
            return None
        if len(self._open_entries) > self.limits.depth:
            self._report("too-deep", entry.start, entry)
            return None
        encoding = heading.get("Content-Transfer-Encoding")
        named = "" if encoding is None else without_comments(encoding.latin1).strip().lower()
        encoded = named not in IDENTITIES
        if is_message:
            return self._message_in(entry, encoded=encoded)
        if encoded and encoding is not None:
            self._report("multipart-encoded", encoding.offset, entry)
        self._begin_multipart(entry, parameters.get("boundary"), field.offset)
        return None

    def _message_in(self, entry: Entry, *, encoded: bool) -> Entry | None:
        if encoded:
            self._report("message-encoded", entry.start, entry)
            return None
        inner = Entry(entry.body, entry, entry.numbered(1))
        entry.children.append(inner)
        return inner

    def _begin_multipart(self, entry: Entry, boundary: str | None, offset: int) -> None:
        entry.multipart = True
        if not boundary:
            self._report("no-boundary", offset, entry)
            found = _FIRST_DELIMITER.match(self.octets.read(entry.body, entry.body + _LINE))
            if found is None:
                return
            name = found[1].rstrip()
        else:
            name = boundary.encode("latin-1", "replace").rstrip()
            if _BCHARS.fullmatch(boundary) is None:
                self._report("bad-boundary", offset, entry)
        if name in self._active:
            self._report("boundary-reused", offset, entry)
            return
        entry.boundary = name
        self._active[name] = entry
        self._next = self._searcher()

    # ------------------------------------------------------------ delimiters

    def _searcher(self) -> Callable[[int], int]:
        """Return how to find the next line that may be a delimiter: the line end before it."""
        if not self._active:
            return _nothing
        lead = b"\r" if self._carriage_returns else b"\n"
        only = next(iter(self._active)) if len(self._active) == 1 else b""
        needle = lead + b"--" + only
        return lambda at: self.octets.find(needle, at)

    def _delimiter(self, line_end: int) -> int:
        """Treat the line after `line_end` as a delimiter if it is one; return where to go on."""
        start = line_end + 1
        line = self.octets.read(start, start + _LINE)
        rest = _REST_OF_LINE.match(line)
        length, after = (len(line), len(line)) if rest is None else rest.span(1)
        ended = after > length
        name = line[2:length].rstrip(b" \t")
        closing = name not in self._active and name.endswith(b"--")
        owner = self._active.get(name[:-2] if closing else name)
        if owner is None or (not ended and len(line) == _LINE):
            return start
        after += start
        if line_end and self.octets.read(line_end - 1, line_end + 1) == b"\r\n":
            line_end -= 1
        self._close_above(self._open_entries.index(owner), line_end)
        if closing:
            if not owner.children:
                self._implicit_part(owner, line_end)
            self._retire(owner)
            return after - 1 if ended else after
        self._begin_part(owner, after)
        return max(start, self._open_entries[-1].body - 1)

    def _begin_part(self, owner: Entry, start: int) -> None:
        entry = Entry(start, owner, owner.numbered(len(owner.children) + 1))
        owner.children.append(entry)
        self._open(entry)

    def _close_above(self, level: int, end: int) -> None:
        """End every open part inside the one at `level` (all of them, for -1)."""
        while len(self._open_entries) > level + 1:
            entry = self._open_entries.pop()
            entry.end = max(entry.body, end)
            if entry.multipart:
                self._end_multipart(entry)

    def _end_multipart(self, entry: Entry) -> None:
        if entry.boundary is not None and self._active.get(entry.boundary) is entry:
            self._retire(entry)
            if entry.children:
                self._report("not-closed", entry.end, entry)
        if not entry.children:
            self._implicit_part(entry, entry.end)

    def _retire(self, entry: Entry) -> None:
        if entry.boundary is not None:
            self._active.pop(entry.boundary, None)
            self._next = self._searcher()

    def _implicit_part(self, entry: Entry, end: int) -> None:
        """Read the body of a multipart without parts, up to `end`, as its only part."""
        self._report("no-parts", entry.body, entry)
        end = max(entry.body, end)
        head = self.octets.read(entry.body, min(end, entry.body + _FIRST_READ))
        opening = _OPENING.match(head)
        start = entry.body + (opening.end() if opening is not None else 0)
        part = Entry(start, entry, entry.numbered(1))
        entry.children.append(part)
        self._heading_of(part)
        part.start, part.body, part.end = min(start, end), min(part.body, end), end

    def _report(self, code: str, offset: int, entry: Entry, detail: str = "") -> None:
        self.defects.append(Defect(code, offset, entry.path, detail))
