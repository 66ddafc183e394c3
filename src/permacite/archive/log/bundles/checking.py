"""Check a proof bundle offline: octets, entry, way to the root, signature, key, cited words.

Every file in the zip is read and compared with what the signature vouches for: a file that was
added, left out or changed is named. What holds is worth as much as the key that signed it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from permacite import pdi as grammar
from permacite.archive.canonical_json import canonical_json
from permacite.archive.log.bundles.forms import pem_of, signature_of
from permacite.archive.log.bundles.members import SPEC, members, text_of
from permacite.archive.log.bundles.quoting import checked_quote
from permacite.archive.log.bundles.readme import is_readme
from permacite.archive.log.keys import Verifier
from permacite.archive.log.merkle import leaf_hash, root_of_inclusion
from permacite.archive.log.note import Checkpoint, Note, parse_proof, proof_text
from permacite.archive.objects import digest_of
from permacite.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Check", "ProofReport", "check_proof"]

_NEEDED = ("name.txt", "content", "leaf.json", "proof.tlog-proof", "log-key.txt")
_FOR_HAND = ("README.txt", "checkpoint.txt", "checkpoint.sig", "log-key.pem")
"""What serves those who check without permacite; it says the same as the others."""
_OPTIONAL = ("citation.json",)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked.

    "content", "inclusion", "signature", "files" (all others in the zip), "key", "quote".
    """

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True)
class ProofReport:
    """What a bundle says, and whether it is so."""

    name: str
    """The full name of what is proven."""
    digest: str
    committed_at: str
    """When the archive says it committed it, yyyy-mm-ddThh:mm:ss.ffffffZ."""
    origin: str
    """The log's name."""
    tree_size: int
    root: bytes
    """Of the tree that was signed."""
    key: str
    """The public key that signed."""
    trusted: bool
    """Whether that key is one the caller gave; if not, anyone may have made the bundle."""
    reference: str | None
    """The passage that the bundle cites, if it does; its words are the check "quote"."""
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether every check passed. `trusted` is to be asked too."""
        return all(check.ok for check in self.checks)


@dataclass(frozen=True, slots=True)
class _Signed:
    """The signed part of a bundle: where the entry stands, under which root, by which key."""

    index: int
    hashes: list[bytes]
    note_text: str
    note: Note
    checkpoint: Checkpoint
    verifier: Verifier


def check_proof(
    data: bytes, public_key: str | None = None, *, max_bytes: int = 1 << 30
) -> ProofReport:
    """Check a proof bundle, without any archive or network.

    `public_key` is the key text that the archive publishes ("<name>+<id>+<base64>"). With it, the
    bundle proves what it says if every check passed; without, it only agrees with itself. Raises
    ParseError where `data` is no bundle, LimitError where it unpacks to more than `max_bytes`.
    """
    files = _files(data, max_bytes)
    name = files["name.txt"].decode("utf-8", "replace").strip()
    entry, described = _entry(files["leaf.json"], name)
    signed = _signed(files)
    checks = [
        _content(files["content"], described),
        _inclusion(files["leaf.json"], signed),
        _signature(signed),
        _others(files, signed, name),
    ]
    trusted = public_key is not None and Verifier.parse(public_key) == signed.verifier
    if public_key is not None:
        told = f"signed by {signed.verifier}, expected {public_key.strip()}"
        checks.append(Check("key", trusted, told))
    reference = None
    if "citation.json" in files:
        citation, content = files["citation.json"], files["content"]
        reference, fault = checked_quote(citation, content, name, described)
        checks.append(Check("quote", not fault, fault or str(reference)))
    return ProofReport(
        name=name,
        digest=digest_of(files["content"]),
        committed_at=str(entry.get("committed_at")),
        origin=signed.checkpoint.origin,
        tree_size=signed.checkpoint.size,
        root=signed.checkpoint.root,
        key=str(signed.verifier),
        trusted=trusted,
        reference=reference,
        checks=tuple(checks),
    )


def _files(data: bytes, max_bytes: int) -> dict[str, bytes]:
    """Return the files of a bundle. Raises ParseError, LimitError."""
    files = members(data, max_bytes=max_bytes)
    for name in _NEEDED:
        if name not in files:
            raise ParseError(f"a proof bundle holds {name}", "(a zip file)", 0, SPEC)
    return files


def _signed(files: dict[str, bytes]) -> _Signed:
    """Read the signed part. Raises ParseError."""
    index, hashes, note_text = parse_proof(text_of(files, "proof.tlog-proof"))
    note = Note.parse(note_text)
    verifier = Verifier.parse(text_of(files, "log-key.txt"))
    return _Signed(index, hashes, note_text, note, Checkpoint.parse(note.text), verifier)


def _entry(leaf: bytes, name: str) -> tuple[dict[str, object], dict[str, object]]:
    """Return a log entry, and what it says of the format that `name` names. Raises ParseError."""
    full = grammar.parse(name)
    if not isinstance(full, grammar.PDI):
        raise ParseError("expected the full name of a document", name, 0, SPEC)
    problem = f"expected a log entry about {name}"
    try:
        entry = json.loads(leaf)
        described = [one for one in entry["formats"] if one["format"] == full.format]
        about = grammar.parse(str(entry["name"])), entry["version"]
        # Where a member stood twice, programs would differ on which one counts.
        canonical = canonical_json(entry) == leaf
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise ParseError(problem, "(leaf.json)", 0, SPEC) from error
    if about != (full.document, full.version) or len(described) != 1:
        raise ParseError(problem, "(leaf.json)", 0, SPEC)
    if not canonical:
        raise ParseError("expected canonical JSON (RFC 8785)", "(leaf.json)", 0, SPEC)
    return dict(entry), dict(described[0])


def _content(content: bytes, described: dict[str, object]) -> Check:
    """Compare the octets with what the entry says of them."""
    digest, size = digest_of(content), len(content)
    recorded = described.get("digest"), described.get("size_bytes")
    told = f"{digest}, {size} bytes; the entry says {recorded[0]}, {recorded[1]} bytes"
    return Check("content", (digest, size) == recorded, told)


def _inclusion(leaf: bytes, signed: _Signed) -> Check:
    """Follow the way from the entry to the root."""
    size = signed.checkpoint.size
    root = root_of_inclusion(leaf_hash(leaf), signed.index, size, signed.hashes)
    return Check("inclusion", root == signed.checkpoint.root, f"entry {signed.index} of {size}")


def _signature(signed: _Signed) -> Check:
    """Check the signature over the root; the key signs for the log of its own name alone."""
    own = signed.checkpoint.origin == signed.verifier.name
    told = f"of {signed.checkpoint.origin} by {signed.verifier}"
    return Check("signature", own and signed.verifier.verifies(signed.note), told)


def _others(files: dict[str, bytes], signed: _Signed, name: str) -> Check:
    """Compare every other file with those that were checked."""
    faults = list(_faults(files, signed, name))
    return Check("files", not faults, "; ".join(faults) or f"{len(files)}, none else")


def _faults(files: dict[str, bytes], signed: _Signed, name: str) -> Iterator[str]:
    """Return what is wrong with the files that say again what others say."""
    expected = {
        "name.txt": f"{name}\n".encode(),
        "proof.tlog-proof": proof_text(signed.index, signed.hashes, signed.note_text).encode(),
        "checkpoint.txt": signed.note.text.encode(),
        "checkpoint.sig": signature_of(signed.note, signed.verifier),
        "log-key.txt": f"{signed.verifier}\n".encode(),
        "log-key.pem": pem_of(signed.verifier).encode(),
    }
    for file in sorted(set(files) - {*_NEEDED, *_FOR_HAND, *_OPTIONAL}):
        yield f"{file!r} is no file of a proof"
    for file in _FOR_HAND:
        if file not in files:
            yield f"{file} is missing"
    for file, content in expected.items():
        if files.get(file, content) != content:
            yield f"{file} was changed"
    if not is_readme(files.get("README.txt")):
        yield "README.txt was changed"
