"""One citation in the forms that people paste: Markdown, HTML, BibTeX, CSL-JSON, RIS, wiki.

Every form carries the permanent name itself and its address at the resolver. The wiki form, which
is made for everyone, leaves out an address that others cannot open. Each format's special
characters are escaped by its own rules, so that a title with braces or pipes survives.
"""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from permacite import uri as references
from permacite.capture.address import unreachable
from permacite.errors import ParseError
from permacite.service.citations.parts import told_of, words_of

if TYPE_CHECKING:
    from datetime import datetime

__all__ = ["CitationForms", "Source", "forms"]


@dataclass(frozen=True, slots=True)
class CitationForms:
    """Ready forms of one citation, for pasting."""

    markdown: str
    html: str
    bibtex: str
    csl_json: str
    ris: str
    wiki: str
    warnings: tuple[str, ...] = ()
    """What a form leaves out, and why."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a citation says about its source. `quote` is shown with line breaks as spaces."""

    reference: str
    url: str
    quote: str
    title: str
    uri: str | None
    retrieved_at: datetime
    archive: str
    """The document series that minted the name."""

    @property
    def part(self) -> str:
        """What of the document is cited, in words."""
        return told_of(self.reference)

    @property
    def told(self) -> str:
        """What is cited, on one line: the words, or else the part of the title."""
        return words_of(self.reference, self.quote, self.title)

    @property
    def day(self) -> str:
        """The day of retrieval, as yyyy-mm-dd."""
        return self.retrieved_at.strftime("%Y-%m-%d")

    @property
    def words(self) -> str:
        """The quote on one line."""
        return " ".join(self.quote.split())

    @property
    def key(self) -> str:
        """A stable BibTeX key made from the name: letters, digits and hyphens."""
        _, _, path = self.reference.partition("//")
        return re.sub(r"[^0-9A-Za-z]+", "-", path).strip("-")


def forms(source: Source) -> CitationForms:
    """Every form of `source`."""
    private = unreachable(source.url)
    return CitationForms(
        markdown=_markdown(source),
        html=_html(source),
        bibtex=_bibtex(source),
        csl_json=_csl_json(source),
        ris=_ris(source),
        wiki=_wiki(source, is_public=private is None),
        warnings=() if private is None else (_left_out(private),),
    )


def _left_out(private: str) -> str:
    return (
        f"the wiki form has no archive-url, which nobody else could open: {private}; "
        "an archive is given its public address by `permacite init --resolver`"
    )


def _markdown(source: Source) -> str:
    """A block quotation with a link below it (CommonMark)."""
    lines = source.quote.splitlines() or [""]
    quoted = "\n".join(f"> {_escaped_markdown(line)}".rstrip() for line in lines)
    title = _escaped_markdown(source.title)
    live = f", retrieved {source.day} from <{source.uri}>" if source.uri else f", {source.day}"
    return f"{quoted}\n>\n> — [{title}](<{source.url}>){live}. `{source.reference}`"


def _escaped_markdown(text: str) -> str:
    text = re.sub(r"([\\`*_{}\[\]<>|~&])", r"\\\1", text)
    # A line that begins like a heading, list or quotation would become one.
    return re.sub(r"^(\s*[0-9]*)([#+\-.)])", r"\1\\\2", text)


def _html(source: Source) -> str:
    """A <blockquote> whose cite attribute is the permanent name."""
    words = "<br>\n".join(html.escape(line) for line in source.quote.splitlines())
    live = (
        f', retrieved <time datetime="{source.day}">{source.day}</time> from '
        f'<a href="{html.escape(source.uri)}">{html.escape(source.uri)}</a>'
        if source.uri
        else ""
    )
    return (
        f'<blockquote cite="{html.escape(source.reference)}">{words}</blockquote>\n'
        f'<p>— <cite><a href="{html.escape(source.url)}">{html.escape(source.title)}</a></cite>'
        f"{live}. <code>{html.escape(source.reference)}</code></p>"
    )


_TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}


def _tex(text: str) -> str:
    return "".join(_TEX.get(character, character) for character in text)


def _bibtex(source: Source) -> str:
    """An @online entry (biblatex). `url` is a verbatim field: nothing in it is escaped."""
    fields = [
        ("title", "{" + _tex(source.title) + "}"),
        ("year", f"{source.retrieved_at:%Y}"),
        ("url", source.url),
        ("urldate", source.day),
        ("eprint", _tex(source.reference)),
        ("eprinttype", "pdi"),
        ("note", f"Archived by {_tex(source.archive)}"),
        ("annotation", _tex(source.words)),
    ]
    if source.uri:
        fields.append(("howpublished", rf"Original at \url{{{source.uri}}}"))
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields)
    return f"@online{{{source.key},\n{body}\n}}"


def _csl_json(source: Source) -> str:
    """One CSL-JSON item (an array of one, as citation managers import it)."""
    moment = source.retrieved_at
    item = {
        "id": source.key,
        "type": "webpage",
        "title": source.title,
        "URL": source.url,
        "accessed": {"date-parts": [[moment.year, moment.month, moment.day]]},
        "archive": source.archive,
        "archive_location": source.reference,
        "note": source.words,
    }
    if source.uri:
        item["container-title"] = _host(source.uri)
        item["annote"] = f"Original: {source.uri}"
    return json.dumps([item], ensure_ascii=False, indent=2)


def _ris(source: Source) -> str:
    """An ELEC record; every tag on a line of its own, ended by ER."""
    lines = [
        ("TY", "ELEC"),
        ("TI", source.title),
        ("UR", source.url),
        ("Y2", source.retrieved_at.strftime("%Y/%m/%d")),
        ("DB", source.archive),
        ("M1", source.reference),
        ("N1", source.words),
    ]
    if source.uri:
        lines.append(("L2", source.uri))
    body = "\n".join(f"{tag}  - {' '.join(value.split())}" for tag, value in lines)
    return f"{body}\nER  - "


def _wiki(source: Source, *, is_public: bool) -> str:
    """A {{cite web}} template as encyclopedia editors use it."""
    parameters = [("title", _escaped_wiki(source.title))]
    if source.uri or is_public:
        parameters.append(("url", _wiki_address(source.uri or source.url)))
    parameters.append(("access-date", source.day))
    if source.uri and is_public:
        parameters += [
            ("archive-url", _wiki_address(source.url)),
            ("archive-date", source.day),
            ("url-status", "live"),
        ]
    parameters += [("id", _escaped_wiki(source.reference)), ("quote", _escaped_wiki(source.words))]
    inner = " |".join(f"{name}={value}" for name, value in parameters)
    return "{{cite web |" + inner + "}}"


_WIKI = {"|": "{{!}}", "[": "&#91;", "]": "&#93;", "{": "&#123;", "}": "&#125;", "<": "&lt;"}


def _escaped_wiki(text: str) -> str:
    """Text that cannot end the template or open a link (Help:Template)."""
    return "".join(_WIKI.get(character, character) for character in " ".join(text.split()))


def _wiki_address(address: str) -> str:
    """An address without the characters that end a parameter or a link."""
    return "".join(f"%{ord(c):02X}" if c in "|[]{}<>\"' " else c for c in address)


def _host(uri: str) -> str:
    """The host of an absolute URI, or the URI where it has none."""
    try:
        return references.parse(uri).host or uri
    except ParseError:
        return uri
