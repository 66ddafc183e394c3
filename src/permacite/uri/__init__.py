"""URI references: parse, resolve, compare and find them (RFC 2396, and an RFC 3986 profile)."""

from __future__ import annotations

from permacite.uri.iri import from_iri
from permacite.uri.normalization import equivalent, normalize
from permacite.uri.reference import Reference, Segment, iter_errors, parse
from permacite.uri.resolution import Base, Resolved, establish_base, resolve

__all__ = [
    "Base",
    "Reference",
    "Resolved",
    "Segment",
    "equivalent",
    "establish_base",
    "from_iri",
    "iter_errors",
    "normalize",
    "parse",
    "resolve",
]
