"""Rendition of JSON documents: their values, each named by its pointer (RFC 8259, RFC 6901).

docs/explanation/the-words-of-json.md explains these rules, which are frozen: `json-text/1`.

1.  The text is made of the values that are strings, numbers, true, false or null, in the order of
    the document. Names of members are no text: they are in the labels.
2.  Each value begins a line. An empty string leaves nothing.
3.  Strings stand as what they say, escapes decoded, line ends as CRLF; U+0000 is dropped, and half
    of a surrogate pair is U+FFFD. Everything else of them stays as it is. Numbers, true, false and
    null stand as they are written: no number is ever computed.
4.  Line ends are CRLF. A text that is not empty ends with one.
5.  Labels: each value has its JSON pointer, kind "pointer"; that of a document that is one value is
    empty, and no label, nor is one of more than 1,000 characters. A name that stands twice in an
    object gives the same pointer twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.errors import LimitError
from permacite.renditions.model import MOST_LABELS, Label, Notice, Rendered, Rendition
from permacite.text.entity import canonical
from permacite.values import values

if TYPE_CHECKING:
    from permacite.renditions.model import Original

__all__ = ["JSON_TEXT_1"]

_LINE_END = "\r\n"


def _decode(original: Original) -> str:
    return original.characters()


def _render(source: str) -> Rendered:
    parts: list[str] = []
    labels: list[Label] = []
    length = 0
    for value in values(source):
        text = canonical((value.text or "").replace("\x00", ""))
        if not text:
            continue
        if value.pointer:
            target = f"pointer={value.pointer}"
            labels.append(Label(length, length + len(text), "pointer", value.pointer, target))
        end = "" if text.endswith(_LINE_END) else _LINE_END
        parts += (text, end)
        length += len(text) + len(end)
        if len(labels) > MOST_LABELS:
            raise LimitError("too many values", limit="labels", maximum=MOST_LABELS)
    notices = () if parts else (Notice("no-words", "there are no words in it"),)
    return Rendered("".join(parts), tuple(labels), notices=notices)


JSON_TEXT_1 = Rendition("json-text", 1, frozenset({"application/json", "+json"}), _decode, _render)
