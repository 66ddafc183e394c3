"""Lists of addresses: seven forms that are read, and the journal of a run over one.

| form | told by | an address is |
|---|---|---|
| bookmarks | `<!DOCTYPE NETSCAPE-Bookmark-file` | `href` of `a` |
| sitemap | an element `urlset` | `loc` |
| feed | an element `feed`, `rss` or `rdf:RDF` with `item` | `link` of an entry |
| Zotero RDF | an element `rdf:RDF` | `rdf:value` in `dcterms:URI` |
| CSL-JSON | `[` or `{` | the member `URL` of an item |
| CSV | a row of names with a column of addresses | what stands in that column |
| plain | anything else | a line; empty ones, and those that begin with `#`, are left out |

A line that holds no address is one wrong line: it is told, and the others go on.

The journal lets an interrupted run continue. It is a file of lines beside the user's other state,
named by the archive and the list. It says which run it is, and which addresses are done. A commit
bears the key of its run and address, so that what was committed and never noted is found again.
"""

from __future__ import annotations

import csv
import fcntl
import io
import json
import secrets
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from permacite.errors import BusyError, ParseError
from permacite.markup import EndTag, StartTag, Text, tokenize
from permacite.service import addresses

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import TextIO

__all__ = ["Journal", "Keys", "ListedLine", "read_list"]

_COLUMNS = ("url", "uri", "address", "link", "website", "web address")
"""Names of columns that hold addresses, in any case; the first of them counts."""
_MOST_OCTETS = 64 * 1024 * 1024
_SHOWN = 80
_DEEPEST = 100
_IN = (["url", "loc"], ["item", "link"], ["dcterms:URI", "rdf:value"])
"""Elements whose text is an address, each in the one around it."""


class ListedLine(NamedTuple):
    """An address, or what stands where one should."""

    place: str
    """Such as "line 7" or "item 3"."""
    typed: str
    uri: str
    """Its normal form; "" where there is none."""
    problem: str = ""


def read_list(content: bytes) -> list[ListedLine]:
    """Read a list. Raises ParseError for what is no text, or of a form that is broken."""
    if len(content) > _MOST_OCTETS:
        raise ParseError(f"expected a list of at most {_MOST_OCTETS} bytes", "", 0)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        shown = content[error.start : error.start + 20].decode("latin-1")
        raise ParseError("expected a list in UTF-8", shown, error.start) from error
    return [_line(place, typed) for place, typed in _typed(text)]


def _typed(text: str) -> Iterator[tuple[str, str]]:
    """What stands where addresses should, and where that is."""
    head = text.lstrip()[:1024]
    if head.upper().startswith("<!DOCTYPE NETSCAPE-BOOKMARK-FILE"):
        return _bookmarks(text)
    if head.startswith("<"):
        return _xml(text)
    if head.startswith(("[", "{")):
        return _csl(text)
    column = _column(text)
    return _plain(text) if column is None else _csv(text, column)


def _line(place: str, typed: str) -> ListedLine:
    try:
        if addresses.is_address(typed):
            return ListedLine(place, typed, addresses.normal(typed))
    except ParseError as error:
        return ListedLine(place, typed[:_SHOWN], "", error.problem)
    return ListedLine(
        place, typed[:_SHOWN], "", "expected the address of a page, such as https://..."
    )


