"""Export of a page from its aggregate: what is embedded, removed and marked."""

from __future__ import annotations

import base64
import hashlib
import html
import re

import pytest

from permacite import mhtml
from permacite.markup import plain_text, tokenize
from permacite.mhtml import Resource
from permacite.mhtml.export import Export, single_html

BASE = "http://site.example/d/"
PNG = b"\x89PNG\r\n\x1a\n"
PIXELS = "data:image/png;base64,iVBORw0KGgo="
RESOURCES = [
    Resource(PNG, "image/png", BASE + "i.png"),
    Resource(PNG, "image/png", "blob:b"),
    Resource(b"<svg onload='x'/>", "image/svg+xml", BASE + "v.svg"),
    Resource(b"a{b:url('i.png')}", "text/css", BASE + "s.css"),
    Resource(b"@import 's.css' print;\xe9{}", "text/css; charset=latin1", BASE + "t.css"),
    Resource(b"@import 'loop.css';", "text/css", BASE + "loop.css"),
    Resource(b"<title>f</title><img src=i.png onload=x>", "text/html", BASE + "f.html"),
    Resource(b"<frameset><frame src=deep.html></frameset>", "text/html", BASE + "deep.html"),
    Resource(b"1 < 2", "text/plain", BASE + "t.txt"),
    Resource(b"RIFF", "audio/wav", BASE + "a.wav"),
    Resource(b"%PDF", "application/pdf", BASE + "p.pdf"),
    Resource(b"x", "a/b'c", BASE + "odd"),
]
META = (
    '<meta charset="utf-8"><meta name="referrer" content="no-referrer">'
    '<meta http-equiv="x-dns-prefetch-control" content="off">'
)
POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline' data:; font-src data:; "
    "media-src data:; script-src 'none'; base-uri 'none'; form-action 'none'"
)
HEAD = f'{META}<meta http-equiv="content-security-policy" content="{POLICY}">'


def export(source: str, media_type: str = "text/html", **options: object) -> Export:
    """Return the export of a page in UTF-8 with all the resources."""
    root = Resource(source.encode(), f"{media_type}; charset=utf-8", BASE)
    return single_html(mhtml.open(mhtml.build(root, RESOURCES)), **options)  # type: ignore[arg-type]


def inert(source: str, media_type: str = "text/html") -> str:
    """Return what a page becomes, without what stands first in its head."""
    return export(source, media_type).html.replace(HEAD, "", 1)


UNCHANGED = [
    "<!DOCTYPE html><p class=a id='b'>c &amp; d<br/>e</p><!-- f -->",
    "<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01//EN'><P>a<UL><LI>b",
    "<a href=#b>c</a><a name=b></a><o:p>d</o:p>",
    "<style>a > b{c:d}</style><p style='e:f'>",
    "<svg viewBox='0 0 1 1'><defs><g id=a /></defs><use href='#a'/><rect fill='url(#b)'/></svg>",
    "<input name=a value='javascript:b'><img alt='JavaScript: c' src=''>",
    "<meta name=viewport content=a><meta http-equiv=x-ua-compatible content=b>",
    "a\x00b\r\nc",
]


@pytest.mark.parametrize("source", UNCHANGED)
def test_rfc2557_w11_the_rest_stays_byte_for_byte(source: str) -> None:
    assert inert(source) == source


