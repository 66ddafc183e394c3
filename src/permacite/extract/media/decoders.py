"""Loading of the decoders of pictures, sound and video on demand, their limits and errors.

Those of pictures come with the extra `media`, those of sound, video and PNGs of 16 bits with
`video`. They are C libraries that read hostile files. A server runs what calls them in a process of
its own, with limits on memory and time: nothing here forks. What a file is, FFmpeg tells by its
content; some of its formats are lists of other files, or of ports to listen at. So the formats are
named here that may be read, and no protocol is allowed.
"""

from __future__ import annotations

import importlib
import importlib.util
import io
import mmap
import pkgutil
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from fractions import Fraction
from functools import cache
from math import ceil
from typing import TYPE_CHECKING, Any, TypeAlias

from permacite.errors import DecodingError, ParseError, PermaciteError
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "ADMISSION",
    "MAX_FRAMES",
    "MAX_OUTPUT_BYTES",
    "MAX_OUTPUT_PIXELS",
    "Interval",
    "Octets",
    "admit",
    "check_read",
    "empty",
    "file_of",
    "load",
    "opened",
    "preload",
    "undecodable",
]

Octets: TypeAlias = bytes | mmap.mmap
"""A document: read into memory, or mapped from its file, so that a part of it costs little."""

MAX_FRAMES = 10_000
"""Frames that are decoded at most to reach one, or to cut a clip."""

MAX_OUTPUT_PIXELS = 64_000_000
"""Pixels of a part, over all its frames."""

MAX_OUTPUT_BYTES = 1 << 28
"""Octets of the samples of a part of a sound."""

_EXTRAS = {"PIL": ("pictures", "media"), "av": ("sound and video", "video")}
"""What each library decodes, and the extra that it comes with."""

