"""Pages that browsers saved "complete": a page, and a folder beside it with all that it shows.

| who saved it | the folder | in the page |
|---|---|---|
| Chromium, Edge, Internet Explorer | `X_files` | `<!-- saved from url=(0014)http://a.test/ -->` |
| Firefox | `X_files`, in the language of the program | nothing |
| Zotero, before it used SingleFile | that of the page itself: `storage/8LETTERS` | nothing |

The browser writes out what it drew, and puts names of files in the place of addresses: what the
parts were called on the web is nowhere. So they keep the names that the page has for them.

A page that shows nothing of such a folder has none. Nothing outside the folder is read, by whatever
path or link.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from permacite import media_types, mhtml
from permacite.archive.objects.source import digest_of
from permacite.file_types import sniff
from permacite.markup import Document
from permacite.scan import compile_pattern
from permacite.service import sources

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from permacite.archive.model.answered import JSON
    from permacite.capture.model import Failure, FetchLimits
    from permacite.mhtml.links import Link
    from permacite.service.sources import Incoming

__all__ = ["Complete", "complete", "folder_of"]

_PAGES = frozenset({".htm", ".html", ".xht", ".xhtml"})
_ENDINGS = (
    *("_files", ".files", "-Dateien", "-filer", "_archivos", "_arquivos", "_bestanden", "_bylos"),
    *("_datoteke", "_dosyalar", "_elemei", "_failid", "_fails", "_fajlovi", "_ficheiros"),
    *("_fichiers", "_file", "_fitxategiak", "_fitxers", "_pliki", "_soubory", "_tiedostot"),
)
"""What browsers and Windows put behind a name, by their languages."""
_KEY = compile_pattern(r"[0-9A-Z]{8}")
"""The name of an item's folder in the storage of Zotero."""
_FOLLOWED = frozenset({"frame", "import", "object", "stylesheet"})
_STYLES = frozenset({"import", "stylesheet"})
_OF_NO_FILE = ("data:", "blob:", "about:", "javascript:", "cid:", "mid:")


class Complete(NamedTuple):
    """A page with what its folder holds of it."""

    aggregate: bytes
    digest: str
    """Of the aggregate."""
    parts: int
    """The page and what it shows."""
    failures: tuple[Failure, ...]
    """What it shows and the folder does not have."""

    def on_record(self) -> dict[str, JSON]:
        """What is put on record of it."""
        return {"failures": [asdict(each) for each in self.failures]}


def folder_of(page: Path) -> Path | None:
    """The folder in which a browser put what a page shows; None where there is none."""
    if page.suffix.lower() not in _PAGES:
        return None
    if page.parent.parent.name == "storage" and _KEY.fullmatch(page.parent.name):
        return page.parent if _is_snapshot(page) else None
    beside = (page.with_name(page.stem + ending) for ending in _ENDINGS)
    folders = [each for each in beside if each.is_dir() and not each.is_symlink()]
    if not folders:
        return None
    names = _names_in(Document(page.read_bytes(), "text/html"))
    return next((each for each in folders if each.name in names), None)


def _is_snapshot(page: Path) -> bool:
    """Whether a page is the one of its folder, with other files beside it."""
    beside = [each for each in page.parent.iterdir() if not each.name.startswith(".")]
    pages = [each for each in beside if each.suffix.lower() in _PAGES]
    return pages == [page] and len(beside) > 1


def _names_in(page: Document) -> set[str]:
    """The folders beside a page out of which it shows something."""
    return {
        unquote(link.value.strip().removeprefix("./").partition("/")[0])
        for link in mhtml.links.references_of(page)
        if link.role == "embed" and "/" in link.value
    }


def complete(
    path: Path, page: Incoming, folder: Path, limits: FetchLimits | None = None
) -> Complete:
    """A page with what it shows of a folder: one beside it, or that in which it stands itself."""
    from permacite.capture.model import FetchLimits
    from permacite.mhtml.folder import label_of

    document, content = page.document, page.content
    gathering = _Gathering(path, folder, limits or FetchLimits())
    gathering.follow(document, ())

    root = mhtml.Resource(content, document.media_type, label_of(path.name))
    aggregate = mhtml.build(root, gathering.parts, profile="archive", subject=page.title)
    failures = tuple(gathering.failures.values())
    return Complete(aggregate, digest_of(aggregate), 1 + len(gathering.parts), failures)


