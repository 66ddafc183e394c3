"""Extraction of time, area and stills from video (PDI §3.4.4, §3.4.5 Video).

The pictures of a part are those with start <= time < end, an area is in the picture as displayed.
Time 0 is the first picture. The sound of a part is that of the same time: sample n belongs if start
<= time of n < end, by the time stamps of the container. `Film` writes both without loss (FFV1 and
PCM in Matroska), in the sampling of the source where the area allows it, else with as many colour
samples as pixels.

What is before the last key picture that owes nothing to others need not be decoded (`timeline`). A
part in which something is damaged is decoded again from the start, picture after picture, so that
it is always the same. What is damaged lasts until the next key picture.


"""

from __future__ import annotations

import hashlib
import io
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.errors import LimitError, NotFoundError, PermaciteError
from permacite.extract.media import sound
from permacite.extract.media.decoders import (
    MAX_FRAMES,
    MAX_OUTPUT_PIXELS,
    Interval,
    Octets,
    admit,
    check_read,
    load,
    opened,
    undecodable,
)
from permacite.extract.media.picture import area
from permacite.extract.media.timeline import LAYOUTS, from_key_picture, packets
from permacite.extract.text import Excerpt, nothing
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permacite.extract.media.picture import PixelArea
    from permacite.extract.media.sound import SoundPart

__all__ = ["Corners", "Film", "clip", "still"]


_TURNS = {90: ("transpose", "cclock"), -90: ("transpose", "clock"), 180: ("rotate", "PI")}
_TURNS |= {-180: _TURNS[180], 270: _TURNS[-90], -270: _TURNS[90]}
_SHALLOW = 8
_FULL = "yuvj"
"""How the names of layouts begin whose samples use the full range."""
_SUBSAMPLED = compile_pattern(r"^yuvj?4[0-9]{2}p")
_PLACES = ("mono", "stereo", "2.1", "4.0", "5.0", "5.1", "6.1", "7.1")
_FULL_RANGE = 2
_TICK = Fraction(1, 90_000)
_ASKED_AT_ONCE = 32 << 20
_BLOCK = 4096
"""Samples of sound that are written together."""


class Film:
    """Pictures, encoded as they come in, and samples, put between them by their times.

    `found`: the area that is cut out of each. `zero`: the time of the first picture where there is
    no sound, else that at which the part begins; all times are counted from there.
    """

    def __init__(
        self, found: PixelArea | None, rate: Fraction, zero: Fraction, part: SoundPart | None
    ) -> None:
        """`rate`: pictures a second, as told. Nothing is written before the first picture."""
        self._found, self._rate, self._zero = found, rate, zero
        self._target = io.BytesIO()
        self._pixels = hashlib.sha256()
        self._asked = self._frames = 0
        self._layout = ""
        self._graph: Any = None
        self._out: Any = None
        self._encoder: Any = None
        self._part = part
        self._track = _Track(part) if part is not None else None

    def add(self, frame: Any, time: Fraction) -> bool:
        """Add a picture that is shown at `time`. False where it is not like those before."""
        shape = (frame.width, frame.height, frame.format.name, frame.rotation)
        if self._graph is None:
            self._shape = shape
            self._graph = _graph(load("av"), frame, self._found)
        elif shape != self._shape:
            return False
        self._check_size(frame)
        self._graph.push(frame)
        cut = self._graph.pull()
        if self._encoder is None:
            self._begin(cut)
        _update(self._pixels, cut)
        cut.time_base, cut.pts = _TICK, round((time - self._zero) / _TICK)
        if self._track is not None:
            self._track.write(self._out, time)
        self._out.mux(self._encoder.encode(cut))
        return True

    def end(self) -> tuple[bytes, str]:
        """The file, and the digest of its pictures and its sound.

        Raises DecodingError where no picture was added.
        """
        if self._out is None:
            raise undecodable("video", "no picture of the part is whole")
        self._out.mux(self._encoder.encode(None))
        if self._track is not None:
            self._track.write(self._out, None)
        self._out.close()
        digest = f"{self._layout}:{self._pixels.hexdigest()}"
        if self._part is not None:
            digest += f"+{self._part.digest}"
        return self._target.getvalue(), digest

    def _begin(self, cut: Any) -> None:
        options = {"fflags": "+bitexact"}
        self._out = load("av").open(self._target, "w", format="matroska", options=options)
        encoder = self._out.add_stream("ffv1", rate=self._rate)
        encoder.width, encoder.height = cut.width, cut.height
        encoder.pix_fmt = self._layout = cut.format.name
        encoder.codec_context.time_base = _TICK
        if self._shape[2].startswith(_FULL):
            encoder.codec_context.color_range = _FULL_RANGE
        encoder.codec_context.thread_count = 1  # each thread keeps pictures
        self._encoder = encoder
        if self._track is not None:
            self._track.begin(self._out, self._zero)

    def _check_size(self, frame: Any) -> None:
        """Refuse a part that is too long, and ask for the memory that it takes."""
        self._frames += 1
        pixels = self._frames * frame.width * frame.height
        if self._frames > MAX_FRAMES or pixels > 8 * MAX_OUTPUT_PIXELS:
            raise LimitError(
                "the part has too many frames", limit="pixels", maximum=8 * MAX_OUTPUT_PIXELS
            )
        if self._target.tell() > self._asked:
            admit(2 * _ASKED_AT_ONCE)  # the file, and the copy that is handed on
            self._asked += _ASKED_AT_ONCE


