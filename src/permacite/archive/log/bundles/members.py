"""Read the files in the zip of a proof, which may be damaged or hostile: all of them, or none.

What unpacks, and to how much, is read from the directory at the end before anything is unpacked.
The members must fill the zip from its first octet to that directory, each once: so nothing stands
in it that one program sees and another does not.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING

from permacite.errors import LimitError, ParseError, PermaciteError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CONTENT", "SPEC", "members", "text_of"]

SPEC = "permacite proof bundle"
CONTENT = "content"
"""The one file that may be large."""

_MAX_FILES = 100
_MAX_FILE_BYTES = 16_000_000
_HEADER_BYTES = 30
_HEADER = struct.Struct("<26xHH")
"""What stands before a member: the lengths of its name and of extra fields are the last two."""
_HAS_DESCRIPTOR = 0x08
_DESCRIPTOR_BYTES = (12, 16, 20, 24)
"""After a member that was written to a pipe stand its sizes."""
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
    LookupError,
)
"""What reading a damaged or hostile zip raises."""


def members(data: bytes, *, max_bytes: int) -> dict[str, bytes]:
    """Return the files of a zip by name.

    Raises ParseError for what is no plain zip, LimitError where its files are too large: together
    more than `max_bytes`, or any but "content" more than 16 MB.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found = archive.infolist()
            _check_plain(found)
            _check_sizes(found, max_bytes)
            _check_filled(data, found, archive.start_dir, archive.comment)
            # A member's reader stops at the size that was declared, whatever the data unpack to.
            return {member.filename: archive.read(member) for member in found}
    except PermaciteError:
        raise
    except _BROKEN as error:
        raise ParseError(f"not a proof bundle: {error}", "(a zip file)", 0, SPEC) from error


def text_of(files: dict[str, bytes], name: str) -> str:
    """Return a file as text. Raises ParseError where it is none."""
    try:
        return files[name].decode()
    except UnicodeDecodeError as error:
        raise ParseError(f"expected UTF-8 in {name}", f"({name})", 0, SPEC) from error


def _check_plain(found: Sequence[zipfile.ZipInfo]) -> None:
    """Raise BadZipFile for names that stand twice, and for ways of packing that are not ours."""
    plain = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
    names = {member.filename for member in found}
    if len(found) > _MAX_FILES or len(names) < len(found):
        raise zipfile.BadZipFile("too many files, or one twice")
    if any(member.compress_type not in plain for member in found):
        raise zipfile.BadZipFile("packed in another way than deflate")


def _check_sizes(found: Sequence[zipfile.ZipInfo], max_bytes: int) -> None:
    """Raise LimitError where there is too much to unpack."""
    if sum(member.file_size for member in found) > max_bytes:
        raise LimitError("the bundle is too large", limit="bundle_bytes", maximum=max_bytes)
    for member in found:
        if member.filename != CONTENT and member.file_size > _MAX_FILE_BYTES:
            raise LimitError(
                f"{member.filename} is too large", limit="bundle_file", maximum=_MAX_FILE_BYTES
            )


def _check_filled(
    data: bytes, found: Sequence[zipfile.ZipInfo], directory: int, comment: bytes
) -> None:
    """Raise BadZipFile where something stands before, between or behind the members."""
    end = 0
    for member in sorted(found, key=lambda one: one.header_offset):
        lengths = _HEADER.unpack_from(data, member.header_offset)
        if member.header_offset != end:
            raise zipfile.BadZipFile(f"something stands before {member.filename}, or over it")
        end += _HEADER_BYTES + sum(lengths) + member.compress_size
        if member.flag_bits & _HAS_DESCRIPTOR:
            end = _behind_descriptor(found, end, directory)
    if end != directory or comment:
        raise zipfile.BadZipFile("something stands behind its files")


def _behind_descriptor(found: Sequence[zipfile.ZipInfo], end: int, directory: int) -> int:
    """Return where the next member begins, if no more than a descriptor stands before it."""
    starts = {member.header_offset for member in found} | {directory}
    return next((end + size for size in _DESCRIPTOR_BYTES if end + size in starts), end)
