"""Labels of the Encoding Standard: the codec of a label, the token of a codec (the decoding view).

| section | function |
|---|---|
| Encoding Standard §4.2 get an encoding | codec_of |
| PDI §3.4.1 text in a multi-byte charset | token_of |

Deviations: `hz-gb-2312` and `iso-2022-kr` name codecs of their own, not "replacement": what an
archive shows is inert, and mail in them would be lost.

Readings: a name that is no label of the Encoding Standard is taken all the same if IANA or Python
knows a charset by it, as mail and old servers write them (`utf-32`, `cp037`).
"""

from __future__ import annotations

import codecs
from functools import lru_cache

from permacite.charsets.registry import ROW_OF_NAME, CharsetRow
from permacite.scan import compile_pattern

__all__ = ["codec_of", "python_codec", "row_alike", "row_of", "token_of"]

_WHITE_SPACE = "\t\n\f\r "
_LABEL = compile_pattern(r"[a-z0-9](?:[a-z0-9_.:\-]{0,40}[a-z0-9])?")
"""Python finds codecs by what is almost their name, too."""
_SEPARATORS = compile_pattern(r"[^a-z0-9]+")
_NO_CHARSETS = frozenset(
    {"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}
)
"""Codecs of Python that decode text, and are no charset of any document."""


def codec_of(label: str) -> str | None:
    """Return the codec that a label names, None where it names none (Encoding Standard §4.2).

    The codec is the encoding's name in lower case, or Python's for a charset that the standard does
    not know. A codec names itself, and so do Python's names of the codecs.
    """
    row = row_of(label.strip(_WHITE_SPACE).lower())
    return None if row is None else row.codec


def token_of(codec: str) -> str:
    """Return the format token of plain text in a codec or charset of that name (PDI §3.4.1).

    That is "text", but the charset's name where a character may take several octets.
    """
    row = row_of(codec.lower())
    return (row and row.token) or "text"


@lru_cache(maxsize=512)
def row_of(name: str) -> CharsetRow | None:
    """Return the charset of a name in lower case; one that Python alone knows has a row too."""
    row = ROW_OF_NAME.get(name)
    if row is not None or _LABEL.fullmatch(name) is None:
        return row
    python = python_codec(name)
    if python is None:
        return None
    return _folded_rows().get(_fold(python)) or CharsetRow(python, python, None, (python,))


def row_alike(name: str) -> CharsetRow | None:
    """Return the charset of a name in lower case, of which letters and digits alone count."""
    return ROW_OF_NAME.get(name) or _folded_rows().get(_fold(name)) or row_of(name)


def python_codec(name: str) -> str | None:
    """Return Python's name of its codec for a charset; None where it has none by that name."""
    try:
        info = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    # The only way to tell codecs for text from others.
    is_text = getattr(info, "_is_text_encoding", True)
    return None if not is_text or info.name in _NO_CHARSETS else info.name


def _fold(name: str) -> str:
    return _SEPARATORS.sub("", name)


@lru_cache(maxsize=1)
def _folded_rows() -> dict[str, CharsetRow]:
    return {_fold(name): row for name, row in ROW_OF_NAME.items()}
