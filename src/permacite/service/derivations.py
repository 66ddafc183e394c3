"""Texts of documents that were committed before their rules were here, or by earlier rules.

A text is a format of its version (PDI §2.6: a format is added, with the same meaning). Where newer
rules give another text, it can be no format of that version, which has one: the same octets are
committed again as the next version, and its record says of which they are.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from permacite.archive.model.answered import Decoding
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.texts import with_indexes
from permacite.errors import ConflictError, PermaciteError, RestrictedError
from permacite.lazy_dataclass import dataclass
from permacite.markup import Document
from permacite.pdi import PDI
from permacite.renditions import reads, rendition_named
from permacite.service import names, sources
from permacite.service.documents import SAME_SOURCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive.model.answered import Representation, Version
    from permacite.archive.repository import Repository
    from permacite.renditions import Rendition

__all__ = ["Derivations", "Derived", "complete"]

Outcome: TypeAlias = Literal["added", "present", "renewed", "older", "none", "failed", "restricted"]


@dataclass(frozen=True, slots=True)
class Derived:
    """What became of one version."""

    pdi: str
    """The document's name, with the format that its text is made from, or would be."""
    outcome: Outcome
    """"added": it has a text now. "present": it had one. "renewed": newer rules gave another, in a
    new version. "older": they would. "none": no rules are here for it. "failed": no text can be
    made of it, and `problem` says why. "restricted": it is not given out.
    """
    text: str | None = None
    """The full name of its text."""
    rendition: str | None = None
    """The rules that made it."""
    problem: str = ""


