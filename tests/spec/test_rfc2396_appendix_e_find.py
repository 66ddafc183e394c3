"""RFC 2396 App. E and F: URI references in running text, where they begin and end."""

from __future__ import annotations

import pytest

from permacite.uri import find

EXAMPLE = """\
   Yes, Jim, I found it under "http://www.w3.org/Addressing/",
   but you can probably pick it up from <ftp://ds.internic.
   net/rfc/>.  Note the warning in <http://www.ics.uci.edu/pub/
   ietf/uri/historical.html#WARNING>.
"""


def test_the_example_of_appendix_e_gives_its_three_uris() -> None:
    """rfc2396-f08: and says how each was wrapped."""
    found = list(find(EXAMPLE))
    assert [(item.uri, item.wrapper) for item in found] == [
        ("http://www.w3.org/Addressing/", '""'),
        ("ftp://ds.internic.net/rfc/", "<>"),
        ("http://www.ics.uci.edu/pub/ietf/uri/historical.html#WARNING", "<>"),
    ]
    for item in found:
        assert "".join(EXAMPLE[item.start : item.end].split()) == item.uri


FOUND = [
    # clause id, text with the span marked by { and }, uri where it is not the span itself
    ("rfc2396-f01-white-space", "at {http://a/b} now", None),
    ("rfc2396-f01-whole-text", "{http://a/b}", None),
    ("rfc2396-f01-quotes", 'at "{http://a/b}" now', None),
    ("rfc2396-f01-angle-brackets", "at <{http://a/b}> now", None),
    ("rfc2396-f01-other-quotes", "at «{http://a/b}» and '{http://c}'", None),
    ("rfc2396-f01-in-markup", "<a href={http://a/b}>x</a>", None),
    ("rfc2396-f01-in-an-attribute", '<a href="{http://a/b}">x</a>', None),
    ("rfc2396-f01-dash", "see--{http://a/b}", None),
    ("rfc2396-f01-any-scheme-with-slashes", "{x-foo://a/b}", None),
    ("rfc2396-f01-known-opaque-schemes", "{mailto:a@b.c} {urn:isbn:1} {cid:x@y}", None),
    ("rfc2396-f01-pdi", "in {urn:pdi://a.us/1999/1/1/1.text.1#char=1,2}.", None),
    ("rfc2396-f01-any-scheme-in-brackets", "<{foo:bar}>", None),
    ("rfc2396-f02-fragment-inside", "<{http://a/b#c}>#d", None),
    ("rfc2396-f02-empty-wrappers", '<> "" < > <{http://a}>', None),
    ("rfc2396-f02-space-within", '< {http://a/b} > " {http://a/b} "', None),
    ("rfc2396-f03-line-break", "<{http://a/\n  b}>", "http://a/b"),
    ("rfc2396-f03-spaces", "<{http://a / b?\tc}>", "http://a/b?c"),
    ("rfc2396-f03-in-quotes", '"{http://a/\r\n b}"', "http://a/b"),
    ("rfc2396-f03-prose-in-quotes", '"{http://a/} is here"', None),
    ("rfc2396-f03-prose-over-lines", '"{http://a/}\nis here"', None),
    ("rfc2396-f03-prose-in-brackets", "<note: not a URI> <{http://a}>", None),
    ("rfc2396-f03-label-in-quotes", '"Note:\nthis" "foo:bar"', None),
    ("rfc2396-f05-no-space", "<URL:{http://a/b}>", None),
    ("rfc2396-f05-space", "<URL: {http://a/b}>", None),
    ("rfc2396-f05-lower-case", "<url:\n{ftp://a/b}>", None),
    ("rfc2396-f05-without-brackets", "URL:{http://a/b}", None),
    ("rfc2396-f05-no-uri", "<URL:foo> URL: x", None),
    ("rfc2396-f06-stop", "{http://a/b}. {http://a/b}, {http://a/b}; {http://a/b}:", None),
    ("rfc2396-f06-marks", "{http://a/b}! {http://a/b}? {http://a/b}?! {http://a/b}...", None),
    ("rfc2396-f06-stop-inside", "{http://a/b.c?d=e,f}.", None),
    ("rfc2396-f06-parentheses", "({http://a/b}) ({http://a/b}).", None),
    ("rfc2396-f06-balanced", "({http://a/b_(c)}) {http://a/(b)}", None),
    ("rfc2396-f06-opened-before", "(see {http://a/b}), {http://a/(}", None),
    ("rfc2396-f06-other-brackets", "[{http://a/b}] {{http://a/b}}", None),
    ("rfc2396-f06-markdown", "[a]({http://a/b_(c)}): x", None),
    ("rfc2396-f06-broken-escape", "{http://a/100}% {http://a/b}%zz", None),
    ("rfc2396-f06-not-ascii", "{http://a/}é", None),
    ("rfc2396-f06-wrapped-keeps-it", "<{http://a/b.}>", None),
    ("rfc2396-f02-nothing-after-the-scheme", "http:// mailto: urn:: http://... <a:>", None),
    ("rfc2396-f02-nothing-in-the-wrapper", '"http://" <http://> <s:/>', None),
    ("rfc2396-f02-no-scheme", "std::vector 12:30 note:this C:\\dir a/b", None),
    ("rfc2396-f02-second-fragment", "{http://a/#b}#c", None),
    ("rfc2396-f02-unclosed", '<{http://a/b} "{http://a/c}', None),
]


