"""Files become committed versions: read one by one, and committed in groups.

A group ends before a file that quotes by permanent names, for what it quotes may be a file before
it. It also ends once it holds enough, so that no more than that is in memory, and the first
outcomes come soon. A file that is an aggregate is kept as it is, beside its page and the text.
"""

from __future__ import annotations

import dataclasses
from dataclasses import field
from typing import TYPE_CHECKING, Self, TypeAlias

from permacite.archive.model.answered import Provenance, Witness
from permacite.archive.model.submitted import NewVersion
from permacite.archive.objects.source import digest_of
from permacite.charsets import codec_of
from permacite.errors import ConflictError, PermaciteError
from permacite.lazy_dataclass import dataclass
from permacite.pdi import token_for
from permacite.renditions import reads, rendition_named
from permacite.service.access import apply
from permacite.service.derivations import Derived
from permacite.service.derivations import complete as complete_derivations
from permacite.service.documents import SAME_SOURCE
from permacite.service.ingest import incoming
from permacite.service.ingest.folders import complete, folder_of
from permacite.service.ingest.options import CommitOptions
from permacite.service.ingest.saved import SaveReports, lost_resources
from permacite.service.names import document_of
from permacite.service.quotations.recording import check_quotations
from permacite.service.sources import Incoming

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import date, datetime
    from pathlib import Path

    from permacite.archive.model.answered import JSON, Representation, Standing, Version
    from permacite.archive.repository import Repository
    from permacite.service.access import Choice
    from permacite.service.ingest.folders import Complete
    from permacite.service.ingest.saved import Saved

    Outcome: TypeAlias = "Draft | Saved | PermaciteError | OSError"

__all__ = ["Draft", "FileIngest", "Terms", "read_draft"]

_MOST_FILES = 64
_MOST_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Terms:
    """How files are to be committed."""

    series: str | None
    uri: str | None
    """Where the file came from."""
    confirmed_date: date | None
    standing: Choice
    charset: str | None = None
    """Of text, as somebody says."""
    rendition: str | None = None
    """The rules that are to make the text of what they read."""
    media_type: str | None = None
    """As somebody says."""
    title: str | None = None
    """What it is called where it does not say."""
    claimed_at: datetime | None = None
    """When it is from, as somebody says, where it does not."""
    details: Mapping[str, JSON] = field(default_factory=dict, hash=False)
    """What else is to be put on record."""

    key_of: Callable[[str], str] | None = None
    """The key of what octets are committed under, the same in all processes of a run."""

    def __post_init__(self) -> None:
        if self.rendition is not None:
            rendition_named(self.rendition)  # an unknown one is an error
        if self.media_type is not None:
            token_for(self.media_type)  # so is what is no media type

    @classmethod
    def of(cls, options: CommitOptions, key_of: Callable[[str], str] | None = None) -> Self:
        """The terms of a file that a user commits."""
        return cls(
            options.series,
            options.uri,
            options.confirmed_date,
            options.standing,
            options.charset,
            options.rendition,
            options.media_type,
            key_of=key_of,
        )

    def incoming(self, name: str, content: bytes) -> Incoming:
        """The bytes of a file, read by these terms."""
        return Incoming.of_file(
            name, content, media_type=self.media_type, charset=self.charset, rules=self.rendition
        )

    def agree_with(self, version: Version, held: Representation, page: Incoming) -> bool:
        """Whether octets that are here came from the same place, and are read in the same way.

        A file that is here keeps the type that it was committed with, also where its name would
        tell another by now: its permanent name has that type in it.
        """
        addresses = {version.provenance.uri, version.provenance.final_uri}
        if held.media_type != page.media_type and (
            self.media_type is not None
            or version.provenance.details.get("file_name") != page.name
            or self.uri not in addresses
        ):
            return False
        read_so = self.charset is None or codec_of(self.charset) == held.charset
        return self.uri in {None, *addresses} and read_so and self._made_so(version, held)

    def _made_so(self, version: Version, held: Representation) -> bool:
        """Whether the text that is here was made by the rules that are wanted."""
        if self.rendition is None or not reads(rendition_named(self.rendition), held.media_type):
            return True
        texts = [item for item in version.representations if item.derived_from == held.format]
        return any((item.rendition or "").partition("/")[0] == self._name for item in texts)

    @property
    def _name(self) -> str:
        return (self.rendition or "").partition("/")[0]


