"""Commits: contents of new versions are stored as objects, then the catalog names them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from permacite import pdi as grammar
from permacite.archive import names
from permacite.archive.model.answered import Provenance
from permacite.archive.model.submitted import NewVersion
from permacite.archive.objects.source import MOST_OF_BLOB, git_blob
from permacite.archive.records import commits, octets, settings, versions
from permacite.archive.records.commits import CommitRequest, StoredFormat
from permacite.archive.records.rows import version_of
from permacite.archive.texts import decoding_of
from permacite.errors import ConflictError, IntegrityError, ParseError, PermaciteError, StorageError
from permacite.pdi import PDI, CitationPDI

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from permacite.archive.administration import ArchiveSettings
    from permacite.archive.engine.write_behind import Staging
    from permacite.archive.gate import Gate
    from permacite.archive.model.answered import JSON, Version
    from permacite.archive.model.submitted import NewRepresentation
    from permacite.archive.parts import ArchiveParts
    from permacite.archive.records.leaves import Committed

__all__ = ["Committer", "deposit"]


class Committer:
    """Commits versions and formats to one archive."""

    def __init__(self, parts: ArchiveParts, gate: Gate, series: ArchiveSettings) -> None:
        self._catalog = parts.catalog
        self._objects = parts.objects
        self._gate = gate
        self._settings = series

    def commit(
        self,
        representations: Sequence[NewRepresentation],
        *,
        series: str | None = None,
        unique_id: str | None = None,
        replaces: PDI | None = None,
        provenance: Provenance | None = None,
        key: str | None = None,
    ) -> Version:
        """Commit all formats of a document, as `commit_version` does."""
        return self.commit_version(
            NewVersion(
                representations, series, unique_id, replaces, provenance or Provenance(), key
            )
        )

    def commit_version(self, draft: NewVersion) -> Version:
        """Commit all formats of a document together, and return once that is durable.

        A new name is minted in the draft's series, with the date of the clock (UTC) and the next
        serial number of that day, or its `unique_id`; with `replaces`, the next version of that
        document is made instead, whichever version is named. The same idempotency `key` again gives
        the first Version. `standing` is that of a new document. More than 31 days after the last
        commit, the system or the `witness` must confirm the date. Raises ConflictError (a name that
        is taken, a key used for other bytes, one format twice), NotFoundError, ParseError,
        StorageError (reason "clock": the date is not confirmed, or the series is ahead of it).
        """
        (outcome,) = self.commit_all([draft])
        if isinstance(outcome, PermaciteError):
            raise outcome
        return outcome

    def commit_all(self, drafts: Sequence[NewVersion]) -> list[Version | PermaciteError]:
        """Commit several versions in their order, and return once all is durable.

        They share what the disk has to do. Each gives its Version, or the error that
        `commit_version` would raise; the others are committed all the same.
        """
        outcomes: dict[int, Version | PermaciteError] = {}
        left = list(range(len(drafts)))
        while left:
            outcomes.update(zip(left, self._attempt([drafts[at] for at in left]), strict=True))
            left = [at for at in left if _met_erasing(outcomes[at])]
            if left:
                self._objects.destroy()
        return [outcomes[at] for at in range(len(drafts))]

    def _attempt(self, drafts: Sequence[NewVersion]) -> list[Version | PermaciteError]:
        """Commit versions together; one by one where the octets of all cannot be kept."""
        try:
            return self._commit(drafts)
        except (IntegrityError, StorageError) as error:
            if len(drafts) == 1:
                return [error]
        return [outcome for draft in drafts for outcome in self._attempt([draft])]

    def _commit(self, drafts: Sequence[NewVersion]) -> list[Version | PermaciteError]:
        """Put the octets of versions, and commit them. Raises StorageError, IntegrityError."""
        with (
            self._catalog.group_commit.announced() as under_way,
            self._objects.write_behind.staging(together=under_way > 1) as staging,
        ):
            values = self._catalog.read(settings.settings)  # before any octets are looked for
            if not values.get(settings.SERIES):
                values[settings.SERIES] = self._settings.series
            prepared = [self._prepared(draft, staging, values) for draft in drafts]
            staging.flush()
            requests = [outcome for outcome in prepared if not isinstance(outcome, PermaciteError)]
            written = iter(self._catalog.group_commit.run_all(commits.commit, requests))
        with self._catalog.reading_rows():
            return [
                outcome if isinstance(outcome, PermaciteError) else _committed(next(written))
                for outcome in prepared
            ]

    def _prepared(
        self, draft: NewVersion, staging: Staging, values: dict[str, str]
    ) -> CommitRequest | PermaciteError:
        """The request for a version whose octets are put; or the error that refuses it."""
        if not draft.representations:
            raise ValueError("a version has at least one format (PDI §2.6)")
        try:
            return self._request(draft, staging, values)
        except PermaciteError as error:
            return error

    def _request(
        self, draft: NewVersion, staging: Staging, values: dict[str, str]
    ) -> CommitRequest:
        """Put the octets of a version once all that is said of it is right. Raises as `commit`."""
        replaces, series, unique_id = draft.replaces, draft.series, draft.unique_id
        if replaces is not None:
            names.check_same(replaces, series, unique_id)
            self._gate.check_document(replaces)
        representations = [with_decoding(new) for new in draft.representations]
        before = len(staging.contents)
        return CommitRequest(
            series=values[settings.SERIES] if series is None else names.checked_series(series),
            unique_id=None if unique_id is None else names.checked_unique_id(unique_id),
            replaces=None if replaces is None else replaces.document,
            provenance=with_charsets(draft.provenance, representations),
            key=draft.key,
            witness=draft.witness,
            standing=draft.standing,
            formats=deposit(staging.put, representations),
            contents=tuple(staging.contents[before:]),
            erasing_round=octets.round_in(values),
        )

    def _again_after_erasing(self, add: Callable[[], Version]) -> Version:
        """Add once more while octets that were found there are erased meanwhile."""
        while True:
            try:
                return add()
            except StorageError as error:
                if not _met_erasing(error):
                    raise
            self._objects.destroy()

    def add_format(self, pdi: PDI, representation: NewRepresentation) -> Version:
        """Add a format, with the same meaning as those there, to a version (PDI §2.6).

        The highest version is taken where `pdi` names none. Raises ConflictError where the version
        has this format with other octets; NotFoundError.
        """
        version = self._catalog.read(versions.version, pdi)

        def add() -> Version:
            erasing_round = self._catalog.read(octets.erasing_round)
            (stored,) = deposit(self._objects.store.put, [with_decoding(representation)])
            row = self._catalog.write(
                commits.add_format, version.pdi, version.number, stored, erasing_round=erasing_round
            )
            return self._catalog.read(versions.version_by_id, row)

        return self._again_after_erasing(add)


def _met_erasing(outcome: object) -> bool:
    """Whether octets that were found there were erased meanwhile."""
    return isinstance(outcome, StorageError) and outcome.reason == "erasing"


def _committed(written: Committed | PermaciteError) -> Version | PermaciteError:
    if isinstance(written, PermaciteError):
        return written
    return version_of(written.version, written.formats)


def deposit(
    put: Callable[[bytes], str], representations: Sequence[NewRepresentation]
) -> tuple[StoredFormat, ...]:
    """Put the octets of all formats, once all that is said of them is found right.

    `put` keeps octets and gives their digest. What decodes each is known: see `with_decoding`.

    Raises ConflictError where a format stands twice, ParseError.
    """
    tokens = [names.checked_format(_token(representation)) for representation in representations]
    quoted = [
        tuple(_quotation(token, *quotation) for quotation in representation.quotations)
        for representation, token in zip(representations, tokens, strict=True)
    ]
    for token in tokens:
        if tokens.count(token) > 1:
            raise ConflictError(f"the format {token} is given twice", token)
    return tuple(
        _put(put, representation, token, quotations)
        for representation, token, quotations in zip(representations, tokens, quoted, strict=True)
    )


def with_decoding(new: NewRepresentation) -> NewRepresentation:
    """Return a representation whose decoding is known if it is text (PDI §3.4.1).

    Raises ParseError for plain text without a charset that is not UTF-8.
    """
    return dataclasses.replace(new, decoding=decoding_of(new))


def with_charsets(
    provenance: Provenance, representations: Sequence[NewRepresentation]
) -> Provenance:
    """Return a provenance that says of each text what charset came with it, and what settled it."""
    charsets: dict[str, JSON] = {
        _token(representation): {
            "label": representation.decoding.label,
            "settled_by": representation.decoding.by,
        }
        for representation in representations
        if representation.decoding is not None and representation.decoding.by
    }
    if not charsets:
        return provenance
    return dataclasses.replace(provenance, details={**provenance.details, "charsets": charsets})


def _token(new: NewRepresentation) -> str:
    """Return the format token: as given, or that of the media type (PDI §2.5, §3.4.1)."""
    if new.format is not None:
        return new.format
    if new.decoding is None:
        return grammar.token_for(new.media_type)
    return grammar.token_for(f"{new.media_type}; charset={new.decoding.codec}")


def _put(
    put: Callable[[bytes], str],
    new: NewRepresentation,
    token: str,
    quotations: tuple[tuple[str, str, str], ...],
) -> StoredFormat:
    """Keep the octets of one format and return what the catalog records of it."""
    return StoredFormat(
        format=token,
        media_type=new.media_type.lower(),
        charset=None if new.decoding is None else new.decoding.recorded,
        size_bytes=len(new.content),
        digest=put(new.content),
        received_digest=None if new.received is None else put(new.received),
        derived_from=new.derived_from,
        rendition=new.rendition,
        sidecars=_put_all(put, new.sidecars),
        quotations=quotations,
        git_blob=_git_blob(new),
    )


def _git_blob(new: NewRepresentation) -> str | None:
    """What Git calls a text; None for what is large, made here, or no text."""
    is_text = new.decoding is not None and new.derived_from is None
    return git_blob(new.content) if is_text and len(new.content) <= MOST_OF_BLOB else None


def _quotation(token: str, origin: str, cited: str) -> tuple[str, str, str]:
    """Return origin, name and document of what is quoted, in canonical form.

    Raises ParseError, placed in `origin` or `cited`, where they make no citation (PDI §3.5).
    """
    target = cited[len("urn:") :] if cited.lower().startswith("urn:") else cited
    before = f"pdi://a.zz/2000/01/01/1.{token}.1@"
    try:
        whole = _citation(f"{before}{origin}={target}")
    except ParseError as error:
        offset = error.offset - len(before)
        if offset <= len(origin):
            raise ParseError(error.problem, origin, max(offset, 0), error.spec) from error
        offset += len(cited) - len(target) - len(origin) - 1
        raise ParseError(error.problem, cited, offset, error.spec) from error
    cited = names.as_urn(whole.cited)
    return whole.origin, cited, names.cited_document(cited)


def _citation(text: str) -> CitationPDI:
    """Return a citation. Raises ParseError for any other name."""
    name = grammar.parse(text)
    if not isinstance(name, CitationPDI):
        raise ParseError("expected '=' and what is cited", text, len(text), "PDI §3.5")
    return name


def _put_all(
    put: Callable[[bytes], str], sidecars: Mapping[str, bytes]
) -> tuple[tuple[str, str], ...]:
    """Keep sidecars; their names and digests are returned."""
    return tuple((name, put(sidecars[name])) for name in sorted(sidecars))
