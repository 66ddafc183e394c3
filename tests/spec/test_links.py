"""Links: every reference of a page or style sheet is found, at its place, unchanged."""

from __future__ import annotations

import pytest

from permacite.mhtml.links import Link, references, references_in, rewrite


def found(source: str, media_type: str = "text/html", *, lazy: bool = False) -> list[str]:
    """Return the references as `role kind element.attribute value`."""
    return [
        f"{link.role} {link.kind} {link.element}.{link.attribute} {link.value}"
        for link in references_in(source, media_type, lazy=lazy)
    ]


HTML = [
    # the element, source, references
    (
        "a",
        "<a href=x ping='y z'>",
        ["navigate anchor a.href x", "hint ping a.ping y", "hint ping a.ping z"],
    ),
    ("area", "<area href=x>", ["navigate anchor area.href x"]),
    ("base", "<base href=x target=y>", ["base base base.href x"]),
    (
        "body",
        "<body background=x><td background=y>",
        ["embed image body.background x", "embed image td.background y"],
    ),
    (
        "cite",
        "<blockquote cite=x><q cite=y><ins cite=z><del cite=w>",
        [
            "navigate cite blockquote.cite x",
            "navigate cite q.cite y",
            "navigate cite ins.cite z",
            "navigate cite del.cite w",
        ],
    ),
    (
        "form",
        "<form action=x><button formaction=y><input formaction=z>",
        [
            "navigate form form.action x",
            "navigate form button.formaction y",
            "navigate form input.formaction z",
        ],
    ),
    (
        "frame",
        "<frame src=x longdesc=y><iframe src=z>",
        ["embed frame frame.src x", "navigate cite frame.longdesc y", "embed frame iframe.src z"],
    ),
    (
        "img",
        "<img src=x srcset='y 1x, z 2x' usemap=#m longdesc=d>",
        [
            "embed image img.src x",
            "embed image img.srcset y",
            "embed image img.srcset z",
            "navigate cite img.longdesc d",
        ],
    ),
    ("img-tag-name-image", "<image src=x>", ["embed image image.src x"]),
    ("input", "<input type=Image src=x><input src=y>", ["embed image input.src x"]),
    ("link-style", "<link rel='Alternate StyleSheet' href=x>", ["embed stylesheet link.href x"]),
    (
        "link-icon",
        "<link rel='shortcut icon' href=x><link rel=apple-touch-icon href=y>",
        ["embed icon link.href x", "embed icon link.href y"],
    ),
    (
        "link-hint",
        "<link rel=preconnect href=x><link rel=dns-prefetch href=y>",
        ["hint preconnect link.href x", "hint dns-prefetch link.href y"],
    ),
    (
        "link-preload",
        "<link rel=preload href=x imagesrcset='y 1x'><link rel=manifest href=z>",
        [
            "hint preload link.href x",
            "hint preload link.imagesrcset y",
            "hint manifest link.href z",
        ],
    ),
    (
        "link-other",
        "<link rel=canonical href=x><link href=y>",
        ["navigate link link.href x", "navigate link link.href y"],
    ),
    ("manifest", "<html manifest=x>", ["hint manifest html.manifest x"]),
    (
        "media",
        "<video src=x poster=y><source src=z><track src=w></video><audio src=v>",
        [
            "embed media video.src x",
            "embed image video.poster y",
            "embed media source.src z",
            "embed track track.src w",
            "embed media audio.src v",
        ],
    ),
    (
        "meta-refresh",
        "<meta http-equiv=Refresh content='5; URL=\"x\"'>",
        ["refresh refresh meta.content x"],
    ),
    ("meta-other", "<meta name=x content='5;url=y'><meta http-equiv=refresh content=5>", []),
    (
        "object",
        "<object data=x archive='y z' codebase=c><embed src=w><applet archive='p,q'>",
        [
            "embed object object.data x",
            "embed object object.archive y",
            "embed object object.archive z",
            "hint codebase object.codebase c",
            "embed object embed.src w",
            "embed object applet.archive p",
            "embed object applet.archive q",
        ],
    ),
    (
        "picture",
        "<picture><source srcset=x><img src=y></picture>",
        ["embed image source.srcset x", "embed image img.src y"],
    ),
    ("script", "<script src=x></script>", ["embed script script.src x"]),
    ("script-text-is-not-markup", "<script>'<img src=x>'</script>", []),
    ("comment-is-not-markup", "<!--<img src=x>-->", []),
    ("noscript-is-markup", "<noscript><img src=x></noscript>", ["embed image img.src x"]),
    (
        "style",
        "<style>@import 'x';@font-face{src:url(y)}a{b:url(z)}</style>",
        [
            "embed import style.@import x",
            "embed font style.@font-face y",
            "embed style-url style.url() z",
        ],
    ),
    ("style-of-another-language", "<style type=text/less>a{b:url(z)}</style>", []),
    ("style-attribute", "<p style='a:url(&quot;x&quot;)'>", ["embed style-url p.style x"]),
    (
        "srcdoc",
        "<iframe srcdoc='<img src=x>&lt;a href=&quot;y&quot;>'>",
        ["embed image img.src x", "navigate anchor a.href y"],
    ),
    (
        "svg",
        "<svg><image xlink:href=x /><use href=#y /><feImage href=z /><a xlink:href=w>",
        [
            "embed image image.href x",
            "embed svg use.href #y",
            "embed image feimage.href z",
            "navigate anchor a.href w",
        ],
    ),
    (
        "svg-paint",
        "<svg><rect fill='url(#x)' mask='url(y#z)'/>",
        ["embed style-url rect.fill #x", "embed style-url rect.mask y#z"],
    ),
    ("svg-script", "<svg><script href=x></script>", ["embed script script.href x"]),
    (
        "svg-style",
        "<svg><style>a{b:url(&quot;x&quot;)}<![CDATA[c{d:url(y)}]]></style>",
        ["embed style-url style.url() x", "embed style-url style.url() y"],
    ),
    ("names-with-colons-are-no-prefixes", "<o:a href=x><a o:href=y>", []),
    ("no-value", "<img src><a href>", []),
    ("empty", "<img src=''><a href=' '>", ["embed image img.src ", "navigate anchor a.href "]),
    ("second-attribute-does-not-count", "<img src=x src=y>", ["embed image img.src x"]),
]


