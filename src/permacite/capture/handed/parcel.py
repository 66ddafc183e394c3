"""The parcel that an extension posts: one line of JSON that tells all, and the octets behind it.

    permacite-capture/1 LF
    {"octets": [[5, "sha-256:..."], ...], ...} LF
    the octets, one after the other, and nothing behind them

The line names the size and the digest of each, so that a parcel which is cut off, or of which an
octet was changed, is known by that alone.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO

from permacite.errors import LimitError, ParseError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FORM", "MEDIA_TYPE", "Parcel", "read_json", "read_parcel"]

FORM = b"permacite-capture/1\n"
MEDIA_TYPE = "application/vnd.permacite.capture"

_MIB = 1024 * 1024
_LONGEST_LINE = 8 * _MIB
_MOST_PIECES = 5000


@dataclass(frozen=True, slots=True)
class Parcel:
    """What was handed over."""

    told: Mapping[str, Any]
    """The line, as JSON has it."""
    octets: tuple[bytes, ...] = field(repr=False)

    def piece(self, number: object) -> bytes:
        """The octets of a number. Raises ParseError where there are none."""
        if type(number) is not int or not 0 <= number < len(self.octets):
            raise ParseError(f"expected the number of a piece below {len(self.octets)}", "", 0)
        return self.octets[number]


def read_parcel(file: BinaryIO, *, most_bytes: int) -> Parcel:
    """Read a parcel from where a file stands to its end.

    Raises ParseError for what is none, or not whole, LimitError for more than `most_bytes`.
    """
    if file.read(len(FORM)) != FORM:
        raise ParseError(f"expected {FORM.decode().strip()} in the first line", "", 0)
    line = file.readline(_LONGEST_LINE + 1)
    if len(line) > _LONGEST_LINE:
        raise LimitError("the line is too long", limit="line_bytes", maximum=_LONGEST_LINE)
    if not line.endswith(b"\n"):
        raise ParseError("the parcel was cut off in its second line", "", 0)
    told = read_json(line)
    try:
        json.dumps(told, ensure_ascii=False).encode()
    except ValueError as error:
        raise ParseError("expected Unicode texts in the second line", "", 0) from error
    pieces = _listed(told.get("octets"))
    if sum(size for size, _ in pieces) > most_bytes:
        raise LimitError("the page is too large", limit="total_bytes", maximum=most_bytes)
    octets = []
    for number, (size, digest) in enumerate(pieces):
        piece = file.read(size)
        if len(piece) != size:
            problem = f"the parcel was cut off: {len(piece)} of {size} octets of piece {number}"
            raise ParseError(problem, "", 0)
        if f"sha-256:{hashlib.sha256(piece).hexdigest()}" != digest:
            raise ParseError(f"piece {number} is not what its digest says", digest, 0)
        octets.append(piece)
    if file.read(1):
        raise ParseError("expected nothing behind the last piece", "", 0)
    return Parcel(told, tuple(octets))


def _listed(value: object) -> list[tuple[int, str]]:
    """Size and digest of each piece. Raises ParseError, LimitError."""
    if not isinstance(value, list):
        raise ParseError("expected a list `octets`", "", 0)
    if len(value) > _MOST_PIECES:
        raise LimitError("there are too many pieces", limit="pieces", maximum=_MOST_PIECES)
    pieces = []
    for item in value:
        is_pair = isinstance(item, list) and list(map(type, item)) == [int, str]
        if not is_pair or item[0] < 0:
            raise ParseError("expected [size, digest] in `octets`", "", 0)
        pieces.append((item[0], item[1]))
    return pieces


def read_json(octets: bytes) -> dict[str, Any]:
    """An object of JSON. Raises ParseError for anything else."""
    try:
        value = json.loads(octets.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"expected JSON: {error}"[:300], "", 0, "RFC 8259") from error
    if not isinstance(value, dict):
        raise ParseError("expected an object of JSON", "", 0, "RFC 8259")
    return value


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no number of JSON")
