"""The tokens of XML documents: real tags only, nothing expanded, nothing fetched.

XML 1.0 (fifth edition) §2.4-2.8, §3.1. The same token kinds as HTML's, with the case of names kept.
Documents that are not well formed are read as far as that makes sense, never refused: the tokens
only say where things stand.

Readings: references to entities that a DTD declares stay as they are written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.markup.tokens import (
    ATTRIBUTE,
    Comment,
    Doctype,
    EndTag,
    Ignored,
    ProcessingInstruction,
    StartTag,
    Text,
    Token,
)
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["xml_tokens"]

_TAG = compile_pattern(
    rf"<(/?+)([A-Za-z_:\x80-\U0010ffff][^\t\n\f\r />]*+)(?:{ATTRIBUTE})*+([\t\n\f\r /]*+)(>?+)"
)
# DOCTYPE: quoted literals may hold ">" and "]", and so may the internal subset's comments and PIs.
_SUBSET = (
    r"\[(?:[^\]\"'<]|\"[^\"]*+\"|'[^']*+'|<!--(?:[^-]|-(?!->))*+-->|<\?(?:[^?]|\?(?!>))*+\?>|<)*+\]"
)
_DOCTYPE = compile_pattern(
    rf"<!DOCTYPE(?:[^\[\]\"'>]|\"[^\"]*+\"|'[^']*+')*+(?:{_SUBSET}[\t\n\r ]*+)?+>"
)


def xml_tokens(source: str) -> Iterator[Token]:
    """Yield the tokens of an XML document in order; together they are the whole source."""
    start = at = 0
    while (at := source.find("<", at)) >= 0:
        token = _token(source, at)
        if token is None:
            at += 1
            continue
        if start < at:
            yield Text(start, at, "data", source, xml=True)
        yield token
        start = at = token.end
    if start < len(source):
        yield Text(start, len(source), "data", source, xml=True)


def _token(source: str, at: int) -> Token | None:
    """Return the token that `<` opens; None where it is text, which only malformed XML has."""
    match = _TAG.match(source, at)
    if match is None:
        return _declaration(source, at)
    slash, name, tail, closed = match.groups()
    if not closed:
        return Ignored(at, len(source), source)
    if slash:
        return EndTag(name, at, match.end(), source)
    return StartTag(name, at, match.end(), tail.endswith("/"), source, xml=True)


def _declaration(source: str, at: int) -> Token | None:
    if source.startswith("<!--", at):
        end = source.find("-->", at + 4)
        data_end, end = (len(source), len(source)) if end < 0 else (end, end + 3)
        return Comment(at, end, at + 4, data_end, source)
    if source.startswith("<![CDATA[", at):
        end = source.find("]]>", at + 9)
        return Text(at, len(source) if end < 0 else end + 3, "cdata", source, xml=True)
    if source.startswith("<?", at):
        end = source.find("?>", at + 2)
        return ProcessingInstruction(at, len(source) if end < 0 else end + 2, source)
    if source.startswith("<!DOCTYPE", at):
        match = _DOCTYPE.match(source, at)
        return Doctype(at, _after_mark(source, at) if match is None else match.end(), source)
    if source.startswith("<!", at):
        return Ignored(at, _after_mark(source, at), source)
    return None


def _after_mark(source: str, at: int) -> int:
    """Return the offset behind the next `>`, or of the end."""
    end = source.find(">", at)
    return len(source) if end < 0 else end + 1
