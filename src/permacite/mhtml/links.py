"""Links: every reference of an HTML, SVG, XHTML or CSS document, with its exact place.

RFC 2557 §4.4.1, §7: references are found and matched verbatim; the text that holds them is
never altered by this. The table of what holds references: `links_table`.

Readings:
- A reference of `srcdoc` is in markup inside markup: its offsets are those of the outer source,
  and what is written there is escaped twice.
- `usemap` is not a reference to anything outside the page and is left out; so is `itemid`.
- Values are given verbatim, empty ones too: what is done with `src=""` is for others to say.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from permacite.lazy_dataclass import dataclass
from permacite.markup import Document, StartTag, Text, css_urls, tokenize
from permacite.markup import references as character_references
from permacite.markup.tokens import Attribute, EndTag, ProcessingInstruction
from permacite.media_types import essence, is_xml
from permacite.mhtml.links_table import ATTRIBUTES, LAZY, PAINT, Kind, Role, link_relation
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from permacite.markup import Token

__all__ = ["Kind", "Link", "Role", "references", "references_in", "references_of", "rewrite"]

_SRCDOC_DEPTH = 3
"""How many documents inside `srcdoc` inside `srcdoc` are looked into."""


@dataclass(frozen=True, slots=True)
class Link:
    """One reference.

    `value`: decoded. `element`, `attribute`: local names in lower case; "" and "@import",
    "@font-face" or "url()" in a style sheet. `start`, `end`: the raw value in the decoded source.
    """

    value: str
    element: str
    attribute: str
    start: int
    end: int
    role: Role
    kind: Kind


def references(
    content: bytes, media_type: str, charset: str | None = None, *, lazy: bool = False
) -> Iterator[Link]:
    """Yield the references of a document, in source order; none for other media types.

    `charset`: what its Content-Type says, None where nothing; offsets count in the text that
    `markup.decode(content, sniff_charset(content, charset, media_type).codec)` gives. `lazy`:
    also references that only scripts would load (`data-src`). Raises nothing, takes linear time.
    """
    return references_of(Document(content, essence(media_type), charset), lazy=lazy)


def references_of(document: Document, *, lazy: bool = False) -> Iterator[Link]:
    """Yield the references of a document: see `references`. Its tokens are kept."""
    if document.media_type == "text/css":
        return _style_sheet(document.source)
    if not _has_tags(document.media_type):
        return iter(())
    return _markup(document.tokens(), xml=document.is_xml, lazy=lazy, depth=0)


def references_in(source: str, media_type: str, *, lazy: bool = False) -> Iterator[Link]:
    """Yield the references of a text that was decoded by other rules: see `references`."""
    if media_type == "text/css":
        return _style_sheet(source)
    if not _has_tags(media_type):
        return iter(())
    xml = is_xml(media_type)
    return _markup(tokenize(source, xml=xml), xml=xml, lazy=lazy, depth=0)


def _has_tags(media_type: str) -> bool:
    return media_type == "text/html" or is_xml(media_type)


def rewrite(source: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """Return `source` with each (start, end, replacement) made; linear in all of them.

    Edits come in any order; they may touch, and must not overlap. Raises ValueError if they do.
    """
    pieces: list[str] = []
    done = 0
    for start, end, replacement in sorted(edits, key=lambda edit: edit[:2]):
        if not done <= start <= end <= len(source):
            raise ValueError(f"an edit overlaps another or leaves the source: {start},{end}")
        pieces += source[done:start], replacement
        done = end
    pieces.append(source[done:])
    return "".join(pieces)


# ---------------------------------------------------------------- CSS
_CSS: dict[str, tuple[str, Kind]] = {
    "import": ("@import", "import"),
    "font": ("@font-face", "font"),
    "image": ("image-set()", "style-url"),
    "url": ("url()", "style-url"),
}


def _style_sheet(source: str) -> Iterator[Link]:
    for url in css_urls(source):
        attribute, kind = _CSS[url.kind]
        yield Link(url.value, "", attribute, url.start, url.end, "embed", kind)


def _style(
    source: str, offsets: Sequence[int], *, base: int, element: str, attribute: str | None = None
) -> Iterator[Link]:
    """Yield the references of CSS inside markup; `attribute` None: of a `style` element."""
    for url in css_urls(source):
        rule, kind = _CSS[url.kind]
        start, end = base + offsets[url.start], base + offsets[url.end]
        yield Link(url.value, element, attribute or rule, start, end, "embed", kind)


# ---------------------------------------------------------------- markup
def _markup(tokens: Iterable[Token], *, xml: bool, lazy: bool, depth: int) -> Iterator[Link]:
    in_style = False
    for token in tokens:
        if isinstance(token, StartTag):
            name = _local(token.name) if xml else token.name
            yield from _tag(token, name, lazy=lazy, depth=depth)
            in_style = name == "style" and not (xml and token.self_closing) and _is_css(token)
        elif isinstance(token, EndTag):
            in_style = False
        elif isinstance(token, Text) and in_style:
            yield from _style_text(token)
        elif isinstance(token, ProcessingInstruction):
            yield from _style_sheet_instruction(token)


def _local(name: str) -> str:
    return name.rpartition(":")[2].lower()


def _key(tag: StartTag, attribute: Attribute) -> str:
    """The local name of an attribute; HTML knows one prefix (§13.1.2.3)."""
    return _local(attribute.name) if tag.xml else attribute.name.removeprefix("xlink:")


def _is_css(tag: StartTag) -> bool:
    return (tag.get("type") or "text/css").strip().lower() in ("", "text/css")


def _style_text(text: Text) -> Iterator[Link]:
    """Yield the references of (a piece of) the content of a `style` element."""
    start, end = text.start, text.end
    if text.mode == "cdata":
        start += len("<![CDATA[")
        end -= 3 * text.source.startswith("]]>", end - 3, end)
    value, offsets = character_references.decode_mapped(
        text.source[start:end], xml=text.xml, references=text.mode == "data"
    )
    return _style(value, offsets, base=start, element="style")


def _style_sheet_instruction(token: ProcessingInstruction) -> Iterator[Link]:
    """Yield the href of `<?xml-stylesheet ...?>` (Associating Style Sheets with XML documents)."""
    target = "xml-stylesheet"
    if token.data.partition(" ")[0].strip() != target:
        return
    # Its pseudo-attributes are written as attributes are.
    start = token.start + len("<?") - 1
    tag = StartTag(target, start, token.end - 1, self_closing=False, source=token.source, xml=True)
    for attribute in tag.all_attributes():
        if attribute.name == "href":
            yield from _links(tag, target, attribute, ("embed", "stylesheet"))


def _tag(tag: StartTag, name: str, *, lazy: bool, depth: int) -> Iterator[Link]:
    for attribute in tag.attributes:
        if attribute.quote is None:
            continue
        key = _key(tag, attribute)
        if key == "style" or key in PAINT:
            value, offsets = _mapped(tag, attribute)
            base = attribute.start
            yield from _style(value, offsets, base=base, element=name, attribute=key)
        elif key == "srcdoc" and name == "iframe":
            yield from _srcdoc(tag, attribute, lazy=lazy, depth=depth)
        elif (use := _use(tag, name, key, lazy=lazy)) is not None:
            yield from _links(tag, name, attribute, use)


def _use(tag: StartTag, name: str, key: str, *, lazy: bool) -> tuple[Role, Kind] | None:
    """What an attribute refers to something for, None where it is no reference."""
    plain = ATTRIBUTES.get((name, key))
    if plain is not None:
        return plain
    if name == "link" and key == "href":
        return link_relation(tag.get("rel") or "")
    if name == "input" and key == "src":
        return ("embed", "image") if _equals(tag.get("type"), "image") else None
    if name == "meta" and key == "content":
        return ("refresh", "refresh") if _equals(tag.get("http-equiv"), "refresh") else None
    is_lazy = lazy and key.startswith("data-") and (key in LAZY or key.endswith("srcset"))
    return ("embed", "image") if is_lazy else None


def _equals(value: str | None, wanted: str) -> bool:
    return value is not None and value.strip().lower() == wanted


def _spans(name: str, key: str) -> Callable[[str], Iterator[tuple[int, int]]]:
    """What finds the references in the value of an attribute."""
    if key.endswith("srcset"):
        return in_srcset
    if key == "ping" or (key == "archive" and name == "object"):
        return _in_list
    if key == "archive":
        return _in_comma_list
    return in_refresh if name == "meta" else _in_whole


def _links(
    tag: StartTag, name: str, attribute: Attribute, use: tuple[Role, Kind]
) -> Iterator[Link]:
    key = _key(tag, attribute)
    value, offsets = _mapped(tag, attribute)
    for start, end in _spans(name, key)(value):
        place = attribute.start + offsets[start], attribute.start + offsets[end]
        yield Link(value[start:end], name, key, *place, *use)


def _mapped(tag: StartTag, attribute: Attribute) -> tuple[str, Sequence[int]]:
    """The decoded value, and for each of its offsets the one in the raw value."""
    raw = tag.source[attribute.start : attribute.end]
    return character_references.decode_mapped(raw, attribute=True, xml=tag.xml)


def _srcdoc(tag: StartTag, attribute: Attribute, *, lazy: bool, depth: int) -> Iterator[Link]:
    """Yield the references of a document inside an attribute, at their place in the outer one."""
    if depth == _SRCDOC_DEPTH:
        return
    value, offsets = _mapped(tag, attribute)
    for link in _markup(tokenize(value), xml=False, lazy=lazy, depth=depth + 1):
        yield Link(
            link.value,
            link.element,
            link.attribute,
            attribute.start + offsets[link.start],
            attribute.start + offsets[link.end],
            link.role,
            link.kind,
        )


# ---------------------------------------------------------------- values that hold several things
# Each function yields (start, end) pairs: where the references stand in a value.
_WHITE_SPACE = "\t\n\f\r "
_URL = compile_pattern(r"[\t\n\f\r ,]*+([^\t\n\f\r ]++)")
_DESCRIPTORS = compile_pattern(r"(?:[^,(]++|\([^)]*+\)?+)*+,?+")
_WORD = compile_pattern(r"[^\t\n\f\r ]++")
_BETWEEN_COMMAS = compile_pattern(r"[^\t\n\f\r ,]++")
_DELAY = compile_pattern(r"[\t\n\f\r ]*+(?:[0-9]++|(?=\.))[0-9.]*+(?=[\t\n\f\r ;,])")
_SEPARATOR = compile_pattern(r"[\t\n\f\r ]*+[;,]?+[\t\n\f\r ]*+")
_URL_IS = compile_pattern(r"url[\t\n\f\r ]*+=[\t\n\f\r ]*+", re.IGNORECASE | re.ASCII)


def _in_whole(value: str) -> Iterator[tuple[int, int]]:
    """Yield the value without white space at its ends (HTML §2.4.1)."""
    start = len(value) - len(value.lstrip(_WHITE_SPACE))
    yield start, max(start, len(value.rstrip(_WHITE_SPACE)))


def in_srcset(value: str) -> Iterator[tuple[int, int]]:
    """Yield the URL of each image candidate (HTML §4.8.4.2.2, parsing a srcset attribute)."""
    at = 0
    while (url := _URL.match(value, at)) is not None:
        start, end = url.span(1)
        at = end
        bare = len(value[start:end].rstrip(","))
        if bare == end - start:
            descriptors = _DESCRIPTORS.match(value, end)
            at = end if descriptors is None else descriptors.end()
        yield start, start + bare


def _in_list(value: str) -> Iterator[tuple[int, int]]:
    """Yield each of a list set apart by white space (`ping`, `archive` of `object`)."""
    return (word.span() for word in _WORD.finditer(value))


def _in_comma_list(value: str) -> Iterator[tuple[int, int]]:
    """Yield each of a list set apart by commas (`archive` of `applet`)."""
    return (word.span() for word in _BETWEEN_COMMAS.finditer(value))


def in_refresh(value: str) -> Iterator[tuple[int, int]]:
    """Yield the URL of a refresh, if it names one (HTML §4.2.5.3, shared declarative refresh)."""
    delay = _DELAY.match(value)
    separator = delay and _SEPARATOR.match(value, delay.end())
    if separator is None or separator.end() == len(value):
        return
    start, end = separator.end(), len(value)
    if url_is := _URL_IS.match(value, start):
        start = url_is.end()
    quote = value[start : start + 1]
    if quote and quote in "\"'":
        start += 1
        closing = value.find(quote, start)
        end = end if closing < 0 else closing
    end = max(start, len(value[:end].rstrip(_WHITE_SPACE)))
    yield start, end
