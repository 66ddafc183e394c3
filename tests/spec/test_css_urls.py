"""CSS Syntax Level 3 §4: the references of style sheets, and what only looks like one."""

from __future__ import annotations

import pytest

from permacite.markup import css_urls

FOUND = [
    # section, source, (kind, value) pairs
    ("s4.3.6-bare", "a{b:url(x.png)}", [("url", "x.png")]),
    ("s4.3.6-white-space", "url(\n x.png\t)", [("url", "x.png")]),
    ("s4.3.6-case", "URL(x)uRl(y)", [("url", "x"), ("url", "y")]),
    ("s4.3.6-empty", "url()url('')", [("url", ""), ("url", "")]),
    ("s4.3.6-at-the-end", "url(x", [("url", "x")]),
    ("s4.3.6-data", "url(data:image/png;base64,AA==)", [("url", "data:image/png;base64,AA==")]),
    ("s4.3.4-quoted", "url('x y')url( \"(')\" )", [("url", "x y"), ("url", "(')")]),
    ("s4.3.5-at-the-end", "url('x", [("url", "x")]),
    ("s4.3.5-line-continued", "url('a\\\nb\\\r\nc')", [("url", "abc")]),
    ("s4.3.7-hexadecimal", "url(\\000041 b\\42)", [("url", "AbB")]),
    ("s4.3.7-character", "url(a\\)\\'b)url('\\'')", [("url", "a)'b"), ("url", "'")]),
    ("s4.3.7-out-of-range", "url(\\110000 \\0 \\d800 )", [("url", "\ufffd\ufffd\ufffd")]),
    ("s4.3.7-escaped-name", "u\\72l(x)\\75 RL(y)", [("url", "x"), ("url", "y")]),
    ("s4.3.7-cut-off", "url(a\\", [("url", "a\ufffd")]),
    ("s4.3.7-cut-off-after-escapes", "url(a\\\\\\", [("url", "a\\\ufffd")]),
    ("s4.3.5-cut-off", "url('a\\", [("url", "a")]),
    ("s3.3-nul", "url(a\0b)url('\0')", [("url", "a\ufffdb"), ("url", "\ufffd")]),
    ("s3.3-nul-in-a-name", "\0url(a)u\0rl(b)", []),
    ("s4.3.14-bad-url", 'url(a b)url(c"d\\)e)url(f)', [("url", "f")]),
    ("s4.3.14-bad-escape", "url(a\\\nb)url(c)", [("url", "c")]),
    ("s4.3.5-bad-string", "url('a\n)url(b)", [("url", "b")]),
    ("s4.3.2-comments", "/*url(a)*/url(b)/*", [("url", "b")]),
    ("s4.3.6-no-comments-inside", "url(/*a*/b)", [("url", "/*a*/b")]),
    ("s4.3.5-strings", "a{content:'url(a)' \"url(b)\"}", []),
    ("s4.3.9-other-names", "myurl(a)-url(b)\xe9url(c)url-prefix(d)\\6d url(e)", []),
    ("s4.3.9-escape-of-nothing", "u\\\nrl(a)\\", []),
    ("values-src", "src('a')src(b)", [("url", "a"), ("url", "b")]),
    ("values-inside-functions", "f(url(a),g(url('b')))", [("url", "a"), ("url", "b")]),
    ("cascade-import-string", "@import 'a' b;@IMPORT 'c';", [("import", "a"), ("import", "c")]),
    ("cascade-import-url", "@import url(a);@import\nurl('b')", [("import", "a"), ("import", "b")]),
    ("cascade-import-comments", "@import/*'x'*/'b'", [("import", "b")]),
    ("cascade-import-escaped", "@\\69mport 'a'", [("import", "a")]),
    ("cascade-import-without", "@import; @import a; @importx 'b'; @import", []),
    ("cascade-import-then", "@import 'a' supports(b:url(c))", [("import", "a"), ("url", "c")]),
    ("namespaces", "@namespace 'a';@namespace b url(c);@namespace url('d');url(e)", [("url", "e")]),
    ("fonts", "@font-face{src:local(a),url(b)}d{e:url(f)}", [("font", "b"), ("url", "f")]),
    ("fonts-without-block", "@font-face; a{b:url(c)}", [("url", "c")]),
    ("image-set", "image-set('a' 1x,url(b) 2x,'c' type('d'),url('e') 3x)'f'",
     [("image", "a"), ("url", "b"), ("image", "c"), ("url", "e")]),
    ("image-set-prefixed", "-webkit-image-set('a' 1x)", [("image", "a")]),
    ("image-set-never-closed", "image-set('a';'b'} 'c'", [("image", "a")]),
    ("charset-is-no-reference", "@charset 'a';", []),
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), [c[1:] for c in FOUND], ids=[c[0] for c in FOUND])
def test_finds(source: str, expected: list[tuple[str, str]]) -> None:
    assert [(url.kind, url.value) for url in css_urls(source)] == expected


PLACES = [
    # source, the raw value as it stands in it, the quotation mark
    ("a{b:url( x.png )}", "x.png", ""),
    ("a{b:url( 'x\\'y' )}", "x\\'y", "'"),
    ('@import "x";', "x", '"'),
    ("u\\72l(\\41 )", "\\41 ", ""),
    ("image-set('x' 1x)", "x", "'"),
    ("url()", "", ""),
]


@pytest.mark.parametrize(("source", "raw", "quote"), PLACES)
def test_values_have_places(source: str, raw: str, quote: str) -> None:
    (url,) = css_urls(source)
    assert (source[url.start : url.end], url.quote) == (raw, quote)


HOSTILE = [
    "url(",
    "url('",
    "@import ",
    "@import/*",
    "/*",
    "\\",
    "\\a",
    "'",
    "'\\",
    "@",
    "a",
    'url(a"',
]
HOSTILE += [
    "image-set(",
    "image-set('",
    "(",
    "-",
    "u\\",
    "@namespace ",
    "@font-face{",
    "url( ",
    "\\\n",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_takes_linear_time(piece: str) -> None:
    """Were it quadratic, each of these would take minutes."""
    for source in (piece * (300_000 // len(piece)), "image-set(" + piece * 50_000):
        assert all(url.end <= len(source) for url in css_urls(source))
