"""Fragment laws for plain text, against a slow and obvious reference."""

from __future__ import annotations

import itertools
import mmap
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.property.slow_text import ENDINGS, MODES, Slow, slow, unit_pieces, utf8_pieces

from permacite.charsets import decode, resolve
from permacite.errors import ParseError
from permacite.fragments import Index, Text, convert, rfc5147
from permacite.text.reading import BlockReader, MemorySource
from permacite.text.sweep import sweep
from permacite.text.tally import DecodingMark, Plan, Tally

if TYPE_CHECKING:
    from collections.abc import Callable

# ---------------------------------------------------------------- what is drawn

CHARACTERS = "ab\r\n\x85\x0b\x0c\x1c\u2028\ufeffé\u0a0d\u0d0a中😀\u0301\udbff"[:-1]
texts = st.lists(
    st.sampled_from([*CHARACTERS, "\r\n", "\r\n", "\r\x85", "\n\r", "\r\r\n"]), max_size=40
).map("".join)

CHARSETS = [
    # charset, codec of the bytes, byte order mark
    ("utf-8", "utf-8", b""),
    ("utf-8", "utf-8", b"\xef\xbb\xbf"),
    ("utf-16", "utf-16-le", b"\xff\xfe"),
    ("utf-16", "utf-16-be", b"\xfe\xff"),
    ("utf-16", "utf-16-be", b""),
    ("utf-16le", "utf-16-le", b""),
    ("utf-16be", "utf-16-be", b"\xfe\xff"),
    ("utf-32", "utf-32-be", b""),
    ("utf-32", "utf-32-le", b"\xff\xfe\x00\x00"),
    ("utf-32le", "utf-32-le", b""),
    ("gb18030", "gb18030", b""),
    ("gb18030", "gb18030", b"\x84\x31\x95\x33"),
    ("iso-8859-1", "iso-8859-1", b""),
    ("windows-1252", "cp1252", b""),
    ("cp037", "cp037", b""),
    ("shift_jis", "shift_jis", b""),
    ("big5", "big5", b""),
    ("euc-jp", "euc_jp", b""),
    ("koi8-r", "koi8-r", b""),
]


@st.composite
def entities(draw: st.DrawFn) -> tuple[bytes, str, Slow]:
    """Valid bytes, their charset, and what the reference makes of them."""
    charset, codec, mark = draw(st.sampled_from(CHARSETS))
    text = draw(texts).encode(codec, "ignore").decode(codec)
    if not mark and text.startswith("\ufeff"):
        text = text.lstrip("\ufeff")
    return mark + text.encode(codec), charset, slow(unit_pieces(text, codec), len(mark))


positions = st.integers(0, 60)


@st.composite
def ranges(draw: st.DrawFn) -> str:
    scheme = draw(st.sampled_from(["char", "line"]))
    first, second = sorted((draw(positions), draw(positions)))
    form = draw(st.sampled_from(["{0}", "{0},{1}", ",{1}", "{0},"]))
    return f"{scheme}={form.format(first, second)}"


def expected(reference: Slow, fragment: str, mode: str) -> dict[str, tuple[int, int]]:
    parsed = rfc5147.parse(fragment)
    places = reference.chars(mode) if parsed.scheme == "char" else reference.lines(mode)
    ends = []
    for number, default in ((parsed.start, 0), (parsed.end, len(places) - 1)):
        ends.append(places[min(default if number is None else number, len(places) - 1)])
    chars = reference.chars(mode)
    return {
        "char": (chars.index(ends[0]), chars.index(ends[1])),
        "code_point": (ends[0], ends[1]),
        "byte": (reference.starts[ends[0]], reference.starts[ends[1]]),
    }


def found(text: Text, fragment: str) -> dict[str, tuple[int, int]]:
    location = text.locate(fragment)
    assert location.status == "ok", location
    (span,) = location.spans
    return {"char": span.char, "code_point": span.code_point, "byte": span.byte}


# ---------------------------------------------------------------- laws


@given(entities(), ranges(), st.sampled_from(MODES))
@settings(max_examples=max(100, settings().max_examples))
def test_spans_are_those_of_the_reference(
    entity: tuple[bytes, str, Slow], fragment: str, mode: str
) -> None:
    data, charset, reference = entity
    text = Text(data, charset, mode)
    wanted = expected(reference, fragment, mode)
    assert found(text, fragment) == wanted
    start, end = wanted["code_point"]
    assert text.excerpt(fragment) == "".join(reference.characters)[start:end]
    assert text.length == len(reference.joined(mode))


