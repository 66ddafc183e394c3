"""What is told of a document that was saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from permacite.service.citations.ways import Citable
    from permacite.service.documents import Document
    from permacite.service.quotations.comparing import Quotation

__all__ = ["LostResource", "Saved"]


@dataclass(frozen=True, slots=True)
class LostResource:
    """Something the page refers to that is not in the aggregate, and why."""

    uri: str
    reason: str
    problem: str


@dataclass(frozen=True, slots=True)
class Saved:
    """What was committed."""

    pdi: str
    """The full name that people would cite: format and version included."""
    document: Document
    parts: int
    """Body parts of the aggregate; 1 for a document that is saved as it is."""
    size_bytes: int
    """Bytes of the received parts, before the aggregate encodes them."""
    lost: tuple[LostResource, ...] = ()
    """What the page refers to and could not be had."""
    left_out: tuple[LostResource, ...] = ()
    """What the page refers to and is not saved on purpose: scripts."""
    inline_scripts: int = 0
    """How many scripts stand in the page itself: they are kept with it, and are not run."""
    thin: bool = False
    """Whether it has scripts and next to no text: they would draw it, and are not run."""
    unchanged: bool = False
    """Whether the same bytes were saved before, so that no new name was minted."""
    quotations: tuple[Quotation, ...] = ()
    """What it quotes by permanent names, each compared with its source."""
    warnings: tuple[str, ...] = ()
    """What may be wrong with it: a charset that was guessed, an aggregate that is cut off; why
    there are no words in it, or what must be known of them."""
    citable: tuple[Citable, ...] = ()
    """What of it can be cited, and how."""
