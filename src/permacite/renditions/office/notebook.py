"""Rendition of Jupyter notebooks (nbformat 3 and 4): cells in order, and their output.

docs/explanation/the-words-of-notebooks.md explains these rules, which are frozen:
`notebook-text/1`.

1.  The text is made of the sources of the cells, in order, each followed by the outputs that are
    stored with it. White space stays as it is, line ends as CRLF; empty lines at the beginning and
    white space at the end of a source or an output are dropped. Each stands on lines of its own,
    with an empty line before it; what is empty leaves nothing. U+0000 is dropped, and a surrogate
    that stands alone is U+FFFD.
2.  Of an output that is a stream, its text. Of a result or a display, `text/plain`, else
    `text/markdown`, else `text/latex`, else the text of its `text/html` by the rules of pages. Of
    an error, its traceback, else its name and value. Pictures, widgets and scripts are no text.
3.  Codes that colour a terminal (ECMA-48 CSI sequences) are left out. Nothing is run.
4.  Markdown stays as it is written.
5.  Labels: a cell of code is "In [4]" and what it gave "Out[4]", with the number that is stored,
    else "In [ ]" and "Out[ ]". Any other cell is named by its place among all, from 1. The target
    is the JSON pointer (RFC 6901) to the cell or the output.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from permacite.bibliography import Claim, Place
from permacite.errors import ParseError
from permacite.markup import plain_text
from permacite.renditions.model import Notice, Rendered, Rendition
from permacite.renditions.office.stacked import Stacked, cleaned
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.renditions.model import Original

__all__ = ["NOTEBOOK_TEXT_1"]

_COLOURS = compile_pattern(r"\x1b\[[0-?]*+[ -/]*+[@-~]?")
_PLAIN = ("text/plain", "text/markdown", "text/latex")
_OLD = {"text/plain": "text", "text/html": "html", "text/latex": "latex"}
"""What nbformat 3 calls the forms of an output."""
_TITLES = compile_pattern(r"#{1,6}[\t ]++([^\r\n]++)")


def _decode(original: Original) -> dict[str, Any]:
    """Read the JSON."""
    source = original.characters()
    try:
        value = json.loads(source)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"expected JSON: {error}", source[:80], 0) from error
    if not isinstance(value, dict):
        raise ParseError("expected a notebook, a JSON object", source[:80], 0)
    return value


def _cells(notebook: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each cell with its pointer."""
    at = False
    for where, cells in [("/cells", notebook.get("cells"))] + [
        (f"/worksheets/{number}/cells", sheet.get("cells"))
        for number, sheet in enumerate(_list(notebook.get("worksheets")))
        if isinstance(sheet, dict)
    ]:
        if isinstance(cells, list):
            at = True
            for number, cell in enumerate(cells):
                if isinstance(cell, dict):
                    yield f"{where}/{number}", cell
    if not at:
        raise ParseError("expected a notebook, found no cells", "", 0)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _string(value: object) -> str:
    """A string, or the lines of one (nbformat, "multiline strings")."""
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""


def _render(notebook: dict[str, Any]) -> Rendered:
    page = Stacked()
    unread = 0
    title = None
    for place, (pointer, cell) in enumerate(_cells(notebook), 1):
        kind = cell.get("cell_type")
        source = _string(cell.get("source", cell.get("input")))
        if kind != "code":
            _write(page, source, ("cell", str(place)), pointer)
            if title is None and (found := _TITLES.match(source)):
                title = _clean(found[1])[:200] or None
            continue
        number = _number(cell.get("execution_count", cell.get("prompt_number")))
        _write(page, source, ("cell", f"In [{number}]"), pointer)
        for at, output in enumerate(_list(cell.get("outputs"))):
            words = _words(output) if isinstance(output, dict) else None
            unread += words is None
            _write(page, words or "", ("output", f"Out[{number}]"), f"{pointer}/outputs/{at}")
    text, labels = page.finished()
    notices = []
    if unread:
        notices.append(Notice("outputs", f"{unread} outputs have no words, such as pictures"))
    if not text:
        notices.append(Notice("no-words", "there are no words in it"))
    claims = _claims(notebook)
    return Rendered(text, labels, title=title, stated=claims, notices=tuple(notices))


def _write(page: Stacked, words: str, named: tuple[str, str], target: str) -> None:
    """Write a source or an output, and label it."""
    place = page.write(_COLOURS.sub("", words))
    if place is not None:
        page.label(*place, named, target)


def _number(value: object) -> str:
    """The number of a cell, as Jupyter shows it."""
    return str(value) if isinstance(value, int) and 0 <= value < 10**9 else " "


def _words(output: dict[str, Any]) -> str | None:
    """The words of an output; None where it has none."""
    kind = output.get("output_type")
    if kind == "stream":
        return _string(output.get("text"))
    if kind in {"error", "pyerr"}:
        traceback = [line for line in _list(output.get("traceback")) if isinstance(line, str)]
        if traceback:
            return "\n".join(traceback)
        return f"{_string(output.get('ename'))}: {_string(output.get('evalue'))}"
    data = output.get("data")
    forms = (
        data if isinstance(data, dict) else {form: output.get(old) for form, old in _OLD.items()}
    )
    for form in _PLAIN:
        words = _string(forms.get(form))
        if words:
            return words
    page = _string(forms.get("text/html"))
    return plain_text(page).text if page else None


def _claims(notebook: dict[str, Any]) -> tuple[Claim, ...]:
    """Who the metadata says wrote it, and its title."""
    metadata = notebook.get("metadata")
    if not isinstance(metadata, dict):
        return ()
    claims = []
    stated = _clean(_string(metadata.get("title")))
    if stated:
        claims.append(Claim("title", stated, Place("notebook", "metadata.title")))
    for author in _list(metadata.get("authors"))[:100]:
        name = _clean(_string(author.get("name"))) if isinstance(author, dict) else ""
        if name:
            claims.append(Claim("author", name, Place("notebook", "metadata.authors")))
    return tuple(claims)


def _clean(value: str) -> str:
    return " ".join(cleaned(value).split())[:2000]


NOTEBOOK_TEXT_1 = Rendition(
    "notebook-text", 1, frozenset({"application/x-ipynb+json"}), _decode, _render
)