EMBEDDED = [
    ("image", "<img src=i.png alt=a>", f'<img src="{PIXELS}" alt="a">'),
    ("image-data", f"<img src={PIXELS}>", f"<img src={PIXELS}>"),
    ("image-data-odd", "<img src='data:image/svg+xml,<svg/>'>",
     '<img src="data:image/svg+xml;base64,PHN2Zy8+">'),
    ("srcset", "<img srcset='i.png 1x,gone.png 2x, v.svg'>",
     f'<img srcset="{PIXELS} 1x, data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9J3gnLz4=">'),
    ("srcset-gone", "<img srcset='gone.png 2x'>", "<img>"),
    ("blob", "<img src=blob:b>", f'<img src="{PIXELS}">'),
    ("gone", "<img src=gone.png>", '<img src="data:,">'),
    ("background", "<body background=i.png>", f'<body background="{PIXELS}">'),
    ("media", "<video poster=i.png autoplay><source src=a.wav></video>",
     f'<video poster="{PIXELS}"><source src="data:audio/wav;base64,UklGRg=="></video>'),
    ("input", "<input type=image src=i.png>", f'<input type="image" src="{PIXELS}">'),
    ("icon", "<link rel=icon href=i.png>", f'<link rel="icon" href="{PIXELS}">'),
    ("style-attribute", "<p style='a:url(i.png)'>", f'<p style="a:url({PIXELS})">'),
    ("style", "<style>a{b:url( 'i.png' )}</style>", f"<style>a{{b:url( '{PIXELS}' )}}</style>"),
    ("svg-image", "<svg><image xlink:href=i.png /></svg>",
     f'<svg><image xlink:href="{PIXELS}" /></svg>'),
    ("object-picture", "<object data=i.png width=1>a<b>c</b></object>d",
     f'<img width="1" src="{PIXELS}"><template>a<b>c</b></template>d'),
    ("object-other", "<object data=p.pdf type=a>b</object>", "<object>b</object>"),
    ("object-nested", "<object data=p.pdf><object data=i.png>b</object>c</object>",
     f'<object><img src="{PIXELS}"><template>b</template>c</object>'),
    ("object-gone", "<object data=gone></object><object></object>", "<object></object>" * 2),
    ("fragment-of-a-drawing", "<img src='v.svg#a'>",
     '<img src="data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9J3gnLz4=#a">'),
    ("data-without-type", "<img src='data:;base64,A(A'>", '<img src="data:text/plain;base64,">'),
    ("odd-type", "<img src=odd>", '<img src="data:application/octet-stream;base64,eA==">'),
    ("embed", "<embed src=i.png><embed src=p.pdf type=a>", f'<img src="{PIXELS}"><embed>'),
]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "made"), [c[1:] for c in EMBEDDED], ids=[c[0] for c in EMBEDDED]
)
def test_rfc2557_s75_references_are_satisfied_from_within(source: str, made: str) -> None:
    assert inert(source) == made


TAKEN_OUT = [
    ("script", "a<script src=x>b</script>c", "ac"),
    ("script-in-svg", "<svg><script>a</script>b</svg>", "<svg>b</svg>"),
    ("handlers", "<p onclick=a ONLOAD=b class=c>", '<p class="c">'),
    ("handlers-twice", "<p onclick=a onclick=b>", "<p>"),
    ("javascript", "<a href='javascript:a'>", "<a>"),
    ("javascript-hidden", "<a href=' \x01java\nscript&colon;a'>", "<a>"),
    ("vbscript", "<a href=VbScript:a>", "<a>"),
    ("blob-link", "<a href=blob:b>", "<a>"),
    ("data-link", "<a href=data:text/html,a>", "<a>"),
    ("animation", "<svg><set attributeName=href to=javascript:a /></svg>", "<svg><set /></svg>"),
    ("refresh", "<meta http-equiv=refresh content=0;url=a>b", "b"),
    ("policy", "<meta http-equiv=Content-Security-Policy content=a>b", "b"),
    ("charset", "<meta charset=koi8-r><meta http-equiv=content-type content=a>b", "b"),
    ("referrer", "<meta name=Referrer content=unsafe-url>b", "b"),
    ("base", "<base href=/x target=y><a href=z>", '<a href="http://site.example/z">'),
    ("form", "<form action=a method=post><button formaction=b>", '<form method="post"><button>'),
    ("ping", "<a href=x ping=y>", f'<a href="{BASE}x">'),
    ("focus", "<input autofocus name=a>", '<input name="a">'),
    ("integrity", "<link rel=icon href=gone integrity=a>", '<link rel="icon" href="data:,">'),
    ("manifest", "<html manifest=a>", "<html>"),
    ("base-that-runs", "<base href='javascript:/x/'><a href=y>", "<a>"),
    ("foreign-drawing-gone", "<svg><use href=gone /></svg>", "<svg><use /></svg>"),
    ("link-without-reference", "<link rel=stylesheet>a", "a"),
    ("foreign-drawing", "<svg><use href='v.svg#a'/></svg>", "<svg><use /></svg>"),
    ("applet", "<applet code=a archive=b>c</applet>", "<applet>c</applet>"),
    ("old-images", "<img lowsrc=a dynsrc=b>", "<img>"),
    ("portal", "<portal src=a>", "<portal>"),
    ("noscript", "<noscript>a<b>c</b></noscript>", "a<b>c</b>"),
    ("fallbacks", "<noembed><b></noembed><noframes><i></noframes>a",
     "<noembed></noembed><noframes></noframes>a"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "made"), [c[1:] for c in TAKEN_OUT], ids=[c[0] for c in TAKEN_OUT]
)
def test_rfc2557_s73_nothing_runs(source: str, made: str) -> None:
    assert inert(source) == made


