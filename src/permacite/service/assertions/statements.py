"""Statements about names: recorded, listed, and given as JSON-LD that any RDF parser reads.

PDI §3.6.5 (assertions); JSON-LD 1.1; DCMI Metadata Terms; Web Annotation Vocabulary. Each statement
is given as a triple, and once more as an annotation that says who made it, and when.

Readings: an annotation MUST have exactly one IRI (Web Annotation Data Model §3.1); ours is made of
what is stated and when, so that every copy of an archive gives the same one (decision 0032). Who
states it is no part of it: that name can be forgotten.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from permacite import pdi, uri
from permacite.archive.canonical_json import canonical_json
from permacite.archive.names import as_urn
from permacite.errors import NotFoundError, ParseError
from permacite.pdi.predicates import PREFIXES, predicate_iri
from permacite.service import names
from permacite.service.promises_model import Statement

if TYPE_CHECKING:
    from datetime import datetime

    from permacite.archive import Assertion, Repository
    from permacite.service.plain import Json

__all__ = ["json_ld", "listed", "state"]

_ASSERTION = "urn:permacite:assertion:"
_LINKED = frozenset({"http", "https", "urn", "pdi", "info", "doi", "mailto", "ftp", "orcid"})
"""Schemes of objects that are names of things; anything else is text."""


def state(
    archive: Repository, subject: str, predicate: str, value: str, *, who: str | None
) -> Statement:
    """Record a statement. Raises ParseError where `subject` is no PDI, ConflictError."""
    name = as_urn(names.parse(subject))
    return _plain(archive.statements.state(name, predicate, value, who=who))


def listed(
    archive: Repository, subject: str | None, predicate: str | None, *, parts: bool
) -> list[Statement]:
    """Return the statements about `subject`, oldest first; about anything where None.

    With `parts` those about its versions, formats, fragments and citations too.
    """
    if subject is None:
        return [_plain(one) for one in archive.assertions(None, predicate)]
    name = names.parse(subject)
    if not parts:
        found = archive.assertions(as_urn(name), predicate)
        return [_plain(one) for one in found]
    every = archive.assertions(None, predicate)
    return [_plain(one) for one in every if _is_part(name, pdi.parse(one.subject))]


def _is_part(
    name: pdi.PDI | pdi.FragmentPDI | pdi.CitationPDI | pdi.PDIPattern,
    subject: pdi.PDI | pdi.FragmentPDI | pdi.CitationPDI | pdi.PDIPattern,
) -> bool:
    if isinstance(name, pdi.PDI | pdi.PDIPattern) and not isinstance(subject, pdi.PDIPattern):
        whole = subject.pdi if isinstance(subject, pdi.CitationPDI) else subject
        return pdi.covers(name, whole)
    return as_urn(name) == as_urn(subject)


def _plain(one: Assertion) -> Statement:
    return Statement(one.subject, one.predicate, one.object, one.who, one.stated_at)


def json_ld(archive: Repository, statements: list[Statement]) -> dict[str, Json]:
    """Return statements as one JSON-LD document with its own context, and what is known of them.

    Nothing has to be fetched to read it.
    """
    graph: list[Json] = []
    for document in dict.fromkeys(_document(one.subject) for one in statements):
        graph += _described(archive, document)
    for one in statements:
        iri = predicate_iri(one.predicate)
        value = _value(one.object)
        graph.append({"@id": one.subject, iri: value})
        graph.append(_annotation(one, iri, value))
    return {"@context": dict(PREFIXES), "@graph": graph}


def _value(text: str) -> Json:
    """The object of a statement: the name of a thing, or text."""
    return {"@id": text} if _scheme(text) in _LINKED else {"@value": text}


def _scheme(text: str) -> str:
    """The scheme of a URI in lower case; "" where the text is none."""
    try:
        return (uri.parse(text).scheme or "").lower()
    except ParseError:
        return ""


def _annotation(one: Statement, iri: str, value: Json) -> Json:
    """Return who made a statement and when, as a Web Annotation that is a reified triple too."""
    made: dict[str, Json] = {
        "@id": _annotation_iri(one),
        "@type": ["oa:Annotation", "rdf:Statement"],
        "oa:motivatedBy": {"@id": "oa:describing"},
        "oa:hasTarget": _target(one.subject),
        "oa:hasBody": _body(value),
        "rdf:subject": {"@id": one.subject},
        "rdf:predicate": {"@id": iri},
        "rdf:object": value,
        "dcterms:created": _time(one.stated_at),
    }
    if one.who is not None:
        made["dcterms:creator"] = _value(one.who)
    return made


def _annotation_iri(one: Statement) -> str:
    """The name of a statement: a digest over what is stated, and when."""
    told = canonical_json([one.subject, one.predicate, one.object, _utc(one.stated_at)])
    return _ASSERTION + hashlib.sha256(told).hexdigest()


def _body(value: Json) -> Json:
    """Return what an annotation says: a thing, or a text (Web Annotation §3.2.4)."""
    if isinstance(value, dict) and "@value" in value:
        return {"@type": "oa:TextualBody", "rdf:value": value}
    return value


def _target(subject: str) -> Json:
    """Return what an annotation is about: a document, or a part of one (Web Annotation §4)."""
    whole, mark, fragment = subject.partition("#")
    if not mark or "@" in subject:
        return {"@id": subject}
    return {
        "@id": subject,
        "@type": "oa:SpecificResource",
        "oa:hasSource": {"@id": whole},
        "oa:hasSelector": {"@type": "oa:FragmentSelector", "rdf:value": fragment},
    }


def _document(subject: str) -> str:
    """Return the document that a subject is of; "" for a pattern, which is of many."""
    name = pdi.parse(subject)
    if isinstance(name, pdi.PDIPattern):
        return ""
    whole = name if isinstance(name, pdi.PDI) else name.pdi
    return as_urn(whole.document)


def _described(archive: Repository, document: str) -> list[Json]:
    """Return what the archive itself knows of a document; nothing where it is not here."""
    if not document:
        return []
    name, _ = names.document_of(document)
    try:
        versions = archive.versions(name)
    except NotFoundError:
        return []
    graph: list[Json] = []
    for version in versions:
        for one in version.representations:
            format_: dict[str, Json] = {
                "@id": str(one.pdi),
                "dcterms:isVersionOf": {"@id": document},
                "dcterms:format": one.media_type,
                "dcterms:issued": _time(one.committed_at),
            }
            if version.title:
                format_["dcterms:title"] = version.title
            source = version.provenance.final_uri or version.provenance.uri
            if source:
                format_["dcterms:source"] = {"@id": source} if _scheme(source) else source
            graph.append(format_)
    return graph


def _time(moment: datetime) -> Json:
    return {"@type": "xsd:dateTime", "@value": _utc(moment)}


def _utc(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
