"""Check a proof bundle offline: octets, entry, way to the root, signature, cited words."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from permacite import pdi as grammar
from permacite.archive.log.keys import Verifier
from permacite.archive.log.merkle import leaf_hash, root_of_inclusion
from permacite.archive.log.note import Checkpoint, Note, parse_proof
from permacite.archive.objects import digest_of
from permacite.errors import LimitError, ParseError, PermaciteError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Check", "ProofReport", "check_proof"]

_MAX_FILES = 100
_MAX_ENTRY_BYTES = 10_000_000
_NEEDED = ("name.txt", "content", "leaf.json", "proof.tlog-proof", "log-key.txt")
_SPEC = "permacite proof bundle"
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
    LookupError,
)
"""What reading a damaged or hostile zip raises."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked: "content", "inclusion", "signature", "key", "quote"."""

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


def check_proof(
    data: bytes, public_key: str | None = None, *, max_bytes: int = 1 << 30
) -> ProofReport:
    """Check a proof bundle, without any archive or network.

    `public_key` is the key text that the archive publishes ("<name>+<id>+<base64>"). Raises
    ParseError where `data` is no bundle, LimitError where it unpacks to more than `max_bytes`.
    """
    files = _unzipped(data, max_bytes)
    name = files["name.txt"].decode("utf-8", "replace").strip()
    entry, described = _entry(files["leaf.json"], name)
    index, hashes, note_text = parse_proof(_text(files, "proof.tlog-proof"))
    note = Note.parse(note_text)
    checkpoint = Checkpoint.parse(note.text)
    verifier = Verifier.parse(_text(files, "log-key.txt"))
    digest = digest_of(files["content"])
    recorded = str(described.get("digest"))
    root = root_of_inclusion(leaf_hash(files["leaf.json"]), index, checkpoint.size, hashes)
    checks = [
        Check("content", digest == recorded, f"{digest}, the entry says {recorded}"),
        Check("inclusion", root == checkpoint.root, f"entry {index} of {checkpoint.size}"),
        Check("signature", verifier.verifies(note), f"of {checkpoint.origin} by {verifier}"),
    ]
    trusted = public_key is not None and Verifier.parse(public_key) == verifier
    if public_key is not None:
        checks.append(Check("key", trusted, f"signed by {verifier}, expected {public_key.strip()}"))
    reference = None
    if "citation.json" in files:
        reference, check = _quote(files, name, described)
        checks.append(check)
    return ProofReport(
        name=name,
        digest=digest,
        committed_at=str(entry.get("committed_at")),
        origin=checkpoint.origin,
        tree_size=checkpoint.size,
        key=str(verifier),
        trusted=trusted,
        reference=reference,
        checks=tuple(checks),
    )


def _unzipped(data: bytes, max_bytes: int) -> dict[str, bytes]:
    """Return the files of a bundle. Raises ParseError, LimitError."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = _members(archive, max_bytes)
    except PermaciteError:
        raise
    except _BROKEN as error:
        raise ParseError(f"not a proof bundle: {error}", "(a zip file)", 0, _SPEC) from error
    for name in _NEEDED:
        if name not in files:
            raise ParseError(f"a proof bundle holds {name}", "(a zip file)", 0, _SPEC)
    return files


def _members(archive: zipfile.ZipFile, max_bytes: int) -> dict[str, bytes]:
    """Return the members of a zip. Raises LimitError where there are too many octets."""
    members = archive.infolist()
    plain = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
    names = {member.filename for member in members}
    wrong = len(members) > _MAX_FILES or len(names) < len(members)
    if wrong or any(member.compress_type not in plain for member in members):
        raise zipfile.BadZipFile("not written by permacite")
    if sum(member.file_size for member in members) > max_bytes:
        raise LimitError("the bundle is too large", limit="bundle_bytes", maximum=max_bytes)
    # A member's reader stops at the size that was declared, whatever the data unpack to.
    return {member.filename: archive.read(member) for member in members}


def _text(files: Mapping[str, bytes], name: str) -> str:
    """Return a file as text. Raises ParseError where it is none."""
    try:
        return files[name].decode()
    except UnicodeDecodeError as error:
        raise ParseError(f"expected UTF-8 in {name}", f"({name})", 0, _SPEC) from error


def _entry(leaf: bytes, name: str) -> tuple[dict[str, object], dict[str, object]]:
    """Return a log entry, and what it says of the format that `name` names. Raises ParseError."""
    problem = f"expected a log entry about {name}"
    full = grammar.parse(name)
    if not isinstance(full, grammar.PDI) or len(leaf) > _MAX_ENTRY_BYTES:
        raise ParseError("expected the full name of a document", name, 0, _SPEC)
    try:
        entry = json.loads(leaf)
        described = [one for one in entry["formats"] if one["format"] == full.format]
        same = grammar.parse(str(entry["name"])) == full.document
        if not same or entry["version"] != full.version or len(described) != 1:
            raise ParseError(problem, "(leaf.json)", 0, _SPEC)
        return dict(entry), dict(described[0])
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise ParseError(problem, "(leaf.json)", 0, _SPEC) from error


def _quote(
    files: Mapping[str, bytes], name: str, described: Mapping[str, object]
) -> tuple[str | None, Check]:
    """Return the passage that a bundle cites, and whether its words stand there."""
    try:
        citation = json.loads(files["citation.json"])
        reference, quote = str(citation["reference"]), str(citation["quote"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return None, Check("quote", ok=False, detail="citation.json is not readable")
    try:
        found = _words(files["content"], reference, name, described)
    except PermaciteError as error:
        return reference, Check("quote", ok=False, detail=error.problem)
    return reference, Check("quote", found == quote, f"{reference} says {found!r}")


def _words(content: bytes, reference: str, name: str, described: Mapping[str, object]) -> str:
    """Return the text of a passage, "" where it is no text. Raises ParseError and others."""
    from permacite import extract  # noqa: PLC0415 - its decoders take a while to import

    fragment = grammar.parse(reference)
    if not isinstance(fragment, grammar.FragmentPDI) or fragment.pdi.canonical() != name:
        raise ParseError(f"expected a part of {name}", reference, 0, _SPEC)
    charset = described.get("charset")
    excerpt = extract.extract(
        content,
        str(described.get("media_type")),
        fragment,
        charset=None if charset is None else str(charset),
    )
    if excerpt.clipped:
        raise ParseError("it reaches beyond the end of the document", reference, 0, _SPEC)
    return excerpt.text or ""
