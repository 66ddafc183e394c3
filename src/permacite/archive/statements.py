"""Statements about names: assertions, withdrawals, and delegations of a series.

PDI draft:
  §3.6.5 Assertions             -> `state`, `assertions`
  §2.1 names cannot be retracted -> `withdraw`, `reinstate`, `withdrawal`
  §2.2 subseries are delegated by a component on the left -> `winning`, `minters` of the records
  §2.3 intervals may have other policies and resolvers           -> `Delegation.first`, `.last`
  §3.8.1 finding a resolver                                      -> `resolver_of`, `follow`

Deviations: none.
Readings: a name stays for ever, so a withdrawal is a tombstone over its octets (pdi-18): name,
digests and the log stay, the octets are kept and no longer given out, and nothing else ever gets
the name. A later reinstatement lifts it; both stay on record. Of the statements about a document
and about one format of one version, the latest counts.
A delegation covers its series and all below it, and the dates in names, not the date of
asking. The longest series wins, then the shortest interval, then the latest record; nothing is
ever taken back, only delegated anew. A target may be several resolvers, the best first: the others
hold copies, and are asked where it does not answer. An archive is one of the minters where a target
is a series that mints in it; where others are named alone, it mints nothing. A chain of resolvers
has three hops at most and no loop.
"""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Literal

from permacite import pdi as grammar
from permacite.archive import names
from permacite.archive.canonical_json import canonical_json
from permacite.archive.gate import EFFECTS, subjects_of, withdrawal_in
from permacite.archive.model.answered import REASONS
from permacite.archive.records import statements, versions
from permacite.archive.records.statements import lineage, winning
from permacite.errors import CaptureError, ConflictError, LimitError, NotFoundError, ParseError
from permacite.pdi import PDI
from permacite.pdi.predicates import check_predicate, predicate_iri

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.model.answered import (
        Assertion,
        Delegation,
        Kind,
        Representation,
        Withdrawal,
    )

__all__ = ["Delegations", "Statements", "follow"]

_WITHDRAWN, _REINSTATED = EFFECTS
MAX_HOPS = 3


