"""Decoding in bulk by Python's own codecs, wherever these are found to say what our rules say.

Python's codecs for several octets are in C, and not those of the Encoding Standard; which entries
differ depends on its version. So every sequence that such a codec takes is compared with the rules,
once in a process. A character that stands for one other character of ours, and for no other, is
replaced afterwards. One that cannot be told shows that a piece has to be decoded by the rules.
"""

from __future__ import annotations

import codecs
import re
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from permacite.charsets.multibyte import rules_of
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from permacite.charsets.multibyte import Rules

__all__ = ["Bulk", "bulk_of"]

_HIGH = range(0x80, 0x100)

_UNCOMPARED = {"gb18030": compile_pattern(rb"[0-9][\x81-\xfe][0-9]")}
"""What sequences of four octets end with, which are too many: such pieces are doubtful."""


class Bulk(NamedTuple):
    """Python's codec, and what its text says of octets that it reads otherwise than the rules."""

    python: str
    replaced: tuple[tuple[str, str], ...]
    doubtful: re.Pattern[str] | None
    uncompared: re.Pattern[bytes] | None

    def text(self, data: bytes) -> tuple[str, int] | None:
        """Return the text of the whole characters that `data` begins with, and their octets.

        None where the rules are needed to tell.
        """
        if self.uncompared is not None and self.uncompared.search(data):
            return None
        decoder = codecs.getincrementaldecoder(self.python)()
        try:
            text = decoder.decode(data)
        except UnicodeError:
            return None
        if self.doubtful is not None and self.doubtful.search(text):
            return None
        for theirs, ours in self.replaced:
            text = text.replace(theirs, ours)
        return text, len(data) - len(decoder.getstate()[0])


@cache
def bulk_of(codec: str) -> Bulk | None:
    """The bulk decoder for a codec of `multibyte`; None where nothing can be compared."""
    rules = rules_of(codec)
    if rules is None:
        return None
    same: set[str] = set()
    other: dict[str, set[str]] = {}
    for theirs, ours in _compared(rules):
        if theirs == ours:
            same.add(theirs)
        else:
            other.setdefault(theirs, set()).add(ours)
    if not same:
        return None
    parts = {sign for text in (*same, *other) if len(text) > 1 for sign in text}
    replaced = {
        theirs: one
        for theirs, (one, *more) in ((theirs, tuple(texts)) for theirs, texts in other.items())
        if not more and theirs not in same | parts and one not in other and _is_plain(one)
    }
    signs = re.escape("".join(sorted({sign for text in {*other} - {*replaced} for sign in text})))
    doubtful = compile_pattern(f"[{signs}]") if signs else None
    pairs = tuple(replaced.items())
    return Bulk(rules.python, pairs, doubtful, _UNCOMPARED.get(rules.python))


def _is_plain(text: str) -> bool:
    return len(text) == 1 and text != "\ufffd"


def _compared(rules: Rules) -> Iterator[tuple[str, str]]:
    """Yield Python's text and ours of every sequence that Python's codec takes for characters."""
    singles = [bytes((octet,)) for octet in range(0x100)]
    taken = {unit for unit in singles if _is_taken(rules.python, unit)}
    yield from _lines(rules, taken)
    leads = [unit[0] for unit in singles if unit not in taken]
    yield from _lines(rules, map(bytes, product(leads, range(0x100))))
    if rules.python == "euc_jp":
        yield from _lines(rules, map(bytes, product((0x8F,), _HIGH, _HIGH)))


def _is_taken(python: str, unit: bytes) -> bool:
    try:
        unit.decode(python)
    except UnicodeError:
        return False
    return True


def _lines(rules: Rules, units: Iterable[bytes]) -> Iterator[tuple[str, str]]:
    """Yield both texts of the units that the codec takes; nothing where it joins lines."""
    data = b"\n".join(unit for unit in units if b"\n" not in unit)
    theirs = data.decode(rules.python, "replace").split("\n")
    ours = "".join(map(rules.units.__getitem__, rules.pattern.findall(data))).split("\n")
    if len(theirs) == len(ours):
        pairs = zip(theirs, ours, strict=True)
        yield from (pair for pair in pairs if "\ufffd" not in pair[0])
