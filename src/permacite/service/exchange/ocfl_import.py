"""OCFL import: an archive restored from the objects that were exported.

The log of OCFL objects is entered again under the times that it tells, so its root comes out the
same. What is erased is entered with formats that are empty, and erased again where the log says so.
"""

from __future__ import annotations

import base64
import dataclasses
import io
import json
import secrets
import shutil
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from permacite.archive.entries import commitments, disclosed, is_erased, read, tokens
from permacite.archive.merkle import leaf_hash
from permacite.archive.model.answered import Standing
from permacite.archive.model.submitted import NewCitation
from permacite.archive.objects.durable import flush_folder
from permacite.archive.objects.source import ContentReader, digest_of
from permacite.archive.repository import Repository
from permacite.archive.transport.entering import EntrySink
from permacite.archive.transport.stream import EntryBatch, ReceivedEntry, carry
from permacite.errors import ConflictError, IntegrityError, NotFoundError, PermaciteError
from permacite.service import names
from permacite.service.exchange import ocfl_layout
from permacite.service.exchange.ocfl_layout import RECORDS, delegations_of, moment_of
from permacite.service.plain import plain
from permacite.service.preservation import Copy
from permacite.service.proofs.logs import EarlierLog, earlier_log_of, keep_earlier_logs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["restore"]


def restore(source: Path, directory: Path) -> Copy:
    """Make the archive `directory` from OCFL objects, by entering its log again.

    Raises ConflictError where `directory` holds anything, IntegrityError where anything is missing
    or altered, or the log that results is not the one that was exported.
    """
    if directory.exists() and any(directory.iterdir()):
        raise ConflictError(f"{directory} is not empty", str(directory))
    ocfl_layout.check_root(source)
    aside = directory.with_name(f"{directory.name}.{secrets.token_hex(8)}.new")
    try:
        copy = _restored(source, aside)
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


class _ObjectSource:
    """The log that was exported, and contents from the objects of its documents."""

    is_far = False

    def __init__(self, root: Path) -> None:
        """Read the records. Raises IntegrityError."""
        self.records = ocfl_layout.read_object(root, RECORDS)[-1]
        self.about = json.loads(self.records["archive.json"])
        self._root = root
        self._name = ""
        self._versions: list[dict[str, bytes]] = []
        self._contents: dict[str, bytes] = {}
        self._entries = list(self._read_entries())
        self.size = len(self._entries)

    def _read_entries(self) -> Iterator[tuple[bytes, bytes, dict[str, bytes]]]:
        """Yield the content, the hash and the openings of each entry."""
        hashes = self.about.get("hashes", {})
        lines = self.records["log.jsonl"].splitlines()
        openings = [
            json.loads(line) for line in self.records.get("openings.jsonl", b"").splitlines()
        ]
        pairs = zip(lines, openings or [{} for _ in lines], strict=True)
        for number, (line, opened) in enumerate(pairs):
            hash_ = hashes.get(str(number))
            yield (
                line,
                leaf_hash(line) if hash_ is None else bytes.fromhex(hash_),
                {part: text.encode() for part, text in opened.items()},
            )

    def batches(self, start: int) -> Iterator[EntryBatch]:
        """Yield entries together of which one object at most has contents."""
        entries: list[ReceivedEntry] = []
        for number in range(start, self.size):
            content, hash_, openings = self._entries[number]
            if entries and tokens(read(content)):
                yield EntryBatch(number - len(entries), entries)
                entries = []
            entries.append(self._entry(content, hash_, openings))
        if entries:
            yield EntryBatch(self.size - len(entries), entries)

    def _entry(self, content: bytes, hash_: bytes, openings: dict[str, bytes]) -> ReceivedEntry:
        """Return an entry, with what the record of its version tells beside it."""
        clear = read(content)
        is_gone = is_erased(content) or bool(commitments(clear).keys() - openings)
        entry = ReceivedEntry(content, hash_, openings, "erased" if is_gone else None)
        if not tokens(clear):
            return entry
        fields = disclosed(clear, openings)
        record = self._record(str(fields["name"]), int(fields["version"]))
        beside = {}
        if "committed_at" not in fields:
            beside["committed_at"] = record["committed_at"]
        if "schema" not in clear and not is_erased(content):  # it has a digest of the rest
            beside |= {name: record[name] for name in ("title", "final_uri", "details")}
        return entry._replace(
            formats=tuple((each["format"], each["media_type"]) for each in record["formats"]),
            serial=bool(record.get("serial")),
            beside=beside,
            standing=_standing(record),
        )

    def _record(self, name: str, number: int) -> dict[str, Any]:
        """Return what a version says of itself; its contents can be opened from now on.

        Raises NotFoundError, IntegrityError.
        """
        if name != self._name:
            self._name, self._versions = name, ocfl_layout.read_object(self._root, name)
            self._contents = {}
        try:
            files = self._versions[number - 1]
        except IndexError as error:
            raise NotFoundError(f"{name} has no version {number} there", name) from error
        self._contents |= {digest_of(content): content for content in files.values()}
        record: dict[str, Any] = json.loads(files["version.json"])
        return record

    def open(self, digest: str) -> ContentReader:
        """Open contents of the object at hand. Raises NotFoundError."""
        content = self._contents.get(digest)
        if content is None:
            raise NotFoundError(f"{self._name} has no contents {digest}", digest)
        return ContentReader(digest, io.BytesIO(content), self._name)


