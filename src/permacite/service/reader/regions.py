"""Pictures, sound and video as elements for the reader's frame, with what is cited of them shown.

A rectangle is outlined over the picture at its own size, so that its numbers are those of the name.
Times are set by a media fragment: the player begins at the first and stops at the second. Neither
needs a script, or to decode anything here.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite import pdi

__all__ = ["STYLE", "element"]

STYLE = """\
.whole { position: relative; width: max-content; overflow: hidden }
.whole > img, .whole > video { display: block; max-width: none }
mark.region { position: absolute; background: none; outline: 3px solid #c2410c;
  box-shadow: 0 0 0 200vmax rgb(0 0 0 / 35%) }"""

_NUMBER = compile_pattern(r"[0-9]{1,12}")
_TIMES = frozenset({"sec", "msec", "crop"})
_MILLISECONDS = 1000
_CORNERS = 4


@dataclass(frozen=True, slots=True)
class _Part:
    """What a fragment names: corners (left, top, right, bottom), a picture, times in seconds."""

    corners: tuple[int, ...] = ()
    picture: int | None = None
    times: tuple[float, ...] = ()


def element(media_type: str, content: bytes, fragment: pdi.FragmentPDI | None) -> tuple[str, bool]:
    """A picture, sound or video as HTML, and whether a part of it is marked."""
    part = _part(fragment)
    address = f"data:{media_type};base64,{base64.b64encode(content).decode()}"
    if part.times:
        address += "#t=" + ",".join(f"{time:g}" for time in part.times)
    kind = media_type.partition("/")[0]
    shown = {
        "image": f'<img alt="" src="{address}">',
        "audio": f'<audio controls src="{address}"></audio>',
        "video": f'<video controls src="{address}"></video>',
    }[kind]
    told = _told(part)
    if not told:
        return shown, False
    if not part.corners or kind == "audio":
        return f'{shown}\n<p><mark id="permacite-mark">{told}</mark></p>', True
    left, top, right, bottom = part.corners
    place = f"left:{left}px;top:{top}px;width:{right - left}px;height:{bottom - top}px"
    mark = f'<mark id="permacite-mark" class="region" role="img" aria-label="{told}"'
    return f'<p>{told}</p>\n<div class="whole">{shown}{mark} style="{place}"></mark></div>', True


def _part(fragment: pdi.FragmentPDI | None) -> _Part:
    """What a fragment names of what is seen and heard; nothing for any other scheme."""
    if fragment is None or fragment.scheme not in {"rect", *_TIMES}:
        return _Part()
    numbers = [int(number) for number in _NUMBER.findall(",".join(fragment.positions))]
    if fragment.scheme == "rect":
        picture = numbers[_CORNERS] if len(numbers) > _CORNERS else None
        return _Part(tuple(numbers[:_CORNERS]), picture)
    unit = fragment.positions[0] if fragment.scheme == "crop" else fragment.scheme
    scale = _MILLISECONDS if unit.lower() == "msec" else 1
    start, end, *corners = numbers
    return _Part(tuple(corners), None, (start / scale, end / scale))


def _told(part: _Part) -> str:
    """A part in words; "" for none."""
    words = []
    if part.times:
        words.append("seconds {:g} to {:g}".format(*part.times))
    if part.corners:
        words.append("the rectangle from {},{} to {},{}".format(*part.corners))
    if part.picture is not None:
        words.append(f"picture {part.picture}, counted from 0")
    return f"Cited: {', '.join(words)}" if words else ""
