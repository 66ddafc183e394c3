"""Pages that are looked at again and again: one pass over those whose time has come.

A page is fetched as a crawler fetches it: robots.txt is obeyed, and what the page asks of robots;
the server is asked for what has changed alone. Where nothing changed there is no new version. A
look is noted when all that it found is committed, and its commit bears a key made of the page and
the look before: a pass that is cut off goes on, and saves nothing twice.
"""

from __future__ import annotations

import threading
from dataclasses import field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

from permacite.archive.gate import of_all
from permacite.errors import (
    CaptureError,
    ConflictError,
    NotFoundError,
    PermaciteError,
    StorageError,
)
from permacite.lazy_dataclass import dataclass
from permacite.service import addresses, feeds, names
from permacite.service.drift import comparison
from permacite.service.ingest.options import SaveOptions, SaveRun
from permacite.service.ingest.pages import PageIngest
from permacite.service.lists.politeness import Robots, Turns
from permacite.words import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permacite.archive.model.answered import Version, Watch
    from permacite.archive.repository import Repository
    from permacite.capture.browsing.pool import BrowserPool
    from permacite.service.drift.comparison import CitedPassage
    from permacite.words import Words

__all__ = ["EVERY", "Looked", "WatchOptions", "Watches"]

EVERY = timedelta(days=7)
"""How often a page is looked at, where nothing else is said."""
_LEAST = timedelta(minutes=1)
_GONE = frozenset({404, 410})


@dataclass(frozen=True, slots=True)
class Looked:
    """What a look at one page found."""

    uri: str
    outcome: Literal["saved", "unchanged", "gone", "forbidden", "failed"]
    """"saved": it has changed, and has a new version. "gone": its site says that it is no more.
    "forbidden": its site asks robots to stay away, or to keep no copy.
    """
    pdi: str | None = None
    """The version that it is in now; None where there is none."""
    problem: str = ""
    """Why it failed, or who forbids it."""
    not_kept: int = 0
    """How many of its resources could not be had."""
    passages: tuple[CitedPassage, ...] = ()
    """What became of each cited passage of any version."""


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """How pages are looked at."""

    jobs: int = 4
    """How many at once; one at a time from each site."""
    pause_s: float = 1.0
    """Between two pages of one site."""
    options: SaveOptions = field(default_factory=SaveOptions)
    """Of each page."""


