"""The list of names behind the seal of a day, in the one form whose digest the seal tells."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from permacite.archive.objects import digest_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["digest_of_names", "names_file", "names_in"]


def names_file(unique_ids: Sequence[str]) -> bytes:
    """Return unique ids, sorted already, one a line."""
    return "".join(f"{one}\n" for one in unique_ids).encode()


def digest_of_names(unique_ids: Sequence[str]) -> str:
    """Return the digest of that list."""
    return digest_of(names_file(unique_ids))


def names_in(content: bytes) -> list[str]:
    """Return the unique ids in such a list. Raises ValueError unless it is sorted, each once."""
    text = content.decode()
    found = text.split("\n")
    if found.pop() or any(left >= right for left, right in pairwise(found)):
        raise ValueError("expected sorted names, one a line")
    return found
