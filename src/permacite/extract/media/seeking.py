"""Index of a long sound: a part is cut without decoding all that is before it.

It is made by the way of a decode from the start: where each packet is in the file, how many samples
it gave, after how many of silence, and a check of them. A cut by the index decodes from some
packets before its first, and holds what it decodes to the checks. Where anything differs, as with
decoders that draw chance from all that was before, the index is of no use, and all is decoded. So a
part by the index is that of a full decode.

A caller that keeps indexes (`SEEKING`) keeps one for each document, and may lose it at any time.
"""

from __future__ import annotations

import hashlib
import struct
from array import array
from bisect import bisect_right
from contextvars import ContextVar
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.extract.media.decoders import load
from permacite.extract.media.timeline import LAYOUTS, DecodedPacket, Form, SoundStretch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.extract.media.decoders import Octets

__all__ = ["SEEKING", "Maker", "Seeking", "resumed"]

_HEAD = struct.Struct("<8sBIHqqQQ?")
_MAGIC = b"sound-1\n"
_LAYOUTS = tuple(LAYOUTS)
_COLUMNS = "QIIIQB"
_SEAL_BYTES = 16
_LEAD_IN = 64
"""Packets that are decoded before the first that is wanted: what a lossy decoder builds on."""
_NEAR = 1024
"""How far from the end of one packet the next is looked for."""
_MOST = 1 << 62
_LEAST_FOUND = 2
"""A file of which more than one part in so many is not found packet by packet has no index."""


@dataclass(slots=True)
class Seeking:
    """The index of the document that is decoded, b"" for none; `made`: a new one, to be kept."""

    known: bytes = b""
    made: bytes = b""


SEEKING: ContextVar[Seeking | None] = ContextVar("SEEKING", default=None)
"""What is known of the document that is decoded. A library keeps no indexes."""


class _PacketRow(NamedTuple):
    """One packet: where it is, how much silence is before what it gives, and a check of that."""

    place: int
    size: int
    silent: int
    length: int
    check: int
    damaged: int


def _seal(octets: bytes) -> bytes:
    return hashlib.blake2b(octets, digest_size=_SEAL_BYTES).digest()


def _check(octets: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(octets, digest_size=8).digest(), "little")


@dataclass(slots=True)
class Maker:
    """Makes an index by the way. Packets in more than one piece in the file are kept in it."""

    data: Octets
    _columns: list[array[int]] = field(default_factory=lambda: [array(kind) for kind in _COLUMNS])
    _loose: bytearray = field(default_factory=bytearray)
    _stretch: SoundStretch | None = None
    _base: Fraction = Fraction(0)
    _heard: int = 0
    _end: int = 0
    _is_of_use: bool = True

    def add(self, packet: Any, found: DecodedPacket | None) -> None:
        """Take note of a packet, and of what was heard of it; of None at the end."""
        silent = self._silence(found) if found is not None else 0
        if packet is None:
            self._is_of_use = self._is_of_use and not silent
        elif self._is_of_use:
            octets = bytes(packet)
            heard = found or _NOTHING
            row = _PacketRow(
                self._place(octets, packet.pos),
                len(octets),
                silent,
                heard.length,
                _check(heard.octets),
                heard.damaged,
            )
            self._heard += silent + heard.length
            for column, value in zip(self._columns, row, strict=True):
                column.append(value)

    def index(self, *, is_whole: bool) -> bytes:
        """The index; `is_whole`: to the end of the sound. b"" where it would be of no use."""
        if not self._is_of_use or self._stretch is None or self._base.denominator > _MOST:
            return b""
        form = self._stretch.form
        head = _HEAD.pack(
            _MAGIC,
            _LAYOUTS.index(form.layout),
            form.rate,
            form.channels,
            self._base.numerator,
            self._base.denominator,
            len(self._columns[0]),
            len(self._loose),
            is_whole,
        )
        body = head + b"".join(map(bytes, self._columns)) + bytes(self._loose)
        return body + _seal(body)

    def _silence(self, found: DecodedPacket) -> int:
        """Samples of silence between what was heard so far and now."""
        stretch, before = found.stretch, self._stretch
        if stretch is before:
            return 0
        self._stretch = stretch
        if before is None:
            self._base = stretch.since
            return 0
        self._is_of_use = self._is_of_use and stretch.form == before.form
        return round((stretch.since - self._base) * stretch.form.rate) - self._heard

    def _place(self, octets: bytes, hint: int | None) -> int:
        """Find a packet in the file; else keep it, as if behind the end of the file."""
        for near in (self._end, hint):
            if near is None or near < 0:
                continue
            place = self.data.find(octets, near, near + len(octets) + _NEAR)
            if place >= 0:
                self._end = place + len(octets)
                return place
        self._loose += octets
        self._is_of_use = len(self._loose) * _LEAST_FOUND <= len(self.data)
        return len(self.data) + len(self._loose) - len(octets)


