"""Supply of a page: its references satisfied from one aggregate, or not at all.

RFC 2557 §11.2: content comes from within the aggregate; nothing is fetched, and no other aggregate
is asked. What is not there is listed. What would make the result too large is left out, and listed.

    RFC 2397 `data:` URIs -> data_uri, read_data_uri      style sheets -> Styles

Deviations: a `data:` URI that is malformed is read as browsers read it (Fetch Standard, data: URL
processor): never an error, at worst an empty text.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING

from permacite.lazy_dataclass import dataclass
from permacite.markup import css_urls, decode, sniff_charset
from permacite.media_types import essence
from permacite.mhtml.links import rewrite
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.mhtml.reading import Aggregate
    from permacite.mhtml.reading.part import BodyPart

__all__ = ["NOTHING", "EmbeddedContent", "Styles", "Supply", "data_uri", "without_tags"]

NOTHING = "data:,"
"""What stands where something cannot be shown: it loads, from nowhere, and is empty."""

_MEDIA_TYPE = compile_pattern(r"[A-Za-z0-9!#$&^_.+\-]{1,80}/[A-Za-z0-9!#$&^_.+\-]{1,80}")
_CHARSET = compile_pattern(r";[\t ]*+charset=\"?([A-Za-z0-9_.:\-]++)", re.IGNORECASE)
_BASE64 = compile_pattern(r";[ ]*+base64[ ]*+\Z", re.IGNORECASE)
_ESCAPE = compile_pattern(rb"%([0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class EmbeddedContent:
    """Content with its media type; `charset` as it is labelled, None where it is not."""

    content: bytes
    media_type: str
    charset: str | None = None


def data_uri(content: bytes, media_type: str, *, fragment: str = "") -> str:
    """Content as a URI. A media type that is none becomes application/octet-stream."""
    if _MEDIA_TYPE.fullmatch(media_type.partition(";")[0]) is None:
        media_type = "application/octet-stream"
    return f"data:{media_type};base64,{base64.b64encode(content).decode()}{fragment}"


def read_data_uri(value: str) -> EmbeddedContent:
    """What a `data:` URI holds."""
    heading, _, body = value.partition(":")[2].partition("#")[0].partition(",")
    encoded = _BASE64.search(heading)
    octets = _ESCAPE.sub(
        lambda octet: bytes.fromhex(octet[1].decode()), body.encode("utf-8", "replace")
    )
    if encoded is not None:
        heading = heading[: encoded.start()]
        octets = _lenient_base64(octets)
    media_type = essence(heading)
    charset = _CHARSET.search(heading)
    if _MEDIA_TYPE.fullmatch(media_type) is None:
        media_type = "text/plain"
    return EmbeddedContent(octets, media_type, None if charset is None else charset[1])


def _lenient_base64(octets: bytes) -> bytes:
    octets = b"".join(octets.split()).rstrip(b"=")
    try:
        return base64.b64decode(octets + b"=" * (-len(octets) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


_SCHEME = compile_pattern(r"[\x00-\x20]*+([A-Za-z][A-Za-z0-9+.\-]*+)[\x00-\x20]*+:")
_DROPPED = compile_pattern("[\t\n\r]")
_EMPTY = frozenset({"about", "javascript", "livescript", "vbscript"})
"""Schemes of which no aggregate holds anything."""
_UNFOLLOWED = _EMPTY | {"blob", "data", "filesystem"}
"""Schemes that no link leads to: they run something, or lead nowhere outside their page."""

_SHOWN = 80
_TIDY = compile_pattern(r"[A-Za-z0-9+/=;:,.%_#\-]*+")
_PLAIN = compile_pattern(
    r"(/?+)[A-Za-z0-9_~\-][A-Za-z0-9_~.\-]*+(?:/[A-Za-z0-9_~\-][A-Za-z0-9_~.\-]*+)*+/?+"
    r"(?:\?[A-Za-z0-9_~.\-=&/]*+)?+"
)
"""A path, maybe with a query, that every rule appends to its base as it stands: without segments of
dots, and of characters that nobody escapes. What is before it depends on the base alone."""
_NOT_IN_HREF = compile_pattern(r"[^!#-;=?-Z\[\]_a-z~%]")


def scheme_of(reference: str) -> str:
    """The scheme of a reference as browsers see it, in lower case; "" where there is none.

    Browsers drop tabs and line ends anywhere, and controls and spaces in front.
    """
    scheme = _SCHEME.match(_DROPPED.sub("", reference))
    return "" if scheme is None else scheme[1].lower()


class Supply:
    """The parts of an aggregate as one page may use them, up to `max_bytes` characters in all."""

    def __init__(self, aggregate: Aggregate, max_bytes: int) -> None:
        self._aggregate = aggregate
        self._room = max_bytes
        self._uris: dict[str, str] = {}
        self._unresolved: dict[str, None] = {}
        self._left_out: dict[str, None] = {}
        self._before: dict[tuple[str, str], str | None] = {}
        """What stands before plain references in a part, and before those from its root."""

    @property
    def unresolved(self) -> tuple[str, ...]:
        """The references that nothing in the aggregate satisfies, absolute, each once."""
        return tuple(self._unresolved)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The references left out for a limit, though they are there."""
        return tuple(self._left_out)

    def find(self, reference: str, within: BodyPart) -> EmbeddedContent | BodyPart | None:
        """What a reference names: a part, or what a `data:` URI holds; None: neither."""
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
        """Where a reference leads; None where that is nowhere. `#x` stays as it is."""
        reference = reference.strip("\t\n\f\r ")
        if reference.startswith("#") or not reference:
            return reference or "#"
        plain = _PLAIN.fullmatch(reference)
        before = self._before_plain(plain[1], within) if plain is not None else None
        if before is not None:
            return before + reference
        return self._resolved(reference, within)

    def _before_plain(self, slash: str, within: BodyPart) -> str | None:
        """What stands before plain references; None where one of them must be looked at by itself.

        So it is where there is no base, and where octets and browsers would disagree on it.
        """
        key = slash, within.path
        if key not in self._before:
            probe = f"{slash}x"
            uris = {self._aggregate.resolve(probe, within, each).uri for each in ("rfc", "browser")}
            shown = self._resolved(probe, within) or ""
            is_sure = len(uris) == 1 and shown.endswith(f"/{probe.lstrip('/')}")
            self._before[key] = shown.removesuffix(probe) if is_sure else None
        return self._before[key]

    def _resolved(self, reference: str, within: BodyPart) -> str | None:
        if scheme_of(reference) in _UNFOLLOWED:
            return None
        resolution = self._aggregate.resolve(reference, within, "browser")
        if scheme_of(resolution.uri) in _UNFOLLOWED:
            return None
        return _NOT_IN_HREF.sub(_escaped, resolution.uri)

    def is_own(self, reference: str, within: BodyPart) -> bool:
        """Whether a reference leads to its own part, or to a place in that."""
        return self._aggregate.resolve(reference, within, "browser").root is within

    def charge(self, size: int, reference: str, within: BodyPart) -> bool:
        """Take room for `size` more characters; False, and `reference` listed, where it is none."""
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
        """A `data:` URI for what a reference names, NOTHING where there is nothing."""
        target = self.find(reference, within)
        if target is None:
            return NOTHING
        if isinstance(target, EmbeddedContent):
            return _tidy(reference.strip("\t\n\f\r "), target)
        known = self._uris.get(target.path)
        if known is None:
            known = self._uris[target.path] = data_uri(target.content, target.content_type)
        if not self.charge(len(known), reference, within):
            return NOTHING
        fragment = reference.rstrip("\t\n\f\r ").partition("#")[2]
        if target.content_type == "image/svg+xml" and fragment and _TIDY.fullmatch(fragment):
            return f"{known}#{fragment}"
        return known


