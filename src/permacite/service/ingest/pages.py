"""Pages become committed versions: fetched, or captured by another program, and then committed.

A page is committed in three formats at once: `html` (its source as received), `utf-8` (its text,
by the written rendition) and `related` (the RFC 2557 aggregate of all it shows).

A page that is fetched again: requests are conditional (RFC 9110 §13.1), with the validators of the
last version. A part that cannot be fetched just now does not count as a change of the page. It
counts if the server says that the part is gone, or if the page no longer shows it.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite import pdi
from permacite import uri as references
from permacite.archive.model.answered import Provenance, Witness
from permacite.archive.model.submitted import NewRepresentation, NewVersion
from permacite.archive.objects.source import digest_of
from permacite.archive.texts import with_indexes
from permacite.errors import CaptureError, PermaciteError
from permacite.service import addresses, sources
from permacite.service.access import apply
from permacite.service.ingest import drawn, incoming
from permacite.service.ingest.directives import directives_of
from permacite.service.ingest.options import SaveRun
from permacite.service.ingest.saved import SaveReports, lost_resources
from permacite.service.plain import members
from permacite.service.quotations.recording import quotations_in, with_quotations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import date, datetime

    from permacite.archive.model.answered import JSON, Version
    from permacite.archive.repository import Repository
    from permacite.capture.browsing.pool import BrowserPool
    from permacite.capture.model import Capture, CaptureProgress, Earlier, Failure
    from permacite.service.access import Choice
    from permacite.service.ingest.options import SaveOptions
    from permacite.service.ingest.saved import Saved
    from permacite.service.quotations.recording import QuotationsByType

__all__ = ["Fetched", "PageIngest", "Wanted"]

_ALONE = SaveRun()
_METHODS = ("auto", "http", "browser")
_INSTALL = "install Chromium, or name one by --browser"
_PASSING = frozenset({"connect", "timeout", "tls", "size", "parts"})
"""Reasons for which something cannot be had that say nothing of the page."""
_BUSY = frozenset({429, *range(500, 600)})
_VALIDATORS = frozenset({"etag", "last-modified"})


class Fetched(NamedTuple):
    """A page that was fetched."""

    captured: Capture
    page: sources.Incoming
    noted: dict[str, JSON]
    """What is to be known of how it was fetched, beside its record."""


class Wanted(NamedTuple):
    """How a captured page is to be kept: see `PageIngest.save`."""

    series: str | None
    new: bool
    confirmed_date: date | None
    standing: Choice
    key: str | None
    crawled: Mapping[str, JSON] | None
    closed: bool | None = None
    """Whether it is to follow a version that is closed; None: any."""


class PageIngest:
    """Pages become committed versions."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._reports = SaveReports(repository)

    def save(
        self,
        uri: str,
        options: SaveOptions,
        *,
        progress: Callable[[int, int, int], None] | None = None,
        run: SaveRun = _ALONE,
    ) -> Saved:
        """Capture the page at `uri` and commit it, as the next version of its name if it has one.

        `progress` is told (parts done, known, bytes). The date of the server bears out that of the
        commit, or `confirmed_date` does: today in UTC, as a person says. A page that no person asks
        for has the rules of the crawl in its `run`: it is fetched only as far as it has changed,
        and not kept where it asks for that. Raises CaptureError where the page itself cannot be
        had, or (reason "robots") is not to be kept.
        """
        said = options.series, options.new, options.confirmed_date, options.standing
        wanted = Wanted(*said, run.key, run.crawled)
        fetched = fetch_page(
            uri,
            options,
            earlier=self._earlier(uri, wanted),
            browsers=run.browsers,
            progress=_as_progress(progress),
        )
        return self.keep(fetched, wanted)

    def _earlier(self, uri: str, wanted: Wanted) -> Mapping[str, Earlier] | None:
        """What a crawl need not fetch again, since the server says that it still stands."""
        if wanted.crawled is None:
            return None
        previous = self._previous(uri, wanted)
        return None if previous is None else earlier_of(self._repository, previous)

    def _previous(self, uri: str, wanted: Wanted, at: datetime | None = None) -> Version | None:
        """The version that a page would follow: the last one, or that before a claimed time."""
        found = None if wanted.new else previous(self._repository, uri, wanted, at)
        return found and self._repository.lookup.version(found.pdi)  # lists leave details out

    def keep(self, fetched: Fetched, wanted: Wanted) -> Saved:
        """Commit a captured page, unless it is what the version before holds."""
        captured, page = fetched.captured, fetched.page
        asked = directives_of(captured.root.document, captured.root.response_headers)
        if wanted.crawled is not None and asked.forbids_keeping:
            raise CaptureError(asked.forbids_keeping, uri=captured.requested_uri, reason="robots")
        known, formats = _read(captured, page)
        repository, at = self._repository, claimed(captured)
        previous = self._previous(captured.requested_uri, wanted, at)
        # What claims to be from before all that is here is kept: that it stood then is news.
        unchanged = previous is not None and (
            (_same(previous, formats) and not (at and addresses.captured_at(previous) > at))
            or (wanted.crawled is not None and still_stands(previous, captured))
        )
        if previous is not None:
            apply(repository, previous.pdi, wanted.standing)
        if previous is not None and unchanged:
            version = previous
        else:
            noted = {**(wanted.crawled or {}), **asked.on_record(), **fetched.noted}
            is_new = previous is None
            version = repository.committer.commit_version(
                NewVersion(
                    formats,
                    series=wanted.series if is_new else None,
                    replaces=None if previous is None else previous.pdi,
                    provenance=_provenance(captured, page, noted),
                    key=wanted.key,
                    witness=Witness(
                        server=None if at else captured.root.date, operator=wanted.confirmed_date
                    ),
                    standing=wanted.standing.over(repository.access.default_standing())
                    if is_new
                    else None,
                )
            )
        parts, size = len(captured.exchanges), captured.size_bytes
        saved = self._reports.of(version, known, parts=parts, size_bytes=size, unchanged=unchanged)
        lost, left_out = lost_resources(captured.failures), lost_resources(captured.left_out)
        return dataclasses.replace(saved, lost=lost, left_out=left_out)