@pytest.mark.parametrize(("source", "expected"), [c[1:] for c in HTML], ids=[c[0] for c in HTML])
def test_html(source: str, expected: list[str]) -> None:
    assert found(source) == expected


OTHERS = [
    (
        "text/css",
        "@import 'x';a{b:url(y)}",
        ["embed import .@import x", "embed style-url .url() y"],
    ),
    (
        "application/xhtml+xml",
        "<h:img xmlns:h='' src='x'/><script src='y'/><img src='z'/>",
        ["embed image img.src x", "embed script script.src y", "embed image img.src z"],
    ),
    (
        "image/svg+xml",
        "<?php a?><?xml-stylesheet type='a' href='x'?><svg:image l:href='y' xmlns:l=''/>",
        ["embed stylesheet xml-stylesheet.href x", "embed image image.href y"],
    ),
    (
        "application/xml",
        "<a><![CDATA[<img src='x'/>]]><img src='&amp;&y;'/></a>",
        ["embed image img.src &&y;"],
    ),
    ("text/plain", "<img src=x>", []),
    ("image/png", "<img src=x>", []),
]


@pytest.mark.parametrize(("media_type", "source", "expected"), OTHERS)
def test_other_documents(media_type: str, source: str, expected: list[str]) -> None:
    assert found(source, media_type) == expected


def test_other_media_types_hold_no_references() -> None:
    assert list(references(b"<img src=x>", "text/plain")) == []


def test_lazy_attributes_are_found_when_asked_for() -> None:
    source = "<img data-src=x data-srcset='y 1x' data-z=z>"
    assert found(source) == []
    assert found(source, lazy=True) == [
        "embed image img.data-src x",
        "embed image img.data-srcset y",
    ]


SRCSETS = [
    ("a", ["a"]),
    (" a 1x , b 2x,c", ["a", "b", "c"]),
    ("a,b 1x", ["a,b"]),
    ("a, b", ["a", "b"]),
    (",,a,, b,", ["a", "b"]),
    ("data:image/png;base64,AA== 1x, b", ["data:image/png;base64,AA==", "b"]),
    ("a (x,y) 1x, b", ["a", "b"]),
    ("a (x, b", ["a"]),
    ("", []),
    (" , ", []),
]


