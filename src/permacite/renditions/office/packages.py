"""Office packages: entries of a zip, read one by one within limits, and elements of XML in them.

A zip whose directory contradicts itself is refused whole: a name that occurs twice, entries that
lie within each other, or that are not where the directory says. Names are compared verbatim;
references between entries are resolved as relative ones, and lead to no place outside.

Names of elements have short prefixes of ours, "w:p", whatever the document calls them; those of
strict OOXML are those of the other. A namespace that is not known has the prefix "?". No
declaration of an entity is taken, nothing is fetched, and what is nested deeper than DEEPEST is
refused.
"""

from __future__ import annotations

import codecs
import io
import posixpath
import zipfile
from typing import TYPE_CHECKING, TypeAlias
from xml.parsers import expat

from permacite.bibliography import Claim, Place
from permacite.charsets import codec_of, decode
from permacite.errors import LimitError, NotFoundError, ParseError, PermaciteError
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from permacite.renditions.model import Octets

__all__ = ["Attributes", "Zipped", "claims_of", "preload", "read_elements", "target_of"]

MOST_ENTRIES = 20_000
MOST_OCTETS = 256 << 20
"""Of all entries that are read of one zip."""
_RATIO = 200
_RATIO_FROM = 8 << 20
"""From this size on an entry is refused that is packed more tightly than any text."""
_ENCRYPTED = 1
_ESCAPED = compile_pattern("(?:%[0-9A-Fa-f]{2})+")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
Attributes: TypeAlias = dict[str, str]

DEEPEST = 500
_OPEN_XML = "http://schemas.openxmlformats.org/"
_STRICT = "http://purl.oclc.org/ooxml/"
_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
_FAR = 300
_DECLARED = compile_pattern(
    rb"<\?xml[^>]{1,200}?encoding[ \t\r\n]*=[ \t\r\n]*[\"']([A-Za-z0-9._-]{1,40})"
)
_OWN_ENCODINGS = frozenset({"utf-8", "utf-16", "us-ascii", "iso-8859-1"})
_PREFIXES = {
    f"{_OPEN_XML}wordprocessingml/2006/main": "w",
    f"{_STRICT}wordprocessingml/main": "w",
    f"{_OPEN_XML}officeDocument/2006/relationships": "r",
    f"{_STRICT}officeDocument/relationships": "r",
    f"{_OPEN_XML}package/2006/relationships": "rel",
    f"{_OPEN_XML}package/2006/metadata/core-properties": "cp",
    f"{_OPEN_XML}markup-compatibility/2006": "mc",
    f"{_OPEN_XML}officeDocument/2006/math": "m",
    f"{_STRICT}officeDocument/math": "m",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingShape": "wps",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://www.idpf.org/2007/opf": "opf",
    "http://www.idpf.org/2007/ops": "epub",
    "http://www.daisy.org/z3986/2005/ncx/": "ncx",
    "http://www.w3.org/1999/xhtml": "html",
    "http://www.w3.org/2001/04/xmlenc#": "enc",
    "http://www.w3.org/XML/1998/namespace": "xml",
    "http://www.w3.org/2000/svg": "svg",
    f"{_ODF}container": "ocf",
    **{f"{_ODF}{name}:1.0": name for name in ("office", "text", "table", "meta", "manifest")},
    f"{_ODF}drawing:1.0": "draw",
    f"{_ODF}svg-compatible:1.0": "svg",
}


def preload() -> None:
    """Import what names of entries are decoded by, for a process that can open nothing later."""
    codecs.lookup("cp437")


