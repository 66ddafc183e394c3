"""From a page or a file to committed formats: capture, aggregate, text, one commit.

A page is committed in three formats at once: `html` (its source as received), `utf-8` (its text,
by the written rendition) and `related` (the RFC 2557 aggregate of all it shows). A file that is
already an aggregate is kept as it is, beside the page and the text inside it.

Readings (PDI §3.8.2): whoever puts a document to the name of one format gives all formats anew,
since a version belongs to the document (PDI §2.6). A series that does not mint here can be given
no name at all.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from permacite import pdi
from permacite import uri as references
from permacite.archive.gate import of_all
from permacite.archive.model.answered import Provenance, Witness
from permacite.archive.model.submitted import NewRepresentation, NewVersion
from permacite.archive.objects.source import digest_of
from permacite.archive.texts import with_indexes
from permacite.errors import CaptureError, ConflictError, NotFoundError, PermaciteError
from permacite.scan import compile_pattern
from permacite.service import addresses, documents, names, sources
from permacite.service.access import apply
from permacite.service.citations.ways import citable
from permacite.service.derivations import complete
from permacite.service.ingest import drawn, incoming
from permacite.service.ingest.directives import directives_of
from permacite.service.ingest.fetching import fetch_page
from permacite.service.ingest.files import Draft, Terms, grouped, read_draft, with_folder
from permacite.service.ingest.options import CommitOptions, SaveRun
from permacite.service.ingest.saved import (
    LostResource,
    Saved,
    Wanted,
    claimed,
    earlier_of,
    previous,
    still_stands,
    warnings_of,
)
from permacite.service.plain import members
from permacite.service.quotations.comparing import Quotations
from permacite.service.quotations.recording import (
    check_quotations,
    quotations_in,
    with_quotations,
)
from permacite.service.resolution.resolving import Resolver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from permacite.archive.model.answered import JSON, Version
    from permacite.archive.repository import Repository
    from permacite.capture.model import Capture, CaptureProgress, Earlier, Failure
    from permacite.service.ingest.fetching import Fetched
    from permacite.service.ingest.files import Outcome
    from permacite.service.ingest.options import SaveOptions
    from permacite.service.ingest.third_party.folders import Complete
    from permacite.service.quotations.recording import QuotationsByType as Known
    from permacite.service.sources import Incoming

__all__ = ["Ingest", "LostResource", "Saved", "Wanted"]

_ALONE = SaveRun()
_SERIES = compile_pattern(r"(?i)(?:urn:)?pdi://([^/]+)/?")


class Ingest:
    """Documents become committed versions."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._quotations = Quotations(repository)
        self._resolver = Resolver(repository)

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
        saved = self.saved(version, known, parts=parts, size_bytes=size)
        return _with_missing(saved, captured, unchanged=unchanged)

    def add(
        self, content: bytes, options: CommitOptions, *, name: str, path: Path | None = None
    ) -> Saved:
        """Commit the bytes of a file under a new name; its `name` tells their type.

        The `path` of a file that is on a disk is where a browser may have put what it shows. The
        same bytes of the same type again are found under the name that they have.

        A document that quotes other words than stand at their names is refused (IntegrityError),
        unless that is wanted, or it came from elsewhere: from an address, or in an aggregate.
        Raises ParseError where the file is not what it claims.
        """
        terms = Terms.of(options)
        page = terms.incoming(name, content)
        whole = None if path is None else with_folder(path, page)
        held = None if options.new else self.held(page, terms, whole)
        if held is not None:
            return held
        draft = read_draft(page, terms, whole)
        if not (options.misquoted or options.uri is not None or draft.document.is_aggregate):
            check_quotations(self._resolver, draft.document.quotations)
        (outcome,) = self.commit([draft], terms)
        if isinstance(outcome, PermaciteError):
            raise outcome
        return outcome

    def add_files(
        self,
        paths: Iterable[Path],
        options: CommitOptions | None = None,
        *,
        key_of: Callable[[str], str] | None = None,
    ) -> Iterator[tuple[Path, Saved | PermaciteError | OSError]]:
        """Commit many files in their order, each as `add` does; yield the outcome of each.

        Small files are committed in groups, which share what the disk has to do: the outcome of a
        file is yielded when its group is durable. A fault of one file does not stop the others.
        `key_of` gives the same bytes one key in all processes of a run, and so one name.
        """
        options = options or CommitOptions()
        terms = Terms.of(options, key_of=key_of)

        def find(page: Incoming, whole: Complete | None) -> Saved | None:
            return None if options.new else self.held(page, terms, whole)

        for group in grouped(paths, terms, find):
            # What quotes stands first in its group: what it quotes may be a file before it.
            outcomes = [self._checked(one, misquoted=options.misquoted) for _, one in group]
            drafts = [one for one in outcomes if isinstance(one, Draft)]
            added = iter(self.commit(drafts, terms))
            for (path, _), outcome in zip(group, outcomes, strict=True):
                yield path, next(added) if isinstance(outcome, Draft) else outcome

    def held(self, page: Incoming, terms: Terms, whole: Complete | None) -> Saved | None:
        """What is told of octets that are here, of the same type and series, and open to all.

        Those of a page with what it shows are here if all of that is.
        """
        repository, digest = self._repository, digest_of(page.content)
        series = tuple((terms.series or repository.settings.series).split("."))
        for version in repository.origins.find_by_digest(digest):
            alike = [item for item in version.representations if item.digest == digest]
            if version.pdi.series != series or alike[0].media_type != page.media_type:
                continue
            held = {item.digest for item in version.representations}
            if not terms.agree_with(version, alike[0]) or (whole and whole.digest not in held):
                continue
            if repository.lookup.restrictions(version.representations):
                continue
            apply(repository, version.pdi, terms.standing)
            complete(repository, version, renew=False)
            known = repository.lookup.version(version.pdi)
            saved = self.saved(known, None, parts=1, size_bytes=len(page.content))
            quotes = (
                self._quotations.of(saved.pdi) if repository.passages.quotations(known.pdi) else ()
            )
            return dataclasses.replace(saved, unchanged=True, quotations=tuple(quotes))
        return None

    def _checked(self, outcome: Outcome, *, misquoted: bool) -> Outcome:
        """What was read of a file, or why it is not to be committed."""
        if misquoted or not isinstance(outcome, Draft) or outcome.document.is_aggregate:
            return outcome
        try:
            check_quotations(self._resolver, outcome.document.quotations)
        except PermaciteError as error:
            return error
        return outcome

    def commit(self, drafts: Sequence[Draft], terms: Terms) -> list[Saved | PermaciteError]:
        """What is told of files once they are committed, or why they are not."""
        default = self._repository.access.default_standing()
        outcomes = self._repository.committer.commit_all(
            [one.version(terms, default) for one in drafts]
        )
        return [
            outcome
            if isinstance(outcome, PermaciteError)
            else dataclasses.replace(
                self.saved(
                    outcome,
                    draft.document.quotations or None,
                    parts=draft.document.parts,
                    size_bytes=draft.size_bytes,
                ),
                lost=_named(draft.document.lost),
            )
            for draft, outcome in zip(drafts, outcomes, strict=True)
        ]

    def put(
        self,
        reference: str,
        content: bytes,
        content_type: str,
        *,
        key: str | None = None,
        misquoted: bool = False,
    ) -> Saved:
        """Make the next version of a document, or mint a name in a series (`pdi://series/`).

        The same idempotency `key` again gives the first answer. A document that misquotes is
        refused unless it is `misquoted` on purpose. Raises NotFoundError for an unknown name,
        ConflictError for a series that does not mint here, for a part of a document, and for a
        format that the document is not put in.
        """
        repository = self._repository
        series = _SERIES.fullmatch(reference)
        replaces = None if series is not None else _known(repository, reference)
        if series is not None and series[1].lower() not in repository.settings.series_names():
            raise ConflictError(f"{series[1]} does not mint here", reference)
        document = incoming.understood(sources.Incoming.of_field(content, content_type))
        if not (misquoted or document.is_aggregate):
            check_quotations(self._resolver, document.quotations)
        if replaces is not None and replaces.format is not None:
            _check_format(replaces, document)
        version = repository.committer.commit(
            document.representations,
            series=None if series is None else series[1],
            replaces=replaces,
            provenance=Provenance(
                title=document.title,
                uri=document.uri,
                retrieved_at=document.claimed_at,
                details=document.details,
            ),
            key=key,
        )
        return self.saved(
            version, document.quotations, parts=document.parts, size_bytes=len(content)
        )

    def answers_for(self, reference: str) -> bool:
        """Whether this archive would know a name: its series mints here, or the name is here."""
        series = _SERIES.match(reference)
        if series is not None and series[1].lower() in self._repository.settings.series_names():
            return True
        try:
            self._repository.lookup.version(names.document_of(reference)[0])
        except NotFoundError:
            return False
        return True

    def saved(self, version: Version, known: Known | None, *, parts: int, size_bytes: int) -> Saved:
        """What is told of a version that was committed.

        `known` is what its formats quote; None: they quote nothing, nor do any that were added.
        """
        details: Mapping[str, Any] = version.provenance.details
        main = self._repository.lookup.main(version)
        closed = self._repository.lookup.restrictions([main])
        return Saved(
            pdi=str(main.pdi),
            document=documents.document(self._repository, version),
            parts=parts,
            size_bytes=size_bytes,
            quotations=()
            if closed or known is None
            else tuple(self._quotations.compare(str(main.pdi), known)),
            inline_scripts=details.get("inline_scripts", 0),
            thin="thin" in details,
            warnings=tuple(warnings_of(self._repository, version)),
            citable=citable(self._repository, version),
        )


