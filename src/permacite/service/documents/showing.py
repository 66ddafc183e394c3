"""The archived page for the reader's frame: inert and self-contained, the cited parts marked.

What is marked is found in the page's source through the map of the text rendition; the marked
page is a derived copy, made when it is asked for and never stored.
"""

from __future__ import annotations

import base64
import contextlib
import html
from typing import TYPE_CHECKING

from permacite import markup, mhtml
from permacite.errors import WithdrawnError
from permacite.extract import extract
from permacite.mhtml import export
from permacite.service import names
from permacite.service.documents import marking, reading, records
from permacite.service.model import Page

if TYPE_CHECKING:
    from permacite import pdi
    from permacite.archive import Archive, Representation, Version
    from permacite.service.documents.marking import Marked
    from permacite.service.model import TextPiece

__all__ = ["page"]

_PAGES = ("text/html", "application/xhtml+xml")

_SHELL = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>
body {{ margin: 1rem; font: 1rem/1.6 system-ui, sans-serif; color-scheme: light dark }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; font-family: monospace }}
mark {{ background: #ffe08a; color: #231a00 }}
img, video {{ max-width: 100%; height: auto }}
</style></head><body>{body}{script}</body></html>
"""
"""Around a document that is no page: a text, an image, a sound."""


def page(archive: Archive, reference: str, *, script: str, text_fragment: str | None) -> Page:
    """Return a document as one inert HTML page. `script` is the one script it may hold."""
    name, fragment = names.document_of(reference)
    version = archive.version(name)
    shown = reading.shown(archive, version, name)
    marked = _marked(archive, version, fragment, text_fragment)
    main = records.main_representation(version)
    if main.media_type not in _PAGES or shown.media_type not in (
        *_PAGES,
        "text/plain",
        "multipart/related",
    ):
        return _other(archive, shown, marked, script=script)
    content = archive.read(main)
    aggregate = mhtml.open(_aggregate_bytes(archive, version, main, content))
    marks = _marks(fragment, marked, main, content)
    made = export.single_html(aggregate, marks=marks, inline_script=script)
    return Page(str(main.pdi), made.html, marked=bool(marks), unresolved=tuple(made.unresolved))


def _aggregate_bytes(
    archive: Archive, version: Version, main: Representation, content: bytes
) -> bytes:
    """Return the aggregate of a page; of a page that came alone, one made of it."""
    for item in version.representations:
        if item.media_type in ("multipart/related", "message/rfc822"):
            with contextlib.suppress(WithdrawnError):
                return archive.read(item)
    content_type = f"{main.media_type}; charset={main.charset or 'utf-8'}"
    location = version.provenance.final_uri or version.provenance.uri
    return mhtml.build(mhtml.Resource(content, content_type, content_location=location), [])


def _marked(
    archive: Archive, version: Version, fragment: pdi.FragmentPDI | None, text_fragment: str | None
) -> Marked:
    source = reading.text_source(archive, version) if text_fragment is not None else None
    if source is None or text_fragment is None:
        return marking.by_fragment(archive, fragment)
    return marking.by_text_fragment(source, text_fragment)


def _marks(
    fragment: pdi.FragmentPDI | None, marked: Marked, main: Representation, content: bytes
) -> list[tuple[int, int]]:
    """Return the pieces of the page's source that are marked, as offsets of its decoded text."""
    charset = main.charset or "utf-8"
    if marked.spans:
        source = markup.decode(content, charset)
        rendition = markup.plain_text(source, xml=main.media_type != "text/html")
        runs = (run for span in marked.spans for run in rendition.runs(*span))
        return [(run.source_start, run.source_end) for run in runs]
    if fragment is None or marked.trouble:
        return []
    excerpt = extract(content, main.media_type, fragment.specifier, charset=main.charset)
    if excerpt.source_range is None:
        return []
    start, end = (len(markup.decode(content[:edge], charset)) for edge in excerpt.source_range)
    return [(start, end)]


def _other(archive: Archive, shown: Representation, marked: Marked, *, script: str) -> Page:
    """Return a document that is no page: text as it is, media as an element, else its type."""
    content = archive.read(shown)
    kind = shown.media_type.partition("/")[0]
    if kind in ("text", "message") or shown.media_type in ("application/json", "application/xml"):
        text = names.canonical_text(content, shown.charset or "utf-8")
        pieces = reading.split(text, marked).pieces
        body = "<pre>\n" + "".join(_piece(piece) for piece in pieces) + "</pre>"
    elif kind in ("image", "audio", "video"):
        address = f"data:{shown.media_type};base64,{base64.b64encode(content).decode()}"
        element = {"image": '<img alt="" src="{}">', "audio": '<audio controls src="{}"></audio>'}
        body = element.get(kind, '<video controls src="{}"></video>').format(address)
    else:
        about = f"{html.escape(shown.media_type)}, {shown.size_bytes:,} bytes"
        body = f"<p>{about}. This type has no view here; its bytes are under Formats.</p>"
    tail = f"<script>{script}</script>" if script else ""
    made = _SHELL.format(title=html.escape(str(shown.pdi)), body=body, script=tail)
    return Page(str(shown.pdi), made, marked=bool(marked.spans))


def _piece(piece: TextPiece) -> str:
    text = html.escape(piece.text)
    return f'<mark id="permacite-mark">{text}</mark>' if piece.marked else text
