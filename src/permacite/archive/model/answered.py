"""Values that an archive returns: versions, citations and statements.

Times are aware datetimes in UTC. Digests are "sha-256:<hex>". Positions count characters of the
canonical CRLF text, from 0, ends excluded (PDI §3.4.1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from permacite.pdi import PDI

__all__ = [
    "ACCESSES",
    "ERASURE_GROUNDS",
    "GROUNDS",
    "JSON",
    "NOBODY",
    "REASONS",
    "UNSTATED",
    "Assertion",
    "Citation",
    "Clock",
    "Decoding",
    "Delegation",
    "Erased",
    "Erasure",
    "Finding",
    "Kind",
    "LiveCheck",
    "News",
    "Page",
    "Provenance",
    "Representation",
    "Restriction",
    "Selection",
    "Standing",
    "Timekeeper",
    "Version",
    "Watch",
    "Withdrawal",
    "Witness",
    "utc_now",
]

JSON: TypeAlias = "str | int | float | bool | Sequence[JSON] | Mapping[str, JSON] | None"
"""A value that JSON can say."""

Clock: TypeAlias = Callable[[], datetime]
"""Answers the time of the call, aware."""


def utc_now() -> datetime:
    """Return the time of this call (the default clock)."""
    return datetime.now(UTC)


_TOLERANCE = timedelta(days=1)
"""How far two clocks may be apart that agree: time zones, and answers from a cache."""


@dataclass(frozen=True, slots=True)
class Witness:
    """Who else says what the date is, at one commit."""

    server: datetime | None = None
    """The Date field of the answer that is being committed (RFC 9110 §6.6.1)."""
    operator: date | None = None
    """Today, as a person confirms it, in UTC."""

    def agrees(self, now: datetime) -> bool:
        """Say whether one of them says the same as a clock."""
        if self.server is not None and abs(now - self.server) <= _TOLERANCE:
            return True
        today = now.astimezone(UTC).date()
        return self.operator is not None and abs(today - self.operator) <= _TOLERANCE


NOBODY = Witness()
"""Nobody says anything."""


@dataclass(frozen=True, slots=True)
class Timekeeper:
    """A clock, to be called like one, that can say whether something keeps it right."""

    clock: Clock
    is_kept_right: Callable[[], bool]

    def __call__(self) -> datetime:
        """Return the time of the call."""
        return self.clock()


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a version came from. It is a record of the capture, never part of the name."""

    title: str | None = None
    uri: str | None = None
    """As requested."""
    final_uri: str | None = None
    """After redirects."""
    retrieved_at: datetime | None = None
    details: Mapping[str, JSON] = field(default_factory=dict, hash=False)
    """Anything else on record (requests, their status and headers, failures); keys are words.

    It may be long: versions in lists come without it, one that is asked for by its name has it.
    """


