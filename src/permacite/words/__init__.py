"""Translations: the sentences that readers see, one file for each language.

| in a file | is |
|---|---|
| `home.title = "..."` | a sentence, by a key; `{name}` stands for a value |
| `home.heading = { one = "", other = "" }` | a sentence for each plural category, by `count` |
| `dates`, `numbers` | how days, times and numbers are written |

The categories are those of Unicode's CLDR. docs/how-to/add-a-language.md says how a file is added.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date, datetime

__all__ = ["ENGLISH", "LANGUAGES", "Words", "words_in"]

LANGUAGES = ("en", "de", "fr")
"""The first is spoken to whom asks for none of them."""


def _french(count: int) -> str:
    return "one" if count in {0, 1} else "other"


_CATEGORIES = {"fr": _french}
"""Languages whose plurals are not those of English."""

_KIB = 1024


class Words:
    """The words of one language. Its file is read when the first of them is asked for."""

    def __init__(self, language: str) -> None:
        self.language = language

    @cached_property
    def _table(self) -> Mapping[str, Any]:
        import tomllib
        from importlib.resources import files

        text = files(__name__).joinpath(f"{self.language}.toml").read_text(encoding="utf-8")
        return tomllib.loads(text)

    @cached_property
    def texts(self) -> dict[str, str | dict[str, str]]:
        """The sentences by their keys; those in plural categories by category."""
        return dict(_flat(self._table))

    @property
    def _dates(self) -> dict[str, Any]:
        dates: dict[str, Any] = self._table["dates"]
        return dates

    @property
    def _numbers(self) -> dict[str, str]:
        numbers: dict[str, str] = self._table["numbers"]
        return numbers

    def __call__(self, key: str, /, **values: object) -> str:
        """The sentence of a key, with its values. Raises KeyError for one that is not there."""
        return self.pattern(key, values).format(**self.shown(values))

    def pattern(self, key: str, values: Mapping[str, object]) -> str:
        """A sentence with its places still open: the one for as many as `count` says."""
        text = self.texts[key]
        if isinstance(text, str):
            return text
        return text[self._category(values["count"])]

    def _category(self, count: object) -> str:
        assert isinstance(count, int)  # noqa: S101 - templates count
        category = _CATEGORIES.get(self.language)
        return category(count) if category else "one" if count == 1 else "other"

    def shown(self, values: Mapping[str, object]) -> dict[str, object]:
        """The values of a sentence, the count in the language's digits."""
        count = values.get("count")
        shown = dict(values)
        return shown | {"count": self.number(count)} if isinstance(count, int) else shown

    def texts_under(self, *tables: str) -> dict[str, str | dict[str, str]]:
        """The raw sentences of some tables, for scripts."""
        return {key: text for key, text in self.texts.items() if key.partition(".")[0] in tables}

    def number(self, number: float, places: int = 0) -> str:
        """A number: 1,234.5."""
        marks = {",": self._numbers["group"], ".": self._numbers["decimal"]}
        return "".join(marks.get(mark, mark) for mark in f"{number:,.{places}f}")

    def size(self, size_bytes: int) -> str:
        """A size: 1536 is 1.5 KiB."""
        if size_bytes < _KIB:
            return self("numbers.bytes", count=size_bytes)
        size, *larger = float(size_bytes) / _KIB, "mib", "gib"
        unit = "kib"
        while size >= _KIB and larger:
            size, unit = size / _KIB, larger.pop(0)
        return self(f"numbers.{unit}", size=self.number(size, 1))

    def day(self, day: date) -> str:
        """A day: 2 November 2026."""
        number = self._dates["first"] if day.day == 1 else str(day.day)
        month = self._dates["months"][day.month - 1]
        return self("dates.day", day=number, month=month, year=f"{day.year:04}")

    def month(self, day: date) -> str:
        """The month of a day: November 2026."""
        return self(
            "dates.month", month=self._dates["months"][day.month - 1], year=f"{day.year:04}"
        )

    @property
    def weekdays(self) -> list[str]:
        """The days of the week, in short, from Monday on."""
        return list(self._dates["weekdays"])

    def moment(self, moment: datetime | None) -> str:
        """A time in UTC, to the minute; "" for none."""
        if moment is None:
            return ""
        return self("dates.moment", day=self.day(moment.date()), time=f"{moment:%H:%M}")


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The sentences of a table and of those in it, by their whole keys."""
    for name, value in table.items():
        if isinstance(value, dict) and "other" not in value:
            yield from _flat(value, f"{prefix}{name}.")
        elif not isinstance(value, list):
            yield prefix + name, value


@cache
def words_in(language: str) -> Words:
    """The words of one of `LANGUAGES`."""
    return Words(language)


ENGLISH = words_in("en")
