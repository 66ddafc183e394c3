"""URI references in running text: their boundaries, and broken lines (RFC 2396 App. E).

| section | function |
|---|---|
| RFC 2396 App. E Recommendations for Delimiting URI in Context | `find` |
| RFC 2396 App. F Abbreviated URLs | `find(text, abbreviated=True)` |

Deviations: only references that begin with a scheme are found.

Readings:
- Within <...> white space is no part of the URI. Within "..." that holds for line breaks and the
  white space around them; a space in a line means that the quotation is prose.
- A hyphen before a line break belongs to the URI or to the typesetter: `uri` keeps it, and
  `alternatives` lists the other readings, each hyphen both ways up to four, then all or none.
- Any word may stand before a colon. A URI that is bare, quoted or broken by white space therefore
  has "//" after its scheme, or a scheme that is listed here.
- A bare URI ends where its characters end; then sentence punctuation and closing parentheses that
  were not opened within are given back to the sentence.
"""

from __future__ import annotations

import itertools
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from permacite.scan import compile_pattern
from permacite.uri.syntax import GRAMMARS, IP_LITERAL, QUERY, SCHEME, USERINFO

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from permacite.uri.syntax import Profile

    Wrapper = Literal["<>", '""', ""]

__all__ = ["Found", "find"]

OPAQUE_SCHEMES = frozenset({
    "cid", "data", "doi", "geo", "info", "magnet", "mailto", "mid", "news", "nntp", "sip", "sips",
    "sms", "tag", "tel", "urn", "xmpp",
})  # fmt: skip
"""Schemes whose URIs are recognised without "//"."""

_USUAL = "https?|ftps?|file|gopher|wss?|mailto|urn"  # found behind a dash too: see--http://x/
_WHITE = r" \t\r\n\f\v"
_MOST_HYPHENS = 4
_SENTENCE = ".,;:!?'"


class Found(NamedTuple):
    """A URI reference in a text.

    `text[start:end]` is where it stands: without wrappers and "URL:", with the white space that
    broke it. `uri` is the reference; `alternatives` are the readings that leave hyphens out.
    """

    uri: str
    start: int
    end: int
    wrapper: Wrapper = ""
    alternatives: tuple[str, ...] = ()
    heuristic: bool = False
    """Whether the scheme was guessed (App. F)."""


def find(text: str, *, abbreviated: bool = False, profile: Profile = "rfc2396") -> Iterator[Found]:
    """Yield the URI references of `text` in order, not overlapping; time is linear.

    `abbreviated` also finds `www.` and `ftp.` names without a scheme, marked as `heuristic`.
    """
    start = _starts(abbreviated=abbreviated)
    offset = 0
    while begin := start.search(text, offset):
        if begin[0] in _WRAPPED:
            reference, offset = _wrapped(text, begin, profile)
        elif begin["abbreviation"]:
            reference, offset = _abbreviated(text, begin)
        else:
            reference, offset = _bare(text, begin, profile)
        if reference is not None:
            yield reference


@cache
def _starts(*, abbreviated: bool) -> re.Pattern[str]:
    """What a reference or its wrapper begins with."""
    # A scheme is looked for only where a run of its characters begins, once for each run.
    scheme = rf"(?:(?<![A-Za-z0-9+.\-])(?P<scheme>{SCHEME})|(?<=[+.\-])(?:{_USUAL})):"
    short = r"(?<![A-Za-z0-9@/._\-])(?P<abbreviation>www|ftp)\.(?=[A-Za-z0-9])"
    return compile_pattern(rf"[<\"]|{short if abbreviated else '(?!)(?P<abbreviation>)'}|{scheme}")


@cache
def _body(profile: Profile) -> re.Pattern[str]:
    """The longest run behind the colon of a scheme that could belong to a bare reference."""
    literal = rf"(?://(?:{USERINFO}@)?{IP_LITERAL})?+" if profile == "rfc3986" else ""
    return compile_pattern(rf"{literal}{QUERY}(?:#{QUERY})?+")


