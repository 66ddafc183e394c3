"""Whether a mirror does what it must in time: what was withdrawn or erased there is so here."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from permacite.archive import Finding
from permacite.archive.log import Checkpoint
from permacite.archive.log.note import Note
from permacite.service.mirroring import evidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive import Repository

__all__ = ["LATEST", "findings"]

LATEST = timedelta(hours=24)
"""How long after it was done there something may be undone here."""


def findings(repository: Repository) -> Iterator[Finding]:
    """What is late or wrong in a mirror; nothing of any other archive."""
    mirror = repository.mirror
    origin = mirror.origin
    if origin is None:
        return
    for path in evidence.counting(repository):
        detail = f"one key signed two logs: {path} has both checkpoints; {evidence.HOW_TO_GO_ON}"
        yield Finding("log", "fork", detail)
    now = datetime.now(UTC)
    followed = mirror.followed()
    if followed is None or now - datetime.fromisoformat(followed) > LATEST:
        seen = mirror.seen()
        size = 0 if seen is None else Checkpoint.parse(Note.parse(seen).text).size
        behind = max(0, size - repository.log.size())
        since = "it was begun" if followed is None else f"{followed[:16]}Z"
        more = f"; {behind} entries are known to be there" if behind else ""
        detail = f"what was withdrawn, closed or erased since {since} may stand here open{more}"
        yield Finding(origin, "late", detail)
    for pdi, erased_at in mirror.unfinished():
        if now - erased_at > LATEST:
            detail = f"erased there on {erased_at:%Y-%m-%d}, and not destroyed here so far"
            yield Finding(str(pdi), "late", detail)
