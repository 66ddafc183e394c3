"""Detection of WARC, ARC, WACZ and HAR files by their first bytes.

| kind | source | told by |
|---|---|---|
| WARC, and its forerunner ARC | WARC 1.1 §4, ARC 1.0 §3 | the first line, packed by gzip or not |
| WACZ | WACZ 1.1.1 §5 | a zip file with a `datapackage.json` and a folder `archive` |
| HAR | HAR 1.2 §3 | JSON that begins with a `log`; entries, and a creator or the date of an entry |
"""

from __future__ import annotations

import re
import zipfile
import zlib
from typing import TYPE_CHECKING, Literal, TypeAlias

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from typing import BinaryIO

__all__ = ["SUFFIXES", "Kind", "kind_of"]

Kind: TypeAlias = Literal["WARC", "WACZ", "HAR"]

SUFFIXES = (".warc", ".warc.gz", ".arc.gz", ".wacz", ".har")
"""What such files are called."""
_HEAD = 64
_MOST_PACKED = 1 << 16
_MOST_LOG = 1 << 20
"""How much of a log is looked at for what it must have."""
_RECORD = compile_pattern(rb"[\r\n]*+WARC/[0-9]+\.[0-9]+\r?\n|filedesc://")
_LOG = compile_pattern(
    rb"(?:\xef\xbb\xbf)?[ \t\r\n]*+\{[ \t\r\n]*+\"log\"[ \t\r\n]*+:[ \t\r\n]*+\{"
)
_OF_A_LOG = (
    compile_pattern(rb'"entries"\s*+:\s*+\['),
    compile_pattern(rb'"(?:creator|startedDateTime)"\s*+:'),  # some write the creator last, or none
)
_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"


def kind_of(file: BinaryIO) -> Kind | None:
    """What kind of collection a file that can be sought is, None where it is none."""
    file.seek(0)
    head = file.read(_MOST_PACKED)
    if _RECORD.match(_unpacked(head)):
        return "WARC"
    if head.startswith(_ZIP) and _is_wacz(file):
        return "WACZ"
    if _LOG.match(head):
        log = head + file.read(_MOST_LOG)
        return "HAR" if all(part.search(log) for part in _OF_A_LOG) else None
    return None


def _unpacked(head: bytes) -> bytes:
    """The beginning, of what gzip packed if that is what it is."""
    if not head.startswith(_GZIP):
        return head[:_HEAD]
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, _HEAD)
    except zlib.error:
        return b""


def _is_wacz(file: BinaryIO) -> bool:
    try:
        with zipfile.ZipFile(file) as packed:
            names = packed.namelist()
    except Exception:  # noqa: BLE001 - zipfile raises of many kinds for a damaged file
        return False
    return "datapackage.json" in names and any(re.match("archive/.", name) for name in names)