class Watches:
    """Pages that are looked at again and again."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def add(self, reference: str, every: timedelta = EVERY) -> Watch:
        """Watch a page from now on: that of an address, or the one that a name was saved from.

        What is watched already is watched as often as is said now. Raises NotFoundError for a
        document that came from no address, ParseError, ConflictError for less than a minute.
        """
        if every < _LEAST:
            raise ConflictError("a page is looked at once a minute at most", str(every))
        uri = self._address(reference)
        self._repository.live_pages.watch(uri, every)
        return next(each for each in self._repository.live_pages.watches() if each.uri == uri)

    def remove(self, reference: str) -> str:
        """Watch a page no longer; its address is returned. Raises NotFoundError."""
        uri = self._address(reference)
        if not self._repository.live_pages.unwatch(uri):
            raise NotFoundError("this page is not watched", uri, hint="permacite watch list")
        return uri

    def list(self) -> Sequence[Watch]:
        """What is watched, the longest first. The public is told of none."""
        return self._repository.live_pages.watches()

    def run(
        self, manner: WatchOptions | None = None, *, everything: bool = False
    ) -> Iterator[Looked]:
        """Look at all that is due, or at `everything`, and yield what was found of each page.

        What is wrong with one page harms no other. Raises StorageError.
        """
        from permacite.capture.browsing.pool import BrowserPool

        now = datetime.now(UTC)
        due = [
            each for each in self._repository.live_pages.watches() if everything or each.is_due(now)
        ]
        with BrowserPool() as browsers:
            yield from _Pass(self._repository, manner or WatchOptions(), browsers).work(due)

    def feed(self, words: Words = ENGLISH) -> str:
        """What became of cited passages, as an Atom feed (RFC 4287): the newest first."""
        return str(feeds.drift_feed(self._repository, words))

    def _address(self, typed: str) -> str:
        """The address of a page, as it was saved. Raises NotFoundError, ParseError."""
        if addresses.is_address(typed):
            saved = addresses.known(self._repository, typed)
            return (saved[0].provenance.uri if saved else None) or addresses.normal(typed)
        version = self._repository.lookup.version(names.document_of(typed)[0])
        uri = version.provenance.uri or version.provenance.final_uri
        if uri is None:
            raise NotFoundError("this document was not saved from the web", typed)
        return uri


class _Pass:
    """One pass."""

    def __init__(self, repository: Repository, manner: WatchOptions, browsers: BrowserPool) -> None:
        self._repository = repository
        self._pages = PageIngest(repository)
        self._manner = manner
        self._options = manner.options
        self._browsers = browsers
        self._robots = Robots(allow_private=manner.options.allow_private)
        self._comparing = threading.Lock()

    def work(self, due: list[Watch]) -> Iterator[Looked]:
        """Look at pages, as the turns of their sites come."""
        turns: Turns[Watch, Looked] = Turns(self._manner.jobs)
        for watch in due:
            turns.put(watch.uri, watch)
        for _, looked in turns.work(self._looked, self._pause_s):
            yield looked

    def _pause_s(self, watch: Watch) -> float:
        return max(self._manner.pause_s, self._robots.of(watch.uri).delay_s)

    def _looked(self, watch: Watch) -> Looked:
        """Look at one page, and note it, in a thread of its own."""
        now = datetime.now(UTC)
        try:
            looked = self._look(watch)
        except StorageError:
            raise  # it would meet all others too
        except PermaciteError as error:
            looked = Looked(watch.uri, "failed", problem=error.problem)
        self._repository.live_pages.note_watched(watch.uri, now, looked.outcome, looked.problem)
        return looked

    def _look(self, watch: Watch) -> Looked:
        rules = self._robots.of(watch.uri)
        if not rules.allows(watch.uri):
            return Looked(watch.uri, "forbidden", problem=f"by {rules.uri}")
        held = addresses.known(self._repository, watch.uri)
        if held:
            self._check(held[0])
        key = _key(watch)
        committed = self._repository.origins.find_by_key(key)
        if committed is not None:  # by a look that was cut off
            return self._compared(watch, committed, Looked(watch.uri, "saved"))
        try:
            crawled = rules.on_record()
            saved = self._pages.save(
                watch.uri, self._options, run=SaveRun(key, crawled, self._browsers)
            )
        except CaptureError as error:
            return self._refused(watch, held, error)
        version = self._repository.lookup.version(names.document_of(saved.pdi)[0])
        outcome: Literal["saved", "unchanged"] = "unchanged" if saved.unchanged else "saved"
        looked = Looked(watch.uri, outcome, not_kept=len(saved.lost))
        return self._compared(watch, version, looked)

    def _check(self, version: Version) -> None:
        """Raise ConflictError for a page that must not be looked at in this way."""
        restricted = self._repository.lookup.restrictions(version.representations)
        restriction = of_all(version, restricted)
        if restriction is not None and restriction.kind != "closed":
            raise ConflictError(f"its last version is {restriction.kind}", str(version.pdi))
        details = self._repository.lookup.version(version.pdi).provenance.details
        if details.get("with_credentials"):
            problem = "it was saved with credentials, which are not kept: save it again by hand"
            raise ConflictError(problem, str(version.pdi))

    def _compared(self, watch: Watch, version: Version, looked: Looked) -> Looked:
        """What is told of a page that is here, with what became of its cited passages."""
        document, pdi = version.pdi.document, str(self._repository.lookup.main(version).pdi)
        with self._comparing:  # texts of many pages at once would take much memory
            passages = tuple(
                comparison.record_outcomes(self._repository, document, watch.uri, version)
            )
        return Looked(looked.uri, looked.outcome, pdi, not_kept=looked.not_kept, passages=passages)

    def _refused(self, watch: Watch, held: list[Version], error: CaptureError) -> Looked:
        """What is told of a page that cannot be had."""
        if error.reason == "robots":
            return Looked(watch.uri, "forbidden", problem=error.problem)
        if error.status not in _GONE:
            for version in held[:1]:
                self._repository.live_pages.note_check(version.pdi, watch.uri, "unanswered", {})
            return Looked(watch.uri, "failed", problem=error.problem)
        passages: list[CitedPassage] = []
        for document in {version.pdi.document for version in held}:
            passages += comparison.record_gone(self._repository, document, watch.uri)
        return Looked(watch.uri, "gone", problem=error.problem, passages=tuple(passages))


def _key(watch: Watch) -> str:
    """What the commit of a look bears: the same until that is noted."""
    since = watch.looked_at or watch.added_at
    return f"watch:{sha256(watch.uri.encode()).hexdigest()[:32]}:{since.isoformat()}"
