"""Writer of an aggregate document: a page and all its resources (RFC 2557 §7).

    RFC 2557 §6 single resources -> `alone`        §7 type, start -> _MessageWriter._multipart
    RFC 2557 §7 distinct labels -> Labels          §4.4 labels -> label.write_location
    RFC 2557 §10 encodings, line ends -> profiles  RFC 2046 §5.1 delimiters -> _multipart

Profiles: "archive" keeps every octet; "mail" passes any mail system (7-bit, short lines, CRLF);
"chromium" is what browsers open with nothing missing.

Deviations: None.
Readings: the boundary is made of the root's octets and labels, so that the same input gives the
same octets. It begins with `=_`, which no base64 or quoted-printable text holds; a binary body
that holds it is written in base64.
"""

from __future__ import annotations

import hashlib
from itertools import chain
from typing import TYPE_CHECKING, Protocol

from permacite.errors import LimitError
from permacite.lazy_dataclass import dataclass
from permacite.mhtml.label import fold_url, write_location
from permacite.mhtml.mime.parameters import parse_structured
from permacite.mhtml.writing.browsers import parts_for_browsers
from permacite.mhtml.writing.profiles import charset_of, encode_body
from permacite.mhtml.writing.resource import (
    Labels,
    Multipart,
    Resource,
    checked_fields,
    content_type_value,
    field_line,
)
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from permacite.mhtml.writing.profiles import Encoded, Profile
    from permacite.mhtml.writing.resource import Fields

__all__ = ["OctetSink", "Written", "WrittenPart", "build", "write"]

_SEPARATOR = ";\r\n "
_VISIBLE = compile_pattern(r"[!-~]{1,60000}")
_DEPTH = 64
"""Multiparts are not written nested deeper than they are read."""


class OctetSink(Protocol):
    """Anything octets can be written to."""

    def write(self, data: bytes, /) -> object:
        """Take some octets."""
        ...


@dataclass(frozen=True, slots=True)
class WrittenPart:
    """One part as it was written. Digests are hexadecimal SHA-256 of the decoded content.

    `changed` says that the content a reader will decode is not the content that was given, since
    its line ends were made canonical (RFC 2557 §10); `dropped` names the fields that this breaks.
    """

    path: str
    content_type: str
    content_location: str | None
    content_id: str | None
    transfer_encoding: str
    offset: int
    digest_given: str
    digest_written: str
    dropped: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether the content is not octet for octet what was given."""
        return self.digest_given != self.digest_written


@dataclass(frozen=True, slots=True)
class Written:
    """What `write` wrote: the file's size and SHA-256, and every part that is no multipart."""

    size_bytes: int
    digest: str
    parts: tuple[WrittenPart, ...]


def build(  # noqa: PLR0913 - each is a field of the message or names its shape
    root: Resource | Multipart,
    resources: Iterable[Resource | Multipart] = (),
    *,
    profile: Profile = "archive",
    subject: str | None = None,
    date: str | None = None,
    headers: Fields = (),
    content_location: str | None = None,
    root_at: int = 0,
    alone: bool = False,
) -> bytes:
    """An aggregate document of a root and the resources that it refers to.

    `content_location` labels the aggregate and is the base of relative labels. `root_at` is the
    root's place among the parts, from 0. `alone` writes the root without a multipart around it.
    The same input gives the same octets. Raises ConflictError where two parts have one label,
    ParseError where a label, type or field cannot be written.
    """
    writer = _MessageWriter(profile, content_location)
    heading = _message_fields(headers, subject, date)
    if alone and isinstance(root, Resource):
        return b"".join([heading, *writer.single(root)])
    return b"".join([heading, *writer.aggregate(root, resources, root_at)])


