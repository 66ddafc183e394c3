"""Timeline of a recording: its samples in order of time, packet by packet (PDI §3.4.4); WAV files.

Time 0 is the first sample after what the encoder put before the sound; from there on samples are
counted. Where something is damaged, time goes on:

- A packet that cannot be decoded lasts as long as its container says. Where there is none to say so
  (`_BARE`), it lasts as long as frames of the mean size so far that would fill it; tags last no
  time.
- Where the time stamps of a container jump ahead, by more than a tenth of a second or after a
  packet that could not be decoded or made out, the hole is as long as they say. Octets that are
  lost without a trace, such as a page of Ogg, are found in this way.
- Where the rate or the channels change, as in recordings that were joined, a new stretch begins.

A hole is time without sound: the next stretch begins after it.

Some key pictures end all dependence on what was before: an IDR picture (H.264 §7.4.1.2.4, H.265
§7.4.2.2), a key frame of VP8, VP9 or AV1, and every picture where each stands for itself. Others do
not say so (open groups of MPEG-2, recovery points), or are not known here: then all is decoded.
Packets are read one after the other, which costs little; no index of a container is trusted.

A WAV file holds samples unchanged (RIFF, WAVE_FORMAT_PCM and IEEE_FLOAT).
"""

from __future__ import annotations

import struct
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.extract.media.decoders import check_read, load, undecodable
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "LAYOUTS",
    "MAX_SECONDS",
    "DecodedPacket",
    "Form",
    "SoundStretch",
    "from_key_picture",
    "heard",
    "packets",
    "sound_of",
    "wave_file",
]


_RESET = frozenset({"vp8", "vp9", "libvpx", "libvpx-vp9", "av1", "libdav1d", "ffv1"})
_ALONE = frozenset({"mjpeg", "rawvideo", "png", "prores", "dnxhd", "huffyuv", "ffvhuff"})
_IDR = {"h264": (frozenset({5}), 6), "hevc": (frozenset({19, 20}), 32)}
"""The types of units that are IDR pictures, and the first that is no picture at all."""
_START = b"\0\0\1"
_MAX_HELD_BYTES = 64 << 20


def from_key_picture(source: Iterator[Any], stream: Any, start: Fraction) -> Iterator[Any]:
    """The packets that are needed for the pictures from `start`, a time stamp in seconds, on.

    They begin one such key picture earlier than they must: there a decoder finds out how far the
    order of pictures differs from that of packets.
    """
    earlier: list[Any] = []
    held: list[Any] = []
    octets = 0
    for packet in source:
        at = None if packet.pts is None else packet.pts * packet.time_base
        if packet.is_keyframe and at is not None and at <= start and _is_fresh(packet, stream):
            earlier, held = held, []
            octets = sum(each.size for each in earlier)
        held.append(packet)
        octets += packet.size
        if at is None or at >= start or octets > _MAX_HELD_BYTES:
            break
    yield from earlier
    yield from held
    yield from source


def _is_fresh(packet: Any, stream: Any) -> bool:
    """Whether nothing from this key picture on depends on what was before it."""
    codec = stream.codec_context
    if codec.name in _IDR:
        kinds = _units(bytes(packet), codec.extradata or b"", codec.name)
        wanted, others = _IDR[codec.name]
        return next((kind in wanted for kind in kinds if kind < others and kind), False)
    return codec.name in _RESET | _ALONE


def _units(octets: bytes, setup: bytes, codec: str) -> Iterator[int]:
    """The types of the units of a packet, which have lengths in front, or start codes between."""
    if setup[:1] == b"\1":
        size = (setup[4 if codec == "h264" else 21] & 3) + 1
        at = 0
        while at + size < len(octets):
            yield _kind(octets[at + size], codec)
            at += size + int.from_bytes(octets[at : at + size], "big")
    else:
        yield from (_kind(unit[0], codec) for unit in octets.split(_START)[1:] if unit)


def _kind(head: int, codec: str) -> int:
    return head & 31 if codec == "h264" else head >> 1 & 63


LAYOUTS = {
    "u8": ("u8", 8, 1),
    "s16": ("s16le", 16, 1),
    "s32": ("s32le", 32, 1),
    "flt": ("f32le", 32, 3),
    "dbl": ("f64le", 64, 3),
}
"""The decoder's name of a sample format to ours, bits a sample, and the tag that WAV has for it."""

