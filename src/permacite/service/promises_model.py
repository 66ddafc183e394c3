"""The answers of these use cases: plain values, as in `permacite.service.model`.

All times are aware datetimes in UTC. Digests are "sha-256:<hex>"; hashes of the log are base64.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from permacite.service.model import UNPRINTED

if TYPE_CHECKING:
    from datetime import date, datetime

    from permacite.archive import Standing
    from permacite.service.model import Document

__all__ = [
    "Check",
    "Composed",
    "Consistency",
    "Copy",
    "Delegation",
    "EarlierLog",
    "Erased",
    "Kept",
    "LogState",
    "NameSet",
    "Proof",
    "SealedDay",
    "StampedLog",
    "Statement",
    "Tombstone",
    "Verified",
]


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof bundle that was made."""

    reference: str
    """What it proves: a full name, with the fragment that was asked for, if any."""
    absent: bool
    """Whether it proves that no document of this name was minted on its day, or ever will be."""
    quote: str | None
    """The words of the fragment; None for a whole document, "" for a part that is no text."""
    digest: str
    """Of the bytes; of the list of the day's names where it proves absence."""
    tree_size: int
    """Entries of the log under the checkpoint in the bundle."""
    key: str
    """The public key that checks it."""
    content: bytes = field(repr=False, metadata=UNPRINTED)
    """The zip."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked.

    "content" (the bytes) or "absence" (the names of a sealed day), "inclusion" (of the entry in
    the log), "signature" (under the log), "files" (all else in the bundle), "key" (the one that
    was given), "policy" (likewise: its logs and witnesses), "quote" (the words), "timestamp" (of
    another authority), "view" (the log that a kept checkpoint names); or "bundle", where it cannot
    be read.
    """

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Verified:
    """What a proof bundle says, and whether it is so."""

    holds: bool
    """Whether every check passed. Without `trusted`, that shows only that it agrees with itself."""
    trusted: bool
    """Whether the key and the policy that were given count who signed."""
    caution: str | None
    """That anyone could have made the bundle, where neither a key nor a policy was given."""
    checks: tuple[Check, ...]
    reference: str | None = None
    """What is proven: a full name, with a fragment where words are cited; None if unreadable."""
    absent: bool = False
    """Whether what is proven is that no document of this name was ever minted."""
    quote: str | None = None
    """The words that stood there; None where the bundle cites none."""
    digest: str | None = None
    committed_at: datetime | None = None
    """When the archive committed it, or sealed the day, as the entry of its log says."""
    stamped_at: datetime | None = None
    """When another authority saw the log; the check "timestamp" tells whose word that is."""
    log: str | None = None
    """The name of the log."""
    tree_size: int | None = None
    key: str | None = None
    """The public key that signed."""


@dataclass(frozen=True, slots=True)
class Consistency:
    """That the log of today begins with the log of `size` entries (RFC 6962 §2.1.2)."""

    size: int
    root: str
    """The root hash that the log had then."""
    proof: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LogState:
    """The log of an archive as it is now."""

    log: str
    """Its name."""
    size: int
    root: str
    checkpoint: str
    """The signed note: keep it, and any later log can be held to it."""
    key: str
    """The public key that checks it."""
    keys: tuple[str, ...]
    """The same, and the ML-DSA-44 key that signs too, where it does."""
    since: Consistency | None = None
    """How it grew from an earlier size, where that was asked."""
    earlier: tuple[EarlierLog, ...] = ()
    """The logs it goes on from, where the archive was restored from a copy without its key."""


@dataclass(frozen=True, slots=True)
class EarlierLog:
    """What another key signed of the same entries, before the archive was restored."""

    key: str
    """The public key that checks it."""
    size: int
    """For how many entries it vouched."""
    checkpoint: str
    """The signed note."""


@dataclass(frozen=True, slots=True)
class StampedLog:
    """A time-stamp on the log, of another authority (RFC 3161)."""

    size: int
    """Entries of the log that was stamped."""
    authority: str
    stamped_at: datetime
    checked: bool
    """Whether its signature was checked, with a certificate that was given."""


@dataclass(frozen=True, slots=True)
class SealedDay:
    """A day that has passed: nothing more is minted in it."""

    name: str
    """Series and date, as names begin: urn:pdi://series/yyyy/mm/dd."""
    documents: int
    highest: int | None
    """The highest serial number of the day."""
    sealed_at: datetime


@dataclass(frozen=True, slots=True)
class Composed:
    """A template with its quotations filled in."""

    text: str
    references: tuple[str, ...]
    """The full names of what was filled in, in order."""


@dataclass(frozen=True, slots=True)
class Copy:
    """An archive that was made from another: a backup, or what was restored from one."""

    directory: str
    documents: int
    versions: int
    entries: int
    """Of its log."""
    new_key: str | None = None
    """The public key it signs with from now on, where the first one's secret was not copied."""


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A withdrawal: the name and its digests stay, the bytes are no longer given out."""

    pdi: str
    status: int
    """410 (gone) or 451 (for legal reasons), as HTTP answers."""
    reason: str
    who: str | None
    withdrawn_at: datetime
    left: tuple[str, ...]
    """Formats of the same version that are still given out."""


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased, and what is left of it elsewhere."""

    pdi: str
    """The document."""
    version: int | None
    """The version that was erased; None for all of the document."""
    ground: str
    erased_at: datetime
    shared: int
    """How many objects stay, as other documents have the same bytes."""
    done: bool
    """Whether no traces are left in the archive's files; else the next command goes on."""
    quoted_by: tuple[str, ...]
    """Other documents that quote it; their own bytes stay as they are."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A document, and who may see it, why it is kept and how long."""

    pdi: str
    standing: Standing


@dataclass(frozen=True, slots=True)
class Delegation:
    """Who answers for a series, or mints in it. None as a date leaves that end open."""

    kind: str
    """"resolver" or "minter"."""
    series: str
    target: str
    """The address of the resolver, or who mints."""
    first: date | None
    """Of the dates in names, inclusive, as `last`."""
    last: date | None
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement about a name (PDI §3.6.5). It is never changed; a later one may contradict it."""

    subject: str
    predicate: str
    object: str
    who: str | None
    stated_at: datetime


@dataclass(frozen=True, slots=True)
class NameSet:
    """What a name with wildcards stands for here (PDI §3.6.3)."""

    pattern: str
    complete: bool
    """False, always: the set is what this archive knows, and others may know more."""
    known: int | None
    """How many documents this archive knows, where it knows that without counting them."""
    names: tuple[str, ...]
    """Full names, of the format in the pattern where it has one."""
    documents: tuple[Document, ...]
    next: str | None
    """Names where the next page goes on (`after`); None on the last page, as in a Listing."""
    until: str | None
    """Names what was the newest version at the first page."""