def write(
    stream: OctetSink,
    root: Resource | Multipart,
    resources: Iterable[Resource | Multipart] = (),
    *,
    profile: Profile = "archive",
    subject: str | None = None,
    date: str | None = None,
    headers: Fields = (),
    content_location: str | None = None,
) -> Written:
    """Write an aggregate to a stream, one resource at a time, and return what was written.

    As `build`; `resources` may be a generator, of which one resource at a time is held. Labels are
    then compared as they come: after a ConflictError the stream holds a part of a file.
    """
    heading = _message_fields(headers, subject, date)
    writer = _MessageWriter(profile, content_location, position=len(heading), digests=True)
    whole, size = hashlib.sha256(), 0
    for piece in chain([heading], writer.aggregate(root, resources)):
        stream.write(piece)
        whole.update(piece)
        size += len(piece)
    return Written(size, whole.hexdigest(), tuple(writer.parts))


def _message_fields(headers: Fields, subject: str | None, date: str | None) -> bytes:
    """The fields that only a message has, the caller's first."""
    lines = [field_line(name, value) for name, value in checked_fields(headers)]
    if subject is not None:
        # A title of a page may hold anything; what cannot be written is a space.
        shown = (each if each.isprintable() else " " for each in subject)
        lines.append(field_line("Subject", " ".join("".join(shown).split())))
    if date is not None:
        lines.append(field_line("Date", date))
    return b"".join([*lines, b"MIME-Version: 1.0\r\n"])


@dataclass(frozen=True, slots=True)
class _Shape:
    """What a multipart needs to be written: its number, labels, parameters and start."""

    path: str
    labels: Labels
    parameters: tuple[tuple[str, str], ...]
    start: Resource | Multipart | None = None
    start_id: str | None = None


