"""What the check of a proof answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

__all__ = ["Check", "ProofReport"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked.

    "content" or "absence", "inclusion", "signature", "files" (all others in the zip), "key",
    "policy", "opening" (what the entry commits to), "quote", "timestamp".
    """

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True)
class ProofReport:
    """What a bundle says, and whether it is so."""

    name: str
    """The full name of what is proven, or of what is proven not to be."""
    absent: bool
    """Whether it proves that no document of this name was ever minted in its day."""
    digest: str
    """Of the octets; of the list of names where it proves absence."""
    committed_at: str
    """When the archive says it committed it, or sealed the day: yyyy-mm-ddThh:mm:ss.ffffffZ."""
    origin: str
    """The log's name."""
    tree_size: int
    root: bytes
    """Of the tree that was signed."""
    key: str
    """The public key that signed."""
    trusted: bool
    """Whether the caller's key and policy count it; if not, anyone could have made the bundle."""
    stamped_at: datetime | None
    """When another authority stamped the log with the time; its certificate is checked if given."""
    reference: str | None
    """The passage that the bundle cites, if it does; its words are the check "quote"."""
    quote: str | None
    """The words."""
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether every check passed. `trusted` is to be asked too."""
        return all(check.ok for check in self.checks)
