"""Citable parts of a document: its words, its own pages, parts of its formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.errors import PermaciteError
from permacite.lazy_dataclass import dataclass
from permacite.pdi import SCHEMES
from permacite.service.labels import labels_of
from permacite.service.names import is_drawn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from permacite.archive.model.answered import Representation, Restriction, Version
    from permacite.archive.repository import Repository
    from permacite.pdi import PDI
    from permacite.renditions import Label

__all__ = ["Citable", "citable"]

_WHAT = {
    "char": "words",
    "elt": "elements",
    "rect": "rectangles",
    "sec": "times",
    "crop": "times and rectangles",
    "cell": "rows and cells",
    "pointer": "values",
    "page": "pages",
    "viewrect": "areas of pages",
}
"""Schemes that are told of, in words. Others say the same in another way; octets always can be."""
_KINDS_TOLD = 4


@dataclass(frozen=True, slots=True)
class Citable:
    """One way to cite parts of a document."""

    what: str
    """Such as "words", "elements" or "page"."""
    format: str
    """The token of the format that they are cited in."""
    scheme: str
    """How: #char=, #elt=, ..."""
    label: str | None = None
    """Of what the document numbers by itself: the first of its kind, such as "xvii"."""

    @property
    def told(self) -> str:
        """On a line: words: utf-8#char=, or page xvii: utf-8#char=."""
        label = f" {self.label}" if self.label else ""
        return f"{self.what}{label}: {self.format}#{self.scheme}="


def citable(
    repository: Repository, version: Version, restricted: Mapping[PDI, Restriction]
) -> tuple[Citable, ...]:
    """All ways, words first; octets where there is no other. `restricted`: of its formats."""
    formats = [item for item in version.representations if item.pdi not in restricted]
    texts = [item for item in formats if item.media_type == "text/plain"]
    texts = texts or [item for item in formats if item.media_type.startswith("text/")]
    ways: list[Citable] = []
    if texts:
        try:
            labels = labels_of(repository, texts[0])
        except PermaciteError:  # they are damaged, and fsck tells of it
            labels = ()
        ways += _words(texts[0], labels)
    ways += [Citable("words drawn", item.format, "char") for item in texts[1:] if is_drawn(item)]
    for item in formats:
        for scheme in SCHEMES.known:
            is_part = scheme.name in _WHAT and scheme.name != "char"
            if is_part and scheme.applies(item.media_type):
                ways.append(Citable(_WHAT[scheme.name], item.format, scheme.name))
    octets = [Citable("octets", item.format, "byte") for item in formats[:1]]
    return tuple(ways or octets)


def _words(text: Representation, labels: Sequence[Label]) -> Iterator[Citable]:
    yield Citable("words", text.format, "char")
    first: dict[str, str] = {}
    for label in labels:
        first.setdefault(label.kind, label.name)
    for kind in sorted(first, key=lambda kind: kind != "page")[:_KINDS_TOLD]:
        yield Citable(kind, text.format, "char", first[kind])
