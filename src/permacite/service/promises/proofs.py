"""Prove to anyone, offline, what this archive holds; and check such a proof without any archive.

RFC 6962 (the tree), C2SP tlog-checkpoint and tlog-proof (what is signed, and how proofs are
written): `permacite.archive.log` does the work. What is proven is that the archive held these
octets when it signed its log; never that the site they came from served them.
"""

from __future__ import annotations

import io
import json
import zipfile
from datetime import datetime
from typing import TYPE_CHECKING

from permacite.archive import Citation, utc_now
from permacite.archive.log import Verifier, check_proof
from permacite.errors import ParseError
from permacite.service import names
from permacite.service.documents.resolving import resolve
from permacite.service.promises.model import Check, Proof, Verified

if TYPE_CHECKING:
    from permacite import pdi
    from permacite.archive import Archive, Representation

__all__ = ["check", "key_in", "prove"]

_ZIP = b"PK"
_LONGEST_KEY = 1000
_CONTEXT = 32
"""Characters on either side of the words, as in a recorded citation."""


def prove(archive: Archive, reference: str) -> Proof:
    """Return the bundle that proves what `reference` names, with the words of its fragment.

    The log is signed as it is now. Raises NotFoundError, IntegrityError, StorageError.
    """
    name, fragment = names.document_of(reference)
    representation = archive.representation(name)
    citation = None
    if fragment is not None:
        citation = _citation(archive, representation, fragment)
    content = archive.prove(representation.pdi, citation=citation)
    return Proof(
        reference=str(representation.pdi) if citation is None else citation.fragment,
        quote=None if citation is None else citation.quote,
        digest=representation.digest,
        tree_size=archive.log.size(),
        key=str(archive.log.verifier),
        content=content,
    )


def _citation(
    archive: Archive, representation: Representation, fragment: pdi.FragmentPDI
) -> Citation:
    """Return the recorded citation of a passage, or one like it that is not recorded."""
    exact = str(representation.pdi.fragment(fragment.scheme, *fragment.positions))
    for recorded in archive.citations(representation.pdi):
        if recorded.fragment == exact:
            return recorded
    found = resolve(archive, exact, context=_CONTEXT)
    return Citation(
        fragment=exact,
        pdi=representation.pdi,
        start=found.start,
        end=found.end,
        quote=found.text or "",
        before=found.before,
        after=found.after,
        media_type=found.media_type,
        cited_at=utc_now(),
        note=None,
    )


def check(data: bytes, key: str | None = None) -> Verified:
    """Check a proof bundle. It needs no archive and no network.

    `key` is the public key text "<name>+<id>+<base64>" that the archive publishes. A bundle that is
    damaged or forged gives an answer that names what does not hold. Raises ParseError where `data`
    is no zip file or `key` no key, LimitError for a bundle that unpacks to too much.
    """
    if key is not None:
        Verifier.parse(key)
    if not data.startswith(_ZIP):
        raise ParseError("expected a proof bundle, which is a zip file", "(a file)", 0)
    try:
        report = check_proof(data, key)
    except ParseError as error:
        where = f", at {error.offset} of {error.source[:80]!r}" if error.offset else ""
        return Verified(
            holds=False,
            trusted=False,
            checks=(Check("bundle", ok=False, detail=error.problem + where),),
        )
    return Verified(
        holds=report.ok,
        trusted=report.trusted,
        checks=tuple(Check(one.name, one.ok, one.detail) for one in report.checks),
        reference=report.reference or report.name,
        quote=None if report.reference is None else _quote(data),
        digest=report.digest,
        committed_at=_moment(report.committed_at),
        log=report.origin,
        tree_size=report.tree_size,
        key=report.key,
    )


def _quote(data: bytes) -> str | None:
    """Return the words in a bundle that was read before."""
    with zipfile.ZipFile(io.BytesIO(data)) as bundle:
        return str(json.loads(bundle.read("citation.json"))["quote"])


def _moment(text: str) -> datetime | None:
    """Return the time in an entry of a log; None where it is none."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else None


def key_in(text: str) -> str:
    """Return the key text in the content of a file: its first line that is not empty."""
    lines = [line.strip() for line in text[:_LONGEST_KEY].splitlines() if line.strip()]
    return lines[0] if lines else ""
