"""The archived page for the reader's frame: inert and self-contained, the cited parts marked.

What is marked is found in the page's source through the map of the text rendition; the marked
page is a derived copy, made when it is asked for and never stored.
"""

from __future__ import annotations

import contextlib
import hashlib
import html
import json
from dataclasses import field
from typing import TYPE_CHECKING

from permacite import mhtml, pdi
from permacite.errors import NotFoundError, PermaciteError, RestrictedError
from permacite.extract import inner
from permacite.lazy_dataclass import dataclass
from permacite.markup import Document
from permacite.media_types import PAGES, is_xml
from permacite.mhtml import export
from permacite.pdi.schemes import part_path
from permacite.service import names
from permacite.service.labels import drawn_map_of, labels_of
from permacite.service.reader import marking, media, sheets, texts
from permacite.service.reader.marking import MarkedSpans
from permacite.service.sources import MESSAGES
from permacite.text.entity import canonical
from permacite.version import __version__
from permacite.words import ENGLISH, Words

if TYPE_CHECKING:
    from datetime import datetime

    from permacite.archive.model.answered import Representation, Version
    from permacite.archive.repository import Repository
    from permacite.service.reader.sheets import Paper

__all__ = [
    "FrameOptions",
    "FrameView",
    "FramedPage",
    "PageState",
    "Scripts",
    "aggregate_of",
    "page",
    "view",
]

_SHELL = """<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>
<style>
body {{ margin: 1rem; font: 1rem/1.6 system-ui, sans-serif; color-scheme: light dark }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; font-family: monospace }}
mark {{ background: #ffe08a; color: #231a00 }}
.lines {{ padding-left: 4.5em; position: relative; tab-size: 4 }}
.lines span {{ display: block; unicode-bidi: plaintext; text-align: start }}
.lines span::before {{ content: attr(data-line); position: absolute; left: 0; width: 4em }}
.lines span::before {{ text-align: right; opacity: .6 }}
{style}
</style></head><body>{body}{script}</body></html>
"""
"""Around a document that is no page: a text, an image, a sound."""


@dataclass(frozen=True, slots=True)
class PageState:
    """What is known of a page for the reader before it is made."""

    tag: str
    """Changes when anything that the page is made of does."""
    modified_at: datetime
    """When the newest format of the version was committed."""
    script: str = field(repr=False)
    """The one script that the page holds."""


@dataclass(frozen=True, slots=True)
class Scripts:
    """What a face has for the frame: scripts, of which a page holds one, and where links lead."""

    words: str = field(default="", repr=False)
    """Tells what is selected in a page or a text."""
    parts: str = field(default="", repr=False)
    """Tells what is marked of a picture, a sound or a video."""
    sheets: str = field(default="", repr=False)
    """Tells what is selected of a page of a PDF."""
    follow: str = ""
    """The path of the reader's page that links of a page lead to; "": they stay as they are."""


@dataclass(frozen=True, slots=True)
class FrameOptions:
    """How a document is shown in the frame."""

    scripts: Scripts = Scripts()
    """The page holds one of them, and no other script."""
    text_fragment: str | None = None
    """A fragment of RFC 5147 or its first draft, instead of that of the reference."""
    frame: int | None = None
    """One frame of several, or one page of a PDF, from 1."""
    part: str | None = None
    """The path of another page in the same aggregate."""
    words: Words = ENGLISH
    """Words around a picture, a recording, or a document without a view."""


@dataclass(frozen=True, slots=True)
class FramedPage:
    """The archived page as the reader shows it: inert, self-contained, the passage marked."""

    pdi: str
    html: str = field(repr=False)
    tag: str
    """As in PageState; empty for a page that another try may make better."""
    marked: bool = False
    unresolved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FrameView:
    """What is to be shown, and all that decides how: two alike views are the same page."""

    version: Version
    main: Representation
    shown: Representation
    fragment: pdi.FragmentPDI | None
    text_fragment: str | None
    frame: int | None
    """Which frame of several is to be shown by itself."""
    part: str | None
    """Which part of the aggregate is to be shown in place of the page, by its path."""
    words: Words
    """In the language of who reads it."""
    follow: str
    """What stands before the address that a link leads to."""
    state: PageState
    paper: Paper | None = None
    """Of what is shown page by page."""
    drawn: Representation | None = None
    """The page as a browser drew it, where that is shown."""

    @property
    def is_page(self) -> bool:
        """Whether the page itself is shown; else another document as it is."""
        shown_in_page = (*PAGES, "text/plain", "multipart/related")
        is_of_page = self.shown.derived_from in {None, self.main.format}
        return (
            is_of_page and self.main.media_type in PAGES and self.shown.media_type in shown_in_page
        )