def fetch_page(
    uri: str,
    way: SaveOptions,
    *,
    earlier: Mapping[str, Earlier] | None = None,
    browsers: BrowserPool | None = None,
    progress: Callable[[CaptureProgress], None] | None = None,
) -> Fetched:
    """Fetch the page at `uri`; the rest is as in `capture.capture`.

    What is `earlier` need not be fetched again over HTTP, where it still stands. `browsers` draw it
    that draw others too; without them it has a browser of its own.

    Raises CaptureError where it cannot be had, or no browser is there that was asked for.
    """
    from permacite import capture

    if way.via not in _METHODS:
        raise CaptureError(f"expected one of {', '.join(_METHODS)}", uri=uri, reason="via")
    limits = capture.FetchLimits(
        total_s=way.timeout_s, total_bytes=way.most_bytes, parts=way.most_parts
    )
    options = capture.FetchOptions(
        limits, allow_private=way.allow_private, credentials=way.credentials
    )
    draw = capture.draw if browsers is None else browsers.draw
    if way.behaviour and way.via != "browser":
        problem = "a behaviour needs a browser that runs it"
        raise CaptureError(problem, uri=uri, reason="via", hint="--via browser")
    program = None
    if way.via == "browser" or way.browser is not None:
        program = capture.find_program(way.browser, sandbox=way.sandbox)
        if program is None:
            raise CaptureError("no browser is installed", uri=uri, reason="browser", hint=_INSTALL)
    if program is not None and way.via == "browser":
        return _fetched(draw(uri, program, options, progress=progress, behaviour=way.behaviour))
    fetched = _fetched(capture.capture(uri, options, progress=progress, earlier=earlier))
    if way.via == "http" or not drawn.is_thin(fetched.page, fetched.captured):
        return fetched
    program = program or capture.find_program(sandbox=way.sandbox)
    if program is None:
        return fetched
    try:
        return _fetched(draw(uri, program, options, progress=progress))
    except CaptureError as error:
        return fetched._replace(noted={"not_drawn": error.problem})


def _fetched(captured: Capture) -> Fetched:
    return Fetched(captured, sources.source_of(captured.root.document), {})


def _as_progress(
    tell: Callable[[int, int, int], None] | None,
) -> Callable[[CaptureProgress], None] | None:
    return tell and (lambda state: tell(state.done, state.known, state.bytes))


def _provenance(captured: Capture, page: sources.Incoming, noted: Mapping[str, JSON]) -> Provenance:
    """Where a captured page came from."""
    root = captured.root
    return Provenance(
        title=drawn.title_of(captured, page) or _last_segment(root.final_uri),
        uri=captured.requested_uri,
        final_uri=addresses.normal(root.final_uri),  # in other spellings it is looked for
        retrieved_at=captured.started_at,
        details=dict(noted)
        | members(captured.record())
        | drawn.on_record(page, captured)
        | incoming.troubles(page),
    )


