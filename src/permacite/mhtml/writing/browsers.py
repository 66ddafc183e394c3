"""Parts in the form that Chromium needs to show a page completely (profile "chromium").

What Chromium was seen to do with an aggregate, and what is done here about it:

| Chromium | here |
|---|---|
| matches absolute, normalised URLs; a relative label matches nothing | `_LabelledParts.add` |
| sees one flat list of parts; start is not read | `_LabelledParts.add` |
| finds `a.svg#x` only by that very label, escaped as it does itself | `add_aliases` |
| believes mark and markup before the heading; UTF-16 needs a mark | `_Page.for_browsers` |
| resolves references in a frame that is reached by cid: against cid: | `_Page._with_base` |
| resolves a relative BASE against the file | `_Page._with_base` |
| obeys a content security policy in META, which forbids the parts | `_Page._without_policy` |
| plays no sound and no video from a part | `_Page._with_media` |
| connects where a LINK hints at (`preconnect`), though it loads nothing | `_Page._without_hints` |

Nothing else is touched: most pages keep every octet. An SVG `use` of another file stays empty, as
Chromium refuses those in any local file.
"""

from __future__ import annotations

from binascii import b2a_base64
from dataclasses import replace
from typing import TYPE_CHECKING

from permacite.charsets import codec_of, encode
from permacite.errors import LimitError
from permacite.lazy_dataclass import dataclass
from permacite.markup import Doctype, StartTag, decode, tokenize
from permacite.media_types import PAGES
from permacite.mhtml import links
from permacite.mhtml.browser_urls import fully_escaped
from permacite.mhtml.charset import charset_inside, charset_of_text
from permacite.mhtml.mime.parameters import parse_structured
from permacite.mhtml.reading.base import base_of, octets_in, this_message
from permacite.mhtml.writing.resource import Multipart, Resource
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    from permacite.mhtml.reading.base import MessageBase

__all__ = ["parts_for_browsers"]