HINTS = [
    "preconnect",
    "dns-prefetch",
    "prefetch",
    "preload",
    "modulepreload",
    "prerender",
    "manifest",
]


@pytest.mark.parametrize("relation", [*HINTS, "next", "pingback", "dns-prefetch canonical", ""])
def test_replay_r2_hints_are_removed(relation: str) -> None:
    """replay-r2."""
    assert inert(f"<link rel='{relation}' href=//x.example/>a") == "a"


def test_links_that_say_something_stay_absolute() -> None:
    made = inert("<link rel='canonical' href=/x><link rel=license href=y>")
    assert (
        made
        == f'<link rel="canonical" href="http://site.example/x"><link rel="license" href="{BASE}y">'
    )


NAVIGATION = [
    ("relative", "../x?y#z", "http://site.example/x?y#z"),
    ("absolute", "https://other.example/x", "https://other.example/x"),
    ("fragment", "#x", "#x"),
    ("same-page", "http://site.example/d/#x", "http://site.example/d/#x"),
    ("mail", "mailto:a@b.example", "mailto:a@b.example"),
    ("illegal", 'x y"<>', f"{BASE}x%20y%22%3C%3E"),
    ("not-ascii", "\xe9", f"{BASE}%C3%A9"),
]


@pytest.mark.parametrize(
    ("reference", "made"), [c[1:] for c in NAVIGATION], ids=[c[0] for c in NAVIGATION]
)
def test_links_show_where_they_led(reference: str, made: str) -> None:
    found = inert(f'<a title=t href="{html.escape(reference)}">')
    assert found in (f'<a title="t" href="{made}">', f'<a title=t href="{made}">')


NO_TAGS = [
    ("text-joined", "<<script></script>img src=x>", "&lt;img src=x>"),
    ("comment", "<!-- <b> --><!-- > --><!a><?b>", "<!---->" * 4),
    ("title", "<title>a<b></title>", "<title>a&lt;b></title>"),
    ("textarea", "<textarea><b></textarea>", "<textarea>&lt;b></textarea>"),
    ("xmp", "<xmp><b>&amp;</xmp>", "<pre>&lt;b&gt;&amp;amp;</pre>"),
    ("plaintext", "<plaintext>\na<b>", "<pre>\n\na&lt;b&gt;"),
    ("cdata", "<svg><![CDATA[<img onerror=x>]]></svg>", "<svg>&lt;img onerror=x&gt;</svg>"),
    ("value", "<p title='<b>'>", '<p title="&lt;b>">'),
    ("name", "<p <b>", "<p>"),
    ("tag-name", "<a<b>c</a<b>", "c"),
    ("end-tag", "</p <b>", "</p>"),
    ("doctype", "<!DOCTYPE html '<b>", "<!DOCTYPE html>"),
    ("doctype-later", "<p><!DOCTYPE html><!DOCTYPE <>", "<p><!DOCTYPE html><!DOCTYPE html>"),
    ("cut-off", "a<p title='", "a"),
    ("style", "<style>a{b:'<c'}/*<d>*/<!--e<f</style>", "<style>a{b:'\\3c c'}/*d>*/e< f</style>"),
    ("style-in-svg", "<svg><style>a{b:'&lt;c'}<i>u</i>rl(//x)</style></svg>",
     "<svg><style>a{b:'\\3c c'}url(data:,)</style></svg>"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "made"), [c[1:] for c in NO_TAGS], ids=[c[0] for c in NO_TAGS])
