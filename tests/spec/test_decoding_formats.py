"""Every format that is let in, and every trick, through the workers: the same parts, no doors.

The formats and the tricks are those of `tests/media`.
"""

from __future__ import annotations

import io
import json
import re
import struct
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.media.formats import FORMATS, HEADS, content_of, encoded_video, film
from tests.media.tricks import LISTS, TRICKS, trick_of
from tests.media.watching import calls_behind_doors

from permacite.decoding.workers import DecodingPool
from permacite.errors import DecodingError, LimitError, NotFoundError
from permacite.extract import extract
from permacite.extract.media import decoders
from permacite.extract.media import picture as image

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.media.formats import Format
    from tests.media.tricks import Trick

pytest.importorskip("av", reason="needs the media extra")
pytest.importorskip("PIL.Image", reason="needs the media extra")


@pytest.fixture(scope="module")
def workers() -> Iterator[DecodingPool]:
    """Return workers for this whole file."""
    made = DecodingPool(most=2)
    yield made
    made.close()


def test_the_list_has_every_format_that_is_let_in() -> None:
    """media-apart: a format of pictures that is let in is tested here."""
    tested = {part for one in FORMATS for part in one.name.split("-")}
    let_in = {name.lower() for name in image._FORMATS}  # noqa: SLF001 - the list itself
    assert {name for name in let_in if {"jpeg2000": "jp2"}.get(name, name) not in tested} == set()


@pytest.mark.parametrize("what", ["sound", "video"])
def test_the_list_has_every_codec_of_every_container_that_is_let_in(what: str) -> None:
    """media-apart: so that other programs are asked for each such pair, and no other is let in."""
    kind = {"sound": "audio"}.get(what, what)
    let_in = decoders._READ[what].items()  # noqa: SLF001 - the list itself
    pairs = {(container, codec) for container, codecs in let_in for codec in codecs}
    assert {pair_of(one, kind) for one in FORMATS if one.kind == kind} == pairs


def pair_of(one: Format, kind: str) -> tuple[str, str]:
    """Return what FFmpeg calls the container and the codec of a sound or a video."""
    av = pytest.importorskip("av")
    with av.open(io.BytesIO(content_of(one))) as container:
        stream = next(each for each in container.streams if each.type == kind)
        name: str = stream.codec_context.codec.canonical_name
        return container.format.name.partition(",")[0], name


@pytest.mark.parametrize(
    ("head", "name"), [("mpc", "Musepack before version 8"), ("qcp", "QCP"), ("tak", "TAK")]
)
def test_a_format_that_nobody_could_compare_is_refused_by_its_name(head: str, name: str) -> None:
    with pytest.raises(DecodingError, match=f"it is in {name}, which is not read"):
        extract(HEADS[head], "audio/wav", "msec=0,100")


@pytest.mark.parametrize("container", ["wav", "oma"])
def test_a_codec_that_nobody_could_compare_is_refused_by_its_name(container: str) -> None:
    told = f"the sound cannot be decoded: it is in atrac3, which is not read in {container}$"
    with pytest.raises(DecodingError, match=told):
        extract(HEADS[f"atrac3-{container}"], "audio/wav", "msec=0,100")


def test_pictures_in_a_container_in_which_nobody_compared_them_are_refused() -> None:
    content = encoded_video("avi", "libvpx")
    told = "the video cannot be decoded: it is in vp8, which is not read in avi$"
    with pytest.raises(DecodingError, match=told):
        extract(content, "video/x-msvideo", "msec=0,400")


def test_a_video_whose_sound_is_in_such_a_codec_is_cut_without_it_and_flagged() -> None:
    content = film("avi", "mpeg4", "adpcm_yamaha")()
    found = extract(content, "video/x-msvideo", "msec=0,400")
    av = pytest.importorskip("av")
    assert found.damaged
    with av.open(io.BytesIO(found.data)) as container:
        assert [each.type for each in container.streams] == ["video"]


@pytest.mark.parametrize("one", FORMATS, ids=[f"media-apart-{one.name}" for one in FORMATS])
def test_a_worker_cuts_of_every_format_what_a_library_would(
    workers: DecodingPool, one: Format
) -> None:
    content = content_of(one)
    found = workers.extract(content, one.media_type, one.fragment)
    assert found == extract(content, one.media_type, one.fragment)
    assert found.data


def test_threads_of_a_decoder_do_not_wait_for_what_cannot_be_decoded(workers: DecodingPool) -> None:
    """media-limits: of Theora that says it is of an older version, two threads came to no end."""
    film = next(one for one in FORMATS if one.name == "video-matroska-theora")
    content = bytearray(content_of(film))
    minor_version = content.index(b"\x80theora") + 8
    content[minor_version] = 0
    with pytest.raises(DecodingError, match="no picture of the part is whole"):
        workers.extract(bytes(content), film.media_type, film.fragment)


def test_a_rate_that_no_file_holds_is_refused(workers: DecodingPool) -> None:
    """media-limits: of two channels of 32 bits, more than 4 GiB a second."""
    sound = next(one for one in FORMATS if one.name == "sound-wav-float")
    content = bytearray(content_of(sound))
    struct.pack_into("<I", content, content.index(b"fmt ") + 12, 0x23000000)
    with pytest.raises(DecodingError, match="no WAV holds 587202560 samples"):
        workers.extract(bytes(content), sound.media_type, "msec=0,1")


