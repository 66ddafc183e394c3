"""Check the signed part of a bundle: the way to the root, who signed it, and when.

C2SP tlog-proof, tlog-policy (c2sp.org), RFC 3161:
  tlog-proof, Format                -> `signed_part`, `inclusion`, `signature`
  tlog-policy, Defining the quorum  -> `checked_trust`
  RFC 3161 §2.4.2                   -> `checked_stamp`

Every other file in the zip is compared with what the signature vouches for: a file that was added,
left out or changed is named.

Deviations: none.
Readings: none.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from permacite.archive.log import timestamps
from permacite.archive.log.bundles.writing import is_readme, keys_file, pem_of, signature_of
from permacite.archive.log.keys import KeyType, Verifier, split
from permacite.archive.log.note import Checkpoint, Note, parse_proof, proof_text
from permacite.archive.log.plain_zip import SPEC, text_of
from permacite.archive.log.policy import Policy, shown
from permacite.archive.merkle import leaf_hash, root_of_inclusion
from permacite.errors import ParseError, StorageError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "NEEDED",
    "Check",
    "ProofReport",
    "Signed",
    "checked_stamp",
    "checked_trust",
    "cites_entry",
    "inclusion",
    "others",
    "signature",
    "signed_part",
]

NEEDED = ("name.txt", "leaf.json", "proof.tlog-proof", "log-key.txt")
_FOR_HAND = ("README.txt", "checkpoint.txt", "checkpoint.sig", "log-key.pem")
"""What serves those who check without permacite; it says the same as the others."""


_YEAR_10000 = 253_402_300_800


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked.

    "content" or "absence", "inclusion", "signature", "files" (all others in the zip), "key",
    "policy", "opening" (what the entry commits to), "quote", "timestamp".
    """

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True)
class ProofReport:
    """What a bundle says, and whether it is so."""

    name: str
    """The full name of what is proven, or of what is proven not to be."""
    absent: bool
    """Whether it proves that no document of this name was ever minted in its day, or that one had
    no such version when the day was sealed: then `versions` tells how many it had."""
    digest: str
    """Of the octets; of what tells the names of the day where it proves absence."""
    committed_at: str
    """When the archive says it committed it, or sealed the day: yyyy-mm-ddThh:mm:ss.ffffffZ."""
    origin: str
    """The log's name."""
    tree_size: int
    root: bytes
    """Of the tree that was signed."""
    key: str
    """The public key that signed."""
    trusted: bool
    """Whether the caller's key and policy count it; if not, anyone could have made the bundle."""
    stamped_at: datetime | None
    """When another authority stamped the log with the time; its certificate is checked if given."""
    reference: str | None
    """The passage that the bundle cites, if it does; its words are the check "quote"."""
    quote: str | None
    """The words."""
    checks: tuple[Check, ...]
    versions: int | None = None
    printed: str | None = None
    """Where they stand, as the document numbers its own parts: "p. 17"; the check "labels"."""

    @property
    def ok(self) -> bool:
        """Whether every check passed. `trusted` is to be asked too."""
        return all(check.ok for check in self.checks)


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
    keys = tuple(Verifier.parse(line) for line in text.strip().split("\n"))
    types = [key.key_type for key in keys]
    if types not in ([KeyType.ED25519], [KeyType.ED25519, KeyType.ML_DSA_44]):
        problem = "expected a key of Ed25519, and perhaps one of ML-DSA-44 below it"
        raise ParseError(problem, text, 0, SPEC)
    return keys


def inclusion(leaf: bytes, signed: Signed) -> Check:
    """Follow the way from the entry to the root."""
    size = signed.checkpoint.size
    root = root_of_inclusion(leaf_hash(leaf), signed.index, size, signed.hashes)
    return Check("inclusion", root == signed.checkpoint.root, f"entry {signed.index} of {size}")


def signature(signed: Signed) -> Check:
    """Check the signatures over the root; keys sign for the log of their own name alone."""
    detail = f"of {signed.checkpoint.origin} by {signed.verifier}"
    good = _vouched(signed, signed.verifier)
    for beside in signed.verifiers[1:]:
        try:
            good = _vouched(signed, beside) and good
            detail += f" and {beside.label}"
        except StorageError as error:  # the Ed25519 key vouches for all the same
            detail += f"; {beside.label} is not checked: {error.problem}"
    return Check("signature", good, detail)


def _vouched(signed: Signed, key: Verifier) -> bool:
    """Say whether `key` signed, for the log of its own name. Raises StorageError."""
    return key.name == signed.checkpoint.origin and key.verifies(signed.note)


def checked_trust(signed: Signed, key: Verifier | None, policy: Policy | None) -> list[Check]:
    """The checks "key" and "policy": whether the reader's own count the checkpoint.

    None at all where neither is given: anyone could have made the proof. Raises StorageError where
    a signature of the kind cannot be checked here.
    """
    checks: list[Check] = []
    if key is not None:
        detail = f"signed by {signed.verifier}, expected {key.label}"
        checks.append(Check("key", _vouched(signed, key), detail))
    if policy is not None:
        checks.append(_by_policy(signed.note, policy, key))
    return checks


def _by_policy(note: Note, policy: Policy, key: Verifier | None) -> Check:
    """Say whether a checkpoint counts under a policy, and who signed it."""
    verdict = policy.judge(note, key)
    if verdict.log is None or not verdict.ok:
        return Check("policy", ok=False, detail=verdict.fault)
    cosigners = [shown(name) + _when(policy.witnesses[name], note) for name in verdict.witnesses]
    witnesses = f", cosigned by {', '.join(cosigners)}" if cosigners else ""
    return Check("policy", ok=True, detail=f"signed by {verdict.log.label}{witnesses}")


def _when(witness: Verifier, note: Note) -> str:
    """Return the time at which a witness says that it cosigned, in brackets; "" for none."""
    time, _ = split(witness.key_type, witness.signatures(note)[0])
    if not 0 < time < _YEAR_10000:
        return ""
    return f" ({datetime.fromtimestamp(time, UTC):%Y-%m-%d %H:%M:%S} UTC)"


def checked_stamp(
    response: bytes | None, note: str, roots: bytes | None
) -> tuple[datetime | None, list[Check]]:
    """Return the time that is stamped on the signed note, and what was checked of it.

    `roots` are the certificates of authorities that the caller trusts (PEM): without them, whose
    time-stamp it is stays open; with them, a proof without a time-stamp fails. Raises StorageError
    where `roots` are given and rfc3161-client is not installed, ParseError where they are none.
    """
    if response is None:
        missing = Check("timestamp", ok=False, detail="this proof bears no time-stamp")
        return None, [] if roots is None else [missing]
    try:
        stamp = timestamps.read(response)
    except ParseError as error:
        return None, [Check("timestamp", ok=False, detail=error.problem)]
    except StorageError as error:
        if roots is not None:
            raise
        return None, [Check("timestamp", ok=True, detail=f"not read: {error}")]
    fault = stamp.fault(note)
    if roots is not None:
        fault = fault or timestamps.fault_of(response, note, roots)
    when = f"{stamp.stamped_at:%Y-%m-%d %H:%M:%S} UTC"
    by = "an authority that nobody vouched for" if roots is None else "the authority that was given"
    return stamp.stamped_at, [Check("timestamp", not fault, fault or f"{when}, by {by}")]


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
    """The faults of the files that say again what others say."""
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
