"""Texts with U+0000, which PostgreSQL does not keep: how they are written there, and read.

Such a text stands behind a mark of two noncharacters, with U+0000 as U+10FFFF and "0", U+10FFFF as
U+10FFFF and "1". One that begins with the mark by itself is written so too: what is read is what
was written, whatever that was. Comparisons for equality hold; nothing of ours compares more of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["as_written", "storable", "storable_values"]

_NUL, _ESCAPE = "\0", "\U0010ffff"
_MARK = "\U0010ffff\U0010fffe"
_WRITTEN = compile_pattern("\U0010ffff([01])")


def storable(
    parameters: Sequence[object] | Mapping[str, object],
) -> Sequence[object] | Mapping[str, object]:
    """The parameters of a statement as PostgreSQL keeps them."""
    if isinstance(parameters, Mapping):
        return dict(zip(parameters, storable_values(list(parameters.values())), strict=True))
    return storable_values(parameters)


def storable_values(values: Sequence[object]) -> list[object]:
    """The same of values."""
    return [
        _written(value)
        if isinstance(value, str) and (_NUL in value or value.startswith(_MARK))
        else value
        for value in values
    ]


def _written(text: str) -> str:
    return _MARK + text.replace(_ESCAPE, f"{_ESCAPE}1").replace(_NUL, f"{_ESCAPE}0")


def as_written(cursor: object) -> Callable[[Sequence[object]], tuple[object, ...]]:
    """What makes rows for a cursor, with all texts as they were before they were written."""
    del cursor
    return _row


def _row(values: Sequence[object]) -> tuple[object, ...]:
    for value in values:
        if value.__class__ is str and value.startswith(_MARK):
            return tuple(_read(each) if isinstance(each, str) else each for each in values)
    return tuple(values)


def _read(text: str) -> str:
    if not text.startswith(_MARK):
        return text
    return _WRITTEN.sub(lambda found: _NUL if found[1] == "0" else _ESCAPE, text[len(_MARK) :])
