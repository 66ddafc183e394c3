"""Resolver of a name: each names the next one, until one answers.

PDI draft §3.8.1: whoever does not know a name knows to whom its series is delegated. Each is asked
what is known of the name (N2C, RFC 2169), and never for the document; where an answer points is
followed here one by one, three times at most, and never round. Where a resolver does not answer,
those are asked that hold copies of what it has: links of the relation "duplicate" (RFC 6249 §3).
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Literal

from permacite import uri
from permacite.archive.statements import follow
from permacite.errors import CaptureError, NotFoundError, ParseError
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern
from permacite.service import names
from permacite.service.assertions.delegating import elsewhere, request_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.archive.repository import Repository
    from permacite.capture.model import Exchange
    from permacite.pdi import PDI

__all__ = ["Leading", "Step", "Way", "way_from"]

_REDIRECTS = range(300, 400)
_DUPLICATE = compile_pattern(r'<([^<>]{1,4000}+)>[^,<]{0,200}?;\s*rel="?duplicate\b')
_MOST_OCTETS = 1 << 20
"""Of what is known of a name."""


@dataclass(frozen=True, slots=True)
class Step:
    """One resolver that was asked."""

    resolver: str
    outcome: Literal["answers", "leads-on", "fails"]
    problem: str | None
    """Why it did not answer."""


@dataclass(frozen=True, slots=True)
class Way:
    """The resolvers that lead to the one that answers for a name."""

    name: str
    here: bool
    """Whether the archive that was asked first holds it: then nobody else was asked."""
    steps: tuple[Step, ...]

    @property
    def answered(self) -> bool:
        """Whether somebody answers."""
        return self.here or (bool(self.steps) and self.steps[-1].outcome == "answers")


class Leading:
    """Where names are that are not here."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def way(self, reference: str, *, allow_private: bool = False) -> Way:
        """The way to the resolver that answers for a name, from this archive on.

        `allow_private`: resolvers may have addresses of this machine or network. Raises
        NotFoundError where the name is not here and its series not delegated, ConflictError where
        the way runs in a circle, LimitError where it is too long.
        """
        name, _ = names.document_of(reference)
        try:
            self._repository.lookup.representation(name)
        except NotFoundError:
            start = elsewhere(self._repository, str(name), "N2C")
            if not start:
                raise
            return _way(name, start, allow_private=allow_private)
        return Way(str(name), here=True, steps=())


def way_from(resolver: str, reference: str, *, allow_private: bool = False) -> Way:
    """The same from a resolver on, by its address."""
    name, _ = names.document_of(reference)
    return _way(name, [request_of(resolver, "N2C", str(name))], allow_private=allow_private)


def _way(name: PDI, start: Sequence[str], *, allow_private: bool) -> Way:
    from permacite.capture import fetch
    from permacite.capture.model import FetchLimits, FetchOptions

    limits = FetchLimits(total_bytes=_MOST_OCTETS, part_bytes=_MOST_OCTETS)
    options = FetchOptions(limits, allow_private=allow_private)
    steps: list[Step] = []

    def ask(address: str, _: PDI) -> Sequence[str]:
        resolver = _resolver(address)
        try:
            answer = fetch(address, options, onward=False)
            onward = [each for each in _onward(answer) if _resolver(each) != resolver]
        except CaptureError as error:
            steps.append(Step(resolver, "fails", error.problem))
            raise
        steps.append(Step(resolver, "leads-on" if onward else "answers", None))
        return onward

    with contextlib.suppress(CaptureError):  # told by the last step
        follow(name, start, ask)
    return Way(str(name), here=False, steps=tuple(steps))


def _onward(answer: Exchange) -> list[str]:
    """Where an answer points, the best first; nowhere where it is one. Raises CaptureError."""
    from permacite.capture.address import absolute

    found: list[str] = []
    for field, value in answer.response_headers:
        if field.lower() == "location":
            found.insert(0, value)
        elif field.lower() == "link":
            found += _DUPLICATE.findall(value)
    if answer.status not in _REDIRECTS:
        return []
    try:
        return [absolute(each, answer.uri) for each in found]
    except ParseError as error:
        raise CaptureError(
            f"it points to {found[0]!r}: {error.problem}", uri=answer.uri, reason="syntax"
        ) from error


def _resolver(address: str) -> str:
    """The address of the resolver that a request is made to."""
    base, mark, _ = address.partition("/uri-res/")
    if mark:
        return base
    parts = uri.parse(address)
    return f"{parts.scheme}://{parts.authority}"