_NOTHING = DecodedPacket(SoundStretch(Form("s16", 1, 1), Fraction(0)))


class _PacketIndex:
    """An index that was read. `ends`: the number of samples up to the end of each packet."""

    def __init__(self, octets: bytes, data: Octets) -> None:
        """Raises ValueError for what is none, or is not as it was made."""
        body = octets[:-_SEAL_BYTES]
        if not body.startswith(_MAGIC) or _seal(body) != octets[-_SEAL_BYTES:]:
            raise ValueError("no index")
        _, layout, rate, channels, base, divisor, count, loose, whole = _HEAD.unpack_from(body)
        at = _HEAD.size
        columns = [array(kind) for kind in _COLUMNS]
        for column in columns:
            column.frombytes(body[at : at + count * column.itemsize])
            at += count * column.itemsize
        self.form = Form(_LAYOUTS[layout], rate, channels)
        self.base = Fraction(base, divisor)
        self.is_whole = bool(whole)
        self.ends = list(accumulate(map(add, columns[2], columns[3])))
        self._columns = columns
        self._data, self._loose = data, body[at : at + loose]

    def row(self, number: int) -> _PacketRow:
        return _PacketRow(*(column[number] for column in self._columns))

    def packet(self, row: _PacketRow) -> Any:
        """A packet to decode; None, which empties a decoder, where the sound ends."""
        behind = row.place - len(self._data)
        source = self._data if behind < 0 else self._loose
        at = row.place if behind < 0 else behind
        return load("av").Packet(source[at : at + row.size]) if row.size else None


def resumed(
    octets: bytes, data: Octets, stream: Any, bounds: tuple[Fraction, Fraction]
) -> Iterator[DecodedPacket | None]:
    """What is heard from before `bounds`, two times, until behind them; None where that fails.

    `octets` is an index of `data`, and `stream` is open and has not been read from.
    """
    try:
        index = _PacketIndex(octets, data)
    except ValueError:
        yield None
        return
    first, last = (int((time - index.base) * index.form.rate) for time in bounds)
    total = index.ends[-1] if index.ends else 0
    wanted = bisect_right(index.ends, max(0, first - 1))
    begin = wanted - _LEAD_IN
    if begin <= 0 or (last > total and not index.is_whole):
        yield None
        return
    stretch = SoundStretch(index.form, index.base)
    yield DecodedPacket(stretch, index.ends[wanted - 1])
    for number, decoded in _decoded(index, stream, begin, wanted):
        row = index.row(number)
        samples = decoded[: row.length * index.form.size]
        if _check(samples) != row.check:
            yield None
            return
        if row.silent:
            since = index.base + Fraction(index.ends[number] - row.length, index.form.rate)
            stretch = SoundStretch(index.form, since)
        yield DecodedPacket(stretch, row.length, samples, bool(row.damaged))


def _decoded(
    index: _PacketIndex, stream: Any, begin: int, wanted: int
) -> Iterator[tuple[int, bytes]]:
    """The samples of each packet from number `wanted` on; decoding begins at `begin`."""
    codec, form = stream.codec_context, index.form
    resampler: Any = None
    for number in range(begin, len(index.ends)):
        try:
            frames = codec.decode(index.packet(index.row(number)))
        except load("av").FFmpegError:
            frames = []
        if number < wanted:
            continue
        samples = bytearray()
        for frame in frames:
            if frame.sample_rate != form.rate or len(frame.layout.channels) != form.channels:
                break
            if resampler is None:
                resampler = load("av").AudioResampler(form.layout, frame.layout, form.rate)
            for each in resampler.resample(frame):
                samples += bytes(each.planes[0])[: each.samples * form.size]
        yield number, bytes(samples)