def _last_segment(address: str) -> str | None:
    """What a document without a title is known by: the end of its path."""
    path = references.parse(address).path or ""
    return references.unquote(path.rstrip("/").rpartition("/")[2]) or None


def _read(
    captured: Capture, page: sources.Incoming
) -> tuple[QuotationsByType, list[NewRepresentation]]:
    """What a captured page quotes, and the formats to be committed."""
    known = quotations_in(page.document) if captured.is_served else {}
    return known, with_indexes(with_quotations(_page_formats(captured, page), known))


def _page_formats(captured: Capture, page: sources.Incoming) -> list[NewRepresentation]:
    """The formats of a captured page; of any other document, itself and its text."""
    if not captured.is_served:
        return drawn.formats(captured, drawn.title_of(captured, page))
    formats = sources.representations(page)
    if not page.document.is_page:
        return formats
    from permacite import capture, mhtml

    root, resources = capture.body_parts(captured)
    # No Date field: the same bytes are then the same aggregate; the catalog keeps all times.
    aggregate = mhtml.build(root, resources, profile="archive", subject=page.title)
    formats.append(NewRepresentation(aggregate, "multipart/related"))
    return formats + drawn.formats(captured, drawn.title_of(captured, page))


def _same(version: Version, representations: list[NewRepresentation]) -> bool:
    """Whether a version holds exactly these bytes. What rules make of them does not count.

    The words that a browser drew do: scripts may draw others from the same bytes.
    """
    held = {
        item.digest
        for item in version.representations
        if item.derived_from is None or item.format == pdi.DRAWN_TEXT
    }
    return held == {
        digest_of(item.content)
        for item in representations
        if item.derived_from is None or item.format == pdi.DRAWN_TEXT
    }


def earlier_of(repository: Repository, version: Version) -> dict[str, Earlier]:
    """What a version holds that a server can be asked about, by where it came from."""
    from permacite.capture.model import Earlier

    requests = _requests(version)
    wanted = {request["digest"] for request in requests if _has_validator(request)}
    if not wanted:
        return {}
    try:
        held = {digest_of(content): content for content in _octets(repository, version)}
    except PermaciteError:  # it is withdrawn, say: all is fetched anew
        return {}
    return {
        request["final_uri"]: Earlier(
            held[request["digest"]], tuple((n, v) for n, v in request["response_headers"])
        )
        for request in requests
        if request["digest"] in wanted & held.keys()
    }


def still_stands(version: Version, captured: Capture) -> bool:
    """Whether all that could be had of a page is what a version holds, and shows as much."""
    before = {request["uri"]: request["digest"] for request in _requests(version)}
    now = {each.uri: each.digest for each in captured.exchanges}
    if any(before.get(uri) != digest for uri, digest in now.items()):
        return False
    missing = {each.uri for each in captured.failures if _may_pass(each)}
    return before.keys() - now.keys() <= missing


def _may_pass(failure: Failure) -> bool:
    return failure.reason in _PASSING or (failure.status or 0) in _BUSY


def _requests(version: Version) -> list[dict[str, Any]]:
    """What is on record of each request; none of a page that was not captured."""
    details: Mapping[str, Any] = version.provenance.details
    return list(details.get("requests", ()))


def _has_validator(request: Mapping[str, Any]) -> bool:
    return any(name.lower() in _VALIDATORS for name, _ in request["response_headers"])


def _octets(repository: Repository, version: Version) -> Iterator[bytes]:
    """What was received for a version: each format, and the parts of its aggregate."""
    from permacite import mhtml

    for item in version.representations:
        if item.derived_from is not None:
            continue
        content = repository.contents.read(item)
        if item.media_type == "multipart/related":
            yield from (part.content for part in mhtml.open(content).body_parts)
        else:
            yield content


def previous(
    repository: Repository, address: str, wanted: Wanted, at: datetime | None
) -> Version | None:
    """The newest version saved from an address, in the wanted series, closed or not as wanted.

    Of those from before `at`, if there are any; else the oldest.
    """
    series = tuple((wanted.series or repository.settings.series).split("."))
    oldest = None
    for version in addresses.known(repository, address):
        is_closed = (
            wanted.closed is not None and repository.access.standing(version.pdi).access == "closed"
        )
        if version.pdi.series != series or wanted.closed not in {None, is_closed}:
            continue
        if at is None or addresses.captured_at(version) <= at:
            return version
        oldest = version
    return oldest


def claimed(captured: Capture) -> datetime | None:
    """When a page was captured that others captured; None where we did."""
    return None if captured.imported is None else captured.started_at
