"""One citation in the forms that people paste: a sentence, Markdown, BibTeX, RIS and others.

Every form carries the permanent name itself, its address at the resolver, and what the document
says of itself: author, date, title. The wiki form, which is made for everyone, leaves out an
address that others cannot open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.capture.address import unreachable
from permacite.lazy_dataclass import dataclass
from permacite.service.citations.writing.annotation import annotation
from permacite.service.citations.writing.bibtex import bibtex
from permacite.service.citations.writing.csl import csl_json
from permacite.service.citations.writing.prose import html_form, markdown, sentence
from permacite.service.citations.writing.ris import ris
from permacite.service.citations.writing.wiki import wiki

if TYPE_CHECKING:
    from permacite.service.citations.source import Source

__all__ = ["CitationForms", "forms"]


@dataclass(frozen=True, slots=True)
class CitationForms:
    """Ready forms of one citation, for pasting."""

    sentence: str
    markdown: str
    html: str
    bibtex: str
    csl_json: str
    ris: str
    wiki: str
    annotation: str
    warnings: tuple[str, ...] = ()
    """What a form leaves out, and why."""


def forms(source: Source) -> CitationForms:
    """Every form of `source`."""
    private = _AN_ACCOUNT if source.account else unreachable(source.url)
    return CitationForms(
        sentence=sentence(source),
        markdown=markdown(source),
        html=html_form(source),
        bibtex=bibtex(source),
        csl_json=csl_json(source),
        ris=ris(source),
        wiki=wiki(source, is_public=private is None),
        annotation=annotation(source),
        warnings=() if private is None else (_left_out(private),),
    )


_AN_ACCOUNT = "the page was seen with an account"


def _left_out(private: str) -> str:
    if private == _AN_ACCOUNT:
        return f"the wiki form has no archive-url: {private}, and others may see another"
    return (
        f"the wiki form has no archive-url, which nobody else could open: {private}; "
        "an archive is given its public address by `permacite init --resolver`"
    )
