"""A whole archive as OCFL objects, one a document, and back.

| object | files of each version |
|---|---|
| `urn:pdi://series/date/id` | `version.json`, `formats/<token>`, `received/<token>`, side objects |
| `urn:permacite:archive` | `archive.json`, the log and its openings, what else is on record |

Version n of an object is version n of the document. Coming back, the log is replayed entry by entry
under the times that it tells; the archive is the same if the root of its log is.

Readings: what was withdrawn is copied too, for this is a copy to be kept, not given out. The log's
key is secret and stays behind: the new archive signs with a key of its own, and keeps what the old
one signed (see `earlier`). Idempotency keys guard requests that are under way, and are not copied.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import secrets
import shutil
from collections import defaultdict
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from permacite.archive import (
    Archive,
    Citation,
    NewCitation,
    NewRepresentation,
    Provenance,
    Standing,
)
from permacite.archive.log.entries import Sealed, disclosed, in_clear, read, reopened, seal
from permacite.archive.log.merkle import leaf_hash
from permacite.archive.objects import flush_folder
from permacite.errors import ConflictError, IntegrityError, NotFoundError
from permacite.service import names
from permacite.service.plain import Json, members, plain
from permacite.service.promises.model import Copy, EarlierLog
from permacite.service.promises.preserving import earlier, layout

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from permacite import pdi
    from permacite.archive import Leaf, Version
    from permacite.archive.delegation import Delegation
    from permacite.archive.log.entries import Entry

__all__ = ["export", "restore"]

_RECORDS = "urn:permacite:archive"
_USER = "permacite"
_TIMES = ("committed_at", "stated_at", "recorded_at", "sealed_at", "cited_at")
"""The member that tells when, in the several kinds of entries."""


def export(archive: Archive, directory: Path) -> Copy:
    """Write all that is committed as OCFL objects. Raises ConflictError where anything is there."""
    layout.make_root(directory)
    size = archive.log.size()
    leaves = list(archive.log.leaves(0, size))
    entries: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for leaf in leaves:
        entry = archive.log.disclosed(leaf)
        if "formats" in entry:
            entries[entry["name"]].append(entry)
    versions = 0
    for name, told in entries.items():
        made = layout.Object(directory, name)
        numbers = sorted({int(entry["version"]) for entry in told})
        for number in numbers:
            formats = [one for e in told if e["version"] == number for one in e["formats"]]
            version = archive.version(_numbered(name, formats[0]["format"], number))
            formats.sort(key=lambda one: version.formats.index(one["format"]))
            made.add_version(
                _files(archive, version, formats),
                created=_time(version.committed_at),
                message=version.title or "committed",
                user=_USER,
            )
            versions += 1
    _write_records(archive, directory, leaves)
    return Copy(str(directory), len(entries), versions, size)


def _numbered(name: str, token: str, number: int) -> pdi.PDI:
    return names.document_of(name)[0].with_(format=token, version=number)


def _files(archive: Archive, version: Version, formats: list[dict[str, Any]]) -> dict[str, bytes]:
    """Return the files of one version: what it says of itself, and its octets."""
    files: dict[str, bytes] = {}
    described: list[Json] = []
    for told in formats:
        token = str(told["format"])
        files[f"formats/{token}"] = archive.octets(told["digest"])
        if "received_digest" in told:
            files[f"received/{token}"] = archive.octets(told["received_digest"])
        paths: dict[str, Json] = {}
        for number, (side, digest) in enumerate(sorted(told.get("attachments", {}).items()), 1):
            paths[side] = f"attachments/{token}/{number}"
            files[f"attachments/{token}/{number}"] = archive.octets(digest)
        described.append(told | {"attachments": paths})
    said: dict[str, Json] = {
        "name": str(version.pdi.document),
        "version": version.number,
        "serial": archive.is_serial(version.pdi),
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
        "standing": plain(archive.standing(version.pdi)),
    }
    return {"version.json": _json(said), **files}


def _write_records(archive: Archive, directory: Path, leaves: list[Leaf]) -> None:
    """Write what belongs to no single document."""
    about: dict[str, Json] = {
        "series": list(archive.series_names()),
        "resolver": archive.setting("resolver"),
        "sealing": archive.setting("sealing"),
        "size": len(leaves),
        "root": base64.b64encode(archive.log.root(len(leaves))).decode(),
        "key": str(archive.log.verifier),
        "earlier": [plain(one) for one in earlier.earlier_logs(archive)],
    }
    files = {
        "archive.json": _json(about),
        "log.jsonl": b"".join(leaf.content + b"\n" for leaf in leaves),
        "openings.jsonl": _lines(
            {part: opening.decode() for part, opening in archive.log.openings(leaf).items()}
            for leaf in leaves
        ),
        "persons.json": _json(dict(archive.statements.persons())),
        "citations.jsonl": _lines(map(_told, archive.citations())),
        "delegations.jsonl": _lines(
            plain(one) for one in sorted(_delegations(archive), key=lambda one: one.recorded_at)
        ),
        "checkpoint.txt": archive.log.checkpoint().encode(),
    }
    created = _told_at(json.loads(leaves[-1].content)) if leaves else "1970-01-01T00:00:00Z"
    records = layout.Object(directory, _RECORDS)
    records.add_version(files, created=created, message="the archive as it was", user=_USER)


def restore(source: Path, directory: Path) -> Copy:
    """Make the archive `directory` from OCFL objects, by committing all of it again.

    Raises ConflictError where `directory` holds anything, IntegrityError where anything is missing
    or altered, or the log that results is not the one that was exported.
    """
    if directory.exists() and any(directory.iterdir()):
        raise ConflictError(f"{directory} is not empty", str(directory))
    aside = directory.with_name(f"{directory.name}.{secrets.token_hex(8)}.new")
    try:
        made = _replayed(source, aside)
        aside.rename(directory)
        flush_folder(directory.parent)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return dataclasses.replace(made, directory=str(directory))


def _replayed(source: Path, directory: Path) -> Copy:
    """Make an archive by entering the log again. Raises IntegrityError."""
    records = layout.read_object(source, _RECORDS)[-1]
    about = json.loads(records["archive.json"])
    clock = _Clock()
    sealer = _Sealer()
    replay = _Replay(source, clock)
    leaves = _leaves(records)
    if leaves:
        clock.read(read(leaves[0][0]))
    with Archive.create(
        directory, series=about["series"][0], clock=clock, sealer=sealer
    ) as archive:
        for person_id, name in json.loads(records.get("persons.json", b"{}")).items():
            archive.statements.add_person(person_id, name)
        for name in about["series"][1:]:
            archive.add_series(name)
        if about["resolver"]:
            archive.set_setting("resolver", about["resolver"])
        archive.set_setting("sealing", "on-request")  # days are sealed where their entries stand
        for content, openings in leaves:
            entry = disclosed(read(content), openings)
            clock.read(entry)
            sealer.expect(content, openings)
            replay.enter(archive, entry)
        sealer.expect(b"", {})
        _recorded_again(archive, records, clock)
        archive.set_setting("sealing", about.get("sealing") or "")
        # Exports of earlier versions have citations and delegations that no entry tells: they are
        # entered behind the log that was exported.
        size = int(about["size"])
        root = base64.b64encode(archive.log.root(size)).decode()
        if root != about["root"]:
            raise IntegrityError(
                "the log that results is not the one that was exported",
                expected=about["root"],
                actual=root,
            )
        if leaves:
            _keep_what_was_signed(archive, about, records["checkpoint.txt"], size)
        key = str(archive.log.verifier)
        return Copy(str(directory), archive.count(latest=True), archive.count(), size, key)


def _leaves(records: dict[str, bytes]) -> list[tuple[bytes, dict[str, bytes]]]:
    """Return the entries of the log that was exported, each with its openings."""
    lines = records["log.jsonl"].splitlines()
    openings = [
        {part: text.encode() for part, text in json.loads(line).items()}
        for line in records.get("openings.jsonl", b"").splitlines()
    ]
    return list(zip(lines, openings or [{} for _ in lines], strict=True))


def _keep_what_was_signed(
    archive: Archive, about: dict[str, Any], checkpoint: bytes, size: int
) -> None:
    """Put on record what the first archive's key signed of this log. Raises IntegrityError."""
    last = earlier.checked(about["key"], checkpoint.decode(), archive.log.root(size))
    earlier.keep(archive, [*(EarlierLog(**one) for one in about.get("earlier", ())), last])


