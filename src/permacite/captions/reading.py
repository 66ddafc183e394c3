"""Which kind of captions a media type is, and what reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite.captions import cue_text, subrip, webvtt
from permacite.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permacite.captions.model import Captions, Cue, Piece

__all__ = ["MEDIA_TYPES", "pieces_of", "read_captions"]


class _Kind(NamedTuple):
    parse: Callable[[str], Captions]
    pieces: Callable[[Cue], Iterator[Piece]]


_KINDS = {
    "text/vtt": _Kind(webvtt.parse, cue_text.pieces),
    "application/x-subrip": _Kind(subrip.parse, subrip.pieces),
}
MEDIA_TYPES = frozenset(_KINDS)
"""The media types of captions."""


def read_captions(text: str, media_type: str) -> Captions:
    """The cues of a file, from its decoded text. Raises ParseError where it is no such file."""
    kind = _KINDS.get(media_type)
    if kind is None:
        expected = " or ".join(sorted(MEDIA_TYPES))
        raise ParseError(f"expected captions, {expected}", media_type, 0)
    return kind.parse(text)


def pieces_of(cue: Cue, media_type: str) -> Iterator[Piece]:
    """The text of a cue of a file of that type, in pieces of one voice and one time."""
    return _KINDS[media_type].pieces(cue)
