"""Extraction of seconds from sound (PDI §3.4.4).

Sample n belongs to the part if start <= n/rate < end, so that neighbours tile. What time it is, and
how time goes on where the recording is damaged, `timeline` says: a part has silence there, and is
flagged. The part has the form (rate and channels) of the stretch that it begins in, and silence for
those of another. It is a WAV of the samples that the decoder gives: those of the file where it is
lossless, else 16 bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from permacite.errors import LimitError
from permacite.extract.media.decoders import MAX_OUTPUT_BYTES, Interval, Octets, admit, opened
from permacite.extract.media.seeking import SEEKING, Maker, resumed
from permacite.extract.media.timeline import (
    LAYOUTS,
    MAX_SECONDS,
    DecodedPacket,
    Form,
    SoundStretch,
    heard,
    sound_of,
    wave_file,
)
from permacite.extract.text import Excerpt, digest_of, nothing

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["SoundPart", "clip", "gather"]

_ASKED_AT_ONCE, _COPIES = 32 << 20, 4
"""Memory is asked for as the samples come in; the file that is made of them is beside them."""
_INDEXED_FROM_S = 60
"""A cut that begins later than that makes an index, for the next one."""


def clip(data: Octets, time: Interval) -> Excerpt:
    """Return the samples of an interval."""
    part = gather(data, "sound", time)
    if part.form is None:
        nothing(str(time), f"the sound lasts {float(part.end):.3f} seconds")
    samples = bytes(part.samples)
    file = wave_file(samples, part.form.layout, part.form.rate, part.form.channels)
    return Excerpt(
        file,
        "audio/wav",
        None,
        None,
        part.end * time.per_second < time.end,
        part.digest,
        damaged=part.damaged,
    )


def gather(data: Octets, what: str, time: Interval, *, zero: Fraction | None = None) -> SoundPart:
    """Return the samples of an interval of a "sound" or a "video".

    `zero`: where time begins by the time stamps of the container, for sound that goes with
    pictures; it may begin later than they do. Raises PermaciteError, LimitError.
    """
    if time.start > MAX_SECONDS * time.per_second:
        raise LimitError("the part begins too late", limit="seconds", maximum=MAX_SECONDS)
    seeking = SEEKING.get()
    if seeking is not None and seeking.known:
        with opened(data, what) as container:
            part = SoundPart(time, is_alone=zero is None)
            if _by_index(part, resumed(seeking.known, data, sound_of(container), time.edges)):
                return part
    with opened(data, what) as container:
        part = SoundPart(time, is_alone=zero is None)
        late = seeking is not None and time.start >= _INDEXED_FROM_S * time.per_second
        maker = Maker(data) if late else None
        for packet, found in heard(container, sound_of(container), zero):
            if maker is not None:
                maker.add(packet, found)
            if found is not None:
                part.take(found)
            if part.full:
                break
        if seeking is not None and maker is not None:
            seeking.made = maker.index(is_whole=not part.full)
    return part


def _by_index(part: SoundPart, sound: Iterator[DecodedPacket | None]) -> bool:
    """Take what is heard by an index; False where it is of no use."""
    for found in sound:
        if found is None:
            return False
        part.take(found)
        if part.full:
            break
    return True


@dataclass(slots=True)
class SoundPart:
    """The samples of an interval, as they come in. `since`: when the first of them is.

    `is_alone`: what is missing before the first sound is silence; else the sound begins there.
    """

    time: Interval
    is_alone: bool = True
    form: Form | None = None
    since: Fraction = Fraction(0)
    samples: bytearray = field(default_factory=bytearray)
    damaged: bool = False
    _asked: int = 0
    _stretch: SoundStretch | None = None
    _gone_by: int = 0
    _bounds: tuple[int, int] = (0, 1)

    @property
    def end(self) -> Fraction:
        """When the last of all that came by ended, whether it is in the part or not."""
        if self._stretch is None:
            return Fraction(0)
        return self._stretch.since + Fraction(self._gone_by, self._stretch.form.rate)

    @property
    def full(self) -> bool:
        """Whether the interval has come by."""
        return self._gone_by >= self._bounds[1]

    @property
    def digest(self) -> str:
        """Of the samples."""
        assert self.form is not None  # noqa: S101 - there are samples
        return digest_of(LAYOUTS[self.form.layout][0], bytes(self.samples))

    def take(self, found: DecodedPacket) -> None:
        """Take what belongs to the interval."""
        stretch, form = found.stretch, found.stretch.form
        if stretch is not self._stretch:
            self._begin(stretch)
        start = max(0, self._bounds[0] - self._gone_by)
        end = min(found.length, self._bounds[1] - self._gone_by)
        at = self._gone_by + start
        self._gone_by += found.length
        if start >= end:
            return
        if self.form is None:
            self.form, self.since = form, stretch.since + Fraction(at, form.rate)
        self.damaged |= found.damaged or form != self.form
        if form == self.form:
            self._add(found.octets[start * form.size : end * form.size])
        else:
            self._silence_to(stretch.since + Fraction(at + end - start, form.rate))

    def _begin(self, stretch: SoundStretch) -> None:
        """Go on to the next stretch; what is between is silence."""
        before = self.end if self._stretch or self.is_alone else stretch.since
        if stretch.since > before:
            first, last = max(before, self.time.edges[0]), min(stretch.since, self.time.edges[1])
            if first < last:
                self.damaged = True
                if self.form is None:
                    self.form = (self._stretch or stretch).form
                    self.since = first
                self._silence_to(last)
        elif self.form == stretch.form:
            self._silence_to(stretch.since)
        self._stretch, self._gone_by = stretch, 0
        self._bounds = self.time.samples(stretch.form.rate, stretch.since)

    def _silence_to(self, time: Fraction) -> None:
        """Fill up with silence until a time."""
        assert self.form is not None  # noqa: S101 - whoever fills up has begun
        count = round((time - self.since) * self.form.rate) - len(self.samples) // self.form.size
        self._add(b"", max(0, count))

    def _add(self, octets: bytes, silence: int = 0) -> None:
        assert self.form is not None  # noqa: S101 - the same
        more = len(octets) + silence * self.form.size
        if len(self.samples) + more > MAX_OUTPUT_BYTES:
            raise LimitError("the part is too long", limit="bytes", maximum=MAX_OUTPUT_BYTES)
        if len(self.samples) + more > self._asked:
            admit(_COPIES * max(more, _ASKED_AT_ONCE))
            self._asked += max(more, _ASKED_AT_ONCE)
        self.samples += octets + self.form.silence(silence)
