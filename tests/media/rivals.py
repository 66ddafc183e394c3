"""The same parts by other programs: ImageMagick for pictures, ffmpeg and sox for sound and video.

What permacite cut is read by the other program too, and compared with what that program makes of
the whole document. A difference is of one sample, of 255 or of 65,535.
"""

from __future__ import annotations

import json
import re
import struct
import subprocess
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from tests.media.formats import FORMATS, FRAMES_PER_SECOND, content_of
from tests.needs import find

from permacite.extract import extract

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.media.formats import Format

__all__ = ["PROGRAMS", "Compared", "comparisons", "lacking", "rivals_of"]

PROGRAMS = ("ImageMagick", "ffmpeg", "sox")

_BOX = (18, 15, 3, 2)
"""Width, height, left and top of the rectangle that the list of formats asks for."""
_ANIMATED = {"picture-gif-animation", "picture-webp-animation"}
_READ_BY_SOX = {
    "wav": "wav", "wav-8": "wav", "wav-24": "wav", "wav-32": "wav", "wav-a-law": "wav",
    "wav-mu-law": "wav", "wav-adpcm_ima_wav": "wav", "w64": "w64", "aiff": "aiff", "au": "au",
    "caf": "caf", "voc": "voc", "flac": "flac", "wavpack": "wv", "ogg-vorbis": "ogg",
    "gsm": "gsm", "amrwb": "amr-wb",
}  # fmt: skip
_BY_LIBRARY = {"vorbis": ["-c:a", "libvorbis"]}
"""What Debian's ffmpeg, of 2022, decodes otherwise than libvorbis and newer ffmpegs do."""
_DELAYS = {
    "sound-caf-libmp3lame": 1105, "sound-matroska-aac": 1024, "sound-matroska-ac3": 256,
    "sound-matroska-eac3": 256, "sound-matroska-libmp3lame": 1105, "sound-matroska-mp2": 481,
}  # fmt: skip
"""Samples that an encoder put before the sound, as these files say (`CodecDelay` of Matroska, RFC
9559 §5.1.4.1.25; `mPrimingFrames` of CAF): Debian's ffmpeg gives them out."""
_BY_FFMPEG = {"picture-apng", "picture-avif", "picture-avif-lossless"}
"""Pictures that Debian's ImageMagick has no frames of, or other colours than all others."""
_LACK_THE_LAST = {
    f"video-{name}" for name in ("mpeg-mpeg1", "mpeg-mpeg2video", "mpegvideo", "mpegvideo-2")
}
"""Of these Debian's ffmpeg does not give the last picture."""
_PREFIX = {"picture-ico": "ico:", "picture-ico-bmp": "ico:"}
_OPAQUE = {"picture-bmp-rgba"}
"""Whose fourth octet of a pixel is none of alpha, though ImageMagick takes it for that."""
_DIGITS = re.compile(r"[0-9]+")
_RAW = {"u8": "u8", "s16": "s16le", "s32": "s32le", "flt": "f32le", "dbl": "f64le"}


@dataclass(frozen=True, slots=True)
class Compared:
    """A part against another program's: how many samples there are, and the largest difference.

    `largest` is None where the two are not of one size, or pictures not of the same times.
    """

    name: str
    program: str
    count: int
    largest: float | None


def lacking() -> list[str]:
    """Return the programs that are not here."""
    return [name for name in PROGRAMS if find(name) is None]


def rivals_of(one: Format) -> list[str]:
    """Return the programs that read a format."""
    if one.kind == "image":
        return ["ffmpeg" if one.name in _BY_FFMPEG else "ImageMagick"]
    programs = ["ffmpeg"]
    if one.kind == "audio" and one.name.removeprefix("sound-") in _READ_BY_SOX:
        programs.append("sox")
    return programs


def comparisons(folder: Path) -> Iterator[Compared]:
    """Compare every format with every program that reads it."""
    for one in FORMATS:
        for program in rivals_of(one):
            yield compared(one, program, folder)


def compared(one: Format, program: str, folder: Path) -> Compared:
    """Compare one format with one program."""
    document, part = folder / one.name, folder / f"{one.name}.part"
    document.write_bytes(content_of(one))
    part.write_bytes(extract(content_of(one), one.media_type, one.fragment).data)
    if one.kind == "image":
        return _picture(one, program, document, part)
    return (
        _sound(one, program, document, part) if one.kind == "audio" else _video(one, document, part)
    )


def _run(*command: str) -> bytes:
    return subprocess.run(command, capture_output=True, check=True).stdout


def _ffmpeg(path: Path, *options: str, by: list[str] | None = None) -> bytes:
    """Return what it makes of a file, by decoders that are chosen for it."""
    chosen = by or []
    return _run("ffmpeg", "-v", "error", "-bitexact", *chosen, "-i", str(path), *options, "-")


def _decoder(name: str) -> list[str]:
    return next((options for codec, options in _BY_LIBRARY.items() if codec in name), [])


def _largest(one: Format, program: str, ours: bytes, theirs: bytes, code: str) -> Compared:
    size = struct.calcsize(code)
    count = len(ours) // size
    if len(ours) != len(theirs):
        return Compared(one.name, program, count, None)
    pairs = zip(
        struct.unpack(f"<{count}{code}", ours),
        struct.unpack(f"<{count}{code}", theirs),
        strict=True,
    )
    return Compared(one.name, program, count, max((abs(a - b) for a, b in pairs), default=0))


# ---------------------------------------------------------------- pictures


