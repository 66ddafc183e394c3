"""Extraction of the part that a fragment names from the bytes of a document.

Persistent Document Identifiers (draft-mallery-urn-pdi-00) §3.4

| section | module |
|---|---|
| §3.4.1 text, and lines as an extension | text |
| §3.4.2 HTML, §3.4.2 SGML & XML | structure |
| §3.4.4 audio, §3.4.5 image and video | media |
| §3.4.6 octets | cut |
| §3.7 rows and cells of CSV (RFC 7111), values of JSON (RFC 6901) | structure |

Deviations: `line` is no scheme of the draft.

Readings:
- A fragment that this kind of document cannot have is a ParseError; one that lies outside the
  document names nothing (NotFoundError); one that reaches beyond its end is cut there and marked
  as clipped. An empty fragment of a picture or a sound is a ParseError too; of a text, a point.
- Pictures, sound and video are decoded: pictures need the `media` extra, sound and video `video`.
  Their parts are files of their own, without loss: PNG or TIFF, WAV, FFV1 and PCM in Matroska. The
  times of a video name its pictures and the sound of the same time.
- What is damaged in a recording is stepped over: it takes its time, and a part of it is flagged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.extract.cut import (
        Decode,
        Stored,
        extract,
        extract_from,
        is_decoded,
        is_of_text,
        octets_from,
    )
    from permacite.extract.text import Excerpt, characters

__all__ = [
    "Decode",
    "Excerpt",
    "Stored",
    "characters",
    "extract",
    "extract_from",
    "is_decoded",
    "is_of_text",
    "octets_from",
]

on_demand(
    __name__,
    {
        "permacite.extract.cut": (
            "Decode, Stored, extract, extract_from, is_decoded, is_of_text, octets_from"
        ),
        "permacite.extract.text": "Excerpt, characters",
    },
)
