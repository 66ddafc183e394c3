"""Recordings that the tests make: sounds and videos in which every moment is unlike all others."""

from __future__ import annotations

import io
import random
import struct
from functools import cache
from typing import Any

import pytest

RATE = 48000
PICTURES = 25


def av_module() -> Any:
    return pytest.importorskip("av", reason="needs the video extra")


@cache
def noise(seconds: int, channels: int = 2) -> bytes:
    """Noise of 16 bits, always the same."""
    source = random.Random(seconds)  # noqa: S311 - no secret
    count = seconds * RATE * channels
    return struct.pack(f"<{count}h", *(source.randrange(-9000, 9000) for _ in range(count)))


@cache
def sound(codec: str, kind: str, seconds: int = 8, rate: int = RATE, channels: int = 2) -> bytes:
    """A sound in the container `kind`."""
    av = av_module()
    target = io.BytesIO()
    with av.open(target, "w", format=kind) as out:
        stream = out.add_stream(codec, rate=rate)
        stream.layout = "stereo" if channels == 2 else "mono"
        write(out, stream, noise(seconds, channels), channels, rate)
    return target.getvalue()


def write(out: Any, stream: Any, samples: bytes, channels: int, rate: int) -> None:
    """Encode samples of 16 bits."""
    av = av_module()
    layout = "stereo" if channels == 2 else "mono"
    fitted = av.AudioResampler(stream.format.name, layout, rate, stream.frame_size or 1024)
    frame = av.AudioFrame("s16", layout, len(samples) // (2 * channels))
    frame.sample_rate, frame.pts = rate, 0
    frame.planes[0].update(samples.ljust(frame.planes[0].buffer_size, b"\0"))
    for each in [*fitted.resample(frame), *fitted.resample(None), None]:
        out.mux(stream.encode(each))


@cache
def video(
    codec: str = "ffv1", kind: str = "matroska", sound_codec: str | None = "pcm_s16le"
) -> bytes:
    """Eight seconds of video, a key picture every second, and its sound."""
    av = av_module()
    target = io.BytesIO()
    source = random.Random(3)  # noqa: S311 - no secret
    with av.open(target, "w", format=kind) as out:
        stream = out.add_stream(codec, rate=PICTURES, options={"g": str(PICTURES)})
        stream.width, stream.height = 64, 48
        stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
        track = None
        if sound_codec is not None:
            track = out.add_stream(sound_codec, rate=RATE)
            track.layout = "stereo"
        for number in range(8 * PICTURES):
            frame = av.VideoFrame(64, 48, stream.pix_fmt)
            for plane in frame.planes:
                plane.update(bytes([source.randrange(256)]) * plane.buffer_size)
            frame.pts = number
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
        if track is not None:
            write(out, track, noise(8), 2, RATE)
    return target.getvalue()


def spoilt(content: bytes, at: float, size: int) -> bytes:
    """The same with `size` octets of chance from the fraction `at` on."""
    start = int(len(content) * at)
    return content[:start] + random.Random(7).randbytes(size) + content[start + size :]  # noqa: S311 - no secret


def samples_of(content: bytes) -> bytes:
    """The samples of the sound in a file that holds it without loss."""
    with av_module().open(io.BytesIO(content)) as container:
        return b"".join(
            bytes(frame.planes[0])[: frame.samples * 2 * len(frame.layout.channels)]
            for frame in container.decode(audio=0)
        )


def pictures_of(content: bytes) -> list[tuple[float, bytes]]:
    """When each picture of a video is shown, and its samples."""
    with av_module().open(io.BytesIO(content)) as container:
        return [(frame.time, frame.to_ndarray().tobytes()) for frame in container.decode(video=0)]
