"""CSL-JSON: what citation managers and CSL processors read (CSL 1.0.2, Citation Style Language)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from permacite.bibliography import Date, Person, Stated
    from permacite.service.citations.source import Source

__all__ = ["Item", "csl_json", "described"]

Item: TypeAlias = dict[str, object]
"""One item of CSL-JSON."""


def csl_json(source: Source) -> str:
    """One CSL-JSON item (an array of one, as citation managers import it)."""
    item: Item = {
        "id": source.key,
        **described(source),
        "URL": source.url,
        "archive": source.archive,
        "archive_location": source.reference,
        "note": source.told,
    }
    if source.uri:
        item["annote"] = f"Original: {source.uri}"
    return json.dumps([item], ensure_ascii=False, indent=2)


def described(source: Source) -> Item:
    """What is cited, without where it is kept."""
    about = source.about
    moment = source.retrieved_at
    item: Item = {
        "author": _names(about.authors),
        "editor": _names(about.editors),
        "issued": None if about.issued is None else {"date-parts": [_parts(about.issued.value)]},
        "accessed": {"date-parts": [[moment.year, moment.month, moment.day]]},
        "container-title": source.container,
        "publisher": _text(about.publisher),
        "language": _text(about.language),
        "volume": _text(about.volume),
        "issue": _text(about.issue),
        "page": _text(about.pages),
        "locator": source.page,
        "DOI": _text(about.doi),
        "ISBN": _text(about.isbn),
        "ISSN": _text(about.issn),
    }
    stated = {name: value for name, value in item.items() if value}
    return {"type": about.type, "title": source.title, **stated}


def _text(stated: Stated[str] | None) -> str | None:
    return None if stated is None else stated.value


def _names(people: Iterable[Stated[Person]]) -> list[dict[str, str]]:
    return [
        {"family": person.value.family, "given": person.value.given}
        if person.value.given
        else {"literal": person.value.family}
        for person in people
    ]


def _parts(date: Date) -> list[int]:
    return [part for part in date if part is not None]
