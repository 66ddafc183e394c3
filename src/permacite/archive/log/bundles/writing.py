"""Proof bundles: one zip that shows, to anyone and offline, what an archive held and since when.

It holds the octets, the log entry that names their digest, the way from that entry to the root of
the log, and the root signed by the archive's key. What is proven is that the archive held these
octets under this name when it signed; never that the site they came from served them. A proof of
absence holds the names of a whole day in the place of octets, and the entry that sealed the day.
"""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

from permacite.archive.canonical_json import canonical_json
from permacite.archive.entries import CITATION, FORMAT, read, tokens
from permacite.archive.log.bundles.forms import keys_file, pem_of, signature_of
from permacite.archive.log.bundles.readme import README
from permacite.archive.log.note import Note, proof_text
from permacite.archive.records.days import names_file
from permacite.errors import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.archive.entries import Leaf
    from permacite.archive.log.log import Log
    from permacite.archive.model import Citation, Representation

__all__ = ["absence", "bundle", "entry_of"]

_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The first time a zip can say: the same proof is then always the same octets."""


def entry_of(leaves: list[Leaf], representation: Representation) -> Leaf:
    """Return the leaf that committed a representation. Raises IntegrityError where none did."""
    for leaf in leaves:
        try:
            entry = read(leaf.content)
        except ValueError:
            continue  # damaged: it commits nothing any more
        same = entry.get("version") == representation.pdi.version
        if same and representation.format in tokens(entry):
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
    citation_leaf: Leaf | None = None,
) -> bytes:
    """Return the zip that proves what `leaf` says of `representation`, under a checkpoint.

    What an entry commits to is put in as far as it is of the representation and the citation.
    `citation` is put in with its words, as its own entry of the log where it has one. The
    checkpoint is the earliest that bears a time-stamp, or that of now where none does.
    """
    last = leaf.sequence if citation_leaf is None else max(leaf.sequence, citation_leaf.sequence)
    checkpoint, stamps = _checkpoint(log, last)
    files = {"content": content, **stamps}
    opening = log.opening(leaf, FORMAT + representation.format)
    if opening is not None:
        files["opening.json"] = opening
    if citation_leaf is not None:
        files["citation.json"] = citation_leaf.content
        opening = log.opening(citation_leaf, CITATION)
        if opening is not None:
            files["citation-opening.json"] = opening
        files["citation.tlog-proof"] = _way(log, citation_leaf, checkpoint)
    elif citation is not None:
        files["citation.json"] = _said(citation)
    return _zipped(_framed(log, str(representation.pdi), leaf, checkpoint) | files)


def absence(log: Log, name: str, leaf: Leaf, unique_ids: Sequence[str]) -> bytes:
    """Return the zip that proves that `name` is not among those of the day that `leaf` seals."""
    checkpoint, stamps = _checkpoint(log, leaf.sequence)
    files = {"names.txt": names_file(unique_ids), **stamps}
    return _zipped(_framed(log, name, leaf, checkpoint) | files)


def _checkpoint(log: Log, sequence: int) -> tuple[str, dict[str, bytes]]:
    """Return the checkpoint to prove a leaf under, and the file of its time-stamp if it has one."""
    for one in log.stamped(sequence):
        return one.note, {"timestamp.tsr": one.response}
    return log.checkpoint(), {}


def _framed(log: Log, name: str, leaf: Leaf, checkpoint: str) -> dict[str, bytes]:
    """Return what every bundle holds: the name, the entry, the way to the root, the signature."""
    note, verifier = Note.parse(checkpoint), log.verifier
    return {
        "README.txt": README.encode(),
        "name.txt": f"{name}\n".encode(),
        "leaf.json": leaf.content,
        "proof.tlog-proof": _way(log, leaf, checkpoint),
        "checkpoint.txt": note.text.encode(),
        "checkpoint.sig": signature_of(note, verifier),
        "log-key.txt": keys_file(one for one in log.verifiers if one.signatures(note)),
        "log-key.pem": pem_of(verifier).encode(),
    }


def _way(log: Log, leaf: Leaf, checkpoint: str) -> bytes:
    """Return the way from an entry to the root that `checkpoint` signs (C2SP tlog-proof)."""
    size = int(checkpoint.split("\n")[1])
    return proof_text(leaf.sequence, log.inclusion(leaf.sequence, size), checkpoint).encode()


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
