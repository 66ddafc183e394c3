"""Dates as people write them, read as EDTF (ISO 8601-2:2019, levels 0 and 1).

| section | function |
|---|---|
| EDTF level 0: date, date and time, time interval | `_edtf` |
| EDTF level 1: long years, seasons, qualifiers, unspecified digits, open intervals | `_edtf` |
| written forms: numbers, names of months, seasons, decades, centuries, circa, eras | `_written` |

Deviations: the time of a date and time is dropped, for a reference names a day.

Readings: the day is the one that is written, whatever its time zone. A date with two readings, such
as 03/04/2026, counts as its year alone. Dots between numbers mean day, month, year. Dates before
the Gregorian calendar stay as they are written. A bare number is a year if it has four digits and
lies between 1000 and 2999. What is not understood stays as a literal, with the one year in it.
Names of months are those of Unicode's CLDR. A word of three letters or more that begins one counts
where a language abbreviates so; where languages disagree, that of the page decides.
"""

from __future__ import annotations

import calendar
import functools
import unicodedata
from typing import TYPE_CHECKING

from permacite.bibliography.model import Date, iso
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["parse_date"]

_LONGEST = 200
"""Characters of a text that is read; a longer one is a literal."""
_EARLIEST, _LATEST = 1000, 2999
_MONTHS = 12
_SPRING, _WINTER = 21, 24


def parse_date(text: str, language: str = "") -> Date | None:
    """The date that a text states; None where it states none, such as "n.d.".

    `language` is the tag of the language of the page. Never fails: see `Date.literal`.
    """
    text = " ".join(unicodedata.normalize("NFKC", text).split())
    if not text or _is_undated(text):
        return None
    if len(text) <= _LONGEST and (date := _edtf(text) or _qualified(text, language)):
        return date
    years = {int(year) for year in _YEAR_WITHIN.findall(text)}
    year = years.pop() if len(years) == 1 else None
    return Date(year, edtf="" if year is None else iso(year), literal=text)


def _day(year: int, month: int | None = None, day: int | None = None) -> Date | None:
    """A date, unless there is no such day."""
    if month is not None and not 1 <= month <= _MONTHS:
        return None
    if month is not None and day is not None:
        leap = year if year > 0 else 2000 + year % 400
        if not 1 <= day <= calendar.monthrange(leap, month)[1]:
            return None
    return Date(year, month, day, iso(year, month, day))


