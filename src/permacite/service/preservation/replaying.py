"""An archive made of OCFL objects, by entering the log again under the times that it tells.

What is erased is entered as its hash has it, with formats that are empty, and is erased again where
the log says so: the root of the log comes out the same.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import secrets
import shutil
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from permacite.archive import (
    Decoding,
    NewCitation,
    NewRepresentation,
    Provenance,
    Repository,
    Standing,
)
from permacite.archive.entries import (
    Sealed,
    commitments,
    disclosed,
    in_clear,
    is_erased,
    read,
    reopened,
    seal,
    tokens,
)
from permacite.archive.merkle import leaf_hash
from permacite.archive.objects import flush_folder
from permacite.errors import ConflictError, IntegrityError, NotFoundError, PermaciteError
from permacite.service import names
from permacite.service.plain import plain
from permacite.service.preservation import copies, layout
from permacite.service.preservation.copies import Copy, EarlierLog
from permacite.service.preservation.ocfl import RECORDS, delegations_of, moment_of, numbered

if TYPE_CHECKING:
    from pathlib import Path

    from permacite.archive.entries import Entry

__all__ = ["restore"]


def restore(source: Path, directory: Path) -> Copy:
    """Make the archive `directory` from OCFL objects, by committing all of it again.

    Raises ConflictError where `directory` holds anything, IntegrityError where anything is missing
    or altered, or the log that results is not the one that was exported.
    """
    if directory.exists() and any(directory.iterdir()):
        raise ConflictError(f"{directory} is not empty", str(directory))
    layout.check_root(source)
    aside = directory.with_name(f"{directory.name}.{secrets.token_hex(8)}.new")
    try:
        copy = _replayed(source, aside)
        aside.rename(directory)
        flush_folder(directory.parent)
    except (PermaciteError, OSError):
        raise
    except Exception as error:  # whatever an altered record may lead to
        raise IntegrityError(
            f"the records cannot be entered again: {type(error).__name__}: {error}",
            expected="the records of an archive",
            actual=str(source),
        ) from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return dataclasses.replace(copy, directory=str(directory))


def _replayed(source: Path, directory: Path) -> Copy:
    """Make an archive by entering the log again. Raises IntegrityError."""
    records = layout.read_object(source, RECORDS)[-1]
    about = json.loads(records["archive.json"])
    clock = _Clock()
    sealer = _Sealer()
    replay = _Replay(source, clock)
    leaves = _leaves(records, about.get("hashes", {}))
    if leaves:
        replay.set_clock(read(leaves[0].content))
    with Repository.create(
        directory, series=about["series"][0], clock=clock, sealer=sealer
    ) as repository:
        for person_id, name in json.loads(records.get("persons.json", b"{}")).items():
            repository.statements.add_person(person_id, name)
        for name in about["series"][1:]:
            repository.add_series(name)
        if about["resolver"]:
            repository.set_setting("resolver", about["resolver"])
        repository.set_setting("sealing", "on-request")  # days are sealed where their entries stand
        for leaf in leaves:
            entry = disclosed(read(leaf.content), leaf.openings)
            replay.set_clock(entry)
            sealer.expect(leaf)
            replay.enter(repository, entry, leaf)
        sealer.expect(None)
        _recorded_again(repository, records, clock)
        repository.set_setting("sealing", about.get("sealing") or "")
        # Exports of earlier versions have citations and delegations that no entry tells: they are
        # entered behind the log that was exported.
        size = int(about["size"])
        root = base64.b64encode(repository.log.root(size)).decode()
        if root != about["root"]:
            raise IntegrityError(
                "the log that results is not the one that was exported",
                expected=about["root"],
                actual=root,
            )
        if leaves:
            _keep_what_was_signed(repository, about, records["checkpoint.txt"], size)
        key = str(repository.log.verifier)
        return Copy(str(directory), repository.documents(), repository.count(), size, new_key=key)


def _leaves(records: dict[str, bytes], hashes: dict[str, str]) -> list[Sealed]:
    """The entries of the log that was exported, each with its hash and openings."""
    lines = records["log.jsonl"].splitlines()
    openings = [
        {part: text.encode() for part, text in json.loads(line).items()}
        for line in records.get("openings.jsonl", b"").splitlines()
    ]
    return [
        Sealed(line, bytes.fromhex(hashes[str(n)]) if str(n) in hashes else leaf_hash(line), opened)
        for n, (line, opened) in enumerate(zip(lines, openings or [{} for _ in lines], strict=True))
    ]


def _is_erased(leaf: Sealed) -> bool:
    """Whether anything of an entry is erased: it is entered as it is."""
    return is_erased(leaf.content) or bool(commitments(read(leaf.content)).keys() - leaf.openings)


def _keep_what_was_signed(
    repository: Repository, about: dict[str, Any], checkpoint: bytes, size: int
) -> None:
    """Put on record what the first archive's key signed of this log. Raises IntegrityError."""
    last = copies.checked(about["key"], checkpoint.decode(), repository.log.root(size))
    copies.keep(repository, [*(EarlierLog(**log) for log in about.get("earlier", ())), last])


