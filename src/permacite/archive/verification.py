"""Recompute the digests of what is stored and compare them with the record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.log.agreement import entry_fault
from permacite.archive.model import Finding, Representation, Version
from permacite.archive.records import access, leaves, octets, versions
from permacite.errors import IntegrityError, NotFoundError, PermaciteError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive.log.log import Log
    from permacite.archive.sqlite import Catalog, WriteBehind
    from permacite.archive.texts import Texts
    from permacite.pdi import PDI

__all__ = ["compare_quotation", "fsck", "verify", "verify_all", "without_errors"]

_CATALOG = "catalog"
_PAGE = 200
_MAX_DIGITS = 18
_SLACK = 100
"""Characters beyond the words in which white space may run longer."""


def verify(catalog: Catalog, objects: WriteBehind, pdi: PDI | None) -> Iterator[Finding]:
    """Return one finding for each representation that `pdi` names (all where None), or more.

    A representation is "ok" only if its octets, those received and its sidecars all are.
    Raises NotFoundError where `pdi` names nothing here.
    """
    for version in _everything(catalog) if pdi is None else _named(catalog, pdi):
        if isinstance(version, Finding):
            yield version
            continue
        for representation in version.representations:
            name = str(representation.pdi)
            yield from without_errors(_check(catalog, objects, representation), name)
    for leaf in () if pdi is None else catalog.read(leaves.entries, pdi):
        problem = catalog.read(entry_fault, leaf)
        if problem:
            yield Finding(str(pdi), "log", problem)


def fsck(catalog: Catalog, objects: WriteBehind, texts: Texts) -> Iterator[Finding]:
    """Findings about the database and the indexes, and octets that nothing names."""
    yield from without_errors(Finding(_CATALOG, _CATALOG, one) for one in catalog.faults())
    yield from without_errors(_index_faults(catalog, texts))
    yield from without_errors(_orphans(catalog, objects))


def verify_all(catalog: Catalog, objects: WriteBehind, log: Log) -> Iterator[Finding]:
    """Check the octets of every format, and the log."""
    from permacite.archive.log.audit import audit  # noqa: PLC0415 - few ask for it

    yield from without_errors(verify(catalog, objects, None))
    yield from without_errors(audit(catalog, log), "log")


def without_errors(findings: Iterator[Finding], pdi: str = _CATALOG) -> Iterator[Finding]:
    """Return findings, and as the last one the error that ended them, if one did."""
    try:
        yield from findings
    except PermaciteError as error:
        yield Finding(pdi, _CATALOG, error.problem)


def _index_faults(catalog: Catalog, texts: Texts) -> Iterator[Finding]:
    """Findings about the indexes of large texts."""
    for version in _everything(catalog):
        for representation in () if isinstance(version, Finding) else version.representations:
            problem = texts.fault(representation)
            if problem:
                yield Finding(str(representation.pdi), "index", problem)


def _orphans(catalog: Catalog, objects: WriteBehind) -> Iterator[Finding]:
    """Return the octets that nothing names."""
    for digest in objects.digests():
        if not catalog.read(octets.is_named, digest):
            yield Finding(digest, "orphan", "octets that nothing names; a failed commit left them")


def _everything(catalog: Catalog) -> Iterator[Version | Finding]:
    """Return all versions, a page at a time, and what is wrong with those that cannot be read."""
    last = 0
    while places := catalog.read(versions.places, after=last, limit=_PAGE):
        try:
            page = catalog.read(versions.everything, after=last, limit=_PAGE)
        except StorageError:
            for place in places:
                yield _read(catalog, place)
        else:
            yield from (version for _, version in page)
        last = max(places)


def _read(catalog: Catalog, place: int) -> Version | Finding:
    """Return the version at a place, or what is wrong with it."""
    problem = "what it is a version of is missing"
    try:
        for found, version in catalog.read(versions.everything, after=place - 1, limit=1):
            if found == place:
                return version
    except StorageError as error:
        problem = error.problem
    return Finding(_CATALOG, _CATALOG, f"version {place} cannot be read: {problem}")


def _named(catalog: Catalog, pdi: PDI) -> Iterator[Version]:
    """Return the version that `pdi` names, or all of them where it names none."""
    first = catalog.read(versions.version, pdi)
    if pdi.version is not None:
        yield first
        return
    for number in catalog.read(versions.numbers, pdi):
        version = catalog.read(versions.find, pdi, number)
        if version is not None:
            yield version


def _check(
    catalog: Catalog, objects: WriteBehind, representation: Representation
) -> Iterator[Finding]:
    """Findings about one representation: faults, that all is well, or that it is erased."""
    if not representation.digest:
        for one in catalog.read(access.erasures, [representation.pdi]):
            if one.number in {None, representation.pdi.version}:
                detail = f"erased on {one.erased_at:%Y-%m-%d}"
                yield Finding(str(representation.pdi), "erased", detail)
                return
    parts = {"": representation.digest}
    if representation.received_digest is not None:
        parts["as received: "] = representation.received_digest
    for name, digest in catalog.read(versions.sidecars, representation).items():
        parts[f"side object {name}: "] = digest
    clean = True
    for label, digest in parts.items():
        kind, detail = _check_object(objects, digest)
        if kind != "ok":
            clean = False
            yield Finding(str(representation.pdi), kind, label + detail)
    if clean:
        yield Finding(str(representation.pdi), "ok")


def _check_object(objects: WriteBehind, digest: str) -> tuple[str, str]:
    """Return the kind of finding for one object, and its detail."""
    try:
        objects.check(digest)
    except NotFoundError:
        return "missing", digest
    except IntegrityError as error:
        return "altered", f"{error.actual}, recorded {error.expected}"
    except StorageError as error:
        return "unreadable", error.problem
    return "ok", ""


def compare_quotation(composite: str | None, origin: str, quoted: str, name: str) -> str:
    """Compare what stands at `origin` of a composite text with what is quoted there.

    Answers "exact", "space" (only white space differs), "reference" (the composite refers to
    `name`, whoever shows it puts the words in), "differs", or "unchecked" (no text).
    """
    if composite is None or not origin.isdecimal():
        return "unchecked"
    start = int(origin) if len(origin) <= _MAX_DIGITS else len(composite)
    if composite.startswith(quoted, start):
        return "exact"
    here = " ".join(composite[start : start + 2 * len(quoted) + _SLACK].split())
    words = " ".join(quoted.split())
    if words and here.startswith(words):
        return "space"
    return "reference" if name.removeprefix("urn:") in composite else "differs"
