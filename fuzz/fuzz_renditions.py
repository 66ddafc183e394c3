"""Renditions that are our own: any octets have a text, or are refused."""

from __future__ import annotations

import contextlib

from permacite.errors import LimitError, ParseError
from permacite.renditions import Original, renditions
from permacite.renditions.stored import pack, unpack

SEEDS = [
    b"<TEI><text><pb n='1'/><p>a<note n='1'>b</note> c<lb break='no'/>d</p></text></TEI>",
    b"<article><body><sec><label>2</label><title>a</title><p>b</p></sec></body></article>",
    b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;<table><row><cell>d</cell></row></table></a>",
]


def target(data: bytes) -> None:
    """Make the text of `data` by every rendition that needs no library of others."""
    for rendition in renditions():
        if rendition.worker == "documents":
            original = Original(data, min(rendition.media_types, default="application/zip"))
            with contextlib.suppress(ParseError, LimitError):
                rendered = rendition(original)
                assert unpack(*pack(rendered, str(rendition))) == rendered  # noqa: S101 - the law
