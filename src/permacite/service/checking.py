"""Check cited passages: on the live page, in other versions, and on watched pages."""

from __future__ import annotations

import contextlib
import dataclasses
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from permacite.archive.objects.source import digest_of
from permacite.errors import CaptureError, NotFoundError, StorageError
from permacite.lazy_dataclass import dataclass
from permacite.service import addresses, names, sources
from permacite.service.drift.comparison import ComparedPage, Comparison, PassageDrift, Sought

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.archive.model.answered import Representation, Version
    from permacite.archive.passages import LivePages
    from permacite.archive.repository import Repository
    from permacite.extract import Decode
    from permacite.service.drift.changes import Changed
    from permacite.service.drift.versions import Through
    from permacite.service.watching import Watches

__all__ = ["Checked", "Drift"]


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of comparing the live page with the archived one."""

    pdi: str
    """The full name of what was compared."""
    uri: str
    """Where the live page is."""
    checked_at: datetime
    same_bytes: bool
    """Whether the page has the same bytes as the archived one."""
    same_text: bool
    """Whether its text is the same."""
    passages: tuple[PassageDrift, ...]
    """The outcome for each cited passage."""


_GONE = frozenset({404, 410})
"""Status codes that say that there is no such page; all others may be temporary."""
_UNASKED = frozenset({"address", "extra", "scheme", "syntax"})
"""Reasons of ours for which no request was sent."""


class Drift:
    """Compare cited passages with the live page and with other versions; watch pages."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def check(
        self, reference: str, *, allow_private: bool = False, when: datetime | None = None
    ) -> Checked:
        """Compare the live page with the archived one, passage by passage, and record the result.

        A web address means the page saved from there nearest to the time `when`, or last.
        Raises CaptureError, or NotFoundError where it never had an address.
        """
        from permacite import capture

        repository = self._repository
        name, _ = names.document_of(addresses.reference_of(repository, reference, when))
        version = repository.lookup.version(name)
        address = version.provenance.uri or version.provenance.final_uri
        if address is None:
            raise NotFoundError(
                "this document was not saved from the web",
                str(name),
                hint="there is nothing to fetch",
            )
        try:
            exchange = capture.fetch(address, capture.FetchOptions(allow_private=allow_private))
        except CaptureError as error:
            if error.reason not in _UNASKED:
                outcome = "gone" if error.status in _GONE else "unanswered"
                _note(repository.live_pages, version, address, outcome)
            raise
        archived, rules = _received(version, repository.lookup.main(version))
        source = sources.source_of(exchange.document, rules=rules)
        live = _live(exchange.content, source, archived, repository.parts.decoder_of)
        same_bytes = live.digest == archived.digest
        text = _archived_text(repository, version)
        if same_bytes:  # whatever rules are installed by now, nothing has changed
            live = dataclasses.replace(live, text=text)
        title = version.title or str(version.pdi.document)
        comparison = Comparison(repository, live, title)
        checked = Checked(
            pdi=str(archived.pdi),
            uri=address,
            checked_at=datetime.now(UTC),
            same_bytes=same_bytes,
            same_text=same_bytes or live.text == text,
            passages=tuple(
                comparison.drift(Sought.of(each))
                for each in repository.passages.citations(version.pdi)
            ),
        )
        _note(
            repository.live_pages,
            version,
            address,
            "same" if checked.same_text else "changed",
            passages=checked.passages,
        )
        return checked

    def versions(
        self,
        reference: str,
        *,
        limit: int | None = None,
        after: int | None = None,
        longest: int | None = None,
    ) -> Through:
        """Find a passage in the other versions of its document: later ones first.

        All of them, or a page of up to `limit`, which begins behind the version `after`. Texts of
        more than `longest` octets are not compared, which takes a second for each million or so.
        Raises NotFoundError, RestrictedError, ParseError for a name without a fragment.
        """
        from permacite.service.drift.versions import through_versions

        return through_versions(
            self._repository, reference, limit=limit, after=after, longest=longest
        )

    def changes(
        self, reference: str, *, other: int | None = None, longest: int | None = None
    ) -> Changed:
        """List the changes between a version and the one with the number `other`.

        Without it, the version before; of the first one, the next. Raises NotFoundError where
        there is no other, RestrictedError, ParseError for a part of a document, LimitError where a
        text has more than `longest` octets.
        """
        from permacite.service.drift.changes import changes

        return changes(self._repository, reference, other=other, longest=longest)

    @cached_property
    def watches(self) -> Watches:
        """Pages that are fetched again at intervals."""
        from permacite.service.watching import Watches

        return Watches(self._repository)


def _note(
    live_pages: LivePages,
    version: Version,
    address: str,
    outcome: str,
    *,
    passages: tuple[PassageDrift, ...] = (),
) -> None:
    """Record the outcomes, unless the archive is read-only."""
    fates = {drift.reference: drift.status for drift in passages}
    last = live_pages.last_news(version)
    news = {
        name: (fate, "")
        for name, fate in fates.items()
        if fate != "unchecked" and last.get(name, ("",))[0] != fate
    }
    with contextlib.suppress(StorageError):
        live_pages.note_check(version.pdi, address, outcome, fates, news=news)


def _live(
    content: bytes,
    source: sources.Incoming,
    archived: Representation,
    decoder_of: Callable[[str], Decode] | None,
) -> ComparedPage:
    """The live page: its bytes, their type and their text."""
    digest = digest_of(content)
    document = None if source.decoding is None else source.document.text
    text = source.text
    if text is None and document is not None:
        text = document.text
    return ComparedPage(
        content=content,
        digest=digest,
        media_type=source.document.media_type,
        archived=archived,
        text=text,
        document=document,
        decode=None if decoder_of is None else decoder_of(digest),
    )


def _received(version: Version, main: Representation) -> tuple[Representation, str | None]:
    """The format that came from the address, and the rules that made a text of it."""
    made_from = {item.derived_from: item.rendition for item in version.representations}
    mails = [item for item in version.representations if item.media_type == sources.MAIL]
    source = mails[0] if mails else main
    if main.derived_from is not None:
        source = next((i for i in version.representations if i.format == main.derived_from), main)
    return source, made_from.get(source.format)


def _archived_text(repository: Repository, version: Version) -> str | None:
    try:
        return names.text_of(
            repository, names.text_representation(repository, version.pdi)
        ).document.text
    except NotFoundError:
        return None
