"""What the archive holds: lists by pattern, one document whole, one format as a file."""

from __future__ import annotations

import mimetypes
import re
from typing import TYPE_CHECKING

from permacite import mhtml, pdi
from permacite.errors import ParseError
from permacite.service import names
from permacite.service.documents import records
from permacite.service.model import Exported, Listing, Shown
from permacite.service.passages import recorded

if TYPE_CHECKING:
    from permacite.archive import Archive, Representation

__all__ = ["export", "list_documents", "show"]

_FIELDS = 4
"""Series, year, month, day: what a pattern may leave off from the right."""

_SUFFIXES = {"multipart/related": ".mhtml", "message/rfc822": ".eml", "text/html": ".html"}


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
    archive: Archive, pattern: str | None, *, limit: int | None, newest_first: bool = False
) -> Listing:
    """List what a pattern covers; `complete` speaks of this archive alone (PDI §3.6.3).

    Of each document the highest version is listed, unless the pattern speaks of versions.
    """
    wanted = pattern_of(pattern) if pattern else None
    latest = wanted is None or wanted.version is None
    total = archive.count(wanted, latest=latest)
    listed = archive.list(wanted, limit=limit, latest=latest, newest_first=newest_first)
    found = records.documents(archive, listed)
    return Listing(pattern, found, total, complete=len(found) == total)


def show(archive: Archive, reference: str) -> Shown:
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
    )


def export(archive: Archive, reference: str) -> Exported:
    """Return one format; where none is named, the aggregate if there is one.

    The aggregate is written anew in the profile that browsers open; every part keeps its bytes.
    """
    name, _ = names.document_of(reference)
    version = archive.version(name)
    aggregates = [r for r in version.representations if r.media_type == "multipart/related"]
    if name.format is None and aggregates:
        representation = aggregates[0]
    else:
        representation = archive.representation(name)
    content = archive.read(representation)
    if representation.media_type == "multipart/related":
        content = mhtml.for_browsers(content)
    return Exported(
        pdi=str(representation.pdi),
        media_type=representation.media_type,
        suggested_name=_file_name(representation),
        content=content,
    )


def _file_name(representation: Representation) -> str:
    """Return a name such as lab.example.us-2026-11-21-7.v1.mhtml."""
    name = representation.pdi
    stem = re.sub(r"[^0-9A-Za-z.-]+", "-", str(name.document).partition("//")[2])
    guessed = mimetypes.guess_extension(representation.media_type, strict=False)
    suffix = _SUFFIXES.get(representation.media_type) or guessed or f".{representation.format}"
    return f"{stem}.v{name.version}{suffix}"
