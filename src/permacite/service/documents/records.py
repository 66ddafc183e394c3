"""From the archive's records to the values that faces print."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.service.model import Document, Format

if TYPE_CHECKING:
    from permacite.archive import Representation, Version

__all__ = ["document", "format_of", "main_representation"]

_PREFERRED = ("text/html", "application/xhtml+xml", "text/plain")
"""What people mean by a document when they name no format, best first."""


def document(version: Version) -> Document:
    """Return one version as a plain value."""
    provenance = version.provenance
    return Document(
        pdi=str(version.pdi.document),
        version=version.number,
        title=version.title,
        uri=provenance.final_uri or provenance.uri,
        committed_at=version.committed_at,
        retrieved_at=provenance.retrieved_at,
        formats=tuple(format_of(item) for item in version.representations),
    )


def format_of(representation: Representation) -> Format:
    """Return one representation as a plain value."""
    return Format(
        pdi=str(representation.pdi),
        format=representation.format,
        media_type=representation.media_type,
        charset=representation.charset,
        size_bytes=representation.size_bytes,
        digest=representation.digest,
        derived_from=representation.derived_from,
        rendition=representation.rendition,
    )


def main_representation(version: Version) -> Representation:
    """Return the representation that stands for the document: its page, else its text."""
    for media_type in _PREFERRED:
        for item in version.representations:
            if item.media_type == media_type:
                return item
    return version.representations[0]
