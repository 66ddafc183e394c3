"""Charset of a text: settled once, when it is committed, and kept with its format.

What is kept is a codec of the Encoding Standard and the version of the rules, such as `gbk/2`. The
names that were minted before have the label as it came: the first rules go on to read it.
docs/decisions/0025-one-text.md says why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite import markup
from permacite.archive.model.answered import Decoding
from permacite.charsets import RULES_VERSION, of_codec
from permacite.errors import ParseError
from permacite.media_types import is_xml
from permacite.text.document import DocumentText

if TYPE_CHECKING:
    from permacite.archive.model.submitted import NewRepresentation
    from permacite.charsets import Charset

__all__ = [
    "DERIVED",
    "HEAD_BYTES",
    "charset_of",
    "decoding_of",
    "document_text",
    "is_of_first_rules",
    "settle",
    "text_of_new",
]

HEAD_BYTES = 1024
"""What `charset_of` wants to see."""

_DECLARING = frozenset({"text/html", "text/css"})
_TEXTS = frozenset({"application/x-subrip"})
"""Texts by another name: those that are in no known charset stay octets."""
_RULES = f"/{RULES_VERSION}"
DERIVED = Decoding(f"utf-8{_RULES}")
"""Of texts that we write."""


def settle(document: markup.Document) -> Decoding | None:
    """The decoding of a text that comes in; None for what is no text.

    Raises ParseError for plain text without a label that is not UTF-8: nothing tells what it is.
    """
    media_type, label = document.media_type, document.label
    declaring = media_type in _DECLARING or document.is_xml
    is_text = media_type.startswith("text/")
    if label is None and not (declaring or is_text or media_type in _TEXTS):
        return None
    settled = document.settled
    if settled.by == "fallback" and label is None and not declaring:
        if is_text:
            raise _unknown(document.content)
        return None
    return Decoding(settled.codec + _RULES, settled.by, label)


def _unknown(content: bytes) -> ParseError:
    """Return the error of text that could be in any charset."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        start = error.start
    return ParseError(
        f"text that is no UTF-8: octet 0x{content[start]:02x}",
        content[: start + 80].decode("utf-8", "replace"),
        len(content[:start].decode("utf-8")),
        "RFC 5147 §1.1",
        hint="say which charset it is in: --charset windows-1252, for example",
    )


def decoding_of(new: NewRepresentation) -> Decoding | None:
    """The decoding of a format that is to be committed. Raises ParseError."""
    return new.decoding or settle(markup.Document(new.content, new.media_type.lower(), new.charset))


def charset_of(media_type: str, recorded: str | None, head: bytes) -> Charset:
    """The charset of a format, from what is recorded of it and its first octets.

    Nothing is recorded of formats that were not taken for text: of those XML may declare its own.
    """
    if recorded is not None and not is_of_first_rules(recorded):
        codec = recorded.removesuffix(_RULES)
        return of_codec(codec)
    if recorded is None and not is_xml(media_type):
        recorded = "us-ascii" if media_type == "message/header" else "utf-8"
    from permacite.text import first_rules

    return first_rules.charset(recorded or markup.sniff_charset(head, None, media_type).codec)


def is_of_first_rules(recorded: str | None) -> bool:
    """Whether a format was committed by the first rules, from what is recorded of its charset."""
    return recorded is None or not recorded.endswith(_RULES)


def document_text(content: bytes, media_type: str, recorded: str | None) -> DocumentText:
    """Return the text of octets, from what is recorded of them."""
    return DocumentText(content, charset_of(media_type, recorded, content))


def text_of_new(new: NewRepresentation) -> DocumentText:
    """Return the text of a format that is to be committed. Raises ParseError."""
    decoding = decoding_of(new)
    recorded = None if decoding is None else decoding.recorded
    return document_text(new.content, new.media_type.lower(), recorded)