def test_no_reader_finds_a_tag_where_there_was_none(source: str, made: str) -> None:
    assert inert(source).replace("&gt;", ">") == made.replace("&gt;", ">")


# ---------------------------------------------------------------- style sheets
def sheet_of(made: str) -> str:
    """Return the style sheet that the first link holds."""
    found = re.search(r"data:text/css;charset=utf-8;base64,([A-Za-z0-9+/=]*)", made)
    assert found is not None
    return base64.b64decode(found[1]).decode()


def test_a_style_sheet_holds_what_it_refers_to() -> None:
    made = export("<link rel=stylesheet media=print href=s.css>")
    assert sheet_of(made.html) == f"a{{b:url('{PIXELS}')}}"
    assert 'media="print"' in made.html
    assert made.unresolved == ()


def test_an_imported_style_sheet_is_inside_the_other() -> None:
    outer = sheet_of(export("<link rel=stylesheet href=t.css>").html)
    assert outer.endswith("' print;\xe9{}")
    assert sheet_of(outer) == f"a{{b:url('{PIXELS}')}}"


def test_style_sheets_in_data_are_read_too() -> None:
    source = "<link rel=stylesheet href='data:text/css;charset=koi8-r,a{b:url(i.png)%C1}'>"
    assert sheet_of(export(source).html) == f"a{{b:url({PIXELS})\u0430}}"


def test_style_sheets_nest_to_a_depth() -> None:
    sheets = [Resource(f"@import '{n + 1}';".encode(), "text/css", f"{BASE}{n}") for n in range(12)]
    root = Resource(b"<style>@import '0'; @import '0';</style>", "text/html", BASE)
    made = single_html(mhtml.open(mhtml.build(root, sheets)))
    assert made.left_out == (BASE + "7",)


def test_a_style_sheet_that_imports_itself_ends() -> None:
    made = export("<link rel=stylesheet href=loop.css>")
    assert sheet_of(made.html) == "@import 'data:,';"
    assert (made.unresolved, made.left_out) == ((), ())


# ---------------------------------------------------------------- frames
def frame_of(made: str) -> str:
    """Return the document in the first frame."""
    found = re.search(r'srcdoc="([^"]*)"', made)
    assert found is not None
    return html.unescape(found[1])


FRAMES = [
    ("page", "<iframe src=f.html></iframe>", f'<title>f</title><img src="{PIXELS}">'),
    ("frame", "<frameset><frame src=f.html></frameset>", f'<title>f</title><img src="{PIXELS}">'),
    ("srcdoc", "<iframe srcdoc='<img src=i.png onload=x>'></iframe>", f'<img src="{PIXELS}">'),
    ("srcdoc-first", "<iframe src=f.html srcdoc=a></iframe>", "a"),
    ("data", "<iframe src='data:text/html,<p onclick=x>a'></iframe>", "<p>a"),
    ("data-base64", "<iframe src=data:text/html;base64,PGI+YQ></iframe>", "<b>a"),
    ("text", "<iframe src=t.txt></iframe>", "<pre>\n1 &lt; 2</pre>"),
    ("image", "<iframe src=i.png></iframe>", f'<img alt="" src="{PIXELS}">'),
    ("drawing", "<iframe src=v.svg></iframe>", '<img alt="" src="data:image/svg+xml;base64,'),
    ("other", "<iframe src=p.pdf></iframe>", "<p>application/pdf, 4 octets</p>"),
]


