"""Media types and their parameters, as Content-Type has them: one reading for every room.

| section | function |
|---|---|
| RFC 9110 §8.3.1 media-type, RFC 2045 §5.1 type "/" subtype | essence, is_media_type |
| RFC 9110 §5.6.6 parameters, RFC 2045 §5.1 parameter | parameters |
| RFC 9110 §8.3.2 charset | content_type |
| RFC 9110 §8.3.1 Content-Type | is_field |

Nothing is refused here: what comes from strangers is read as far as it can be, and its lower case
and its quotes are settled in one place ("essence" is the word of MIME Sniffing §4.1).

Deviations: an unquoted value may hold the specials that servers and mailers write in it (`/`, `=`,
`?`, `@`); a quote that nothing ends lasts to the end; a parameter without a value is none; white
space of any kind sets them apart.

Readings: some fields are read in another way, and on purpose:
- Mail has comments, continuations and encoded values, which HTTP has not. `mhtml.mime.parameters`
  takes them out or together around this reading.
- HTML looks for the word `charset` anywhere in what a `meta` declares: `markup.charset_in`.
- A format token is made of what its grammar allows and of nothing else: `pdi.token_for` raises.
- `data:` URIs are written again as they were read, so that their charset keeps to safe letters:
  `mhtml.export.data`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "AGGREGATE",
    "PAGES",
    "PDF",
    "content_type",
    "essence",
    "is_field",
    "is_json",
    "is_media_type",
    "is_token",
    "is_xml",
    "parameters",
]

AGGREGATE = "multipart/related"
"""A page with all it shows (RFC 2557)."""

PAGES = ("text/html", "application/xhtml+xml")
"""What people call a page: its text is a rendition, its parts are elements."""

PDF = "application/pdf"
"""Its pages are numbered, and are places (RFC 8118 §3)."""

_WHITE_SPACE = "\t\n\f\r "
_TCHAR = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]"
_TOKEN = compile_pattern(_TCHAR + "+")
_MEDIA_TYPE = compile_pattern(f"{_TCHAR}+/{_TCHAR}+")
_FIELD = compile_pattern(
    rf"{_TCHAR}{{1,127}}/{_TCHAR}{{1,127}}[ \t]*+(?:;[\t\x20-\x7e\x80-\xff]*+)?"
)
_PARAMETER = compile_pattern(
    r';\s*+([^\s=;"]++)\s*+=\s*+(?:"((?:[^"\\]|\\.)*+)"?|([^;"]*+))[^;]*+', re.DOTALL
)
_ESCAPED = compile_pattern(r"\\(.)", re.DOTALL)


def is_xml(media_type: str) -> bool:
    """Whether the tags of this media type, without parameters, are those of XML (RFC 7303 §4.2)."""
    return media_type.endswith(("+xml", "/xml"))


def is_json(media_type: str) -> bool:
    """Whether this media type, without parameters, is JSON (RFC 8259 §11, RFC 6839 §3.1)."""
    return media_type == "application/json" or media_type.endswith("+json")


def is_token(text: str) -> bool:
    """Whether `text` is a token (RFC 9110 §5.6.2; RFC 2045 §5.1 without its braces)."""
    return _TOKEN.fullmatch(text) is not None


def is_media_type(text: str) -> bool:
    """Whether `text` is type "/" subtype, both tokens, and no more."""
    return _MEDIA_TYPE.fullmatch(text) is not None


def is_field(value: str) -> bool:
    """Whether `value` may be the value of a Content-Type field: what is none says nothing."""
    return _FIELD.fullmatch(value) is not None


def essence(value: str) -> str:
    """The type and subtype of a Content-Type, in lower case; whatever stands before a semicolon."""
    return value.partition(";")[0].strip(_WHITE_SPACE).lower()


def parameters(value: str) -> Iterator[tuple[str, str]]:
    """The parameters of a Content-Type in order: names in lower case, values without quotes."""
    for parameter in _PARAMETER.finditer(value):
        name, quoted, plain = parameter.groups()
        text = plain.strip() if quoted is None else _ESCAPED.sub(r"\1", quoted)
        yield name.lower(), text


def content_type(value: str) -> tuple[str, str | None]:
    """The essence and the charset of a Content-Type, both in lower case.

    The first charset that is not empty counts, without the single quotes that some write; None
    where there is none.
    """
    texts = (text for name, text in parameters(value) if name == "charset")
    charsets = (text.strip(_WHITE_SPACE + "'").lower() for text in texts)
    return essence(value), next(filter(None, charsets), None)
