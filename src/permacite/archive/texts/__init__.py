"""Large texts: kept with an index, read by the piece, each piece checked."""

from permacite.archive.texts.decoding import charset_of, document_text
from permacite.archive.texts.index import SMALLEST_BYTES, Texts, with_indexes

__all__ = ["SMALLEST_BYTES", "Texts", "charset_of", "document_text", "with_indexes"]
