"""Forms that people paste: Markdown, HTML with Robust Links, a sentence, a MediaWiki template.

| specification | what of it |
|---|---|
| CommonMark 0.31 §2.4 Backslash escapes | every mark of a quotation stands as itself |
| HTML §4.4.4 blockquote | its `cite` is the permanent name |
| Robust Links 1.0 | data-originalurl, data-versionurl, data-versiondate |

Deviations: none.

Readings of Help:Template and Help:Formatting, tried with mwparserfromhell: whatever would begin a
link, a template, a list, a signature, a magic word or an emphasis is written as a character
reference; an address keeps the characters of addresses, and the others are escaped as URI.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.service.citations.source import Source

__all__ = ["escaped_markdown", "html_form", "markdown", "sentence", "wiki"]

_MARKS = compile_pattern(r"([\\`*_{}\[\]<>|~&$^@]|-(?=-))")
_LINE_START = compile_pattern(r"^([0-9]*)([#+\-.)=])")
"""A line that begins so would become a heading, a list or a rule."""
_TWO = 2
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
_WIKI_MARKS = compile_pattern(
    r"[|\[\]{}<>&]|''+|~~~+|__+|^[*#:; =-]|://|\b(?:RFC|PMID|ISBN)(?=\s)|(?i:\b(?:mailto|news|tel):)"
)


def markdown(source: Source) -> str:
    """A block quotation with a link below it (CommonMark)."""
    lines = source.quote.splitlines() if source.words else [source.place]
    quoted = "\n".join(f"> {escaped_markdown(line)}".rstrip() for line in lines)
    if source.is_picture:
        quoted = f"> ![{escaped_markdown(source.told)}](<{source.url}>)"
    title = escaped_markdown(" ".join(source.title.split()))
    written = escaped_markdown(f"{_writers(source)}, ") if source.about.authors else ""
    live = f", retrieved {source.day} from <{source.uri}>" if source.uri else f", {source.day}"
    link = f"[{title}](<{source.url}>){escaped_markdown(_at(source))}"
    return f"{quoted}\n>\n> — {written}{link}{live}. `{source.reference}`"


def escaped_markdown(text: str) -> str:
    """A line of text; what stands before its first word would make code of it, and is left out."""
    return _LINE_START.sub(r"\1\\\2", _MARKS.sub(r"\\\1", text.lstrip()))


def html_form(source: Source) -> str:
    """A <blockquote> whose cite attribute is the permanent name, and a robust link."""
    lines = source.quote.splitlines() if source.words else [source.place]
    words = "<br>\n".join(map(html.escape, lines))
    if source.is_picture:
        words = f'<img src="{html.escape(source.url)}" alt="{html.escape(source.told)}">'
    live = (
        f', retrieved <time datetime="{source.day}">{source.day}</time> from '
        f'<a href="{html.escape(source.uri)}">{html.escape(source.uri)}</a>'
        if source.uri
        else ""
    )
    written = html.escape(f"{_writers(source)}, ") if source.about.authors else ""
    return (
        f'<blockquote cite="{html.escape(source.reference)}">{words}</blockquote>\n'
        f"<p>— {written}<cite><a {_robust(source)}>{html.escape(source.title)}</a></cite>"
        f"{html.escape(_at(source))}{live}. <code>{html.escape(source.reference)}</code></p>"
    )


def _robust(source: Source) -> str:
    attributes = {
        "href": source.url,
        "data-originalurl": source.uri,
        "data-versionurl": source.url,
        "data-versiondate": source.day,
    }
    return " ".join(f'{name}="{html.escape(value)}"' for name, value in attributes.items() if value)


def sentence(source: Source) -> str:
    """A sentence for any place that takes plain text."""
    about = source.about
    credit = [
        _writers(source),
        f"\u201c{' '.join(source.title.split())}\u201d{_at(source)}",
        source.container or "",
        "" if about.issued is None else str(about.issued.value),
    ]
    quote = f"\u201c{source.words}\u201d \u2014 " if source.words else ""
    if source.place and not source.words:
        quote = f"{source.place[0].upper()}{source.place[1:]} \u2014 "
    told = ", ".join(re.sub(r"\s+", " ", part) for part in credit if part)
    live = f" from {source.uri}" if source.uri else ""
    return f"{quote}{told}. Archived {source.day}{live} at {source.url} ({source.reference})."


def _at(source: Source) -> str:
    """When the words of a recording are said, or on which page they are printed."""
    return f", {source.at}" if source.at else ""


def _writers(source: Source) -> str:
    """The authors as people name them in a sentence."""
    names = [str(person.value) for person in source.about.authors]
    if len(names) > _TWO:
        return f"{names[0]} et al."
    return " and ".join(names)


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
    return _WIKI_MARKS.sub(_reference, " ".join(text.split()))


def _reference(found: re.Match[str]) -> str:
    """The first character of what would be markup as a reference; of runs, every one."""
    marks = found[0]
    if marks[0].isalpha():  # a magic word stands before a space, an address before its colon
        return f"{marks[:-1]}&#{ord(marks[-1])};"
    return "".join(f"&#{ord(mark)};" for mark in marks)


def _address(address: str) -> str:
    """An address without the characters that end a parameter or a link."""
    return "".join(f"%{ord(c):02X}" if c in "|[]{}<>\"' " else c for c in address)
