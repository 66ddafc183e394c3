"""Captions of sound and video: WebVTT and SRT files, as text with times and speakers.

| format | source | module |
|---|---|---|
| text/vtt | W3C WebVTT: The Web Video Text Tracks Format | formats |
| application/x-subrip | no specification | formats |
| the words as plain text | docs/explanation/the-words-of-recordings.md | rendition |

`read_captions` reads both formats. `words_of` makes the text that is cited, with the time and the
speaker of each word. Its rules are frozen, because citations count its characters;
RENDITION_VERSION names them. All functions accept any text, in linear time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.captions.formats import Captions, Cue, Piece, read_captions
    from permacite.captions.rendition import (
        RENDITION_VERSION,
        SpokenSpan,
        Turn,
        Words,
        turns,
        words_of,
    )

__all__ = [
    "MEDIA_TYPES",
    "RENDITION_VERSION",
    "Captions",
    "Cue",
    "Piece",
    "SpokenSpan",
    "Turn",
    "Words",
    "read_captions",
    "turns",
    "words_of",
]

MEDIA_TYPES = frozenset({"text/vtt", "application/x-subrip"})
"""The media types of captions, asked of every document: the readers are imported for captions."""

on_demand(
    __name__,
    {
        "permacite.captions.formats": "Captions, Cue, Piece, read_captions",
        "permacite.captions.rendition": (
            "RENDITION_VERSION, SpokenSpan, Turn, Words, turns, words_of"
        ),
    },
)
