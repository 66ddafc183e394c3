"""The octets of a file, packed by gzip or not, read from any place on in constant memory.

A *member* is one stream of gzip (RFC 1952 §2.2); a file that is not packed is one member. A `Place`
says where a member begins in the file, and how many unpacked octets stand before it in the member.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from typing import BinaryIO

__all__ = ["Members", "Octets", "Place", "Plain", "octets_of"]

_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 18
"""How much is read of a file at once."""
_STEP = 1 << 14
"""How much of it a decoder is given at once: what it leaves it copies."""
_MOST = 1 << 20
"""How much a decoder gives at once, however much it was packed."""
_MOST_DAMAGED = 1000
"""A file with more damaged members is given up: the search may begin at each octet."""


class Place(NamedTuple):
    """Where something stands in a file."""

    member: int
    inside: int


class Octets(Protocol):
    """Octets of one member after another; `data[at:]` is what was read and not taken."""

    data: bytes
    at: int
    damage: str
    """What is wrong with the member at hand; "" where nothing is."""

    def more(self) -> bool:
        """Read some more of this member into `data`; False at its end. `at` may move."""

    def place(self) -> Place:
        """Where `data[at]` stands."""

    def go_on(self) -> bool:
        """Leave what is left of this member, and begin the next; False where there is none."""

    def left(self) -> int | None:
        """How many octets of this member are still to come; None where nobody knows."""

    def go_back(self, place: Place) -> bool:
        """Read on from an earlier place of this member; False where that cannot be."""


def octets_of(file: BinaryIO, place: Place | None = None) -> Octets:
    """The octets of a file that can be sought, from a place on."""
    file.seek(0)
    kind = Members if file.read(2) == _GZIP else Plain
    return kind(file, place or Place(0, 0))


class Plain:
    """A file as it is."""

    def __init__(self, file: BinaryIO, place: Place) -> None:
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

    def place(self) -> Place:
        """Where `data[at]` stands."""
        return Place(0, self._base + self.at)

    def go_on(self) -> bool:
        """Begin the next member."""
        return False

    def left(self) -> int | None:
        """How many octets are still to come."""
        return self._size - self._base - self.at

    def go_back(self, place: Place) -> bool:
        """Read on from an earlier place."""
        self._file.seek(place.inside)
        self._base, self.data, self.at = place.inside, b"", 0
        return True


class Members:
    """A file of gzip members; of one that is damaged the rest is left out."""

    def __init__(self, file: BinaryIO, place: Place) -> None:
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

    def place(self) -> Place:
        """Where `data[at]` stands."""
        return Place(self._member, self._base + self.at)

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

    def go_back(self, place: Place) -> bool:
        """Read on from an earlier place."""
        del place
        return False
