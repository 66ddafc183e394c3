"""References for the faces: parse, check, resolve, normalise and find, answered in plain fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from permacite import uri
from permacite.uri.normalization import Level
from permacite.uri.resolution import Excess, SameScheme
from permacite.uri.syntax import Profile

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "Excess",
    "Fault",
    "FoundReference",
    "Level",
    "NormalReference",
    "ParsedReference",
    "Profile",
    "ResolvedReference",
    "SameScheme",
    "Warned",
    "faults",
    "find",
    "normalize",
    "parse",
    "resolve",
]


@dataclass(frozen=True, slots=True)
class Warned:
    """Something dangerous in a reference, and its offsets there (RFC 2396 §7)."""

    kind: str
    problem: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ParsedReference:
    """A reference and its components as written; None is absent, "" is empty."""

    text: str
    profile: str
    scheme: str | None
    opaque_part: str | None
    authority: str | None
    userinfo: str | None
    host: str | None
    port: int | None
    port_text: str | None
    reg_name: str | None
    path: str | None
    query: str | None
    fragment: str | None
    segments: tuple[str, ...]
    absolute: bool
    iri: str
    warnings: tuple[Warned, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """One reason why a text is no reference: what, at which offset, by which rule."""

    problem: str
    offset: int
    spec: str


@dataclass(frozen=True, slots=True)
class ResolvedReference:
    """What a reference refers to; `uri` is what a request for it would ask for."""

    reference: str
    same_document: bool
    uri: str


@dataclass(frozen=True, slots=True)
class NormalReference:
    """The normal form of a reference at a level."""

    uri: str
    level: str
    changed: bool


@dataclass(frozen=True, slots=True)
class FoundReference:
    """A reference in a text, with its offsets in characters."""

    uri: str
    start: int
    end: int
    wrapper: str
    alternatives: tuple[str, ...]
    heuristic: bool


def parse(text: str, *, profile: Profile = "rfc2396") -> ParsedReference:
    """Return the components of `text`. Raises ParseError at its first fault."""
    found = uri.parse(text, profile)
    return ParsedReference(
        text=text,
        profile=profile,
        scheme=found.scheme,
        opaque_part=found.opaque_part,
        authority=found.authority,
        userinfo=found.userinfo,
        host=found.host,
        port=found.port,
        port_text=found.port_text,
        reg_name=found.reg_name,
        path=found.path,
        query=found.query,
        fragment=found.fragment,
        segments=tuple(map(str, found.segments)),
        absolute=found.is_absolute,
        iri=uri.to_iri(text),
        warnings=tuple(Warned(*caution) for caution in uri.warnings(found)),
    )


def faults(text: str, *, profile: Profile = "rfc2396") -> tuple[Fault, ...]:
    """Return every reason why `text` does not parse; none where it does."""
    errors = uri.iter_errors(text, profile)
    return tuple(Fault(error.problem, error.offset, error.spec) for error in errors)


def resolve(
    reference: str,
    base: str,
    *,
    profile: Profile = "rfc2396",
    same_scheme: SameScheme = "strict",
    excess: Excess | None = None,
) -> ResolvedReference:
    """Return what `reference` refers to in a document at `base`. Raises ParseError."""
    prepared = uri.Base(base, profile=profile, same_scheme=same_scheme, excess=excess)
    resolved = prepared.resolve(reference)
    return ResolvedReference(
        reference=resolved.reference.text,
        same_document=resolved.same_document,
        uri=resolved.uri(prepared),
    )


def normalize(
    text: str, *, level: Level = "syntax", profile: Profile = "rfc2396"
) -> NormalReference:
    """Return the normal form of `text`. Raises ParseError."""
    normal = uri.normalize(text, level, profile=profile).text
    return NormalReference(uri=normal, level=level, changed=normal != text)


def find(
    text: str, *, abbreviated: bool = False, profile: Profile = "rfc2396"
) -> Iterator[FoundReference]:
    """Yield the references of `text` in order; `abbreviated` adds guesses for `www.` names."""
    for found in uri.find(text, abbreviated=abbreviated, profile=profile):
        yield FoundReference(*found)