class _Clock:
    """Answers the time that the entry at hand tells."""

    def __init__(self) -> None:
        self._now = datetime.fromisoformat("1970-01-01T00:00:00+00:00")

    def __call__(self) -> datetime:
        return self._now

    def read(self, entry: dict[str, Any]) -> None:
        """Set the time to that of an entry."""
        moment = moment_of(entry)
        if moment is not None:
            self._now = datetime.fromisoformat(moment)


class _Sealer:
    """Makes of an entry the leaf that was exported, if it tells the same."""

    def __init__(self) -> None:
        self._leaf: Sealed | None = None

    def expect(self, leaf: Sealed | None) -> None:
        """Set which leaf comes next, if one does."""
        self._leaf = leaf

    def __call__(self, entry: Entry) -> Sealed:
        """The leaf of an entry: another than that which is expected where it tells other."""
        if self._leaf is None:
            return seal(entry)
        if _is_erased(self._leaf):
            return self._leaf
        exported = read(self._leaf.content)
        if "schema" in exported:
            return reopened(entry, self._leaf.openings, {})
        return in_clear(entry, exported)


class _Replay:
    """Commits entries of a log again, with the octets of their objects."""

    def __init__(self, source: Path, clock: _Clock) -> None:
        self._source = source
        self._clock = clock
        self._name = ""
        self._versions: list[dict[str, bytes]] = []

    def set_clock(self, entry: dict[str, Any]) -> None:
        """Set the time to that of an entry; where it was erased, to that of its version."""
        if "committed_at" not in entry and "formats" in entry:
            files = self._files(str(entry["name"]), int(entry["version"]))
            entry = json.loads(files["version.json"])
        self._clock.read(entry)

    def enter(self, repository: Repository, entry: dict[str, Any], leaf: Sealed) -> None:
        """Commit one entry."""
        if entry["kind"] in _AGAIN:
            if entry["kind"] in _GONE_WITH_THEIR_ROWS and _is_erased(leaf):
                repository.log.repeat(str(entry["name"]), leaf)
            else:
                _AGAIN[entry["kind"]](repository, entry)
            return
        files = self._files(str(entry["name"]), int(entry["version"]))
        record = json.loads(files["version.json"])
        described = {item["format"]: item for item in record["formats"]}
        entered = set(tokens(read(leaf.content)))
        formats = [_new(files, item) for token, item in described.items() if token in entered]
        document, _ = names.document_of(str(entry["name"]))
        if entry["kind"] == "format":
            any_format = numbered(str(entry["name"]), next(iter(described)), int(entry["version"]))
            repository.add_format(any_format, formats[0])
        elif entry["version"] == 1:
            repository.commit(
                formats,
                series=".".join(document.series),
                unique_id=None if record.get("serial") else document.unique_id,
                provenance=_provenance(record),
                standing=_standing(record),
            )
        else:
            repository.commit(formats, replaces=document, provenance=_provenance(record))

    def _files(self, name: str, number: int) -> dict[str, bytes]:
        """The files of one version; those of the last document are kept at hand."""
        if name != self._name:
            self._name, self._versions = name, layout.read_object(self._source, name)
        try:
            return self._versions[number - 1]
        except IndexError as error:
            raise NotFoundError(f"{name} has no version {number} there", name) from error


