"""Elements of a markup document with their ends: one for each start tag, in source order.

Positions count the start tags of the frozen tokenizer (`permacite.markup`), those that tree
construction ignores included; tags in comments, raw text and CDATA sections are none.

| ruling | function |
|---|---|
| an element ends with its end tag, or before what closes it, or with the document | html_elements |
| a tag that makes no element, or an empty one, is all there is of it | html_elements |
| real tags of XML, nothing expanded | xml_elements |

Tree construction decides what closes what in HTML (HTML Living Standard §13.2.6, scripting
off, with the rules of select that held until 2025), whose stack of open elements is kept here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite.markup.tokenizer import tokenize
from permacite.markup.tokens import Doctype, EndTag, StartTag, Text
from permacite.markup.tree import body, foreign, head, table
from permacite.markup.tree.construction import CharacterToken, Tree
from permacite.markup.tree.quirks import is_quirky
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.markup.tree.construction import Token

__all__ = ["MarkupElement", "html_elements", "xml_elements"]

_NOT_BLANK = compile_pattern(r"[^\t\n\f\r \0]")
_RULES = head.RULES | table.RULES | {"in body": body.in_body}


class MarkupElement(NamedTuple):
    """A start tag and where its element ends: offsets in the decoded source."""

    tag: StartTag
    start: int
    end: int


def html_elements(source: str) -> list[MarkupElement]:
    """Return the element of every start tag. Raises LimitError where nesting is hostile."""
    tree = Tree(_RULES, _dispatch)
    tags = []
    for token in tokenize(source):
        if isinstance(token, StartTag):
            tags.append(token)
            tree.ends.append(token.end)
            tree.handle(token)
        elif isinstance(token, EndTag):
            tree.handle(token)
        elif isinstance(token, Text):
            for characters in _characters(token):
                tree.handle(characters)
        elif isinstance(token, Doctype) and not tree.stack:
            tree.quirks = is_quirky(token)
    for node in tree.stack:
        if node not in tree.ended:
            tree.ends_at(node, len(source))
    return [MarkupElement(tag, tag.start, end) for tag, end in zip(tags, tree.ends, strict=True)]


def _dispatch(tree: Tree, token: Token) -> None:
    if foreign.applies(tree, token):
        foreign.in_foreign(tree, token)
    else:
        tree.by(tree.mode, token)


def _characters(token: Text) -> list[CharacterToken]:
    """Return a text in two: leading white space, and the rest."""
    match = _NOT_BLANK.search(token.source, token.start, token.end)
    end = token.end if match is None else match.start()
    pieces = []
    if token.source[token.start : end].strip("\0"):
        pieces.append(CharacterToken(token.start, end, blank=True))
    if match is not None:
        pieces.append(CharacterToken(end, token.end, blank=False))
    return pieces


def xml_elements(source: str) -> list[MarkupElement]:
    """Return the element of every start tag of an XML document, well formed or not.

    An end tag closes the nearest open element of its name, and those inside with it.
    """
    ends: list[int] = []
    tags: list[StartTag] = []
    stack: list[int] = []
    names: dict[str, int] = {}
    for token in tokenize(source, xml=True):
        if isinstance(token, StartTag):
            tags.append(token)
            ends.append(token.end)
            if not token.self_closing:
                stack.append(len(tags) - 1)
                names[token.name] = names.get(token.name, 0) + 1
        elif isinstance(token, EndTag) and names.get(token.name):
            closed = ""
            while closed != token.name:
                index = stack.pop()
                closed = tags[index].name
                names[closed] -= 1
                ends[index] = token.end if closed == token.name else token.start
    for index in stack:
        ends[index] = len(source)
    return [MarkupElement(tag, tag.start, end) for tag, end in zip(tags, ends, strict=True)]
