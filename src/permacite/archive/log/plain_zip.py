"""Read the files in the zip of a proof, which may be damaged or hostile: all of them, or none.

ZIP File Format (PKWARE APPNOTE 6.3.10):
  §4.3.16 end of central directory record -> `_directory`
  §4.3.12 central directory header        -> `_listed`
  §4.3.7 local file header, §4.3.9 data descriptor -> `_file`

Programs differ in what they read of a zip: the directory at its end or the headers before its
files, the first end or the last, a name up to a zero octet or a name in an extra field, octets up
to the size that is told or to the end of the packed data. So one way to write a zip is read here,
in which all of these say the same, and every other is refused.

Deviations: no extra fields, comments, encryption, links or ZIP64; no packing but deflate; files
stand from the first octet to the directory in its order, and the directory's end is the last octet.
Readings: names are printable ASCII. A data descriptor has its signature, and follows packed data.
"""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple

from permacite.errors import LimitError, ParseError

__all__ = ["CONTENT", "SPEC", "members", "text_of"]

SPEC = "permacite proof bundle"
CONTENT = "content"
"""The one file that may be large."""

_MAX_FILES = 100
_MAX_FILE_BYTES = 16_000_000

_END = struct.Struct("<4s4H2LH")
_LISTED = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_DESCRIPTOR = struct.Struct("<4s3L")
_ZIP64_LOCATOR_BYTES = 20

_DEFLATE_OPTIONS, _HAS_DESCRIPTOR, _NAME_IS_UTF8 = 0x0006, 0x0008, 0x0800
_KNOWN_FLAGS = _DEFLATE_OPTIONS | _HAS_DESCRIPTOR | _NAME_IS_UTF8
_STORED, _DEFLATED = 0, 8
_PLAIN_VERSION = 20
"""What a program must know that unpacks it: 2.0 has deflate, and no ZIP64."""
_IS_FOLDER_OR_LABEL = 0x18
_UNIX_KINDS = (0, 8)
"""The highest four bits of a Unix mode: none are given, or it is a plain file and no link."""


class _Header(NamedTuple):
    """What directory and local header both say of a file."""

    version: int
    flags: int
    method: int
    time: int
    date: int
    crc: int
    packed_bytes: int
    size_bytes: int
    name_bytes: int
    extra_bytes: int

    @property
    def has_descriptor(self) -> bool:
        """Whether checksum and sizes stand behind the file, and not before it."""
        return bool(self.flags & _HAS_DESCRIPTOR)


class _Listed(NamedTuple):
    """A file as the directory lists it."""

    name: str
    header: _Header
    offset: int


def members(data: bytes, *, max_bytes: int) -> dict[str, bytes]:
    """Return the files of a zip by name.

    Raises ParseError for what is no plain zip, LimitError where its files are too large: together
    more than `max_bytes`, or any but "content" more than 16 MB.
    """
    start, listed = _directory(data)
    _check_sizes(listed, max_bytes)
    files: dict[str, bytes] = {}
    end = 0
    for file in listed:
        if file.offset != end:
            raise _refusal(f"something stands before {file.name}, or over it")
        if file.name in files:
            raise _refusal(f"{file.name} stands in it twice")
        files[file.name], end = _file(data, file)
    if end != start:
        raise _refusal("something stands behind its files")
    return files


def text_of(files: dict[str, bytes], name: str) -> str:
    """Return a file as text. Raises ParseError where it is none."""
    try:
        return files[name].decode()
    except UnicodeDecodeError as error:
        raise ParseError(f"expected UTF-8 in {name}", f"({name})", 0, SPEC) from error


def _directory(data: bytes) -> tuple[int, list[_Listed]]:
    """Where the directory begins, and what it lists. Raises ParseError."""
    end = len(data) - _END.size
    if end < 0 or not data.startswith(b"PK\x05\x06", end) or data[-2:] != b"\0\0":
        raise _refusal("something stands behind its directory, or the end is missing")
    _, *disks, count, total, size, start, _ = _END.unpack_from(data, end)
    if start + size != end or data.startswith(b"PK\x06\x07", end - _ZIP64_LOCATOR_BYTES):
        raise _refusal("something stands before its directory, or behind it")
    if any(disks) or count != total or count > _MAX_FILES:
        raise _refusal(f"it is in parts, or has more than {_MAX_FILES} files")
    listed: list[_Listed] = []
    place = start
    for _ in range(count):
        file = _listed(data, place, end)
        listed.append(file)
        place += _LISTED.size + len(file.name)
    if place != end:
        raise _refusal("its directory lists more than it says")
    return start, listed


