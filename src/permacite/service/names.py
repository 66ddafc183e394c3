"""From what a user typed to a name in the archive, and from a name to its text.

Users paste names with and without `urn:`, with a fragment or without, and addresses of a resolver
(`http://host/urn:pdi://...?fragment=char=3,9`). All lead to the same values here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite import fragments, pdi, uri
from permacite.errors import NotFoundError, ParseError
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern
from permacite.service.location import DEFAULT_RESOLVER

if TYPE_CHECKING:
    from permacite.archive.model.answered import Representation, Version
    from permacite.archive.repository import Repository
    from permacite.text.entity import DocumentText

__all__ = [
    "NAMES",
    "TextOf",
    "are_words",
    "as_address",
    "document_of",
    "drawn_text",
    "from_address",
    "from_path",
    "is_drawn",
    "is_foreign",
    "parse",
    "resolver_of",
    "text_of",
    "text_representation",
]

_ADDRESS = compile_pattern(
    r"(?i)https?://[^/?#\s]*/+(?:[^/?#\s]+/+){0,8}?(?:uri-res/[nli]2[a-z]{1,2}\?)?(?=(?:urn:)?pdi:)"
)
"""What stands before a name in the address of a resolver, in a folder of its host or not; or in a
request of THTTP (RFC 2169)."""

_OF_A_PDF = compile_pattern(
    r"(?i)(?:nameddest|structelem)=|(?:page|viewrect|zoom|view|search|highlight)=[^&#.-]*+[&#.-]"
)
"""A fragment of RFC 8118 that is none of a PDI: several parameters, or fractions."""

NAMES = ("urn:pdi://", "pdi://")
"""Begin a name, and no address of the web."""
_FOREIGN = ("http", "https", "file")


def from_address(text: str) -> tuple[str, int]:
    """The reference in a resolver's address, and its offset in `text`.

    Any other text is returned as it is, without surrounding white space. Raises ParseError where
    the fragment in the query is not escaped as it should.
    """
    start = len(text) - len(text.lstrip())
    stripped = text.strip()
    match = _ADDRESS.match(stripped)
    if match is None:
        return stripped, start
    name, _, query = stripped[match.end() :].partition("?")
    place = start + match.end()
    offset = place + len(name) + 1
    for field in query.split("&"):
        key, _, value = field.partition("=")
        if key == "fragment":
            try:
                name += "#" + uri.unquote(value)
            except ParseError as error:
                raise error.within(text, offset + len("fragment=")) from error
        offset += len(field) + 1
    return from_path(name), place


def resolver_of(repository: Repository) -> str:
    """The base address of an archive's resolver, without a final slash."""
    return repository.settings.get("resolver") or DEFAULT_RESOLVER


def as_address(reference: str) -> str:
    """A reference as the path and query of a resolver: its fragment behind `?fragment=`.

    What is escaped in it is escaped once more, for a query is read before a name is.
    """
    name, mark, fragment = reference.partition("#")
    return f"{name}?fragment={fragment.replace('%', '%25')}" if mark else name


def from_path(path: str) -> str:
    """The reference in the path of a resolver's address, where `%23` stands for `#`.

    Only the last one does, and only where no dot or slash follows: an encapsulated identifier may
    hold an escaped `#` of its own, and format and version follow it.
    """
    name, mark, fragment = path.rpartition("%23")
    if not mark or "." in fragment or "/" in fragment or "#" in path:
        return path
    return f"{name}#{fragment}"


def is_foreign(text: str) -> bool:
    """Whether this is an address of something else than a name in an archive."""
    reference, _ = from_address(text)
    return reference.partition(":")[0].lower() in _FOREIGN


def parse(text: str) -> pdi.PDI | pdi.FragmentPDI | pdi.CitationPDI | pdi.PDIPattern:
    """Parse a reference leniently. Raises ParseError, placed in `text` as the user typed it."""
    reference, start = from_address(text)
    try:
        return pdi.parse(_with_place(reference), strict=False)
    except ParseError as error:
        raise error.within(text, start) from error


def _with_place(reference: str) -> str:
    """A reference whose fragment is one of RFC 8118 that a PDI says otherwise, as the PDI has it.

    Raises ParseError for those that name no page and no area.
    """
    name, mark, fragment = reference.partition("#")
    if not mark or _OF_A_PDF.match(fragment) is None:
        return reference
    try:
        return f"{name}#{pdi.parse_rfc8118(fragment).specifier}"
    except ParseError as error:
        raise error.within(reference, len(name) + 1) from error


def document_of(text: str) -> tuple[pdi.PDI, pdi.FragmentPDI | None]:
    """The name in `text` and its fragment, if any. A citation stands for what it cites."""
    value = parse(text)
    while isinstance(value, pdi.CitationPDI):
        value = value.cited
    if isinstance(value, pdi.PDIPattern):
        raise ParseError(
            "expected one name, found a pattern",
            text,
            text.find("*"),
            "PDI §3.6.3",
            hint="permacite list shows what a pattern covers",
        )
    if isinstance(value, pdi.FragmentPDI):
        return value.pdi, value
    return value, None


@dataclass(frozen=True, slots=True)
class TextOf:
    """The text of a format. Positions count characters of its canonical form."""

    representation: Representation
    document: DocumentText

    @property
    def entity(self) -> fragments.Text:
        """The same text, for fragments of RFC 5147."""
        document = self.document
        return fragments.Text(
            document.source, document.charset, "http", index=document.index, whole=document.whole
        )


def text_representation(repository: Repository, name: pdi.PDI) -> Representation:
    """The plain text of a document: what quotes are looked for in.

    Of what a browser drew the words that it drew, where the name says so; else those that were
    served. Raises NotFoundError where the version has no text.
    """
    version = repository.lookup.version(name)
    drawn = drawn_text(version)
    if drawn is not None and name.format is not None:
        wanted = repository.lookup.representation(name)
        if is_drawn(wanted):
            return drawn
    texts = [item for item in version.representations if item.media_type == "text/plain"]
    if not texts:
        texts = [item for item in version.representations if item.media_type.startswith("text/")]
    if not texts:
        formats = ", ".join(item.format for item in version.representations)
        raise NotFoundError(
            f"this document has no text, only {formats}",
            str(name),
            hint="cite it by a fragment of its own format, such as #byte=0,100",
        )
    return texts[0]


def is_drawn(representation: Representation) -> bool:
    """Whether a format is of a page as a browser drew it: the page, its words, its picture."""
    return pdi.DRAWN_PAGE in {representation.format, representation.derived_from}


def are_words(representation: Representation) -> bool:
    """Whether this is the text of captions, by the rules that are known here."""
    rules, _, version = (representation.rendition or "").partition("/")
    if rules != "permacite-captions":
        return False
    from permacite import captions

    return version == str(captions.RENDITION_VERSION)


def drawn_text(version: Version) -> Representation | None:
    """The words of a page as a browser drew it; None where none did."""
    formats = version.representations
    return next((item for item in formats if item.format == pdi.DRAWN_TEXT), None)


def text_of(
    repository: Repository, representation: Representation, *, whole: bool = True
) -> TextOf:
    """The text of a format. Without `whole`, what is read of a large one is checked.

    Raises IntegrityError, NotFoundError, WithdrawnError.
    """
    return TextOf(representation, repository.contents.text(representation, whole=whole))
