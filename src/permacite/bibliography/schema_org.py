"""Items of schema.org in JSON-LD and in microdata, and the claims that they make.

An item has types, and properties with all their values, which are texts or items. Of several items,
the page's own is the first one of a kind that is cited, articles before pages; items that describe
the site come last.

Readings (JSON-LD): no context is fetched, so terms are those of schema.org whatever the context
says. A node that is only an @id means the node of that @id, in any script. What is no JSON is left
out, as in browsers; a CDATA section or a comment around the JSON, which remains on pages that once
were XHTML, is removed.

Readings (microdata, HTML §5): `itemref` is not followed. An element that nobody closes ends with
the one around it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from permacite.bibliography.model import Claim, Place
from permacite.markup.names import VOID
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from permacite.markup import EndTag, StartTag

__all__ = ["Microdata", "SchemaItem", "Value", "claims", "json_ld_items"]


Value: TypeAlias = "str | SchemaItem"


@dataclass(slots=True)
class SchemaItem:
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

    def items(self, name: str) -> list[SchemaItem]:
        """The values of a property that are items."""
        return [value for value in self.properties.get(name, ()) if isinstance(value, SchemaItem)]

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
_DEEPEST_WHOLE = 4


def claims(items: Sequence[SchemaItem], vocabulary: str) -> Iterator[Claim]:
    """What the items of a page state of the page."""
    cited = [item for item in items if _rank(item) < len(_RANKS)]
    for item in sorted(cited, key=_rank)[:1]:
        yield from _of_work(item, vocabulary)
    for item in items:
        if "WebSite" in item.types and item.name:
            yield Claim(
                "site", " ".join(item.name.split()), Place(vocabulary, "WebSite.name", item.start)
            )


def _rank(item: SchemaItem) -> int:
    return min((_RANKS[name] for name in item.types if name in _RANKS), default=len(_RANKS))


def _of_work(item: SchemaItem, vocabulary: str) -> Iterator[Claim]:
    kind = next(name for name in _KINDS if name in item.types)
    yield Claim("kind", _KINDS[kind], Place(vocabulary, kind, item.start))
    yield from _of_part(item, kind, vocabulary, 0)
    for role, names in (("author", ("author", "creator")), ("editor", ("editor",))):
        for name in names:
            yield from _people(item, name, role, Place(vocabulary, f"{kind}.{name}", item.start))
    for name in ("publisher", "sourceOrganization"):
        for text in item.texts(name)[:1]:
            yield Claim("publisher", text, Place(vocabulary, f"{kind}.{name}", item.start))


def _of_part(item: SchemaItem, kind: str, vocabulary: str, depth: int) -> Iterator[Claim]:
    """The fields of a work; of what it is a part of too: an issue, its volume, the journal."""
    for field_, names in _FIELDS.items():
        if depth and field_ not in {"volume", "issue", "issn", "isbn"}:
            continue
        for name in names:
            for text in item.texts(name):
                yield Claim(field_, text, Place(vocabulary, f"{kind}.{name}", item.start))
    for whole in item.items("isPartOf") if depth < _DEEPEST_WHOLE else ():
        part = next((name for name in whole.types if name in _PARTS), None)
        if part is not None and whole.name:
            name = " ".join(whole.name.split())
            yield Claim(_PARTS[part], name, Place(vocabulary, f"{part}.name", whole.start))
        yield from _of_part(whole, part or "isPartOf", vocabulary, depth + 1)


def _people(item: SchemaItem, name: str, role: str, place: Place) -> Iterator[Claim]:
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


_LONGEST_SCRIPTS = 1 << 21
"""Characters of all scripts together."""
_DEEPEST_NODE = 8
_MOST_NODES = 2000
"""Nodes that are read of a page."""
_WRAPPING = compile_pattern(
    r"^\s*(?://|/\*)?\s*(?:<!\[CDATA\[|<!--)\s*(?:\*/)?|(?://|/\*)?\s*(?:\]\]>|-->)\s*(?:\*/)?\s*$"
)


def json_ld_items(scripts: Iterable[tuple[int, str]]) -> list[SchemaItem]:
    """The items at the top of scripts: each script with the offset where it begins."""
    reading = _JsonLdReader()
    left = _LONGEST_SCRIPTS
    roots: list[tuple[int, dict[str, object]]] = []
    for start, script in scripts:
        left -= len(script)
        if left < 0:
            break
        roots += [(start, node) for node in _nodes(script)]
    for start, node in roots:
        reading.know(node, start)
    return [item for start, node in roots if (item := reading.item(node, start, 0)) is not None]


def _nodes(script: str) -> Iterator[dict[str, object]]:
    """The nodes of a script: one, a list, or a graph."""
    try:
        top = json.loads(_WRAPPING.sub("", script), strict=False)
    except (ValueError, RecursionError):
        return
    for node in top if isinstance(top, list) else [top]:
        graph = node.get("@graph") if isinstance(node, dict) else None
        several = graph if isinstance(graph, list) else [node]
        yield from (each for each in several if isinstance(each, dict))


class _JsonLdReader:
    """Nodes of one page, by their @id."""

    def __init__(self) -> None:
        self._by_id: dict[str, tuple[dict[str, object], int]] = {}
        self._count = 0

    def know(self, node: dict[str, object], start: int) -> None:
        """Remember a node that has more than its @id."""
        name = node.get("@id")
        if isinstance(name, str) and len(node) > 1:
            self._by_id.setdefault(name, (node, start))

    def item(self, node: dict[str, object], start: int, depth: int) -> SchemaItem | None:
        """A node with what is below it; None where there is too much of it."""
        self._count += 1
        if depth > _DEEPEST_NODE or self._count > _MOST_NODES:
            return None
        if set(node) == {"@id"} and (known := self._by_id.get(str(node["@id"]))):
            node, start = known
        item = SchemaItem(_node_types(node), start)
        for name, value in node.items():
            if name == "@type" or (name.startswith("@") and name != "@id"):
                continue
            for each in value if isinstance(value, list) else [value]:
                self._add(item, name.rpartition("/")[2].removeprefix("schema:"), each, depth)
        return item

    def _add(self, item: SchemaItem, name: str, value: object, depth: int) -> None:
        if isinstance(value, dict):
            if "@value" in value:
                self._add(item, name, value["@value"], depth)
            elif (below := self.item(value, item.start, depth + 1)) is not None:
                item.properties.setdefault(name, []).append(below)
        elif isinstance(value, str | int) and not isinstance(value, bool):
            item.properties.setdefault(name, []).append(str(value))


def _node_types(node: dict[str, object]) -> tuple[str, ...]:
    typed = node.get("@type")
    several = typed if isinstance(typed, list) else [typed]
    return tuple(
        name.rpartition("/")[2].removeprefix("schema:") for name in several if isinstance(name, str)
    )


_ADDRESS_OF = {
    "a": "href",
    "area": "href",
    "link": "href",
    "img": "src",
    "audio": "src",
    "video": "src",
    "source": "src",
    "iframe": "src",
    "embed": "src",
    "object": "data",
    "data": "value",
    "meter": "value",
    "meta": "content",
}
_TYPE = "schema.org/"
_DEEPEST_ELEMENT = 200
_MOST_ITEMS = 2000
_LONGEST_VALUE = 2000
"""Characters of one value."""


class _OpenMicrodataElement(NamedTuple):
    """An element that is open: the item that it begins, and the properties that its text is for."""

    name: str
    item: SchemaItem | None
    properties: tuple[str, ...]
    owner: SchemaItem | None
    words: list[str]


class Microdata:
    """Reader of items from the tokens of a page, one by one."""

    def __init__(self) -> None:
        self.items: list[SchemaItem] = []
        """Those that belong to no other."""
        self._open: list[_OpenMicrodataElement] = []
        self._count = 0

    def start(self, tag: StartTag) -> None:
        """Take a start tag."""
        is_void = tag.name in VOID or tag.self_closing
        names = (tag.get("itemprop") or "").split()
        is_item = tag.get("itemscope") is not None and self._count < _MOST_ITEMS
        owner = self._owner()
        item = None
        if is_item:
            self._count += 1
            item = SchemaItem(_item_types(tag), tag.start)
            if owner is not None and names:
                _put(owner, names, item)
            elif not names:
                self.items.append(item)
            names = []
        elif names and owner is not None:
            value = _value(tag)
            if value is not None:
                _put(owner, names, value[:_LONGEST_VALUE])
                names = []
        if not is_void and len(self._open) < _DEEPEST_ELEMENT:
            self._open.append(
                _OpenMicrodataElement(tag.name, item, tuple(names) if owner else (), owner, [])
            )

    def text(self, data: str) -> None:
        """Take a text: it is part of each property that is open around it."""
        for element in self._open:
            if element.properties and len(element.words) < _LONGEST_VALUE:
                element.words.append(data[:_LONGEST_VALUE])

    def end(self, tag: EndTag) -> None:
        """Take an end tag, which ends what is open inside its element too."""
        if not any(element.name == tag.name for element in self._open):
            return
        while self._open:
            element = self._open.pop()
            if element.properties and element.owner is not None:
                _put(element.owner, element.properties, "".join(element.words)[:_LONGEST_VALUE])
            if element.name == tag.name:
                return

    @property
    def is_reading(self) -> bool:
        """Whether a text would be part of a property."""
        return any(element.properties for element in self._open)

    def _owner(self) -> SchemaItem | None:
        return next((each.item for each in reversed(self._open) if each.item is not None), None)


def _put(owner: SchemaItem, names: list[str] | tuple[str, ...], value: str | SchemaItem) -> None:
    for name in names:
        owner.properties.setdefault(name.rpartition("/")[2], []).append(value)


def _item_types(tag: StartTag) -> tuple[str, ...]:
    typed = (tag.get("itemtype") or "").split()
    return tuple(name.rpartition("/")[2] for name in typed if _TYPE in name)


def _value(tag: StartTag) -> str | None:
    """The value that an attribute holds; None where it is the element's text (HTML §5.2.4)."""
    if tag.get("content") is not None:
        return tag.get("content")
    if tag.name == "time":
        return tag.get("datetime")
    attribute = _ADDRESS_OF.get(tag.name)
    return None if attribute is None else tag.get(attribute) or ""
