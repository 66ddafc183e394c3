"""Values of the four kinds of PDI, and format tokens: the one word for a media type in a PDI.

Persistent Document Identifiers (draft-mallery-urn-pdi-00)

| section | value |
|---|---|
| §1.2.1 resource identifier | PDI |
| §1.2.1 with wildcards, §3.6.3 sets | PDIPattern |
| §1.2.3 fragment specifier, §3 | FragmentPDI |
| §1.2.2 citation specifier, §3.5 | CitationPDI |
| §2.5 media-type-token, minor type or major "+" minor | token_for, media_type_for |
| §3.4.1 text/plain in a multi-byte charset | token_for, charset_for |
| §3.3 default scheme of a format | default_scheme |

`str(value)` is the text that was parsed; `canonical()` the form in which names are kept. Values
are equal where their fields are; what the draft calls equivalence is in `equivalence`.

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

import datetime as dt
from dataclasses import field
from functools import cache
from types import EllipsisType
from typing import Self

from permacite.charsets import TOKENS, token_of
from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.pdi import schemes
from permacite.pdi.grammar import (
    Fields,
    Violation,
    decapsulate,
    encapsulate,
    resource_identifier,
    unescaped,
)
from permacite.pdi.registry import FIRST_ASSIGNMENT, REGISTERED
from permacite.pdi.schemes import SCHEMES, Schemes
from permacite.scan import Cursor, compile_pattern

__all__ = [
    "DRAWN_PAGE",
    "DRAWN_TEXT",
    "PDI",
    "CitationPDI",
    "FragmentPDI",
    "PDIPattern",
    "alias_for",
    "charset_for",
    "default_scheme",
    "media_type_for",
    "token_for",
]

Position = str | int | tuple[int, int]
"""What a builder takes for a position: text, a number, or the corner (x, y)."""
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


@dataclass(frozen=True, slots=True)
class PDI:
    """The name of a document, of one version of it, or of one format of that (PDI §1.2.1).

    `series` in lower case, the country last; `year`, `month`, `day` as "yyyy", "mm", "dd";
    `unique_id` as written; `format` a token (`media_type_for`). A version is never filled
    in: None is a name of its own. PDIs are ordered by date, then series, then unique-id.
    `violations`: what the lenient profile tolerated; `written`: the text as parsed, "" if built.
    """

    urn: bool
    series: tuple[str, ...]
    year: str
    month: str
    day: str
    unique_id: str
    format: str | None = None
    version: int | None = None
    violations: tuple[Violation, ...] = field(default=(), compare=False)
    written: str = field(default="", compare=False, repr=False)

    @classmethod
    def make(
        cls,
        *,
        series: str | tuple[str, ...],
        date: str | dt.date,
        unique_id: str | int,
        format: str | None = None,  # noqa: A002 - the word of the draft
        version: int | None = None,
        urn: bool = True,
    ) -> Self:
        """Build a name: `date` as "yyyy/mm/dd" or a date, `unique_id` escaped.

        Raises ParseError, placed in the text of the name, where a field is none.
        """
        if isinstance(date, dt.date):
            date = f"{date:%Y/%m/%d}".rjust(10, "0")
        prefix = "urn:pdi://" if urn else "pdi://"
        name = series if isinstance(series, str) else ".".join(series)
        tail = "" if format is None else f".{format}"
        if version is not None:
            tail += f".{version}"
        text = f"{prefix}{name}/{date}/{unique_id}{tail}"
        cursor = Cursor(text, spec="PDI §1.2.1")
        fields = resource_identifier(cursor, strict=True)
        given = (str(unique_id), format is None, version is None)
        found = (fields.unique_id, fields.format is None, fields.version is None)
        if not cursor.at_end or fields.has_wildcard or given != found:
            problem = "expected the fields of one document, a format with every version"
            raise ParseError(problem, text, cursor.offset, "PDI §1.2.1")
        return cls.of(fields)

    @classmethod
    def of(cls, fields: Fields, written: str = "") -> Self:
        """Return the value of parsed fields, which hold no wildcard."""
        version = None if fields.version is None else int(fields.version)
        return cls(*fields[:7], version, fields.violations, written)

    @property
    def document(self) -> Self:
        """The generic resource: this name without format and version."""
        if self.violations:
            return self.with_(format=None, version=None)
        # What no rule was bent for needs no parsing again: lists ask this of every name.
        date = (self.year, self.month, self.day)
        return type(self)(self.urn, self.series, *date, self.unique_id)

    def with_(
        self,
        *,
        format: str | EllipsisType | None = ...,  # noqa: A002 - the word of the draft
        version: int | EllipsisType | None = ...,
    ) -> Self:
        """Return this name with another format or version; None takes it away.

        Raises ParseError where a version is left without a format (PDI §2.6).
        """
        return self.make(
            series=self.series,
            date=f"{self.year}/{self.month}/{self.day}",
            unique_id=self.unique_id,
            format=self.format if isinstance(format, EllipsisType) else format,
            version=self.version if isinstance(version, EllipsisType) else version,
            urn=self.urn,
        )

    def fragment(self, scheme: str, *positions: Position) -> FragmentPDI:
        """Return the part that `positions` name, such as `fragment("char", 3, 9)`.

        Raises ParseError where `scheme` is unknown or the positions are none of it.
        """
        written = ",".join(_written(position) for position in positions)
        return FragmentPDI.make(self, scheme, written)

    def canonical(self) -> str:
        """Return the canonical form (PDI §3.6.4): also what `str` gives for a value built here."""
        return _canonical(self)

    def __str__(self) -> str:
        return self.written or _canonical(self)

    def __lt__(self, other: PDI) -> bool:
        return _order(self) < _order(other)


@dataclass(frozen=True, slots=True)
class PDIPattern:
    """A name with wildcards: a set of PDIs (PDI §3.6.3). A field that is "*" matches any."""

    urn: bool
    series: tuple[str, ...]
    year: str
    month: str
    day: str
    unique_id: str
    format: str | None = None
    version: int | str | None = None
    violations: tuple[Violation, ...] = field(default=(), compare=False)
    written: str = field(default="", compare=False, repr=False)

    @classmethod
    def of(cls, fields: Fields, written: str = "") -> Self:
        """Return the value of parsed fields."""
        version = fields.version
        number = int(version) if version is not None and version != "*" else version
        return cls(*fields[:7], number, fields.violations, written)

    def canonical(self) -> str:
        """Return the canonical form (PDI §3.6.4)."""
        return _canonical(self)

    def __str__(self) -> str:
        return self.written or _canonical(self)


@dataclass(frozen=True, slots=True)
class FragmentPDI:
    """A part of a document (PDI §3).

    `scheme` in lower case, filled in where it was left out (then `explicit` is false);
    `positions` as written, one for each: "37", "(5,10)", a name. `specifier` is the text after #.
    """

    pdi: PDI
    scheme: str
    explicit: bool
    positions: tuple[str, ...]
    violations: tuple[Violation, ...] = field(default=(), compare=False)
    written: str = field(default="", compare=False, repr=False)

    @classmethod
    def make(cls, pdi: PDI, scheme: str, positions: str, schemes: Schemes = SCHEMES) -> Self:
        """Build the part of `pdi` that the text `positions` names.

        Raises ParseError where `pdi` has no version, its format not this scheme, or the positions
        are none of the scheme.
        """
        text = f"{pdi}#{scheme}={positions}"
        start = len(text) - len(positions)
        if pdi.format is None or pdi.version is None:
            problem = "a fragment needs a format and a version before it"
            raise ParseError(problem, text, len(str(pdi)), "PDI §2.6")
        known = schemes.get(scheme)
        if known is None or not known.applies(media_type_for(pdi.format) or ""):
            problem = f"{pdi.format[:40]} has no fragment scheme {scheme[:40]}"
            raise ParseError(problem, text, start - len(scheme) - 1, "PDI §3.3")
        cursor = Cursor(text, offset=start, spec=known.spec)
        parsed = known.positions(cursor)
        cursor.expect_end("expected the end of the fragment")
        return cls(pdi, known.name, explicit=True, positions=parsed)

    @property
    def specifier(self) -> str:
        """The text after `#`, as the strict grammar has it."""
        positions = ",".join(self.positions)
        return f"{self.scheme}={positions}" if self.explicit else positions

    def canonical(self) -> str:
        """Return the canonical form (PDI §3.6.4). A scheme left out stays left out."""
        return f"{self.pdi.canonical()}#{unescaped(self.specifier)}"

    def __str__(self) -> str:
        return self.written or f"{self.pdi}#{self.specifier}"


@dataclass(frozen=True, slots=True)
class CitationPDI:
    """The appearance of `cited` in the composite document `pdi` (PDI §3.5).

    `origin` is where it begins there, as written: "103", or "(5,10)" in a picture.
    """

    pdi: PDI
    origin: str
    cited: PDI | FragmentPDI | CitationPDI
    violations: tuple[Violation, ...] = field(default=(), compare=False)
    written: str = field(default="", compare=False, repr=False)

    def canonical(self) -> str:
        """Return the canonical form (PDI §3.6.4); what is cited stands without `urn:`."""
        cited = self.cited.canonical().removeprefix("urn:")
        return f"{self.pdi.canonical()}@{self.origin}={cited}"

    def __str__(self) -> str:
        return self.written or self.canonical()


def _canonical(value: PDI | PDIPattern) -> str:
    prefix = "urn:pdi://" if value.urn else "pdi://"
    date = f"{value.year}/{value.month}/{value.day}"
    unique_id = unescaped(value.unique_id) if "%" in value.unique_id else value.unique_id
    text = f"{prefix}{'.'.join(value.series)}/{date}/{unique_id}"
    if value.format is not None:
        text += f".{value.format}"
    return text if value.version is None else f"{text}.{value.version}"


def _order(value: PDI) -> tuple[str, str, str, tuple[str, ...], int, str, str, int, bool]:
    """By day, then series; serial numbers in the order of minting, before mnemonic names."""
    unique_id = unescaped(value.unique_id)
    digits = unique_id.lstrip("0")
    serial = len(digits) if unique_id.isdigit() else _NEVER
    date = (value.year, value.month, value.day)
    tail = (digits or unique_id, value.format or "", value.version or 0, value.urn)
    return (*date, value.series, serial, *tail)


def _written(position: Position) -> str:
    return f"({position[0]},{position[1]})" if isinstance(position, tuple) else str(position)


_NEVER = 1 << 62
"""Longer than any serial number."""


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
