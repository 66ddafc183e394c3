"""Citations on record: each with its addresses and its forms, ready to be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.errors import RestrictedError
from permacite.fragments import convert
from permacite.service import names
from permacite.service.citations.forms import Source, forms
from permacite.service.model import Cited

if TYPE_CHECKING:
    from collections.abc import Iterable

    from permacite.archive import Citation, Repository, Representation
    from permacite.fragments import Text

__all__ = ["DEFAULT_RESOLVER", "all_cited", "cited", "resolver"]

DEFAULT_RESOLVER = "http://127.0.0.1:8420"
"""Where `permacite serve` answers unless told otherwise."""


def resolver(archive: Repository) -> str:
    """Return the base address of the archive's resolver, without a final slash."""
    return archive.setting("resolver") or DEFAULT_RESOLVER


def cited(archive: Repository, citation: Citation, *, nth: int = 1, occurrences: int = 1) -> Cited:
    """Return a recorded citation with its addresses and forms."""
    return _cited(_Texts(archive), citation, nth=nth, occurrences=occurrences)


def all_cited(archive: Repository, citations: Iterable[Citation]) -> tuple[Cited, ...]:
    """Return recorded citations likewise; every text they are of is read once."""
    texts = _Texts(archive)
    return tuple(_cited(texts, citation) for citation in citations)


class _Texts:
    """The texts of an archive that are cited, each read and counted once."""

    def __init__(self, archive: Repository) -> None:
        self.archive = archive
        self._known: dict[str, Text | None] = {}

    def of(self, representation: Representation) -> Text | None:
        """Return a text as an entity; None where it is not given out."""
        if representation.digest not in self._known:
            self._known[representation.digest] = self._read(representation)
        return self._known[representation.digest]

    def _read(self, representation: Representation) -> Text | None:
        try:
            return names.text_of(self.archive, representation, whole=False).entity
        except RestrictedError:
            return None  # what was cited stays on record; checks of it cannot be made any more


def _cited(texts: _Texts, citation: Citation, *, nth: int = 1, occurrences: int = 1) -> Cited:
    archive = texts.archive
    representation = archive.representation(citation.pdi)
    version = archive.version(citation.pdi)
    provenance = version.provenance
    name, _, fragment = citation.fragment.partition("#")
    address = f"{resolver(archive)}/{name}"
    source = Source(
        reference=citation.fragment,
        url=f"{address}?fragment={fragment}",
        quote=citation.quote,
        title=version.title or str(version.pdi.document),
        uri=provenance.final_uri or provenance.uri,
        retrieved_at=provenance.retrieved_at or version.committed_at,
        archive=".".join(citation.pdi.series),
    )
    return Cited(
        reference=citation.fragment,
        url=source.url,
        rfc5147_url=_rfc5147_url(texts, representation, citation, address),
        quote=citation.quote,
        before=citation.before,
        after=citation.after,
        start=citation.start,
        end=citation.end,
        title=version.title,
        uri=source.uri,
        digest=representation.digest,
        cited_at=citation.cited_at,
        occurrences=occurrences,
        nth=nth,
        note=citation.note,
        forms=forms(source),
    )


def _rfc5147_url(
    texts: _Texts, representation: Representation, citation: Citation, address: str
) -> str | None:
    """Return the address with an RFC 5147 fragment and checks.

    None for what is no plain text: the positions of a PDI are never passed off as others.
    """
    if citation.start is None or citation.end is None:
        return None
    entity = texts.of(representation)
    if entity is None:
        return None
    start, end, _ = convert.pdi_to_rfc5147(entity, citation.start, citation.end)
    return f"{address}#{entity.cite(start, end, checks=('length', 'md5'))}"
