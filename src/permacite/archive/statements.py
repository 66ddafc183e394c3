"""Statements about names: assertions, and withdrawals, which are assertions with an effect.

PDI draft:
  §3.6.5 Assertions             -> `state`, `assertions`
  §2.1 names cannot be retracted -> `withdraw`, `reinstate`, `withdrawal`

Deviations: none.
Readings: a name stays for ever, so a withdrawal is a tombstone over its octets (pdi-18): name,
digests and the log stay, the octets are kept and no longer given out, and nothing else ever gets
the name. A later reinstatement lifts it; both stay on record. Of the statements about a document
and about one format of one version, the latest counts.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

from permacite import pdi as grammar
from permacite.archive import names
from permacite.archive.canonical_json import canonical_json
from permacite.archive.gate import EFFECTS, subjects_of, withdrawal_in
from permacite.archive.model.answered import REASONS
from permacite.archive.records import statements, versions
from permacite.errors import ConflictError, NotFoundError, ParseError
from permacite.pdi import PDI
from permacite.pdi.predicates import check_predicate, predicate_iri

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.model.answered import Assertion, Representation, Withdrawal

__all__ = ["Statements"]

_WITHDRAWN, _REINSTATED = EFFECTS


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