_WRAPPED = {
    opening: compile_pattern(
        rf"{opening}[{_WHITE}]*+(?:(?i:url):[{_WHITE}]*+)?+({SCHEME}):([^<>\"]*+){closing}"
    )
    for opening, closing in ("<>", '""')
}
_WHITE_RUN = compile_pattern(rf"[{_WHITE}]++")
_HYPHEN_BREAK = compile_pattern(rf"-[ \t]*+[\r\n][{_WHITE}]*+")
_LETTER_OR_DIGIT = compile_pattern("[A-Za-z0-9]")
_USUAL_AT_END = compile_pattern(rf"(?<=[+.\-])(?:{_USUAL})\Z")

Step = tuple[Found | None, int]
"""What was found at a place, and where to look on."""


def _wrapped(text: str, begin: re.Match[str], profile: Profile) -> Step:
    """Read <...> or "..." as one reference; look inside where it is none."""
    inside = begin.end()
    matched = _WRAPPED[begin[0]].match(text, begin.start())
    if matched is None:
        return None, inside
    start = matched.start(1)
    content = text[start : matched.end(2)].rstrip()
    gaps: list[str] = _WHITE_RUN.findall(content)
    if not _LETTER_OR_DIGIT.search(matched[2]):
        return None, inside
    recognised = matched[2].startswith("//") or matched[1].lower() in OPAQUE_SCHEMES
    if begin[0] == "<":
        wrapper: Wrapper = "<>"
        plausible = recognised or not gaps
    else:
        wrapper = '""'
        plausible = recognised and all("\n" in gap or "\r" in gap for gap in gaps)
    readings = _readings(content, profile) if plausible else []
    if not readings:
        return None, inside
    end = start + len(content)
    return Found(readings[0], start, end, wrapper, tuple(readings[1:])), matched.end()


def _readings(content: str, profile: Profile) -> list[str]:
    """The readings of a broken reference, the one with all hyphens first."""
    first, *rest = (_WHITE_RUN.sub("", piece) for piece in _HYPHEN_BREAK.split(content))
    if len(rest) > _MOST_HYPHENS:
        choices = [("-",) * len(rest), ("",) * len(rest)]
    else:
        choices = list(itertools.product(("-", ""), repeat=len(rest)))
    readings = []
    for hyphens in choices:
        reading = first + "".join(map("".join, zip(hyphens, rest, strict=True)))
        if GRAMMARS[profile].reference(reading):
            readings.append(reading)
    return readings


def _bare(text: str, begin: re.Match[str], profile: Profile) -> Step:
    """Read a reference that only white space, or another excluded character, ends."""
    scheme = begin["scheme"]
    start = begin.start()
    if scheme and (usual := _USUAL_AT_END.search(scheme)):
        start += usual.start()
    colon = begin.end() - 1
    opaque = text[start:colon].lower() in OPAQUE_SCHEMES
    if not opaque and not text.startswith("//", colon + 1):
        return None, begin.end()
    matched = _body(profile).match(text, colon + 1)
    stop = matched.end() if matched else colon + 1
    end = _without_sentence(text, colon + 1, stop)
    uri = text[start:end]
    if not _LETTER_OR_DIGIT.search(text, colon + 1, end) or not GRAMMARS[profile].reference(uri):
        return None, stop
    return Found(uri, start, end), end


def _abbreviated(text: str, begin: re.Match[str]) -> Step:
    """Read `www.w3.org/Addressing/` as the URI that a reader would make of it (App. F)."""
    matched = _body("rfc2396").match(text, begin.start())
    stop = matched.end() if matched else begin.end()
    end = _without_sentence(text, begin.start(), stop)
    scheme = "ftp" if begin["abbreviation"] == "ftp" else "http"
    uri = f"{scheme}://{text[begin.start() : end]}"
    parts = GRAMMARS["rfc2396"].reference(uri)
    if parts is None or not GRAMMARS["rfc2396"].server(parts[3]):
        return None, begin.end()
    return Found(uri, begin.start(), end, heuristic=True), end


def _without_sentence(text: str, start: int, end: int) -> int:
    """Where a bare reference ends once the sentence has its punctuation back."""
    unopened = text.count(")", start, end) - text.count("(", start, end)
    while end > start:
        last = text[end - 1]
        if last == ")" and unopened > 0:
            unopened -= 1
        elif last not in _SENTENCE:
            break
        end -= 1
    return end
