"""Entries of a zip: read one by one, within limits, and never written anywhere.

A zip whose directory contradicts itself is refused whole: a name that stands twice, entries that
lie within each other, or that are not where the directory says. Names are compared verbatim;
references between entries are resolved as relative ones, and lead to no place outside.
"""

from __future__ import annotations

import codecs
import io
import posixpath
import zipfile
from typing import TYPE_CHECKING

from permacite.errors import LimitError, NotFoundError, ParseError
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.renditions.model import Octets

__all__ = ["Zipped", "preload", "target_of"]

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
