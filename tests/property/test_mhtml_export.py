"""Exported pages run nothing and fetch nothing, according to an unrelated parser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import turbohtml
from hypothesis import given
from hypothesis import strategies as st

from permacite import mhtml
from permacite.markup import css_urls, plain_text
from permacite.mhtml.export import single_html
from permacite.mhtml.export.supply import Supply

if TYPE_CHECKING:
    from collections.abc import Iterator

_PAGE = "http://e.example/d/"
_RESOURCES = [
    mhtml.Resource(b"\x89PNG\r\n", "image/png", f"{_PAGE}i.png"),
    mhtml.Resource(b"@import 's.css';a{b:url(i.png)url(//x)}", "text/css", f"{_PAGE}s.css"),
    mhtml.Resource(b"<p onclick=x>f<script>1</script>", "text/html", f"{_PAGE}f.html"),
    mhtml.Resource(b"<svg onload='x'><script>1</script></svg>", "image/svg+xml", f"{_PAGE}v.svg"),
]
_PIECES = [
    *["<", "</", ">", "/>", "=", '"', "'", " ", "\n", "&", ";", "a", "/", "\x00", "<!--", "-->"],
    *["--!>", "<!", "<?", "<![CDATA[", "]]>", "<p>", "</p>", "<b ", "<svg>", "</svg>", "<math>"],
    *["<mi>", "<mtext>", "<foreignObject>", "<desc>", "<title>", "</title>", "<style>", "</style>"],
    *["<script>", "</script>", "<script ", "<textarea>", "</textarea>", "<xmp>", "</xmp>"],
    *["<noscript>", "</noscript>", "<iframe>", "</iframe>", "<iframe src=f.html>", "<noembed>"],
    *["<plaintext>", "<template>", "</template>", "<select>", "<option>", "<table>", "<td>", "<a "],
    *["<img src=i.png onerror=x>", "<img src=//x/y>", "onclick=x", "href=javascript:x", "x=y"],
    *["href=' java\nscript:x'", "<base href=//x>", "<meta http-equiv=refresh content=0;//x>"],
    *["<link rel=preconnect href=//x>", "<link rel=stylesheet href=s.css>", "style='a:url(//x)'"],
    *["<object data=i.png>", "<object data=v.svg>", "<object data=//x>", "</object>", "<embed "],
    *["src=//x", "src=v.svg", "srcset='i.png 1x, //x 2x'", "<frameset cols='1,*'>", "<frame "],
    *["<form action=//x>", "<input type=image src=//x>", "<button formaction=//x>", "<video "],
    *["<animate attributeName=href to=javascript:x>", "<use href=//x>", "<image xlink:href=//x>"],
    *[
        "@import '//x';",
        "url(//x)",
        "u",
        "rl(//x)",
        "u\\72l(//x)",
        "&lt;",
        "&quot;",
        "&#106;avascript:x",
        "<br/>",
    ],
    *["<iframe srcdoc='<script>1</script><img src=//x>'>", "<annotation-xml encoding=text/html>"],
    *["<META HTTP-EQUIV=refresh CONTENT=0;//x>", "<LINK REL=preconnect HREF=//x>", "SRC=//x "],
    *["<iframe src='data:text/html,<script>1</script>'>", "<a href=data:text/html,x>", "<head>"],
]
sources = st.one_of(st.text(), st.lists(st.sampled_from(_PIECES), max_size=30).map("".join))

_LOADING = ("src", "srcset", "data", "poster", "background", "ping", "manifest")
_SAFE_PRAGMAS = ("content-security-policy", "x-dns-prefetch-control")
_DRAWN = ("link", "image", "use", "feImage", "pattern", "filter", "animate", "set")
_ACTIVE = re.compile(r"[\x00-\x20]*(?:java|vb|live)script:|[\x00-\x20]*data:", re.IGNORECASE)


def _aggregate(source: str, media_type: str) -> mhtml.Aggregate:
    root = mhtml.Resource(source.encode(), f"{media_type}; charset=utf-8", _PAGE)
    return mhtml.open(mhtml.build(root, _RESOURCES))


def _activity(html: str) -> Iterator[str]:
    """Yield all that a document would do, as a browser's tree builder reads it."""
    for scripting in (False, True):
        document = turbohtml.parse(html, scripting=scripting)
        for element in document.descendants:
            if isinstance(element, turbohtml.Element):
                yield from _activity_of(element)