def _picture(one: Format, program: str, document: Path, part: Path) -> Compared:
    number = 2 if one.fragment.endswith(",2") else 0
    if program == "ffmpeg":
        width, height, left, top = _BOX
        crop = f"select=eq(n\\,{number}),format=rgba,crop={width}:{height}:{left}:{top}"
        theirs = _ffmpeg(document, "-vf", crop, "-frames:v", "1", "-f", "rawvideo")
        ours = _ffmpeg(part, "-pix_fmt", "rgba", "-f", "rawvideo")
        return _largest(one, program, ours, theirs, "B")
    whole = ["-coalesce"] if one.name in _ANIMATED else []
    left, top, right, bottom = map(int, _DIGITS.findall(one.fragment)[:4])
    box = f"{right - left}x{bottom - top}+{left}+{top}"
    raw = ["-alpha", "off"] if one.name in _OPAQUE else []
    raw += ["-depth", "16", "-endian", "LSB", "rgba:-"]
    pages = _run(
        "convert", f"{_PREFIX.get(one.name, '')}{document}", *whole, "-crop", box, "+repage", *raw
    )
    ours = _run("convert", str(part), *raw)
    theirs = pages[number * len(ours) :][: len(ours)]
    found = _largest(one, program, _seen(ours), _seen(theirs), "H")
    largest = None if found.largest is None else found.largest / 257
    return Compared(one.name, program, found.count, largest)


def _seen(pixels: bytes) -> bytes:
    """Return the pixels with the colours zeroed where nothing is seen."""
    return b"".join(
        bytes(8) if pixels[at + 6 : at + 8] == b"\0\0" else pixels[at : at + 8]
        for at in range(0, len(pixels), 8)
    )


# ---------------------------------------------------------------- sound


def _sound(one: Format, program: str, document: Path, part: Path) -> Compared:
    layout = _probed(part, "stream=sample_fmt,sample_rate,channels")["streams"][0]
    kind, rate, channels = layout["sample_fmt"], int(layout["sample_rate"]), int(layout["channels"])
    code = {"u8": "B", "s16": "h", "s32": "i", "flt": "f", "dbl": "d"}[kind]
    size = struct.calcsize(code) * channels
    ours = _ffmpeg(part, "-f", _RAW[kind])
    if program == "sox":
        sort = _READ_BY_SOX[one.name.removeprefix("sound-")]
        sign = "unsigned-integer" if kind == "u8" else "signed-integer"
        form = ["-t", "raw", "-L", "-e", sign, "-b", str(8 * struct.calcsize(code)), "-"]
        whole = _run("sox", "-D", "-t", sort, str(document), *form)
    else:
        whole = _ffmpeg(document, "-map", "0:a:0", "-f", _RAW[kind], by=_decoder(one.name))
        whole = whole[_DELAYS.get(one.name, 0) * size :]
    first, last = (int(word) for word in one.fragment.removeprefix("msec=").split(","))
    start, end = (-(-moment * rate // 1000) * size for moment in (first, last))
    return _largest(one, program, ours, whole[start:end], code)


def _probed(path: Path, entries: str) -> dict[str, list[dict[str, str]]]:
    words = ["ffprobe", "-v", "error", "-of", "json", "-show_entries", entries, str(path)]
    found: dict[str, list[dict[str, str]]] = json.loads(_run(*words))
    return found


# ---------------------------------------------------------------- video


def _video(one: Format, document: Path, part: Path) -> Compared:
    """Compare the pictures of the time, and their times from the first on."""
    layout = _layout(part)
    raw = ["-map", "0:v:0", "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt"]
    ours = _ffmpeg(part, *raw, layout)
    # The samples of JPEG have the full range, which ffmpeg would change with the name.
    full = _layout(document).startswith("yuvj")
    theirs = _ffmpeg(document, *raw, layout.replace("yuv4", "yuvj4") if full else layout)
    size = len(ours) // len(_times(part))
    times, ours_times = _times(document), _times(part)
    if not times:  # a raw stream has none: its pictures have those of its rate
        times = [Fraction(number, FRAMES_PER_SECOND) for number in range(len(theirs) // size)]
    first, last = (Fraction(int(w), 1000) for w in one.fragment.removeprefix("msec=").split(","))
    chosen = [at for at, time in enumerate(times) if first <= time < last]
    cut = b"".join(theirs[at * size : (at + 1) * size] for at in chosen)
    if one.name in _LACK_THE_LAST:
        ours, ours_times = ours[: len(cut)], ours_times[: len(chosen)]
    shifted = [times[at] - times[chosen[0]] for at in chosen]
    same = len(shifted) == len(ours_times) and all(
        abs(a - b) <= Fraction(1, 900) for a, b in zip(shifted, ours_times, strict=True)
    )
    found = _largest(one, "ffmpeg", ours, cut, "H" if "10le" in layout else "B")
    return found if same else Compared(one.name, "ffmpeg", len(ours), None)


def _layout(path: Path) -> str:
    return _probed(path, "stream=pix_fmt")["streams"][0]["pix_fmt"]


def _times(path: Path) -> list[Fraction]:
    """Return the times of the pictures, from the first on."""
    frames = _probed(path, "frame=best_effort_timestamp_time,media_type")["frames"]
    times = [
        Fraction(frame["best_effort_timestamp_time"])
        for frame in frames
        if frame["media_type"] == "video" and "best_effort_timestamp_time" in frame
    ]
    return [time - times[0] for time in times]
