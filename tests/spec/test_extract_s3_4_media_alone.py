"""PDI §3.4.4 and §3.4.5: a sound or a video is read by itself, whatever other files it names.

FFmpeg tells a format by its content, and reads lists of files and of ports as well as sounds. Each
document here names a sound beside it, or a port; none of them is to be opened. Who opens what is
seen by `strace`, where that is installed: the decoder itself is not asked.
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.media.tricks import LISTS

from permacite.errors import PermaciteError
from permacite.extract import extract

if TYPE_CHECKING:
    from pathlib import Path

RATE = 8000
TYPES = [
    "audio/wav", "audio/mpeg", "audio/mp4", "audio/flac", "audio/ogg",
    "video/mp4", "video/webm", "video/matroska", "video/x-msvideo", "video/mp2t",
]  # fmt: skip


ASKED = """
import json, sys
from permacite.errors import PermaciteError
from permacite.extract import extract
for media_type, text in json.load(sys.stdin):
    try:
        extract(text.encode(), media_type, "msec=0,100")
    except PermaciteError:
        print("refused")
"""


def sound() -> bytes:
    """A second of a sound as a WAV file."""
    samples = struct.pack(f"<{RATE}h", *range(RATE))
    form = struct.pack("<HHIIHH", 1, 1, RATE, 2 * RATE, 2, 16)
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form
    body += b"data" + struct.pack("<I", len(samples)) + samples
    return b"RIFF" + struct.pack("<I", len(body)) + body


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which this process then works, with a sound that lists name."""
    pytest.importorskip("av", reason="needs the media extra")
    (tmp_path / "secret.wav").write_bytes(sound())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_sound_itself_can_be_read() -> None:
    assert len(extract(sound(), "audio/wav", "msec=0,100").data) == 44 + 2 * RATE // 10


@pytest.mark.parametrize("media_type", TYPES)
@pytest.mark.parametrize("text", [c[1] for c in LISTS], ids=[c[0] for c in LISTS])
def test_a_list_of_files_or_ports_is_no_sound_and_no_video(text: str, media_type: str) -> None:
    with pytest.raises(PermaciteError, match="cannot be decoded"):
        extract(text.encode(), media_type, "msec=0,100")


def test_the_error_says_that_the_format_is_not_read() -> None:
    """media-limits: what FFmpeg can read, and is not let."""
    with pytest.raises(PermaciteError, match="none of the formats that are read"):
        extract(LISTS[0][1].encode(), "audio/wav", "msec=0,100")


def test_no_other_file_and_no_socket_is_opened(folder: Path, tracer: str) -> None:
    """media-limits: as the system sees it."""
    trace = folder / "trace"
    calls = "trace=open,openat,openat2,socket,bind,connect"
    command = [tracer, "-f", "-e", calls, "-o", str(trace), sys.executable, "-c", ASKED]
    rows = json.dumps([(media_type, text) for media_type in TYPES for _, text in LISTS])
    done = subprocess.run(command, input=rows, capture_output=True, text=True, check=True)
    seen = trace.read_text("utf-8", "replace")
    assert done.stdout == "refused\n" * len(TYPES) * len(LISTS)
    assert "decoders" in seen  # the trace is one of this work
    assert not [line for line in seen.splitlines() if "secret" in line or "AF_INET" in line]
