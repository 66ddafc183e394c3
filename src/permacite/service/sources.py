"""Type, charset, title and text of bytes that come in, decided by one set of rules.

A page (HTML or XHTML) gets its text by the written rendition, captions (WebVTT, SRT) that of their
words, and any other document that of the rendition for its type, if one is installed. Plain text is
its own text. Text in a multi-byte charset is named by the charset, other
text `text` (PDI §3.4.1).
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from permacite import captions, file_types, pdi
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.texts import DERIVED, settle
from permacite.errors import BusyError, NotFoundError, ParseError, PermaciteError
from permacite.markup import RENDITION_VERSION, Document
from permacite.media_types import PAGES, content_type
from permacite.renditions import Notice, Original, reads, rendition_for, rendition_named
from permacite.renditions import media_type_of as media_type_by_rendition
from permacite.renditions.stored import sidecars
from permacite.service import decoders

if TYPE_CHECKING:
    from collections.abc import Mapping

    from permacite.archive.model.answered import Decoding
    from permacite.renditions import Rendition

__all__ = [
    "MAIL",
    "MESSAGES",
    "DocumentWords",
    "Incoming",
    "derived",
    "media_type_of",
    "own",
    "read_source",
    "representations",
    "rules_for",
    "source_of",
    "words_by_rendition",
]

MAIL = "message/rfc822"
MESSAGES = frozenset({"multipart/related", MAIL})
"""Media types of files that hold an aggregate."""


@dataclass(frozen=True, slots=True)
class DocumentWords:
    """The text that rules made of a document."""

    text: str
    rendition: str
    """Name and version of the rules."""
    title: str | None = None
    sidecars: Mapping[str, bytes] = field(default_factory=dict, hash=False)
    """Its labels, its map and the record of how it was made."""
    trouble: Notice | None = None
    """Why there is no text to cite."""


@dataclass(frozen=True)
class Incoming:
    """Bytes that came in: their type, charset, text and title, each decided once.

    One value is made for each file, answer or request, and passed on. What takes long is decided
    when it is first needed.
    """

    document: Document
    name: str = ""
    """Of the file."""
    rules: str | None = None
    """The rendition that makes its text, if it is installed and reads the type."""

    @classmethod
    def of_file(
        cls,
        name: str,
        content: bytes,
        *,
        media_type: str | None = None,
        charset: str | None = None,
        rules: str | None = None,
    ) -> Self:
        """The bytes of a file, whose type follows from them and its name where none is given."""
        media_type, declared = content_type(media_type or media_type_of(name, content))
        return cls(Document(content, media_type, charset or declared), name, rules)

    @classmethod
    def of_field(
        cls, content: bytes, field: str, *, charset: str | None = None, rules: str | None = None
    ) -> Self:
        """Bytes with the value of a Content-Type field."""
        media_type, declared = content_type(field)
        return cls(Document(content, media_type, charset or declared), "", rules)

    @property
    def content(self) -> bytes:
        """The bytes."""
        return self.document.content

    @property
    def media_type(self) -> str:
        """Type and subtype alone, in lower case."""
        return self.document.media_type

    @cached_property
    def decoding(self) -> Decoding | None:
        """The charset as it is committed; None for what is not text.

        Raises ParseError for text whose charset is neither declared nor found.
        """
        return settle(self.document)

    @cached_property
    def words(self) -> DocumentWords | None:
        """The text that rules make of what is not a page; None without rules. Raises BusyError."""
        if self.document.is_page:
            return None
        if self.media_type in captions.MEDIA_TYPES:
            return _words_of_captions(self.document, self.decoding)
        return words_by_rendition(self.document, self.decoding, self.rules)

    @property
    def title(self) -> str | None:
        """The title that the document states."""
        if self.document.is_page:
            return self.document.reading.title
        return None if self.words is None else self.words.title

    @property
    def text(self) -> str | None:
        """The rendition of a page, the words of any other document; None without text."""
        if self.document.is_page:
            return self.document.reading.rendition.text
        return None if self.words is None or self.words.trouble else self.words.text

    @property
    def trouble(self) -> Notice | None:
        """Why a document that should have text has none."""
        return None if self.words is None else self.words.trouble

    @property
    def charset(self) -> str | None:
        """The charset by the name that came with it, else the one that was found."""
        if self.decoding is None:
            return None
        codec = "us-ascii" if self.decoding.by == "ascii" else self.decoding.codec
        return self.decoding.label or codec


def media_type_of(name: str, content: bytes) -> str:
    """The media type of a file: by what it begins with, else by its name, else if it is text."""
    named = media_type_by_rendition(name, _preferred(), content)
    return file_types.media_type_of_file(named, content)


def read_source(
    content: bytes, field: str, *, charset: str | None = None, rules: str | None = None
) -> Incoming:
    """Bytes with their Content-Type field, decoded. Raises ParseError as `decoding` does."""
    return _decoded(Incoming.of_field(content, field, charset=charset, rules=rules))


def source_of(document: Document, *, rules: str | None = None) -> Incoming:
    """A document as it came in, decoded. Raises ParseError as `decoding` does."""
    return _decoded(Incoming(document, rules=rules))


def _decoded(incoming: Incoming) -> Incoming:
    _ = incoming.decoding
    return incoming


def _words_of_captions(document: Document, decoding: Decoding | None) -> DocumentWords:
    """The words of captions; none where they are none, whatever they are called."""
    kind, rules = document.media_type, f"permacite-captions/{captions.RENDITION_VERSION}"
    if decoding is not None:
        with contextlib.suppress(ParseError):
            cues = captions.read_captions(document.source, kind)
            return DocumentWords(captions.words_of(cues, kind).text, rules)
    problem = "nothing in it can be read as captions; it has no words to cite"
    return DocumentWords("", rules, trouble=Notice("not-captions", problem))


def rules_for(media_type: str) -> Rendition[Any] | None:
    """The rendition of a media type; pages and captions have rules of their own."""
    if media_type in PAGES or media_type in captions.MEDIA_TYPES:
        return None
    return rendition_for(media_type, _preferred())


def _preferred() -> list[str]:
    """The renditions that the user prefers to ours, by name: `PERMACITE_RENDITIONS`."""
    return os.environ.get("PERMACITE_RENDITIONS", "").replace(",", " ").split()


def words_by_rendition(
    document: Document, decoding: Decoding | None, rules: str | None = None
) -> DocumentWords | None:
    """The words of any other document, made by a worker; None where no rules are for its type.

    A text is decoded here, as every text is, and the worker gets it as UTF-8. Raises BusyError.
    """
    rendition = rules_for(document.media_type)
    if rules and rendition is not None:
        with contextlib.suppress(NotFoundError):
            other = rendition_named(rules)
            rendition = other if reads(other, document.media_type) else rendition
    if rendition is None:
        return None
    content, codec = document.content, None
    if decoding is not None:
        content, codec = document.source.encode(), "utf-8"
    try:
        original = Original(content, document.media_type, codec)
        rendered = decoders.workers(rendition.worker).render(original, rendition)
    except BusyError:
        raise
    except PermaciteError as error:
        problem = f"no text could be made of it: {error.problem}"
        return DocumentWords("", str(rendition), trouble=Notice(error.code, problem))
    sides = sidecars(rendered, str(rendition))
    trouble = None
    if not rendered.text:
        trouble = next(iter(rendered.notices), Notice("no-words", "there are no words in it"))
    return DocumentWords(rendered.text, str(rendition), rendered.title, sides, trouble)


def own(source: Incoming) -> NewRepresentation:
    """A document as the format of itself."""
    document = source.document
    return NewRepresentation(document.content, document.media_type, decoding=source.decoding)


def representations(source: Incoming) -> list[NewRepresentation]:
    """The formats in which a document is committed: itself, and its text, if it has one."""
    document = source.document
    words = source.words
    if document.is_page:
        text = document.reading.rendition.text
        words = DocumentWords(text, f"permacite-plain/{RENDITION_VERSION}")
    elif words is None or words.trouble is not None:
        return [own(source)]
    return [own(source), derived(words, pdi.token_for(document.media_type))]


def derived(words: DocumentWords, made_from: str) -> NewRepresentation:
    """The text of a document as a format of it; `made_from` is the token of the other."""
    return NewRepresentation(
        words.text.encode(),
        "text/plain",
        decoding=DERIVED,
        format="utf-8",
        derived_from=made_from,
        rendition=words.rendition,
        sidecars=words.sidecars,
    )
