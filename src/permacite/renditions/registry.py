"""Registry of renditions: which one makes the text of a document, by media type or by name.

Ours are a static table. Installed packages declare theirs as entry points of the group
`permacite.renditions`, each one Rendition, so one version of its rules. They are asked only for a
media type, a file name or a name that the table lacks. So our rendition reads each type that we
know, unless a third-party one is preferred by its name, such as "xml-text/2": the service prefers
those in PERMACITE_RENDITIONS. Of a name, the highest version that we have is used. A third-party
rendition that cannot be loaded is left out, with a warning that names it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite import file_types
from permacite.errors import NotFoundError
from permacite.registry import Registry
from permacite.renditions.model import Rendition

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from permacite.renditions.model import Original, Rendered

__all__ = [
    "GROUP",
    "TABLE",
    "RenditionEntry",
    "media_type_of",
    "reads",
    "render",
    "rendition_for",
    "rendition_named",
    "renditions",
]

GROUP = "permacite.renditions"


class RenditionEntry(NamedTuple):
    """What the table says of a rendition of ours. A test proves that the rendition says the same.

    One without types is used only where somebody asks for it by its name.
    """

    source: str
    """As "module:attribute"."""
    media_types: frozenset[str] = frozenset()


def _entry(source: str, *media_types: str) -> RenditionEntry:
    return RenditionEntry(f"permacite.renditions.{source}", frozenset(media_types))


_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_WITH_MACROS = "application/vnd.ms-word.document.macroenabled.12"
_OPEN = "application/vnd.oasis.opendocument.text"

TABLE = {
    "json-text/1": _entry("json:JSON_TEXT_1", "application/json", "+json"),
    "xml-text/1": _entry("xml:XML_TEXT_1", "application/xml", "text/xml", "+xml"),
    "docx-text/1": _entry(
        "office.docx:DOCX_TEXT_1", f"{_WORD}.document", f"{_WORD}.template", _WITH_MACROS
    ),
    "docx-reviewed-text/1": _entry("office.docx:DOCX_REVIEWED_TEXT_1"),
    "odt-text/1": _entry("office.odt:ODT_TEXT_1", _OPEN, f"{_OPEN}-template"),
    "epub-text/1": _entry("office.epub:EPUB_TEXT_1", "application/epub+zip"),
    "mail-text/1": _entry("office.mail:MAIL_TEXT_1", "message/rfc822"),
    "notebook-text/1": _entry("office.notebook:NOTEBOOK_TEXT_1", "application/x-ipynb+json"),
    "pdf-text/1": _entry("pdf:PDF_TEXT_1", "application/pdf"),
}
"""Our renditions by name and version: one for each version, since they are frozen."""

_OWN_TEXT = "text/plain"
"""The media type that needs no rendition, so that no package is asked for one."""
_registry = Registry(GROUP, {name: entry.source for name, entry in TABLE.items()}, kind=Rendition)


@cache
def renditions() -> tuple[Rendition[Any], ...]:
    """All that are installed: ours, then third-party ones by name; highest versions first."""
    every = (*map(_registry.load, TABLE), *_third_party())
    names = [each.name for each in every]
    return tuple(sorted(every, key=lambda each: (names.index(each.name), -each.version)))


@cache
def _third_party() -> tuple[Rendition[Any], ...]:
    """What installed packages declare, without what cannot be loaded or has a name of ours."""
    loaded = map(_registry.find, _registry.installed())
    return tuple(each for each in loaded if each is not None and str(each) not in TABLE)


def rendition_for(media_type: str, preferred: Iterable[str] = ()) -> Rendition[Any] | None:
    """The rendition that reads this media type; None where none does.

    Those whose names are `preferred` come first, then ours, then third-party ones. Among ours, one
    that names the type comes before one that reads its suffix (RFC 6838 §4.2.8); so among others.
    Raises NotFoundError where a preferred one is not installed.
    """
    for name in preferred:
        rendition = rendition_named(name)
        if reads(rendition, media_type):
            return rendition
    for kind in (media_type, _suffix(media_type)):
        for name, entry in TABLE.items():
            if kind in entry.media_types:
                return _registry.load(name)
    if media_type == _OWN_TEXT:
        return None
    for kind in (media_type, _suffix(media_type)):
        for rendition in _third_party():
            if kind in rendition.media_types and not rendition.on_request:
                return rendition
    return None


def _suffix(media_type: str) -> str:
    return "+" + media_type.rpartition("+")[2]


def reads(rendition: Rendition[Any], media_type: str) -> bool:
    """Whether a rendition is for documents of this media type."""
    return not rendition.media_types.isdisjoint({media_type, _suffix(media_type)})


def rendition_named(name: str) -> Rendition[Any]:
    """The rendition with this name, such as "xml-text/1"; the last version if none is given.

    Raises NotFoundError.
    """
    ours = [known for known in TABLE if name in {known, known.partition("/")[0]}]
    if ours:
        return _registry.load(max(ours, key=lambda known: int(known.partition("/")[2])))
    others = [each for each in _third_party() if name in {str(each), each.name}]
    if others:
        return max(others, key=lambda each: each.version)
    known = (*TABLE, *map(str, _third_party()))
    raise NotFoundError(f"no rendition {name} is installed", name, candidates=known)


def media_type_of(
    file_name: str, preferred: Iterable[str] = (), content: bytes | None = None
) -> str | None:
    """The media type of a file by its ending; the longest that is known counts.

    What the renditions that are `preferred` say counts before the table of media types, and what
    other packages say where the table does not know the ending. Of source code see `by_name`.
    """
    folded = file_name.lower()
    chosen = _by_ending(folded, [rendition_named(name).suffixes for name in preferred])
    media_type = chosen or file_types.by_name(file_name, content)
    return media_type or _by_ending(folded, [each.suffixes for each in _third_party()])


def _by_ending(file_name: str, suffixes: list[Mapping[str, str]]) -> str | None:
    endings = {
        ending: media_type
        for known in reversed(suffixes)
        for ending, media_type in known.items()
        if file_name.endswith(ending)
    }
    return endings[max(endings, key=len)] if endings else None


def render(original: Original) -> Rendered | None:
    """The text of a document, made in this process; None where no rendition reads its type.

    It reads hostile octets without limits of memory: `permacite.decoding` has them read apart.
    Raises ParseError where it is not what it claims, LimitError where it is too much.
    """
    rendition = rendition_for(original.media_type)
    return None if rendition is None else rendition(original)