def _with_missing(saved: Saved, captured: Capture, *, unchanged: bool) -> Saved:
    """What is told of a page, with what of it is missing."""
    lost, left_out = _named(captured.failures), _named(captured.left_out)
    return dataclasses.replace(saved, lost=lost, left_out=left_out, unchanged=unchanged)


def _named(failures: Iterable[Failure]) -> tuple[LostResource, ...]:
    return tuple(LostResource(each.uri, each.reason, each.problem) for each in failures)


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


def _read(captured: Capture, page: sources.Incoming) -> tuple[Known, list[NewRepresentation]]:
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


def _known(repository: Repository, reference: str) -> pdi.PDI:
    """The name of a document that is here and open.

    Raises NotFoundError, ConflictError, RestrictedError.
    """
    name, fragment = names.document_of(reference)
    if fragment is not None:
        raise ConflictError("a part of a document cannot be changed by itself", reference)
    version = repository.lookup.version(name.document)
    restriction = of_all(version, repository.lookup.restrictions(version.representations))
    if restriction is not None and restriction.kind == "closed":
        repository.contents.check_access(
            version.representations[0]
        )  # raises what says why it is not open
    return name


def _check_format(replaces: pdi.PDI, document: incoming.NewDocument) -> None:
    """Raise ConflictError where a document is put under the name of a type it does not have.

    Text is text in any charset, though the charset may decide the format (PDI §3.4.1).
    """
    types = [item.media_type for item in document.representations]
    if pdi.media_type_for(replaces.format or "") not in types:
        raise ConflictError(
            f"the name is of the format {replaces.format}, the document is {', '.join(types)}",
            str(replaces),
        )