@dataclass(frozen=True, slots=True)
class Decoding:
    """What the octets of a text are decoded by, settled once."""

    recorded: str
    """A codec and the version of the rules, such as `gbk/2`; the label as it came in the records of
    names that the first rules read."""
    by: str = ""
    """What settled it: "mark", "transport", "declaration", "ascii" or "utf-8" (what it looks like),
    or "fallback", a guess; "" where it was recorded elsewhere."""
    label: str | None = None
    """The charset that came with it."""

    @property
    def codec(self) -> str:
        """The codec alone."""
        return self.recorded.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Representation:
    """One committed format of one version."""

    pdi: PDI
    """The full name: format and version included."""
    format: str
    media_type: str
    decoding: str | None
    """`Decoding.recorded`; None for what was not taken for text."""
    size_bytes: int
    digest: str
    received_digest: str | None
    derived_from: str | None
    rendition: str | None
    committed_at: datetime

    @property
    def charset(self) -> str | None:
        """The charset by its name, without the version of the rules."""
        return None if self.decoding is None else self.decoding.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a document, with the formats committed so far."""

    pdi: PDI
    """The document's name with the version and without a format: for asking, not for print.

    The draft has no text for such a name (§2.6); `pdi.document` and the representations have.
    """
    number: int
    committed_at: datetime
    provenance: Provenance
    representations: tuple[Representation, ...]

    @property
    def title(self) -> str | None:
        """The title on record."""
        return self.provenance.title

    @property
    def formats(self) -> tuple[str, ...]:
        """The format tokens, in the order of their commit."""
        return tuple(representation.format for representation in self.representations)

    def representation(self, format: str) -> Representation:  # noqa: A002 - the draft's word
        """Return the representation whose format token is `format`, in any case.

        Raises LookupError where this version has none.
        """
        for representation in self.representations:
            if representation.format == format.lower():
                return representation
        raise LookupError(format)


_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Page(Generic[_Item]):
    """A part of a list, and where to go on.

    It may hold fewer items than were asked for, or none, before the last page: what a page costs
    is bounded, however rare what it lists is.
    """

    items: tuple[_Item, ...]
    next: str | None
    """What to give as `after` for the page that follows; None where this is the last one."""
    until: str | None = None
    """What to give as `until`, so that nothing committed meanwhile moves the pages."""
    restrictions: Mapping[PDI, Restriction] = field(default_factory=dict)
    """What stands before those formats of its versions that are not given out."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A citation on record."""

    fragment: str
    pdi: PDI
    start: int | None
    end: int | None
    quote: str
    before: str
    after: str
    media_type: str | None
    cited_at: datetime
    note: str | None


@dataclass(frozen=True, slots=True)
class LiveCheck:
    """What the last look at the live page of a version found. No entry of the log tells of it."""

    checked_at: datetime
    outcome: str
    """"same" or "changed": the words of the page beside those archived; "answers": it was compared
    with another version; "gone": the site says that there is no such page; "unanswered"."""
    passage: str = ""
    """What became of a cited passage, by the rules of drift; "" where that was not looked for."""


@dataclass(frozen=True, slots=True)
class News:
    """That a look at a live page found something else of a citation than the look before."""

    number: int
    """Its place among all."""
    citation: Citation
    found_at: datetime
    outcome: str
    """What became of the passage, by the rules of drift."""
    there: str
    """The full name of the words that stand there, in the version saved then; "" where none."""


@dataclass(frozen=True, slots=True)
class Watch:
    """A page that is looked at again and again."""

    uri: str
    every: timedelta
    added_at: datetime
    looked_at: datetime | None
    """The last time; None where it never was."""
    outcome: str
    """What came of that; "" where there was none."""
    problem: str
    """Why it failed."""

    def is_due(self, now: datetime) -> bool:
        """Whether its time has come."""
        return self.looked_at is None or self.looked_at + self.every <= now


@dataclass(frozen=True, slots=True)
class Assertion:
    """A statement about a name (PDI §3.6.5). It is never changed; a later one may contradict it."""

    subject: str
    """A PDI of any kind, in canonical form. Without a version it is about the document itself."""
    predicate: str
    object: str
    """A name, a URI or a text, as the predicate has it."""
    who: str | None
    """Who says so."""
    stated_at: datetime


Kind: TypeAlias = Literal["resolver", "minter"]
"""What is delegated: to answer for a series, or to mint in it."""


@dataclass(frozen=True, slots=True)
class Delegation:
    """One record: `target` answers for, or mints in, `series` from `first` to `last` inclusive."""

    kind: Kind
    series: str
    first: date
    last: date
    target: str
    """A resolver's base URI, or the name of someone who mints, as the caller knows them."""
    recorded_at: datetime
    binds: bool = field(default=True, metadata={"json": False})
    """Whether minting heeds it: whoever recorded one before schema 4 could rely on no effect."""

    def covers(self, series: str, day: date) -> bool:
        """Say whether a name of `series` with this date falls under the delegation."""
        below = series == self.series or series.endswith(f".{self.series}")
        return below and self.first <= day <= self.last


REASONS = ("court-order", "data-protection", "copyright", "safety", "own-error")
"""Why something is withdrawn: the codes that are on record, and told to all who ask."""

