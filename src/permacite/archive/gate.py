"""Access gate of an archive: what each audience may see. Every answer passes here.

| of what is restricted | the operator | the public |
|---|---|---|
| octets, texts, sidecars, proofs | of what is closed | none |
| title, address, provenance, digests | all that is on record | none |
| citations, statements, who quotes it | all that is on record | none |
| entries of the log with words in them | all | empty, in their place |
| name, format tokens, status, code of the reason | yes | yes |

The operator opens the archive's own folder. The public asks over HTTP, or reads an export. A user
with access to a series is the public, but sees what is closed in that series; a user in the
archive's building sees what may be read there. A name stays public: it is in the log, and is never
used again.

A cache keeps full names where each question is a round trip (`FullNames`). What a full name denotes
never changes. Whether it is open is asked each time, in one small question.
"""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC
from typing import TYPE_CHECKING, NamedTuple, NoReturn, TypeVar

from permacite import pdi as grammar
from permacite.archive import names
from permacite.archive.canonical_json import canonical_json
from permacite.archive.entries import hash_of
from permacite.archive.model.answered import REASONS, UNSTATED, Provenance, Restriction, Withdrawal
from permacite.archive.records import access, statements, versions
from permacite.archive.records.access import standing_alone
from permacite.archive.records.rows import Together
from permacite.cache import Cache
from permacite.errors import (
    ClosedError,
    ErasedError,
    ParseError,
    RestrictedError,
    StorageError,
    WithdrawnError,
)
from permacite.lazy_dataclass import dataclass
from permacite.pdi import PDI, CitationPDI, PDIPattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date, datetime

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.entries import Leaf
    from permacite.archive.model.answered import (
        JSON,
        Assertion,
        Citation,
        Clock,
        Erasure,
        Representation,
        Standing,
        Version,
    )
    from permacite.archive.records.rows import Session

__all__ = [
    "EFFECTS",
    "PUBLIC",
    "Audience",
    "FullNames",
    "Gate",
    "full_names_of",
    "of_all",
    "subjects_of",
    "withdrawal_in",
    "without_persons",
]

_Cited = TypeVar("_Cited", "Citation", CitationPDI)

_CACHE_BYTES = 16 << 20
_NAME_BYTES = 2 << 10
"""About what one full name takes in the cache."""

_ERRORS: dict[str, tuple[type[RestrictedError], str]] = {
    "erased": (ErasedError, "{pdi} was erased on {since:%Y-%m-%d}: {reason}"),
    "withdrawn": (WithdrawnError, "{pdi} was withdrawn: {reason}"),
    "closed": (ClosedError, "{pdi} is not open to all: {reason}"),
}
_CLOSED = {
    "embargo": "{pdi} is not open to all until {until}",
    "building": "{pdi} may be read in the building of this archive alone",
}
"""Messages for accesses with a time or a place."""
_GONE, _FORBIDDEN = 410, 403
_STATUSES = (_GONE, 451)
_WITHDRAWN = "withdrawn"
EFFECTS = (_WITHDRAWN, "reinstated")
"""The predicates that decide whether something is given out."""
_ASKED_AT_ONCE = 10_000
"""SQLite takes 32,766 parameters in one question, and each is two."""


@dataclass(frozen=True, slots=True)
class Audience:
    """The users of a request, and what they may see besides public documents."""

    series: str = ""
    """The series whose closed documents they may see; "" for none."""
    is_inside: bool = False
    """Whether they are in the building of the archive."""

    def admits(self, document: PDI, standing: Standing, today: date) -> bool:
        """Whether they may see a document."""
        if standing.is_open(today) or ".".join(document.series) == self.series:
            return True
        return self.is_inside and standing.access == "building"


PUBLIC = Audience()


def _said(
    connection: Session, pdis: Iterable[PDI], subjects: Sequence[str]
) -> tuple[dict[PDI, Standing], list[Assertion]]:
    """Read the standings of documents that are not public, and withdrawals, in one round trip."""
    together = Together(connection)
    closed = access.ask_standings(together, pdis)
    said = statements.ask_assertions(together, subjects, EFFECTS)
    together.put()
    return access.standings_of(closed), statements.assertions_of(connection, said)


