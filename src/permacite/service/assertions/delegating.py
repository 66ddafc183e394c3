"""Who answers for names that are not here, and who mints where (PDI §2.2, §2.3, §3.8.1)."""

from __future__ import annotations

import contextlib
from datetime import date
from typing import TYPE_CHECKING

from permacite import uri
from permacite.errors import NotFoundError, ParseError
from permacite.scan import compile_pattern
from permacite.service import names
from permacite.service.promises_model import Delegation

if TYPE_CHECKING:
    from permacite.archive import Delegation as Record
    from permacite.archive import Repository

__all__ = ["delegate", "delegations", "elsewhere", "with_directions"]

_DAY = compile_pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ALMOST = compile_pattern(r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})")


def delegate(
    archive: Repository, kind: str, series: str, target: str, *, first: str | None, last: str | None
) -> Delegation:
    """Record who answers for, or mints in, a series, for names of an interval of dates.

    Dates are yyyy-mm-dd, ends included. Raises ParseError.
    """
    if kind == "resolver":
        _check_address(target)
        return _plain(
            archive.delegations.delegate(
                "resolver",
                series,
                target.rstrip("/"),
                first=_day(first, date.min),
                last=_day(last, date.max),
            )
        )
    return _plain(
        archive.delegations.delegate(
            "minter", series, target, first=_day(first, date.min), last=_day(last, date.max)
        )
    )


def delegations(archive: Repository, series: str | None) -> list[Delegation]:
    """Return the delegations of a series and those above it, resolvers first; all where None."""
    found = archive.delegations
    return [
        *map(_plain, found.delegations("resolver", series)),
        *map(_plain, found.delegations("minter", series)),
    ]


def elsewhere(archive: Repository, reference: str) -> str | None:
    """Return the address under which another resolver answers for a name; None: this one does."""
    name, fragment = names.document_of(reference)
    found = archive.delegations.resolver_of(name)
    if found is None:
        return None
    tail = f"?fragment={fragment.specifier}" if fragment is not None else ""
    return f"{found.target}/{name}{tail}"


def with_directions(archive: Repository, reference: str, error: NotFoundError) -> NotFoundError:
    """Return the same error, with the address of the resolver that would know, if there is one."""
    address = elsewhere(archive, reference)
    if address is None:
        return error
    return NotFoundError(
        error.problem, error.name, candidates=error.candidates, hint=f"it may be at {address}"
    )


def _check_address(target: str) -> None:
    """Raise ParseError where a resolver's address is none."""
    found = uri.parse(target)
    if found.scheme not in {"http", "https"} or not found.host:
        raise ParseError(
            "expected the http or https address of a resolver", target, 0, "PDI §3.8.1"
        )


def _day(text: str | None, default: date) -> date:
    """Read yyyy-mm-dd. Raises ParseError."""
    if text is None:
        return default
    try:
        if _DAY.fullmatch(text):
            return date.fromisoformat(text)
        problem = None
    except ValueError as error:
        problem = error
    hint = ""
    written = _ALMOST.fullmatch(text)
    with contextlib.suppress(ValueError):
        hint = f"did you mean {date(*map(int, written.groups()))}" if written else ""
    raise ParseError("expected a date, yyyy-mm-dd", text, 0, "PDI §2.3", hint=hint) from problem


def _plain(record: Record) -> Delegation:
    return Delegation(
        kind=record.kind,
        series=record.series,
        target=record.target,
        first=None if record.first == date.min else record.first,
        last=None if record.last == date.max else record.last,
        recorded_at=record.recorded_at,
    )
