"""A page out of an index, with all it shows, as `capture` would have fetched it.

References are followed as on the web, and answered out of the files: by the capture that claims to
be nearest in time. What is not in them is lost; nothing is fetched.

What a record says of itself stays what others say: the date, the address and the header fields are
theirs, and only the digests were checked here.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Self

from permacite.capture.address import absolute, comparable
from permacite.capture.codings import CodingError
from permacite.capture.collect import Collector
from permacite.capture.crawls.index import CaptureIndex, fields_of, moment_of
from permacite.capture.crawls.messages import HttpMessage, content_of, is_of, read_head, value_of
from permacite.capture.crawls.records import RecordPosition, WarcReader
from permacite.capture.credentials import withhold
from permacite.capture.model import Capture, Exchange, FetchLimits, Redirect, digest_of
from permacite.capture.web_archives import memento_of
from permacite.errors import CaptureError, ParseError
from permacite.file_types import content_type_of
from permacite.loops import to_the_end

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from permacite.capture.crawls.containers import Container
    from permacite.capture.crawls.index import Captured
    from permacite.capture.crawls.records import WarcRecord
    from permacite.capture.model import Headers

__all__ = ["ConvertedRecord", "CrawlFetcher", "CrawlFiles", "StoredRecords", "means"]

_PRIVATE = frozenset({"authorization", "cookie", "proxy-authorization", "set-cookie"})
_WITHOUT_ANSWER = frozenset({"conversion", "resource"})
"""Records whose block is the octets themselves."""
_SHOWS = {"conversion": "converted", "resource": "reported"}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_OK = range(200, 300)
_PARTIAL = 206
_TOLD = 1 << 14
_MOST = 20
"""So many conversions of a page are told of."""


class ConvertedRecord(NamedTuple):
    """What others made of a capture."""

    content: bytes
    content_type: str
    """As the record has it."""
    claimed_at: datetime
    origin: dict[str, object]
    """What is on record of where it is from."""


@dataclass(slots=True)
class _Block:
    """A record that was read, and what its block holds."""

    record: WarcRecord
    message: HttpMessage | None
    body: bytes


class StoredRecords:
    """The records of an index, read again at their positions."""

    def __init__(self, index: CaptureIndex, limits: FetchLimits) -> None:
        self._index = index
        self._limits = limits

    def block(self, row: Captured, uri: str) -> _Block:
        """The record of a capture; of a revisit with the octets of the one that it names."""
        block = self._read(row, uri)
        if row.kind != "revisit":
            return block
        original = self._index.original(row)
        if original is None or original.trouble:
            problem = f"{row.uri} was captured before, and that capture is not in the file"
            raise CaptureError(problem, uri=uri, reason="not-captured")
        if row.digest and original.digest and row.digest != original.digest:
            problem = f"the earlier capture that {row.uri} names holds other octets than it states"
            raise CaptureError(problem, uri=uri, reason="damaged")
        earlier = self._read(original, uri)
        message = earlier.message
        if block.message is not None and message is not None:
            # The codings are those of the octets, whatever the later answer says of its own.
            message = block.message._replace(in_force=message.in_force)
        return _Block(earlier.record, message, earlier.body)

    def _read(self, row: Captured, uri: str) -> _Block:
        limit = self._limits.part_bytes
        file = self._index.sources[row.file].file
        reader = WarcReader(file, RecordPosition(row.member, row.inside))
        record = reader.next()
        if record is None or record.length > limit:
            problem = f"the record is larger than the limit part_bytes = {limit} bytes"
            raise CaptureError(problem, uri=uri, reason="size")
        octets = b"".join(reader.pieces())
        is_http = record.fields.get("content-type", "").lower().startswith("application/http")
        message = read_head(octets) if is_http else None
        return _Block(record, message, octets if message is None else octets[message.size :])

    def request_headers(self, row: Captured) -> Headers:
        """The header fields of the request that a capture answers, as the file has them."""
        message = read_head(self._beside(row, "request"))
        return () if message is None else withhold(message.headers, _PRIVATE)

    def metadata(self, page: Captured) -> bytes:
        """The metadata record of a page; nothing where there is none."""
        return self._beside(page, "metadata")[:_TOLD]

    def _beside(self, row: Captured, kind: str) -> bytes:
        """The beginning of the record of a kind that belongs to a capture."""
        beside = self._index.beside(row, kind)
        if beside is None:
            return b""
        _, file, position = beside
        reader = WarcReader(self._index.sources[file].file, position)
        octets = b""
        if reader.next() is not None:
            for piece in reader.pieces():
                octets += piece
                if len(octets) >= _TOLD:
                    break
        return octets


class CrawlFetcher:
    """Answers out of an index, in place of a network."""

    def __init__(self, index: CaptureIndex, at: str, limits: FetchLimits) -> None:
        """Answer with what is nearest to the time `at`."""
        self.limits = limits
        self.received = 0
        self._index = index
        self._at = at
        self._records = StoredRecords(index, limits)
        self._doubts: dict[str, str] = {}

    async def fetch(
        self, uri: str, *, accept: str = "*/*", likely: str | None = None, referrer: str = ""
    ) -> Exchange:
        """What `uri` was answered with, redirects followed. Raises CaptureError."""
        del accept, referrer
        chain: list[Redirect] = []
        seen = {comparable(uri)}
        address = uri
        while True:
            row = self._index.of(address, self._at)
            if row is None:
                raise CaptureError(f"{address} is not in the file", uri=uri, reason="not-captured")
            if row.status not in _REDIRECTS or not row.location:
                return self.exchange(row, uri, likely=likely, chain=tuple(chain))
            chain.append(Redirect(row.uri, row.status, row.location))
            address = self._next(uri, row)
            if comparable(address) in seen or len(chain) > self.limits.redirects:
                raise CaptureError("the redirects lead round", uri=uri, reason="redirects")
            seen.add(comparable(address))

    def _next(self, uri: str, row: Captured) -> str:
        try:
            return absolute(row.location, row.uri)
        except ParseError as error:
            problem = f"{row.uri} redirects to {row.location!r}: {error.problem}"
            raise CaptureError(problem, uri=uri, reason="syntax") from error

    def exchange(
        self,
        row: Captured,
        uri: str,
        *,
        likely: str | None = None,
        chain: tuple[Redirect, ...] = (),
    ) -> Exchange:
        """A capture as an exchange. Raises CaptureError for one that is damaged, or no content."""
        moment = moment_of(row.claimed)
        if row.trouble or moment is None:
            raise CaptureError(f"the record of {row.uri}: {row.trouble}", uri=uri, reason="damaged")
        if row.kind not in _WITHOUT_ANSWER and (row.status not in _OK or row.status == _PARTIAL):
            raise CaptureError(
                f"the server answered {row.status} for {row.uri}",
                uri=uri,
                reason="status",
                status=row.status,
            )
        block = self._records.block(row, uri)
        headers: Headers = () if block.message is None else block.message.headers
        if row.kind in _WITHOUT_ANSWER:
            headers = (("Content-Type", block.record.fields.get("content-type", "")),)
        content = self._content(row, block, uri)
        field = value_of(headers, "content-type")
        content_type, sniffed = content_type_of(field, content, likely, uri=row.uri)
        return Exchange(
            uri=uri,
            final_uri=row.uri if chain else uri,
            method="GET",
            status=row.status or 200,
            reason="" if block.message is None else block.message.reason,
            request_headers=self._records.request_headers(row),
            response_headers=withhold(headers, _PRIVATE),
            content=content,
            content_type=content_type,
            sniffed=sniffed,
            peer_address=row.ip or None,
            certificate=None,
            redirects=chain,
            started_at=moment,
            duration_s=0,
            digest=digest_of(content),
        )

    def _content(self, row: Captured, block: _Block, uri: str) -> bytes:
        """What a capture holds, codings removed, within the limits."""
        limit = min(self.limits.part_bytes, self.limits.total_bytes - self.received)
        headers: Headers = () if block.message is None else block.message.in_force
        try:
            content = content_of(block.body, headers, limit)
        except CodingError as error:
            raise CaptureError(str(error), uri=uri, reason="decode") from error
        if len(content) > limit:
            raise CaptureError(f"larger than the limit of {limit} bytes", uri=uri, reason="size")
        self.received += len(content)
        if row.payload == 0:
            self._doubt(row, block, content, uri)
        return content

    def _doubt(self, row: Captured, block: _Block, content: bytes, uri: str) -> None:
        """Hold content to a digest that the payload is not of: tools take codings off before.

        Raises CaptureError where nothing else vouches for the octets.
        """
        plain = content_of(block.body, _of_transfer(block), len(block.body))
        if is_of(row.digest, content) or is_of(row.digest, plain):
            return
        problem = "its content is not that of its payload digest"
        if row.block is None:
            raise CaptureError(f"the record of {row.uri}: {problem}", uri=uri, reason="damaged")
        self._doubts[row.uri] = problem

    def origin(self, page: Captured) -> dict[str, object]:
        """What is on record of where a page is from, and of who says so."""
        source = self._index.sources[page.file]
        told = self._records.metadata(page)
        checked = [name for name in ("block", "payload") if getattr(page, name) == 1]
        said: dict[str, object] = {
            "format": source.format or page.version,
            "file": source.name,
            "shows": source.shows or _SHOWS.get(page.kind, "received"),
            "record": page.record_id,
            "claimed_at": page.claimed,
            "digests_checked": checked,
            "made_by": {name: source.told[name][:1000] for name in _SAID if name in source.told},
        }
        further = {
            "metadata": fields_of(told),
            "conversions": [_of(each) for each in islice(self._index.conversions(page), _MOST)],
            "names": _names_in(told),
            "doubts": dict(self._doubts),
            "package": dict(source.package),
        }
        return said | {name: value for name, value in further.items() if value}


def _of(conversion: Captured) -> dict[str, str]:
    """What is on record of what others made of a page: its type, its record, its digest."""
    return {
        "media_type": conversion.media_type,
        "record": conversion.record_id,
        "claimed_at": conversion.claimed,
        "digest": conversion.digest,
    }


def _names_in(told: bytes) -> dict[str, str]:
    """The permanent names in a metadata record that `export` wrote, each with its digest."""
    pairs = [line.partition(": ") for line in told.decode("utf-8", "replace").splitlines()]
    named = [value for field, _, value in pairs if field == "pdi"]
    digests = [value.rpartition(" ")[2] for field, _, value in pairs if field == "digest"]
    names = dict(zip(named, digests, strict=False))
    for field, _, value in pairs:
        if field == "same-as":
            name, _, digest = value.partition(" ")
            names[name] = digest
    return names


_SAID = ("software", "operator", "ispartof", "description", "hostname", "robots", "conformsto")


def _of_transfer(block: _Block) -> Headers:
    """The fields of a message that say how it travelled, and not what it holds."""
    headers: Headers = () if block.message is None else block.message.in_force
    return tuple(pair for pair in headers if pair[0].lower() == "transfer-encoding")


class CrawlFiles:
    """Some containers as one crawl, read once to the end; a context manager.

    A page may show what is in another one of them.
    """

    def __init__(
        self, containers: Sequence[Container], tell: Callable[[int], None] | None = None
    ) -> None:
        sources = [source for container in containers for source in container.sources]
        with ExitStack() as opened:
            self.index = opened.enter_context(CaptureIndex(sources))
            self.index.build(tell)
            for container in containers:
                self.index.list_pages(container.listed())
                self.index.report.miss(container.missing)
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

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

    def page(self, page: Captured) -> Capture:
        """A page with all it shows. Raises CaptureError where it cannot be read."""
        answers = CrawlFetcher(self.index, page.at, FetchLimits())
        if page.status in _REDIRECTS:
            root = to_the_end(answers.fetch(page.uri))
        else:
            root = answers.exchange(page, page.uri)
        collector = Collector(answers, None)
        to_the_end(collector.collect(root))
        memento = memento_of(root.final_uri, root.response_headers)
        origin = answers.origin(page)
        return Capture(
            requested_uri=page.uri if memento is None else memento.original,
            root=root,
            led_by=(),
            resources=collector.resources(),
            failures=collector.failures(),
            left_out=collector.left_out(),
            aliases=collector.aliases(),
            started_at=root.started_at if memento is None else memento.at,
            duration_s=0,
            imported=origin if memento is None else origin | {"memento": memento.record()},
        )

    def conversions(self, page: Captured | None) -> Iterator[Captured]:
        """What others made of a page; where None, of what the files do not have."""
        yield from self.index.orphans() if page is None else self.index.conversions(page)

    def converted(self, row: Captured) -> ConvertedRecord:
        """What a conversion record holds. Raises CaptureError where it cannot be read."""
        answers = CrawlFetcher(self.index, row.at, FetchLimits())
        exchange = answers.exchange(row, row.uri)
        origin = answers.origin(row)
        return ConvertedRecord(exchange.content, exchange.content_type, exchange.started_at, origin)

    def names(self, page: Captured) -> dict[str, str]:
        """The names that a page had in an archive like this one, each with a digest."""
        return _names_in(StoredRecords(self.index, FetchLimits()).metadata(page))


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