_OPEN = frozenset({"", ".."})
_EDTF_DATE = compile_pattern(
    r"(?P<year>-?[0-9]{4}|-?[0-9]{3}X|-?[0-9]{2}XX|Y-?[0-9]{5,12})"
    r"(?:-(?P<month>[0-9]{2}|XX)(?:-(?P<day>[0-9]{2}|XX))?)?[?~%]?"
)
_TIME = compile_pattern(
    r"(?:[T ]|, ?)[0-9]{1,2}:?[0-9]{2}(?::?[0-9]{2}(?:[.,][0-9]{1,9})?)?"
    r"(?: ?(?:[ap]\.?m\.?|Z|UTC|GMT|[+-][0-9]{2}:?(?:[0-9]{2})?))?"
)
_CLOCK = compile_pattern(
    r"(?i)[ ,T]+(?:at |um |à )?[0-9]{1,2}[:h.][0-9]{2}(?::[0-9]{2})?(?: ?[ap]\.?m\.?)?"
    r"(?: ?(?:Z|UTC|GMT|[A-Z]{3,4}|[+-][0-9]{2}:?[0-9]{2}))?$"
)
_LAST_NUMBER = compile_pattern(r"(.*?)([0-9]{1,4})")
_YEAR_WITHIN = compile_pattern(r"(?<![0-9])([12][0-9]{3})(?![0-9])")
_YEARS = compile_pattern(r"([12][0-9]{3}) ?[-/\u2013] ?([12][0-9]{3}|[0-9]{2})")
_DASH = compile_pattern(
    r" ?[\u2013\u2014] ?| (?:-|to|until|bis|\u00e0|au|a|al|t/m|till|til) "
    r"|(?<=[^\W\d_.])[-/](?=[^\W\d_])"
    r"|(?<=[0-9])[-/](?=[0-9]{1,2}\.? [^\W\d_]|[^\W\d_]{3})"
)
_DAY_ALONE = compile_pattern(r"([0-9]{1,2})\.?")
_YEAR_FIRST = compile_pattern(
    r"(?:D:)?([12][0-9]{3})(?:([-/.]?)([0-9]{1,2})(?:\2([0-9]{1,2}))?)?(?![0-9])"
)
_DAY_FIRST = compile_pattern(r"([0-9]{1,2})([-/.]) ?([0-9]{1,2})\2 ?([12][0-9]{3})(?![0-9])")
_CJK = compile_pattern(
    r"([12][0-9]{3}) ?[\u5e74\ub144]"
    r"(?: ?([0-9]{1,2}) ?[\u6708\uc6d4](?: ?([0-9]{1,2}) ?[\u65e5\u53f7\uc77c])?)?"
)
_DECADE = compile_pattern(r"(?i)(?:the |années |anni |años )?([12][0-9]{2})0(?:'?s|er(?: jahre)?)?")
_CENTURY = compile_pattern(
    r"(?i)(?:the )?(?=.*(?:cent|jahrh|jh|si[eè]c|sec|sigl|век))(?:siglo |secolo )?"
    r"([0-9]{1,2}|[ivx]{1,6})(?:st|nd|rd|th|\.|e|ème)?"
    r" ?(?:century|cent\.|jahrhundert|jh\.|siècle|secolo|век)?"
)
_ROMAN = {
    f"{tens}{ones}": 10 * len(tens) + number
    for tens in ("", "X", "XX")
    for number, ones in enumerate(["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"])
}
_LAST_CENTURY = 30
_PART = compile_pattern(r"([0-9]+)(?:st|nd|rd|th|er|re|e|o|a)?(?![^\W_])|([^\W\d_]+\.?)")
_BETWEEN = frozenset(
    {"of", "the", "de", "del", "di", "da", "den", "der", "le", "la", "el", "am", "on", "d", "en"}
    | {"copyright", "c", "em", "il", "på", "p", "года", "року", "г", "г.", "r.", "roku"}
)
_WORDS_BEFORE = 3
"""Words that may stand before a date: a weekday, "Published on"."""
_FORMS = dict.fromkeys(("nmy", "mny", "ymn"), True) | dict.fromkeys(
    ("my", "ym", "syn", "sy", "ys", "y"), False
)
"""Orders of the parts of a date, and whether they name a day, so that other words may follow."""


def _edtf(text: str) -> Date | None:
    """EDTF levels 0 and 1: a date, a date and time, or an interval, which may be open."""
    if "/" not in text:
        return _edtf_date(text)
    first, _, second = text.partition("/")
    start, end = _edtf_date(first), _edtf_date(second)
    if (start is None and first not in _OPEN) or (end is None and second not in _OPEN):
        return None
    return _interval(start, end, text)


def _edtf_date(text: str) -> Date | None:
    """A date of EDTF, or a date and time."""
    found = _EDTF_DATE.match(text)
    if found is None or not _is_time(text[found.end() :]):
        return None
    year, month, day = found["year"], found["month"], found["day"]
    if year[0] == "Y" or "X" in year:
        is_whole = month is None or (month == "XX" and "X" in year)
        return Date(int(year.strip("Y").replace("X", "0")), edtf=found[0]) if is_whole else None
    if month is not None and month != "XX" and _SPRING <= int(month) <= _WINTER:
        return Date(int(year), edtf=found[0]) if day is None else None
    if month == "XX" and day not in {None, "XX"}:
        return None
    numbers = [None if part in {None, "XX"} else int(part) for part in (month, day)]
    date = _day(int(year), *numbers)
    return None if date is None else date._replace(edtf=found[0])


