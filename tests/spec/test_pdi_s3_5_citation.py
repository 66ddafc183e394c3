"""PDI §3.5: fragment citations."""

from __future__ import annotations

import pytest

from permacite.errors import ParseError
from permacite.pdi import MAX_DEPTH, PDI, CitationPDI, FragmentPDI, parse

CITING = "pdi://oma.eop.gov.us/1997/11/03/4.text.1"
CITED = "pdi://oma.eop.gov.us/1997/09/01/1.text.1"


def citation(text: str, *, strict: bool = True) -> CitationPDI:
    value = parse(text, strict=strict)
    assert isinstance(value, CitationPDI)
    return value


def test_the_example_of_the_draft() -> None:
    """pdi-45: the composite document, the place in it, and what stands there."""
    value = citation(f"{CITING}@103={CITED}#37,51")
    assert (str(value.pdi), value.origin) == (CITING, "103")
    assert isinstance(value.cited, FragmentPDI)
    assert str(value.cited) == f"{CITED}#37,51"


def test_a_whole_document_is_cited() -> None:
    """pdi-46: without a fragment."""
    value = citation(f"{CITING}@103={CITED}")
    assert isinstance(value.cited, PDI)


ORIGINS = [
    # clause id, citing format and version, origin
    ("pdi-45-html", "html.1", "0"),
    ("pdi-45-picture", "gif.1", "(5,10)"),
    ("pdi-45-sound", "basic.1", "23"),
    ("pdi-45-film", "mpeg.1", "23"),
]


@pytest.mark.parametrize(("name", "origin"), [c[1:] for c in ORIGINS], ids=[c[0] for c in ORIGINS])
def test_reads_an_origin(name: str, origin: str) -> None:
    text = f"pdi://a.us/1997/11/03/4.{name}@{origin}={CITED}"
    value = citation(text)
    assert value.origin == origin
    assert str(value) == value.canonical() == text


REJECTED = [
    # clause id, text, offset, whether the lenient profile reads it
    ("pdi-45-nothing-cited", f"{CITING}@103=", 45, False),
    ("pdi-45-no-equals", f"{CITING}@103", 44, False),
    ("pdi-45-no-origin", f"{CITING}@={CITED}", 41, False),
    ("pdi-45-two-positions", f"{CITING}@1,2={CITED}", 42, False),
    ("pdi-45-named-origin", f"{CITING}@char=1={CITED}", 41, False),
    ("pdi-45-corner-in-text", f"{CITING}@(1,2)={CITED}", 41, False),
    ("pdi-45-number-in-a-picture", f"pdi://a.us/1997/11/03/4.gif.1@1={CITED}", 30, False),
    ("pdi-45-no-default-scheme", f"pdi://a.us/1997/11/03/4.pdf.1@1={CITED}", 30, False),
    ("pdi-45-origin-too-long", f"{CITING}@{'1' * 4001}={CITED}", 41, False),
    ("pdi-45-no-pdi", f"{CITING}@3=http://a.us/", 43, False),
    ("pdi-45-bad-pdi", f"{CITING}@3=pdi://a.gov/1997/01/01/1", 51, False),
    ("pdi-45-citing-without-format", f"pdi://a.us/1997/09/01/4@1={CITED}", 23, False),
    ("pdi-45-citing-without-version", f"pdi://a.us/1997/09/01/4.text@1={CITED}", 28, True),
    ("pdi-45-cited-without-version", f"{CITING}@3=pdi://a.us/1997/09/01/1.text", 71, True),
    ("pdi-45-cited-without-format", f"{CITING}@3=pdi://a.us/1997/09/01/1", 66, True),
    ("pdi-45-urn-inside", f"{CITING}@3=urn:{CITED}", 43, True),
    ("pdi-16-citing-wildcard", f"pdi://a.us/1997/11/03/*.text.1@3={CITED}", 30, False),
    ("pdi-16-cited-wildcard", f"{CITING}@3=pdi://a.us/1997/09/01/*.text.1", 65, False),
    ("pdi-45-fragment-and-citation", f"{CITING}#1,2@3={CITED}", 44, False),
]


@pytest.mark.parametrize(
    ("text", "offset", "lenient"), [c[1:] for c in REJECTED], ids=[c[0] for c in REJECTED]
)
def test_rejects_at_the_right_place(text: str, offset: int, *, lenient: bool) -> None:
    with pytest.raises(ParseError) as error:
        parse(text)
    assert (error.value.source, error.value.offset) == (text, offset)
    if lenient:
        assert len(citation(text, strict=False).violations) == 1
    else:
        with pytest.raises(ParseError) as error:
            parse(text, strict=False)
        assert error.value.offset == offset


def test_the_canonical_form_has_one_prefix() -> None:
    """pdi-45: what is cited stands without urn:, also where it was read leniently with it."""
    value = citation(f"urn:{CITING}@3=urn:{CITED}", strict=False)
    assert value.canonical() == f"urn:{CITING}@3={CITED}"
    assert parse(value.canonical()).canonical() == value.canonical()


def test_citations_are_cited_to_a_depth() -> None:
    """pdi-45: a citation may be cited in its turn, eight deep."""
    text = CITED
    for depth in range(MAX_DEPTH):
        text = f"{CITING}@{depth}={text}"
    value: object = citation(text)
    for _ in range(MAX_DEPTH):
        assert isinstance(value, CitationPDI)
        value = value.cited
    assert isinstance(value, PDI)
    with pytest.raises(ParseError, match="at most 8") as error:
        parse(f"{CITING}@9={text}")
    assert error.value.offset == len(f"{CITING}@9=") * 8 + len(CITING)
