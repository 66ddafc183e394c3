"""Values of renditions: the original, the rendered text, and a rendition itself.

Positions count the code points of the text, line ends as CRLF: those of a PDI.
"""

from __future__ import annotations

import codecs
from bisect import bisect_left
from dataclasses import field
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeAlias, TypeVar

from permacite.charsets import of_codec
from permacite.errors import LimitError, ParseError
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern
from permacite.text.entity import DocumentText

if TYPE_CHECKING:
    import mmap
    from collections.abc import Callable, Mapping

    from permacite.bibliography import Claim

    Octets: TypeAlias = bytes | mmap.mmap
    from collections.abc import Sequence


__all__ = [
    "MOST_LABELS",
    "Label",
    "Notice",
    "Original",
    "Printed",
    "Rendered",
    "Rendition",
    "printed_at",
    "ranges_of",
]

MOST_LABELS = 1_000_000
_MAP_OCTETS = 8
"""How much of a map there may be for each character, beside its head."""
_MAP_HEAD = 1024
_NOT_CANONICAL = compile_pattern(r"\r(?!\n)|(?<!\r)\n|[\ud800-\udfff]")

_Decoded = TypeVar("_Decoded")
_SHORT = {"page": ("p.", "pp.")}


class Label(NamedTuple):
    """Text from `start` up to `end` that the document itself numbers or names."""

    start: int
    end: int
    kind: str
    """In one word: page, chapter, section, cell, row, attachment, ..."""
    name: str
    """As it is printed there, such as "xvii"."""
    target: str = ""
    """What names the place in the format of the source, such as "page=17"; "" where nothing does.
    """


class Notice(NamedTuple):
    """What a reader of the text must know: that words are left out, or cannot be trusted."""

    code: str
    """For machines, such as "no-words", "encoding" or "tracked-changes"."""
    text: str
    """For people: a sentence without a full stop."""


@dataclass(frozen=True, slots=True)
class Original:
    """A document as it is committed."""

    content: Octets = field(repr=False)
    media_type: str
    """Without parameters."""
    codec: str | None = None
    """What decodes it, if it was settled: a codec of the Encoding Standard."""

    def characters(self) -> str:
        """Its characters, line ends as they are stored; UTF-8 where nothing was settled.

        Raises ParseError where that is not what it is in.
        """
        octets = self.content[:]
        if self.codec is not None:
            return DocumentText(octets, of_codec(self.codec)).stored
        try:
            return octets.removeprefix(codecs.BOM_UTF8).decode()
        except UnicodeDecodeError as error:
            shown = octets[error.start : error.start + 40].decode("latin-1")
            raise ParseError("expected text in UTF-8", shown, 0) from error


@dataclass(frozen=True, slots=True)
class Rendered:
    """A text, and where it comes from. Raises ParseError or LimitError for what is no such text.

    Line ends of `text` are CRLF. `labels` are in the order of their starts, and may be nested.
    `map` leads from positions of the text to places in the source: it names its form in its first
    octets, and has at most 8 octets for each character; it is empty where the rules of the
    rendition alone make it again. `builds`: the third-party libraries that were used, by name, each
    with its version. `title` and `stated` are what the document says of itself.
    """

    text: str
    labels: tuple[Label, ...] = ()
    map: bytes = field(default=b"", repr=False)
    title: str | None = None
    stated: tuple[Claim, ...] = ()
    notices: tuple[Notice, ...] = ()
    builds: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        fault = _NOT_CANONICAL.search(self.text)
        if fault is not None:
            problem = "expected a text with line ends as CRLF, and no surrogates"
            raise ParseError(problem, self.text[fault.start() : fault.start() + 40], 0)
        if len(self.labels) > MOST_LABELS:
            raise LimitError("too many labels", limit="labels", maximum=MOST_LABELS)
        if len(self.map) > _MAP_HEAD + _MAP_OCTETS * len(self.text):
            raise LimitError("the map is too large", limit="map", maximum=_MAP_OCTETS)
        last = 0
        for label in self.labels:
            if not last <= label.start <= label.end <= len(self.text):
                problem = f"expected labels in order, within {len(self.text)} characters"
                raise ParseError(problem, repr(label)[:200], 0)
            last = label.start


@dataclass(frozen=True, slots=True)
class Rendition(Generic[_Decoded]):
    """One way to make the text of documents. Its rules are frozen; others are another version."""

    name: str
    """Such as "pdf-text"."""
    version: int
    """From 1."""
    media_types: frozenset[str]
    """Those that it reads; "+xml" stands for all types with that suffix."""
    decode: Callable[[Original], _Decoded]
    """Take octets apart. Raises errors of ours alone, and ParseError for what cannot be read."""
    render: Callable[[_Decoded], Rendered]
    """Make the text: pure, in time in proportion to what was decoded. Raises ParseError."""
    worker: str = "documents"
    """The kind of worker in which both run: see `permacite.decoding.kinds`."""
    preload: Callable[[], object] | None = None
    """Import all that `decode` may need: a worker can open nothing later."""
    on_request: bool = False
    """Whether it is used only where somebody asks for it by its name."""
    suffixes: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Media types by endings of file names: {".docx": "application/vnd..."}."""

    def __str__(self) -> str:
        return f"{self.name}/{self.version}"

    def __call__(self, original: Original) -> Rendered:
        """Both steps, in this process."""
        return self.render(self.decode(original))


@dataclass(frozen=True, slots=True)
class Printed:
    """Where in a document words stand, as it numbers or names its own parts."""

    kind: str
    """Such as "page" or "section"."""
    first: str
    """As it is printed, such as "xvii"; and the last one where the words stand in several."""
    last: str
    target: str
    """What names the first in the format of the source, such as "page=17"; may be empty."""

    @property
    def name(self) -> str:
        """As 17, or 17-18."""
        return self.first if self.first == self.last else f"{self.first}-{self.last}"

    @property
    def told(self) -> str:
        """As people write it: p. 17, pp. 17-18, section 2.1."""
        one, several = _SHORT.get(self.kind, (self.kind, f"{self.kind}s"))
        return f"{one if self.first == self.last else several} {self.name}"


def printed_at(labels: Sequence[Label], start: int, end: int) -> tuple[Printed, ...]:
    """Where the text from `start` up to `end` stands: pages first, then the innermost parts first.

    Of each kind the innermost that holds it all, else the first and the last that hold some of it.
    """
    before = bisect_left(labels, max(end, start + 1), key=lambda label: label.start)
    found: dict[str, list[Label]] = {}
    for label in labels[:before]:
        if label.end > start:
            found.setdefault(label.kind, []).append(label)
    chosen: list[tuple[int, Printed]] = []
    for kind, several in found.items():
        around = [label for label in several if label.start <= start and end <= label.end]
        first, last = several[0], several[-1]
        if around:
            first = last = min(around, key=lambda label: label.end - label.start)
        size = 0 if kind == "page" else last.end - first.start
        chosen.append((size, Printed(kind, first.name, last.name, first.target)))
    return tuple(printed for _, printed in sorted(chosen, key=lambda pair: pair[0]))


def ranges_of(labels: Sequence[Label], kind: str, name: str) -> list[tuple[int, int]]:
    """The stretches of text with this label."""
    return [
        (label.start, label.end)
        for label in labels
        if label.kind == kind and label.name == name and label.start < label.end
    ]
