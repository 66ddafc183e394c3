"""Charset laws: for all octets and all labels of the registry."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.property.slow_decoders import DECODERS, slow_decode

from permacite.charsets import codec_of, decode, incremental, same
from permacite.charsets.multibyte import bulk_of, rules_of
from permacite.charsets.registry import ROW_OF_NAME, ROWS

CODECS = sorted({row.codec for row in ROWS if row.codec is not None})
BY_RULES = sorted(codec for codec in CODECS if rules_of(codec))
PIECES = [
    *(b"\x1b(B", b"\x1b(J", b"\x1b(I", b"\x1b$@", b"\x1b$B", b"\x1b", b"\x1b$", b"0l", b"!", b"~"),
    *(b"\r\n", b"<p>", b"a", b"0", b"\\", b"\x80", b"\xff", b"\x8e", b"\x8f", b"\xa0", b"\x0e"),
    *(
        b"\x81\x30\x81\x30",
        b"\x84\x31\x95\x33",
        b"\xd8\x00",
        b"\x00\xdc",
        b"\xfe",
        b"\xe3\x32\x9a\x36",
    ),
]


@st.composite
def octets(draw: st.DrawFn, codec: str) -> bytes:
    """Return octets that are nearly text in a codec."""
    rules = rules_of("euc-jp" if codec == "iso-2022-jp" else codec)
    whole = st.sampled_from(sorted(rules.units)) if rules else st.text().map(str.encode)
    pieces = st.one_of(whole, st.sampled_from(PIECES), st.binary(max_size=4))
    return b"".join(draw(st.lists(pieces, max_size=20)))


many = st.sampled_from([*BY_RULES * 6, "iso-2022-jp", "iso-2022-jp", *CODECS])
"""Codecs, those oftener that have more to go wrong."""


@given(codec=many.filter(DECODERS.__contains__), data=st.data())
@settings(max_examples=max(100, settings().max_examples))
def test_octets_are_decoded_as_the_standard_says(codec: str, data: st.DataObject) -> None:
    content = data.draw(octets(codec))
    assert decode(content, codec, keep_mark=True) == slow_decode(content, codec)


@given(codec=many, data=st.data(), steps=st.lists(st.integers(1, 9), min_size=1))
@settings(max_examples=max(100, settings().max_examples))
def test_pieces_are_decoded_as_the_whole(codec: str, data: st.DataObject, steps: list[int]) -> None:
    content = data.draw(octets(codec))
    texts: list[str] = []
    decoder, start = incremental(codec), 0
    while start < len(content):
        step = steps[len(texts) % len(steps)]
        try:
            texts.append(decoder.decode(content[start : start + step]))
        except UnicodeError:  # as `incremental` says of pieces that are too small
            assume(codec == "iso-2022-jp" or not codec.startswith("iso-2022"))
            raise
        start += step
        state = decoder.getstate()
        decoder = incremental(codec)
        decoder.setstate(state)
    text = "".join(texts) + decoder.decode(b"", final=True)
    assert text == decode(content, codec, keep_mark=True)
    text.encode()  # which no surrogate would let it


@given(codec=st.sampled_from(BY_RULES), data=st.data())
@settings(max_examples=max(100, settings().max_examples))
def test_what_is_decoded_in_bulk_is_the_same(codec: str, data: st.DataObject) -> None:
    bulk, content = bulk_of(codec), data.draw(octets(codec))
    found = bulk and bulk.text(content)
    if found:
        assert found[0] == slow_decode(content[: found[1]], codec)


@given(codec=many, data=st.data())
def test_a_strict_decoder_refuses_what_another_replaces(codec: str, data: st.DataObject) -> None:
    content = data.draw(octets(codec))
    text = incremental(codec).decode(content, final=True)
    try:
        strict = incremental(codec, "strict").decode(content, final=True)
    except UnicodeDecodeError as error:
        before = incremental(codec).decode(content[: error.start], final=False)
        assert text.startswith(before + "\ufffd")
    else:
        assert strict == text


@given(st.sampled_from(sorted(ROW_OF_NAME)), st.sampled_from(sorted(ROW_OF_NAME)))
def test_charsets_that_are_the_same_decode_the_same(first: str, second: str) -> None:
    if same(first, second):
        assert codec_of(first) == codec_of(second)
