"""Syntax errors of a URI reference: every fault, in order, with its offset and its rule.

The patterns of `syntax` only say yes or no. This walks the components as App. B divides them, and
names the first character that cannot stand where it stands (the "%" itself of a lone "%").
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from permacite.errors import ParseError
from permacite.scan import compile_pattern
from permacite.uri.syntax import (
    GRAMMARS,
    IP_LITERAL,
    PATH,
    QUERY,
    REG_NAME,
    REL_SEGMENT,
    USERINFO,
    run,
)

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from permacite.uri.syntax import Profile, Run

__all__ = ["component_faults", "reference_faults"]

_SECTIONS = {
    # what: sections of RFC 2396, of RFC 3986
    "escape": ("2.4.1", "2.1"),
    "scheme": ("3.1", "3.1"),
    "opaque part": ("3", "3"),
    "authority": ("3.2", "3.2"),
    "userinfo": ("3.2.2", "3.2.1"),
    "host": ("3.2.2", "3.2.2"),
    "port": ("3.2.2", "3.2.3"),
    "path": ("3.3", "3.3"),
    "first segment of a relative path": ("5", "4.2"),
    "query": ("3.4", "3.4"),
    "fragment": ("4.1", "3.5"),
}
_SCHEME_RUN = r"[A-Za-z0-9+.\-]*+"
_PORT_RUN = "[0-9]*+"
_HOST_RUN = run("$,;&=+")


@cache
def _pattern(source: str) -> re.Pattern[str]:
    """The pattern of some legal characters, made once."""
    return compile_pattern(source)


def _rule(what: str, profile: Profile) -> str:
    """Name the section that says what `what` may hold."""
    sections = _SECTIONS[what]
    return f"{GRAMMARS[profile].rfc} §{sections[profile == 'rfc3986']}"


def reference_faults(text: str, profile: Profile) -> Iterator[ParseError]:
    """Yield a ParseError for each fault of `text`, by offset; none if it parses."""
    return _FaultScanner(text, profile).reference()


def component_faults(text: str, legal: Run, what: str, profile: Profile) -> Iterator[ParseError]:
    """Yield the faults of `text` as the component `what`, which holds the characters `legal`."""
    return _FaultScanner(text, profile).characters(0, len(text), legal, what)


class _FaultScanner:
    """One pass over a text, component by component."""

    def __init__(self, text: str, profile: Profile) -> None:
        self.text = text
        self.profile = profile

    def fault(self, problem: str, offset: int, what: str) -> ParseError:
        """Make the error for `what` at `offset`."""
        return ParseError(problem, self.text, offset, _rule(what, self.profile))

    def until(self, stops: str, start: int) -> int:
        """Return the offset of the first of `stops` from `start` on, or the end."""
        match = _pattern(f"[^{stops}]*+").match(self.text, start)
        return match.end() if match else len(self.text)

    def reference(self) -> Iterator[ParseError]:
        """[ absoluteURI | relativeURI ] [ "#" fragment ]   (RFC 2396 §4)."""
        colon = self.until(":/?#", 0)
        absolute = self.text[colon : colon + 1] == ":"
        start = colon + 1 if absolute else 0
        if absolute:
            yield from self.scheme(colon)
        end = self.until("#", start)
        if absolute and self.profile == "rfc2396" and not self.text.startswith("/", start):
            yield from self.opaque_part(start, end)
        else:
            yield from self.hierarchical(start, end, absolute=absolute)
        yield from self.characters(end + 1, len(self.text), QUERY, "fragment")

    def scheme(self, end: int) -> Iterator[ParseError]:
        """Alpha *( alpha | digit | "+" | "-" | "." )   (RFC 2396 §3.1)."""
        first = self.text[:1]
        if end == 0:
            yield self.fault('expected a scheme before ":"', 0, "scheme")
        elif not (first.isascii() and first.isalpha()):
            hint = "a relative path that holds a colon is written ./a:b"
            problem = f"a scheme begins with a letter, not {first!r}"
            yield ParseError(problem, self.text, 0, _rule("scheme", self.profile), hint=hint)
            yield from self.characters(1, end, _SCHEME_RUN, "scheme")
        else:
            yield from self.characters(0, end, _SCHEME_RUN, "scheme")

    def opaque_part(self, start: int, end: int) -> Iterator[ParseError]:
        """uric_no_slash *uric   (RFC 2396 §3)."""
        if start == end:
            yield self.fault('expected something after the ":"', start, "opaque part")
        yield from self.characters(start, end, QUERY, "opaque part")

    def hierarchical(self, start: int, end: int, *, absolute: bool) -> Iterator[ParseError]:
        """( net_path | abs_path | rel_path ) [ "?" query ]   (RFC 2396 §3, §5)."""
        mark = min(self.until("?", start), end)
        if self.text.startswith("//", start):
            slash = min(self.until("/", start + 2), mark)
            yield from self.authority(start + 2, slash)
            yield from self.characters(slash, mark, PATH, "path")
        elif absolute:
            yield from self.characters(start, mark, PATH, "path")
        else:
            slash = min(self.until("/", start), mark)
            what = "first segment of a relative path"
            yield from self.characters(start, slash, REL_SEGMENT, what)
            yield from self.characters(slash, mark, PATH, "path")
        yield from self.characters(mark + 1, end, QUERY, "query")

    def authority(self, start: int, end: int) -> Iterator[ParseError]:
        """Server | reg_name   (RFC 2396 §3.2), or [ userinfo "@" ] host [ ":" port ]."""
        if self.profile == "rfc2396":
            yield from self.characters(start, end, REG_NAME, "authority")
            return
        at = self.text.find("@", start, end)
        if at >= 0:
            yield from self.characters(start, at, USERINFO, "userinfo")
            start = at + 1
        if self.text.startswith("[", start):
            literal = _pattern(IP_LITERAL).match(self.text, start, end)
            if literal is None:
                yield self.fault("not an IP literal", start, "host")
                return
            host = literal.end()
            if host < end and self.text[host] != ":":
                yield self.fault('expected ":" or the end of the authority', host, "host")
                return
        else:
            host = self.text.find(":", start, end)
            host = end if host < 0 else host
            yield from self.characters(start, host, _HOST_RUN, "host")
        yield from self.characters(host + 1, end, _PORT_RUN, "port")

    def characters(self, start: int, end: int, legal: Run, what: str) -> Iterator[ParseError]:
        """Yield one fault for each character of [start, end) that `what` cannot hold."""
        pattern = _pattern(legal)
        while start < end:
            match = pattern.match(self.text, start, end)
            start = match.end() if match else start
            if start < end:
                yield self.illegal(start, what)
            start += 1

    def illegal(self, offset: int, what: str) -> ParseError:
        """Say why the character at `offset` is not allowed in `what`."""
        character = self.text[offset]
        if character == "%" and what not in {"scheme", "port"}:
            return self.fault('expected two hexadecimal digits after "%"', offset, "escape")
        problem = f"{character!r} cannot stand in the {what}"
        hint = ""
        if not character.isascii():
            hint = "a character outside ASCII is percent-encoded first"
        elif character in "[]" and what == "authority":
            hint = "an address in brackets belongs to RFC 3986, the other profile"
        return ParseError(problem, self.text, offset, _rule(what, self.profile), hint=hint)
