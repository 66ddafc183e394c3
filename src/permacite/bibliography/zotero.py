"""Reader of a Zotero library exported as RDF: items, files, notes, tags and collections.

| RDF | value |
|---|---|
| `bib:Article`, `bib:Book`, ... (`z:itemType`) | `ZoteroItem`: claims for each field |
| `z:Attachment` (`z:path` or `rdf:resource`) | `AttachedFile`: its path, address, day of access |
| `bib:Memo` (`dcterms:isReferencedBy`), `z:itemType` note | a note, as HTML |
| `z:Collection` (`dcterms:hasPart`) | the names of the collections that an item is in |
| `dc:subject`, `z:AutomaticTag` | tags |

Source: the translator "Zotero RDF", which writes these files; nothing else describes them.

Readings: RDF/XML of any other shape than the translator's is read as far as it has this shape.
Prefixes are identified by their namespaces. No entity that a file declares is expanded.
"""

from __future__ import annotations

from collections import ChainMap
from dataclasses import field
from typing import TYPE_CHECKING

from permacite.bibliography.model import ZOTERO, Claim, Place
from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.markup.tokenizer import tokenize
from permacite.markup.tokens import EndTag, StartTag, Text

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["TYPES", "Annotation", "AttachedFile", "ZoteroItem", "items_of"]

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_PREFIXES = {
    _RDF: "rdf",
    "http://purl.org/net/biblio#": "bib",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://prismstandard.org/namespaces/1.2/basic/": "prism",
    "http://xmlns.com/foaf/0.1/": "foaf",
    "http://purl.org/rss/1.0/modules/link/": "link",
    "http://www.zotero.org/namespaces/export#": "z",
}
TYPES = {
    "journalArticle": "article-journal",
    "magazineArticle": "article-magazine",
    "newspaperArticle": "article-newspaper",
    "preprint": "article",
    "book": "book",
    "bookSection": "chapter",
    "conferencePaper": "paper-conference",
    "thesis": "thesis",
    "report": "report",
    "document": "document",
    "manuscript": "manuscript",
    "dataset": "dataset",
    "blogPost": "post-weblog",
    "webpage": "webpage",
}
"""Types of items, and those of CSL 1.0.2."""
_PLAIN = {"dc:title": "title", "dc:date": "issued", "z:language": "language", "bib:pages": "pages"}
_OF_CONTAINER = {"dc:title": "container", "prism:volume": "volume", "prism:number": "issue"}
_DEEPEST = 40
_ROLES = {"bib:authors": "author", "bib:editors": "editor"}


