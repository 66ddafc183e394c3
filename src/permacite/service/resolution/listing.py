"""What the archive holds: lists by pattern, one document whole, one format as a file."""

from __future__ import annotations

import mimetypes
import re
from typing import TYPE_CHECKING

from permacite import mhtml, pdi
from permacite.errors import NotFoundError, ParseError
from permacite.service import names
from permacite.service.citations import recorded
from permacite.service.model import Exported, Listing, Shown
from permacite.service.resolution import records

if TYPE_CHECKING:
    from permacite.archive import Repository, Representation
    from permacite.service.model import Document

__all__ = ["export", "list_documents", "show"]

_FIELDS = 4
"""Series, year, month, day: what a pattern may leave off from the right."""

_AT_ONCE = 1000
"""How many documents are on a page where all are wanted."""

_AGGREGATE = "multipart/related"
_SUFFIXES = {_AGGREGATE: ".mhtml", "message/rfc822": ".eml", "text/html": ".html"}


def pattern_of(text: str) -> pdi.PDI | pdi.PDIPattern:
    """Read a pattern, or the start of one: `lab.example.us/2026/11` means every day of it."""
    typed = text.strip().rstrip("/")
    bare = re.sub(r"(?i)^(?:urn:)?(?:pdi:)?/*", "", typed)
    fields = bare.split("/")
    if len(fields) <= _FIELDS and all(fields):
        fields += ["*"] * (_FIELDS + 1 - len(fields))
        typed = "urn:pdi://" + "/".join(fields)
    elif not typed.lower().startswith(("urn:", "pdi:")):
        typed = f"urn:pdi://{bare}"
    try:
        value = pdi.parse(typed, strict=False)
    except ParseError as error:
        raise _placed(error, text, typed, bare) from error
    if isinstance(value, pdi.FragmentPDI):
        return value.pdi
    return value.pdi if isinstance(value, pdi.CitationPDI) else value


def _placed(error: ParseError, text: str, typed: str, bare: str) -> ParseError:
    """Return an error about the completed pattern, placed in the text that the user typed."""
    start = max(0, text.find(bare))
    offset = error.offset - (len(typed) - len(typed.partition("//")[2]))
    place = min(len(text), start + max(0, offset))
    return ParseError(error.problem, text, place, error.spec, hint=error.hint)


def list_documents(
    archive: Repository,
    pattern: str | None,
    *,
    limit: int | None,
    after: str | None = None,
    until: str | None = None,
    newest_first: bool = False,
) -> Listing:
    """List a page of what a pattern covers; `complete` speaks of this archive alone (PDI §3.6.3).

    Of each document the highest version is listed, unless the pattern speaks of versions. All are
    on the page where `limit` is None. Raises ParseError where `after` or `until` names nothing.
    """
    wanted = pattern_of(pattern) if pattern else None
    documents: list[Document] = []
    place = after
    while True:
        try:
            page = archive.page(
                wanted,
                limit=limit or _AT_ONCE,
                after=place,
                until=until,
                latest=wanted is None or wanted.version is None,
                newest_first=newest_first,
            )
        except NotFoundError as error:
            problem = "expected the name of a version that is here, to go on from there"
            raise ParseError(problem, error.name, 0, hint="a page tells it: `next`") from error
        documents += records.documents(page)
        if limit is not None or page.next is None:
            break
        place, until = page.next, page.until
    complete = after is None and page.next is None
    total = archive.documents() if wanted is None else len(documents) if complete else None
    return Listing(
        pattern,
        tuple(documents),
        total,
        complete=complete,
        next=page.next,
        until=page.until if page.next else None,
    )


def show(archive: Repository, reference: str) -> Shown:
    """Return all that is known about the version that a reference names. Raises NotFoundError."""
    name, _ = names.document_of(reference)
    version, _ = archive.answering(name)
    history = records.history(archive, version.pdi)
    return Shown(
        document=records.document(archive, version),
        versions=tuple(one.number for one in history),
        history=history,
        citations=recorded.all_cited(archive, archive.citations(version.pdi)),
        provenance=dict(version.provenance.details),
        standing=archive.standing(version.pdi),
        remarks=tuple(archive.remarks(version.representations)),
    )


def export(archive: Repository, reference: str, *, for_browsers: bool = False) -> Exported:
    """Return the stored octets of a format; where none is named, of the aggregate if there is one.

    With `for_browsers` the aggregate is written anew in the profile that browsers open: the result
    is derived, and every part keeps its bytes. Raises ParseError where there is none.
    """
    name, _ = names.document_of(reference)
    version = archive.version(name)
    aggregates = [r for r in version.representations if r.media_type == _AGGREGATE]
    if name.format is None and aggregates:
        representation = aggregates[0]
    else:
        representation = archive.representation(name)
    if for_browsers and representation.media_type != _AGGREGATE:
        problem = f"only an aggregate is written for browsers, and this is {representation.format}"
        raise ParseError(problem, reference, 0, "RFC 2557 §7")
    content = archive.read(representation)
    return Exported(
        pdi=str(representation.pdi),
        media_type=representation.media_type,
        suggested_name=_file_name(representation, "for-browsers" if for_browsers else ""),
        derived=for_browsers,
        content=mhtml.for_browsers(content) if for_browsers else content,
    )


def _file_name(representation: Representation, mark: str) -> str:
    """Return a name such as lab.example.us-2026-11-21-7.v1.mhtml, with a mark before the suffix."""
    name = representation.pdi
    stem = re.sub(r"[^0-9A-Za-z.-]+", "-", str(name.document).partition("//")[2])
    guessed = mimetypes.guess_extension(representation.media_type, strict=False)
    suffix = _SUFFIXES.get(representation.media_type) or guessed or f".{representation.format}"
    marked = f".{mark}" if mark else ""
    return f"{stem}.v{name.version}{marked}{suffix}"
