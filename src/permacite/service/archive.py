"""An archive: ten methods for the daily work, and ten objects for all else.

| property | what it leads to |
|---|---|
| documents | list, show, export; names and addresses resolved, captures by time and site, series |
| citations | passages by their words; selections, references |
| quotations | who quotes whom; templates, transcripts |
| proofs | proof bundles |
| drift | the live page, other versions, watched pages |
| access | restrictions, withdrawal, erasure; tokens |
| log | state, seals, time-stamps, tiles, witnesses |
| lists | many documents at once: addresses, files; importers of other formats |
| annotations | tags, notes, collections; statements |
| copies | backup, fixity check, exports, entries for mirrors |

Methods take options as one value, or as its fields by their names: `save(uri, via="http")`.
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self, TypeVar

from permacite.archive.gate import Audience
from permacite.archive.repository import Repository
from permacite.errors import StorageError
from permacite.options import with_fields
from permacite.service import decoders
from permacite.service.location import DEFAULT_RESOLVER, DEFAULT_SERIES, Location, default_directory

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from permacite.archive.model.answered import Finding
    from permacite.service.access import Access
    from permacite.service.assertions.jottings import Annotations
    from permacite.service.checking import Drift
    from permacite.service.citations.citations import Citations
    from permacite.service.citations.parts import CiteTarget
    from permacite.service.citations.recorded import Cited
    from permacite.service.findings import Report
    from permacite.service.holdings import Documents
    from permacite.service.ingest.options import CommitOptions, SaveOptions
    from permacite.service.ingest.saved import Saved
    from permacite.service.lists.saving import Lists
    from permacite.service.preservation import Copies
    from permacite.service.proofs.logs import ArchiveLog
    from permacite.service.proofs.proofs import Proofs
    from permacite.service.quotations.comparing import Quotations
    from permacite.service.resolution.resolving import Resolved
    from permacite.service.search.finding import Results
    from permacite.service.search.query import SearchQuery

__all__ = [
    "DEFAULT_RESOLVER",
    "Archive",
    "Audience",
    "create",
    "default_directory",
    "open",
    "public_view",
    "warm_up",
]


_Archive = TypeVar("_Archive", bound="Archive")


def _area(source: str) -> Any:
    """A property of an archive: a class of a module of the service, imported on first use."""
    module, _, name = source.partition(":")
    path = f"permacite.service.{module}"
    return cached_property(lambda self: getattr(import_module(path), name)(self._repository))


class Archive:
    """One open archive. Use it as a context manager, or call `close`; threads may share it."""

    documents: cached_property[Documents] = _area("holdings:Documents")
    """Documents and versions; names and addresses resolved."""
    citations: cached_property[Citations] = _area("citations.citations:Citations")
    """Passages, references and selections."""
    quotations: cached_property[Quotations] = _area("quotations.comparing:Quotations")
    """Quotations by permanent names, and templates."""
    proofs: cached_property[Proofs] = _area("proofs.proofs:Proofs")
    """Proof bundles."""
    drift: cached_property[Drift] = _area("checking:Drift")
    """Cited passages on live pages and in other versions."""
    access: cached_property[Access] = _area("access:Access")
    """Who may see documents; tokens."""
    log: cached_property[ArchiveLog] = _area("proofs.logs:ArchiveLog")
    """The log that every commit is in."""
    lists: cached_property[Lists] = _area("lists.saving:Lists")
    """Many documents at once."""
    annotations: cached_property[Annotations] = _area("assertions.jottings:Annotations")
    """Tags, notes, collections and statements."""
    copies: cached_property[Copies] = _area("preservation:Copies")
    """Backup, fixity check, exports, entries for mirrors."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        repository.parts.decoder_of = decoders.decoder_of

    @classmethod
    def create(
        cls,
        directory: Location | None,
        *,
        series: str = DEFAULT_SERIES,
        resolver: str | None = None,
        objects: str | None = None,
    ) -> Self:
        """Make an archive: see `create`. `resolver` is the address that answers for its names."""
        location = directory or default_directory()
        repository = Repository.create(location, series=series, objects=objects)
        repository.settings.set("resolver", (resolver or DEFAULT_RESOLVER).rstrip("/"))
        return cls(repository)

    @classmethod
    def open(cls, directory: Location | None = None) -> Self:
        """Open an archive: see `open`. The default one is made when it is first used."""
        if directory is None and not default_directory().exists():
            return cls.create(None)
        return cls(_open_repository(directory or default_directory()))

    def close(self) -> None:
        """Let go of the archive."""
        self._repository.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._repository.where!r}>"

    def save(
        self,
        uri: str,
        options: SaveOptions | None = None,
        *,
        progress: Callable[[int, int, int], None] | None = None,
        **fields: object,
    ) -> Saved:
        """Capture the page at `uri` and commit it: see `PageIngest.save`, `SaveOptions`."""
        from permacite.service.ingest.options import SaveOptions

        options = with_fields(options or SaveOptions(), fields)
        return self.lists.pages.save(uri, options, progress=progress)

    def add(
        self,
        content: bytes,
        options: CommitOptions | None = None,
        *,
        name: str,
        path: Path | None = None,
        **fields: object,
    ) -> Saved:
        """Commit the bytes of a file: see `FileIngest.add`, `CommitOptions`."""
        from permacite.service.ingest.options import CommitOptions

        options = with_fields(options or CommitOptions(), fields)
        return self.lists.files.add(content, options, name=name, path=path)

    def cite(
        self,
        reference: str,
        target: CiteTarget | None = None,
        *,
        note: str | None = None,
        when: datetime | None = None,
        **fields: object,
    ) -> Cited:
        """Cite a passage, or any part of a document: see `citing.cite`, `CiteTarget`."""
        from permacite.service.citations.citing import cite
        from permacite.service.citations.parts import CiteTarget

        target = with_fields(target or CiteTarget(), fields)
        return cite(self._repository, reference, target, note=note, when=when)

    def resolve(
        self,
        reference: str,
        *,
        context: int = 0,
        whole: bool = True,
        preview: bool = False,
        when: datetime | None = None,
    ) -> Resolved:
        """The part that `reference` names: see `Resolver.resolve`."""
        return self.documents.resolver.resolve(
            reference, context=context, whole=whole, preview=preview, when=when
        )

    def verify(
        self, reference: str | None = None, *, progress: Callable[[Finding], None] | None = None
    ) -> Report:
        """Check what is stored under `reference`, or everything: its bytes, and cited words."""
        from permacite.service.resolution.verifying import verify

        return verify(self._repository, reference, progress=progress)

    def prove(
        self, reference: str, *, seal: bool = False, html: bool = False, language: str = "en"
    ) -> bytes:
        """The octets of the file that proves what `reference` names: see `Proofs.proof`."""
        return self.proofs.proof(reference, seal=seal, html=html, language=language).content

    def search(
        self,
        words: str = "",
        query: SearchQuery | None = None,
        *,
        most_s: float | None = None,
        progress: Callable[[int, int], None] | None = None,
        **fields: object,
    ) -> Results:
        """Search the words of documents: see `Search.search`, `SearchQuery`."""
        from permacite.service.search.query import SearchQuery

        query = with_fields(query or SearchQuery(), fields)
        return self.documents.full_text.search(words, query, most_s=most_s, progress=progress)


