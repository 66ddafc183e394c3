"""The index of a text: what it holds, how it is stored, and what is refused (counting.index)."""

from __future__ import annotations

import hashlib
import json
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from permacite.errors import IntegrityError, NotFoundError, ParseError, StorageError
from permacite.fragments import Index, Text, wilde00
from permacite.text.reading import MemorySource

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from permacite.fragments.rfc5147 import Scheme
    from permacite.text.reading import Fetch

CONTENT = ("naïve 中文 😀\r\nplain\n" * 9000).encode()


def test_an_index_tells_what_the_whole_is() -> None:
    index = Index.build(CONTENT, "utf-8")
    assert index.md5 == hashlib.md5(CONTENT, usedforsecurity=False).hexdigest()
    assert index.sha256 == hashlib.sha256(CONTENT).hexdigest()
    assert (index.size_bytes, index.mark_bytes, index.valid) == (len(CONTENT), 0, True)
    assert (index.end.line("http"), index.end.char("http")) == (18_000, 17 * 9000)
    assert (index.end.line("mime"), index.end.pdi("http")) == (9000, 19 * 9000)


def test_an_index_is_for_every_kind_of_position() -> None:
    text = Text(CONTENT, "utf-8", index=Index.build(CONTENT, "utf-8"))
    assert text.excerpt("line=17999,") == "plain\n"
    assert text.excerpt("char=17,21") == "naïv"
    assert text.place("pdi", 19 * 5000).char("http") == 17 * 5000
    assert text.excerpt(wilde00.parse("line(9000)")) == "plain\nnaïve 中文 😀"
    assert text.locate("char=0;length=153000").checks[0].result == "ok"
    assert text.slice(text.span(152_995, 999_999)) == "lain\n"


def test_invalid_bytes_are_known_before_they_are_read() -> None:
    content = CONTENT + b"\xff"
    index = Index.build(content, "utf-8")
    assert not index.valid
    assert "invalid-bytes" in Text(content, "utf-8", index=index).locate("char=0").notes


def test_the_stored_form_is_the_documented_one() -> None:
    stored = Index.build(b"a\r\nb", "utf-8", step_bytes=1).to_bytes()
    length = int.from_bytes(stored[8:12], "little")
    header = json.loads(stored[12 : 12 + length])
    assert stored.startswith(b"pcindex1")
    assert (header["charset"], header["rows"], header["size_bytes"]) == ("utf-8", 5, 4)
    columns = stored[12 + length : -4]
    assert len(columns) == 7 * 8 * header["rows"]
    assert columns[:40] == b"".join(n.to_bytes(8, "little") for n in (0, 1, 1, 3, 4))
    assert zlib.crc32(stored[:-4]).to_bytes(4, "little") == stored[-4:]


class Counted(MemorySource):
    """Bytes that remember which of them were asked for."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.asked: list[tuple[int, int]] = []

    @contextmanager
    def reading(self) -> Iterator[Fetch]:
        """Give slices, and remember where they are."""
        with super().reading() as fetch:

            def remembered(start: int, end: int) -> memoryview:
                self.asked.append((start, end))
                return fetch(start, end)

            yield remembered


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "utf-16", "shift_jis"])
@pytest.mark.parametrize("scheme", ["char", "line"])
def test_with_an_index_one_block_is_read(scheme: Scheme, charset: str) -> None:
    rows = (f"{'x' * (n % 70)} déjà vu\r\n\n{n}\r" for n in range(9000))
    data = "".join(rows).encode(charset, "ignore")
    index = Index.build(data, charset)
    last = index.end.position(scheme, "http")
    spacing = index.step_bytes + 64
    whole = Text(data, charset)
    for start in [*range(0, last, last // 60), last - 1, last]:
        source = Counted(data)
        text = Text(source, charset, index=index)
        (head,) = source.asked
        assert head[1] - head[0] < 8
        text.locate(f"{scheme}={start}")
        assert [end - begin for begin, end in source.asked[1:]] in ([spacing], [])
        text = Text(source, charset, index=index)
        source.asked.clear()
        (span,) = text.locate(f"{scheme}={start},{start + 3}").spans
        # A checkpoint may lie between the two ends of a range, however short it is.
        assert len(source.asked) <= 2
        assert all(end - begin == spacing for begin, end in source.asked)
        if len(source.asked) > 1:
            assert span.byte[0] < source.asked[1][0] <= span.byte[1]
        assert span == whole.span(start, start + 3, scheme)


def sealed(data: bytes) -> bytes:
    return data + zlib.crc32(data).to_bytes(4, "little")


GOOD = Index.build(b"abc").to_bytes()
HEADER = GOOD[12 : 12 + int.from_bytes(GOOD[8:12], "little")]

DAMAGED = [
    b"",
    b"pcindex1",
    GOOD[:-1],
    b"pcindex2" + GOOD[8:],
    GOOD[:20] + b"?" + GOOD[21:],
    sealed(GOOD[:-12]),
    sealed(b"pcindex1" + (2).to_bytes(4, "little") + b"{}"),
    sealed(b"pcindex1" + (2).to_bytes(4, "little") + b"[]"),
    sealed(b"pcindex1" + (1).to_bytes(4, "little") + b"\xff"),
    sealed(GOOD[:12] + HEADER.replace(b'"rows": 2', b'"rows": 0') + GOOD[12 + len(HEADER) : -4]),
    sealed(GOOD[:12] + HEADER.replace(b'"rows": 2', b'"rows":""') + GOOD[12 + len(HEADER) : -4]),
    sealed(GOOD[:12] + HEADER.replace(b"us-ascii", b"us-asci\xff") + GOOD[12 + len(HEADER) : -4]),
    sealed(GOOD[:12] + HEADER.replace(b"true", b"1234") + GOOD[12 + len(HEADER) : -4]),
]


@pytest.mark.parametrize("data", DAMAGED)
def test_what_is_damaged_is_refused(data: bytes) -> None:
    with pytest.raises(ParseError, match="index"):
        Index.from_bytes(data)


def test_an_index_of_something_else_is_refused() -> None:
    index = Index.build(b"abc")
    with pytest.raises(IntegrityError):
        Text(b"abcd", index=index)
    with pytest.raises(ValueError, match="charset"):
        Text(b"abc", "utf-8", index=index)
    with pytest.raises(ValueError, match="line endings"):
        Text(b"abc", line_endings="all", index=index)
    assert Text(b"abc", line_endings="mime", index=index).length == 3


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        Text(tmp_path / "none")
    with pytest.raises(StorageError):
        Text(tmp_path).locate("char=0")
    path = tmp_path / "empty"
    path.touch()
    assert Text(path).locate(wilde00.parse("match(a)line(1)")).spans[0].byte == (0, 0)
    path.write_bytes(b"grown")
    assert Text(path).locate(wilde00.parse("match(row)")).spans[0].byte == (1, 4)
    text = Text(path)
    path.write_bytes(b"gone")
    with pytest.raises(StorageError, match="shorter"):
        text.locate("char=1")
