"""Names of an archive: which may be minted, and the forms in which they are kept and searched."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from permacite import pdi as grammar
from permacite.archive.model.answered import Selection
from permacite.errors import ConflictError, ParseError
from permacite.pdi import PDI, CitationPDI, FragmentPDI, PDIPattern

if TYPE_CHECKING:
    from permacite.archive.model.answered import Version

__all__ = [
    "as_urn",
    "check_same",
    "checked_format",
    "checked_series",
    "checked_unique_id",
    "cited_document",
    "full_name",
    "selection",
]

_ANY = "*"
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


def cited_document(cited: str) -> str:
    """The document of what is cited, as it is looked up. Raises ParseError."""
    part = grammar.parse(cited)
    if isinstance(part, PDIPattern):
        raise ParseError("expected one name", cited, 0, "PDI §3.5")
    return as_urn((part if isinstance(part, PDI) else part.pdi).document)


def full_name(version: Version) -> str:
    """A name of a version, in any format: of one that lost its formats, in one it may have.

    What was committed stays in its place, be it erased.
    """
    token = next(iter(version.formats), "text")
    return str(version.pdi.document.with_(format=token, version=version.number))


def selection(pattern: PDI | PDIPattern | None, *, latest: bool) -> Selection:
    """The selection of a pattern; fields left off, and wildcards, leave theirs open."""
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


def check_same(replaces: PDI, series: str | None, unique_id: str | None) -> None:
    """Raise ConflictError where the next version of a document would get another name."""
    own = ".".join(replaces.series)
    if series is not None and checked_series(series) != own:
        raise ConflictError(f"{replaces.document} is of the series {own}, not {series}", series)
    if unique_id is not None:
        raise ConflictError(f"{replaces.document} has its unique id already", unique_id)
