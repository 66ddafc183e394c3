"""PDI §2.4.1 and §2.5: foreign identifiers, format tokens; and names that are built."""

from __future__ import annotations

import datetime as dt
import pickle

import pytest

from permacite import charsets
from permacite.errors import ParseError
from permacite.pdi import (
    PDI,
    charset_for,
    decapsulate,
    default_scheme,
    encapsulate,
    media_type_for,
    parse,
    token_for,
)
from permacite.pdi.registry import FIRST_ASSIGNMENT, REGISTERED

TOKENS = [
    # clause id, content type, token, default scheme, media type of the token
    ("pdi-62-plain", "text/plain", "text", "char"),
    ("pdi-62-header", "message/header", "header", "char"),
    ("pdi-62-html", "text/html", "html", "char"),
    ("pdi-62-case", "Text/HTML; Charset=UTF-8", "html", "char"),
    ("pdi-62-xml", "text/xml", "xml", "char"),
    ("pdi-62-sgml", "text/sgml", "sgml", "char"),
    ("pdi-62-application-xml", "application/xml", "application+xml", None),
    ("pdi-62-gif", "image/gif", "gif", "rect"),
    ("pdi-62-jpeg", "image/jpeg", "jpeg", "rect"),
    ("pdi-62-png", "image/png", "png", "rect"),
    ("pdi-62-svg", "image/svg+xml", "svg%2bxml", "rect"),
    ("pdi-62-basic", "audio/basic", "basic", "sec"),
    ("pdi-62-video-mpeg", "video/mpeg", "mpeg", "sec"),
    ("pdi-62-audio-mpeg", "audio/mpeg", "audio+mpeg", "sec"),
    ("pdi-09-mp4", "video/mp4", "mp4", "sec"),
    ("pdi-09-audio-mp4", "audio/mp4", "audio+mp4", "sec"),
    ("pdi-62-pdf", "application/pdf", "pdf", None),
    ("pdi-62-related", "multipart/related", "related", None),
    ("pdi-62-excel", "application/vnd.ms-excel", "vnd%2ems-excel", None),
    ("pdi-09-xhtml", "application/xhtml+xml", "xhtml%2bxml", None),
    ("pdi-09-font", "font/woff2", "woff2", None),
    ("pdi-09-script", "text/javascript", "javascript", "char"),
    ("pdi-09-old-script", "application/javascript", "application+javascript", None),
    ("pdi-09-rtf", "application/rtf", "rtf", None),
    ("pdi-09-text-rtf", "text/rtf", "text+rtf", "char"),
    ("pdi-09-unregistered", "audio/x-wav", "audio+x-wav", "sec"),
    ("pdi-09-unregistered-escaped", "image/x-foo.bar", "image+x-foo%2ebar", "rect"),
    ("pdi-61-ascii", "text/plain; charset=us-ascii", "text", "char"),
    ("pdi-61-single-byte", "text/plain; charset=ISO-8859-1", "text", "char"),
    ("pdi-61-unknown-charset", "text/plain; charset=x-none", "text", "char"),
    ("pdi-61-utf-8", "text/plain; charset=utf-8", "utf-8", "char"),
    ("pdi-61-quoted", 'text/plain;format=flowed; charset="UTF-8"', "utf-8", "char"),
    ("pdi-61-parameter-alone", "text/plain;flowed ; charset=utf-8", "utf-8", "char"),
    ("pdi-61-alias", "text/plain; charset=sjis", "shift_jis", "char"),
    ("pdi-61-preferred-name", "text/plain; charset=EUC-JP", "euc-jp", "char"),
    ("pdi-61-iso-2022", "text/plain; charset=iso-2022-jp", "iso-2022-jp", "char"),
]


@pytest.mark.parametrize(
    ("content_type", "token", "scheme"), [c[1:] for c in TOKENS], ids=[c[0] for c in TOKENS]
)
def test_the_token_of_a_media_type(content_type: str, token: str, scheme: str | None) -> None:
    assert token_for(content_type) == token
    assert default_scheme(token) == default_scheme(token.upper()) == scheme
    assert media_type_for(token) == content_type.partition(";")[0].lower()
    name = parse(f"pdi://a.us/1997/09/01/1.{token}.1")
    assert isinstance(name, PDI)
    assert name.format == token


NO_TYPES = [
    # clause id, text, offset
    ("pdi-09-empty", "", 0),
    ("pdi-09-major-alone", "text", 0),
    ("pdi-09-range", "text/*", 0),
    ("pdi-09-no-major", "/html", 0),
    ("pdi-09-words", "text/html and more", 9),
    ("pdi-09-open-quote", 'text/plain; charset="utf-8', 20),
]


@pytest.mark.parametrize(
    ("text", "offset"), [c[1:] for c in NO_TYPES], ids=[c[0] for c in NO_TYPES]
)
def test_what_is_no_content_type(text: str, offset: int) -> None:
    with pytest.raises(ParseError) as error:
        token_for(text)
    assert error.value.offset == offset