def _is_time(text: str) -> bool:
    return not text or _TIME.fullmatch(text) is not None


def _interval(start: Date | None, end: Date | None, edtf: str = "") -> Date | None:
    """From one date to another; None where the second is earlier."""
    first = start or end
    if first is None or first.year is None:
        return None
    if start and end and (start.year, start.month or 0, start.day or 0) > (
        end.year, end.month or _MONTHS, end.day or 31,
    ):  # fmt: skip
        return None
    whole = edtf or f"{start.edtf if start else '..'}/{end.edtf if end else '..'}"
    return first._replace(edtf=whole)


def _qualified(text: str, language: str) -> Date | None:
    """A date as it is written, with what stands around it: circa, an era, brackets, "?"."""
    is_uncertain = text.rstrip("])").endswith("?")
    is_about, text = _is_circa(text.strip("[]() ?"))
    is_before, text = _years_before_christ(text)
    if is_before is None:
        date = _range(text, language) or _written(text, language)
    else:
        date = _in_era(text, language, is_before=is_before)
    mark = "%" if is_about and is_uncertain else "~" if is_about else "?" if is_uncertain else ""
    if date is None or not mark or date.edtf.endswith(("~", "?", "%")):
        return date
    return date._replace(edtf="/".join(end + mark for end in date.edtf.split("/")))


def _in_era(text: str, language: str, *, is_before: bool) -> Date | None:
    """A date whose year has up to four digits and an era: 44 BC is the year -43."""
    found = _LAST_NUMBER.fullmatch(text)
    if found is None or not int(found[2]):
        return None
    year = 1 - int(found[2]) if is_before else int(found[2])
    if not found[1]:
        return _day(year)
    date = _written(f"{found[1]}2000", language)  # any leap year: the words name month and day
    return None if date is None or date.edtf.count("-") == 0 else _day(year, date.month, date.day)


def _range(text: str, language: str) -> Date | None:
    """Two dates with a dash, a slash or a word between; what the first lacks the second has."""
    if found := _YEARS.fullmatch(text):
        return _range_of_years(found[1], found[2], found[0][4:5])
    first, dash, second = _DASH.sub("\n", text, count=1).partition("\n")
    end = _written(second, language) if dash else None
    if end is None or end.year is None:
        return None
    if (day := _DAY_ALONE.fullmatch(first)) is not None:
        return _interval(_day(end.year, end.month, int(day[1])), end) if end.day else None
    start = _written(first, language) or _written(f"{first} {end.year}", language)
    is_alike = start is not None and len(start.edtf) == len(end.edtf)
    return _interval(start, end) if is_alike else None


def _range_of_years(first: str, second: str, dash: str) -> Date | None:
    """1998-2001, 1998-99 or 1998/99; 1998-12 is a month."""
    last = int(second if len(second) == len(first) else first[: -len(second)] + second)
    is_month = dash == "-" and len(second) < len(first) and int(second) <= _MONTHS
    return None if is_month or last <= int(first) else _interval(_day(int(first)), _day(last))


def _written(text: str, language: str) -> Date | None:
    """One date in numbers or with the name of a month or a season."""
    text = _CLOCK.sub("", text)
    if found := _YEAR_FIRST.match(text[:10] if text.startswith("D:") else text):
        numbers = [int(part) for part in found.group(1, 3, 4) if part]
        rest = text[found.end() :]
        if _is_time(rest) or text.startswith("D:"):  # (ISO 32000-2 7.9.4)
            return _day(*numbers)
    if found := _DAY_FIRST.match(text):
        date = _day_of(int(found[1]), int(found[3]), int(found[4]), found[2])
        return date if date is None or date.month else date._replace(literal=text)
    if found := _CJK.match(text):
        return _day(*(int(part) for part in found.groups() if part))
    if found := _DECADE.fullmatch(text):
        return Date(int(found[1]) * 10, edtf=f"{found[1]}X")
    if found := _CENTURY.fullmatch(text):
        number = _ROMAN.get(found[1].upper(), 0) if found[1].isalpha() else int(found[1])
        return (
            Date((number - 1) * 100, edtf=f"{number - 1:02}XX")
            if 1 <= number <= _LAST_CENTURY
            else None
        )
    return _in_words(text, language)