_MOST_OF_16_BITS, _MOST_OF_32_BITS = (1 << 16) - 1, (1 << 32) - 1


def wave_file(samples: bytes, layout: str, rate: int, channels: int) -> bytes:
    """Return interleaved little-endian samples as a file. `layout` is a key of LAYOUTS.

    Raises DecodingError for more channels or samples a second than a header has room for.
    """
    _, bits, tag = LAYOUTS[layout]
    frame = channels * bits // 8
    if frame > _MOST_OF_16_BITS or rate * frame > _MOST_OF_32_BITS:
        raise undecodable("sound", f"no WAV holds {rate} samples a second of {channels} channels")
    form = struct.pack("<HHIIHH", tag, channels, rate, rate * frame, frame, bits)
    padded = samples + b"\0" * (len(samples) % 2)
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form
    body += b"data" + struct.pack("<I", len(samples)) + padded
    return b"RIFF" + struct.pack("<I", len(body)) + body


MAX_SECONDS = 6 * 60 * 60
_LOSSY = "s16"
_BARE = frozenset({"aac", "ac3", "amr", "dts", "eac3", "gsm", "mp3"})
"""Formats of packets alone: their time stamps are counted by whoever reads them."""
_JUMP_S, _ROUNDING_S = 0.1, 0.002
_SETTLING_S = 1
"""How long a lossy decoder may be wrong for want of what was before: so long is damaged, too."""
_TAG = compile_pattern(rb"ID3[\x02-\x04]\x00[\x00-\xff]([\x00-\x7f]{4})")
"""The head of a tag in the midst of a recording that was joined (ID3 §3.1), and its size."""


class Form(NamedTuple):
    """How samples are given: a key of LAYOUTS, samples a second, and channels."""

    layout: str
    rate: int
    channels: int

    @property
    def size(self) -> int:
        """Octets of a sample of all channels."""
        return LAYOUTS[self.layout][1] // 8 * self.channels

    def silence(self, count: int) -> bytes:
        """So many samples of nothing."""
        return (b"\x80" if self.layout == "u8" else b"\0") * (count * self.size)


class SoundStretch(NamedTuple):
    """Samples of one form that follow each other, the first at `since` seconds."""

    form: Form
    since: Fraction


class DecodedPacket(NamedTuple):
    """What one packet adds to a stretch; `damaged`: it is not what was recorded."""

    stretch: SoundStretch
    length: int = 0
    octets: bytes = b""
    damaged: bool = False


def heard(
    container: Any, stream: Any, zero: Fraction | None = None
) -> Iterator[tuple[Any, DecodedPacket | None]]:
    """Decode a stream of sound from its start: each packet, and what is heard of it, if anything.

    `zero`: the time stamp at which time begins, in seconds; None is where the sound begins.
    Raises PermaciteError where nothing can be decoded at all.
    """
    kind = container.format.name
    listener = Listener(stream, zero, is_bare=kind in _BARE, tells_damage=kind == "flac")
    for packet in packets(container, stream):
        yield packet, listener.listen(packet)
    yield None, listener.end()


def sound_of(container: Any) -> Any:
    """The stream of sound that is heard: the first one. Raises PermaciteError."""
    if not container.streams.audio:
        raise undecodable("sound", "there is no sound in it")
    stream = container.streams.audio[0]
    check_read(container, stream, "sound")
    if stream.codec_context.name == "flac" and container.format.name != "flac":
        stream.codec_context.options = {"err_detect": "crccheck+explode"}
    return stream


def packets(container: Any, *streams: Any) -> Iterator[Any]:
    """The packets of some streams, as far as the file can be read."""
    try:
        yield from container.demux(*streams)
    except load("av").FFmpegError:
        return


