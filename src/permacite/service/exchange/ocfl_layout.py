"""OCFL layout: the folders of objects and their inventories.

OCFL 1.1 (ocfl.io/1.1/spec):
  §3 objects, §3.5 inventory, §3.5.3 versions -> `Object`, `read_object`
  §4 storage root                             -> `make_root`, `is_root`, `check_root`
  extension 0003 (hash and id n-tuple layout) -> `object_path`

Deviations: none.
Readings: content is addressed by SHA-512, as the specification prefers; the recorded SHA-256 is in
the fixity block, so that both can be compared. An object must be exactly as it was written: an
inventory that does not match the files is damage, and so is an extra file.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from permacite.errors import ConflictError, IntegrityError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from permacite.archive.model.answered import Delegation
    from permacite.archive.repository import Repository
    from permacite.service.plain import Json

__all__ = [
    "RECORDS",
    "Object",
    "check_root",
    "delegations_of",
    "is_root",
    "make_root",
    "moment_of",
    "object_path",
    "read_object",
]

RECORDS = "urn:permacite:archive"
"""The identifier of the object that has the log and what belongs to no single document."""
_TIMES = ("committed_at", "stated_at", "recorded_at", "sealed_at", "cited_at", "erased_at")
"""The member with the time, in the several kinds of entries."""
_ROOT = "0=ocfl_1.1"
_OBJECT = "0=ocfl_object_1.1"
_LAYOUT = "0003-hash-and-id-n-tuple-storage-layout"
_TYPE = "https://ocfl.io/1.1/spec/#inventory"
_TUPLES, _WIDTH = 3, 3
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
_LONGEST = 100
_INVENTORY = "inventory.json"
_BESIDE = (_INVENTORY, f"{_INVENTORY}.sha512")
_OTHERS = ("logs/", "extensions/")
"""Folders of an object that third-party software may use (OCFL 1.1 §3.1)."""
_OF_VERSIONS = ({"created", "message", "state", "user"}, {"name", "address"})


def is_root(directory: Path) -> bool:
    """Whether a folder is an OCFL storage root."""
    return (directory / _ROOT).is_file()


def make_root(directory: Path) -> None:
    """Make a storage root. Raises ConflictError where anything is there."""
    if directory.exists() and any(directory.iterdir()):
        raise ConflictError(f"{directory} is not empty", str(directory))
    directory.mkdir(0o700, parents=True, exist_ok=True)
    for path, content in _root_files().items():
        target = directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def check_root(directory: Path) -> None:
    """Raise IntegrityError where a storage root is not declared as `make_root` does."""
    for path, content in _root_files().items():
        kept = (directory / path).read_bytes() if (directory / path).is_file() else b""
        _check(hashlib.sha512(content).hexdigest(), hashlib.sha512(kept).hexdigest(), path)


def _root_files() -> dict[str, bytes]:
    """Return the files that describe the layout, by path."""
    settings: dict[str, Json] = {
        "extensionName": _LAYOUT,
        "digestAlgorithm": "sha256",
        "tupleSize": _WIDTH,
        "numberOfTuples": _TUPLES,
    }
    description = "Folders of three letters of the SHA-256 of the object's id, then the id, escaped"
    return {
        _ROOT: f"{_ROOT[2:]}\n".encode(),
        "ocfl_layout.json": _as_json({"extension": _LAYOUT, "description": description}),
        f"extensions/{_LAYOUT}/config.json": _as_json(settings),
    }


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
        self, files: Mapping[str, bytes | Iterator[bytes]], *, created: str, message: str, user: str
    ) -> None:
        """Write the next version: `files` by logical path. Content that exists is not repeated.

        Iterators are written piece by piece. `created` is an RFC 3339 time, `user` the name of the
        author of the version.
        """
        head = f"v{len(self._versions) + 1}"
        place = object_path(self.root, self.identifier)
        state: dict[str, list[str]] = {}
        for path, content in files.items():
            stored = f"{head}/content/{path}"
            target = place / stored
            target.parent.mkdir(parents=True, exist_ok=True)
            pieces = iter((content,)) if isinstance(content, bytes) else content
            digest, fixity = _written(target, pieces)
            state.setdefault(digest, []).append(path)
            if digest in self._manifest:
                target.unlink()
                _remove_empty(target.parent, place)
                continue
            self._manifest[digest] = [stored]
            self._fixity.setdefault(fixity, []).append(stored)
        self._versions[head] = {
            "created": created,
            "message": message,
            "state": _json(state),
            "user": {"name": user, "address": self.identifier},
        }
        (place / head).mkdir(parents=True, exist_ok=True)
        (place / _OBJECT).write_text(f"{_OBJECT[2:]}\n", encoding="utf-8")
        for folder in (place / head, place):
            self._write_inventory(folder)

    def _write_inventory(self, folder: Path) -> None:
        """Write the inventory and its digest beside it."""
        inventory = _inventory(
            self.identifier, _json(self._manifest), dict(self._versions), _json(self._fixity)
        )
        content = _as_json(inventory)
        (folder / _INVENTORY).write_bytes(content)
        line = f"{hashlib.sha512(content).hexdigest()} {_INVENTORY}\n"
        (folder / f"{_INVENTORY}.sha512").write_text(line, encoding="utf-8")


def _written(target: Path, pieces: Iterator[bytes]) -> tuple[str, str]:
    """Write a file; return its SHA-512 and its SHA-256."""
    digest, fixity = hashlib.sha512(), hashlib.sha256()
    with target.open("wb") as file:
        for piece in pieces:
            digest.update(piece)
            fixity.update(piece)
            file.write(piece)
    return digest.hexdigest(), fixity.hexdigest()


def _remove_empty(folder: Path, place: Path) -> None:
    """Remove empty folders up to that of the object."""
    while folder != place and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _inventory(
    identifier: str, manifest: dict[str, Json], versions: dict[str, Json], fixity: dict[str, Json]
) -> dict[str, Json]:
    """Return an inventory (OCFL 1.1 §3.5); the last version is its head."""
    return {
        "id": identifier,
        "type": _TYPE,
        "digestAlgorithm": "sha512",
        "head": f"v{len(versions)}",
        "contentDirectory": "content",
        "manifest": manifest,
        "versions": versions,
        "fixity": {"sha256": fixity},
    }


def read_object(root: Path, identifier: str) -> list[dict[str, bytes]]:
    """Read the files of each version by logical path; check every digest and inventory.

    Raises IntegrityError where anything is missing, altered or extra.
    """
    place = object_path(root, identifier)
    try:
        _check_text(place / _OBJECT, f"{_OBJECT[2:]}\n")
        inventory = _read_inventory(place)
        _check_versions(inventory["versions"])
        stored = _stored(place, inventory["versions"])
        for number in range(1, len(inventory["versions"]) + 1):
            of_version = _read_inventory(place / f"v{number}")
            _check_same(of_version, _expected(identifier, number, inventory["versions"], stored))
        _check_same(inventory, of_version)
        by_digest = {hashlib.sha512(content).hexdigest(): content for content in stored.values()}
        return [
            {
                path: by_digest[digest]
                for digest, paths in inventory["versions"][f"v{number}"]["state"].items()
                for path in paths
            }
            for number in range(1, len(inventory["versions"]) + 1)
        ]
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise IntegrityError(
            f"the object {identifier} cannot be read: {error}",
            expected="an OCFL 1.1 object",
            actual=str(place),
        ) from error


def _read_inventory(folder: Path) -> dict[str, Any]:
    """Read an inventory that matches the digest beside it."""
    raw = (folder / _INVENTORY).read_bytes()
    kept = (folder / f"{_INVENTORY}.sha512").read_text(encoding="utf-8")
    _check(kept, f"{hashlib.sha512(raw).hexdigest()} {_INVENTORY}\n", f"{folder.name}/{_INVENTORY}")
    inventory: dict[str, Any] = json.loads(raw)
    return inventory


def _check_versions(versions: dict[str, Any]) -> None:
    """Raise ValueError unless versions are numbered from 1 and have all required members."""
    if not versions or set(versions) != {f"v{n}" for n in range(1, len(versions) + 1)}:
        raise ValueError("the versions are not numbered from v1 without a gap")
    for version in versions.values():
        datetime.fromisoformat(version["created"])
        words = [version["message"], *version["user"].values()]
        words += [path for paths in version["state"].values() for path in paths]
        members = (set(version), set(version["user"]))
        if members != _OF_VERSIONS or not all(isinstance(word, str) for word in words):
            raise ValueError("a version must tell when, what, who, and its files")


def _stored(place: Path, versions: dict[str, Any]) -> dict[str, bytes]:
    """Read all content by its path in the object. Raises ValueError for any other file."""
    folders = ("", *(f"{head}/" for head in versions))
    beside = {f"{folder}{name}" for folder in folders for name in _BESIDE}
    stored = {}
    for path in sorted(place.rglob("*")):
        name = path.relative_to(place).as_posix()
        if not path.resolve().is_relative_to(place.resolve()):
            raise ValueError(f"{name} leads out of its object")
        if not path.is_file() or name in beside or name == _OBJECT or name.startswith(_OTHERS):
            continue
        head, _, rest = name.partition("/")
        if head not in versions or not rest.startswith("content/"):
            raise ValueError(f"{name} is no part of the object")
        stored[name] = path.read_bytes()
    return stored


def _expected(
    identifier: str, number: int, versions: dict[str, Json], stored: dict[str, bytes]
) -> dict[str, Json]:
    """Return the inventory that a version must have, by the existing files."""
    heads = [f"v{each}" for each in range(1, number + 1)]
    manifest: dict[str, Json] = {}
    fixity: dict[str, Json] = {}
    for path, content in stored.items():
        if path.partition("/")[0] in heads:
            manifest[hashlib.sha512(content).hexdigest()] = [path]
            fixity[hashlib.sha256(content).hexdigest()] = [path]
    return _inventory(identifier, manifest, {head: versions[head] for head in heads}, fixity)


def _check_same(actual: dict[str, Any], expected: dict[str, Any]) -> None:
    """Raise ValueError with the member in which an inventory differs."""
    for name in sorted(actual.keys() | expected.keys()):
        if actual.get(name) != expected.get(name):
            raise ValueError(f"{name!r} of an inventory is altered, or is not what the files say")


def _check_text(path: Path, expected: str) -> None:
    if path.read_text(encoding="utf-8") != expected:
        raise ValueError(f"{path.name} is altered")


def _check(expected: str, actual: str, what: str) -> None:
    if expected != actual:
        raise IntegrityError(
            f"{what} is altered", expected=f"sha-512:{expected}", actual=f"sha-512:{actual}"
        )


def _json(lists: dict[str, list[str]]) -> dict[str, Json]:
    return {name: list(paths) for name, paths in lists.items()}


def _as_json(value: Json) -> bytes:
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False).encode()


def delegations_of(repository: Repository) -> list[Delegation]:
    """The delegations of both kinds."""
    return [
        *repository.delegations.delegations("resolver"),
        *repository.delegations.delegations("minter"),
    ]


def moment_of(entry: dict[str, Any]) -> str | None:
    """Return the time in an entry of the log, or in a record like one; None if erased."""
    return next((str(entry[name]) for name in _TIMES if name in entry), None)
