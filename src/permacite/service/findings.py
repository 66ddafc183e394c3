"""Findings of a check of stored things, and which of them are harmless."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from permacite.archive.model.answered import Finding

__all__ = ["HARMLESS", "Mended", "Report"]

HARMLESS = frozenset({"ok", "orphan", "withdrawn", "erased", "unchecked"})
"""Findings that nobody need worry about."""


@dataclass(frozen=True, slots=True)
class Mended:
    """The outcome of the repair of missing or altered contents."""

    name: str
    """The name of their document."""
    digest: str
    outcome: Literal["mended", "wrong", "missing", "untold"]
    """Repaired; or the copy has other contents, or none; or no intact entry names them."""


@dataclass(frozen=True, slots=True)
class Report:
    """How many things were checked, and what was found of those that are not just as committed."""

    checked: int
    findings: tuple[Finding, ...]
    mended: tuple[Mended, ...] = ()
    """What became of bytes that were sought in a copy."""
    cautions: tuple[str, ...] = ()
    """What of the database's settings may lose what was acknowledged: nothing is lost so far."""

    @classmethod
    def of(
        cls, findings: Iterable[Finding], progress: Callable[[Finding], None] | None = None
    ) -> Self:
        """A report of `findings`, of which `progress` is told one by one."""
        checked, faults = 0, []
        for finding in findings:
            checked += 1
            if finding.kind != "ok":
                faults.append(finding)
            if progress is not None:
                progress(finding)
        return cls(checked, tuple(faults))

    @property
    def bad(self) -> tuple[Finding, ...]:
        """What is missing, altered or does not agree."""
        return tuple(finding for finding in self.findings if finding.kind not in HARMLESS)

    @property
    def ok(self) -> bool:
        """Whether nothing is."""
        return not self.bad
