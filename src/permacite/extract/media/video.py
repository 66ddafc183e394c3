"""Cut time, area and stills out of video (PDI §3.4.4, §3.4.5 Video).

The frames of a part are those with start <= time < end, an area is in the picture as displayed.
What is cut is encoded without loss: FFV1 in Matroska, in the sampling of the source where the area
allows it, else with as many colour samples as pixels. Sound is not taken along.
"""

from __future__ import annotations

import hashlib
import io
from fractions import Fraction
from itertools import pairwise
from typing import Any

from permacite.errors import LimitError
from permacite.extract.excerpt import Excerpt, nothing
from permacite.extract.media.decoders import (
    MAX_FRAMES,
    MAX_OUTPUT_PIXELS,
    Interval,
    Octets,
    admit,
    load,
    opened,
    undecodable,
)
from permacite.extract.media.image import Area, area
from permacite.scan import compile_pattern

Corners = tuple[int, int, int, int]

__all__ = ["Corners", "clip", "still"]

_TURNS = {90: ("transpose", "cclock"), -90: ("transpose", "clock"), 180: ("rotate", "PI")}
_TURNS |= {-180: _TURNS[180], 270: _TURNS[-90], -270: _TURNS[90]}
_RATE = Fraction(25)
_OCTETS_OF_A_PIXEL, _FRAMES_AT_ONCE = 3, 32
"""What decoding keeps: frames that others refer to, and those under way in several threads."""
_SHALLOW = 8
_SUBSAMPLED = compile_pattern(r"^yuvj?4[0-9]{2}p")
_MAX_PIXELS_ON_THE_WAY = 50_000_000_000


def still(data: Octets, first: tuple[int, int], second: tuple[int, int], number: int) -> Excerpt:
    """Return an area of frame `number`, counted from 0."""
    if number > MAX_FRAMES:
        raise LimitError("the frame is too far on", limit="frames", maximum=MAX_FRAMES)

    with opened(data, "video") as container:
        stream = _stream(container)
        for index, frame in enumerate(_frames(container, stream)):
            if index == number:
                found = area(first, second, _shown(frame))
                return _encode([frame], found, stream, clipped=found.clipped)
        return nothing(str(number), f"the video has {stream.frames or 'fewer'} frames")


def clip(data: Octets, time: Interval, corners: Corners | None) -> Excerpt:
    """Return the frames of an interval, of them an area where `corners` says one (x, y, x, y)."""
    with opened(data, "video") as container:
        stream = _stream(container)
        chosen, end = _chosen(container, stream, time)
        if not chosen:
            nothing(str(time), f"the video lasts {float(end):.3f} seconds")
        found = area(corners[:2], corners[2:], _shown(chosen[0])) if corners else None
        late = end * time.per_second < time.end
        return _encode(chosen, found, stream, clipped=late or (found is not None and found.clipped))


def _chosen(container: Any, stream: Any, time: Interval) -> tuple[list[Any], Fraction]:
    """Return the frames of an interval, and where the last of those read ends."""
    chosen: list[Any] = []
    origin = end = Fraction(0)
    for index, frame in enumerate(_frames(container, stream)):
        at = Fraction(frame.pts or 0) * frame.time_base
        origin = at if index == 0 else origin
        end = at - origin + Fraction(frame.duration or 0) * frame.time_base
        if time.holds(at - origin):
            chosen.append(frame)
            _check_size(frame, len(chosen))
            if len(chosen) % _FRAMES_AT_ONCE == 0:
                admit(frame.width * frame.height * _OCTETS_OF_A_PIXEL * _FRAMES_AT_ONCE)
        elif (at - origin) * time.per_second >= time.end:
            return chosen, Fraction(time.end)
    return chosen, end


def _stream(container: Any) -> Any:
    if not container.streams.video:
        raise undecodable("video", "there are no pictures in it")
    stream = container.streams.video[0]
    size = stream.codec_context
    admit(size.width * size.height * _OCTETS_OF_A_PIXEL * _FRAMES_AT_ONCE)
    return stream


def _frames(container: Any, stream: Any) -> Any:
    """Decode from the start, within limits."""
    pixels = 0
    for frame in container.decode(stream):
        pixels += frame.width * frame.height
        if pixels > _MAX_PIXELS_ON_THE_WAY:
            raise LimitError(
                "the part is too far on", limit="pixels", maximum=_MAX_PIXELS_ON_THE_WAY
            )
        yield frame


def _check_size(frame: Any, count: int) -> None:
    if count > MAX_FRAMES or count * frame.width * frame.height > 8 * MAX_OUTPUT_PIXELS:
        raise LimitError(
            "the part has too many frames", limit="pixels", maximum=8 * MAX_OUTPUT_PIXELS
        )


def _shown(frame: Any) -> tuple[int, int]:
    """Return the size of the displayed picture."""
    if frame.rotation in {90, -90, 270, -270}:
        return frame.height, frame.width
    return frame.width, frame.height


def _encode(frames: list[Any], found: Area | None, stream: Any, *, clipped: bool) -> Excerpt:
    av = load("av")
    graph = _graph(av, frames[0], found)
    target = io.BytesIO()
    digest = hashlib.sha256()
    layout = ""
    with av.open(target, "w", format="matroska", options={"fflags": "+bitexact"}) as out:
        encoder = None
        for number, frame in enumerate(frames):
            graph.push(frame)
            cut = graph.pull()
            if encoder is None:
                encoder = out.add_stream("ffv1", rate=stream.average_rate or _RATE)
                encoder.width, encoder.height = cut.width, cut.height
                encoder.pix_fmt = layout = cut.format.name
                encoder.time_base = cut.time_base
            _update(digest, cut)
            cut.pts = number if cut.pts is None else cut.pts - (frames[0].pts or 0)
            out.mux(encoder.encode(cut))
        if encoder is not None:
            out.mux(encoder.encode(None))
    name = f"{layout}:{digest.hexdigest()}"
    return Excerpt(target.getvalue(), "video/matroska", None, None, clipped, name)


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
    name: str = frame.format.name
    planes = frame.planes
    odd = len(planes) > 1 and (
        (left % 2 and planes[1].width < frame.width)
        or (top % 2 and planes[1].height < frame.height)
    )
    if odd:
        name = _SUBSAMPLED.sub("yuv444p", name)
    known = {each.name for each in av.Codec("ffv1", "w").video_formats}
    return name if name in known and not (odd and name == frame.format.name) else "yuv444p"


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