_LINKING = (*PAGES, "text/css", "image/svg+xml")
_MEDIA = ("audio/", "video/")
_MARKS = (b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")
_POLICY = compile_pattern(r"(?i)http-equiv\s*+=[\s\"']*+content-security-policy")
_HINT = compile_pattern(r"(?i)<link\b")
_CONNECTING = frozenset({"preconnect", "dns-prefetch", "prefetch", "prerender", "modulepreload"})
_ABSOLUTE = compile_pattern(r"\s*+[A-Za-z][A-Za-z0-9+.\-]*+:")
_USUAL = compile_pattern(r"[A-Za-z0-9_.~!*()\-;/?:@&=+$,]*+")
_DEPTH = 64
_MEDIA_OCTETS = 64 * 1024 * 1024
"""Sound and video beyond this, in all pages together, stay parts that are not played."""
_ALIAS_OCTETS = 16 * 1024 * 1024
"""Parts are not added again beyond this and twice the size of all, however often referred to."""


def parts_for_browsers(
    root: Resource | Multipart,
    resources: Iterable[Resource | Multipart],
    content_location: str | None,
    charset: str | None,
) -> list[Resource]:
    """The parts to write, the root first, each with an absolute label or none."""
    parts = _LabelledParts(charset)
    outer = _within(this_message(), content_location, charset)
    parts.add(root, outer, default=outer.text)
    for resource in resources:
        parts.add(resource, outer)
    pages = parts.pages()
    framed = {cid for page in pages for cid in page.framed}
    parts.put([(page.resource, page.for_browsers(parts, framed)) for page in pages])
    parts.add_aliases(pages)
    return parts.listed


def _within(base: MessageBase, label: str | None, charset: str | None) -> MessageBase:
    """The base inside a heading with that label."""
    if label is None:
        return base
    absolute, _ = base.resolve(octets_in(label, charset))
    text = base.browser_key(label) or label
    inner = base_of(absolute, text, "content-location", "") if absolute else None
    return inner or base


class _LabelledParts:
    """All parts in one list, by their absolute labels."""

    def __init__(self, charset: str | None) -> None:
        self._charset = charset
        self.listed: list[Resource] = []
        self.by_key: dict[str, Resource] = {}
        self._media_left: int | None = None

    def add(
        self,
        part: Resource | Multipart,
        base: MessageBase,
        *,
        label: str | None = None,
        default: str | None = None,
        depth: int = 0,
    ) -> None:
        """Take a part, or all parts of a multipart.

        `label` is what the first is found by too, `default` its label where it has none.
        """
        if depth > _DEPTH:
            raise LimitError(
                f"multiparts are nested deeper than {_DEPTH}", limit="depth", maximum=_DEPTH
            )
        if isinstance(part, Resource):
            self._add_resource(part, base, label, default)
            return
        inner = _within(base, part.content_location, self._charset)
        if part.content_location is not None:
            label = part.content_location
        for each in _shown_first(part):
            self.add(each, inner, label=label, default=default, depth=depth + 1)
            label = default = None

    def _add_resource(
        self, resource: Resource, base: MessageBase, label: str | None, default: str | None
    ) -> None:
        own = resource.content_location
        text = next((each for each in (own, label, default) if each is not None), None)
        if text is not None and text[:4].lower() != "cid:":
            text = base.browser_key(text) or text
        if text is not None and text in self.by_key:
            if resource.content_id is None:
                return  # no reference can mean it: the first part with the label is found
            text = None
        placed = replace(resource, content_location=text)
        self.listed.append(placed)
        if text is not None:
            self.by_key[text] = placed
        alias = None if label is None or own is None else base.browser_key(label)
        if alias is not None and alias not in self.by_key:
            self._alias(placed, alias)

    def _alias(self, resource: Resource, label: str) -> None:
        again = replace(resource, content_location=label, content_id=None)
        self.by_key[label] = again
        self.listed.append(again)

    def pages(self) -> list[_Page]:
        """The parts that hold references, with what they refer to."""
        typed = ((each, parse_structured(each.content_type)) for each in self.listed)
        return [
            _Page(resource, media_type, parameters.get("charset"))
            for resource, (media_type, parameters) in typed
            if media_type in _LINKING
        ]

    def may_embed(self, part: Resource) -> bool:
        """Whether a part is sound or video, and there is room for it in a page; takes the room."""
        if self._media_left is None:
            sizes = (len(each.content) for each in self.listed if _is_media(each))
            self._media_left = min(_MEDIA_OCTETS, 2 * sum(sizes))
        if not _is_media(part) or len(part.content) > self._media_left:
            return False
        self._media_left -= len(part.content)
        return True

    def put(self, changed: list[tuple[Resource, Resource]]) -> None:
        """Replace documents."""
        by_identity = {id(before): after for before, after in changed}
        self.listed = [by_identity.get(id(each), each) for each in self.listed]
        self.by_key = {key: by_identity.get(id(each), each) for key, each in self.by_key.items()}

    def add_aliases(self, pages: list[_Page]) -> None:
        """Add a part again under each other form of its label that is referred to."""
        escaped: dict[str, Resource] = {}
        for label, part in self.by_key.items():
            escaped.setdefault(fully_escaped(label), part)
        usual = all(label in self.by_key for label in escaped)
        left = _ALIAS_OCTETS + 2 * sum(len(each.content) for each in self.listed)
        for page in pages:
            for value in page.embedded:
                if usual and _USUAL.fullmatch(value) is not None:
                    continue  # it has one form only
                key = page.key_of(value)
                if key is None or key in self.by_key:
                    continue
                target = self.by_key.get(key.partition("#")[0])
                target = target or escaped.get(fully_escaped(key))
                if target is not None and len(target.content) <= left:
                    left -= len(target.content)
                    self._alias(target, key)


def _is_media(part: Resource) -> bool:
    media_type = parse_structured(part.content_type)[0]
    return media_type.startswith(_MEDIA) or media_type in ("application/ogg", "text/vtt")


def _shown_first(part: Multipart) -> list[Resource | Multipart]:
    """The parts of a multipart, that which is shown first (as `reading.related` chooses)."""
    parts = list(part.body_parts)
    shown = [each for each in parts if _is_page(each)]
    if part.subtype == "related" or not shown:
        return parts
    aggregates = [each for each in shown if each.content_type == "multipart/related"]
    first = shown[-1] if part.subtype == "alternative" else [*aggregates, *shown][0]
    return [first, *(each for each in parts if each is not first)]


def _is_page(part: Resource | Multipart) -> bool:
    """Whether a part is a page or holds one."""
    waiting = [part]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Multipart):
            waiting += each.body_parts
        elif parse_structured(each.content_type)[0] in PAGES:
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    text: str


