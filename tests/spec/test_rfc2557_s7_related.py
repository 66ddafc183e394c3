"""RFC 2557 §7: which part is the root of a multipart/related, and which parts see which."""

from __future__ import annotations

import pytest

from permacite import mhtml

HTML = "Content-Type: text/html\n\n<p>"


def multipart(kind: str, boundary: str, *parts: str, more: str = "") -> str:
    """Return a multipart: its heading, an empty line and its parts."""
    inner = "".join(f"--{boundary}\n{part}\n" for part in parts)
    return f"Content-Type: {kind}; boundary={boundary}\n{more}\n{inner}--{boundary}--"


def opened(text: str) -> mhtml.Aggregate:
    """Open a message that is written with bare line feeds."""
    return mhtml.open(text.replace("\n", "\r\n").encode("latin-1"))


def labelled(label: str, kind: str = "image/gif") -> str:
    """Return a part with a Content-Location."""
    return f"Content-Type: {kind}\nContent-Location: {label}\n\nGIF"


def identified(name: str, kind: str = "text/html") -> str:
    """Return a part with a Content-ID."""
    return f"Content-Type: {kind}\nContent-ID: <{name}>\n\n<p>"


NESTED = opened(
    multipart(
        'multipart/related; type="text/html"',
        "a",
        HTML,
        labelled("http://x/outer"),
        multipart(
            'multipart/related; type="text/html"',
            "b",
            HTML,
            labelled("http://x/inner"),
            more="Content-Location: http://x/nested\n",
        ),
        multipart('multipart/related; type="text/html"', "c", HTML, labelled("http://x/parallel")),
        multipart("multipart/mixed", "d", labelled("http://x/mixed")),
        "Content-Type: message/rfc822\n\n"
        + multipart('multipart/related; type="text/html"', "e", HTML, labelled("http://x/other")),
    )
)

VISIBLE = [
    # id, where the reference stands, what it names, the part that satisfies it
    ("rfc2557-x32-same-aggregate", "1", "http://x/outer", "2"),
    ("rfc2557-x32-same-inner-aggregate", "3.1", "http://x/inner", "3.2"),
    ("rfc2557-x32-through-a-mixed-part", "1", "http://x/mixed", "5.1"),
    ("rfc2557-x32-from-a-mixed-part", "5.1", "http://x/outer", "2"),
    ("rfc2557-x33-inner-sees-outer", "3.1", "http://x/outer", "2"),
    ("rfc2557-x33-inner-sees-its-own-aggregate", "3.1", "http://x/nested", "3"),
    ("rfc2557-x34-outer-does-not-see-inner", "1", "http://x/inner", None),
    ("rfc2557-x34-outer-sees-the-nested-aggregate", "1", "http://x/nested", "3"),
    ("rfc2557-x35-parallel", "3.1", "http://x/parallel", None),
    ("rfc2557-x35-parallel-back", "4.1", "http://x/inner", None),
    ("rfc2557-x36-into-another-message", "1", "http://x/other", None),
    ("rfc2557-x36-out-of-another-message", "6.1.1", "http://x/outer", None),
    ("rfc2557-x36-within-the-other-message", "6.1.1", "http://x/other", "6.1.2"),
]


@pytest.mark.parametrize("profile", ["rfc", "browser"])
@pytest.mark.parametrize(
    ("within", "reference", "path"), [c[1:] for c in VISIBLE], ids=[c[0] for c in VISIBLE]
)
def test_which_parts_see_which(within: str, reference: str, path: str | None, profile: str) -> None:
    found = NESTED.resolve(
        reference, within=NESTED.part(within), profile="rfc" if profile == "rfc" else "browser"
    )
    assert (None if found.part is None else found.part.path) == path


ALTERNATIVES = multipart("multipart/alternative", "alt", "Content-Type: text/plain\n\nx", HTML)
PLAIN_LAST = multipart("multipart/alternative", "alt", HTML, "Content-Type: text/x-odd\n\nx")
GIF = "Content-Type: image/gif\n\nGIF89a"

ROOTS = [
    # id, parameters, parts, root, codes of the defects
    ("rfc2557-r37-atomic", '; type="text/html"', [HTML, GIF], "1", []),
    ("rfc2557-r38-alternatives", '; type="multipart/alternative"', [ALTERNATIVES, GIF], "1.2", []),
    (
        "rfc2557-r38-alternative-that-cannot-be-shown",
        '; type="multipart/alternative"',
        [PLAIN_LAST],
        "1.1",
        [],
    ),
    (
        "rfc2557-r38-type-of-the-root-instead",
        '; type="text/html"',
        [ALTERNATIVES, GIF],
        "1.2",
        ["type-differs"],
    ),
    ("rfc2557-r42-start", '; type="text/html"; start="<s@x>"', [GIF, identified("s@x")], "2", []),
    (
        "rfc2557-r42-start-before-type",
        '; type="image/gif"; start="<s@x>"',
        [GIF, identified("s@x")],
        "2",
        [],
    ),
    ("rfc2557-r43-no-type", "", [HTML, GIF], "1", ["no-type"]),
    (
        "rfc2557-r44-unknown-start",
        '; type="text/html"; start="<t@x>"',
        [HTML, identified("s@x")],
        "1",
        ["start-unknown"],
    ),
    (
        "rfc2557-r45-no-brackets",
        '; type="text/html"; start="s@x"',
        [GIF, identified("s@x")],
        "2",
        ["start-brackets"],
    ),
    (
        "rfc2557-r45-not-even-quotes",
        '; type="text/html"; start=s@x',
        [GIF, identified("s@x")],
        "2",
        ["start-brackets"],
    ),
    (
        "rfc2557-a13-first-of-the-type",
        '; type="text/css"',
        [GIF, HTML, "Content-Type: text/css\n\nx"],
        "3",
        ["type-differs"],
    ),
    ("rfc2557-a13-else-the-first-html", '; type="text/x-odd"', [GIF, HTML], "2", ["type-differs"]),
    ("rfc2557-a13-else-the-first", '; type="text/x-odd"', [GIF, GIF], "1", ["type-differs"]),
    (
        "rfc2557-a13-case-of-the-type",
        '; type="TEXT/HTML"',
        [GIF.replace("image/gif", "Text/Html"), HTML],
        "1",
        ["content-differs"],
    ),
]


