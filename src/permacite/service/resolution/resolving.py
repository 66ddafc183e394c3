"""Resolve a reference to exactly its part, and verify that what is stored is what was committed.

Positions count characters of the canonical CRLF text, from 0, ends excluded (PDI §3.4.1).
"""

from __future__ import annotations

import dataclasses
from dataclasses import field
from typing import TYPE_CHECKING, Literal

from permacite import pdi
from permacite.errors import LimitError, NotFoundError
from permacite.extract import characters, extract_from
from permacite.lazy_dataclass import dataclass
from permacite.service import addresses, names
from permacite.service.names import resolver_of
from permacite.service.plain import UNPRINTED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from permacite.archive.model.answered import Representation
    from permacite.archive.passages import QuotationCheck
    from permacite.archive.repository import Repository
    from permacite.extract import Excerpt
    from permacite.service.addresses import Held
    from permacite.service.transcripts import Heard, Said

__all__ = ["Octets", "Resolved", "Resolver"]

_WORDS = "permacite-captions/"
"""Begins the name of the rules by which the words of captions are made."""
_MOST_BYTES = 256 * 1024 * 1024
_ENDS = b"\r\n"
_EXACT = frozenset({"byte", "char"})
"""Schemes of parts that are slices of the octets."""
_BEYOND = "the fragment reaches beyond the end of the document; what is committed never shrinks"


@dataclass(frozen=True, slots=True)
class Resolved:
    """The cited part of a document."""

    reference: str
    """As asked."""
    pdi: str
    """The full name of what answers (PDI §3.6.3): format and version included."""
    exact: str
    """That name, with the fragment that was asked for, if any."""
    media_type: str
    """Of `content`, as its `charset` is: a part has the octets that are stored."""
    charset: str | None
    text: str | None
    """The part as text; None where it is no text."""
    before: str
    """The words around it, where `context` asked for some."""
    after: str
    start: int | None
    """The positions of the part in the text; None where it is no part of one."""
    end: int | None
    digest: str
    """Of the whole representation; `checked` says what was compared with it just now."""
    title: str | None
    """Of the document, and the address that it came from."""
    uri: str | None
    assumed: bool
    """Whether the reference left the version or the format open."""
    checked: Literal["whole", "pieces"] = "whole"
    """"whole": the digest of all bytes was recomputed. "pieces": only that of each piece of a large
    text that was read, as it is recorded beside the digest."""
    damaged: bool = False
    """Whether a part of a recording has, or lacks, what could not be decoded."""
    derived: Literal["preview", "drawing"] | None = None
    """What `content` is, where it is not the part that is named but made of it. "drawing": a page
    of a PDF, or an area of it, as PDFium draws it; `text` are the words there."""
    warnings: tuple[str, ...] = ()
    """What the user should know about how the fragment was interpreted."""
    quotation: QuotationCheck | None = field(default=None, metadata=UNPRINTED)
    """Of a citation A@origin=B: whether A has there what B names."""
    heard: tuple[Heard, ...] = ()
    """Of words of a transcript: where in which recordings they are said."""
    said: tuple[Said, ...] = ()
    """Of a time of a recording: the words that are said then, as each transcript has them."""
    content: bytes = field(default=b"", repr=False, metadata=UNPRINTED)
    """The octets of the part; exactly what was committed where no fragment is asked for."""


@dataclass(frozen=True, slots=True)
class Octets:
    """What a name denotes, of which nothing has been read; each piece is checked when it is."""

    part: Resolved
    """All that is known of it without its octets: its `content` is empty."""
    _representation: Representation
    _fragment: pdi.FragmentPDI | None
    _repository: Repository

    @property
    def size(self) -> int | None:
        """How many there are; None for a part, which has to be cut out."""
        return None if self._fragment is not None else self.whole_bytes

    @property
    def whole_bytes(self) -> int:
        """How many all of the document has."""
        return self._representation.size_bytes

    @property
    def tag(self) -> str | None:
        """What these octets alone have, in characters of an entity tag; None where they may change.

        A part that is drawn or decoded is what libraries make of it.
        """
        digest = self._representation.digest.removeprefix("sha-256:")
        if self._fragment is None:
            return digest
        if self._fragment.scheme not in _EXACT:
            return None
        return ".".join([digest, self._fragment.scheme, *self._fragment.positions])

    @property
    def committed_at(self) -> datetime:
        """When they were."""
        return self._representation.committed_at

    def check(self) -> None:
        """Compare the digest of all octets of the document, and hold none. Raises as `read`."""
        with self._repository.contents.source(self._representation) as source:
            source.check()

    def read(self, start: int, end: int, step: int) -> Iterator[bytes]:
        """The octets from `start` up to `end`, `step` at a time. Raises as `resolve`."""
        pieces = self._repository.contents.pieces(self._representation)
        with pieces.reading() as fetch:
            for at in range(start, end, step):
                yield bytes(fetch(at, min(at + step, end)))


def _warnings_of(check: QuotationCheck) -> tuple[str, ...]:
    """What the user should know of a citation A@origin=B."""
    if check.is_false:
        return (f"the citation is false: {check.problem}",)
    if check.outcome == "unchecked":
        return (f"the citation could not be checked: {check.problem}",)
    return ()


