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
    from permacite.archive.entries import Leaf
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
        """`root` returns the hash of the tree over so many leaves."""
        self._catalog = catalog
        self._keys = keys
        self._root = root

    def current(self) -> str:
        """Return the signed checkpoint of the log as it is now, and record it.

        Raises IntegrityError, and signs nothing, if the log does not extend an earlier checkpoint.
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
        """Return the last checkpoint on record; None if there is none, or it is damaged."""
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
        """Return the current signed checkpoint, with the cosignatures of witnesses on it."""
        note = self.current()
        cosigned = self.witnessed() or ""
        return cosigned if _text(cosigned) == _text(note) else note

    def witnessed(self) -> str | None:
        """Return the last checkpoint that witnesses cosigned, with their signatures."""
        return self._catalog.read(settings.setting, settings.WITNESSED)

    def keep_witnessed(self, note: str, cosignatures: Sequence[Signature]) -> str:
        """Record cosignatures on a checkpoint beside earlier ones; return the note with all.

        A signature replaces an earlier one by the same key.
        """
        from permacite.archive.log.note import Note, signed

        kept = self.witnessed() or ""
        parsed = Note.parse(kept if _text(kept) == _text(note) else note)
        lines = {(line.name, line.key_id): line for line in (*parsed.signatures, *cosignatures)}
        cosigned = signed(parsed.text, list(lines.values()))
        self._catalog.write(settings.set_setting, settings.WITNESSED, cosigned)
        return cosigned

    def timestamps(self, sequence: int | None = None) -> list[Stamped]:
        """Return the time-stamps on checkpoints, or on those over a leaf, earliest first."""
        return self._catalog.read(leaves.stamped, sequence)

    def keep_timestamp(
        self, note: str, authority: str, response: bytes, *, nonce: int | None = None
    ) -> Stamp:
        """Record the answer of a time-stamp authority about the checkpoint `note` of this log.

        Raises ParseError for an answer that is no time-stamp, IntegrityError for one on other
        content, one that was refused, and the answer to another request than that with `nonce`.
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
        """Return the last checkpoint that the original archive signed, with our cosignature."""
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
        """Raise IntegrityError unless the log of `size` leaves extends the earlier one."""
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
        """Take the arguments of `LogKeys`."""
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
        """Return the hash over the 2**level leaves from position * 2**level on.

        Raises IntegrityError if it is missing.
        """
        return self._catalog.read(leaves.node, level, position)

    def opening(self, leaf: Leaf, part: str) -> bytes | None:
        """Return the opening of a part of an entry; None if the part is in clear.

        Raises IntegrityError if it was deleted, or the entry is damaged.
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
        """Return all fields of an entry and its openings. Raises IntegrityError."""
        try:
            return disclosed(_entry_of(leaf), self.openings(leaf))
        except ValueError as error:
            raise _damaged(leaf) from error

    def digests_of(self, pdi: PDI) -> set[str]:
        """Return the digests in intact entries about a document.

        An entry that a checkpoint covers must lead to the root of that checkpoint.
        """
        signed = self.checkpoints.last()
        digests: set[str] = set()
        for leaf in self._catalog.read(leaves.entries, pdi):
            try:
                if self._is_whole(leaf, signed):
                    digests.update(digests_in(self.disclosed(leaf)))
            except IntegrityError:
                continue  # a damaged entry proves nothing
        return digests

    def _is_whole(self, leaf: Leaf, signed: Checkpoint | None) -> bool:
        """Whether an entry has its hash, and leads to a signed root. Raises IntegrityError."""
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


def _without_key(problem: str, path: Path, *, reason: str) -> StorageError:
    """The error for a signed log without its key. No other key replaces it.

    Holders of an earlier checkpoint would not know another one. A read-only copy has no key.
    """
    hint = "put its file there; a copy that is to sign is made with --with-key"
    return StorageError(problem, path=str(path), reason=reason, hint=hint)


def _is_of(verifier: Verifier, note: str) -> bool:
    """Whether a checkpoint has a line of a key. A damaged one is for the audit to report."""
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
    """Return the text of a note above its signatures."""
    return note[: note.rfind("\n\n") + 1]


def _damaged(leaf: Leaf) -> IntegrityError:
    problem = f"entry {leaf.sequence} of the log, or an opening of it, is damaged"
    return IntegrityError(problem, expected="what was entered", actual="other octets")
