"""URI references: parse, resolve, compare and find them (RFC 2396, and an RFC 3986 profile).

RFC 2396 is the default everywhere; `profile="rfc3986"` reads by its successor. The modules:
reference (values), resolution, relativization, normalization, composition, escapes (and IRIs),
context (running text, App. E), security (§7).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.uri.composition import compose, replace
    from permacite.uri.context import Found, find
    from permacite.uri.escapes import (
        from_iri,
        quote,
        quote_from_bytes,
        to_iri,
        unquote,
        unquote_to_bytes,
    )
    from permacite.uri.normalization import DEFAULT_PORTS, equivalent, normalize
    from permacite.uri.reference import Reference, Segment, iter_errors, parse
    from permacite.uri.resolution import Base, establish_base, relativize, resolve
    from permacite.uri.security import Caution, warnings
    from permacite.uri.shortcuts import Resolved

__all__ = [
    "DEFAULT_PORTS",
    "Base",
    "Caution",
    "Found",
    "Reference",
    "Resolved",
    "Segment",
    "compose",
    "equivalent",
    "establish_base",
    "find",
    "from_iri",
    "iter_errors",
    "normalize",
    "parse",
    "quote",
    "quote_from_bytes",
    "relativize",
    "replace",
    "resolve",
    "to_iri",
    "unquote",
    "unquote_to_bytes",
    "warnings",
]

on_demand(
    __name__,
    {
        "permacite.uri.security": "Caution, warnings",
        "permacite.uri.composition": "compose, replace",
        "permacite.uri.context": "Found, find",
        "permacite.uri.escapes": (
            "from_iri, quote, quote_from_bytes, to_iri, unquote, unquote_to_bytes"
        ),
        "permacite.uri.normalization": "DEFAULT_PORTS, equivalent, normalize",
        "permacite.uri.reference": "Reference, Segment, iter_errors, parse",
        "permacite.uri.resolution": "Base, establish_base, relativize, resolve",
        "permacite.uri.shortcuts": "Resolved",
    },
)
