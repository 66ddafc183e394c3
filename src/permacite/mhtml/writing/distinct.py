"""Labels within one aggregate differ from each other, once resolved (RFC 2557 §7)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from permacite.errors import ConflictError, ParseError
from permacite.mhtml.base import base_of, octets_in, this_message

if TYPE_CHECKING:
    from permacite.mhtml.base import Base
    from permacite.mhtml.writing.resource import Multipart, Resource

__all__ = ["Labels"]

_ID = re.compile(r"[!-;=?-~]{0,900}")


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
        Content-ID cannot be written.
        """
        if part.content_id is not None:
            self._require_id(part.content_id)
            self._take(self._ids, part.content_id, f"Content-ID <{part.content_id}>", path)
        label = part.content_location
        if label is None:
            return
        if not label.strip():
            raise ParseError("expected a URI for the Content-Location", label, 0, "RFC 2557 §4.1")
        absolute, _ = self._base.resolve(octets_in(label, self._charset))
        self._take(self._locations, absolute or label, f"Content-Location {label}", path)

    def _take(self, taken: dict[str, str], key: str, label: str, path: str) -> None:
        other = taken.setdefault(key, path)
        if other != path:
            raise ConflictError(
                f"parts {other} and {path} have one label: {label} (RFC 2557 §7)",
                key,
                hint="leave one of them out, or give it another label",
            )

    def _require_id(self, content_id: str) -> None:
        found = _ID.match(content_id)
        legal = 0 if found is None else found.end()
        if not legal or legal < len(content_id):
            raise ParseError(
                "expected a Content-ID of visible ASCII without angle brackets",
                content_id,
                legal,
                "RFC 2045 §7",
            )