def _restored(root: Path, directory: Path) -> Copy:
    """Make an archive by entering the log again. Raises IntegrityError."""
    source = _ObjectSource(root)
    records, about, size = source.records, source.about, int(source.about["size"])
    clock = _EntryClock(source)
    with Repository.create(directory, series=about["series"][0], clock=clock) as repository:
        for person_id, name in json.loads(records.get("persons.json", b"{}")).items():
            repository.statements.add_person(person_id, name)
        for name in about["series"][1:]:
            repository.settings.add_series(name)
        if about["resolver"]:
            repository.settings.set("resolver", about["resolver"])
        repository.settings.set("sealing", "on-request")  # days are sealed by their entries
        carried = carry(source, EntrySink(repository.parts, source))
        for digest in carried.lost:
            raise IntegrityError(
                f"an object lacks contents that the log names: {digest}",
                expected=digest,
                actual="nothing",
            )
        repository.access.finish_erasing()
        _record_again(repository, records, clock)
        repository.settings.set("sealing", about.get("sealing") or "")
        # Exports of earlier versions have citations and delegations that no entry tells: they are
        # entered after the log that was exported.
        root_hash = base64.b64encode(repository.log.root(size)).decode()
        if root_hash != about["root"]:
            raise IntegrityError(
                "the log that results is not the one that was exported",
                expected=about["root"],
                actual=root_hash,
            )
        if source.size:
            last = earlier_log_of(
                about["key"], records["checkpoint.txt"].decode(), repository.log.root(size)
            )
            earlier = (EarlierLog(**log) for log in about.get("earlier", ()))
            keep_earlier_logs(repository, [*earlier, last])
        key = str(repository.log.keys.verifier)
        return Copy(
            str(directory),
            repository.lists.documents(),
            repository.lists.count(),
            size,
            new_key=key,
        )


class _EntryClock:
    """The clock of an archive that is restored: it shows the times of entries."""

    def __init__(self, source: _ObjectSource) -> None:
        self._now = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
        for batch in source.batches(0):
            self.set(batch.entries[0].disclosed())
            break

    def __call__(self) -> datetime:
        return self._now

    def set(self, record: dict[str, Any]) -> None:
        """Show the time of an entry, or of a record like one."""
        moment = moment_of(record)
        if moment is not None:
            self._now = datetime.fromisoformat(moment)


def _standing(record: dict[str, Any]) -> Standing | None:
    """Return who may see a document; None in early copies."""
    standing = record.get("standing")
    if standing is None:
        return None
    embargo, retain = (
        None if standing[end] is None else date.fromisoformat(standing[end])
        for end in ("embargo_until", "retain_until")
    )
    return Standing(standing["access"], standing["ground"], embargo, retain)


def _record_again(repository: Repository, records: dict[str, bytes], clock: _EntryClock) -> None:
    """Record citations and delegations that no entry tells."""
    for line in records["citations.jsonl"].splitlines():
        citation = json.loads(line)
        citation["pdi"], _ = names.document_of(citation["pdi"])
        citation["cited_at"] = datetime.fromisoformat(citation["cited_at"])
        repository.passages.record(NewCitation(**citation))
    entered = [plain(item) for item in delegations_of(repository)]
    for line in records["delegations.jsonl"].splitlines():
        delegation = json.loads(line)
        if delegation in entered:
            continue
        clock.set(delegation)
        first, last = (datetime.fromisoformat(delegation[end]).date() for end in ("first", "last"))
        repository.delegations.delegate(
            delegation["kind"], delegation["series"], delegation["target"], first=first, last=last
        )
