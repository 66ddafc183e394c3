"""Statements about names: recorded, listed, and given as JSON-LD that any RDF parser reads.

PDI §3.6.5 (assertions); JSON-LD 1.1; DCMI Metadata Terms; Web Annotation Vocabulary. Each statement
is given as a triple, and once more as an annotation that says who made it, and when.

Readings: an annotation MUST have exactly one IRI (Web Annotation Data Model §3.1); ours is made of
what is stated and when, so that every copy of an archive gives the same one (decision 0032). Who
states it is no part of it: that name can be forgotten.

Names that a document had in other archives are stated when it is imported, and lead here. A full
name denotes exact octets (PDI §2.6). Where an imported format has the octets that the file lists
under another name, both names mean the same: that is stated (`owl:sameAs`). A name that is here, or
of a series that mints here, leads nowhere else.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from permacite import pdi, uri
from permacite.archive.canonical_json import canonical_json
from permacite.archive.model.answered import Page
from permacite.archive.names import as_urn
from permacite.errors import NotFoundError, ParseError
from permacite.pdi.predicates import PREFIXES, predicate_iri
from permacite.scan import compile_pattern
from permacite.service import names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from permacite.archive.model.answered import Assertion, Version
    from permacite.archive.repository import Repository
    from permacite.service.plain import Json

__all__ = ["SAME_AS", "Assertions", "keep_names", "now_called", "ranges_of"]

_AT_ONCE = 1000
"""How many statements are read together where all are wanted."""
_MOST_DIGITS = 18
_LAST = chr(0x10FFFF)
"""Sorts behind all that stands in names."""
_LICENSE = PREFIXES["dcterms"] + "license"
_ADDRESS = compile_pattern(r"https?://[!-;=?-~]{1,2000}+")
"""Of a licence: what a header field can hold between angle brackets."""
_ASSERTION = "urn:permacite:assertion:"
_LINKED = frozenset({"http", "https", "urn", "pdi", "info", "doi", "mailto", "ftp", "orcid"})
"""Schemes of objects that are names of things; anything else is text."""
SAME_AS = "http://www.w3.org/2002/07/owl#sameAs"
_MOST = 1000
"""So many statements about one document are looked at."""


class Assertions:
    """Statements about names of any kind, of this archive or of others."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def state(
        self, subject: str, predicate: str, value: str, *, who: str | None = None
    ) -> Assertion:
        """Record a statement. Raises ParseError where `subject` is no PDI, ConflictError."""
        name = as_urn(names.parse(subject))
        return self._repository.statements.state(name, predicate, value, who=who)

    def about(
        self, subject: str | None = None, *, predicate: str | None = None, parts: bool = False
    ) -> list[Assertion]:
        """All statements about `subject`, oldest first; see `statement_page`."""
        statements: list[Assertion] = []
        after: str | None = None
        while True:
            page = self.page(subject, predicate=predicate, parts=parts, limit=_AT_ONCE, after=after)
            statements += page.items
            after = page.next
            if after is None:
                return statements

    def licences(self, subject: str) -> tuple[str, ...]:
        """The addresses of the licences that are stated of a document or of this version of it."""
        name, _ = names.document_of(subject)
        stated = [
            each.object
            for subject_name in dict.fromkeys((as_urn(name.document), as_urn(name)))
            for each in self.about(subject_name)
            if predicate_iri(each.predicate) == _LICENSE and _ADDRESS.fullmatch(each.object)
        ]
        return tuple(dict.fromkeys(stated))

    def page(
        self,
        subject: str | None = None,
        *,
        predicate: str | None = None,
        parts: bool = False,
        limit: int = 100,
        after: str | None = None,
    ) -> Page[Assertion]:
        """A page of the statements about `subject`, oldest first; about anything where None.

        With `parts` those about its versions, formats, fragments and citations too. `after` is the
        `next` of the page before. Raises ParseError for another.
        """
        name = None if subject is None else names.parse(subject)
        ranges = [] if name is None else ranges_of(name, parts=parts)
        page = self._repository.statement_search.page(
            ranges, predicate, after=_place(after), limit=limit
        )
        if name is None or not parts:
            return page
        items = [item for item in page.items if _is_part(name, pdi.parse(item.subject))]
        return Page(tuple(items), page.next)

    def json_ld(self, assertions: list[Assertion]) -> dict[str, Json]:
        """Statements as one JSON-LD document with its own context, and what is known of them.

        Nothing has to be fetched to read it.
        """
        graph: list[Json] = []
        for document in dict.fromkeys(_document(item.subject) for item in assertions):
            graph += _described(self._repository, document)
        for item in assertions:
            iri = predicate_iri(item.predicate)
            value = _value(item.object)
            graph.append({"@id": item.subject, iri: value})
            graph.append(_annotation(item, iri, value))
        return {"@context": dict(PREFIXES), "@graph": graph}


def _place(after: str | None) -> int:
    """The place behind which a page begins. Raises ParseError."""
    if after is None:
        return 0
    if not (after.isascii() and after.isdigit() and len(after) <= _MOST_DIGITS):
        raise ParseError("expected the `next` of a page in `after`", after, 0)
    return int(after)


def ranges_of(
    name: pdi.PDI | pdi.FragmentPDI | pdi.CitationPDI | pdi.PDIPattern, *, parts: bool
) -> list[tuple[str, str]]:
    """Half-open ranges of subjects that hold a name, with `parts` all below it, and few others.

    What a name goes on with is ".", "#" or "@".
    """
    if parts and isinstance(name, pdi.PDIPattern):
        before = as_urn(name).partition("*")[0]
        return [(before, f"{before}{_LAST}")]
    if parts and isinstance(name, pdi.PDI):
        whole = as_urn(name.document)
        return [_alone(whole), *((whole + mark, whole + chr(ord(mark) + 1)) for mark in ".#@")]
    return [_alone(as_urn(name))]


