"""Check the frame of a proof: the way to the root, the signature, and every file that repeats them.

Every file in the zip is compared with what the signature vouches for: a file that was added, left
out or changed is named.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from permacite.archive.log.bundles.forms import keys_file, pem_of, signature_of
from permacite.archive.log.bundles.members import SPEC, text_of
from permacite.archive.log.bundles.readme import is_readme
from permacite.archive.log.bundles.reports import Check
from permacite.archive.log.cosignature import KeyType
from permacite.archive.log.keys import Verifier
from permacite.archive.log.note import Checkpoint, Note, parse_proof, proof_text
from permacite.archive.merkle import leaf_hash, root_of_inclusion
from permacite.errors import ParseError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "NEEDED",
    "Signed",
    "cites_entry",
    "inclusion",
    "others",
    "signature",
    "signed_part",
    "vouched",
]

NEEDED = ("name.txt", "leaf.json", "proof.tlog-proof", "log-key.txt")
_FOR_HAND = ("README.txt", "checkpoint.txt", "checkpoint.sig", "log-key.pem")
"""What serves those who check without permacite; it says the same as the others."""


@dataclass(frozen=True, slots=True)
class Signed:
    """The signed part of a bundle: where the entry stands, under which root, by which keys."""

    index: int
    hashes: list[bytes]
    note_text: str
    note: Note
    checkpoint: Checkpoint
    verifiers: tuple[Verifier, ...]
    """The keys in log-key.txt: Ed25519 first, then ML-DSA-44 where the log has signed with it."""

    @property
    def verifier(self) -> Verifier:
        """The Ed25519 key."""
        return self.verifiers[0]

    @property
    def own_note(self) -> str:
        """The checkpoint as the log signed it, without lines that witnesses added later."""
        return self.note.signed_by(self.verifier.name)


def signed_part(files: dict[str, bytes]) -> Signed:
    """Read the signed part. Raises ParseError."""
    index, hashes, note_text = parse_proof(text_of(files, "proof.tlog-proof"))
    note = Note.parse(note_text)
    verifiers = _verifiers(text_of(files, "log-key.txt"))
    return Signed(index, hashes, note_text, note, Checkpoint.parse(note.text), verifiers)


def _verifiers(text: str) -> tuple[Verifier, ...]:
    """Return the keys in log-key.txt. Raises ParseError."""
    found = tuple(Verifier.parse(line) for line in text.strip().split("\n"))
    types = [one.key_type for one in found]
    if types not in ([KeyType.ED25519], [KeyType.ED25519, KeyType.ML_DSA_44]):
        problem = "expected a key of Ed25519, and perhaps one of ML-DSA-44 below it"
        raise ParseError(problem, text, 0, SPEC)
    return found


def inclusion(leaf: bytes, signed: Signed) -> Check:
    """Follow the way from the entry to the root."""
    size = signed.checkpoint.size
    root = root_of_inclusion(leaf_hash(leaf), signed.index, size, signed.hashes)
    return Check("inclusion", root == signed.checkpoint.root, f"entry {signed.index} of {size}")


def signature(signed: Signed) -> Check:
    """Check the signatures over the root; keys sign for the log of their own name alone."""
    told = f"of {signed.checkpoint.origin} by {signed.verifier}"
    good = vouched(signed, signed.verifier)
    for beside in signed.verifiers[1:]:
        try:
            good = vouched(signed, beside) and good
            told += f" and {beside.label}"
        except StorageError as error:  # the Ed25519 key vouches for all the same
            told += f"; {beside.label} is not checked: {error.problem}"
    return Check("signature", good, told)


def vouched(signed: Signed, key: Verifier) -> bool:
    """Say whether `key` signed, for the log of its own name. Raises StorageError."""
    return key.name == signed.checkpoint.origin and key.verifies(signed.note)


def cites_entry(files: dict[str, bytes], signed: Signed) -> bool:
    """Say whether the citation is an entry of the same log. Raises ParseError."""
    proof = text_of(files, "citation.tlog-proof")
    index, hashes, note_text = parse_proof(proof)
    root = root_of_inclusion(
        leaf_hash(files["citation.json"]), index, signed.checkpoint.size, hashes
    )
    exact = proof_text(index, hashes, signed.note_text) == proof
    return exact and note_text == signed.note_text and root == signed.checkpoint.root


def others(files: dict[str, bytes], signed: Signed, name: str, *, checked: set[str]) -> Check:
    """Compare every other file with those that were `checked`."""
    faults = list(_faults(files, signed, name, checked))
    return Check("files", not faults, "; ".join(faults) or f"{len(files)}, none else")


def _faults(files: dict[str, bytes], signed: Signed, name: str, checked: set[str]) -> Iterator[str]:
    """Return what is wrong with the files that say again what others say."""
    expected = {
        "name.txt": f"{name}\n".encode(),
        "proof.tlog-proof": proof_text(signed.index, signed.hashes, signed.note_text).encode(),
        "checkpoint.txt": signed.note.text.encode(),
        "checkpoint.sig": signature_of(signed.note, signed.verifier),
        "log-key.txt": keys_file(signed.verifiers),
        "log-key.pem": pem_of(signed.verifier).encode(),
    }
    for file in sorted(set(files) - {*NEEDED, *_FOR_HAND, *checked}):
        yield f"{file!r} is no file of this proof"
    for file in _FOR_HAND:
        if file not in files:
            yield f"{file} is missing"
    for file, content in expected.items():
        if files.get(file, content) != content:
            yield f"{file} was changed"
    if not is_readme(files.get("README.txt")):
        yield "README.txt was changed"