@pytest.mark.parametrize(("source", "made"), [c[1:] for c in FRAMES], ids=[c[0] for c in FRAMES])
def test_frames_hold_their_document(source: str, made: str) -> None:
    page = inert(source)
    assert made in frame_of(page)
    assert 'sandbox=""' in page
    assert " src=" not in page.partition(" srcdoc=")[0]


def test_what_a_frame_falls_back_on_is_gone() -> None:
    assert (
        inert("<iframe src=gone.html name=a>b<c></iframe>d")
        == '<iframe name="a" sandbox="" srcdoc=""></iframe>d'
    )


def test_frames_nest_to_a_depth() -> None:
    made = export("<iframe src=deep.html></iframe>", max_depth=3)
    assert made.left_out == ()
    nested = mhtml.Resource(b"<iframe src=b.html></iframe>", "text/html", BASE)
    other = mhtml.Resource(b"<iframe src=.></iframe>", "text/html", BASE + "b.html")
    made = single_html(mhtml.open(mhtml.build(nested, [other])), max_depth=3)
    assert made.left_out == (BASE,)
    assert made.html.count("srcdoc") == 4


def test_a_document_in_two_frames_is_made_once_and_shown_twice() -> None:
    made = inert("<iframe src=f.html></iframe><iframe src=f.html></iframe>")
    assert made.count(html.escape(f'<img src="{PIXELS}">')) == 2


def test_framesets_become_grids() -> None:
    made = inert(
        "<frameset rows='20%,*' cols=100><frame src=f.html><frameset></frameset></frameset>"
    )
    assert (
        'style="display:grid;grid-template:20% minmax(0,1fr)/100px;position:fixed;inset:0"' in made
    )
    assert made.endswith("</div></div>")


# ---------------------------------------------------------------- what is listed
def test_rfc2557_s74_what_is_not_within_is_listed_and_not_fetched() -> None:
    made = export("<img src=gone.png><img src=gone.png><img src=//x.example/y><p style='a:url(z)'>")
    assert made.unresolved == (BASE + "gone.png", "http://x.example/y", BASE + "z")
    assert "example" not in made.html


def test_what_never_was_anywhere_is_not_listed() -> None:
    made = export("<iframe src=about:blank></iframe><img src=javascript:x><a href=vbscript:x>")
    assert (made.unresolved, made.left_out) == ((), ())


def test_what_would_be_too_large_is_left_out() -> None:
    made = export("<img src=i.png><img src=i.png><img src=v.svg>", max_bytes=2 * len(PIXELS))
    assert made.html.count(PIXELS) == 2
    assert made.left_out == (BASE + "v.svg",)


def test_what_cannot_be_shown_without_running_is_listed() -> None:
    made = export("<object data=p.pdf></object><svg><use href='v.svg#a'/></svg>")
    assert made.left_out == (BASE + "p.pdf", BASE + "v.svg#a")


def test_replay_r5_another_aggregate_satisfies_nothing() -> None:
    """replay-r5: a label says what a part answers to, inside its own aggregate."""
    inner = mhtml.build(
        Resource(b"x", "text/html", BASE + "in.html"),
        [Resource(PNG, "image/png", BASE + "only.png")],
    )
    nested = Resource(inner, "message/rfc822", BASE + "inner.eml")
    root = Resource(b"<img src=only.png>", "text/html", BASE)
    made = single_html(mhtml.open(mhtml.build(root, [nested])))
    assert made.unresolved == (BASE + "only.png",)


