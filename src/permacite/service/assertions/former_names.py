"""Names that documents had in other archives: stated when they come in, and led from here.

A full name, with format and version, denotes exact octets (PDI §2.6). Where a format that came in
has the octets that the file tells of under another name, both name the same: that is stated
(`owl:sameAs`), and stands in the log as any statement does. A name of a series that mints here is
led nowhere, nor is one that is here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite import pdi
from permacite.archive.names import as_urn
from permacite.errors import NotFoundError, ParseError
from permacite.service import names
from permacite.service.assertions.statements import ranges_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from permacite.archive.model.answered import Version
    from permacite.archive.repository import Repository

__all__ = ["SAME_AS", "keep_names", "now_called"]

SAME_AS = "http://www.w3.org/2002/07/owl#sameAs"
_MOST = 1000
"""So many statements about one document are looked at."""


def now_called(repository: Repository, reference: str) -> str | None:
    """What a name of another archive is called here, its fragment kept; None: nothing here."""
    name, fragment = names.document_of(reference)
    if ".".join(name.series) in repository.settings.series_names():
        return None
    known = max(_stated(repository, name), key=lambda pair: pair[0].version or 0, default=None)
    if known is None:
        return None
    return known[1] + (f"#{fragment.specifier}" if fragment is not None else "")


def _stated(repository: Repository, name: pdi.PDI) -> Iterator[tuple[pdi.PDI, str]]:
    """What a name may mean by what is stated, each with what that is called here."""
    page = repository.statement_search.page(
        ranges_of(name.document, parts=True), SAME_AS, after=0, limit=_MOST
    )
    for each in page.items:
        former = pdi.parse(each.subject)
        if not isinstance(former, pdi.PDI):
            continue
        if name.version in {None, former.version} and name.format in {None, former.format}:
            try:
                yield former, str(repository.lookup.representation(_name(each.object)).pdi)
            except (NotFoundError, ParseError):
                continue  # anybody states anything; only what is here is led to


def _name(text: str) -> pdi.PDI:
    name, _ = names.document_of(text)
    return name


def keep_names(repository: Repository, version: Version, told: Mapping[str, str]) -> None:
    """State which formats of a version had which names elsewhere, as a file tells with digests.

    Where the octets are others, or the name is known already, nothing is stated.
    """
    held = {item.digest: item for item in reversed(version.representations) if item.digest}
    for text, digest in told.items():
        try:
            former = _name(text)
        except ParseError:
            continue
        item = held.get(digest)
        if item is None or former.format != item.format or former.version is None:
            continue
        subject, is_ours = (
            as_urn(former),
            ".".join(former.series) in repository.settings.series_names(),
        )
        if not is_ours and not repository.statements.assertions(subject, predicate=SAME_AS):
            repository.statements.state(subject, SAME_AS, as_urn(item.pdi))