class Gate:
    """The access decisions for one audience; None is the operator."""

    def __init__(self, catalog: Catalog, *, clock: Clock, audience: Audience | None) -> None:
        self._catalog = catalog
        self._clock = clock
        self._audience = audience or PUBLIC
        self.public = audience is not None

    def restrictions(self, representations: Iterable[Representation]) -> dict[PDI, Restriction]:
        """Return the restrictions of those `representations` that the audience may not read."""
        wanted = list(representations)
        restrictions: dict[PDI, Restriction] = {}
        for start in range(0, len(wanted), _ASKED_AT_ONCE):
            some = wanted[start : start + _ASKED_AT_ONCE]
            subjects = subjects_of(some)
            if self.public:
                pdis = [each.pdi for each in some]
                standings, said = self._catalog.read(_said, pdis, subjects)
                now = self._clock().astimezone(UTC)
                restrictions |= _closed(some, standings, self._audience, now)
            else:
                said = self._catalog.read(statements.assertions, subjects, EFFECTS)
            over = tombstones(some, said)
            restrictions |= {name: _of_withdrawal(withdrawal) for name, withdrawal in over.items()}
        return restrictions | _erased(self._catalog, [each for each in wanted if not each.digest])

    def check(self, representation: Representation) -> None:
        """Raise RestrictedError where the audience may not read a representation."""
        restriction = self.restrictions([representation]).get(representation.pdi)
        if restriction is None:
            return
        pdi = representation.pdi
        version = self._catalog.read(versions.find, pdi, pdi.version)
        formats = () if version is None else version.representations
        restricted = self.restrictions(formats)
        left = tuple(str(each.pdi) for each in formats if each.pdi not in restricted)
        self._refuse(restriction, str(representation.pdi), left)

    def check_document(self, pdi: PDI) -> None:
        """Raise ErasedError where a whole document is erased: it has no further versions."""
        for erasure in self._catalog.read(access.erasures, [pdi]):
            if erasure.number is None:
                self._refuse(_of_erasure(erasure), str(pdi))

    def _refuse(
        self, restriction: Restriction, asked: str, candidates: tuple[str, ...] = ()
    ) -> NoReturn:
        """Raise the error for a restriction."""
        error, said = _ERRORS[restriction.kind]
        said = _CLOSED.get(restriction.reason, said) if restriction.kind == "closed" else said
        problem = said.format(**dataclasses.asdict(restriction))
        raise error(
            problem,
            asked,
            status=restriction.status,
            reason=restriction.reason,
            candidates=candidates,
        )

    def version(self, version: Version) -> Version:
        """Return a version as the audience may see it."""
        return self.versions([version])[0]

    def versions(self, versions: Sequence[Version]) -> Sequence[Version]:
        """Return versions as the audience may see them."""
        return self.shown_with(versions)[0] if self.public else versions

    def shown_with(
        self, versions: Sequence[Version]
    ) -> tuple[Sequence[Version], dict[PDI, Restriction]]:
        """Return versions as the audience may see them, and the restrictions of their formats."""
        restricted = self.restrictions(
            representation for v in versions for representation in v.representations
        )
        if not (self.public and restricted):
            return versions, restricted
        return [_bare(version, restricted) for version in versions], restricted

    def representation(self, representation: Representation) -> Representation:
        """Return a representation as the audience may see it."""
        if not self.public or not self.restrictions([representation]):
            return representation
        return _bare_format(representation)

    def shown(self, versions: Sequence[Version]) -> Sequence[Version]:
        """Return the versions of which the audience may know where they are from."""
        if not self.public:
            return versions
        restricted = self.restrictions(
            representation for v in versions for representation in v.representations
        )
        return [version for version in versions if of_all(version, restricted) is None]

    def citations(self, citations: Sequence[_Cited]) -> Sequence[_Cited]:
        """Return the citations, or quotations, in documents that the audience may read."""
        if not self.public:
            return citations
        hidden = self.hidden([citation.pdi for citation in citations])
        return [citation for citation in citations if citation.pdi not in hidden]

    def assertions(self, assertions: Sequence[Assertion]) -> Sequence[Assertion]:
        """Return the statements that the audience may read; withdrawals without persons."""
        if not self.public:
            return assertions
        subjects = {assertion.subject: _names_in(assertion.subject) for assertion in assertions}
        hidden = self.hidden([name for names in subjects.values() for name in names])
        return [
            without_persons(assertion) if assertion.predicate in EFFECTS else assertion
            for assertion in assertions
            if assertion.predicate in EFFECTS or hidden.isdisjoint(subjects[assertion.subject])
        ]

    def leaves(self, leaves: Iterable[Leaf]) -> Iterable[Leaf]:
        """Return entries of the log; empty, in their places, what the audience may not read.

        An entry of the first schema has in clear what later ones only commit to. A damaged one is
        hidden, as its subject is unknown.
        """
        if not self.public:
            return leaves
        entries = [(leaf, _read(leaf)) for leaf in leaves]
        subjects = [_subjects_of(entry) for _, entry in entries]
        hidden = self.hidden([name for names in subjects for name in names])
        return [
            dataclasses.replace(leaf, content=b"")
            if hash_of(leaf) != leaf.hash or _is_withdrawal(entry) or not hidden.isdisjoint(names)
            else leaf
            for (leaf, entry), names in zip(entries, subjects, strict=True)
        ]

    def hidden(self, names: Sequence[PDI]) -> set[PDI]:
        """Return those of `names` that are restricted, wholly or, where open, in any format."""
        wanted = list(dict.fromkeys(names))
        if not wanted:
            return set()
        formats = self._catalog.read(versions.formats_named, wanted)
        restricted = self.restrictions(item for each in formats for item in each)
        return {
            name
            for name, each in zip(wanted, formats, strict=True)
            if any(item.pdi in restricted and name.format in {None, item.format} for item in each)
        }


