"""What a page is supplied with: references satisfied from one aggregate, or not at all.

RFC 2557 §11.2: content comes from within the aggregate; nothing is fetched, and no other aggregate
is asked. What is not there is listed. What would make the result too large is left out, and listed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.mhtml.export.data import NOTHING, Resource, data_uri, read_data_uri
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    import re

    from permacite.mhtml.reading.aggregate import Aggregate
    from permacite.mhtml.reading.part import BodyPart

__all__ = ["Supply", "scheme_of"]

_SCHEME = compile_pattern(r"[\x00-\x20]*+([A-Za-z][A-Za-z0-9+.\-]*+)[\x00-\x20]*+:")
_DROPPED = compile_pattern("[\t\n\r]")
_EMPTY = frozenset({"about", "javascript", "livescript", "vbscript"})
"""Schemes of which no aggregate holds anything."""
_UNFOLLOWED = _EMPTY | {"blob", "data", "filesystem"}
"""Schemes that no link leads to: they run something, or lead nowhere outside their page."""

_SHOWN = 80
_TIDY = compile_pattern(r"[A-Za-z0-9+/=;:,.%_#\-]*+")
_NOT_IN_HREF = compile_pattern(r"[^!#-;=?-Z\[\]_a-z~%]")


def scheme_of(reference: str) -> str:
    """Return the scheme of a reference as browsers see it, in lower case; "" where there is none.

    Browsers drop tabs and line ends anywhere, and controls and spaces in front.
    """
    found = _SCHEME.match(_DROPPED.sub("", reference))
    return "" if found is None else found[1].lower()


class Supply:
    """The parts of an aggregate as one page may use them, up to `max_bytes` characters in all."""

    def __init__(self, aggregate: Aggregate, max_bytes: int) -> None:
        self._aggregate = aggregate
        self._room = max_bytes
        self._uris: dict[str, str] = {}
        self._unresolved: dict[str, None] = {}
        self._left_out: dict[str, None] = {}

    @property
    def unresolved(self) -> tuple[str, ...]:
        """The references that nothing in the aggregate satisfies, absolute, each once."""
        return tuple(self._unresolved)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The references left out for a limit, though they are there."""
        return tuple(self._left_out)

    def find(self, reference: str, within: BodyPart) -> Resource | BodyPart | None:
        """Return what a reference names: a part, or what a `data:` URI holds; None: neither."""
        reference = reference.strip("\t\n\f\r ")
        scheme = scheme_of(reference)
        if not reference or scheme in _EMPTY:
            return None
        if scheme == "data":
            return read_data_uri(reference)
        resolution = self._aggregate.resolve(reference, within, "browser")
        part = resolution.root
        if part is None:
            self._unresolved[resolution.uri] = None
        return None if part is within else part

    def absolute(self, reference: str, within: BodyPart) -> str | None:
        """Return where a reference leads; None where that is nowhere. `#x` stays as it is."""
        reference = reference.strip("\t\n\f\r ")
        if reference.startswith("#") or not reference:
            return reference or "#"
        if scheme_of(reference) in _UNFOLLOWED:
            return None
        resolution = self._aggregate.resolve(reference, within, "browser")
        if scheme_of(resolution.uri) in _UNFOLLOWED:
            return None
        return _NOT_IN_HREF.sub(_escaped, resolution.uri)

    def charge(self, size: int, reference: str, within: BodyPart) -> bool:
        """Say whether `size` more characters fit, and take their room; if not, list `reference`."""
        if size > self._room:
            self.leave_out(reference, within)
            return False
        self._room -= size
        return True

    def leave_out(self, reference: str, within: BodyPart) -> None:
        """List a reference that is not followed; a `data:` URI by its beginning."""
        is_data = scheme_of(reference) == "data"
        resolved = "" if is_data else self._aggregate.resolve(reference, within, "browser").uri
        self._left_out[resolved or reference.strip()[:_SHOWN]] = None

    def embed(self, reference: str, within: BodyPart) -> str:
        """Return a `data:` URI for what a reference names, NOTHING where there is nothing."""
        found = self.find(reference, within)
        if found is None:
            return NOTHING
        if isinstance(found, Resource):
            return _tidy(reference.strip("\t\n\f\r "), found)
        known = self._uris.get(found.path)
        if known is None:
            known = self._uris[found.path] = data_uri(found.content, found.content_type)
        if not self.charge(len(known), reference, within):
            return NOTHING
        fragment = reference.rstrip("\t\n\f\r ").partition("#")[2]
        if found.content_type == "image/svg+xml" and fragment and _TIDY.fullmatch(fragment):
            return f"{known}#{fragment}"
        return known


def _tidy(uri: str, resource: Resource) -> str:
    """Return a `data:` URI that can stand in any attribute or style sheet."""
    if _TIDY.fullmatch(uri) is not None:
        return uri
    charset = f";charset={resource.charset}" if resource.charset else ""
    uri, mark, fragment = uri.partition("#")
    fragment = mark + fragment if _TIDY.fullmatch(fragment) else ""
    return data_uri(resource.content, resource.media_type + charset, fragment=fragment)


def _escaped(found: re.Match[str]) -> str:
    """Escape a character, which stands for one octet where it can (see `mhtml.reading.base`)."""
    charset = "latin-1" if found[0] <= "\xff" else "utf-8"
    return "".join(f"%{octet:02X}" for octet in found[0].encode(charset, "replace"))
