"""Rendition of XML documents, with their own pages and numbers: TEI, JATS, DocBook, SVG, others.

docs/explanation/the-words-of-xml.md explains these rules, which are frozen: `xml-text/1`.

1.  The text is made of the characters between tags, in the order of the document, references
    decoded. No value of an attribute is text, nor is a comment, a processing instruction or a
    declaration. Elements are known by their local names; nothing is fetched.
2.  Left out with their content: `script style metadata annotation annotation-xml`, and `pagenum`,
    which names a page.
3.  References to entities that the document declares stay as they are written, with a notice:
    nothing is expanded.
4.  White space is TAB, LF, CR and SPACE. A run of it becomes one space, and nothing at the
    beginning and the end of a line; where `xml:space` is `preserve`, and in the elements of
    VERBATIM, it stays as it is, line ends as CRLF. U+0000 is dropped.
5.  An element of BLOCKS is on lines of its own, one of INLINE in the line it is in. Any other is in
    the line where the element around it does, or has characters of its own beside its elements;
    else on lines of its own. There are no empty lines, but in what stays as it is.
6.  `lb br break` end a line; `lb` with `break="no"` does not, and takes the white space around it
    away. The cells (CELLS) of a row (ROWS) are separated by one tab each.
7.  A note (NOTES) in the middle of a line is on lines of its own after that line.
8.  Line ends are CRLF. A text that is not empty ends with one.
9.  Labels: `pb cb lb milestone` with `n`, and `pagenum`, name what follows up to the next of their
    kind (page, column, line, or the `unit`). Any other element with `n`, or one of LABELLED with a
    child `label`, is labelled by that; a section or a chapter without either by its `head` or
    `title`. A label without any text is dropped. The target is `elt`, the number
    of its start tag.

Metadata comes from the header of TEI or the front of JATS, else from a title.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from permacite.bibliography import Claim, Place
from permacite.errors import ParseError
from permacite.markup import EndTag, StartTag, Text, tokenize
from permacite.markup.tokens import Doctype
from permacite.renditions.lines import Lines
from permacite.renditions.model import Notice, Rendered, Rendition

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from permacite.markup import Token
    from permacite.renditions.model import Original

__all__ = ["XML_TEXT_1", "XmlStatements"]


_MOST = 500
_LONGEST = 2000

_TEI, _JATS = "TEI header", "JATS"
_FIELDS = {
    ("titleStmt", "title"): (_TEI, "title"),
    ("titleStmt", "author"): (_TEI, "author"),
    ("titleStmt", "editor"): (_TEI, "editor"),
    ("publicationStmt", "publisher"): (_TEI, "publisher"),
    ("publicationStmt", "date"): (_TEI, "issued"),
    ("title-group", "article-title"): (_JATS, "title"),
    ("journal-title-group", "journal-title"): (_JATS, "container"),
    ("journal-meta", "journal-title"): (_JATS, "container"),
    ("publisher", "publisher-name"): (_JATS, "publisher"),
    ("article-meta", "volume"): (_JATS, "volume"),
    ("article-meta", "issue"): (_JATS, "issue"),
    ("article-meta", "fpage"): (_JATS, "first page"),
    ("article-meta", "lpage"): (_JATS, "last page"),
    ("journal-meta", "issn"): (_JATS, "issn"),
}
"""An element by its name and that of the one around it, and the field that it states."""
_TYPED = {
    ("idno", "DOI"): (_TEI, "doi"),
    ("idno", "ISBN"): (_TEI, "isbn"),
    ("article-id", "doi"): (_JATS, "doi"),
}
"""An element by its name and its `type` or `pub-id-type`."""
_NAMES = frozenset({"surname", "given-names", "collab"})
_DATES = frozenset({"year", "month", "day"})
_WITHIN = frozenset({"teiHeader", "front", "front-stub"})
_ELSEWHERE = frozenset({"title", "head"})


class _Part(NamedTuple):
    name: str
    claim: tuple[str, str] | None
    words: list[str] | None
    is_dated: bool


class XmlStatements:
    """What is stated in a document that is read element by element."""

    def __init__(self) -> None:
        self._open: list[_Part] = []
        self._within = 0
        """How many headers are open."""
        self._collecting = 0
        self._claims: list[Claim] = []
        self._name: dict[str, str] = {}
        self._date: dict[str, str] = {}
        self._first_title: str | None = None
        self._root = ""

    @property
    def title(self) -> str | None:
        """The title that is stated, else the content of the first `title` or `head`."""
        for claim in self.claims():
            if claim.field == "title":
                return claim.value
        return self._first_title

    def claims(self) -> tuple[Claim, ...]:
        """What is stated, in order."""
        kind = "article-journal" if self._root == "article" and self._claims else ""
        typed = (Claim("kind", kind, Place(_JATS, "article")),) if kind else ()
        return tuple(self._claims) + typed

    def start(self, name: str, tag: StartTag) -> None:
        """Take note of a start tag."""
        around = self._open[-1].name if self._open else ""
        self._root = self._root or name
        self._within += name in _WITHIN
        claim = self._claim_of(around, name, tag) if self._within else None
        wanted = claim is not None or (self._within > 0 and name in _NAMES | _DATES)
        wanted = wanted or (self._first_title is None and name in _ELSEWHERE)
        is_dated = claim == (_TEI, "issued") and bool(tag.get("when"))
        words = [tag.get("when") or ""] if is_dated else [] if wanted else None
        self._open.append(_Part(name, claim, words, is_dated))
        self._collecting += words is not None

    def _claim_of(self, around: str, name: str, tag: StartTag) -> tuple[str, str] | None:
        known = _FIELDS.get((around, name))
        if known is None and name in {"idno", "article-id"}:
            kind = tag.get("type") or tag.get("pub-id-type") or ""
            known = _TYPED.get((name, kind)) or _TYPED.get((name, kind.upper()))
        return known

    def text(self, data: str) -> None:
        """Take note of characters."""
        if self._collecting:
            for element in self._open[-8:]:
                if element.words is not None and not element.is_dated:
                    element.words.append(data)

    def end(self) -> None:
        """Take note of the end of the element that was begun last."""
        name, claim, words, _ = self._open.pop()
        self._within -= name in _WITHIN
        if words is not None:
            self._collecting -= 1
            value = " ".join("".join(words).replace("\x00", "").split())[:_LONGEST]
            if value and len(self._claims) < _MOST:
                self._stated(name, claim, value)
        if name in {"contrib", "pub-date"}:
            self._claims += self._gathered(name)

    def _stated(self, name: str, claim: tuple[str, str] | None, value: str) -> None:
        if claim is not None:
            self._claims.append(Claim(claim[1], value, Place(claim[0], name)))
        elif name in _NAMES:
            self._name.setdefault(name, value)
        elif name in _DATES:
            self._date.setdefault(name, value)
        elif self._first_title is None:
            self._first_title = value

    def _gathered(self, name: str) -> Iterator[Claim]:
        """What an element states whose parts were read."""
        if name == "contrib":
            parts, self._name = self._name, {}
            place = Place(_JATS, "contrib")
            if "surname" in parts:
                yield Claim("author", parts["surname"], place, parts.get("given-names", ""))
            elif "collab" in parts:
                yield Claim("author", parts["collab"], place, "")
            return
        dated, self._date = self._date, {}
        if dated.get("year", "").isdecimal():
            digits = [dated["year"]]
            for part in ("month", "day"):
                if not dated.get(part, "").isdecimal():
                    break
                digits.append(dated[part].zfill(2))
            yield Claim("issued", "-".join(digits), Place(_JATS, "pub-date"))


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


LEFT_OUT = _set("script style metadata annotation annotation-xml")
BLOCKS = _set(
    "p para ab list item list-item def-list def-item listitem itemizedlist orderedlist "
    "variablelist varlistentry table table-wrap informaltable tr row fig figure caption disp-quote "
    "blockquote disp-formula sec section chapter part div div1 div2 div3 div4 div5 div6 div7 "
    "lg l sp speaker stage abstract boxed-text verse-group verse-line text cit "
    "opener closer salute signed dateline trailer "
    "castList castItem front body back level1 level2 level3 level4 level5 level6"
)
"""Elements that stand on lines of their own wherever they are."""
INLINE = _set(
    "b i em strong code a span bold italic sub sup sc underline overline strike monospace roman "
    "sans-serif styled-content named-content xref ext-link uri email inline-formula inline-graphic "
    "hi emph ref rs name persName placeName orgName geogName date foreign term gloss mentioned "
    "soCalled q said num measure abbr expan ex am choice orig reg sic corr add del gap unclear "
    "supplied w pc c seg surname forename given-names tspan textPath emphasis phrase quote literal "
    "link ulink filename"
)
"""Elements that stand in a line wherever they are."""
CELLS = _set("td th cell entry")
ROWS = frozenset({"tr", "row"})
NOTES = _set("note fn footnote")
VERBATIM = _set("preformat eg egXML programlisting screen literallayout")
_MILESTONES = {"pb": "page", "cb": "column", "lb": "line", "milestone": ""}
_LINE_ENDS = _set("lb br break")
_KINDS = {
    "sec": "section",
    "level1": "section",
    "fig": "figure",
    "table-wrap": "table",
    "disp-formula": "formula",
    "l": "line",
    "verse-line": "line",
    "lg": "stanza",
    "p": "paragraph",
    "para": "paragraph",
    "ab": "paragraph",
    "note": "note",
    "fn": "note",
    "footnote": "note",
    "list-item": "item",
    "listitem": "item",
} | {f"div{number}": "section" for number in range(1, 8)}
"""What an element is called in a label; any other is called by its name."""
LABELLED = _set(
    "sec app fig table-wrap list-item fn disp-formula ref boxed-text statement verse-group"
)
"""Elements whose child `label` is their number (JATS)."""
_BY_TITLE = frozenset({"section", "chapter", "part"})
_NAMING = frozenset({"head", "title", "label", "pagenum"})
_LONGEST_NAME = 200
_DEEPEST_NAME = 8
"""How many elements within a title are looked through for its words."""


@dataclass(slots=True, eq=False)
class _OpenXmlElement:
    """An element that is open."""

    name: str
    place: str
    """`elt`, the number of its start tag."""
    kind: str
    inline: bool
    cell: bool
    mixed: bool
    verbatim: bool
    label: str | None = None
    title: str | None = None
    start: int | None = None
    """Where its text begins, once there is any."""
    apart: bool = False
    """Whether it is a note that stands behind its line."""
    words: list[str] = field(default_factory=list)
    """Of a label or a title: what stands in it."""


def _decode(original: Original) -> str:
    return original.characters()


def _render(source: str) -> Rendered:
    tokens = list(tokenize(source, xml=True))
    mixed = _mixed(tokens)
    if not mixed:
        raise ParseError("expected an XML document, found no element", source[:80], 0)
    writer = _XmlWriter(mixed)
    for token in tokens:
        if isinstance(token, Text):
            writer.text(token.data)
        elif isinstance(token, StartTag):
            writer.start(token)
        elif isinstance(token, EndTag):
            writer.end(_local(token.name))
        elif isinstance(token, Doctype):
            writer.declares |= "<!ENTITY" in source[token.start : token.end]
    return writer.rendered()


def _mixed(tokens: Iterable[Token]) -> bytearray:
    """Of each element by number, whether it has characters of its own beside elements."""
    has_text, has_elements = bytearray(), bytearray()
    numbers: list[tuple[str, int]] = []
    for token in tokens:
        if isinstance(token, StartTag):
            if numbers:
                has_elements[numbers[-1][1]] = 1
            if not token.self_closing:
                numbers.append((token.name, len(has_text)))
            has_text.append(0)
            has_elements.append(0)
        elif isinstance(token, EndTag):
            if numbers and numbers[-1][0] == token.name:
                numbers.pop()
        elif isinstance(token, Text) and numbers and not has_text[numbers[-1][1]]:
            has_text[numbers[-1][1]] = not token.data.isspace()
    return bytearray(a & b for a, b in zip(has_text, has_elements, strict=True))


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _element(
    tag: StartTag, name: str, place: str, around: _OpenXmlElement | None, *, mixed: bool
) -> _OpenXmlElement:
    inline = name in INLINE or name in _MILESTONES or name in _LINE_ENDS
    cell = name in CELLS and around is not None and around.name in ROWS
    if not (inline or cell or name in BLOCKS or name in NOTES):
        inline = around is not None and (around.inline or around.mixed)
    space = tag.get("xml:space")
    kept = around is not None and around.verbatim
    verbatim = name in VERBATIM or (kept if space is None else space == "preserve")
    kind = _KINDS.get(name, name)
    if name == "div":
        kind = tag.get("type") or "section"
    label = None if name in _MILESTONES else tag.get("n")
    return _OpenXmlElement(name, place, kind, inline, cell, mixed, verbatim, label)


class _XmlWriter:
    """The document that is being read, and the text that is written of it."""

    def __init__(self, mixed: bytearray) -> None:
        self._mixed = mixed
        self._lines = Lines()
        self._open: list[_OpenXmlElement] = []
        self._counts: dict[str, int] = {}
        """How many elements of each name are open."""
        self._number = 0
        self._left_out = 0
        """How many open elements are left out."""
        self._naming = 0
        """How many open elements are labels or titles."""
        self.declares = False
        self._damaged = False
        self._statements = XmlStatements()

    def text(self, data: str) -> None:
        """Write characters."""
        if not self._open:
            return
        self._statements.text(data)
        if self._naming:
            for element in self._open[-_DEEPEST_NAME:]:
                if element.name in _NAMING:
                    element.words.append(data)
        if self._left_out:
            return
        self._lines.write(data.replace("\x00", ""), verbatim=self._open[-1].verbatim)

    def start(self, tag: StartTag) -> None:
        """Begin an element; one without content ends at once."""
        name = _local(tag.name)
        number, self._number = self._number, self._number + 1
        place = f"elt={number},{number}"
        if name in _MILESTONES or name in _LINE_ENDS:
            self._milestone(tag, name, place)
        around = self._open[-1] if self._open else None
        element = _element(tag, name, place, around, mixed=bool(self._mixed[number]))
        self._open.append(element)
        self._counts[name] = self._counts.get(name, 0) + 1
        self._statements.start(name, tag)
        self._left_out += name in LEFT_OUT or name == "pagenum"
        self._naming += name in _NAMING
        if not self._left_out:
            self._begin(element)
        if tag.self_closing:
            self._close()

    def _begin(self, element: _OpenXmlElement) -> None:
        if element.name in NOTES and self._lines.is_in_line:
            element.apart = True
            self._lines.begin_apart()
        elif element.cell:
            self._lines.cell()
        elif not element.inline:
            self._lines.end_line()
        element.start = self._lines.mark()

    def _milestone(self, tag: StartTag, name: str, place: str) -> None:
        if name in _LINE_ENDS:
            if tag.get("break") == "no":
                self._lines.join()
            else:
                self._lines.end_line()
        kind = _MILESTONES.get(name, "") or (tag.get("unit") if name == "milestone" else "")
        label = tag.get("n")
        if kind and label:
            self._lines.milestone(kind, _name(label), place)

    def end(self, name: str) -> None:
        """End an element, and those in it that nobody ended."""
        if not self._counts.get(name):
            self._damaged = True
            return
        while self._open[-1].name != name:
            self._damaged = True
            self._close()
        self._close()

    def _close(self) -> None:
        element = self._open.pop()
        self._counts[element.name] -= 1
        self._statements.end()
        was_left_out = self._left_out > 0
        self._left_out -= element.name in LEFT_OUT or element.name == "pagenum"
        if element.name in _NAMING:
            self._named(element)
        if was_left_out:
            return
        label = element.label
        if label is None and element.kind in _BY_TITLE:
            label = element.title
        if label and element.start is not None:
            self._lines.label(element.start, element.kind, _name(label), element.place)
        if element.apart:
            self._lines.end_apart()
        elif not (element.inline or element.cell):
            self._lines.end_line()

    def _named(self, element: _OpenXmlElement) -> None:
        """Give the words of a label or a title to what they name."""
        self._naming -= 1
        words = _name("".join(element.words))
        around = self._open[-1] if self._open else None
        if not words or around is None:
            return
        if element.name == "pagenum":
            self._lines.milestone("page", words, element.place)
        elif element.name == "label":
            if around.name in LABELLED:
                around.label = around.label or words
        else:
            around.title = around.title or words

    def rendered(self) -> Rendered:
        """What was written."""
        self._damaged |= bool(self._open)
        while self._open:
            self._close()
        text, labels = self._lines.finished()
        notices = []
        if self.declares:
            told = "entities that the document declares are not expanded, but shown by their names"
            notices.append(Notice("entities", told))
        if self._damaged:
            told = (
                "it is not well-formed XML: tags do not match, and the text is what could be read"
            )
            notices.append(Notice("not-well-formed", told))
        if not text:
            notices.append(Notice("no-words", "there are no words in it"))
        stated = self._statements
        return Rendered(
            text, labels, title=stated.title, stated=stated.claims(), notices=tuple(notices)
        )


def _name(text: str) -> str:
    """The name of a label: on one line, and not too long."""
    return " ".join(text.replace("\x00", "").split())[:_LONGEST_NAME]


XML_TEXT_1 = Rendition(
    "xml-text", 1, frozenset({"application/xml", "text/xml", "+xml"}), _decode, _render
)