class _Track:
    """The samples of a part, written a block at a time."""

    def __init__(self, part: SoundPart) -> None:
        assert part.form is not None  # noqa: S101 - there are samples
        self._form, self._samples, self._since = part.form, part.samples, part.since
        self._written = 0
        self._offset = 0
        self._encoder: Any = None

    def begin(self, out: Any, zero: Fraction) -> None:
        """Add the track to a file."""
        form = self._form
        encoder = out.add_stream(f"pcm_{LAYOUTS[form.layout][0]}", rate=form.rate)
        encoder.layout = _places(form.channels)
        encoder.format = form.layout
        encoder.time_base = Fraction(1, form.rate)
        self._encoder = encoder
        self._offset = round((self._since - zero) * form.rate)

    def write(self, out: Any, until: Fraction | None) -> None:
        """Write all samples before a time; None for all that are left."""
        form = self._form
        while self._written < len(self._samples):
            at = self._written // form.size
            if until is not None and self._since + Fraction(at, form.rate) >= until:
                return
            octets = bytes(self._samples[self._written : self._written + _BLOCK * form.size])
            count = len(octets) // form.size
            block = load("av").AudioFrame(form.layout, _places(form.channels), count)
            block.sample_rate = form.rate
            plane = block.planes[0]
            plane.update(octets.ljust(plane.buffer_size, b"\0"))
            block.time_base = Fraction(1, form.rate)
            block.pts = self._offset + at
            out.mux(self._encoder.encode(block))
            self._written += len(octets)


def _places(channels: int) -> str:
    """Where so many channels are, as far as anybody says."""
    return _PLACES[channels - 1] if channels <= len(_PLACES) else f"{channels} channels"


def _graph(av: Any, frame: Any, found: PixelArea | None) -> Any:
    """Build the filter that turns the picture as displayed and cuts the area out of it."""
    graph = av.filter.Graph()
    nodes = [
        graph.add_buffer(
            width=frame.width,
            height=frame.height,
            format=frame.format.name,
            time_base=frame.time_base,
        )
    ]
    if frame.rotation in _TURNS:
        nodes.append(graph.add(*_TURNS[frame.rotation]))
    box = (0, 0, 0, 0) if found is None else found.box
    kept = _layout(av, frame, box[0], box[1])
    if frame.format.name.startswith(_FULL):  # the same samples under another name
        nodes.append(graph.add("scale", "in_range=full:out_range=full"))
    if kept != frame.format.name:
        nodes.append(graph.add("format", kept))
    if found is not None:
        left, top, right, bottom = box
        nodes.append(graph.add("crop", f"{right - left}:{bottom - top}:{left}:{top}:exact=1"))
    nodes.append(graph.add("buffersink"))
    for one, next_ in pairwise(nodes):
        one.link_to(next_)
    graph.configure()
    return graph


def _layout(av: Any, frame: Any, left: int, top: int) -> str:
    """Return the layout to cut in: one with a colour for each pixel where the edges need it."""
    name: str = frame.format.name.replace(_FULL, "yuv")
    planes = frame.planes
    odd = len(planes) > 1 and (
        (left % 2 and planes[1].width < frame.width)
        or (top % 2 and planes[1].height < frame.height)
    )
    whole = name
    if odd:
        name = _SUBSAMPLED.sub("yuv444p", name)
    known = {each.name for each in av.Codec("ffv1", "w").video_formats}
    return name if name in known and not (odd and name == whole) else "yuv444p"


def _update(digest: Any, frame: Any) -> None:
    """Add the samples of each plane, without the padding of its rows."""
    for number, plane in enumerate(frame.planes):
        component = frame.format.components[number]
        octets = bytes(plane)
        width = plane.width * (2 if component.bits > _SHALLOW else 1)
        if len(frame.planes) == 1:  # the samples of a pixel stand side by side
            width = plane.width * frame.format.padded_bits_per_pixel // 8
        for row in range(plane.height):
            digest.update(octets[row * plane.line_size : row * plane.line_size + width])


Corners = tuple[int, int, int, int]

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
    part: sound.SoundPart | None,
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


def _sound(data: Octets, time: Interval, zero: Fraction) -> tuple[sound.SoundPart | None, bool]:
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


class _ShownFrame(NamedTuple):
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

    def pictures(self, start: Fraction | None = None) -> Iterator[_ShownFrame]:
        """All pictures; from about the time stamp `start` on, where that gives the same.

        Raises PermaciteError where there is none, LimitError where there are too many.
        """
        pixels, end = 0, Fraction(0)
        source = packets(self._container, self.stream)
        if start is not None and not self._careful:
            source = from_key_picture(source, self.stream, start)
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
                yield _ShownFrame(frame, time, end, self._is_damaged(frame, time))
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
