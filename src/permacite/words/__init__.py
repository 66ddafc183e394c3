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
from pathlib import Path
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
    """The words of one language. A table of its file is parsed when a word of it is asked for."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._tables: dict[str, Any] = {}
        self._sentences: dict[str, dict[str, str | dict[str, str]]] = {}

    @cached_property
    def _sources(self) -> dict[str, str]:
        """The tables of the file by their names, as they are written."""
        text = Path(__file__).with_name(f"{self.language}.toml").read_text(encoding="utf-8")
        parts = text.split("\n[")[1:]
        return {part.partition("]")[0]: f"[{part}" for part in parts}

    def _table(self, name: str) -> Any:
        table = self._tables.get(name)
        if table is None:
            import tomllib

            table = self._tables[name] = tomllib.loads(self._sources[name])[name]
        return table

    def _sentences_of(self, name: str) -> dict[str, str | dict[str, str]]:
        """The sentences of a table, by their whole keys."""
        sentences = self._sentences.get(name)
        if sentences is None:
            sentences = self._sentences[name] = dict(_flat(self._table(name), f"{name}."))
        return sentences

    @cached_property
    def texts(self) -> dict[str, str | dict[str, str]]:
        """The sentences by their keys; those in plural categories by category."""
        tables = map(self._sentences_of, self._sources)
        return {key: text for table in tables for key, text in table.items()}

    def __call__(self, key: str, /, **values: object) -> str:
        """The sentence of a key, with its values. Raises KeyError for one that is not there."""
        return self.pattern(key, values).format(**self.shown(values))

    def pattern(self, key: str, values: Mapping[str, object]) -> str:
        """A sentence with its places still open: the one for as many as `count` says."""
        text = self._sentences_of(key.partition(".")[0])[key]
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
        wanted = [name for name in self._sources if name in tables]
        return {key: text for name in wanted for key, text in self._sentences_of(name).items()}

    def number(self, number: float, places: int = 0) -> str:
        """A number: 1,234.5."""
        written = self._table("numbers")
        marks = {",": written["group"], ".": written["decimal"]}
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
        number = self._table("dates")["first"] if day.day == 1 else str(day.day)
        month = self._table("dates")["months"][day.month - 1]
        return self("dates.day", day=number, month=month, year=f"{day.year:04}")

    def month(self, day: date) -> str:
        """The month of a day: November 2026."""
        return self(
            "dates.month",
            month=self._table("dates")["months"][day.month - 1],
            year=f"{day.year:04}",
        )

    @property
    def weekdays(self) -> list[str]:
        """The days of the week, in short, from Monday on."""
        return list(self._table("dates")["weekdays"])

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
