"""The text of a WebVTT cue: tags, voices, character references, and times inside it.

| section | function |
|---|---|
| §6.4 WebVTT cue text parsing rules, the tree | pieces |
| §6.4 WebVTT cue text tokenizer | _TOKEN, _start_tag |
| HTML §13.2.5.72 character reference state | markup.references |

Deviations: none that the words tell of; classes and languages of spans are read past.

Readings: a time inside a cue holds for what follows it, if it lies behind the times before it and
before the end of the cue, as §4.2.2 demands of authors; any other is read past. A voice without a
name is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite.captions.model import Cue, Piece
from permacite.captions.webvtt import timestamp
from permacite.markup import references
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["pieces"]

_TOKEN = compile_pattern(r"<([^>]*+)>?+|([^<]++)")
_NAME = compile_pattern(r"[^\t\n\f .]*+")
_CLASSES = compile_pattern(r"(?:\.[^\t\n\f .]*+)*+")
_DIGITS = frozenset("0123456789")
_SPANS = frozenset({"c", "i", "b", "u", "ruby", "v", "lang"})


class _Open(NamedTuple):
    """A span that is open, and who speaks in it."""

    name: str
    voice: str | None


def pieces(cue: Cue) -> Iterator[Piece]:
    """The text of a cue in pieces, each of one voice and one time."""
    stack = [_Open("", None)]
    start = cue.start_ms
    waiting: list[tuple[str, str | None]] = []  # a piece ends at the next time, or with the cue
    for token in _TOKEN.finditer(cue.text):
        if token[1] is None:
            waiting.append((references.decode(token[2], nul="\ufffd"), stack[-1].voice))
        elif token[1][:1] == "/":
            _end_tag(stack, token[1][1:])
        elif token[1][:1] in _DIGITS:
            time = timestamp(token[1])
            if time is not None and start < time < cue.end_ms:
                yield from (Piece(*piece, start, time) for piece in waiting)
                waiting, start = [], time
        else:
            _start_tag(stack, token[1])
    yield from (Piece(*piece, start, cue.end_ms) for piece in waiting)


def _start_tag(stack: list[_Open], tag: str) -> None:
    """Open a span: a name, classes, and an annotation behind white space."""
    name = _NAME.match(tag)
    assert name is not None  # noqa: S101 - it may be empty
    if name[0] not in _SPANS and not (name[0] == "rt" and stack[-1].name == "ruby"):
        return
    voice = stack[-1].voice
    if name[0] == "v":
        classes = _CLASSES.match(tag, name.end())
        assert classes is not None  # noqa: S101 - as before
        voice = " ".join(references.decode(tag[classes.end() :]).split()) or None
    stack.append(_Open(name[0], voice))


def _end_tag(stack: list[_Open], name: str) -> None:
    """Close the innermost span, if it has this name; a ruby takes its last text along."""
    if name and stack[-1].name == name:
        stack.pop()
    elif name == "ruby" and stack[-1].name == "rt":
        del stack[-2:]
