"""Recognition of crawls, bags and libraries among the files and folders that a command names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from permacite.capture.web_archives import kind_of
from permacite.errors import PermaciteError, StorageError
from permacite.registry import Registry
from permacite.service.ingest.folders import folder_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

__all__ = [
    "IMPORTERS",
    "ZOTERO_DATABASE",
    "attempted",
    "files_in",
    "is_bag",
    "is_crawl",
    "is_library",
]

ZOTERO_DATABASE = "zotero.sqlite"
_P = ParamSpec("_P")
_T = TypeVar("_T")
_SQLITE = b"SQLite format 3\0"
_EXPORTED = b"http://www.zotero.org/namespaces/export#"
_HEAD = 1 << 14
_PACKED = (".zip", ".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz")
"""How bags that are packed are called."""

IMPORTERS = Registry(
    "permacite.importers",
    {
        "annotations": "permacite.service.exchange.web_annotations:WebAnnotations",
        "bags": "permacite.service.exchange.bags:Bags",
        "citations": "permacite.service.exchange.carried_citations:CarriedCitations",
        "crawls": "permacite.service.exchange.crawls:Crawls",
        "extension": "permacite.service.extension.taking:Uploads",
        "libraries": "permacite.service.exchange.zotero:Libraries",
    },
    kind=type,
    extras={"crawls": "capture"},
)
"""Importers of the annexes. Each takes the repository."""


def attempted(
    add: Callable[_P, _T], *arguments: _P.args, **options: _P.kwargs
) -> _T | PermaciteError:
    """The outcome for one of many; only a fault of the storage, which all have, ends the import."""
    try:
        return add(*arguments, **options)
    except StorageError:
        raise
    except PermaciteError as error:
        return error


def files_in(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield files, and in place of a folder all files in it, by their names; bags stay folders.

    Hidden files, links, and the folders of pages that a browser saved complete are left out.
    """
    for path in paths:
        if not path.is_dir() or is_bag(path):
            yield path
            continue
        inside = [each for each in sorted(path.iterdir()) if not each.name.startswith(".")]
        of_pages = {folder_of(each) for each in inside if each.is_file()}
        for each in inside:
            is_part = path in of_pages and folder_of(each) != path
            if each.is_symlink() or each in of_pages or is_part:
                continue
            if each.is_dir():
                yield from files_in([each])
            elif each.is_file():
                yield each


def is_crawl(path: Path) -> bool:
    """Whether a file is a WARC, ARC, WACZ or HAR file, which holds pages that can be chosen."""
    try:
        with path.open("rb") as file:
            return kind_of(file) is not None
    except OSError:
        return False  # whoever reads it will say why


def is_bag(path: Path) -> bool:
    """Whether a folder or a packed one is a bag (BagIt), as its names say."""
    if path.is_dir():
        return (path / "bagit.txt").is_file()
    if not path.name.lower().endswith(_PACKED) or not path.is_file():
        return False
    bags: Any = IMPORTERS.load("bags")
    return bool(bags.is_packed(path))


def is_library(path: Path) -> bool:
    """Whether a file is a library of Zotero: an export, or the database of a data folder."""
    if path.name != ZOTERO_DATABASE and path.suffix.lower() not in {".rdf", ".xml"}:
        return False
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False  # whoever reads it will say why
    return head.startswith(_SQLITE) if path.name == ZOTERO_DATABASE else _EXPORTED in head