def _delegations(archive: Archive) -> list[Delegation]:
    """Return the delegations of both kinds."""
    return [
        *archive.delegations.delegations("resolver"),
        *archive.delegations.delegations("minter"),
    ]


def _told_at(entry: dict[str, Any]) -> str:
    """Return the time that an entry of the log, or a record like one, tells."""
    return str(next(entry[name] for name in _TIMES if name in entry))


class _Clock:
    """Answers the time that the entry at hand tells."""

    def __init__(self) -> None:
        self._now = datetime.fromisoformat("1970-01-01T00:00:00+00:00")

    def __call__(self) -> datetime:
        return self._now

    def read(self, entry: dict[str, Any]) -> None:
        """Set the time to that of an entry."""
        self._now = datetime.fromisoformat(_told_at(entry))


class _Sealer:
    """Makes of an entry the leaf that was exported, if it tells the same."""

    def __init__(self) -> None:
        self._content = b""
        self._openings: dict[str, bytes] = {}

    def expect(self, content: bytes, openings: dict[str, bytes]) -> None:
        """Set which leaf comes next; none where `content` is empty."""
        self._content, self._openings = content, openings

    def __call__(self, entry: Entry) -> Sealed:
        """Return the leaf of an entry: another than that which is expected where it tells other."""
        if not self._content:
            return seal(entry)
        said = read(self._content)
        if "schema" in said:
            return reopened(entry, self._openings, {})
        content = in_clear(entry, said)
        return Sealed(content, leaf_hash(content), {})