class Statements:
    """The statements of one archive."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def state(
        self, subject: str, predicate: str, value: str, *, who: str | None = None
    ) -> Assertion:
        """Record a statement about a PDI of any kind, of this archive or of another one.

        Raises ParseError where `subject` is no PDI or `predicate` none, ConflictError for the
        predicates "withdrawn" and "reinstated", which `withdraw` and `reinstate` write.
        """
        check_predicate(predicate)
        if predicate_iri(predicate) in map(predicate_iri, EFFECTS):
            raise ConflictError(f"the predicate {predicate!r} has a method of its own", subject)
        subject = _canonical(subject)
        return self._catalog.write(statements.record_assertion, subject, predicate, value, who=who)

    def assertions(self, *subjects: str | PDI, predicate: str | None = None) -> list[Assertion]:
        """Return the statements with these subjects and this predicate, oldest first; else any.

        Subjects are compared by lexical equivalence (PDI §3.6.4); statements about a document
        are not repeated for its versions.
        """
        return self._catalog.read(
            statements.assertions,
            [_canonical(subject) for subject in subjects] or None,
            None if predicate is None else [predicate],
        )

    def withdraw(
        self,
        pdi: PDI,
        *,
        reason: str,
        status: Literal[410, 451] = 410,
        who: str | None = None,
        note: str | None = None,
    ) -> Withdrawal:
        """Withdraw a document, all its versions, or one format of one version.

        From now on its octets are not given out. `reason` is a code of `REASONS`: it is told to
        all. A `note` is for the operator, and in no log. Raises NotFoundError where it is not here,
        ParseError for any other reason.
        """
        if reason not in REASONS:
            problem = f"expected a reason from the list: {', '.join(REASONS)}"
            raise ParseError(problem, reason, 0, hint="words go into a note, which is private")
        subject = self._subject(pdi)
        text = canonical_json({"reason": reason, "status": int(status)}).decode()
        return withdrawal_in(
            self._catalog.write(
                statements.record_assertion, subject, _WITHDRAWN, text, who=who, remark=note
            )
        )

    def reinstate(self, pdi: PDI, *, who: str | None = None, note: str | None = None) -> Assertion:
        """Lift a withdrawal. Raises NotFoundError where `pdi` is not withdrawn."""
        subject = self._subject(pdi)
        if self._latest([subject]) is None:
            raise NotFoundError(f"{subject} is not withdrawn", subject)
        return self._catalog.write(
            statements.record_assertion, subject, _REINSTATED, "{}", who=who, remark=note
        )

    def repeat(self, subject: str, predicate: str, value: str, *, who: str | None) -> Assertion:
        """Record a statement as it was recorded elsewhere, be it a withdrawal: for copies."""
        return self._catalog.write(
            statements.record_assertion, subject, predicate, value, who=who, again=True
        )

    def remarks(self, representations: Iterable[Representation]) -> list[str]:
        """Notes of the operator on withdrawals, oldest first.

        Reasons in words were told to all before there were codes; they are notes now.
        """
        subjects = subjects_of(representations)
        said = self._catalog.read(statements.assertions, subjects, EFFECTS)
        reasons = [json.loads(assertion.object).get("reason", "") for assertion in said]
        early = [reason for reason in reasons if reason and reason not in REASONS]
        return [*early, *self._catalog.read(statements.remarks, subjects)]

    def persons(self) -> dict[str, str]:
        """Return the names of those who made statements, by the ids that stand in the log."""
        return self._catalog.read(statements.persons)

    def add_person(self, person_id: str, name: str) -> None:
        """Put down whose id that is: for copies."""
        self._catalog.write(statements.record_person, person_id, name)

    def withdrawal(self, representation: Representation) -> Withdrawal | None:
        """Return the tombstone over a representation, None where it is given out."""
        return self._latest(subjects_of([representation]))

    def _subject(self, pdi: PDI) -> str:
        """The subject of a withdrawal of `pdi`. Raises NotFoundError, ConflictError."""
        if pdi.format is None and pdi.version is None:
            self._catalog.read(versions.version, pdi)
            return names.as_urn(pdi)
        if pdi.format is None or pdi.version is None:
            raise ConflictError(
                "withdraw a whole document, or one format of one version", pdi.canonical()
            )
        return names.as_urn(self._catalog.read(versions.representation, pdi).pdi)

    def _latest(self, subjects: Sequence[str]) -> Withdrawal | None:
        """Return the withdrawal among the statements about `subjects` that nothing lifted since."""
        said = self._catalog.read(statements.assertions, subjects, EFFECTS)
        if not said or said[-1].predicate == _REINSTATED:
            return None
        return withdrawal_in(said[-1])


def _canonical(subject: str | PDI) -> str:
    """Return a PDI in canonical form, as a URN. Raises ParseError."""
    if isinstance(subject, PDI) and subject.urn:
        return subject.canonical()
    return names.as_urn(grammar.parse(subject) if isinstance(subject, str) else subject)


class Delegations:
    """The delegations of one archive."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def delegate(
        self, kind: Kind, series: str, target: str, *, first: date = date.min, last: date = date.max
    ) -> Delegation:
        """Record a delegation. Raises ParseError for a bad series or an interval run backwards."""
        name = names.checked_series(series)
        if not target:
            raise ParseError("expected who the series is delegated to", target, 0, "PDI §2.2")
        if last < first:
            interval = f"{first}/{last}"
            raise ParseError("the interval ends before it begins", interval, 11, "PDI §2.3")
        return self._catalog.write(
            statements.record_delegation, kind, name, target, first=first, last=last
        )

    def delegations(self, kind: Kind, series: str | None = None) -> list[Delegation]:
        """Return the delegations of a series and those above it, oldest first; all where None."""
        above = None if series is None else lineage(names.checked_series(series))
        return self._catalog.read(statements.delegations, kind, above)

    def resolver_of(self, pdi: PDI) -> Delegation | None:
        """Return the delegation that says which resolver answers for a name; None: this one."""
        series = ".".join(pdi.series)
        known = self._catalog.read(statements.delegations, "resolver", lineage(series))
        best = winning(known, series, _day(pdi))
        return best[-1] if best else None


def follow(pdi: PDI, start: Sequence[str], ask: Callable[[str, PDI], Sequence[str]]) -> list[str]:
    """Return the resolvers that lead to the one that answers for `pdi`, one of `start` first.

    `ask(resolver, pdi)` says to whom a resolver sends us on, the best first; () or itself where it
    answers. It raises CaptureError where there is no answer, and the next best is asked. Raises
    that of the last where none is left, ConflictError for a loop, LimitError after three hops.
    """
    way: list[str] = []
    onward = start
    while onward and onward[0] not in way[-1:]:
        onward = _ask_best(pdi, onward, ask, way)
    return way


def _ask_best(
    pdi: PDI, resolvers: Sequence[str], ask: Callable[[str, PDI], Sequence[str]], way: list[str]
) -> Sequence[str]:
    """Go to the first of the resolvers that answers, and return what it says."""
    for resolver in resolvers:
        if resolver in way:
            circle = " -> ".join([*way, resolver])
            raise ConflictError(f"the delegation runs in a circle: {circle}", resolver)
        if len(way) > MAX_HOPS:
            raise LimitError("too many delegations", limit="delegation_hops", maximum=MAX_HOPS)
        try:
            onward = ask(resolver, pdi)
        except CaptureError:
            if resolver == resolvers[-1]:
                raise
            continue
        way.append(resolver)
        return onward
    return ()


def _day(pdi: PDI) -> date:
    """Return the date in a name."""
    return date(int(pdi.year), int(pdi.month), int(pdi.day))
