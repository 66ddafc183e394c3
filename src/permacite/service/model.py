"""The answers of the use cases: plain values that both faces print, as text or as JSON.

All times are aware datetimes in UTC. All `position`s count characters of the canonical CRLF text,
from 0, ends excluded (PDI §3.4.1), unless a field says otherwise. Digests are "sha-256:<hex>".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import date, datetime

    from permacite.archive import Standing
    from permacite.fragments.alignment import Change, Similar

__all__ = [
    "UNPRINTED",
    "About",
    "Checked",
    "CitationForms",
    "Cited",
    "Document",
    "Drift",
    "Exported",
    "Finding",
    "Format",
    "Listing",
    "LostResource",
    "Page",
    "PageState",
    "Passage",
    "Quotation",
    "Reading",
    "Resolved",
    "Restricted",
    "Saved",
    "Shown",
    "TextPage",
    "TextPiece",
    "VersionNote",
]

UNPRINTED = {"json": False}
"""Metadata of a field that is left out when the value is printed as JSON: bytes, mostly."""


@dataclass(frozen=True, slots=True)
class Restricted:
    """Why something is not given out, as everyone who asks is told."""

    kind: str
    """"withdrawn", "erased" or "closed"."""
    status: int
    """As in HTTP: 410 gone, 451 for legal reasons, 403 closed."""
    reason: str
    """A code from a list; of what is closed, "closed" or "embargo"."""
    since: datetime
    until: date | None
    """The day on which an embargo ends."""


@dataclass(frozen=True, slots=True)
class Format:
    """One committed format of a version. `pdi` is its full name."""

    pdi: str
    format: str
    media_type: str
    charset: str | None
    size_bytes: int | None
    digest: str | None
    """None, as the size, where the bytes are not given out to whoever asks."""
    derived_from: str | None
    rendition: str | None
    restricted: Restricted | None = None
    """Why its bytes are not given out; None where they are."""


@dataclass(frozen=True, slots=True)
class Document:
    """One version of a document, with all its formats."""

    pdi: str
    """The document's name without format and version."""
    version: int
    title: str | None
    uri: str | None
    committed_at: datetime
    retrieved_at: datetime | None
    formats: tuple[Format, ...]
    restricted: Restricted | None = None
    """Why nothing of it is given out; None where any format is."""


@dataclass(frozen=True, slots=True)
class VersionNote:
    """One version of a document among the others."""

    number: int
    pdi: str
    """The full name that people mean by it: one that is given out, if any is."""
    committed_at: datetime
    restricted: Restricted | None
    """As of the whole version."""


@dataclass(frozen=True, slots=True)
class LostResource:
    """Something the page refers to that is not in the aggregate, and why."""

    uri: str
    reason: str
    problem: str


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words that a document quotes from another by its permanent name (PDI §3.5)."""

    citation: str | None
    """The citation object A@origin=B; None for a name that cannot be quoted from."""
    composite: str
    """The full name of the text that quotes."""
    title: str | None
    """Of the document that quotes."""
    start: int
    """Where the quotation begins in that text: its origin position."""
    end: int
    url: str
    """That place for any browser, through a resolver."""
    cited: str
    """The name that is quoted from."""
    status: str
    """"exact", "space" (white space differs), "reference" (the words are left to whoever shows
    it), "differs", "unchecked" (no text), "unknown" (not in this archive), "withdrawn", "invalid"
    (no name with a version), or the code of the error that kept the words from being read."""
    words: str
    """What stands in the document that quotes."""
    cited_words: str | None
    """What stands at the source; None where that is not known."""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Saved:
    """What `save` or `import` committed."""

    pdi: str
    """The full name that people would cite: format and version included."""
    document: Document
    parts: int
    """Body parts of the aggregate; 1 for a document that is saved as it is."""
    size_bytes: int
    """Bytes of the received parts, before the aggregate encodes them."""
    lost: tuple[LostResource, ...] = ()
    unchanged: bool = False
    """Whether the same bytes were saved before, so that no new name was minted."""
    quotations: tuple[Quotation, ...] = ()
    """What it quotes by permanent names, each compared with its source."""
    warnings: tuple[str, ...] = ()
    """What may be wrong with it: a charset that was guessed, an aggregate that is cut off."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A place in a document where quoted words stand."""

    start: int
    end: int
    line: int
    """The line of the start, counted from 1, for people."""
    quote: str
    before: str
    after: str
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class CitationForms:
    """Ready forms of one citation, for pasting."""

    markdown: str
    html: str
    bibtex: str
    csl_json: str
    ris: str
    wiki: str
    warnings: tuple[str, ...] = ()
    """What a form leaves out, and why."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A recorded citation."""

    reference: str
    """The PDI with its fragment: the permanent name of the passage."""
    url: str
    """The same passage for any browser, through a resolver."""
    rfc5147_url: str | None
    """The text's address at the resolver, with RFC 5147 fragment and integrity checks; None for
    what is no plain text."""
    quote: str
    before: str
    after: str
    start: int | None
    """Position in the text; None where a fragment of another format is cited."""
    end: int | None
    title: str | None
    uri: str | None
    digest: str
    """Of the representation that is cited."""
    cited_at: datetime
    occurrences: int
    """How often the quoted words stand in the document (1 when cited by position)."""
    nth: int
    """Which of them this is, counted from 1."""
    note: str | None
    forms: CitationForms


