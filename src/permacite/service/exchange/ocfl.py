"""OCFL export of a whole archive: one object for each document, and one for the log.

| object | files of each version |
|---|---|
| `urn:pdi://series/date/id` | `version.json`, `formats/<token>`, `received/<token>`, sidecars |
| `urn:permacite:archive` | `archive.json`, the log and its openings, the other records |

Version n of an object is version n of the document. `ocfl_import` makes an archive of them.

Readings: this copy is for preservation, not for publication, so withdrawn and closed documents are
in it. Of what is erased, it has the names and the hashes of the entries. The log's key is secret
and is left out: the new archive signs with a key of its own, and keeps what the old one signed (see
`proofs.logs`). Idempotency keys guard requests that are under way, and are left out; so are private
notes on withdrawals.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import secrets
import shutil
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.archive.entries import commitments, is_erased, read, tokens
from permacite.archive.objects.durable import flush_folder, writing
from permacite.archive.transport.stream import BatchOutcome, LeftOut, carry
from permacite.errors import ConflictError, IntegrityError
from permacite.service import names
from permacite.service.exchange import ocfl_layout
from permacite.service.exchange.ocfl_layout import RECORDS, delegations_of, moment_of
from permacite.service.plain import Json, members, plain
from permacite.service.preservation import Copy
from permacite.service.proofs.logs import earlier_logs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from permacite import pdi
    from permacite.archive.entries import Leaf
    from permacite.archive.model.answered import Citation, Version
    from permacite.archive.repository import Repository

__all__ = ["export"]

_USER = "permacite"
_ENTRIES_AT_ONCE = 256
_LEFT_OUT = (
    LeftOut("idempotency", "keys of requests that are under way"),
    LeftOut("remark", "private notes on withdrawals"),
    LeftOut("jotting", "tags, notes and collections of the owner"),
    LeftOut("watch", "pages that are watched"),
    LeftOut("live_page", "checks of live pages"),
    LeftOut("timestamp", "trusted timestamps of checkpoints"),
)
"""The tables that OCFL objects do not take."""


def export(repository: Repository, directory: Path, _pattern: None = None) -> Copy:
    """Write all that is committed as OCFL objects, without what is erased.

    An earlier copy of this archive is replaced once the new one is complete.
    Raises ConflictError where anything else is there, IntegrityError where that copy cannot be
    read, StorageError where it cannot be written: then nothing half is left.
    """
    with writing("the copy", directory, hint="what was there before is whole"):
        if ocfl_layout.is_root(directory):
            _check_own(repository, directory)
            return _replaced(repository, directory)
        was_there = directory.exists()
        ocfl_layout.make_root(directory)
        try:
            return _written(repository, directory)
        except BaseException:
            _clear(directory, whole=not was_there)
            raise


def _replaced(repository: Repository, directory: Path) -> Copy:
    """Write a copy aside, and put it in the place of the one that is there."""
    aside, before = (
        directory.with_name(f"{directory.name}.{secrets.token_hex(8)}.{what}")
        for what in ("new", "old")
    )
    try:
        ocfl_layout.make_root(aside)
        copy = _written(repository, aside)
        directory.rename(before)
        aside.rename(directory)
        flush_folder(directory.parent)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    shutil.rmtree(before)
    return dataclasses.replace(copy, directory=str(directory))


def _clear(directory: Path, *, whole: bool) -> None:
    """Remove what was written so far, with the folder or without."""
    for path in directory.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    if whole:
        directory.rmdir()


def _check_own(repository: Repository, directory: Path) -> None:
    """Raise ConflictError where a copy is of another archive, IntegrityError for a damaged one."""
    records = ocfl_layout.read_object(directory, RECORDS)[-1]
    try:
        about = json.loads(records["archive.json"])
        size, root = int(about["size"]), about["root"]
    except (LookupError, TypeError, ValueError) as error:
        raise IntegrityError(
            f"the copy that is there cannot be read: {error}",
            expected="the records of an archive",
            actual=str(directory),
        ) from error
    same = 0 <= size <= repository.log.size()
    if not same or root != base64.b64encode(repository.log.root(size)).decode():
        raise ConflictError(f"{directory} is a copy of another archive", str(directory))


class _LeafBatch(NamedTuple):
    """Consecutive entries of the log of this archive."""

    end: int
    leaves: Sequence[Leaf]


class _LogSource:
    """The log of an archive, as its owner sees it."""

    def __init__(self, repository: Repository) -> None:
        self._log = repository.log
        self.size = self._log.size()

    def batches(self, start: int) -> Iterator[_LeafBatch]:
        """Yield the entries from `start` on."""
        while start < self.size:
            end = min(self.size, start + _ENTRIES_AT_ONCE)
            yield _LeafBatch(end, list(self._log.leaves(start, end)))
            start = end


class _ObjectSink:
    """A storage root that is being written; `finish` writes one object for each document."""

    def __init__(self, repository: Repository, directory: Path) -> None:
        self._repository = repository
        self._directory = directory
        self._documents: dict[str, list[int]] = {}

    def position(self) -> int:
        """A copy is written as a whole."""
        return 0

    def take(self, batch: _LeafBatch) -> BatchOutcome:
        """Note the entries of each document; those that are erased are left out."""
        erased = []
        for leaf in batch.leaves:
            fields = read(leaf.content)
            if tokens(fields):
                self._documents.setdefault(fields["name"], []).append(leaf.sequence)
                openings = {} if is_erased(leaf.content) else self._repository.log.openings(leaf)
                if is_erased(leaf.content) or commitments(fields).keys() - openings.keys():
                    erased.append(LeftOut(str(fields["name"]), "erased"))
        return BatchOutcome(left_out=erased)

    def finish(self, size: int) -> tuple[int, int]:
        """Write all objects; the numbers of documents and versions."""
        versions = sum(
            _write_document(self._repository, self._directory, name, places)
            for name, places in self._documents.items()
        )
        _write_records(self._repository, self._directory, size)
        return len(self._documents), versions


def _written(repository: Repository, directory: Path) -> Copy:
    """Write all that is committed into a new root, a document at a time."""
    source, sink = _LogSource(repository), _ObjectSink(repository, directory)
    carried = carry(source, sink)
    documents, versions = sink.finish(source.size)
    left_out = (*_LEFT_OUT, *dict.fromkeys(carried.left_out))
    return Copy(str(directory), documents, versions, source.size, left_out=left_out)


def _write_document(
    repository: Repository, directory: Path, name: str, places: Iterable[int]
) -> int:
    """Write the object of a document, whose entries of the log are given; how many versions."""
    entries = [_entry(repository, place) for place in places]
    object_ = ocfl_layout.Object(directory, name)
    numbers = sorted({int(entry["version"]) for entry in entries})
    for number in numbers:
        of_version = [entry for entry in entries if entry["version"] == number]
        formats = [format_ for entry in of_version for format_ in entry["formats"]]
        version = repository.lookup.version(_numbered(name, formats[0]["format"], number))
        formats.sort(key=lambda format_: version.formats.index(format_["format"]))
        object_.add_version(
            _files(repository, version, formats),
            created=_time(version.committed_at),
            message=version.title or "committed",
            user=_USER,
        )
    return len(numbers)


def _entry(repository: Repository, place: int) -> dict[str, Any]:
    """Return an entry with its formats; erased ones have only their tokens."""
    (leaf,) = repository.log.leaves(place, place + 1)
    entry = repository.log.disclosed(leaf)
    if all(isinstance(format_, dict) for format_ in entry.get("formats", [""])):
        return entry
    return entry | {"formats": [{"format": token} for token in tokens(read(leaf.content))]}


def _numbered(name: str, token: str, number: int) -> pdi.PDI:
    """The full name of a format."""
    return names.document_of(name)[0].with_(format=token, version=number)


def _files(
    repository: Repository, version: Version, formats: list[dict[str, Any]]
) -> dict[str, bytes]:
    """Return the files of one version: its description and its contents."""
    files: dict[str, bytes] = {}
    described: list[Json] = []
    for format_ in formats:
        token = str(format_["format"])
        if not version.representation(token).digest:
            media_type = version.representation(token).media_type
            described.append({"format": token, "media_type": media_type, "erased": True})
            continue
        files[f"formats/{token}"] = repository.contents.octets(format_["digest"])
        if "received_digest" in format_:
            files[f"received/{token}"] = repository.contents.octets(format_["received_digest"])
        paths: dict[str, Json] = {}
        sidecars = sorted(format_.get("attachments", {}).items())
        for number, (sidecar, digest) in enumerate(sidecars, 1):
            paths[sidecar] = f"attachments/{token}/{number}"
            files[f"attachments/{token}/{number}"] = repository.contents.octets(digest)
        described.append(format_ | {"attachments": paths})
    record: dict[str, Json] = {
        "name": str(version.pdi.document),
        "version": version.number,
        "serial": repository.lookup.is_serial(version.pdi),
        "committed_at": _time(version.committed_at),
        **members(
            {
                "title": version.provenance.title,
                "uri": version.provenance.uri,
                "final_uri": version.provenance.final_uri,
                "retrieved_at": version.provenance.retrieved_at,
                "details": dict(version.provenance.details),
            }
        ),
        "formats": described,
        "standing": plain(repository.access.standing(version.pdi)),
    }
    return {"version.json": _json(record), **files}


def _write_records(repository: Repository, directory: Path, size: int) -> None:
    """Write the records that belong to no single document."""
    log = repository.log
    about: dict[str, Json] = {
        "series": list(repository.settings.series_names()),
        "resolver": repository.settings.get("resolver"),
        "sealing": repository.settings.get("sealing"),
        "size": size,
        "root": base64.b64encode(log.root(size)).decode(),
        "key": str(repository.log.keys.verifier),
        "earlier": [plain(item) for item in earlier_logs(repository)],
        # An erased entry in clear cannot be hashed again.
        "hashes": {
            str(leaf.sequence): leaf.hash.hex()
            for leaf in log.leaves(0, size)
            if is_erased(leaf.content)
        },
    }
    files: dict[str, bytes | Iterator[bytes]] = {
        "archive.json": _json(about),
        "log.jsonl": (leaf.content + b"\n" for leaf in log.leaves(0, size)),
        "openings.jsonl": _lines(
            {part: opening.decode() for part, opening in log.openings(leaf).items()}
            for leaf in log.leaves(0, size)
        ),
        "persons.json": _json(dict(repository.statements.persons())),
        "citations.jsonl": _lines(map(_citation, repository.passages.citations())),
        "delegations.jsonl": _lines(
            plain(item)
            for item in sorted(delegations_of(repository), key=lambda item: item.recorded_at)
        ),
        "checkpoint.txt": repository.log.checkpoints.current().encode(),
    }
    last = next(log.leaves(max(0, size - 1), size), None)
    created = None if last is None else moment_of(read(last.content))
    records = ocfl_layout.Object(directory, RECORDS)
    records.add_version(
        files,
        created=created or "1970-01-01T00:00:00Z",
        message="the archive as it was",
        user=_USER,
    )


def _citation(citation: Citation) -> Json:
    """Return a citation as JSON; its fields are those of NewCitation."""
    values = {item.name: getattr(citation, item.name) for item in dataclasses.fields(citation)}
    return members(values | {"pdi": str(citation.pdi)})


def _lines(values: Iterable[Json]) -> Iterator[bytes]:
    return (_json(value, indent=None) + b"\n" for value in values)


def _json(value: Json, *, indent: int | None = 2) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=indent, sort_keys=True).encode()


def _time(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
