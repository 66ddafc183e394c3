"""Files that are to be committed: read one by one, and put into groups that are committed together.

A group ends before a file that quotes by permanent names, for what it quotes may be a file before
it; and where it holds enough, so that no more than that is in memory, and the first outcomes come
soon.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Self, TypeAlias

from permacite.archive.model.answered import Provenance, Witness
from permacite.archive.model.submitted import NewVersion
from permacite.archive.objects.source import digest_of
from permacite.charsets import codec_of
from permacite.errors import PermaciteError
from permacite.lazy_dataclass import dataclass
from permacite.renditions import reads, rendition_named
from permacite.service.ingest import incoming
from permacite.service.ingest.third_party.folders import complete, folder_of
from permacite.service.sources import Incoming

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import date, datetime
    from pathlib import Path

    from permacite.archive.model.answered import JSON, Representation, Standing, Version
    from permacite.service.access import Choice
    from permacite.service.ingest.options import CommitOptions
    from permacite.service.ingest.saved import Saved
    from permacite.service.ingest.third_party.folders import Complete

    Outcome: TypeAlias = "Draft | Saved | PermaciteError | OSError"

__all__ = ["Draft", "Terms", "files_in", "grouped", "read_draft", "with_folder"]

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
            key_of=key_of,
        )

    def incoming(self, name: str, content: bytes) -> Incoming:
        """The bytes of a file, read by these terms."""
        return Incoming.of_file(name, content, charset=self.charset, rules=self.rendition)

    def agree_with(self, version: Version, held: Representation) -> bool:
        """Whether octets that are here came from the same place, and are read in the same way."""
        addresses = {None, version.provenance.uri, version.provenance.final_uri}
        read_so = self.charset is None or codec_of(self.charset) == held.charset
        return self.uri in addresses and read_so and self._made_so(version, held)

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


def grouped(
    paths: Iterable[Path],
    terms: Terms,
    find: Callable[[Incoming, Complete | None], Saved | None],
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
        whole = with_folder(path, page)
        return find(page, whole) or read_draft(page, terms, whole)
    except (PermaciteError, OSError) as error:
        return error


def with_folder(path: Path, page: Incoming) -> Complete | None:
    """A page with what a browser saved in a folder beside it; None where there is none."""
    folder = folder_of(path)
    return None if folder is None else complete(path, page, folder)


def files_in(
    paths: Iterable[Path], is_whole: Callable[[Path], bool] | None = None
) -> Iterator[Path]:
    """Yield files, and in place of a folder all files in it, by their names.

    What is hidden is left out of folders, and so is whatever is no file, or a link; and the folders
    of pages that a browser saved with what they show. `is_whole` says which folders stay folders.
    """
    for path in paths:
        if not path.is_dir() or (is_whole is not None and is_whole(path)):
            yield path
            continue
        inside = [each for each in sorted(path.iterdir()) if not each.name.startswith(".")]
        of_pages = {folder_of(each) for each in inside if each.is_file()}
        for each in inside:
            is_part = path in of_pages and folder_of(each) != path
            if each.is_symlink() or each in of_pages or is_part:
                continue
            if each.is_dir():
                yield from files_in([each], is_whole)
            elif each.is_file():
                yield each