def view(repository: Repository, reference: str, options: FrameOptions) -> FrameView:
    """What a name shows, without making it. Raises NotFoundError, RestrictedError."""
    name, fragment = names.document_of(reference)
    version, shown = repository.lookup.answering(name)
    main = repository.lookup.main(version)
    restricted = repository.lookup.restrictions(version.representations)
    paper = sheets.paper(repository, version, shown)
    scripts, text_fragment, frame = options.scripts, options.text_fragment, options.frame
    script = scripts.parts if _is_media(shown) else scripts.sheets if paper else scripts.words
    parts = [__version__, str(shown.pdi), script, text_fragment, fragment and fragment.specifier]
    parts += [None if frame is None else str(frame), options.part, options.words.language]
    mark = "&" if "?" in scripts.follow else "?"
    follow = f"{scripts.follow}{mark}from={shown.pdi}&to=" if scripts.follow else ""
    parts.append(follow)
    parts += [version.provenance.final_uri or version.provenance.uri]
    formats = [item for item in version.representations if item.pdi not in restricted]
    parts += [f"{item.pdi} {item.digest}" for item in formats]
    state = PageState(
        tag=hashlib.sha256(json.dumps(parts).encode()).hexdigest(),
        modified_at=max(item.committed_at for item in version.representations),
        script=script,
    )
    drawn = _drawn_page(version, shown)
    wanted = FrameView(
        version,
        main,
        shown,
        fragment,
        text_fragment,
        frame,
        options.part,
        options.words,
        follow,
        state,
        paper,
        drawn,
    )
    repository.contents.check_access(
        main if wanted.is_page else shown
    )  # what is restricted is not shown
    if drawn is not None:
        repository.contents.check_access(drawn)
    return wanted


def _drawn_page(version: Version, shown: Representation) -> Representation | None:
    """The page as a browser drew it, if it or its words are to be shown; not its picture."""
    if not names.is_drawn(shown) or _is_media(shown):
        return None
    formats = version.representations
    return next((item for item in formats if item.format == pdi.DRAWN_PAGE), None)


def page(repository: Repository, wanted: FrameView) -> FramedPage:
    """A document as one inert HTML page."""
    version, main, fragment = wanted.version, wanted.main, wanted.fragment
    path = wanted.part or _path_in(fragment)
    if path is not None:
        return _part(repository, wanted, path)
    marked = _marked(repository, wanted.shown, fragment, wanted.text_fragment)
    if wanted.drawn is not None:
        return _drawn(repository, wanted, wanted.drawn, marked)
    if wanted.paper is not None:
        return _sheet(repository, wanted, wanted.paper, marked)
    if not wanted.is_page:
        return _other(repository, wanted, marked)
    aggregate = aggregate_of(repository, version)
    source = Document.of(repository.contents.text(main), main.media_type)
    source.tokens()  # kept for both who need them: what finds the marks, and what writes the page
    marks = _marks(repository, wanted, marked, source)
    script = wanted.state.script
    page_ = export.single_html(
        aggregate, document=source, marks=marks, inline_script=script, follow=wanted.follow
    )
    return FramedPage(
        str(main.pdi),
        page_.html,
        wanted.state.tag,
        marked=bool(marks),
        unresolved=tuple(page_.unresolved),
    )


