"""Metadata of a document, from the document and from statements, as one reference.

A later assertion counts before an earlier one, and both before what the page states; the page
itself is never touched. One assertion names all authors, set apart by semicolons.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING

from permacite.bibliography import ASSERTION, Claim, Place, Reference, gather, reference
from permacite.bibliography.model import ZOTERO
from permacite.cache import Cache
from permacite.errors import RestrictedError
from permacite.markup import Document
from permacite.media_types import PAGES
from permacite.pdi.predicates import predicate_iri
from permacite.service.labels import record_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive.model.answered import Representation, Restriction, Version
    from permacite.archive.repository import Repository
    from permacite.pdi import PDI

__all__ = ["reference_of"]

_FIELDS = {
    "title": "title",
    "creator": "author",
    "issued": "issued",
    "date": "issued",
    "publisher": "publisher",
    "language": "language",
    "identifier": "identifier",
    "isPartOf": "container",
}
"""Terms of DCMI Metadata Terms, and the fields of a reference."""


_OCTETS_OF_A_CLAIM = 200


def _size(claims: list[Claim]) -> int:
    """About how much memory claims take."""
    return sum(_OCTETS_OF_A_CLAIM + len(claim.value) for claim in claims)


_CACHE: Cache[list[Claim]] = Cache(4 << 20, _size)


def reference_of(
    repository: Repository,
    version: Version,
    restricted: Mapping[PDI, Restriction] | None = None,
) -> Reference:
    """The reference of a version; of what is no page, or is not given out, what is asserted.

    `restricted`, of its formats, spares asking.
    """
    if restricted is None:
        restricted = repository.lookup.restrictions(version.representations)
    main = repository.lookup.main(version, restricted)
    if main.pdi in restricted:
        return Reference()  # what is not given out is not told of either
    claims = [*_asserted(repository, version, main), *_on_record(version)]
    try:
        if main.media_type in PAGES:
            claims += _stated(repository, main)
        else:
            record = record_of(repository, main)
            claims += () if record is None else record.stated
    except RestrictedError:
        claims = []  # what is not given out is not told of either
    return reference(claims) if claims else Reference()


def _stated(repository: Repository, main: Representation) -> list[Claim]:
    """What a page states, kept by its digest: the rules are the same for all who ask."""
    key = (main.digest, main.decoding or "", main.media_type)
    claims = _CACHE.get(*key)
    if claims is None:
        claims = gather(Document.of(repository.contents.text(main), main.media_type))
        _CACHE.put(claims, *key)
    return claims


def _on_record(version: Version) -> Iterator[Claim]:
    """What the library states that a document came from, as it was put on record."""
    stated = version.provenance.details.get("stated")
    claims = stated.get("claims") if isinstance(stated, Mapping) else None
    for each in claims if isinstance(claims, list) else ():
        match each:
            case [str(field), str(value), str(name), given]:
                place = Place(ZOTERO, name)
                yield Claim(field, value, place, given if isinstance(given, str) else None)


@functools.cache
def _fields() -> dict[str, str]:
    return {predicate_iri(term): name for term, name in _FIELDS.items()}


def _asserted(repository: Repository, version: Version, main: Representation) -> Iterator[Claim]:
    fields = _fields()
    statements = repository.statements.assertions(str(version.pdi.document), str(main.pdi))
    for statement in sorted(statements, key=lambda each: each.stated_at, reverse=True):
        field = fields.get(predicate_iri(statement.predicate))
        if field is not None:
            place = Place(ASSERTION, f"{statement.predicate} ({statement.who or 'nobody named'})")
            yield Claim(field, statement.object, place)