def _alone(subject: str) -> tuple[str, str]:
    """The range that holds one subject: "!" sorts before all that a name goes on with."""
    return subject, f"{subject}!"


def _is_part(
    name: pdi.PDI | pdi.FragmentPDI | pdi.CitationPDI | pdi.PDIPattern,
    subject: pdi.PDI | pdi.FragmentPDI | pdi.CitationPDI | pdi.PDIPattern,
) -> bool:
    if isinstance(name, pdi.PDI | pdi.PDIPattern) and not isinstance(subject, pdi.PDIPattern):
        whole = subject.pdi if isinstance(subject, pdi.CitationPDI) else subject
        return pdi.covers(name, whole)
    return as_urn(name) == as_urn(subject)


def _value(text: str) -> Json:
    """The object of a statement: the name of a thing, or text."""
    return {"@id": text} if _scheme(text) in _LINKED else {"@value": text}


def _scheme(text: str) -> str:
    """The scheme of a URI in lower case; "" where the text is none."""
    try:
        return (uri.parse(text).scheme or "").lower()
    except ParseError:
        return ""


def _annotation(item: Assertion, iri: str, value: Json) -> Json:
    """Who made a statement and when, as a Web Annotation that is a reified triple too."""
    annotation: dict[str, Json] = {
        "@id": _annotation_iri(item),
        "@type": ["oa:Annotation", "rdf:Statement"],
        "oa:motivatedBy": {"@id": "oa:describing"},
        "oa:hasTarget": _target(item.subject),
        "oa:hasBody": _body(value),
        "rdf:subject": {"@id": item.subject},
        "rdf:predicate": {"@id": iri},
        "rdf:object": value,
        "dcterms:created": _time(item.stated_at),
    }
    if item.who is not None:
        annotation["dcterms:creator"] = _value(item.who)
    return annotation


def _annotation_iri(item: Assertion) -> str:
    """The name of a statement: a digest over what is stated, and when."""
    content = canonical_json([item.subject, item.predicate, item.object, _utc(item.stated_at)])
    return _ASSERTION + hashlib.sha256(content).hexdigest()


def _body(value: Json) -> Json:
    """What an annotation says: a thing, or a text (Web Annotation §3.2.4)."""
    if isinstance(value, dict) and "@value" in value:
        return {"@type": "oa:TextualBody", "rdf:value": value}
    return value


def _target(subject: str) -> Json:
    """What an annotation is about: a document, or a part of one (Web Annotation §4)."""
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
    """The document that a subject is of; "" for a pattern, which is of many."""
    name = pdi.parse(subject)
    if isinstance(name, pdi.PDIPattern):
        return ""
    whole = name if isinstance(name, pdi.PDI) else name.pdi
    return as_urn(whole.document)


def _described(repository: Repository, document: str) -> list[Json]:
    """What the archive itself knows of a document; nothing where it is not here."""
    if not document:
        return []
    name, _ = names.document_of(document)
    try:
        versions = repository.lookup.versions(name)
    except NotFoundError:
        return []
    graph: list[Json] = []
    for version in versions:
        for item in version.representations:
            format_: dict[str, Json] = {
                "@id": str(item.pdi),
                "dcterms:isVersionOf": {"@id": document},
                "dcterms:format": item.media_type,
                "dcterms:issued": _time(item.committed_at),
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


def now_called(repository: Repository, reference: str) -> str | None:
    """What a name of another archive is called here, its fragment kept; None: nothing here."""
    name, fragment = names.document_of(reference)
    if ".".join(name.series) in repository.settings.series_names():
        return None
    known = max(_stated(repository, name), key=lambda pair: pair[0].version or 0, default=None)
    if known is None:
        return None
    return known[1] + (f"#{fragment.specifier}" if fragment is not None else "")


def _stated(repository: Repository, name: pdi.PDI) -> Iterator[tuple[pdi.PDI, str]]:
    """What a name may mean by what is stated, each with what that is called here."""
    page = repository.statement_search.page(
        ranges_of(name.document, parts=True), SAME_AS, after=0, limit=_MOST
    )
    for each in page.items:
        former = pdi.parse(each.subject)
        if not isinstance(former, pdi.PDI):
            continue
        if name.version in {None, former.version} and name.format in {None, former.format}:
            try:
                yield former, str(repository.lookup.representation(_name(each.object)).pdi)
            except (NotFoundError, ParseError):
                continue  # anybody states anything; only what is here is led to


def _name(text: str) -> pdi.PDI:
    name, _ = names.document_of(text)
    return name


def keep_names(repository: Repository, version: Version, told: Mapping[str, str]) -> None:
    """State which formats of a version had which names elsewhere, as a file tells with digests.

    Where the octets are others, or the name is known already, nothing is stated.
    """
    held = {item.digest: item for item in reversed(version.representations) if item.digest}
    for text, digest in told.items():
        try:
            former = _name(text)
        except ParseError:
            continue
        item = held.get(digest)
        if item is None or former.format != item.format or former.version is None:
            continue
        subject, is_ours = (
            as_urn(former),
            ".".join(former.series) in repository.settings.series_names(),
        )
        if not is_ours and not repository.statements.assertions(subject, predicate=SAME_AS):
            repository.statements.state(subject, SAME_AS, as_urn(item.pdi))
