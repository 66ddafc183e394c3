"""Proof bundles: one zip that shows, to anyone and offline, what an archive held and since when.

It holds the octets, the log entry that names their digest, the way from that entry to the root of
the log, and the root signed by the archive's key. What is proven is that the archive held these
octets under this name when it signed; never that the site they came from served them.
"""

from __future__ import annotations

import base64
import io
import json
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from permacite.archive.canonical_json import canonical_json
from permacite.archive.log.note import Note, proof_text
from permacite.archive.log.readme import README
from permacite.errors import IntegrityError

if TYPE_CHECKING:
    from permacite.archive.catalog import Leaf
    from permacite.archive.log.keys import Verifier
    from permacite.archive.log.log import Log
    from permacite.archive.model import Citation, Representation

__all__ = ["Bundle", "bundle", "entry_of"]

_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The first time a zip can say: the same proof is then always the same octets."""

_ED25519_SPKI = bytes.fromhex("302a300506032b6570032100")
"""What stands before the 32 octets of a public key in a SubjectPublicKeyInfo (RFC 8410 §4)."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """The parts of a proof, before they are zipped."""

    name: str
    content: bytes
    leaf: Leaf
    proof: str
    citation: Citation | None


def entry_of(leaves: list[Leaf], representation: Representation) -> Leaf:
    """Return the leaf that committed a representation. Raises IntegrityError where none did."""
    for leaf in leaves:
        entry = json.loads(leaf.content)
        tokens = [one["format"] for one in entry.get("formats", ())]
        if entry.get("version") == representation.pdi.version and representation.format in tokens:
            return leaf
    raise IntegrityError(
        f"the log has no entry for {representation.pdi}",
        expected=representation.digest,
        actual="nothing",
    )


def bundle(
    log: Log,
    representation: Representation,
    content: bytes,
    leaf: Leaf,
    *,
    citation: Citation | None = None,
) -> bytes:
    """Return the zip that proves what `leaf` says of `representation`, under a new checkpoint."""
    checkpoint = log.checkpoint()
    size = int(checkpoint.split("\n")[1])
    proof = proof_text(leaf.sequence, log.inclusion(leaf.sequence, size), checkpoint)
    parts = Bundle(str(representation.pdi), content, leaf, proof, citation)
    return _zipped(_files(parts, Note.parse(checkpoint), log.verifier))


def _files(parts: Bundle, note: Note, verifier: Verifier) -> dict[str, bytes]:
    """Return the files of a bundle by name."""
    own = next(one for one in note.signatures if one.key_id == verifier.key_id)
    files = {
        "README.txt": README.encode(),
        "name.txt": f"{parts.name}\n".encode(),
        "content": parts.content,
        "leaf.json": parts.leaf.content,
        "proof.tlog-proof": parts.proof.encode(),
        "checkpoint.txt": note.text.encode(),
        "checkpoint.sig": own.signature,
        "log-key.txt": f"{verifier}\n".encode(),
        "log-key.pem": _pem(verifier.public_key).encode(),
    }
    if parts.citation is not None:
        files["citation.json"] = canonical_json(
            {
                "reference": parts.citation.fragment,
                "quote": parts.citation.quote,
                "before": parts.citation.before,
                "after": parts.citation.after,
                "note": parts.citation.note,
            }
        )
    return files


def _pem(public_key: bytes) -> str:
    """Return a public key as OpenSSL reads it (RFC 8410 §10)."""
    data = base64.b64encode(_ED25519_SPKI + public_key).decode()
    return f"-----BEGIN PUBLIC KEY-----\n{data}\n-----END PUBLIC KEY-----\n"


def _zipped(files: dict[str, bytes]) -> bytes:
    """Return a zip of `files`, the same octets for the same files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, _EARLIEST)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, content)
    return target.getvalue()
