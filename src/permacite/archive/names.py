"""Which names may be minted here, and which representation answers to a name."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from permacite import pdi as grammar
from permacite.archive.catalog import Catalog, Selection
from permacite.errors import NotFoundError, ParseError
from permacite.pdi import PDI, CitationPDI, FragmentPDI, PDIPattern

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from permacite.archive.model import Representation, Version

__all__ = [
    "answering",
    "as_urn",
    "checked_format",
    "checked_series",
    "checked_unique_id",
    "given_out",
    "nearest",
    "representation",
    "selection",
    "version",
]

_CANDIDATES = 5
_ANY = "*"
_WANTED: dict[str | None, tuple[str, ...]] = {
    None: ("text/html", "application/xhtml+xml", "text/plain"),
    "text": ("text/plain",),
}
_DAY = "/2000/01/01/"
"""Any day does where a name is only checked."""


@lru_cache(maxsize=256)
def checked_series(series: str) -> str:
    """Return a document series in canonical form. Raises ParseError, placed in `series`."""
    return _checked(series, "urn:pdi://", f"{_DAY}1.text.1")[0]


def checked_unique_id(unique_id: str) -> str:
    """Return a unique id in canonical form. Raises ParseError, placed in `unique_id`."""
    return _checked(unique_id, f"urn:pdi://a.zz{_DAY}", ".text.1")[1]


@lru_cache(maxsize=256)
def checked_format(token: str) -> str:
    """Return a format token in canonical form. Raises ParseError, placed in `token`."""
    return _checked(token, f"urn:pdi://a.zz{_DAY}1.", ".1")[2]


def _checked(part: str, before: str, after: str) -> tuple[str, str, str]:
    """Return series, unique id and format of a name that holds `part`, in canonical form."""
    text = before + part + after
    try:
        name = _one_name(text, len(before))
        grammar.check_mintable(name, user_assigned=True)
    except ParseError as error:
        offset = min(max(error.offset - len(before), 0), len(part))
        raise ParseError(error.problem, part, offset, error.spec, hint=error.hint) from error
    series, *_, last = name.canonical().partition("//")[2].split("/")
    unique_id, token, _ = last.split(".")
    return series, unique_id, token


def _one_name(text: str, offset: int) -> PDI:
    """Return the one document that `text` names. Raises ParseError at `offset` for others."""
    name = grammar.parse(text)
    if not isinstance(name, PDI):
        raise ParseError("expected one name", text, offset, "PDI §3.6.1")
    return name


def as_urn(name: PDI | FragmentPDI | CitationPDI | PDIPattern) -> str:
    """Return the canonical URN form, in which names are kept (PDI §3.8: both mean the same)."""
    return f"urn:{name.canonical().removeprefix('urn:')}"


def version(catalog: Catalog, pdi: PDI) -> Version:
    """Return the version that `pdi` names, the highest where it names none.

    Raises NotFoundError, whose candidates are the versions, formats or names that exist.
    """
    found = catalog.version(pdi, pdi.version)
    if found is not None:
        return found
    document = pdi.document
    numbers = catalog.numbers(pdi)
    if not numbers:
        near = tuple(_meant(catalog, pdi, one) for one in catalog.neighbours(pdi, _CANDIDATES))
        raise NotFoundError(f"no document {document} here", str(pdi), candidates=near)
    latest = [catalog.version(pdi, number) for number in reversed(numbers[-_CANDIDATES:])]
    raise NotFoundError(
        f"{document} has no version {pdi.version}",
        str(pdi),
        candidates=tuple(_instead(pdi.format, one) for one in latest if one is not None),
    )


def _instead(token: str | None, found: Version) -> str:
    """Return the name of a version in the format nearest to a token, in any where none is."""
    formats = [(one.format, one.media_type) for one in found.representations]
    return str(found.representations[nearest(token, formats) or 0].pdi)


def _meant(catalog: Catalog, pdi: PDI, near: str) -> str:
    """Return the document of that name in the series `near`, if it is there; else `near`."""
    if not near.endswith("/"):
        return near
    name = grammar.parse(f"{near}{pdi.year}/{pdi.month}/{pdi.day}/{pdi.unique_id}")
    found = catalog.version(name) if isinstance(name, PDI) else None
    return near if found is None else str(found.pdi.document)


def representation(catalog: Catalog, pdi: PDI) -> Representation:
    """Return what answers to `pdi`: exact, or the highest version and the nearest format.

    `text` is answered by text/plain under the name of its charset (PDI §3.4.1); without a format,
    as `nearest` says. Raises NotFoundError.
    """
    (chosen,) = catalog.find_representations([pdi])
    return answering(catalog, pdi)[1] if chosen is None else chosen


def answering(catalog: Catalog, pdi: PDI) -> tuple[Version, Representation]:
    """Return what answers to `pdi`, likewise, and the version it is of. Raises NotFoundError."""
    found = version(catalog, pdi)
    formats = [(one.format, one.media_type) for one in found.representations]
    chosen = nearest(pdi.format, formats)
    if chosen is not None:
        return found, found.representations[chosen]
    raise NotFoundError(
        f"{found.pdi.document} has no format {pdi.format} in version {found.number}",
        str(pdi),
        candidates=tuple(str(one.pdi) for one in found.representations),
    )


def given_out(
    version: Version, token: str | None, withheld: Container[PDI]
) -> Representation | None:
    """Return what answers to a token of what is not withheld, of all if all is; None if nothing."""
    formats = version.representations
    given = [one for one in formats if one.pdi not in withheld] or formats
    place = nearest(token, [(one.format, one.media_type) for one in given])
    return None if place is None else given[place]


def nearest(token: str | None, formats: Sequence[tuple[Any, ...]]) -> int | None:
    """Return which of `formats`, tuples of token and media type and more, answers to a token.

    None where none does. Without a token the page answers, HTML or XHTML, then plain text, then
    the first. This is the one place that decides it.
    """
    if token is not None:
        token = token.lower()
        for place, one in enumerate(formats):
            if one[0] == token:
                return place
    for media_type in _WANTED.get(token, ()):
        for place, one in enumerate(formats):
            if one[1] == media_type:
                return place
    return 0 if token is None and formats else None


def selection(pattern: PDI | PDIPattern | None, *, latest: bool) -> Selection:
    """Return what a pattern selects; fields left off, and wildcards, leave theirs open."""
    if pattern is None:
        return Selection(latest=latest)
    _, _, path = pattern.canonical().partition("//")
    series, year, month, day, last = path.split("/")
    unique_id = last.partition(".")[0]
    number = None if pattern.version == _ANY else pattern.version
    assert not isinstance(number, str)  # noqa: S101 - a number or the wildcard
    return Selection(
        series,
        _given(year),
        _given(month),
        _given(day),
        _given(unique_id),
        _given(pattern.format),
        number,
        latest,
    )


def _given(field: str | None) -> str | None:
    """Return a field of a pattern, None for a wildcard."""
    return None if field == _ANY else field