def _plain(text: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        typed = line.strip()
        if typed and not typed.startswith("#"):
            yield f"line {number}", typed


def _column(text: str) -> int | None:
    """Which column of a CSV holds addresses; None where the first row names none."""
    first = text.lstrip().partition("\n")[0]
    row = next(csv.reader([first], dialect=_dialect(first)), [])
    names = [name.strip().lower() for name in row]
    return next((names.index(name) for name in _COLUMNS if name in names), None)


def _dialect(first: str) -> type[csv.Dialect]:
    class Separated(csv.excel):
        delimiter = max(",;\t", key=first.count)

    return Separated


def _csv(text: str, column: int) -> Iterator[tuple[str, str]]:
    first = text.lstrip().partition("\n")[0]
    rows = csv.reader(io.StringIO(text.lstrip(), newline=""), dialect=_dialect(first))
    next(rows)
    try:
        for row in rows:
            if any(cell.strip() for cell in row):
                yield f"line {rows.line_num}", row[column].strip() if column < len(row) else ""
    except csv.Error as error:
        problem = f"line {rows.line_num} is no row of a CSV: {error}"
        raise ParseError(problem, "", 0, "RFC 4180") from error


def _csl(text: str) -> Iterator[tuple[str, str]]:
    try:
        items = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParseError("expected CSL-JSON", text.lstrip()[:_SHOWN], 0) from error
    if isinstance(items, dict):
        items = items.get("items", [items])
    if not isinstance(items, list):
        raise ParseError("expected an array of items", text.lstrip()[:_SHOWN], 0, "CSL-JSON")
    for number, item in enumerate(items, 1):
        value = item.get("URL", item.get("url")) if isinstance(item, dict) else item
        yield f"item {number}", value if isinstance(value, str) else ""


def _bookmarks(text: str) -> Iterator[tuple[str, str]]:
    links = (
        token.get("href")
        for token in tokenize(text)
        if isinstance(token, StartTag) and token.name == "a"
    )
    for number, link in enumerate(links, 1):
        if link is not None and not link.startswith(("javascript:", "place:", "about:", "chrome:")):
            yield f"bookmark {number}", link.strip()


def _xml(text: str) -> Iterator[tuple[str, str]]:
    """The addresses of a sitemap, a feed, or an export of Zotero."""
    names: set[str] = set()
    number = 0
    for path, token in _elements(text):
        typed = None
        if isinstance(token, StartTag):
            names.add(token.name)
            typed = _linked(path, token)
        elif path[-2:] in _IN:
            typed = token.data.strip()
        if typed is not None:
            number += 1
            yield f"entry {number}", typed
    if "sitemapindex" in names:
        problem = "this names other sitemaps: give those, one after the other"
        raise ParseError(problem, "sitemapindex", 0, "sitemaps.org")
    if not names & {"urlset", "feed", "rss", "rdf:RDF"}:
        raise ParseError("expected a sitemap, a feed, or Zotero RDF", text.lstrip()[:_SHOWN], 0)


def _elements(text: str) -> Iterator[tuple[list[str], StartTag | Text]]:
    """Start tags and texts, each with the names of the elements that it stands in."""
    path: list[str] = []
    for token in tokenize(text, xml=True):
        if isinstance(token, StartTag):
            yield path, token
            if not token.self_closing and len(path) < _DEEPEST:
                path.append(token.name)
        elif isinstance(token, EndTag) and path[-1:] == [token.name]:
            path.pop()
        elif isinstance(token, Text):
            yield path, token


def _linked(path: list[str], tag: StartTag) -> str | None:
    """Where an entry of an Atom feed is."""
    if path[-1:] != ["entry"] or tag.name != "link" or tag.get("rel") not in {None, "alternate"}:
        return None
    return tag.get("href")


class Keys:
    """The keys of one run: what bears one is committed once, however often it is tried."""

    is_resumed = True
    """Whether an earlier part of this run may have done something."""

    def __init__(self, run: str) -> None:
        """`run`: its name, which nobody can guess."""
        self.run = run
        self.done: dict[str, Mapping[str, Any]] = {}
        """What became of addresses in earlier parts of this run, where that was noted."""

    def key(self, uri: str) -> str:
        """What a commit bears."""
        return f"list:{self.run}:{sha256(uri.encode()).hexdigest()[:32]}"

    def note(self, uri: str, outcome: Mapping[str, Any]) -> None:
        """Take note that an address is done."""

    def end(self) -> None:
        """The run is over."""


class Journal(Keys):
    """The journal of one run; a context manager."""

    def __init__(self, folder: Path, listed: str, *, afresh: bool = False) -> None:
        """Go on with the run over `listed`, the digest of a list; begin one where there is none."""
        super().__init__("")
        self._path = folder / f"{listed}.jsonl"
        self.run = "" if afresh else self._read()
        self.is_resumed = bool(self.run)
        self._file: TextIO | None = None

    def _read(self) -> str:
        """Which run was going on; "" where there was none, or its first line was cut off."""
        try:
            lines = self._path.read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            return ""
        run = ""
        for line in lines:
            try:
                noted = json.loads(line)
            except ValueError:
                continue  # cut off, as the last one may be
            if "run" in noted:
                run = str(noted["run"])
            elif "uri" in noted:
                self.done[str(noted["uri"])] = noted
        return run

    def __enter__(self) -> Self:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        begun = not self.run
        self._file = self._path.open("a", encoding="utf-8")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            raise BusyError("this list is being saved by another run", retry_after_s=60) from error
        if begun:
            self._file.truncate(0)
            self.run = secrets.token_hex(8)
            self._write({"run": self.run})
        else:
            self._file.write("\n")  # behind a line that may be cut off
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def note(self, uri: str, outcome: Mapping[str, Any]) -> None:
        """Take note that an address is done."""
        self._write({"uri": uri, **outcome})

    def end(self) -> None:
        """The run is over: the next one over this list begins anew."""
        self._path.unlink(missing_ok=True)

    def _write(self, value: Mapping[str, Any]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(value, ensure_ascii=False) + "\n")
            self._file.flush()
