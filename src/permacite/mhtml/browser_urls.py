"""URLs as browsers serialize them: which characters they escape (URL Standard §4.4).

Browsers escape less than RFC 2396 wants (`|`, `[` and `'` stay in a path) and normalise more (case
of the host, the scheme's own port). Both sides of a comparison go through here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite import uri
from permacite.charsets import codec_of, encode
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    import re

__all__ = ["escaped_as_browsers_do", "fully_escaped", "lowered"]

_WHITE = "".join(map(chr, range(0x21)))
_LINE_BREAKS = {ord(character): None for character in "\t\n\r"}
_PATH = compile_pattern(r"[\x00-\x20\"<>^`{}\x7f-\U0010ffff]")
_QUERY = compile_pattern(r"[\x00-\x20\"<>'\x7f-\U0010ffff]")
_FRAGMENT = compile_pattern(r"[\x00-\x20\"<>`\x7f-\U0010ffff]")
_SCHEME = compile_pattern(r"([A-Za-z][A-Za-z0-9+.\-]*+):")
_AUTHORITY = compile_pattern(r"((?:[A-Za-z][A-Za-z0-9+.\-]*+:)?+//)([^/?#]*+)")
_HOST = compile_pattern(r"([A-Za-z][A-Za-z0-9+.\-]*+://(?:[^/?#@]*+@)?+)([^/?#:]*+)(:[0-9]*+)?+")
_PORTS = {"http": ":80", "https": ":443", "ftp": ":21", "ws": ":80", "wss": ":443"}
_HIERARCHICAL = frozenset({*_PORTS, "file"})
"""The schemes in which a backslash is a slash."""


def escaped_as_browsers_do(reference: str, charset: str | None) -> str:
    """A reference with what browsers escape escaped, and nothing else.

    What is not ASCII is escaped as UTF-8, in a query in the document's `charset`.
    """
    text = reference.strip(_WHITE).translate(_LINE_BREAKS)
    document, hash_mark, fragment = text.partition("#")
    path, mark, query = document.partition("?")
    scheme = _SCHEME.match(path)
    if scheme is None or scheme[1].lower() in _HIERARCHICAL:
        path = path.replace("\\", "/")
    start = 0
    authority = _AUTHORITY.match(path)
    if authority is not None:
        start = authority.end()
        host = authority[2] if authority[2].isascii() else uri.from_iri("//" + authority[2])[2:]
        path = authority[1] + host + path[start:]
        start = len(authority[1] + host)
    path = path[:start] + _PATH.sub(_as_utf8, path[start:])
    return path + mark + _query(query, charset) + hash_mark + _FRAGMENT.sub(_as_utf8, fragment)


def _as_utf8(character: re.Match[str]) -> str:
    return "".join(f"%{octet:02X}" for octet in character[0].encode("utf-8", "replace"))


def _query(query: str, charset: str | None) -> str:
    """Escape a query in the document's charset; what that lacks becomes `&#...;`, escaped."""
    codec = codec_of(charset or "utf-8")
    if query.isascii() or codec is None or codec.startswith("utf"):
        return _QUERY.sub(_as_utf8, query)
    return _QUERY.sub(lambda character: _as_charset(character[0], codec), query)


def _as_charset(character: str, codec: str) -> str:
    try:
        return "".join(f"%{octet:02X}" for octet in encode(character, codec))
    except UnicodeError:
        return f"%26%23{ord(character)}%3B"


def lowered(text: str) -> str:
    """Lower the case of scheme and host, drop the scheme's own port, leave escapes alone."""
    scheme, colon, rest = text.partition(":")
    lower = scheme.lower() + colon + rest
    start = _HOST.match(lower)
    if start is None:
        return lower
    port = "" if start[3] in (None, ":", _PORTS.get(scheme.lower())) else start[3]
    tail = lower[start.end() :]
    return start[1] + start[2].lower() + port + (tail if tail.startswith("/") else "/" + tail)


def fully_escaped(key: str) -> str:
    """A URL with everything escaped that a URI may not hold, without its fragment.

    Crawlers write labels so, where the pages have the bare characters.
    """
    return uri.from_iri(key.partition("#")[0])
