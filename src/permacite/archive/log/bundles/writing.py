"""Proof bundles: one zip that shows, to anyone and offline, what an archive held and since when.

It holds the octets, the log entry that names their digest, the way from that entry to the root of
the log, and the root signed by the archive's key. What is proven is that the archive held these
octets under this name when it signed; never that the site they came from served them. A proof of
absence holds, in the place of octets, the entry that sealed the day in the name, and the names on
either side of it with their ways to the root that this entry tells.
"""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from typing import TYPE_CHECKING

from permacite.archive.canonical_json import canonical_json
from permacite.archive.entries import CITATION, FORMAT, read, tokens
from permacite.archive.log.note import Checkpoint, Note, proof_text
from permacite.archive.name_tree import places_for, written
from permacite.archive.names import as_urn
from permacite.archive.records.days import form_of, names_file
from permacite.errors import IntegrityError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from permacite.archive.entries import Leaf
    from permacite.archive.log.keys import Verifier
    from permacite.archive.log.log import Log
    from permacite.archive.model.answered import Citation, Representation
    from permacite.archive.name_tree import DayDocument
    from permacite.pdi import PDI

__all__ = [
    "EARLIER_READMES",
    "README",
    "absence",
    "bundle",
    "entry_of",
    "is_readme",
    "keys_file",
    "pem_of",
    "signature_of",
    "spki_of",
]

README = """\
This bundle proves that an archive held certain bytes under a permanent name when it signed its
log. It does not prove that anyone else ever published them. `permacite verify FILE.zip` checks all
of the following; here is how to check it without permacite.

  name.txt          the permanent name (a PDI): series/date/id.format.version
  content           the bytes it names
  leaf.json         the archive's log entry about them
  opening.json      what that entry commits to, of this format; see step 1
  proof.tlog-proof  the way from that entry to the root of the log (c2sp.org/tlog-proof)
  checkpoint.txt    the log's name, its size, and its root hash in base64
  checkpoint.sig    the Ed25519 signature of checkpoint.txt
  log-key.pem       the public key it was made with
  log-key.txt       the same as a note key, and below it the ML-DSA-44 key that signed too, if any
  citation.json     if there: the words that were cited, where they stand, what is around them;
  citation.tlog-proof  if there: citation.json is an entry of the log too, and this its way
  citation-opening.json  if there: the words stand here; citation.json commits to them
  labels.txt        if there: what the document itself calls parts of its text, such as page xvii:
                    start, end, kind, name and place of each, a line each; see step 1
  places.json       in the place of content, where the archive has no such document, or version of
                    it: the names on either side of its name among all of its day; see step 6
  names.txt         in the place of places.json, of days that were sealed in earlier years: all
                    unique ids that were minted on the day, sorted; see step 6
  timestamp.tsr     if there: when another authority saw the signed root (RFC 3161); see step 7

Nothing else belongs into the zip: any other file in it was added by someone else.

1. The bytes. `sha256sum content` is the "digest" in opening.json. `sha256sum opening.json` stands
   in leaf.json, among the "commitments": that of "format." and the format that name.txt names. The
   "name" and "version" in leaf.json are those of name.txt. What else the entry commits to, such as
   the address, is not disclosed here: the random letters in each opening keep it from being
   guessed. Words that were cited are found in the same way: `sha256sum citation-opening.json`
   stands in citation.json. `sha256sum labels.txt` is the digest of "labels" among the
   "attachments" in opening.json. (An entry without "commitments" is of earlier years. It says all
   this itself: the "digest" stands in the "formats" of leaf.json, the words in citation.json.)

2. The entry. Its hash is SHA-256 of one zero byte followed by leaf.json:
     { printf '\\000'; cat leaf.json; } | sha256sum

3. The way to the root (RFC 9162 section 2.1.3.2). proof.tlog-proof gives the entry's index and one
   hash a line, in base64. checkpoint.txt gives the log's size on its second line. Begin with
     fn = index, sn = size - 1, r = the entry's hash
   and for each hash p of the proof, in order:
     if fn is odd, or fn = sn:
       r = SHA-256(byte 1, p, r); if fn is even, halve fn and sn until fn is odd or 0
     else:
       r = SHA-256(byte 1, r, p)
     then halve fn and sn, dropping the remainder.
   At the end sn is 0 and r, in base64, is the third line of checkpoint.txt.

4. The signature:
     openssl pkeyutl -verify -pubin -inkey log-key.pem -rawin -in checkpoint.txt \\
       -sigfile checkpoint.sig
   A second line in log-key.txt is for the day when Ed25519 can be forged: the last line of
   proof.tlog-proof is then an ML-DSA-44 signature (FIPS 204), made as c2sp.org/tlog-cosignature
   says, with the time 0.

5. The key. Anyone can make a key: compare log-key.txt with the key that the archive publishes, or
   that you noted down earlier. Without this step the bundle proves nothing.

6. Absence. Where there is no content, leaf.json is the entry that sealed a day once it had passed.
   Steps 2 to 5 are the same. Its "tree" is the root of a second tree, of as many leaves as its
   "documents" says: all documents of the day, sorted by unique id. places.json has some of them. A
   leaf is ["unique id",versions] without spaces, and its hash SHA-256 of a zero byte and that.
   Follow the "hashes" of each from its "index" as in step 3, with the number of documents as the
   log's size: the root is "tree". Either two leaves stand side by side (index and index + 1), one
   before the unique id of name.txt and one behind it; or the one is the first (index 0) and
   behind it, or the last and before it. Then no document has this unique id. Or the one leaf is
   that of the unique id, and name.txt names a later version than it had: there was none when the
   day was sealed, though there may be now.
   With names.txt, of earlier years: `sha256sum names.txt` is the digest that leaf.json tells as
   "names", the number of lines is that of its "documents", and the unique id is none of them.

7. The time-stamp. With the certificate of its authority, from elsewhere, in ca.pem:
     sed '1,/^$/d' proof.tlog-proof > checkpoint.note
     openssl ts -verify -data checkpoint.note -in timestamp.tsr -CAfile ca.pem
     openssl ts -reply -in timestamp.tsr -text
"""

