"""The text of a document for whoever wants a passage of it: by its index, or else whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from permacite.extract import extract_from
from permacite.service import names

if TYPE_CHECKING:
    from permacite.archive import Archive, Representation
    from permacite.extract import Excerpt
    from permacite.fragments import Text

__all__ = ["IndexedText", "PassageText", "indexed", "text_for"]


@dataclass(frozen=True, slots=True)
class IndexedText:
    """A large text that is read where it is wanted; every piece read is checked.

    It answers as `names.TextOf` does. Positions count characters of the canonical text.
    """

    representation: Representation
    entity: Text

    @property
    def length(self) -> int:
        """How many characters there are."""
        return self.entity.end.pdi("http")

    def cut(self, specifier: str) -> Excerpt:
        """Return characters or lines. Raises as `extract` does."""
        return extract_from(self.entity, self.representation.media_type, specifier)

    def words(self, start: int, end: int) -> str:
        """Return the characters from `start` up to `end`, as far as there are any."""
        start, end = (min(position, self.length) for position in (start, end))
        return self.cut(f"char={start},{end}").text or ""

    def line(self, start: int) -> int:
        """Return the number of the line in which a position is, counted from 0."""
        return self.entity.place("pdi", start).line("http")


PassageText = names.TextOf | IndexedText


def text_for(archive: Archive, representation: Representation, *, whole: bool) -> PassageText:
    """Return a text. With `whole` its digest is recomputed, else those of what is read.

    Raises IntegrityError, NotFoundError, RestrictedError.
    """
    return indexed(archive, representation, whole=whole) or names.text_of(archive, representation)


def indexed(archive: Archive, representation: Representation, *, whole: bool) -> IndexedText | None:
    """Return a text that has an index, None for any other. Raises likewise."""
    if not representation.media_type.startswith("text/"):
        return None
    entity = archive.text(representation, whole=whole)
    return None if entity is None else IndexedText(representation, entity)
