"""One citation in the forms that people paste: a sentence, Markdown, BibTeX, RIS and others.

Every form carries the permanent name itself, its address at the resolver, and what the document
says of itself: author, date, title. The wiki form, which is made for everyone, leaves out an
address that others cannot open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from permacite.service.citations.source import Source

__all__ = ["CitationForms"]


@dataclass(frozen=True)
class CitationForms:
    """Ready forms of one citation, for pasting; each is written when it is first asked for."""

    sentence: str
    markdown: str
    html: str
    bibtex: str
    csl_json: str
    ris: str
    wiki: str
    annotation: str
    warnings: tuple[str, ...]
    """What a form leaves out, and why."""

    def __init__(self, source: Source) -> None:
        """Take what is cited, from which every form is written."""
        object.__setattr__(self, "_source", source)

    def __getattr__(self, name: str) -> object:
        """Write a form, and keep it."""
        if name not in type(self).__dataclass_fields__:
            raise AttributeError(name=name, obj=self)
        value = _written(vars(self)["_source"], name)
        object.__setattr__(self, name, value)
        return value


def _written(source: Source, name: str) -> object:
    """One form, or the warnings."""
    from permacite.service.citations.writing import annotation, bibtex, csl, prose, ris, wiki

    if name in {"wiki", "warnings"}:
        private = _private(source)
        if name == "wiki":
            return wiki.wiki(source, is_public=private is None)
        return () if private is None else (_left_out(private),)
    writers = {
        "sentence": prose.sentence,
        "markdown": prose.markdown,
        "html": prose.html_form,
        "bibtex": bibtex.bibtex,
        "csl_json": csl.csl_json,
        "ris": ris.ris,
        "annotation": annotation.annotation,
    }
    return writers[name](source)


_AN_ACCOUNT = "the page was seen with an account"


def _private(source: Source) -> str | None:
    """Why others cannot open the address of a citation; None where they can."""
    from permacite.capture.address import unreachable

    return _AN_ACCOUNT if source.account else unreachable(source.url)


def _left_out(private: str) -> str:
    if private == _AN_ACCOUNT:
        return f"the wiki form has no archive-url: {private}, and others may see another"
    return (
        f"the wiki form has no archive-url, which nobody else could open: {private}; "
        "an archive is given its public address by `permacite init --resolver`"
    )
