"""Format tokens: the one word for a media type in a PDI.

Persistent Document Identifiers (draft-mallery-urn-pdi-00)

| section | function |
|---|---|
| §2.5 media-type-token, minor type or major "+" minor | token_for, media_type_for |
| §3.4.1 text/plain in a multi-byte charset | token_for, charset_for |
| §3.3 default scheme of a format | default_scheme |

Deviations: none.

Readings:
- "Unique" is judged by a frozen copy of the IANA registry: a minor name belongs for ever to the
  type that had it first (`xml` is text/xml, `mpeg` video/mpeg, `basic` audio/basic). Any other
  type, registered or not, has the token major+minor.
- The `+` between them is literal; every other reserved character is escaped: `svg%2bxml`.
- `au`, which the draft writes and no registry has, is read as audio/basic. So are the endings of
  files whose tokens are long, such as `docx`; a name that is minted has the token of the registry.
- The name of a multi-byte charset, such as `utf-8`, is the token of text/plain in that charset.
- `text+drawn` and `multipart+drawn` are what a browser drew of a page: of types that nobody has
  registered, which RFC 2046 (§4.1.4, §5.1.3) has read as plain text and as a multipart. So the one
  is answered as text/plain, the other as multipart/related.
"""

from __future__ import annotations

from functools import cache

from permacite.charsets import TOKENS, token_of
from permacite.errors import ParseError
from permacite.pdi import schemes
from permacite.pdi.escapes import decapsulate, encapsulate, unescaped
from permacite.pdi.registry import FIRST_ASSIGNMENT, REGISTERED
from permacite.scan import compile_pattern

__all__ = [
    "DRAWN_PAGE",
    "DRAWN_TEXT",
    "alias_for",
    "charset_for",
    "default_scheme",
    "media_type_for",
    "token_for",
]

DRAWN_PAGE = "multipart+drawn"
"""The token of a page as a browser drew it: whoever commits one gives it."""
DRAWN_TEXT = "text+drawn"
"""The token of the words of such a page, likewise."""
_DRAWN = {DRAWN_PAGE: "multipart/related", DRAWN_TEXT: "text/plain"}

_FIXED = {"text": "text/plain", "header": "message/header"}
"""The two tokens that the draft defines by themselves."""

_OFFICE = "application/vnd.openxmlformats-officedocument."
_OPEN = "application/vnd.oasis.opendocument."
_ALIASES = {
    "au": "audio/basic",
    "docx": f"{_OFFICE}wordprocessingml.document",
    "xlsx": f"{_OFFICE}spreadsheetml.sheet",
    "pptx": f"{_OFFICE}presentationml.presentation",
    "doc": "application/msword",
    "xls": "application/vnd.ms-excel",
    "ppt": "application/vnd.ms-powerpoint",
    "odt": f"{_OPEN}text",
    "ods": f"{_OPEN}spreadsheet",
    "odp": f"{_OPEN}presentation",
    "epub": "application/epub+zip",
    "ipynb": "application/x-ipynb+json",
    "jats": "application/jats+xml",
    "md": "text/markdown",
    "svg": "image/svg+xml",
    "tei": "application/tei+xml",
    "xhtml": "application/xhtml+xml",
}
"""Tokens that are read and never written: `au` is deployed, the others are short for long ones."""

_TYPE = compile_pattern(r"([A-Za-z0-9!#$&^_.+\-]++)/([A-Za-z0-9!#$&^_.+\-]++)")
_PARAMETER = compile_pattern(
    r"""[ \t]*+;[ \t]*+(?:([A-Za-z0-9!#$%&'*+\-.^_`|~]++)"""
    r"""(?:[ \t]*+=[ \t]*+(?:"((?:[^"\\]|\\.)*+)"|([^\s;"]*+)))?+)?+"""
)


def token_for(content_type: str) -> str:
    """Return the format token of a content type (PDI §2.5).

    `content_type` as in a Content-Type field, with parameters or without; the charset of
    text/plain counts, all other parameters do not. Raises ParseError where it is none.
    """
    media_type, charset = _content_type(content_type)
    if media_type == "text/plain":
        return token_of(charset)
    token = _tokens().get(media_type)
    if token is not None:
        return token
    major, _, minor = media_type.partition("/")
    return f"{encapsulate(major)}+{encapsulate(minor)}"


def media_type_for(token: str) -> str | None:
    """Return the media type that a token stands for, in lower case; None for an unknown one.

    text/plain is the answer for the name of a multi-byte charset: see `charset_for`.
    """
    known = _FIXED.get(token) or _media_types().get(token)
    known = known or _media_types().get(unescaped(token).lower())
    if known is not None:
        return known
    major, plus, minor = unescaped(token).lower().partition("+")
    if not plus:
        return None
    try:
        return f"{decapsulate(major)}/{decapsulate(minor)}"
    except ParseError:
        return None


def alias_for(token: str) -> str | None:
    """Return the media type of a token that is read and never written, such as `docx`, or None."""
    media_type = _ALIASES.get(unescaped(token).lower())
    return media_type if media_type_for(token) == media_type else None


def charset_for(token: str) -> str | None:
    """Return the charset where `token` is the name of a multi-byte one, else None (PDI §3.4.1)."""
    name = unescaped(token).lower()
    return name if name in TOKENS else None


def default_scheme(token: str) -> str | None:
    """Return the fragment scheme that a format's fragments may leave out; None where none may."""
    return schemes.default_scheme(media_type_for(token) or "")


def _content_type(text: str) -> tuple[str, str]:
    """content-type = major-type "/" minor-type *(";" parameter ["=" value])   (PDI §2.5)."""
    start = len(text) - len(text.lstrip(" \t"))
    match = _TYPE.match(text, start)
    if match is None:
        raise ParseError("expected a media type, such as text/html", text, start, "PDI §2.5")
    charset = ""
    offset = match.end()
    while parameter := _PARAMETER.match(text, offset):
        if (parameter[1] or "").lower() == "charset" and not charset:
            charset = (parameter[2] or parameter[3] or "").strip()
        offset = parameter.end()
    if text[offset:].strip(" \t"):
        raise ParseError("expected ';' and a parameter", text, offset, "PDI §2.5")
    return match[0].lower(), charset


@cache
def _tokens() -> dict[str, str]:
    """Return media type to token, for every type whose token is not major+minor."""
    tokens = {}
    for major, minors in REGISTERED.items():
        for minor in minors:
            if FIRST_ASSIGNMENT.get(minor, major) == major and minor not in _FIXED:
                tokens[f"{major}/{minor}"] = encapsulate(minor)
    return tokens | {media_type: token for token, media_type in _FIXED.items()}


@cache
def _media_types() -> dict[str, str]:
    """Return token to media type, the inverse of `_tokens` and more."""
    charsets = dict.fromkeys(TOKENS, "text/plain")
    return charsets | _ALIASES | _DRAWN | {token: kind for kind, token in _tokens().items()}
