"""What the reader shows: the page inert and self-contained, the cited passage marked.

What is marked is found in the page's source through the map of the text rendition; the marked
page is a derived copy, made when it is asked for and never stored.
"""

from __future__ import annotations

import base64
import html
from typing import TYPE_CHECKING

from permacite import markup, mhtml
from permacite.errors import NotFoundError
from permacite.extract import extract
from permacite.mhtml import export
from permacite.service import names
from permacite.service.documents import records
from permacite.service.model import Page, Passage, Reading, TextPage
from permacite.service.passages import citing

if TYPE_CHECKING:
    from permacite import pdi
    from permacite.archive import Archive, Representation, Version

__all__ = ["page", "read"]

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


def read(archive: Archive, reference: str, *, text: bool) -> Reading:
    """Return what stands around a document in the reader."""
    name, fragment = names.document_of(reference)
    version = archive.version(name)
    shown = _shown(archive, version, name)
    archive.path(shown)  # what is withdrawn is not shown
    recorded = archive.citations(version.pdi)
    citations = tuple(citing.cited(archive, citation) for citation in recorded)
    exact = str(shown.pdi) + (f"#{fragment.specifier}" if fragment else "")
    source = _text_source(archive, version)
    span = _span(archive, fragment)
    return Reading(
        reference=exact,
        pdi=str(shown.pdi),
        fragment=fragment.specifier if fragment else None,
        document=records.document(version),
        versions=tuple(item.number for item in archive.versions(version.pdi)),
        citations=citations,
        passage=_passage(archive, fragment, span),
        cited=next((item for item in citations if item.reference == exact), None),
        text_pdi=str(source.representation.pdi) if source else None,
        text=_split(source.text, span) if source and text else None,
    )


def _shown(archive: Archive, version: Version, name: pdi.PDI) -> Representation:
    """Return the representation that a name means; the document's main one where it is open."""
    if name.format is None:
        return records.main_representation(version)
    return archive.representation(name)


def _text_source(archive: Archive, version: Version) -> names.TextOf | None:
    try:
        return names.text_of(archive, names.text_representation(archive, version.pdi))
    except NotFoundError:
        return None


def _span(archive: Archive, fragment: pdi.FragmentPDI | None) -> tuple[int, int] | None:
    """Return the span of a `char` fragment of plain text, checked against the text's length."""
    if fragment is None or fragment.scheme != "char":
        return None
    representation = archive.representation(fragment.pdi)
    if representation.media_type != "text/plain":
        return None
    return int(fragment.positions[0]), int(fragment.positions[1])


def _passage(
    archive: Archive, fragment: pdi.FragmentPDI | None, span: tuple[int, int] | None
) -> Passage | None:
    """Return the cited words. Raises NotFoundError where the fragment names nothing."""
    if fragment is None:
        return None
    if span is not None:
        text = names.text_of(archive, archive.representation(fragment.pdi)).text
        if span[1] > len(text):
            raise NotFoundError(
                f"the text ends at {len(text)}; what is committed never shrinks", str(fragment)
            )
        return citing.passage(text, *span)
    representation = archive.representation(fragment.pdi)
    excerpt = extract(
        archive.read(representation),
        representation.media_type,
        fragment.specifier,
        charset=representation.charset,
    )
    return Passage(0, 0, 0, excerpt.text, "", "") if excerpt.text else None


def _split(text: str, span: tuple[int, int] | None) -> TextPage:
    """Return the text in three pieces, with line ends as a browser shows them."""
    start, end = span or (len(text), len(text))
    pieces = (text[:start], text[start:end], text[end:])
    return TextPage(*(piece.replace("\r\n", "\n") for piece in pieces))


def page(archive: Archive, reference: str, *, script: str) -> Page:
    """Return a document as one inert HTML page. `script` is the one script it may hold."""
    name, fragment = names.document_of(reference)
    version = archive.version(name)
    shown = _shown(archive, version, name)
    main = records.main_representation(version)
    if main.media_type not in _PAGES or shown.media_type not in (
        *_PAGES,
        "text/plain",
        "multipart/related",
    ):
        return _other(archive, shown, _span(archive, fragment), script=script)
    content = archive.read(main)
    aggregate = mhtml.open(_aggregate_bytes(archive, version, main, content))
    marks = _marks(archive, fragment, main, content) if fragment else []
    made = export.single_html(aggregate, marks=marks, inline_script=script)
    return Page(str(main.pdi), made.html, marked=bool(marks), unresolved=tuple(made.unresolved))


def _aggregate_bytes(
    archive: Archive, version: Version, main: Representation, content: bytes
) -> bytes:
    """Return the aggregate of a page; of a page that came alone, one made of it."""
    for item in version.representations:
        if item.media_type in ("multipart/related", "message/rfc822"):
            return archive.read(item)
    content_type = f"{main.media_type}; charset={main.charset or 'utf-8'}"
    location = version.provenance.final_uri or version.provenance.uri
    return mhtml.build(mhtml.Resource(content, content_type, content_location=location), [])


def _marks(
    archive: Archive, fragment: pdi.FragmentPDI, main: Representation, content: bytes
) -> list[tuple[int, int]]:
    """Return the pieces of the page's source that a fragment names, as offsets of its text."""
    source = markup.decode(content, main.charset or "utf-8")
    span = _span(archive, fragment)
    if span is not None:
        rendition = markup.plain_text(source, xml=main.media_type != "text/html")
        return [(run.source_start, run.source_end) for run in rendition.runs(*span)]
    excerpt = extract(content, main.media_type, fragment.specifier, charset=main.charset)
    if excerpt.source_range is None:
        return []
    lengths = [
        len(markup.decode(content[:edge], main.charset or "utf-8")) for edge in excerpt.source_range
    ]
    return [(lengths[0], lengths[1])]


def _other(
    archive: Archive, shown: Representation, span: tuple[int, int] | None, *, script: str
) -> Page:
    """Return a document that is no page: text as it is, media as an element, else its type."""
    content = archive.read(shown)
    kind = shown.media_type.partition("/")[0]
    if kind in ("text", "message") or shown.media_type in ("application/json", "application/xml"):
        pieces = _split(names.canonical_text(content, shown.charset or "utf-8"), span)
        marked = f'<mark id="permacite-mark">{html.escape(pieces.marked)}</mark>' if span else ""
        body = f"<pre>\n{html.escape(pieces.before)}{marked}{html.escape(pieces.after)}</pre>"
    elif kind in ("image", "audio", "video"):
        address = f"data:{shown.media_type};base64,{base64.b64encode(content).decode()}"
        element = {"image": '<img alt="" src="{}">', "audio": '<audio controls src="{}"></audio>'}
        body = element.get(kind, '<video controls src="{}"></video>').format(address)
    else:
        about = f"{html.escape(shown.media_type)}, {shown.size_bytes:,} bytes"
        body = f"<p>{about}. This type has no view here; its bytes are under Formats.</p>"
    tail = f"<script>{script}</script>" if script else ""
    made = _SHELL.format(title=html.escape(str(shown.pdi)), body=body, script=tail)
    return Page(str(shown.pdi), made, marked=span is not None)
