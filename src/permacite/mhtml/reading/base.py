"""Base URIs of body parts, and how references are resolved against them (RFC 2557 §5, §8.2).

    §5 (a) in the content -> content_base     (b) own label, (c) outer labels -> heading_base
    §5 (d) the request, (e) thismessage:/ -> Bases.outermost     §12 Content-Base -> heading_base

Octets are compared, so URIs are kept here as strings of one character for each octet. References
that no grammar allows are resolved too: illegal octets are put into legal disguise meanwhile.

Deviations: None.
Readings: a relative Content-Location is resolved against the outer bases and then is a base itself
(RFC 1808 §5.1). A label nothing can be relative to, such as `cid:x`, is no base. `http:x` is
relative where the base is `http:` and hierarchical, as the example of §9.6 needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from permacite import markup, uri
from permacite.charsets import encode
from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.media_types import PAGES
from permacite.mhtml.browser_urls import escaped_as_browsers_do, lowered
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    import re

    from permacite.mhtml.reading.part import BodyPart

__all__ = ["Bases", "Found", "MessageBase", "base_of", "octets_in", "this_message"]

Found: TypeAlias = Literal["content", "content-base", "content-location", "request", "thismessage"]
"""Where a base comes from: (a), Content-Base, (b) and (c), (d), (e)."""

_THIS_MESSAGE = "thismessage:/"
_BASE_TAG = compile_pattern(rb"(?i)<\0?b\0?a\0?s\0?e")
_DISGUISED = compile_pattern(r"[^A-Za-z0-9\-_.!~*();/?:@&=+$,%#]|%(?![0-9A-Fa-f]{2})|(?<=#)#")
_UNDISGUISED = compile_pattern("'([0-9a-f]{2,6})'")
_NO_SCHEME = compile_pattern(r"(?![A-Za-z][A-Za-z0-9+.\-]*+:)[^/?#:]*+:")
_HOST = compile_pattern(r"([A-Za-z][A-Za-z0-9+.\-]*+://(?:[^/?#@]*+@)?+)([^/?#:]*+)(:[0-9]*+)?+")
_PORTS = {"http": ":80", "https": ":443", "ftp": ":21"}


def _disguise(text: str) -> str:
    """Write what a URI may not hold as 'xx'; the quotation mark itself too, to be undone."""
    document, mark, fragment = text.partition("#")
    if _DISGUISED.search(text) is None and "#" not in fragment:
        return text

    def as_hex(octet: re.Match[str]) -> str:
        return f"'{ord(octet[0]):02x}'"

    fragment = _DISGUISED.sub(as_hex, fragment).replace("#", "'23'")
    document = _DISGUISED.sub(as_hex, document)
    if _NO_SCHEME.match(document) is not None:
        document = "./" + document
    return document + mark + fragment


def _undisguise(text: str) -> str:
    return _UNDISGUISED.sub(lambda octet: chr(int(octet[1], 16)), text) if "'" in text else text


def octets_in(reference: str, charset: str | None) -> str:
    """The octets that a reference is written with in a document, a character for each."""
    reference = reference.strip(" \t\r\n\f")
    if reference.isascii():
        return reference
    for codec in (charset, "utf-8"):
        try:
            octets = encode(reference, codec) if codec else None
        except (UnicodeError, LookupError):
            continue
        if octets is not None and b"\0" not in octets:
            return octets.decode("latin-1")
    return reference.encode("utf-8", "replace").decode("latin-1")


@dataclass(frozen=True, slots=True)
class MessageBase:
    """A base URI in both profiles. `octets` has one character for each octet."""

    octets: str
    text: str
    found: Found
    path: str
    """The part whose heading or content gives it; "" for the message."""
    _rfc: uri.Base
    _browser: uri.Base | None

    def resolve(self, reference: str) -> tuple[str | None, bool]:
        """A reference of octets as an absolute URI, and whether it is the same document.

        None where nothing can be made of it (RFC 2557 §8.2(c), RFC 2396 §5.2).
        """
        try:
            resolved = self._rfc.resolve(_disguise(reference))
        except ParseError:
            return None, False
        if resolved.same_document:
            return self.octets.partition("#")[0] + _undisguise(str(resolved.reference)), True
        return _undisguise(str(resolved.reference)), False

    def browser_key(self, reference: str, charset: str | None = None) -> str | None:
        """The absolute URI of a reference (text) as browsers write it (URL Standard §4).

        They escape little, as UTF-8, but in a query in the document's `charset`.
        """
        if self._browser is None:
            return None
        try:
            resolved = self._browser.resolve(_disguise(escaped_as_browsers_do(reference, charset)))
        except ParseError:
            return None
        return _undisguise(lowered(resolved.uri(self._browser)))


def base_of(octets: str, text: str, base: Found, path: str) -> MessageBase | None:
    """A base; None where the URI is relative, opaque or malformed."""
    try:
        rfc = uri.Base(_disguise(octets), same_scheme="loose")
        rfc.resolve("x")
    except ParseError:
        return None
    try:
        legal = _disguise(escaped_as_browsers_do(text, None))
        browser = uri.Base(legal, profile="rfc3986", same_scheme="loose")
    except ParseError:
        browser = None
    return MessageBase(octets, text, base, path, rfc, browser)


def this_message() -> MessageBase:
    """The base of what has no other: thismessage:/ (RFC 2557 §5(e))."""
    base = base_of(_THIS_MESSAGE, _THIS_MESSAGE, "thismessage", "")
    assert base is not None  # noqa: S101 - the constant is a base
    return base


class Bases:
    """The bases of all parts of one message, each found once."""

    def __init__(self, request_uri: str | None = None) -> None:
        outermost = this_message()
        if request_uri is not None:
            octets = octets_in(request_uri, "utf-8")
            outermost = base_of(octets, request_uri, "request", "") or outermost
        self.outermost = outermost
        self._of_heading: dict[BodyPart, MessageBase] = {}
        self._of_label: dict[BodyPart, MessageBase] = {}
        self._of_content: dict[BodyPart, MessageBase] = {}

    def content_base(self, part: BodyPart) -> MessageBase:
        """The base of the references in a part's content: (a), else that of its heading."""
        known = self._of_content.get(part)
        if known is None:
            outer = self.heading_base(part)
            known = self._of_content[part] = _declared_base(part, outer) or outer
        return known

    def heading_base(self, part: BodyPart | None) -> MessageBase:
        """The base that a part's heading and the headings around it give: (b) to (e)."""
        around: list[BodyPart] = []
        while part is not None and part not in self._of_heading:
            around.append(part)
            part = part.parent
        base = self.outermost if part is None else self._of_heading[part]
        for inner in reversed(around):
            base = self._within(inner, base)
            self._of_heading[inner] = base
        return base

    def label_base(self, part: BodyPart) -> MessageBase:
        """The base that a part's own Content-Location is resolved against."""
        self.heading_base(part)
        return self._of_label[part]

    def _within(self, part: BodyPart, outer: MessageBase) -> MessageBase:
        """The base inside a heading: its Content-Base, its label, or the outer one."""
        field = part.heading.get("Content-Base")
        declared = None if field is None else field.latin1.strip("<>\"' ")
        stated = None
        if declared:
            absolute, _ = outer.resolve(declared)
            stated = absolute and base_of(absolute, absolute, "content-base", part.path)
        self._of_label[part] = stated or outer
        if stated:
            return stated
        label = part.label
        if label is None or not label.octets:
            return outer
        absolute, _ = outer.resolve(label.octets.decode("latin-1"))
        text = outer.browser_key(label.text) or label.text
        base = absolute and base_of(absolute, text, "content-location", part.path)
        return base or outer


def _declared_base(part: BodyPart, outer: MessageBase) -> MessageBase | None:
    """The base that an HTML document declares itself (RFC 2557 §5(a))."""
    if part.content_type not in PAGES or part.body_parts:
        return None
    content = part.content
    if _BASE_TAG.search(content) is None:
        return None
    charset = part.charset
    source = markup.decode(content, charset or "utf-8")
    for token in markup.tokenize(source):
        if isinstance(token, markup.StartTag) and token.name.lower() == "base":
            href = token.get("href")
            if href is None:
                continue
            octets, _ = outer.resolve(octets_in(href, charset))
            text = outer.browser_key(href)
            return base_of(octets, text or octets, "content", part.path) if octets else None
    return None