def _day_of(first: int, second: int, year: int, separator: str) -> Date | None:
    """A date of three numbers, the year last: the year alone where it has two readings."""
    if first == second or second > _MONTHS or separator == ".":
        return _day(year, *((second, first) if second <= _MONTHS else (first, second)))
    return _day(year, second, first) if first > _MONTHS else _day(year)


def _in_words(text: str, language: str) -> Date | None:
    """A date with a name in it, or a year, in any order; see `_FORMS`."""
    parts = list(_parts(text, language))
    kinds = "".join(kind for kind, _ in parts)
    before = len(kinds) - len(kinds.lstrip("w"))
    for form, is_day in _FORMS.items():
        if before > _WORDS_BEFORE or not kinds.startswith(form, before):
            continue
        rest = kinds[before + len(form) :]
        if "y" in rest or (rest and not is_day):
            return None
        found = dict(parts[before : before + len(form)])
        if "s" in found:
            is_next = "n" not in found or found["n"] == (found["y"] + 1) % 100
            return Date(found["y"], edtf=f"{found['y']}-{found['s']}") if is_next else None
        date = _day(found["y"], found.get("m"), found.get("n"))
        says_more = rest.strip("w") or (before and not is_day)
        return date._replace(literal=text) if date and says_more else date
    return None


def _parts(text: str, language: str) -> Iterator[tuple[str, int]]:
    """The parts of a text: n a small number, y a year, m a month, s a season, w a word."""
    for found in _PART.finditer(text):
        number, word = found.groups()
        if number is None:
            if word.casefold() not in _BETWEEN:
                season, month = _season_of(word), _month_of(word, language)
                kind = "s" if season else "m" if month else "w"
                yield kind, season or month or 0
        elif len(number) == len("2026") and _EARLIEST <= int(number) <= _LATEST:
            yield "y", int(number)
        else:
            yield ("n" if len(number) <= len("31") else "x"), int(number)