def _part(repository: Repository, wanted: FrameView, path: str) -> FramedPage:
    """Another page of the same aggregate. Raises NotFoundError where there is none."""
    if not wanted.is_page:
        raise NotFoundError("only a page has parts", str(wanted.shown.pdi))
    aggregate = aggregate_of(repository, wanted.version)
    part = aggregate.part(path)
    script, follow = wanted.state.script, wanted.follow
    marks = _marks_within(part, wanted.fragment) if path == _path_in(wanted.fragment) else []
    page_ = export.single_html(aggregate, part, marks=marks, inline_script=script, follow=follow)
    tag, unresolved = wanted.state.tag, tuple(page_.unresolved)
    return FramedPage(
        str(wanted.main.pdi), page_.html, tag, marked=bool(marks), unresolved=unresolved
    )


def _path_in(fragment: pdi.FragmentPDI | None) -> str | None:
    """The body part that a fragment names words of; None for any other fragment."""
    if fragment is None or fragment.scheme != "part":
        return None
    return part_path(fragment.positions[0])


def _marks_within(part: mhtml.BodyPart, fragment: pdi.FragmentPDI | None) -> list[tuple[int, int]]:
    """The pieces of a page within the page that are marked, as `_marks` has them."""
    if fragment is None:
        return []
    start, end = map(int, fragment.positions[1:])
    runs = inner.document_within(part).runs([(start, end)])
    return [(run.source_start, run.source_end) for run in runs]


def aggregate_of(repository: Repository, version: Version) -> mhtml.Aggregate:
    """The aggregate of a page; of one that came alone, one made of it. Raises RestrictedError."""
    for item in version.representations:
        if item.media_type in MESSAGES and not names.is_drawn(item):
            with contextlib.suppress(RestrictedError):
                return mhtml.open(repository.contents.read(item))
    main = repository.lookup.main(version)
    content_type = f"{main.media_type}; charset={main.charset or 'utf-8'}"
    location = version.provenance.final_uri or version.provenance.uri
    root = mhtml.Resource(repository.contents.read(main), content_type, content_location=location)
    return mhtml.open(mhtml.build(root, []))


def _drawn(
    repository: Repository, wanted: FrameView, drawn: Representation, marked: MarkedSpans
) -> FramedPage:
    """A page as a browser drew it; what is marked is found by the map of its words."""
    aggregate = mhtml.open(repository.contents.read(drawn))
    source = Document(aggregate.root.content, "text/html", "utf-8")
    marks = _drawn_marks(repository, wanted.version, aggregate, marked)
    root = aggregate.root.path
    page_ = export.single_html(
        aggregate,
        document=source,
        marks=marks.get(root, ()),
        marks_in={path: ranges for path, ranges in marks.items() if path != root},
        inline_script=wanted.state.script,
        follow=wanted.follow,
    )
    tag, unresolved = wanted.state.tag, tuple(page_.unresolved)
    return FramedPage(str(drawn.pdi), page_.html, tag, bool(page_.marks), unresolved)


def _drawn_marks(
    repository: Repository, version: Version, aggregate: mhtml.Aggregate, marked: MarkedSpans
) -> dict[str, list[tuple[int, int]]]:
    """The pieces that are marked, by the paths of the parts in whose sources they stand."""
    text = names.drawn_text(version)
    places = None if text is None or not marked.spans else drawn_map_of(repository, text)
    if places is None:
        return {}
    parts = {part.content_id: part for part in aggregate.body_parts}
    marks: dict[str, list[tuple[int, int]]] = {}
    for start, end in marked.spans:
        for number, first, last in places.places(start, end):
            part = parts.get(f"frame-{number}@drawn") if number else aggregate.root
            if part is not None:
                marks.setdefault(part.path, []).append((first, last))
    sources = {part.path: part for part in (aggregate.root, *parts.values())}
    return {
        path: _joined(ranges, sources[path].content.decode("utf-8", "replace"))
        for path, ranges in marks.items()
    }


