"""Attribute values that hold references among other things: srcset, refresh, lists.

Each function returns (start, end) pairs: where the references stand in the value.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["in_comma_list", "in_list", "in_refresh", "in_srcset", "in_whole"]

_WHITE_SPACE = "\t\n\f\r "
_URL = compile_pattern(r"[\t\n\f\r ,]*+([^\t\n\f\r ]++)")
_DESCRIPTORS = compile_pattern(r"(?:[^,(]++|\([^)]*+\)?+)*+,?+")
_WORD = compile_pattern(r"[^\t\n\f\r ]++")
_BETWEEN_COMMAS = compile_pattern(r"[^\t\n\f\r ,]++")
_DELAY = compile_pattern(r"[\t\n\f\r ]*+(?:[0-9]++|(?=\.))[0-9.]*+(?=[\t\n\f\r ;,])")
_SEPARATOR = compile_pattern(r"[\t\n\f\r ]*+[;,]?+[\t\n\f\r ]*+")
_URL_IS = compile_pattern(r"url[\t\n\f\r ]*+=[\t\n\f\r ]*+", re.IGNORECASE | re.ASCII)


def in_whole(value: str) -> Iterator[tuple[int, int]]:
    """Yield the value without white space at its ends (HTML §2.4.1)."""
    start = len(value) - len(value.lstrip(_WHITE_SPACE))
    yield start, max(start, len(value.rstrip(_WHITE_SPACE)))


def in_srcset(value: str) -> Iterator[tuple[int, int]]:
    """Yield the URL of each image candidate (HTML §4.8.4.2.2, parsing a srcset attribute)."""
    at = 0
    while (found := _URL.match(value, at)) is not None:
        start, end = found.span(1)
        at = end
        bare = len(value[start:end].rstrip(","))
        if bare == end - start:
            descriptors = _DESCRIPTORS.match(value, end)
            at = end if descriptors is None else descriptors.end()
        yield start, start + bare


def in_list(value: str) -> Iterator[tuple[int, int]]:
    """Yield each of a list set apart by white space (`ping`, `archive` of `object`)."""
    return (found.span() for found in _WORD.finditer(value))


def in_comma_list(value: str) -> Iterator[tuple[int, int]]:
    """Yield each of a list set apart by commas (`archive` of `applet`)."""
    return (found.span() for found in _BETWEEN_COMMAS.finditer(value))


def in_refresh(value: str) -> Iterator[tuple[int, int]]:
    """Yield the URL of a refresh, if it names one (HTML §4.2.5.3, shared declarative refresh)."""
    delay = _DELAY.match(value)
    separator = delay and _SEPARATOR.match(value, delay.end())
    if separator is None or separator.end() == len(value):
        return
    start, end = separator.end(), len(value)
    if url_is := _URL_IS.match(value, start):
        start = url_is.end()
    quote = value[start : start + 1]
    if quote and quote in "\"'":
        start += 1
        closing = value.find(quote, start)
        end = end if closing < 0 else closing
    end = max(start, len(value[:end].rstrip(_WHITE_SPACE)))
    yield start, end
