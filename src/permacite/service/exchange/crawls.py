"""Import of crawls: pages of WARC, ARC, WACZ and HAR files become committed versions.

Each page is one commit, under a key made of the fields of its record. So an interrupted import
continues when the same files are imported again, and no page is committed twice. A later capture
of an address is the next version of its document. Dates are those that the files claim; the record
names the program that claims them.
"""

from __future__ import annotations

import dataclasses
from contextlib import ExitStack
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple, Self

from permacite.archive.model.answered import Provenance, Witness
from permacite.archive.model.submitted import NewVersion
from permacite.archive.names import as_urn
from permacite.archive.objects.source import digest_of
from permacite.errors import CaptureError, NotFoundError, PermaciteError
from permacite.service import names, sources
from permacite.service.assertions.statements import keep_names
from permacite.service.ingest.collections import attempted
from permacite.service.ingest.incoming import understood
from permacite.service.ingest.pages import Fetched, PageIngest, Wanted
from permacite.service.ingest.saved import SaveReports
from permacite.service.plain import members

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from permacite.archive.repository import Repository
    from permacite.capture.crawls.index import Captured
    from permacite.service.ingest.options import CommitOptions
    from permacite.service.ingest.saved import Saved

__all__ = ["DERIVED_FROM", "Crawl", "CrawledPage", "Crawls", "Unread"]

DERIVED_FROM = "http://www.w3.org/ns/prov#wasDerivedFrom"


@dataclasses.dataclass(frozen=True, slots=True)
class CrawledPage:
    """A page of a crawl, as its file describes it."""

    uri: str
    claimed_at: str
    media_type: str
    status: int
    kind: str
    """"response", "resource", "revisit" or "conversion"."""


class Unread(NamedTuple):
    """Damaged records of a crawl."""

    damaged: int
    """How many records."""
    examples: tuple[str, ...]
    """The first of them: the file, the offset, the address and the problem."""


class Crawl:
    """Files of one crawl, every octet read once; a context manager.

    A page may show parts from another of the files. Raises CaptureError where an extra is not
    installed, ParseError for a file of another kind, OSError.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        progress: Callable[[int], None] | None = None,
        trust: Sequence[str] = (),
    ) -> None:
        """`progress` gets the number of records read, now and then.

        `trust`: domains, and files of certificates and keys, whose signatures count.
        """
        try:
            from permacite.capture.crawls import containers, crawl, signatures
        except ModuleNotFoundError as error:
            raise CaptureError(
                f"reading crawls needs {error.name}, which is not installed",
                uri=paths[0].name,
                reason="extra",
                hint="pip install 'permacite[capture]'",
            ) from error
        self.means = crawl.means
        trusted = signatures.Trust.of(trust)
        with ExitStack() as opened:
            files = list(containers.open_containers(paths, trusted, opened))
            self.files = opened.enter_context(crawl.CrawlFiles(files, progress))
            self._opened = opened.pop_all()
        self.packages = [each for each in files if isinstance(each, containers.Package)]
        """WACZ packages, which list pages and may have citations of them."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def pages(self, wanted: Sequence[str] = ()) -> Iterator[CrawledPage]:
        """The pages, or those at `wanted` addresses, in which `*` stands for anything."""
        return map(_page, self.files.pages(wanted))

    def signers(self) -> Iterator[str]:
        """Who signed the packages among the files, in words."""
        yield from (f"{package.name}: {package.told()}" for package in self.packages)

    def unread(self) -> Unread:
        """The records that could not be read."""
        report = self.files.index.report
        lines = tuple(
            f"{each.file}, at {each.place:,}: {each.uri or 'a record'}: {each.problem}"
            for each in report.damage
        )
        return Unread(report.counts["damaged"], lines)


