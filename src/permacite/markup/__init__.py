"""Markup: tokens, charsets, the references of CSS, the text of a page, where its elements end.

Two things here are frozen, because citations count by them: the tokenizer (TOKENIZER_VERSION) and
the plain text (RENDITION_VERSION). All of it takes any input, raises nothing for it, and takes time
in proportion to its length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.markup.charset import Settled, charset_in, decode, sniff_charset
    from permacite.markup.css import CssUrl, css_urls
    from permacite.markup.document import (
        Document,
        PageReading,
        Quotation,
        plain_text,
        read_page,
        title,
    )
    from permacite.markup.plain.render import RENDITION_VERSION
    from permacite.markup.plain.rendition import Piece, Rendition, Run
    from permacite.markup.tokenizer import TOKENIZER_VERSION, tokenize
    from permacite.markup.tokens import (
        Attribute,
        Comment,
        Doctype,
        EndTag,
        Ignored,
        ProcessingInstruction,
        StartTag,
        Text,
        Token,
    )
    from permacite.media_types import content_type

__all__ = [
    "RENDITION_VERSION",
    "TOKENIZER_VERSION",
    "Attribute",
    "Comment",
    "CssUrl",
    "Doctype",
    "Document",
    "EndTag",
    "Ignored",
    "PageReading",
    "Piece",
    "ProcessingInstruction",
    "Quotation",
    "Rendition",
    "Run",
    "Settled",
    "StartTag",
    "Text",
    "Token",
    "charset_in",
    "content_type",
    "css_urls",
    "decode",
    "plain_text",
    "read_page",
    "sniff_charset",
    "title",
    "tokenize",
]

on_demand(
    __name__,
    {
        "permacite.markup.charset": "Settled, charset_in, decode, sniff_charset",
        "permacite.markup.css": "CssUrl, css_urls",
        "permacite.markup.document": (
            "Document, PageReading, Quotation, plain_text, read_page, title"
        ),
        "permacite.markup.plain.render": "RENDITION_VERSION",
        "permacite.markup.plain.rendition": "Piece, Rendition, Run",
        "permacite.markup.tokenizer": "TOKENIZER_VERSION, tokenize",
        "permacite.markup.tokens": (
            "Attribute, Comment, Doctype, EndTag, Ignored, ProcessingInstruction, StartTag, "
            "Text, Token"
        ),
        "permacite.media_types": "content_type",
    },
)