_TELLING = frozenset({"version", "format", "citation", "assertion"})
"""Kinds of entries about a document; the others are about days and series."""


def of_all(version: Version, restricted: Mapping[PDI, Restriction]) -> Restriction | None:
    """Return the restriction of a version of which nothing is given out: its last; else None."""
    if not restricted:
        return None
    restrictions = [
        restricted.get(representation.pdi) for representation in version.representations
    ]
    known = [restriction for restriction in restrictions if restriction is not None]
    if len(known) < len(restrictions):
        return None
    return max(known, key=lambda restriction: restriction.since, default=None)


def _erased(catalog: Catalog, wanted: Sequence[Representation]) -> dict[PDI, Restriction]:
    """Return the erasures of formats that have no contents."""
    pdis = [representation.pdi for representation in wanted]
    erasures = catalog.read(access.erasures, pdis) if wanted else []
    whole = {(erasure.pdi, erasure.number): _of_erasure(erasure) for erasure in erasures}
    restrictions = {}
    for representation in wanted:
        document = representation.pdi.document
        over = whole.get((document, None)) or whole.get((document, representation.pdi.version))
        if over is not None:
            restrictions[representation.pdi] = over
    return restrictions


def _closed(
    wanted: Sequence[Representation],
    standings: Mapping[PDI, Standing],
    audience: Audience,
    now: datetime,
) -> dict[PDI, Restriction]:
    """Return the restrictions of what an audience may not see, or not so far."""
    closed = {
        name: Restriction(
            "closed",
            names.as_urn(name),
            _FORBIDDEN,
            standing.access,
            standing.set_at or now,
            standing.embargo_until,
        )
        for name, standing in standings.items()
        if not audience.admits(name, standing, now.date())
    }
    return {
        representation.pdi: closed[representation.pdi.document]
        for representation in wanted
        if representation.pdi.document in closed
    }


def _of_withdrawal(withdrawal: Withdrawal) -> Restriction:
    return Restriction(
        "withdrawn", withdrawal.pdi, withdrawal.status, withdrawal.reason, withdrawal.withdrawn_at
    )


def _of_erasure(erasure: Erasure) -> Restriction:
    name = names.as_urn(erasure.pdi) + (
        "" if erasure.number is None else f", version {erasure.number},"
    )
    return Restriction("erased", name, _GONE, erasure.ground, erasure.erased_at)


def _bare(version: Version, restricted: Mapping[PDI, Restriction]) -> Version:
    """Return a version without the details of restricted formats."""
    formats = tuple(
        _bare_format(representation) if representation.pdi in restricted else representation
        for representation in version.representations
    )
    hidden = of_all(version, restricted) is not None
    provenance = Provenance() if hidden else version.provenance
    return dataclasses.replace(version, provenance=provenance, representations=formats)


