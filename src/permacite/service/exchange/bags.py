"""Import of bags: each version of a bag of ours, each file of a third-party bag.

The claims of a bag's maker are recorded with its documents (`bag`). A bag of an archive like this
one has names, titles, addresses, times and grounds: its versions keep all of them, their former
names lead here, and their citations are made again. Texts are derived again by the rules that the
bag names; a former name leads to the text if both are equal. Drawn pages are imported unchanged.

A bag does not say who may see its documents: all of them were public. The command decides, or the
default of the archive.
"""

from __future__ import annotations

import dataclasses
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from permacite import pdi
from permacite.archive.model.answered import Provenance, Witness
from permacite.archive.model.submitted import NewRepresentation, NewVersion
from permacite.archive.texts import DERIVED, with_indexes
from permacite.errors import ConflictError, ParseError, PermaciteError
from permacite.service import names, sources
from permacite.service.access import GROUNDS
from permacite.service.assertions.statements import keep_names
from permacite.service.exchange.bagit import CITATIONS, VERSIONS, Bag, is_packed_bag
from permacite.service.ingest.collections import attempted
from permacite.service.ingest.files import FileIngest, Terms, read_draft

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from permacite.archive.model.answered import JSON, Version
    from permacite.archive.repository import Repository
    from permacite.service.access import Standing
    from permacite.service.ingest.options import CommitOptions
    from permacite.service.ingest.saved import Saved

__all__ = ["Bags", "OpenBag"]

_DRAWN = {
    (pdi.DRAWN_PAGE, "multipart/related"),
    (pdi.DRAWN_TEXT, "text/plain"),
    ("png", "image/png"),
}


@dataclasses.dataclass(frozen=True, slots=True)
class _BagFormat:
    """A format of a version in a bag."""

    name: pdi.PDI
    path: str
    media_type: str
    charset: str | None
    derived_from: str | None
    rendition: str | None
    digest: str

    @property
    def token(self) -> str:
        """The format token in its name."""
        return self.name.format or ""


@dataclasses.dataclass(frozen=True, slots=True)
class _BagVersion:
    """A version in a bag of ours."""

    formats: tuple[_BagFormat, ...]
    line: Mapping[str, Any] = dataclasses.field(hash=False)

    @property
    def document(self) -> str:
        """The name of its document in the other archive."""
        return str(self.formats[0].name.document)

    @property
    def digests(self) -> dict[str, str]:
        """The digests by format token."""
        return {each.token: each.digest for each in self.formats}

    @property
    def originals(self) -> set[str]:
        """The digests of formats that are not derived."""
        return {each.digest for each in self.formats if each.derived_from is None}

    @property
    def named(self) -> dict[str, str]:
        """All names of its formats so far, each with its digest."""
        same = self.line.get("same_as")
        former = same.items() if isinstance(same, dict) else ()
        earlier = {name: digest for name, digest in former if isinstance(digest, str)}
        return earlier | {str(each.name): each.digest for each in self.formats}

    def text(self, name: str) -> str | None:
        """Return the value of a member, if that is text."""
        value = self.line.get(name)
        return value if isinstance(value, str) and value else None

    @property
    def retrieved_at(self) -> datetime | None:
        """When it was retrieved, as the bag claims."""
        try:
            at = datetime.fromisoformat(self.text("retrieved_at") or "")
        except ValueError:
            return None
        return None if at.tzinfo is None else at.astimezone(UTC)

    def standing(self, default: Standing) -> Standing:
        """Return the default standing with the ground and the retention that the bag states."""
        kept = self.line.get("standing")
        said: dict[str, Any] = kept if isinstance(kept, dict) else {}
        ground, day = said.get("ground"), said.get("retain_until")
        try:
            until = date.fromisoformat(day) if isinstance(day, str) else default.retain_until
        except ValueError:
            until = default.retain_until
        known = ground if ground in GROUNDS and ground != "unknown" else default.ground
        return dataclasses.replace(default, ground=known, retain_until=until)


