"""Citations of passages, quotations between documents, and checks of live pages, as recorded."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from permacite import pdi as grammar
from permacite.archive.model.answered import Finding, LiveCheck, News, Watch
from permacite.archive.records import citations, settings
from permacite.archive.records.rows import LIVE, WATCH, document_key, has_schema, instant, timestamp
from permacite.errors import NotFoundError, PermaciteError, RestrictedError
from permacite.pdi import PDI, CitationPDI, FragmentPDI
from permacite.pdi.quotation import agreement_at, begins_with_name, difference
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from permacite.archive.gate import Gate
    from permacite.archive.lookup import DocumentContents, VersionLookup
    from permacite.archive.model.answered import Citation, Version
    from permacite.archive.model.submitted import NewCitation
    from permacite.archive.parts import ArchiveParts
    from permacite.archive.records.rows import Session, Transaction
    from permacite.pdi import PDIPattern
    from permacite.text.entity import DocumentText

__all__ = ["CitedPassages", "LivePages", "QuotationCheck"]

_NOTE_PAGE = """
INSERT INTO live_page
SELECT v.version_id, :now,
  CASE WHEN v.number = :number OR :outcome IN ('gone', 'unanswered') THEN :outcome
  ELSE 'answers' END
FROM version AS v JOIN document AS d USING (document_id)
WHERE d.series = :series AND d.date = :date AND d.unique_id = :unique_id
  AND :uri IN (v.uri, v.final_uri)
ON CONFLICT (version_id) DO UPDATE SET checked_at = excluded.checked_at, outcome = excluded.outcome
"""
_NOTE_PASSAGE = """
INSERT INTO live_passage
SELECT c.citation_id, :now, :outcome
FROM citation AS c JOIN representation USING (representation_id) JOIN version AS v
USING (version_id) JOIN document AS d USING (document_id)
WHERE d.series = :series AND d.date = :date AND d.unique_id = :unique_id AND v.number = :number
  AND c.fragment = :fragment
ON CONFLICT (citation_id) DO UPDATE SET
  checked_at = excluded.checked_at, outcome = excluded.outcome
"""
_LAST_CHECK = """
SELECT p.checked_at, p.outcome,
  (SELECT s.outcome FROM live_passage AS s JOIN citation AS c USING (citation_id)
   JOIN representation AS r USING (representation_id)
   WHERE r.version_id = p.version_id AND c.fragment = ? AND s.checked_at = p.checked_at)
FROM live_page AS p JOIN version AS v USING (version_id) JOIN document AS d USING (document_id)
WHERE d.series = ? AND d.date = ? AND d.unique_id = ? AND v.number = ?
"""


_TELL = """
INSERT INTO passage_news (citation_id, found_at, outcome, there)
SELECT c.citation_id, :now, :outcome, :there
FROM citation AS c JOIN representation USING (representation_id) JOIN version AS v
USING (version_id) JOIN document AS d USING (document_id)
WHERE d.series = :series AND d.date = :date AND d.unique_id = :unique_id AND v.number = :number
  AND c.fragment = :fragment