UNSTATED = "unstated"
"""The code of a withdrawal that was made before there were any."""


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A tombstone: the name stays, the octets are no longer given out."""

    pdi: str
    """What was withdrawn: a document, or one format of one version."""
    status: int
    """410 (Gone), or 451 (Unavailable For Legal Reasons), as in HTTP."""
    reason: str
    """One of `REASONS`, or `UNSTATED`."""
    who: str | None
    withdrawn_at: datetime


ERASURE_GROUNDS = (*REASONS, "retention")
"""Why something is erased: as it is withdrawn, or since it was to be kept no longer."""


@dataclass(frozen=True, slots=True)
class Erasure:
    """What is on record of something that was erased: no more than this."""

    pdi: PDI
    """The document."""
    number: int | None
    """The version that was erased; None for all of the document."""
    ground: str
    """One of `ERASURE_GROUNDS`."""
    erased_at: datetime
    done_at: datetime | None
    """When the last traces were destroyed; None while some may be left."""


@dataclass(frozen=True, slots=True)
class Erased:
    """What became of an erasure."""

    erasure: Erasure
    shared: int
    """How many octets stay, as other documents have the same."""
    is_done: bool
    """Whether no traces are left, as far as this machine's files go."""


ACCESSES = ("public", "closed", "embargo", "building")
GROUNDS = ("deposit", "licence", "consent", "quotation", "unknown")
"""Why a document may be kept."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Who may see a document, why it is kept, and how long."""

    access: str = "public"
    """One of `ACCESSES`: "closed" is for the operator alone, "embargo" until a day; "building" is
    for those too who ask from the archive's own building."""
    ground: str = "unknown"
    """One of `GROUNDS`."""
    embargo_until: date | None = None
    """The first day (UTC) on which it is public."""
    retain_until: date | None = None
    """The last day on which it is to be kept; nothing is erased by itself."""
    set_at: datetime | None = None
    """Since when; None where nothing is on record."""

    def is_open(self, today: date) -> bool:
        """Say whether the public may see the document; an embargo ends by itself."""
        if self.access == "embargo":
            return self.embargo_until is not None and self.embargo_until <= today
        return self.access == "public"


@dataclass(frozen=True, slots=True)
class Restriction:
    """Why something is not given out, as everyone who asks is told."""

    kind: Literal["withdrawn", "erased", "closed"]
    pdi: str = field(metadata={"json": False})
    """What it is over: a document, a version, or one format of one version."""
    status: int
    """As in HTTP: 410, 451 or 403."""
    reason: str
    """A code: why it was withdrawn, or on what ground it was erased; of what is closed its access,
    one of `ACCESSES`."""
    since: datetime
    until: date | None = None
    """The day on which an embargo ends; None where it ends by itself on no day."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which versions to list: a None leaves the field open. `date` fields are digits."""

    series: str | None = None
    year: str | None = None
    month: str | None = None
    day: str | None = None
    unique_id: str | None = None
    format: str | None = None
    number: int | None = None
    latest: bool = False
    """Only the highest version of each document."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of checking one stored thing.

    `kind` is "ok", "missing" (no bytes), "altered" (other bytes), "unreadable" (the disk refuses),
    "index" (the index of a large text is of another text, or counts otherwise), "log" (the Merkle
    log does not agree with the catalog), "catalog" (the database is damaged or lacks a rule),
    "quote" (a citation has other words on record than its text: both stay as they are), "erased"
    (nothing is left, as an erasure on record says), "withdrawn" (before a mirror was given it),
    "quotation" (a citation A@origin=B whose A has other words), "unchecked" (one of which nothing
    here can tell), "late" (a mirror did not follow in time), "fork" (what it mirrors showed two
    logs), or "orphan" (bytes that no name points to: harmless, left by a failed commit).
    """

    name: str
    """The full name of the representation it belongs to; "log", "catalog" or a digest for
    what belongs to no single one."""
    kind: str
    detail: str = ""
