"""The decoders of pictures, sound and video: loaded when first needed, or said to be absent.

They come with the `media` extra and are C libraries that read hostile files. Whoever serves others
runs what calls them in a process of its own, with limits on memory and time: nothing here forks.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from permacite.errors import ParseError, PermaciteError

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = [
    "MAX_FRAMES",
    "MAX_OUTPUT_BYTES",
    "MAX_OUTPUT_PIXELS",
    "Interval",
    "empty",
    "load",
    "undecodable",
]

MAX_FRAMES = 10_000
"""Frames that are decoded at most to reach one, or to cut a clip."""

MAX_OUTPUT_PIXELS = 64_000_000
"""Pixels of a part, over all its frames."""

MAX_OUTPUT_BYTES = 1 << 28
"""Octets of the samples of a part of a sound."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A time from `start` up to `end`, in units of which `per_second` are a second (PDI §3.4.4)."""

    start: int
    end: int
    per_second: int

    def samples(self, rate: int) -> tuple[int, int]:
        """Return the first sample n with start <= n/rate, and the first with end <= n/rate."""
        return -(-self.start * rate // self.per_second), -(-self.end * rate // self.per_second)

    def holds(self, time: Fraction) -> bool:
        """Whether a time in seconds is in the interval."""
        moment = time * self.per_second
        return self.start <= moment < self.end

    def __str__(self) -> str:
        return f"{self.start},{self.end}"[:80]


def load(name: str) -> Any:
    """Import a decoder. Raises PermaciteError where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise PermaciteError(
            f"parts of pictures, sound and video need {name.partition('.')[0]}, which is not here",
            hint="pip install 'permacite[media]'",
        ) from None


def undecodable(what: str, why: object) -> PermaciteError:
    """Return the error for a document that is broken, or of a kind that is not decoded."""
    return PermaciteError(f"the {what} cannot be decoded: {str(why)[:200] or type(why).__name__}")


def empty(specifier: str, offset: int) -> ParseError:
    """Return the error for a part without content (an interval's end is excluded)."""
    return ParseError(
        "expected a part that is not empty; its end is excluded", specifier, offset, "PDI §3.4"
    )
