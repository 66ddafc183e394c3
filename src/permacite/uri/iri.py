"""Internationalized and ill-written references: to the characters that a URI may hold, explicitly.

| section | function |
|---|---|
| RFC 2396 §2.4 Escape Sequences, §2.4.3 Excluded US-ASCII Characters | `from_iri` |
| RFC 3987 §3.1 Mapping of IRIs to URIs | `from_iri` |

Nothing here is done by `parse`: whoever reads a page that was not written by the rules says so.

Deviations: a host that IDNA 2003 (the standard library's codec) refuses is escaped as UTF-8.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from permacite.uri.syntax import Profile

__all__ = ["from_iri"]

_WHITE = "".join(map(chr, range(0x21)))  # C0 controls and the space
_LINE_BREAKS = {ord(character): None for character in "\t\n\r"}
_LEGAL = r"A-Za-z0-9_.!~*'()\-;/?:@&=+$,"


@cache
def _pattern(source: str) -> re.Pattern[str]:
    """Compile on first use: URIs that are right need none of these."""
    return re.compile(source)


def from_iri(text: str, profile: Profile = "rfc2396") -> str:
    """Return `text` with all that a URI reference excludes percent-encoded as UTF-8.

    White space around it is stripped, tabs and line breaks in it removed. A "%" without two
    hexadecimal digits becomes "%25", a second "#" "%23", a lone surrogate U+FFFD. A host that is
    not ASCII goes through IDNA. The brackets of an IP literal stay in profile "rfc3986". A first
    segment that holds a colon and is no scheme gets "./" before it (§5).
    Text that is legal comes back unchanged. One fault cannot be mended: a scheme with nothing
    behind it, which RFC 2396 does not allow.
    """
    text = text.strip(_WHITE).translate(_LINE_BREAKS)
    if _pattern(rf"[{_LEGAL}]*+(?:#[{_LEGAL}]*+)?+").fullmatch(text) is None:
        document, mark, fragment = text.partition("#")
        text = _document(document, profile) + mark + _escape(fragment)
    return _disarm(text)


def _document(text: str, profile: Profile) -> str:
    """Encode what stands before the fragment, the host apart."""
    found = _pattern(r"((?:[A-Za-z][A-Za-z0-9+.\-]*+:)?+//)([^/?]*+)").match(text)
    if found is None:
        return _escape(text)
    authority = _authority(found[2], profile)
    return found[1] + authority + _escape(text[found.end() :])


def _authority(authority: str, profile: Profile) -> str:
    """Encode an authority: its host by IDNA, its userinfo and port as text."""
    userinfo, at, server = authority.rpartition("@")
    found = _pattern(
        r"(\[[^\[\]@]*+\]|[^:]*+)(.*+)",
    ).fullmatch(server)
    host, port = found.groups() if found else (server, "")
    if not (profile == "rfc3986" and host.startswith("[")):
        host = _escape(_to_ascii(host))
    return _escape(userinfo) + at + host + _escape(port)


def _to_ascii(host: str) -> str:
    """Apply IDNA to a host that is not ASCII; return it as it is where that fails."""
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host


def _escape(text: str) -> str:
    """Percent-encode each excluded character and each lone "%" (§2.4)."""
    pattern = _pattern(rf"[^{_LEGAL}%]++|%(?![0-9A-Fa-f][0-9A-Fa-f])")
    return pattern.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    """Return the octets of a run of excluded characters as escapes."""
    # A surrogate has no octets in UTF-8; browsers put the replacement character there.
    clean = found[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return "".join(f"%{octet:02X}" for octet in clean.encode())


def _disarm(text: str) -> str:
    """Put "./" before a first segment that holds a colon and does not begin with a scheme."""
    if _pattern(r"(?:[A-Za-z][A-Za-z0-9+.\-]*+:|[^:/?#]*+(?:[/?#]|\Z))").match(text) is None:
        return "./" + text
    return text