def _bare_format(representation: Representation) -> Representation:
    """Return a format by its name and type alone."""
    return dataclasses.replace(
        representation, decoding=None, size_bytes=0, digest="", received_digest=None
    )


def subjects_of(representations: Iterable[Representation]) -> list[str]:
    """The subjects that withdrawals of representations may have, each once."""
    subjects: dict[str, None] = {}
    for representation in representations:
        name = representation.pdi.canonical()  # a URN, as all names in the catalog
        document = name.removesuffix(f".{representation.format}.{representation.pdi.version}")
        subjects[document] = subjects[name] = None
    return list(subjects)


def tombstones(
    representations: Iterable[Representation], said: Sequence[Assertion]
) -> dict[PDI, Withdrawal]:
    """Of what was `said` of their subjects, the tombstones over those that are not given out."""
    latest = {each.subject: (place, each) for place, each in enumerate(said)}
    over: dict[PDI, Withdrawal] = {}
    for representation in representations if latest else ():
        places = [latest[name] for name in subjects_of([representation]) if name in latest]
        _, last = max(places, default=(0, None))
        if last is not None and last.predicate == _WITHDRAWN:
            over[representation.pdi] = withdrawal_in(last)
    return over


def without_persons(assertion: Assertion) -> Assertion:
    """Return a withdrawal, or the end of one, with nothing in it but codes."""
    codes: dict[str, JSON] = {}
    if assertion.predicate == _WITHDRAWN:
        withdrawal = withdrawal_in(assertion)
        codes = {"reason": withdrawal.reason, "status": withdrawal.status}
    return dataclasses.replace(assertion, object=canonical_json(codes).decode(), who=None)


def withdrawal_in(assertion: Assertion) -> Withdrawal:
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


def _names_in(subject: str) -> list[PDI]:
    """Return the names of the documents that a statement is about; none for sets and series."""
    try:
        value = grammar.parse(subject)
    except ParseError:
        return []
    names = []
    while isinstance(value, CitationPDI):
        names.append(value.pdi)
        value = value.cited
    if isinstance(value, PDIPattern):
        return names
    return [*names, value if isinstance(value, PDI) else value.pdi]


def _read(leaf: Leaf) -> Mapping[str, JSON]:
    """Return an entry; an empty one where it is not readable, or erased."""
    try:
        entry = json.loads(leaf.content)
    except ValueError:
        return {}
    return entry if isinstance(entry, dict) else {}


def _is_withdrawal(entry: Mapping[str, JSON]) -> bool:
    """Say whether an entry has the reason of a withdrawal in words."""
    return "schema" not in entry and entry.get("predicate") in EFFECTS


def _subjects_of(entry: Mapping[str, JSON]) -> list[PDI]:
    """The names that an entry tells in clear: of the version, or of the subject of a statement."""
    if "schema" in entry or entry.get("kind") not in _TELLING:
        return []
    names = _names_in(str(entry.get("name")))
    number, token = entry.get("version"), entry.get("format")
    if not isinstance(number, int):
        return names
    token = token if isinstance(token, str) else None
    return [dataclasses.replace(name, version=number, format=token) for name in names]


class _Known(NamedTuple):
    """The format of a full name, and the question whether it is open to all."""

    representation: Representation
    is_open: tuple[str, Sequence[str]]


class FullNames:
    """LRU cache of formats by their full names. Any number of threads may use it."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._known = Cache[_Known](_CACHE_BYTES, lambda _: _NAME_BYTES)

    def find(self, pdi: PDI) -> Representation | None:
        """The format that a full name stands for, where it is known and open to all."""
        known = self._known.get(str(pdi))
        if known is None or not self._catalog.read(_has_row, *known.is_open):
            return None
        return known.representation

    def keep(self, pdi: PDI, representation: Representation) -> None:
        """Keep what a name stands for, if that is a full name."""
        if representation.pdi == pdi:
            is_open = standing_alone(pdi, subjects_of([representation]), EFFECTS)
            self._known.put(_Known(representation, is_open), str(pdi))


def _has_row(session: Session, statement: str, texts: Sequence[str]) -> bool:
    return session.has_row(statement, texts)


def full_names_of(catalog: Catalog) -> FullNames | None:
    """Return a cache of full names where each question is a round trip; else None."""
    return FullNames(catalog) if catalog.is_remote else None
