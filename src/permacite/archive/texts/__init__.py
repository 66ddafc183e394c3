"""Large texts: kept with an index, read by the piece, each piece checked."""

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