@given(entities(), ranges(), st.sampled_from(MODES), st.sampled_from([1, 3, 7, 16]))
@settings(max_examples=max(100, settings().max_examples))
def test_an_index_changes_nothing(
    entity: tuple[bytes, str, Slow], fragment: str, mode: str, step: int
) -> None:
    data, charset, reference = entity
    index = Index.build(data, charset, "all", step_bytes=step)
    stored = Index.from_bytes(index.to_bytes())
    assert stored == index
    text = Text(data, charset, mode, index=stored)
    assert found(text, fragment) == expected(reference, fragment, mode)
    assert text.length == len(reference.joined(mode))
    assert text.md5 == Text(data, charset).md5


PARTS = (
    *(b"a", b"\r", b"\n", b"\r\n", b"\r\xc2\x85", b"\xc2\x85", b"\xd0\x85"),
    *(b"\xe4\xb8\xad", b"\xe4\xb8", b"\xf0\x9f\x98\x80", b"\xf0\x9f", b"\xed\x9f"),
    *(b"\x80", b"\x90", b"\xa0", b"\xbf", b"\xc0", b"\xc2", b"\xe0", b"\xed\xa0"),
    *(b"\xf0", b"\xf4", b"\xf4\x90", b"\xf5", b"\xff"),
)
octets = st.lists(st.sampled_from(PARTS), max_size=40).map(b"".join)


@given(octets, ranges(), st.sampled_from(MODES))
@settings(max_examples=max(100, settings().max_examples))
def test_bytes_that_are_no_characters_count_as_replaced(
    data: bytes, fragment: str, mode: str
) -> None:
    mark = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    reference = slow(utf8_pieces(data[mark:]), mark)
    assert "".join(reference.characters) == data[mark:].decode("utf-8", "replace")
    text = Text(data, "utf-8", mode)
    assert found(text, fragment) == expected(reference, fragment, mode)
    valid = "\ufffd" not in reference.characters
    assert text.length == len(reference.joined(mode))
    assert ("invalid-bytes" in text.locate(fragment).notes) is not valid
    if not valid:
        with pytest.raises(ParseError):
            _ = Text(data, "utf-8", mode, errors="strict").length


STATEFUL = (
    *("shift_jis", "gb18030", "euc-kr", "big5hkscs"),
    *("iso-2022-jp", "iso-2022-kr", "hz", "utf-7"),
)
AWKWARD = st.lists(
    st.sampled_from(
        [*b"a9\r\n~{}+-/(B$J)", 0x0E, 0x0F, 0x1B, 0x80, 0x81, 0x88, 0x94, 0xA1, 0xFC, 0xFE, 0xFF]
    ),
    max_size=40,
).map(bytes)


@given(
    AWKWARD,
    st.sampled_from(STATEFUL),
    st.integers(1, 12),
)
@settings(max_examples=max(100, settings().max_examples))
@example(b"(1\x953\xd6\xd0\x949\xfc61\r\n", "gb18030", 7)
@example(b"\x84<1\x953p\xd0\x94", "gb18030", 7)
@example(b"A\x1b$BF|\x1b(B\x1b$B\x1b(B\x1b(B\x1b(B\r\nB", "iso-2022-jp", 3)
@example(b"\x1b" * 30 + b"\r\n", "iso-2022-jp", 5)
def test_what_any_decoder_sees_is_counted(data: bytes, charset: str, step: int) -> None:
    encoding = resolve(charset).encoding(data[:5])
    text = decode(data[encoding.mark_bytes :], encoding.codec, keep_mark=True)
    reader = BlockReader(MemorySource(data), encoding, "replace")
    assert "".join(block.text for block in reader.blocks(size=step)) == text
    entity = Text(data, charset, "all")
    assert entity.end.code_point == len(text)
    indexed = Text(data, charset, "all", index=Index.build(data, charset, "all", step_bytes=step))
    places = entity.places("code_point", range(len(text) + 1))
    assert indexed.places("code_point", range(len(text) + 1)) == places
    assert [place.byte for place in places] == sorted(place.byte for place in places)
    assert places[-1].byte == len(data)


