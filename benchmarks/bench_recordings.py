"""Cut parts out of recordings, beside ffmpeg and sox: processor time of whole commands.

Alone: python benchmarks/bench_recordings.py
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

TITLE = "Recordings: parts of sound and video"
RIVALS = ["av"]
ROUNDS = 3

OURS = """
import mmap, sys, time
from permacite.extract import extract
from permacite.extract.media.seeking import SEEKING, Seeking
path, media_type, fragment, first = sys.argv[1:]
with open(path, "rb") as file:
    data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
extract(data, media_type, "msec=0,100")  # the libraries are loaded: a worker is warm
SEEKING.set(known := Seeking())
if first:
    extract(data, media_type, first)
    known.known = known.made
start = time.process_time()
extract(data, media_type, fragment)
print(time.process_time() - start)
"""
"""One cut as a warm worker makes it; `first`: a cut before it, which makes an index."""


def _files(folder: Path) -> dict[str, Path]:
    """Make the recordings with ffmpeg: an hour of sound, five minutes of video."""
    tones = "aevalsrc=sin(440*t*t)/2+random(0)/8|sin(330*t*t)/2+random(1)/8:s=44100:d=120"
    picture = "testsrc2=s=640x360:r=25:d=60"
    made = {name: folder / name for name in ("hour.mp3", "hour.flac", "h264.mp4", "mpeg4.mp4")}
    for name, codec in (("hour.mp3", "libmp3lame"), ("hour.flac", "flac")):
        short = folder / f"short-{name}"
        _ffmpeg("-f", "lavfi", "-i", tones, "-c:a", codec, str(short))
        copied = ["-c", "copy"] if codec == "libmp3lame" else []
        _ffmpeg("-stream_loop", "29", "-i", str(short), *copied, str(made[name]))
    for name, codec in (("h264.mp4", "libx264"), ("mpeg4.mp4", "mpeg4")):
        short = folder / f"short-{name}"
        sources = ["-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", tones, "-shortest"]
        _ffmpeg(*sources, "-c:v", codec, "-c:a", "aac", str(short))
        _ffmpeg("-stream_loop", "4", "-i", str(short), "-c", "copy", str(made[name]))
    return made


def _ffmpeg(*words: str) -> None:
    subprocess.run([_program("ffmpeg"), "-v", "error", "-y", *words], check=True)


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        sys.exit(f"{name} is not installed")
    return found


def _theirs(*command: str) -> float:
    """User and system time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _ours(path: Path, media_type: str, fragment: str, first: str = "") -> float:
    command = [sys.executable, "-c", OURS, str(path), media_type, fragment, first]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _row(what: str, path: Path, media_type: str, start: int, *, first: str = "") -> str:
    """One row of the table: rounds of each contestant in turn."""
    out = str(path.with_suffix(".out.mkv"))
    codecs = ["-c:v", "ffv1", "-c:a", "pcm_s16le"]
    cut = ["-v", "error", "-y", "-i", str(path), "-ss", str(start), "-t", "5", *codecs, out]
    contestants: dict[str, list[float]] = {"ours": [], "ffmpeg": [], "sox": []}
    for _ in range(ROUNDS):
        contestants["ours"].append(_ours(path, media_type, f"sec={start},{start + 5}", first))
        contestants["ffmpeg"].append(_theirs(_program("ffmpeg"), *cut))
        if path.suffix == ".flac":
            wav = str(path.with_suffix(".wav"))
            words = [str(path), wav, "trim", str(start), "5"]
            contestants["sox"].append(_theirs(_program("sox"), *words))
    ours, ffmpeg = (statistics.median(contestants[name]) for name in ("ours", "ffmpeg"))
    sox = f"{statistics.median(contestants['sox']):.2f} s" if contestants["sox"] else ""
    return f"| {what} | {ours:.3f} s | {ffmpeg:.2f} s | {sox} | {ours / ffmpeg:.3f} |"


def recordings() -> str:
    """Five seconds near the end, exactly."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        files = _files(Path(folder))
        rows = [
            "| five seconds near the end of | permacite | ffmpeg | sox | permacite / ffmpeg |",
            "|---|---|---|---|---|",
        ]
        for name in ("hour.mp3", "hour.flac"):
            what = f"an hour of {name[5:].upper()}"
            for which, first in (("the first time", ""), ("indexed", "sec=3599,3600")):
                row = _row(f"{what}, {which}", files[name], "audio/mpeg", 3590, first=first)
                rows.append(row)
        told = "five minutes of MP4"
        rows.append(_row(f"{told}, H.264", files["h264.mp4"], "video/mp4", 290))
        rows.append(_row(f"{told}, MPEG-4", files["mpeg4.mp4"], "video/mp4", 290))
        return "\n".join(rows)


def measure() -> str:
    """Return the section for the results."""
    return f"""\
Processor time, medians of {ROUNDS} rounds in turn, under load: the machine had other work.
`ffmpeg` cuts exactly (`-i FILE -ss START`, so that all before is decoded), into FFV1 and PCM: a
whole command, whose start is some hundredths of a second. Ours is a cut in a process in which the
libraries are loaded, as in a worker; an index is made by an earlier cut of the same recording. sox
seeks by what FLAC says of itself. MPEG-4 does not say which key pictures owe nothing to others, so
all is decoded.

{recordings()}
"""


if __name__ == "__main__":
    print(measure())
