"""Many names looked up in one go, with one answer each: what answers, who would know, or why not.

Nothing is read of what they name: whether words stand there, or a part reaches beyond the end,
`resolve` tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.errors import NotFoundError, PermaciteError, RestrictedError
from permacite.lazy_dataclass import dataclass
from permacite.service.plain import problem
from permacite.service.resolution.resolving import Resolver

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from permacite.archive.repository import Repository
    from permacite.errors import Detail
    from permacite.service.resolution.resolving import Octets

__all__ = ["Found", "LookUps", "LookedUp"]


@dataclass(frozen=True, slots=True)
class Found:
    """What a name is, without its octets."""

    pdi: str
    """The full name of what answers: format and version included."""
    exact: str
    """That name, with the fragment that was asked for, if any."""
    media_type: str
    digest: str
    """Of all of the document, as `size_bytes` is."""
    size_bytes: int
    title: str | None
    committed_at: datetime
    assumed: bool
    """Whether the name left the format or the version open."""


@dataclass(frozen=True, slots=True)
class LookedUp:
    """The answer to one of the names."""

    reference: str
    """As asked."""
    found: Found | None
    elsewhere: str | None
    """The address at another resolver, to which the name is delegated."""
    problem: dict[str, Detail] | None
    """Why nothing was found, as errors are told (RFC 9457); None where something was."""


class LookUps:
    """Names by the thousand."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._resolution = Resolver(repository)

    def look_up(self, references: Iterable[str]) -> Iterator[LookedUp]:
        """The answers to names and web addresses, in their order; one that fails stops no other."""
        for reference in references:
            yield self._looked_up(reference)

    def _looked_up(self, reference: str) -> LookedUp:
        try:
            return LookedUp(reference, _told(self._resolution.octets(reference)), None, None)
        except PermaciteError as error:
            elsewhere = None
            if isinstance(error, NotFoundError) and not isinstance(error, RestrictedError):
                elsewhere = self._address_elsewhere(reference)
            return LookedUp(reference, None, elsewhere, problem(error))

    def _address_elsewhere(self, reference: str) -> str | None:
        from permacite.service.assertions.delegating import elsewhere

        try:
            return next(iter(elsewhere(self._repository, reference)), None)
        except PermaciteError:  # an address of the web
            return None


def _told(octets: Octets) -> Found:
    part = octets.part
    return Found(
        pdi=part.pdi,
        exact=part.exact,
        media_type=part.media_type,
        digest=part.digest,
        size_bytes=octets.whole_bytes,
        title=part.title,
        committed_at=octets.committed_at,
        assumed=part.assumed,
    )
