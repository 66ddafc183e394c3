"""Files that are to be committed: read one by one, and put into groups that are committed together.

A group ends before a file that quotes by permanent names, for what it quotes may be a file before
it; and where it holds enough, so that no more than that is in memory, and the first outcomes come
soon.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from permacite.archive import NewVersion, Provenance, Witness
from permacite.errors import PermaciteError
from permacite.service import sources
from permacite.service.ingest import incoming

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date
    from pathlib import Path

    from permacite.archive import Standing
    from permacite.service.access import Choice

__all__ = ["Draft", "Terms", "grouped", "read_draft"]

_MOST_FILES = 64
_MOST_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Terms:
    """How files are to be committed."""

    series: str | None
    uri: str | None
    """Where the file came from."""
    confirmed_date: date | None
    standing: Choice


@dataclass(frozen=True, slots=True)
class Draft:
    """A file that was read."""

    name: str
    size_bytes: int
    document: incoming.Incoming

    def version(self, terms: Terms, default: Standing) -> NewVersion:
        """The version that is to be committed."""
        document = self.document
        return NewVersion(
            document.representations,
            series=terms.series,
            provenance=Provenance(
                title=document.title or self.name,
                uri=terms.uri or document.uri,
                details={"file_name": self.name, **document.details},
            ),
            witness=Witness(operator=terms.confirmed_date),
            standing=terms.standing.over(default),
        )


def read_draft(content: bytes, name: str, charset: str | None) -> Draft:
    """Read the bytes of a file. Raises ParseError where it is not what it claims."""
    media_type = sources.media_type_of(name, content)
    document = incoming.understood(content, media_type, charset=charset, name=name)
    return Draft(name, len(content), document)


def grouped(
    paths: Iterable[Path], charset: str | None
) -> Iterator[list[tuple[Path, Draft | PermaciteError | OSError]]]:
    """Yield files in groups, each read or with the error that kept it from that."""
    group: list[tuple[Path, Draft | PermaciteError | OSError]] = []
    size_bytes = 0
    for path in paths:
        outcome = _attempt(path, charset)
        quotes = isinstance(outcome, Draft) and bool(outcome.document.quotations)
        if group and (quotes or size_bytes > _MOST_BYTES or len(group) == _MOST_FILES):
            yield group
            group, size_bytes = [], 0
        group.append((path, outcome))
        size_bytes += outcome.size_bytes if isinstance(outcome, Draft) else 0
    if group:
        yield group


def _attempt(path: Path, charset: str | None) -> Draft | PermaciteError | OSError:
    try:
        return read_draft(path.read_bytes(), path.name, charset)
    except (PermaciteError, OSError) as error:
        return error
