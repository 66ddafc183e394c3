"""The log of one archive: its leaves, root, proofs, keys and signed checkpoints."""

from __future__ import annotations

import contextlib
import hashlib
from functools import cached_property
from typing import TYPE_CHECKING, Any

from permacite.archive.entries import commitments, digests_in, disclosed, hash_of, read
from permacite.archive.merkle import (
    consistency_proof,
    inclusion_proof,
    root_of_inclusion,
    tree_hash,
)
from permacite.archive.records import leaves, settings
from permacite.errors import IntegrityError, ParseError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.entries import Leaf, Sealed
    from permacite.archive.log.keys import Signer, Verifier
    from permacite.archive.log.note import Checkpoint, Signature
    from permacite.archive.log.timestamps import Stamp
    from permacite.archive.records.leaves import Stamped
    from permacite.pdi import PDI

__all__ = ["Checkpoints", "Log", "LogKeys"]

_LEAVES_AT_ONCE = 1000


class LogKeys:
    """The keys that sign the checkpoints of a log, and their public keys."""

    def __init__(self, catalog: Catalog, path: Path | None, origin: Callable[[], str]) -> None:
        """The key in `path` is made when it is first needed; `origin` then names the log.

        Without one this machine signs nothing.
        """
        self._catalog = catalog
        self._path = path
        self._origin = origin

    @cached_property
    def _foreign(self) -> tuple[Verifier, ...] | None:
        """The public keys of the original, where this is a mirror or a read-only copy."""
        texts = self._catalog.read(settings.keys_of_others)
        if texts is None:
            return None
        from permacite.archive.log.keys import Verifier

        return tuple(map(Verifier.parse, texts.split()))

    @property
    def may_sign(self) -> bool:
        """Whether this archive signs its log, as no mirror or read-only copy does."""
        return self._foreign is None

    @cached_property
    def signer(self) -> Signer:
        """The key that signs. Raises StorageError."""
        if not self.may_sign:
            raise StorageError(
                "a mirror, or a copy that reads, signs nothing in the name of its archive",
                path="log.key",
                reason="missing",
            )
        if self._path is None:
            raise StorageError(
                "the key of the log is not on this machine",
                path="log-key",
                reason="missing",
                hint="name its file in the location: log-key=/file",
            )
        from permacite.archive.log.keys import load_or_make

        note = self._catalog.read(leaves.head)[1]
        if note is not None and not self._path.exists():
            problem = "the key that signed this log is not here"
            raise _without_key(problem, self._path, reason="missing")
        signer = load_or_make(self._path, self._origin())
        if note is not None and not _is_of(signer.verifier, note):
            problem = "the key there is not the one that signed this log"
            raise _without_key(problem, self._path, reason="io")
        return signer

    @property
    def verifier(self) -> Verifier:
        """The public key: publish its text where people will find it."""
        return self.signer.verifier if self.may_sign else self.verifiers[0]

    @cached_property
    def signers(self) -> tuple[Signer, ...]:
        """The keys that sign checkpoints: Ed25519, and ML-DSA-44 where the package has it."""
        ml_dsa = self.signer.ml_dsa()
        return (self.signer,) if ml_dsa is None else (self.signer, ml_dsa)

    @cached_property
    def verifiers(self) -> tuple[Verifier, ...]:
        """All public keys: `verifier`, and that of ML-DSA-44 where the package has it."""
        if self._foreign is None:
            return tuple(signer.verifier for signer in self.signers)
        if self._foreign:
            return self._foreign
        raise StorageError(
            "the public key of this log is not known to this copy",
            path="log.key",
            reason="missing",
            hint="run `permacite copy` again where the key is, and it is kept with the copy",
        )


