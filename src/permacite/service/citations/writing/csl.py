"""CSL-JSON and COinS: what citation managers read in files, and in pages.

| specification | what of it |
|---|---|
| CSL 1.0.2, Citation Style Language | items of CSL-JSON |
| Z39.88-2004, key/encoded-value | ctx_ver, rft_val_fmt, rft_id and the keys of each format |
| COinS 1.0 | class Z3988; the pairs stand in `title`, set apart by `&` |

Readings: of the formats, `journal`, `book` and `dissertation` are used for what they are of, and
`dc` for all else, as Zotero does; the type of CSL stands in `rft.type` there. A space is %20: some
readers take no `+`.
Deviations: an author who is not divided is `rft.aucorp` in `dc` too, where the format has no such
key. As `rft.creator` the last word of an institution would be taken for its family name.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from permacite.bibliography import Date, Person, Stated
    from permacite.service.citations.source import Source

__all__ = ["Item", "coins", "csl_json", "described"]

Item: TypeAlias = dict[str, object]
"""One item of CSL-JSON."""

_FORMATS = {
    # type of CSL: format, genre, key of the title, key of what it is in
    "article-journal": ("journal", "article", "atitle", "jtitle"),
    "article-magazine": ("journal", "article", "atitle", "jtitle"),
    "article-newspaper": ("dc", "", "title", "source"),
    "paper-conference": ("book", "proceeding", "atitle", "btitle"),
    "chapter": ("book", "bookitem", "atitle", "btitle"),
    "book": ("book", "book", "btitle", "series"),
    "report": ("book", "report", "btitle", "series"),
    "thesis": ("dissertation", "", "title", ""),
}
_OTHER = ("dc", "", "title", "source")
_TYPES = {"article-newspaper": "newspaperArticle", "post-weblog": "blogPost", "dataset": "dataset"}
"""What Zotero calls them."""


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
        {part: name for part, name in person.value._asdict().items() if name}
        if person.value.given
        else {"literal": person.value.family}
        for person in people
    ]


def _parts(date: Date) -> list[int]:
    return [part for part in date if part is not None]


def coins(source: Source) -> str:
    """The pairs of a reference, as they stand in the attribute before it is escaped."""
    pairs = [
        ("ctx_ver", "Z39.88-2004"),
        ("rfr_id", "info:sid/permacite"),
        *((key, value) for key, value in _pairs(source) if value),
    ]
    return "&".join(f"{key}={quote(' '.join(value.split()), safe='')}" for key, value in pairs)


def _pairs(source: Source) -> Iterator[tuple[str, str]]:
    about = source.about
    form, genre, title, container = _FORMATS.get(about.type, _OTHER)
    yield "rft_val_fmt", f"info:ofi/fmt:kev:mtx:{form}"
    yield "rft.genre", genre
    if form == "dc":
        yield "rft.type", _TYPES.get(about.type, "webpage")
    yield f"rft.{title}", source.title
    if container:
        yield f"rft.{container}", source.container or ""
    author = "creator" if form == "dc" else "au"
    for person in about.authors:
        kind = author if person.value.given else "aucorp"
        yield f"rft.{kind}", person.value.inverted
    yield "rft.date", "" if about.issued is None else str(about.issued.value)
    publisher = {"book": "pub", "dissertation": "inst", "dc": "publisher"}.get(form)
    if publisher is not None and about.publisher is not None:
        yield f"rft.{publisher}", about.publisher.value
    if form == "dc" and about.language is not None:
        yield "rft.language", about.language.value
    for key in ("volume", "issue", "pages", "issn", "isbn"):
        stated = getattr(about, key)
        if stated is not None and form != "dc":
            yield f"rft.{key}", stated.value
    if about.doi is not None:
        yield "rft_id", f"info:doi/{about.doi.value}"
    yield "rft_id", source.url
