"""Fill in the quotations of a template from their permanent names.

| in the template | HTML | Markdown | TeX | plain text, XML |
|---|---|---|---|---|
| `{{quote NAME}}` | `<blockquote>`, source | the same | `quote`, name | words, name |
| `{{q NAME}}` | `<q cite="NAME">` | the words and a link | words, name | words, name |
| `{{words NAME}}` | the words | the words | the words | the words |

What is filled in is escaped as the format wants it. A template of a format that is not known here
is refused: its marks could be made of the words of others.

NAME is a permanent name, with or without a fragment; without a version the highest answers, and its
number is written. What is filled in is found again, exact, when the document is committed.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from permacite.bibliography import Reference
from permacite.errors import NotFoundError, ParseError
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern
from permacite.service import names
from permacite.service.citations.recorded import CitationForms
from permacite.service.citations.source import source_of
from permacite.service.citations.writing.bibtex import escaped_tex
from permacite.service.citations.writing.prose import escaped_markdown
from permacite.service.resolution.resolving import Resolver

if TYPE_CHECKING:
    import re

    from permacite.archive.repository import Repository
    from permacite.service.resolution.resolving import Resolved

__all__ = ["Composed", "Templates"]

_MARK = compile_pattern(r"\{\{[ \t]*(quote|q|words)\b([^{}\r\n]*)\}\}")
_HTML = ("html", "htm", "xhtml", "xht")
_MARKDOWN = ("md", "markdown")
_TEX = ("tex", "ltx", "latex")
_XML = ("xml", "svg", "tei", "dbk")
_PLAIN = ("txt", "text", "")
_KNOWN = (*_HTML, *_MARKDOWN, *_TEX, *_XML, *_PLAIN)


@dataclass(frozen=True, slots=True)
class Composed:
    """A template with its quotations filled in."""

    text: str
    references: tuple[str, ...]
    """The full names of what was filled in, in order."""


class Templates:
    """Templates whose quotations are filled in."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._resolution = Resolver(repository)

    def compose(self, template: str, *, suffix: str) -> Composed:
        """`template` with its quotations filled in; `suffix` says how they are written.

        Raises ParseError, placed in the template, for a mark that names nothing that can be quoted
        and for a format that is not known, NotFoundError where the archive has no such passage.
        """
        kind = suffix.lower().lstrip(".")
        if kind not in _KNOWN and _MARK.search(template):
            problem = "expected a template in HTML, Markdown, TeX, XML or plain text"
            raise ParseError(problem, suffix, 0, hint="call it .txt to fill in words as they are")
        pieces = []
        filled = []
        place = 0
        for mark in _MARK.finditer(template):
            words = self._resolved(mark)
            pieces += [
                template[place : mark.start()],
                _written(self._repository, mark, words, kind),
            ]
            filled.append(words.exact)
            place = mark.end()
        pieces.append(template[place:])
        return Composed("".join(pieces), tuple(filled))

    def _resolved(self, mark: re.Match[str]) -> Resolved:
        """The words that a mark names."""
        reference = mark[2].strip()
        try:
            names.document_of(reference)  # an address names other words each time that it is saved
            part = self._resolution.resolve(reference)
        except ParseError as error:
            start = mark.start(2) + len(mark[2]) - len(mark[2].lstrip())
            raise _on_line(error.within(mark.string, start)) from error
        if part.text is None:
            raise NotFoundError(f"{part.exact} has no words to quote", reference)
        return part


def _written(repository: Repository, mark: re.Match[str], part: Resolved, kind: str) -> str:
    """One quotation as the template's format writes it."""
    form, words = mark[1], part.text or ""
    about = None if form == "quote" else Reference()  # the others tell nothing of the page
    version = repository.lookup.version(names.document_of(part.pdi)[0])
    source = source_of(repository, version, part.exact, words, about=about)
    if kind in _HTML:
        if form == "quote":
            return CitationForms(source).html
        lines = "<br>\n".join(html.escape(line) for line in words.splitlines())
        return f'<q cite="{html.escape(source.reference)}">{lines}</q>' if form == "q" else lines
    if kind in _MARKDOWN:
        if form == "quote":
            return _indented(mark, CitationForms(source).markdown)
        escaped = escaped_markdown(" ".join(words.split()))
        return f"\u201c{escaped}\u201d ([source](<{source.url}>))" if form == "q" else escaped
    if kind in _TEX:
        words, name = escaped_tex(words), f"\\texttt{{{escaped_tex(source.reference)}}}"
        quoted = f"\\begin{{quote}}\n{words} ({name})\n\\end{{quote}}"
        return {"quote": quoted, "q": f"\u201c{words}\u201d ({name})"}.get(form, words)
    words = html.escape(words, quote=False) if kind in _XML else words
    return words if form == "words" else f"\u201c{words}\u201d ({source.reference})"


def _indented(mark: re.Match[str], block: str) -> str:
    """A block as deep as its mark. Raises ParseError where that shares its line."""
    start = mark.string.rfind("\n", 0, mark.start()) + 1
    end = mark.string.find("\n", mark.end())
    before = mark.string[start : mark.start()]
    after = mark.string[mark.end() : None if end < 0 else end]
    if before.strip() or after.strip():
        problem = "a block quotation stands on a line of its own; {{q ...}} may share one"
        raise _on_line(ParseError(problem, mark.string, mark.start()))
    return f"\n{before}".join(block.splitlines())


def _on_line(error: ParseError) -> ParseError:
    """The same error, its problem on the line of the template where editors show it."""
    line = error.source.count("\n", 0, error.offset) + 1
    problem = f"line {line}: {error.problem}"
    return ParseError(problem, error.source, error.offset, error.spec, hint=error.hint)