_LITTLE = "pcm_s16le pcm_s24le pcm_s32le pcm_f32le pcm_f64le"
_BIG = "pcm_s16be pcm_s24be pcm_s32be pcm_f32be pcm_f64be"
_LAWS = "pcm_alaw pcm_mulaw"
_SOUNDS = {
    "aac": "aac",
    "ac3": "ac3",
    "aiff": f"pcm_u8 pcm_s8 pcm_s16le {_BIG} {_LAWS} adpcm_ima_qt",
    "amr": "amr_nb amr_wb",
    "ape": "ape",
    "asf": "pcm_u8 pcm_s16le aac ac3 adpcm_ms mp2 mp3 wmav1 wmav2",
    "au": f"pcm_s8 {_BIG} {_LAWS} adpcm_g722 adpcm_g726le",
    "avi": f"pcm_u8 {_LITTLE} {_LAWS} aac ac3 adpcm_ima_wav adpcm_ms dts flac mp2 mp3 vorbis "
    "wmav1 wmav2",
    "caf": f"pcm_s8 {_LITTLE} {_BIG} {_LAWS} adpcm_ima_qt alac flac mp3",
    "dsf": "dsd_lsbf_planar dsd_msbf_planar",
    "dts": "dts",
    "dv": "pcm_s16le",
    "eac3": "eac3",
    "flac": "flac",
    "flv": f"pcm_u8 pcm_s16le {_LAWS} aac adpcm_swf mp3 nellymoser",
    "gsm": "gsm",
    "matroska": f"pcm_u8 {_LITTLE} pcm_s16be pcm_s24be pcm_s32be aac ac3 alac dts eac3 flac mp2 "
    "mp3 opus tta vorbis wavpack",
    "mov": f"pcm_u8 pcm_s8 {_LITTLE} {_BIG} {_LAWS} aac ac3 adpcm_ima_qt alac amr_nb amr_wb dts "
    "eac3 flac mp2 mp3 opus vorbis",
    "mp3": "mp2 mp3",
    "mpc8": "musepack8",
    "mpeg": "ac3 dts mp2 mp3 pcm_dvd",
    "mpegts": "aac aac_latm ac3 dts eac3 mp2 mp3 opus",
    "ogg": "flac opus speex vorbis",
    "oma": "pcm_s16be",
    "rm": "aac ac3 ra_144",
    "tta": "tta",
    "voc": f"pcm_u8 pcm_s16le {_LAWS}",
    "w64": f"pcm_u8 {_LITTLE} {_LAWS}",
    "wav": f"pcm_u8 {_LITTLE} {_LAWS} ac3 adpcm_g722 adpcm_g726 adpcm_ima_wav adpcm_ms "
    "adpcm_yamaha dts mp2 mp3",
    "wv": "wavpack",
}
_PICTURES = {
    "asf": "mjpeg mpeg4 msmpeg4v2 msmpeg4v3 wmv1 wmv2",
    "avi": "cinepak dvvideo ffv1 ffvhuff h264 huffyuv magicyuv mjpeg mpeg4 msmpeg4v2 msmpeg4v3 "
    "msvideo1 png rawvideo utvideo wmv1 wmv2",
    "dv": "dvvideo",
    "flv": "flashsv flv1 h264",
    "h264": "h264",
    "hevc": "hevc",
    "ivf": "av1 vp8 vp9",
    "m4v": "mpeg4",
    "matroska": "av1 ffv1 h264 hevc mjpeg mpeg1video mpeg2video mpeg4 msmpeg4v3 prores rawvideo "
    "theora vp8 vp9",
    "mjpeg": "mjpeg",
    "mov": "av1 cinepak dnxhd dvvideo h263 h264 hevc mjpeg mpeg1video mpeg2video mpeg4 png prores "
    "qtrle svq1 v210 vp9",
    "mpeg": "mpeg1video mpeg2video",
    "mpegts": "h264 hevc mpeg1video mpeg2video mpeg4",
    "mpegvideo": "mpeg1video mpeg2video",
    "obu": "av1",
    "ogg": "theora vp8",
    "rm": "rv10 rv20",
    "yuv4mpegpipe": "rawvideo",
}
_READ = {
    "sound": {name: frozenset(codecs.split()) for name, codecs in _SOUNDS.items()},
    "video": {name: frozenset(codecs.split()) for name, codecs in _PICTURES.items()},
}
"""FFmpeg's names of the formats that may be read, and of the codecs that are read in each: each
format is one file, refers to no other, and what is cut of each pair is compared with what other
programs cut of it."""

_UNREAD = [
    (compile_pattern(rb"MP\+"), "Musepack before version 8"),
    (compile_pattern(rb"RIFF[\x00-\xff]{4}QLCM"), "QCP"),
    (compile_pattern(rb"tBaK"), "TAK"),
]
"""Formats that are known by their first octets and not read: nothing wrote one to compare with."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A time from `start` up to `end`, in units of which `per_second` are a second (PDI §3.4.4)."""

    start: int
    end: int
    per_second: int

    @property
    def edges(self) -> tuple[Fraction, Fraction]:
        """Its start and its end, in seconds."""
        return Fraction(self.start, self.per_second), Fraction(self.end, self.per_second)

    def samples(self, rate: int, since: Fraction) -> tuple[int, int]:
        """Return the first sample n with start <= since + n/rate, and the first with end <= it."""
        start, end = self.edges
        return ceil((start - since) * rate), ceil((end - since) * rate)

    def holds(self, time: Fraction) -> bool:
        """Whether a time in seconds is in the interval."""
        moment = time * self.per_second
        return self.start <= moment < self.end

    def __str__(self) -> str:
        return f"{self.start},{self.end}"[:80]


_IN_NONE = "it is in none of the formats that are read"

_PLACE = compile_pattern(r" <[^<>]*>")
"""What decoders say of the file object they were given, which says nothing to a user."""

ADMISSION: ContextVar[Callable[[int], None] | None] = ContextVar("ADMISSION", default=None)
"""Whom to ask for memory, which raises LimitError where there is none. A library asks nobody."""


