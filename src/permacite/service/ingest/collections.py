"""Files in which others keep many pages: recognised, and refused until they can be read.

| kind | source | told by |
|---|---|---|
| WARC, and its forerunner ARC | WARC 1.1 §4, ARC 1.0 §3 | the first line, packed by gzip or not |
| WACZ | WACZ 1.1.1 §5 | a zip file with a `datapackage.json` and a folder `archive` |
| HAR | HAR 1.2 §3 | JSON whose only member is a `log` with a creator and entries |

Taken for a text, or for octets of no kind, such a file would get a name that says nothing of what
is in it, for good.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib

from permacite.errors import ParseError
from permacite.scan import compile_pattern

__all__ = ["refuse_collections"]

_HEAD = 64
_SUFFIXES = (".warc", ".warc.gz", ".arc.gz", ".wacz", ".har")
_RECORD = compile_pattern(rb"[\r\n]*+WARC/[0-9]+\.[0-9]+\r?\n|filedesc://")
_LOG = compile_pattern(
    rb"(?:\xef\xbb\xbf)?[ \t\r\n]*+\{[ \t\r\n]*+\"log\"[ \t\r\n]*+:[ \t\r\n]*+\{"
)
_OF_A_LOG = (compile_pattern(rb'"creator"\s*+:'), compile_pattern(rb'"entries"\s*+:\s*+\['))
_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"


def refuse_collections(content: bytes, name: str = "") -> None:
    """Raise ParseError for a file of many pages, by its content or else by its name."""
    kind = _kind(content)
    suffix = next((ending for ending in _SUFFIXES if name.lower().endswith(ending)), None)
    if kind is None and suffix is None:
        return
    what = f"a {kind} file" if kind else f"a {suffix} file by its name"
    raise ParseError(
        f"this is {what}, in which many pages are kept: they cannot be read yet",
        name or content[:_HEAD].decode("latin-1"),
        0,
        hint="nothing was archived; a page out of it can be saved as .mhtml or .html and imported",
    )


def _kind(content: bytes) -> str | None:
    """What kind of collection this is, None where it is none."""
    if _RECORD.match(_unpacked(content)):
        return "WARC"
    if content.startswith(_ZIP) and _is_wacz(content):
        return "WACZ"
    if _LOG.match(content) and all(part.search(content) for part in _OF_A_LOG):
        return "HAR"
    return None


def _unpacked(content: bytes) -> bytes:
    """The beginning, of what gzip packed if that is what it is."""
    if not content.startswith(_GZIP):
        return content[:_HEAD]
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(content[: 1 << 16], _HEAD)
    except zlib.error:
        return b""


def _is_wacz(content: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            names = file.namelist()
    except Exception:  # noqa: BLE001 - zipfile raises of many kinds for a damaged file
        return False
    return "datapackage.json" in names and any(re.match("archive/.", name) for name in names)
