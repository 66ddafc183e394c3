"""Disclosures of a page to its recipient: local file names, hidden values, tokens.

    RFC 2557 §11.1 file: URIs -> "file-uri"     hidden fields and tickets -> "hidden-value", "token"

Nothing is changed or left out here: what is kept for the record and what is sent on are decisions
of people. Values are not repeated in the answers, which may be printed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from permacite.lazy_dataclass import dataclass
from permacite.markup import StartTag, decode, tokenize
from permacite.media_types import PAGES
from permacite.mhtml.charset import charset_of_text
from permacite.mhtml.links import references_in
from permacite.mhtml.mime.parameters import parse_structured
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Disclosure", "Kind", "Labelled", "disclosures"]

Kind: TypeAlias = Literal["file-uri", "hidden-value", "password", "token"]
Labelled: TypeAlias = "tuple[str, bytes, str, str | None]"
"""A part: its name for the answer, content, Content-Type, Content-Location."""

_LINKING = (*PAGES, "text/css", "image/svg+xml")
_FILE = compile_pattern(r"\s*+file:", re.IGNORECASE)
_SECRET_NAME = compile_pattern(
    r"(?i)(?:^|[^a-z])(?:csrf|xsrf|token|ticket|nonce|session|sess|sid|auth|apikey|api[_-]key|"
    r"secret|password|passwd|pwd|signature|sig|jwt)(?:$|[^a-z])|phpsessid|jsessionid|viewstate"
)
_PARAMETER = compile_pattern(r"(?:^|[?&;])([^=&;#?]{1,80})=[^&;#]{6}")


@dataclass(frozen=True, slots=True)
class Disclosure:
    """Something private in the part `where`; `offset` counts its decoded text, 0 for a label."""

    kind: Kind
    where: str
    offset: int
    detail: str

    def __str__(self) -> str:
        return f"{self.kind} in {self.where} at {self.offset}: {self.detail}"


def disclosures(parts: Iterable[Labelled]) -> Iterator[Disclosure]:
    """Yield what the parts of an aggregate would give away, part by part. Raises nothing."""
    for where, content, content_type, label in parts:
        if label is not None:
            yield from _in_uri(label, where, 0, "Content-Location")
        media_type, parameters = parse_structured(content_type)
        if media_type in _LINKING:
            declared = parameters.get("charset")
            codec = charset_of_text(content, media_type, declared) or "utf-8"
            yield from _in_source(decode(content, codec), media_type, where)


def _in_source(source: str, media_type: str, where: str) -> Iterator[Disclosure]:
    disclosed = [*_in_tags(source, where)] if media_type in PAGES else []
    for link in references_in(source, media_type):
        disclosed += _in_uri(
            link.value, where, link.start, f"{link.element} {link.attribute}".strip()
        )
    yield from sorted(disclosed, key=lambda each: each.offset)


def _in_uri(uri: str, where: str, offset: int, what: str) -> Iterator[Disclosure]:
    """Yield a file: URI, and parameters that are named as secrets are."""
    if _FILE.match(uri) is not None:
        yield Disclosure("file-uri", where, offset, f"{what} names a file of the sender")
    for parameter in _PARAMETER.finditer(uri):
        if _SECRET_NAME.search(parameter[1]) is not None:
            yield Disclosure("token", where, offset, f"{what} has a value for {parameter[1]}")


def _in_tags(source: str, where: str) -> Iterator[Disclosure]:
    for token in tokenize(source):
        if not isinstance(token, StartTag):
            continue
        name = token.name.lower()
        if name == "input":
            yield from _in_field(token, where)
        elif name == "meta" and token.get("content"):
            label = token.get("name") or ""
            if _SECRET_NAME.search(label) is not None:
                yield Disclosure("token", where, token.start, f"meta {label}")


def _in_field(tag: StartTag, where: str) -> Iterator[Disclosure]:
    """Yield a field of a form that nobody sees, or that is a password, and is filled in."""
    kind = (tag.get("type") or "").strip().lower()
    if kind not in ("hidden", "password") or not tag.get("value"):
        return
    name = tag.get("name") or tag.get("id") or "without a name"
    secret: Kind = "password" if kind == "password" else "hidden-value"
    yield Disclosure(secret, where, tag.start, f"field {name}")
