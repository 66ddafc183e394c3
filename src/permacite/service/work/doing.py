"""Worker for jobs: each kind runs the use case of a command, over one range or slice.

| kind | over | done twice |
|---|---|---|
| fixity | a range of the log | only reads |
| derive | a range of the log | documents with a text are skipped |
| index | a range of the log | entries in this machine's index are skipped |
| drift | a range of the log, a share of all sites | a check replaces the one before |
| save | a slice of a list, of one share of all sites | each page is committed under a key |
| import | a slice of a list | each file is committed under a key |
"""

from __future__ import annotations

import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from permacite.errors import CaptureError, PermaciteError
from permacite.pdi import PDI
from permacite.service.findings import HARMLESS
from permacite.service.ingest.options import CommitOptions, SaveOptions
from permacite.service.lists.journal import Keys
from permacite.service.lists.reading import ListedLine
from permacite.service.lists.robots import Robots
from permacite.service.lists.saving import ListRunOptions
from permacite.service.work.jobs import JobNotice, Outcome, share_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from permacite.archive import Version
    from permacite.service.archive import Archive
    from permacite.service.work.jobs import Job

__all__ = ["Worker"]

_PAUSE_S = 1.0
_MOST_TOLD = 100
"""Notices of one job: people read them."""


class Worker:
    """A worker with an open archive: it does one job after another."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._repository = archive._repository  # noqa: SLF001 - ours

    def do(self, job: Job) -> Outcome:
        """Do a job. Raises errors that affect all of it."""
        kinds: dict[str, Callable[[Mapping[str, Any], _Tally], None]] = {
            "fixity": self._check_octets,
            "derive": self._derive,
            "index": self._index,
            "drift": self._compare,
            "save": self._save,
            "import": self._import,
        }
        tally = _Tally()
        kinds[job.kind](job.what, tally)
        return Outcome(dict(tally.counts), tuple(tally.told))

    def _check_octets(self, what: Mapping[str, Any], tally: _Tally) -> None:
        for finding in self._repository.fixity.verify_new(what["start"], what["end"]):
            tally.counts["checked"] += 1
            if finding.kind not in HARMLESS:
                tally.add("bad", finding.name, f"{finding.kind}: {finding.detail}")

    def _derive(self, what: Mapping[str, Any], tally: _Tally) -> None:
        for derived in self._archive.documents.derivations.derive_range(
            what["start"], what["end"], renew=what["renew"]
        ):
            if derived.problem:
                tally.add(derived.outcome, derived.pdi, derived.problem)
            else:
                tally.counts[derived.outcome] += 1

    def _index(self, what: Mapping[str, Any], tally: _Tally) -> None:
        self._archive.documents.full_text.index_words(until=what["end"])
        tally.counts["entries"] += what["end"] - what["start"]

    def _compare(self, what: Mapping[str, Any], tally: _Tally) -> None:
        """Look at the live pages of a share of all sites: as a crawler, for nobody named them."""
        robots = Robots(allow_private=what["allow_private"])
        asked_at: dict[str, float] = {}
        for version in self._newest(what["start"], what["end"]):
            uri = version.provenance.uri or version.provenance.final_uri
            if uri is None or share_of(uri) != what["share"]:
                continue
            rules, site = robots.of(uri), urlsplit(uri).netloc
            if not rules.allows(uri):
                tally.add("forbidden", uri, f"by {rules.uri}")
                continue
            left_s = asked_at.get(site, 0.0) + max(_PAUSE_S, rules.delay_s) - time.monotonic()
            time.sleep(max(0.0, left_s))
            self._look(version, uri, tally, allow_private=what["allow_private"])
            asked_at[site] = time.monotonic()

    def _newest(self, start: int, end: int) -> Iterator[Version]:
        """The versions of a range that are the last of their documents."""
        for named in self._repository.fixity.logged(start, end):
            with suppress(PermaciteError):  # erased, or damaged, which fixity tells
                if isinstance(named, PDI):
                    version = self._repository.lookup.version(named.document)
                    if version.number == named.version:
                        yield version

    def _look(self, version: Version, uri: str, tally: _Tally, *, allow_private: bool) -> None:
        try:
            checked = self._archive.drift.check(str(version.pdi), allow_private=allow_private)
        except CaptureError as error:
            tally.add("failed", uri, error.problem)
            return
        tally.counts["same" if checked.same_text else "changed"] += 1
        for passage in checked.passages:
            if passage.status not in {"verified", "moved"}:
                tally.add("passages to look at", passage.reference, passage.status)

    def _save(self, what: Mapping[str, Any], tally: _Tally) -> None:
        lines = [ListedLine("", uri, uri) for uri in what["listed"]]
        manner = ListRunOptions(pause_s=_PAUSE_S, options=SaveOptions(**what["options"]))
        for listed in self._archive.lists.save(lines, manner, Keys(what["run"])):
            if listed.problem:
                tally.add(listed.outcome, listed.uri, listed.problem)
            else:
                tally.counts[listed.outcome] += 1
        time.sleep(_PAUSE_S)  # the next slice may begin with the same site

    def _import(self, what: Mapping[str, Any], tally: _Tally) -> None:
        paths = map(Path, what["listed"])
        for path, outcome in self._archive.lists.files.add_files(
            paths, CommitOptions(**what["options"]), key_of=Keys(what["run"]).key
        ):
            if isinstance(outcome, PermaciteError):
                tally.add("refused", str(path), outcome.problem)
            elif isinstance(outcome, OSError):
                tally.add("unread", str(path), outcome.strerror or str(outcome))
            else:
                tally.counts["unchanged" if outcome.unchanged else "imported"] += 1


class _Tally:
    """The counts and notices of a job."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.told: list[JobNotice] = []

    def add(self, what: str, name: str, problem: str) -> None:
        """Count one more, with a notice unless there are too many."""
        self.counts[what] += 1
        if len(self.told) < _MOST_TOLD:
            self.told.append(JobNotice(what, name, problem))
