"""Write pictures and the sound that goes with them, without loss: FFV1 and PCM in Matroska."""

from __future__ import annotations

import hashlib
import io
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from permacite.errors import LimitError
from permacite.extract.media.decoders import MAX_FRAMES, MAX_OUTPUT_PIXELS, admit, load, undecodable
from permacite.extract.media.wave_file import LAYOUTS
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.extract.media.pictures.image import Area
    from permacite.extract.media.sound import Part

__all__ = ["Film"]

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
        self, found: Area | None, rate: Fraction, zero: Fraction, part: Part | None
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

    def __init__(self, part: Part) -> None:
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


def _graph(av: Any, frame: Any, found: Area | None) -> Any:
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
