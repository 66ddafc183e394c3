"""Source of a citation, as all citation forms need it, and the metadata of its document.

Metadata come from the document and from statements. A later assertion counts before an earlier one,
and both before what the page states; the page itself is never touched. One assertion names all
authors, set apart by semicolons.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from permacite import uri as references
from permacite.bibliography import ASSERTION, Claim, Place, Reference, reference
from permacite.bibliography.model import ZOTERO
from permacite.cache import Cache
from permacite.errors import ParseError, RestrictedError
from permacite.lazy_dataclass import dataclass
from permacite.media_types import PAGES
from permacite.pdi.predicates import predicate_iri
from permacite.service import names
from permacite.service.citations.parts import told_of, words_of
from permacite.service.documents import reported
from permacite.service.labels import record_of
from permacite.service.names import resolver_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from permacite.archive.model.answered import Representation, Restriction, Version
    from permacite.archive.repository import Repository
    from permacite.pdi import PDI
    from permacite.renditions import Printed
    from permacite.service.documents import Reported

__all__ = ["Source", "drawn_by", "reference_of", "source_of"]

_OF_SITES = frozenset({"webpage", "post", "post-weblog", "article-newspaper", "review"})
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


@dataclass(frozen=True)
class Source:
    """What a citation says about its source. `quote` is shown with line breaks as spaces."""

    reference: str
    url: str
    quote: str
    title: str
    uri: str | None
    retrieved_at: datetime
    archive: str
    """The document series that minted the name."""
    about: Reference = field(default_factory=Reference)
    """What the document says of itself."""
    media_type: str | None = None
    """Of what is cut out; None where nothing was."""
    printed: tuple[Printed, ...] = ()
    """Where in the document the words stand, as it numbers its own parts."""
    before: str = ""
    """What stands before the words, and behind them."""
    after: str = ""
    rfc5147: str = ""
    """The fragment of RFC 5147 with checks, for words of a plain text."""
    paged_url: str = ""
    """The address of the document with pages that the text was made of; "" for all others."""
    url_status: str = "live"
    """"live", "dead", or "deviated" where the words are gone; "" where nobody knows."""
    drawn: str = ""
    """Of what a browser drew: by which, how large, and when; "" for what was served."""
    account: bool = False
    """Whether the page was seen with an account, so that others may see another."""
    reported: str = ""
    """Of what others captured: by what, and from which file; "" for what we did."""

    @property
    def is_picture(self) -> bool:
        """Whether what is cited is a picture that browsers show."""
        return self.media_type == "image/png"

    @property
    def place(self) -> str:
        """What of the document is cited, for what has no words; "" where the words say it.

        The words of a recording are those of its transcript: its place is told too.
        """
        is_heard = (self.media_type or "").startswith(("audio/", "video/"))
        return "" if self.words and not is_heard else self.part

    @property
    def at(self) -> str:
        """Where the words stand, to be told behind the title: a time, or "p. 17"; "" if unknown."""
        if self.place and self.words:
            return self.place
        is_table = self.printed and self.printed[-1].kind in {"row", "column"}
        told = [each.told for each in self.printed[: None if is_table else 1]]
        return ", ".join(told + [each for each in (self.drawn, self.reported) if each])

    @property
    def page(self) -> str:
        """The page that the words stand on, as it is printed there: "17", "17-18"; or ""."""
        return next((each.name for each in self.printed if each.kind == "page"), "")

    @functools.cached_property
    def part(self) -> str:
        """What of the document is cited, in words; "" for all of it."""
        return told_of(self.reference)

    @functools.cached_property
    def told(self) -> str:
        """What is cited, on one line: the words, or else the part and the title."""
        return words_of(self.reference, self.quote, self.title)

    @property
    def day(self) -> str:
        """The day of retrieval, as yyyy-mm-dd."""
        return self.retrieved_at.strftime("%Y-%m-%d")

    @property
    def words(self) -> str:
        """The quote on one line."""
        return " ".join(self.quote.split())

    @property
    def key(self) -> str:
        """A stable BibTeX key made from the name: letters, digits and hyphens."""
        _, _, path = self.reference.partition("//")
        return re.sub(r"[^0-9A-Za-z]+", "-", path).strip("-")

    @property
    def container(self) -> str | None:
        """The journal or book that it is a part of; else its site; of a page at least its host."""
        stated = self.about.container or self.about.site
        if stated is not None:
            return stated.value
        if self.uri is None or self.about.type not in _OF_SITES:
            return None
        return _host(self.uri)


_NO_LONGER = frozenset({"gone", "gone-similar"})


def _url_status(
    repository: Repository, version: Version, reference: str, others: Reported | None
) -> str:
    """Whether the page is there, by the last look at its address: the one that saved it at least.

    That it could not be had once does not say that it is gone.
    """
    check = repository.live_pages.last_check(version, reference)
    if check is None:
        is_ours = version.provenance.retrieved_at and others is None
        return "live" if is_ours else ""
    if check.outcome in {"gone", "unanswered"}:
        return "dead" if check.outcome == "gone" else ""
    return "deviated" if check.passage in _NO_LONGER else "live"


def source_of(
    repository: Repository,
    version: Version,
    reference: str,
    words: str,
    *,
    about: Reference | None = None,
    media_type: str | None = None,
    printed: tuple[Printed, ...] = (),
) -> Source:
    """What is known of a part of a version. `about`: where it was read before.

    `media_type`: of the part, as it is cut out.
    """
    provenance = version.provenance
    about = reference_of(repository, version) if about is None else about
    stated = None if about.title is None else about.title.value
    others = reported(version)
    return Source(
        reference=reference,
        url=f"{resolver_of(repository)}/{names.as_address(reference)}",
        quote=words,
        title=stated or version.title or str(version.pdi.document),
        uri=provenance.final_uri or provenance.uri,
        retrieved_at=provenance.retrieved_at or version.committed_at,
        archive=".".join(version.pdi.series),
        about=about,
        media_type=media_type,
        printed=printed,
        url_status=_url_status(repository, version, reference, others),
        drawn=drawn_by(version, names.document_of(reference)[0].format),
        account=bool(provenance.details.get("with_credentials")),
        reported="" if others is None else others.told,
    )


def drawn_by(version: Version, token: str | None) -> str:
    """How what is cited was drawn: "as drawn by Chromium 156, 1280x900, at 2026-11-23T09:30Z"."""
    try:
        is_drawn = token is not None and names.is_drawn(version.representation(token))
    except LookupError:
        return ""
    if not is_drawn:
        return ""
    view = version.provenance.details.get("drawn")
    view = view if isinstance(view, Mapping) else {}
    program, _, build = str(view.get("browser") or "a browser").partition("/")
    program = "Chromium" if program.removeprefix("Headless") == "Chrome" else program
    told = f"as drawn by {program} {build.partition('.')[0]}".rstrip()
    if view.get("width") and view.get("height"):
        told += f", {view['width']}x{view['height']}"
    at = version.provenance.retrieved_at or version.committed_at
    return f"{told}, at {at:%Y-%m-%dT%H:%MZ}"


def _host(uri: str) -> str:
    """The host of an absolute URI, or the URI where it has none."""
    try:
        return references.parse(uri).host or uri
    except ParseError:
        return uri


def _size(claims: list[Claim]) -> int:
    """About how much memory claims take."""
    return sum(_OCTETS_OF_A_CLAIM + len(claim.value) for claim in claims)


_CACHE: Cache[list[Claim]] = Cache(4 << 20, _size)


def reference_of(
    repository: Repository, version: Version, restricted: Mapping[PDI, Restriction] | None = None
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
        from permacite.bibliography import gather
        from permacite.markup import Document

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
    statements = repository.statements.assertions(version.pdi.document, main.pdi)
    for statement in sorted(statements, key=lambda each: each.stated_at, reverse=True):
        field = fields.get(predicate_iri(statement.predicate))
        if field is not None:
            place = Place(ASSERTION, f"{statement.predicate} ({statement.who or 'nobody named'})")
            yield Claim(field, statement.object, place)