class Zipped:
    """A zip by the names of its entries. Raises ParseError and LimitError."""

    def __init__(self, content: Octets) -> None:
        octets = content[:]
        if octets.startswith(_COMPOUND):
            problem = "expected a zip; this is a file encrypted by Office, or of its older formats"
            raise ParseError(problem, "", 0)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(octets))
            entries = self._zip.infolist()
        except Exception as error:  # whatever zipfile raises for a broken file
            raise ParseError(f"expected a zip: {error}", repr(octets[:20]), 0) from error
        if len(entries) > MOST_ENTRIES:
            raise LimitError("too many entries in a zip", limit="entries", maximum=MOST_ENTRIES)
        self._entries = {entry.filename: entry for entry in entries}
        if len(self._entries) < len(entries):
            raise ParseError("expected each name once in a zip", "", 0)
        self._require_apart(entries)
        self._left = MOST_OCTETS

    @staticmethod
    def _require_apart(entries: list[zipfile.ZipInfo]) -> None:
        """Refuse entries that lie within each other, which is how bombs are packed."""
        end = 0
        for entry in sorted(entries, key=lambda each: each.header_offset):
            if entry.header_offset < end:
                raise ParseError("expected entries beside each other in a zip", entry.filename, 0)
            end = entry.header_offset + 30 + entry.compress_size

    def __contains__(self, name: str) -> bool:
        """Whether there is an entry of this name."""
        return name in self._entries

    def names(self) -> list[str]:
        """The names of all entries, in order."""
        return list(self._entries)

    def read(self, name: str) -> bytes:
        """The content of an entry. Raises NotFoundError where there is none of this name."""
        entry = self._entries.get(name)
        if entry is None:
            raise NotFoundError(f"no {name} in this zip", name)
        if entry.flag_bits & _ENCRYPTED:
            raise ParseError(f"{name} is encrypted", name, 0)
        if entry.compress_type not in _METHODS:
            raise ParseError(f"{name} is packed in a way that is not read", name, 0)
        size = entry.file_size
        if size > self._left or (size > _RATIO_FROM and size > _RATIO * entry.compress_size):
            raise LimitError(f"{name} unpacks to too much", limit="octets", maximum=MOST_OCTETS)
        self._left -= size
        try:
            return self._zip.read(entry)
        except Exception as error:  # as above
            raise ParseError(f"{name} is damaged: {error}", name, 0) from error


def target_of(reference: str, base: str) -> tuple[str, str]:
    """The entry that a reference within the entry `base` names, and the fragment, both decoded."""
    path, _, fragment = reference.partition("#")
    path = _unescaped(path)
    if not path:
        return base, _unescaped(fragment)
    joined = posixpath.join("/", posixpath.dirname(base), path)
    return posixpath.normpath(joined).lstrip("/"), _unescaped(fragment)


def _unescaped(reference: str) -> str:
    """A reference without escapes: they stand for UTF-8."""
    return _ESCAPED.sub(
        lambda found: bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "replace"), reference
    )


def read_elements(
    content: bytes,
    start: Callable[[str, Attributes], object],
    end: Callable[[str], object],
    text: Callable[[str], object],
) -> None:
    """Call `start`, `end` and `text` for a document. Raises ParseError for what is no XML."""
    names: dict[str, str] = {}
    depth = 0

    def short(name: str) -> str:
        known = names.get(name)
        if known is None:
            space, _, local = name.rpartition(" ")
            known = names[name] = f"{_PREFIXES.get(space, '?')}:{local}" if space else local
        return known

    def started(name: str, attributes: Attributes) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise LimitError("elements are nested too deep", limit="depth", maximum=DEEPEST)
        if attributes:
            attributes = {short(each): value for each, value in attributes.items()}
        start(short(name), attributes)

    def ended(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(short(name))

    octets, encoding = _readable(content)
    parser = expat.ParserCreate(encoding, " ")
    parser.buffer_text = True
    parser.StartElementHandler = started
    parser.EndElementHandler = ended
    parser.CharacterDataHandler = text
    parser.EntityDeclHandler = _refuse
    try:
        parser.Parse(octets, True)  # noqa: FBT003 - expat takes it by its place alone
    except PermaciteError:
        raise
    except (expat.ExpatError, ValueError, LookupError) as error:
        shown = content[: 1 << 20].decode("utf-8", "replace")[:80]
        raise ParseError(f"expected well-formed XML: {error}", shown, 0) from error


def claims_of(
    content: bytes | None, fields: Mapping[str, str], vocabulary: str
) -> tuple[Claim, ...]:
    """What a part states of its document, if there is one: elements by their names, and fields."""
    claims: list[Claim] = []
    words: list[str] = []

    def start(_: str, __: Attributes) -> None:
        words.clear()

    def end(name: str) -> None:
        value = " ".join("".join(words).split())
        if name in fields and value:
            claims.append(Claim(fields[name], value, Place(vocabulary, name)))
        words.clear()

    if content is not None:
        read_elements(content, start, end, words.append)
    return tuple(claims)


def _readable(content: bytes) -> tuple[bytes, str | None]:
    """A document in an encoding that expat knows by itself, and its name where it tells another."""
    declared = _DECLARED.match(content[:_FAR])
    label = declared[1].decode().lower() if declared else "utf-8"
    if label in _OWN_ENCODINGS:
        return content, None
    codec = codec_of(label)
    if codec is None:
        raise ParseError("expected a charset that is known", label, 0)
    return decode(content, codec).encode("utf-8", "replace"), "utf-8"


def _refuse(*_: object) -> None:
    raise ParseError("expected XML that declares no entities", "", 0)
