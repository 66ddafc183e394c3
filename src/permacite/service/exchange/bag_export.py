"""BagIt export of documents: contents as files, their digests, and all that is on record.

The BagIt File Packaging Format, RFC 8493:
  §2.1.1 bagit.txt                  -> `export`, written last: what was cut off is no bag
  §2.1.2 payload, `data/`           -> `_Bag.put`: each format of each version, under its name
  §2.1.3 payload manifests          -> SHA-256, which are the digests that were committed, SHA-512
  §2.2.1 tag manifests              -> the same of all files beside `data/`
  §2.2.2 bag-info.txt               -> `_info`
  §2.2.4 other tag files            -> `permacite/versions.jsonl`, `permacite/citations.jsonl`

Deviations: none.
Readings: names of files are made of letters, digits, `.`, `-` and `_` alone, for programs read the
escapes of manifests (§2.1.3) in different ways; `versions.jsonl` says which name each file has.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, NamedTuple

from permacite.archive.model.answered import utc_now
from permacite.archive.transport.stream import BatchOutcome, carry
from permacite.service.exchange.bagit import CITATIONS, VERSIONS
from permacite.service.exchange.warc import DocumentSource, citations, former_names, octets_of
from permacite.service.preservation import DocumentExport
from permacite.version import __version__

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path
    from typing import BinaryIO

    from permacite.archive.model.answered import JSON, Representation, Version
    from permacite.archive.repository import Repository
    from permacite.service.exchange.warc import DocumentBatch, Octets

__all__ = ["export"]

_STEP = 1 << 20
_LONGEST = 100
_ALGORITHMS = ("sha256", "sha512")
_VERSION = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"


def export(repository: Repository, folder: Path, pattern: str | None) -> DocumentExport:
    """Write the versions that `pattern` covers (all where None) as a bag.

    Raises FileExistsError where `folder` is there.
    """
    folder.mkdir()
    bag = _Bag(folder)
    (folder / VERSIONS).parent.mkdir()
    try:
        with (folder / VERSIONS).open("xb") as lines:
            sink = _BagSink(repository, bag, lines)
            carried = carry(DocumentSource(repository, pattern), sink)
        bag.note_tag(folder / VERSIONS)
        with (folder / CITATIONS).open("xb") as lines:
            for citation in citations(repository.public(), pattern):
                lines.write(_line(citation))
        bag.note_tag(folder / CITATIONS)
    finally:
        bag.release()
    bag.close(_info(repository, pattern, bag))
    return DocumentExport(sink.versions, bag.count, carried.left_out)


class _BagSink:
    """The payload of a bag, and the tag file that describes each version."""

    def __init__(self, repository: Repository, bag: _Bag, lines: BinaryIO) -> None:
        self.versions = 0
        self._owned = repository
        self._repository = repository.public()
        self._bag = bag
        self._lines = lines

    def position(self) -> int:
        """A bag is written as a whole."""
        return 0

    def take(self, batch: DocumentBatch) -> BatchOutcome:
        """Write the formats of a version, then the line that names them."""
        version = batch.version
        withdrawn = self._owned.lookup.restrictions(version.representations)
        for item in version.representations:
            if item.pdi not in withdrawn:  # raises ClosedError: a bag is complete, or refused
                self._repository.contents.check_access(item)
        files: dict[str, JSON] = {}
        formats: dict[str, JSON] = {}
        for item in batch.formats:
            with octets_of(self._repository, item) as octets:
                files[str(item.pdi)] = self._bag.put(_path(version, item), octets)
            formats[str(item.pdi)] = {
                "media_type": item.media_type,
                "charset": item.charset,
                "derived_from": item.derived_from,
                "rendition": item.rendition,
                "digest": item.digest,
            }
        if files:
            standing = self._repository.access.standing(version.pdi)
            kept = {"ground": standing.ground, "retain_until": _day(standing.retain_until)}
            described: dict[str, JSON] = {"files": files, "formats": formats, "standing": kept}
            self._lines.write(_line(_on_record(version) | described))
            self.versions += 1
        return BatchOutcome(len(files), left_out=batch.left_out)


def _line(value: JSON) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _on_record(version: Version) -> dict[str, JSON]:
    provenance = version.provenance
    retrieved_at = provenance.retrieved_at
    return {
        "document": str(version.pdi.document),
        "version": version.number,
        "title": version.title,
        "uri": provenance.uri,
        "final_uri": provenance.final_uri,
        "retrieved_at": None if retrieved_at is None else retrieved_at.isoformat(),
        "committed_at": version.committed_at.isoformat(),
        "same_as": dict(former_names(version)),
        "provenance": dict(provenance.details),
    }


def _path(version: Version, item: Representation) -> str:
    """Return the path of a format below `data/`: series, date, document, version, format."""
    name = str(version.pdi.document).partition("//")[2]
    *folders, document = name.split("/")
    return "/".join(
        [*map(_safe, folders), _safe(document), str(version.number), _safe(item.format)]
    )


def _safe(text: str) -> str:
    """Return a file name that every system accepts, the same for the same text and no other."""
    plain = "".join(
        each if each.isascii() and (each.isalnum() or each in "-_.") else "_" for each in text
    )
    if plain == text.lower() and len(plain) <= _LONGEST and not plain.startswith("."):
        return plain
    return f"{plain[:_LONGEST].lstrip('.')}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


class _Written(NamedTuple):
    """A file, and its digests."""

    path: str
    digests: tuple[str, ...]


class _Bag:
    """A bag that is being written; its manifests grow on the disk."""

    def __init__(self, folder: Path) -> None:
        self.count = 0
        self.size_bytes = 0
        self._folder = folder
        self._tags: list[_Written] = []
        (folder / "data").mkdir()
        self._manifests: list[BinaryIO] = [
            (folder / f"manifest-{name}.txt").open("xb") for name in _ALGORITHMS
        ]

    def put(self, name: str, octets: Octets) -> str:
        """Write a file of the payload; return its path."""
        path = self._folder / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        digests = [hashlib.new(each) for each in _ALGORITHMS]
        with path.open("xb") as file:
            for start in range(0, len(octets), _STEP):
                piece = octets[start : start + _STEP]
                file.write(piece)
                for digest in digests:
                    digest.update(piece)
        for manifest, digest in zip(self._manifests, digests, strict=True):
            manifest.write(f"{digest.hexdigest()}  data/{name}\n".encode())
        self.count += 1
        self.size_bytes += len(octets)
        return f"data/{name}"

    def note_tag(self, path: Path) -> None:
        """Note the digests of a tag file."""
        digests = []
        for name in _ALGORITHMS:
            with path.open("rb") as file:
                digests.append(hashlib.file_digest(file, name).hexdigest())
        self._tags.append(_Written(path.relative_to(self._folder).as_posix(), tuple(digests)))

    def release(self) -> None:
        """Close the manifests."""
        for manifest in self._manifests:
            manifest.close()

    def close(self, info: str) -> None:
        """Write bag-info.txt, the tag manifests and bagit.txt."""
        (self._folder / "bag-info.txt").write_text(info, encoding="utf-8", newline="\n")
        for name in _ALGORITHMS:
            self.note_tag(self._folder / f"manifest-{name}.txt")
        self.note_tag(self._folder / "bag-info.txt")
        stamped = _VERSION.encode()
        digests = tuple(hashlib.new(each, stamped).hexdigest() for each in _ALGORITHMS)
        self._tags.append(_Written("bagit.txt", digests))
        for place, name in enumerate(_ALGORITHMS):
            lines = "".join(f"{each.digests[place]}  {each.path}\n" for each in self._tags)
            path = self._folder / f"tagmanifest-{name}.txt"
            path.write_text(lines, encoding="utf-8", newline="\n")
        (self._folder / "bagit.txt").write_bytes(stamped)


def _info(repository: Repository, pattern: str | None, bag: _Bag) -> str:
    """Return the text of bag-info.txt (RFC 8493 §2.2.2)."""
    covers = pattern or f"all of {', '.join(repository.settings.series_names())}"
    fields = {
        "Bag-Software-Agent": f"permacite {__version__}",
        "Bagging-Date": f"{utc_now():%Y-%m-%d}",
        "Payload-Oxum": f"{bag.size_bytes}.{bag.count}",
        "External-Description": "Archived documents with their permanent names",
        "External-Identifier": " ".join(covers.split()),
    }
    return "".join(f"{name}: {value}\n" for name, value in fields.items())