class Listener:
    """Decodes packets, and keeps the time where they cannot be decoded."""

    def __init__(
        self, stream: Any, zero: Fraction | None, *, is_bare: bool, tells_damage: bool
    ) -> None:
        """`zero` as in `heard`.

        `tells_damage`: packets without a time stamp are such as the reader could not make out.
        They are decoded, as the decoder keeps the time there.
        """
        self._zero = zero
        self._codec = stream.codec_context
        self._is_bare = is_bare
        self._tells_damage = tells_damage
        self._errors = load("av").FFmpegError
        self._fault: Exception | None = None
        self._stretch: SoundStretch | None = None
        self._resampler: Any = None
        self._heard = 0
        self._lost = Fraction(0)
        self._doubtful = False
        """Whether the packet before was one that the reader could not make out."""
        self._next: float | None = None
        self._octets = self._frames = self._tag = 0
        self._frame = Fraction(0)
        self._settled: Fraction | None = None

    def listen(self, packet: Any) -> DecodedPacket | None:
        """What is heard of a packet; None where it is nothing."""
        if 0 < packet.size <= self._tag:
            self._tag -= packet.size
            return None
        try:
            frames = self._codec.decode(packet)
        except self._errors as fault:
            self._fault = self._fault or fault
            self._lost += self._duration(packet)
            return None
        damaged = bool(packet.is_corrupt or (self._tells_damage and packet.pts is None))
        octets, count = bytearray(), 0
        for frame in frames:
            damaged = damaged or bool(frame.is_corrupt)
            stretch = self._place(frame)
            for each in self._resampler.resample(frame):
                octets += bytes(each.planes[0])[: each.samples * stretch.form.size]
                count += each.samples
        self._doubtful = self._tells_damage and packet.pts is None
        self._tag = 0
        self._octets += packet.size
        self._frames += len(frames)
        damaged = damaged or (self._settled is not None and self._now() < self._settled)
        self._heard += count
        return (
            DecodedPacket(self._stretch, count, bytes(octets), damaged) if self._stretch else None
        )

    def end(self) -> DecodedPacket:
        """What is left at the end: a hole, where the last packets could not be decoded."""
        if self._stretch is None:
            raise undecodable("sound", self._fault or "there is no sound in it")
        return DecodedPacket(SoundStretch(self._stretch.form, self._now() + self._lost))

    def _now(self) -> Fraction:
        """When the last of what was heard ended."""
        if self._stretch is None:
            return Fraction(0)
        return self._stretch.since + Fraction(self._heard, self._stretch.form.rate)

    def _place(self, frame: Any) -> SoundStretch:
        """Find the stretch that a frame is in: a new one behind a hole, or of another form."""
        hole, form = self._hole(frame), self._form(frame)
        if self._stretch is None or hole or form != self._stretch.form:
            if self._stretch is None or form != self._stretch.form:
                self._resampler = load("av").AudioResampler(form.layout, frame.layout, form.rate)
            since = self._now() + hole
            if self._stretch is None and self._zero is not None and frame.pts is not None:
                since = frame.pts * frame.time_base - self._zero
            self._stretch, self._heard = SoundStretch(form, since), 0
            if hole and not self._codec.codec.lossless:
                self._settled = since + _SETTLING_S
        return self._stretch

    def _form(self, frame: Any) -> Form:
        packed = frame.format.packed.name
        lossless = self._codec.codec.lossless and packed in LAYOUTS
        channels = len(frame.layout.channels)
        return Form(packed if lossless else _LOSSY, frame.sample_rate, channels)

    def _hole(self, frame: Any) -> Fraction:
        """How long nothing was heard before a frame, in whole samples."""
        lost, self._lost = self._lost, Fraction(0)
        at = None if frame.pts is None else float(frame.pts * frame.time_base)
        length = float(lost)
        if at is not None and self._next is not None and not self._is_bare:
            jump = at - self._next
            if abs(jump - length) > _ROUNDING_S:
                length = jump if jump > _JUMP_S or lost or self._doubtful else 0.0
        begun = self._next if at is None else at
        self._frame = Fraction(frame.samples, frame.sample_rate)
        self._next = None if begun is None else begun + float(self._frame)
        length = length if 0 < length < MAX_SECONDS else 0.0
        return Fraction(round(length * frame.sample_rate), frame.sample_rate)

    def _duration(self, packet: Any) -> Fraction:
        """How long a packet lasts that cannot be decoded."""
        if not self._is_bare:
            return Fraction((packet.duration or 0) * packet.time_base)
        if not self._octets:
            return Fraction(0)
        octets, at, sound = bytes(packet), self._tag, 0
        while at < len(octets):
            head = _TAG.search(octets, at)
            start = len(octets) if head is None else head.start()
            sound += start - at
            at = start if head is None else head.end() + _size(head[1])
        self._tag = at - len(octets)
        return self._frame * round(sound * self._frames / self._octets)


def _size(written: bytes) -> int:
    """A number of seven bits an octet (ID3 §6.2)."""
    return sum(octet << 7 * place for place, octet in enumerate(reversed(written)))
