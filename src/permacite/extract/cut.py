"""From a fragment to the room that cuts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.errors import PermaciteError
from permacite.extract import markup, octets, text
from permacite.pdi import LINE, SCHEMES, FragmentPDI, Specifier, parse_specifier

if TYPE_CHECKING:
    from permacite.extract.excerpt import Excerpt

__all__ = ["extract"]

_SCHEMES = SCHEMES.extended(LINE)


def extract(
    data: bytes, media_type: str, fragment: str | FragmentPDI, *, charset: str | None = None
) -> Excerpt:
    """Return the part of `data` that `fragment` names.

    `media_type` as in Content-Type; its charset counts where `charset` is None. `fragment` is what
    follows the `#`, such as "char=3,9", or "3,9" by the default scheme of the media type.

    Raises ParseError for a fragment that this media type cannot have, NotFoundError for one that
    lies outside the document, LimitError where the document is too much to decode, and
    PermaciteError where a decoder is not installed.
    """
    kind, declared = _content_type(media_type)
    if isinstance(fragment, FragmentPDI):
        fragment = fragment.specifier
    found = parse_specifier(fragment.removeprefix("#"), kind, _SCHEMES)
    return _cut(data, kind, found, charset or declared)


def _content_type(media_type: str) -> tuple[str, str | None]:
    """Return the media type in lower case, and the charset among its parameters."""
    kind, *parameters = media_type.split(";")
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return kind.strip().lower(), value.strip().strip('"') or None
    return kind.strip().lower(), None


def _cut(data: bytes, kind: str, found: Specifier, charset: str | None) -> Excerpt:
    scheme, positions = found.scheme, found.positions
    if scheme == "byte":
        return octets.octets(data, int(positions[0]), int(positions[1]))
    if scheme in {"char", "line", "elt", "name"}:
        return _of_text(text.read(data, kind, charset), found)
    return _decoded(data, kind, found)


def _of_text(document: text.Document, found: Specifier) -> Excerpt:
    start, end = found.positions
    if found.scheme == "name":
        return markup.by_name(document, start, end)
    cut = {"char": text.characters, "line": text.lines, "elt": markup.by_position}[found.scheme]
    return cut(document, int(start), int(end))


def _decoded(data: bytes, kind: str, found: Specifier) -> Excerpt:
    """Cut pictures, sound and video, whose decoders come with an extra."""
    del data
    raise PermaciteError(
        f"{found.scheme} fragments of {kind} need decoders that are not installed",
        hint="pip install permacite[media]",
    )