# ---------------------------------------------------------------- head, marks, kinds of root
HEADS = [
    ("<!DOCTYPE html><html><head><title>", "<!DOCTYPE html><html><head>|<title>"),
    ("<!-- a --><HTML lang=b>\n<HEAD c>\n", "<!-- a --><HTML lang=b>\n<HEAD c>|\n"),
    ("<!DOCTYPE html><title>", "<!DOCTYPE html>|<title>"),
    ("<p><head>", "|<p><head>"),
    ("a<head>", "|a<head>"),
    ("", "|"),
]


@pytest.mark.parametrize(("source", "made"), HEADS)
def test_the_charset_is_first_in_the_head(source: str, made: str) -> None:
    assert export(source).html == made.replace("|", HEAD)


def test_the_one_script_is_the_callers() -> None:
    script = "c < d && e('\xe9')"
    made = export("<script>a</script><p onclick=b>", inline_script=script)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    head = HEAD.replace("script-src 'none'", f"script-src 'sha256-{digest}'")
    start, _, rest = made.html.partition("<style>")
    style, _, end = rest.partition("</style>")
    assert (start, end) == (f"{head}<script>{script}</script>", "<p>")
    assert style.startswith("mark.permacite-mark{")  # of what the script marks


@pytest.mark.parametrize("script", ["a</SCRIPT >", "'<!--'"])
def test_a_script_that_would_end_its_element_is_refused(script: str) -> None:
    with pytest.raises(ValueError, match="script"):
        export("", inline_script=script)


def test_the_pages_own_scripts_stay_when_asked_for() -> None:
    source = "<script>a<b</script><p onclick=c><script src=gone.js></script>"
    made = export(source, include_scripts=True)
    head = HEAD.replace("script-src 'none'", "script-src 'unsafe-inline' data:")
    assert made.html == head + '<script>a<b</script><p onclick=c><script src="data:,"></script>'


PAGE = (
    "<h1>One</h1><p>two &amp; <b>three</b><select><option>four</select> five"
    "<table> <tr><td>six</table>"
)


def marked(*quotes: str) -> str:
    """Return PAGE with marks around quotes, as `[...]`, the first as `{...]`."""
    places = [(PAGE.index(quote), PAGE.index(quote) + len(quote)) for quote in quotes]
    made = export(PAGE, marks=places)
    text = re.sub("<style>.*?</style>", "", made.html.removeprefix(HEAD))
    text = text.replace('<mark class="permacite-mark" id="permacite-mark">', "{")
    text = text.replace('<mark class="permacite-mark">', "[").replace("</mark>", "]")
    assert made.marks == text.count("[") + text.count("{")
    return text


MARKED = [
    ("text", ["two"], "<p>{two] &amp;"),
    ("across-elements", ["wo &amp; <b>thr"], "t{wo &amp; ]<b>[thr]ee</b>"),
    ("cut-reference", ["o &am"], "tw{o &amp;] <b>"),
    ("cut-reference-behind", ["mp; "], "two {&amp; ]<b>"),
    ("two", ["six", "One"], "<h1>{One]</h1>"),
    ("overlapping", ["two", "wo &amp;"], "<p>{two &amp;] <b>"),
    ("options-are-not-marked", ["four</select> fi"], "<option>four</select>{ fi]ve"),
    ("white-space-is-not-marked", ["five<table> <tr><td>six"], "{five]<table> <tr><td>[six]"),
    ("nothing", ["<b>", ""], PAGE),
]


@pytest.mark.parametrize(("quotes", "made"), [c[1:] for c in MARKED], ids=[c[0] for c in MARKED])
def test_replay_r4_marks_enclose_text(quotes: list[str], made: str) -> None:
    """replay-r4: the mark is made in a copy."""
    assert made in marked(*quotes)


def test_marks_lead_from_the_plain_text() -> None:
    rendition = plain_text(PAGE)
    start = rendition.text.index("two & three")
    made = export(PAGE, marks=[rendition.source_range(start, start + 11)])
    assert re.findall(r"<mark[^>]*>(.*?)</mark>", made.html) == ["two &amp; ", "three"]
    assert plain_text(made.html).text == rendition.text