@pytest.mark.parametrize(
    ("parameters", "parts", "root", "codes"), [c[1:] for c in ROOTS], ids=[c[0] for c in ROOTS]
)
def test_the_root(parameters: str, parts: list[str], root: str, codes: list[str]) -> None:
    aggregate = opened(multipart("multipart/related" + parameters, "a", *parts))
    assert aggregate.root.path == root
    assert [defect.code for defect in aggregate.defects] == codes


MIXED = [
    (
        "rfc2557-r37-related-inside-mixed",
        "multipart/mixed",
        [
            "Content-Type: text/plain\n\nx",
            multipart("multipart/related; type=text/html", "r", HTML),
        ],
        "2.1",
    ),
    (
        "rfc2557-r37-page-inside-mixed",
        "multipart/mixed",
        ["Content-Type: text/plain\n\nx", HTML],
        "2",
    ),
    (
        "rfc2557-r38-related-as-alternative",
        "multipart/alternative",
        [
            "Content-Type: text/plain\n\nx",
            multipart("multipart/related; type=text/html", "r", HTML),
        ],
        "2.1",
    ),
]


@pytest.mark.parametrize(
    ("kind", "parts", "root"), [c[1:] for c in MIXED], ids=[c[0] for c in MIXED]
)
def test_the_root_of_other_messages(kind: str, parts: list[str], root: str) -> None:
    assert opened(multipart(kind, "a", *parts)).root.path == root


DUPLICATES = [
    # id, parts, code, path of the second
    (
        "rfc2557-r52-one-location",
        [labelled("http://x/i"), labelled("http://x/i")],
        "duplicate-label",
        "3",
    ),
    ("rfc2557-r52-resolved-alike", [labelled("i"), labelled("./i")], "duplicate-label", "3"),
    ("rfc2557-r52-one-id", [identified("i@x"), identified("i@x")], "duplicate-id", "3"),
    (
        "rfc2557-r52-in-a-mixed-part",
        [labelled("i"), multipart("multipart/mixed", "m", labelled("i"))],
        "duplicate-label",
        "3.1",
    ),
]


@pytest.mark.parametrize(
    ("parts", "code", "path"), [c[1:] for c in DUPLICATES], ids=[c[0] for c in DUPLICATES]
)
def test_a_label_given_twice_is_a_defect(parts: list[str], code: str, path: str) -> None:
    aggregate = opened(multipart("multipart/related; type=text/html", "a", HTML, *parts))
    assert [(each.code, each.path) for each in aggregate.defects] == [(code, path)]


def test_rfc2557_a7_the_first_part_with_a_label_wins() -> None:
    """rfc2557-a7."""
    parts = [HTML, labelled("i"), labelled("i"), identified("i@x"), identified("i@x")]
    aggregate = opened(multipart("multipart/related; type=text/html", "a", *parts))
    assert aggregate.resolve("i").part is aggregate.part("2")
    assert aggregate.resolve("cid:i@x").part is aggregate.part("4")


def test_rfc2557_r51_equal_relative_labels_that_resolve_differently() -> None:
    """rfc2557-r51."""

    def group(boundary: str, base: str) -> str:
        more = f"Content-Location: {base}\n"
        return multipart("multipart/mixed", boundary, labelled("i.gif"), more=more)

    parts = [HTML, group("b", "http://one/"), group("c", "http://two/")]
    aggregate = opened(multipart("multipart/related; type=text/html", "a", *parts))
    assert aggregate.defects == ()
    assert aggregate.resolve("http://one/i.gif").part is aggregate.part("2.1")
    assert aggregate.resolve("http://two/i.gif").part is aggregate.part("3.1")


def test_rfc2557_r51_an_inner_aggregate_may_repeat_an_outer_label() -> None:
    """rfc2557-r51."""
    inner = multipart("multipart/related; type=text/html", "b", HTML, labelled("http://x/i"))
    parts = [HTML, labelled("http://x/i"), inner]
    aggregate = opened(multipart("multipart/related; type=text/html", "a", *parts))
    assert aggregate.defects == ()
    inside = aggregate.resolve("http://x/i", within=aggregate.part("3.1"))
    assert inside.part is aggregate.part("3.2")
