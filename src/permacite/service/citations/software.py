"""The name that Software Heritage gives to lines of a file (SWHID, ISO/IEC 18670).

A content is known there by the SHA-1 of what Git stores of a file, so the name is made of octets
alone, whether that archive holds them or not. It is given where it means exactly what is cited:
whole lines, their line ends with them, as a line feed ends one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.objects import MOST_OF_BLOB, git_blob
from permacite.errors import RestrictedError

if TYPE_CHECKING:
    from permacite.archive import Repository, Representation
    from permacite.fragments import Text

__all__ = ["swhid"]

_LF = b"\n"


def swhid(
    repository: Repository, representation: Representation, entity: Text, span: tuple[int, int]
) -> str | None:
    """The name of some characters of a file; None where they are no whole lines, or it is large."""
    if representation.derived_from is not None or representation.size_bytes > MOST_OF_BLOB:
        return None
    places = entity.places("pdi", span)
    if any(place.pdi("http") != wanted for place, wanted in zip(places, span, strict=True)):
        return None  # between CR and LF
    try:
        content = repository.contents.read(representation)
    except RestrictedError:
        return None
    start, end = (place.byte for place in places)
    before, lines = content[:start], content[start:end]
    starts = not before or before.endswith(_LF)
    if not (starts and lines and (lines.endswith(_LF) or end == len(content))):
        return None
    first = before.count(_LF) + 1
    last = first + lines.removesuffix(_LF).count(_LF)
    told = f"{first}" if first == last else f"{first}-{last}"
    return f"swh:1:cnt:{git_blob(content)};lines={told}"