@dataclass(frozen=True, slots=True)
class Resolved:
    """The cited part of a document."""

    reference: str
    """As asked."""
    pdi: str
    """The full name of what answers (PDI §3.6.3): format and version included."""
    exact: str
    """That name, with the fragment that was asked for, if any."""
    media_type: str
    charset: str | None
    text: str | None
    """The part as text; None where it is no text."""
    before: str
    after: str
    start: int | None
    end: int | None
    digest: str
    """Of the whole representation; `checked` says what was compared with it just now."""
    title: str | None
    uri: str | None
    assumed: bool
    """Whether the reference left the version or the format open."""
    checked: Literal["whole", "pieces"] = "whole"
    """"whole": the digest of all bytes was recomputed. "pieces": only that of each piece of a large
    text that was read, as it is recorded beside the digest."""
    warnings: tuple[str, ...] = ()
    """What the user should know about how the fragment was interpreted."""
    content: bytes = field(default=b"", repr=False, metadata=UNPRINTED)


@dataclass(frozen=True, slots=True)
class Drift:
    """What became of one cited passage on the live page."""

    reference: str
    quote: str
    status: str
    """"verified", "moved", "changed", "gone", "gone-similar" or "ambiguous" (`Fate.status`)."""
    start: int | None
    """Where the passage stands now, in the live page's text; None where it is nowhere."""
    end: int | None
    now: str | None
    """The words that stand there now."""
    score: float
    """Likeness of these words to those cited, 0 to 1; 0 where there are none."""
    runner_up: float | None
    """Likeness of the most similar other passage, where the cited one is gone."""
    changes: tuple[Change, ...] = ()
    """What was changed in the passage: negations, numbers and names first."""
    similar: Similar | None = None
    """A passage that is like the one that is gone, and is no successor: it stood there before."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The live page compared with the archived one."""

    pdi: str
    uri: str
    checked_at: datetime
    same_bytes: bool
    same_text: bool
    passages: tuple[Drift, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of checking one stored thing."""

    name: str
    kind: str
    """"ok", or what is wrong in one word."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of the documents that a pattern covers, in the order of their commit."""

    pattern: str | None
    documents: tuple[Document, ...]
    total: int | None
    """How many there are on all pages, where that is known without counting them."""
    complete: bool
    """Whether these are all: the first page, and the last one."""
    next: str | None
    """Names where the next page goes on (`after`); None on the last page.

    A page may hold few documents, or none, before that: what is rare is looked for in parts.
    """
    until: str | None
    """Names what was the newest version at the first page, so that the pages are of one moment."""


@dataclass(frozen=True, slots=True)
class Shown:
    """All that is known about one document."""

    document: Document
    versions: tuple[int, ...]
    history: tuple[VersionNote, ...]
    """The same versions, and whether they are given out."""
    citations: tuple[Cited, ...]
    provenance: dict[str, object]
    standing: Standing
    remarks: tuple[str, ...]
    """What the operator noted of withdrawals; nobody else sees them."""


@dataclass(frozen=True, slots=True)
class Exported:
    """Bytes of one format, ready for a file.

    `derived`: made from what `pdi` names, whose own octets are others.
    """

    pdi: str
    media_type: str
    suggested_name: str
    derived: bool
    content: bytes = field(repr=False, metadata=UNPRINTED)


@dataclass(frozen=True, slots=True)
class PageState:
    """What is known of a page for the reader before it is made."""

    tag: str
    """Changes when anything that the page is made of does."""
    modified_at: datetime
    """When the newest format of the version was committed."""


@dataclass(frozen=True, slots=True)
class Page:
    """The archived page as the reader shows it: inert, self-contained, the passage marked."""

    pdi: str
    html: str = field(repr=False)
    tag: str
    """As in PageState."""
    marked: bool = False
    unresolved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of a document's text. A marked piece without text is a caret."""

    text: str
    marked: bool


@dataclass(frozen=True, slots=True)
class TextPage:
    """A document's text for showing as it is, in pieces."""

    pieces: tuple[TextPiece, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What the reader's page shows around a document."""

    reference: str
    pdi: str
    """The full name of the format that the reference means."""
    fragment: str | None
    """What follows `#` in the reference."""
    text_fragment: str | None
    """A fragment of RFC 5147, or of its first draft, that came with the text's address."""
    trouble: str
    """Why that is not interpreted; empty where it is."""
    document: Document
    versions: tuple[int, ...]
    history: tuple[VersionNote, ...]
    """The same versions, and whether they are given out."""
    citations: tuple[Cited, ...]
    passage: Passage | None
    """The cited words in their context; None for a whole document or a part that is no text."""
    cited: Cited | None
    """The recorded citation of exactly this reference."""
    text_pdi: str | None
    """The full name of the document's text, if it has one."""
    text: TextPage | None
    """The text itself, where it was asked for."""


@dataclass(frozen=True, slots=True)
class About:
    """An archive: where it is, who mints its names, where it is served."""

    directory: str
    series: str
    all_series: tuple[str, ...]
    resolver: str
    documents: int
