"""Export of a page of an aggregate as one self-contained HTML document that runs nothing.

RFC 2557 §11: active content is taken out, nothing is fetched, references are satisfied from within
the aggregate or not at all. The result is a derived copy; what is archived stays as it is.

| rule | where |
|---|---|
| what is embedded becomes `data:` | supply |
| scripts, handlers, refreshes, hints, forms | elements |
| frames become `srcdoc`, nested to a depth | single |
| marks for a cited passage | page |
| a policy that stops what was missed | _policy |

Deviations: none. Readings: links that people follow keep where they lead, as absolute URIs; the
frame that shows the page must keep them from leading the reader away.
"""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

from permacite.lazy_dataclass import dataclass
from permacite.markup import Document
from permacite.media_types import PAGES
from permacite.mhtml.export.elements import Elements, InertDocument, Links, escape, get, start_tag
from permacite.mhtml.export.marks import MARK_STYLE, Marks
from permacite.mhtml.export.page import InertPage
from permacite.mhtml.export.supply import NOTHING, EmbeddedContent, Styles, Supply, data_uri
from permacite.mhtml.links import rewrite
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from permacite.markup import StartTag
    from permacite.mhtml.reading import Aggregate
    from permacite.mhtml.reading.part import BodyPart

__all__ = ["Export", "single_html"]

MAX_BYTES = 100_000_000
MAX_DEPTH = 4

_HEAD = (
    '<meta charset="utf-8"><meta name="referrer" content="no-referrer">'
    '<meta http-equiv="x-dns-prefetch-control" content="off">'
)
_POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline' data:; font-src data:; "
    "media-src data:; script-src {scripts}; base-uri 'none'; form-action 'none'"
)
_SHELL = "<!DOCTYPE html><html><head>{head}<title>{title}</title></head><body>{body}</body></html>"
_TEXTS = ("application/json", "application/xml", "application/javascript")
_SRCDOC = "about:srcdoc"
_MARKUP = compile_pattern("[&<>]")
_MEDIA = {
    "image": '<img alt="" src="{}">',
    "audio": '<audio controls src="{}"></audio>',
    "video": '<video controls src="{}"></video>',
}


@dataclass(frozen=True, slots=True)
class Export:
    """One document, made of an aggregate.

    `unresolved`: the references that nothing in the aggregate satisfies, absolute. `left_out`:
    those that a limit left out, or that cannot be shown without running. `marks`: how many were
    made.
    """

    html: str
    unresolved: tuple[str, ...]
    left_out: tuple[str, ...]
    marks: int


def single_html(  # noqa: PLR0913 - each is an option of its own
    aggregate: Aggregate,
    part: BodyPart | None = None,
    *,
    document: Document | None = None,
    marks: Iterable[tuple[int, int]] = (),
    marks_in: Mapping[str, Sequence[tuple[int, int]]] | None = None,
    inline_script: str = "",
    follow: str = "",
    include_scripts: bool = False,
    max_bytes: int = MAX_BYTES,
    max_depth: int = MAX_DEPTH,
) -> Export:
    """A part, the root if None, as one inert HTML document in UTF-8.

    `document`: the part, where it was read before. `marks`: (start, end) ranges of its source that
    are wrapped in `<mark class="permacite-mark">`, the first with the id `permacite-mark`.
    `marks_in`: the same of other parts, by their paths, where frames show them.
    `inline_script`: the one script the result holds, byte for byte, first in its head.
    `follow`: what stands before the escaped address that a link leads to; it then leads to a page
    of the program around this one, which opens in a window of its own.
    `include_scripts`: keep the page's own scripts. `max_bytes`: how much is embedded in all; what
    is beyond is left out and listed. `max_depth`: how deep frames nest. Any content gives a result.
    Raises ValueError for an inline script that would end its own element.
    """
    if "</script" in inline_script.lower() or "<!--" in inline_script:
        raise ValueError("the inline script holds the end of its own element")
    supply = Supply(aggregate, max_bytes)
    maker = _Maker(
        supply, max_depth, follow=follow, scripts=include_scripts, marks_in=marks_in or {}
    )
    marked = Marks(marks)
    head = _HEAD + _policy(inline_script, include_scripts=include_scripts)
    if inline_script:
        head += f"<script>{inline_script}</script>"
    if marked or inline_script:  # which may mark more
        head += f"<style>{MARK_STYLE}</style>"
    shown = _of_part(aggregate.root if part is None else part, 0, document)
    html = maker.html(shown, marked, head)
    count = marked.count + maker.marks
    return Export(html, maker.supply.unresolved, maker.supply.left_out, count)


