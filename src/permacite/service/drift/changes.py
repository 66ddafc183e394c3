"""Changes between two versions of a document, word by word, each ready to cite."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from permacite.errors import LimitError, NotFoundError, ParseError
from permacite.fragments.alignment.differences import Piece, compared
from permacite.lazy_dataclass import dataclass
from permacite.service import addresses, names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from permacite.archive.model.answered import Representation, Version
    from permacite.archive.repository import Repository
    from permacite.pdi import PDI

__all__ = ["Change", "Changed", "Side", "changes"]

_MOST = 500
_AROUND = 120
"""Characters shown before and behind a change."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of two versions that are compared."""

    number: int
    pdi: str
    """The full name that people mean by the version."""
    text_pdi: str
    """That of the text which is compared."""
    saved_at: datetime


@dataclass(frozen=True, slots=True)
class Change:
    """Words that were left out, put in, or took the place of others."""

    was: str
    now: str
    before: str
    """What stands before it in both, and behind it."""
    after: str
    reference_was: str | None
    """The words as they would be cited in the earlier version; None where there are none."""
    reference_now: str | None


@dataclass(frozen=True, slots=True)
class Changed:
    """Two versions, and what was changed between them."""

    earlier: Side
    later: Side
    changes: tuple[Change, ...]
    """In the order of the later one."""
    more: bool
    """Whether there are others behind these."""
    numbers: tuple[int, ...]
    """All versions of the document."""


def changes(
    repository: Repository, reference: str, *, other: int | None = None, longest: int | None = None
) -> Changed:
    """What was changed between a version and the one with the number `other`.

    Without it, the version before; of the first one, the next. Raises NotFoundError where
    there is no other, RestrictedError, ParseError for a part of a document, LimitError where a
    text has more than `longest` octets.
    """
    name, fragment = names.document_of(reference)
    if fragment is not None:
        raise ParseError("expected a document, not a part of it", reference, len(str(name)))
    version = repository.lookup.version(name)
    known = repository.lookup.versions(version.pdi.document)
    numbers = [each.number for each in known]
    wanted = _other(numbers, version.number) if other is None else other
    there = next((each for each in known if each.number == wanted), None)
    if there is None or there.number == version.number:
        raise NotFoundError(
            "there is no other version with that number" if other else "it has one version",
            reference,
            candidates=tuple(str(number) for number in numbers),
        )
    first, second = sorted((version, there), key=lambda each: each.number)
    texts = [_text(repository, each, longest) for each in (first, second)]
    pieces = compared(*(repository.contents.text(text).text for text in texts))
    listed = list(islice(_changes(pieces, *(text.pdi for text in texts)), _MOST + 1))
    return Changed(
        _side(repository, first, texts[0]),
        _side(repository, second, texts[1]),
        tuple(listed[:_MOST]),
        more=len(listed) > _MOST,
        numbers=tuple(numbers),
    )


def _other(numbers: Sequence[int], number: int) -> int | None:
    """The number before, else the one behind."""
    earlier = [each for each in numbers if each < number]
    later = [each for each in numbers if each > number]
    return earlier[-1] if earlier else next(iter(later), None)


def _text(repository: Repository, version: Version, longest: int | None) -> Representation:
    text = repository.lookup.representation(
        version.pdi.document.with_(format="text", version=version.number)
    )
    if not text.media_type.startswith("text/"):
        raise NotFoundError("it has no words to compare", str(text.pdi))
    repository.contents.check_access(text)
    if longest is not None and text.size_bytes > longest:
        raise LimitError("its text is too long to be compared here", limit="text", maximum=longest)
    return text


def _side(repository: Repository, version: Version, text: Representation) -> Side:
    main, saved_at = repository.lookup.main(version), addresses.captured_at(version)
    return Side(version.number, str(main.pdi), str(text.pdi), saved_at)


def _changes(pieces: Sequence[Piece], old: PDI, new: PDI) -> Iterator[Change]:
    """Runs of pieces between such as are the same."""
    was: Piece | None = None
    now: Piece | None = None
    before = ""
    for piece in (*pieces, Piece("same", "")):
        if piece.kind == "removed":
            was = piece
        elif piece.kind == "added":
            now = piece
        else:
            if was or now:
                yield Change(
                    was=_words(was),
                    now=_words(now),
                    before=" ".join(before[-_AROUND:].split()),
                    after=" ".join(piece.words[:_AROUND].split()),
                    reference_was=_reference(was, old),
                    reference_now=_reference(now, new),
                )
            was, now, before = None, None, piece.words


def _words(piece: Piece | None) -> str:
    return "" if piece is None else " ".join(piece.words.split())


def _reference(piece: Piece | None, text: PDI) -> str | None:
    if piece is None:
        return None
    return str(text.fragment("char", piece.start, piece.start + len(piece.words.rstrip())))
