"""Aggregate documents for the faces: list, read, resolve, check, unpack, pack and send them.

No archive is needed for any of it. A source is the path of a file, which is then read in pieces,
or its octets.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING, TypeAlias

from permacite import mhtml
from permacite.mhtml import Matching, Profile
from permacite.service.plain import UNPRINTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = [
    "AggregateListing",
    "BodyPart",
    "Checkup",
    "Disclosed",
    "Fault",
    "LinkTarget",
    "Made",
    "MadePart",
    "Matching",
    "PartContent",
    "Profile",
    "SinglePage",
    "Source",
    "UnpackedFile",
    "check",
    "links",
    "list_parts",
    "mail",
    "pack",
    "page",
    "part",
    "rewrite",
    "unpack",
]

Source: TypeAlias = "bytes | Path"


@dataclass(frozen=True, slots=True)
class BodyPart:
    """One body part. `path` is its number ("3.1"), `size_bytes` its size as it stands, encoded."""

    path: str
    content_type: str
    charset: str | None
    content_location: str | None
    content_id: str | None
    transfer_encoding: str
    offset: int
    size_bytes: int
    is_root: bool


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong that was tolerated; `offset` counts the file's octets."""

    code: str
    path: str
    offset: int
    problem: str
    spec: str


@dataclass(frozen=True, slots=True)
class AggregateListing:
    """What is in an aggregate. `faults` are those of its structure: `check` looks further."""

    subject: str | None
    content_location: str | None
    size_bytes: int
    parts: tuple[BodyPart, ...]
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class PartContent:
    """The decoded content of a part."""

    path: str
    content_type: str
    charset: str | None
    size_bytes: int
    content: bytes = field(metadata=UNPRINTED)
    raw: bytes = field(metadata=UNPRINTED)
    """The part as it stands in the file, heading included."""


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """A reference of a part, and what satisfies it and why (RFC 2557 §5, §8).

    `kind`: "part", "aggregate", "external" (a URI that no part has), "none" (nothing can have it).
    `shown` is the part that is shown for it: for an aggregate, its root.
    """

    within: str
    reference: str
    element: str
    attribute: str
    role: str
    kind: str
    uri: str
    part: str | None
    shown: str | None
    matched_by: str | None
    label: str | None
    profile: str | None
    base: str
    base_from: str
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Disclosed:
    """Something private that a page would give away; `offset` counts the part's decoded text."""

    kind: str
    path: str
    offset: int
    detail: str