class Derivations:
    """Documents get the text that they lack."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def derive(
        self, reference: str, *, renew: bool = False, rendition: str | None = None
    ) -> Derived:
        """Make the text of a version that has none, the highest where the name says none.

        With `renew`, and where newer rules give another text than is there, a new version is made
        of the same octets; so it is where other rules are asked for, by the name of a `rendition`
        such as docx-reviewed-text. Raises NotFoundError, ConflictError for rules that read none of
        its formats, BusyError.
        """
        name, _ = names.document_of(reference)
        version = self._repository.lookup.version(name)
        if rendition is not None:
            return _by_rules(self._repository, version, rendition_named(rendition))
        return complete(self._repository, version, renew=renew)

    def derive_all(self, *, renew: bool = False, after: str | None = None) -> Iterator[Derived]:
        """The same for all versions, in the order of their commit; those that are done stay so.

        `after`: the full name of a version, to go on behind it. What is wrong with one is told, and
        the rest go on. Raises NotFoundError where `after` is unknown.
        """
        for version in self._repository.lists.list(after=after):
            yield self._derived(version, renew=renew)

    def derive_range(self, start: int, end: int, *, renew: bool = False) -> Iterator[Derived]:
        """The same for the versions that the log names from the entry `start` up to `end`."""
        from permacite.archive.verification import logged_versions

        versions = logged_versions(self._repository.log, start, end)
        named = [each for each in versions if isinstance(each, PDI)]
        for version in self._repository.lookup.find_versions(named):
            if version is not None:
                yield self._derived(version, renew=renew)

    def _derived(self, version: Version, *, renew: bool) -> Derived:
        """What became of one of many versions, whatever is wrong with it."""
        try:
            return complete(self._repository, version, renew=renew and _is_last(self, version))
        except RestrictedError as error:
            return Derived(_told(version), "restricted", problem=error.problem)
        except PermaciteError as error:
            return Derived(_told(version), "failed", problem=error.problem)


def _is_last(archive: Derivations, version: Version) -> bool:
    """Whether a version is the highest: only that is made anew."""
    return archive._repository.lookup.version(version.pdi.document).number == version.number  # noqa: SLF001 - ours


def _told(version: Version) -> str:
    representations = version.representations
    return str(representations[0].pdi if representations else version.pdi.document)


def complete(repository: Repository, version: Version, *, renew: bool) -> Derived:
    """Give a version the text that it lacks. Raises BusyError, RestrictedError."""
    texts = [item for item in version.representations if item.media_type == "text/plain"]
    source = _source(version, texts)
    if source is None:
        text = str(texts[0].pdi) if texts else None
        return Derived(_told(version), "present" if texts else "none", text)
    made = _made_from(version, source)
    name = str(source.pdi)
    if made is not None and not (renew and _is_older(made, source)):
        outcome: Outcome = "older" if _is_older(made, source) else "present"
        return Derived(name, outcome, str(made.pdi), made.rendition)
    return _with_words(repository, version, source, made)


def _by_rules(repository: Repository, version: Version, rules: Rendition[Any]) -> Derived:
    """Give a version, or its octets in a new one, the text that some rules make."""
    own = [item for item in version.representations if item.derived_from is None]
    source = next((item for item in own if reads(rules, item.media_type)), None)
    if source is None:
        problem = f"{rules} reads none of its formats: {', '.join(item.format for item in own)}"
        raise ConflictError(problem, str(version.pdi))
    made = _made_from(version, source)
    if made is not None and made.rendition == str(rules):
        return Derived(str(source.pdi), "present", str(made.pdi), made.rendition)
    return _with_words(repository, version, source, made, rules=str(rules))


def _with_words(
    repository: Repository,
    version: Version,
    source: Representation,
    made: Representation | None,
    *,
    rules: str | None = None,
) -> Derived:
    name = str(source.pdi)
    words = _words(repository, source, rules)
    if words.trouble is not None:
        return Derived(name, "failed", rendition=words.rendition, problem=words.trouble.text)
    (derived,) = with_indexes([sources.derived(words, source.format)])
    if made is None:
        held = repository.committer.add_format(version.pdi, derived)
        outcome: Outcome = "added"
    elif repository.contents.read(made) == derived.content:
        return Derived(name, "present", str(made.pdi), made.rendition)
    else:
        held, outcome = _renewed(repository, version, derived), "renewed"
    return Derived(name, outcome, str(held.representation("utf-8").pdi), words.rendition)


def _source(version: Version, texts: list[Representation]) -> Representation | None:
    """The format that a text is made from; None where there are no rules, or another text."""
    made_from = {item.derived_from for item in texts}
    for item in version.representations:
        wanted = item.derived_from is None and (not texts or item.format in made_from)
        if wanted and sources.rules_for(item.media_type) is not None:
            return item
    return None


def _made_from(version: Version, source: Representation) -> Representation | None:
    return next(
        (item for item in version.representations if item.derived_from == source.format), None
    )


def _is_older(made: Representation, source: Representation) -> bool:
    """Whether a text was made by an earlier version of the rules for its source."""
    rules = sources.rules_for(source.media_type)
    name, _, version = (made.rendition or "").partition("/")
    return (
        rules is not None
        and (name == rules.name)
        and version.isdecimal()
        and int(version) < rules.version
    )


def _words(
    repository: Repository, source: Representation, rules: str | None
) -> sources.DocumentWords:
    """The words of a format that is committed; its charset is settled already."""
    decoding = None
    document = Document(repository.contents.read(source), source.media_type)
    if source.decoding is not None or document.is_xml:  # XML declares its own, on record or not
        document = Document.of(repository.contents.text(source), source.media_type)
        decoding = Decoding(source.decoding or document.text.charset.codec)
    words = sources.words_by_rendition(document, decoding, rules)
    assert words is not None  # noqa: S101 - a source has rules
    return words


def _renewed(repository: Repository, version: Version, text: NewRepresentation) -> Version:
    """Commit the octets of a version again, with a text by other rules."""
    kept = [
        NewRepresentation(
            repository.contents.read(item),
            item.media_type,
            decoding=None if item.decoding is None else Decoding(item.decoding),
            format=item.format,
        )
        for item in version.representations
        if item.derived_from is None
    ]
    details = {**version.provenance.details, SAME_SOURCE: str(_first(version).pdi)}
    return repository.committer.commit(
        [*with_indexes(kept), text],
        replaces=version.pdi,
        provenance=dataclasses.replace(version.provenance, details=details),
    )


def _first(version: Version) -> Representation:
    return next(item for item in version.representations if item.derived_from is None)
