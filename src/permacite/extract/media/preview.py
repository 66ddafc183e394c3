"""Previews of parts of sound and video that any browser plays: WebM, VP8 and Opus.

A preview is derived: smaller, with loss, and never what is cited. Its digest is that of the part.
GPL encoders are not used.
"""

from __future__ import annotations

import io
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from permacite.errors import NotFoundError
from permacite.extract.media.decoders import load, opened

if TYPE_CHECKING:
    from permacite.extract.text import Excerpt

__all__ = ["preview_of"]


_SIDE = 640
"""Pixels of the longer side, at most."""
_KINDS = {"audio/wav": ("sound", "audio/webm"), "video/matroska": ("video", "video/webm")}
_PICTURES = {"deadline": "realtime", "cpu-used": "5", "crf": "24", "b": "1M"}
_RATE, _BLOCK = 48_000, 960
_SURROUND = 2


def preview_of(excerpt: Excerpt) -> Excerpt:
    """The preview of a part. Raises NotFoundError where there is none: browsers show the rest."""
    if excerpt.media_type not in _KINDS:
        name = excerpt.media_type
        raise NotFoundError("there are previews of parts of sound and video alone", name)
    what, media_type = _KINDS[excerpt.media_type]
    target = io.BytesIO()
    options = {"fflags": "+bitexact"}
    with (
        opened(excerpt.data, what) as container,
        load("av").open(target, "w", format="webm", options=options) as out,
    ):
        _convert(container, out)
    return replace(excerpt, data=target.getvalue(), media_type=media_type, derived=True)


def _convert(container: Any, out: Any) -> None:
    tracks: dict[int, Any] = {}
    for stream in container.streams:
        track = _Pictures if stream.type == "video" else _Sound
        tracks[stream.index] = track(out, stream)
    for packet in container.demux():
        for frame in packet.decode():
            tracks[packet.stream.index].add(frame)
    for each in tracks.values():
        each.end()


class _Pictures:
    """The pictures, small."""

    def __init__(self, out: Any, stream: Any) -> None:
        codec = stream.codec_context
        shrunk = min(1.0, _SIDE / max(codec.width, codec.height))
        self._out = out
        self._track = out.add_stream("libvpx", rate=stream.average_rate or 25, options=_PICTURES)
        self._track.width = max(1, round(codec.width * shrunk))
        self._track.height = max(1, round(codec.height * shrunk))
        self._track.pix_fmt = "yuv420p"
        self._track.codec_context.thread_count = 1
        self._track.codec_context.time_base = Fraction(1, 1000)

    def add(self, frame: Any) -> None:
        shown = frame.reformat(self._track.width, self._track.height, "yuv420p")
        shown.pts, shown.time_base = frame.pts, frame.time_base
        self._out.mux(self._track.encode(shown))

    def end(self) -> None:
        self._out.mux(self._track.encode(None))


class _Sound:
    """The sound, in one channel or two."""

    def __init__(self, out: Any, stream: Any) -> None:
        several = stream.codec_context.channels >= _SURROUND
        places = "stereo" if several else "mono"
        self._out = out
        self._track = out.add_stream("libopus", rate=_RATE)
        self._track.layout = places
        self._fitted = load("av").AudioResampler("s16", places, _RATE, _BLOCK)

    def add(self, frame: Any | None) -> None:
        for each in self._fitted.resample(frame):
            self._out.mux(self._track.encode(each))

    def end(self) -> None:
        self.add(None)
        self._out.mux(self._track.encode(None))
