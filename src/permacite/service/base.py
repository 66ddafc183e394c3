"""What every room of use cases stands on: one open archive, and the way in."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from permacite.archive import Audience, Location, Repository, place_of
from permacite.errors import StorageError
from permacite.service import decoders

__all__ = [
    "DEFAULT_RESOLVER",
    "Audience",
    "Location",
    "UseCases",
    "checked_location",
    "default_directory",
    "resolver_of",
]

DEFAULT_SERIES = "my.archive.zz"
"""The series of an archive made on the fly; zz is a code that ISO 3166 leaves to its users."""

DEFAULT_RESOLVER = "http://127.0.0.1:8420"
"""Where `permacite serve` answers unless told otherwise."""


class UseCases:
    """One open archive. Use it as a context manager, or call `close`; threads may share it.

    Each room has a class of its use cases, which opens an archive by itself; `Archive` has them
    all.
    """

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        repository.decoder_of = decoders.decoder_of

    @classmethod
    def create(
        cls,
        directory: Location | None,
        *,
        series: str = DEFAULT_SERIES,
        resolver: str | None = None,
        objects: str | None = None,
    ) -> Self:
        """Make an archive, with its octets in the store at the address `objects` if there is one.

        Raises ConflictError where one is, ParseError for a bad series or address, StorageError.
        """
        repository = Repository.create(
            directory or default_directory(), series=series, objects=objects
        )
        repository.set_setting("resolver", (resolver or DEFAULT_RESOLVER).rstrip("/"))
        return cls(repository)

    @classmethod
    def open(cls, directory: Location | None = None) -> Self:
        """Open an archive. The default one is made when it is first used.

        Raises StorageError where `directory` is given and holds no archive.
        """
        if directory is None and not default_directory().exists():
            return cls.create(None)
        try:
            return cls(Repository.open(directory or default_directory()))
        except StorageError as error:
            if error.reason == "missing" and not error.hint:
                error.hint = f"permacite init {directory} makes an archive there"
            raise

    def public(self, audience: Audience | None = None) -> Self:
        """The same archive as the public sees it: what is restricted shows its name alone.

        `audience` may see more. Closing either closes both.
        """
        return type(self)(self._repository.public(audience or Audience()))

    def cautions(self) -> tuple[str, ...]:
        """What of its database's settings may lose what was acknowledged, and what to do, in words.

        Of an archive in a folder there is none. Raises StorageError.
        """
        return self._repository.cautions()

    def close(self) -> None:
        """Let go of the archive."""
        self._repository.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._repository.where!r}>"


def checked_location(text: str) -> Location:
    """Where an archive is, of what was typed. Raises ParseError, StorageError.

    What is refused is not repeated: there may be a password in it.
    """
    place_of(text)
    return text if "://" in text else Path(text)


def default_directory() -> Path:
    """The folder of the user's own archive."""
    import platformdirs

    return Path(platformdirs.user_data_dir("permacite", appauthor=False)) / "archive"


def resolver_of(repository: Repository) -> str:
    """The base address of an archive's resolver, without a final slash."""
    return repository.setting("resolver") or DEFAULT_RESOLVER
