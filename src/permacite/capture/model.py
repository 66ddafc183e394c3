"""Result of a capture: the page, its resources and its failures; with the options of a fetch."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, field
from datetime import UTC
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.lazy_dataclass import dataclass
from permacite.markup import Document
from permacite.media_types import content_type
from permacite.version import __version__

if TYPE_CHECKING:
    from datetime import datetime

    from permacite.capture.credentials import Credentials
    from permacite.mhtml import Resource

__all__ = [
    "Capture",
    "CaptureProgress",
    "Earlier",
    "Exchange",
    "Failure",
    "FetchLimits",
    "FetchOptions",
    "Frozen",
    "Headers",
    "Lookup",
    "Redirect",
    "Refuse",
    "Sent",
    "body_parts",
    "digest_of",
]

Headers = tuple[tuple[str, str], ...]
"""Header fields in the order of the wire: (name, value) pairs, names spelled as they came."""

Lookup = Callable[[str, int], Awaitable[list[str]]]
"""Name resolution: (host, port) to all addresses as text. Raises OSError where there are none."""

Refuse = Callable[[str], str | None]
"""Says why an address must not be connected to; None where it may."""

_MIB = 1024 * 1024


def digest_of(content: bytes) -> str:
    """SHA-256, as digests are on record: "sha-256:" and 64 hexadecimal digits."""
    return "sha-256:" + hashlib.sha256(content).hexdigest()


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """How much time and room a capture may take. Times in seconds, sizes in bytes.

    Sizes count content after its content-coding is removed. What does not fit is left out and
    reported; only the page itself must fit.
    """

    total_s: float = 60
    """For the whole capture."""
    load_s: float = 20
    """For one resource, its redirects included."""
    total_bytes: int = 200 * _MIB
    part_bytes: int = 50 * _MIB
    parts: int = 500
    """The page and its resources together."""
    concurrent: int = 8
    per_host: int = 6
    redirects: int = 10
    """Redirect limit of one resource."""
    depth: int = 8
    """How deep frames and style sheets may nest."""
    header_bytes: int = 16 * 1024
    """Of one header field."""
    wait_s: float = 10
    """For a server that is busy and says when to come back, and for a page that leads on."""


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """How pages and resources are fetched."""

    limits: FetchLimits = FetchLimits()
    allow_private: bool = False
    """Whether addresses of this machine and of private networks are allowed: for intranets."""
    lookup: Lookup | None = None
    """Name resolution in place of the system's."""
    credentials: Credentials | None = None
    """Sent to the origin of the page alone, and never recorded: see `read_credentials`."""

    @property
    def refuse(self) -> Refuse:
        """The check of addresses."""
        from permacite.capture.address import refusal

        return _refuse_none if self.allow_private else refusal


def _refuse_none(_: str) -> None:
    """Allow every address."""


class Sent(NamedTuple):
    """What is posted with a request."""

    content: bytes
    media_type: str
    also: frozenset[int] = frozenset()
    """Statuses, besides those of success, whose answers are taken too."""


class Earlier(NamedTuple):
    """A resource as an earlier capture has it: the server is asked whether it still stands."""

    content: bytes
    response_headers: Headers

    def validators(self) -> dict[str, str]:
        """The fields of a request that ask it (RFC 9110 §13.1); none where the server gave none."""
        said = {name.lower(): value for name, value in self.response_headers}
        fields = {"If-None-Match": "etag", "If-Modified-Since": "last-modified"}
        return {field: said[name] for field, name in fields.items() if said.get(name)}

    def freshened(self, received: Headers) -> Headers:
        """Its header fields, brought up to date by those of a 304 (RFC 9111 §3.2, §4.3.4)."""
        new = {name.lower() for name, _ in received} - _OF_CONTENT
        kept = [pair for pair in self.response_headers if pair[0].lower() not in new]
        return (*kept, *(pair for pair in received if pair[0].lower() in new))


