"""From a page or a file to committed formats: capture, aggregate, text, one commit.

A page is committed in three formats at once: `html` (its source as received), `utf-8` (its text,
by the written rendition) and `related` (the RFC 2557 aggregate of all it shows). A file that is
already an aggregate is kept as it is, beside the page and the text inside it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from permacite import capture, mhtml
from permacite import uri as references
from permacite.archive import NewRepresentation, Provenance, Witness, with_indexes
from permacite.archive.objects import digest_of
from permacite.service.access.standing import UNSAID, apply
from permacite.service.ingest import incoming, sources
from permacite.service.model import LostResource, Saved
from permacite.service.plain import members
from permacite.service.quotations.comparing import quotes
from permacite.service.quotations.recording import quotations_in, with_quotations
from permacite.service.quotations.refusing import check_quotations
from permacite.service.resolution import records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import date

    from permacite.archive import Repository, Version
    from permacite.service.access.standing import Choice
    from permacite.service.quotations.recording import Quotations

__all__ = ["CaptureOptions", "ImportOptions", "import_document", "save", "saved"]


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """What a user may set about a capture; the rest is `capture.Limits`."""

    allow_private: bool = False
    timeout_s: float = 60.0
    total_bytes: int = 200 * 1024 * 1024
    parts: int = 500

    @property
    def limits(self) -> capture.Limits:
        """The limits as the capture room takes them."""
        return capture.Limits(
            total_s=self.timeout_s, total_bytes=self.total_bytes, parts=self.parts
        )


def save(
    archive: Repository,
    address: str,
    *,
    series: str | None,
    new: bool,
    options: CaptureOptions,
    progress: Callable[[int, int, int], None] | None,
    confirmed_date: date | None,
    standing: Choice,
) -> Saved:
    """Capture a page and commit it. Raises CaptureError where the page itself cannot be had.

    The date of the server bears out that of the commit, or `confirmed_date` does.
    """
    captured = capture.capture(
        address,
        limits=options.limits,
        allow_private=options.allow_private,
        progress=_as_progress(progress),
    )
    root = captured.root
    page = sources.source_of(root.document)
    quotations = quotations_in(root.document)
    previous = None if new else _previous(archive, captured.requested_uri, series)
    representations = with_indexes(with_quotations(_page_formats(captured, page), quotations))
    provenance = Provenance(
        title=page.title or _last_segment(root.final_uri),
        uri=captured.requested_uri,
        final_uri=root.final_uri,
        retrieved_at=captured.started_at,
        details=members(captured.record()),
    )
    witness = Witness(server=root.date, operator=confirmed_date)
    unchanged = previous is not None and _same(previous, representations)
    if previous is not None and unchanged:
        apply(archive, previous.pdi, standing)
        version = previous
    elif previous is not None:
        apply(archive, previous.pdi, standing)
        version = archive.commit(
            representations, replaces=previous.pdi, provenance=provenance, witness=witness
        )
    else:
        version = archive.commit(
            representations,
            series=series,
            provenance=provenance,
            witness=witness,
            standing=standing.over(archive.default_standing()),
        )
    size = sum(len(item.content) for item in (root, *captured.resources))
    parts = 1 + len(captured.resources)
    kept = saved(archive, version, quotations, parts=parts, size_bytes=size)
    lost = tuple(LostResource(f.uri, f.reason, f.problem) for f in captured.failures)
    return dataclasses.replace(kept, lost=lost, unchanged=unchanged)


def saved(
    archive: Repository, version: Version, known: Quotations, *, parts: int, size_bytes: int
) -> Saved:
    """Return what is told of a version that was committed; `known`: what its formats quote."""
    chosen = archive.main(version)
    main = str(chosen.pdi)
    return Saved(
        pdi=main,
        document=records.document(archive, version),
        parts=parts,
        size_bytes=size_bytes,
        quotations=() if archive.restrictions([chosen]) else tuple(quotes(archive, main, known)),
        warnings=tuple(_warnings(version)),
    )


def _warnings(version: Version) -> Iterator[str]:
    """Yield what may be wrong with a version, from what is on record of it."""
    details: Mapping[str, Any] = version.provenance.details
    for token, told in details.get("charsets", {}).items():
        label, by = told.get("label"), told.get("settled_by")
        if by == "fallback":
            said = "nothing says its charset" if label is None else f"{label!r} is no charset"
            codec = version.representation(token).charset
            yield f"{token}: {said}, and it is no UTF-8; it is read as {codec}"
    for problem in details.get("defects", ()):
        yield f"{problem}: it may have been cut off"


def _last_segment(address: str) -> str | None:
    """Return what a document without a title is known by: the end of its path."""
    path = references.parse(address).path or ""
    return references.unquote(path.rstrip("/").rpartition("/")[2]) or None


def _previous(archive: Repository, address: str, series: str | None) -> Version | None:
    """Return the newest version saved from an address, in the wanted series."""
    wanted = tuple((series or archive.series).split("."))
    found = (item for item in archive.find_by_uri(address) if item.pdi.series == wanted)
    return next(found, None)


def _as_progress(
    progress: Callable[[int, int, int], None] | None,
) -> Callable[[capture.Progress], None] | None:
    if progress is None:
        return None
    return lambda state: progress(state.done, state.known, state.bytes)


def _page_formats(captured: capture.Capture, page: sources.Source) -> list[NewRepresentation]:
    """Return the formats of a captured page; of any other document, itself and its text."""
    formats = sources.representations(page)
    if not page.document.is_page:
        return formats
    root, resources = capture.body_parts(captured)
    # No Date field: the same bytes are then the same aggregate; the catalog keeps all times.
    aggregate = mhtml.build(root, resources, profile="archive", subject=page.title)
    formats.append(NewRepresentation(aggregate, "multipart/related"))
    return formats


def _same(version: Version, representations: list[NewRepresentation]) -> bool:
    """Whether a version holds exactly these bytes."""
    held = {item.digest for item in version.representations}
    return held == {digest_of(item.content) for item in representations}


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What a user may say of files to be imported."""

    series: str | None = None
    charset: str | None = None
    uri: str | None = None
    """Where the file came from; then it is somebody else's."""
    misquoted: bool = False
    confirmed_date: date | None = None
    standing: Choice = UNSAID


def import_document(
    archive: Repository, name: str, content: bytes, options: ImportOptions
) -> Saved:
    """Commit a local file under a new name.

    Raises ParseError where it is not what it claims, IntegrityError where one of our user's own
    quotes other words than stand at their names, and not on purpose.
    """
    media_type = sources.media_type_of(name, content)
    found = incoming.understood(content, media_type, charset=options.charset, name=name)
    if not (options.misquoted or options.uri is not None or found.is_aggregate):
        check_quotations(archive, found.quotations)
    provenance = Provenance(
        title=found.title or name,
        uri=options.uri or found.uri,
        details={"file_name": name, **found.details},
    )
    version = archive.commit(
        found.representations,
        series=options.series,
        provenance=provenance,
        witness=Witness(operator=options.confirmed_date),
        standing=options.standing.over(archive.default_standing()),
    )
    return saved(archive, version, found.quotations, parts=found.parts, size_bytes=len(content))
