"""A web address as a reference: which archived version it means, and which passage of that.

| behind `#` | the passage |
|---|---|
| `:~:text=first,last` (URL Fragment Text Directives) | the words, from the first to the last |
| `char=`, `line=` (RFC 5147) | of a plain text, these characters or lines |
| `page=`, `viewrect=` (RFC 8118) | of a PDF, this page or area |
| `lines=` of a SWHID (ISO/IEC 18670) | of the archived file of these octets, these lines |
| anything else | the element of the page with this name or id, if there is one |

Two addresses are the same page when their normal forms are (RFC 3986 §6.2.3), whatever stands
behind `#`. Of several versions the one that was saved nearest to a time is meant; the newest one,
where no time is given.

A time may stand in the address itself: `https://example.org/a@2026-11-22`, which is what it means
where nothing was saved from the whole of it, or `.../web/20261122/https://example.org/a`, as web
archives have it. A time that is given beside it comes first.

Readings: a directive is looked for as browsers do, by its words in any case, whole words first; but
the text is the archive's, and so are its word ends. What stands in no text is an error, since a
passage was asked for; an element that is not there is none, since pages give `#` a meaning of their
own.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from permacite import uri as references
from permacite.errors import NotFoundError, ParseError, PermaciteError
from permacite.lazy_dataclass import dataclass
from permacite.media_types import PAGES, PDF
from permacite.scan import compile_pattern
from permacite.service import names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permacite.archive.model.answered import Representation, Version
    from permacite.archive.repository import Repository

__all__ = [
    "Held",
    "captured_at",
    "characters_in",
    "find",
    "given_out",
    "is_address",
    "known",
    "moment",
    "nearest",
    "normal",
    "passage_in",
    "reference_of",
    "software",
    "spellings",
    "timed",
    "versions",
]

_SCHEMES = ("http", "https", "ftp")
_SWHID = compile_pattern(r"(?i)swh:1:cnt:([0-9a-f]{40})((?:;[a-z]+=[^;]*+)*+)")
_LINES = compile_pattern(r";lines=([0-9]{1,9})(?:-([0-9]{1,9}))?(?=;|$)")
_LF = compile_pattern(rb"\n")
_DIRECTIVE = ":~:"
_TEXT = "text="
_MOMENT = "%Y%m%d%H%M%S"
"""A time in the addresses of other archives, such as 20261121093000."""


_STAMPED = compile_pattern(
    r"(?i)(?:https?://[^/?#\s]++)?/web/(?P<time>[0-9]{4,14})(?:[a-z]{2}_)?/(?P<address>https?:/.*+)"
)
_TIMED = compile_pattern(
    r"(?P<address>[^#]*[^#@])@(?P<time>[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2}(?:T[0-9:]{5,8}Z?)?)?)?|[0-9]{14})"
    r"(?P<fragment>(?:\#.*+)?)"
)
_EARLIEST = "00000101000000"
"""What a shorter time is filled up with: the beginning of its year, month, day."""


@dataclass(frozen=True, slots=True)
class Held:
    """What an address means here."""

    address: str
    """As asked."""
    pdi: str
    """The full name of the archived page."""
    reference: str
    """The same, with the passage that the address names."""
    uri: str
    """The address that was saved: another spelling of the one asked for, or the same."""
    title: str | None
    captured_at: datetime


def is_address(text: str) -> bool:
    """Whether a reference is an address of the web, with a time or not; no name at a resolver."""
    reference, _ = names.from_address(text)
    return bool(_STAMPED.fullmatch(reference)) or reference.partition(":")[0].lower() in _SCHEMES


def normal(address: str) -> str:
    """The normal form of an address, without what follows `#`. Raises ParseError for no address."""
    from permacite.capture.address import absolute

    return str(references.normalize(absolute(address.strip()), "scheme", "rfc3986"))


def spellings(address: str) -> tuple[str, ...]:
    """The spellings of an address under which its versions may be on record, as typed first."""
    typed = address.strip()
    found = [typed, typed.partition("#")[0]]
    with suppress(ParseError):
        usual = normal(typed)
        found.append(usual)
        if usual.endswith("/") and references.parse(usual, profile="rfc3986").path == "/":
            found.append(usual[:-1])
    return tuple(dict.fromkeys(found))


def known(repository: Repository, address: str) -> list[Version]:
    """The versions saved from an address, given out or not, the one that was saved last first."""
    by_name = {
        version.pdi: version
        for spelling in spellings(address)
        for version in repository.origins.find_by_uri(spelling)
    }
    return sorted(by_name.values(), key=captured_at, reverse=True)


def versions(repository: Repository, address: str) -> list[Version]:
    """Those of them of which anything is given out."""
    return [version for version, _ in given_out(repository, address)]


def given_out(repository: Repository, address: str) -> list[tuple[Version, Representation]]:
    """The same, each with the format that stands for it."""
    by_name = {
        version.pdi: (version, main)
        for spelling in spellings(address)
        for version, main in repository.origins.given_out_from(spelling)
    }
    return sorted(by_name.values(), key=lambda pair: captured_at(pair[0]), reverse=True)


def captured_at(version: Version) -> datetime:
    """When a version was saved: fetched, or else committed."""
    return version.provenance.retrieved_at or version.committed_at


def nearest(found: Sequence[Version], when: datetime | None) -> Version:
    """The version saved nearest to a time, of two the earlier; without a time the newest."""
    if when is None:
        return found[0]
    return min(found, key=lambda version: (abs(captured_at(version) - when), captured_at(version)))


def moment(text: str) -> datetime:
    """A time as people and other archives write it; in UTC where it names no zone.

    Raises ParseError.
    """
    typed = text.strip()
    with suppress(ValueError):
        is_stamp = len(typed) > len("20261121") and typed.isascii() and typed.isdigit()
        read = datetime.strptime(typed, _MOMENT) if is_stamp else datetime.fromisoformat(typed)  # noqa: DTZ007 - below
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
    raise ParseError("expected a time, such as 2026-11-21 or 2026-11-21T09:30", text, 0, "ISO 8601")


def timed(
    repository: Repository, typed: str, when: datetime | None = None
) -> tuple[str, datetime | None]:
    """An address and the time that is meant, be it in the address or beside it."""
    stamped = _STAMPED.fullmatch(typed.strip())
    if stamped:
        return stamped["address"], when or _filled(stamped["time"])
    read = _TIMED.fullmatch(typed.strip())
    if read is None or versions(repository, typed):
        return typed, when
    return read["address"] + read["fragment"], when or _filled(read["time"])


def _filled(time: str) -> datetime | None:
    """A time of which only the beginning may be given; None for one that is none."""
    digits = "".join(sign for sign in time if sign.isdigit())
    with suppress(ParseError):
        return moment(digits + _EARLIEST[len(digits) :])
    return None


def find(repository: Repository, address: str, when: datetime | None = None) -> Held | None:
    """What an address means; None where nothing was archived from there.

    Raises NotFoundError where the passage is not on the archived page.
    """
    address, when = timed(repository, address, when)
    found = versions(repository, address)
    if not found:
        return None
    version = nearest(found, when)
    name = str(repository.lookup.main(version).pdi)
    passage = passage_in(repository, version, address.strip().partition("#")[2])
    provenance = version.provenance
    return Held(
        address=address,
        pdi=name,
        reference=passage or name,
        uri=provenance.uri or provenance.final_uri or address,
        title=version.title,
        captured_at=captured_at(version),
    )


def reference_of(repository: Repository, typed: str, when: datetime | None = None) -> str:
    """The name that a reference means: itself, unless it is an address of the web.

    Raises NotFoundError where nothing was archived from there, or not this passage; ParseError for
    a name with a time, since a name means one document at any time.
    """
    if not is_address(typed):
        if when is None and typed.strip()[:4].lower() == "swh:":
            return software(repository, typed.strip())
        if when is not None:
            raise ParseError("expected a web address: a name needs no time", typed, 0)
        return typed
    held = find(repository, typed, when)
    if held is None:
        hint = f"permacite save {typed.strip().partition('#')[0]} archives it"
        raise NotFoundError("nothing was archived from there", typed, hint=hint)
    return held.reference


def software(repository: Repository, typed: str) -> str:
    """The name of the archived file, or lines of it, that a SWHID means: the newest one.

    Lines end with a line feed, and the whole of them is meant. Raises ParseError for what is no
    SWHID of contents, NotFoundError where nothing archived has these octets, or fewer lines.
    """
    read = _SWHID.fullmatch(typed)
    if read is None:
        problem = "expected a SWHID of contents, such as swh:1:cnt: and 40 digits, ;lines=9-15"
        raise ParseError(problem, typed, 0, "ISO/IEC 18670")
    found = repository.origins.find_by_git_blob(read[1].lower())
    if not found:
        hint = "permacite import FILE archives a file; Software Heritage may have these octets"
        raise NotFoundError("nothing archived has these octets", typed, hint=hint)
    text = found[0]
    lines = [line for line in _LINES.findall(read[2]) if line[0]]
    if not lines:
        return str(text.pdi)
    first, last = int(lines[0][0]), int(lines[0][1] or lines[0][0])
    starts = [0, *(end.end() for end in _LF.finditer(repository.contents.read(text)))]
    size = text.size_bytes
    if starts[-1] < size:
        starts.append(size)
    if not 1 <= first <= last < len(starts):
        problem = f"the file has {len(starts) - 1} lines"
        raise NotFoundError(problem, typed, candidates=(str(text.pdi),))
    source = names.text_of(repository, text)
    offsets = [source.document.offset(starts[line]) for line in (first - 1, last)]
    places = source.entity.places("code_point", offsets)
    return str(text.pdi.fragment("char", *(place.pdi("http") for place in places)))


def passage_in(repository: Repository, version: Version, fragment: str) -> str | None:
    """The name of what the fragment of an address means in a version; None: the whole of it.

    Raises NotFoundError for words that are not there.
    """
    element, _, directives = fragment.partition(_DIRECTIVE)
    wanted = [item.removeprefix(_TEXT) for item in directives.split("&") if item.startswith(_TEXT)]
    if wanted:
        return _words(repository, version, wanted)
    main = repository.lookup.main(version)
    if element.startswith(("char=", "line=")):
        is_plain = main.media_type == "text/plain"
        return characters_in(repository, main, element) if is_plain else None
    paged = [item for item in version.representations if item.media_type == PDF]
    if paged:
        return _place(paged[0], element)
    if not element or main.media_type not in PAGES:
        return None
    with suppress(PermaciteError, ValueError):
        name = references.unquote(element)
        part = main.pdi.fragment("name", name, name)
        repository.contents.excerpt(main, part.specifier)
        return str(part)
    return None


def _place(paged: Representation, fragment: str) -> str | None:
    """A page of a PDF or an area of it; None where its fragment names none, such as `zoom=`."""
    from permacite.pdi import parse_rfc8118

    with suppress(ParseError):
        place = parse_rfc8118(fragment)
        return str(paged.pdi.fragment(place.scheme, *place.positions))
    return None


def characters_in(repository: Repository, text: Representation, fragment: str) -> str:
    """The name of characters or lines of a plain text (RFC 5147). Raises NotFoundError."""
    from permacite.fragments import convert, rfc5147

    entity = names.text_of(repository, text, whole=False).entity
    location = entity.locate(rfc5147.parse(fragment))
    if location.status == "ignored" or not location.spans:
        raise NotFoundError(location.problem or "the fragment names nothing", fragment)
    start, end = convert.rfc5147_to_pdi(entity, *location.spans[0].char)[:2]
    return str(text.pdi.fragment("char", start, end))


class _Directive(NamedTuple):
    """`text=prefix-,start,end,-suffix`, of which all but `start` may be missing."""

    start: str
    end: str
    prefix: str
    suffix: str


def _words(repository: Repository, version: Version, wanted: Sequence[str]) -> str:
    """The first words that a text directive of several names. Raises NotFoundError."""
    source = names.text_of(repository, names.text_representation(repository, version.pdi))
    text = source.document.text
    for item in wanted:
        span = next(_spans(text, _directive(item)), None)
        if span is not None:
            return str(source.representation.pdi.fragment("char", *span))
    raise NotFoundError(
        "the words in this address do not stand on the page as it was archived",
        wanted[0],
        candidates=(str(repository.lookup.main(version).pdi),),
    )


def _directive(item: str) -> _Directive:
    terms = item.split(",")
    prefix = terms.pop(0)[:-1] if terms[0].endswith("-") and len(terms) > 1 else ""
    suffix = terms.pop()[1:] if terms[-1].startswith("-") and len(terms) > 1 else ""
    start, end = (*terms, "")[:2]
    return _Directive(
        *(" ".join(_unescaped(term).split()) for term in (start, end, prefix, suffix))
    )


def _unescaped(term: str) -> str:
    try:
        return references.unquote(term)
    except ParseError:
        return term


def _spans(text: str, wanted: _Directive) -> Iterator[tuple[int, int]]:
    """Where the words of a directive stand, the likeliest place first."""
    for start, first_end in _occurrences(text, wanted.start):
        before = " ".join(text[max(0, start - 2 * len(wanted.prefix) - 80) : start].split())
        if not _same_end(before, wanted.prefix):
            continue
        ends = [first_end]
        if wanted.end:
            ends = [first_end + end for _, end in _occurrences(text[first_end:], wanted.end)]
        for end in ends:
            after = " ".join(text[end : end + 2 * len(wanted.suffix) + 80].split())
            if _same_end(after[::-1], wanted.suffix[::-1]):
                yield start, end
                break


def _same_end(text: str, end: str) -> bool:
    return _lower(text).endswith(_lower(end))


def _occurrences(text: str, words: str) -> list[tuple[int, int]]:
    """Where words stand in any case, in order; where they are whole words, if they are anywhere."""
    from permacite.fragments import quote

    spans = sorted(quote.occurrences(_lower(text), _lower(words)))
    whole = [span for span in spans if not (_joined(text, span[0]) or _joined(text, span[1]))]
    return whole or spans


def _joined(text: str, place: int) -> bool:
    """Whether a word goes on over a place."""
    return 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()


def _lower(text: str) -> str:
    """Text in lower case, character for character: a few letters would become two."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := sign.lower()) == 1 else sign for sign in text)
