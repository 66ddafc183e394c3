"""Aggregates inside a message: the root, and which parts see which (RFC 2557 §7).

    RFC 2387 §3.1 type, §3.2 start -> root_of       RFC 2046 §5.1.4 alternatives -> _alternative
    RFC 2557 §7, §8.2(d) visibility -> scopes_of, members_of

Deviations: None.
Readings: the root is the start part, else the first part; where that is not of the declared type,
the first part of that type, else the first HTML, with a defect. An alternative shows its last part
that can be shown and is not empty. Other multiparts show their first aggregate, else their first
page. A message inside a message is a world of its own: parts do not see across it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.media_types import PAGES, essence
from permacite.mhtml.label import read_id
from permacite.mhtml.reading.part import defect_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.mhtml.mime.model import Defect
    from permacite.mhtml.reading.part import BodyPart

__all__ = ["members_of", "root_of", "scopes_of", "start_of"]

_SHOWN = (*PAGES, "text/plain", "image/svg+xml", "multipart/related")


def root_of(part: BodyPart) -> tuple[BodyPart, list[Defect]]:
    """The part that `part` is shown by, itself unless it holds others; and defects."""
    defects: list[Defect] = []
    while part.body_parts:
        if part.content_type == "multipart/related":
            part = _start(part, defects)
        elif part.content_type == "multipart/alternative":
            part = _alternative(part)
        elif part.is_multipart:
            part = _main(part)
        else:
            part = part.body_parts[0]
    return part, defects


def _main(part: BodyPart) -> BodyPart:
    """The first aggregate in a multipart of no such kind; else its first page or part."""
    inner = list(_below(part))
    pages = [each for each in inner if not each.body_parts and each.content_type in PAGES]
    aggregates = [each for each in inner if each.content_type == "multipart/related"]
    return next(iter([*aggregates, *pages, *part.body_parts]))


def start_of(aggregate: BodyPart) -> BodyPart:
    """The part directly inside a multipart/related that is or holds its root."""
    return _start(aggregate, [])


def _start(aggregate: BodyPart, defects: list[Defect]) -> BodyPart:
    """The start part of a multipart/related, by `start` and `type` (RFC 2387 §3)."""
    start, declared = aggregate.parameters.get("start"), aggregate.parameters.get("type")
    first = aggregate.body_parts[0]
    if start is not None:
        wanted, bracketed = read_id(start.encode("latin-1", "replace"))
        if not bracketed:
            defects.append(defect_of(aggregate, "start-brackets", "Content-Type"))
        named = next((part for part in aggregate.body_parts if part.content_id == wanted), None)
        if named is not None:
            return named
        defects.append(defect_of(aggregate, "start-unknown", "Content-Type", start))
    if declared is None:
        defects.append(defect_of(aggregate, "no-type", "Content-Type"))
        return first
    declared = essence(declared)
    if first.content_type == declared:
        return first
    detail = f"{first.content_type}, not {declared}"
    defects.append(defect_of(aggregate, "type-differs", "Content-Type", detail))
    return _of_type(aggregate, declared) or first


def _of_type(aggregate: BodyPart, declared: str) -> BodyPart | None:
    """The first part of the declared type, or that holds it; else the first HTML."""
    for part in aggregate.body_parts:
        if part.content_type == declared:
            return part
        if (
            part.content_type == "multipart/alternative"
            and root_of(part)[0].content_type == declared
        ):
            return part
    return next((part for part in aggregate.body_parts if part.content_type in PAGES), None)


def _alternative(part: BodyPart) -> BodyPart:
    """The last alternative that can be shown; the last of all if none can."""
    filled = [child for child in part.body_parts if child.end > child.body_offset]
    shown = [child for child in filled if child.content_type in _SHOWN]
    return (shown or filled or list(part.body_parts))[-1]


def scopes_of(part: BodyPart) -> Iterator[BodyPart]:
    """Yield the aggregates around `part`, from the innermost outwards, up to its own message."""
    enclosing: BodyPart | None = part
    while enclosing is not None:
        if enclosing.content_type == "multipart/related" and enclosing.body_parts:
            yield enclosing
        if enclosing.is_message:
            return
        enclosing = enclosing.parent


def members_of(aggregate: BodyPart) -> Iterator[BodyPart]:
    """Yield the parts that references inside `aggregate` may mean, in the order of the file.

    Nested aggregates count as one part each; what is inside them does not (RFC 2557 §9.6).
    """
    waiting = list(reversed(aggregate.body_parts))
    while waiting:
        part = waiting.pop()
        yield part
        if part.is_multipart and part.content_type != "multipart/related":
            waiting += reversed(part.body_parts)


def _below(part: BodyPart) -> Iterator[BodyPart]:
    """Yield every part below `part`, in the order of the file."""
    waiting = list(reversed(part.body_parts))
    while waiting:
        current = waiting.pop()
        yield current
        waiting += reversed(current.body_parts)