def _activity_of(element: turbohtml.Element) -> Iterator[str]:
    attributes = {
        key: " ".join(value) if isinstance(value, list) else value or ""
        for key, value in element.attrs.items()
    }
    if element.tag in ("script", "base", "frame", "applet", "portal"):
        yield element.tag
    if element.tag == "style":
        css = "".join(text.data for text in element.children if isinstance(text, turbohtml.Text))
        yield from (url.value for url in css_urls(css) if not _is_shown(url.value))
    pragma = attributes.get("http-equiv", "content-security-policy")
    if element.tag == "meta" and pragma not in _SAFE_PRAGMAS:
        yield "meta " + attributes["http-equiv"]
    if element.tag == "link" and attributes.get("rel") not in ("stylesheet", "icon"):
        yield "link"
    for key, value in attributes.items():
        yield from _activity_in(element.tag, key, value)


def _activity_in(tag: str, key: str, value: str) -> Iterator[str]:
    if key.startswith("on") or key in ("action", "formaction", "autofocus", "autoplay"):
        yield key
    elif key == "srcdoc":
        yield from _activity(value)
    elif key == "style":
        yield from (url.value for url in css_urls(value) if not _is_shown(url.value))
    elif key in _LOADING or (key in ("href", "xlink:href") and tag in _DRAWN):
        yield from (each for each in value.split(", ") if not _is_shown(each))
    elif tag == "img" and key in ("href", "xlink:href"):
        return  # an img of HTML has no href, whatever it is given
    elif key in ("href", "xlink:href") and _ACTIVE.match(re.sub("[\t\n\r]", "", value)):
        yield f"link to {value}"
    elif tag.startswith("animate") and "script" in value:
        yield f"animation to {value}"


def _is_shown(reference: str) -> bool:
    return not reference or reference.startswith(("data:", "#"))


@given(source=sources)
def test_replay_r2_nothing_in_an_export_runs_or_fetches(source: str) -> None:
    made = single_html(_aggregate(source, "text/html"))
    assert list(_activity(made.html)) == []


@given(source=sources)
def test_nothing_in_an_export_of_xhtml_runs_or_fetches(source: str) -> None:
    made = single_html(_aggregate(source, "application/xhtml+xml"))
    assert list(_activity(made.html)) == []


@given(source=sources, data=st.data())
def test_marks_enclose_the_text_and_add_nothing(source: str, data: st.DataObject) -> None:
    aggregate = _aggregate(source, "text/html")
    limits = st.integers(0, len(source))
    ranges = data.draw(st.lists(st.tuples(limits, limits), max_size=4))
    made = single_html(aggregate, marks=ranges)
    unmarked = single_html(aggregate)
    assert made.html.count('<mark class="permacite-mark"') == made.marks
    assert made.html.count('id="permacite-mark"') == min(1, made.marks)
    assert list(_activity(made.html)) == []
    assert plain_text(made.html).text == plain_text(unmarked.html).text


_BASES = [
    *["http://e.example/d/p.html", "HTTP://E.Example:80/d/p?q", "http://e.example", "file:///d/p"],
    *["http://e.example/d/../p", "http://e.example/d/p%20q/", "urn:e:x", "cid:x", "mid:x/y", None],
]
_REFERENCES = st.text("aZ9/._~-?=&:%;", max_size=12)


@given(
    _REFERENCES,
    st.sampled_from(_BASES),
    st.sampled_from(["", "<base href='/B/c'>", "<base href=x:y>"]),
)
def test_a_link_leads_to_the_same_place_with_a_fragment(
    reference: str, base: str | None, head: str
) -> None:
    """A plain reference goes a short way; with a fragment it goes the long one."""
    page = mhtml.Resource(head.encode(), "text/html", content_location=base)
    aggregate = mhtml.open(mhtml.build(page, []))
    supply = Supply(aggregate, 0)
    resolved = supply.absolute(f"{reference}#x", aggregate.root)
    shown = supply.absolute(reference, aggregate.root)
    if reference:
        assert resolved == (None if shown is None else f"{shown}#x")