EARLIER_READMES = (
    "f1edc3da0547b938c3dfe00a27d4c026d0e099a250bffa22ef29df63e8c9fd88",
    "1d621608e700393d5eb22541be5cd3a5488c4c1930faa70eaaac07f2f9c04115",
    "8d20f231662e982c22c195e7aee4a28f79efac402439d3087af6ee6ee306b2fa",
    "4b1144e0d6d0964124bc9af6d1a95fe7d70aaffd1651b035fe3c91ac060e04da",
)
"""SHA-256 of what this page said before: bundles with it are as good as ever."""

_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The first time a zip can say: the same proof is then always the same octets."""

_ED25519_SPKI = bytes.fromhex("302a300506032b6570032100")
"""What stands before the 32 octets of a public key in a SubjectPublicKeyInfo (RFC 8410 §4)."""


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
    labels: bytes | None = None,
) -> bytes:
    """Return the zip that proves what `leaf` says of `representation`, under a checkpoint.

    What an entry commits to is put in as far as it is of the representation and the citation.
    `citation` is put in with its words, as its own entry of the log where it has one; so are
    `labels`, the sidecar of that name. The checkpoint is the earliest that bears a time-stamp, or
    that of now where none does.
    """
    last = leaf.sequence if citation_leaf is None else max(leaf.sequence, citation_leaf.sequence)
    checkpoint, stamps = _checkpoint(log, last)
    files = {"content": content, **stamps}
    if labels is not None:
        files["labels.txt"] = labels
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


def absence(log: Log, pdi: PDI, leaf: Leaf, documents: Sequence[DayDocument]) -> bytes:
    """Return the zip that proves that a name is not among those of the day that `leaf` seals.

    An entry with a tree lets the names on either side be enough, or the one whose version it is;
    one of the first form needs all.
    """
    checkpoint, stamps = _checkpoint(log, leaf.sequence)
    if form_of(leaf) > 1:
        places = places_for(documents, pdi.document.canonical().rpartition("/")[2])
        shown = {"places.json": written(places)}
    else:
        shown = {"names.txt": names_file([document.unique_id for document in documents])}
    return _zipped(_framed(log, as_urn(pdi), leaf, checkpoint) | shown | stamps)


def _checkpoint(log: Log, sequence: int) -> tuple[str, dict[str, bytes]]:
    """Return the checkpoint to prove a leaf under, and the file of its time-stamp if it has one.

    That which was stamped comes first, then that which witnesses cosigned, then that of now.
    """
    for stamped in log.checkpoints.timestamps(sequence):
        return stamped.note, {"timestamp.tsr": stamped.response}
    witnessed = log.checkpoints.witnessed()
    note = witnessed if witnessed and sequence < _size_of(witnessed) else log.checkpoints.current()
    if sequence >= _size_of(note):
        problem = f"entry {sequence} of the log is not signed so far: only {_size_of(note)} are"
        raise NotFoundError(problem, str(sequence))
    return note, {}


def _size_of(note: str) -> int:
    """How many entries the log has in a checkpoint."""
    return Checkpoint.parse(Note.parse(note).text).size


def _framed(log: Log, name: str, leaf: Leaf, checkpoint: str) -> dict[str, bytes]:
    """The files of every bundle: the name, the entry, the way to the root, the signature."""
    note, verifier = Note.parse(checkpoint), log.keys.verifier
    return {
        "README.txt": README.encode(),
        "name.txt": f"{name}\n".encode(),
        "leaf.json": leaf.content,
        "proof.tlog-proof": _way(log, leaf, checkpoint),
        "checkpoint.txt": note.text.encode(),
        "checkpoint.sig": signature_of(note, verifier),
        "log-key.txt": keys_file(
            verifier for verifier in log.keys.verifiers if verifier.signatures(note)
        ),
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


def pem_of(verifier: Verifier) -> str:
    """Return an Ed25519 key as OpenSSL reads it (RFC 8410 §10)."""
    data = base64.b64encode(spki_of(verifier)).decode()
    return f"-----BEGIN PUBLIC KEY-----\n{data}\n-----END PUBLIC KEY-----\n"


def spki_of(verifier: Verifier) -> bytes:
    """Return an Ed25519 key as a SubjectPublicKeyInfo (RFC 8410 §4)."""
    return _ED25519_SPKI + verifier.public_key


def signature_of(note: Note, verifier: Verifier) -> bytes:
    """Return the 64 octets by which an Ed25519 key signed a note; b"" where it did not."""
    return next(iter(verifier.signatures(note)), b"")


def keys_file(verifiers: Iterable[Verifier]) -> bytes:
    """Return log-key.txt: the keys that signed, one a line."""
    return "".join(f"{verifier}\n" for verifier in verifiers).encode()


def is_readme(content: bytes | None) -> bool:
    """Say whether this is the page, as it is or was; None, where it is left out, counts too."""
    if content is None or content == README.encode():
        return True
    return hashlib.sha256(content).hexdigest() in EARLIER_READMES
