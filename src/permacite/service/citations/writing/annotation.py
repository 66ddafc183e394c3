"""A citation as a Web Annotation, with the selectors of other standards where they are exact.

| specification | what of it |
|---|---|
| Web Annotation Data Model §4.2.1 | FragmentSelector: the fragment of the name, of any scheme |
| Media Fragments URI 1.0 §4.2 | `t` and `xywh`, in such a selector |
| URI Fragment Identifiers for text/csv (RFC 7111) | rows, columns, cells, in such a selector |
| URI Fragment Identifiers for text/plain (RFC 5147) | characters, in such a selector |
| The application/pdf Media Type (RFC 8118) | pages and areas, in such a selector |
| Web Annotation Data Model §4.2.4, §4.2.5, §4.2.6 | quotation, characters of a text, octets |
| §4.2.9 refinedBy | the words on a page of a PDF: a second target beside those of its text |

Deviations: none.

Readings:
- Selectors of one target select the same. So a rectangle is `xywh` of kinds of pictures that hold
  one, and of those in the first frame alone: of an animation `xywh` would select all frames.
- Web Annotation names RFC 3778 for PDFs, which RFC 8118 has obsoleted; readers know either by its
  address, so both are written. They say the same of pages and areas.
- Intervals of `t`, of characters and of octets exclude their end, as those of PDIs do.
"""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, TypeAlias

from permacite import pdi
from permacite.service.citations.parts import part_of

if TYPE_CHECKING:
    from permacite.service.citations.parts import Part
    from permacite.service.citations.source import Source

__all__ = ["annotation"]

_CONTEXT = "http://www.w3.org/ns/anno.jsonld"
_DRAFT = "https://datatracker.ietf.org/doc/html/draft-mallery-urn-pdi-00"
_PLAIN = "http://tools.ietf.org/rfc/rfc5147"
_PDF = ("http://tools.ietf.org/rfc/rfc3778", "http://tools.ietf.org/rfc/rfc8118")
_CSV = "http://tools.ietf.org/rfc/rfc7111"
_MEDIA = "http://www.w3.org/TR/media-frags/"
_ONE_PICTURE = frozenset({"image/jpeg", "image/png", "image/bmp"})
_SECOND = 1000

Selector: TypeAlias = "dict[str, str | int | Selector]"


def annotation(source: Source) -> str:
    """An Annotation that highlights what is cited, in JSON-LD; without a body, for others to add.

    Its name is made from that of the part, so that the same citation is the same annotation.
    """
    address, _, _ = source.url.partition("?fragment=")
    target = _target(source, address, _selectors(source)) | {"id": source.reference}
    on_page = _on_page(source)
    made = {
        "@context": _CONTEXT,
        "id": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, source.reference)}",
        "type": "Annotation",
        "motivation": "highlighting",
        "target": [target, _target(source, source.paged_url, on_page)] if on_page else target,
    }
    return json.dumps(made, ensure_ascii=False, indent=2)


def _target(source: Source, address: str, selectors: list[Selector]) -> dict[str, object]:
    return {
        "type": "SpecificResource",
        "source": {"id": address, "dc:title": source.title},
        "selector": selectors,
    }


def _on_page(source: Source) -> list[Selector]:
    """The same words on a page of the document that they were taken from."""
    pages = [each for each in source.printed if each.target.startswith("page=")]
    if not (source.paged_url and source.quote and pages) or pages[0].first != pages[0].last:
        return []
    quote = _quote(source)
    return [_fragment(rule, pages[0].target) | {"refinedBy": quote} for rule in _PDF]


def _quote(source: Source) -> Selector:
    around = {"prefix": source.before, "suffix": source.after}
    return {
        "type": "TextQuoteSelector",
        "exact": source.quote,
        **{name: words for name, words in around.items() if words},
    }


def _selectors(source: Source) -> list[Selector]:
    fragment = pdi.parse(source.reference, strict=False)
    if not isinstance(fragment, pdi.FragmentPDI):
        return []
    kind = pdi.media_type_for(fragment.pdi.format or "") or ""
    part = part_of(fragment)
    selectors: list[Selector] = [_fragment(_DRAFT, fragment.specifier)]
    if part.scheme == "char" and kind == "text/plain" and part.span is not None:
        start, end = part.span
        selectors.append({"type": "TextPositionSelector", "start": start, "end": end})
        selectors.append(_quote(source))
        if source.rfc5147:
            selectors.append(_fragment(_PLAIN, source.rfc5147))
    if part.place is not None:
        selectors += [_fragment(rule, part.place.parameters) for rule in _PDF]
    if part.scheme == "byte" and part.span is not None:
        start, end = part.span
        selectors.append({"type": "DataPositionSelector", "start": start, "end": end})
    if part.scheme in {"row", "col", "cell"}:
        selectors.append(_fragment(_CSV, fragment.specifier))
    media = _media_fragment(part, kind)
    if media:
        selectors.append(_fragment(_MEDIA, media))
    return selectors


def _fragment(rule: str, value: str) -> Selector:
    return {"type": "FragmentSelector", "conformsTo": rule, "value": value}


def _media_fragment(part: Part, kind: str) -> str:
    """The same part as a media fragment; "" where none selects exactly it."""
    dimensions = []
    if part.milliseconds is not None:
        start, end = (f"{time / _SECOND:.3f}".rstrip("0").rstrip(".") for time in part.milliseconds)
        dimensions.append(f"t={start},{end}")
    elif kind not in _ONE_PICTURE or part.frame:
        return ""
    if part.corners is not None:
        left, top, right, bottom = part.corners
        dimensions.append(f"xywh={left},{top},{right - left},{bottom - top}")
    return "&".join(dimensions)
