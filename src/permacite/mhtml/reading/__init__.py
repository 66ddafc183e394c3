"""Aggregate document, opened for reading: its parts, its root, its defects, its references.

RFC 2557, MIME Encapsulation of Aggregate Documents, such as HTML (MHTML) (J. Palme, A. Hopmann, N.
Shelness, March 1999).

| section | function |
|---|---|
| §4.1, §4.2, §4.4 Content-Location | `mhtml.label` |
| §4.2, §10, §12 fields | _in_heading |
| §4.3 URIs of aggregates | `resolve.Resolution.kind` "aggregate" |
| §5 base URIs | `mhtml.reading.base` |
| §7 multipart/related | `related` |
| §8.2, §8.3 matching | `resolve` |
| §10 charsets, line ends | `BodyPart.charset`, `writing.profiles`, _in_content |
| §11 security | `mhtml.disclosure`, `resolve` |
| RFC 2045 §6 encodings | _in_encoding |

Deviations: None. Readings: see the modules of the table.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Self

from permacite.charsets import codec_of
from permacite.errors import LimitError, NotFoundError, ParseError
from permacite.media_types import is_media_type
from permacite.mhtml.charset import charset_inside, is_markup
from permacite.mhtml.label import read_id
from permacite.mhtml.mime.model import Defect, Limits
from permacite.mhtml.mime.octets import octets_of
from permacite.mhtml.mime.parameters import parse_structured
from permacite.mhtml.mime.transfer import IDENTITIES, base64_fault, quoted_printable_fault
from permacite.mhtml.reading import related
from permacite.mhtml.reading.index import index
from permacite.mhtml.reading.part import beginning_of, defect_of
from permacite.mhtml.reading.resolve import Resolver

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType

    from permacite.mhtml.mime.octets import Source, SourceOctets
    from permacite.mhtml.reading.part import BodyPart
    from permacite.mhtml.reading.resolve import Profile, Resolution

__all__ = ["Aggregate", "defects_of", "open_aggregate"]


_ONCE = ("content-type", "content-transfer-encoding", "content-id", "message-id")
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"%PDF-", "application/pdf"),
)
_SPECIFIC = ("image/png", "image/gif", "image/jpeg", "text/html", "text/css", "text/plain")
"""Types that are told from each other; others may be wider names for the same content."""


def defects_of(part: BodyPart) -> Iterator[Defect]:
    """Yield what is wrong with a part itself, in no order. Decodes its content in pieces."""
    yield from _in_heading(part)
    if not part.body_parts:
        yield from _in_encoding(part)
        yield from _in_content(part)


def _in_heading(part: BodyPart) -> Iterator[Defect]:
    heading = part.heading
    for name in _ONCE:
        for field in heading.all(name)[1:]:
            yield Defect("duplicate-field", field.offset, part.path, field.name)
    for code in ("content-base", "content-encoding"):
        unwanted = heading.get(code)
        if unwanted is not None:
            yield Defect(code, unwanted.offset, part.path)
    yield from _in_label(part)
    content_id = heading.get("Content-ID")
    if content_id is not None and not read_id(content_id.value)[1]:
        yield Defect("bad-content-id", content_id.offset, part.path)
    yield from _in_type(part)
    for offset in heading.faults:
        yield Defect("bad-field", offset, part.path)


def _in_label(part: BodyPart) -> Iterator[Defect]:
    locations = part.heading.all("Content-Location")
    for field in locations[1:]:
        yield Defect("label-twice", field.offset, part.path)
    for code, offset in () if part.label is None else part.label.faults:
        # The RFC has a cid: label beside a Content-ID itself (§9.5): nothing is lost by it.
        if code != "cl-cid" or part.content_id is None:
            yield Defect(code, locations[0].offset + offset, part.path)


def _in_type(part: BodyPart) -> Iterator[Defect]:
    field = part.heading.get("Content-Type")
    if field is not None and not is_media_type(parse_structured(field.latin1)[0]):
        yield Defect("bad-content-type", field.offset, part.path)


def _in_encoding(part: BodyPart) -> Iterator[Defect]:
    encoding = part.transfer_encoding
    if encoding in IDENTITIES:
        return
    if encoding not in ("base64", "quoted-printable"):
        yield defect_of(part, "unknown-encoding", "Content-Transfer-Encoding", encoding)
        return
    find = base64_fault if encoding == "base64" else quoted_printable_fault
    fault = find(part.body)
    if fault is not None:
        yield Defect(fault[0], part.body_offset + fault[1], part.path)


def _in_content(part: BodyPart) -> Iterator[Defect]:
    """Compare what the heading says of the content with what the content says."""
    try:
        head = beginning_of(part)
        for _ in part.pieces():
            pass
    except LimitError:
        yield defect_of(part, "decoded-too-long")
        return
    actual = next((name for magic, name in _MAGIC if head.startswith(magic)), None)
    if actual is not None and part.content_type in _SPECIFIC and part.content_type != actual:
        yield defect_of(part, "content-differs", "Content-Type", actual)
    declared = part.parameters.get("charset")
    if declared is None:
        return
    content = part.content if is_markup(part.content_type) else head
    inside = charset_inside(content, part.content_type)
    if inside not in {None, codec_of(declared)}:
        detail = f"{declared}, and {inside} inside"
        yield defect_of(part, "charset-differs", "Content-Type", detail)


_SHOWN_OCTETS = 1 << 20
_DELIMITER_END = rb"(?:--)?[ \t]*+(?=[\r\n]|\Z)"


class Aggregate:
    """A message with its parts. Content is decoded on demand.

    `message` is the outermost part; `body_parts` are all others in the order of the file, nested
    multiparts and what they hold included. A message that is no multipart is its own only part.
    """

    def __init__(
        self, octets: SourceOctets, limits: Limits, *, request_uri: str | None = None
    ) -> None:
        self._parts, self._structure_defects = index(octets, limits)
        self._octets = octets
        self.limits = limits
        self.request_uri = request_uri
        self.message = self._parts[0]
        is_alone = len(self._parts) == 1
        self.body_parts = tuple(self._parts if is_alone else self._parts[1:])
        self._defects: tuple[Defect, ...] | None = None
        self._root: tuple[BodyPart, list[Defect]] | None = None
        self._resolver: Resolver | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file, if it was opened by its path. Reading parts is then over."""
        self._octets.close()

    @property
    def raw(self) -> bytes:
        """The whole file."""
        return self._octets.read(0, self._octets.size)

    @property
    def size_bytes(self) -> int:
        """The size of the file in octets."""
        return self._octets.size

    @property
    def subject(self) -> str | None:
        """The Subject of the message, decoded."""
        return self.message.heading.text("Subject")

    @property
    def location(self) -> str | None:
        """The Content-Location of the aggregate as a whole (RFC 2557 §4.3)."""
        return self.message.content_location if self.message.body_parts else None

    @property
    def root(self) -> BodyPart:
        """The part that is shown: the start of the aggregate (RFC 2557 §7, RFC 2387 §3.2)."""
        if self._root is None:
            self._root = related.root_of(self.message)
        return self._root[0]

    def part(self, path: str) -> BodyPart:
        """The part with that number, such as "3.1". Raises NotFoundError."""
        part = self._by_path.get(path)
        if part is None:
            near = tuple(each.path for each in self._parts[:3])
            raise NotFoundError(f"no part {path} in this message", path, candidates=near)
        return part

    @cached_property
    def _by_path(self) -> dict[str, BodyPart]:
        return {part.path: part for part in self._parts}

    @property
    def structure_defects(self) -> tuple[Defect, ...]:
        """What is wrong with the delimiters and headings that indexing looked at."""
        return tuple(self._structure_defects)

    @property
    def defects(self) -> tuple[Defect, ...]:
        """Everything that is wrong, in the order of the file. Reads and decodes all of it once."""
        if self._defects is None:
            defects = [*self._structure_defects, *self.resolver.defects()]
            for part in self._parts:
                defects += defects_of(part)
                if part.content_type == "multipart/related" and part.body_parts:
                    defects += related.root_of(part)[1]
            self._defects = tuple(sorted(dict.fromkeys(defects), key=lambda each: each.offset))
        return self._defects

    @property
    def resolver(self) -> Resolver:
        """What knows the labels of all parts."""
        if self._resolver is None:
            self._resolver = Resolver(self.message, self.body_parts, self.request_uri)
        return self._resolver

    def resolve(
        self, reference: str, within: BodyPart | None = None, profile: Profile = "rfc"
    ) -> Resolution:
        """What `reference` means inside a part, which is the root if None. Never fails.

        Profile "rfc" compares octets (RFC 2557 §8.2); "browser" tries that first, then compares
        as browsers do.
        """
        return self.resolver.resolve(reference, self.root if within is None else within, profile)

    def rebuilt(self, changed: Mapping[str, bytes]) -> Iterator[bytes]:
        """Yield the file in pieces, with the parts at some paths replaced by other raw octets.

        Everything else is byte for byte as it was: preamble, delimiters, line ends, epilogue.
        `changed` maps a path to heading, empty line and encoded body. Raises NotFoundError for a
        path that is none, ParseError where a part would end one that it is in.
        """
        for path, octets in changed.items():
            _require_no_delimiter(self.part(path), octets)
        places = sorted((self.part(path).offset, path) for path in changed)
        at = 0
        for offset, path in places:
            if offset < at:
                raise ParseError(f"part {path} is inside another that is replaced", path, 0)
            yield from self._copied(at, offset)
            yield changed[path]
            at = self.part(path).end
        yield from self._copied(at, self._octets.size)

    def _copied(self, start: int, end: int) -> Iterator[bytes]:
        for at in range(start, end, _SHOWN_OCTETS):
            yield self._octets.read(at, min(at + _SHOWN_OCTETS, end))

    def require_sound(self) -> None:
        """Raise ParseError for the first defect, if there is one."""
        if self.defects:
            raise self.error(self.defects[0])

    def error(self, defect: Defect) -> ParseError:
        """The error that says what `defect` says, at its place in the file.

        The source is the file up to a little after the place, or "" beyond the first MiB.
        """
        near = defect.offset <= _SHOWN_OCTETS
        shown = self._octets.read(0, defect.offset + 200) if near else b""
        return ParseError(defect.problem, shown.decode("latin-1"), defect.offset, defect.spec)


