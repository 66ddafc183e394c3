"""The Oxford Common File Layout: where an object stands, and what its inventory says.

OCFL 1.1 (ocfl.io/1.1/spec):
  §3 objects, §3.5 inventory, §3.5.3 versions -> `Object`
  §4 storage root                             -> `make_root`, `is_root`
  extension 0003 (hash and id n-tuple layout) -> `object_path`

Deviations: none.
Readings: content is addressed by SHA-512, as the specification prefers; the SHA-256 on record
stands in the fixity block, so that both can be compared.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from permacite.errors import ConflictError, IntegrityError

if TYPE_CHECKING:
    from pathlib import Path

    from permacite.service.plain import Json

__all__ = ["Object", "is_root", "make_root", "object_path", "read_object"]

_ROOT = "0=ocfl_1.1"
_OBJECT = "0=ocfl_object_1.1"
_LAYOUT = "0003-hash-and-id-n-tuple-storage-layout"
_TYPE = "https://ocfl.io/1.1/spec/#inventory"
_TUPLES, _WIDTH = 3, 3
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
_LONGEST = 100
_INVENTORY = "inventory.json"


def is_root(directory: Path) -> bool:
    """Say whether a folder is an OCFL storage root."""
    return (directory / _ROOT).is_file()


def make_root(directory: Path) -> None:
    """Make a storage root. Raises ConflictError where anything is there."""
    if directory.exists() and any(directory.iterdir()):
        raise ConflictError(f"{directory} is not empty", str(directory))
    directory.mkdir(0o700, parents=True, exist_ok=True)
    (directory / _ROOT).write_text(f"{_ROOT[2:]}\n", encoding="utf-8")
    description = "Folders of three letters of the SHA-256 of the object's id, then the id, escaped"
    _write_json(directory / "ocfl_layout.json", {"extension": _LAYOUT, "description": description})
    settings = directory / "extensions" / _LAYOUT
    settings.mkdir(parents=True)
    _write_json(
        settings / "config.json",
        {
            "extensionName": _LAYOUT,
            "digestAlgorithm": "sha256",
            "tupleSize": _WIDTH,
            "numberOfTuples": _TUPLES,
        },
    )


def object_path(root: Path, identifier: str) -> Path:
    """Return the folder of an object: by the digest of its id, and named by the id itself."""
    digest = hashlib.sha256(identifier.encode()).hexdigest()
    tuples = [digest[start : start + _WIDTH] for start in range(0, _TUPLES * _WIDTH, _WIDTH)]
    name = "".join(
        chr(octet) if chr(octet) in _PLAIN else f"%{octet:02x}" for octet in identifier.encode()
    )
    if len(name) > _LONGEST:
        name = f"{name[:_LONGEST]}-{digest}"
    return root.joinpath(*tuples, name)


@dataclass
class Object:
    """One object that is being written, version by version."""

    root: Path
    identifier: str
    _manifest: dict[str, list[str]] = field(default_factory=dict)
    _fixity: dict[str, list[str]] = field(default_factory=dict)
    _versions: dict[str, Json] = field(default_factory=dict)

    def add_version(
        self, files: dict[str, bytes], *, created: str, message: str, user: str
    ) -> None:
        """Write the next version: `files` by logical path. Content that is there stays where it is.

        `created` is an RFC 3339 time; `user` the name of whoever made the version.
        """
        head = f"v{len(self._versions) + 1}"
        place = object_path(self.root, self.identifier)
        state: dict[str, list[str]] = {}
        for path, content in files.items():
            digest = hashlib.sha512(content).hexdigest()
            state.setdefault(digest, []).append(path)
            if digest in self._manifest:
                continue
            stored = f"{head}/content/{path}"
            target = place / stored
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            self._manifest[digest] = [stored]
            self._fixity.setdefault(hashlib.sha256(content).hexdigest(), []).append(stored)
        self._versions[head] = {
            "created": created,
            "message": message,
            "state": _json(state),
            "user": {"name": user, "address": self.identifier},
        }
        (place / head).mkdir(parents=True, exist_ok=True)
        (place / _OBJECT).write_text(f"{_OBJECT[2:]}\n", encoding="utf-8")
        for folder in (place / head, place):
            self._write_inventory(folder, head)

    def _write_inventory(self, folder: Path, head: str) -> None:
        """Write the inventory and its digest beside it."""
        inventory: dict[str, Json] = {
            "id": self.identifier,
            "type": _TYPE,
            "digestAlgorithm": "sha512",
            "head": head,
            "contentDirectory": "content",
            "manifest": _json(self._manifest),
            "versions": dict(self._versions),
            "fixity": {"sha256": _json(self._fixity)},
        }
        content = _write_json(folder / _INVENTORY, inventory)
        line = f"{hashlib.sha512(content).hexdigest()} {_INVENTORY}\n"
        (folder / f"{_INVENTORY}.sha512").write_text(line, encoding="utf-8")


def read_object(root: Path, identifier: str) -> list[dict[str, bytes]]:
    """Return the files of each version by logical path, every digest checked.

    Raises IntegrityError where anything is missing or altered.
    """
    place = object_path(root, identifier)
    try:
        raw = (place / _INVENTORY).read_bytes()
        kept = (place / f"{_INVENTORY}.sha512").read_text(encoding="utf-8").split()[0]
        _check(kept, hashlib.sha512(raw).hexdigest(), f"the inventory of {identifier}")
        inventory = json.loads(raw)
        count = int(str(inventory["head"]).removeprefix("v"))
        return [_files(place, inventory, f"v{number}") for number in range(1, count + 1)]
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise IntegrityError(
            f"the object {identifier} cannot be read: {error}",
            expected="an OCFL 1.1 object",
            actual=str(place),
        ) from error


def _files(place: Path, inventory: dict[str, Any], version: str) -> dict[str, bytes]:
    """Return the files of one version."""
    files = {}
    for digest, paths in inventory["versions"][version]["state"].items():
        stored = str(inventory["manifest"][digest][0])
        target = (place / stored).resolve()
        if not target.is_relative_to(place.resolve()):
            raise ValueError(f"{stored} leads out of its object")
        content = target.read_bytes()
        _check(digest.lower(), hashlib.sha512(content).hexdigest(), stored)
        files.update(dict.fromkeys(paths, content))
    return files


def _check(expected: str, actual: str, what: str) -> None:
    if expected != actual:
        raise IntegrityError(
            f"{what} is altered", expected=f"sha-512:{expected}", actual=f"sha-512:{actual}"
        )


def _json(lists: dict[str, list[str]]) -> dict[str, Json]:
    return {name: list(paths) for name, paths in lists.items()}


def _write_json(path: Path, value: Json) -> bytes:
    content = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False).encode()
    path.write_bytes(content)
    return content
