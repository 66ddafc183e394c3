"""Index of an entity: checkpoints, from which any place is found by reading one block.

Built in one pass, together with the length, the line count, both digests, and whether all bytes are
characters. One index serves characters, code points, lines and positions of the canonical text.

The stored form, all numbers little-endian:

| bytes | what |
|---|---|
| 8 | `pcindex1`: the name and version of the form |
| 4 | the length of the header |
| header | one JSON object in UTF-8, see `Index.to_bytes` |
| 8 for each checkpoint, seven times | the columns `Tally` names, one after the other |
| 4 | CRC-32 of all that stands before |
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from bisect import bisect_left, bisect_right
from dataclasses import field
from typing import TYPE_CHECKING

from permacite import charsets
from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.text.reading import BlockReader, digest, source_of
from permacite.text.sweep import sweep
from permacite.text.tally import DecodingMark, Plan, Tally, line_endings_in

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from typing import TypeAlias

    from permacite.text.reading import Buffer
    from permacite.text.tally import Measure

    Columns: TypeAlias = "dict[str, array[int]]"

__all__ = ["Index", "digest"]

STEP_BYTES = 1 << 14
"""How far checkpoints are apart: reading as much takes a few hundred microseconds."""

_MAGIC = b"pcindex1"
_COLUMNS = Tally._fields


@dataclass(frozen=True, slots=True)
class Index:
    """Checkpoints of one entity, about `step_bytes` apart, and what the whole of it is.

    `valid` says whether all bytes are characters of the charset; `with_nel` whether NEL and CR NEL
    were counted, which the line endings "all" need. `size_bytes` and the digests are of the bytes
    as they are. `end` tallies the whole entity.
    """

    charset: str
    mark_bytes: int
    size_bytes: int
    step_bytes: int
    valid: bool
    with_nel: bool
    md5: str
    sha256: str
    end: Tally
    _columns: Columns = field(repr=False, compare=False)

    @classmethod
    def build(
        cls,
        source: Buffer | os.PathLike[str],
        charset: str | charsets.Charset = "us-ascii",
        line_endings: str | None = None,
        *,
        step_bytes: int = STEP_BYTES,
    ) -> Index:
        """Read the entity once and index it; line endings as for `Text`.

        Raises ParseError for a charset that cannot be decoded.
        """
        from concurrent.futures import ThreadPoolExecutor

        resolved = charsets.resolve(charset) if isinstance(charset, str) else charset
        mode = line_endings_in(resolved, line_endings)
        bytes_of = source_of(source)
        with bytes_of.reading() as fetch:
            encoding = resolved.encoding(bytes(fetch(0, charsets.LONGEST_MARK)))
        reader = BlockReader(bytes_of, encoding, "replace")
        with ThreadPoolExecutor(2) as pool:
            digests = [pool.submit(digest, bytes_of, name) for name in ("md5", "sha256")]
            columns, valid = _checkpoints(reader, Plan(lines=True, nel=mode == "all"), step_bytes)
            md5, sha256 = (future.result() for future in digests)
        return cls(
            charset=resolved.label,
            mark_bytes=encoding.mark_bytes,
            size_bytes=bytes_of.size,
            step_bytes=step_bytes,
            valid=valid,
            with_nel=mode == "all",
            md5=md5,
            sha256=sha256,
            end=_row(columns, -1),
            _columns=columns,
        )

    def around(self, measure: Measure, target: int) -> tuple[DecodingMark, bool]:
        """Return the last checkpoint not after a position, and whether anything follows it."""
        rows = range(len(self._columns["byte"]))
        position = _positions(self._columns, measure)
        bisect = bisect_left if measure.unit == "line" else bisect_right
        after = bisect(rows, target, key=position)
        return DecodingMark(_row(self._columns, max(0, after - 1))), after < len(rows)

    def to_bytes(self) -> bytes:
        """Return the stored form: the header holds our fields, and `rows`, how many checkpoints."""
        header: dict[str, object] = {name: getattr(self, name) for name in _HEADER}
        header["rows"] = len(self._columns["byte"])
        written = json.dumps(header).encode()
        columns = [_little_endian(self._columns[name]).tobytes() for name in _COLUMNS]
        body = b"".join([_MAGIC, len(written).to_bytes(4, "little"), written, *columns])
        return body + zlib.crc32(body).to_bytes(4, "little")

    @classmethod
    def from_bytes(cls, data: bytes) -> Index:
        """Return the index that `to_bytes` wrote. Raises ParseError for anything else."""
        start = len(_MAGIC) + 4
        length = int.from_bytes(data[len(_MAGIC) : start], "little")
        if not data.startswith(_MAGIC) or zlib.crc32(data[:-4]) != int.from_bytes(
            data[-4:], "little"
        ):
            raise _damaged("it is of another kind or version, or its checksum is wrong")
        try:
            header = json.loads(data[start : start + length])
            rows = header.pop("rows")
            body = data[start + length : -4]
            if {name: type(value) for name, value in header.items()} != _HEADER or rows < 1:
                raise _damaged("its header is not ours")
            if len(body) != 8 * rows * len(_COLUMNS):
                raise _damaged("it does not have as many checkpoints as it says")
            columns = {
                name: _little_endian(array("Q", body[place : place + 8 * rows]))
                for name, place in zip(_COLUMNS, range(0, len(body), 8 * rows), strict=True)
            }
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise _damaged("its header or its columns are not whole") from error
        return cls(**header, end=_row(columns, rows - 1), _columns=columns)


_HEADER = {
    "charset": str,
    "mark_bytes": int,
    "size_bytes": int,
    "step_bytes": int,
    "valid": bool,
    "with_nel": bool,
    "md5": str,
    "sha256": str,
}


def _damaged(why: str) -> ParseError:
    return ParseError(f"expected an index as permacite stores it: {why}", "", 0)


def _row(columns: Columns, row: int) -> Tally:
    """Return the counts before one checkpoint."""
    return Tally(*(columns[name][row] for name in _COLUMNS))


def _positions(columns: Columns, measure: Measure) -> Callable[[int], int]:
    """A function that gives the position of a checkpoint, as `Tally.position` does."""
    unit, mode, _ = measure
    crs, lfs, pairs = columns["cr"], columns["lf"], columns["crlf"]
    if unit in {"code_point", "byte"}:
        return columns[unit].__getitem__
    if unit == "char" and mode != "all":
        points = columns["code_point"]
        return lambda row: points[row] - pairs[row]
    if unit in {"line", "line_end"} and mode == "http":
        return lambda row: crs[row] + lfs[row] - pairs[row]
    return lambda row: _row(columns, row).position(unit, mode)


def _little_endian(column: array[int]) -> array[int]:
    """Turn a column from this machine's byte order to the stored one, or back."""
    if sys.byteorder == "little":
        return column
    turned = array("Q", column)
    turned.byteswap()
    return turned


def _checkpoints(reader: BlockReader, plan: Plan, step_bytes: int) -> tuple[Columns, bool]:
    """Sweep through the entity. Returns a row for its start and for each mark on the way."""
    columns = {name: array("Q") for name in _COLUMNS}
    start = DecodingMark(Tally(reader.encoding.mark_bytes))
    _add(columns, start.tally)
    for mark in sweep(reader, plan, start, step=step_bytes):
        # A decoder's state is not stored: a forged one could crash the decoder.
        if mark.state is None or mark.tally.byte == reader.source.size:
            _add(columns, mark.tally)
    return columns, not mark.invalid


def _add(columns: Columns, counts: Tally) -> None:
    for name, value in zip(_COLUMNS, counts, strict=True):
        columns[name].append(value)
