"""Tags, collections and notes: private, changed at will, and stated to all only when asked for.

They stand beside the log, not in it (decision 0067). An archive as the public sees it has none.
"""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from permacite.archive.annotations import KINDS, Jotting, Subject
from permacite.archive.names import as_urn
from permacite.errors import NotFoundError, ParseError, PermaciteError
from permacite.service import addresses, names
from permacite.service.assertions.statements import Assertions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from permacite.archive.model.answered import JSON, Assertion
    from permacite.archive.repository import Repository

__all__ = ["FORM", "Annotations", "JotKind", "Jotting"]

JotKind: TypeAlias = Literal["tag", "collection", "note"]
FORM = "permacite jottings 1"
"""Stands in an export, so that another file is not taken for one."""
_MEMBERS = ("reference", "kind", "text", "written_at")
_LONGEST = {"tag": 200, "collection": 200, "note": 20_000}
_STATED = {"tag": "subject", "collection": "isPartOf", "note": "description"}
"""The predicate that a jotting is published under."""


class Annotations:
    """Tags, collections and notes on documents."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._statements = Assertions(repository)

    def annotate(self, reference: str, kind: JotKind, text: str) -> Jotting:
        """Tag a document, put it into a collection, or write a note on it or a part of it.

        `reference` may be the web address that it was saved from. The same again changes nothing.
        Raises ParseError for an empty text or one that is too long, NotFoundError.
        """
        subject, wanted = self._subject(reference, kind), _checked(kind, text)
        self._repository.annotations.add(subject, kind, wanted)
        return next(iter(self._same(subject, kind, wanted)))

    def remove(self, reference: str, kind: JotKind, text: str | None = None) -> int:
        """Take a jotting away, or all of its kind where `text` is None; return how many.

        Raises NotFoundError where there was none.
        """
        subject = self._subject(reference, kind)
        wanted = None if text is None else _checked(kind, text)
        gone = self._repository.annotations.remove(subject, kind, wanted)
        if not gone:
            raise NotFoundError(f"there is no such {kind}", text or reference)
        return gone

    def list(
        self, reference: str | None = None, *, kind: JotKind | None = None, text: str | None = None
    ) -> Sequence[Jotting]:
        """The jottings of a document, or of all; only of a kind, only with this text; oldest first.

        Raises ParseError, NotFoundError.
        """
        name = None if reference is None else self._subject(reference, "note").name
        return self._repository.annotations.find(name, kind, text)

    def publish(
        self, reference: str, kind: JotKind, text: str, *, who: str | None = None
    ) -> Assertion:
        """State a jotting to all, under `who`: it is in the log from now on, and stays there.

        A tag is stated as `subject`, a collection as `isPartOf`, a note as `description`. Raises
        NotFoundError where there is no such jotting.
        """
        subject, wanted = self._subject(reference, kind), _checked(kind, text)
        if not self._same(subject, kind, wanted):
            raise NotFoundError(f"there is no such {kind}", text)
        return self._statements.state(str(subject), _STATED[kind], wanted, who=who)

    def export(self) -> Mapping[str, JSON]:
        """All jottings, as JSON has them: `form`, and a list `jottings`."""
        return {
            "form": FORM,
            "jottings": [
                dict(
                    zip(
                        _MEMBERS,
                        (each.reference, each.kind, each.text, str(each.written_at)),
                        strict=True,
                    )
                )
                for each in self._repository.annotations.find()
            ],
        }

    def load(self, exported: object) -> tuple[int, tuple[str, ...]]:
        """Take jottings in that `export_jottings` gave; those that are there stay as they are.

        Returned are how many were read, and the names that are not here. Raises ParseError for
        anything else, before any is taken in.
        """
        read = [_read(item) for item in _listed(exported)]
        unknown: dict[str, None] = {}
        for reference, kind, text, at in read:
            try:
                self._repository.annotations.add(self._subject(reference, kind), kind, text, at=at)
            except NotFoundError:
                unknown[reference] = None
        return len(read), tuple(unknown)

    def _same(self, subject: Subject, kind: JotKind, text: str) -> Sequence[Jotting]:
        """The jotting of this kind and text, if there is one."""
        known = self._repository.annotations.find(subject.name, kind, text)
        return [each for each in known if each.reference == str(subject)]

    def _subject(self, reference: str, kind: JotKind) -> Subject:
        """What is jotted about: the whole document, or of a note the part that it is on."""
        found = addresses.reference_of(self._repository, reference)
        name, fragment = names.document_of(found)
        if kind != "note" or (fragment is None and name.version is None):
            return Subject(name.document)
        whole = as_urn(fragment or name)
        return Subject(name, whole.removeprefix(as_urn(name.document)))

    @cached_property
    def statements(self) -> Assertions:
        """Statements about documents, in the log."""
        from permacite.service.assertions.statements import Assertions

        return Assertions(self._repository)


def _checked(kind: JotKind, text: str) -> str:
    """The text as it is kept: tags and names of collections on one line. Raises ParseError."""
    kept = text.strip() if kind == "note" else " ".join(text.split())
    if kind not in KINDS:
        raise ParseError(f"expected one of {', '.join(KINDS)}", str(kind), 0)
    if not kept or len(kept) > _LONGEST[kind]:
        problem = f"expected a {kind} of 1 to {_LONGEST[kind]} characters"
        raise ParseError(problem, text[:40], 0)
    try:
        kept.encode()
    except UnicodeEncodeError as error:
        raise ParseError("expected Unicode text", text[:40], error.start) from None
    return kept


def _listed(exported: object) -> list[Any]:
    """The jottings of an export. Raises ParseError."""
    if isinstance(exported, dict) and exported.get("form") == FORM:
        found = exported.get("jottings")
        if isinstance(found, list):
            return found
    raise ParseError(f'expected {{"form": "{FORM}", "jottings": [...]}}', "", 0)


def _read(item: Any) -> tuple[str, JotKind, str, datetime]:
    """One jotting of an export. Raises ParseError."""
    try:
        reference, kind, text, at = (item[name] for name in _MEMBERS)
        names.document_of(reference)
        return reference, kind, _checked(kind, text), datetime.fromisoformat(at).astimezone()
    except (PermaciteError, LookupError, TypeError, ValueError, AttributeError) as error:
        expected = f"expected a jotting with {', '.join(_MEMBERS)}: {error}"
        raise ParseError(expected, str(item)[:80], 0) from error