@dataclass(frozen=True, slots=True)
class Draft:
    """A file that was read."""

    name: str
    size_bytes: int
    document: incoming.NewDocument

    def version(self, terms: Terms, default: Standing) -> NewVersion:
        """The version that is to be committed."""
        document = self.document
        return NewVersion(
            document.representations,
            series=terms.series,
            provenance=Provenance(
                title=document.title or terms.title or self.name,
                uri=self._source(terms),
                final_uri=document.final_uri,
                retrieved_at=document.claimed_at or terms.claimed_at,
                details={"file_name": self.name, **terms.details, **document.details},
            ),
            key=None if terms.key_of is None else terms.key_of(self._identity),
            witness=Witness(operator=terms.confirmed_date),
            standing=terms.standing.over(default),
        )

    @property
    def _identity(self) -> str:
        """What is the same where the same octets are read in the same way."""
        own = [each for each in self.document.representations if each.derived_from is None]
        return " ".join(f"{each.media_type} {digest_of(each.content)}" for each in own)

    def _source(self, terms: Terms) -> str | None:
        """Where it is from: as somebody says, but of a copy in an archive as the copy does."""
        own = self.document.uri
        return own if self.document.final_uri else terms.uri or own


def read_draft(page: Incoming, terms: Terms, complete: Complete | None = None) -> Draft:
    """Read a file that came in, `complete` if a browser saved it with what it shows.

    Raises ParseError where it is not what it claims.
    """
    document = incoming.understood(page, uri=terms.uri, complete=complete)
    return Draft(page.name, len(page.content), document)


def _grouped(
    paths: Iterable[Path], terms: Terms, find: Callable[[Incoming, Complete | None], Saved | None]
) -> Iterator[list[tuple[Path, Outcome]]]:
    """Yield files in groups, each read, or with the error that kept it from that.

    `find` says what is told of octets that are here already. A group ends before octets that are
    in it, so that they are found too.
    """
    group: list[tuple[Path, Outcome]] = []
    size_bytes = 0
    seen: set[str] = set()
    for path in paths:
        try:
            content = path.read_bytes()
        except OSError as error:
            group.append((path, error))
            continue
        digest = digest_of(content)
        if digest in seen:
            yield group
            group, size_bytes, seen = [], 0, set()
        outcome = _attempt(content, path, terms, find)
        quotes = isinstance(outcome, Draft) and bool(outcome.document.quotations)
        if group and (quotes or size_bytes > _MOST_BYTES or len(group) == _MOST_FILES):
            yield group
            group, size_bytes, seen = [], 0, set()
        group.append((path, outcome))
        seen.add(digest)
        size_bytes += outcome.size_bytes if isinstance(outcome, Draft) else 0
    if group:
        yield group


def _attempt(
    content: bytes,
    path: Path,
    terms: Terms,
    find: Callable[[Incoming, Complete | None], Saved | None],
) -> Outcome:
    try:
        page = terms.incoming(path.name, content)
        whole = _with_folder(path, page)
        return find(page, whole) or read_draft(page, terms, whole)
    except (PermaciteError, OSError) as error:
        return error


def _with_folder(path: Path, page: Incoming) -> Complete | None:
    """A page with what a browser saved in a folder beside it; None where there is none."""
    folder = folder_of(path)
    return None if folder is None else complete(path, page, folder)


