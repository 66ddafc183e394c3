"""Tokens for requests over the network, each of one series and one scope."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from permacite.archive.model.answered import utc_now
from permacite.archive.tokens import USUAL_SHARE, Share, Token, TokenStore, WrittenName, new_token
from permacite.errors import ConflictError, ParseError, TokenError
from permacite.lazy_dataclass import dataclass
from permacite.service import names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.archive.repository import Repository

__all__ = [
    "ADD",
    "SCOPES",
    "USUAL_SHARE",
    "Added",
    "Scope",
    "Share",
    "Token",
    "Tokens",
    "WrittenName",
    "check_name",
    "check_series",
    "lets",
]

Scope = Literal["read", "cite", "save", "admin"]
SCOPES: tuple[Scope, ...] = ("read", "cite", "save", "admin")
"""What a token may let its bearer do, each with all that stands before it.

| scope | it lets its bearer |
|---|---|
| read | see what is closed in its series |
| cite | cite, from any machine |
| save | save pages, put documents and derive texts, in its series |
| admin | read and write tags, collections and notes, in its series |
"""
ADD = "`permacite token add` on the server's machine makes one"
"""What helps who has no token."""
_LONGEST = 200
_OF_SERIES = "pdi://lab.example.us/".count("/")


@dataclass(frozen=True, slots=True)
class Added:
    """A token that was added."""

    token: Token
    secret: str
    """What its bearer shows. It is told this once, and is kept nowhere."""


class Tokens:
    """The tokens of an archive on this machine: no copy has them, and no log tells of them."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def add(
        self,
        *,
        series: str | None = None,
        scope: str = "save",
        note: str = "",
        person: str = "",
        share: Share = USUAL_SHARE,
    ) -> Added:
        """Add a token of a series; of the archive's own where none is named.

        Raises ConflictError for a series that does not mint here, ParseError, StorageError.
        """
        wanted = (series or self._repository.settings.series).lower()
        if wanted not in self._repository.settings.series_names():
            raise ConflictError(f"{wanted} does not mint here", wanted)
        if scope not in SCOPES:
            raise ParseError(f"expected {', '.join(SCOPES)}", scope, 0)
        told, whose = _line(note, "a note"), _line(person, "a name")
        token = new_token(wanted, scope, told, at=utc_now(), person=whose, share=share)
        return Added(token, self._tokens().add(token))

    def list(self) -> Sequence[Token]:
        """All tokens that admit somebody, oldest first. Raises StorageError."""
        return self._tokens().listed()

    def revoke(self, token_id: str) -> None:
        """Let a token admit nobody from the next request on. Raises NotFoundError, StorageError."""
        self._tokens().revoke(token_id)

    def forget_person(self, token_id: str) -> None:
        """Destroy what says whose a token is or was. Raises NotFoundError, StorageError."""
        self._tokens().forget(token_id)

    def written(self, token_id: str | None = None) -> Sequence[WrittenName]:
        """What was committed with a token, or with any, oldest first. Raises StorageError."""
        return self._tokens().written(token_id)

    def find(self, secret: str) -> Token:
        """The token of a secret. Raises TokenError for what is none, StorageError."""
        if not secret:
            raise TokenError("expected a token", reason="missing", hint=ADD)
        token = self._tokens().find(secret)
        if token is None:
            raise TokenError("the token is unknown here, or revoked", reason="unknown", hint=ADD)
        return token

    def spend(self, token: Token, *, requests: int = 0, octets: int = 0) -> None:
        """Count what comes with a token, over all servers of this archive.

        Raises RateError where its share is used up, LimitError for more than it has in a day,
        StorageError.
        """
        for kind, amount in (("requests", requests), ("octets", octets)):
            if amount:
                self._tokens().spend(token, kind, amount, at=utc_now())

    def note_written(self, token: Token, name: str) -> None:
        """Put on record with which token something was committed. Raises StorageError."""
        self._tokens().write(token, name, at=utc_now())

    def _tokens(self) -> TokenStore:
        return TokenStore(self._repository.directory)


def lets(token: Token, scope: Scope) -> bool:
    """Whether a token lets its bearer do what a scope names."""
    return token.scope in SCOPES and SCOPES.index(token.scope) >= SCOPES.index(scope)


def check_series(token: Token, series: str | None) -> None:
    """Raise TokenError where a token is of another series than is asked for."""
    if series is not None and series.lower() != token.series:
        problem = f"the token is of the series {token.series}, and not of {series}"
        raise TokenError(problem, reason="series")


def check_name(token: Token, reference: str) -> None:
    """The same for a name, or for a series in which one is to be minted. Raises ParseError too."""
    if reference.endswith("/") and reference.count("/") == _OF_SERIES:
        check_series(token, reference.rstrip("/").rpartition("/")[2])
    else:
        check_series(token, ".".join(names.document_of(reference)[0].series))


def _line(text: str, what: str) -> str:
    """A text on one line. Raises ParseError for one that is too long."""
    line = " ".join(text.split())
    if len(line) > _LONGEST:
        raise ParseError(f"expected {what} of at most {_LONGEST} characters", line, _LONGEST)
    return line
