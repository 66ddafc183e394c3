"""Cut seconds out of sound (PDI §3.4.4).

Sample n belongs to the part if start <= n/rate < end, so that neighbours tile. What time it is, and
how time goes on where the recording is damaged, `timeline` says: a part has silence there, and is
flagged. The part has the form (rate and channels) of the stretch that it begins in, and silence for
those of another. It is a WAV of the samples that the decoder gives: those of the file where it is
lossless, else 16 bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from permacite.errors import LimitError
from permacite.extract.excerpt import Excerpt, digest_of, nothing
from permacite.extract.media.decoders import (
    MAX_OUTPUT_BYTES,
    Interval,
    Octets,
    opened,
    undecodable,
)
from permacite.extract.media.timeline import MAX_SECONDS, Form, Heard, Stretch, heard
from permacite.extract.media.wave_file import LAYOUTS, wave_file

__all__ = ["Part", "clip", "gather"]


def clip(data: Octets, time: Interval) -> Excerpt:
    """Return the samples of an interval."""
    with opened(data, "sound") as container:
        if not container.streams.audio:
            raise undecodable("sound", "there is no sound in it")
        part = gather(container, time)
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


def gather(container: Any, time: Interval, *, zero: Fraction | None = None) -> Part:
    """Return the samples of an interval.

    `zero`: where time begins by the time stamps of the container, for sound that goes with
    pictures; it may begin later than they do. Raises PermaciteError, LimitError.
    """
    if time.start > MAX_SECONDS * time.per_second:
        raise LimitError("the part begins too late", limit="seconds", maximum=MAX_SECONDS)
    part = Part(time, is_alone=zero is None)
    for _, found in heard(container, container.streams.audio[0], zero):
        if found is not None:
            part.take(found)
        if part.full:
            break
    return part


@dataclass(slots=True)
class Part:
    """The samples of an interval, as they come in. `since`: when the first of them is.

    `is_alone`: what is missing before the first sound is silence; else the sound begins there.
    """

    time: Interval
    is_alone: bool = True
    form: Form | None = None
    since: Fraction = Fraction(0)
    samples: bytearray = field(default_factory=bytearray)
    damaged: bool = False
    _stretch: Stretch | None = None
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

    def take(self, found: Heard) -> None:
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

    def _begin(self, stretch: Stretch) -> None:
        """Go on to the next stretch; what is between is silence."""
        before = self.end if self._stretch or self.is_alone else stretch.since
        if stretch.since > before:
            first = max(before, Fraction(self.time.start, self.time.per_second))
            last = min(stretch.since, Fraction(self.time.end, self.time.per_second))
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
        self.samples += octets + self.form.silence(silence)
