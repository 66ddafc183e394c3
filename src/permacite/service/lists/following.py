"""The pages of its own site that an archived page links to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from permacite.errors import ParseError
from permacite.markup import Document
from permacite.media_types import PAGES
from permacite.mhtml.links import references_of
from permacite.service import addresses
from permacite.service.ingest.directives import directives_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from permacite.archive import Repository, Version

__all__ = ["linked"]


def linked(repository: Repository, version: Version) -> Iterator[str]:
    """Yield the normal forms of addresses that a page links to on its own site, in its order.

    None where the page asks robots to follow none (`nofollow`).
    """
    main = repository.lookup.main(version)
    start = version.provenance.final_uri or version.provenance.uri
    if main.media_type not in PAGES or start is None:
        return
    document = Document.of(repository.contents.text(main), main.media_type)
    if directives_of(document, _fields(version)).forbids_following:
        return
    from permacite.capture.address import absolute

    base, has_base = start, False
    for link in references_of(document):
        try:
            uri = absolute(link.value, base)
            if link.role == "base" and not has_base:
                base, has_base = uri, True
            elif link.element in {"a", "area"} and urlsplit(uri)[:2] == urlsplit(start)[:2]:
                yield addresses.normal(uri)
        except ParseError:
            continue


def _fields(version: Version) -> list[list[str]]:
    """The header fields that a page came with, where they are on record."""
    details: Mapping[str, Any] = version.provenance.details
    requests = details.get("requests") or [{"response_headers": []}]
    return list(requests[0]["response_headers"])