"""
_LAST_NEWS = """
SELECT c.fragment, n.outcome, n.there
FROM passage_news AS n JOIN citation AS c USING (citation_id)
JOIN representation USING (representation_id) JOIN version AS v USING (version_id)
JOIN document AS d USING (document_id)
WHERE d.series = ? AND d.date = ? AND d.unique_id = ? AND v.number = ?
ORDER BY n.news_id
"""
_NEWS = """
SELECT news_id, citation_id, found_at, outcome, there FROM passage_news
ORDER BY news_id DESC LIMIT ?
"""

Outcome: TypeAlias = Literal["exact", "space", "reference", "unchecked", "differs", "unknown"]
_ORDER = ("exact", "space", "reference", "unchecked", "unknown", "differs")
"""From what is best to what is worst."""

_MAX_DIGITS = 18
_SLACK = 100
"""Characters beyond the words in which white space and marks may make them longer."""
_SHOWN = 60
_MARKDOWN = "text/markdown"
_QUOTED = compile_pattern(r"\r\n {0,3}>(?: {0,3}>){0,8} ?")
_ESCAPED = compile_pattern(r"\\([!-/:-@\[-`{-~])")


class QuotationCheck(NamedTuple):
    """What became of the comparison of a quotation A@origin=B with its source."""

    outcome: Outcome
    """"exact", "space" (only white space differs), "reference" (B's name begins at the origin, and
    whoever shows A puts the words in), "differs", "unknown" (A or B is not here, and would be),
    "unchecked" (of another archive, withheld, or no text)."""
    problem: str = ""
    here: str = ""
    """What A has at the origin."""
    there: str = ""
    """What B names."""

    @property
    def is_false(self) -> bool:
        """Whether the citation says what is not so."""
        return self.outcome in {"differs", "unknown"}


class CitedPassages:
    """Citations of passages of one archive, and quotations, as an audience sees them."""

    def __init__(
        self, parts: ArchiveParts, gate: Gate, lookup: VersionLookup, contents: DocumentContents
    ) -> None:
        self._catalog = parts.catalog
        self._gate = gate
        self._lookup = lookup
        self._contents = contents

    def citations(self, pdi: PDI | None = None) -> Sequence[Citation]:
        """Return the citations of what `pdi` names (all where None), oldest first."""
        return self._gate.citations(self._catalog.read(citations.citations, pdi))

    def record(self, citation: NewCitation) -> Citation:
        """Record a citation once; the same again, at whatever time, gives the first record.

        Raises NotFoundError where what it cites is not committed here.
        """
        return self._catalog.write(citations.record, citation)

    def check_citation(self, citation: Citation) -> Finding:
        """Say whether the words that were recorded stand where the citation says.

        Octets are not recomputed: `verify` does that.
        """
        specifier = citation.fragment.partition("#")[2]
        try:
            representation = self._lookup.representation(citation.pdi)
            excerpt = self._contents.excerpt(representation, specifier, whole=False)
        except PermaciteError as error:
            return Finding(citation.fragment, error.code, error.problem)
        words = excerpt.text or ""
        if excerpt.clipped:
            return Finding(citation.fragment, NotFoundError.code, "it reaches beyond the end")
        if words == citation.quote:
            return Finding(citation.fragment, "ok")
        detail = f"there stands {words!r}, on record is {citation.quote!r}"
        return Finding(citation.fragment, "quote", detail)

    def quotations(self, pdi: PDI) -> Sequence[CitationPDI]:
        """Each quotation in the document, version or format `pdi`, as A@origin=B (PDI §3.5)."""
        quotations = [_citation(*row) for row in self._catalog.read(citations.quotations, pdi)]
        return self._gate.citations(quotations)

    def quoters(self, pdi: PDI) -> Sequence[CitationPDI]:
        """Who quotes the document, version or format `pdi`, as A@origin=B, oldest first."""
        quotations = [_citation(*row) for row in self._catalog.read(citations.quoters, pdi)]
        return self._gate.citations(
            [quotation for quotation in quotations if _is_of(quotation.cited, pdi)]
        )

    def check_name(
        self, name: PDI | FragmentPDI | CitationPDI | PDIPattern
    ) -> QuotationCheck | None:
        """What `check_quotation` says of a name that is a citation; None for another."""
        return self.check_quotation(name) if isinstance(name, CitationPDI) else None

    def check_quotation(self, citation: CitationPDI) -> QuotationCheck:
        """Compare what a composite document has at the origin with what its citation cites.

        Of a citation that cites a citation, each is compared; what is worst is answered.
        """
        checks = []
        value: PDI | FragmentPDI | CitationPDI = citation
        while isinstance(value, CitationPDI):
            checks.append(self._check_one(value))
            value = value.cited
        return max(checks, key=lambda check: _ORDER.index(check.outcome))

    def _check_one(self, citation: CitationPDI) -> QuotationCheck:
        cited: PDI | FragmentPDI | CitationPDI = citation
        while isinstance(cited, CitationPDI):
            cited = cited.cited
        try:
            there = self._words(cited)
            composite = self._text_of(citation.pdi)
        except NotFoundError as error:
            return self._not_compared(error)
        if there is None or composite is None or not citation.origin.isdecimal():
            return QuotationCheck("unchecked", "one of the two documents is not text")
        document, media_type = composite
        origin = citation.origin.lstrip("0")[: _MAX_DIGITS + 1]
        start = int(origin or "0")
        if start > document.length:
            problem = f"the origin is past the end: the text has {document.length} characters"
            return QuotationCheck("differs", problem, "", there)
        here = document.words(start, min(document.length, start + 2 * len(there) + _SLACK))
        outcome: Outcome = agreement_at(here, 0, there)
        if outcome != "exact" and media_type == _MARKDOWN:
            outcome = agreement_at(_ESCAPED.sub(r"\1", _QUOTED.sub("\r\n", here)), 0, there)
        if outcome == "differs" and begins_with_name(here, citation.cited):
            return QuotationCheck("reference")
        if outcome == "differs":
            here = here[: max(len(there), _SHOWN)]
            return QuotationCheck(outcome, difference(here, there), here, there)
        return QuotationCheck(outcome, "", here[: len(there)], there)

    def _not_compared(self, error: NotFoundError) -> QuotationCheck:
        """What can be said of a quotation one of whose documents cannot be read."""
        series = self._catalog.read(settings.series_names)
        name = error.name.lower().removeprefix("urn:")
        is_ours = any(name.startswith(f"pdi://{one}/") for one in series)
        if isinstance(error, RestrictedError) or not is_ours:
            return QuotationCheck("unchecked", error.problem)
        return QuotationCheck("unknown", error.problem)

    def _words(self, name: PDI | FragmentPDI) -> str | None:
        """The text of a document or of a part of it; None where it is no text."""
        if isinstance(name, PDI):
            found = self._text_of(name)
            return None if found is None else found[0].text
        representation = self._lookup.representation(name.pdi)
        if not representation.media_type.startswith("text/"):
            return None
        excerpt = self._contents.excerpt(representation, name.specifier)
        if excerpt.clipped:
            raise NotFoundError("the fragment reaches beyond the end", str(name))
        return excerpt.text

    def _text_of(self, name: PDI) -> tuple[DocumentText, str] | None:
        representation = self._lookup.representation(name)
        if not representation.media_type.startswith("text/"):
            return None
        return self._contents.text(representation), representation.media_type


def _citation(composite: PDI, origin: str, cited: str) -> CitationPDI:
    """Return the citation object A@origin=B."""
    citation = grammar.parse(f"{composite}@{origin}={cited.removeprefix('urn:')}")
    assert isinstance(citation, CitationPDI)  # noqa: S101 - it was checked when it was committed
    return citation


def _is_of(cited: PDI | FragmentPDI | CitationPDI, pdi: PDI) -> bool:
    """Say whether what is cited is of the version and format that `pdi` names, if it does."""
    name = cited if isinstance(cited, PDI) else cited.pdi
    return pdi.format in {None, name.format} and pdi.version in {None, name.version}


def _note_check(
    transaction: Transaction,
    pdi: PDI,
    uri: str,
    *,
    outcome: str,
    passages: Mapping[str, str],
    news: Mapping[str, tuple[str, str]],
) -> None:
    # Other versions of the document that came from there were not compared, but whether the page
    # answers counts for them too.
    now = timestamp(transaction.clock())
    series, date, unique_id = document_key(pdi)
    common = {
        "now": now,
        "series": series,
        "date": date,
        "unique_id": unique_id,
        "number": pdi.version,
    }
    connection = transaction.connection
    connection.execute(_NOTE_PAGE, common | {"uri": uri, "outcome": outcome})
    rows: list[dict[str, Any]] = [
        common | {"fragment": name, "outcome": fate} for name, fate in passages.items()
    ]
    connection.executemany(_NOTE_PASSAGE, rows)
    told: list[dict[str, Any]] = [
        common | {"fragment": name, "outcome": fate, "there": there}
        for name, (fate, there) in news.items()
    ]
    connection.executemany(_TELL, told)


def _last_check(connection: Session, pdi: PDI, fragment: str = "") -> LiveCheck | None:
    if not has_schema(connection, LIVE):
        return None
    parameters = (fragment, *document_key(pdi), pdi.version)
    row = connection.execute(_LAST_CHECK, parameters).fetchone()
    return None if row is None else LiveCheck(instant(row[0]), row[1], row[2] or "")


def _last_news(connection: Session, pdi: PDI) -> dict[str, tuple[str, str]]:
    if not has_schema(connection, WATCH):
        return {}
    rows = connection.execute(_LAST_NEWS, (*document_key(pdi), pdi.version))
    return {fragment: (outcome, there) for fragment, outcome, there in rows}


def _news(connection: Session, most: int) -> list[News]:
    if not has_schema(connection, WATCH):
        return []
    return [
        News(number, citation, instant(found_at), outcome, there)
        for number, row, found_at, outcome, there in connection.execute(_NEWS, (most,))
        for citation in citations.citations(connection, citation_id=row)
    ]


_ADD_WATCH = """
INSERT INTO watch (uri, every_s, added_at) VALUES (?, ?, ?)
ON CONFLICT (uri) DO UPDATE SET every_s = excluded.every_s
"""
_WATCHES = (
    "SELECT uri, every_s, added_at, looked_at, outcome, problem FROM watch ORDER BY added_at, uri"
)
_NOTE_WATCHED = "UPDATE watch SET looked_at = ?, outcome = ?, problem = ? WHERE uri = ?"


def _watch(transaction: Transaction, uri: str, every: timedelta) -> None:
    row = (uri, round(every.total_seconds()), timestamp(transaction.clock()))
    transaction.connection.execute(_ADD_WATCH, row)


def _unwatch(transaction: Transaction, uri: str) -> bool:
    return transaction.connection.execute("DELETE FROM watch WHERE uri = ?", (uri,)).rowcount > 0


def _note_watched(
    transaction: Transaction, uri: str, looked_at: datetime, *, outcome: str, problem: str
) -> None:
    transaction.connection.execute(_NOTE_WATCHED, (timestamp(looked_at), outcome, problem, uri))


def _watches(connection: Session) -> list[Watch]:
    if not has_schema(connection, WATCH):
        return []
    return [
        Watch(
            uri,
            timedelta(seconds=every_s),
            instant(added_at),
            None if looked_at is None else instant(looked_at),
            outcome,
            problem,
        )
        for uri, every_s, added_at, looked_at, outcome, problem in connection.execute(_WATCHES)
    ]


class LivePages:
    """Results of checks of live pages in one archive, as an audience sees them."""

    def __init__(self, parts: ArchiveParts, gate: Gate) -> None:
        self._catalog = parts.catalog
        self._gate = gate

    def last_check(self, version: Version, fragment: str = "") -> LiveCheck | None:
        """What the last look at a version's live page found, and of a citation; None: no look."""
        return self._catalog.read(_last_check, version.pdi, fragment)

    def last_news(self, version: Version) -> dict[str, tuple[str, str]]:
        """What was told last of each citation of a version: its fate, and what stood there."""
        return self._catalog.read(_last_news, version.pdi)

    def news(self, most: int) -> Sequence[News]:
        """What became of citations, as looks at live pages found it; the newest `most`."""
        news = self._catalog.read(_news, most)
        shown = {each.fragment for each in self._gate.citations([one.citation for one in news])}
        return [each for each in news if each.citation.fragment in shown]

    def watches(self) -> Sequence[Watch]:
        """The pages that are looked at again and again. Not for the public."""
        return [] if self._gate.public else self._catalog.read(_watches)

    def note_check(
        self,
        pdi: PDI,
        uri: str,
        outcome: str,
        passages: Mapping[str, str],
        *,
        news: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        """Note what a look at the live page of a version found, in place of the look before.

        `outcome` as in LiveCheck; `passages` tells what became of each citation, by its name.
        `news` is what of that is told: the fate, and the name of what stands there now.
        """
        self._catalog.write(
            _note_check, pdi, uri, outcome=outcome, passages=passages, news=news or {}
        )

    def watch(self, uri: str, every: timedelta) -> None:
        """Look at a page again and again, from now on or as often as this."""
        self._catalog.write(_watch, uri, every)

    def unwatch(self, uri: str) -> bool:
        """Look at a page no longer; False where it was not watched."""
        return self._catalog.write(_unwatch, uri)

    def note_watched(self, uri: str, looked_at: datetime, outcome: str, problem: str = "") -> None:
        """Note when a page that is watched was looked at, and what came of that."""
        self._catalog.write(_note_watched, uri, looked_at, outcome=outcome, problem=problem)
