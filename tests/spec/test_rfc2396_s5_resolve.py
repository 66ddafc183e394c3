"""RFC 2396 §5 Relative URI References and App. C: what a reference refers to, in both profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from permacite.errors import ParseError
from permacite.uri import Base, establish_base, parse, resolve

if TYPE_CHECKING:
    from permacite.uri.resolution import Excess
    from permacite.uri.syntax import Profile

BASE = "http://a/b/c/d;p?q"
SAME = "(current document)"

APPENDIX_C = [
    # reference, by RFC 2396 App. C, by RFC 3986 §5.4 where that differs
    # C.1
    ("g:h", "g:h", None),
    ("g", "http://a/b/c/g", None),
    ("./g", "http://a/b/c/g", None),
    ("g/", "http://a/b/c/g/", None),
    ("/g", "http://a/g", None),
    ("//g", "http://g", None),
    ("?y", "http://a/b/c/?y", "http://a/b/c/d;p?y"),
    ("g?y", "http://a/b/c/g?y", None),
    ("#s", SAME + "#s", "http://a/b/c/d;p?q#s"),
    ("g#s", "http://a/b/c/g#s", None),
    ("g?y#s", "http://a/b/c/g?y#s", None),
    (";x", "http://a/b/c/;x", None),
    ("g;x", "http://a/b/c/g;x", None),
    ("g;x?y#s", "http://a/b/c/g;x?y#s", None),
    (".", "http://a/b/c/", None),
    ("./", "http://a/b/c/", None),
    ("..", "http://a/b/", None),
    ("../", "http://a/b/", None),
    ("../g", "http://a/b/g", None),
    ("../..", "http://a/", None),
    ("../../", "http://a/", None),
    ("../../g", "http://a/g", None),
    # C.2
    ("", SAME, "http://a/b/c/d;p?q"),
    ("../../../g", "http://a/../g", "http://a/g"),
    ("../../../../g", "http://a/../../g", "http://a/g"),
    ("/./g", "http://a/./g", "http://a/g"),
    ("/../g", "http://a/../g", "http://a/g"),
    ("g.", "http://a/b/c/g.", None),
    (".g", "http://a/b/c/.g", None),
    ("g..", "http://a/b/c/g..", None),
    ("..g", "http://a/b/c/..g", None),
    ("./../g", "http://a/b/g", None),
    ("./g/.", "http://a/b/c/g/", None),
    ("g/./h", "http://a/b/c/g/h", None),
    ("g/../h", "http://a/b/c/h", None),
    ("g;x=1/./y", "http://a/b/c/g;x=1/y", None),
    ("g;x=1/../y", "http://a/b/c/y", None),
    ("g?y/./x", "http://a/b/c/g?y/./x", None),
    ("g?y/../x", "http://a/b/c/g?y/../x", None),
    ("g#s/./x", "http://a/b/c/g#s/./x", None),
    ("g#s/../x", "http://a/b/c/g#s/../x", None),
    ("http:g", "http:g", None),
]


def test_appendix_c_has_42_lines_of_which_seven_differ() -> None:
    assert len(APPENDIX_C) == 42
    assert sum(other is not None for _, _, other in APPENDIX_C) == 7


@pytest.mark.parametrize(
    ("reference", "expected"),
    [line[:2] for line in APPENDIX_C],
    ids=[f"rfc2396-v15-{line[0] or 'empty'}" for line in APPENDIX_C],
)
def test_resolves_as_appendix_c_says(reference: str, expected: str) -> None:
    resolved = resolve(reference, BASE)
    assert (SAME if resolved.same_document else "") + str(resolved.reference) == expected
    assert Base(BASE).resolve(parse(reference)) == resolve(reference, Base(BASE)) == resolved


@pytest.mark.parametrize(
    ("reference", "expected"),
    [(line[0], line[2] or line[1]) for line in APPENDIX_C],
    ids=[f"rfc2396-v15-3986-{line[0] or 'empty'}" for line in APPENDIX_C],
)
def test_resolves_as_rfc_3986_says(reference: str, expected: str) -> None:
    assert str(resolve(reference, BASE, profile="rfc3986").reference) == expected


RESOLVED = [
    # clause id, reference, base, absolute form
    ("rfc2396-v01-parts-of-the-reference", "g;p=1?x/../y#f/../g", BASE, None),
    ("rfc2396-v03-scheme-is-absolute", "mailto:a@b", BASE, "mailto:a@b"),
    ("rfc2396-v03-dots-of-a-uri-stay", "http://x/./../y", BASE, "http://x/./../y"),
    ("rfc2396-v03-opaque-base", "http://x/", "mailto:a@b", "http://x/"),
    ("rfc2396-v04-net-path", "//g?y#s", BASE, "http://g?y#s"),
    ("rfc2396-v04-empty-authority", "///g", BASE, "http:///g"),
    ("rfc2396-v05-dots-stay", "/a/./b/../c", BASE, "http://a/a/./b/../c"),
    ("rfc2396-v06-base-query-dropped", "g", "http://a/b?c/d/e", "http://a/g"),
    ("rfc2396-v06-dots-of-the-base", "g", "http://a/b/./c/../d", "http://a/b/g"),
    ("rfc2396-v06-empty-segment-is-a-segment", "..", "http://a/b//c", "http://a/b/"),
    ("rfc2396-v06-empty-segment-removed", "g//../h", BASE, "http://a/b/c/g/h"),
    ("rfc2396-v06-excess-then-more", "../../../g/../h", BASE, "http://a/../h"),
    ("rfc2396-v06-excess-at-the-end", "../../..", BASE, "http://a/.."),
    ("rfc2396-v08-empty-query-stays", "g?", BASE, "http://a/b/c/g?"),
    ("rfc2396-v08-empty-fragment-stays", "g#", BASE, "http://a/b/c/g#"),
    ("rfc2396-v08-no-authority", "g", "thismessage:/a/b", "thismessage:/a/g"),
    ("rfc2396-v08-empty-authority", "g", "file:///a/b", "file:///a/g"),
    ("rfc2396-v09-root", "g", "http://a", "http://a/g"),
    ("rfc2396-v09-root-query", "?y", "http://a", "http://a/?y"),
    ("rfc2396-v09-root-dots", "..", "http://a?x/y", "http://a/.."),
    ("rfc2396-v11-base-fragment-ignored", "g", "http://a/b#c/d", "http://a/g"),
    ("rfc2396-v12-authority-with-a-colon", "//_;://x", "http://a/b", "http://_;://x"),
    ("rfc2396-v12-port-without-digits", "//a://x", "http://a/b", "http://a://x"),
    ("rfc2396-v12-authority-of-the-base", ".//x", "http://a:/b", "http://a://x"),
    ("rfc2396-v12-empty-authority", "/.//x", "s:///a", "s:///.//x"),
    ("rfc2396-u18-colon-after-dot", "./this:that", BASE, "http://a/b/c/this:that"),
]


@pytest.mark.parametrize(
    ("reference", "base", "expected"), [c[1:] for c in RESOLVED], ids=[c[0] for c in RESOLVED]
)
def test_resolves(reference: str, base: str, expected: str | None) -> None:
    resolved = resolve(reference, base)
    assert str(resolved.reference) == (expected or "http://a/b/c/" + reference)
    assert not resolved.same_document
    assert resolved.uri(base) == str(resolved.reference)


RESOLVED_3986 = [
    # clause id, reference, base, absolute form
    ("rfc2396-v05-3986-dots-go", "/a/./b/../c", BASE, "http://a/a/c"),
    ("rfc2396-v03-3986-dots-of-a-uri-go", "http://x/./../y", BASE, "http://x/y"),
    ("rfc2396-v04-3986-net-path", "//g/a/../b", BASE, "http://g/b"),
    ("rfc2396-v09-3986-root", "g", "http://a", "http://a/g"),
    ("rfc2396-v10-3986-rootless", "g", "mailto:x@y", "mailto:g"),
    ("rfc2396-v10-3986-rootless-dots", "../g", "s:a/b/c", "s:a/g"),
    ("rfc2396-v10-3986-rootless-emptied", "../../g", "s:a/b/c", "s:/g"),
    ("rfc2396-v10-3986-leading-dots", "../g", "s:a", "s:g"),
    ("rfc2396-v10-3986-only-dots", "..", "s:a", "s:"),
    ("rfc2396-v12-3986-authority-with-a-colon", "//_;://x", "http://a/b", "http://_;://x"),
    ("rfc2396-v12-3986-authority-of-the-base", ".//x", "http://a:/b", "http://a://x"),
    ("rfc2396-v12-3986-empty-authority", "/.//x", "s:///a", "s:////x"),
    ("rfc2396-u07-3986-registry", "//g:b:c/", "http://_:a/", "http://g:b:c/"),
]


@pytest.mark.parametrize(
    ("reference", "base", "expected"),
    [c[1:] for c in RESOLVED_3986],
    ids=[c[0] for c in RESOLVED_3986],
)
def test_resolves_by_rfc_3986(reference: str, base: str, expected: str) -> None:
    assert str(resolve(reference, base, profile="rfc3986").reference) == expected


def test_registry_authority_keeps_its_components() -> None:
    """rfc2396-u07: what `resolve` accepts in RFC 3986 can be read, and copied."""
    resolved = resolve("/x?y", "http://_:a/", profile="rfc3986").reference
    assert (resolved.authority, resolved.host, resolved.reg_name) == ("_:a", None, "_:a")
    assert (resolved.path, resolved.query, resolved.profile) == ("/x", "y", "rfc3986")


@pytest.mark.parametrize(
    ("reference", "base", "profile", "same"),
    [
        ("", BASE, "rfc2396", True),
        ("#s", BASE, "rfc2396", True),
        ("#", "mailto:a@b", "rfc2396", True),
        ("#s", "a/relative/base", "rfc2396", True),
        (BASE, BASE, "rfc2396", False),
        ("?q", BASE, "rfc2396", False),
        ("", BASE, "rfc3986", True),
        ("#s", BASE + "#t", "rfc3986", True),
        ("d;p?q#s", BASE, "rfc3986", True),
        ("?q", BASE, "rfc3986", True),
        ("d;p", BASE, "rfc3986", False),
    ],
    ids=[f"rfc2396-v02-{n}" for n in range(11)],
)
def test_reports_the_same_document(
    reference: str, base: str, profile: Profile, *, same: bool
) -> None:
    assert resolve(reference, base, profile=profile).same_document is same


def test_same_document_keeps_its_fragment_and_can_become_a_request() -> None:
    """rfc2396-v02: §4.2, last paragraph."""
    resolved = resolve("#s", BASE + "#t")
    assert resolved.reference == parse("#s")
    assert resolved.uri(BASE + "#t") == BASE + "#s"
    assert resolved.uri(Base(BASE + "#t")) == BASE + "#s"


LOOSE = [
    ("http:g", BASE, "http://a/b/c/g"),
    ("HTTP:g?y#s", BASE, "http://a/b/c/g?y#s"),
    ("http:?y", BASE, "http://a/b/c/?y"),
    ("http:/g", BASE, "http://a/g"),
    ("http://g/h", BASE, "http://g/h"),
    ("http:g:h", BASE, "http://a/b/c/g:h"),
    ("https:g", BASE, "https:g"),
    ("mailto:b", "mailto:a", "mailto:b"),
]


@pytest.mark.parametrize(
    ("reference", "base", "expected"), LOOSE, ids=[f"rfc2396-v03-loose-{c[0]}" for c in LOOSE]
)
def test_same_scheme_loophole_on_request(reference: str, base: str, expected: str) -> None:
    assert str(resolve(reference, base, same_scheme="loose").reference) == expected


@pytest.mark.parametrize(
    ("reference", "profile", "expected"),
    [
        ("http:", "rfc3986", "http://a/b/c/d;p?q"),
        ("http:#s", "rfc3986", "http://a/b/c/d;p?q#s"),
        ("http:g", "rfc3986", "http://a/b/c/g"),
    ],
    ids=["rfc2396-v03-3986-empty", "rfc2396-v03-3986-fragment", "rfc2396-v03-3986-path"],
)
def test_same_scheme_loophole_of_rfc_3986(reference: str, profile: Profile, expected: str) -> None:
    found = resolve(reference, BASE, profile=profile, same_scheme="loose")
    assert str(found.reference) == expected


@pytest.mark.parametrize(
    ("excess", "reference", "expected"),
    [
        ("keep", "../../../g", "http://a/../g"),
        ("remove", "../../../g", "http://a/g"),
        ("remove", "../../../..", "http://a/"),
        ("remove", "../../..", "http://a/"),
        ("error", "../../g", "http://a/g"),
    ],
    ids=[f"rfc2396-v07-{n}" for n in ("keep", "remove", "remove-end", "remove-last", "none")],
)
def test_excess_dots(excess: Excess, reference: str, expected: str) -> None:
    assert str(resolve(reference, BASE, excess=excess).reference) == expected


def test_base_with_empty_path_by_the_letter() -> None:
    """rfc2396-v09: the algorithm as printed, on request."""
    assert str(resolve("g", "http://a", empty_path="literal").reference) == "http://ag"


REFUSED = [
    # clause id, reference, base, profile, offset
    ("rfc2396-v10-opaque-base", "g", "mailto:a@b", "rfc2396", 7),
    ("rfc2396-v10-opaque-base-query", "?y", "mailto:a@b", "rfc2396", 7),
    ("rfc2396-v11-relative-base", "g", "a/b", "rfc2396", 0),
    ("rfc2396-v11-3986-relative-base", "#s", "a/b", "rfc3986", 0),
    ("rfc2396-v12-no-authority", ".//g", "s:/a", "rfc2396", 0),
    ("rfc2396-v12-dots-above", "..//g", "s:/a/b", "rfc2396", 0),
    ("rfc2396-v12-3986", "/.//g", "s:/a", "rfc3986", 0),
    ("rfc2396-v01-reference-does-not-parse", "a b", BASE, "rfc2396", 1),
    ("rfc2396-v01-dotted-reference-does-not-parse", "../a b", BASE, "rfc2396", 4),
    ("rfc2396-v11-base-does-not-parse", "a", "http://a b/", "rfc2396", 8),
    ("rfc2396-u07-3986-neither", "//a:b c/", BASE, "rfc3986", 4),
]


@pytest.mark.parametrize(
    ("reference", "base", "profile", "offset"),
    [c[1:] for c in REFUSED],
    ids=[c[0] for c in REFUSED],
)
def test_refuses(reference: str, base: str, profile: Profile, offset: int) -> None:
    with pytest.raises(ParseError) as error:
        resolve(reference, base, profile=profile)
    assert error.value.offset == offset
    assert error.value.source in {reference, base}


@pytest.mark.parametrize(
    ("reference", "profile", "offset"),
    [
        ("../../../g", "rfc2396", 6),
        ("./../.././../..", "rfc2396", 10),
        ("../../../g", "rfc3986", 6),
        ("/../g", "rfc3986", 1),
        ("/a/../../g", "rfc3986", 6),
        ("s:../g", "rfc3986", 2),
        ("s:..", "rfc3986", 2),
    ],
    ids=[f"rfc2396-v07-error-{n}" for n in range(7)],
)
def test_excess_dots_refused_on_request(reference: str, profile: Profile, offset: int) -> None:
    with pytest.raises(ParseError) as error:
        resolve(reference, BASE, profile=profile, excess="error")
    assert error.value.offset == offset


def test_base_is_the_innermost_that_is_given() -> None:
    """rfc2396-v13: §5.1, content before entity before retrieval before default."""
    sources = {
        "content": "http://content/",
        "entity": "http://entity/",
        "retrieval": "http://retrieval/",
        "default": "http://default/",
    }
    for source in ("content", "entity", "retrieval", "default"):
        base = establish_base(**sources)  # type: ignore[arg-type]  # the four are text
        assert base is not None
        assert base.document == f"http://{source}/"
        del sources[source]
    assert establish_base() is None


def test_html_base_must_be_absolute() -> None:
    """rfc2396-v14: App. D, and its example."""
    base = establish_base(content="http://www.ics.uci.edu/Test/a/b/c", retrieval="http://x/")
    assert base is not None
    assert str(base.resolve("../x").reference) == "http://www.ics.uci.edu/Test/a/x"
    with pytest.raises(ParseError):
        establish_base(content="../a", retrieval="http://x/")
    with pytest.raises(ParseError):
        establish_base(content="mailto:a@b", retrieval="http://x/")


def test_prepared_base_takes_references_of_either_profile() -> None:
    """rfc2396-v01: a Reference of another profile is read again."""
    base = Base(parse("mailto:a?b", "rfc3986"))
    assert base.profile == "rfc3986"
    assert str(base.resolve(parse("mailto:c")).reference) == "mailto:c"
    assert base.resolve(parse("mailto:a?b")).same_document
    assert repr(base) == "Base('mailto:a?b', profile='rfc3986')"