def _policy(script: str, *, include_scripts: bool) -> str:
    """A policy that holds the page to what it is, wherever it is opened.

    It would stop what the pass over the page had missed. Documents in frames inherit it.
    """
    scripts = "'none'"
    if include_scripts:
        scripts = "'unsafe-inline' data:"
    elif script:
        digest = hashlib.sha256(script.encode()).digest()
        scripts = f"'sha256-{base64.b64encode(digest).decode()}'"
    return start_tag(
        "meta",
        [("http-equiv", "content-security-policy"), ("content", _POLICY.format(scripts=scripts))],
    )


@dataclass(frozen=True, slots=True)
class _ShownContent:
    """Content to be shown, `depth` frames deep; references in it are resolved within `part`."""

    resource: EmbeddedContent
    part: BodyPart
    depth: int
    known: Document | None = None

    def read(self) -> Document:
        """The document as it was read before, or as the resource says how to."""
        resource = self.resource
        return self.known or Document(resource.content, resource.media_type, resource.charset)


def _of_part(part: BodyPart, depth: int, known: Document | None = None) -> _ShownContent:
    resource = EmbeddedContent(part.content, part.content_type, part.parameters.get("charset"))
    return _ShownContent(resource, part, depth, known)


class _Maker:
    """Makes the documents of one export: the page and what its frames show."""

    def __init__(
        self,
        supply: Supply,
        max_depth: int,
        *,
        follow: str,
        scripts: bool,
        marks_in: Mapping[str, Sequence[tuple[int, int]]],
    ) -> None:
        self.supply = supply
        self.marks = 0
        """How many were made in frames."""
        self._marks_in = marks_in
        self._follow = follow
        self._styles = Styles(supply)
        self._max_depth = max_depth
        self._scripts = scripts
        self._framed: dict[tuple[str, int], str] = {}

    def html(self, document: _ShownContent, marks: Marks, head: str) -> str:
        """A document that does nothing."""
        resource = document.resource
        if resource.media_type in PAGES:
            return self._page(document, marks, head)
        body = self._other(document, marks)
        title = escape(document.part.content_location or resource.media_type)
        return _SHELL.format(head=head, title=title, body=body)

    def _page(self, document: _ShownContent, marks: Marks, head: str) -> str:
        source = document.read()
        inert = InertDocument(
            self.supply,
            self._styles,
            document.part,
            Links(self._follow, _SRCDOC if document.depth else ""),
            xml=source.is_xml,
            scripts=self._scripts,
        )
        elements = Elements(inert, lambda tag: self._frame(tag, document))
        return InertPage(source, elements, marks, head=head).html()

    def _other(self, document: _ShownContent, marks: Marks) -> str:
        """The body of a document around what is no page."""
        resource = document.resource
        media_type = resource.media_type
        kind = media_type.partition("/")[0]
        if kind in _MEDIA:
            uri = data_uri(resource.content, media_type)
            name = document.part.content_location or media_type
            return _MEDIA[kind].format(
                uri if self.supply.charge(len(uri), name, document.part) else NOTHING
            )
        if kind == "text" or media_type in _TEXTS or media_type.endswith(("+xml", "+json")):
            return _preformatted(document.read().source, marks)
        return f"<p>{escape(media_type)}, {len(resource.content)} octets</p>"

    def _frame(self, tag: StartTag, outer: _ShownContent) -> str:
        """The document that an `iframe` or `frame` shows."""
        reference, depth = get(tag, "src") or "", outer.depth + 1
        if depth > self._max_depth:
            self.supply.leave_out(reference or _SRCDOC, outer.part)
            return ""
        inner = get(tag, "srcdoc")
        if inner is not None:
            shown: EmbeddedContent | BodyPart | None = EmbeddedContent(
                inner.encode("utf-8", "replace"), "text/html", "utf-8"
            )
        else:
            shown = self.supply.find(reference, outer.part)
        if shown is None:
            return ""
        html = self._inner(shown, outer.part, depth)
        return html if self.supply.charge(len(html), reference or _SRCDOC, outer.part) else ""

    def _inner(self, shown: EmbeddedContent | BodyPart, within: BodyPart, depth: int) -> str:
        if isinstance(shown, EmbeddedContent):
            return self.html(_ShownContent(shown, within, depth), Marks(()), _HEAD)
        known = self._framed.get((shown.path, depth))
        if known is None:
            marks = Marks(self._marks_in.get(shown.path, ()))
            head = f"{_HEAD}<style>{MARK_STYLE}</style>" if marks else _HEAD
            known = self.html(_of_part(shown, depth), marks, head)
            self.marks += marks.count
            self._framed[shown.path, depth] = known
        return known


def _preformatted(source: str, marks: Marks) -> str:
    edits = [*marks.edits(source, 0, len(source))] if marks else []
    edits += [(mark.start(), mark.end(), escape(mark[0])) for mark in _MARKUP.finditer(source)]
    return f"<pre>\n{rewrite(source, edits)}</pre>"
