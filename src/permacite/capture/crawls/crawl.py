"""Files of others opened as one crawl: what pages are in them, and each as it was captured."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from permacite.capture.address import comparable
from permacite.capture.crawls.har import Log
from permacite.capture.crawls.index import Index, Source
from permacite.capture.crawls.kinds import kind_of
from permacite.capture.crawls.packages import NOBODY, Package
from permacite.capture.crawls.reading import Answers, captured_page, converted
from permacite.capture.model import Limits
from permacite.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from permacite.capture.crawls.index import Captured
    from permacite.capture.crawls.reading import Converted
    from permacite.capture.crawls.signatures import Trust
    from permacite.capture.model import Capture

__all__ = ["Crawl", "means"]


class Crawl:
    """Some files as one crawl, read once to the end; a context manager.

    A page may show what stands in another file of them. Raises ParseError for a file of no kind
    that is read here, IntegrityError for a package that is not as its maker left it, OSError.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        tell: Callable[[int], None] | None = None,
        trust: Trust = NOBODY,
    ) -> None:
        self._open = ExitStack()
        with ExitStack() as opened:
            sources: list[Source] = []
            packages: list[Package] = []
            logs: list[Log] = []
            for path in paths:
                file = opened.enter_context(path.open("rb"))
                kind = kind_of(file)
                if kind == "WARC":
                    sources.append(Source(path.name, file))
                elif kind == "WACZ":
                    package = Package(path.name, file, trust)
                    opened.callback(package.close)
                    sources += package.sources
                    packages.append(package)
                elif kind == "HAR":
                    log = Log(path.name, file)
                    opened.callback(log.close)
                    sources.append(log.source)
                    logs.append(log)
                else:
                    raise ParseError(
                        "expected WARC records, WACZ or HAR, this is none of them",
                        path.name,
                        0,
                        hint="nothing was archived",
                    )
            self.index = opened.enter_context(Index(sources))
            self.index.build(tell)
            for package in packages:
                listed = ((each["url"], str(each.get("ts", ""))) for each in package.pages())
                self.index.list_pages(listed)
            for log in logs:
                self.index.list_pages(log.pages())
                self.index.miss(log.missing)
            self.packages = packages
            self._open = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the files."""
        self._open.close()

    def pages(self, wanted: Sequence[str] = ()) -> Iterator[Captured]:
        """The pages, or those of `wanted` addresses, in which `*` stands for anything.

        An address without `*` may be that of anything that was captured.
        """
        patterns = [each for each in wanted if "*" in each]
        if patterns or not wanted:
            for page in self.index.pages():
                if not wanted or any(means(each, page) for each in patterns):
                    yield page
        for key in sorted({comparable(each) for each in wanted if "*" not in each}):
            yield from self.index.all_of(key)

    def page(self, page: Captured, limits: Limits | None = None) -> Capture:
        """A page with all it shows. Raises CaptureError where it cannot be read."""
        return captured_page(self.index, page, limits)

    def conversions(self, page: Captured | None) -> Iterator[Captured]:
        """What others made of a page; where None, of what the files do not have."""
        yield from self.index.orphans() if page is None else self.index.conversions(page)

    def converted(self, row: Captured, limits: Limits | None = None) -> Converted:
        """What a conversion record holds. Raises CaptureError where it cannot be read."""
        return converted(self.index, row, limits)

    def names(self, page: Captured) -> dict[str, str]:
        """The names that a page had in an archive like this one, each with a digest."""
        return Answers(self.index, page.at, Limits()).names(page)


def means(wanted: str, page: Captured) -> bool:
    """Whether an address, in which `*` stands for anything, is that of a page."""
    first, *others = wanted.split("*")
    if not others:
        return comparable(wanted) == page.key
    at = len(first)
    for piece in others[:-1]:
        found = page.uri.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return page.uri.startswith(first) and page.uri[at:].endswith(others[-1])
