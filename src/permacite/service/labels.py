"""Labels of a text: printed numbers, places on pages, and how the text was made."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from permacite import pdi
from permacite.cache import Cache
from permacite.errors import ParseError, RestrictedError
from permacite.renditions import Printed, printed_at
from permacite.renditions.stored import LABELS, MAP, RECORD, RenditionRecord, read_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from permacite.archive.model.answered import Representation
    from permacite.archive.repository import Repository
    from permacite.extract.structure import CellTable
    from permacite.renditions import Label
    from permacite.renditions.drawn import DrawnMap
    from permacite.renditions.pdf.boxes import CharacterBoxes

__all__ = [
    "drawn_map_of",
    "labels_of",
    "places_of",
    "printed_of",
    "record_of",
    "table_of",
    "text_of_pages",
    "words_on",
]

T = TypeVar("T")

_LABEL_BYTES = 200
_NUMERIC = "0123456789.,:/+- "
_TABLES: Cache[CellTable] = Cache(64 << 20, lambda table: 2 * len(table.text) + 16 * table.height)
_LONGEST_NAME = 60
_KEPT: Cache[Sequence[Label]] = Cache(16 << 20, lambda labels: _LABEL_BYTES * (1 + len(labels)))
_DRAWN: Cache[DrawnMap] = Cache(32 << 20, lambda places: places.size_bytes)
_PLACES: Cache[CharacterBoxes] = Cache(96 << 20, lambda places: places.size_bytes)


def labels_of(repository: Repository, representation: Representation) -> Sequence[Label]:
    """The labels of a text, in their order; none where it has none.

    Raises RestrictedError, IntegrityError where they are altered.
    """
    if representation.derived_from is None:
        return ()
    digest = repository.contents.sidecar_digest(representation, LABELS)
    if digest is None:
        return ()
    kept = _KEPT.get(digest)
    if kept is None:
        kept = read_labels(repository.contents.octets(digest))
        _KEPT.put(kept, digest)
    return kept


def printed_of(
    repository: Repository, representation: Representation, fragment: pdi.FragmentPDI | None
) -> tuple[Printed, ...]:
    """Where a part stands as the document numbers its own: by labels, or in a table."""
    if fragment is None:
        return ()
    if representation.media_type == "text/csv":
        return tuple(_in_table(table_of(repository, representation), fragment))
    if fragment.scheme != "char":
        place = pdi.PagePlace.of(fragment.scheme, fragment.positions)
        return () if place is None else _printed_on(repository, representation, place)
    if representation.media_type != "text/plain":
        return ()
    labels = labels_of(repository, representation)
    return printed_at(labels, *map(int, fragment.positions)) if labels else ()


def table_of(repository: Repository, representation: Representation) -> CellTable:
    """The rows and cells of CSV. Raises RestrictedError, IntegrityError."""
    from permacite.extract.structure import CellTable

    text = repository.contents.text(representation)
    table = _TABLES.get(representation.digest, text.charset.label)
    if table is None:
        table = CellTable(text.text)
        _TABLES.put(table, representation.digest, text.charset.label)
    return table


def _in_table(table: CellTable, fragment: pdi.FragmentPDI) -> Iterator[Printed]:
    """Rows by their numbers, columns by what stands in the first row, where that is a name."""
    if fragment.scheme in {"row", "col", "cell"}:
        area = table.area(fragment.scheme, fragment.positions)
        rows, columns = area.rows, area.columns if fragment.scheme != "row" else None
    elif fragment.scheme == "char":
        rows, columns = table.around(*map(int, fragment.positions))
    else:
        return
    if fragment.scheme != "col":
        first, last = rows[0] + 1, rows[1]
        yield Printed("row", str(first), str(last), f"row={first}-{last}")
    if columns is not None:
        first, last = columns[0] + 1, columns[1]
        name, other = (_column_name(table, number) for number in (first, last))
        yield Printed("column", name, other, f"col={first}-{last}")


def _column_name(table: CellTable, number: int) -> str:
    name = " ".join(table.says(0, number - 1).split())
    is_name = name.strip(_NUMERIC) and len(name) <= _LONGEST_NAME
    return name if is_name else str(number)


def places_of(repository: Repository, representation: Representation) -> CharacterBoxes | None:
    """Where on pages the characters of a text stand; None where nothing tells that.

    Raises RestrictedError, IntegrityError where the map is altered.
    """
    from permacite.renditions.pdf.boxes import read_map

    if representation.derived_from is None:
        return None
    return _map_of(repository, representation, read_map, _PLACES)


def drawn_map_of(repository: Repository, text: Representation) -> DrawnMap | None:
    """Where the characters of drawn words stand in the drawn page; None where nothing tells that.

    Raises RestrictedError, IntegrityError where the map is altered.
    """
    from permacite.renditions.drawn import read_map

    return _map_of(repository, text, read_map, _DRAWN)


def _map_of(
    repository: Repository, text: Representation, read: Callable[[bytes], T], cache: Cache[T]
) -> T | None:
    """The map beside a text, read once; None where there is none of a form that is known."""
    digest = repository.contents.sidecar_digest(text, MAP)
    if digest is None:
        return None
    kept = cache.get(digest)
    if kept is None:
        try:
            kept = read(repository.contents.octets(digest))
        except ParseError:
            return None
        cache.put(kept, digest)
    return kept


def text_of_pages(repository: Repository, original: Representation) -> Representation | None:
    """The text that rules made of the pages of a document; None where none is given out."""
    version = repository.lookup.version(original.pdi)
    for item in version.representations:
        if item.media_type == "text/plain" and item.derived_from == original.format:
            return None if repository.lookup.restrictions([item]) else item
    return None


def words_on(repository: Repository, original: Representation, place: pdi.PagePlace) -> str | None:
    """The words on a page, or in an area of it: those whose middle is in it; None without a text.

    Raises IntegrityError where text or map are altered.
    """
    text = text_of_pages(repository, original)
    places = None if text is None else places_of(repository, text)
    if text is None or places is None:
        return None
    document = repository.contents.text(text)
    spans = (places.span_of(place.page),) if place.area is None else places.within(*_box(place))
    return "\r\n".join(document.words(start, end) for start, end in spans)


def _box(place: pdi.PagePlace) -> tuple[int, tuple[int, int, int, int]]:
    left, top, width, height = place.area or (0, 0, 0, 0)
    return place.page, (left, top, left + width, top + height)


def _printed_on(
    repository: Repository, original: Representation, place: pdi.PagePlace
) -> tuple[Printed, ...]:
    """The number that is printed on a page, where the document tells it."""
    text = text_of_pages(repository, original)
    target = f"page={place.page}"
    labels = () if text is None else labels_of(repository, text)
    found = (label for label in labels if label.kind == "page" and label.target == target)
    return tuple(Printed("page", each.name, each.name, target) for each in list(found)[:1])


def record_of(repository: Repository, representation: Representation) -> RenditionRecord | None:
    """How a text was made; None where that is not on record, as of pages and captions."""
    if representation.derived_from is None:
        return None
    try:
        digest = repository.contents.sidecar_digest(representation, RECORD)
        known = None if digest is None else repository.contents.octets(digest)
        return None if known is None else RenditionRecord.from_bytes(known)
    except (ParseError, RestrictedError):
        return None  # of a form that is not known yet, or not given out
