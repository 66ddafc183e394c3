"""Values to be committed: versions, their formats, and citations.

Whoever only reads never imports this.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from permacite.archive.model.answered import NOBODY, Provenance
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from permacite.archive.model.answered import Decoding, Standing, Witness
    from permacite.pdi import PDI

__all__ = ["NewCitation", "NewRepresentation", "NewVersion"]


@dataclass(frozen=True, slots=True)
class NewRepresentation:
    """One format of a version, to be committed. `content` is kept as it is, octet for octet."""

    content: bytes = field(repr=False)
    media_type: str
    """Without parameters, such as "text/html"."""
    charset: str | None = None
    """As it came with it; what decodes it is settled when it is committed."""
    decoding: Decoding | None = None
    """What was settled already."""
    format: str | None = None
    """The format token of the name; None takes the token of the media type (PDI §2.5)."""
    received: bytes | None = field(default=None, repr=False)
    """The octets as they were received, where `content` is a canonical form of them."""
    derived_from: str | None = None
    """The format this one was made from."""
    rendition: str | None = None
    """Which procedure made it, with its version, such as "permacite-plain/1"."""
    sidecars: Mapping[str, bytes] = field(default_factory=dict, hash=False, repr=False)
    """Sidecars by name, kept beside `content`; no PDI names them."""
    quotations: tuple[tuple[str, str], ...] = ()
    """What it quotes: the position where a quotation begins, and the PDI that is cited there, with
    its version. They become citation objects of the new name: A@origin=B (PDI §3.5)."""


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version that is to be committed: see `Committer.commit_version`."""

    representations: Sequence[NewRepresentation]
    series: str | None = None
    unique_id: str | None = None
    replaces: PDI | None = None
    provenance: Provenance = field(default_factory=Provenance)
    key: str | None = None
    witness: Witness = NOBODY
    standing: Standing | None = None


@dataclass(frozen=True, slots=True)
class NewCitation:
    """A passage to be recorded as cited."""

    fragment: str
    """The permanent name of the passage: a PDI with a fragment."""
    pdi: PDI
    """The full name of the representation that is cited."""
    start: int | None = None
    end: int | None = None
    quote: str = ""
    before: str = ""
    after: str = ""
    media_type: str | None = None
    cited_at: datetime | None = None
    """None takes the archive's clock."""
    note: str | None = None