@dataclass(slots=True)
class _Node:
    """An element: its children by name, and its text."""

    name: str
    about: str = ""
    resource: str = ""
    children: list[_Node] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its characters, without those of elements in it."""
        return "".join(self.words).strip()

    def all(self, name: str) -> Iterator[_Node]:
        """Its children of a name."""
        return (child for child in self.children if child.name == name)

    def first(self, name: str) -> str:
        """The text of the first child of a name; "" where there is none."""
        return next((child.text for child in self.all(name)), "")


@dataclass(frozen=True, slots=True)
class Annotation:
    """What was marked in a file."""

    selector: str
    """As an interface of Zotero tells it, in JSON."""
    text: str
    """The words that are marked; "" for an area or a note."""
    comment: str


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """An attachment that is in a file."""

    path: str
    """As the export has it, `/` between folders."""
    title: str
    uri: str
    accessed: str
    """When it was saved, as "2020-02-03 04:05:06" in UTC."""
    media_type: str
    annotations: tuple[Annotation, ...] = ()
    """An export has none."""


@dataclass(frozen=True, slots=True)
class ZoteroItem:
    """An item with its files; an attachment that stands by itself is one without claims."""

    about: str
    type: str
    claims: tuple[Claim, ...]
    files: tuple[AttachedFile, ...]
    notes: tuple[str, ...]
    tags: tuple[str, ...]
    collections: tuple[str, ...]


def items_of(source: str) -> list[ZoteroItem]:
    """The items of a library. Raises ParseError for what is no export of Zotero."""
    root = _tree(source)
    if root is None or root.name != "rdf:RDF":
        raise ParseError("expected RDF/XML as Zotero exports it", source[:80], 0, "Zotero RDF")
    known = {node.about: node for node in root.children if node.about}
    inside = _collections(root)
    parts = {link.resource for node in root.children for link in node.all("link:link")}
    notes = {link.resource for node in root.children for link in node.all("dcterms:isReferencedBy")}
    items = []
    for node in root.children:
        is_part = node.about in parts or node.about in notes
        if is_part or node.name == "z:Collection" or not node.first("z:itemType"):
            continue
        items.append(_item(node, known, inside.get(node.about, ())))
    return items


def _item(node: _Node, known: dict[str, _Node], collections: tuple[str, ...]) -> ZoteroItem:
    linked = [known[each.resource] for each in node.all("link:link") if each.resource in known]
    kind = node.first("z:itemType")
    if kind == "attachment":
        linked = [node]
    own = [known.get(each.resource, each) for each in node.all("dcterms:isReferencedBy")]
    memos = [inner for each in own for inner in (each, *each.children)]
    tags = [
        each.text or "".join(c.first("rdf:value") for c in each.children)
        for each in node.all("dc:subject")
    ]
    return ZoteroItem(
        node.about,
        kind,
        () if kind == "attachment" else tuple(_claims(node, kind, known)),
        tuple(found for each in linked if (found := _file(each)) is not None),
        tuple(dict.fromkeys(text for each in memos if (text := each.first("rdf:value")))),
        tuple(dict.fromkeys(tag for tag in tags if tag)),
        collections,
    )


def _file(node: _Node) -> AttachedFile | None:
    """The file of an attachment; None for a link to the web alone."""
    paths = [
        each.resource or each.text for name in ("z:path", "rdf:resource") for each in node.all(name)
    ]
    if not paths or not paths[0]:
        return None
    return AttachedFile(
        paths[0],
        node.first("dc:title"),
        next(_identifiers(node, "dcterms:URI"), ""),
        node.first("dcterms:dateSubmitted"),
        node.first("link:type"),
    )


def _identifiers(node: _Node, kind: str) -> Iterator[str]:
    for each in node.all("dc:identifier"):
        for term in each.all(kind):
            yield term.first("rdf:value")


def _claims(node: _Node, kind: str, known: dict[str, _Node]) -> Iterator[Claim]:
    """What an item states, each under the name that Zotero gives it."""
    if kind in TYPES:
        yield Claim("kind", TYPES[kind], Place(ZOTERO, "itemType"))
    for name, of in _PLAIN.items():
        if node.first(name):
            yield Claim(of, node.first(name), Place(ZOTERO, name))
    yield from _names(node)
    yield from _numbers(node)
    for container in _containers(node, known):
        for name, of in _OF_CONTAINER.items():
            if container.first(name):
                place = Place(ZOTERO, f"dcterms:isPartOf {name}")
                yield Claim(of, container.first(name), place)
        yield from _numbers(container)


def _containers(node: _Node, known: dict[str, _Node]) -> Iterator[_Node]:
    """The container of an item: within the item, or beside all items if it has an ISSN or an ISBN.

    A series of books is no container of a book.
    """
    for part in node.all("dcterms:isPartOf"):
        beside = known.get(part.resource)
        for container in part.children if beside is None else [beside]:
            if container.name != "bib:Series":
                yield container


def _names(node: _Node) -> Iterator[Claim]:
    """Who wrote, edited and published it."""
    for name, of in _ROLES.items():
        for person in _people(node, name):
            family = person.first("foaf:surname")
            if family:
                yield Claim(of, family, Place(ZOTERO, name), person.first("foaf:givenName"))
    for publisher in node.all("dc:publisher"):
        for each in publisher.children:
            if each.first("foaf:name"):
                yield Claim("publisher", each.first("foaf:name"), Place(ZOTERO, "dc:publisher"))


def _people(node: _Node, name: str) -> Iterator[_Node]:
    for role in node.all(name):
        for sequence in role.all("rdf:Seq"):
            for entry in sequence.all("rdf:li"):
                yield from entry.all("foaf:Person")


def _numbers(node: _Node) -> Iterator[Claim]:
    """DOI, ISBN and ISSN, each written after its name."""
    for each in node.all("dc:identifier"):
        name, _, value = each.text.partition(" ")
        if name in {"DOI", "ISBN", "ISSN"} and value:
            yield Claim(name.lower(), value.strip(), Place(ZOTERO, f"dc:identifier {name}"))


def _collections(root: _Node) -> dict[str, tuple[str, ...]]:
    """The names of the collections that things are in."""
    inside: dict[str, tuple[str, ...]] = {}
    for collection in root.all("z:Collection"):
        for part in collection.all("dcterms:hasPart"):
            names = inside.get(part.resource, ())
            inside[part.resource] = (*names, collection.first("dc:title"))
    return inside


def _tree(source: str) -> _Node | None:
    """The elements of a document down to a depth; what is deeper is left out."""
    tree = _RdfTree()
    for token in tokenize(source, xml=True):
        if isinstance(token, StartTag):
            tree.start(token)
        elif isinstance(token, EndTag):
            tree.end(token.name)
        elif isinstance(token, Text):
            tree.text(token.data)
    return tree.root


class _RdfTree:
    """Elements as their tags come."""

    def __init__(self) -> None:
        self.root: _Node | None = None
        self._open: list[tuple[_Node, ChainMap[str, str], str]] = []
        self._below = 0
        """How many elements are open that are too deep."""

    def start(self, tag: StartTag) -> None:
        """Begin an element."""
        if self._below or len(self._open) > _DEEPEST:
            self._below += not tag.self_closing
            return
        spaces: ChainMap[str, str] = self._open[-1][1] if self._open else ChainMap()
        declared = _declared(tag)
        if declared:
            spaces = spaces.new_child(declared)
        node = _node(tag, spaces)
        if self._open:
            self._open[-1][0].children.append(node)
        elif self.root is None:
            self.root = node
        if not tag.self_closing:
            self._open.append((node, spaces, tag.name))

    def end(self, name: str) -> None:
        """End an element; a tag that ends none is passed over."""
        if self._below:
            self._below -= 1
        elif self._open and self._open[-1][2] == name:
            self._open.pop()

    def text(self, data: str) -> None:
        """Take characters."""
        if self._open and not self._below:
            self._open[-1][0].words.append(data)


def _declared(tag: StartTag) -> dict[str, str]:
    """The prefixes that a tag declares, and what we call their namespaces."""
    return {
        each.name.removeprefix("xmlns:"): _PREFIXES.get(each.value, "")
        for each in tag.attributes
        if each.name.startswith("xmlns:")
    }


def _node(tag: StartTag, spaces: ChainMap[str, str]) -> _Node:
    said = {_named(each.name, spaces): each.value for each in tag.attributes}
    about = said.get("rdf:about") or ("#" + said["rdf:ID"] if "rdf:ID" in said else "")
    return _Node(_named(tag.name, spaces), about, said.get("rdf:resource", ""))


def _named(name: str, spaces: ChainMap[str, str]) -> str:
    """A name with our prefix for its namespace."""
    prefix, colon, local = name.partition(":")
    return f"{spaces.get(prefix, '')}:{local}" if colon else name