class _MessageWriter:
    """The pieces of one file after its message's own fields, and where each part stands."""

    def __init__(
        self,
        profile: Profile,
        content_location: str | None,
        *,
        position: int = 0,
        digests: bool = False,
    ) -> None:
        self._profile = profile
        self._content_location = content_location
        self._position = position
        self._digests = digests
        self._seed = ""
        self._charset: str | None = None
        self.parts: list[WrittenPart] = []

    def single(self, root: Resource) -> Iterator[bytes]:
        """Yield a resource that is the whole message (RFC 2557 §6)."""
        self._begin(root)
        return self._resource(root, "1")

    def aggregate(
        self,
        root: Resource | Multipart,
        resources: Iterable[Resource | Multipart],
        root_at: int = 0,
    ) -> Iterator[bytes]:
        """Yield a multipart/related of the root and the resources (RFC 2557 §7)."""
        self._begin(root)
        if self._profile == "chromium":  # which reads no start parameter
            root, *resources = parts_for_browsers(
                root, resources, self._content_location, self._charset
            )
            root_at = 0
        parts: Iterable[Resource | Multipart] = chain([root], resources)
        if root_at:
            others = list(resources)
            parts = [*others[:root_at], root, *others[root_at:]]
        labels = Labels(self._charset).within(self._content_location)
        parameters = [("type", _media_type(root))]
        start = None
        if root_at:
            start = root.content_id or _made_id(self._seed, "start")
            parameters.append(("start", f"<{start}>"))
        whole = Multipart((), "related", self._content_location)
        shape = _Shape("", labels, tuple(parameters), root, start)
        for piece in self._multipart(whole, parts, shape):
            self._position += len(piece)
            yield piece

    def _begin(self, root: Resource | Multipart) -> None:
        self._seed = _seed(root, self._content_location)
        self._charset = charset_of(root) if isinstance(root, Resource) else None

    def _multipart(
        self, multipart: Multipart, parts: Iterable[Resource | Multipart], shape: _Shape
    ) -> Iterator[bytes]:
        boundary = _boundary(self._seed, shape.path)
        parameters = [f'{name}="{value}"' for name, value in shape.parameters]
        fields = [multipart.content_type, *parameters, f'boundary="{boundary}"']
        yield f"Content-Type: {_SEPARATOR.join(fields)}\r\n".encode("ascii")
        if self._profile == "archive":
            yield b"Content-Transfer-Encoding: binary\r\n"
        yield self._labels_of(multipart, multipart.content_id)
        for name, value in checked_fields(multipart.headers):
            yield field_line(name, value)
        delimiter = f"\r\n--{boundary}\r\n".encode("ascii")
        for number, part in enumerate(parts, 1):
            yield delimiter
            path = f"{shape.path}.{number}" if shape.path else str(number)
            shape.labels.add(part, path)
            content_id = shape.start_id if part is shape.start else None
            yield from self._part(part, path, shape.labels, content_id)
        yield f"\r\n--{boundary}--\r\n".encode("ascii")

    def _part(
        self, part: Resource | Multipart, path: str, labels: Labels, content_id: str | None
    ) -> Iterator[bytes]:
        if isinstance(part, Resource):
            return self._resource(part, path, content_id)
        if path.count(".") >= _DEPTH:
            raise LimitError(
                f"multiparts are nested deeper than {_DEPTH}", limit="depth", maximum=_DEPTH
            )
        first = part.body_parts[0] if part.body_parts else None
        parameters = []
        if part.subtype == "related":
            labels = labels.within(part.content_location)
            parameters = [("type", "text/plain" if first is None else _media_type(first))]
        return self._multipart(part, part.body_parts, _Shape(path, labels, tuple(parameters)))

    def _resource(
        self, resource: Resource, path: str, content_id: str | None = None
    ) -> Iterator[bytes]:
        content_id = resource.content_id or content_id
        encoded = encode_body(resource, self._profile, _marker(self._seed))
        lines = [
            f"Content-Type: {content_type_value(encoded.content_type)}\r\n",
            f"Content-Transfer-Encoding: {encoded.encoding}\r\n",
        ]
        heading = "".join(lines).encode("ascii") + self._labels_of(resource, content_id)
        fields = [field_line(name, value) for name, value in checked_fields(encoded.headers)]
        self._record(resource, path, content_id, encoded)
        yield b"".join([heading, *fields, b"\r\n"])
        yield encoded.body

    def _labels_of(self, part: Resource | Multipart, content_id: str | None) -> bytes:
        lines = []
        if content_id is not None:
            lines.append(f"Content-ID: <{content_id}>\r\n")
        if part.content_location is not None:
            value = part.content_location
            # Chromium decodes nothing; its labels are visible ASCII already.
            bare = self._profile == "chromium" and _VISIBLE.fullmatch(value) is not None
            value = fold_url(value) if bare else write_location(value, charset=self._charset)
            lines.append(f"Content-Location: {value}\r\n")
        return "".join(lines).encode("ascii")

    def _record(
        self, resource: Resource, path: str, content_id: str | None, encoded: Encoded
    ) -> None:
        if not self._digests:
            return
        given = hashlib.sha256(resource.content).hexdigest()
        same = encoded.content is resource.content
        self.parts.append(
            WrittenPart(
                path,
                encoded.content_type,
                resource.content_location,
                content_id,
                encoded.encoding,
                self._position,
                given,
                given if same else hashlib.sha256(encoded.content).hexdigest(),
                encoded.dropped,
            )
        )


def _media_type(part: Resource | Multipart) -> str:
    """The media type that the `type` parameter declares (RFC 2387 §3.1)."""
    content_type_value(part.content_type)
    return parse_structured(part.content_type)[0]


def _seed(root: Resource | Multipart, content_location: str | None) -> str:
    """Return 16 hexadecimal digits that stand for the root and its labels."""
    digest = hashlib.sha256()
    part: Resource | Multipart | None = root
    while part is not None:
        for label in (part.content_type, part.content_location, part.content_id, content_location):
            digest.update(repr(label).encode("utf-8", "surrogatepass"))
        if isinstance(part, Resource):
            digest.update(part.content)
            break
        part = part.body_parts[0] if part.body_parts else None
    return digest.hexdigest()[:16]


def _marker(seed: str) -> bytes:
    """What every boundary of a file begins with."""
    return f"--=_{seed}".encode("ascii")


def _boundary(seed: str, path: str) -> str:
    """The boundary of a multipart; all are of one length, so that none begins another."""
    return f"=_{seed}_{hashlib.sha256(path.encode()).hexdigest()[:12]}"


def _made_id(seed: str, name: str) -> str:
    """A Content-ID that is unique as far as the root's octets and labels are."""
    return f"{name}.{seed}@mhtml.permacite"
