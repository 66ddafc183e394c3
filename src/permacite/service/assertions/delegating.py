"""Delegation: resolvers and minters of other series (PDI §2.2, §2.3, §3.8.1)."""

from __future__ import annotations

import contextlib
from datetime import date
from typing import TYPE_CHECKING

from permacite import uri
from permacite.errors import NotFoundError, ParseError
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern
from permacite.service import names

if TYPE_CHECKING:
    from datetime import datetime

    from permacite.archive.model.answered import Delegation
    from permacite.archive.repository import Repository

__all__ = ["Delegated", "SeriesNames", "elsewhere", "request_of", "with_directions"]

_DAY = compile_pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_THTTP = "/uri-res"
"""What RFC 2169 has before its services, such as `/uri-res/N2R?urn:...`."""
_ALMOST = compile_pattern(r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})")


@dataclass(frozen=True, slots=True)
class Delegated:
    """Who answers for a series, or mints in it. None as a date leaves that end open."""

    kind: str
    """"resolver" or "minter"."""
    series: str
    target: str
    """The address of the resolver, and of those that hold copies; or who mints."""
    first: date | None
    """Of the dates in names, inclusive, as `last`."""
    last: date | None
    recorded_at: datetime


class SeriesNames:
    """The series that mint here, and who answers for others."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def names(self) -> list[str]:
        """The series that mint here; the first mints where none is named."""
        return self._repository.settings.series_names()

    def add(self, name: str) -> list[str]:
        """Let another series mint here; all are returned. Raises ParseError."""
        self._repository.settings.add_series(name)
        return self._repository.settings.series_names()

    def use(self, name: str) -> list[str]:
        """Let a series mint where none is named; all are returned, it first. Raises ParseError."""
        self._repository.settings.use_series(name)
        return self._repository.settings.series_names()

    def delegate(
        self,
        kind: str,
        series: str,
        target: str,
        *,
        first: str | None = None,
        last: str | None = None,
    ) -> Delegated:
        """Record who answers for ("resolver"), or mints in ("minter"), a series, and those below.

        The dates in names are yyyy-mm-dd, ends included. After the resolver that answers, with
        spaces between, others may stand that hold copies of what it has. Raises ParseError.
        """
        by_resolver = kind == "resolver"
        delegation = self._repository.delegations.delegate(
            "resolver" if by_resolver else "minter",
            series,
            _addresses(target) if by_resolver else target,
            first=_day(first, date.min),
            last=_day(last, date.max),
        )
        return _delegated(delegation)

    def delegations(self, series: str | None = None) -> list[Delegated]:
        """The delegations of a series and those above it, resolvers first; all where None."""
        delegations = self._repository.delegations
        return [
            *map(_delegated, delegations.delegations("resolver", series)),
            *map(_delegated, delegations.delegations("minter", series)),
        ]

    def elsewhere(
        self, reference: str, service: str | None = None, *, usual: str = "N2R"
    ) -> list[str]:
        """The addresses under which others answer for a name, the best first; none: this one does.

        `service`: what of THTTP (RFC 2169) is asked for, such as N2C; None for the name itself,
        for which a resolver that speaks THTTP alone is asked by the service `usual`.
        """
        return elsewhere(self._repository, reference, service, usual=usual)


def elsewhere(
    repository: Repository, reference: str, service: str | None = None, *, usual: str = "N2R"
) -> list[str]:
    """As `Delegations.elsewhere`."""
    name, fragment = names.document_of(reference)
    delegation = repository.delegations.resolver_of(name)
    targets = [] if delegation is None else delegation.target.split()
    specifier = None if fragment is None else fragment.specifier
    found = []
    for target in targets:
        if service is not None or _is_thttp_alone(target):
            found.append(request_of(target, service or usual, str(name), specifier))
        else:
            tail = f"?fragment={specifier}" if specifier else ""
            found.append(f"{target}/{name}{tail}")
    return found


def request_of(resolver: str, service: str, name: str, specifier: str | None = None) -> str:
    """The request for a service of THTTP; the address of who speaks it alone ends `/uri-res`."""
    resolver = resolver.rstrip("/")
    base = resolver if _is_thttp_alone(resolver) else f"{resolver}{_THTTP}"
    tail = f"%23{specifier}" if specifier else ""
    return f"{base}/{service}?{name}{tail}"


def _is_thttp_alone(resolver: str) -> bool:
    return resolver.lower().endswith(_THTTP)


def with_directions(repository: Repository, reference: str, error: NotFoundError) -> NotFoundError:
    """The same error, with the address of the resolver that would know, if there is one."""
    addresses = elsewhere(repository, reference)
    if not addresses:
        return error
    hint = f"it may be at {' or '.join(addresses)}"
    return NotFoundError(error.problem, error.name, candidates=error.candidates, hint=hint)


def _addresses(target: str) -> str:
    """The addresses of resolvers, as they are recorded. Raises ParseError where one is none."""
    for each in target.split() or [target]:
        address = uri.parse(each)
        if address.scheme not in {"http", "https"} or not address.host:
            raise ParseError(
                "expected the http or https address of a resolver", each, 0, "PDI §3.8.1"
            )
    return " ".join(each.rstrip("/") for each in target.split())


def _day(text: str | None, default: date) -> date:
    """A day from yyyy-mm-dd. Raises ParseError."""
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


def _delegated(delegation: Delegation) -> Delegated:
    return Delegated(
        kind=delegation.kind,
        series=delegation.series,
        target=delegation.target,
        first=None if delegation.first == date.min else delegation.first,
        last=None if delegation.last == date.max else delegation.last,
        recorded_at=delegation.recorded_at,
    )
