"""Sidecars of a text: its labels, and the record of how it was made.

docs/reference/renditions.md has both forms. A map is kept as its rendition gives it.
"""

from __future__ import annotations

import json
from dataclasses import field
from typing import TYPE_CHECKING, Any

from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.renditions.model import MOST_LABELS, Label, Notice, Rendered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from permacite.bibliography import Claim

__all__ = [
    "LABELS",
    "MAP",
    "RECORD",
    "RenditionRecord",
    "pack",
    "read_labels",
    "sidecars",
    "unpack",
]

LABELS, MAP, RECORD = "labels", "map", "rendering"
"""Names of the sidecars."""

_LABELS_FORM = b"permacite-labels/1\n"
_RECORD_FORM = "permacite-rendering/1"
_FIELDS = 5


@dataclass(frozen=True, slots=True)
class RenditionRecord:
    """What is on record of a rendering beside its text: all that is no position of it."""

    rendition: str
    """Name and version of the rules."""
    title: str | None = None
    stated: tuple[Claim, ...] = ()
    notices: tuple[Notice, ...] = ()
    builds: Mapping[str, str] = field(default_factory=dict, hash=False)

    def to_bytes(self) -> bytes:
        """As it is kept: one JSON object."""
        stated = [[claim.field, claim.value, *claim.place, claim.given] for claim in self.stated]
        value = {
            "form": _RECORD_FORM,
            "rendition": self.rendition,
            "title": self.title,
            "stated": stated,
            "notices": [list(notice) for notice in self.notices],
            "builds": dict(self.builds),
        }
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> RenditionRecord:
        """Read what `to_bytes` gave. Raises ParseError for anything else."""
        value = _json(data)
        if not isinstance(value, dict) or value.get("form") != _RECORD_FORM:
            raise ParseError(f"expected a record of the form {_RECORD_FORM}", str(value)[:80], 0)
        try:
            return cls(
                str(value["rendition"]),
                None if value["title"] is None else str(value["title"]),
                tuple(_claim(each) for each in value["stated"]),
                tuple(Notice(*map(str, each)) for each in value["notices"]),
                {str(name): str(build) for name, build in value["builds"].items()},
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ParseError("expected the members of a record", str(value)[:80], 0) from error


def _claim(kept: Any) -> Claim:
    from permacite import bibliography

    name, value, vocabulary, term, start, given = kept
    place = bibliography.Place(
        str(vocabulary), str(term), start if isinstance(start, int) else None
    )
    return bibliography.Claim(str(name), str(value), place, None if given is None else str(given))


def write_labels(labels: tuple[Label, ...]) -> bytes:
    """Labels as they are kept: a line that names the form, then a JSON array on each line."""
    lines = (json.dumps(label, ensure_ascii=False, separators=(",", ":")) for label in labels)
    return _LABELS_FORM + "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def read_labels(data: bytes) -> tuple[Label, ...]:
    """Read labels as they are kept. Raises ParseError for anything else."""
    if not data.startswith(_LABELS_FORM):
        expected = _LABELS_FORM.decode().strip()
        raise ParseError(f"expected {expected}", data[:40].decode("latin-1"), 0)
    lines = data[len(_LABELS_FORM) :].splitlines()
    if len(lines) > MOST_LABELS:
        raise ParseError(f"expected at most {MOST_LABELS} labels", "", 0)
    return tuple(_label(line) for line in lines)


def _label(line: bytes) -> Label:
    value = _json(line)
    if isinstance(value, list) and len(value) == _FIELDS:
        start, end, *names = value
        if type(start) is int and type(end) is int and all(type(name) is str for name in names):
            return Label(start, end, *names)
    raise ParseError("expected a label: start, end, kind, name, target", str(value)[:80], 0)


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ParseError("expected JSON", data[:80].decode("latin-1"), 0) from error


def sidecars(rendered: Rendered, rendition: str) -> dict[str, bytes]:
    """What is kept beside the text of a rendering, by name."""
    record = RenditionRecord(
        rendition, rendered.title, rendered.stated, rendered.notices, rendered.builds
    )
    sides = {RECORD: record.to_bytes()}
    if rendered.labels:
        sides[LABELS] = write_labels(rendered.labels)
    if rendered.map:
        sides[MAP] = rendered.map
    return sides


def pack(rendered: Rendered, rendition: str) -> tuple[dict[str, object], bytes]:
    """A rendering in words and octets, to go from one process to another."""
    parts = {"text": rendered.text.encode(), **sidecars(rendered, rendition)}
    return {"sizes": {name: len(part) for name, part in parts.items()}}, b"".join(parts.values())


def unpack(words: Mapping[str, object], octets: bytes) -> Rendered:
    """Read what `pack` gave; it is checked like anything from outside. Raises ParseError."""
    sizes = words.get("sizes")
    parts: dict[str, bytes] = {}
    at = 0
    for name, size in sizes.items() if isinstance(sizes, dict) else ():
        if type(size) is not int or not 0 <= size <= len(octets) - at:
            raise ParseError("expected the sizes of parts", str(sizes)[:80], 0)
        parts[name] = octets[at : at + size]
        at += size
    record = RenditionRecord.from_bytes(parts.get(RECORD, b""))
    try:
        text = parts.get("text", b"").decode()
    except UnicodeDecodeError as error:
        raise ParseError("expected a text in UTF-8", "", 0) from error
    return Rendered(
        text,
        read_labels(parts[LABELS]) if LABELS in parts else (),
        parts.get(MAP, b""),
        record.title,
        record.stated,
        record.notices,
        record.builds,
    )