def marks(
    data: bytes, charset: str, step: int, stretch: int, by: str, lead: int = 0
) -> list[tuple[DecodingMark, Tally, bool]]:
    """Each mark of sweeps by every plan, with what the reference counts up to there."""
    encoding = resolve(charset).encoding(data[:5])
    reader = BlockReader(MemorySource(data), encoding, "replace")
    start = DecodingMark(Tally(encoding.mark_bytes))
    pairs = []
    for plan in PLANS:
        for mark in sweep(reader, plan, start, step=step, stretch=stretch, lead=lead, by=by):  # type: ignore[arg-type]
            part = data[encoding.mark_bytes : mark.tally.byte]
            text = decode(part, encoding.codec, keep_mark=True)
            pairs.append((mark, planned(text, mark.tally, plan), "\ufffd" in text))
    return pairs


PLANS = [Plan(lines, nel) for lines in (False, True) for nel in (False, True)]


def planned(text: str, found: Tally, plan: Plan) -> Tally:
    """The counts of a text; what is not planned is as it was found."""
    counts = Tally(
        found.byte,
        len(text),
        *(text.count(part) for part in ("\r", "\n", "\r\n", "\x85", "\r\x85")),
    )
    if not plan.lines:
        counts = counts._replace(cr=found.cr, lf=found.lf, nel=found.nel)
    if not plan.nel:
        counts = counts._replace(nel=found.nel, crnel=found.crnel)
    return counts


@given(
    octets | texts.map(str.encode),
    st.sampled_from(["utf-8", "iso-8859-1", "us-ascii", "windows-1252", "cp037"]),
    st.sampled_from([1, 5, 8, 64]),
    st.sampled_from([8, 21, 64]),
    st.sampled_from(["vectors", "decoding"]),
    st.sampled_from([0, 8, 20, 64]),
)
@example(b"\xf0\x9f\x98\x80\r\n\xe4\xb8\xad" * 9, "utf-8", 1, 8, "vectors", 0)
@example(b"\xf0\x9f\x98\x80\r\n\xe4\xb8\xad" * 9, "utf-8", 5, 8, "vectors", 20)
@settings(max_examples=max(100, settings().max_examples))
def test_every_mark_of_a_sweep_is_right(
    data: bytes, charset: str, step: int, stretch: int, by: str, lead: int
) -> None:
    pairs = marks(data, charset, step, stretch, by, lead)
    assert pairs[-1][0].tally.byte == len(data)
    for mark, counts, replaced in pairs:
        assert mark.tally == counts
        assert mark.invalid == replaced
        assert data[mark.tally.byte - 1 : mark.tally.byte + 1] != b"\r\n" or charset == "cp037"


EDGES = [
    b"a" * 7 + b"\r\n" + b"b" * 7,
    "x\r\x85y中\r\n".encode() * 3,
    "é中😀".encode() * 3,
    b"\xf0\x9f\x98" + b"\x80" * 5 + b"\xe4\xb8" + b"\r\n" * 4,
    b"\r" * 20 + b"\n" * 3,
]


@pytest.mark.parametrize("by", ["vectors", "decoding"])
@pytest.mark.parametrize("edge", range(len(EDGES)))
@pytest.mark.parametrize("pad", range(12))
def test_rfc5147_a9_no_block_edge_splits_a_character_or_a_line_ending(
    edge: int, pad: int, by: str
) -> None:
    data = b"." * pad + EDGES[edge]
    for step, stretch in ((8, 8), (3, 16)):
        for mark, counts, replaced in marks(data, "utf-8", step, stretch, by):
            assert (mark.tally, mark.invalid) == (counts, replaced)


