"""Uploads from the browser extension: committed like fetched pages, and cited.

A page that was seen with an account is closed to all but the operator. It never becomes the next
version of one that is open, nor the other way round.
"""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, BinaryIO, cast

from permacite import pdi
from permacite.errors import NotFoundError, PermaciteError, StorageError
from permacite.lazy_dataclass import dataclass
from permacite.limits import UPLOAD_BYTES
from permacite.service import names, sources
from permacite.service.access import Choice
from permacite.service.citations.citing import cite
from permacite.service.citations.parts import CiteTarget
from permacite.service.ingest.pages import Fetched, PageIngest, Wanted
from permacite.service.names import resolver_of
from permacite.service.tokens import Token, check_series

if TYPE_CHECKING:
    from permacite.archive.model.answered import Version
    from permacite.archive.repository import Repository
    from permacite.capture.upload import UploadedPage
    from permacite.service.citations.recorded import Cited
    from permacite.service.ingest.saved import Saved

__all__ = ["Taken", "Uploads"]


@dataclass(frozen=True, slots=True)
class Taken:
    """A page that was handed over, and is committed."""

    saved: Saved
    cited: Cited | None
    """What was selected, cited; None where nothing was, or it could not be."""
    not_cited: str
    """Why what was selected is not cited; "" where it is, or nothing was."""
    url: str
    """The page for any browser, through the resolver."""
    way: str
    """The octets of the page: "received", "asked" for once more, or "drawn": there are none."""
    account: bool
    """Whether it was seen with an account: it is closed then."""


class Uploads:
    """Pages that are handed over."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._pages = PageIngest(repository)

    def staging(self) -> BinaryIO:
        """A file for what is coming in, on the archive's disk, which is gone once it is closed.

        Raises StorageError.
        """
        folder = self._repository.directory
        try:
            return cast("BinaryIO", tempfile.TemporaryFile(dir=folder))
        except OSError as error:
            raise StorageError(
                f"nothing can be staged: {error.strerror}", path=str(folder), reason="io"
            ) from error

    def take(self, file: BinaryIO, token: Token) -> Taken:
        """Commit the page in a parcel, in the series of the token, and cite what is selected.

        The same parcel again is answered as it was first. Raises ParseError for what is no parcel,
        or not whole, LimitError, TokenError for another series, and what commits raise.
        """
        from permacite.capture.upload import read_handed, read_parcel

        handed = read_handed(read_parcel(file, most_bytes=UPLOAD_BYTES))
        check_series(token, handed.series)
        captured = handed.capture
        wanted = Wanted(
            series=token.series,
            new=False,
            confirmed_date=None,
            standing=Choice(access="closed") if handed.account else Choice(),
            key=f"handed:{token.id}:{handed.key}",
            crawled=None,
            closed=handed.account,
        )
        page = sources.source_of(captured.root.document)
        saved = self._pages.keep(Fetched(captured, page, {"token": token.id}), wanted)
        cited, problem = self._cite_handed(saved, handed)
        return Taken(
            saved,
            cited,
            problem,
            url=f"{resolver_of(self._repository)}/{names.as_address(saved.pdi)}",
            way=handed.way if captured.is_served else "drawn",
            account=handed.account,
        )

    def _cite_handed(self, saved: Saved, handed: UploadedPage) -> tuple[Cited | None, str]:
        """The citation of what was selected; or why there is none: the page is committed."""
        try:
            version = self._repository.lookup.version(names.document_of(saved.pdi)[0])
            if handed.selection is not None:
                return self._cite_words(version, handed), ""
            if handed.picture is not None:
                view = _format(version, "png")
                return cite(
                    self._repository, view, CiteTarget(rect=",".join(map(str, handed.picture)))
                ), ""
        except PermaciteError as error:
            return None, error.problem
        return None, ""

    def _cite_words(self, version: Version, handed: UploadedPage) -> Cited:
        words = _format(version, pdi.DRAWN_TEXT)
        span = handed.selection and handed.words(handed.selection)
        if not span:
            raise NotFoundError("what is selected is no words that are drawn", words)
        return cite(self._repository, words, CiteTarget(char=f"{span[0]},{span[1]}"))


def _format(version: Version, token: str) -> str:
    """The full name of a version in a format. Raises NotFoundError."""
    try:
        return str(version.representation(token).pdi)
    except LookupError:
        raise NotFoundError(f"the page has no {token}", str(version.pdi)) from None