class _Gathering:
    """Reads what a page shows, and what that shows in turn, each file once."""

    def __init__(self, page: Path, folder: Path, limits: FetchLimits) -> None:
        self.parts: list[mhtml.Resource] = []
        self.failures: dict[str, Failure] = {}
        self._top = page.parent
        self._inside = folder.relative_to(page.parent).parts
        self._limits = limits
        self._left = limits.total_bytes
        self._seen: set[tuple[str, ...]] = {(page.name,)}

    def follow(self, document: Document, folder: tuple[str, ...], depth: int = 1) -> None:
        """Read what a document in `folder` shows."""
        for link in _shown(document):
            path = _path(link.value, folder)
            if path is None or path[: len(self._inside)] != self._inside:
                self._fail(link, "address", "it is not in the folder of the page")
            elif path not in self._seen:
                self._seen.add(path)
                self._read(link, path, depth)

    def _read(self, link: Link, path: tuple[str, ...], depth: int) -> None:
        """Read one file, and what it shows."""
        if link.kind == "script":
            return
        if depth > self._limits.depth or len(self.parts) >= self._limits.parts:
            self._fail(link, "parts", "the page has too many parts, or too deep ones")
            return
        content = self._content(link, path)
        if content is None:
            return
        from permacite.mhtml.folder import label_of

        document = Document(content, _type(link, path[-1], content))

        label = label_of("/".join(path))
        self.parts.append(mhtml.Resource(content, document.media_type, label))
        if link.kind in _FOLLOWED:
            self.follow(document, path[:-1], depth + 1)

    def _content(self, link: Link, path: tuple[str, ...]) -> bytes | None:
        """The octets of a file; None where it cannot be had."""
        file = self._top
        for part in path:
            file /= part
            if file.is_symlink():
                self._fail(link, "address", "it is a link, which may lead anywhere")
                return None
        try:
            size = file.stat().st_size
            if size > min(self._limits.part_bytes, self._left):
                self._fail(link, "size", f"its {size:,} bytes are more than a page may have")
                return None
            content = file.read_bytes()
        except (OSError, ValueError) as error:
            problem = error.strerror if isinstance(error, OSError) else str(error)
            self._fail(link, "not-captured", f"no file of the folder: {problem}")
            return None
        self._left -= len(content)
        return content

    def _fail(self, link: Link, reason: str, problem: str) -> None:
        from permacite.capture.model import Failure

        name = link.value.strip()
        needed_by = f"{link.element} {link.attribute}".strip()
        self.failures.setdefault(name, Failure(name, "", problem, reason, needed_by))


def _shown(document: Document) -> Iterator[Link]:
    """The references of what a document shows, to files or to the web."""
    for link in mhtml.links.references_of(document):
        value = link.value.strip()
        is_file = value and not value.startswith("#") and not value.lower().startswith(_OF_NO_FILE)
        if link.role == "embed" and is_file:
            yield link


def _path(reference: str, folder: tuple[str, ...]) -> tuple[str, ...] | None:
    """The path of a file below that of the page; None for an address, or what climbs out."""
    plain = unquote(reference.strip().partition("#")[0].partition("?")[0])
    path = list(folder)
    if plain.startswith("/") or "\\" in plain or "\0" in plain or ":" in plain:
        return None
    for part in plain.split("/"):
        if part == "..":
            if not path:
                return None
            path.pop()
        elif part not in {"", "."}:
            path.append(part)
    return tuple(path) or None


def _type(link: Link, name: str, content: bytes) -> str:
    """The media type of a file: by what it is for, its name, or else its looks."""
    if link.kind in _STYLES:
        return "text/css"
    by_name = sources.media_type_of(name, content)
    is_known = by_name not in {"text/plain", "application/octet-stream"}
    return media_types.essence(by_name) if is_known else sniff(content)
