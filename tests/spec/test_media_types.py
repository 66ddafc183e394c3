"""One reading of Content-Type (RFC 9110 §8.3, RFC 2045 §5.1), and where mail has more to read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permacite import media_types
from permacite.mhtml.mime.parameters import parse_structured

FIELDS = [
    # what is tested, field, media type, parameters in order
    ("bare", "Text/HTML", "text/html", []),
    ("nothing", "", "", []),
    ("white-space", "\t text/html ;a = b ;\n c=d\f", "text/html", [("a", "b"), ("c", "d")]),
    ("names-in-lower-case", "a/b;Charset=UTF-8", "a/b", [("charset", "UTF-8")]),
    ("quoted", 'a/b;c="d; \\"e\\\\"', "a/b", [("c", 'd; "e\\')]),
    ("unclosed", 'a/b;c="d;e', "a/b", [("c", "d;e")]),
    ("behind-a-quote", 'a/b;c="d"e;f=g', "a/b", [("c", "d"), ("f", "g")]),
    ("specials", "a/b;c=d/e?f@g=h", "a/b", [("c", "d/e?f@g=h")]),
    ("twice", "a/b;c=d;c=e", "a/b", [("c", "d"), ("c", "e")]),
    ("empty", 'a/b;c=;d=""', "a/b", [("c", ""), ("d", "")]),
    ("no-value", "a/b;c;d=e", "a/b", [("d", "e")]),
    ("white-space-of-any-kind", "a/b;\xa0c\v=\x85d\x1f", "a/b", [("c", "d")]),
    ("only-parameters", ";c=d", "", [("c", "d")]),
]


@pytest.mark.parametrize(
    ("field", "media_type", "parameters"),
    [row[1:] for row in FIELDS],
    ids=[row[0] for row in FIELDS],
)
def test_a_field_is_read_to_its_end(
    field: str, media_type: str, parameters: list[tuple[str, str]]
) -> None:
    assert media_types.essence(field) == media_type
    assert list(media_types.parameters(field)) == parameters


@pytest.mark.parametrize(
    ("value", "is_media_type", "is_field"),
    [
        ("text/html", True, True),
        ("application/vnd.x+json", True, True),
        ("text/html; charset=utf-8", False, True),
        ("text/html \t;\xe9", False, True),
        ("text/html; a\nb", False, False),
        ("text", False, False),
        ("text/", False, False),
        ("/html", False, False),
        ("a/b/c", False, False),
        ("text html", False, False),
        ("text/html,text/html", False, False),
        ("a" * 127 + "/b", True, True),
        ("a" * 128 + "/b", True, False),
    ],
)
def test_what_is_a_media_type_and_what_may_be_a_field(
    value: str,
    is_media_type: bool,  # noqa: FBT001
    is_field: bool,  # noqa: FBT001
) -> None:
    assert media_types.is_media_type(value) is is_media_type
    assert media_types.is_field(value) is is_field


ONLY_IN_MAIL = [
    # field, as HTTP has it, as mail has it
    ("a / b", "a / b", "a/b", {}),
    ("a/b (c); d=e", "a/b (c)", "a/b", {"d": "e"}),
    ("a/b; c*0=d; c*1=e", "a/b", "a/b", {"c": "de"}),
    ("a/b; c*=utf-8''%C3%A9", "a/b", "a/b", {"c": "\xe9"}),
]


@pytest.mark.parametrize(("field", "of_http", "of_mail", "parameters"), ONLY_IN_MAIL)
def test_what_only_mail_has(
    field: str, of_http: str, of_mail: str, parameters: dict[str, str]
) -> None:
    assert media_types.essence(field) == of_http
    assert parse_structured(field) == (of_mail, parameters)


@given(st.text("ab/;=\"\\ \t-.,'", max_size=40))
def test_mail_and_http_read_alike_what_both_have(rest: str) -> None:
    field = f"Text/html;{rest}"
    first = dict(reversed(list(media_types.parameters(field))))
    assert parse_structured(field) == (media_types.essence(field), first)
    charset = f"{field}; charset=Koi8-R"
    if rest.count('"') == 0:
        assert media_types.content_type(charset) == ("text/html", "koi8-r")