class Checkpoints:
    """The signed checkpoints of a log, with the cosignatures and time-stamps on them."""

    def __init__(self, catalog: Catalog, keys: LogKeys, root: Callable[[int], bytes]) -> None:
        """Take what gives the hash of the tree over so many leaves."""
        self._catalog = catalog
        self._keys = keys
        self._root = root

    def current(self) -> str:
        """Return the signed checkpoint of the log as it is; each is kept.

        Raises IntegrityError where the log has lost what an earlier checkpoint promised: nothing is
        signed then.
        """
        from permacite.archive.log.note import Checkpoint, Note, signed

        size, note = self._catalog.read(leaves.head)
        if not self._keys.may_sign:
            return self._cosigned(note)
        if note is not None:
            earlier = Checkpoint.parse(Note.parse(note).text)
            if earlier.size == size:
                return note
            self._check_extends(earlier, size)
        body = Checkpoint(self._keys.signer.name, size, self._root(size)).body
        note = signed(body, [signer.signature(body) for signer in self._keys.signers])
        return self._catalog.write(leaves.record_checkpoint, size, note)

    def last(self) -> Checkpoint | None:
        """The last checkpoint that is kept; None where there is none, or it is damaged."""
        from permacite.archive.log.note import Checkpoint, Note

        note = self._catalog.read(leaves.head)[1]
        if note is None:
            return None
        with contextlib.suppress(ParseError):
            parsed = Note.parse(note)
            if self._keys.verifier.verifies(parsed):
                return Checkpoint.parse(parsed.text)
        return None

    def published(self) -> str:
        """The signed checkpoint of the log as it is, with what witnesses cosigned of just that."""
        note = self.current()
        cosigned = self.witnessed() or ""
        return cosigned if _text(cosigned) == _text(note) else note

    def witnessed(self) -> str | None:
        """The last checkpoint that witnesses cosigned, with their signatures."""
        return self._catalog.read(settings.setting, settings.WITNESSED)

    def keep_witnessed(self, note: str, cosignatures: Sequence[Signature]) -> str:
        """Keep what witnesses cosigned of a checkpoint, beside what others did; the note with all.

        The last signature of a key takes the place of its earlier one.
        """
        from permacite.archive.log.note import Note, signed

        kept = self.witnessed() or ""
        parsed = Note.parse(kept if _text(kept) == _text(note) else note)
        lines = {(line.name, line.key_id): line for line in (*parsed.signatures, *cosignatures)}
        cosigned = signed(parsed.text, list(lines.values()))
        self._catalog.write(settings.set_setting, settings.WITNESSED, cosigned)
        return cosigned

    def timestamps(self, sequence: int | None = None) -> list[Stamped]:
        """Return the time-stamps on checkpoints, the earliest first; those that cover a leaf."""
        return self._catalog.read(leaves.stamped, sequence)

    def keep_timestamp(
        self, note: str, authority: str, response: bytes, *, nonce: int | None = None
    ) -> Stamp:
        """Keep the answer of a time-stamp authority about the checkpoint `note` of this log.

        Raises ParseError where it is no time-stamp, IntegrityError where it is one on something
        else, was not granted, or answers another request than that with `nonce`.
        """
        from permacite.archive.log.note import Checkpoint, Note
        from permacite.archive.log.timestamps import read as read_timestamp

        stamp = read_timestamp(response)
        fault = stamp.fault(note, nonce=nonce)
        if fault:
            expected = hashlib.sha256(note.encode()).hexdigest()
            raise IntegrityError(fault, expected=expected, actual=stamp.imprint.hex())
        size = Checkpoint.parse(Note.parse(note).text).size
        self._catalog.write(
            leaves.record_timestamp, size, authority, response, stamped_at=stamp.stamped_at
        )
        return stamp

    def _cosigned(self, note: str | None) -> str:
        """The last checkpoint that the archive of a mirror or copy signed, with our cosignature."""
        if note is None:
            raise StorageError(
                "no checkpoint that the archive of this log signed is here so far",
                path="checkpoint",
                reason="missing",
                hint="`permacite mirror`, or `copy` where the key of the log is, brings one",
            )
        cosigned = self._catalog.read(settings.setting, settings.COSIGNED) or ""
        return cosigned if _text(cosigned) == _text(note) else note

    def _check_extends(self, earlier: Checkpoint, size: int) -> None:
        """Raise IntegrityError unless the log of `size` leaves begins with the earlier one."""
        actual = self._root(earlier.size) if earlier.size <= size else b""
        if actual != earlier.root:
            raise IntegrityError(
                f"the log has {size} entries and does not extend its checkpoint of {earlier.size}",
                expected=f"sha-256:{earlier.root.hex()}",
                actual=f"sha-256:{actual.hex()}",
            )


