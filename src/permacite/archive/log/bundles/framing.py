"""Check the frame of a proof: the way to the root, the signature, and every file that repeats them.

Every file in the zip is compared with what the signature vouches for: a file that was added, left
out or changed is named.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from permacite.archive.log.bundles.forms import pem_of, signature_of
from permacite.archive.log.bundles.members import text_of
from permacite.archive.log.bundles.readme import is_readme
from permacite.archive.log.bundles.reports import Check
from permacite.archive.log.keys import Verifier
from permacite.archive.log.merkle import leaf_hash, root_of_inclusion
from permacite.archive.log.note import Checkpoint, Note, parse_proof, proof_text

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["NEEDED", "Signed", "cites_entry", "inclusion", "others", "signature", "signed_part"]

NEEDED = ("name.txt", "leaf.json", "proof.tlog-proof", "log-key.txt")
_FOR_HAND = ("README.txt", "checkpoint.txt", "checkpoint.sig", "log-key.pem")
"""What serves those who check without permacite; it says the same as the others."""


@dataclass(frozen=True, slots=True)
class Signed:
    """The signed part of a bundle: where the entry stands, under which root, by which key."""

    index: int
    hashes: list[bytes]
    note_text: str
    note: Note
    checkpoint: Checkpoint
    verifier: Verifier


def signed_part(files: dict[str, bytes]) -> Signed:
    """Read the signed part. Raises ParseError."""
    index, hashes, note_text = parse_proof(text_of(files, "proof.tlog-proof"))
    note = Note.parse(note_text)
    verifier = Verifier.parse(text_of(files, "log-key.txt"))
    return Signed(index, hashes, note_text, note, Checkpoint.parse(note.text), verifier)


def inclusion(leaf: bytes, signed: Signed) -> Check:
    """Follow the way from the entry to the root."""
    size = signed.checkpoint.size
    root = root_of_inclusion(leaf_hash(leaf), signed.index, size, signed.hashes)
    return Check("inclusion", root == signed.checkpoint.root, f"entry {signed.index} of {size}")


def signature(signed: Signed) -> Check:
    """Check the signature over the root; the key signs for the log of its own name alone."""
    own = signed.checkpoint.origin == signed.verifier.name
    told = f"of {signed.checkpoint.origin} by {signed.verifier}"
    return Check("signature", own and signed.verifier.verifies(signed.note), told)


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
        "log-key.txt": f"{signed.verifier}\n".encode(),
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
