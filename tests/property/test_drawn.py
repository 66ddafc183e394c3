"""Drawn page laws: any pieces in any flow have a text, and the map leads from it to them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from permacite.errors import ParseError
from permacite.renditions.drawn import Drawing, draw, read_map

PIECE = st.text(alphabet="ab <&\r\n\t\0\xa0\U0001f600\ud800", max_size=8)
CODES = st.one_of(
    st.tuples(st.just(0), st.integers(0, 3), st.integers(0, 2)),
    st.integers(1, 7).map(lambda code: (code,)),
    st.tuples(st.just(8), st.integers(0, 3)),
)
PIECES = st.lists(st.tuples(PIECE, PIECE), min_size=4, max_size=4).map(
    lambda pairs: [*(piece for pair in pairs for piece in pair), "</p>"]
)
DRAWINGS = st.builds(
    Drawing, PIECES, st.lists(CODES, max_size=20).map(lambda codes: [n for c in codes for n in c])
)
ESCAPED = {"&": "&", "<": "&"}


@given(drawings=st.lists(DRAWINGS, min_size=1, max_size=3).map(lambda all_: dict(enumerate(all_))))
def test_the_map_leads_to_the_same_characters(drawings: dict[int, Drawing]) -> None:
    sources, rendered = draw(drawings, {})
    assert draw(drawings, {})[1] == rendered
    text = rendered.text
    assert text == "" or text.endswith("\r\n")
    assert "\0" not in text
    places = read_map(rendered.map)
    for at, sign in enumerate(text):
        for part, start, end in places.places(at, at + 1):
            shown = sources[part].text[start:end]
            assert shown == ESCAPED.get(sign, sign) or (shown + sign).isspace()
        if not sign.isspace():
            assert any(places.places(at, at + 1))


@given(data=st.text("ab \t\n\f\xa0&<\0", max_size=30), mode=st.integers(0, 1))
def test_a_text_is_its_characters_one_by_one(data: str, mode: int) -> None:
    pieces = [each for sign in data for each in ("", sign)] + [""]
    numbers = [number for index in range(len(data)) for number in (0, index, mode)]
    whole = draw({0: Drawing(["", data, ""], [0, 0, mode])}, {})[1]
    assert draw({0: Drawing(pieces, numbers)}, {})[1].text == whole.text


@given(data=st.binary(max_size=60))
def test_any_octets_are_a_map_or_refused(data: bytes) -> None:
    try:
        places = read_map(b"permacite-drawn-map/1\n" + data)
    except ParseError:
        return
    assert all(end > start for _, start, end in places.places(0, 1 << 30))
