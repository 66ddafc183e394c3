"""The use cases of an archive, each one method: what both faces call.

An Archive is an open archive and nothing else; methods check their arguments, call the room that
does the work, and answer with values of `model`. It may be used from several threads at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

import platformdirs

from permacite.archive import Repository
from permacite.errors import StorageError
from permacite.service import decoders
from permacite.service.access.standing import UNSAID
from permacite.service.citations import checking, citing, recorded
from permacite.service.citations.recorded import DEFAULT_RESOLVER
from permacite.service.ingest import saving
from permacite.service.ingest.saving import CaptureOptions, ImportOptions
from permacite.service.model import About
from permacite.service.promises import Promises
from permacite.service.reader import pages, reading
from permacite.service.reader.kept import KeptPages
from permacite.service.resolution import foreign, listing, resolving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date

    from permacite.service.access.standing import Choice
    from permacite.service.model import (
        Checked,
        Cited,
        Exported,
        Finding,
        Listing,
        Page,
        PageState,
        Passage,
        Reading,
        Resolved,
        Saved,
        Shown,
    )

__all__ = ["DEFAULT_RESOLVER", "Archive", "CaptureOptions"]

DEFAULT_SERIES = "my.archive.zz"
"""The series of an archive made on the fly; zz is a code that ISO 3166 leaves to its users."""


class Archive(Promises):
    """One open archive. Use it as a context manager, or call `close`."""

    def __init__(self, archive: Repository) -> None:
        self._archive = archive
        archive.decoder_of = decoders.decoder_of
        self._pages = KeptPages()

    @classmethod
    def create(
        cls, directory: Path | None, *, series: str = DEFAULT_SERIES, resolver: str | None = None
    ) -> Self:
        """Make an archive. Raises ConflictError where one is, ParseError for a bad series."""
        archive = Repository.create(directory or default_directory(), series=series)
        archive.set_setting("resolver", (resolver or DEFAULT_RESOLVER).rstrip("/"))
        return cls(archive)

    @classmethod
    def open(cls, directory: Path | None = None) -> Self:
        """Open an archive. The default one is made when it is first used.

        Raises StorageError where `directory` is given and holds no archive.
        """
        if directory is None and not default_directory().exists():
            return cls.create(None)
        try:
            return cls(Repository.open(directory or default_directory()))
        except StorageError as error:
            if error.reason == "missing" and not error.hint:
                error.hint = f"permacite init {directory} makes an archive there"
            raise

    def public(self) -> Self:
        """Return the same archive as the public sees it: what is restricted shows its name alone.

        Closing either closes both.
        """
        return type(self)(self._archive.public())

    def close(self) -> None:
        """Let go of the archive."""
        self._archive.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def about(self) -> About:
        """Say which archive this is."""
        return About(
            directory=str(self._archive.directory),
            series=self._archive.series,
            all_series=tuple(self._archive.series_names()),
            resolver=recorded.resolver(self._archive),
            documents=self._archive.documents(),
        )

    def decoders(self) -> str:
        """Say in a sentence how pictures, sound and video are decoded here."""
        return decoders.described()

    def save(
        self,
        uri: str,
        *,
        series: str | None = None,
        new: bool = False,
        options: CaptureOptions | None = None,
        progress: Callable[[int, int, int], None] | None = None,
        confirmed_date: date | None = None,
        standing: Choice = UNSAID,
    ) -> Saved:
        """Save the page at `uri`. `progress` is told (parts done, parts known, bytes so far).

        `confirmed_date` is today in UTC, as a person says, for a clock that nothing bears out;
        `standing` is who may see it, and why it is kept.
        """
        return saving.save(
            self._archive,
            uri,
            series=series,
            new=new,
            options=options or CaptureOptions(),
            progress=progress,
            confirmed_date=confirmed_date,
            standing=standing,
        )

    def import_document(
        self,
        name: str,
        content: bytes,
        *,
        series: str | None = None,
        charset: str | None = None,
        uri: str | None = None,
        misquoted: bool = False,
        confirmed_date: date | None = None,
        standing: Choice = UNSAID,
    ) -> Saved:
        """Archive the bytes of a local file; `name` tells its type; the rest is as in `save`.

        A document that quotes other words than stand at their names is refused (IntegrityError),
        unless it is `misquoted` on purpose, or came from elsewhere: from `uri`, or in an aggregate.
        """
        return saving.import_document(
            self._archive,
            name,
            content,
            ImportOptions(series, charset, uri, misquoted, confirmed_date, standing),
        )

    def passages(self, reference: str, quote: str) -> list[Passage]:
        """List where `quote` stands in the text of `reference`; empty if nowhere."""
        return citing.passages(self._archive, reference, quote)

    def cite(
        self,
        reference: str,
        *,
        quote: str | None = None,
        char: str | None = None,
        line: str | None = None,
        nth: int | None = None,
        before: str | None = None,
        after: str | None = None,
        note: str | None = None,
    ) -> Cited:
        """Cite a passage and record it.

        One of `quote`, `char` ("A,B") and `line` ("A,B"), or a fragment in `reference`. `nth`
        (from 1), or the words `before` and `after`, choose among several occurrences.
        """
        choice = citing.Choice(
            quote=quote, char=char, line=line, nth=nth, before=before, after=after
        )
        return citing.cite(self._archive, reference, choice, note=note)

    def resolve(
        self,
        reference: str,
        *,
        context: int = 0,
        options: CaptureOptions | None = None,
        force: bool = False,
        whole: bool = True,
    ) -> Resolved:
        """Return the part that `reference` names, checked against its digest.

        Without `whole`, what is read of a large text is checked, and not the rest of it.

        A text on the web or in a file is read where it is, if `options` are given; `force` shows
        its part even where a check in the fragment has failed.
        """
        if options is not None and foreign.is_foreign(reference):
            return foreign.resolve(reference, options=options, force=force)
        return resolving.resolve(self._archive, reference, context=context, whole=whole)

    def verify(self, reference: str | None = None) -> Iterator[Finding]:
        """Check what is stored under `reference`, or everything."""
        return resolving.verify(self._archive, reference)

    def check(self, reference: str, *, options: CaptureOptions | None = None) -> Checked:
        """Compare the live page with the archived one, passage by passage."""
        return checking.check(self._archive, reference, options=options or CaptureOptions())

    def list(
        self,
        pattern: str | None = None,
        *,
        limit: int | None = None,
        after: str | None = None,
        until: str | None = None,
        newest_first: bool = False,
    ) -> Listing:
        """List the documents that `pattern` covers, in the order of their commit or against it.

        All of them, or a page of up to `limit`, whose `next` and `until` are the `after` and the
        `until` of the page that follows.
        """
        return listing.list_documents(
            self._archive,
            pattern,
            limit=limit,
            after=after,
            until=until,
            newest_first=newest_first,
        )

    def show(self, reference: str) -> Shown:
        """Return all that is known about a document."""
        return listing.show(self._archive, reference)

    def export(self, reference: str, *, for_browsers: bool = False) -> Exported:
        """Return one format for a file; the whole page as an aggregate where none is named."""
        return listing.export(self._archive, reference, for_browsers=for_browsers)

    def read(
        self, reference: str, *, text: bool = False, text_fragment: str | None = None
    ) -> Reading:
        """Return what the reader shows around a document; its text too if `text`.

        `text_fragment`: of RFC 5147 or its first draft, in place of the reference's own.
        """
        return reading.read(self._archive, reference, text=text, text_fragment=text_fragment)

    def page(self, reference: str, *, script: str = "", text_fragment: str | None = None) -> Page:
        """Return the archived page for the reader; `script` is the one script it may hold."""
        view = pages.view(self._archive, reference, script=script, text_fragment=text_fragment)
        kept = self._pages.get(view.state.tag)
        if kept is None:
            kept = pages.page(self._archive, view)
            self._pages.keep(kept)
        return kept

    def page_state(
        self, reference: str, *, script: str = "", text_fragment: str | None = None
    ) -> PageState:
        """Return whether the page would be another than the last time, without making it."""
        view = pages.view(self._archive, reference, script=script, text_fragment=text_fragment)
        return view.state


def default_directory() -> Path:
    """Return the folder of the user's own archive."""
    return Path(platformdirs.user_data_dir("permacite", appauthor=False)) / "archive"
