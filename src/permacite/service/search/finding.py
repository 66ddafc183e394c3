"""Search: what somebody types, understood, and answered with places that are ready to cite."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from permacite.errors import LimitError, NotFoundError, ParseError, PermaciteError
from permacite.lazy_dataclass import dataclass
from permacite.pdi import PDIPattern
from permacite.scan import compile_pattern
from permacite.service import addresses, documents, names
from permacite.service.search.index import Filters
from permacite.service.search.indexing import WordIndex, follow, text_of
from permacite.service.search.terms import read_query, terms_in, terms_of, words_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from permacite.archive.annotations import Jotting, Kind
    from permacite.archive.model.answered import Representation, Restriction, Version
    from permacite.archive.repository import Repository
    from permacite.pdi import PDI
    from permacite.service.search.index import SearchIndex
    from permacite.service.search.query import SearchQuery
    from permacite.service.search.terms import Query


__all__ = ["Hit", "Results", "Search", "Snippet", "passage"]

Taken: TypeAlias = Literal["words", "passage", "address", "name", "pattern"]
_PASSAGE = 4
"""So many words without quotation marks may be a passage: those in a row come first."""
_FURTHEST = 10_000
_HOST = compile_pattern(r"(?:[a-z0-9-]++\.)++[a-z]{2,}+(?::[0-9]++)?+")
_AROUND = 90
"""Characters shown before and behind."""
_LONGEST = 400
"""A stretch that is longer is no passage: the first phrase of it is."""
_MOST_PLACES = 2000
"""Are weighed; more say no more of where the words stand together."""
_FIRST_STRETCH, _STRETCH = 1 << 12, 1 << 15
"""Characters of a text that are looked through at once, at first and at most."""
_SPACE = compile_pattern(r"\s")


@dataclass(frozen=True, slots=True)
class Hit:
    """A version in which the words stand."""

    reference: str
    """The place, as it would be cited; the name of the document where its words do not stand."""
    pdi: str
    """The full name of the main format of its version."""
    title: str | None
    uri: str | None
    saved_at: datetime
    media_type: str
    before: str = ""
    words: str = ""
    """The passage in which they stand, white space as single spaces; between what is around it."""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Results:
    """What was found."""

    taken_for: Taken
    """What was typed: "words", a "passage" (they stand in a row), a web "address", the "name" of a
    document or of a part, or a "pattern" that names are listed by."""
    hits: tuple[Hit, ...] = ()
    more: bool = False
    """Whether there are others behind these."""
    jotted: tuple[Jotting, ...] = ()
    """What the owner jotted down in these words: tags, collections, notes. The public has none."""
    goes_to: str | None = None
    """Of an address or a name: what it means here."""
    sought: str | None = None
    """The address that nothing was archived from."""
    indexed: int = 0
    entries: int = 0
    """How many entries of the log are indexed, and how many there are."""


class Search:
    """Documents are found by their words."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def search(
        self,
        typed: str,
        query: SearchQuery,
        *,
        most_s: float | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Results:
        """Find the words that are `typed`, or say which address or name it is.

        Words are found whole, in any case, with accents or without; "words in quotation marks"
        stand in a row, -words do not stand there, and begin* is the beginning of a word. Of each
        document only the newest version is looked at, unless `every_version` is. What is not open
        to all is not found, whoever asks; what the owner jotted down is told to the owner alone.

        A tag and a collection are the owner's; the public has none, and finds nothing by them.

        What is new is indexed first, for at most `most_s` seconds: `indexed` says how far that is.
        Raises ParseError where nothing is asked for, LimitError, StorageError.
        """
        repository = self._repository.public()
        special = _special(repository, typed.strip())
        if special is not None:
            return special
        offset, limit = query.offset, query.limit
        if not 0 <= offset <= _FURTHEST:
            raise LimitError("too far behind the first", limit="offset", maximum=_FURTHEST)
        terms = read_query(typed)
        filters = Filters(
            query.site.strip().lower(),
            query.media_type.strip().lower(),
            query.since.isoformat() if query.since else "",
            query.until.isoformat() if query.until else "",
            query.cited,
            query.every_version,
            self._jotted(query.tag, query.collection),
        )
        with WordIndex(self._repository).file() as index:
            follow(repository, index, most_s=most_s, tell=progress)
            asked = _Asked(repository, index, filters, query)
            terms, hits = asked.answer(terms)
            return Results(
                "passage" if len(terms.wanted) == 1 and len(terms.wanted[0]) > 1 else "words",
                tuple(hits[:limit]),
                more=len(hits) > limit,
                jotted=() if offset else self._jotted_in(terms),
                indexed=int(index.state("entries") or 0),
                entries=self._repository.log.size(),
            )

    def _jotted_in(self, query: Query) -> tuple[Jotting, ...]:
        return tuple(
            each for each in self._repository.annotations.find() if query.stands_in(each.text)
        )

    def _jotted(self, tag: str, collection: str) -> tuple[str, ...] | None:
        """The documents that have the tag and are in the collection, if any is asked for."""
        wanted: list[tuple[Kind, str]] = [("tag", tag), ("collection", collection)]
        held = [
            {each.reference for each in self._repository.annotations.find(kind=kind, text=text)}
            for kind, given in wanted
            if (text := " ".join(given.split()))
        ]
        return tuple(sorted(set.intersection(*held))) if held else None