def _listed(data: bytes, place: int, end: int) -> _Listed:
    """Return the entry of the directory at `place`. Raises ParseError."""
    if place + _LISTED.size > end:
        raise _refusal("its directory is cut short")
    signature, _, *fields = _LISTED.unpack_from(data, place)
    header, (comment, disk, _, attributes, offset) = _Header(*fields[:10]), fields[10:]
    name = data[place + _LISTED.size : min(end, place + _LISTED.size + header.name_bytes)]
    text = name.decode("ascii", "replace")
    if signature != b"PK\x01\x02" or len(name) != header.name_bytes:
        raise _refusal("its directory is damaged")
    if not text or not text.isascii() or not text.isprintable():
        raise _refusal(f"the name {text!r} is not of printable ASCII")
    if header.extra_bytes or comment:
        raise _refusal(f"{text} has extra fields, or a comment")
    if disk or attributes & _IS_FOLDER_OR_LABEL or attributes >> 28 not in _UNIX_KINDS:
        raise _refusal(f"{text} is no plain file")
    _check_packing(text, header)
    return _Listed(text, header, offset)


def _check_packing(name: str, header: _Header) -> None:
    """Raise ParseError for ways of packing that are not ours, or that some programs cannot see."""
    if header.version > _PLAIN_VERSION or header.flags & ~_KNOWN_FLAGS:
        raise _refusal(f"{name} is encrypted, or packed in a newer way than 2.0")
    if header.method not in (_STORED, _DEFLATED):
        raise _refusal(f"{name} is packed in another way than deflate")
    if header.method == _STORED and (
        header.has_descriptor or header.packed_bytes != header.size_bytes
    ):
        raise _refusal(f"{name} is not packed, and does not say where it ends")


def _check_sizes(listed: list[_Listed], max_bytes: int) -> None:
    """Raise LimitError where there is too much to unpack."""
    if sum(file.header.size_bytes for file in listed) > max_bytes:
        raise LimitError("the bundle is too large", limit="bundle_bytes", maximum=max_bytes)
    for file in listed:
        if file.name != CONTENT and file.header.size_bytes > _MAX_FILE_BYTES:
            raise LimitError(
                f"{file.name} is too large", limit="bundle_file", maximum=_MAX_FILE_BYTES
            )


def _file(data: bytes, listed: _Listed) -> tuple[bytes, int]:
    """Return the octets of a file, and where it ends with all that belongs to it."""
    name, header, start = listed
    local = header
    if header.has_descriptor:
        local = header._replace(crc=0, packed_bytes=0, size_bytes=0)
    before = _LOCAL.pack(b"PK\x03\x04", *local) + name.encode()
    if not data.startswith(before, start):
        raise _refusal(f"what stands before {name} is not what its directory says")
    end = start + len(before) + header.packed_bytes
    content = _unpacked(data[start + len(before) : end], listed)
    if header.has_descriptor:
        behind = _DESCRIPTOR.pack(b"PK\x07\x08", header.crc, header.packed_bytes, header.size_bytes)
        if not data.startswith(behind, end):
            raise _refusal(f"what stands behind {name} is not what its directory says")
        end += len(behind)
    return content, end


def _unpacked(packed: bytes, listed: _Listed) -> bytes:
    """Unpack a file: to as many octets as the directory says, from the last octet of `packed`."""
    name, header, _ = listed
    content, whole = packed, len(packed) == header.packed_bytes
    if header.method == _DEFLATED:
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            content = unpacker.decompress(packed, header.size_bytes + 1)
        except zlib.error as error:
            raise _refusal(f"{name} does not unpack: {error}") from error
        whole = whole and unpacker.eof and not unpacker.unused_data
    if not whole or (len(content), zlib.crc32(content)) != (header.size_bytes, header.crc):
        raise _refusal(f"{name} unpacks to other octets than its directory says")
    return content


def _refusal(problem: str) -> ParseError:
    """Return the error that says why a zip is not read."""
    return ParseError(f"not a proof bundle: {problem}", "(a zip file)", 0, SPEC)
