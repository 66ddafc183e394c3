"""From representations that are handed in to octets on the disk and what is recorded of them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from permacite import pdi as grammar
from permacite.archive import names
from permacite.archive.objects import MOST_OF_BLOB, git_blob
from permacite.archive.records.commits import StoredFormat
from permacite.archive.texts import decoding_of
from permacite.errors import ConflictError, ParseError
from permacite.pdi import CitationPDI

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from permacite.archive.model import JSON, NewRepresentation, Provenance

__all__ = ["deposit", "with_charsets", "with_decoding"]


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
