"""Foreign content: where the rules of SVG and MathML apply in a stream of HTML tags.

| section | function |
|---|---|
| HTML §13.2.6 integration points | point_of |
| HTML §13.2.6 the dispatcher, for start tags | reads_html |
| HTML §13.2.6.5 the rules for foreign content | breaks_out, takes_html |

The HTML standard's tokenizer asks its tree builder two things: whether `<![CDATA[` opens a section
(only where the adjusted current node is not an HTML element) and whether `<style>` and its kind
turn what follows into raw text (only as HTML elements). Both are answered here from the tags alone.

Readings: the full tree builder also moves elements about and closes some by implication. Here an
end tag closes the nearest open element of its name, and an HTML element inside foreign content that
is never closed ends with the foreign element around it. The two differ only for misnested HTML in
an integration point that is followed by a CDATA section or a foreign `style` or `title`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from permacite.markup.names import BREAKOUT, MATH_POINTS, SVG_POINTS, VOID

if TYPE_CHECKING:
    from permacite.markup.tokens import StartTag

__all__ = [
    "ROOTS",
    "ForeignContent",
    "Kind",
    "Point",
    "breaks_out",
    "point_of",
    "reads_html",
    "takes_html",
]

Kind: TypeAlias = Literal["html", "svg", "math"]
"""The vocabulary of an element."""

Point: TypeAlias = Literal["html", "text", "annotation", ""]
"""Where other rules hold inside a foreign element: those of HTML, of MathML's text elements, of
an annotation-xml; or nowhere."""

ROOTS: dict[str, Kind] = {"svg": "svg", "math": "math"}
"""The elements that open foreign content."""

_FONT_ATTRIBUTES = ("color", "face", "size")
_MATH_INSIDE = frozenset({"mglyph", "malignmark"})
_HTML_ENCODINGS = frozenset({"text/html", "application/xhtml+xml"})

_KEEPING = frozenset({"html", "head", "body", "form"})
"""Elements whose end tag leaves what is open inside them open."""


def point_of(tag: StartTag, kind: Kind) -> Point:
    """Where other rules hold inside the element of a start tag."""
    if kind == "svg":
        return "html" if tag.name in SVG_POINTS else ""
    if kind == "math" and tag.name in MATH_POINTS:
        return "text"
    if kind == "math" and tag.name == "annotation-xml":
        encoding = (tag.get("encoding") or "").lower()
        return "html" if encoding in _HTML_ENCODINGS else "annotation"
    return ""


def reads_html(kind: Kind, point: Point, name: str) -> bool:
    """Whether a start tag `name` in an element is read by the rules of HTML."""
    if kind == "html" or point == "html":
        return True
    if point == "annotation":
        return name == "svg"
    return point == "text" and name not in _MATH_INSIDE


def takes_html(kind: Kind, point: Point) -> bool:
    """Whether an element is an HTML element, or an integration point for such."""
    return kind == "html" or point in ("html", "text")


def breaks_out(tag: StartTag) -> bool:
    """Whether a start tag ends foreign content."""
    if tag.name == "font":
        return any(attribute.name in _FONT_ATTRIBUTES for attribute in tag.all_attributes())
    return tag.name in BREAKOUT


class _OpenForeignElement(NamedTuple):
    """An open element. One that is an integration point is not reached across by end tags."""

    name: str
    kind: Kind
    point: Point


class ForeignContent:
    """The elements that are open since the outermost `svg` or `math`, outermost first."""

    __slots__ = ("_around", "_bounds", "_counts", "_stack")

    def __init__(self) -> None:
        self._around: dict[str, int] = {}
        """How many HTML elements of each name are open, while no foreign element is."""
        self._bounds = 0
        """How many elements are open that end tags do not reach across (§13.2.4.2, scope)."""
        self._stack: list[_OpenForeignElement] = []
        self._counts: dict[str, int] = {}

    @property
    def is_open(self) -> bool:
        """Whether an `svg` or `math` element is open."""
        return bool(self._stack)

    @property
    def takes_cdata(self) -> bool:
        """Whether the innermost open element is not an HTML element."""
        return bool(self._stack) and self._stack[-1].kind != "html"

    def start(self, tag: StartTag) -> bool:
        """Take note of a start tag, and say whether it makes an HTML element."""
        name = tag.name
        if self._stack:
            _, kind, point = self._stack[-1]
            if not reads_html(kind, point, name):
                if not breaks_out(tag):
                    self._push(tag, kind)
                    return False
                self._leave()
        if (root := ROOTS.get(name)) is not None:
            self._push(tag, root)
            return False
        if name not in VOID:
            if self._stack:
                self._open(_OpenForeignElement(name, "html", ""))
            else:
                self._around[name] = self._around.get(name, 0) + 1
        return True

    def end(self, name: str) -> None:
        """Take note of an end tag."""
        if not self._stack:
            if self._around.get(name):
                self._around[name] -= 1
        elif name in ("p", "br") and self._stack[-1].kind != "html":
            self._leave()
        elif name in self._counts:
            while self._close() != name:
                pass
        elif self._around.get(name) and name not in _KEEPING and not self._bounds:
            # The end of an element around it ends a foreign element that was never closed.
            self._around[name] -= 1
            while self._stack:
                self._close()

    def _push(self, tag: StartTag, kind: Kind) -> None:
        if not tag.self_closing:
            self._open(_OpenForeignElement(tag.name, kind, point_of(tag, kind)))

    def _open(self, element: _OpenForeignElement) -> None:
        self._stack.append(element)
        self._bounds += element.point != ""
        self._counts[element.name] = self._counts.get(element.name, 0) + 1

    def _close(self) -> str:
        name, _, point = self._stack.pop()
        self._bounds -= point != ""
        left = self._counts[name] - 1
        if left:
            self._counts[name] = left
        else:
            del self._counts[name]
        return name

    def _leave(self) -> None:
        """Close elements up to a place where HTML may stand (§13.2.6.5)."""
        while self._stack and not takes_html(self._stack[-1].kind, self._stack[-1].point):
            self._close()