@pytest.mark.parametrize(("value", "expected"), SRCSETS)
def test_srcset(value: str, expected: list[str]) -> None:
    links = references_in(f'<img srcset="{value}">', "text/html")
    assert [link.value for link in links] == expected


REFRESHES = [
    ("0;url=x", ["x"]),
    (" 5 , URL = 'x y' z", ["x y"]),
    ("5;x", ["x"]),
    ("5 x", ["x"]),
    (".5;url=x", ["x"]),
    ("5.;'x", ["x"]),
    ("5;url x", ["url x"]),
    ("5", []),
    ("5;", []),
    ("url=x", []),
    ("-1;url=x", []),
    ("", []),
]


@pytest.mark.parametrize(("content", "expected"), REFRESHES)
def test_refresh(content: str, expected: list[str]) -> None:
    links = references_in(f'<meta http-equiv=refresh content="{content}">', "text/html")
    assert [link.value for link in links] == expected


@pytest.mark.parametrize(
    ("source", "raws"),
    [
        ("<a href=' x&amp;y '>", ["x&amp;y"]),
        ("<img srcset='a&amp;b 1x,\r\nc 2x'>", ["a&amp;b", "c"]),
        ("<p style='a:url(\"x&#32;y\")'>", ["x&#32;y"]),
        ("<style>a{b:url(\\41 b)}</style>", ["\\41 b"]),
        ("<meta http-equiv=refresh content='0;url=x&amp;y'>", ["x&amp;y"]),
        ("<iframe srcdoc='<a href=&quot;x&amp;amp;y&quot;>'>", ["x&amp;amp;y"]),
        ("<iframe srcdoc='<iframe srcdoc=&quot;<a href=x>&quot;>'>", ["x"]),
    ],
)
def test_rfc2557_w11_the_raw_value_has_a_place(source: str, raws: list[str]) -> None:
    links = list(references_in(source, "text/html"))
    assert [source[link.start : link.end] for link in links] == raws


def test_offsets_count_in_the_decoded_text() -> None:
    content = "<meta charset=utf-8>\xe9<a href=\xfc>".encode()
    (link,) = references(content, "text/html; x=y")
    assert content.decode()[link.start : link.end] == link.value == "\xfc"
    (link,) = references(content, "text/html", "latin1")
    assert link.value == "\xc3\xbc"


def test_documents_in_documents_end_somewhere() -> None:
    source = "<a href=x>"
    for _ in range(6):
        source = '<iframe srcdoc="' + source.replace("&", "&amp;").replace('"', "&quot;") + '">'
    assert list(references_in(source, "text/html")) == []


def test_rewrites_in_any_order() -> None:
    assert rewrite("abcdef", [(4, 5, "E"), (0, 0, "-"), (1, 3, "")]) == "-adEf"
    assert rewrite("ab", [(1, 1, "x"), (1, 1, "y"), (1, 2, "B")]) == "axyB"
    assert rewrite("ab", []) == "ab"


@pytest.mark.parametrize(
    "edits", [[(0, 2, ""), (1, 3, "")], [(2, 1, "")], [(0, 4, "")], [(-1, 0, "")]]
)
def test_refuses_edits_that_overlap(edits: list[tuple[int, int, str]]) -> None:
    with pytest.raises(ValueError, match="edit"):
        rewrite("abc", edits)


def test_links_are_values() -> None:
    link = Link("x", "a", "href", 0, 1, "navigate", "anchor")
    assert {link} == {Link("x", "a", "href", 0, 1, "navigate", "anchor")}


@pytest.mark.parametrize(
    "piece",
    [
        "<a href=x>",
        "<img srcset='a 1x, b'>",
        "<p style='a:url(b)'>",
        "<style>url(a)",
        ",",
        "&amp;",
        "(",
    ],
)
def test_takes_linear_time(piece: str) -> None:
    """Were it quadratic, each of these would take minutes."""
    many = piece * 8000
    for source in (many, f'<img srcset="{many}">', f'<p style="{many}">', f"<a ping='{many}'>"):
        assert all(link.end <= len(source) for link in references_in(source, "text/html"))
