"""Labels within one aggregate differ from each other, once resolved (RFC 2557 §7)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from permacite.errors import ConflictError, ParseError
from permacite.mhtml.reading.base import base_of, octets_in, this_message
from permacite.mhtml.writing.resource import Multipart, Resource
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.mhtml.reading.base import Base

__all__ = ["Labels", "is_content_id"]

_Part = TypeVar("_Part", Resource, Multipart)
_ID = compile_pattern(r"[!-;=?-~]{0,900}")


def is_content_id(text: str) -> bool:
    """Whether `text` can be written between angle brackets (RFC 2045 §7)."""
    return bool(text) and _ID.fullmatch(text) is not None


class Labels:
    """The labels that parts of one aggregate have so far; `within` begins a nested one."""

    def __init__(self, charset: str | None, base: Base | None = None) -> None:
        self._charset = charset
        self._base = this_message() if base is None else base
        self._locations: dict[str, str] = {}
        self._ids: dict[str, str] = {}

    def within(self, content_location: str | None) -> Labels:
        """Return the labels, none yet, inside an aggregate that has a label itself."""
        if content_location is None:
            return Labels(self._charset, self._base)
        octets = octets_in(content_location, self._charset)
        absolute, _ = self._base.resolve(octets)
        base = absolute and base_of(absolute, content_location, "content-location", "")
        return Labels(self._charset, base or self._base)

    def add(self, part: Resource | Multipart, path: str) -> None:
        """Take the labels of the part that is to be number `path`.

        Raises ConflictError where another has one of them, naming both; ParseError where a
        label cannot be written.
        """
        content_id, label = part.content_id, part.content_location
        if content_id is not None:
            _require_id(content_id)
            self._take(self._ids, content_id, f"Content-ID <{content_id}>", path)
        if label is not None:
            self._take(self._locations, self._resolved(label), f"Content-Location {label}", path)

    def spare(self, part: _Part) -> _Part:
        """Return the part without the labels that another has already; take the others."""
        content_id, label = part.content_id, part.content_location
        if content_id is not None:
            if content_id in self._ids:
                part = replace(part, content_id=None)
            self._ids[content_id] = ""
        if label is not None:
            resolved = self._resolved(label)
            if resolved in self._locations:
                return replace(part, content_location=None)
            self._locations[resolved] = ""
        return part

    def _resolved(self, label: str) -> str:
        if not label.strip():
            raise ParseError("expected a URI for the Content-Location", label, 0, "RFC 2557 §4.1")
        absolute, _ = self._base.resolve(octets_in(label, self._charset))
        return absolute or label

    def _take(self, taken: dict[str, str], key: str, label: str, path: str) -> None:
        other = taken.setdefault(key, path)
        if other != path:
            raise ConflictError(
                f"parts {other} and {path} have one label: {label} (RFC 2557 §7)",
                key,
                hint="leave one of them out, or give it another label",
            )


def _require_id(content_id: str) -> None:
    if not is_content_id(content_id):
        found = _ID.match(content_id)
        raise ParseError(
            "expected a Content-ID of visible ASCII without angle brackets",
            content_id,
            0 if found is None else found.end(),
            "RFC 2045 §7",
        )
