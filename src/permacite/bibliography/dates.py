"""Dates as pages write them (ISO 8601, RFC 5322, and months in English words).

Readings: the day is the one that is written, whatever its time zone. What can be read in two ways,
such as 03/04/2026, is no date.
"""

from __future__ import annotations

import calendar

from permacite.bibliography.model import Date
from permacite.scan import compile_pattern

__all__ = ["date"]

_MONTHS = {name[:3].lower(): number for number, name in enumerate(calendar.month_name) if name}
_MONTH = "|".join(name for name in calendar.month_name if name)
_SHORT = "|".join(_MONTHS)
_NUMBERS = compile_pattern(r"\s*([0-9]{4})(?:([-/.]?)([0-9]{1,2})(?:\2([0-9]{1,2}))?)?(?![0-9])")
_DAY_FIRST = compile_pattern(
    rf"(?i)(?:[a-z]{{3,9}},?\s+)?([0-9]{{1,2}})(?:[snrt][tdh])?\s+({_MONTH}|{_SHORT})\.?,?\s+([0-9]{{4}})\b"
)
_MONTH_FIRST = compile_pattern(
    rf"(?i)(?:[a-z]{{3,9}},?\s+)?({_MONTH}|{_SHORT})\.?\s+(?:([0-9]{{1,2}})(?:[snrt][tdh])?,?\s+)?([0-9]{{4}})\b"
)
_EARLIEST, _LATEST = 1000, 2999


def date(text: str) -> Date | None:
    """The date that a text begins with; None where there is none that can be read in one way."""
    text = text[:100].strip()
    if found := _NUMBERS.match(text):
        year, _, month, day = found.groups()
        return _checked(int(year), int(month or 0), int(day or 0))
    if found := _DAY_FIRST.match(text):
        return _checked(int(found[3]), _MONTHS[found[2][:3].lower()], int(found[1]))
    if found := _MONTH_FIRST.match(text):
        return _checked(int(found[3]), _MONTHS[found[1][:3].lower()], int(found[2] or 0))
    return None


def _checked(year: int, month: int, day: int) -> Date | None:
    """As much of a date as there is; 0 for what is not stated. None where there is no such day."""
    if not _EARLIEST <= year <= _LATEST:
        return None
    if not month:
        return Date(year) if not day else None
    if month > len(_MONTHS):
        return None
    if not day:
        return Date(year, month)
    return Date(year, month, day) if day <= calendar.monthrange(year, month)[1] else None