XHTML = [
    ("empty-elements", "<div/><p>a<br/></p><title/>", "<div></div><p>a<br/></p><title></title>"),
    ("end-of-void", "<br></br>", "<br>"),
    ("prefixes", "<h:p xmlns:h='u'>a</h:p>", '<p xmlns:h="u">a</p>'),
    ("cdata", "<p><![CDATA[a<b>]]></p>", "<p>a&lt;b&gt;</p>"),
    ("style", "<style>a &gt; b{c:url(&quot;i.png&quot;)}<![CDATA[d]]></style>",
     f'<style>a > b{{c:url("{PIXELS}")}}d</style>'),
    ("script", "<script src='a'/>b", "b"),
    ("object", "<object data='i.png'/>b", f'<img src="{PIXELS}"></object>b'),
    ("upper-case-is-html-too", "<META HTTP-EQUIV='refresh' CONTENT='0;a'/>b", "b"),
    ("doctype", "<!DOCTYPE html [<!ENTITY a 'b'>]><p>c</p>", "<!DOCTYPE html><p>c</p>"),
    ("declaration", "<?xml version='1.0'?><p>a</p>", "<p>a</p>"),
    ("svg", "<svg><path d='a'/></svg>", "<svg><path d='a'/></svg>"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "made"), [c[1:] for c in XHTML], ids=[c[0] for c in XHTML])
def test_xhtml_becomes_html(source: str, made: str) -> None:
    assert inert(source, "application/xhtml+xml") == made


def test_the_style_sheet_of_an_instruction_is_linked() -> None:
    source = "<?xml-stylesheet type='text/xsl' href='v.svg'?><?xml-stylesheet href='s.css'?><html/>"
    made = export(source, "application/xhtml+xml")
    assert made.html.count("stylesheet") == 1
    assert sheet_of(made.html) == f"a{{b:url('{PIXELS}')}}"


ROOTS = [
    ("image/png", "x", '<body><img alt="" src="data:image/png;base64,eA=="></body>'),
    ("image/svg+xml", "<svg onload='x'/>", '<img alt="" src="data:image/svg+xml;base64,'),
    ("audio/mpeg", "x", '<audio controls src="data:audio/mpeg;base64,eA=="></audio>'),
    ("video/mp4", "x", '<video controls src="data:video/mp4;base64,eA=="></video>'),
    ("text/plain", "a<b>&amp;", "<pre>\na&lt;b&gt;&amp;amp;</pre>"),
    ("application/json", '{"a":"<b>"}', '<pre>\n{"a":"&lt;b&gt;"}</pre>'),
    ("application/xml", "<a/>", "<pre>\n&lt;a/&gt;</pre>"),
    ("application/pdf", "x", "<p>application/pdf, 1 octets</p>"),
]


@pytest.mark.parametrize(("media_type", "source", "made"), ROOTS)
def test_other_roots_are_shown(media_type: str, source: str, made: str) -> None:
    page = export(source, media_type).html
    assert made in page
    assert f"<title>{BASE}</title>" in page


def test_plain_text_is_marked_too() -> None:
    made = export("one < two three", "text/plain", marks=[(4, 9)])
    assert 'one <mark class="permacite-mark" id="permacite-mark">&lt; two</mark> three' in made.html


def test_another_part_can_be_shown() -> None:
    aggregate = mhtml.open(mhtml.build(Resource(b"a", "text/html", BASE), RESOURCES))
    part = aggregate.resolve("f.html").part
    assert f'<img src="{PIXELS}">' in single_html(aggregate, part).html


@pytest.mark.parametrize("source", [source for _, source, _ in (*EMBEDDED, *TAKEN_OUT)])
def test_an_export_of_an_export_is_the_same(source: str) -> None:
    once = inert(source)
    assert inert(once).replace("<template></template>", "") == once
    assert sum(token.end - token.start for token in tokenize(once)) == len(once)
