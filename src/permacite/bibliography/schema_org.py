"""What the items of schema.org state, be they written as JSON-LD or as microdata.

An item is what is described: its types, and its properties with all their values, which are texts
or items again. Which of several items is the page's own: the first one of the kinds that are cited,
articles before pages; what says of the site comes last.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from permacite.bibliography.model import Claim, Place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Item", "Value", "claims"]

Value: TypeAlias = "str | Item"


@dataclass(slots=True)
class Item:
    """Something that is described, with types of schema.org, and its properties."""

    types: tuple[str, ...]
    start: int
    """Where it is described, in the source."""
    properties: dict[str, list[Value]] = field(default_factory=dict)

    def texts(self, *names: str) -> list[str]:
        """The values of properties that are texts, or that have a name; white space collapsed."""
        values = (value for name in names for value in self.properties.get(name, ()))
        texts = (value if isinstance(value, str) else value.name for value in values)
        return [text for text in (" ".join(text.split()) for text in texts) if text]

    def items(self, name: str) -> list[Item]:
        """The values of a property that are items."""
        return [value for value in self.properties.get(name, ()) if isinstance(value, Item)]

    @property
    def name(self) -> str:
        """What it is called."""
        return next((v for v in self.properties.get("name", ()) if isinstance(v, str)), "")


_KINDS = {
    "ScholarlyArticle": "article-journal",
    "MedicalScholarlyArticle": "article-journal",
    "Chapter": "chapter",
    "Book": "book",
    "Thesis": "thesis",
    "Report": "report",
    "Legislation": "legislation",
    "NewsArticle": "article-newspaper",
    "ReportageNewsArticle": "article-newspaper",
    "AnalysisNewsArticle": "article-newspaper",
    "OpinionNewsArticle": "article-newspaper",
    "BackgroundNewsArticle": "article-newspaper",
    "ReviewNewsArticle": "article-newspaper",
    "LiveBlogPosting": "post-weblog",
    "BlogPosting": "post-weblog",
    "TechArticle": "webpage",
    "Article": "webpage",
    "Review": "review",
    "VideoObject": "motion_picture",
    "PodcastEpisode": "broadcast",
    "DiscussionForumPosting": "post",
    "SocialMediaPosting": "post",
    "QAPage": "webpage",
    "Dataset": "dataset",
    "SoftwareSourceCode": "software",
    "SoftwareApplication": "software",
    "CreativeWork": "webpage",
    "WebPage": "webpage",
    "ItemPage": "webpage",
    "AboutPage": "webpage",
}
"""The types that are cited, those first that say most, and what CSL calls each."""
_RANKS = {name: rank for rank, name in enumerate(_KINDS)}
_PARTS = {
    "Periodical": "container",
    "Newspaper": "container",
    "Magazine": "container",
    "Book": "container",
    "WebSite": "site",
    "Blog": "site",
}
_FIELDS = {
    "title": ("name", "headline"),
    "issued": ("datePublished",),
    "created": ("dateCreated",),
    "language": ("inLanguage",),
    "isbn": ("isbn",),
    "issn": ("issn",),
    "identifier": ("identifier", "sameAs", "@id", "url"),
    "doi": ("doi",),
    "volume": ("volumeNumber",),
    "issue": ("issueNumber",),
    "first page": ("pageStart",),
    "last page": ("pageEnd",),
    "pages": ("pagination",),
}
_DEEPEST = 4


def claims(items: Sequence[Item], vocabulary: str) -> Iterator[Claim]:
    """What the items of a page state of the page."""
    cited = [item for item in items if _rank(item) < len(_RANKS)]
    for item in sorted(cited, key=_rank)[:1]:
        yield from _of_work(item, vocabulary)
    for item in items:
        if "WebSite" in item.types and item.name:
            yield Claim(
                "site", " ".join(item.name.split()), Place(vocabulary, "WebSite.name", item.start)
            )


def _rank(item: Item) -> int:
    return min((_RANKS[name] for name in item.types if name in _RANKS), default=len(_RANKS))


def _of_work(item: Item, vocabulary: str) -> Iterator[Claim]:
    kind = next(name for name in _KINDS if name in item.types)
    yield Claim("kind", _KINDS[kind], Place(vocabulary, kind, item.start))
    yield from _of_part(item, kind, vocabulary, 0)
    for role, names in (("author", ("author", "creator")), ("editor", ("editor",))):
        for name in names:
            yield from _people(item, name, role, Place(vocabulary, f"{kind}.{name}", item.start))
    for name in ("publisher", "sourceOrganization"):
        for text in item.texts(name)[:1]:
            yield Claim("publisher", text, Place(vocabulary, f"{kind}.{name}", item.start))


def _of_part(item: Item, kind: str, vocabulary: str, depth: int) -> Iterator[Claim]:
    """The fields of a work; of what it is a part of too: an issue, its volume, the journal."""
    for field_, names in _FIELDS.items():
        if depth and field_ not in {"volume", "issue", "issn", "isbn"}:
            continue
        for name in names:
            for text in item.texts(name):
                yield Claim(field_, text, Place(vocabulary, f"{kind}.{name}", item.start))
    for whole in item.items("isPartOf") if depth < _DEEPEST else ():
        part = next((name for name in whole.types if name in _PARTS), None)
        if part is not None and whole.name:
            name = " ".join(whole.name.split())
            yield Claim(_PARTS[part], name, Place(vocabulary, f"{part}.name", whole.start))
        yield from _of_part(whole, part or "isPartOf", vocabulary, depth + 1)


def _people(item: Item, name: str, role: str, place: Place) -> Iterator[Claim]:
    for value in item.properties.get(name, ()):
        if isinstance(value, str):
            if "://" not in value and value.strip():
                yield Claim(role, " ".join(value.split()), place)
            continue
        family = " ".join(value.texts("familyName")[:1])
        if family:
            yield Claim(role, family, place, given=" ".join(value.texts("givenName")[:1]))
            continue
        for text in value.texts("name"):
            is_whole = any(each.endswith("Organization") for each in value.types)
            yield Claim(role, text, place, given="" if is_whole else None)
