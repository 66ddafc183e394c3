"""Renditions: the text of any document, with its map and its labels, by frozen rules.

| module | contents |
|---|---|
| model | Rendition, Original, and what comes out: Rendered, Label, Notice |
| printed | where words stand, as the document numbers its own parts |
| registry | which rendition makes the text of a document; those of installed packages |
| stored | labels, maps and the record of a rendering, as they are kept beside the text |

A rendition has two steps. `decode` takes octets apart, with third-party libraries where necessary;
`render`, pure, makes a text of the parts by rules that are written down. The rules have a name and
a version, and are frozen: another rule is another version, since citations count characters.
Where third-party code had a part, what came out is committed and never made again.

A package that brings a rendition declares it as an entry point of the group
`permacite.renditions`. It is used for media types that none of ours reads, and where it is named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.renditions.model import (
        Label,
        Notice,
        Original,
        Printed,
        Rendered,
        Rendition,
        printed_at,
        ranges_of,
    )
    from permacite.renditions.registry import (
        media_type_of,
        reads,
        render,
        rendition_for,
        rendition_named,
        renditions,
    )
    from permacite.renditions.stored import RenditionRecord, read_labels

__all__ = [
    "Label",
    "Notice",
    "Original",
    "Printed",
    "Rendered",
    "Rendition",
    "RenditionRecord",
    "media_type_of",
    "printed_at",
    "ranges_of",
    "read_labels",
    "reads",
    "render",
    "rendition_for",
    "rendition_named",
    "renditions",
]

on_demand(
    __name__,
    {
        "permacite.renditions.model": (
            "Label, Notice, Original, Printed, Rendered, Rendition, printed_at, ranges_of"
        ),
        "permacite.renditions.registry": (
            "media_type_of, reads, render, rendition_for, rendition_named, renditions"
        ),
        "permacite.renditions.stored": "RenditionRecord, read_labels",
    },
)