def test_tokens_without_a_media_type() -> None:
    """pdi-09: tokens that the table does not know."""
    for token in ("x-foo", "1", "plain", "iso-8859-1", "a%00+b", "mp3"):
        assert media_type_for(token) is None
    assert default_scheme("x-foo") is None


def test_the_token_of_the_draft_that_no_registry_has() -> None:
    """pdi-40: the draft's sound is an `au`; it is read, and never written."""
    assert media_type_for("au") == "audio/basic"
    assert token_for("audio/basic") == "basic"


def test_the_table_is_one_to_one() -> None:
    """pdi-09: every registered type has a token of its own."""
    types = [f"{major}/{minor}" for major, all_ in REGISTERED.items() for minor in all_]
    tokens = [token_for(media_type) for media_type in types]
    assert len(set(tokens)) == len(types) > 2000
    assert [media_type_for(token) for token in tokens] == types
    assert set(tokens).isdisjoint(charsets.TOKENS)
    shared = {each.partition("/")[2] for each in types}
    assert set(FIRST_ASSIGNMENT) <= shared


def test_charsets_that_are_tokens() -> None:
    """pdi-61: the names of multi-byte charsets stand for plain text in them."""
    assert (charset_for("UTF-8"), media_type_for("utf-8")) == ("utf-8", "text/plain")
    assert charset_for("utf8") is charset_for("text") is charset_for("html") is None


FOREIGN = [
    # clause id, foreign identifier, unique id
    ("pdi-29-url", "http://www.whitehouse.gov/", "http:%2f%2fwww%2ewhitehouse%2egov%2f"),
    ("pdi-29-query", "http://x/?q=1#f", "http:%2f%2fx%2f%3fq%3d1%23f"),
    ("pdi-29-mail", "mailto:a@b.c", "mailto:a%40b%2ec"),
    ("pdi-29-doi", "doi:10.1000/182", "doi:10%2e1000%2f182"),
    ("pdi-29-invoice", "A,b (7)", "A%2cb%20(7)"),
    ("pdi-29-star", "*", "%2a"),
    ("pdi-29-percent", "100%25", "100%2525"),
    ("pdi-59-not-urn-characters", "~&", "%7e%26"),
    ("pdi-07-utf-8", "\u00e9\U0001f600", "%c3%a9%f0%9f%98%80"),
    ("pdi-07-newline", "a\nb", "a%0ab"),
]


@pytest.mark.parametrize(
    ("foreign", "unique_id"), [c[1:] for c in FOREIGN], ids=[c[0] for c in FOREIGN]
)
def test_encapsulates_foreign_identifiers(foreign: str, unique_id: str) -> None:
    assert encapsulate(foreign) == unique_id
    assert decapsulate(unique_id) == foreign
    name = PDI.make(series="a.us", date="1997/09/01", unique_id=unique_id, format="html")
    assert parse(str(name)) == name


def test_reads_the_encapsulation_of_the_draft() -> None:
    """pdi-29: the draft escapes the colon too."""
    assert decapsulate("http%3a%2f%2fwww%2ewhitehouse%2egov%2f") == "http://www.whitehouse.gov/"


NOT_FOREIGN = [
    # clause id, identifier, offset
    ("pdi-29-empty", "", 0),
    ("pdi-07-null", "a\0b", 1),
    ("pdi-07-surrogate", "ab\udc80", 2),
]


@pytest.mark.parametrize(
    ("foreign", "offset"), [c[1:] for c in NOT_FOREIGN], ids=[c[0] for c in NOT_FOREIGN]
)
def test_what_cannot_be_encapsulated(foreign: str, offset: int) -> None:
    with pytest.raises(ParseError) as error:
        encapsulate(foreign)
    assert error.value.offset == offset


NOT_UNIQUE_IDS = [
    # clause id, text, offset
    ("pdi-07-empty", "", 0),
    ("pdi-07-dot", "a.b", 1),
    ("pdi-07-half", "a%4", 1),
    ("pdi-07-null-escaped", "a%00", 1),
    ("pdi-07-not-utf-8", "%41b%ff", 4),
    ("pdi-07-utf-8-cut-short", "a%c3", 1),
]


@pytest.mark.parametrize(
    ("text", "offset"), [c[1:] for c in NOT_UNIQUE_IDS], ids=[c[0] for c in NOT_UNIQUE_IDS]
)
def test_what_is_no_unique_id(text: str, offset: int) -> None:
    with pytest.raises(ParseError) as error:
        decapsulate(text)
    assert error.value.offset == offset


# ---------------------------------------------------------------- building names