class Log:
    """The RFC 6962 log over an archive's leaves."""

    def __init__(self, catalog: Catalog, key_path: Path | None, origin: Callable[[], str]) -> None:
        """Take what `LogKeys` does."""
        self._catalog = catalog
        self.keys = LogKeys(catalog, key_path, origin)
        self.checkpoints = Checkpoints(catalog, self.keys, self.root)

    def size(self) -> int:
        """Return the number of leaves."""
        return self._catalog.read(leaves.size)

    def leaves(self, start: int = 0, end: int | None = None) -> Iterator[Leaf]:
        """Return the leaves from `start` up to `end`."""
        while end is None or start < end:
            stop = start + _LEAVES_AT_ONCE if end is None else min(end, start + _LEAVES_AT_ONCE)
            page = self._catalog.read(leaves.leaves, start, stop)
            yield from page
            start += _LEAVES_AT_ONCE
            if not page:
                return

    def node(self, level: int, position: int) -> bytes:
        """The hash over the 2**level leaves from position * 2**level on.

        Raises IntegrityError where it is missing.
        """
        return self._catalog.read(leaves.node, level, position)

    def opening(self, leaf: Leaf, part: str) -> bytes | None:
        """The opening of a part of an entry; None where the entry tells it in clear.

        Raises IntegrityError where it is not kept any more, or the entry is damaged.
        """
        expected = commitments(_entry_of(leaf)).get(part)
        if expected is None:
            return None
        opening = self.openings(leaf).get(part)
        if opening is None:
            raise IntegrityError(
                f"the opening {part!r} of entry {leaf.sequence} is gone",
                expected=expected,
                actual="nothing",
            )
        return opening

    def openings(self, leaf: Leaf) -> dict[str, bytes]:
        """Return the openings of an entry by part, without those that are erased."""
        return self._catalog.read(leaves.openings, leaf.sequence)

    def disclosed(self, leaf: Leaf) -> dict[str, Any]:
        """Return all that an entry and its openings tell. Raises IntegrityError."""
        try:
            return disclosed(_entry_of(leaf), self.openings(leaf))
        except ValueError as error:
            raise _damaged(leaf) from error

    def digests_of(self, pdi: PDI) -> set[str]:
        """The digests that entries about a document tell, of those that are whole.

        An entry that a kept checkpoint covers must lead to the root that this signs.
        """
        signed = self.checkpoints.last()
        digests: set[str] = set()
        for leaf in self._catalog.read(leaves.entries, pdi):
            try:
                if self._is_whole(leaf, signed):
                    digests.update(digests_in(self.disclosed(leaf)))
            except IntegrityError:
                continue  # it tells nothing any more
        return digests

    def _is_whole(self, leaf: Leaf, signed: Checkpoint | None) -> bool:
        """Whether an entry is what its hash says, and leads to a root. Raises IntegrityError."""
        own = hash_of(leaf)
        if own != leaf.hash or signed is None or leaf.sequence >= signed.size:
            return own == leaf.hash
        proof = self.inclusion(leaf.sequence, signed.size)
        return root_of_inclusion(own, leaf.sequence, signed.size, proof) == signed.root

    def root(self, size: int) -> bytes:
        """Return the hash of the tree over the first `size` leaves."""
        return tree_hash(size, self.node)

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """Return the proof that leaf `index` is in the tree of `size`. Raises IndexError."""
        return inclusion_proof(index, size, self.node)

    def consistency(self, old: int, new: int) -> list[bytes]:
        """Return the proof that the tree of `new` leaves extends that of `old`."""
        return consistency_proof(old, new, self.node)

    def repeat(self, name: str, leaf: Sealed) -> None:
        """Enter again, as it was entered elsewhere, what is erased: for copies."""
        self._catalog.write(leaves.append_as_is, name, leaf)


def _without_key(problem: str, path: Path, *, reason: str) -> StorageError:
    """The error of a signed log without its key: no other takes its place.

    Whoever has an earlier checkpoint would not know it. A copy that only reads has none either.
    """
    hint = "put its file there; a copy that is to sign is made with --with-key"
    return StorageError(problem, path=str(path), reason=reason, hint=hint)


def _is_of(verifier: Verifier, note: str) -> bool:
    """Whether a checkpoint has a line of a key's; one that is damaged is told of by an audit."""
    from permacite.archive.log.note import Note

    try:
        return bool(verifier.signatures(Note.parse(note)))
    except ParseError:
        return True


def _entry_of(leaf: Leaf) -> dict[str, Any]:
    """Return an entry. Raises IntegrityError where it is damaged."""
    try:
        return read(leaf.content)
    except ValueError as error:
        raise _damaged(leaf) from error


def _text(note: str) -> str:
    """What stands above the signatures of a note."""
    return note[: note.rfind("\n\n") + 1]


def _damaged(leaf: Leaf) -> IntegrityError:
    problem = f"entry {leaf.sequence} of the log, or an opening of it, is damaged"
    return IntegrityError(problem, expected="what was entered", actual="other octets")
