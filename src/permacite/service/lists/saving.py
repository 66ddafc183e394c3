"""Many pages saved: several at once, one at a time from each site, and gone on with if cut off."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from permacite.errors import CaptureError, ParseError, PermaciteError, StorageError
from permacite.lazy_dataclass import dataclass
from permacite.markup import Document
from permacite.media_types import PAGES
from permacite.mhtml.links import references_of
from permacite.service import addresses, names
from permacite.service.ingest.collections import IMPORTERS
from permacite.service.ingest.directives import directives_of
from permacite.service.ingest.options import SaveOptions, SaveRun

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from permacite.archive.model.answered import Version
    from permacite.archive.repository import Repository
    from permacite.capture.browsing.pool import BrowserPool
    from permacite.service.ingest.files import FileIngest
    from permacite.service.ingest.pages import PageIngest
    from permacite.service.ingest.saved import Saved
    from permacite.service.ingest.submissions import Submissions
    from permacite.service.lists.reading import Keys, ListedLine

__all__ = ["ListRunOptions", "Listed", "Lists", "linked"]

Became: TypeAlias = Literal["saved", "unchanged", "failed", "wrong", "repeated", "forbidden"]


@dataclass(frozen=True, slots=True)
class Listed:
    """What became of one address of a list, or of one that its pages link to."""

    uri: str
    outcome: Became
    """"saved": a new version. "unchanged": its bytes are here. "failed": it cannot be had. "wrong":
    no address. "repeated": it stood in the list before. "forbidden": linked to, and its site asks
    crawlers to stay away.
    """
    place: str = ""
    """Where it stands, such as "line 7"; "" for a page that another links to."""
    pdi: str | None = None
    problem: str = ""
    """Why it failed, or is wrong."""
    warnings: tuple[str, ...] = ()
    not_kept: int = 0
    """How many of its resources could not be had."""
    earlier: bool = False
    """Whether an earlier part of the same run did it."""


@dataclass(frozen=True, slots=True)
class ListRunOptions:
    """How a list is saved."""

    jobs: int = 4
    """How many pages at once; one at a time from each site."""
    pause_s: float = 1.0
    """Between two pages of one site."""
    depth: int = 0
    """How many links deep pages of the same site are saved too."""
    most_pages: int = 1000
    """How many pages links may lead to."""
    options: SaveOptions = field(default_factory=SaveOptions)
    """Of each page."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A page that is to be saved."""

    uri: str
    place: str
    depth: int


