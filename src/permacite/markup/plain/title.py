"""The title of a page, as its `title` element has it (HTML §4.2.2)."""

from __future__ import annotations

import re

from permacite.markup.foreign import ROOTS
from permacite.markup.tokenizer import tokenize
from permacite.markup.tokens import EndTag, StartTag, Text

__all__ = ["title"]


def title(source: str, *, xml: bool = False) -> str | None:
    """Return the title of a page, white space collapsed; None where it has none."""
    inside = 0
    pieces: list[str] | None = None
    for token in tokenize(source, xml=xml):
        if isinstance(token, StartTag):
            name = token.name.rpartition(":")[2] if xml else token.name
            inside += name in ROOTS and not token.self_closing
            if name == "title" and not inside:
                pieces = []
        elif isinstance(token, EndTag):
            name = token.name.rpartition(":")[2] if xml else token.name
            inside -= name in ROOTS and inside > 0
            if pieces is not None and name == "title":
                break
        elif isinstance(token, Text) and pieces is not None:
            pieces.append(token.data)
    return " ".join(re.split(r"[\t\n\f\r ]+", "".join(pieces or ()))).strip(" ") or None
