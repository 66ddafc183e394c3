"""Verification of what is stored under a name: digests of bytes, and the words of citations."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from permacite.archive.model.answered import Finding
from permacite.errors import PermaciteError, StorageError
from permacite.service import names
from permacite.service.findings import Report
from permacite.service.resolution.resolving import Resolver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permacite import pdi
    from permacite.archive.repository import Repository

__all__ = ["verify"]

_KINDS = {"differs": "quotation", "unknown": "quotation", "unchecked": "unchecked"}
"""Kinds of findings of citations A@origin=B."""


def verify(
    repository: Repository,
    reference: str | None = None,
    *,
    progress: Callable[[Finding], None] | None = None,
) -> Report:
    """Check what is stored under `reference`, or everything: its bytes, and cited words.

    `progress` is told each finding as it is made. Raises NotFoundError.
    """
    return Report.of(_findings(repository, reference), progress)


def _findings(repository: Repository, reference: str | None) -> Iterator[Finding]:
    """Recompute the digests of what is stored, and the words of what is cited."""
    name = exact = None
    if reference is not None:
        name, fragment = names.document_of(reference)
        full = repository.lookup.representation(name).pdi  # an unknown name is an error
        if fragment is not None:
            exact = str(full.fragment(fragment.scheme, *fragment.positions))
            yield _in_words(repository, _resolves(repository, exact), full)
        if (check := repository.passages.check_name(names.parse(reference))) is not None:
            yield Finding(reference, _KINDS.get(check.outcome, "ok"), check.problem)
    yield from repository.fixity.verify(name)
    try:
        citations = repository.passages.citations(name)
    except StorageError as error:
        yield Finding("catalog", "catalog", error.problem)
        return
    for citation in citations:
        if exact in {None, citation.fragment}:
            yield _in_words(repository, repository.passages.check_citation(citation), citation.pdi)


def _in_words(repository: Repository, finding: Finding, name: pdi.PDI) -> Finding:
    """What is wrong with a part of a document, and which part of it that is, for people."""
    if finding.kind == "ok":
        return finding
    from permacite.service.citations.parts import words_of

    title = repository.lookup.version(name).title or str(name.document)

    place = words_of(finding.name, "", title)
    return dataclasses.replace(finding, detail=f"{place}: {finding.detail}")


def _resolves(repository: Repository, fragment: str) -> Finding:
    """Whether a fragment names anything."""
    try:
        Resolver(repository).resolve(fragment)
    except PermaciteError as error:
        return Finding(fragment, error.code, error.problem)
    return Finding(fragment, "ok")
