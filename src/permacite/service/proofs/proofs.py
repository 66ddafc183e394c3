"""Prove to anyone, offline, what this archive holds; and check such a proof without any archive.

RFC 6962 (the tree), C2SP tlog-checkpoint and tlog-proof (what is signed, and how proofs are
written): `permacite.archive.log` does the work. What is proven is that the archive held these
octets when it signed its log; never that the site they came from served them.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import field, replace
from datetime import date, datetime
from typing import TYPE_CHECKING

from permacite.archive.log.bundles.checking import check_proof
from permacite.archive.log.bundles.page import bundle_in, is_page, page_check, page_of
from permacite.archive.log.bundles.tlog_proof import Check
from permacite.archive.log.keys import Verifier
from permacite.archive.log.note import Checkpoint, Note
from permacite.archive.log.policy import Policy
from permacite.archive.log.timestamps import roots_in
from permacite.archive.model.answered import Citation, utc_now
from permacite.errors import ConflictError, NotFoundError, ParseError
from permacite.lazy_dataclass import dataclass
from permacite.service import names
from permacite.service.decoders import decode
from permacite.service.plain import UNPRINTED
from permacite.service.proofs.logs import kept_note
from permacite.service.resolution.resolving import Resolver

if TYPE_CHECKING:
    from permacite import pdi
    from permacite.archive.log.bundles.tlog_proof import ProofReport
    from permacite.archive.model.answered import Representation
    from permacite.archive.repository import Repository

__all__ = ["Proof", "Proofs", "Verified", "check", "key_in"]

_ZIP = b"PK"
_LONGEST_KEY = 10_000
_TOLD = "key "
"""What stands before the key where `permacite log` prints it."""
_CAUTION = "anyone could have made this file: no key was given that tells whose it is"
_CONTEXT = 32
"""Characters on either side of the words, as in a recorded citation."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof bundle that was made."""

    reference: str
    """What it proves: a full name, with the fragment that was asked for, if any."""
    absent: bool
    """Whether it proves that no document of this name was minted on its day, or ever will be."""
    versions: int | None
    """Where it proves that one had no such version when its day was sealed: how many it had."""
    quote: str | None
    """The words of the fragment; None for a whole document, "" for a part that is no text."""
    digest: str
    """Of the bytes; of what tells the day's names where it proves absence."""
    tree_size: int
    """Entries of the log under the checkpoint in the bundle."""
    key: str
    """The public key that checks it."""
    content: bytes = field(repr=False, metadata=UNPRINTED)
    """The zip, or the page that holds it."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What a proof bundle says, and whether it is so."""

    holds: bool
    """Whether every check passed. Without `trusted`, that shows only that it agrees with itself."""
    trusted: bool
    """Whether the key and the policy that were given count who signed."""
    caution: str | None
    """That anyone could have made the bundle, where neither a key nor a policy was given."""
    checks: tuple[Check, ...]
    reference: str | None = None
    """What is proven: a full name, with a fragment where words are cited; None if unreadable."""
    absent: bool = False
    """Whether what is proven is that no document of this name was ever minted, or that one had no
    such version."""
    versions: int | None = None
    """The second: how many versions the document had when its day was sealed."""
    quote: str | None = None
    """The words that stood there; None where the bundle cites none."""
    printed: str | None = None
    """Where they stand, as the document numbers its own parts, such as "p. 17"."""
    digest: str | None = None
    committed_at: datetime | None = None
    """When the archive committed it, or sealed the day, as the entry of its log says."""
    stamped_at: datetime | None = None
    """When another authority saw the log; the check "timestamp" tells whose word that is."""
    log: str | None = None
    """The name of the log."""
    tree_size: int | None = None
    key: str | None = None
    """The public key that signed."""


