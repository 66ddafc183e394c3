"""Check the words that a proof cites against the octets in it, and the words around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from permacite import pdi as grammar
from permacite.archive.log.bundles.members import SPEC
from permacite.archive.texts import charset_of, document_text, is_of_first_rules
from permacite.errors import ParseError, PermaciteError
from permacite.text import first

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from permacite.extract import Decode, Excerpt

__all__ = ["Cited", "checked_quote"]

_MEMBERS = frozenset({"reference", "quote", "before", "after"})


class Cited(NamedTuple):
    """The passage that a bundle cites, its words, and what is wrong with them or ""."""

    reference: str | None
    """None where it cannot be read."""
    quote: str | None
    fault: str


def checked_quote(
    said: Any,
    content: bytes,
    name: str,
    *,
    described: Mapping[str, object],
    logged: bool,
    decode: Decode | None = None,
) -> Cited:
    """Return what citation.json cites in the document `name`.

    `said` is what stands in it, or in its opening; `described`, what the log's entry says of the
    document; `logged`, whether citation.json is itself an entry of the log, which then vouches for
    all that it says; `decode` is as in `extract`.
    """
    try:
        reference, quote = str(said["reference"]), str(said["quote"])
        around = str(said.get("before") or ""), str(said.get("after") or "")
        kind = said.get("kind")
        unsigned = sorted({str(one) for one in said if one not in _MEMBERS and said[one]})
    except (LookupError, TypeError, AttributeError):
        return Cited(None, None, "citation.json is not readable")
    if logged and kind != "citation":
        return Cited(reference, quote, "citation.json is no entry about a citation")
    if unsigned and not logged:
        others = ", ".join(unsigned)
        return Cited(reference, quote, f"citation.json says what nothing vouches for: {others}")
    try:
        excerpt = _excerpt(content, reference, name, described=described, decode=decode)
        words = excerpt.text or ""
        fault = f"{reference} says {words!r}" if words != quote else ""
        fault = fault or (
            _fault_around(content, reference, around, described=described, logged=logged)
        )
    except PermaciteError as error:
        fault = error.problem
    return Cited(reference, quote, fault)


def _excerpt(
    content: bytes,
    reference: str,
    name: str,
    *,
    described: Mapping[str, object],
    decode: Decode | None,
) -> Excerpt:
    """Return what is cited. Raises ParseError and others where nothing is."""
    from permacite import extract  # noqa: PLC0415 - its decoders take a while to import

    fragment = _fragment(reference)
    if fragment.pdi.canonical() != name:
        raise ParseError(f"expected a part of {name}", reference, 0, SPEC)
    media_type, charset = _recorded(described)
    settled = charset_of(media_type, charset, content)
    excerpt = extract.extract(content, media_type, fragment, charset=settled, decode=decode)
    if excerpt.clipped:
        raise ParseError("it reaches beyond the end of the document", reference, 0, SPEC)
    return excerpt


def _fault_around(
    content: bytes,
    reference: str,
    around: tuple[str, str],
    *,
    described: Mapping[str, object],
    logged: bool,
) -> str:
    """Say that the words before or after are others; only places in a text have such words."""
    if around == ("", ""):
        return ""
    fragment = _fragment(reference)
    if fragment.scheme != "char":
        unplaced = "citation.json says what stands before or after what has no such place"
        return "" if logged else unplaced
    start, end = (int(position) for position in fragment.positions)
    fault = ""
    for text in _texts(content, *_recorded(described)):
        if text is None:
            return "" if logged else "citation.json says what stands around what cannot be read"
        lead = start - len(around[0])
        before = lead >= 0 and text.startswith(around[0], lead)
        if before and text.startswith(around[1], end):
            return ""
        fault = fault or f"other words stand {'after' if before else 'before'} {reference}"
    return fault


def _texts(content: bytes, media_type: str, recorded: str | None) -> Iterator[str | None]:
    """Yield the text of a document, and the one in which the first rules recorded words around."""
    yield document_text(content, media_type, recorded).text
    if is_of_first_rules(recorded):
        yield first.text_around(content, recorded)


def _recorded(described: Mapping[str, object]) -> tuple[str, str | None]:
    """Return the media type and the charset of a document."""
    charset = described.get("charset")
    return str(described.get("media_type")), None if charset is None else str(charset)


def _fragment(reference: str) -> grammar.FragmentPDI:
    """Return the passage that `reference` names. Raises ParseError."""
    found = grammar.parse(reference)
    if not isinstance(found, grammar.FragmentPDI):
        raise ParseError("expected a part of a document", reference, 0, SPEC)
    return found
