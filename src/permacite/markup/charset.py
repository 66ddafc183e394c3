"""Which charset a document is in, and its bytes as text: never an error, whatever the bytes.

| section | function |
|---|---|
| HTML §13.2.3.2 determining the encoding | sniff_charset |
| HTML §13.2.3.3 prescan, §13.2.3.4 an XML encoding | _prescan, _xml_declaration |
| HTML "extracting a character encoding from a meta element" | charset_in |
| Encoding Standard §4.2 labels, §6 decode | permacite.text.first, decode |
| XML 1.0 §4.3.3 | _xml_declaration |
| RFC 9110 §8.3 Content-Type | content_type |
| CSS Syntax §3.2 the input byte stream | _css_rule |

Deviations: no charset is guessed from the look of the bytes; HTML falls back on windows-1252, XML
and CSS on UTF-8. See `labels` for the few labels whose codec differs.

Readings: a name that is no label of the Encoding Standard but a charset Python knows is taken.
"""

from __future__ import annotations

import re

from permacite.markup.references import decode as decode_references
from permacite.scan import compile_pattern
from permacite.text import first
from permacite.text.document import DocumentText
from permacite.text.first import codec_of
from permacite.text.labels import USER_DEFINED

__all__ = ["charset_in", "codec_of", "content_type", "decode", "sniff_charset"]

_HEAD = 1024
"""How many bytes are searched for a declaration (HTML §13.2.3.2)."""

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le"))
_FALLBACK = {"html": "windows-1252", "xml": "utf-8", "css": "utf-8"}
_WHITE_SPACE = "\t\n\f\r "
_PARAMETER = compile_pattern(
    r';\s*+([^\s=;"]++)\s*+=\s*+(?:"((?:[^"\\]|\\.)*+)"?|([^;"]*+))[^;]*+', re.DOTALL
)
_ESCAPED = compile_pattern(r"\\(.)", re.DOTALL)


def content_type(value: str) -> tuple[str, str | None]:
    """Return the media type and the charset parameter of a Content-Type field, in lower case.

    The first charset that is not empty counts; None where there is none (RFC 9110 §8.3.1). A quoted
    value may hold semicolons. Nothing is refused, and comments and continuations, which only mail
    has, are not read: see `permacite.mhtml.mime.parameters`.
    """
    kind = value.partition(";")[0].strip(_WHITE_SPACE).lower()
    for parameter in _PARAMETER.finditer(value, len(value.partition(";")[0])):
        name, quoted, plain = parameter.groups(default="")
        charset = (_ESCAPED.sub(r"\1", quoted) or plain).strip(_WHITE_SPACE + "'").lower()
        if name.lower() == "charset" and charset:
            return kind, charset
    return kind, None


def sniff_charset(data: bytes, transport: str | None = None, media_type: str = "text/html") -> str:
    """Return the codec of a document: byte order mark, transport, declaration, fallback, in order.

    `transport`: the charset parameter of its Content-Type, None where there is none; one that names
    no charset counts as none. `media_type` chooses which declaration is looked for. The answer is
    a codec of Python, or "x-user-defined", and is what `decode` takes.
    """
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return codec
    named = None if transport is None else codec_of(transport)
    if named is not None:
        return named
    head = bytes(data[:_HEAD]).decode("latin-1")
    syntax = _syntax(media_type)
    declared = {"html": _prescan, "xml": _xml_declaration, "css": _css_rule}[syntax](head)
    return declared or _FALLBACK[syntax]


def _syntax(media_type: str) -> str:
    media_type = media_type.partition(";")[0].strip().lower()
    if media_type == "text/css":
        return "css"
    is_xml = media_type.endswith("+xml") or media_type in ("text/xml", "application/xml")
    return "xml" if is_xml else "html"


def decode(data: bytes, charset: str) -> str:
    """Return the text of `data`, without its byte order mark; what is malformed becomes U+FFFD.

    `charset`: a codec of Python or what `sniff_charset` returns; windows-1252 where it is neither.
    The text holds no surrogates.
    """
    return DocumentText(data, first.charset(charset)).stored


