"""Cut time, area and stills out of video (PDI §3.4.4, §3.4.5 Video).

The pictures of a part are those with start <= time < end, an area is in the picture as displayed.
Time 0 is the first picture. The sound of a part is that of the same time: sample n belongs if
start <= time of n < end, by the time stamps of the container. `film` writes both without loss, in
the sampling of the source where the area allows it, else with as many colour samples as pixels.

What is before the last key picture that owes nothing to others need not be decoded (`keys`). A part
in which something is damaged is decoded again from the start, picture after picture, so that it is
always the same. What is damaged lasts until the next key picture.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.errors import LimitError, NotFoundError, PermaciteError
from permacite.extract.excerpt import Excerpt, nothing
from permacite.extract.media import keys, sound
from permacite.extract.media.decoders import (
    MAX_FRAMES,
    Interval,
    Octets,
    admit,
    check_read,
    load,
    opened,
    undecodable,
)
from permacite.extract.media.film import Film
from permacite.extract.media.pictures.image import area
from permacite.extract.media.timeline import packets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Corners = tuple[int, int, int, int]

__all__ = ["Corners", "clip", "still"]

_RATE = Fraction(25)
_THREADS = 2
_ALONE = frozenset({"theora"})
"""Decoders of which one thread may wait for ever for what another could not decode."""
_OCTETS_OF_A_PIXEL, _FRAMES_AT_ONCE = 3, 24
"""What decoding keeps: frames that others refer to, and those under way in several threads."""
_MAX_PIXELS_ON_THE_WAY = 50_000_000_000


def still(data: Octets, first: tuple[int, int], second: tuple[int, int], number: int) -> Excerpt:
    """Return an area of frame `number`, counted from 0."""
    if number > MAX_FRAMES:
        raise LimitError("the frame is too far on", limit="frames", maximum=MAX_FRAMES)
    return _once_or_twice(data, partial(_still, first=first, second=second, number=number))


def clip(data: Octets, time: Interval, corners: Corners | None) -> Excerpt:
    """Return the frames of an interval, of them an area where `corners` says one (x, y, x, y).

    Their sound goes with them.
    """
    with opened(data, "video") as container:
        zero = next(_Reel(container, careful=True).pictures()).time
    part, is_whole = _sound(data, time, zero)
    cut = partial(_clip, time=time, corners=corners, zero=zero, part=part, damaged=not is_whole)
    return _once_or_twice(data, cut)


def _once_or_twice(data: Octets, cut: Callable[[_Reel], Excerpt]) -> Excerpt:
    """Cut quickly; where something is damaged, again with care."""
    with opened(data, "video") as container:
        reel = _Reel(container, careful=False)
        try:
            excerpt = cut(reel)
        except NotFoundError:
            if not reel.broken:
                raise
        else:
            if not reel.broken:
                return excerpt
    with opened(data, "video") as container:
        return cut(_Reel(container, careful=True))


def _still(reel: _Reel, *, first: tuple[int, int], second: tuple[int, int], number: int) -> Excerpt:
    for index, shown in enumerate(reel.pictures()):
        if index == number:
            found = area(first, second, _size(shown.frame))
            film = Film(found, reel.rate, shown.time, None)
            film.add(shown.frame, shown.time)
            # Which number a picture has is not known behind one that is missing.
            return _excerpt(film, clipped=found.clipped, damaged=reel.broken)
    return nothing(str(number), f"the video has {reel.stream.frames or 'fewer'} frames")


def _clip(
    reel: _Reel,
    *,
    time: Interval,
    corners: Corners | None,
    zero: Fraction,
    part: sound.Part | None,
    damaged: bool,
) -> Excerpt:
    film, found, end, late = None, None, Fraction(0), True
    start = Fraction(time.start, time.per_second)
    for shown in reel.pictures(zero + start):
        at = shown.time - zero
        if at * time.per_second >= time.end:
            late = False
            break
        end = shown.end - zero
        if time.holds(at):
            if film is None:
                found = area(corners[:2], corners[2:], _size(shown.frame)) if corners else None
                film = Film(found, reel.rate, at if part is None else start, part)
            damaged |= shown.damaged or not film.add(shown.frame, at)
    if film is None:
        return nothing(str(time), f"the video lasts {float(end):.3f} seconds")
    late = late and end * time.per_second < time.end
    clipped = late or (found is not None and found.clipped)
    return _excerpt(film, clipped=clipped, damaged=damaged)


def _excerpt(film: Film, *, clipped: bool, damaged: bool) -> Excerpt:
    file, digest = film.end()
    return Excerpt(file, "video/matroska", None, None, clipped, digest, damaged)


def _sound(data: Octets, time: Interval, zero: Fraction) -> tuple[sound.Part | None, bool]:
    """The sound of an interval, None where there is none; whether it is as it was recorded."""
    with opened(data, "video") as container:
        if not container.streams.audio:
            return None, True
    try:
        part = sound.gather(data, "video", time, zero=zero)
    except LimitError:
        raise
    except PermaciteError:  # of a kind that is not decoded, or wholly broken
        return None, False
    return (part if part.form is not None else None), not part.damaged


def _size(frame: Any) -> tuple[int, int]:
    """Return the size of the displayed picture."""
    if frame.rotation in {90, -90, 270, -270}:
        return frame.height, frame.width
    return frame.width, frame.height


class _Shown(NamedTuple):
    """A picture, the time stamps of its start and end, and whether it may not be as recorded."""

    frame: Any
    time: Fraction
    end: Fraction
    damaged: bool


class _Reel:
    """The pictures of a video, one after the other. `broken`: whether any was not decoded.

    `careful`: from the start, in one thread.
    """

    def __init__(self, container: Any, *, careful: bool) -> None:
        if not container.streams.video:
            raise undecodable("video", "there are no pictures in it")
        self.stream = container.streams.video[0]
        check_read(container, self.stream, "video")
        self.broken = False
        self._container = container
        self._careful = careful
        self._bad: Fraction | None = None
        self._fault: Exception | None = None
        codec = self.stream.codec_context
        admit(codec.width * codec.height * _OCTETS_OF_A_PIXEL * _FRAMES_AT_ONCE)
        alone = careful or codec.name in _ALONE
        codec.thread_type = "SLICE" if alone else "AUTO"
        codec.thread_count = 1 if alone else _THREADS

    @property
    def rate(self) -> Fraction:
        """Pictures a second, as told."""
        return Fraction(self.stream.average_rate or _RATE)

    def pictures(self, start: Fraction | None = None) -> Iterator[_Shown]:
        """All pictures; from about the time stamp `start` on, where that gives the same.

        Raises PermaciteError where there is none, LimitError where there are too many.
        """
        pixels, end = 0, Fraction(0)
        source = packets(self._container, self.stream)
        if start is not None and not self._careful:
            source = keys.late(source, self.stream, start)
        for packet in source:
            for frame in self._decoded(packet):
                pixels += frame.width * frame.height
                if pixels > _MAX_PIXELS_ON_THE_WAY:
                    raise LimitError(
                        "the part is too far on", limit="pixels", maximum=_MAX_PIXELS_ON_THE_WAY
                    )
                time = end if frame.pts is None else frame.pts * frame.time_base
                length = (frame.duration or 0) * frame.time_base or 1 / self.rate
                end = time + length
                yield _Shown(frame, time, end, self._is_damaged(frame, time))
        if not pixels:
            raise undecodable("video", self._fault or "there are no pictures in it")

    def _decoded(self, packet: Any) -> list[Any]:
        try:
            frames: list[Any] = packet.decode()
        except load("av").FFmpegError as fault:
            frames, self._fault = [], self._fault or fault
        else:
            if not packet.is_corrupt:
                return frames
        self.broken = True
        self._bad = Fraction(0) if packet.pts is None else packet.pts * packet.time_base
        return frames

    def _is_damaged(self, frame: Any, time: Fraction) -> bool:
        if frame.is_corrupt:
            self.broken, self._bad = True, time
        elif frame.key_frame and self._bad is not None and time > self._bad:
            self._bad = None
        return self._bad is not None