class _Replay:
    """Commits entries of a log again, with the octets of their objects."""

    def __init__(self, source: Path, clock: _Clock) -> None:
        self._source = source
        self._clock = clock
        self._name = ""
        self._versions: list[dict[str, bytes]] = []

    def enter(self, archive: Archive, leaf: dict[str, Any]) -> None:
        """Commit one entry."""
        if leaf["kind"] in _AGAIN:
            _AGAIN[leaf["kind"]](archive, leaf)
            return
        files = self._files(str(leaf["name"]), int(leaf["version"]))
        said = json.loads(files["version.json"])
        described = {one["format"]: one for one in said["formats"]}
        entered = {one["format"] for one in leaf["formats"]}
        formats = [_new(files, one) for token, one in described.items() if token in entered]
        document, _ = names.document_of(str(leaf["name"]))
        if leaf["kind"] == "format":
            archive.add_format(
                _numbered(str(leaf["name"]), _any_format(archive, document), int(leaf["version"])),
                formats[0],
            )
        elif leaf["version"] == 1:
            archive.commit(
                formats,
                series=".".join(document.series),
                unique_id=None if said.get("serial") else document.unique_id,
                provenance=_provenance(said),
                standing=_standing(said),
            )
        else:
            archive.commit(formats, replaces=document, provenance=_provenance(said))

    def _files(self, name: str, number: int) -> dict[str, bytes]:
        """Return the files of one version; those of the last document are kept at hand."""
        if name != self._name:
            self._name, self._versions = name, layout.read_object(self._source, name)
        try:
            return self._versions[number - 1]
        except IndexError as error:
            raise NotFoundError(f"{name} has no version {number} there", name) from error


def _any_format(archive: Archive, document: pdi.PDI) -> str:
    return archive.version(document).representations[0].format