def marked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Take the marks out of a text, and return the spans between them."""
    plain, spans, rest = "", [], text
    while "{http" in rest or "{" in rest:
        before, _, rest = rest.partition("{")
        if rest.startswith("{"):  # a brace of the text itself
            plain += before + "{"
            continue
        inner, _, rest = rest.partition("}")
        plain += before
        spans.append((len(plain), len(plain) + len(inner)))
        plain += inner
    return plain + rest, spans


@pytest.mark.parametrize(("text", "uri"), [c[1:] for c in FOUND], ids=[c[0] for c in FOUND])
def test_finds_exactly(text: str, uri: str | None) -> None:
    """rfc2396-f07: each has its span in the text as it is."""
    plain, spans = marked(text)
    found = list(find(plain))
    assert [(item.start, item.end) for item in found] == spans
    for item in found:
        assert item.uri == (uri or plain[item.start : item.end])
        assert not item.heuristic
        assert item.alternatives == ()


HYPHENS = [
    # clause id, text, all readings
    ("rfc2396-f04-both", "<http://a/b-\nc>", ["http://a/b-c", "http://a/bc"]),
    ("rfc2396-f04-white-space-around", "<http://a/b- \r\n  c>", ["http://a/b-c", "http://a/bc"]),
    ("rfc2396-f04-in-quotes", '"http://a/b-\nc"', ["http://a/b-c", "http://a/bc"]),
    ("rfc2396-f04-no-break", "<http://a/b- c>", ["http://a/b-c"]),
    ("rfc2396-f04-at-the-end", "<http://a/b-\n>", ["http://a/b-"]),
    (
        "rfc2396-f04-two",
        "<http://a/b-\nc-\nd>",
        ["http://a/b-c-d", "http://a/b-cd", "http://a/bc-d", "http://a/bcd"],
    ),
    (
        "rfc2396-f04-many",
        "<http://a/" + "b-\n" * 5 + "c>",
        ["http://a/b-b-b-b-b-c", "http://a/bbbbbc"],
    ),
]


@pytest.mark.parametrize(
    ("text", "readings"), [c[1:] for c in HYPHENS], ids=[c[0] for c in HYPHENS]
)
def test_a_hyphen_at_a_line_end_has_two_readings(text: str, readings: list[str]) -> None:
    (found,) = find(text)
    assert [found.uri, *found.alternatives] == readings


ABBREVIATED = [
    # clause id, text, uri or None
    ("rfc2396-f09-www", "see www.w3.org/Addressing/.", "http://www.w3.org/Addressing/"),
    ("rfc2396-f09-host-alone", "(www.w3.org)", "http://www.w3.org"),
    ("rfc2396-f09-ftp", "ftp.is.co.za/rfc?x", "ftp://ftp.is.co.za/rfc?x"),
    ("rfc2396-f09-port", "www.x.org:8080/", "http://www.x.org:8080/"),
    ("rfc2396-f09-in-a-wrapper", "<URL:www.x.org>", "http://www.x.org"),
    ("rfc2396-f09-not-a-host", "www.1 www.-", None),
    ("rfc2396-f09-in-a-word", "xwww.a.b me@www.a.b /www.a.b", None),
]


@pytest.mark.parametrize(
    ("text", "uri"), [c[1:] for c in ABBREVIATED], ids=[c[0] for c in ABBREVIATED]
)
def test_abbreviated_forms_are_a_guess_on_request(text: str, uri: str | None) -> None:
    assert list(find(text)) == []
    found = list(find(text, abbreviated=True))
    assert [item.uri for item in found] == ([] if uri is None else [uri])
    for item in found:
        assert item.heuristic
        assert item.uri.endswith("//" + text[item.start : item.end])


def test_full_and_abbreviated_forms_are_found_side_by_side() -> None:
    """rfc2396-f09: what has a scheme is no guess."""
    found = list(find("http://www.a.b/ www.c.d", abbreviated=True))
    assert [(item.uri, item.heuristic) for item in found] == [
        ("http://www.a.b/", False),
        ("http://www.c.d", True),
    ]


def test_ip_literals_are_found_where_the_profile_has_them() -> None:
    """rfc2396-u11: the same text, by both grammars."""
    text = "at http://[::1]:80/x, <http://[::1]/> and //[::1]/ or http://a:b/"
    assert [item.uri for item in find(text)] == ["http://a:b/"]
    assert [item.uri for item in find(text, profile="rfc3986")] == [
        "http://[::1]:80/x",
        "http://[::1]/",
    ]