NO_UTF8 = [
    *(b"\x80", b"\xbf\xbf", b"\xc0\x80", b"\xc1\xbf", b"\xc0a", b"\xc3", b"\xc3a", b"\xc3\r\n"),
    *(b"\xc3\xc3\xa9", b"\xe0\x80\x80", b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xed\xbf\xbf"),
    *(b"\xe4\xb8", b"\xe4\xb8\r", b"\xe4a\xad", b"\xe4\xb8\xad\xad", b"\xf0\x80\x80\x80"),
    *(b"\xf0\x8f\xbf\xbf", b"\xf0\x9f\x98", b"\xf0\x9f\xe4\xb8\xad", b"\xf4\x90\x80\x80"),
    *(
        b"\xf0\x8f\xbf\xbf\xf1\x80\x80\x80",
        b"\xf4\x8f\xbf\xbf\xf0\x80\x80\x80",
        b"\xf5\x80\x80\x80",
    ),
    *(b"\xf8\x88\x80\x80\x80", b"\xfe", b"\xff\xff", b"\xc1a", b"\x80" * 9, b"\xbf" * 17),
]


@pytest.mark.parametrize("by", ["vectors", "decoding"])
@pytest.mark.parametrize("wrong", NO_UTF8, ids=bytes.hex)
def test_rfc5147_a25_invalid_bytes_are_seen_at_every_edge(wrong: bytes, by: str) -> None:
    tails = (b"", b"abcdefghi", "é\r\n中\r\n😀".encode(), b"\n" * 9)
    for pad, tail in itertools.product(range(9), tails):
        data = "é.".encode() * (pad % 2) + b"." * pad + wrong + tail
        for step, stretch in ((8, 8), (3, 16)):
            found = marks(data, "utf-8", step, stretch, by)
            assert found[-1][0].invalid
            for mark, counts, replaced in found:
                assert (mark.tally, mark.invalid) == (counts, replaced)


@pytest.mark.parametrize("by", ["vectors", "decoding"])
@pytest.mark.parametrize("stretch", [64, 1000, 4096])
def test_stretches_counted_in_threads_add_up(stretch: int, by: str) -> None:
    rows = ("\r\n", "plain\r\n", "\r", "naïve 中文 😀\n" * 20, "x" * 90, "\x85\r\x85")
    some = [row.encode() for row in rows for _ in range(40)]
    some[100:100] = [b"\xff", b"\xe4\xb8"] * 30
    for mark, counts, replaced in marks(b"".join(some), "utf-8", 500, stretch, by):
        assert (mark.tally, mark.invalid) == (counts, replaced)


@pytest.mark.parametrize("by", ["vectors", "decoding"])
@pytest.mark.parametrize("pad", range(9))
def test_long_slices_are_counted_over_the_edges_of_pieces(pad: int, by: str) -> None:
    data = b"." * pad + "中😀é".encode() * 5000
    for mark, counts, replaced in marks(data, "utf-8", 40_000, 50_000, by):
        assert (mark.tally, mark.invalid) == (counts, replaced)


@pytest.mark.parametrize("place", [0, 1, 140_000, 299_999])
def test_rfc5147_a25_a_strict_entity_tells_which_byte_is_wrong(place: int) -> None:
    data = bytearray(b"x" * 300_000)
    data[place] = 0xFF
    with pytest.raises(ParseError, match=f"byte {place} is no utf-8"):
        _ = Text(data, "utf-8", errors="strict").length


@given(entities(), st.data(), st.sampled_from(MODES))
def test_what_is_cited_is_found_again(
    entity: tuple[bytes, str, Slow], data: st.DataObject, mode: str
) -> None:
    content, charset, reference = entity
    text = Text(content, charset, mode)
    scheme = data.draw(st.sampled_from(["char", "line"]))
    last = len(reference.chars(mode)) - 1
    if scheme == "line":
        last = text.end.line(text.line_endings)
    start, end = sorted((data.draw(st.integers(0, last)), data.draw(st.integers(0, last))))
    fragment = text.cite(start, end, scheme=scheme)  # type: ignore[arg-type]
    assert rfc5147.parse(str(fragment)) == fragment
    location = text.locate(str(fragment))
    assert [check.result for check in location.checks] == ["ok", "ok"]
    assert location.spans[0] == text.span(start, end, scheme)  # type: ignore[arg-type]
    if scheme == "char":
        assert location.spans[0].char == (start, end)


@given(texts, st.data(), st.sampled_from(["http", "mime", "lf"]))
def test_positions_of_the_canonical_text_convert_there_and_back(
    text: str, data: st.DataObject, mode: str
) -> None:
    entity = Text.of(text, mode)
    chars = [text[slice(*ends)] for ends in slow([(c, 1) for c in text], 0).joined(mode)]
    canonical = ["\r\n" if char in ENDINGS[mode] else char for char in chars]
    last = len(chars)
    start, end = sorted((data.draw(st.integers(0, last)), data.draw(st.integers(0, last))))
    pdi = convert.rfc5147_to_pdi(entity, start, end)
    assert pdi == (len("".join(canonical[:start])), len("".join(canonical[:end])), True)
    assert convert.pdi_to_rfc5147(entity, pdi.start, pdi.end) == (start, end, True)


@given(texts, st.data(), st.sampled_from(MODES))
def test_counts_of_the_draft_convert_there_and_back(
    text: str, data: st.DataObject, mode: str
) -> None:
    entity = Text.of(text, mode)
    reference = slow([(character, 1) for character in text], 0)
    chars = reference.chars(mode)
    if not text:
        return
    first, last = sorted(data.draw(st.integers(1, len(text))) for _ in range(2))
    start, end, exact = convert.wilde00_to_rfc5147(entity, first, last)
    assert chars[start] <= first - 1 < chars[start + 1]
    assert chars[end - 1] < last <= chars[end]
    assert exact == (chars[start] == first - 1 and chars[end] == last)
    if exact:
        assert convert.rfc5147_to_wilde00(entity, start, end) == (first, last, True)
    pdi = convert.wilde00_to_pdi(entity, first, last)
    assert pdi.exact
    assert convert.pdi_to_wilde00(entity, pdi.start, pdi.end) == (first, last, True)


@given(st.text() | texts)
@example("char=1;length=\ue030")
def test_any_text_is_a_fragment_or_a_parse_error(source: str) -> None:
    fragment, error = parsed(source)
    if fragment is None:
        assert error is not None
        assert (error.source, 0 <= error.offset <= len(source)) == (source, True)
        return
    assert str(fragment) == source
    assert rfc5147.parse(fragment.canonical()).canonical() == fragment.canonical()


def parsed(source: str) -> tuple[rfc5147.TextFragment | None, ParseError | None]:
    try:
        return rfc5147.parse(source), None
    except ParseError as error:
        return None, error


@pytest.mark.parametrize("kind", ["mmap", "path", "memoryview", "bytearray"])
def test_every_source_gives_the_same_answer(kind: str) -> None:
    content = ("naïve 中文 😀\r\n" * 30_000).encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text.txt")
        path.write_bytes(content)
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
            source = {
                "mmap": view,
                "path": path,
                "memoryview": memoryview(content),
                "bytearray": bytearray(content),
            }[kind]
            text = Text(source, "utf-8")  # type: ignore[arg-type] # one of four
            assert text.locate("char=300000,300005") == Text(content, "utf-8").locate(
                "char=300000,300005"
            )
            assert text.excerpt("line=29999,") == "naïve 中文 😀\r\n"
            assert text.locate("char=999999999").spans[0].byte == (len(content), len(content))
            del text


OUT_OF_RANGE = [(0, 6), (6, 7), (3, 2), (-1, 2)]


@pytest.mark.parametrize(("start", "end"), OUT_OF_RANGE)
@pytest.mark.parametrize(
    "convert_to",
    [
        convert.pdi_to_rfc5147,
        convert.rfc5147_to_pdi,
        convert.wilde00_to_rfc5147,
        convert.rfc5147_to_wilde00,
        convert.pdi_to_wilde00,
        convert.wilde00_to_pdi,
    ],
)
def test_positions_that_are_none_do_not_convert(
    convert_to: Callable[[str, int, int], convert.Converted], start: int, end: int
) -> None:
    with pytest.raises(ParseError):
        convert_to("abcde", start, end)


def test_the_draft_names_no_empty_range_and_nothing_before_the_first() -> None:
    with pytest.raises(ParseError, match="empty"):
        convert.rfc5147_to_wilde00("abc", 1, 1)
    with pytest.raises(ParseError, match="begin at 1"):
        convert.wilde00_to_pdi("abc", 0, 1)


def test_pditext_c2_half_a_line_ending_is_rounded_outwards() -> None:
    # The canonical text is a CR LF b: positions 1 to 3 are one character of RFC 5147.
    for stored in ("a\r\nb", "a\nb", "a\rb"):
        assert convert.pdi_to_rfc5147(stored, 2, 4) == (1, 3, False)
        assert convert.pdi_to_rfc5147(stored, 0, 2) == (0, 2, False)
        assert convert.pdi_to_rfc5147(stored, 1, 3) == (1, 2, True)
    assert convert.pdi_to_wilde00("a\r\nb", 2, 4) == (3, 4, True)
    assert convert.pdi_to_wilde00("a\nb", 2, 4) == (2, 3, False)
    assert convert.pdi_to_wilde00("a\nb", 0, 2) == (1, 2, False)


def test_without_numpy_everything_is_counted_by_decoding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    pairs = marks(b"a\r\n\xe4\xb8\xad" * 9, "utf-8", 5, 8, "vectors")
    assert all(mark.tally == counts for mark, counts, _ in pairs)
