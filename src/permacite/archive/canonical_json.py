"""JSON in one form only, so that the same value always has the same digest.

JSON Canonicalization Scheme (RFC 8785):
  §3.2.1 white space        -> none is written
  §3.2.2.2 strings          -> `_written`: the standard encoder escapes exactly what is to be
  §3.2.2.3 numbers          -> `_number`
  §3.2.3 sorting of names   -> `_object`, by UTF-16 code units
  §3.2.4 UTF-8              -> `canonical_json`

Deviations: an integer beyond 2**53 is refused, where RFC 8785 would round it in silence.
Readings: none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring
from typing import TypeAlias

__all__ = ["canonical_json"]

_Value: TypeAlias = "str | int | float | bool | Sequence[_Value] | Mapping[str, _Value] | None"

_MAX_INTEGER = 2**53
_MAX_DEPTH = 100
_FIXED_DIGITS = 21
"""ECMAScript writes numbers below 10**21 without an exponent."""
_SMALLEST_FIXED = -6
"""and numbers down to 10**-6."""


def canonical_json(value: _Value) -> bytes:
    """Return the canonical form of `value`, in UTF-8.

    Raises ValueError for what JSON cannot say: NaN, infinity, a lone surrogate, an integer beyond
    2**53, a value nested more than 100 deep.
    """
    # Strings with lone surrogates fail here: UnicodeEncodeError is a ValueError.
    return _written(value, _MAX_DEPTH).encode("utf-8")


def _written(value: _Value, depth: int) -> str:
    """Return the canonical text of any value."""
    if depth == 0:
        raise ValueError(f"nested more than {_MAX_DEPTH} deep")
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, Mapping):
        return _object(value, depth)
    if isinstance(value, list | tuple):  # octets are a sequence too, and no array
        return "[" + ",".join(_written(item, depth - 1) for item in value) + "]"
    raise ValueError(f"not a JSON value: {type(value).__name__}")


def _object(value: Mapping[str, _Value], depth: int) -> str:
    """Return an object, its names sorted by UTF-16 code units (§3.2.3)."""
    try:
        ascii_only = "".join(value).isascii()
    except TypeError as error:
        raise ValueError("the names in an object are texts") from error
    # Within ASCII, texts sort as their code units do.
    names = (
        sorted(value) if ascii_only else sorted(value, key=lambda name: name.encode("utf-16-be"))
    )
    members = [f"{encode_basestring(name)}:{_written(value[name], depth - 1)}" for name in names]
    return "{" + ",".join(members) + "}"


def _number(value: float) -> str:
    """Return a number as ECMAScript's Number::toString writes it (§3.2.2.3)."""
    if isinstance(value, int):
        if abs(value) > _MAX_INTEGER:
            raise ValueError(f"integer beyond 2**53: {value}")
        return str(value)
    if not math.isfinite(value):
        raise ValueError(f"JSON has no {value}")
    if value == 0:
        return "0"  # minus zero too
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent or 0)
    digits = whole + fraction
    point -= len(digits) - len(digits.lstrip("0"))
    return sign + _placed(digits.strip("0"), point)


def _placed(digits: str, point: int) -> str:
    """Return 0.`digits` times ten to the `point`."""
    if len(digits) <= point <= _FIXED_DIGITS:
        return digits.ljust(point, "0")
    if 0 < point <= _FIXED_DIGITS:
        return f"{digits[:point]}.{digits[point:]}"
    if _SMALLEST_FIXED < point <= 0:
        return "0." + digits.rjust(len(digits) - point, "0")
    exponent = point - 1
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{tail}e{'+' if exponent > 0 else '-'}{abs(exponent)}"