class _Asked:
    """One question to one index."""

    def __init__(
        self, repository: Repository, index: SearchIndex, filters: Filters, query: SearchQuery
    ) -> None:
        self._repository = repository
        self._index = index
        self._filters = filters
        self._is_newest_first = query.newest
        self._limit = query.limit + 1
        self._offset = query.offset

    def answer(self, query: Query) -> tuple[Query, list[Hit]]:
        """The question as it was answered, and the hits."""
        if len(query.wanted) >= _PASSAGE:
            in_a_row = query.as_phrase()
            hits = self._hits(in_a_row)
            if hits or self._offset:
                return in_a_row, hits
        return query, self._hits(query)

    def _hits(self, query: Query) -> list[Hit]:
        """Versions that are given out, whatever the index says."""
        hits: list[Hit] = []
        offset = self._offset
        while len(hits) < self._limit:
            wanted = self._limit - len(hits)
            found = self._index.find(
                query.matching,
                self._filters,
                newest=self._is_newest_first,
                limit=wanted,
                offset=offset,
            )
            hits += self._shown(found, query)
            offset += len(found)
            if len(found) < wanted:
                break
        return hits

    def _shown(self, found: list[str], query: Query) -> Iterator[Hit]:
        """Those of the finds that are still given out, whole, and as the log has them."""
        repository = self._repository
        pdis = [names.document_of(name)[0] for name in found]
        try:
            versions = repository.lookup.find_versions(pdis, agreed=True)
        except PermaciteError:  # one of them is altered
            versions = [version for pdi in pdis if (version := _agreed(repository, pdi))]
        restricted = repository.lookup.restrictions(
            item for version in versions if version for item in version.representations
        )
        for version in filter(None, versions):
            with suppress(PermaciteError):  # closed, withdrawn or erased since, or damaged
                yield self._hit(version, restricted, query)

    def _hit(self, version: Version, restricted: Mapping[PDI, Restriction], query: Query) -> Hit:
        repository = self._repository
        source = text_of(repository, version, restricted)
        main = repository.lookup.main(version, restricted)
        if source is None:
            repository.contents.check_access(main)
            place = None
        else:
            place = passage(repository.contents.text(source).text, query)
        if source is None or place is None:
            return _told(version, main, str(documents.opened(repository, version).pdi))
        reference = str(source.pdi.fragment("char", place.start, place.end))
        return _told(version, main, reference, (place.before, place.words, place.after))


def _agreed(repository: Repository, pdi: PDI) -> Version | None:
    try:
        return repository.lookup.version(pdi)
    except PermaciteError:
        return None


def _told(
    version: Version,
    main: Representation,
    reference: str,
    around: tuple[str, str, str] = ("", "", ""),
) -> Hit:
    title, saved_at = version.title, addresses.captured_at(version)
    uri = version.provenance.uri
    return Hit(reference, str(main.pdi), title, uri, saved_at, main.media_type, *around)


def _special(repository: Repository, typed: str) -> Results | None:
    """What is typed where it is no words: an address, a name, or a pattern of names."""
    if not typed or any(sign.isspace() for sign in typed):
        return None
    if addresses.is_address(typed):
        return _page(repository, [typed])
    lowered = typed.lower()
    first, slash, _ = lowered.partition("/")
    if lowered.startswith(("urn:pdi:", "pdi:", "swh:")):
        return _document(repository, typed)
    if first in repository.settings.series_names():
        return Results("pattern", goes_to=typed)
    if slash and _HOST.fullmatch(first):
        return _page(repository, [f"https://{typed}", f"http://{typed}"])
    return None


def _document(repository: Repository, typed: str) -> Results:
    """What a name means, or one of Software Heritage's; a name with wildcards is a pattern."""
    with suppress(ParseError):
        if isinstance(names.parse(typed), PDIPattern):
            return Results("pattern", goes_to=typed)
    try:
        typed = addresses.reference_of(repository, typed)
        version = repository.lookup.version(names.document_of(typed)[0])
    except (ParseError, NotFoundError):
        return Results("name")
    hit = _told(version, repository.lookup.main(version), typed)
    return Results("name", (hit,), goes_to=typed)


