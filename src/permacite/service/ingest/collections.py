"""Files in which others keep many pages: recognised where one document is expected, and refused.

Taken for a text, or for octets of no kind, such a file would get a name that says nothing of what
is in it, for good. `Crawls.add_crawls` reads those that can be read.
"""

from __future__ import annotations

import io

from permacite.capture.crawls.formats import SUFFIXES, kind_of
from permacite.errors import ParseError

__all__ = ["refuse_collections"]

_HEAD = 64


def refuse_collections(content: bytes, name: str = "") -> None:
    """Raise ParseError for a file of many pages, by its content or else by its name."""
    kind = kind_of(io.BytesIO(content))
    suffix = next((ending for ending in SUFFIXES if name.lower().endswith(ending)), None)
    if kind is None and suffix is None:
        return
    what = f"a {kind} file" if kind else f"a {suffix} file by its name"
    raise ParseError(
        f"this is {what}, in which many pages are kept, and no document by itself",
        name or content[:_HEAD].decode("latin-1"),
        0,
        hint="nothing was archived; permacite import reads such files by their paths",
    )
