"""Percent escapes: quote data for a component, unquote it, and convert IRIs to URIs.

| section | function |
|---|---|
| RFC 2396 §2.4.1 Escaped Encoding | `unquote`, `unquote_to_bytes` |
| RFC 2396 §2.4.2 When to Escape and Unescape | `quote`, `quote_from_bytes`, for one component |
| RFC 2396 §2.4.3 Excluded US-ASCII Characters | `from_iri` |
| RFC 3987 §3.1 Mapping of IRIs to URIs | `from_iri` |
| RFC 3987 §3.2 Converting URIs to IRIs | `to_iri` |

A reference is divided into its components before any of them is unescaped, and data is escaped
before it is put into one: nothing here unescapes a whole URI. `parse` does none of this either: a
reader of a page that was not written by the rules says so, with `from_iri`.

Deviations: A host that IDNA 2003 (the standard library's codec) refuses is escaped as UTF-8.

Readings:
- `quote` escapes what §3 calls reserved within the component, and what §2.4.3 excludes: all of the
  data comes back from `unquote`, and none of it is mistaken for a delimiter.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal

from permacite.errors import ParseError
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    import re

    from permacite.uri.syntax import Profile

__all__ = [
    "Component",
    "from_iri",
    "quote",
    "quote_from_bytes",
    "to_iri",
    "unquote",
    "unquote_to_bytes",
]

Component = Literal["userinfo", "reg_name", "path", "segment", "param", "query", "fragment"]
"""What data is escaped for; "path" keeps its slashes, "segment" and "param" do not."""

_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()"
_LITERAL = {
    # the reserved characters that mean themselves in a component (§3.2, §3.3, §3.4, §4.1)
    "userinfo": "&=+$,",
    "reg_name": "&=+$,",
    "path": "/:@&+$,",
    "segment": ":@&+$,",
    "param": ":@&+$,",
    "query": "",
    "fragment": ";/?:@&=+$,",
}
_WHITE = "".join(map(chr, range(0x21)))  # C0 controls and the space
_LINE_BREAKS = {ord(character): None for character in "\t\n\r"}
_LEGAL = r"A-Za-z0-9_.!~*'()\-;/?:@&=+$,"
_ALL_LEGAL = compile_pattern(rf"[{_LEGAL}]*+(?:#[{_LEGAL}]*+)?+")
_EXCLUDED = compile_pattern(rf"[^{_LEGAL}%]++|%(?![0-9A-Fa-f][0-9A-Fa-f])")
_AUTHORITY = compile_pattern(r"((?:[A-Za-z][A-Za-z0-9+.\-]*+:)?+//)([^/?#]*+)")
_HOST_AND_PORT = compile_pattern(r"(\[[^\[\]@]*+\]|[^:]*+)(.*+)")
_FIRST_SEGMENT = compile_pattern(r"(?:[A-Za-z][A-Za-z0-9+.\-]*+:|[^:/?#]*+(?:[/?#]|\Z))")
_LONGEST_HOST = 1024  # characters; the codec takes quadratic time, and no name is as long
_TWO_DIGITS = compile_pattern("[0-9A-Fa-f][0-9A-Fa-f]")
_ESCAPE_OR_CHARACTER = compile_pattern("(?s:%..|.)")
_HIGH_ESCAPES = compile_pattern("(?:%[89A-Fa-f][0-9A-Fa-f])++")


@cache
def _octets(component: Component) -> tuple[str, ...]:
    """Return how each octet is written in `component`."""
    literal = _UNRESERVED + _LITERAL[component]
    characters = map(chr, range(256))
    return tuple(c if c in literal else f"%{ord(c):02X}" for c in characters)


def quote_from_bytes(data: bytes, component: Component) -> str:
    """Return octets as text that stands for them in `component`."""
    table = _octets(component)
    return "".join([table[octet] for octet in data])


def quote(text: str, component: Component) -> str:
    """Return `text` in UTF-8, escaped for `component`; "%" becomes "%25".

    Raises ParseError for a lone surrogate, which has no octets.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        problem = "a lone surrogate has no octets"
        raise ParseError(problem, text, error.start, "RFC 2396 §2.1") from None
    return quote_from_bytes(data, component)


def unquote_to_bytes(component: str) -> bytes:
    """Return the octets that a component stands for. Raises ParseError at a "%" that is alone.

    A character outside ASCII, which no URI holds, stands for its octets in UTF-8.
    """
    first, *pieces = component.split("%")
    octets = [first.encode("utf-8", "surrogatepass")]
    offset = len(first)
    for piece in pieces:
        if not _TWO_DIGITS.match(piece):
            problem = 'expected two hexadecimal digits after "%"'
            raise ParseError(problem, component, offset, "RFC 2396 §2.4.1")
        octets.append(bytes.fromhex(piece[:2]))
        octets.append(piece[2:].encode("utf-8", "surrogatepass"))
        offset += 1 + len(piece)
    return b"".join(octets)