# ---------------------------------------------------------------- declarations in the document
_PRESCAN = compile_pattern(
    r"(?P<comment><!--)|<(?P<meta>meta)(?=[\t\n\f\r /])|<(?P<tag>/?[a-z][^\t\n\f\r >]*)|<[!/?]",
    re.IGNORECASE,
)
_ATTRIBUTE = compile_pattern(
    r"[\t\n\f\r /]*+(=?[^\t\n\f\r />=]*+)[\t\n\f\r ]*+"
    r"(?:=[\t\n\f\r ]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\t\n\f\r >\"'][^\t\n\f\r >]*+)|(?=>)))?+"
)


def _prescan(head: str) -> str | None:
    """Return what a `meta` or an XML declaration in the first bytes says (HTML §13.2.3.3)."""
    if head.startswith("<\0?\0x\0"):
        return "utf-16-le"
    if head.startswith("\0<\0?\0x"):
        return "utf-16-be"
    at = 0
    while (found := _PRESCAN.search(head, at)) is not None:
        if found["comment"]:
            end = head.find("-->", found.start() + 2)
            at = end + 3
        elif found["meta"] or found["tag"]:
            attributes, at = _attributes(head, found.end())
            named = _meta_codec(attributes) if found["meta"] else None
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
        found = _ATTRIBUTE.match(head, at)
        if found is None or found.end() >= len(head):
            return attributes, -1
        at = found.end()
        name = found[1].lower()
        if not name:
            return attributes, at
        value = next((group for group in found.groups()[1:] if group is not None), "")
        attributes.setdefault(name, value)
        if head[at] == ">":
            return attributes, at
        if head[at] in "\"'=":
            return attributes, -1


def _meta_codec(attributes: dict[str, str]) -> str | None:
    """Return the codec that the attributes of a `meta` declare."""
    label = attributes.get("charset")
    if label is None and attributes.get("http-equiv", "").lower() == "content-type":
        label = charset_in(decode_references(attributes.get("content", ""), attribute=True))
    codec = None if label is None else codec_of(label)
    if codec is None:
        return None
    # A meta that could be read byte by byte is not in UTF-16, whatever it says.
    return {"utf-16-be": "utf-8", "utf-16-le": "utf-8", USER_DEFINED: "windows-1252"}.get(
        codec, codec
    )


_CHARSET_IS = compile_pattern(r"charset[\t\n\f\r ]*+=[\t\n\f\r ]*+", re.IGNORECASE | re.ASCII)
_CHARSET_VALUE = compile_pattern(r"\"([^\"]*+)\"|'([^']*+)'|([^\t\n\f\r ;\"'][^\t\n\f\r ;]*+)")


def charset_in(content: str) -> str | None:
    """Return the label in a value such as "text/html; charset=utf-8", None where there is none."""
    start = _CHARSET_IS.search(content)
    found = start and _CHARSET_VALUE.match(content, start.end())
    return None if found is None else next(filter(None, found.groups()), "")


_XML = compile_pattern(
    r"<\?xml[\t\n\r ][^>]*?\bencoding[\t\n\r ]*+=[\t\n\r ]*+(?:\"([^\">]*+)\"|'([^'>]*+)')"
)
_XML_16 = (("\0<\0?\0x", "utf-16-be"), ("<\0?\0x\0", "utf-16-le"))


def _xml_declaration(head: str) -> str | None:
    """Return what `<?xml ... encoding="..."?>` at the very start says (XML 1.0 §4.3.3)."""
    for start, wide in _XML_16:
        if head.startswith(start):
            return wide
    found = _XML.match(head)
    codec = codec_of(found[1] or found[2] or "") if found else None
    return "utf-8" if codec in ("utf-16-be", "utf-16-le") else codec


def _css_rule(head: str) -> str | None:
    """Return what `@charset "..."` at the very start says, spelled exactly so (CSS Syntax §3.2)."""
    if not head.startswith('@charset "') or '";' not in head:
        return None
    codec = codec_of(head[len('@charset "') : head.index('";')])
    return "utf-8" if codec in ("utf-16-be", "utf-16-le") else codec