def _new(files: dict[str, bytes], format_: dict[str, Any]) -> NewRepresentation:
    """One format as it was handed in the first time."""
    token = format_["format"]
    return NewRepresentation(
        content=b"" if "erased" in format_ else files[f"formats/{token}"],
        media_type=format_["media_type"],
        decoding=Decoding(format_["charset"]) if "charset" in format_ else None,
        format=token,
        received=files.get(f"received/{token}"),
        derived_from=format_.get("derived_from"),
        rendition=format_.get("rendition"),
        sidecars={sidecar: files[path] for sidecar, path in format_.get("attachments", {}).items()},
        quotations=tuple((origin, cited) for origin, cited in format_.get("quotations", ())),
    )


def _provenance(record: dict[str, Any]) -> Provenance:
    retrieved_at = record["retrieved_at"]
    return Provenance(
        title=record["title"],
        uri=record["uri"],
        final_uri=record["final_uri"],
        retrieved_at=None if retrieved_at is None else datetime.fromisoformat(retrieved_at),
        details=record["details"],
    )


def _standing(record: dict[str, Any]) -> Standing | None:
    """Who may see a document; copies of before say nothing of that."""
    standing = record.get("standing")
    if standing is None:
        return None
    embargo, retain = (
        None if standing[end] is None else date.fromisoformat(standing[end])
        for end in ("embargo_until", "retain_until")
    )
    return Standing(standing["access"], standing["ground"], embargo, retain)


def _state(repository: Repository, entry: dict[str, Any]) -> None:
    """Make a statement again."""
    value, who = entry["object"], entry.get("who")
    subject = entry.get("subject", entry["name"])
    repository.statements.repeat(subject, entry["predicate"], value, who=who)


def _cite(repository: Repository, entry: dict[str, Any]) -> None:
    """Record a citation again."""
    fields = ("start", "end", "quote", "before", "after", "media_type", "note")
    document, _ = names.document_of(entry["name"])
    repository.record_citation(
        NewCitation(
            fragment=entry["reference"],
            pdi=document.with_(format=entry["format"], version=entry["version"]),
            cited_at=datetime.fromisoformat(entry["cited_at"]),
            **{name: entry[name] for name in fields if name in entry},
        )
    )


def _delegate(repository: Repository, entry: dict[str, Any]) -> None:
    """Record a delegation again."""
    first, last = (date.fromisoformat(entry[end]) for end in ("first", "last"))
    repository.delegations.delegate(
        entry["of"], entry["name"], entry["target"], first=first, last=last
    )


def _seal(repository: Repository, entry: dict[str, Any]) -> None:
    """Seal a day again."""
    series, *day = entry["name"].removeprefix("urn:pdi://").split("/")
    repository.seal_day(series, date(*map(int, day)), form=entry.get("seal", 1))


def _erase(repository: Repository, entry: dict[str, Any]) -> None:
    """Erase again."""
    name, _ = names.document_of(entry["name"])
    repository.erase(
        dataclasses.replace(name, version=entry.get("version")), ground=entry["ground"]
    )


_AGAIN = {
    "assertion": _state,
    "citation": _cite,
    "delegation": _delegate,
    "day": _seal,
    "erasure": _erase,
}
"""How to enter again what is no version and no format."""
_GONE_WITH_THEIR_ROWS = frozenset({"assertion", "citation"})


def _recorded_again(repository: Repository, records: dict[str, bytes], clock: _Clock) -> None:
    """Record citations and delegations again."""
    for line in records["citations.jsonl"].splitlines():
        citation = json.loads(line)
        citation["pdi"], _ = names.document_of(citation["pdi"])
        citation["cited_at"] = datetime.fromisoformat(citation["cited_at"])
        repository.record_citation(NewCitation(**citation))
    entered = [plain(item) for item in delegations_of(repository)]
    for line in records["delegations.jsonl"].splitlines():
        delegation = json.loads(line)
        if delegation in entered:
            continue
        clock.read(delegation)
        first, last = (datetime.fromisoformat(delegation[end]).date() for end in ("first", "last"))
        repository.delegations.delegate(
            delegation["kind"], delegation["series"], delegation["target"], first=first, last=last
        )
