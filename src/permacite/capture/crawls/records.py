"""WARC and ARC records one by one, in constant memory and linear time, whatever is wrong.

WARC 1.1 (ISO 28500:2017), and 1.0 and drafts of it, which differ in dates alone; ARC 1.0 and 2:
  WARC §4 file and record model   -> `WarcReader.next`, `WarcReader.end`
  WARC §4 header, named fields    -> `_fields`
  WARC Annex D compression        -> `octets`
  ARC §3 URL-record               -> `_of_arc`

Deviations: lines may end in LF alone, lines may be folded, addresses may stand in angle brackets,
and a file may be packed as one member: tools write all of these.
Readings: a record whose length is wrong is one whose octets nobody can tell: it is reported as
damaged, and the next record is looked for behind its head.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

__all__ = [
    "MemberBytes",
    "Members",
    "Plain",
    "RecordPosition",
    "WarcReader",
    "WarcRecord",
    "octets_of",
]

_HEAD = 1 << 16
"""The longest head of a record."""
_MARK = b"WARC/"
_VERSION = compile_pattern(rb"WARC/[01]\.[0-9]{1,2}(?=\r?\n)")
_HEAD_END = compile_pattern(rb"\r?\n\r?\n")
_TWO_LINE_ENDS = b"\r\n\r\n"
_BLOCK_END = compile_pattern(rb"(?:\r?\n){2}")
_FOLDED = compile_pattern(r"\r?\n[ \t]++")
_LENGTH = compile_pattern(r"[0-9]{1,18}")
_ARC = compile_pattern(
    rb"(?P<uri>[a-z][a-z0-9+.-]{0,32}+:\S{1,16384}+) (?P<ip>\S{1,64}+) (?P<date>[0-9]{14}) "
    rb"(?P<type>\S{1,256}+)(?: \S{1,4096}+){0,5} (?P<length>[0-9]{1,18})\r?\n"
)
_NEXT = compile_pattern(
    rb"\n(?P<record>WARC/[01]\.[0-9]{1,2}\r?\n|https?://\S{1,4096} \S{1,64}+ [0-9]{14} \S)"
)
_WINDOW = 8192
"""How much is kept of what was searched: the beginning of a record may be cut in two."""
_LINE_ENDS = b"\r\n"


@dataclass(slots=True)
class WarcRecord:
    """One record, without its block."""

    place: RecordPosition
    version: str = ""
    """"WARC/1.1", "WARC/1.0" or "ARC/1"; "" for what is no record."""
    fields: dict[str, str] = field(default_factory=dict)
    """Names in lower case; of a field that comes twice the first."""
    length: int = 0
    """Of its block."""
    trouble: str = ""
    """What is wrong with it; known in full behind `WarcReader.end`."""

    @property
    def kind(self) -> str:
        """Its WARC-Type."""
        return self.fields.get("warc-type", "").lower()

    @property
    def uri(self) -> str:
        """Its WARC-Target-URI."""
        return self.fields.get("warc-target-uri", "").strip("<>")


class WarcReader:
    """Reads the records of a file: `next`, then some or all `pieces` of its block, then `end`."""

    def __init__(self, file: BinaryIO, place: RecordPosition | None = None) -> None:
        """Read on from a place where a record begins, or from the beginning."""
        self._again = file.seek(0, 2)
        """How much may be read twice, all in all, to look for records behind a wrong length."""
        self._octets = octets_of(file, place)
        self._record: WarcRecord | None = None
        self._block = RecordPosition(0, 0)
        self._left = 0
        self._over = False
        self._told = False
        """Whether what is wrong with the member at hand is the trouble of a record."""

    def next(self) -> WarcRecord | None:
        """The next record; None at the end of the file."""
        self.end()
        octets = self._octets
        while not self._begins():
            if self._over:
                return None
            damage, place = octets.damage, octets.place()
            is_told, self._told = self._told, False
            self._over = not octets.go_on()
            if damage and not is_told:
                return WarcRecord(place, trouble=damage)
        record = self._head()
        self._record, self._left, self._block = record, record.length, octets.place()
        left = octets.left()
        if left is not None and record.length > left and not record.trouble:
            record.trouble = f"its length is {record.length:,}, and {left:,} octets are left"
            self._left = 0
        return record

    def _begins(self) -> bool:
        """Leave out line ends; whether anything stands behind them."""
        octets = self._octets
        while not self._over:
            while octets.at < len(octets.data):
                if octets.data[octets.at] not in _LINE_ENDS:
                    return True
                octets.at += 1
            if not octets.more():
                break
        return False

    def _head(self) -> WarcRecord:
        """Read the head of a record."""
        octets = self._octets
        place = octets.place()
        while True:
            data, at = octets.data, octets.at
            is_warc = data.startswith(_MARK, at)
            end = data.find(b"\r\n\r\n", at, at + _HEAD) if is_warc else data.find(b"\n", at)
            if end >= 0 or len(data) - at >= _HEAD or not octets.more():
                break
        if not is_warc:
            return self._head_of_arc(place)
        found = None if end >= 0 else _HEAD_END.search(data, at, at + _HEAD)
        version = _VERSION.match(data, octets.at)
        if (end < 0 and found is None) or version is None:
            problem = octets.damage or "its head has no end, or is no WARC/1.1"
            return WarcRecord(place, trouble=problem)
        end, behind = (end, end + 4) if found is None else found.span()
        record = WarcRecord(place, version[0].decode(), _fields(data[at:end]))
        octets.at = behind
        length = record.fields.get("content-length", "")
        if _LENGTH.fullmatch(length):
            record.length = int(length)
        else:
            record.trouble = f"its Content-Length is {length[:40]!r}"
        return record

    def _head_of_arc(self, place: RecordPosition) -> WarcRecord:
        octets = self._octets
        found = _ARC.match(octets.data, octets.at)
        if found is None:
            return WarcRecord(place, trouble=octets.damage or "no WARC or ARC record begins here")
        octets.at = found.end()
        while len(octets.data) - octets.at < len(_MARK) and octets.more():
            pass
        is_http = octets.data.startswith(b"HTTP/", octets.at)
        return WarcRecord(
            place, "ARC/1", _of_arc(found.groupdict(), is_http=is_http), int(found["length"])
        )

    def pieces(self) -> Iterator[bytes]:
        """The block of the record, piece by piece; less of it where that is damaged."""
        octets = self._octets
        while self._left and self._record is not None:
            if octets.at == len(octets.data) and not octets.more():
                problem = f"its length is {self._record.length:,}, and it is {self._left:,} shorter"
                self._record.trouble = octets.damage or problem
                self._left = 0
                return
            piece = octets.data[octets.at : octets.at + self._left]
            octets.at += len(piece)
            self._left -= len(piece)
            yield piece

    def end(self) -> None:
        """Leave a record: its block is read to the end, and its trouble is known."""
        record = self._record
        if record is None:
            return
        for _ in self.pieces():
            pass
        self._record = None
        self._told = self._told or bool(record.trouble and self._octets.damage)
        if not record.trouble and self._closes(record):
            return
        record.trouble = record.trouble or (
            f"its length is {record.length:,}, and its block goes on behind that"
        )
        self._find()

    def _closes(self, record: WarcRecord) -> bool:
        """Whether a block ends where it should: two line ends, or no more octets."""
        octets = self._octets
        while len(octets.data) - octets.at < len(_TWO_LINE_ENDS) and octets.more():
            pass
        if record.version == "ARC/1" or octets.at == len(octets.data):
            return True
        found = _BLOCK_END.match(octets.data, octets.at)
        octets.at = octets.at if found is None else found.end()
        return found is not None or not octets.data[octets.at :].strip(_LINE_ENDS)

    def _find(self) -> None:
        """Look for the next record, behind the head of this one if that can be read again."""
        octets = self._octets
        read = octets.place().inside - self._block.inside
        if read <= self._again and octets.go_back(self._block):
            self._again -= read
        while (found := _NEXT.search(octets.data, octets.at)) is None:
            octets.at = max(octets.at, len(octets.data) - _WINDOW)
            if not octets.more():
                octets.at = len(octets.data)
                return
        octets.at = found.start("record")


def _fields(head: bytes) -> dict[str, str]:
    """named-field = field-name ":" [ field-value ]   (WARC 1.1 §4)."""
    text = head.decode("utf-8", "replace")
    if "\n " in text or "\n\t" in text:
        text = _FOLDED.sub(" ", text)
    fields: dict[str, str] = {}
    for line in text.split("\n")[1:]:
        name, _, value = line.partition(":")
        fields.setdefault(name.strip().lower(), value.strip())
    return fields


def _of_arc(line: dict[str, bytes], *, is_http: bool) -> dict[str, str]:
    """The line of an ARC record as a WARC record has it."""
    uri, ip, date, media_type = (
        line[name].decode("utf-8", "replace") for name in ("uri", "ip", "date", "type")
    )
    kind = "warcinfo" if uri.startswith("filedesc:") else "response" if is_http else "resource"
    day = f"{date[:4]}-{date[4:6]}-{date[6:8]}T{date[8:10]}:{date[10:12]}:{date[12:]}Z"
    return {
        "warc-type": kind,
        "warc-target-uri": uri,
        "warc-ip-address": ip,
        "warc-date": day,
        "content-type": "application/http;msgtype=response" if is_http else media_type,
    }


_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 18
"""How much is read of a file at once."""
_STEP = 1 << 14
"""How much of it a decoder is given at once: what it leaves it copies."""
_MOST = 1 << 20
"""How much a decoder gives at once, however much it was packed."""
_MOST_DAMAGED = 1000
"""A file with more damaged members is given up: the search may begin at each octet."""


class RecordPosition(NamedTuple):
    """Where something stands in a file."""

    member: int
    inside: int


class MemberBytes(Protocol):
    """Octets of one member after another; `data[at:]` is what was read and not taken."""

    data: bytes
    at: int
    damage: str
    """What is wrong with the member at hand; "" where nothing is."""

    def more(self) -> bool:
        """Read some more of this member into `data`; False at its end. `at` may move."""

    def place(self) -> RecordPosition:
        """Where `data[at]` stands."""

    def go_on(self) -> bool:
        """Leave what is left of this member, and begin the next; False where there is none."""

    def left(self) -> int | None:
        """How many octets of this member are still to come; None where nobody knows."""

    def go_back(self, place: RecordPosition) -> bool:
        """Read on from an earlier place of this member; False where that cannot be."""


def octets_of(file: BinaryIO, place: RecordPosition | None = None) -> MemberBytes:
    """The octets of a file that can be sought, from a place on."""
    file.seek(0)
    kind = Members if file.read(2) == _GZIP else Plain
    return kind(file, place or RecordPosition(0, 0))


class Plain:
    """A file as it is."""

    def __init__(self, file: BinaryIO, place: RecordPosition) -> None:
        self._file = file
        self._size = file.seek(0, 2)
        self._base = 0
        self.data, self.at, self.damage = b"", 0, ""
        self.go_back(place)

    def more(self) -> bool:
        """Read some more of this member."""
        rest = self.data[self.at :]
        self._base += self.at
        piece = self._file.read(_CHUNK)
        self.data, self.at = rest + piece, 0
        return bool(piece)

    def place(self) -> RecordPosition:
        """Where `data[at]` stands."""
        return RecordPosition(0, self._base + self.at)

    def go_on(self) -> bool:
        """Begin the next member."""
        return False

    def left(self) -> int | None:
        """How many octets are still to come."""
        return self._size - self._base - self.at

    def go_back(self, place: RecordPosition) -> bool:
        """Read on from an earlier place."""
        self._file.seek(place.inside)
        self._base, self.data, self.at = place.inside, b"", 0
        return True


class Members:
    """A file of gzip members; of one that is damaged the rest is left out."""

    def __init__(self, file: BinaryIO, place: RecordPosition) -> None:
        self._file = file
        self._raw, self._taken, self._raw_base = b"", 0, place.member
        self._damaged = 0
        file.seek(place.member)
        self._begin()
        self._skip(place.inside)

    def _begin(self) -> None:
        self._member = self._raw_base + self._taken
        self._base = 0
        self.data, self.at, self.damage = b"", 0, ""
        self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)

    def _skip(self, inside: int) -> None:
        while self._base + len(self.data) < inside:
            self.at = len(self.data)
            if not self.more():
                break
        self.at = min(max(0, inside - self._base), len(self.data))

    def more(self) -> bool:
        """Read some more of this member."""
        inflate = self._inflate
        if self.damage:
            return False
        while not inflate.eof:
            if self._taken == len(self._raw) and not self._read():
                self.damage = "the file ends in the middle of it"
                return False
            piece = self._raw[self._taken : self._taken + _STEP]
            try:
                unpacked = inflate.decompress(piece, _MOST)
            except zlib.error as error:
                self.damage = f"it cannot be unpacked: {error}"
                return False
            self._taken += len(piece) - len(inflate.unused_data or inflate.unconsumed_tail)
            if unpacked:
                self._base += self.at
                self.data = (
                    self.data[self.at :] + unpacked if self.at < len(self.data) else unpacked
                )
                self.at = 0
                return True
        return False

    def _read(self) -> bool:
        self._raw_base += len(self._raw)
        self._raw, self._taken = self._file.read(_CHUNK), 0
        return bool(self._raw)

    def place(self) -> RecordPosition:
        """Where `data[at]` stands."""
        return RecordPosition(self._member, self._base + self.at)

    def go_on(self) -> bool:
        """Begin the next member."""
        self.at = len(self.data)
        while self.more():
            self.at = len(self.data)
        if not self._inflate.eof and not self._find():
            return False
        if self._taken == len(self._raw) and not self._read():
            return False
        self._begin()
        return True

    def _find(self) -> bool:
        """Look for what may be a member behind one that is damaged."""
        self._damaged += 1
        if self._damaged > _MOST_DAMAGED:
            return False
        self._taken = min(self._taken + 1, len(self._raw))
        while True:
            found = self._raw.find(_GZIP + b"\x08", self._taken)
            if found >= 0:
                self._taken = found
                return True
            tail = self._raw[-2:]
            self._raw_base += len(self._raw) - len(tail)
            piece = self._file.read(_CHUNK)
            self._raw, self._taken = tail + piece, 0
            if not piece:
                self._taken = len(self._raw)
                return False

    def left(self) -> int | None:
        """How many octets are still to come."""
        return None

    def go_back(self, place: RecordPosition) -> bool:
        """Read on from an earlier place."""
        del place
        return False
