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
from permacite.service.preservation.ocfl import RECORDS, delegations_of, numbered, told_at

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
        return Copy(str(directory), repository.documents(), repository.count(), size, key)


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
        told = told_at(entry)
        if told is not None:
            self._now = datetime.fromisoformat(told)


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
        said = read(self._leaf.content)
        if "schema" in said:
            return reopened(entry, self._leaf.openings, {})
        return in_clear(entry, said)


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

    def enter(self, repository: Repository, leaf: dict[str, Any], sealed: Sealed) -> None:
        """Commit one entry."""
        if leaf["kind"] in _AGAIN:
            if leaf["kind"] in _GONE_WITH_THEIR_ROWS and _is_erased(sealed):
                repository.log.repeat(str(leaf["name"]), sealed)
            else:
                _AGAIN[leaf["kind"]](repository, leaf)
            return
        files = self._files(str(leaf["name"]), int(leaf["version"]))
        said = json.loads(files["version.json"])
        described = {item["format"]: item for item in said["formats"]}
        entered = set(tokens(read(sealed.content)))
        formats = [_new(files, item) for token, item in described.items() if token in entered]
        document, _ = names.document_of(str(leaf["name"]))
        if leaf["kind"] == "format":
            any_format = numbered(str(leaf["name"]), next(iter(described)), int(leaf["version"]))
            repository.add_format(any_format, formats[0])
        elif leaf["version"] == 1:
            repository.commit(
                formats,
                series=".".join(document.series),
                unique_id=None if said.get("serial") else document.unique_id,
                provenance=_provenance(said),
                standing=_standing(said),
            )
        else:
            repository.commit(formats, replaces=document, provenance=_provenance(said))

    def _files(self, name: str, number: int) -> dict[str, bytes]:
        """The files of one version; those of the last document are kept at hand."""
        if name != self._name:
            self._name, self._versions = name, layout.read_object(self._source, name)
        try:
            return self._versions[number - 1]
        except IndexError as error:
            raise NotFoundError(f"{name} has no version {number} there", name) from error


def _new(files: dict[str, bytes], told: dict[str, Any]) -> NewRepresentation:
    """One format as it was handed in the first time."""
    token = told["format"]
    return NewRepresentation(
        content=b"" if "erased" in told else files[f"formats/{token}"],
        media_type=told["media_type"],
        decoding=Decoding(told["charset"]) if "charset" in told else None,
        format=token,
        received=files.get(f"received/{token}"),
        derived_from=told.get("derived_from"),
        rendition=told.get("rendition"),
        sidecars={side: files[path] for side, path in told.get("attachments", {}).items()},
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
    """Who may see a document; copies of before say nothing of that."""
    told = said.get("standing")
    if told is None:
        return None
    embargo, retain = (
        None if told[end] is None else date.fromisoformat(told[end])
        for end in ("embargo_until", "retain_until")
    )
    return Standing(told["access"], told["ground"], embargo, retain)


def _state(repository: Repository, leaf: dict[str, Any]) -> None:
    """Make a statement again."""
    value, who = leaf["object"], leaf.get("who")
    subject = leaf.get("subject", leaf["name"])
    repository.statements.repeat(subject, leaf["predicate"], value, who=who)


def _cite(repository: Repository, leaf: dict[str, Any]) -> None:
    """Record a citation again."""
    fields = ("start", "end", "quote", "before", "after", "media_type", "note")
    document, _ = names.document_of(leaf["name"])
    repository.record_citation(
        NewCitation(
            fragment=leaf["reference"],
            pdi=document.with_(format=leaf["format"], version=leaf["version"]),
            cited_at=datetime.fromisoformat(leaf["cited_at"]),
            **{name: leaf[name] for name in fields if name in leaf},
        )
    )


def _delegate(repository: Repository, leaf: dict[str, Any]) -> None:
    """Record a delegation again."""
    first, last = (date.fromisoformat(leaf[end]) for end in ("first", "last"))
    repository.delegations.delegate(
        leaf["of"], leaf["name"], leaf["target"], first=first, last=last
    )


def _seal(repository: Repository, leaf: dict[str, Any]) -> None:
    """Seal a day again."""
    series, *day = leaf["name"].removeprefix("urn:pdi://").split("/")
    repository.seal_day(series, date(*map(int, day)))


def _erase(repository: Repository, leaf: dict[str, Any]) -> None:
    """Erase again."""
    name, _ = names.document_of(leaf["name"])
    repository.erase(dataclasses.replace(name, version=leaf.get("version")), ground=leaf["ground"])


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
        told = json.loads(line)
        told["pdi"], _ = names.document_of(told["pdi"])
        told["cited_at"] = datetime.fromisoformat(told["cited_at"])
        repository.record_citation(NewCitation(**told))
    entered = [plain(item) for item in delegations_of(repository)]
    for line in records["delegations.jsonl"].splitlines():
        told = json.loads(line)
        if told in entered:
            continue
        clock.read(told)
        first, last = (datetime.fromisoformat(told[end]).date() for end in ("first", "last"))
        repository.delegations.delegate(
            told["kind"], told["series"], told["target"], first=first, last=last
        )