def _new(files: dict[str, bytes], told: dict[str, Any]) -> NewRepresentation:
    """Return one format as it was handed in the first time."""
    token = told["format"]
    return NewRepresentation(
        content=files[f"formats/{token}"],
        media_type=told["media_type"],
        charset=told.get("charset"),
        format=token,
        received=files.get(f"received/{token}"),
        derived_from=told.get("derived_from"),
        rendition=told.get("rendition"),
        attachment={side: files[path] for side, path in told["attachments"].items()},
        quotations=tuple((origin, cited) for origin, cited in told.get("quotations", ())),
    )


def _provenance(said: dict[str, Any]) -> Provenance:
    retrieved_at = said["retrieved_at"]
    return Provenance(
        title=said["title"],
        uri=said["uri"],
        final_uri=said["final_uri"],
        retrieved_at=None if retrieved_at is None else datetime.fromisoformat(retrieved_at),
        details=said["details"],
    )


def _standing(said: dict[str, Any]) -> Standing | None:
    """Return who may see a document; copies of before say nothing of that."""
    told = said.get("standing")
    if told is None:
        return None
    embargo, retain = (
        None if told[end] is None else date.fromisoformat(told[end])
        for end in ("embargo_until", "retain_until")
    )
    return Standing(told["access"], told["ground"], embargo, retain)


def _state(archive: Archive, leaf: dict[str, Any]) -> None:
    """Make a statement again."""
    value, who = leaf["object"], leaf.get("who")
    subject = leaf.get("subject", leaf["name"])
    archive.statements.repeat(subject, leaf["predicate"], value, who=who)


def _cite(archive: Archive, leaf: dict[str, Any]) -> None:
    """Record a citation again."""
    fields = ("start", "end", "quote", "before", "after", "media_type", "note")
    document, _ = names.document_of(leaf["name"])
    archive.record_citation(
        NewCitation(
            fragment=leaf["reference"],
            pdi=document.with_(format=leaf["format"], version=leaf["version"]),
            cited_at=datetime.fromisoformat(leaf["cited_at"]),
            **{name: leaf[name] for name in fields if name in leaf},
        )
    )


def _delegate(archive: Archive, leaf: dict[str, Any]) -> None:
    """Record a delegation again."""
    first, last = (date.fromisoformat(leaf[end]) for end in ("first", "last"))
    archive.delegations.delegate(leaf["of"], leaf["name"], leaf["target"], first=first, last=last)


def _seal(archive: Archive, leaf: dict[str, Any]) -> None:
    """Seal a day again."""
    series, *day = leaf["name"].removeprefix("urn:pdi://").split("/")
    archive.days.seal(series, date(*map(int, day)))


_AGAIN = {"assertion": _state, "citation": _cite, "delegation": _delegate, "day": _seal}
"""How to enter again what is no version and no format."""


def _recorded_again(archive: Archive, records: dict[str, bytes], clock: _Clock) -> None:
    """Record citations and delegations again."""
    for line in records["citations.jsonl"].splitlines():
        told = json.loads(line)
        told["pdi"], _ = names.document_of(told["pdi"])
        told["cited_at"] = datetime.fromisoformat(told["cited_at"])
        archive.record_citation(NewCitation(**told))
    entered = [plain(one) for one in _delegations(archive)]
    for line in records["delegations.jsonl"].splitlines():
        told = json.loads(line)
        if told in entered:
            continue
        clock.read(told)
        first, last = (datetime.fromisoformat(told[end]).date() for end in ("first", "last"))
        archive.delegations.delegate(
            told["kind"], told["series"], told["target"], first=first, last=last
        )


def _told(citation: Citation) -> Json:
    """Return a citation as it is written; its fields are those of NewCitation."""
    told = {one.name: getattr(citation, one.name) for one in dataclasses.fields(citation)}
    return members(told | {"pdi": str(citation.pdi)})


def _lines(values: Iterable[Json]) -> bytes:
    return b"".join(_json(value, indent=None) + b"\n" for value in values)


def _json(value: Json, *, indent: int | None = 2) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=indent, sort_keys=True).encode()


def _time(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
