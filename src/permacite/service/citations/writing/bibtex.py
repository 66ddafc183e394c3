r"""Entries of biblatex, which BibTeX reads as well, and records of RIS.

Readings of the manuals of BibTeX and biblatex, tried with biber and pdflatex:
- A brace is counted even behind a backslash: `\textbraceleft{}` stands for one.
- Two marks of some kinds side by side make a third: `--`, `''`, `,,`; nothing stands between them.
- `url` and `eprint` are verbatim: nothing in them is escaped, so they hold no brace at all.
- `@online` has no `howpublished`; where a page came from stands in `note`.
- A name with a comma or the word "and" in it is put in braces, as is one that is not divided.

A record of RIS is a tag and a value on each line, ended by ER (RIS Format Specifications).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from permacite.bibliography import Person
from permacite.bibliography.model import iso
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from permacite.bibliography import Date, Stated
    from permacite.service.citations.source import Source

__all__ = ["bibtex", "escaped_tex", "ris"]

_TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "`": r"\textasciigrave{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
}
_JOINING = compile_pattern(r"(['\-,])(?=\1)")
_ENTRIES = {
    "article-journal": "article",
    "article-newspaper": "article",
    "article-magazine": "article",
    "paper-conference": "inproceedings",
    "chapter": "incollection",
    "book": "book",
    "thesis": "thesis",
    "report": "report",
    "dataset": "dataset",
    "software": "software",
    "motion_picture": "video",
}
_CONTAINERS = {"article": "journaltitle", "inproceedings": "booktitle", "incollection": "booktitle"}
_DIVIDING = compile_pattern(r"(?i),|\band\b|^others$")
_TYPES = {
    "article-journal": "JOUR",
    "article-newspaper": "NEWS",
    "article-magazine": "MGZN",
    "paper-conference": "CPAPER",
    "chapter": "CHAP",
    "book": "BOOK",
    "thesis": "THES",
    "report": "RPRT",
    "dataset": "DATA",
    "software": "COMP",
    "post-weblog": "BLOG",
    "motion_picture": "VIDEO",
    "legislation": "STAT",
}
_TYPE = "ELEC"


def bibtex(source: Source) -> str:
    """The entry of a citation."""
    kind = _ENTRIES.get(source.about.type, "online")
    fields = [(name, value) for name, value in _fields(source, kind) if value]
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields)
    return f"@{kind}{{{source.key},\n{body}\n}}"


def _fields(source: Source, kind: str) -> Iterator[tuple[str, str]]:
    about = source.about
    yield "title", "{" + escaped_tex(source.title) + "}"
    yield "titleaddon", escaped_tex(source.place or ("" if source.page else source.at))
    yield "author", _names(about.authors)
    yield "editor", _names(about.editors)
    if about.issued is not None:
        date = about.issued.value
        yield ("year", escaped_tex(date.literal)) if date.year is None else ("date", date.edtf)
    yield _CONTAINERS.get(kind, "organization"), escaped_tex(source.container or "")
    publisher = "institution" if kind in {"thesis", "report"} else "publisher"
    yield publisher, "" if about.publisher is None else escaped_tex(about.publisher.value)
    for name, stated in [
        ("volume", about.volume),
        ("number", about.issue),
        ("pages", None if source.page else about.pages),
        ("doi", about.doi),
        ("isbn", about.isbn),
        ("issn", about.issn),
    ]:
        if stated is not None:
            yield name, _verbatim(stated.value) if name == "doi" else escaped_tex(stated.value)
    yield "pages", escaped_tex(source.page)
    yield "url", _verbatim(source.url)
    yield "urldate", source.day
    yield "eprint", _verbatim(source.reference)
    yield "eprinttype", "pdi"
    yield "note", _note(source)
    yield "annotation", escaped_tex(source.told)


def _note(source: Source) -> str:
    original = f"Original at {escaped_tex(source.uri)}. " if source.uri else ""
    return f"{original}Archived by {escaped_tex(source.archive)}"


def escaped_tex(text: str) -> str:
    """Text that prints as it is; white space of all kinds is a space."""
    text = "".join(c for c in " ".join(text.split()) if c.isprintable() or c in "\u200c\u200d")
    return _JOINING.sub(r"\1{}", "".join(_TEX.get(character, character) for character in text))


def _verbatim(text: str) -> str:
    """Text of a field in which TeX reads nothing: braces, which would count, are escaped as URI."""
    return re.sub(r"[{}\\\s]", lambda found: f"%{ord(found[0]):02X}", text)


def _names(people: Iterable[Stated[Person]]) -> str:
    return " and ".join(_name(person.value) for person in people)


def _name(person: Person) -> str:
    """A name; a backtick, whose escape biber cuts when it makes initials, is a quotation mark."""
    person = Person(*(part.replace("`", "\u2018") for part in person))
    if not person.given:
        return "{" + escaped_tex(person.family) + "}"
    return ", ".join(_part(part) for part in (person.family, person.suffix, person.given) if part)


def _part(name: str) -> str:
    written = escaped_tex(name)
    return "{" + written + "}" if _DIVIDING.search(name) else written


def ris(source: Source) -> str:
    """The record of a citation."""
    body = "\n".join(f"{tag}  - {' '.join(value.split())}" for tag, value in _lines(source))
    return f"{body}\nER  - "


def _lines(source: Source) -> Iterator[tuple[str, str]]:
    about = source.about
    yield "TY", _TYPES.get(about.type, _TYPE)
    yield "TI", source.title
    for person in about.authors:
        yield "AU", person.value.inverted
    for person in about.editors:
        yield "ED", person.value.inverted
    if about.issued is not None:
        if about.issued.value.year is not None:
            yield "PY", iso(about.issued.value.year)
        yield "DA", _date(about.issued.value)
    if source.container:
        yield "T2", source.container
    pages = source.page or ("" if about.pages is None else about.pages.value)
    first, _, last = pages.partition("-")
    for tag, value in [
        ("PB", about.publisher and about.publisher.value),
        ("VL", about.volume and about.volume.value),
        ("IS", about.issue and about.issue.value),
        ("SP", first),
        ("EP", last),
        ("DO", about.doi and about.doi.value),
        ("SN", (about.isbn and about.isbn.value) or (about.issn and about.issn.value)),
        ("LA", about.language and about.language.value),
    ]:
        if value:
            yield tag, value
    yield "UR", source.url
    yield "Y2", source.retrieved_at.strftime("%Y/%m/%d")
    yield "DB", source.archive
    yield "M1", source.reference
    yield "N1", f"{source.told} ({source.at})" if source.printed else source.told
    if source.uri:
        yield "L2", source.uri


def _date(date: Date) -> str:
    """YYYY/MM/DD/other info, where each part but the year may be empty."""
    if date.year is None:
        return f"///{date.literal}"
    month, day = ("" if part is None else f"{part:02}" for part in date[1:3])
    more = "" if date.edtf == str(date) else date.edtf.replace("/", " to ")
    return f"{iso(date.year)}/{month}/{day}/{more}"
