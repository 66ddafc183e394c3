"""Normalization and equivalence of URIs, by named levels.

| section | function |
|---|---|
| RFC 2396 §6 URI Normalization and Equivalence | `normalize`, `equivalent` |
| RFC 2396 §2.4.2 (`%7e` and `~`) | level "scheme" |
| RFC 3986 §6.2.2, §6.2.3 | the same, with profile="rfc3986" |

| level | RFC 2396 | RFC 3986 |
|---|---|---|
| "syntax" | scheme and host in lower case, escapes in upper case | and unreserved escapes decoded |
| "path" | and dot segments removed from a path that begins with "/" | the same |
| "scheme" | and unreserved escapes decoded, no default or empty port, no empty path | the same |

Each level includes the one before it and is idempotent. "scheme" knows the schemes of
`DEFAULT_PORTS`, and does no more than "path" for others.

Deviations: None.

Readings:
- RFC 2396 leaves the decoding of unreserved escapes to the scheme; RFC 3986 allows it always.
- RFC 2396 removes dot segments only where a relative path is resolved, so that "path" goes beyond
  it: it removes them as §5.2(6) does, and keeps an excess "..".
- A relative path keeps its dot segments: they mean something until it is resolved.
- Where a path would come to begin with "//" and there is no authority, "/." is put before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from permacite.scan import compile_pattern
from permacite.uri.dots import remove_2396, remove_dot_segments
from permacite.uri.reference import Reference, UndividedReference, blank, parse, trusted

if TYPE_CHECKING:
    import re

    from permacite.uri.syntax import Matcher, Profile

__all__ = ["DEFAULT_PORTS", "Level", "equivalent", "normalize"]

Level = Literal["syntax", "path", "scheme"]
"""How far two spellings may differ and still be called the same (RFC 3986 §6.2)."""

DEFAULT_PORTS = {
    "acap": 674, "dict": 2628, "ftp": 21, "gopher": 70, "http": 80, "https": 443, "imap": 143,
    "ldap": 389, "nntp": 119, "pop": 110, "prospero": 1525, "rtsp": 554, "ssh": 22, "telnet": 23,
    "wais": 210, "ws": 80, "wss": 443,
}  # fmt: skip
"""The schemes with the common syntax and a default port, as their registrations give it."""

_EMPTY_PATH_IS_ROOT = frozenset({"ftp", "gopher", "http", "https", "rtsp", "ws", "wss"})


def normalize(
    reference: str | Reference, level: Level = "syntax", profile: Profile | None = None
) -> Reference:
    """Return the normal form of `reference` at `level` (see the table above).

    `profile`: "rfc2396" for text, unless said otherwise; a Reference has its own.
    Raises ParseError if the text does not parse.
    """
    if isinstance(reference, str):
        if _usual(reference) and "/." not in reference:
            new = blank()  # as `trusted` does, without the time of the call
            new.text = reference
            new.profile = profile or "rfc2396"
            new.__class__ = UndividedReference
            return new  # type: ignore[no-any-return]  # it is a Reference since the line above
        plain = _PLAIN.fullmatch(reference)
        if plain and "/." not in reference:
            if level == "scheme" and plain.lastindex == _NO_PATH:
                reference = _rooted(reference, plain.end(_NO_PATH))
            return trusted(reference, profile or "rfc2396")
        reference = parse(reference, profile or "rfc2396")
    elif profile is not None and profile != reference.profile:
        reference = parse(reference.text, profile)
    text = _Normal(reference, level).text()
    return reference if text == reference.text else trusted(text, reference.profile)


def _rooted(text: str, end: int) -> str:
    """Put the path "/" behind the authority, which ends at `end`, where that is the same."""
    if text.partition(":")[0] in _EMPTY_PATH_IS_ROOT:
        return f"{text[:end]}/{text[end:]}"
    return text


def equivalent(
    a: str | Reference,
    b: str | Reference,
    level: Level = "syntax",
    *,
    profile: Profile | None = None,
) -> bool:
    """Whether two references have the same normal form at `level`.

    True means that they refer to the same thing; False means only that this level cannot tell.
    """
    return normalize(a, level, profile=profile).text == normalize(b, level, profile=profile).text


_LEGAL = r"A-Za-z0-9_.!~*'()\-;:@&=+$,/"
_NO_PATH = 1
_ESCAPE = compile_pattern("%..")
_ESCAPED = r"%(?:[0189A-F][0-9A-F]|2[02-6BCF]|3[A-F]|40|5[B-E]|60|7[BCDF])"  # what stays escaped
_PORTS = "|".join(map(str, sorted(set(DEFAULT_PORTS.values()))))
# Most URIs that are met are normal at every level already. Two patterns know them: the first is the
# usual case, the second allows ports, escapes, a missing path and an opaque part. Neither holds
# capitals in scheme and host, userinfo, ports that may be left out, escapes that may be decoded.
_USUAL = rf"[a-z][a-z0-9+.\-]*+://[a-z0-9.\-]++/[{_LEGAL}?]*+(?:#[{_LEGAL}?]*+)?+"
_PLAIN = compile_pattern(
    # group 1: where a path would begin; 2: a path, and a query; 3: an opaque part
    rf"[a-z][a-z0-9+.\-]*+:(?://[a-z0-9.\-]++(?::(?!0|(?:{_PORTS})?(?![0-9]))[0-9]++)?+()"
    rf"(/[{_LEGAL}?]*+(?:{_ESCAPED}[{_LEGAL}?]*+)*+)?+"
    rf"|(?!/)([{_LEGAL}])[{_LEGAL}?]*+(?:{_ESCAPED}[{_LEGAL}?]*+)*+)"
    rf"(?:#[{_LEGAL}?]*+(?:{_ESCAPED}[{_LEGAL}?]*+)*+)?+"
)


def _compile_usual(text: str) -> re.Match[str] | None:
    """Compile the pattern and take its place, so that importing this costs nothing."""
    matcher = globals()["_usual"] = compile_pattern(_USUAL).fullmatch
    return matcher(text)


_usual: Matcher = _compile_usual


def _upper(escape: re.Match[str]) -> str:
    """Write one escape in upper case."""
    return escape[0].upper()


class _Normal:
    """The normal form of one reference, component by component."""

    def __init__(self, reference: Reference, level: Level) -> None:
        self.reference = reference
        self.level = level
        self.scheme = None if reference.scheme is None else reference.scheme.lower()
        self.known = level == "scheme" and self.scheme in DEFAULT_PORTS
        self.decodes = self.known or reference.profile == "rfc3986"

    def text(self) -> str:
        """Recombine the components (RFC 2396 §5.2(7))."""
        reference = self.reference
        text = "" if self.scheme is None else self.scheme + ":"
        if reference.opaque_part is not None:
            text += self.escapes(reference.opaque_part)
        else:
            if reference.authority is not None:
                text += "//" + self.authority()
            text += self.path()
            if reference.query is not None:
                text += "?" + self.escapes(reference.query)
        if reference.fragment is not None:
            text += "#" + self.escapes(reference.fragment)
        return text

    def escapes(self, component: str) -> str:
        """Write escapes in upper case, and decode what is unreserved where that is allowed."""
        if "%" not in component:
            return component
        if not self.decodes:
            return _ESCAPE.sub(_upper, component)
        return _ESCAPE.sub(self.escape, component)

    def escape(self, match: re.Match[str]) -> str:
        """Return the character that an escape stands for if it is unreserved, else the escape."""
        # RFC 3986 took !*'() out of the unreserved characters of RFC 2396 §2.3.
        marks = "-_.~" if self.reference.profile == "rfc3986" else "-_.!~*'()"
        character = chr(int(match[0][1:], 16))
        unreserved = character in marks or (character.isascii() and character.isalnum())
        return character if unreserved else match[0].upper()

    def authority(self) -> str:
        """[ userinfo "@" ] host [ ":" port ], or a reg_name, which has no case to fold."""
        reference = self.reference
        if reference.host is None:  # decoded, a reg_name could turn into a server
            return _ESCAPE.sub(_upper, reference.authority or "")
        userinfo = "" if reference.userinfo is None else self.escapes(reference.userinfo) + "@"
        # Decoding first: an escaped letter is folded too. Escapes then get their upper case back.
        host = self.escapes(self.escapes(reference.host).lower())
        return userinfo + host + self.port()

    def port(self) -> str:
        """[ ":" port ], left out where the scheme means it anyway (RFC 2396 §6)."""
        if self.reference.port_text is None:
            return ""
        port = self.reference.port
        if self.known and (port is None or port == DEFAULT_PORTS[self.scheme or ""]):
            return ""
        return ":" + self.reference.port_text

    def path(self) -> str:
        """The path, its escapes decoded before dot segments are looked for."""
        path = self.escapes(self.reference.path or "")
        if self.level == "syntax":
            return self.guarded(path)
        if path.startswith("/"):
            rfc2396 = self.reference.profile == "rfc2396"
            path = remove_2396(path) if rfc2396 else remove_dot_segments(path)
        if not path and self.known and self.scheme in _EMPTY_PATH_IS_ROOT:
            return "/"
        return self.guarded(path)

    def guarded(self, path: str) -> str:
        """Keep a path without authority from being read as one."""
        return "/." + path if path.startswith("//") and self.reference.authority is None else path
