"""PDI laws: for every text, and for every name."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from hypothesis import example, given
from hypothesis import strategies as st

from permacite.errors import ParseError
from permacite.pdi import (
    PDI,
    SCHEMES,
    CitationPDI,
    FragmentPDI,
    PDIPattern,
    covers,
    decapsulate,
    denotes_same,
    encapsulate,
    lexically_equal,
    media_type_for,
    parse,
    token_for,
)
from permacite.pdi.grammar import productions, resource_identifier
from permacite.scan import Cursor

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable

Value = TypeVar("Value")
Name = PDI | FragmentPDI | CitationPDI | PDIPattern

LETTERS = "abcXYZ019-.:;()$_!'%/#@=,*+? \t\n\u00e9"


def outcome(function: Callable[[str], Value], text: str) -> Value | ParseError:
    """What a parser makes of a text: a value, or a syntax error placed in it."""
    try:
        return function(text)
    except ParseError as error:
        assert 0 <= error.offset <= len(text)  # noqa: PT017 - the law is of the error
        return error


components = st.from_regex(r"[a-zA-Z0-9-]{1,6}", fullmatch=True)
countries = st.from_regex(r"[a-zA-Z]{2}", fullmatch=True)
unique_ids = st.one_of(
    st.integers(0, 10**9).map(str), st.text(min_size=1, max_size=12).filter(lambda t: "\0" not in t)
).map(lambda text: encapsulate(text.encode("utf-8", "replace").decode()))
formats = st.sampled_from(["text", "HTML", "gif", "mpeg", "basic", "pdf", "utf-8", "svg%2Bxml"])
numbers = st.integers(0, 10**6)
intervals = st.tuples(numbers, numbers).map(sorted)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A name of one format of one version, in any case."""
    prefix = draw(st.sampled_from(["urn:pdi://", "pdi://", "URN:Pdi://"]))
    series = ".".join([*draw(st.lists(components, min_size=1, max_size=4)), draw(countries)])
    date = draw(st.dates())
    version = draw(st.integers(1, 10**6))
    day = f"{date.year:04}/{date.month:02}/{date.day:02}"
    return f"{prefix}{series}/{day}/{draw(unique_ids)}.{draw(formats)}.{version}"


@st.composite
def fragments(draw: st.DrawFn) -> str:
    """A name with a fragment that its format has."""
    start, end = draw(intervals)
    document, _, rest = draw(documents()).rpartition("/")
    unique_id, _, version = rest.split(".")
    format_, specifier = draw(
        st.sampled_from(
            [
                ("text", "{0},{1}"),
                ("html", "Char={0},{1}"),
                ("html", "elt={0},{1}"),
                ("html", "name=a%41{0},B{1}"),
                ("png", "({0},0),({1},7)"),
                ("png", "rect=(0,{0}),(9,{1}),{0}"),
                ("basic", "msec={0},{1}"),
                ("mpeg", "crop=SEC,{0},{1},(0,0),(5,5)"),
                ("x-any", "byte={0},{1}"),
            ]
        )
    )
    return f"{document}/{unique_id}.{format_}.{version}#" + specifier.format(start, end)


@st.composite
def citations(draw: st.DrawFn) -> str:
    """A citation of a document, of a part of one, or of a citation."""
    document = draw(documents()).rpartition("/")[0] + f"/{draw(numbers)}.text.1"
    cited = draw(st.one_of(documents(), fragments()))
    for _ in range(draw(st.integers(0, 3))):
        cited = f"{document}@{draw(numbers)}={cited[cited.lower().index('pdi:') :]}"
    return f"{document}@{draw(numbers)}={cited[cited.lower().index('pdi:') :]}"


names = st.one_of(documents(), fragments(), citations())


@given(names)
def test_every_name_is_read_and_given_back(text: str) -> None:
    value = parse(text)
    assert str(value) == text
    assert parse(text, strict=False) == value
    assert not value.violations


@given(names)
def test_canonical_form_is_canonical(text: str) -> None:
    canonical = parse(text).canonical()
    again = parse(canonical)
    assert again.canonical() == str(again) == canonical
    assert lexically_equal(text, canonical)
    assert denotes_same(text, canonical)


@given(names, names)
def test_equivalence_is_what_the_canonical_forms_say(a: str, b: str) -> None:
    assert lexically_equal(a, b) == (parse(a).canonical() == parse(b).canonical())
    assert denotes_same(a, b) >= lexically_equal(a, b)
    assert denotes_same(a, b) == denotes_same(b, a)


@given(documents())
def test_a_name_is_covered_by_what_is_above_it(text: str) -> None:
    value = parse(text)
    assert isinstance(value, PDI)
    day, _, specifier = value.canonical().rpartition("/")
    unique_id, format_, version = specifier.split(".")
    for pattern in ("*", "*.*", "*.*.*", unique_id, f"{unique_id}.{format_}", f"*.*.{version}"):
        assert covers(f"{day}/{pattern}", text)
    assert covers(value.document, value)
    assert not covers(value, value.document)


@given(
    st.dates(),
    st.lists(components, min_size=1, max_size=4),
    countries,
    unique_ids,
    formats,
    numbers,
)
def test_what_is_built_is_what_is_read(
    date: dt.date, parts: list[str], country: str, unique_id: str, format_: str, version: int
) -> None:
    built = PDI.make(
        series=(*parts, country),
        date=date,
        unique_id=unique_id,
        format=format_,
        version=version + 1,
    )
    assert parse(str(built)) == built
    assert built.document.with_(format=format_, version=version + 1) == built


