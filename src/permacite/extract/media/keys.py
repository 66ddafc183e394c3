"""Where decoding of pictures can begin with the same result as from the start.

Some key pictures end all dependence on what was before: an IDR picture (H.264 §7.4.1.2.4, H.265
§7.4.2.2), a key frame of VP8, VP9 or AV1, and every picture where each stands for itself. Others do
not say so (open groups of MPEG-2, recovery points), or are not known here: then all is decoded.
Packets are read one after the other, which costs little; no index of a container is trusted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

__all__ = ["late"]

_RESET = frozenset({"vp8", "vp9", "libvpx", "libvpx-vp9", "av1", "libdav1d", "ffv1"})
_ALONE = frozenset({"mjpeg", "rawvideo", "png", "prores", "dnxhd", "huffyuv", "ffvhuff"})
_IDR = {"h264": (frozenset({5}), 6), "hevc": (frozenset({19, 20}), 32)}
"""The types of units that are IDR pictures, and the first that is no picture at all."""
_START = b"\0\0\1"
_MAX_HELD_BYTES = 64 << 20


def late(source: Iterator[Any], stream: Any, start: Fraction) -> Iterator[Any]:
    """The packets that are needed for the pictures from `start`, a time stamp in seconds, on.

    They begin one such key picture earlier than they must: there a decoder finds out how far the
    order of pictures differs from that of packets.
    """
    earlier: list[Any] = []
    held: list[Any] = []
    octets = 0
    for packet in source:
        at = None if packet.pts is None else packet.pts * packet.time_base
        if packet.is_keyframe and at is not None and at <= start and _is_fresh(packet, stream):
            earlier, held = held, []
            octets = sum(each.size for each in earlier)
        held.append(packet)
        octets += packet.size
        if at is None or at >= start or octets > _MAX_HELD_BYTES:
            break
    yield from earlier
    yield from held
    yield from source


def _is_fresh(packet: Any, stream: Any) -> bool:
    """Whether nothing from this key picture on depends on what was before it."""
    codec = stream.codec_context
    if codec.name in _IDR:
        kinds = _units(bytes(packet), codec.extradata or b"", codec.name)
        wanted, others = _IDR[codec.name]
        return next((kind in wanted for kind in kinds if kind < others and kind), False)
    return codec.name in _RESET | _ALONE


def _units(octets: bytes, setup: bytes, codec: str) -> Iterator[int]:
    """The types of the units of a packet, which have lengths in front, or start codes between."""
    if setup[:1] == b"\1":
        size = (setup[4 if codec == "h264" else 21] & 3) + 1
        at = 0
        while at + size < len(octets):
            yield _kind(octets[at + size], codec)
            at += size + int.from_bytes(octets[at : at + size], "big")
    else:
        yield from (_kind(unit[0], codec) for unit in octets.split(_START)[1:] if unit)


def _kind(head: int, codec: str) -> int:
    return head & 31 if codec == "h264" else head >> 1 & 63
