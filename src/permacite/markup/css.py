"""The references of CSS: every `url()`, `@import` and image string, with its place in the source.

CSS Syntax Level 3 §4 (tokens: comments, strings, escapes, url, bad-url), CSS Values 4 §4.5 (url,
src), CSS Cascade §2 (@import), CSS Images 4 §2.5 (image-set). Works for style sheets, `style`
elements and `style` attributes alike: nothing is parsed but the tokens that can matter.

Deviations: an `@import` that stands too late to count is reported too; what is done with it can
only be safer so. Strings of `@namespace` are names, not references, and are left out.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal, TypeAlias

from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

__all__ = ["CssUrl", "CssUrlKind", "css_urls"]

_SURROGATES = range(0xD800, 0xE000)
CssUrlKind: TypeAlias = Literal["import", "font", "image", "url"]
"""@import; src of @font-face; a string in image-set(); any other url()."""


@dataclass(frozen=True, slots=True)
class CssUrl:
    """One reference: `value` unescaped; `start` and `end` of what is written, without quotes.

    `quote`: the mark around it, "" where it stands bare in `url()`.
    """

    value: str
    kind: CssUrlKind
    start: int
    end: int
    quote: str


_ESCAPE = r"\\(?:[0-9a-fA-F]{1,6}+(?:\r\n|[\t\n\f\r ])?+|[^\n\f\r0-9a-fA-F]|\Z)"
_IDENT = compile_pattern(rf"(?:[-\w\x00\x80-\U0010ffff]|{_ESCAPE})++")
_MARK = r"/\*|[\"'\\@{}]|(?i:url|src|image-set)\("
_SEARCH = compile_pattern(_MARK)
_SEARCH_IN_SET = compile_pattern(rf"{_MARK}|[();]")
"""Inside image-set() parentheses matter too, so there are two searches."""
_STRING = {
    quote: compile_pattern(rf"(?:[^{quote}\\\n\f\r]++|\\(?:\r\n|[\s\S]|\Z))*+") for quote in "\"'"
}
_WHITE_SPACE = compile_pattern(r"[\t\n\f\r ]*+")
_BLANK = compile_pattern(r"(?:[\t\n\f\r ]++|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z))*+")
_PREFIX = compile_pattern(rf"{_IDENT.pattern}(?!\(){_BLANK.pattern}")
_BARE = compile_pattern(rf"(?:[^\"'()\\\t\n\f\r \x01-\x08\x0b\x0e-\x1f\x7f]++|{_ESCAPE})*+")
_BAD_REST = compile_pattern(r"(?:[^)\\]++|\\(?:[\s\S]|\Z))*+\)?+")
_UNESCAPE = compile_pattern(
    r"\\(?:([0-9a-fA-F]{1,6}+)(?:\r\n|[\t\n\f\r ])?+|(\r\n|[\n\f\r])|([\s\S]))|\x00"
)
_REFERENCES = frozenset({"url", "src"})
_IMAGE_SETS = frozenset({"image-set", "-webkit-image-set"})


def css_urls(source: str) -> Iterator[CssUrl]:
    """Yield the references of a style sheet or of a list of declarations, in order.

    Linear in time for any text, and raises nothing.
    """
    return _CssScanner(source).scan()


class _CssScanner:
    """One pass over a source; `at` is where it has come to."""

    __slots__ = ("at", "depth", "face", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.depth = 0
        """Parentheses that are open since an image-set(, its own included."""
        self.face = False
        """Inside the block of @font-face."""

    def scan(self) -> Iterator[CssUrl]:
        while (found := self._search()) is not None:
            low, self.at = self.at, found.end()
            mark = found.group()
            if mark in "\"'":
                url = self._string(mark, "image")
                if url is not None and self.depth == 1:
                    yield url
            elif mark == "@":
                url = self._at_rule()
                if url is not None:
                    yield url
            elif mark == "\\" or len(mark) > len("/*"):
                url = self._function(low, found.start())
                if url is not None:
                    yield url
            else:
                self._punctuation(mark)

    def _search(self) -> re.Match[str] | None:
        return (_SEARCH_IN_SET if self.depth else _SEARCH).search(self.source, self.at)

    def _punctuation(self, mark: str) -> None:
        if mark == "/*":
            end = self.source.find("*/", self.at)
            self.at = len(self.source) if end < 0 else end + 2
        elif mark == "(":
            self.depth += 1
        elif mark == ")":
            self.depth -= 1
        else:
            self.depth = 0
            if mark in "{}":
                self.face = False

    def _string(self, quote: str, kind: CssUrlKind) -> CssUrl | None:
        """Move past a string, whose opening quote is behind us; None for a bad string (§4.3.5)."""
        start = self.at
        end = _STRING[quote].match(self.source, start).end()  # type: ignore[union-attr] # ends in *
        closed = self.source.startswith(quote, end)
        self.at = end + closed
        if not closed and end < len(self.source):
            return None
        return CssUrl(_unescape(self.source[start:end], cut_off=""), kind, start, end, quote)

    def _at_rule(self) -> CssUrl | None:
        """Read the name of an at-rule, and the reference that follows if there is one."""
        name = self._name(self.at)
        if name not in ("font-face", "import", "namespace"):
            return None
        self._skip(_BLANK)
        if name == "font-face":
            self.face = self.source.startswith("{", self.at)
            self.at += self.face
            return None
        if name == "namespace":
            self._skip(_PREFIX)
        url = self._string_or_url()
        return url if name == "import" else None

    def _string_or_url(self) -> CssUrl | None:
        quote = self.source[self.at : self.at + 1]
        if quote and quote in "\"'":
            self.at += 1
            return self._string(quote, "import")
        start = self.at
        if self._name(start) in _REFERENCES and self.source.startswith("(", self.at):
            self.at += 1
            return self._url("import")
        self.at = start
        return None

    def _name(self, start: int) -> str:
        """Move past the identifier at `start`, and return it unescaped, in lower case."""
        match = _IDENT.match(self.source, start)
        if match is None:
            return ""
        self.at = match.end()
        return _unescape(match.group()).lower()

    def _function(self, low: int, start: int) -> CssUrl | None:
        """Read the function whose name goes on at `start`, and begins there or behind `low`."""
        mark, behind = start, self.at
        while start > low and _continues_name(self.source[start - 1]):
            start -= 1
        name = self._name(start)
        if self.at <= mark:  # a backslash that escapes nothing
            self.at = behind
            return None
        if not self.source.startswith("(", self.at):
            return None
        if name in _REFERENCES:
            self.at += 1
            return self._url("font" if self.face else "url")
        if name in _IMAGE_SETS:
            self.at += 1
            self.depth = 1
        return None

    def _url(self, kind: CssUrlKind) -> CssUrl | None:
        """Read what follows `url(` (§4.3.6, §4.3.14)."""
        self._skip(_WHITE_SPACE)
        start = self.at
        quote = self.source[start : start + 1]
        if quote and quote in "\"'":
            self.at += 1
            self.depth += self.depth > 0
            return self._string(quote, kind)
        self._skip(_BARE)
        end = self.at
        self._skip(_WHITE_SPACE)
        if self.source.startswith(")", self.at) or self.at == len(self.source):
            self.at += 1
            return CssUrl(_unescape(self.source[start:end]), kind, start, end, "")
        self._skip(_BAD_REST)
        return None

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.source, self.at)
        if match is not None:
            self.at = match.end()


def _continues_name(character: str) -> bool:
    return character in "-_\0" or character.isalnum() or character >= "\x80"


def _unescape(raw: str, *, cut_off: str = "\ufffd") -> str:
    """§4.3.7: hexadecimal escapes, escaped characters, escaped line ends, U+0000.

    `cut_off`: what a backslash at the very end of the source stands for; nothing in a string
    (§4.3.5), U+FFFD elsewhere.
    """
    if "\\" not in raw and "\x00" not in raw:
        return raw
    if raw.endswith("\\") and (len(raw) - len(raw.rstrip("\\"))) % 2:
        return _UNESCAPE.sub(_unescaped, raw[:-1]) + cut_off
    return _UNESCAPE.sub(_unescaped, raw)


def _unescaped(match: re.Match[str]) -> str:
    digits, line_end, character = match.groups()
    if digits is not None:
        number = int(digits, 16)
        valid = 0 < number <= sys.maxunicode and number not in _SURROGATES
        return chr(number) if valid else "\ufffd"
    if line_end is not None:
        return ""
    return character or "\ufffd"
