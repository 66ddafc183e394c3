"""Bags become committed versions: of ours each version as it was, of others each file.

What comes out of a bag has what its maker claims on record (`bag`). A bag that an archive like this
one wrote tells names, titles, addresses, times, and on what ground documents are kept: versions
come with all of that, their former names lead here, and what was cited is cited again. Texts are
made here again by the rules that the bag names; they have their former names where they are the
same. What a browser drew is taken as it is.

A bag states nothing of who may see its documents: it holds what anybody may. Here that is decided
by the command, and by the archive's own default.
"""

from __future__ import annotations

import dataclasses
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from permacite import pdi
from permacite.archive import (
    DERIVED,
    NewRepresentation,
    NewVersion,
    Provenance,
    Witness,
    with_indexes,
)
from permacite.errors import ConflictError, ParseError, PermaciteError, StorageError
from permacite.service import names, sources
from permacite.service.access import GROUNDS, UNSAID
from permacite.service.assertions.former import keep_names
from permacite.service.ingest.files import Terms, read_draft
from permacite.service.ingest.saving import Ingest
from permacite.service.libraries.bagit import Bag, is_bag

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from permacite.archive import JSON, Repository, Version
    from permacite.service.access import Choice, Standing
    from permacite.service.ingest.saved import Saved

__all__ = ["Bags", "OpenBag", "is_bag"]

_OWN = "permacite/versions.jsonl"
_CITED = "permacite/citations.jsonl"
_DRAWN = {
    (pdi.DRAWN_PAGE, "multipart/related"),
    (pdi.DRAWN_TEXT, "text/plain"),
    ("png", "image/png"),
}


@dataclasses.dataclass(frozen=True, slots=True)
class _Format:
    """A format of a version, as a bag tells of it."""

    name: pdi.PDI
    path: str
    media_type: str
    charset: str | None
    derived_from: str | None
    rendition: str | None
    digest: str

    @property
    def token(self) -> str:
        """What it is called in its name."""
        return self.name.format or ""


@dataclasses.dataclass(frozen=True, slots=True)
class _Told:
    """A version, as a bag of ours tells of it."""

    formats: tuple[_Format, ...]
    line: Mapping[str, Any] = dataclasses.field(hash=False)

    @property
    def document(self) -> str:
        """What its document is called there."""
        return str(self.formats[0].name.document)

    @property
    def digests(self) -> dict[str, str]:
        """By the tokens."""
        return {each.token: each.digest for each in self.formats}

    @property
    def originals(self) -> set[str]:
        """The digests of what was not made of another format."""
        return {each.digest for each in self.formats if each.derived_from is None}

    @property
    def named(self) -> dict[str, str]:
        """What its formats were ever called, each with its digest."""
        same = self.line.get("same_as")
        former = same.items() if isinstance(same, dict) else ()
        earlier = {name: digest for name, digest in former if isinstance(digest, str)}
        return earlier | {str(each.name): each.digest for each in self.formats}

    def text(self, name: str) -> str | None:
        """What is told under a name, if that is text."""
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
        """Why it is kept and how long, as the bag says; who may see it is as by default."""
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
    """A bag, and what one that an archive wrote tells of its documents."""

    def told(self) -> Iterator[_Told]:
        """The versions that it tells of, each with its files; of another bag none."""
        for line in self.lines(_OWN):
            told = self._of_line(line)
            if told is not None:
                yield told

    def _of_line(self, line: Mapping[str, Any]) -> _Told | None:
        files, formats = line.get("files"), line.get("formats")
        if not (isinstance(files, dict) and isinstance(formats, dict) and files):
            return None  # earlier bags do not say what the files are: they come one by one
        given = [self._format(str(name), path, formats.get(name)) for name, path in files.items()]
        known = tuple(each for each in given if each is not None)
        documents = {(str(each.name.document), each.name.version) for each in known}
        return _Told(known, line) if len(known) == len(given) and len(documents) == 1 else None

    def _format(self, name: str, path: object, said: object) -> _Format | None:
        if not isinstance(said, dict) or path not in self.payload:
            return None
        try:
            parsed, fragment = names.document_of(name)
        except PermaciteError:
            return None
        if fragment is not None or parsed.format is None or parsed.version is None:
            return None
        text = {key: value for key, value in said.items() if isinstance(value, str)}
        return _Format(
            parsed,
            str(path),
            text.get("media_type", "application/octet-stream"),
            text.get("charset"),
            text.get("derived_from"),
            text.get("rendition"),
            text.get("digest", ""),
        )

    def pages(self) -> Iterator[dict[str, Any]]:
        """What it holds, as `add_citations` looks for it."""
        for told in self.told():
            name = str(told.formats[0].name)
            yield {"id": name, "url": told.line.get("uri"), "formats": told.digests}

    def citations(self) -> Iterator[dict[str, Any]]:
        """What was cited of it."""
        yield from (each for each in self.lines(_CITED) if isinstance(each.get("reference"), str))


