"""A record of RIS: a tag and a value on each line, ended by ER (RIS Format Specifications)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.bibliography import Date
    from permacite.service.citations.source import Source

__all__ = ["ris"]

_TYPES = {
    "article-journal": "JOUR",
    "article-newspaper": "NEWS",
    "article-magazine": "MGZN",
    "paper-conference": "CPAPER",
    "chapter": "CHAP",
    "book": "BOOK",
    "thesis": "THES",
    "report": "RPRT",
    "dataset": "DATA",
    "software": "COMP",
    "post-weblog": "BLOG",
    "motion_picture": "VIDEO",
    "legislation": "STAT",
}
_TYPE = "ELEC"


def ris(source: Source) -> str:
    """The record of a citation."""
    body = "\n".join(f"{tag}  - {' '.join(value.split())}" for tag, value in _lines(source))
    return f"{body}\nER  - "


def _lines(source: Source) -> Iterator[tuple[str, str]]:
    about = source.about
    yield "TY", _TYPES.get(about.type, _TYPE)
    yield "TI", source.title
    for person in about.authors:
        yield "AU", person.value.inverted
    for person in about.editors:
        yield "ED", person.value.inverted
    if about.issued is not None:
        yield "PY", f"{about.issued.value.year:04}"
        yield "DA", _date(about.issued.value)
    if source.container:
        yield "T2", source.container
    pages = source.page or ("" if about.pages is None else about.pages.value)
    first, _, last = pages.partition("-")
    for tag, value in [
        ("PB", about.publisher and about.publisher.value),
        ("VL", about.volume and about.volume.value),
        ("IS", about.issue and about.issue.value),
        ("SP", first),
        ("EP", last),
        ("DO", about.doi and about.doi.value),
        ("SN", (about.isbn and about.isbn.value) or (about.issn and about.issn.value)),
        ("LA", about.language and about.language.value),
    ]:
        if value:
            yield tag, value
    yield "UR", source.url
    yield "Y2", source.retrieved_at.strftime("%Y/%m/%d")
    yield "DB", source.archive
    yield "M1", source.reference
    yield "N1", f"{source.told} ({source.at})" if source.printed else source.told
    if source.uri:
        yield "L2", source.uri


def _date(date: Date) -> str:
    """YYYY/MM/DD/other info, where each part but the year may be empty."""
    month = "" if date.month is None else f"{date.month:02}"
    day = "" if date.day is None else f"{date.day:02}"
    return f"{date.year:04}/{month}/{day}/"
