"""Cut seconds out of sound (PDI §3.4.4).

Sample n belongs to the part if start <= n/rate < end, so that neighbours tile. Time 0 is the first
sample after what the encoder put before the sound. Everything is decoded from the start: seeking is
not exact in several formats. The part is a WAV of the samples that the decoder gives: those of the
file where it is lossless, else 16 bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from permacite.errors import LimitError
from permacite.extract.excerpt import Excerpt, digest_of, nothing
from permacite.extract.media.decoders import (
    MAX_OUTPUT_BYTES,
    Interval,
    Octets,
    load,
    opened,
    undecodable,
)
from permacite.extract.media.wave_file import LAYOUTS, wave_file

__all__ = ["clip"]

_MAX_SECONDS = 6 * 60 * 60
_LOSSY = "s16"


def clip(data: Octets, time: Interval) -> Excerpt:
    """Return the samples of an interval."""
    with opened(data, "sound") as container:
        part = _decode(container, time)
    if not part.samples:
        nothing(str(time), f"the sound has {part.heard} samples, {part.rate} a second")
    samples = bytes(part.samples)
    digest = digest_of(LAYOUTS[part.layout][0], samples)
    file = wave_file(samples, part.layout, part.rate, part.channels)
    return Excerpt(file, "audio/wav", None, None, part.heard < part.last, digest)


@dataclass(slots=True)
class _Part:
    """The samples from number `first` up to `last` as they come in; `heard`: how many came by."""

    layout: str
    rate: int
    channels: int
    first: int
    last: int
    heard: int = 0
    samples: bytearray = field(default_factory=bytearray)

    def take(self, octets: bytes, count: int) -> None:
        """Take what belongs to the part out of the next `count` samples."""
        size = LAYOUTS[self.layout][1] // 8 * self.channels
        start = max(0, self.first - self.heard)
        end = min(count, self.last - self.heard)
        if start < end:
            self.samples += octets[start * size : end * size]
        self.heard += count
        if len(self.samples) > MAX_OUTPUT_BYTES:
            raise LimitError("the part is too long", limit="bytes", maximum=MAX_OUTPUT_BYTES)


def _decode(container: Any, time: Interval) -> _Part:
    if not container.streams.audio:
        raise undecodable("sound", "there is no sound in it")
    stream = container.streams.audio[0]
    rate, channels = stream.codec_context.sample_rate, stream.codec_context.channels
    first, last = time.samples(rate)
    if first > _MAX_SECONDS * rate:
        raise LimitError("the part begins too late", limit="seconds", maximum=_MAX_SECONDS)
    packed = stream.codec_context.format.packed.name
    lossless = stream.codec_context.codec.lossless and packed in LAYOUTS
    part = _Part(packed if lossless else _LOSSY, rate, channels, first, last)
    resampler = load("av").AudioResampler(part.layout, stream.codec_context.layout, rate)
    for frame in container.decode(stream):
        if frame.sample_rate != rate or len(frame.layout.channels) != channels:
            raise undecodable("sound", "its rate or its channels change")
        _take(part, resampler.resample(frame))
        if part.heard >= last:
            return part
    _take(part, resampler.resample(None))
    return part


def _take(part: _Part, frames: Any) -> None:
    for frame in frames:
        size = frame.samples * part.channels * LAYOUTS[part.layout][1] // 8
        part.take(bytes(frame.planes[0])[:size], frame.samples)
