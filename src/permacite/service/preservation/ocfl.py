"""A whole archive as OCFL objects, one a document, and back.

| object | files of each version |
|---|---|
| `urn:pdi://series/date/id` | `version.json`, `formats/<token>`, `received/<token>`, sidecars |
| `urn:permacite:archive` | `archive.json`, the log and its openings, what else is on record |

Version n of an object is version n of the document. `replaying` makes an archive of them.

Readings: what is withdrawn or closed is copied too, for this is a copy to be kept, not given out.
Of what is erased there are the names, and the hashes of its entries. The log's key is secret and
stays behind: the new archive signs with a key of its own, and keeps what the old one signed (see
`copies`). Idempotency keys guard requests that are under way, and are not copied;
nor are private notes on withdrawals.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import secrets
import shutil
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from permacite.archive.entries import is_erased, read, tokens
from permacite.archive.objects import flush_folder
from permacite.errors import ConflictError, IntegrityError
from permacite.service import names
from permacite.service.plain import Json, members, plain
from permacite.service.preservation import copies, layout
from permacite.service.preservation.copies import Copy

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path

    from permacite import pdi
    from permacite.archive import (
        Citation,
        Delegation,
        Leaf,
        Repository,
        Version,
    )

__all__ = ["RECORDS", "delegations_of", "export", "moment_of", "numbered"]

RECORDS = "urn:permacite:archive"
_USER = "permacite"
_TIMES = ("committed_at", "stated_at", "recorded_at", "sealed_at", "cited_at", "erased_at")
"""The member that tells when, in the several kinds of entries."""


def export(repository: Repository, directory: Path) -> Copy:
    """Write all that is committed as OCFL objects, without what is erased.

    An earlier copy of this archive is written anew. Raises ConflictError where anything else is
    there, IntegrityError where that copy cannot be read.
    """
    if not layout.is_root(directory):
        return _written(repository, directory)
    _check_own(repository, directory)
    aside, before = (
        directory.with_name(f"{directory.name}.{secrets.token_hex(8)}.{what}")
        for what in ("new", "old")
    )
    try:
        copy = _written(repository, aside)
        directory.rename(before)
        aside.rename(directory)
        flush_folder(directory.parent)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    shutil.rmtree(before)
    return dataclasses.replace(copy, directory=str(directory))


def _check_own(repository: Repository, directory: Path) -> None:
    """Raise ConflictError where a copy is of another archive, IntegrityError for a damaged one."""
    records = layout.read_object(directory, RECORDS)[-1]
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


def _written(repository: Repository, directory: Path) -> Copy:
    """Write all that is committed into a new folder."""
    layout.make_root(directory)
    size = repository.log.size()
    leaves = list(repository.log.leaves(0, size))
    entries: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for leaf in leaves:
        entry = repository.log.disclosed(leaf)
        gone = [{"format": token} for token in tokens(read(leaf.content))]
        if "formats" in entry or gone:
            whole = all(isinstance(format_, dict) for format_ in entry.get("formats", [""]))
            entries[entry["name"]].append(entry if whole else entry | {"formats": gone})
    versions = 0
    for name, of_document in entries.items():
        object_ = layout.Object(directory, name)
        for number in sorted({int(entry["version"]) for entry in of_document}):
            of_version = [entry for entry in of_document if entry["version"] == number]
            formats = [format_ for entry in of_version for format_ in entry["formats"]]
            version = repository.version(numbered(name, formats[0]["format"], number))
            formats.sort(key=lambda format_: version.formats.index(format_["format"]))
            object_.add_version(
                _files(repository, version, formats),
                created=_time(version.committed_at),
                message=version.title or "committed",
                user=_USER,
            )
            versions += 1
    _write_records(repository, directory, leaves)
    return Copy(str(directory), len(entries), versions, size)


def numbered(name: str, token: str, number: int) -> pdi.PDI:
    """The full name of a format."""
    return names.document_of(name)[0].with_(format=token, version=number)


def _files(
    repository: Repository, version: Version, formats: list[dict[str, Any]]
) -> dict[str, bytes]:
    """The files of one version: what it says of itself, and its octets."""
    files: dict[str, bytes] = {}
    described: list[Json] = []
    for format_ in formats:
        token = str(format_["format"])
        if not version.representation(token).digest:
            media_type = version.representation(token).media_type
            described.append({"format": token, "media_type": media_type, "erased": True})
            continue
        files[f"formats/{token}"] = repository.octets(format_["digest"])
        if "received_digest" in format_:
            files[f"received/{token}"] = repository.octets(format_["received_digest"])
        paths: dict[str, Json] = {}
        sidecars = sorted(format_.get("attachments", {}).items())
        for number, (sidecar, digest) in enumerate(sidecars, 1):
            paths[sidecar] = f"attachments/{token}/{number}"
            files[f"attachments/{token}/{number}"] = repository.octets(digest)
        described.append(format_ | {"attachments": paths})
    record: dict[str, Json] = {
        "name": str(version.pdi.document),
        "version": version.number,
        "serial": repository.is_serial(version.pdi),
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
        "standing": plain(repository.standing(version.pdi)),
    }
    return {"version.json": _json(record), **files}


def _write_records(repository: Repository, directory: Path, leaves: list[Leaf]) -> None:
    """Write what belongs to no single document."""
    about: dict[str, Json] = {
        "series": list(repository.series_names()),
        "resolver": repository.setting("resolver"),
        "sealing": repository.setting("sealing"),
        "size": len(leaves),
        "root": base64.b64encode(repository.log.root(len(leaves))).decode(),
        "key": str(repository.log.verifier),
        "earlier": [plain(item) for item in copies.earlier_logs(repository)],
        # What was erased from an entry in clear cannot be hashed again.
        "hashes": {
            str(leaf.sequence): leaf.hash.hex() for leaf in leaves if is_erased(leaf.content)
        },
    }
    files = {
        "archive.json": _json(about),
        "log.jsonl": b"".join(leaf.content + b"\n" for leaf in leaves),
        "openings.jsonl": _lines(
            {part: opening.decode() for part, opening in repository.log.openings(leaf).items()}
            for leaf in leaves
        ),
        "persons.json": _json(dict(repository.statements.persons())),
        "citations.jsonl": _lines(map(_citation, repository.citations())),
        "delegations.jsonl": _lines(
            plain(item)
            for item in sorted(delegations_of(repository), key=lambda item: item.recorded_at)
        ),
        "checkpoint.txt": repository.log.checkpoint().encode(),
    }
    created = moment_of(read(leaves[-1].content)) if leaves else None
    records = layout.Object(directory, RECORDS)
    records.add_version(
        files,
        created=created or "1970-01-01T00:00:00Z",
        message="the archive as it was",
        user=_USER,
    )


def delegations_of(repository: Repository) -> list[Delegation]:
    """The delegations of both kinds."""
    return [
        *repository.delegations.delegations("resolver"),
        *repository.delegations.delegations("minter"),
    ]


def moment_of(entry: dict[str, Any]) -> str | None:
    """The time in an entry of the log, or in a record like one; None if erased."""
    return next((str(entry[name]) for name in _TIMES if name in entry), None)


def _citation(citation: Citation) -> Json:
    """A citation as it is written; its fields are those of NewCitation."""
    values = {item.name: getattr(citation, item.name) for item in dataclasses.fields(citation)}
    return members(values | {"pdi": str(citation.pdi)})


def _lines(values: Iterable[Json]) -> bytes:
    return b"".join(_json(value, indent=None) + b"\n" for value in values)


def _json(value: Json, *, indent: int | None = 2) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=indent, sort_keys=True).encode()


def _time(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
