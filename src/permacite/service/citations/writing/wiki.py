"""A citation template of MediaWiki, as encyclopedia editors use it.

Readings of Help:Template and Help:Formatting, tried with mwparserfromhell: whatever would begin a
link, a template, a list, a signature, a magic word or an emphasis is written as a character
reference; an address keeps the characters of addresses, and the others are escaped as URI.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from permacite.service.citations.source import Source

__all__ = ["wiki"]

_TEMPLATES = {
    "article-journal": ("cite journal", "journal"),
    "article-newspaper": ("cite news", "newspaper"),
    "article-magazine": ("cite magazine", "magazine"),
    "paper-conference": ("cite conference", "book-title"),
    "chapter": ("cite book", "title"),
    "book": ("cite book", "series"),
    "thesis": ("cite thesis", "website"),
    "report": ("cite report", "website"),
}
_TEMPLATE = ("cite web", "website")
_MARKS_OF_TEMPLATES = compile_pattern(r"[|\[\]{}<>]|''+|~~~+|__+")
_MARKS = compile_pattern(
    r"[|\[\]{}<>&]|''+|~~~+|__+|^[*#:; =-]|://|\b(?:RFC|PMID|ISBN)(?=\s)|(?i:\b(?:mailto|news|tel):)"
)


def wiki(source: Source, *, is_public: bool) -> str:
    """The template. `is_public`: whether others can open the address at the resolver."""
    template, container = _TEMPLATES.get(source.about.type, _TEMPLATE)
    parameters = _parameters(source, container, is_public=is_public)
    inner = " |".join(f"{name}={value}" for name, value in parameters)
    return "{{" + template + " |" + inner + "}}"


def _parameters(source: Source, container: str, *, is_public: bool) -> Iterator[tuple[str, str]]:
    about = source.about
    is_chapter = about.type == "chapter"
    yield "chapter" if is_chapter else "title", _escaped(source.title)
    for number, person in enumerate(about.authors, 1):
        if person.value.given:
            yield f"last{number}", _escaped(person.value.family)
            yield f"first{number}", _escaped(f"{person.value.given} {person.value.suffix}".strip())
        else:
            yield f"author{number}", _escaped(person.value.family)
    if about.issued is not None:
        yield "date", str(about.issued.value)
    if source.container:
        yield container, _escaped(source.container)
    for name, stated in [
        ("publisher", about.publisher),
        ("language", about.language),
        ("volume", about.volume),
        ("issue", about.issue),
        ("pages", None if source.at else about.pages),
        ("doi", about.doi),
        ("isbn", about.isbn),
        ("issn", about.issn),
    ]:
        if stated is not None:
            yield name, _escaped(stated.value)
    if source.uri or is_public:
        yield "url", _address(source.uri or source.url)
    yield "access-date", source.day
    if source.uri and is_public:
        yield "archive-url", _address(source.url)
        yield "archive-date", source.day
        if source.url_status:
            yield "url-status", source.url_status
    yield "id", _MARKS_OF_TEMPLATES.sub(_reference, source.reference)
    several = bool(source.printed) and source.printed[0].first != source.printed[0].last
    words = [
        ("quote", source.words),
        ("pages" if several else "page", source.page),
        ("at", source.place or ("" if source.page else source.at)),
    ]
    yield from ((name, _escaped(value)) for name, value in words if value)


def _escaped(text: str) -> str:
    return _MARKS.sub(_reference, " ".join(text.split()))


def _reference(found: re.Match[str]) -> str:
    """The first character of what would be markup as a reference; of runs, every one."""
    marks = found[0]
    if marks[0].isalpha():  # a magic word stands before a space, an address before its colon
        return f"{marks[:-1]}&#{ord(marks[-1])};"
    return "".join(f"&#{ord(mark)};" for mark in marks)


def _address(address: str) -> str:
    """An address without the characters that end a parameter or a link."""
    return "".join(f"%{ord(c):02X}" if c in "|[]{}<>\"' " else c for c in address)