class OpenBag(Bag):
    """A bag, with the versions and citations of a bag of ours."""

    def versions(self) -> Iterator[_BagVersion]:
        """Yield its versions, each with its files; none for a third-party bag."""
        for line in self.lines(VERSIONS):
            entry = self._of_line(line)
            if entry is not None:
                yield entry

    def _of_line(self, line: Mapping[str, Any]) -> _BagVersion | None:
        files, formats = line.get("files"), line.get("formats")
        if not (isinstance(files, dict) and isinstance(formats, dict) and files):
            return None  # earlier bags do not say what the files are: they come one by one
        given = [self._format(str(name), path, formats.get(name)) for name, path in files.items()]
        known = tuple(each for each in given if each is not None)
        documents = {(str(each.name.document), each.name.version) for each in known}
        return (
            _BagVersion(known, line) if len(known) == len(given) and len(documents) == 1 else None
        )

    def _format(self, name: str, path: object, said: object) -> _BagFormat | None:
        if not isinstance(said, dict) or path not in self.payload:
            return None
        try:
            parsed, fragment = names.document_of(name)
        except PermaciteError:
            return None
        if fragment is not None or parsed.format is None or parsed.version is None:
            return None
        text = {key: value for key, value in said.items() if isinstance(value, str)}
        return _BagFormat(
            parsed,
            str(path),
            text.get("media_type", "application/octet-stream"),
            text.get("charset"),
            text.get("derived_from"),
            text.get("rendition"),
            text.get("digest", ""),
        )

    def pages(self) -> Iterator[dict[str, Any]]:
        """Yield its versions in the form that `add_citations` takes."""
        for entry in self.versions():
            name = str(entry.formats[0].name)
            yield {"id": name, "url": entry.line.get("uri"), "formats": entry.digests}

    def citations(self) -> Iterator[dict[str, Any]]:
        """Yield the citations of its documents."""
        yield from (
            each for each in self.lines(CITATIONS) if isinstance(each.get("reference"), str)
        )


class Bags:
    """Import of bags as committed versions."""

    is_packed = staticmethod(is_packed_bag)

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._ingest = FileIngest(repository)

    def add(
        self, bag: OpenBag, options: CommitOptions
    ) -> Iterator[tuple[str, Saved | PermaciteError]]:
        """Commit the contents of a bag; yield the outcome of each file or version, by its path.

        Existing versions are found, so an import that was stopped continues. A fault in one file
        does not affect the others.
        """
        terms, new = Terms.of(options), options.new
        here: dict[str, pdi.PDI] = {}
        """The names of the bag's documents here."""
        taken: set[str] = set()
        for entry in bag.versions():
            taken.update(each.path for each in entry.formats)
            outcome = attempted(self._add_version, bag, entry, terms, here, new=new)
            if isinstance(outcome, PermaciteError):
                yield entry.document, outcome
                continue
            version, is_known = outcome
            here[entry.document] = version.pdi.document
            keep_names(self._repository, version, entry.named)
            size = sum(bag.payload[each.path] for each in entry.formats)
            saved = self._ingest.reports.of(
                version, None, parts=1, size_bytes=size, unchanged=is_known
            )
            yield entry.document, saved
        for path in bag.payload:
            if path not in taken:
                yield path, attempted(self._add_payload, bag, path, terms, new=new)

    def _add_payload(self, bag: OpenBag, path: str, terms: Terms, *, new: bool) -> Saved:
        """Commit a file of a third-party bag."""
        content, name = bag.read(path), path.rpartition("/")[2]
        terms = dataclasses.replace(terms, details={"bag": bag.on_record(path)})
        page = terms.incoming(name, content)
        held = None if new else self._ingest.held(page, terms, None)
        if held is not None:
            return held
        return self._ingest.commit(read_draft(page, terms), terms)

    def _add_version(
        self,
        bag: OpenBag,
        entry: _BagVersion,
        terms: Terms,
        here: Mapping[str, pdi.PDI],
        *,
        new: bool,
    ) -> tuple[Version, bool]:
        """Commit a version of a bag of ours; return whether it was here already."""
        repository = self._repository
        series = terms.series or repository.settings.series
        said = "\n".join([series, entry.document, *sorted(entry.originals)])
        key = None if new else f"bag:{sha256(said.encode()).hexdigest()}"
        known = (key and repository.origins.find_by_key(key)) or (
            None if new else self._existing(entry, series)
        )
        if known:
            return known, True
        replaces = here.get(entry.document)
        default = terms.standing.over(entry.standing(repository.access.default_standing()))
        draft = NewVersion(
            _representations(bag, entry.formats),
            series=None if replaces else terms.series,
            replaces=replaces,
            provenance=_provenance(bag, entry),
            key=key,
            witness=Witness(operator=terms.confirmed_date),
            standing=None if replaces else default,
        )
        (outcome,) = repository.committer.commit_all([draft])
        if isinstance(outcome, PermaciteError):
            raise outcome
        return outcome, False

    def _existing(self, entry: _BagVersion, series: str) -> Version | None:
        """Find a version here with the same originals, from the same address."""
        for version in self._repository.origins.find_by_digest(min(entry.originals, default="")):
            held = {item.digest for item in version.representations}
            is_same = version.provenance.uri == entry.line.get("uri") and entry.originals <= held
            if is_same and ".".join(version.pdi.series) == series:
                return self._repository.lookup.version(version.pdi)
        return None


