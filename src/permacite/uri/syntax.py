"""The grammar of URI references as compiled patterns, one set for each profile.

Both RFCs allow the same characters in a path, a query and a fragment; they differ in the authority,
in opaque parts, and in what may follow a bare `scheme:`.

| section | here |
|---|---|
| RFC 2396 §2 characters, escapes | `run`, and the classes above it |
| RFC 2396 §3.2.2 server | `_SERVER_2396` |
| RFC 2396 App. A, App. B | `_REFERENCE_2396`: divided as by App. B, with the classes of App. A |
| RFC 3986 App. A | `_REFERENCE_3986` |

Every repetition is possessive, so that matching is linear in the length of the text.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    Matcher = Callable[[str], re.Match[str] | None]

__all__ = [
    "ESCAPED",
    "GRAMMARS",
    "IP_LITERAL",
    "PATH",
    "QUERY",
    "REG_NAME",
    "REL_SEGMENT",
    "SCHEME",
    "USERINFO",
    "Grammar",
    "Profile",
    "Run",
    "run",
]

Profile = Literal["rfc2396", "rfc3986"]
"""Which grammar a reference obeys; "rfc2396" is the default everywhere."""

Run = str
"""The source of a pattern that matches the longest run of legal characters and escapes."""

_UNRESERVED = r"A-Za-z0-9_.!~*'()\-"  # §2.3; RFC 3986 calls !*'() sub-delims, to the same effect
ESCAPED = "%[0-9A-Fa-f][0-9A-Fa-f]"  # §2.4.1


def run(also: str) -> Run:
    """*( unreserved | escaped | one of `also` ), unrolled: no state is kept for going back."""
    legal = f"[{_UNRESERVED}{also}]*+"
    return f"{legal}(?:{ESCAPED}{legal})*+"


def _plain(also: str) -> str:
    """*( unreserved | one of `also` ): no escape, which most references do without."""
    return f"[{_UNRESERVED}{also}]*+"


SCHEME = r"[A-Za-z][A-Za-z0-9+.\-]*+"  # §3.1
USERINFO = run(";:&=+$,")  # §3.2.2
REG_NAME = run("$,;:@&=+")  # §3.2.1; every server is one too, so this is the whole authority
PATH = run("/;:@&=+$,")  # §3.3 path_segments
QUERY = run(";/?:@&=+$,")  # §3.4 *uric, and §4.1 fragment
REL_SEGMENT = run(";@&=+$,")  # §5: no colon, no slash

_LABEL_END = r"[A-Za-z0-9\-]*+(?<!-)"
_HOSTNAME = (
    rf"(?:[A-Za-z0-9]{_LABEL_END}\.(?=[A-Za-z0-9]))*+"  # *( domainlabel "." )
    rf"[A-Za-z]{_LABEL_END}\.?+"  # toplabel [ "." ]
)
_IPV4_2396 = r"[0-9]++\.[0-9]++\.[0-9]++\.[0-9]++"  # the grammar sets no limit of 255
_SERVER_2396 = rf"(?:({USERINFO})@)?({_HOSTNAME}|{_IPV4_2396})(?::([0-9]*+))?"


def _ipv6() -> str:
    """IPv6address, the nine alternatives of RFC 3986 §3.2.2."""
    h16 = "[0-9A-Fa-f]{1,4}"
    octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
    ls32 = rf"(?:{h16}:{h16}|{octet}(?:\.{octet}){{3}})"
    forms = [f"(?:{h16}:){{6}}{ls32}", f"::(?:{h16}:){{5}}{ls32}"]
    for before, after in ((0, 4), (1, 3), (2, 2), (3, 1), (4, 0)):
        forms.append(f"(?:(?:{h16}:){{0,{before}}}{h16})?::(?:{h16}:){{{after}}}{ls32}")
    forms += [f"(?:(?:{h16}:){{0,5}}{h16})?::{h16}", f"(?:(?:{h16}:){{0,6}}{h16})?::"]
    return "|".join(forms)


IP_LITERAL = rf"\[(?:{_ipv6()}|[vV][0-9A-Fa-f]++\.[A-Za-z0-9._~!$&'()*+,;=:\-]++)\]"
_REG_NAME_3986 = run("$,;&=+")
_HOST_3986 = f"{IP_LITERAL}|{_REG_NAME_3986}"
_SERVER_3986 = rf"(?:({USERINFO})@)?({_HOST_3986})(?::([0-9]*+))?"
_END = r"(?=[/?#]|\Z)"
_TAIL = rf"(?:\?({QUERY}))?+(?:#({QUERY}))?+"

# scheme, opaque_part, authority, path, query, fragment: the groups of every general pattern.
_REFERENCE_2396 = (
    rf"(?:({SCHEME}):(?:(?=/)|(?=[^/#])({QUERY})))?"
    rf"(?(2)|(?://({REG_NAME}))?+({REL_SEGMENT}(?:/{PATH})?+)(?:\?({QUERY}))?+)"
    rf"(?:#({QUERY}))?+"
)
_AUTHORITY_3986 = rf"(?:{USERINFO}@)?(?:{_HOST_3986})(?::[0-9]*+)?"
_REFERENCE_3986 = (
    rf"(?:({SCHEME}):)?(?:(?!)())?"
    rf"(?://({_AUTHORITY_3986}){_END}|(?!//))"
    rf"((?(1){PATH}|{REL_SEGMENT}(?:/{PATH})?+))" + _TAIL
)


class Grammar:
    """The patterns of one profile, as bound `fullmatch` methods, compiled when first needed."""

    def __init__(self, rfc: str, *, authority: str, reference: str, server: str) -> None:
        """`rfc` names the document, for errors; `authority` is the usual, plain form of one."""
        self.rfc = rfc
        path, query = _plain("/:@&=+$,;"), _plain("/?:@&=+$,;")
        self._common = rf"({SCHEME})://({authority})({path})(?:\?({query}))?+(?:#({query}))?+"
        self._reference = reference
        self._server = server

    @cached_property
    def common(self) -> Matcher:
        """scheme, authority, path, query, fragment of `scheme://...` without escapes.

        Measured to take two thirds of the time of `reference`, which decides where this fails.
        """
        return compile_pattern(self._common).fullmatch

    @cached_property
    def reference(self) -> Matcher:
        """scheme, opaque_part, authority, path, query, fragment of any URI reference."""
        return compile_pattern(self._reference).fullmatch

    @cached_property
    def server(self) -> Matcher:
        """userinfo, host, port of an authority."""
        return compile_pattern(self._server).fullmatch


GRAMMARS = {
    "rfc2396": Grammar(
        "RFC 2396", authority=_plain("$,;:@&=+"), reference=_REFERENCE_2396, server=_SERVER_2396
    ),
    "rfc3986": Grammar(
        "RFC 3986",
        authority=rf"{_plain('$,;&=+')}(?::[0-9]*+)?+{_END}",
        reference=_REFERENCE_3986,
        server=_SERVER_3986,
    ),
}
