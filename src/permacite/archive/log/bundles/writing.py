"""Proof bundles: one zip that shows, to anyone and offline, what an archive held and since when.

It holds the octets, the log entry that names their digest, the way from that entry to the root of
the log, and the root signed by the archive's key. What is proven is that the archive held these
octets under this name when it signed; never that the site they came from served them.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from permacite.archive.canonical_json import canonical_json
from permacite.archive.log.bundles.forms import pem_of, signature_of
from permacite.archive.log.bundles.readme import README
from permacite.archive.log.note import Note, proof_text
from permacite.errors import IntegrityError

if TYPE_CHECKING:
    from permacite.archive.catalog import Leaf
    from permacite.archive.log.keys import Verifier
    from permacite.archive.log.log import Log
    from permacite.archive.model import Citation, Representation

__all__ = ["Bundle", "bundle", "entry_of"]

_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The first time a zip can say: the same proof is then always the same octets."""


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
    files = {
        "README.txt": README.encode(),
        "name.txt": f"{parts.name}\n".encode(),
        "content": parts.content,
        "leaf.json": parts.leaf.content,
        "proof.tlog-proof": parts.proof.encode(),
        "checkpoint.txt": note.text.encode(),
        "checkpoint.sig": signature_of(note, verifier),
        "log-key.txt": f"{verifier}\n".encode(),
        "log-key.pem": pem_of(verifier).encode(),
    }
    if parts.citation is not None:
        files["citation.json"] = _said(parts.citation)
    return files


def _said(citation: Citation) -> bytes:
    """Return a citation as far as the octets vouch for it."""
    placed = "#char=" in citation.fragment  # other schemes have no words before and after
    return canonical_json(
        {
            "reference": citation.fragment,
            "quote": citation.quote,
            "before": citation.before if placed else "",
            "after": citation.after if placed else "",
        }
    )


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