def admit(octets: int) -> None:
    """Ask for the memory that a header says decoding takes. Raises LimitError."""
    ask = ADMISSION.get()
    if ask is not None:
        ask(octets)


def preload() -> None:
    """Import all that decoding can need, for a process that can open nothing afterwards.

    Raises PermaciteError where there is no decoder at all.
    """
    pictures, video = (importlib.util.find_spec(name) is not None for name in ("PIL", "av"))
    if video:
        for module in pkgutil.walk_packages(load("av").__path__, "av."):
            if not module.name.endswith("__main__"):
                load(module.name)
    if pictures or not video:
        load("PIL.ImageOps")
        load("PIL.Image").init()
    for name in ("picture", "preview", "sound", "video"):
        load(f"permacite.extract.media.{name}")


def load(name: str) -> Any:
    """Import a decoder. Raises PermaciteError where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        library = name.partition(".")[0]
        parts, extra = _EXTRAS.get(library, ("pictures, sound and video", "media"))
        raise PermaciteError(
            f"parts of {parts} need {library}, which is not here",
            hint=f"pip install 'permacite[{extra}]'",
        ) from None


def file_of(data: Octets) -> Any:
    """Return octets as a file that is read from its start; nothing is copied."""
    if isinstance(data, bytes):
        return io.BytesIO(data)
    data.seek(0)
    return data


@contextmanager
def opened(data: Octets, what: str) -> Iterator[Any]:
    """Open a "sound" or a "video" that is here whole. Nothing else is opened on its account.

    The options hold for whatever a format opens in its turn (FFmpeg's `ff_copy_whiteblacklists`).
    """
    av = load("av")
    options = {
        "format_whitelist": ",".join(_READ[what]),
        "codec_whitelist": _decoders(),
        "protocol_whitelist": "none",
    }
    try:
        with av.open(file_of(data), "r", container_options=options) as container:
            yield container
    except (PermaciteError, MemoryError):
        raise
    except av.ArgumentError as error:  # what FFmpeg says of a format that is not allowed
        raise undecodable(what, _why_not_read(data)) from error
    except Exception as error:  # whatever a decoder likes to raise for a broken file
        raise undecodable(what, error) from error


@cache
def _decoders() -> str:
    """The names of all decoders of the codecs that are read: no other looks into a file."""
    read = frozenset[str]().union(*(codecs for kind in _READ.values() for codecs in kind.values()))
    av = load("av")
    names = []
    for name in sorted(av.codecs_available):
        with suppress(av.codec.codec.UnknownCodecError):  # it encodes alone
            names += [name] if av.Codec(name, "r").canonical_name in read else []
    return ",".join(names)


def check_read(container: Any, stream: Any, what: str) -> None:
    """Refuse a stream of "sound", or of the pictures of a "video", that is in an unread codec."""
    form = container.format.name.partition(",")[0]
    context = stream.codec_context
    codec = "an unknown codec" if context is None else context.codec.canonical_name
    if codec not in _READ[what].get(form, ()):
        raise undecodable(what, f"it is in {codec}, which is not read in {form}")


def _why_not_read(data: Octets) -> str:
    """Return the message for a format that is not on the list."""
    names = [name for head, name in _UNREAD if head.match(data[:12])]
    return f"it is in {names[0]}, which is not read" if names else _IN_NONE


def undecodable(what: str, why: object) -> DecodingError:
    """Return the error for a document that is broken, or of a kind that is not decoded."""
    told = _PLACE.sub("", str(why))[:200]
    return DecodingError(f"the {what} cannot be decoded: {told or type(why).__name__}")


def empty(specifier: str, offset: int) -> ParseError:
    """Return the error for a part without content (an interval's end is excluded)."""
    return ParseError(
        "expected a part that is not empty; its end is excluded", specifier, offset, "PDI §3.4"
    )