_OF_CONTENT = frozenset({"content-length", "content-encoding", "content-type", "content-range"})
"""Fields that tell of octets which a 304 does not bring."""


class Redirect(NamedTuple):
    """One answer that pointed elsewhere: the URI asked, its status, its Location field."""

    uri: str
    status: int
    location: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request that was answered with content, and all that is known about it."""

    uri: str
    """As requested: absolute, without fragment, before redirects."""
    final_uri: str
    """Where the content came from: the base of its relative references."""
    method: str
    status: int
    reason: str
    request_headers: Headers
    response_headers: Headers
    content: bytes = field(repr=False)
    """What came over the network, transfer- and content-codings removed, otherwise untouched."""
    content_type: str
    """The field's value as received, or what the bytes look like if it is none."""
    sniffed: bool
    """Whether `content_type` was told from the bytes."""
    peer_address: str | None
    certificate: str | None
    """Digest of the server's certificate (DER); None without TLS."""
    redirects: tuple[Redirect, ...]
    started_at: datetime
    duration_s: float
    digest: str
    """Of `content`: "sha-256:" and 64 hexadecimal digits."""
    revalidated: bool = False
    """Whether the server said that what an earlier capture has still stands: its status was 304."""
    document: Document = field(init=False, repr=False, compare=False)
    """The content, to be read: once for all who need its text or its tags."""

    def __post_init__(self) -> None:
        document = Document(self.content, *content_type(self.content_type))
        object.__setattr__(self, "document", document)

    @property
    def media_type(self) -> str:
        """Type and subtype alone, in lower case."""
        return self.document.media_type

    def record(self) -> dict[str, object]:
        """Return all that is known of it as plain values for JSON, the content by its digest."""
        return {
            "uri": self.uri,
            "final_uri": self.final_uri,
            "method": self.method,
            "status": self.status,
            "reason": self.reason,
            "request_headers": [list(pair) for pair in self.request_headers],
            "response_headers": [list(pair) for pair in self.response_headers],
            "content_type": self.content_type,
            "sniffed": self.sniffed,
            "size_bytes": len(self.content),
            "digest": self.digest,
            "peer_address": self.peer_address,
            "certificate": self.certificate,
            "redirects": [step._asdict() for step in self.redirects],
            "started_at": self.started_at.isoformat(),
            "duration_s": round(self.duration_s, 6),
        } | ({"revalidated": True} if self.revalidated else {})

    @property
    def date(self) -> datetime | None:
        """When the server says that it answered (RFC 9110 §6.6.1); None where it does not."""
        from email.utils import parsedate_to_datetime

        text = next((v for name, v in self.response_headers if name.lower() == "date"), "")
        try:
            said = parsedate_to_datetime(text)
        except (ValueError, OverflowError):
            return None
        return said.replace(tzinfo=UTC) if said.tzinfo is None else said


@dataclass(frozen=True, slots=True)
class Failure:
    """Something the page refers to that is not in the capture.

    `reason`, one word: "address" "connect" "timeout" "status" "redirects" "size" "parts" "depth"
    "tls" "scheme" "decode" "syntax"; or "script" for what is left out on purpose.
    """

    uri: str
    referrer: str
    problem: str
    reason: str
    needed_by: str
    """The element and attribute that refer to it, such as "img src", or "url()"."""
    status: int | None = None
    """Of the answer, where the server gave one and that is why."""


@dataclass(frozen=True, slots=True)
class Frozen:
    """A page as it was drawn."""

    root: Resource = field(repr=False)
    """The page, HTML in UTF-8; its `content_location` is the base of its references."""
    parts: tuple[Resource, ...] = field(repr=False)
    """What only the page has, by Content-ID: frames, canvases, pictures, style sheets."""
    text: str = field(repr=False)
    """Its words, by the rules `drawn-text/1`."""
    map: bytes = field(repr=False)
    """From places of the text to places of the root and the frames."""
    screenshot: bytes = field(repr=False)
    """The view as PNG."""
    view: Mapping[str, Any]
    """The size of the view, the digest of the script, what was left out and how often."""


