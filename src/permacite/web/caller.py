"""Who asks for a page or an answer, and what they may do: decided once for each request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool

from permacite.service.tokens import check_name, lets

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection

    from permacite.errors import PermaciteError
    from permacite.service.archive import Archive
    from permacite.service.tokens import Scope, Token

__all__ = ["Caller", "caller_of", "check_reference", "note_written"]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, by the token that they show, or by where they are.

    | without a token | may |
    |---|---|
    | anybody | read what is open; from the archive's building, what may be read there |
    | this machine | cite; with --writable save; and unless with --public, use what the owner jots |
    """

    archive: Archive
    """As they may see it."""
    whole: Archive
    """With what is closed in it."""
    token: Token | None = None
    is_here: bool = False
    """Whether they are on this machine, with no proxy between."""
    is_inside: bool = False
    """Whether they ask from the building of the archive."""
    is_writable: bool = False
    """Whether this machine may write without a token (--writable)."""
    is_public: bool = False
    problem: PermaciteError | None = None
    """Why the token that was shown admits nobody; None where it does, or none was shown."""

    def may(self, scope: Scope) -> bool:
        """Whether they may do what a scope names."""
        if self.token is not None:
            own = scope != "admin" or self.token.series == self.whole.documents.series.names()[0]
            return own and lets(self.token, scope)
        needed = {"read": True, "cite": self.is_here, "save": self.is_here and self.is_writable}
        return needed.get(scope, self.is_here and self.is_writable and not self.is_public)

    @property
    def owned(self) -> Archive | None:
        """The archive with what its owner jots down; None for anybody else."""
        return self.whole if self.may("admin") else None


def caller_of(request: HTTPConnection) -> Caller:
    """Who asks, as the guard at the door found."""
    caller: Caller = request.state.caller
    return caller


def check_reference(request: HTTPConnection, reference: str) -> None:
    """Raise TokenError where a token lets write in another series than a name is of."""
    token = caller_of(request).token
    if token is not None:
        check_name(token, reference)


async def note_written(request: HTTPConnection, name: str) -> None:
    """Put on record who committed what, where a token let them."""
    caller = caller_of(request)
    if caller.token is not None:
        await run_in_threadpool(caller.whole.access.tokens.note_written, caller.token, name)
