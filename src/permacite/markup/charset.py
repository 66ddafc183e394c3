"""Charset detection of a document, and its decoding, which never fails.

| section | function |
|---|---|
| HTML §13.2.3.2 determining the encoding | sniff_charset |
| HTML §13.2.3.3 prescan, §13.2.3.4 an XML encoding | _prescan, _xml_declaration |
| HTML §13.2.3.5 changing the encoding while parsing | _in_head |
| HTML "extracting a character encoding from a meta element" | charset_in |
| Encoding Standard §6 decode | decode |
| XML 1.0 §4.3.3 | _xml_declaration |
| CSS Syntax §3.2 the input byte stream | _css_rule |

Deviations: none.

Readings: a `meta` behind the first 1024 bytes counts as long as the head lasts, as in browsers, but
for what a script would write. What declares nothing is UTF-8 if it is that and not all ASCII; no
other charset is guessed, and HTML and plain text fall back on windows-1252, all else on UTF-8.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from permacite import charsets
from permacite.charsets import USER_DEFINED, codec_of
from permacite.lazy_dataclass import dataclass
from permacite.markup.names import HEAD_CONTENT, RAW_TEXT
from permacite.markup.references import decode as decode_references
from permacite.markup.tokenizer import tokenize
from permacite.markup.tokens import EndTag, StartTag, Text
from permacite.media_types import essence, is_xml
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from typing import TypeAlias

__all__ = ["Settled", "charset_in", "decode", "sniff_charset"]

_HEAD = 1024
"""How many bytes are searched for a declaration before anything is parsed (HTML §13.2.3.2)."""

_LATE = 1 << 20
"""How many bytes are parsed for one: more than any head of a page that is read by people."""

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_WESTERN = frozenset({"text/html", "text/plain", "message/header"})
"""Media types of old, whose undeclared texts are taken for windows-1252; all others for UTF-8."""
_WHITE_SPACE = "\t\n\f\r "


@dataclass(frozen=True, slots=True)
class Settled:
    """The codec of a document, and what settled it.

    `by` is "mark" (a byte order mark), "transport", "declaration" (in the document), "ascii" or
    "utf-8" (declared by nothing, and valid as such), or "fallback": then nobody knows. `label` is
    what was written, by whatever settled it, else what the transport said in vain.
    """

    codec: str
    by: Literal["mark", "transport", "declaration", "ascii", "utf-8", "fallback"]
    label: str | None = None


def sniff_charset(
    data: bytes, transport: str | None = None, media_type: str = "text/html"
) -> Settled:
    """Settle the charset of a document: byte order mark, transport, declaration, content, fallback.

    `transport`: the charset parameter of its Content-Type, None where there is none; one that names
    no charset counts as none. `media_type` chooses which declaration is looked for. `data` is the
    whole document.
    """
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return Settled(codec, "mark")
    named = None if transport is None else codec_of(transport)
    if named is not None:
        return Settled(named, "transport", transport)
    media_type = essence(media_type)
    declared = _declared(data, media_type)
    if declared is not None:
        return Settled(declared[0], "declaration", declared[1])
    fallback = "windows-1252" if media_type in _WESTERN else "utf-8"
    return _undeclared(bytes(data), fallback, transport)


def _undeclared(data: bytes, fallback: str, label: str | None) -> Settled:
    """Settle what nothing declares, by whether it is ASCII or UTF-8."""
    if data.isascii():
        return Settled(fallback, "ascii", label)
    try:
        data.decode()
    except UnicodeDecodeError:
        return Settled(fallback, "fallback", label)
    return Settled("utf-8", "utf-8", label)


def decode(data: bytes, charset: str) -> str:
    """Return the text of `data`, without its byte order mark; what is malformed becomes U+FFFD.

    `charset`: a label or a codec; windows-1252 where it is neither. A byte order mark wins over it
    (Encoding Standard §6). The text holds no surrogates.
    """
    codec = codec_of(charset) or "windows-1252"
    marked = next((codec for mark, codec in _MARKS if data.startswith(mark)), codec)
    return charsets.decode(data, marked)


# ---------------------------------------------------------------- declarations in the document
_Declared: TypeAlias = "tuple[str, str] | None"
"""The codec, and the label that names it."""

_PRESCAN = compile_pattern(
    r"(?P<comment><!--)|<(?P<meta>meta)(?=[\t\n\f\r /])|<(?P<tag>/?[a-z][^\t\n\f\r >]*)|<[!/?]",
    re.IGNORECASE,
)
_ATTRIBUTE = compile_pattern(
    r"[\t\n\f\r /]*+(=?[^\t\n\f\r />=]*+)[\t\n\f\r ]*+"
    r"(?:=[\t\n\f\r ]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\t\n\f\r >\"'][^\t\n\f\r >]*+)|(?=>)))?+"
)


def _declared(data: bytes, media_type: str) -> _Declared:
    """What a document of that type declares itself."""
    head = bytes(data[:_HEAD]).decode("latin-1")
    if media_type == "text/css":
        return _css_rule(head)
    if is_xml(media_type):
        return _xml_declaration(head)
    if media_type != "text/html":
        return None
    early = _prescan(head)
    is_searched = early is not None or len(data) <= _HEAD
    return early if is_searched else _in_head(bytes(data[:_LATE]).decode("latin-1"))


def _prescan(head: str) -> _Declared:
    """What a `meta` or an XML declaration in the first bytes says (HTML §13.2.3.3)."""
    at = 0
    while (found := _PRESCAN.search(head, at)) is not None:
        if found["comment"]:
            end = head.find("-->", found.start() + 2)
            at = end + 3
        elif found["meta"] or found["tag"]:
            attributes, at = _attributes(head, found.end())
            named = _meta(attributes) if found["meta"] else None
            if named is not None:
                return named
            end = at
        else:
            end = head.find(">", found.end())
            at = end + 1
        if end < 0:
            break
    return _xml_declaration(head)


def _attributes(head: str, at: int) -> tuple[dict[str, str], int]:
    """Return the attributes from `at` on, names in lower case, and where they end; -1: cut off."""
    attributes: dict[str, str] = {}
    while True:
        match = _ATTRIBUTE.match(head, at)
        if match is None or match.end() >= len(head):
            return attributes, -1
        at = match.end()
        name = match[1].lower()
        if not name:
            return attributes, at
        value = next((group for group in match.groups()[1:] if group is not None), "")
        attributes.setdefault(name, decode_references(value, attribute=True))
        if head[at] == ">":
            return attributes, at
        if head[at] in "\"'=":
            return attributes, -1


def _meta(attributes: dict[str, str]) -> _Declared:
    """What the attributes of a `meta` declare."""
    label = attributes.get("charset")
    if label is None and attributes.get("http-equiv", "").lower() == "content-type":
        label = charset_in(attributes.get("content", ""))
    codec = None if label is None else codec_of(label)
    if label is None or codec is None:
        return None
    return {USER_DEFINED: "windows-1252"}.get(codec, _bytewise(codec)), label


def _bytewise(codec: str) -> str:
    """Return the codec of a declaration: one that was read byte by byte is not in UTF-16."""
    return "utf-8" if codec in ("utf-16be", "utf-16le") else codec


_WITH_TEXT = RAW_TEXT | {"noscript", "template"}
_IN_HEAD = HEAD_CONTENT | {"html", "head", "noscript"}


def _in_head(source: str) -> _Declared:
    """What a `meta` declares anywhere in the head of a page that is parsed."""
    inside = None
    for token in tokenize(source):
        if isinstance(token, EndTag):
            if token.name in {"head", "body", "html"}:
                break
            inside = None if token.name == inside else inside
        elif inside is not None:
            continue
        elif isinstance(token, StartTag):
            if token.name not in _IN_HEAD:
                break
            inside = token.name if token.name in _WITH_TEXT else None
            if token.name == "meta":
                declared = _meta({one.name: one.value for one in token.attributes})
                if declared is not None:
                    return declared
        elif isinstance(token, Text) and token.data.strip(_WHITE_SPACE):
            break
    return None


_CHARSET_IS = compile_pattern(r"charset[\t\n\f\r ]*+=[\t\n\f\r ]*+", re.IGNORECASE | re.ASCII)
_CHARSET_VALUE = compile_pattern(r"\"([^\"]*+)\"|'([^']*+)'|([^\t\n\f\r ;\"'][^\t\n\f\r ;]*+)")


def charset_in(content: str) -> str | None:
    """Return the label in a value such as "text/html; charset=utf-8", None where there is none."""
    start = _CHARSET_IS.search(content)
    match = start and _CHARSET_VALUE.match(content, start.end())
    return None if match is None else next(filter(None, match.groups()), "")


_XML = compile_pattern(
    r"<\?xml[\t\n\r ][^>]*?\bencoding[\t\n\r ]*+=[\t\n\r ]*+(?:\"([^\">]*+)\"|'([^'>]*+)')"
)
_XML_16 = (("\0<\0?\0x", "utf-16be"), ("<\0?\0x\0", "utf-16le"))


def _xml_declaration(head: str) -> _Declared:
    """What `<?xml ... encoding="..."?>` at the very start says (XML 1.0 §4.3.3)."""
    for start, wide in _XML_16:
        if head.startswith(start):
            return wide, wide
    match = _XML.match(head)
    return _labelled(match[1] or match[2] or "") if match else None


def _css_rule(head: str) -> _Declared:
    """What `@charset "..."` at the very start says, spelled exactly so (CSS Syntax §3.2)."""
    if not head.startswith('@charset "') or '";' not in head:
        return None
    return _labelled(head[len('@charset "') : head.index('";')])


def _labelled(label: str) -> _Declared:
    codec = codec_of(label)
    return None if codec is None else (_bytewise(codec), label)