@dataclass(frozen=True, slots=True)
class Capture:
    """A page and all it shows."""

    requested_uri: str
    """As the user gave it."""
    root: Exchange
    led_by: tuple[Exchange, ...]
    """Pages that led on to `root` by a refresh, in order: the first is what was asked for."""
    resources: tuple[Exchange, ...]
    """In the order in which a reader of the page would come upon them."""
    failures: tuple[Failure, ...]
    left_out: tuple[Failure, ...]
    """What is not saved on purpose: scripts."""
    aliases: tuple[tuple[str, str], ...]
    """(label, URI of a resource) pairs: names that a redirected frame or style sheet gives to its
    resources when its references are resolved against the URI it was asked by."""
    started_at: datetime
    duration_s: float
    with_credentials: bool = False
    """Whether a person's header fields, cookies or passwords were sent; they are not on record."""
    drawing: Mapping[str, object] | None = None
    """How a browser drew the page, as plain values for JSON; None in the HTTP way."""
    drawn: Frozen | None = None
    """The page as a browser drew it, where one did."""
    is_served: bool = True
    """Whether `root` is what was served; else it is the page as it was drawn, once more."""
    imported: Mapping[str, object] | None = None
    """Who else captured it, and what they say, as plain values for JSON; None for what we did."""

    @property
    def size_bytes(self) -> int:
        """Bytes of all content."""
        return sum(len(each.content) for each in self.exchanges)

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """The page as served first, then those that led to it, then all resources."""
        served = (self.root,) if self.is_served else ()
        return *served, *self.led_by, *self.resources

    def record(self) -> dict[str, object]:
        """Where each byte is from, as plain values for JSON: source, time, digest, tool.

        Times are in RFC 3339 form, UTC. The content itself is not in the record; its digest is.
        """
        return {
            "tool": f"permacite/{__version__}",
            "requested_uri": self.requested_uri,
            "started_at": self.started_at.isoformat(),
            "duration_s": round(self.duration_s, 6),
            "size_bytes": self.size_bytes,
            "with_credentials": self.with_credentials,
            "led_by": [each.uri for each in self.led_by],
            "requests": [each.record() for each in self.exchanges],
            "failures": [asdict(each) for each in self.failures],
            "left_out": [asdict(each) for each in self.left_out],
            "aliases": [{"label": label, "uri": uri} for label, uri in self.aliases],
            **({} if self.drawing is None else {"drawing": dict(self.drawing)}),
            **({} if self.imported is None else {"imported": dict(self.imported)}),
        }


@dataclass(frozen=True, slots=True)
class CaptureProgress:
    """How far a capture is: `done` of the `known` resources, `bytes` so far, the one at hand."""

    done: int
    known: int
    bytes: int
    current: str


def body_parts(capture: Capture) -> tuple[Resource, tuple[Resource, ...]]:
    """Return the root and the other resources, ready for `permacite.mhtml.build`.

    Each is labelled with the URI that the page refers to it by. The root is labelled with the URI
    that it came from at last, for that is the base of its references. A resource of a redirected
    frame or style sheet appears a second time, under the name that its references have when they
    are resolved against that frame's label (RFC 2557 §5 knows no redirects). Pages that led to the
    root come next, under the URIs that they were asked by.
    """
    from permacite.mhtml import Resource

    others = (*capture.led_by, *capture.resources)
    by_uri = {each.uri: each for each in capture.resources}
    root = Resource(capture.root.content, capture.root.content_type, capture.root.final_uri)
    labels = [(each.uri, each) for each in others]
    labels += [(label, by_uri[uri]) for label, uri in capture.aliases]
    taken = {capture.root.final_uri}
    resources = []
    for label, exchange in labels:
        if label not in taken:
            taken.add(label)
            resources.append(Resource(exchange.content, exchange.content_type, label))
    return root, tuple(resources)
