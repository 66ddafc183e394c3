"""RFC 2557 §11: what labels prove (nothing), what a page gives away, what showing it does."""

from __future__ import annotations

import pytest

from permacite import mhtml

HOSTILE = (
    b'<script>run()</script><p onclick="run()">words</p><img src="http://tracker/x.gif">'
    b'<img src="y.gif"><a href="javascript:run()">z</a>'
    b'<meta http-equiv=refresh content="0;url=//t">'
)
ROOT = mhtml.Resource(HOSTILE, "text/html", "http://a/p")
GIF = mhtml.Resource(b"GIF89a", "image/gif", "http://a/y.gif")


def test_rfc2557_s70_an_answer_names_the_label_and_claims_no_source() -> None:
    """rfc2557-s70."""
    found = mhtml.open(mhtml.build(ROOT, [GIF])).resolve("y.gif")
    assert found.label == "http://a/y.gif"
    names = set(type(found).__dataclass_fields__)
    assert not names & {"source", "origin", "retrieved", "verified"}


DISCLOSED = [
    # id, page, kind, what the detail names
    ("rfc2557-s71-file-uri", '<img src="file:///home/ann/x.gif">', "file-uri", "img src"),
    (
        "rfc2557-s71-file-uri-in-a-style",
        "<p style='background:url(file:///x)'>",
        "file-uri",
        "p style",
    ),
    (
        "rfc2557-s72-hidden-field",
        '<input type=hidden name=account value="12">',
        "hidden-value",
        "account",
    ),
    ("rfc2557-s72-password", '<input type=password name=pw value="12">', "password", "pw"),
    ("rfc2557-s72-token-in-a-link", '<a href="/x?session=abcdef123456">', "token", "session"),
    ("rfc2557-s72-token-in-a-meta", '<meta name="csrf-token" content="x">', "token", "csrf-token"),
]


@pytest.mark.parametrize(
    ("page", "kind", "named"), [c[1:] for c in DISCLOSED], ids=[c[0] for c in DISCLOSED]
)
def test_what_a_page_gives_away(page: str, kind: str, named: str) -> None:
    source = "<p>\xe9" + page
    found = list(mhtml.disclosures([("1", source.encode(), "text/html; charset=utf-8", None)]))
    assert [each.kind for each in found] == [kind]
    assert named in found[0].detail
    assert source.startswith("<", source.rindex("<", 0, found[0].offset + 1))
    assert "123456" not in str(found[0])


def test_rfc2557_s71_labels_are_looked_at_too() -> None:
    """rfc2557-s71."""
    found = list(mhtml.disclosures([("2", b"", "image/gif", "file:///C:/x.gif")]))
    assert [(each.kind, each.where) for each in found] == [("file-uri", "2")]


HARMLESS = [
    '<input type=hidden name=x value="">',
    "<input type=text value=x>",
    '<a href="/x?page=abcdef123456&sort=up">',
    '<meta name="description" content="the token of affection">',
    "<!-- file:///x -->",
]


@pytest.mark.parametrize("page", HARMLESS)
def test_what_is_not_worth_a_warning(page: str) -> None:
    assert list(mhtml.disclosures([("1", page.encode(), "text/html", None)])) == []


def test_rfc2557_s73_nothing_in_an_exported_page_is_executed() -> None:
    """rfc2557-s73."""
    html = mhtml.export.single_html(mhtml.open(mhtml.build(ROOT, [GIF]))).html
    assert "run()" not in html


def test_rfc2557_s74_showing_an_exported_page_fetches_nothing() -> None:
    """rfc2557-s74."""
    made = mhtml.export.single_html(mhtml.open(mhtml.build(ROOT, [GIF])))
    assert "tracker" not in made.html
    assert "http-equiv=refresh" not in made.html
    assert made.unresolved == ("http://tracker/x.gif",)


def test_rfc2557_s75_what_a_part_satisfies_is_never_external() -> None:
    """rfc2557-s75."""
    aggregate = mhtml.open(mhtml.build(ROOT, [GIF]))
    assert aggregate.resolve("y.gif").kind == "part"
    assert aggregate.resolve("http://a/y.gif").kind == "part"
    assert "data:image/gif" in mhtml.export.single_html(aggregate).html


def test_rfc2557_s77_parts_of_one_aggregate_are_not_used_for_another() -> None:
    """rfc2557-s77."""
    one = mhtml.open(mhtml.build(ROOT, [GIF]))
    other = mhtml.open(mhtml.build(ROOT))
    assert one.resolve("y.gif").part is one.part("2")
    assert other.resolve("y.gif").part is None
