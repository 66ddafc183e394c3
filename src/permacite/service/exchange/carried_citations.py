"""Citations of another archive, made again here where bytes and words are the same.

A package or a bag that another permacite archive wrote lists its pages and their citations. Names
are never taken over (decision 0080); a new citation has the date of the import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from permacite.errors import ConflictError, NotFoundError, PermaciteError
from permacite.lazy_dataclass import dataclass
from permacite.service import names
from permacite.service.citations.citing import cite
from permacite.service.citations.parts import CiteTarget
from permacite.service.resolution.resolving import Resolver

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from permacite.archive.repository import Repository

__all__ = ["CarriedCitations", "CitationSource"]


class CitationSource(Protocol):
    """A file that lists pages and their citations."""

    def pages(self) -> Iterable[Mapping[str, Any]]:
        """Pages: `id` (the full name there), `url`, and `formats` (digests by their tokens)."""

    def citations(self) -> Iterable[Mapping[str, Any]]:
        """Citations: `reference`, `quote` and `note`."""


@dataclass(frozen=True, slots=True)
class _Cited:
    """A citation in a file."""

    reference: str
    format: str
    quote: str
    note: str | None


class CarriedCitations:
    """Citations of other archives become citations of this one."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._resolution = Resolver(repository)

    def add(self, files: Sequence[CitationSource]) -> Iterator[tuple[str, str | PermaciteError]]:
        """Cite here what was cited in another archive, by its files; yield each outcome.

        Each is (the name there, the name here or the error). The octets and the words must be the
        same.
        """
        cited = _cited_in(files)
        pages = (page for file in files for page in file.pages())
        for page in pages if cited else ():
            try:
                name, _ = names.document_of(str(page.get("id")))
            except PermaciteError:
                continue
            for one in cited.pop(f"{name.document} {name.version}", ()):
                yield one.reference, self._cite_again(one, page)
        for one in (one for several in cited.values() for one in several):
            yield one.reference, NotFoundError("its page is not in the file", one.reference)

    def _cite_again(self, one: _Cited, page: Mapping[str, Any]) -> str | PermaciteError:
        """Return the name here of a citation there, or the error."""
        digests, fragment = page.get("formats"), one.reference.partition("#")[2]
        if not isinstance(digests, dict):
            return NotFoundError("the file does not say what was cited", one.reference)
        found = (
            self._repository.origins.find_by_digest(str(digest)) for digest in digests.values()
        )
        for version in (version for versions in found for version in versions):
            if page.get("url") not in {version.provenance.uri, version.provenance.final_uri}:
                continue
            try:
                item = version.representation(one.format)
                if item.digest != digests.get(one.format):
                    continue
                if (
                    one.quote
                    and self._resolution.resolve(f"{item.pdi}#{fragment}").text != one.quote
                ):
                    problem = "other words stand there than the file says"
                    return ConflictError(problem, one.reference)
                return cite(
                    self._repository, f"{item.pdi}#{fragment}", CiteTarget(), note=one.note
                ).reference
            except PermaciteError as error:
                return error
            except LookupError:
                continue  # this version lacks the format
        return NotFoundError("these octets are not here", one.reference)


def _cited_in(files: Iterable[CitationSource]) -> dict[str, list[_Cited]]:
    """Return the citations in files by document and version. Bad names are left out."""
    cited: dict[str, list[_Cited]] = {}
    for line in (line for file in files for line in file.citations()):
        try:
            name, fragment = names.document_of(line["reference"])
        except PermaciteError:
            continue
        if fragment is not None and name.format is not None:
            note = line.get("note")
            one = _Cited(
                line["reference"], name.format, str(line.get("quote") or ""), note and str(note)
            )
            cited.setdefault(f"{name.document} {name.version}", []).append(one)
    return cited
