"""Write the indexes as this package holds them, from those that the Encoding Standard publishes.

    python -m permacite.charsets.indexes.generate FOLDER

FOLDER holds the `index-*.txt` of https://encoding.spec.whatwg.org/. Each says its identifier, a
digest of the list of its code points; a file that does not fit its own is refused.
"""

from __future__ import annotations

import hashlib
import re
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from permacite.charsets.indexes import ABSENT, FOLDER, MULTI_BYTE, RANGES, SINGLE_BYTE

if TYPE_CHECKING:
    from collections.abc import Sequence

_MULTI_BYTE = ("big5", "euc-kr", "gb18030", "jis0208", "jis0212", RANGES)
_NOT_DECODED = "iso-2022-jp-katakana"
"""An index that only an encoder needs."""

_SIZES = {"euc-kr": 126 * 190, "jis0208": 120 * 94, "jis0212": 94 * 94}
"""How many pointers there are, where the last ones have no code point; 128 for single bytes."""


def main(source: Path) -> None:
    """Read the published indexes in a folder, and write both files of this package."""
    paths = {path.stem.removeprefix("index-"): path for path in source.glob("index-*.txt")}
    lines = {name: _line(name, paths[name]) for name in sorted(paths) if name != _NOT_DECODED}
    multi = "\n".join(f"{name}\t{lines.pop(name)}" for name in _MULTI_BYTE)
    single = "\n".join(f"{name}\t{line}" for name, line in lines.items())
    for name, text in ((MULTI_BYTE, multi), (SINGLE_BYTE, single)):
        (FOLDER / name).write_bytes(zlib.compress(text.encode(), 9))


def _line(name: str, path: Path) -> str:
    """Return an index in one line: its characters by pointer, or pairs of numbers for ranges."""
    text = path.read_text(encoding="utf-8")
    # Not splitlines: a row shows its character, which may end a line itself.
    rows = [line.split() for line in text.split("\n") if line[:1] not in {"", "#"}]
    pairs = [(int(pointer), int(code_point, 16)) for pointer, code_point, *_ in rows]
    if name == RANGES:
        _check(path, text, [list(pair) for pair in pairs])
        return " ".join(f"{pointer}:{code_point}" for pointer, code_point in pairs)
    size = _SIZES.get(name, max(128, pairs[-1][0] + 1))
    by_pointer = dict(pairs)
    listed = [by_pointer.get(pointer) for pointer in range(size)]
    _check(path, text, listed)
    return "".join(ABSENT if one is None else chr(one) for one in listed)


def _check(path: Path, text: str, listed: Sequence[object]) -> None:
    """Exit unless the digest of the list is the identifier that the file says."""
    identifier = re.search(r"^# Identifier: ([0-9a-f]{64})$", text, re.MULTILINE)
    if identifier is None or identifier[1] != hashlib.sha256(str(listed).encode()).hexdigest():
        raise SystemExit(f"{path}: not the index that its identifier names")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