def unquote(component: str) -> str:
    """Return the text that a component stands for, its octets read as UTF-8.

    Unescapes once: "%2541" is "%41". Raises ParseError at a "%" that is alone, and at escapes
    that are not UTF-8 (use `unquote_to_bytes` for those).
    """
    octets = unquote_to_bytes(component)
    try:
        return octets.decode()
    except UnicodeDecodeError as error:
        offset = _offset_of_octet(component, error.start)
        problem = "the escaped octets are not UTF-8"
        raise ParseError(problem, component, offset, "RFC 2396 §2.1") from None


def _offset_of_octet(component: str, wanted: int) -> int:
    """Where in `component` its octet number `wanted` is written."""
    offsets: list[int] = []
    for piece in _ESCAPE_OR_CHARACTER.finditer(component):
        octets = 1 if len(piece[0]) > 1 else len(piece[0].encode("utf-8", "surrogatepass"))
        offsets += [piece.start()] * octets
    return offsets[wanted]


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
    if _ALL_LEGAL.fullmatch(text) is None:
        document, mark, fragment = text.partition("#")
        text = _document(document, profile) + mark + _escape(fragment)
    return _disarm(text)


def _document(text: str, profile: Profile) -> str:
    """Encode what stands before the fragment, the host apart."""
    match = _AUTHORITY.match(text)
    if match is None:
        return _escape(text)
    authority = _authority(match[2], profile)
    return match[1] + authority + _escape(text[match.end() :])


def _authority(authority: str, profile: Profile) -> str:
    """Encode an authority: its host by IDNA, its userinfo and port as text."""
    userinfo, at, server = authority.rpartition("@")
    match = _HOST_AND_PORT.fullmatch(server)
    host, port = match.groups() if match else (server, "")
    if not (profile == "rfc3986" and host.startswith("[")):
        host = _escape(_to_ascii(host))
    return _escape(userinfo) + at + host + _escape(port)


def _to_ascii(host: str) -> str:
    """Apply IDNA to a host that is not ASCII; return it as it is where that fails."""
    if host.isascii() or len(host) > _LONGEST_HOST:
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host


def _escape(text: str) -> str:
    """Percent-encode each excluded character and each lone "%" (§2.4)."""
    return _EXCLUDED.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    """Return the octets of a run of excluded characters as escapes."""
    if match[0] == "%":
        return "%25"
    # A surrogate has no octets in UTF-8; browsers put the replacement character there.
    clean = match[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return "".join(f"%{octet:02X}" for octet in clean.encode())


def to_iri(uri: str) -> str:
    """Return a URI reference with the characters that its escapes stand for, to be read by people.

    Only what is printable and outside ASCII is decoded, and only where it is UTF-8; a host that is
    IDNA is shown in Unicode. `from_iri` gives back the same reference, escapes in upper case.
    Text that is no URI reference comes back with no more than that done to it.
    """
    match = _AUTHORITY.match(uri)
    if match is None:
        return _readable(uri)
    userinfo, at, server = match[2].rpartition("@")
    host, colon, port = server.partition(":")
    authority = _readable(userinfo) + at + _to_unicode(host) + colon + port
    return match[1] + authority + _readable(uri[match.end() :])


def _to_unicode(host: str) -> str:
    """Undo IDNA where doing it again gives the same host."""
    if len(host) > _LONGEST_HOST or "xn--" not in host.lower():
        return host
    try:
        shown = host.encode("ascii").decode("idna")
        return shown if shown.encode("idna") == host.encode("ascii") else host
    except UnicodeError:
        return host


def _readable(text: str) -> str:
    """Decode the runs of escapes that are printable characters outside ASCII."""
    return _HIGH_ESCAPES.sub(_decoded, text)


def _decoded(match: re.Match[str]) -> str:
    """Return a run of escapes with what can be shown of it decoded."""
    octets = bytes.fromhex(match[0].replace("%", ""))
    text = octets.decode("utf-8", "surrogateescape")  # what is not UTF-8 becomes surrogates
    return "".join(
        character
        if character.isprintable()
        else "".join(f"%{octet:02X}" for octet in character.encode("utf-8", "surrogateescape"))
        for character in text
    )


def _disarm(text: str) -> str:
    """Put "./" before a first segment that holds a colon and does not begin with a scheme."""
    if _FIRST_SEGMENT.match(text) is None:
        return "./" + text
    return text
