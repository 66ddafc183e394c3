"""Which rendition makes the text of a document: ours and those of others, by their entry points.

An entry point of the group `permacite.renditions` is one Rendition, so one version of its rules.
Of a name the highest version reads what comes in; earlier ones stay for what they made. Where
several names read a media type, ours comes first, then the first by its name. One that cannot be
loaded is left out, with a warning that names it: what others read goes on being read.
"""

from __future__ import annotations

import warnings
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Any

from permacite.errors import NotFoundError
from permacite.renditions.model import Rendition

if TYPE_CHECKING:
    from permacite.renditions.model import Original, Rendered

__all__ = [
    "GROUP",
    "media_type_of",
    "reads",
    "render",
    "rendition_for",
    "rendition_named",
    "renditions",
]

GROUP = "permacite.renditions"
_OURS = "permacite."


@cache
def renditions() -> tuple[Rendition[Any], ...]:
    """All that are installed: ours first, then by name, the highest version of each first."""
    points = sorted(
        metadata.entry_points(group=GROUP),
        key=lambda point: (not point.value.startswith(_OURS), point.name),
    )
    known: dict[str, Rendition[Any]] = {}
    order: dict[str, int] = {}
    for point in points:
        rendition = _loaded(point)
        if rendition is None:
            continue
        known.setdefault(str(rendition), rendition)
        order.setdefault(rendition.name, len(order))
    return tuple(sorted(known.values(), key=lambda each: (order[each.name], -each.version)))


def _loaded(point: metadata.EntryPoint) -> Rendition[Any] | None:
    """What an entry point stands for; None where that cannot be had."""
    try:
        rendition = point.load()
    except Exception as error:  # noqa: BLE001 - whatever a package of others raises
        problem = f"cannot be loaded: {error}"
    else:
        if isinstance(rendition, Rendition):
            return rendition
        problem = "is no Rendition"
    left_out = f"the rendition {point.name} ({point.value}) is left out: it {problem}"
    warnings.warn(left_out, RuntimeWarning, stacklevel=2)
    return None


def rendition_for(media_type: str) -> Rendition[Any] | None:
    """The rendition that reads this media type; None where none does.

    One that names the type comes before one that reads its suffix (RFC 6838 §4.2.8).
    """
    suffix = "+" + media_type.rpartition("+")[2] if "+" in media_type else media_type
    for kind in (media_type, suffix):
        for rendition in renditions():
            if kind in rendition.media_types and not rendition.on_request:
                return rendition
    return None


def reads(rendition: Rendition[Any], media_type: str) -> bool:
    """Whether a rendition is for documents of this media type."""
    suffix = "+" + media_type.rpartition("+")[2]
    return not rendition.media_types.isdisjoint({media_type, suffix})


def rendition_named(name: str) -> Rendition[Any]:
    """The rendition with this name and version, such as "xml-text/1"; the last where none is said.

    Raises NotFoundError.
    """
    for rendition in renditions():
        if name in {str(rendition), rendition.name}:
            return rendition
    known = tuple(str(rendition) for rendition in renditions())
    raise NotFoundError(f"no rendition {name} is installed", name, candidates=known)


def media_type_of(file_name: str) -> str | None:
    """The media type of a file by its ending, where a rendition knows that; the longest counts."""
    folded = file_name.lower()
    endings = {
        ending: media_type
        for rendition in reversed(renditions())
        for ending, media_type in rendition.suffixes.items()
        if folded.endswith(ending)
    }
    return endings[max(endings, key=len)] if endings else None


def render(original: Original) -> Rendered | None:
    """The text of a document, made in this process; None where no rendition reads its type.

    It reads hostile octets without limits of memory: `permacite.decoding` has them read apart.
    Raises ParseError where it is not what it claims, LimitError where it is too much.
    """
    rendition = rendition_for(original.media_type)
    return None if rendition is None else rendition(original)
