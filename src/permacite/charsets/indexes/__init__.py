"""Indexes of the Encoding Standard: code points by pointer (§5).

Two files hold them, compressed: each line is a name, a tab, and the characters in the order of
their pointers. ORIGIN.md says whence they come, and `generate` how.
"""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path

__all__ = ["ABSENT", "index_of", "ranges", "single_byte_indexes"]

FOLDER = Path(__file__).parent
SINGLE_BYTE = "single-byte.z"
MULTI_BYTE = "multi-byte.z"
RANGES = "gb18030-ranges"

ABSENT = "\ufffd"
"""Stands at pointers that have no code point."""


def index_of(name: str) -> str:
    """Return the characters of an index of the multi-byte encodings, by pointer."""
    return _lines(MULTI_BYTE)[name]


@cache
def ranges() -> tuple[tuple[int, int], ...]:
    """Return the first pointer and the first code point of each range of index gb18030 ranges."""
    pairs = (pair.split(":") for pair in _lines(MULTI_BYTE)[RANGES].split(" "))
    return tuple((int(pointer), int(code_point)) for pointer, code_point in pairs)


def single_byte_indexes() -> dict[str, str]:
    """Return, for each single-byte encoding, its 128 characters beyond ASCII."""
    return _lines(SINGLE_BYTE)


@cache
def _lines(file: str) -> dict[str, str]:
    text = zlib.decompress((FOLDER / file).read_bytes()).decode()
    return dict(line.split("\t") for line in text.split("\n"))
