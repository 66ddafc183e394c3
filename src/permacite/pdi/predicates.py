"""Predicates of assertions: the words that people write, and their IRIs.

PDI draft:
  §3.6.5 Assertions -> `check_predicate`, when an assertion is made; `predicate_iri`, to write it

A predicate is one word, which is a term of DCMI Metadata Terms where there is one of that name,
else a word of ours (`urn:permacite:predicate:...`); a name with one of `PREFIXES`; or an IRI
(RFC 3987).

Deviations: none.
Readings: the draft gives no syntax of predicates. What holds a colon must be an IRI, once its
prefix is replaced: no tool of RDF writes anything else. Older archives hold predicates that are
none; `predicate_iri` takes each of these for a word of ours, since what is another's IRI is not
ours to mend.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from permacite import uri
from permacite.errors import ParseError
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    import re

__all__ = ["PREFIXES", "check_predicate", "predicate_iri"]

PREFIXES = {
    "dcterms": "http://purl.org/dc/terms/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "oa": "http://www.w3.org/ns/oa#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "cito": "http://purl.org/spar/cito/",
    "prov": "http://www.w3.org/ns/prov#",
    "schema": "https://schema.org/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
"""What may stand before the colon of a predicate, and what it stands for."""

# fmt: off
_TERMS = frozenset({
    "abstract", "accessRights", "alternative", "audience", "available", "bibliographicCitation",
    "conformsTo", "contributor", "coverage", "created", "creator", "date", "dateAccepted",
    "dateCopyrighted", "dateSubmitted", "description", "educationLevel", "extent", "format",
    "hasFormat", "hasPart", "hasVersion", "identifier", "isFormatOf", "isPartOf",
    "isReferencedBy", "isReplacedBy", "isRequiredBy", "issued", "isVersionOf", "language",
    "license", "medium", "modified", "provenance", "publisher", "references", "relation",
    "replaces", "requires", "rights", "rightsHolder", "source", "spatial", "subject",
    "tableOfContents", "temporal", "title", "type", "valid",
})
# fmt: on
"""DCMI Metadata Terms, the properties of /terms/ that describe documents."""

_OURS = "urn:permacite:predicate:"
_RULE = "PDI §3.6.5"


def check_predicate(predicate: str) -> None:
    """Refuse a predicate that no RDF could be written with.

    Raises ParseError, placed in `predicate`.
    """
    word = predicate.strip()
    if not word:
        raise ParseError("expected a predicate", predicate, 0, _RULE)
    start = predicate.index(word)
    if ":" in word:
        _check_iri(word, predicate, start)
    elif fault := _no_text().search(word):
        problem = "a word holds no control characters"
        raise ParseError(problem, predicate, start + fault.start(), _RULE)


def _check_iri(word: str, predicate: str, start: int) -> None:
    """Refuse what has a colon and is no IRI; `word` begins at `start` of `predicate`."""
    iri = _expanded(word)
    try:
        _parse_iri(iri)
    except ParseError as error:
        raise ParseError(
            "expected an IRI, or a word without a colon",
            predicate,
            start + max(0, len(word) - len(iri) + error.offset),
            f"{_RULE}, RFC 3987 §2.2",
            hint=f"an IRI begins with its scheme, or with one of: {', '.join(PREFIXES)}",
        ) from error


def predicate_iri(predicate: str) -> str:
    """The IRI of a predicate as people write it, or wrote it before anything was checked."""
    word = predicate.strip()
    if ":" not in word:
        return PREFIXES["dcterms"] + word if word in _TERMS else _ours(word)
    iri = _expanded(word)
    try:
        _parse_iri(iri)
    except ParseError:
        return _ours(word)
    return iri


def _expanded(word: str) -> str:
    """A name with a prefix in full; any other word as it is (JSON-LD 1.1 §4.1.5)."""
    prefix, _, rest = word.partition(":")
    return PREFIXES[prefix] + rest if prefix in PREFIXES and not rest.startswith("//") else word


def _ours(word: str) -> str:
    return _OURS + uri.quote(word, "segment")


def _parse_iri(text: str) -> None:
    """IRI (RFC 3987 §2.2), with its scheme. Raises ParseError, placed in `text`."""
    # "~" stands wherever ucschar may, and nowhere else: neither in a scheme nor in a port.
    if uri.parse(_ucschar().sub("~", text), profile="rfc3986").scheme is None:
        raise ParseError("expected a scheme before the colon", text, 0, "RFC 3987 §2.2")


@cache
def _ucschar() -> re.Pattern[str]:
    """Ucschar (RFC 3987 §2.2), without marks of direction (§4.1)."""
    planes = (chr(plane << 16) + "-" + chr((plane << 16) + 0xFFFD) for plane in range(1, 14))
    return compile_pattern(
        "[\xa0-\u200d\u2010-\u2029\u202f-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
        f"{''.join(planes)}{chr(0xE1000)}-{chr(0xEFFFD)}]"
    )


@cache
def _no_text() -> re.Pattern[str]:
    """Control characters, and surrogates, which no UTF-8 holds."""
    return compile_pattern("[\x00-\x1f\x7f\ud800-\udfff]")