class Resolver:
    """Resolve names to what they denote, and verify what was committed."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def resolve(
        self,
        reference: str,
        *,
        context: int = 0,
        whole: bool = True,
        preview: bool = False,
        when: datetime | None = None,
    ) -> Resolved:
        """The part that `reference` names, with `context` characters of text on either side.

        A web address names what was saved from there nearest to the time `when`, or last.

        Without `whole`, only the pieces of a large text that are read are checked, where they can
        be. `preview`: of a part of sound or video, a small file made of it for browsers. Raises
        NotFoundError, RestrictedError, IntegrityError where the bytes changed.
        """
        answer, representation, fragment = self._answering(reference, when)
        repository = self._repository
        if preview or (fragment is not None and fragment.scheme != "char"):
            part = _with_part(
                answer, repository, representation, fragment, whole=whole, preview=preview
            )
        elif fragment is None:
            part = _with_all(answer, repository, representation)
        else:
            part = _with_words(
                answer, repository, representation, fragment, context=context, whole=whole
            )
        return _with_sayings(part, repository, representation, fragment)

    def octets(self, reference: str) -> Octets:
        """Open what `reference` denotes, to read ranges. Raises NotFoundError, RestrictedError."""
        answer, representation, fragment = self._answering(reference)
        self._repository.contents.check_access(representation)
        part = _with_sayings(answer, self._repository, representation, fragment)
        return Octets(part, representation, fragment, self._repository)

    def _answering(
        self, reference: str, when: datetime | None = None
    ) -> tuple[Resolved, Representation, pdi.FragmentPDI | None]:
        """What answers to a reference, without its octets. Raises NotFoundError."""
        named = reference
        if when is not None or not reference.startswith(names.NAMES):
            named = addresses.reference_of(self._repository, reference, when)
        name, fragment = names.document_of(named)
        try:
            version, representation = self._repository.lookup.answering(name)
        except NotFoundError as error:
            present = self._now_called(named, error)
            answer, representation, fragment = self._answering(present)
            told = f"this is what {named} names, as was stated when it came from another archive"
            warnings = (*answer.warnings, told)
            answer = dataclasses.replace(answer, reference=reference, warnings=warnings)
            return answer, representation, fragment
        provenance = version.provenance
        answer = Resolved(
            reference=reference,
            pdi=str(representation.pdi),
            exact=str(representation.pdi) + (f"#{fragment.specifier}" if fragment else ""),
            media_type=representation.media_type,
            charset=representation.charset,
            text=None,
            before="",
            after="",
            start=None,
            end=None,
            digest=representation.digest,
            title=version.title,
            uri=provenance.final_uri or provenance.uri,
            assumed=name.version is None or name.format != representation.format,
        )
        check = self._repository.passages.check_name(names.parse(named)) if "@" in named else None
        if check is not None:
            answer = dataclasses.replace(answer, quotation=check, warnings=_warnings_of(check))
        return answer, representation, fragment

    def _now_called(self, reference: str, error: NotFoundError) -> str:
        """What a name that is not here is called here; raises `error` with who would know it."""
        from permacite.service.assertions import delegating, statements

        present = statements.now_called(self._repository, reference)
        if present is None:
            raise delegating.with_directions(self._repository, reference, error) from error
        return present

    def find(self, address: str, *, when: datetime | None = None) -> Held | None:
        """Which archived page a web address means, and which passage of it; None: none is here.

        The one saved nearest to the time `when`, or last. Raises NotFoundError for words in the
        address (`#:~:text=`) that do not stand there.
        """
        return addresses.find(self._repository, address, when)

    def is_held(self, address: str) -> bool:
        """Whether anything was archived from a web address."""
        repository = self._repository
        return addresses.is_address(address) and bool(
            addresses.versions(repository, addresses.timed(repository, address)[0])
        )

    def may_be_embedded(self, part: Resolved) -> bool:
        """Whether pages of others may show a part: a picture that was cut out here.

        Only where the resolver is public: no page should learn what a reader's own archive holds.
        """
        if part.exact == part.pdi or part.media_type != "image/png":
            return False
        from permacite.capture.address import unreachable

        return unreachable(resolver_of(self._repository)) is None

    def now_called(self, reference: str) -> str | None:
        """What a name of another archive is called here, its fragment kept; None: nothing here."""
        from permacite.service.assertions import statements

        return statements.now_called(self._repository, reference)

    def instances(self, reference: str) -> list[Resolved]:
        """Every format of the version that a name means, those that are restricted left out.

        Raises LimitError for too much, RestrictedError where none is left.
        """
        version = self._repository.lookup.version(names.document_of(reference)[0])
        if sum(item.size_bytes for item in version.representations) > _MOST_BYTES:
            raise LimitError("too much for one answer", limit="answer_bytes", maximum=_MOST_BYTES)
        restricted = self._repository.lookup.restrictions(version.representations)
        given_out = [item for item in version.representations if item.pdi not in restricted]
        # Where nothing is given out, the answer is the error that says why.
        wanted = given_out or version.representations
        return [self.resolve(str(item.pdi)) for item in wanted]

    def names_of(self, reference: str) -> list[str]:
        """The full names of what `reference` means; the first is the one that answers.

        A name without a format means all formats of its version.
        """
        name, fragment = names.document_of(reference)
        exact = self._repository.lookup.representation(name).pdi
        if name.format is None:
            formats = self._repository.lookup.version(name).representations
            return [str(exact), *(str(item.pdi) for item in formats if item.pdi != exact)]
        return [str(exact) + (f"#{fragment.specifier}" if fragment is not None else "")]


def _with_all(answer: Resolved, repository: Repository, representation: Representation) -> Resolved:
    """All of a document."""
    content, text = repository.contents.read(representation), None
    if representation.media_type.startswith("text/"):
        text = repository.contents.text(representation).text
    return dataclasses.replace(answer, content=content, text=text)


def _with_part(
    answer: Resolved,
    repository: Repository,
    representation: Representation,
    fragment: pdi.FragmentPDI | None,
    *,
    whole: bool,
    preview: bool,
) -> Resolved:
    """A part that is cut out by the fragments of its format. Raises NotFoundError."""
    if fragment is None:
        hint = "add a fragment, such as #sec=12,31"
        raise NotFoundError("there are previews of parts alone", answer.exact, hint=hint)
    by_pieces = fragment.scheme == "byte" and not whole
    excerpt = repository.contents.excerpt(
        representation, fragment.specifier, whole=not by_pieces, preview=preview
    )
    if excerpt.clipped:
        raise NotFoundError(_BEYOND, str(fragment))
    part = _with_excerpt(answer, representation, excerpt)
    if by_pieces:
        return dataclasses.replace(part, checked="pieces")
    place = pdi.PagePlace.of(fragment.scheme, fragment.positions)
    if place is None or preview:
        return part
    from permacite.service.labels import words_on

    words = words_on(repository, representation, place)
    return dataclasses.replace(part, text=words or None, derived="drawing")


def _with_words(
    answer: Resolved,
    repository: Repository,
    representation: Representation,
    fragment: pdi.FragmentPDI,
    *,
    context: int,
    whole: bool,
) -> Resolved:
    """Characters of a text, found by its index where there is one. Raises NotFoundError."""
    text = repository.contents.text(representation, whole=whole)
    start, end = (int(position) for position in fragment.positions)
    if pdi.default_scheme(representation.format) == "char":
        excerpt = characters(text, representation.media_type, start, end)
    else:  # of another format, whose rules say whether it has characters
        excerpt = extract_from(text, representation.media_type, fragment)
    if excerpt.clipped:
        raise _beyond(fragment, text.length)
    return dataclasses.replace(
        _with_excerpt(answer, representation, excerpt),
        start=start,
        end=end,
        before=text.words(max(0, start - context), start) if context else "",
        after=text.words(end, end + context) if context else "",
        checked="whole" if whole or text.index is None else "pieces",
    )


def _with_sayings(
    answer: Resolved,
    repository: Repository,
    representation: Representation,
    fragment: pdi.FragmentPDI | None,
) -> Resolved:
    """Words of a transcript with where they are said; a time of a recording with its words."""
    is_timed = representation.media_type.startswith(("audio/", "video/"))
    if not (is_timed and fragment) and not (representation.rendition or "").startswith(_WORDS):
        return answer
    from permacite.service.citations.parts import part_of
    from permacite.service.transcripts import Sayings

    if names.are_words(representation):
        span = None if answer.start is None or answer.end is None else (answer.start, answer.end)
        heard = Sayings(repository).heard(representation, span)
        return dataclasses.replace(answer, heard=tuple(heard))
    time = None if fragment is None else part_of(fragment).milliseconds
    if time is None:
        return answer
    said = Sayings(repository).said(representation, *time)
    return dataclasses.replace(answer, said=tuple(said))


def _with_excerpt(answer: Resolved, representation: Representation, excerpt: Excerpt) -> Resolved:
    return dataclasses.replace(
        answer,
        content=excerpt.data,
        media_type=excerpt.media_type,
        charset=_charset(excerpt, representation),
        text=excerpt.text,
        damaged=excerpt.damaged,
        derived="preview" if excerpt.derived else None,
    )


def _charset(excerpt: Excerpt, representation: Representation) -> str | None:
    """The charset of the octets of a part, which are those that are stored; None for no text."""
    if excerpt.text is None:
        return None
    # ASCII octets alone do not tell: those of a wide charset, or of EBCDIC, may be ASCII too.
    is_ascii = excerpt.text.isascii() and excerpt.data.translate(None, _ENDS) == (
        excerpt.text.encode().translate(None, _ENDS)
    )
    return "utf-8" if is_ascii else representation.charset or "utf-8"


def _beyond(fragment: pdi.FragmentPDI, length: int) -> NotFoundError:
    """The error of characters that are not all there."""
    meant = fragment.pdi.fragment("char", int(fragment.positions[0]), length)
    hint = f"the text has {length} characters"
    return NotFoundError(_BEYOND, str(fragment), candidates=(str(meant),), hint=hint)