def _joined(ranges: list[tuple[int, int]], source: str) -> list[tuple[int, int]]:
    """Ranges with those as one that white space alone sets apart."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if joined and not source[joined[-1][1] : start].strip("\t\n\f\r "):
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _marked(
    repository: Repository,
    shown: Representation,
    fragment: pdi.FragmentPDI | None,
    text_fragment: str | None,
) -> MarkedSpans:
    source = marking.text_source(repository, shown.pdi) if text_fragment is not None else None
    return marking.marked(repository, source, fragment, text_fragment)


def _sheet(
    repository: Repository, wanted: FrameView, paper: Paper, marked: MarkedSpans
) -> FramedPage:
    """A page of a PDF; where it cannot be drawn, why."""
    words, script = wanted.words, wanted.state.script
    seen = sheets.PageRequest(wanted.fragment, marked, wanted.frame)
    try:
        leaf = sheets.leaf(repository, paper, seen)
        body, is_marked = sheets.sheet_html(repository, paper, leaf, seen, words=words)
        tag = wanted.state.tag
    except sheets.REFUSED:
        raise
    except PermaciteError as error:
        body, is_marked, tag = media.failed(error, words).html, False, ""
    html_ = _SHELL.format(
        language=words.language,
        title=html.escape(str(wanted.shown.pdi)),
        style=sheets.STYLE,
        body=body,
        script=f"<script>{script}</script>" if script else "",
    )
    return FramedPage(str(wanted.shown.pdi), html_, tag, marked=is_marked)


def _marks(
    repository: Repository, wanted: FrameView, marked: MarkedSpans, source: Document
) -> list[tuple[int, int]]:
    """The pieces of the page's source that are marked, as offsets of its decoded text."""
    main, fragment = wanted.main, wanted.fragment
    if marked.spans:
        return [(run.source_start, run.source_end) for run in source.runs(marked.spans)]
    if fragment is None or marked.trouble:
        return []
    excerpt = repository.contents.excerpt(main, fragment.specifier)
    if excerpt.source_range is None:
        return []
    start, end = map(source.text.offset, excerpt.source_range)
    return [(start, end)]


def _is_media(representation: Representation) -> bool:
    return representation.media_type.startswith(("image/", "audio/", "video/"))


def _other(repository: Repository, wanted: FrameView, marked: MarkedSpans) -> FramedPage:
    """A document that is no page: text as it is, media as an element, else its type."""
    shown, script, words = wanted.shown, wanted.state.script, wanted.words
    part = media.MediaElement("", marked=False)
    style = ""
    if _is_text(shown):
        labels = labels_of(repository, shown)
        style = texts.STYLE if labels else ""
        style += texts.STYLE_OF_PROSE if texts.is_prose(shown) else ""
        marked = marked if marked.spans else _marked_source(repository, wanted)
        body = texts.text_html(repository.contents.text(shown).text, marked, labels, words)
    elif _is_media(shown):
        style = media.STYLE
        part = media.element(repository, shown, wanted.fragment, wanted.frame, words=words)
        body = part.html
    else:
        about = f"{shown.media_type}, {words.size(shown.size_bytes)}"
        body = f"<p>{html.escape(about)}</p>\n<p>{html.escape(words('shown.no_view'))}</p>"
    html_ = _SHELL.format(
        language=words.language,
        title=html.escape(str(shown.pdi)),
        style=style,
        body=body,
        script=f"<script>{script}</script>" if script else "",
    )
    tag = wanted.state.tag if part.lasting else ""
    return FramedPage(str(shown.pdi), html_, tag, marked=part.marked or bool(marked.spans))


def _is_text(representation: Representation) -> bool:
    """Whether a format is shown as the characters that it is made of."""
    kind = representation.media_type
    is_markup = is_xml(kind) and not _is_media(representation)
    return is_markup or kind.startswith(("text/", "message/")) or kind == "application/json"


def _marked_source(repository: Repository, wanted: FrameView) -> MarkedSpans:
    """What a fragment of the format itself marks in its characters: elements, lines."""
    if wanted.fragment is None or wanted.text_fragment is not None:
        return MarkedSpans()
    excerpt = repository.contents.excerpt(wanted.shown, wanted.fragment.specifier)
    if excerpt.source_range is None:
        return MarkedSpans()
    stored = repository.contents.text(wanted.shown)
    start, end = (len(canonical(stored.stored[: stored.offset(at)])) for at in excerpt.source_range)
    return MarkedSpans(((start, end),))