class Crawls:
    """Pages of crawls become committed versions."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._pages = PageIngest(repository)
        self._reports = SaveReports(repository)

    def add(
        self, crawl: Crawl, options: CommitOptions, *, pages: Sequence[str] = ()
    ) -> Iterator[tuple[CrawledPage, Saved | PermaciteError]]:
        """Commit the pages of a crawl, and yield the outcome of each.

        `pages`: the addresses of the pages to commit, `*` in them for anything; all where there
        are none. A fault in one page does not affect the others. Raises NotFoundError for an
        address that the files do not have.
        """
        missing = set(pages)
        series = options.series or self._repository.settings.series
        terms = Wanted(
            options.series, options.new, options.confirmed_date, options.standing, None, None
        )
        for page in crawl.files.pages(pages):
            missing -= {each for each in pages if crawl.means(each, page)}
            wanted = terms if options.new else terms._replace(key=_key(page, series))
            outcome = attempted(self._add_page, crawl, page, wanted)
            yield _page(page), outcome
            made_of = None if isinstance(outcome, PermaciteError) else outcome.pdi
            for row in crawl.files.conversions(page):
                yield from self._add_conversion(crawl, row, wanted, made_of)
        for row in () if pages else crawl.files.conversions(None):
            yield from self._add_conversion(crawl, row, terms, None)
        if missing:
            name = min(missing)
            raise NotFoundError("no page of these files has this address", name)

    def _add_page(self, crawl: Crawl, page: Captured, wanted: Wanted) -> Saved:
        """Commit one page, unless this capture was committed; keep its former names."""
        saved = self._committed(crawl, page, wanted)
        former = crawl.files.names(page)
        if former:
            name, _ = names.document_of(saved.pdi)
            keep_names(self._repository, self._repository.lookup.version(name), former)
        return saved

    def _add_conversion(
        self, crawl: Crawl, row: Captured, wanted: Wanted, made_of: str | None
    ) -> Iterator[tuple[CrawledPage, Saved | PermaciteError]]:
        """Commit a conversion of the page `made_of`, unless it is a format of that page.

        A statement names the page. A conversion has no address: the address is that of the page.
        """
        repository = self._repository
        outcome = attempted(self._converted, crawl, row, wanted, made_of)
        if outcome is None:
            return
        if made_of is not None and not isinstance(outcome, PermaciteError):
            name, of = (as_urn(names.document_of(each)[0]) for each in (outcome.pdi, made_of))
            if not repository.statements.assertions(name, predicate=DERIVED_FROM):
                repository.statements.state(name, DERIVED_FROM, of)
        yield _page(row), outcome

    def _converted(
        self, crawl: Crawl, row: Captured, wanted: Wanted, made_of: str | None
    ) -> Saved | None:
        """Commit a conversion; None where its octets are a format of `made_of`."""
        repository = self._repository
        key = None if wanted.new else _key(row, wanted.series or repository.settings.series)
        known = key and repository.origins.find_by_key(key)
        if known:
            return self._reports.of(known, None, parts=1, size_bytes=0, unchanged=True)
        made = crawl.files.converted(row)
        if made_of is not None:
            name, _ = names.document_of(made_of)
            held = {item.digest for item in repository.lookup.version(name).representations}
            if digest_of(made.content) in held:
                return None
        document = understood(sources.Incoming.of_field(made.content, made.content_type))
        version = repository.committer.commit_version(
            NewVersion(
                document.representations,
                series=wanted.series,
                provenance=Provenance(
                    title=document.title,
                    retrieved_at=made.claimed_at,
                    details={**document.details, "imported": members(made.origin), "uri": row.uri},
                ),
                key=key,
                witness=Witness(operator=wanted.confirmed_date),
                standing=wanted.standing.over(repository.access.default_standing()),
            )
        )
        size = len(made.content)
        return self._reports.of(version, document.quotations, parts=1, size_bytes=size)

    def _committed(self, crawl: Crawl, page: Captured, wanted: Wanted) -> Saved:
        known = wanted.key and self._repository.origins.find_by_key(wanted.key)
        if known:
            return self._reports.of(known, None, parts=1, size_bytes=0, unchanged=True)
        captured = crawl.files.page(page)
        return self._pages.keep(
            Fetched(captured, sources.source_of(captured.root.document), {}), wanted
        )


def _page(page: Captured) -> CrawledPage:
    """Describe a page."""
    return CrawledPage(page.uri, page.claimed, page.media_type, page.status, page.kind)


def _key(page: Captured, series: str) -> str:
    """Return the key of a commit: the same for the same capture, in any file."""
    said = "\n".join([series, *page[1:5], page.kind, page.record_id, page.digest])
    return f"crawl:{sha256(said.encode()).hexdigest()}"