_ABBREVIATED = {
    "en": "january february march april may june july august september october november december",
    "de": "januar februar märz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre"
    " diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre"
    " dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro"
    " dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "da": "januar februar marts april maj juni juli august september oktober november december",
    "nb": "januar februar mars april mai juni juli august september oktober november desember",
    "ro": "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie"
    " decembrie",
    "ca": "gener febrer març abril maig juny juliol agost setembre octubre novembre desembre",
    "tr": "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
}
_WHOLE = {
    "ru": "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь",
    "uk": "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
    "bg": "януари февруари март април май юни юли август септември октомври ноември декември",
    "el": "ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου"
    " οκτωβρίου νοεμβρίου δεκεμβρίου",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października"
    " listopada grudnia",
    "cs": "ledna února března dubna května června července srpna září října listopadu prosince",
    "sk": "januára februára marca apríla mája júna júla augusta septembra októbra novembra"
    " decembra",
    "hu": "január február március április május június július augusztus szeptember október november"
    " december",
    "fi": "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta"
    " syyskuuta lokakuuta marraskuuta joulukuuta",
    "hr": "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga"
    " prosinca",
    "id": "januari februari maret april mei juni juli agustus september oktober november desember",
    "et": "jaanuar veebruar märts aprill mai juuni juuli august september oktoober november"
    " detsember",
    "lt": "sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio"
    " gruodžio",
    "lv": "janvāris februāris marts aprīlis maijs jūnijs jūlijs augusts septembris oktobris"
    " novembris"
    " decembris",
    "he": "ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר",
    "ar": "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
}
_SHORT = {"mrz": 3, "mrt": 3, "mär": 3, "fév": 2, "déc": 12, "juil": 7, "sept": 9}
"""Abbreviations that do not begin the name, or that are usual beside it."""
_SEASONS = {
    21: "spring frühling frühjahr printemps primavera voorjaar lente vår forår wiosna весна",
    22: "summer sommer été verano estate verão zomer sommar lato лето estiu",
    23: "autumn fall herbst automne otoño autunno outono herfst höst efterår høst jesień осень"
    " tardor",
    24: "winter hiver invierno inverno vinter zima зима hivern",
}
"""EDTF level 1: the numbers of the seasons, in the place of a month."""
_CIRCA = compile_pattern(
    r"(?i)^(?:c\.|ca\.?|cca\.?|circa|approx\.?|approximately|about|around|um|etwa|vers|env\.?|environ"
    r"|hacia|alrededor de|verso|около|ок\.)\s*(?=[\[0-9\w])"
)
_ERA_BEFORE = compile_pattern(
    r"(?i)\s*(?:b\.?\s?c\.?(?:\s?e\.?)?|v\.\s?(?:chr|u\.\s?z)\.?|av(?:ant)?\.?\s?j\.?-?\s?c\.?|a\.\s?c\."
    r"|a\.\s?de\s?c\.|до н\.\s?э\.)$"
)
_ERA = compile_pattern(
    r"(?i)^(?:a\.?d\.?|anno domini)\s+|\s*(?:c\.?\s?e\.?|a\.?d\.?|n\.\s?chr\.?)$"
)
_UNDATED = frozenset(
    {
        "n.d.",
        "nd",
        "no date",
        "undated",
        "s.a.",
        "o.j.",
        "o. j.",
        "s.d.",
        "s. d.",
        "sans date",
        "s.f.",
    }
)


def _month_of(word: str, language: str = "") -> int | None:
    """The number of the month that a word names; None where languages disagree about it.

    `language` is the tag of the page ("de-AT"): its own names count before those of others.
    """
    folded = word.casefold().rstrip(".")
    if folded in _SHORT:
        return _SHORT[folded]
    for languages in ([language.partition("-")[0].casefold()], [*_ABBREVIATED, *_WHOLE]):
        months = {number for tag in languages for number in _numbers(folded, tag)}
        if months:
            return months.pop() if len(months) == 1 else None
    return None


def _season_of(word: str) -> int | None:
    """The number of a season, from 21 for spring to 24 for winter."""
    return _season_names().get(word.casefold())


def _is_undated(text: str) -> bool:
    """Whether a text says that there is no date."""
    return text.strip("[]() ").casefold() in _UNDATED


def _is_circa(text: str) -> tuple[bool, str]:
    """Whether a text begins with a word such as "c.", and the text without it."""
    found = _CIRCA.match(text)
    return (True, text[found.end() :]) if found else (False, text)


def _years_before_christ(text: str) -> tuple[bool | None, str]:
    """Whether a year is before Christ (None: no era is named), and the text without the era."""
    if found := _ERA_BEFORE.search(text):
        return True, text[: found.start()]
    if found := _ERA.search(text):
        return False, (text[: found.start()] + text[found.end() :]).strip()
    return None, text


def _numbers(folded: str, language: str) -> set[int]:
    numbers = {
        number
        for table in (_ABBREVIATED, _WHOLE)
        for number, name in enumerate(table.get(language, "").split(), 1)
        if name == folded
    }
    if numbers or len(folded) < 3:  # noqa: PLR2004 - letters of the shortest abbreviation
        return numbers
    names = enumerate(_ABBREVIATED.get(language, "").split(), 1)
    return {number for number, name in names if name.startswith(folded)}


@functools.cache
def _season_names() -> dict[str, int]:
    return {name: number for number, names in _SEASONS.items() for name in names.split()}
