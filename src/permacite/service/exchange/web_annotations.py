"""Web Annotations: citations and notes exported, and those of other programs imported.

| specification | what of it |
|---|---|
| Web Annotation Data Model §3.1, §3.2.4 | an annotation for each citation and note, with its text |
| §3.3.5 motivation and purpose | highlighting, commenting, tagging, classifying; describing |
| §5.2 Annotation Page | what `annotations` gives; pages, collections and lists are read |
| Hypothesis | `rows` of a search, `text` and `tags` of an annotation |

Readings: imported notes are private: they become notes and tags of the owner, and the passages that
they select are cited. An annotation without a selector is on the whole document. A body with the
purpose `describing` is the remark of a citation.
"""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from permacite.errors import NotFoundError, ParseError
from permacite.service import addresses, names
from permacite.service.assertions.jottings import Annotations
from permacite.service.assertions.statements import now_called
from permacite.service.citations import recorded
from permacite.service.citations.selecting import selectors
from permacite.service.citations.selecting.selections import Selections
from permacite.service.ingest.collections import attempted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive.annotations import Jotting
    from permacite.archive.repository import Repository
    from permacite.errors import PermaciteError
    from permacite.service.citations.recorded import Cited
    from permacite.service.plain import Json

__all__ = ["WebAnnotations"]

Kind: TypeAlias = Literal["tag", "collection", "note", "remark"]

_CONTEXT = "http://www.w3.org/ns/anno.jsonld"
_MOST = 100_000_000
_MOTIVATIONS = {"tag": "tagging", "collection": "classifying", "note": "commenting"}
_KINDS: dict[str, Kind] = {"tagging": "tag", "classifying": "collection", "describing": "remark"}
"""The kind of a text by its purpose; any other is a note."""


class WebAnnotations:
    """Citations and notes as annotations, exported and imported."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._selections = Selections(repository)
        self._annotations = Annotations(repository)

    def page(self) -> dict[str, Json]:
        """All that was cited and noted, as one Annotation Page in JSON-LD."""
        repository = self._repository
        cited = recorded.all_cited(repository, repository.passages.citations())
        items = [*map(_of_citation, cited), *map(_of_jotting, self._annotations.list())]
        return {"@context": _CONTEXT, "type": "AnnotationPage", "items": items}

    def add(self, text: str) -> Iterator[tuple[str, str | PermaciteError]]:
        """Cite what annotations select, keep what they say, and yield the outcome of each.

        Each is (its name or its document, the name of the passage or the error). Raises ParseError
        for a text without annotations.
        """
        for item in _items(text):
            name = item.get("id", item.get("@id"))
            yield name if isinstance(name, str) else "an annotation", attempted(self._add, item)

    def _add(self, item: dict[str, Any]) -> str:
        led = {**item, "target": _led(self._repository, item["target"])}
        (target, *_) = selectors.targets(led)
        if not target.source:
            raise NotFoundError("the annotation does not say of what it is", "")
        texts = list(_texts(item))
        name = target.source
        if isinstance(led["target"], str) and not addresses.is_address(led["target"]):
            name = led["target"]  # it is a name already, of a part or of the whole
        elif target.selectors:
            remark = next((text for kind, text in texts if kind == "remark"), None)
            name = self._selections.cite(name, json.dumps(led), note=remark).reference
        for kind, text in texts:
            if kind != "remark":
                self._annotations.annotate(name, kind, text)
        return name


def _led(repository: Repository, target: Json) -> Json:
    """Replace the names of another archive in targets by the names here."""
    if isinstance(target, list):
        return [_led(repository, each) for each in target]
    if isinstance(target, str):
        return _here(repository, target)
    if isinstance(target, dict) and "source" in target:
        source = target["source"]
        address = source.get("id", source.get("@id")) if isinstance(source, dict) else source
        return {**target, "source": _here(repository, address) if isinstance(address, str) else ""}
    return target


def _here(repository: Repository, source: str) -> str:
    """Return the name of a source here; an address of the web as it is."""
    try:
        return now_called(repository, source) or names.from_address(source)[0]
    except ParseError:
        return source


def _of_citation(cited: Cited) -> Json:
    made: dict[str, Json] = json.loads(cited.forms.annotation)
    del made["@context"]
    made["created"] = cited.cited_at.isoformat()
    if cited.note:
        made["body"] = {"type": "TextualBody", "value": cited.note, "purpose": "describing"}
    return made


def _of_jotting(jotting: Jotting) -> Json:
    """Return a tag, collection or note as an annotation, the same in every export."""
    said = f"{jotting.reference}\n{jotting.kind}\n{jotting.text}"
    motivation = _MOTIVATIONS[jotting.kind]
    return {
        "id": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, said)}",
        "type": "Annotation",
        "motivation": motivation,
        "created": jotting.written_at.isoformat(),
        "body": {"type": "TextualBody", "value": jotting.text, "purpose": motivation},
        "target": jotting.reference,
    }


def _items(text: str) -> list[dict[str, Any]]:
    """The annotations in a text. Raises ParseError."""
    if len(text) > _MOST:
        raise ParseError(f"expected at most {_MOST:,} characters", text[:40], 0)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"expected JSON: {error}", text[:40], 0, "RFC 8259") from error
    if isinstance(value, dict):
        for name in ("first", "items", "rows"):
            if isinstance(value, dict) and name in value:
                value = value[name]
    several = value if isinstance(value, list) else [value]
    items = [each for each in several if isinstance(each, dict) and "target" in each]
    if len(items) < len(several):
        raise ParseError("expected annotations with a target", text[:40], 0, "Web Annotation §3.1")
    return items


def _texts(item: dict[str, Any]) -> Iterator[tuple[Kind, str]]:
    """Yield the texts of an annotation, each with its kind."""
    motivation = item.get("motivation")
    bodies = item.get("body", item.get("bodyValue"))
    for body in bodies if isinstance(bodies, list) else [bodies]:
        text = body.get("value") if isinstance(body, dict) else body
        purpose = body.get("purpose", motivation) if isinstance(body, dict) else motivation
        if isinstance(text, str) and text.strip():
            yield _KINDS.get(purpose if isinstance(purpose, str) else "", "note"), text
    if isinstance(item.get("text"), str) and item["text"].strip():
        yield "note", item["text"]
    tags = item.get("tags")
    for tag in tags if isinstance(tags, list) else ():
        if isinstance(tag, str) and tag.strip():
            yield "tag", tag
