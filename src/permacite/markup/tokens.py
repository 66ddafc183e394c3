"""Tokens of markup: their content, their offsets, and their source.

Offsets are code points of the decoded source. Tokens are named tuples: a page has tens of thousands
of them, and making one takes a third of the time of a frozen dataclass. What is costly is read from
the source when it is asked for: attributes and the data of texts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from permacite.markup import references
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "ATTRIBUTE",
    "Attribute",
    "Comment",
    "Doctype",
    "EndTag",
    "Ignored",
    "ProcessingInstruction",
    "StartTag",
    "Text",
    "TextMode",
    "Token",
]

TextMode: TypeAlias = Literal["data", "rcdata", "rawtext", "script", "plaintext", "cdata"]
"""The state that read a text. References count in "data" and "rcdata" only."""

_SPACE = r"[\t\n\f\r /]*+"
_NAME = r"(?:=[^\t\n\f\r />=]*+|[^\t\n\f\r />=]++)"
_BLANK = r"[\t\n\f\r ]*+"
# A quote that nothing closes runs to the end of the source, and takes the tag with it.
ATTRIBUTE = (
    rf"{_SPACE}{_NAME}{_BLANK}"
    rf"(?:={_BLANK}(?:\"[^\"]*+\"?+|'[^']*+'?+|[^\t\n\f\r >\"'][^\t\n\f\r >]*+)?+)?+"
)
"""One attribute, white space before it included (HTML §13.2.5.32-39), as a pattern."""

_ATTRIBUTE = compile_pattern(
    rf"{_SPACE}({_NAME})(?:{_BLANK}="
    rf"({_BLANK})(?:\"([^\"]*+)\"?+|'([^']*+)'?+|([^\t\n\f\r >\"'][^\t\n\f\r >]*+)|))?+"
)
_UPPER = dict(zip(range(ord("A"), ord("Z") + 1), "abcdefghijklmnopqrstuvwxyz", strict=True))
_UPPER_AND_NUL = _UPPER | {0: "\ufffd"}


class Attribute(NamedTuple):
    """One attribute of a start tag.

    `name`, `value`: decoded; the name in lower case, except in XML. `start`, `end`: the raw value
    in the source, without quotes. `quote`: the mark around it, "" where there is none, None where
    no value is given (`value` is "" then, and start and end are those of the end of the name).
    """

    name: str
    value: str
    name_start: int
    name_end: int
    start: int
    end: int
    quote: str | None


class StartTag(NamedTuple):
    """A start tag; `name` in lower case, except in XML."""

    name: str
    start: int
    end: int
    self_closing: bool
    source: str
    xml: bool = False

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes in order, a second one of the same name left out (§13.2.5.33)."""
        first: dict[str, Attribute] = {}
        for attribute in self.all_attributes():
            first.setdefault(attribute.name, attribute)
        return tuple(first.values())

    def all_attributes(self) -> Iterator[Attribute]:
        """Yield the attributes as they are written, those that do not count included."""
        start = self.start + 1 + len(self.name)
        for match in _ATTRIBUTE.finditer(self.source, start, self.end - 1):
            yield _attribute(match, xml=self.xml)

    def get(self, name: str) -> str | None:
        """Return the value of an attribute, None where it is absent."""
        found = self.attribute(name)
        return None if found is None else found.value

    def attribute(self, name: str) -> Attribute | None:
        """Return an attribute by its name, None where it is absent."""
        return next((each for each in self.all_attributes() if each.name == name), None)

    def __repr__(self) -> str:
        return f"StartTag({self.source[self.start : self.end]!r}, {self.start}, {self.end})"


def _attribute(match: re.Match[str], *, xml: bool) -> Attribute:
    raw_name = match[1]
    name = raw_name if xml else canonical_name(raw_name)
    start, end = match.span(1)
    for group, quote in ((3, '"'), (4, "'"), (5, "")):
        raw = match[group]
        if raw is not None:
            value = references.decode(raw, attribute=True, xml=xml)
            return Attribute(name, value, start, end, *match.span(group), quote)
    if match[2] is not None:
        return Attribute(name, "", start, end, match.end(2), match.end(2), "")
    return Attribute(name, "", start, end, end, end, None)


def canonical_name(raw: str) -> str:
    """Return a tag or attribute name as the tokenizer emits it: A-Z lower, U+0000 replaced."""
    if raw.isascii() and "\x00" not in raw:
        return raw.lower()
    return raw.translate(_UPPER_AND_NUL)


