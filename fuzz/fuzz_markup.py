"""Feed permacite.markup and the export of pages: anything is read, and what is made is inert."""

from __future__ import annotations

from permacite import mhtml
from permacite.markup import (
    StartTag,
    css_urls,
    decode,
    plain_text,
    sniff_charset,
    title,
    tokenize,
)
from permacite.mhtml.export import single_html
from permacite.mhtml.links import references_in

SEEDS: list[bytes] = [
    b"<!DOCTYPE html><title>a &amp; b</title><p>One <b>two</b>&nbsp;three<br>four<pre>\n x\n</pre>",
    b"<table><tr><td>a<td><p>b</p></table><ul><li hidden>c<li>d</ul><select><option>e</select>",
    b"<svg><style>a{b:url(x)}</style><title><b>c</b></title><![CDATA[<d>]]></svg><math><mi>e",
    b"<script><!--<script></script>--></script><style>@import 'a';b{c:url( \"d\" )}</style>",
    b"<a href=' java\nscript:x' onclick=y><img src=i.png srcset='i.png 1x, j 2x'><base href=//z>",
    b"<iframe srcdoc='<img src=x onerror=y>'></iframe><object data=i.png>a</object><noscript>",
    b"<meta http-equiv=refresh content='0;url=x'><link rel=preconnect href=//x><xmp></xmp><!--",
    b"@font-face{src:url(a)}b{c:image-set('d' 1x,u\\72l(e));f:\"\\\"url(g)\"}/*h*/@namespace 'i';",
    b"<?xml version='1.0' encoding='koi8-r'?><html><p/>\xc1<![CDATA[b]]></html>",
    b"\xff\xfe<\0p\0>\0\xe9\0",
    b"<meta charset=shift_jis>\x82\xa0&#x80;&notit;&#xD800;&#13;\0",
    b"",
]

_BASE = "http://a.example/"
_RESOURCES = [
    mhtml.Resource(b"\x89PNG", "image/png", _BASE + "i.png"),
    mhtml.Resource(b"a{b:url(i.png)}", "text/css", _BASE + "a"),
]
_RUNNING = frozenset({"script", "base", "frame", "applet"})
_SHOWN = ("src", "srcset", "poster", "data", "background")


def target(data: bytes) -> None:
    """Read the bytes in every way there is."""
    media_type = ("text/html", "application/xhtml+xml", "text/css")[len(data) % 3]
    source = decode(data, sniff_charset(data, None, media_type).codec)
    source.encode()
    for url in css_urls(source):
        _law(0 <= url.start <= url.end <= len(source), "a reference stands in its source")
    for link in references_in(source, media_type, lazy=True):
        _law(0 <= link.start <= link.end <= len(source), "a link stands in its source")
    if media_type != "text/css":
        _markup(source, xml=media_type != "text/html")
        _inert(source, media_type)


def _markup(source: str, *, xml: bool) -> None:
    at = 0
    for token in tokenize(source, xml=xml):
        _law(token.start == at < token.end, "tokens tile the source")
        at = token.end
    _law(at == len(source), "tokens are the whole source")
    title(source, xml=xml)
    rendition = plain_text(source, xml=xml)
    at = 0
    for piece in rendition.pieces():
        _law(piece.start == at < piece.end, "pieces tile the text")
        _law(0 <= piece.source_start <= piece.source_end <= len(source), "and lead to the source")
        at = piece.end
    _law(at == len(rendition.text), "pieces are the whole text")


def _inert(source: str, media_type: str) -> None:
    root = mhtml.Resource(source.encode(), f"{media_type}; charset=utf-8", _BASE)
    aggregate = mhtml.open(mhtml.build(root, _RESOURCES))
    made = single_html(aggregate, marks=[(0, len(source) // 2)], max_bytes=10_000_000)
    for tag in tokenize(made.html):
        if isinstance(tag, StartTag):
            _law(tag.name not in _RUNNING, f"nothing runs: {tag.name}")
            for attribute in tag.attributes:
                name, value = attribute.name, attribute.value
                _law(not name.startswith("on"), f"nothing handles events: {name}")
                is_shown = not value or value.startswith(("data:", "#"))
                _law(name not in _SHOWN or is_shown, f"nothing is fetched: {name}={value}")


def _law(held: bool, law: str) -> None:  # noqa: FBT001 - what the law says
    """Raise for a law that is broken."""
    if not held:
        raise AssertionError(law)
