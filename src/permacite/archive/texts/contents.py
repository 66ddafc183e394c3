"""The octets of formats: all of them, or by the piece; whatever is read is checked.

| what is asked for | what is compared |
|---|---|
| `read`, `read_received`, `octets`, `sidecar` | the digest of all octets, with that on record |
| `pieces` | of each piece that is read its digest, with that on record |

Every content of more than 32 KiB is committed with the digests of its pieces. Those of contents
that came in before are made when they are first asked for, all octets being compared then, and kept
in the catalog; they can be made again.
"""

from __future__ import annotations

import contextlib
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from permacite.archive.records import octets
from permacite.archive.records.versions import sidecars
from permacite.archive.texts.index import PIECES
from permacite.errors import IntegrityError, NotFoundError, ParseError, StorageError

if TYPE_CHECKING:
    from permacite.archive.engine import Catalog, WriteBehind
    from permacite.archive.gate import Gate
    from permacite.archive.model import Representation
    from permacite.archive.objects import ContentReader
    from permacite.archive.records.rows import Transaction
    from permacite.archive.texts.pieces import CheckedPieces, Pieces

__all__ = ["Contents", "KnownPieces"]

_AT_HAND = 32
"""Digests of pieces that stay in memory; they take a thousandth of a content."""


class KnownPieces:
    """The digests of the pieces of contents. Any number of threads may ask."""

    def __init__(self, catalog: Catalog, objects: WriteBehind) -> None:
        """Take a catalog and objects that are open."""
        self._catalog = catalog
        self._objects = objects
        # By digest: what was read once under it never changes.
        self._known = lru_cache(maxsize=_AT_HAND)(self._found)

    def of(self, representation: Representation) -> Pieces:
        """The digests of a content, committed with it or made now.

        Raises IntegrityError where they have to be made and the octets are not as they were
        committed, NotFoundError where these are missing, StorageError.
        """
        from permacite.archive.texts.pieces import PIECE_BYTES, Pieces

        digest, size = representation.digest, representation.size_bytes
        if size <= PIECE_BYTES:
            return Pieces.of_one(digest, size)
        return self._known(digest, size, self._catalog.read(sidecars, representation).get(PIECES))

    def fault(self, representation: Representation) -> str:
        """Say what is wrong with the digests of the pieces of a content; "" where nothing is.

        Those that were made here are made anew then. Octets that are not as they were committed
        are told by `verification` already.
        """
        from permacite.archive.texts.pieces import PIECE_BYTES

        digest = representation.digest
        if representation.size_bytes <= PIECE_BYTES:
            return ""  # nobody reads them
        sidecar = self._catalog.read(sidecars, representation).get(PIECES)
        kept = self._catalog.read(octets.pieces_of, digest)
        try:
            if sidecar is not None and not self._is_right(digest, self._objects.get(sidecar)):
                return "the digests of its pieces are of other octets"
            if kept is not None and not self._is_right(digest, kept):
                self._made(digest)
                return "the digests of its pieces were of other octets; they are made anew"
        except (IntegrityError, NotFoundError, StorageError):
            return ""
        return ""

    def _is_right(self, digest: str, stored: bytes) -> bool:
        """Whether digests of pieces, in their stored form, are of these octets."""
        from permacite.archive.texts.pieces import Pieces

        try:
            pieces = Pieces.from_bytes(stored)
        except ParseError:
            return False
        with self._objects.open(digest) as source:
            return Pieces.of_source(source, piece_bytes=pieces.piece_bytes) == pieces

    def _found(self, digest: str, size: int, sidecar: str | None) -> Pieces:
        if sidecar is not None:
            with contextlib.suppress(IntegrityError, NotFoundError, ParseError):
                return _read(self._objects.get(sidecar), digest, size)
        kept = self._catalog.read(octets.pieces_of, digest)
        if kept is not None:
            with contextlib.suppress(ParseError):
                return _read(kept, digest, size)
        return self._made(digest)

    def _made(self, digest: str) -> Pieces:
        """Read all octets, a piece at a time, and keep what is found of them."""
        from permacite.archive.texts.pieces import Pieces

        with self._objects.open(digest) as source:
            pieces = Pieces.of_source(source)
        with contextlib.suppress(StorageError):  # where the archive may only be read
            self._catalog.write(_keep, digest, pieces.to_bytes())
        return pieces


def _keep(transaction: Transaction, digest: str, pieces: bytes) -> None:
    octets.keep_pieces(transaction.connection, digest, pieces)


def _read(stored: bytes, digest: str, size: int) -> Pieces:
    """The digests in a stored form. Raises ParseError unless they are of this content."""
    from permacite.archive.texts.pieces import Pieces

    pieces = Pieces.from_bytes(stored)
    if (pieces.digest_of_all, pieces.size_bytes) != (digest, size):
        raise ParseError("expected the digests of the pieces of another content", "", 0)
    return pieces


class Contents:
    """The octets of one archive, as far as they are given out."""

    _catalog: Catalog
    _objects: WriteBehind
    _gate: Gate
    _pieces: KnownPieces

    def read(self, representation: Representation) -> bytes:
        """Return the octets, checked against their digest.

        Raises IntegrityError where they are altered, NotFoundError where they are missing,
        WithdrawnError.
        """
        self._gate.check(representation)
        return self._objects.get(representation.digest)

    def pieces(self, representation: Representation) -> CheckedPieces:
        """The octets, to be read by ranges; each piece that is read is checked. Raises as `read`.

        Nothing is read here, unless the digests of the pieces are to be made.
        """
        self._gate.check(representation)
        from permacite.archive.texts.pieces import CheckedPieces

        opened = partial(self._objects.open, representation.digest)
        return CheckedPieces(opened, self._pieces.of(representation))

    def source(self, representation: Representation) -> ContentReader:
        """The octets, to be read by ranges as they are stored; close it. Raises RestrictedError."""
        self._gate.check(representation)
        return self._objects.open(representation.digest)

    def check_access(self, representation: Representation) -> None:
        """Raise RestrictedError where the octets are not given out."""
        self._gate.check(representation)

    def read_received(self, representation: Representation) -> bytes:
        """Return the octets as they were received, where they differ, checked likewise."""
        self._gate.check(representation)
        return self._objects.get(representation.received_digest or representation.digest)

    def octets(self, digest: str) -> bytes:
        """Return kept octets, checked likewise, be they withdrawn or not: for copies of it all."""
        return self._objects.get(digest)

    def sidecar(self, representation: Representation, name: str) -> bytes | None:
        """A sidecar, checked likewise; None where there is none of this name."""
        digest = self.sidecar_digest(representation, name)
        return None if digest is None else self._objects.get(digest)

    def sidecar_digest(self, representation: Representation, name: str) -> str | None:
        """The digest of a sidecar, None where there is none. Raises RestrictedError."""
        self._gate.check(representation)
        return self._catalog.read(sidecars, representation).get(name)
