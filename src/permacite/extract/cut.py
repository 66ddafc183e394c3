"""Extraction by fragment: the scheme decides which module cuts the part. Octets (PDI §3.4.6).

The end of `byte=` is excluded; HTTP ranges include theirs, so `byte=23,57` is `Range: bytes=23-56`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from permacite.errors import NotFoundError, ParseError, PermaciteError
from permacite.extract import text
from permacite.extract.text import Excerpt, digest_of, extent
from permacite.media_types import content_type
from permacite.pdi import LINE, SCHEMES, FragmentPDI, Specifier, parse_specifier
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.charsets import Charset
    from permacite.extract.media.decoders import Octets
    from permacite.text.entity import DocumentText

__all__ = [
    "Decode",
    "Sliced",
    "Stored",
    "cut_octets",
    "extract",
    "extract_from",
    "is_decoded",
    "is_of_text",
    "octets_from",
]


class Sliced(Protocol):
    """Octets in memory, mapped, or in a store."""

    def __len__(self) -> int:
        """How many there are."""

    def __getitem__(self, wanted: slice, /) -> bytes:
        """Some of them."""


def cut_octets(data: Sliced, start: int, end: int) -> Excerpt:
    """Return the bytes from `start` up to `end`."""
    found = extent(start, end, len(data), "bytes")
    part = data[found.start : found.end]
    place = (found.start, found.end)
    kind = "application/octet-stream"
    return Excerpt(part, kind, None, place, found.clipped, digest_of("octets", part))


class Stored(Protocol):
    """Octets in a store, which need not be read into memory to be decoded elsewhere."""

    @property
    def descriptor(self) -> int | None:
        """A descriptor to read from, None where the store has none."""

    def whole(self) -> bytes:
        """All octets."""


class Decode(Protocol):
    """What cuts pictures, sound and video."""

    def __call__(
        self, content: bytes | Stored, media_type: str, fragment: str, /, *, preview: bool = False
    ) -> Excerpt:
        """From octets, media type and specifier to the part, or a preview of it."""


_OF_TABLES = frozenset({"row", "col", "cell"})
_COUNTED = frozenset({"char", "line"})
_OF_TEXT = _OF_TABLES | _COUNTED | {"elt", "name", "pointer"}
_DRAWN = frozenset({"page", "viewrect"})
_OF_OCTETS = frozenset({"byte", "part"})
"""Schemes whose parts are cut out of the octets here, whatever they are."""
_SCHEMES = SCHEMES.extended(LINE)
_NUMBER = compile_pattern(r"[0-9]+")


def extract(
    data: Octets,
    media_type: str,
    fragment: str | FragmentPDI,
    *,
    charset: str | Charset | None = None,
    decode: Decode | None = None,
    preview: bool = False,
) -> Excerpt:
    """Return the part of `data`, which is read or mapped, that `fragment` names.

    `media_type` as in Content-Type; its charset counts where `charset` is None, which is a label or
    what is settled already. `fragment` is what follows the `#`, such as "char=3,9", or "3,9" by the
    default scheme of the media type. `decode` cuts what has to be decoded, in place of the decoders
    in this process, which read hostile octets without limits of memory. `preview`: in place of the
    part of a sound, a video or a PDF a small file made of it for browsers: WebM, WebP.

    Raises ParseError for a fragment that this media type cannot have, NotFoundError for one that
    lies outside the document, or of which there is no preview, LimitError where the document is
    too much to decode, and PermaciteError where a decoder is not installed.
    """
    kind, declared = content_type(media_type)
    if isinstance(fragment, FragmentPDI):
        fragment = fragment.specifier
    written = fragment.removeprefix("#")
    found = parse_specifier(written, kind, _SCHEMES)
    if preview and found.scheme in _OF_TEXT | _OF_OCTETS:
        raise NotFoundError("there are previews of pages, sound and video alone", written)
    if found.scheme == "byte":
        start, end = found.positions
        return cut_octets(data, int(start), int(end))
    if found.scheme == "part":
        from permacite.extract import inner

        return inner.words(data, found.positions)
    if found.scheme in _OF_TEXT:
        return _of_text(text.document(data[:], kind, charset or declared), kind, found)
    if decode is not None:
        return decode(data[:], kind, written, preview=preview)
    if found.scheme in _DRAWN:
        problem = "pages of a PDF are drawn by decoders that run apart, and there are none here"
        raise PermaciteError(problem, hint="give `decode`, or ask an archive")
    excerpt = _of_media(data, kind, found, written)
    if not preview:
        return excerpt
    from permacite.extract.media.preview import preview_of

    return preview_of(excerpt)


def extract_from(document: DocumentText, media_type: str, fragment: str | FragmentPDI) -> Excerpt:
    """Return the characters, elements, cells, ... of a text that `fragment` names, like `extract`.

    `media_type` without parameters. Raises ParseError for a fragment of another scheme too.
    """
    written = fragment.specifier if isinstance(fragment, FragmentPDI) else fragment
    found = parse_specifier(written.removeprefix("#"), media_type, _SCHEMES)
    if found.scheme not in _OF_TEXT:
        raise ParseError("expected a part of a text", written, 0, "PDI §3.4")
    return _of_text(document, media_type, found)


def octets_from(stored: Sliced, media_type: str, fragment: str) -> Excerpt:
    """Return the octets that `fragment` names, and read no others. Raises as `extract`."""
    found = parse_specifier(fragment.removeprefix("#"), media_type, _SCHEMES)
    if found.scheme != "byte":
        raise ParseError("expected a part of the octets", fragment, 0, "PDI §3.4.6")
    start, end = found.positions
    return cut_octets(stored, int(start), int(end))


def is_of_text(fragment: str, media_type: str) -> bool:
    """Whether a fragment names a part of a text: characters, elements, cells. Raises ParseError."""
    return parse_specifier(fragment.removeprefix("#"), media_type, _SCHEMES).scheme in _OF_TEXT


def is_decoded(fragment: str, media_type: str) -> bool:
    """Whether a fragment names a part of what has to be decoded. Raises ParseError."""
    scheme = parse_specifier(fragment.removeprefix("#"), media_type, _SCHEMES).scheme
    return scheme not in _OF_TEXT | _OF_OCTETS


def _of_text(document: DocumentText, media_type: str, found: Specifier) -> Excerpt:
    if found.scheme in _COUNTED:
        cut = text.characters if found.scheme == "char" else text.lines
        start, end = found.positions
        return cut(document, media_type, int(start), int(end))
    from permacite.extract import structure

    if found.scheme in _OF_TABLES:
        return structure.cells(document, media_type, found.scheme, found.positions)
    if found.scheme == "pointer":
        return structure.json_value(document, media_type, found.positions[0])
    start, end = found.positions
    if found.scheme == "name":
        return structure.elements_by_name(document, media_type, start, end)
    return structure.elements_by_position(document, media_type, int(start), int(end))


def _of_media(data: Octets, kind: str, specifier: Specifier, written: str) -> Excerpt:
    """The part of a picture, a sound or a video, by its decoder."""
    from permacite.extract.media import decoders, picture, sound, video

    first = written.find("=") + 1
    numbers = [int(number) for number in _NUMBER.findall(",".join(specifier.positions))]
    if specifier.scheme == "rect":
        left, top, right, bottom, frame = (*numbers, 0)[:5]
        if left == right or top == bottom:
            raise decoders.empty(written, first)
        if kind.startswith("video/"):
            return video.still(data, (left, top), (right, bottom), frame)
        return picture.rectangle(data, (left, top), (right, bottom), frame)
    unit = specifier.positions[0] if specifier.scheme == "crop" else specifier.scheme
    time = decoders.Interval(numbers[0], numbers[1], 1 if unit == "sec" else 1000)
    if time.start == time.end:
        raise decoders.empty(written, first)
    if kind.startswith("audio/"):
        return sound.clip(data, time)
    if len(numbers) == len(("start", "end")):
        return video.clip(data, time, None)
    _, _, left, top, right, bottom = numbers
    if left == right or top == bottom:
        raise decoders.empty(written, first)
    return video.clip(data, time, (left, top, right, bottom))
