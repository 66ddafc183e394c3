"""The extension as a folder that browsers load: its own files, and the script that freezes pages.

That script is the one of our own browser. It stands in the folder twice: as it is, for the protocol
of developer tools, which takes a text, and behind a name, for browsers that take files alone.
"""

from __future__ import annotations

import io
import zipfile
from importlib import resources
from typing import TYPE_CHECKING

from permacite.errors import ConflictError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable
    from pathlib import Path

__all__ = ["extension_files", "write_folder", "zipped"]

_INJECTED = (
    b"globalThis.permacitePoints =\n%(pointing)s;\n"
    b"globalThis.permaciteFreeze =\n%(freezing)s;\ntrue;\n"
)
_LONG_AGO = (1980, 1, 1, 0, 0, 0)


def extension_files() -> dict[str, bytes]:
    """The octets of each file, by its path in the folder."""
    files = dict(_files(resources.files(__package__) / "extension", ""))
    script = resources.files("permacite.capture.browsing").joinpath("freezing.js").read_bytes()
    files["freezing.js"] = script
    # Firefox hands over what a file ends with: true, since a function cannot be.
    files["injected.js"] = _INJECTED % {b"pointing": files["pointing.js"], b"freezing": script}
    return dict(sorted(files.items()))


def _files(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for item in folder.iterdir():
        if item.is_dir():
            yield from _files(item, f"{path}{item.name}/")
        else:
            yield path + item.name, item.read_bytes()


def write_folder(folder: Path) -> int:
    """Write the extension to a folder that is new or empty, or holds one; how many files.

    Raises ConflictError where the folder holds other things, StorageError.
    """
    files = extension_files()
    try:
        if folder.exists() and any(folder.iterdir()) and not (folder / "manifest.json").exists():
            raise ConflictError(f"{folder} holds other things", str(folder))
        for path, content in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    except OSError as error:
        problem = f"the extension cannot be written: {error.strerror}"
        raise StorageError(problem, path=str(folder), reason="io") from error
    return len(files)


def zipped() -> bytes:
    """The same as a ZIP file, whose octets are always the same."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in extension_files().items():
            archive.writestr(zipfile.ZipInfo(path, _LONG_AGO), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