def _require_no_delimiter(part: BodyPart, octets: bytes) -> None:
    """Raise ParseError where `octets` hold a delimiter of a multipart around `part`."""
    around = part.parent if octets != part.raw else None
    while around is not None:
        boundary = re.escape(around.boundary or b"")
        delimiter = re.search(rb"(?:\A|(?<=[\r\n]))--" + boundary + _DELIMITER_END, octets)
        if boundary and delimiter is not None:
            shown = octets.decode("latin-1")
            owner = f"part {around.path}" if around.path else "the message"
            problem = f"a delimiter of {owner} cannot stand in part {part.path}"
            raise ParseError(problem, shown, delimiter.start(), "RFC 2046 §5.1.2")
        around = around.parent


def open_aggregate(
    source: Source,
    *,
    strict: bool = False,
    limits: Limits | None = None,
    request_uri: str | None = None,
) -> Aggregate:
    """Open an MHTML or MIME message: bytes, a memory map, or a file by its path.

    `strict` raises ParseError for the first defect instead of reporting it, and reads everything.
    `request_uri` is the URI that the message was fetched by, if it was (RFC 2557 §5(d)).
    Raises ParseError where no message begins, LimitError at more parts than `limits` allows.
    """
    octets = octets_of(source)
    try:
        aggregate = Aggregate(octets, limits or Limits(), request_uri=request_uri)
        if strict:
            aggregate.require_sound()
    except BaseException:
        octets.close()
        raise
    return aggregate