@given(st.lists(documents(), min_size=2, max_size=8))
def test_order_is_by_time(texts: list[str]) -> None:
    values = [value for value in map(parse, texts) if isinstance(value, PDI)]
    dates = [(value.year, value.month, value.day) for value in sorted(values)]
    assert dates == sorted(dates)


@given(st.text())
@example("urn:pdi://a.us/1997/09/01/1.text.1#")
@example("pdi://a.us/1997/09/01/1.text.1@1=pdi:")
@example("pdi://" + "a." * 500)
def test_any_text_is_a_name_or_a_syntax_error(text: str) -> None:
    check_outcome(text)


def check_outcome(text: str) -> None:
    for strict in (True, False):
        found = outcome(lambda source, strict=strict: parse(source, strict=strict), text)  # type: ignore[misc]
        if isinstance(found, ParseError):
            assert found.source == text
            assert found.spec
            assert str(found)
        else:
            assert str(found) == text


@given(names, st.integers(0), st.sampled_from(LETTERS), st.sampled_from([0, 1]))
def test_a_changed_name_is_a_name_or_a_syntax_error(
    text: str, at: int, letter: str, replaced: int
) -> None:
    at %= len(text)
    check_outcome(text[:at] + letter + text[at + replaced :])


@given(names, st.integers(0), st.sampled_from(LETTERS))
def test_the_quick_expression_and_the_productions_agree(text: str, at: int, letter: str) -> None:
    at %= len(text)
    for source in (text, text[:at] + letter + text[at:]):
        quick = outcome(lambda each: resource_identifier(Cursor(each), strict=True), source)
        slow = outcome(lambda each: productions(Cursor(each), strict=True), source)
        assert str(quick) == str(slow)


@given(names)
def test_strict_is_a_part_of_lenient_and_of_generic(text: str) -> None:
    value = parse(text)
    assert parse(text, schemes=SCHEMES.extended(generic=True)) == value


@given(st.text(min_size=1))
def test_encapsulation_keeps_every_text(foreign: str) -> None:
    unique_id = outcome(encapsulate, foreign)
    if isinstance(unique_id, ParseError):
        wrong = foreign[unique_id.offset]
        assert wrong == "\0" or "\ud800" <= wrong <= "\udfff"
    else:
        assert decapsulate(unique_id) == foreign
        assert parse(f"pdi://a.us/1997/09/01/{unique_id}").canonical().endswith(f"/{unique_id}")


@given(st.text(min_size=1), st.integers(0), st.sampled_from(LETTERS), st.sampled_from([0, 1]))
def test_a_changed_escape_is_decapsulated_or_a_syntax_error(
    foreign: str, at: int, letter: str, replaced: int
) -> None:
    unique_id = outcome(encapsulate, foreign)
    if isinstance(unique_id, ParseError):
        return
    at %= len(unique_id)
    changed = unique_id[:at] + letter + unique_id[at + replaced :]
    found = outcome(decapsulate, changed)
    if isinstance(found, ParseError):
        name = outcome(parse, f"pdi://a.us/1997/09/01/{changed}")
        legal = isinstance(name, PDI) and name.unique_id == changed
        assert not legal or "%" in changed, "a name can hold escapes that are no UTF-8, no more"
    else:
        assert decapsulate(encapsulate(found)) == found


media_types = st.from_regex(r"[a-z][a-z0-9.+-]{0,8}/[a-z0-9][a-z0-9.+&^_-]{0,8}", fullmatch=True)
known_types = st.sampled_from(
    ["text/html", "IMAGE/Svg+XML", "audio/mpeg", "text/plain", "message/header", "video/mpeg"]
)
parameters = st.lists(
    st.sampled_from(["charset=us-ascii", 'a="b;\\" c"', "flag", "", ' b = "c"', "charset = x"]),
    max_size=3,
)


@given(media_types)
def test_a_token_gives_its_media_type_back(media_type: str) -> None:
    assert media_type_for(token_for(media_type)) == media_type


@given(media_types | known_types, parameters, st.sampled_from([";", " ; ", ";\t"]))
def test_parameters_but_the_charset_of_plain_text_do_not_count(
    media_type: str, after: list[str], between: str
) -> None:
    token = token_for(between.join([media_type, *after]))
    assert token == token_for(media_type)
    assert media_type_for(token) == media_type.lower()
    assert parse(f"pdi://a.us/1997/09/01/1.{token}.1").canonical().endswith(f"/1.{token}.1")


@given(
    media_types | known_types,
    parameters,
    st.integers(0),
    st.sampled_from(LETTERS + '/;"\\<\0\u212a'),
    st.sampled_from([0, 1]),
)
def test_a_changed_content_type_has_a_token_or_is_a_syntax_error(
    media_type: str, after: list[str], at: int, letter: str, replaced: int
) -> None:
    text = ";".join([media_type, *after])
    at %= len(text)
    text = text[:at] + letter + text[at + replaced :]
    token = outcome(token_for, text)
    essence = text.partition(";")[0].strip(" \t")
    if isinstance(token, ParseError):
        assert not plain_media_type(essence) or after
    else:
        assert plain_media_type(essence)
        assert media_type_for(token) == essence.lower()
        assert isinstance(parse(f"pdi://a.us/1997/09/01/1.{token}.1"), PDI)


def plain_media_type(text: str) -> bool:
    """Say whether a text is a media type without parameters (RFC 6838 §4.2)."""
    major, slash, minor = text.partition("/")
    letters = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&^_.+-")
    return bool(slash and major and minor) and set(major + minor) <= letters
