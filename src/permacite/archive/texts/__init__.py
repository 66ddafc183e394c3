"""Large texts: kept with an index, read by the piece, each piece checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.archive.texts.decoding import (
        DERIVED,
        charset_of,
        decoding_of,
        document_text,
        is_of_first_rules,
        settle,
        text_of_new,
    )
    from permacite.archive.texts.index import SMALLEST_BYTES, Texts, with_indexes

__all__ = [
    "DERIVED",
    "SMALLEST_BYTES",
    "Texts",
    "charset_of",
    "decoding_of",
    "document_text",
    "is_of_first_rules",
    "settle",
    "text_of_new",
    "with_indexes",
]

on_demand(
    __name__,
    {
        "permacite.archive.texts.decoding": (
            "DERIVED, charset_of, decoding_of, document_text, is_of_first_rules, settle, "
            "text_of_new"
        ),
        "permacite.archive.texts.index": "SMALLEST_BYTES, Texts, with_indexes",
    },
)