class FileIngest:
    """Files become committed versions."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self.reports = SaveReports(repository)

    def add(
        self, content: bytes, options: CommitOptions, *, name: str, path: Path | None = None
    ) -> Saved:
        """Commit the bytes of a file under a new name; its `name` tells their type.

        The `path` of a file that is on a disk is where a browser may have put what it shows. The
        same bytes of the same type again are found under the name that they have.

        A document that quotes other words than stand at their names is refused (IntegrityError),
        unless that is wanted, or it came from elsewhere: from an address, or in an aggregate.
        Raises ParseError where the file is not what it claims.
        """
        terms = Terms.of(options)
        page = terms.incoming(name, content)
        whole = None if path is None else _with_folder(path, page)
        held = None if options.new else self.held(page, terms, whole)
        if held is not None:
            return held
        draft = read_draft(page, terms, whole)
        if not (options.misquoted or options.uri is not None or draft.document.is_aggregate):
            check_quotations(self._repository, draft.document.quotations)
        return self.commit(draft, terms)

    def add_files(
        self,
        paths: Iterable[Path],
        options: CommitOptions | None = None,
        *,
        key_of: Callable[[str], str] | None = None,
    ) -> Iterator[tuple[Path, Saved | PermaciteError | OSError]]:
        """Commit many files in their order, each as `add` does; yield the outcome of each.

        Small files are committed in groups, which share what the disk has to do: the outcome of a
        file is yielded when its group is durable. A fault of one file does not stop the others.
        `key_of` gives the same bytes one key in all processes of a run, and so one name.
        """
        options = options or CommitOptions()
        terms = Terms.of(options, key_of=key_of)

        def find(page: Incoming, whole: Complete | None) -> Saved | None:
            return None if options.new else self.held(page, terms, whole)

        for group in _grouped(paths, terms, find):
            # What quotes stands first in its group: what it quotes may be a file before it.
            outcomes = [self._checked(one, misquoted=options.misquoted) for _, one in group]
            drafts = [one for one in outcomes if isinstance(one, Draft)]
            added = iter(self._commit_all(drafts, terms))
            for (path, _), outcome in zip(group, outcomes, strict=True):
                yield path, next(added) if isinstance(outcome, Draft) else outcome

    def held(self, page: Incoming, terms: Terms, whole: Complete | None) -> Saved | None:
        """What is told of octets that are here, in the same series, and open to all.

        Those of a page with what it shows are here if all of that is.
        """
        repository, digest = self._repository, digest_of(page.content)
        series = tuple((terms.series or repository.settings.series).split("."))
        found = [
            (next(item for item in version.representations if item.digest == digest), version)
            for version in repository.origins.find_by_digest(digest)
        ]
        # What is here under another type than it would have now comes last.
        for alike, version in sorted(found, key=lambda one: one[0].media_type != page.media_type):
            held = {item.digest for item in version.representations}
            if version.pdi.series != series or (whole and whole.digest not in held):
                continue
            if not terms.agree_with(version, alike, page):
                continue
            if repository.lookup.restrictions(version.representations):
                continue
            apply(repository, version.pdi, terms.standing)
            complete_derivations(repository, version, renew=False)
            known = repository.lookup.version(version.pdi)
            size = len(page.content)
            saved = self.reports.of(known, None, parts=1, size_bytes=size, unchanged=True)
            return self.reports.with_recorded(saved, known)
        return None

    def _checked(self, outcome: Outcome, *, misquoted: bool) -> Outcome:
        """What was read of a file, or why it is not to be committed."""
        if misquoted or not isinstance(outcome, Draft) or outcome.document.is_aggregate:
            return outcome
        try:
            check_quotations(self._repository, outcome.document.quotations)
        except PermaciteError as error:
            return error
        return outcome

    def commit(self, draft: Draft, terms: Terms) -> Saved:
        """Commit one file. Raises what keeps it from being committed."""
        default = self._repository.access.default_standing()
        version = self._repository.committer.commit_version(draft.version(terms, default))
        return self._report(draft, version)

    def retype(self, reference: str, media_type: str) -> Derived:
        """Commit the octets of a version under another media type, as the next version.

        Raises ParseError for no media type, or where the octets are not of this one, NotFoundError,
        ConflictError for a version that came in several formats.
        """
        name, _ = document_of(reference)
        version = self._repository.lookup.version(name)
        received = [item for item in version.representations if item.derived_from is None]
        if len(received) > 1:
            formats = ", ".join(item.format for item in received)
            raise ConflictError(f"it came as {formats}: save or import it again", str(version.pdi))
        (held,) = received
        content = self._repository.contents.read(held)
        token_for(media_type)  # what is no media type is an error
        page = Incoming.of_field(content, media_type)
        if page.media_type == held.media_type:
            return Derived(str(held.pdi), "present")
        document = incoming.understood(page)
        details = {**version.provenance.details, **document.details, SAME_SOURCE: str(held.pdi)}
        title = document.title or version.provenance.title
        made = self._repository.committer.commit(
            document.representations,
            replaces=version.pdi,
            provenance=dataclasses.replace(version.provenance, title=title, details=details),
        )
        own, *texts = made.representations
        text = next((str(item.pdi) for item in texts if item.derived_from), None)
        return Derived(str(own.pdi), "renewed", text)

    def _commit_all(self, drafts: Sequence[Draft], terms: Terms) -> list[Saved | PermaciteError]:
        """The reports on files that are committed together, or why they are not committed."""
        default = self._repository.access.default_standing()
        outcomes = self._repository.committer.commit_all(
            [draft.version(terms, default) for draft in drafts]
        )
        return [
            outcome if isinstance(outcome, PermaciteError) else self._report(draft, outcome)
            for draft, outcome in zip(drafts, outcomes, strict=True)
        ]

    def _report(self, draft: Draft, version: Version) -> Saved:
        document = draft.document
        quotations = document.quotations or None
        saved = self.reports.of(
            version, quotations, parts=document.parts, size_bytes=draft.size_bytes
        )
        return dataclasses.replace(saved, lost=lost_resources(document.lost))