class Bags:
    """What is in bags becomes committed versions."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._ingest = Ingest(repository)

    def add(
        self,
        bag: OpenBag,
        *,
        series: str | None = None,
        new: bool = False,
        confirmed_date: date | None = None,
        standing: Choice = UNSAID,
    ) -> Iterator[tuple[str, Saved | PermaciteError]]:
        """Commit what is in a bag, and yield what became of each file or version, by its path.

        What is here already is found, so that an import that was cut off goes on. What is wrong
        with one harms no other.
        """
        terms = Terms(series, None, confirmed_date, standing)
        here: dict[str, pdi.PDI] = {}
        """What documents of the bag are called here."""
        taken: set[str] = set()
        for told in bag.told():
            taken.update(each.path for each in told.formats)
            try:
                version, is_known = self._add_told(bag, told, terms, here, new=new)
            except StorageError:
                raise  # it would meet all others too
            except PermaciteError as error:
                yield told.document, error
                continue
            here[told.document] = version.pdi.document
            keep_names(self._repository, version, told.named)
            size = sum(bag.payload[each.path] for each in told.formats)
            saved = self._ingest.saved(version, None, parts=1, size_bytes=size)
            yield told.document, dataclasses.replace(saved, unchanged=is_known)
        for path in bag.payload:
            if path not in taken:
                try:
                    yield path, self._add_payload(bag, path, terms, new=new)
                except StorageError:
                    raise
                except PermaciteError as error:
                    yield path, error

    def _add_payload(self, bag: OpenBag, path: str, terms: Terms, *, new: bool) -> Saved:
        """Commit a file of a bag of others."""
        content, name = bag.read(path), path.rpartition("/")[2]
        terms = dataclasses.replace(terms, details={"bag": bag.on_record(path)})
        held = None if new else self._ingest.held(content, name, terms, None)
        if held is not None:
            return held
        (outcome,) = self._ingest.commit([read_draft(content, name, terms)], terms)
        if isinstance(outcome, PermaciteError):
            raise outcome
        return outcome

    def _add_told(
        self, bag: OpenBag, told: _Told, terms: Terms, here: Mapping[str, pdi.PDI], *, new: bool
    ) -> tuple[Version, bool]:
        """Commit a version of ours as it was; say whether it was here already."""
        repository = self._repository
        series = terms.series or repository.settings.series
        said = "\n".join([series, told.document, *sorted(told.originals)])
        key = None if new else f"bag:{sha256(said.encode()).hexdigest()}"
        known = (key and repository.origins.find_by_key(key)) or (
            None if new else self._here_already(told, series)
        )
        if known:
            return known, True
        replaces = here.get(told.document)
        default = terms.standing.over(told.standing(repository.access.default_standing()))
        draft = NewVersion(
            _representations(bag, told.formats),
            series=None if replaces else terms.series,
            replaces=replaces,
            provenance=_provenance(bag, told),
            key=key,
            witness=Witness(operator=terms.confirmed_date),
            standing=None if replaces else default,
        )
        (outcome,) = repository.committer.commit_all([draft])
        if isinstance(outcome, PermaciteError):
            raise outcome
        return outcome, False

    def _here_already(self, told: _Told, series: str) -> Version | None:
        """A version that is here with the same originals, from the same address."""
        for version in self._repository.origins.find_by_digest(min(told.originals, default="")):
            held = {item.digest for item in version.representations}
            is_same = version.provenance.uri == told.line.get("uri") and told.originals <= held
            if is_same and ".".join(version.pdi.series) == series:
                return self._repository.lookup.version(version.pdi)
        return None


def _representations(bag: OpenBag, formats: Sequence[_Format]) -> list[NewRepresentation]:
    """The formats of a version: what came in as it is, and the texts that are made of it here.

    Raises ConflictError where the bag's own list tells other octets than its manifests.
    """
    made: dict[str, list[NewRepresentation]] = {}
    given: list[NewRepresentation] = []
    for each in formats:
        content = bag.read(each.path)
        if f"sha-256:{sha256(content).hexdigest()}" != each.digest:
            raise ConflictError(f"{_OWN} tells another digest of {each.path}", str(each.name))
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


def _derived(content: bytes, told: _Format, rules: Sequence[str | None]) -> list[NewRepresentation]:
    """The texts that are made of a format here."""
    if not rules or told.media_type == "multipart/related":
        return []
    try:
        source = sources.read_source(content, told.media_type, charset=told.charset, rules=rules[0])
    except ParseError:
        return []
    return [each for each in sources.representations(source) if each.derived_from is not None]


def _drawn(content: bytes, told: _Format) -> NewRepresentation:
    """What a browser drew elsewhere. Raises ConflictError for what is called so and is not."""
    if (told.token, told.media_type) not in _DRAWN:
        raise ConflictError(f"{told.media_type} is not what a browser draws", str(told.name))
    return NewRepresentation(
        content,
        told.media_type,
        decoding=DERIVED if told.media_type == "text/plain" else None,
        format=told.token,
        derived_from=told.derived_from,
        rendition=told.rendition,
    )


def _provenance(bag: OpenBag, told: _Told) -> Provenance:
    """Where a version came from, as the bag claims."""
    known = told.line.get("provenance")
    record: dict[str, JSON] = known if isinstance(known, dict) else {}
    earlier_bag = record.pop("bag", None)
    if isinstance(earlier_bag, dict) and isinstance(earlier_bag.get("record"), dict):
        record = earlier_bag["record"]  # what the first archive had on record, bag after bag
    before = record.get("imported")
    earlier = before if isinstance(before, dict) else {}
    agent = next((value for name, value in bag.info if name == "Bag-Software-Agent"), "")
    details: dict[str, JSON] = {"bag": bag.on_record(told.formats[0].path) | {"record": record}}
    if told.text("uri") and told.retrieved_at is not None:
        details["imported"] = {
            "format": f"BagIt {bag.version}",
            "file": bag.name,
            "shows": str(earlier.get("shows") or "received"),
            "made_by": earlier.get("made_by") or {"software": agent},
            "claimed_at": told.retrieved_at.isoformat(),
            "names": dict(told.named),
        }
    return Provenance(
        title=told.text("title"),
        uri=told.text("uri"),
        final_uri=told.text("final_uri"),
        retrieved_at=told.retrieved_at,
        details=details,
    )
