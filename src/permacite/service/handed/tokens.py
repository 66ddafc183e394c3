"""Who may write over the network: tokens, each of one series, and of one scope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from permacite.archive import Token, utc_now
from permacite.archive import Tokens as Kept
from permacite.errors import ConflictError, ParseError, TokenError
from permacite.service.base import UseCases

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SCOPES", "Added", "Token", "Tokens", "check_series"]

SCOPES = ("save",)
"""What a token may let its bearer do, each with all that stands before it."""
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Added:
    """A token that was added."""

    token: Token
    secret: str
    """What its bearer shows. It is told this once, and is kept nowhere."""


class Tokens(UseCases):
    """The tokens of an archive on this machine: no copy has them, and no log tells of them."""

    def add_token(self, *, series: str | None = None, scope: str = "save", note: str = "") -> Added:
        """Add a token that lets its bearer save pages in a series; its own where none is named.

        Raises ConflictError for a series that does not mint here, ParseError, StorageError.
        """
        wanted = (series or self._repository.series).lower()
        if wanted not in self._repository.series_names():
            raise ConflictError(f"{wanted} does not mint here", wanted)
        if scope not in SCOPES:
            raise ParseError(f"expected {', '.join(SCOPES)}", scope, 0)
        told = " ".join(note.split())
        if len(told) > _LONGEST:
            raise ParseError(f"expected a note of at most {_LONGEST} characters", told, _LONGEST)
        token, secret = self._tokens().add(wanted, scope, told, at=utc_now())
        return Added(token, secret)

    def tokens(self) -> Sequence[Token]:
        """All tokens that admit somebody, oldest first. Raises StorageError."""
        return self._tokens().listed()

    def revoke_token(self, token_id: str) -> None:
        """Let a token admit nobody from the next request on. Raises NotFoundError, StorageError."""
        self._tokens().revoke(token_id)

    def admit(self, secret: str, scope: str) -> Token:
        """The token of a secret, if it lets its bearer do what a scope names.

        Raises TokenError, StorageError.
        """
        if not secret:
            raise TokenError("expected a token", reason="missing", hint=_ADD)
        token = self._tokens().find(secret)
        if token is None:
            raise TokenError("the token is unknown here, or revoked", reason="unknown", hint=_ADD)
        if token.scope not in SCOPES or SCOPES.index(token.scope) < SCOPES.index(scope):
            problem = f"the token lets you {token.scope}, and not {scope}"
            raise TokenError(problem, reason="scope")
        return token

    def _tokens(self) -> Kept:
        return Kept(self._repository.directory)


def check_series(token: Token, series: str | None) -> None:
    """Raise TokenError where a token is of another series than is asked for."""
    if series is not None and series.lower() != token.series:
        problem = f"the token is of the series {token.series}, and not of {series}"
        raise TokenError(problem, reason="series")


_ADD = "`permacite token add` on the server's machine makes one"