def create(path: Location, *, series: str, objects: str | None = None) -> Archive:
    """Make an archive in the folder `path`, which is new or empty, or in a database: see `open`.

    `series` is the authority in every name that it mints, such as "lab.example.us": its last part
    is a country code; zz is left to users. `objects` is where its octets are kept if not in the
    folder, "s3://BUCKET/PREFIX". Raises ConflictError where an archive is, ParseError for what is
    no series or no such address, StorageError.
    """
    return Archive.create(path, series=series, objects=objects)


def open(location: Location) -> Archive:  # noqa: A001 - the word for it
    """Open the archive in a folder, or at `postgresql://host/database?objects=/folder`.

    Raises StorageError where there is none that can be read, ParseError for a location that is
    none, or has a password in it.
    """
    return Archive.open(location)


def public_view(archive: _Archive, audience: Audience | None = None) -> _Archive:
    """The same archive as the public sees it: what is restricted shows its name alone.

    `audience` may see more. Closing either closes both.
    """
    return type(archive)(archive._repository.public(audience or Audience()))  # noqa: SLF001 - ours


def warm_up(archive: Archive) -> None:
    """Import what the first answers would wait for: rules of names, and of large texts."""
    from permacite.archive import texts  # noqa: F401
    from permacite.service import names

    names.parse(f"urn:pdi://{archive.documents.series.names()[0]}/2026/11/22/1.text.1")


def _open_repository(location: Location) -> Repository:
    try:
        return Repository.open(location)
    except StorageError as error:
        if error.reason == "missing" and not error.hint:
            error.hint = f"permacite init {location} makes an archive there"
        raise