class EndTag(NamedTuple):
    """An end tag; its attributes, if any, mean nothing."""

    name: str
    start: int
    end: int
    source: str

    def __repr__(self) -> str:
        return f"EndTag({self.source[self.start : self.end]!r}, {self.start}, {self.end})"


class Text(NamedTuple):
    """Characters. A CDATA section is a text of its own, its marks included in its extent."""

    start: int
    end: int
    mode: TextMode
    source: str
    xml: bool = False

    @property
    def data(self) -> str:
        """What the characters stand for: references decoded, line ends as LF."""
        if self.mode == "cdata":
            end = self.end - 3 if self.source.startswith("]]>", self.end - 3) else self.end
            raw = self.source[self.start + len("<![CDATA[") : end]
            return raw.replace("\r\n", "\n").replace("\r", "\n")
        raw = self.source[self.start : self.end]
        if self.mode == "data":
            return references.decode(raw, xml=self.xml, nul="\x00")
        if self.mode == "rcdata":
            return references.decode(raw)
        return raw.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\ufffd")

    def __repr__(self) -> str:
        shown = self.source[self.start : min(self.end, self.start + 60)]
        return f"Text({shown!r}, {self.start}, {self.end}, {self.mode!r})"


class Comment(NamedTuple):
    """A comment, or what the tokenizer makes one: `<!x>`, `</ x>`, `<?x>`."""

    start: int
    end: int
    data_start: int
    data_end: int
    source: str

    @property
    def data(self) -> str:
        """The content of the comment."""
        raw = self.source[self.data_start : self.data_end]
        return raw.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\ufffd")

    def __repr__(self) -> str:
        return f"Comment({self.data[:60]!r}, {self.start}, {self.end})"


_KEYWORD = compile_pattern(r"[\t\n\f\r ]*+(?:(public)|(system))", re.IGNORECASE | re.ASCII)
_DOCTYPE_NAME = compile_pattern(r"[\t\n\f\r ]*+([^\t\n\f\r >]++)")
_IDENTIFIER = compile_pattern(r"[\t\n\f\r ]*+(?:\"([^\">]*+)(\"?)|'([^'>]*+)('?))")


class Doctype(NamedTuple):
    """A document type declaration."""

    start: int
    end: int
    source: str

    @property
    def name(self) -> str | None:
        """The name in lower case; None where there is none."""
        found = self._name_match()
        return None if found is None else canonical_name(found[1])

    @property
    def public_id(self) -> str | None:
        """The public identifier; None where there is none."""
        return self._identifiers()[0]

    @property
    def system_id(self) -> str | None:
        """The system identifier; None where there is none."""
        return self._identifiers()[1]

    def _name_match(self) -> re.Match[str] | None:
        return _DOCTYPE_NAME.match(self.source, self.start + len("<!doctype"), self.end)

    def _identifiers(self) -> tuple[str | None, str | None]:
        name = self._name_match()
        keyword = name and _KEYWORD.match(self.source, name.end(), self.end)
        if keyword is None:
            return None, None
        first = _IDENTIFIER.match(self.source, keyword.end(), self.end)
        if first is None:
            return None, None
        if keyword[2]:
            return None, _identifier(first)
        closed = first[2] or first[4]
        second = _IDENTIFIER.match(self.source, first.end(), self.end) if closed else None
        return _identifier(first), second and _identifier(second)

    def __repr__(self) -> str:
        return f"Doctype({self.source[self.start : self.end]!r}, {self.start}, {self.end})"


def _identifier(match: re.Match[str]) -> str:
    raw = match[3] if match[1] is None else match[1]
    return raw.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\ufffd")


class ProcessingInstruction(NamedTuple):
    """A processing instruction, in XML only."""

    start: int
    end: int
    source: str

    @property
    def data(self) -> str:
        """What stands between the question marks, the target included."""
        end = self.end - 2 if self.source.startswith("?>", self.end - 2) else self.end
        return self.source[self.start + 2 : max(end, self.start + 2)]

    def __repr__(self) -> str:
        return f"ProcessingInstruction({self.data[:60]!r}, {self.start}, {self.end})"


class Ignored(NamedTuple):
    """Source that is nothing: `</>`, or a tag that the end of the source cuts off."""

    start: int
    end: int
    source: str

    def __repr__(self) -> str:
        return f"Ignored({self.source[self.start : self.end][:60]!r}, {self.start}, {self.end})"


Token: TypeAlias = StartTag | EndTag | Text | Comment | Doctype | ProcessingInstruction | Ignored
