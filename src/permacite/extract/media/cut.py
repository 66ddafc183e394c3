"""From the fragment of a picture, a sound or a video to the room that cuts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.extract.media import decoders, sound, video
from permacite.extract.media import preview as previews
from permacite.extract.media.decoders import Interval
from permacite.extract.media.pictures import image
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.extract.excerpt import Excerpt
    from permacite.extract.media.decoders import Octets
    from permacite.pdi import Specifier

__all__ = ["part"]

_NUMBER = compile_pattern(r"[0-9]+")


def part(
    data: Octets, kind: str, specifier: Specifier, written: str, *, preview: bool = False
) -> Excerpt:
    """The part of a picture, a sound or a video that `specifier`, as `written`, names.

    In place of that of a sound or a video its preview, where one is asked for.
    """
    found = _part(data, kind, specifier, written)
    return previews.preview(found) if preview else found


def _part(data: Octets, kind: str, specifier: Specifier, written: str) -> Excerpt:
    first = written.find("=") + 1
    numbers = [int(number) for number in _NUMBER.findall(",".join(specifier.positions))]
    if specifier.scheme == "rect":
        left, top, right, bottom, frame = (*numbers, 0)[:5]
        if left == right or top == bottom:
            raise decoders.empty(written, first)
        if kind.startswith("video/"):
            return video.still(data, (left, top), (right, bottom), frame)
        return image.rectangle(data, (left, top), (right, bottom), frame)
    unit = specifier.positions[0] if specifier.scheme == "crop" else specifier.scheme
    time = Interval(numbers[0], numbers[1], 1 if unit == "sec" else 1000)
    if time.start == time.end:
        raise decoders.empty(written, first)
    if kind.startswith("audio/"):
        return sound.clip(data, time)
    if len(numbers) == len(("start", "end")):
        return video.clip(data, time, None)
    _, _, left, top, right, bottom = numbers
    if left == right or top == bottom:
        raise decoders.empty(written, first)
    return video.clip(data, time, (left, top, right, bottom))