@dataclass(frozen=True, slots=True)
class Checkup:
    """All that is wrong with an aggregate, missing from it, or private in it."""

    faults: tuple[Fault, ...]
    missing: tuple[LinkTarget, ...]
    """What is shown with the page and is not in the file."""
    disclosed: tuple[Disclosed, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong and nothing is missing."""
        return not self.faults and not self.missing


@dataclass(frozen=True, slots=True)
class UnpackedFile:
    """A file for one part, or the manifest. The name is safe in any folder."""

    name: str
    size_bytes: int
    content: bytes = field(metadata=UNPRINTED)


@dataclass(frozen=True, slots=True)
class MadePart:
    """A part as it was written. Digests are of the content given, and of what is decoded from it.

    They differ where line ends were made canonical; `dropped` names the fields that this breaks.
    """

    path: str
    content_type: str
    content_location: str | None
    content_id: str | None
    transfer_encoding: str
    changed: bool
    digest_given: str
    digest_written: str
    dropped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """A file that was written."""

    profile: str
    size_bytes: int
    digest: str
    parts: tuple[MadePart, ...]
    disclosed: tuple[Disclosed, ...]
    content: bytes = field(metadata=UNPRINTED)


@dataclass(frozen=True, slots=True)
class SinglePage:
    """One self-contained page, and what it could not take in."""

    html: str
    unresolved: tuple[str, ...]
    left_out: tuple[str, ...]


# ---------------------------------------------------------------- reading
def list_parts(source: Source) -> AggregateListing:
    """Return what is in an aggregate. Raises ParseError where it is no message."""
    with mhtml.open(source) as aggregate:
        root = aggregate.root
        return AggregateListing(
            aggregate.subject,
            aggregate.location,
            aggregate.size_bytes,
            tuple(_body_part(each, root) for each in aggregate.body_parts),
            tuple(_fault(each) for each in aggregate.structure_defects),
        )


def part(source: Source, name: str | None = None) -> PartContent:
    """Return a part by its number, or by a reference to it; the root where `name` is None.

    Raises NotFoundError where there is no such part.
    """
    with mhtml.open(source) as aggregate:
        found = aggregate.root if name is None else _named(aggregate, name)
        content = found.content
        return PartContent(
            found.path, found.content_type, found.charset, len(content), content, found.raw
        )


def _named(aggregate: mhtml.Aggregate, name: str) -> mhtml.BodyPart:
    found = aggregate.resolve(name, profile="browser")
    if found.part is not None and found.root is not None and found.matched_by != "same-document":
        return found.root
    return aggregate.part(name)


def links(
    source: Source, within: str | None = None, *, profile: Matching = "browser"
) -> Iterator[LinkTarget]:
    """Yield every reference of one part, or of all, with what satisfies it."""
    with mhtml.open(source) as aggregate:
        parts = aggregate.body_parts if within is None else (aggregate.part(within),)
        for each in parts:
            if not each.body_parts:
                yield from _links_of(aggregate, each, profile)


def _links_of(
    aggregate: mhtml.Aggregate, within: mhtml.BodyPart, profile: Matching
) -> Iterator[LinkTarget]:
    media_type, charset = within.content_type, within.charset
    for link in mhtml.links.references(within.content, media_type, charset):
        if link.role == "base":
            continue
        found = aggregate.resolve(link.value, within=within, profile=profile)
        yield LinkTarget(
            within.path,
            link.value,
            link.element,
            link.attribute,
            link.role,
            found.kind,
            found.uri,
            None if found.part is None else found.part.path,
            None if found.root is None else found.root.path,
            found.matched_by,
            found.label,
            found.profile,
            found.base,
            found.base_from,
            tuple(defect.code for defect in found.defects),
        )


def check(source: Source) -> Checkup:
    """Read all of an aggregate and return what is wrong, missing or private."""
    with mhtml.open(source) as aggregate:
        faults = tuple(_fault(each) for each in aggregate.defects)
        disclosed = tuple(_disclosed(aggregate))
    embedded = (each for each in links(source) if each.role == "embed")
    missing = (each for each in embedded if each.part is None and _is_fetched(each.uri))
    return Checkup(faults, tuple(missing), disclosed)


def _is_fetched(uri: str) -> bool:
    """Whether a URI means something elsewhere, not something that it holds itself."""
    return not uri.lower().startswith(("data:", "about:", "javascript:"))


def _body_part(each: mhtml.BodyPart, root: mhtml.BodyPart) -> BodyPart:
    return BodyPart(
        each.path,
        each.content_type,
        None if each.body_parts else each.charset,
        each.content_location,
        each.content_id,
        each.transfer_encoding,
        each.offset,
        each.end - each.body_offset,
        each is root,
    )


def _fault(defect: mhtml.Defect) -> Fault:
    return Fault(defect.code, defect.path, defect.offset, defect.problem, defect.spec)


def _disclosed(aggregate: mhtml.Aggregate) -> Iterator[Disclosed]:
    for each in aggregate.body_parts:
        if each.body_parts:
            continue
        charset = "" if each.charset is None else f"; charset={each.charset}"
        content_type = each.content_type + charset
        labelled = (each.path, each.content, content_type, each.content_location)
        for found in mhtml.disclosures([labelled]):
            yield Disclosed(found.kind, found.where, found.offset, found.detail)


# ---------------------------------------------------------------- unpacking, packing, writing
def unpack(source: Source) -> Iterator[UnpackedFile]:
    """Yield a file for each part, and last the manifest that `pack` reads."""
    with mhtml.open(source) as aggregate:
        for file in mhtml.extract(aggregate):
            yield UnpackedFile(file.name, len(file.content), file.content)


def pack(files: Mapping[str, bytes], *, profile: Profile = "archive") -> Made:
    """Return files as one aggregate, by their manifest or by their names.

    Raises ParseError where no page is among them, NotFoundError where one is missing.
    """
    return _made(mhtml.pack(files), profile)


def rewrite(source: Source, *, profile: Profile) -> Made:
    """Return an aggregate written anew for a purpose."""
    return _made(_unmade(source), profile)


def mail(
    source: Source,
    *,
    sender: str,
    recipients: tuple[str, ...],
    subject: str | None = None,
    date: datetime | None = None,
) -> Made:
    """Return an aggregate as a message that any mail system passes on. It is not sent.

    `subject` is that of the aggregate, `date` now, unless they are given.
    """
    held = _unmade(source)
    when = format_datetime(date or datetime.now(UTC))
    headers = (("From", sender), ("To", ", ".join(recipients)))
    message = mhtml.Packed(
        held.root, held.resources, subject or held.subject, when, headers, held.content_location
    )
    return _made(message, "mail")


def page(source: Source, name: str | None = None) -> SinglePage:
    """Return a part, the root where `name` is None, as one inert, self-contained page."""
    with mhtml.open(source) as aggregate:
        wanted = None if name is None else _named(aggregate, name)
        made = mhtml.export.single_html(aggregate, wanted)
        return SinglePage(made.html, tuple(made.unresolved), tuple(made.left_out))


def _unmade(source: Source) -> mhtml.Packed:
    """Return what an aggregate was built of."""
    with mhtml.open(source) as aggregate:
        root, resources = mhtml.contents_of(aggregate)
        return mhtml.Packed(
            root, tuple(resources), aggregate.subject, content_location=aggregate.location
        )


def _made(packed: mhtml.Packed, profile: Profile) -> Made:
    stream = io.BytesIO()
    written = mhtml.write(
        stream,
        packed.root,
        packed.resources,
        profile=profile,
        subject=packed.subject,
        date=packed.date,
        headers=packed.headers,
        content_location=packed.content_location,
    )
    content = stream.getvalue()
    with mhtml.open(content) as aggregate:
        disclosed = tuple(_disclosed(aggregate))
    parts = tuple(
        MadePart(
            each.path,
            each.content_type,
            each.content_location,
            each.content_id,
            each.transfer_encoding,
            each.changed,
            "sha-256:" + each.digest_given,
            "sha-256:" + each.digest_written,
            each.dropped,
        )
        for each in written.parts
    )
    digest = "sha-256:" + written.digest
    return Made(profile, written.size_bytes, digest, parts, disclosed, content)
