"""What is typed for a part: any text is read or refused in its place, and times are exact."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from permacite.errors import ParseError
from permacite.pdi import FragmentPDI, parse
from permacite.service.citations.parts import WAYS, clock, part_of, specifier, told_of

KINDS = {
    "char": "text/plain", "line": "text/plain", "elt": "text/html", "name": "text/html",
    "rect": "image/png", "sec": "audio/mpeg", "msec": "audio/mpeg", "crop": "video/mp4",
    "byte": "application/pdf", "row": "text/csv", "col": "text/csv", "cell": "text/csv",
    "pointer": "application/json", "viewrect": "application/pdf", "part": "multipart/related",
}  # fmt: skip
FORMATS = {
    "text/plain": "text", "text/html": "html", "image/png": "png", "audio/mpeg": "audio+mpeg",
    "video/mp4": "mp4", "application/pdf": "pdf", "text/csv": "csv", "application/json": "json",
    "multipart/related": "related",
}  # fmt: skip
TYPED = st.text() | st.text("0123456789,:.-()secm%2cC/~* \u2013", max_size=40)
MILLISECONDS = st.integers(0, 10**9)


@given(st.sampled_from(sorted(WAYS)), TYPED)
@example("name", "a b,%00")
@example("name", "\ud800")
@example("sec", "9" * 30 + ",1")
@example("rect", "1,2,3," + "9" * 5000)
def test_any_text_is_read_or_refused_in_its_place(scheme: str, typed: str) -> None:
    kind = KINDS[scheme]
    found = refused = None
    try:
        found = specifier(scheme, typed, kind)
    except ParseError as error:
        refused = error
    if refused is not None:
        assert refused.problem
        assert 0 <= refused.offset <= len(refused.source)
    if found is not None and found.scheme != "line":
        written = f"{found.scheme}={','.join(found.positions)}"
        name = f"urn:pdi://lab.example.us/2026/11/21/1.{FORMATS[kind]}.1#{written}"
        value = parse(name)
        assert isinstance(value, FragmentPDI)
        assert value.canonical() == parse(value.canonical()).canonical()
        assert told_of(name)


@given(MILLISECONDS, MILLISECONDS, st.sampled_from([",", "-", "\u2013", " - "]))
def test_a_time_as_a_clock_shows_it_is_exact(one: int, other: int, between: str) -> None:
    start, end = sorted((one, other))
    for scheme in ("sec", "msec"):
        found = specifier(scheme, f"{clock(start)}{between}{clock(end)}", "audio/mpeg")
        value = parse(
            "urn:pdi://lab.example.us/2026/11/21/1.basic.1"
            f"#{found.scheme}={','.join(found.positions)}"
        )
        assert isinstance(value, FragmentPDI)
        assert part_of(value).milliseconds == (start, end)
        fine = start % 1000 or end % 1000 or scheme == "msec"
        assert found.scheme == ("msec" if fine else "sec")


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_number_is_in_the_unit_of_its_scheme(one: int, other: int) -> None:
    start, end = sorted((one, other))
    for scheme in ("sec", "msec"):
        found = specifier(scheme, f"{start},{end}", "audio/mpeg")
        assert (found.scheme, found.positions) == (scheme, (str(start), str(end)))


@pytest.mark.parametrize("typed", ["1:60-2:00", "1:60:00-2:00:00", "0:00.0001-1", "1:2:3:4-5"])
def test_what_no_clock_shows_is_refused(typed: str) -> None:
    with pytest.raises(ParseError, match="expected two times"):
        specifier("sec", typed, "audio/mpeg")