def _page(repository: Repository, spelt: list[str]) -> Results:
    """What an address means here: the passage that it names, else the page."""
    for address in spelt:
        try:
            held = addresses.find(repository, address)
        except NotFoundError as error:  # the page without the passage
            reference = error.candidates[0] if error.candidates else None
        except ParseError:
            reference = None
        else:
            reference = None if held is None else held.reference
        if reference is not None:
            version = repository.lookup.version(names.document_of(reference)[0])
            if "#" not in reference:
                reference = str(documents.opened(repository, version).pdi)
            hit = _told(version, repository.lookup.main(version), reference)
            return Results("address", (hit,), goes_to=reference)
    return Results("address", sought=spelt[0])


class Snippet(NamedTuple):
    """A stretch of a text, and what is around it."""

    start: int
    end: int
    before: str
    words: str
    after: str


def passage(text: str, query: Query) -> Snippet | None:
    """The passage that fits best; None where no phrase stands in the text."""
    places = sorted(_places(text, query), key=lambda place: (place.end, place.phrase))
    found = _shortest(places, len(query.wanted))
    if found is None:
        return None
    start, end = found
    before = " ".join(text[max(0, start - _AROUND) : start].split())
    after = " ".join(text[end : end + _AROUND].split())
    return Snippet(start, end, before, " ".join(text[start:end].split()), after)


class _Place(NamedTuple):
    """Where one of the phrases stands."""

    phrase: int
    start: int
    end: int


def _places(text: str, query: Query) -> Iterator[_Place]:
    """Places of the phrases, until one that is asked for alone has a place."""
    longest = max(map(len, query.wanted))
    most = 1 if len(query.wanted) == 1 else _MOST_PLACES
    seen: Counter[int] = Counter()
    for start, end in _stretches(text):
        terms = terms_of(text, start, end)
        own = len(terms)
        terms += [term.text for term in islice(terms_in(text, end), longest - 1)]
        runs: list[tuple[int, int]] = []
        for number, wanted in enumerate(query.wanted):
            firsts = _runs(terms, wanted, own, is_open=number in query.open_ended)
            kept = [(first, number) for first in islice(firsts, most - seen[number])]
            seen[number] += len(kept)
            runs += kept
        yield from _placed(text, start, runs, query)
        if seen.total() == most == 1:
            return


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Parts of a text that begin and end between words."""
    start, size = 0, _FIRST_STRETCH
    while start < len(text):
        cut = _SPACE.search(text, start + size)
        end = len(text) if cut is None else cut.start()
        yield start, end
        start, size = end, min(2 * size, _STRETCH)


def _runs(terms: list[str], wanted: tuple[str, ...], own: int, *, is_open: bool) -> Iterator[int]:
    """Where in a list a phrase begins, among the first `own` terms."""
    *first, last = wanted
    size = len(wanted)
    if is_open:
        ends = (at for at, term in enumerate(terms) if term.startswith(last))
        yield from (
            at + 1 - size
            for at in ends
            if size - 1 <= at < own + size - 1 and terms[at + 1 - size : at] == first
        )
        return
    whole, at = list(wanted), -1
    with suppress(ValueError):
        while True:
            at = terms.index(wanted[0], at + 1, own)
            if terms[at : at + size] == whole:
                yield at


def _placed(text: str, start: int, runs: list[tuple[int, int]], query: Query) -> Iterator[_Place]:
    """Phrases that begin at these terms behind `start`, with their places in the text."""
    ends = [first + len(query.wanted[number]) for first, number in runs]
    words = list(islice(words_in(text, start), max(ends, default=0)))
    for (first, number), end in zip(runs, ends, strict=True):
        yield _Place(number, words[first].start(), words[end - 1].end())


def _shortest(places: list[_Place], phrases: int) -> tuple[int, int] | None:
    """The shortest stretch with all phrases in it; with the first of them, where it is too long."""
    if not places:
        return None
    best: tuple[int, int] | None = None
    inside: Counter[int] = Counter()
    first = 0
    for place in places:
        inside[place.phrase] += 1
        while inside[places[first].phrase] > 1:
            inside[places[first].phrase] -= 1
            first += 1
        if len(inside) == phrases:
            start = places[first].start
            if best is None or place.end - start < best[1] - best[0]:
                best = start, place.end
    if best is None or best[1] - best[0] > _LONGEST:
        return places[0].start, places[0].end
    return best