def test_the_same_samples_without_loss_have_the_same_digest(workers: DecodingPool) -> None:
    """media-digest: whatever format they are kept in."""
    lossless = [
        "wav", "w64", "aiff", "au", "caf", "flac", "tta", "wavpack", "ogg-flac", "matroska",
        "mp4-alac", "mov", "avi",
    ]  # fmt: skip
    found = {
        name: workers.extract(content_of(one), one.media_type, one.fragment).digest
        for one in FORMATS
        for name in lossless
        if one.name == f"sound-{name}"
    }
    assert list(found) == lossless
    assert len(set(found.values())) == 1


QUICK = [one for one in TRICKS if not one.heavy]
HEAVY = [one for one in TRICKS if one.heavy]


@pytest.mark.parametrize("one", QUICK, ids=[f"media-limits-{one.name}" for one in QUICK])
def test_a_trick_is_refused_or_right(workers: DecodingPool, one: Trick) -> None:
    try:
        found = workers.extract(trick_of(one), one.media_type, one.fragment)
    except (DecodingError, LimitError, NotFoundError):
        assert one.colour is None
    else:
        assert found.data
        if one.colour is not None:
            assert colours(found.data) == {one.colour}


@pytest.mark.slow
def test_heavy_tricks_are_refused_or_right(
    workers: DecodingPool, times: Callable[[int, int], int]
) -> None:
    for one in HEAVY[-times(1, len(HEAVY)) :]:  # the first takes longest to make
        test_a_trick_is_refused_or_right(workers, one)


def colours(picture: bytes) -> set[tuple[int, ...]]:
    """Return the colours that are in a picture."""
    images = pytest.importorskip("PIL.Image")
    with images.open(io.BytesIO(picture)) as opened:
        return {colour for _, colour in opened.convert("RGBA").getcolors()}


def test_what_is_refused_leaves_no_memory_behind(times: Callable[[int, int], int]) -> None:
    """media-apart: each job has the whole of its share, whatever the jobs before it were."""
    workers = DecodingPool(most=1, budget_bytes=1 << 30)
    refused = [one for one in TRICKS if one.name in {"tiff-hollow", "flac-long", "mpegts-streams"}]
    whole = next(one for one in FORMATS if one.name == "video-mp4-h264")
    with closing(workers):
        for one in refused * times(2, 4):
            with pytest.raises((DecodingError, LimitError)):
                workers.extract(trick_of(one), one.media_type, one.fragment)
            assert workers.extract(content_of(whole), whole.media_type, whole.fragment).data


AT_WORK = """
import json, sys
from pathlib import Path
from permacite.decoding.workers import DecodingPool
from permacite.errors import PermaciteError
workers = DecodingPool(most=1)
for name, path, media_type, fragment in json.load(sys.stdin):
    try:
        workers.extract(Path(path).read_bytes(), media_type, fragment)
    except PermaciteError as error:
        print(name, error.code)
    else:
        print(name, "cut")
workers.close()
"""


def asked_of(folder: Path, tricks: list[Trick]) -> list[tuple[str, str, str, str]]:
    """Write all documents that there are into a folder; return what is to be cut of each."""
    rows = [(one.name, content_of(one), one.media_type, one.fragment) for one in FORMATS]
    rows += [(one.name, trick_of(one), one.media_type, one.fragment) for one in tricks]
    rows += [(name, head, "audio/wav", "msec=0,100") for name, head in HEADS.items()]
    rows += [
        (f"{name}-{kind}", text.encode(), f"{kind}/mp4", "msec=0,100")
        for name, text in LISTS
        for kind in ("audio", "video")
    ]
    for name, content, *_ in rows:
        (folder / name).write_bytes(content)
    return [(name, str(folder / name), kind, fragment) for name, _, kind, fragment in rows]


@pytest.mark.slow
def test_workers_open_nothing_whatever_they_decode(
    tmp_path: Path, tracer: str, times: Callable[[int, int], int]
) -> None:
    """media-apart: as the system sees it: no file, no socket, no program, not even tried."""
    rows = asked_of(tmp_path, QUICK + HEAVY[: times(0, len(HEAVY))])[:: times(8, 1)]
    (tmp_path / "secret.wav").write_bytes(b"")
    trace = tmp_path / "trace"
    command = [tracer, "-f", "-o", str(trace), sys.executable, "-c", AT_WORK]
    done = subprocess.run(
        command, input=json.dumps(rows), capture_output=True, text=True, check=True, cwd=tmp_path
    )
    said = dict(line.split() for line in done.stdout.splitlines())
    assert set(said) == {row[0] for row in rows}
    assert {said[one.name] for one in FORMATS if one.name in said} == {"cut"}
    calls = calls_behind_doors(trace.read_text("utf-8", "replace"))
    mapped = re.compile(r"mmap\(NULL, [0-9]+, PROT_READ, MAP_PRIVATE, [0-9]")
    assert sum(bool(mapped.match(call)) for call in calls) >= len(rows)  # they did read
    opened = re.compile(r"open|creat|socket|connect|bind|listen|exec|fork|vfork|memfd|ptrace|kill")
    assert [call for call in calls if opened.match(call)] == []