class Lists:
    """Many documents at once: lists of addresses, files, crawls, libraries and bags."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def save(
        self,
        lines: Iterable[ListedLine],
        manner: ListRunOptions | None = None,
        journal: Keys | None = None,
    ) -> Iterator[Listed]:
        """Save all pages of a list, and yield what became of each once it is durable.

        With the keys of a run, or its open `journal`, one that was cut off goes on: what is done is
        told again, and nothing is saved twice. What is wrong with one page harms no other.
        """
        from permacite.capture.browsing.pool import BrowserPool

        with BrowserPool() as browsers:
            run = _Run(self._repository, manner or ListRunOptions(), journal, browsers)
            yield from run.take(lines)
            yield from run.work()
        if journal is not None:
            journal.end()

    @cached_property
    def pages(self) -> PageIngest:
        """Pages of the web."""
        from permacite.service.ingest.pages import PageIngest

        return PageIngest(self._repository)

    @cached_property
    def files(self) -> FileIngest:
        """Files of this machine."""
        from permacite.service.ingest.files import FileIngest

        return FileIngest(self._repository)

    @cached_property
    def submissions(self) -> Submissions:
        """Documents put under names, over HTTP."""
        from permacite.service.ingest.submissions import Submissions

        return Submissions(self._repository)

    def importer(self, name: str) -> Any:
        """The importer of bags, crawls, libraries, their citations, annotations or uploads."""
        return IMPORTERS.load(name)(self._repository)


class _Run:
    """One run: what waits for which site, and what is under way."""

    def __init__(
        self,
        repository: Repository,
        manner: ListRunOptions,
        journal: Keys | None,
        browsers: BrowserPool,
    ) -> None:
        from permacite.service.ingest.pages import PageIngest
        from permacite.service.lists.politeness import Robots, Turns

        self._repository = repository
        self._pages = PageIngest(repository)
        self._manner = manner
        self._options = manner.options
        self._browsers = browsers
        self._journal = journal
        self._robots = Robots(allow_private=manner.options.allow_private)
        self._turns: Turns[_Wanted, Listed] = Turns(self._manner.jobs)
        self._seen: set[str] = set()
        self._linked = 0

    def take(self, lines: Iterable[ListedLine]) -> Iterator[Listed]:
        """Take note of all lines; yield those that are wrong, repeated, or done already."""
        for line in lines:
            if line.problem:
                yield Listed(line.typed, "wrong", line.place, problem=line.problem)
            elif line.uri in self._seen:
                yield Listed(line.uri, "repeated", line.place)
            else:
                yield from self._want(_Wanted(line.uri, line.place, 0))

    def _want(self, wanted: _Wanted) -> Iterator[Listed]:
        """Have a page wait for its turn; yield it where it is done already."""
        self._seen.add(wanted.uri)
        done = self._done(wanted)
        if done is not None:
            yield done
            yield from self._follow(done, wanted)
            return
        self._turns.put(wanted.uri, wanted)

    def _done(self, wanted: _Wanted) -> Listed | None:
        """What an earlier part of this run made of a page; what failed is tried again."""
        if self._journal is None or not self._journal.is_resumed:
            return None
        noted = self._journal.done.get(wanted.uri)
        if noted is not None and noted.get("outcome") in {"saved", "unchanged"}:
            pdi, outcome = noted.get("pdi"), noted["outcome"]
            return Listed(wanted.uri, outcome, wanted.place, pdi, earlier=True)
        version = self._repository.origins.find_by_key(self._journal.key(wanted.uri))
        if version is None:
            return None
        pdi = str(self._repository.lookup.main(version).pdi)
        return Listed(wanted.uri, "saved", wanted.place, pdi, earlier=True)

    def work(self) -> Iterator[Listed]:
        """Save what waits, as the sites' turns come."""
        for wanted, listed in self._turns.work(self._saved, self._pause_s):
            self._note(listed)
            yield listed
            yield from self._follow(listed, wanted)

    def _pause_s(self, wanted: _Wanted) -> float:
        """How long a site is let be after a page: longer where it asks that of crawlers."""
        asked_s = self._robots.of(wanted.uri).delay_s if wanted.depth else 0.0
        return max(self._manner.pause_s, asked_s)

    def _saved(self, wanted: _Wanted) -> Listed:
        """Save one page, in a thread of its own."""
        crawled = None
        if wanted.depth:
            rules = self._robots.of(wanted.uri)
            if not rules.allows(wanted.uri):
                return Listed(wanted.uri, "forbidden", problem=f"by {rules.uri}")
            crawled = rules.on_record()
        key = None if self._journal is None else self._journal.key(wanted.uri)
        try:
            saved = self._pages.save(
                wanted.uri, self._options, run=SaveRun(key, crawled, self._browsers)
            )
        except StorageError:
            raise  # it would meet all others too
        except PermaciteError as error:
            is_refused = isinstance(error, CaptureError) and error.reason == "robots"
            outcome: Became = "forbidden" if is_refused else "failed"
            return Listed(wanted.uri, outcome, wanted.place, problem=error.problem)
        return _listed(wanted, saved)

    def _note(self, listed: Listed) -> None:
        if self._journal is not None:
            self._journal.note(listed.uri, {"outcome": listed.outcome, "pdi": listed.pdi})

    def _follow(self, listed: Listed, wanted: _Wanted) -> Iterator[Listed]:
        """Have the pages wait that a page links to, up to the depth; yield those that are done."""
        if listed.pdi is None or wanted.depth >= self._manner.depth:
            return
        repository = self._repository
        version = repository.lookup.version(names.document_of(listed.pdi)[0])
        for uri in linked(repository, version):
            if uri not in self._seen and self._linked < self._manner.most_pages:
                self._linked += 1
                yield from self._want(_Wanted(uri, "", wanted.depth + 1))


def _listed(wanted: _Wanted, saved: Saved) -> Listed:
    return Listed(
        wanted.uri,
        "unchanged" if saved.unchanged else "saved",
        wanted.place,
        saved.pdi,
        warnings=saved.warnings,
        not_kept=len(saved.lost),
    )


def linked(repository: Repository, version: Version) -> Iterator[str]:
    """Yield the normal forms of addresses that a page links to on its own site, in its order.

    None where the page asks robots to follow none (`nofollow`).
    """
    main = repository.lookup.main(version)
    start = version.provenance.final_uri or version.provenance.uri
    if main.media_type not in PAGES or start is None:
        return
    document = Document.of(repository.contents.text(main), main.media_type)
    if directives_of(document, _fields(version)).forbids_following:
        return
    from permacite.capture.address import absolute

    base, has_base = start, False
    for link in references_of(document):
        try:
            uri = absolute(link.value, base)
            if link.role == "base" and not has_base:
                base, has_base = uri, True
            elif link.element in {"a", "area"} and urlsplit(uri)[:2] == urlsplit(start)[:2]:
                yield addresses.normal(uri)
        except ParseError:
            continue


def _fields(version: Version) -> list[list[str]]:
    """The header fields that a page came with, where they are on record."""
    details: Mapping[str, Any] = version.provenance.details
    requests = details.get("requests") or [{"response_headers": []}]
    return list(requests[0]["response_headers"])
