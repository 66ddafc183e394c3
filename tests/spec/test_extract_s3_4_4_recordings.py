"""PDI §3.4.4, §3.4.5: the sound of videos, and recordings that are damaged or were joined."""

from __future__ import annotations

import io
import random
import struct

import pytest
from tests.spec import recordings
from tests.spec.recordings import RATE, noise, pictures_of, samples_of, sound, spoilt, video

from permacite.errors import LimitError, NotFoundError, PermaciteError
from permacite.extract import extract

SIZE = 4
"""Octets of a sample of two channels."""


def cut(start_ms: int, end_ms: int) -> slice:
    """Where the samples of an interval are."""
    return slice(start_ms * RATE // 1000 * SIZE, end_ms * RATE // 1000 * SIZE)


# ---------------------------------------------------------------- the sound of videos

TIMES = [
    # clause id, fragment, start and end in milliseconds, where the first picture is in the part
    ("media-time-of-both", "sec=2,3", (2000, 3000), 0.0),
    ("media-time-between-pictures", "msec=1990,2110", (1990, 2110), 0.010),
    ("media-crop-with-sound", "crop=msec,500,900,(8,8),(24,24)", (500, 900), 0.020),
]


@pytest.mark.parametrize(
    ("fragment", "times", "first"), [c[1:] for c in TIMES], ids=[c[0] for c in TIMES]
)
def test_a_part_of_a_video_has_its_sound(
    fragment: str, times: tuple[int, int], first: float
) -> None:
    found = extract(video(), "video/matroska", fragment)
    assert samples_of(found.data) == noise(8)[cut(*times)]
    assert pictures_of(found.data)[0][0] == pytest.approx(first, abs=0.001)
    assert not found.damaged


def test_a_video_without_sound_has_the_digest_that_it_had() -> None:
    """media-digest: that of the pictures; sound adds its own behind a plus sign."""
    silent = extract(video(sound_codec=None), "video/matroska", "sec=2,3")
    loud = extract(video(), "video/matroska", "sec=2,3")
    pictures, plus, samples = loud.digest.partition("+")
    assert (pictures, plus) == (silent.digest, "+")
    assert samples == extract(sound("pcm_s16le", "wav"), "audio/wav", "sec=2,3").digest


def test_sound_that_ends_before_the_pictures_is_no_reason_to_clip() -> None:
    av = recordings.av_module()
    target = io.BytesIO()
    with av.open(target, "w", format="matroska") as out:
        stream = out.add_stream("ffv1", rate=10)
        stream.width, stream.height, stream.pix_fmt = 16, 16, "gray"
        track = out.add_stream("pcm_s16le", rate=RATE)
        track.layout = "stereo"
        for number in range(40):
            frame = av.VideoFrame(16, 16, "gray")
            frame.pts = number
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
        recordings.write(out, track, noise(2), 2, RATE)
    part = extract(target.getvalue(), "video/matroska", "msec=1500,3000")
    assert samples_of(part.data) == noise(2)[cut(1500, 2000)]
    assert (len(pictures_of(part.data)), part.clipped, part.damaged) == (15, False, False)
    after = extract(target.getvalue(), "video/matroska", "sec=3,4")
    assert "+" not in after.digest


VIDEOS = [
    ("ffv1", "matroska", "pcm_s16le"),
    ("libx264", "mp4", "aac"),
    ("libx264", "mpegts", "mp2"),
    ("libvpx", "webm", "libopus"),
    ("libvpx-vp9", "webm", "libopus"),
    ("mpeg4", "mp4", "aac"),
    ("mpeg2video", "mpegts", "mp2"),
    ("mjpeg", "matroska", "flac"),
]


@pytest.mark.parametrize(("codec", "kind", "sound_codec"), VIDEOS)
def test_pictures_found_by_key_pictures_are_those_of_a_full_decode(
    codec: str, kind: str, sound_codec: str
) -> None:
    """media-traps: whatever is not decoded, nothing changes."""
    av = recordings.av_module()
    if codec not in av.codecs_available:
        pytest.skip("this build has no such encoder")
    content = video(codec, kind, sound_codec)
    every = pictures_of(content)
    zero = every[0][0]
    for start, end in ((0, 400), (2990, 3100), (4000, 5000), (6010, 6990), (7500, 8000)):
        part = extract(content, "video/mp4", f"msec={start},{end}")
        wanted = [octets for time, octets in every if start <= round((time - zero) * 1e3) < end]
        assert [octets for _, octets in pictures_of(part.data)] == wanted
        assert not part.damaged


# ---------------------------------------------------------------- damage

DAMAGED = [
    # clause id, encoder, container, octets that are spoilt
    ("media-damage-mp3", "libmp3lame", "mp3", 3000),
    ("media-damage-flac", "flac", "flac", 300),
    ("media-damage-flac-in-ogg", "flac", "ogg", 300),
    ("media-damage-opus", "libopus", "ogg", 300),
    ("media-damage-aac", "aac", "mp4", 2000),
    ("media-damage-flac-in-matroska", "flac", "matroska", 300),
]


@pytest.mark.parametrize(
    ("codec", "kind", "size"), [c[1:] for c in DAMAGED], ids=[c[0] for c in DAMAGED]
)
def test_damage_is_stepped_over_flagged_and_takes_its_time(
    codec: str, kind: str, size: int
) -> None:
    healthy = sound(codec, kind)
    content = spoilt(healthy, 0.5, size)
    for fragment in ("sec=0,2", "sec=7,8"):
        part = extract(content, "audio/mpeg", fragment)
        assert not part.damaged
        assert part.digest == extract(healthy, "audio/mpeg", fragment).digest
    over = extract(content, "audio/mpeg", "sec=2,7")
    whole = extract(healthy, "audio/mpeg", "sec=2,7")
    assert over.damaged
    assert not whole.damaged
    assert len(over.data) == len(whole.data)
    assert over == extract(content, "audio/mpeg", "sec=2,7")


def test_nothing_but_damage_is_an_error() -> None:
    """media-damage: a file in which nothing can be decoded."""
    healthy = sound("aac", "mp4")
    start = healthy.index(b"mdat") + 4
    with pytest.raises(PermaciteError, match="cannot be decoded"):
        extract(healthy[:start] + bytes(len(healthy) - start), "audio/mp4", "sec=0,1")


def test_recordings_that_were_joined_go_on_behind_the_join() -> None:
    """media-damage-joined: another rate and other channels; each part has its own."""
    first, other = sound("libmp3lame", "mp3"), sound("libmp3lame", "mp3", 4, 32000, 1)
    joined = first + other + first
    with recordings.av_module().open(
        io.BytesIO(extract(joined, "audio/mpeg", "msec=9000,11000").data)
    ) as container:
        codec = container.streams.audio[0].codec_context
        assert (codec.sample_rate, codec.channels) == (32000, 1)
    over = extract(joined, "audio/mpeg", "sec=7,16")
    assert over.damaged
    assert len(samples_of(over.data)) == 9 * RATE * SIZE
    assert not any(samples_of(over.data)[cut(2000, 5000)])
    last = extract(joined, "audio/mpeg", "sec=16,18")
    assert not last.damaged
    assert last.media_type == "audio/wav"


@pytest.mark.parametrize(
    "filling",
    [bytes(60000), random.Random(3).randbytes(60000)],  # noqa: S311 - no secret
    ids=["media-damage-tag", "media-damage-tag-picture"],
)
def test_a_tag_between_recordings_that_were_joined_takes_no_time(filling: bytes) -> None:
    first = sound("libmp3lame", "mp3")
    tag = b"ID3\3\0\0\0\3\x54\x60" + filling
    plain, tagged = first + first, first + tag + first
    for fragment in ("sec=0,7", "sec=10,15"):
        part = extract(tagged, "audio/mpeg", fragment)
        assert part.digest == extract(plain, "audio/mpeg", fragment).digest


def test_a_spoilt_picture_is_flagged_until_the_next_key_picture() -> None:
    """media-damage-video: and what is before and after is as it was."""
    av = recordings.av_module()
    if "libx264" not in av.codecs_available:
        pytest.skip("this build has no such encoder")
    healthy = video("libx264", "mp4", None)
    with av.open(io.BytesIO(healthy)) as container:
        packet = next(p for p in container.demux(video=0) if p.pts * p.time_base >= 4.2)
    place = healthy.index(bytes(packet))
    content = healthy[:place] + b"\xff" * packet.size + healthy[place + packet.size :]
    before, over, after = (
        extract(content, "video/mp4", fragment) for fragment in ("sec=2,3", "sec=4,5", "sec=6,7")
    )
    assert (before.damaged, over.damaged, after.damaged) == (False, True, False)
    for part, fragment in ((before, "sec=2,3"), (after, "sec=6,7")):
        assert part.digest == extract(healthy, "video/mp4", fragment).digest
    assert extract(content, "video/mp4", "sec=4,5") == over


def test_sound_that_is_damaged_flags_its_video() -> None:
    """media-damage-video-sound."""
    healthy = video("ffv1", "matroska", "flac")
    with recordings.av_module().open(io.BytesIO(healthy)) as container:
        packet = next(p for p in container.demux(audio=0) if p.pts * p.time_base >= 4.2)
    place = healthy.index(bytes(packet))
    content = healthy[:place] + b"\xff" * packet.size + healthy[place + packet.size :]
    assert extract(content, "video/matroska", "sec=4,5").damaged
    assert not extract(content, "video/matroska", "sec=5,6").damaged


def test_a_time_behind_the_end_names_nothing_where_something_is_damaged_too() -> None:
    """media-err-damaged."""
    for content, media_type in (
        (spoilt(sound("libmp3lame", "mp3"), 0.5, 300), "audio/mpeg"),
        (spoilt(video("ffv1", "matroska", None), 0.5, 300), "video/matroska"),
    ):
        with pytest.raises(NotFoundError):
            extract(content, media_type, "sec=9,10")


# ---------------------------------------------------------------- headers that lie


def element(name: bytes, content: bytes) -> bytes:
    """An element of Matroska (RFC 8794)."""
    return name + struct.pack(">Q", len(content) | 1 << 56) + content


def test_ten_thousand_streams_are_no_trouble() -> None:
    """media-limits: the first one is heard, or it is an error of ours."""
    tracks = b""
    for number in range(1, 10_001):
        count = struct.pack(">H", number)
        form = element(b"\xb5", struct.pack(">d", RATE)) + element(b"\x9f", b"\x02")
        kind = element(b"\x83", b"\x02") + element(b"\x86", b"A_PCM/INT/LIT")
        track = element(b"\xd7", count) + element(b"\x73\xc5", count) + kind
        tracks += element(b"\xae", track + element(b"\xe1", form + element(b"\x62\x64", b"\x10")))
    head = element(b"\x1a\x45\xdf\xa3", element(b"\x42\x82", b"matroska"))
    block = element(b"\xa3", b"\x81\0\0\x80" + noise(1))
    cluster = element(b"\x1f\x43\xb6\x75", element(b"\xe7", b"\0") + block)
    info = element(b"\x15\x49\xa9\x66", element(b"\x2a\xd7\xb1", b"\x0f\x42\x40"))
    body = info + element(b"\x16\x54\xae\x6b", tracks) + cluster
    content = head + element(b"\x18\x53\x80\x67", body)
    part = extract(content, "audio/matroska", "msec=500,700")
    assert samples_of(part.data) == noise(1)[cut(500, 700)]
    with pytest.raises(PermaciteError, match="no pictures"):
        extract(content, "video/matroska", "msec=500,700")


def test_a_time_stamp_far_ahead_is_no_reason_for_hours_of_silence() -> None:
    """media-limits-hole: what is kept is what is asked for, and no more."""
    av = recordings.av_module()
    target = io.BytesIO()
    with av.open(target, "w", format="matroska") as out:
        track = out.add_stream("pcm_s16le", rate=RATE)
        track.layout = "stereo"
        for start in (0, 5 * 3600):
            frame = av.AudioFrame("s16", "stereo", RATE)
            frame.sample_rate, frame.pts = RATE, start * RATE
            frame.planes[0].update(noise(1))
            out.mux(track.encode(frame))
    part = extract(target.getvalue(), "audio/matroska", "sec=17999,18001")
    assert part.damaged
    assert samples_of(part.data) == bytes(RATE * SIZE) + noise(1)
    with pytest.raises(LimitError):
        extract(target.getvalue(), "audio/matroska", "sec=0,18001")