class _Page:
    """A document, what it refers to, and the edits that it needs."""

    def __init__(self, resource: Resource, media_type: str, declared: str | None) -> None:
        self.resource = resource
        self._media_type = media_type
        self._declared = declared
        self._codec = charset_of_text(resource.content, media_type, declared) or "utf-8"
        self._source = decode(resource.content, self._codec)
        references = list(links.references_in(self._source, media_type))
        self._bases = [link for link in references if link.role == "base"]
        self._media = [link for link in references if link.kind in ("media", "track")]
        embedded = (link.value.strip() for link in references if link.role == "embed")
        self.embedded = [value for value in dict.fromkeys(embedded) if value[:1] not in ("", "#")]
        self.framed = {value[4:] for value in self.embedded if value[:4].lower() == "cid:"}
        label = resource.content_location
        outer = _within(this_message(), label, None)
        self._label = label
        self._outer = outer
        self._base = _within(outer, self._bases[0].value, None) if self._bases else outer

    def key_of(self, reference: str) -> str | None:
        """A reference of this document as the label that it matches."""
        return self._base.browser_key(reference, self._codec)

    def for_browsers(self, parts: _LabelledParts, framed: set[str]) -> Resource:
        """The document as it is written: mostly as it is."""
        edits = [
            *self._without_policy(),
            *self._without_hints(),
            *self._with_base(framed),
            *self._with_media(parts),
        ]
        content = self.resource.content
        if edits:
            rewritten = [(edit.start, edit.end, edit.text) for edit in edits]
            content = self._encoded(links.rewrite(self._source, rewritten))
        elif self._media_type in PAGES and self._misread():
            content = self._encoded(self._source)
        elif self._codec.startswith("utf-16") and not content.startswith(_MARKS):
            content = _MARKS[1 if self._codec.endswith("be") else 2] + content
        return replace(self.resource, content=content)

    def _misread(self) -> bool:
        """Whether the markup declares another charset than the heading, which Chromium believes."""
        declared = None if self._declared is None else codec_of(self._declared)
        if declared is None or self.resource.content.startswith(_MARKS):
            return False
        return charset_inside(self.resource.content, self._media_type) not in {None, declared}

    def _encoded(self, source: str) -> bytes:
        """Text in the document's charset, or in UTF-8 with a mark where that alters it."""
        exact = not self._misread() and not self._codec.startswith("utf-16")
        try:
            if exact and encode(self._source, self._codec) == self.resource.content:
                return encode(source, self._codec)
        except (UnicodeError, LookupError):
            pass
        return _MARKS[0] + source.removeprefix("\ufeff").encode("utf-8", "replace")

    def _without_policy(self) -> list[_Edit]:
        """Rename the attribute that makes a META a content security policy; nothing moves."""
        if self._media_type not in PAGES or _POLICY.search(self._source) is None:
            return []
        tags = (token for token in tokenize(self._source) if isinstance(token, StartTag))
        metas = (tag.attribute("http-equiv") for tag in tags if tag.name.lower() == "meta")
        return [
            _Edit(attribute.name_start, attribute.name_start + len("http"), "data")
            for attribute in metas
            if attribute and attribute.value.strip().lower().startswith("content-security-policy")
        ]

    def _without_hints(self) -> list[_Edit]:
        """Take the words out of LINK that have a browser connect ahead; other words of it stay."""
        if self._media_type not in PAGES or _HINT.search(self._source) is None:
            return []
        tags = (token for token in tokenize(self._source) if isinstance(token, StartTag))
        relations = (tag.attribute("rel") for tag in tags if tag.name.lower() == "link")
        edits = []
        for relation in filter(None, relations):
            words = relation.value.split()
            left = [word for word in words if word.lower() not in _CONNECTING]
            if len(left) < len(words):
                text = _attribute(" ".join(left) or "x")
                quoted = text if relation.quote else f'"{text}"'
                edits.append(_Edit(relation.start, relation.end, quoted))
        return edits

    def _with_base(self, framed: set[str]) -> list[_Edit]:
        """Make a relative BASE absolute; give one to a frame that is reached by cid:."""
        if self._media_type not in PAGES:
            return []
        if self._bases:
            link = self._bases[0]
            absolute = self._base.text
            if _ABSOLUTE.match(link.value) is not None:
                return []
            return [_Edit(link.start, link.end, _attribute(absolute))]
        if self._label is None or self.resource.content_id not in framed:
            return []
        place = _head(self._source)
        return [_Edit(place, place, f'<base href="{_attribute(self._label)}" />')]

    def _with_media(self, parts: _LabelledParts) -> list[_Edit]:
        """Put sound and video into the page itself, as far as there is room."""
        edits = []
        for link in self._media:
            key = self.key_of(link.value)
            target = parts.by_key.get(key.partition("#")[0]) if key else None
            if target is None or not parts.may_embed(target):
                continue
            data = b2a_base64(target.content, newline=False).decode("ascii")
            media_type = parse_structured(target.content_type)[0]
            edits.append(_Edit(link.start, link.end, f"data:{media_type};base64,{data}"))
        return edits


def _attribute(value: str) -> str:
    return value.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")


def _head(source: str) -> int:
    """Where a BASE may be inserted: in the head, else behind the document type."""
    place = 0
    for token in tokenize(source):
        if isinstance(token, Doctype):
            place = token.end
        elif isinstance(token, StartTag):
            return token.end if token.name.lower() == "head" else _head_after(source, place, token)
    return place


def _head_after(source: str, place: int, first: StartTag) -> int:
    """The end of the HEAD tag that follows HTML; `place` where there is none."""
    if first.name.lower() != "html":
        return place
    tags = (token for token in tokenize(source) if isinstance(token, StartTag))
    second = next((tag for tag in tags if tag.start > first.start), None)
    return first.end if second is None or second.name.lower() != "head" else second.end
