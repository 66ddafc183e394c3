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

import dataclasses
import json
from typing import TYPE_CHECKING, Literal

from permacite import pdi as grammar
from permacite.archive import names
from permacite.archive.canonical_json import canonical_json
from permacite.archive.model.answered import REASONS, UNSTATED, Assertion, Withdrawal
from permacite.archive.records import statements, versions
from permacite.errors import ConflictError, NotFoundError, ParseError, StorageError
from permacite.pdi.predicates import check_predicate, predicate_iri

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.model.answered import JSON, Representation
    from permacite.pdi import PDI

__all__ = ["EFFECTS", "Statements", "subjects_of", "tombstones", "without_persons"]

_STATUSES = (410, 451)
_WITHDRAWN = "withdrawn"
_REINSTATED = "reinstated"
EFFECTS = (_WITHDRAWN, _REINSTATED)
"""The predicates that decide whether something is given out."""


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

    def assertions(self, *subjects: str, predicate: str | None = None) -> list[Assertion]:
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
        return _withdrawal(
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
        return self._latest(_subjects(representation))

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
        return _withdrawal(said[-1])


def _canonical(subject: str) -> str:
    """Return a PDI in canonical form, as a URN. Raises ParseError."""
    return names.as_urn(grammar.parse(subject))


def subjects_of(representations: Iterable[Representation]) -> list[str]:
    """The subjects that withdrawals of representations may have, each once."""
    return list(dict.fromkeys(name for each in representations for name in _subjects(each)))


def tombstones(
    representations: Iterable[Representation], said: Sequence[Assertion]
) -> dict[PDI, Withdrawal]:
    """Of what was `said` of their subjects, the tombstones over those that are not given out."""
    latest = {each.subject: (place, each) for place, each in enumerate(said)}
    over: dict[PDI, Withdrawal] = {}
    for representation in representations if latest else ():
        places = [latest[name] for name in _subjects(representation) if name in latest]
        _, last = max(places, default=(0, None))
        if last is not None and last.predicate == _WITHDRAWN:
            over[representation.pdi] = _withdrawal(last)
    return over


def _subjects(representation: Representation) -> tuple[str, str]:
    """The subjects that a withdrawal of a representation may have."""
    name = names.as_urn(representation.pdi)
    # A full name is that of the document, and what it says of a format behind that.
    return name.removesuffix(f".{representation.format}.{representation.pdi.version}"), name


def without_persons(assertion: Assertion) -> Assertion:
    """Return a withdrawal, or the end of one, with nothing in it but codes."""
    codes: dict[str, JSON] = {}
    if assertion.predicate == _WITHDRAWN:
        withdrawal = _withdrawal(assertion)
        codes = {"reason": withdrawal.reason, "status": withdrawal.status}
    return dataclasses.replace(assertion, object=canonical_json(codes).decode(), who=None)


def _withdrawal(assertion: Assertion) -> Withdrawal:
    """Return the withdrawal that a statement is; earlier ones had a reason in any words.

    Raises StorageError where it cannot be read: what it is about is then given out to nobody.
    """
    try:
        said = json.loads(assertion.object)
        reason = str(said["reason"])
        status = _STATUSES[_STATUSES.index(said["status"])]
    except (ValueError, LookupError, TypeError) as error:
        raise StorageError(
            f"the catalog is damaged: the withdrawal of {assertion.subject} cannot be read",
            path="",
            reason="damaged",
        ) from error
    return Withdrawal(
        pdi=assertion.subject,
        status=status,
        reason=reason if reason in REASONS else UNSTATED,
        who=assertion.who,
        withdrawn_at=assertion.stated_at,
    )