def test_builds_a_name() -> None:
    name = PDI.make(
        series="web.example.us", date=dt.date(2026, 1, 2), unique_id=7, format="html", version=1
    )
    assert str(name) == "urn:pdi://web.example.us/2026/01/02/7.html.1"
    assert parse(str(name)) == name
    assert str(name.document) == "urn:pdi://web.example.us/2026/01/02/7"
    assert str(name.with_(format="utf-8", version=2)).endswith("/7.utf-8.2")
    assert str(name.with_(version=None)).endswith("/7.html")
    assert name.with_() == name
    bare = PDI.make(series=("a", "us"), date=dt.date(1, 2, 3), unique_id="x", urn=False)
    assert str(bare) == "pdi://a.us/0001/02/03/x"


FIELDS: list[tuple[str, dict[str, str]]] = [
    ("pdi-08-version-alone", {"version": "1"}),
    ("pdi-06-unpadded", {"date": "2026/1/2"}),
    ("pdi-05-country", {"series": "a.gov"}),
    ("pdi-16-wildcard", {"unique_id": "*"}),
    ("pdi-16-date", {"date": "2026/01/*"}),
    ("pdi-07-dot", {"unique_id": "1.html"}),
    ("pdi-07-slash", {"unique_id": "a/b"}),
    ("pdi-09-dot", {"format": "html.1"}),
    ("pdi-12-fragment", {"unique_id": "1#2"}),
    ("pdi-10-zero", {"format": "html", "version": "0"}),
    ("pdi-04-slash", {"series": "a.us/2026/01/02"}),
]


@pytest.mark.parametrize("fields", [c[1] for c in FIELDS], ids=[c[0] for c in FIELDS])
def test_refuses_to_build_what_is_no_name(fields: dict[str, str]) -> None:
    given = {"series": "a.us", "date": "2026/01/02", "unique_id": "1"} | fields
    with pytest.raises(ParseError) as error:
        PDI.make(
            series=given["series"],
            date=given["date"],
            unique_id=given["unique_id"],
            format=given.get("format"),
            version=int(given["version"]) if "version" in given else None,
        )
    assert error.value.source.startswith("urn:pdi://")


def test_builds_fragments() -> None:
    name = PDI.make(series="a.us", date="2026/01/02", unique_id=7, format="html", version=1)
    assert str(name.fragment("char", 3, 9)).endswith("7.html.1#char=3,9")
    assert str(name.fragment("name", "a%2cb", "c")).endswith("#name=a%2cb,c")
    picture = name.with_(format="png")
    assert str(picture.fragment("RECT", (5, 10), (25, 30), 2)).endswith("#rect=(5,10),(25,30),2")
    assert parse(str(name.fragment("char", 3, 9))) == name.fragment("char", 3, 9)


PARTS: list[tuple[str, str | None, int | None, str, tuple[int, ...]]] = [
    # clause id, format, version, scheme, positions
    ("pdi-12-version", "html", None, "char", (3, 9)),
    ("pdi-12-format", None, None, "char", (3, 9)),
    ("pdi-13-scheme-of-the-format", "html", 1, "sec", (3, 9)),
    ("pdi-15-unknown-scheme", "html", 1, "foo", (3, 9)),
    ("pdi-43-backwards", "html", 1, "char", (9, 3)),
    ("pdi-43-one", "html", 1, "char", (9,)),
    ("pdi-43-three", "html", 1, "char", (1, 2, 3)),
]


@pytest.mark.parametrize(
    ("format_", "version", "scheme", "positions"), [c[1:] for c in PARTS], ids=[c[0] for c in PARTS]
)
def test_refuses_to_build_what_is_no_fragment(
    format_: str | None, version: int | None, scheme: str, positions: tuple[int, ...]
) -> None:
    name = PDI.make(series="a.us", date="2026/01/02", unique_id=7, format=format_, version=version)
    with pytest.raises(ParseError):
        name.fragment(scheme, *positions)


def test_names_are_ordered_by_time() -> None:
    """pdi-06: sorted names are in the order of their dates, serial numbers in that of minting."""
    texts = [
        "urn:pdi://z.us/1997/09/01/2.text.1",
        "urn:pdi://z.us/1997/09/01/10.html.1",
        "urn:pdi://z.us/1997/09/01/10.html.2",
        "urn:pdi://z.us/1997/09/01/10.text.1",
        "urn:pdi://z.us/1997/09/01/Budget",
        "urn:pdi://a.us/1997/09/02/1.text.1",
        "urn:pdi://a.us/1997/10/01/1.text.1",
        "urn:pdi://a.us/2026/01/01/1.text.1",
    ]
    names = [parse(text) for text in reversed(texts)]
    assert [str(name) for name in sorted(name for name in names if isinstance(name, PDI))] == texts


def test_values_are_values() -> None:
    name = parse("urn:pdi://a.us/1997/09/01/1.html.1#3,9")
    assert {name, parse("URN:pdi://A.us/1997/09/01/1.html.1#3,9")} == {name}
    assert pickle.loads(pickle.dumps(name)) == name  # noqa: S301 - our own pickle
    with pytest.raises(AttributeError):
        name.pdi = None  # type: ignore[misc, union-attr]
