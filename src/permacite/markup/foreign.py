"""Foreign content: where in a stream of HTML tags the SVG and MathML rules hold.

The HTML standard's tokenizer asks its tree builder two things: whether `<![CDATA[` opens a section
(only where the adjusted current node is not an HTML element) and whether `<style>` and its kind
turn what follows into raw text (only as HTML elements). Both are answered here from the tags alone.

Readings: the full tree builder also moves elements about and closes some by implication. Here an
end tag closes the nearest open element of its name, and an HTML element inside foreign content that
is never closed ends with the foreign element around it. The two differ only for misnested HTML in
an integration point that is followed by a CDATA section or a foreign `style` or `title`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.markup.elements import BREAKOUT, VOID

if TYPE_CHECKING:
    from permacite.markup.tokens import StartTag

__all__ = ["ForeignContent"]

_FONT_ATTRIBUTES = ("color", "face", "size")
_SVG_POINTS = frozenset({"foreignobject", "desc", "title"})
_MATH_POINTS = frozenset({"mi", "mo", "mn", "ms", "mtext"})
_MATH_INSIDE = frozenset({"mglyph", "malignmark"})
_HTML_ENCODINGS = frozenset({"text/html", "application/xhtml+xml"})

_KEEPING = frozenset({"html", "head", "body", "form"})
"""Elements whose end tag leaves what is open inside them open."""

_HTML, _SVG, _MATH, _ANNOTATION, _ANNOTATION_HTML = "html", "svg", "math", "annotation", "htmlnote"
# The kinds of open elements. The last two are MathML's annotation-xml, and such a one whose
# `encoding` says that HTML is inside.


class ForeignContent:
    """The elements that are open since the outermost `svg` or `math`, outermost first."""

    __slots__ = ("_around", "_bounds", "_counts", "_kinds", "_names")

    def __init__(self) -> None:
        self._around: dict[str, int] = {}
        """How many HTML elements of each name are open, while no foreign element is."""
        self._bounds = 0
        """How many elements are open that end tags do not reach across (§13.2.4.2, scope)."""
        self._names: list[str] = []
        self._kinds: list[str] = []
        self._counts: dict[str, int] = {}

    @property
    def takes_cdata(self) -> bool:
        """Whether the innermost open element is not an HTML element."""
        return bool(self._kinds) and self._kinds[-1] != _HTML

    def start(self, tag: StartTag) -> bool:
        """Take note of a start tag, and say whether it makes an HTML element."""
        if self._names and not self._is_html_for(tag.name):
            if not _breaks_out(tag):
                self._push(tag, self._foreign_kind(tag))
                return False
            self._leave()
        if tag.name in (_SVG, _MATH):
            self._push(tag, tag.name)
            return False
        if tag.name not in VOID:
            if self._names:
                self._open(tag.name, _HTML)
            else:
                self._around[tag.name] = self._around.get(tag.name, 0) + 1
        return True

    def end(self, name: str) -> None:
        """Take note of an end tag."""
        if not self._names:
            if self._around.get(name):
                self._around[name] -= 1
        elif name in ("p", "br") and self._kinds[-1] != _HTML:
            self._leave()
        elif name in self._counts:
            while self._close() != name:
                pass
        elif self._around.get(name) and name not in _KEEPING and not self._bounds:
            # The end of an element around it ends a foreign element that was never closed.
            self._around[name] -= 1
            while self._names:
                self._close()

    def _is_html_for(self, name: str) -> bool:
        """Whether a start tag here is read by HTML's rules (§13.2.6, the dispatcher)."""
        inner, kind = self._names[-1], self._kinds[-1]
        if kind in (_HTML, _ANNOTATION_HTML) or (kind == _SVG and inner in _SVG_POINTS):
            return True
        if kind == _ANNOTATION:
            return name == _SVG
        return kind == _MATH and inner in _MATH_POINTS and name not in _MATH_INSIDE

    def _foreign_kind(self, tag: StartTag) -> str:
        kind = _SVG if self._kinds[-1] == _SVG else _MATH
        if kind == _MATH and tag.name == "annotation-xml":
            encoding = (tag.get("encoding") or "").lower()
            return _ANNOTATION_HTML if encoding in _HTML_ENCODINGS else _ANNOTATION
        return kind

    def _push(self, tag: StartTag, kind: str) -> None:
        if not tag.self_closing:
            self._open(tag.name, kind)

    def _open(self, name: str, kind: str) -> None:
        self._names.append(name)
        self._kinds.append(kind)
        self._bounds += _is_bound(name, kind)
        self._counts[name] = self._counts.get(name, 0) + 1

    def _close(self) -> str:
        name = self._names.pop()
        self._bounds -= _is_bound(name, self._kinds.pop())
        left = self._counts[name] - 1
        if left:
            self._counts[name] = left
        else:
            del self._counts[name]
        return name

    def _leave(self) -> None:
        """Close elements up to a place where HTML may stand (§13.2.6.5)."""
        while self._names and not _takes_html(self._names[-1], self._kinds[-1]):
            self._close()


def _takes_html(name: str, kind: str) -> bool:
    """Whether an element is an HTML element, or an integration point for such."""
    if kind == _MATH:
        return name in _MATH_POINTS
    return kind in (_HTML, _ANNOTATION_HTML) or (kind == _SVG and name in _SVG_POINTS)


def _is_bound(name: str, kind: str) -> bool:
    if kind == _SVG:
        return name in _SVG_POINTS
    return kind in (_ANNOTATION, _ANNOTATION_HTML) or (kind == _MATH and name in _MATH_POINTS)


def _breaks_out(tag: StartTag) -> bool:
    if tag.name == "font":
        return any(attribute.name in _FONT_ATTRIBUTES for attribute in tag.all_attributes())
    return tag.name in BREAKOUT