class Proofs:
    """Bundles that prove what the archive holds."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._resolution = Resolver(repository)

    def prove(
        self, reference: str, *, seal: bool = False, html: bool = False, language: str = "en"
    ) -> bytes:
        """The octets of the file that proves what `reference` names, as `proof` tells."""
        return self.proof(reference, seal=seal, html=html, language=language).content

    def proof(
        self, reference: str, *, seal: bool = False, html: bool = False, language: str = "en"
    ) -> Proof:
        """The bundle that proves what `reference` names, with the words of its fragment.

        Where no document of this name was minted on its day, the bundle proves that; where one
        was without this version, that it was not there when the day was sealed. With `seal`, the
        day is sealed for it. The log is signed as it is now. With `html`, it stands in a page
        that shows what is proven, and checks it in a browser, in that language if the page has its
        words, else in English. Raises NotFoundError where neither can be proven, IntegrityError,
        StorageError.
        """
        bundle = self._bundle(reference, seal=seal, labelled=not html)
        if not html:
            return bundle
        report = check_proof(bundle.content, decode=decode)
        return replace(bundle, content=page_of(bundle.content, report, language))

    def _bundle(self, reference: str, *, seal: bool, labelled: bool) -> Proof:
        """The bundle as a zip. Pages of the first edition know no labels."""
        repository = self._repository
        name, fragment = names.document_of(reference)
        try:
            representation = repository.lookup.representation(name)
        except NotFoundError as error:
            return _absence(repository, name, error, seal=seal)
        citation = None
        if fragment is not None:
            citation = self._citation(representation, fragment)
        content = repository.proofs.prove(representation.pdi, citation=citation, labelled=labelled)
        return Proof(
            absent=False,
            versions=None,
            reference=str(representation.pdi) if citation is None else citation.fragment,
            quote=None if citation is None else citation.quote,
            digest=representation.digest,
            tree_size=repository.log.size(),
            key=str(repository.log.keys.verifier),
            content=content,
        )

    def _citation(self, representation: Representation, fragment: pdi.FragmentPDI) -> Citation:
        """The recorded citation of a passage, or one like it that is not recorded."""
        exact = str(representation.pdi.fragment(fragment.scheme, *fragment.positions))
        for recorded in self._repository.passages.citations(representation.pdi):
            if recorded.fragment == exact:
                return recorded
        part = self._resolution.resolve(exact, context=_CONTEXT)
        return Citation(
            fragment=exact,
            pdi=representation.pdi,
            start=part.start,
            end=part.end,
            quote=part.text or "",
            before=part.before,
            after=part.after,
            media_type=part.media_type,
            cited_at=utc_now(),
            note=None,
        )


def _absence(repository: Repository, name: pdi.PDI, unknown: NotFoundError, *, seal: bool) -> Proof:
    """The bundle that proves that a document never was, or a version not when its day was sealed.

    Raises NotFoundError.
    """
    series = ".".join(name.series)
    if series not in repository.settings.series_names():
        raise unknown
    there = [version.number for version in repository.lists.list(name.document)]
    if there and (name.version is None or name.version <= max(there)):
        unknown.hint = "formats may still be added, so no proof says that one never was"
        raise unknown
    try:
        if seal:
            repository.days.seal(series, date(int(name.year), int(name.month), int(name.day)))
        content = repository.proofs.prove_absence(name)
    except (ConflictError, NotFoundError) as error:
        unknown.hint = f"nor can its absence be proven: {error.problem}"
        raise unknown from error
    report = check_proof(content)
    return Proof(
        reference=report.name,
        absent=True,
        versions=report.versions,
        quote=None,
        digest=report.digest,
        tree_size=report.tree_size,
        key=report.key,
        content=content,
    )


def check(
    data: bytes,
    key: str | None = None,
    *,
    policy: bytes | None = None,
    kept: str | None = None,
    tsa_roots: bytes | None = None,
) -> Verified:
    """Check a proof bundle, or the page that holds one. It needs no archive and no network.

    `key` is the public key text "<name>+<id>+<base64>" that the archive publishes, and `policy` a
    file that tells which logs count, and whose witness they need (C2SP tlog-policy): with either, a
    bundle that holds proves what it says; without, anyone could have made it.
    `kept` is a checkpoint of the same log, to be compared with the one in the bundle; `tsa_roots`
    are certificates (PEM) of authorities whose time-stamp the bundle must bear. A bundle that is
    damaged or forged gives an answer that names what does not hold; no script of a page is run.

    Raises ParseError where `data` is no zip file and no page with one, `key` no key, `policy` none
    or one that names no log where no key is given, `kept` no checkpoint or `tsa_roots` no
    certificate, LimitError for a bundle that unpacks to too much, StorageError where a package for
    the checks is missing.
    """
    note = None if kept is None else Note.parse(kept_note(kept))
    if key is not None:
        Verifier.parse(key)
    if policy is not None and not Policy.parse(policy).logs and key is None:
        raise ParseError("the policy names no log: give the key of the log too", "(a policy)", 0)
    caution = _CAUTION if key is None and policy is None else None
    if tsa_roots is not None:
        roots_in(tsa_roots)
    bundle = _bundle_of(data)
    try:
        report = check_proof(bundle, key, policy=policy, tsa_roots=tsa_roots, decode=decode)
    except ParseError as error:
        where = f", at {error.offset} of {error.source[:80]!r}" if error.offset else ""
        fault = Check("bundle", ok=False, detail=error.problem + where)
        return Verified(holds=False, trusted=False, caution=caution, checks=(fault,))
    checks = [*report.checks, *([] if note is None else [_view(report, note)])]
    checks += [page_check(data, bundle, report)] if is_page(data) else []
    return Verified(
        holds=all(check.ok for check in checks),
        trusted=report.trusted,
        caution=caution,
        checks=tuple(checks),
        absent=report.absent,
        versions=report.versions,
        reference=report.reference or report.name,
        quote=report.quote,
        printed=report.printed,
        digest=report.digest,
        committed_at=_moment(report.committed_at),
        stamped_at=report.stamped_at,
        log=report.origin,
        tree_size=report.tree_size,
        key=report.key,
    )


def _bundle_of(data: bytes) -> bytes:
    """The zip of a proof, be it by itself or in a page. Raises ParseError."""
    bundle = bundle_in(data) if is_page(data) else data
    if not bundle.startswith(_ZIP):
        problem = "expected a proof bundle, which is a zip file, or the page that holds one"
        raise ParseError(problem, "(a file)", 0)
    return bundle


def _view(report: ProofReport, note: Note) -> Check:
    """Compare the log of a bundle with a checkpoint: one key that signs two logs is found out."""
    promised = Checkpoint.parse(note.text)
    if not Verifier.parse(report.key).verifies(note):
        return Check("view", ok=False, detail="the checkpoint is signed by another key")
    if promised.size != report.tree_size:
        told = f"nothing to compare: a checkpoint of {promised.size}, a proof of {report.tree_size}"
        return Check("view", ok=True, detail=told)
    if promised.root == report.root:
        return Check(
            "view", ok=True, detail=f"the log of {promised.size} that the checkpoint names"
        )
    told = f"split view: one key signed two different logs of {promised.size} entries"
    return Check("view", ok=False, detail=told)


def _moment(text: str) -> datetime | None:
    """The time in an entry of a log; None where it is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def key_in(text: str) -> str:
    """The key text in the content of a file: what `permacite log` printed, or a key alone.

    A key alone is the first line that is not empty.
    """
    if text.lstrip().startswith("{"):
        with contextlib.suppress(ValueError, LookupError, TypeError, RecursionError):
            return str(json.loads(text)["key"])
    lines = [line.strip() for line in text[:_LONGEST_KEY].splitlines() if line.strip()]
    named = [line.removeprefix(_TOLD).strip() for line in lines if line.startswith(_TOLD)]
    return next(iter([*named, *lines]), "")
