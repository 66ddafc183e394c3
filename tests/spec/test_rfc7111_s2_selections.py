"""RFC 7111 §2: rows, columns and cells of CSV, which RFC 4180 §2 reads."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permacite.errors import NotFoundError, ParseError
from permacite.extract import extract
from permacite.extract.structure import CellTable, value
from permacite.pdi import SCHEMES, denotes_same, parse
from permacite.text.entity import canonical

WEATHER = (
    "date,temperature,place\n2011-01-01,1,Galway\n2011-01-02,-1,Galway\n2011-01-03,0,Galway\n"
    '2011-01-01,6,"Berk""eley\n, CA"\n2011-01-02,8,Berkeley\n2011-01-03,5,Berkeley\n'
)
"""The example of RFC 7111 §2, with a field of two lines."""

SELECTED = [
    # id, fragment, what is selected
    ("row", "row=2", "2011-01-01,1,Galway"),
    ("first-row", "row=1", "date,temperature,place"),
    ("last-row", "row=*", "2011-01-03,5,Berkeley"),
    ("rows", "row=3-4", "2011-01-02,-1,Galway\n2011-01-03,0,Galway"),
    ("rows-to-the-last", "row=6-*", "2011-01-02,8,Berkeley\n2011-01-03,5,Berkeley"),
    ("a-row-of-two-lines", "row=5", '2011-01-01,6,"Berk""eley\n, CA"'),
    ("zeros", "row=007", "2011-01-03,5,Berkeley"),
    ("column", "col=2", "temperature\n1\n-1\n0\n6\n8\n5"),
    ("last-column", "col=*", "place" + 3 * "\nGalway" + '\n"Berk""eley\n, CA"' + 2 * "\nBerkeley"),
    ("cell", "cell=2,3", "Galway"),
    ("quoted", "cell=5,3", '"Berk""eley\n, CA"'),
    ("last-cell", "cell=*,*", "Berkeley"),
    ("cells-of-a-row", "cell=2,1-2,2", "2011-01-01,1"),
    ("cells", "cell=2,2-3,3", "1,Galway\n-1,Galway"),
    ("cells-to-the-last", "cell=6,2-*,*", "8,Berkeley\n5,Berkeley"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("fragment", "wanted"), [c[1:] for c in SELECTED], ids=[c[0] for c in SELECTED]
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("charset", ["utf-8", "utf-16-le"])
def test_selections_are_octets_of_the_table(
    fragment: str, wanted: str, end: str, charset: str
) -> None:
    source = WEATHER.replace("\n", end).encode(charset)
    found = extract(source, "text/csv", fragment, charset=charset)
    assert found.text == wanted.replace("\n", "\r\n")
    assert found.data.decode(charset) == wanted.replace("\n", end)
    assert found.media_type == "text/csv"
    assert not found.clipped
    if found.source_range is not None:
        assert source[slice(*found.source_range)] == found.data


REJECTED = [
    # fragment, where, why
    ("row=0", 4, "counted from 1"),
    ("row=", 4, "counted from 1"),
    ("row=7-5", 4, "runs backwards: 7 is after 5"),
    ("row=*-5", 4, "runs backwards"),
    ("row=5-", 6, "counted from 1"),
    ("row=5;7", 5, "expected the end"),
    ("row=5,7", 5, "expected the end"),
    ("col=a", 4, "counted from 1"),
    ("cell=4", 6, "and the column"),
    ("cell=4,1-3,2", 5, "runs backwards: 4 is after 3"),
    ("cell=4,3-5,2", 5, "runs backwards: 3 is after 2"),
    ("cell=4,1-5", 10, "and the column"),
    ("row=" + "9" * 4001, 4, "at most 4000 digits"),
]


@pytest.mark.parametrize(("fragment", "offset", "why"), REJECTED)
def test_rejects_at_the_right_place(fragment: str, offset: int, why: str) -> None:
    with pytest.raises(ParseError, match=why) as error:
        extract(WEATHER.encode(), "text/csv", fragment)
    assert error.value.offset == offset
    assert "RFC 7111" in str(error.value)


def test_only_tables_have_them() -> None:
    with pytest.raises(ParseError, match="text/plain has no fragment scheme row"):
        extract(b"a,b", "text/plain", "row=1")


@pytest.mark.parametrize("fragment", ["row=8", "row=9-*", "col=4", "cell=8,1", "cell=1,4-2,5"])
def test_what_lies_outside_names_nothing(fragment: str) -> None:
    with pytest.raises(NotFoundError, match="the table has"):
        extract(WEATHER.encode(), "text/csv", fragment)


@pytest.mark.parametrize("fragment", ["row=1", "row=*", "col=1", "cell=1,1"])
def test_an_empty_table_has_nothing(fragment: str) -> None:
    with pytest.raises(NotFoundError, match="the table has 0 rows"):
        extract(b"", "text/csv", fragment)


@pytest.mark.parametrize("fragment", ["row=6-8", "col=3-4", "cell=7,3-8,4"])
def test_what_reaches_beyond_the_end_is_marked(fragment: str) -> None:
    assert extract(WEATHER.encode(), "text/csv", fragment).clipped


TABLES = [
    # id, source, its fields
    ("semicolons", "a;b\n1,5;2\n", [["a", "b"], ["1,5", "2"]]),
    ("tabs", "a\tb\n1;5\t2", [["a", "b"], ["1;5", "2"]]),
    ("a-comma-of-equals", "a,b;c\n", [["a", "b;c"]]),
    ("separators-in-quotes-do-not-count", '"a;b;c",d\n', [["a;b;c", "d"]]),
    ("ragged", "a,b,c\n1\n1,2,3,4\n", [["a", "b", "c"], ["1"], ["1", "2", "3", "4"]]),
    ("empty-lines", "a\n\nb\n", [["a"], [""], ["b"]]),
    ("no-last-line-end", "a\nb", [["a"], ["b"]]),
    ("empty-fields", ",\n,\n", [["", ""], ["", ""]]),
    ("never-closed", 'a,"b\nc,d\n', [["a", "b\r\nc,d\r\n"]]),
    ("behind-a-quote", '"a"b,c\n', [["ab", "c"]]),
    ("quotes-inside", 'a"b",c""\n', [['a"b"', 'c""']]),
    ("mark", "\ufeffa,b\n", [["a", "b"]]),
]


@pytest.mark.parametrize(("source", "fields"), [c[1:] for c in TABLES], ids=[c[0] for c in TABLES])
def test_records_and_fields(source: str, fields: list[list[str]]) -> None:
    table = CellTable(canonical(source.removeprefix("\ufeff")))
    assert _read(table) == fields
    assert (table.height, table.width) == (len(fields), max(map(len, fields)))
    first = extract(source.encode(), "text/csv", "cell=1,1").text or ""
    assert value(first) == fields[0][0]


def _read(table: CellTable) -> list[list[str]]:
    return [
        [value(table.text[start:end]) for start, end in table.fields(row)]
        for row in range(table.height)
    ]


@given(st.lists(st.lists(st.text(max_size=8), min_size=2, max_size=4), min_size=1, max_size=6))
def test_what_a_writer_wrote_is_read(rows: list[list[str]]) -> None:
    rows = [[canonical(field.replace("\x00", "")) for field in row] for row in rows]
    rows[0] = ["a", "b"]  # so that commas part it
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\r\n").writerows(rows)
    assert _read(CellTable(written.getvalue())) == rows


@given(st.text('ab",;\t\r\n', max_size=60))
def test_any_text_is_a_table(source: str) -> None:
    text = canonical(source)
    table = CellTable(text)
    places = [place for row in range(table.height) for place in table.record(row)]
    assert places == sorted(places)
    for row in range(table.height):
        fields = table.fields(row)
        start, end = table.record(row)
        assert table.separator.join(text[slice(*field)] for field in fields) == text[start:end]
        assert table.row_of(start) == row
    ends = [*(table.record(row)[0] for row in range(1, table.height)), len(text)]
    for row, end in enumerate(ends[: table.height]):
        assert text[table.record(row)[1] : end] in {"\r\n", ""}


SAME = [
    ("row=5", "row=5-5", True),
    ("row=05-7", "row=5-007", True),
    ("cell=1,2", "cell=1,2-1,2", True),
    ("cell=1%2c2", "cell=1,2", True),
    ("row=5", "row=5-*", False),
    ("row=1", "col=1", False),
]


@pytest.mark.parametrize(("one", "other", "same"), SAME)
def test_equivalence(one: str, other: str, same: bool) -> None:  # noqa: FBT001 - a column
    name = "urn:pdi://lab.example.us/2026/11/21/1.csv.1#"
    values = [parse(name + fragment, strict=False) for fragment in (one, other)]
    assert denotes_same(*values) == same
    assert [str(value) for value in values] == [name + one, name + other]


def test_the_schemes_are_registered() -> None:
    """pdi-15: RFC 7111 and RFC 6901 are registered beside the schemes of the draft."""
    assert {"row", "col", "cell", "pointer"} <= {scheme.name for scheme in SCHEMES.known}
