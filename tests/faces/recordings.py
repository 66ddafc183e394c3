"""A recording for the tests, made by PyAV: eight seconds, each of another grey and another tone."""

from __future__ import annotations

import io
from functools import cache

import numpy as np

__all__ = ["VTT", "recording"]

SECONDS = 8
_RATE = 48_000

VTT = """WEBVTT
Language: en

00:01.000 --> 00:03.000
<v Ann>Who was on the <b>pier</b>?

00:03.500 --> 00:06.000
<v Bob>Nobody &amp; nothing. <00:05.000>Only the fog.

00:06.500 --> 00:07.500
<v Ann>Thank you.
"""
"""What is said in it."""


@cache
def recording() -> bytes:
    """Return a WebM of VP8 and Opus, which Chromium plays."""
    import av

    kept = io.BytesIO()
    with av.open(kept, "w", format="webm") as file:
        video = file.add_stream("libvpx", rate=10)
        video.width, video.height, video.pix_fmt = 160, 90, "yuv420p"
        audio = file.add_stream("libopus", rate=_RATE, layout="mono")
        for number in range(SECONDS * 10):
            grey = np.full((90, 160, 3), 25 * (number // 10) + 20, np.uint8)
            file.mux(video.encode(av.VideoFrame.from_ndarray(grey, format="rgb24")))
        file.mux(video.encode(None))
        times = np.arange(SECONDS * _RATE) / _RATE
        tone = np.sin(2 * np.pi * (220 + 55 * np.floor(times)) * times) * 8000
        for start in range(0, len(tone), 960):
            samples = tone[start : start + 960].astype(np.int16).reshape(1, -1)
            frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
            frame.sample_rate, frame.pts = _RATE, start
            file.mux(audio.encode(frame))
        file.mux(audio.encode(None))
    return kept.getvalue()