def _tidy(uri: str, resource: EmbeddedContent) -> str:
    """A `data:` URI that is safe in any attribute or style sheet."""
    if _TIDY.fullmatch(uri) is not None:
        return uri
    charset = f";charset={resource.charset}" if resource.charset else ""
    uri, mark, fragment = uri.partition("#")
    fragment = mark + fragment if _TIDY.fullmatch(fragment) else ""
    return data_uri(resource.content, resource.media_type + charset, fragment=fragment)


def _escaped(character: re.Match[str]) -> str:
    """Escape a character, which stands for one octet where it can (see `mhtml.reading.base`)."""
    charset = "latin-1" if character[0] <= "\xff" else "utf-8"
    return "".join(f"%{octet:02X}" for octet in character[0].encode(charset, "replace"))


_TYPE = "text/css;charset=utf-8"
_IMPORT_DEPTH = 8

# What could be read as a tag, were the text not in a `style` element after all.
_TAG_LIKE = compile_pattern(
    r"(?P<comment>/\*(?:[^*]++|\*(?!/))*+(?:\*/)?+)"
    r"|(?P<string>\"(?:[^\"\\\n\f\r]++|\\[\s\S])*+\"?+|'(?:[^'\\\n\f\r]++|\\[\s\S])*+'?+)"
    r"|(?P<cdo><!--)|<(?=[A-Za-z/!?])"
)


class Styles:
    """The style sheets of one page; each part is read once."""

    def __init__(self, supply: Supply) -> None:
        self._supply = supply
        self._sheets: dict[str, str] = {}

    def sheet(self, reference: str, within: BodyPart, *, depth: int = 0) -> str:
        """A `data:` URI for the style sheet that a reference names."""
        target = self._supply.find(reference, within)
        if target is None or reference == NOTHING:
            return NOTHING
        if depth == _IMPORT_DEPTH:
            self._supply.leave_out(reference, within)
            return NOTHING
        key = f"{depth} {target.path}" if not isinstance(target, EmbeddedContent) else ""
        known = self._sheets.get(key) if key else None
        if known is None:
            known = self._read(target, within, depth)
            self._sheets[key] = known
        return known if self._supply.charge(len(known), reference, within) else NOTHING

    def _read(self, sheet: EmbeddedContent | BodyPart, within: BodyPart, depth: int) -> str:
        if isinstance(sheet, EmbeddedContent):
            codec = sniff_charset(sheet.content, sheet.charset, "text/css").codec
        else:
            within, codec = sheet, sheet.charset or "utf-8"
        text = self.inlined(decode(sheet.content, codec), within, depth=depth)
        return data_uri(text.encode("utf-8", "replace"), _TYPE)

    def inlined(self, source: str, within: BodyPart, *, depth: int = 0) -> str:
        """CSS with each reference replaced by a `data:` URI."""
        return rewrite(source, self._edits(source, within, depth))

    def _edits(self, source: str, within: BodyPart, depth: int) -> Iterator[tuple[int, int, str]]:
        for url in css_urls(source):
            if url.kind == "import":
                yield url.start, url.end, self.sheet(url.value, within, depth=depth + 1)
            elif not url.value.lstrip().startswith("#"):
                yield url.start, url.end, self._supply.embed(url.value, within)


def without_tags(css: str) -> str:
    """CSS of the same meaning in which `<` begins nothing that is like a tag."""
    return _TAG_LIKE.sub(_without_tag, css) if "<" in css else css


def _without_tag(piece: re.Match[str]) -> str:
    if piece["comment"]:
        return piece[0].replace("<", "")
    if piece["string"]:
        return piece[0].replace("<", "\\3c ")
    return "" if piece["cdo"] else "< "