def _representations(bag: OpenBag, formats: Sequence[_BagFormat]) -> list[NewRepresentation]:
    """The formats of a version: what came in as it is, and the texts that are made of it here.

    Raises ConflictError where the bag's own list tells other octets than its manifests.
    """
    made: dict[str, list[NewRepresentation]] = {}
    given: list[NewRepresentation] = []
    for each in formats:
        content = bag.read(each.path)
        if f"sha-256:{sha256(content).hexdigest()}" != each.digest:
            raise ConflictError(f"{VERSIONS} tells another digest of {each.path}", str(each.name))
        if each.derived_from is None:
            rules = [other.rendition for other in formats if other.derived_from == each.token]
            given.append(NewRepresentation(content, each.media_type, charset=each.charset))
            made[each.token] = _derived(content, each, rules)
        elif pdi.DRAWN_PAGE in {each.token, each.derived_from}:
            given.append(_drawn(content, each))
    wanted = {each.token: each.derived_from for each in formats if each.derived_from is not None}
    given += [
        text for token, texts in made.items() for text in texts if wanted.get("utf-8") == token
    ]
    return with_indexes(given)


def _derived(
    content: bytes, entry: _BagFormat, rules: Sequence[str | None]
) -> list[NewRepresentation]:
    """Return the texts that are derived from a format here."""
    if not rules or entry.media_type == "multipart/related":
        return []
    try:
        source = sources.read_source(
            content, entry.media_type, charset=entry.charset, rules=rules[0]
        )
    except ParseError:
        return []
    return [each for each in sources.representations(source) if each.derived_from is not None]


def _drawn(content: bytes, entry: _BagFormat) -> NewRepresentation:
    """Return a drawn page. Raises ConflictError for another format of that name."""
    if (entry.token, entry.media_type) not in _DRAWN:
        raise ConflictError(f"{entry.media_type} is not what a browser draws", str(entry.name))
    return NewRepresentation(
        content,
        entry.media_type,
        decoding=DERIVED if entry.media_type == "text/plain" else None,
        format=entry.token,
        derived_from=entry.derived_from,
        rendition=entry.rendition,
    )


def _provenance(bag: OpenBag, entry: _BagVersion) -> Provenance:
    """Return the provenance of a version that the bag claims."""
    known = entry.line.get("provenance")
    record: dict[str, JSON] = known if isinstance(known, dict) else {}
    earlier_bag = record.pop("bag", None)
    if isinstance(earlier_bag, dict) and isinstance(earlier_bag.get("record"), dict):
        record = earlier_bag["record"]  # what the first archive had on record, bag after bag
    before = record.get("imported")
    earlier = before if isinstance(before, dict) else {}
    agent = next((value for name, value in bag.info if name == "Bag-Software-Agent"), "")
    details: dict[str, JSON] = {"bag": bag.on_record(entry.formats[0].path) | {"record": record}}
    if entry.text("uri") and entry.retrieved_at is not None:
        details["imported"] = {
            "format": f"BagIt {bag.version}",
            "file": bag.name,
            "shows": str(earlier.get("shows") or "received"),
            "made_by": earlier.get("made_by") or {"software": agent},
            "claimed_at": entry.retrieved_at.isoformat(),
            "names": dict(entry.named),
        }
    return Provenance(
        title=entry.text("title"),
        uri=entry.text("uri"),
        final_uri=entry.text("final_uri"),
        retrieved_at=entry.retrieved_at,
        details=details,
    )
