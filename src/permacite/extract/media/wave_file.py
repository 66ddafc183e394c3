"""WAV files: the samples of a sound as they are (RIFF, WAVE_FORMAT_PCM and IEEE_FLOAT)."""

from __future__ import annotations

import struct

from permacite.extract.media.decoders import undecodable

__all__ = ["LAYOUTS", "wave_file"]

LAYOUTS = {
    "u8": ("u8", 8, 1),
    "s16": ("s16le", 16, 1),
    "s32": ("s32le", 32, 1),
    "flt": ("f32le", 32, 3),
    "dbl": ("f64le", 64, 3),
}
"""The decoder's name of a sample format to ours, bits a sample, and the tag that WAV has for it."""

_MOST_OF_16_BITS, _MOST_OF_32_BITS = (1 << 16) - 1, (1 << 32) - 1


def wave_file(samples: bytes, layout: str, rate: int, channels: int) -> bytes:
    """Return interleaved little-endian samples as a file. `layout` is a key of LAYOUTS.

    Raises DecodingError for more channels or samples a second than a header has room for.
    """
    _, bits, tag = LAYOUTS[layout]
    frame = channels * bits // 8
    if frame > _MOST_OF_16_BITS or rate * frame > _MOST_OF_32_BITS:
        raise undecodable("sound", f"no WAV holds {rate} samples a second of {channels} channels")
    form = struct.pack("<HHIIHH", tag, channels, rate, rate * frame, frame, bits)
    padded = samples + b"\0" * (len(samples) % 2)
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form
    body += b"data" + struct.pack("<I", len(samples)) + padded
    return b"RIFF" + struct.pack("<I", len(body)) + body
