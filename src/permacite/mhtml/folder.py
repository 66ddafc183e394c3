"""Aggregates as files, and files as an aggregate: names and bytes; nothing is read or written.

Every part becomes a file with a safe name; `aggregate.json` says what the parts were called, so
that packing the files again gives the same labels, types and order. Without it a folder of files
is packed as it looks: the page is the root, the names are the labels.

Readings: names come from strangers. They are made of letters, digits, `.`, `-` and `_` alone, do
not begin with a dot, are no device of any system, and differ without case.
"""

from __future__ import annotations

import io
import json
import re
import unicodedata
from typing import TYPE_CHECKING, TypeAlias

from permacite import uri
from permacite.errors import NotFoundError, ParseError
from permacite.file_types import by_name, ending_of
from permacite.lazy_dataclass import dataclass
from permacite.media_types import PAGES, essence
from permacite.mhtml.writing import write
from permacite.mhtml.writing.resource import Multipart, Resource
from permacite.mhtml.writing.rewrite import contents_of, message_fields
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from permacite.mhtml.reading import Aggregate
    from permacite.mhtml.writing import OctetSink, Written
    from permacite.mhtml.writing.profiles import Profile
    from permacite.mhtml.writing.resource import Fields, Subtype

__all__ = ["MANIFEST", "File", "Packed", "extract", "label_of", "pack"]

MANIFEST = "aggregate.json"
"""The file that says what the others are in the aggregate."""

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

_FORMAT = "permacite.aggregate/1"
_DEVICES = compile_pattern(r"(?i)(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)")
_ESCAPES = compile_pattern(r"(?:%[0-9A-Fa-f]{2})++")
_LONGEST = 60
_DEPTH = 64


@dataclass(frozen=True, slots=True)
class File:
    """One file of a folder."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Packed:
    """What a folder holds, ready to be built."""

    root: Resource | Multipart
    resources: tuple[Resource | Multipart, ...]
    subject: str | None = None
    date: str | None = None
    headers: Fields = ()
    content_location: str | None = None

    def build(self, profile: Profile = "archive") -> bytes:
        """The aggregate. Raises ConflictError, ParseError: see `mhtml.build`."""
        stream = io.BytesIO()
        self.write(stream, profile)
        return stream.getvalue()

    def write(self, stream: OctetSink, profile: Profile = "archive") -> Written:
        """Write the aggregate. Raises ConflictError, ParseError: see `mhtml.write`."""
        return write(
            stream,
            self.root,
            self.resources,
            profile=profile,
            subject=self.subject,
            date=self.date,
            headers=self.headers,
            content_location=self.content_location,
        )


# ---------------------------------------------------------------- to a folder
def extract(aggregate: Aggregate) -> Iterator[File]:
    """Yield a file for each part that is no multipart, and the manifest last."""
    root, resources = contents_of(aggregate)
    names = _Names()
    nodes: list[Json] = []
    for part in (root, *resources):
        node, files = _node(part, names, is_root=not nodes)
        nodes.append(node)
        yield from files
    fields: list[Json] = [[name, value] for name, value in message_fields(aggregate)]
    manifest: Json = {
        "format": _FORMAT,
        "subject": aggregate.subject,
        "date": aggregate.message.heading.text("Date"),
        "content_location": aggregate.location,
        "headers": fields,
        "root": nodes[0],
        "resources": nodes[1:],
    }
    text = json.dumps(manifest, ensure_ascii=False, indent=1) + "\n"
    yield File(MANIFEST, text.encode("utf-8", "replace"))


def _node(
    part: Resource | Multipart, names: _Names, *, is_root: bool = False
) -> tuple[Json, list[File]]:
    """A part as the manifest describes it, and its files."""
    headers: list[Json] = [[name, value] for name, value in part.headers]
    node: dict[str, Json] = {
        "content_type": part.content_type,
        "content_location": part.content_location,
        "content_id": part.content_id,
        "headers": headers,
    }
    if isinstance(part, Resource):
        name = names.take(part, is_root=is_root)
        return {"file": name, **node}, [File(name, part.content)]
    inner = [_node(each, names) for each in part.body_parts]
    files = [file for _, several in inner for file in several]
    return {**node, "multipart": part.subtype, "body_parts": [each for each, _ in inner]}, files


class _Names:
    """Names of files, safe and different from each other on every system."""

    def __init__(self) -> None:
        self._taken = {MANIFEST.casefold()}
        self._counts: dict[str, int] = {}

    def take(self, part: Resource, *, is_root: bool) -> str:
        """A name for a part that no other has."""
        stem, suffix = _safe_name(part, "index" if is_root else "part")
        while (name := self._numbered(stem, suffix)).casefold() in self._taken:
            pass
        self._taken.add(name.casefold())
        return name

    def _numbered(self, stem: str, suffix: str) -> str:
        key = f"{stem}.{suffix}".casefold()
        count = self._counts[key] = self._counts.get(key, 0) + 1
        return f"{stem}.{suffix}" if count == 1 else f"{stem}-{count}.{suffix}"


def _safe_name(part: Resource, otherwise: str) -> tuple[str, str]:
    """A stem and a suffix made of the end of a part's label and its type."""
    label = re.split(r"[?#]", part.content_location or part.content_id or "", maxsplit=1)[0]
    last = _ESCAPES.sub(_unescaped, re.split(r"[/:]", label)[-1])
    stem, _, suffix = last.rpartition(".")
    suffix = suffix.lower()
    media_type = essence(part.content_type)
    expected, named = ending_of(media_type), by_name(last)
    if not stem or named is None or (expected and named != media_type):
        stem, suffix = last, (expected or ".bin").removeprefix(".")
    stem = _letters(stem)[:_LONGEST].strip("._-") or otherwise
    return f"_{stem}" if _DEVICES.match(stem) else stem, suffix


def _unescaped(escapes: re.Match[str]) -> str:
    return bytes.fromhex(escapes[0].replace("%", "")).decode("utf-8", "replace")


def _letters(text: str) -> str:
    composed = unicodedata.normalize("NFC", text[: 4 * _LONGEST])
    return "".join(each if each.isalnum() or each in "._-" else "_" for each in composed)


# ---------------------------------------------------------------- from a folder
def pack(files: Mapping[str, bytes]) -> Packed:
    """What files are as an aggregate, by their manifest or by their names.

    Names are relative, with `/` between folders. Raises ParseError where the manifest is not one
    or no page is among the files, NotFoundError for a file that the manifest names and that is
    not there.
    """
    manifest = files.get(MANIFEST)
    return _by_names(files) if manifest is None else _Unpacking(manifest, files).packed()


def _by_names(files: Mapping[str, bytes]) -> Packed:
    typed = {name: _type_of(name) for name in sorted(files)}
    pages = [name for name, media_type in typed.items() if media_type in PAGES]
    index = [name for name in pages if name.lower() in ("index.html", "index.htm", "index.xhtml")]
    if not pages:
        raise ParseError("expected a page among the files: a name ending in .html", "", 0)
    root = (index or pages)[0]
    parts = {
        name: Resource(files[name], media_type, label_of(name))
        for name, media_type in typed.items()
    }
    return Packed(parts.pop(root), tuple(parts.values()))


def _type_of(name: str) -> str:
    return by_name(name.rpartition("/")[2]) or "application/octet-stream"


def label_of(name: str) -> str:
    """The name of a file, `/` between its folders, as a relative URI."""
    for character in "%?#":
        name = name.replace(character, f"%{ord(character):02X}")
    return uri.from_iri(name)


class _Unpacking:
    """A manifest being read."""

    def __init__(self, manifest: bytes, files: Mapping[str, bytes]) -> None:
        self._source = manifest.decode("utf-8", "replace")
        self._files = files

    def packed(self) -> Packed:
        """What the manifest describes."""
        try:
            whole = json.loads(self._source)
        except (ValueError, RecursionError) as error:
            offset = error.pos if isinstance(error, json.JSONDecodeError) else 0
            raise ParseError(f"expected JSON in {MANIFEST}", self._source, offset) from error
        if not isinstance(whole, dict) or whole.get("format") != _FORMAT:
            raise self._error(f'expected "format": "{_FORMAT}"')
        resources = whole.get("resources")
        return Packed(
            self._part(whole.get("root"), 0),
            tuple(self._part(each, 0) for each in self._list(resources)),
            self._text(whole, "subject"),
            self._text(whole, "date"),
            self._fields(whole),
            self._text(whole, "content_location"),
        )

    def _part(self, node: Json, depth: int) -> Resource | Multipart:
        if not isinstance(node, dict) or depth > _DEPTH:
            raise self._error("expected an object for each part")
        location, content_id = self._text(node, "content_location"), self._text(node, "content_id")
        subtype = node.get("multipart")
        if subtype is not None:
            inner = tuple(
                self._part(each, depth + 1) for each in self._list(node.get("body_parts"))
            )
            return Multipart(
                inner, self._subtype(subtype), location, content_id, self._fields(node)
            )
        name, media_type = self._text(node, "file"), self._text(node, "content_type")
        if name is None or media_type is None:
            raise self._error('expected "file" and "content_type" for each part')
        content = self._files.get(name)
        if content is None:
            raise NotFoundError(f"{MANIFEST} names {name}, which is not among the files", name)
        return Resource(content, media_type, location, content_id, self._fields(node))

    def _subtype(self, value: Json) -> Subtype:
        match value:
            case "related" | "alternative" | "mixed":
                return value
            case _:
                raise self._error('expected "related", "alternative" or "mixed" for "multipart"')

    def _fields(self, node: Mapping[str, Json]) -> Fields:
        fields = []
        for field in self._list(node.get("headers")):
            match field:
                case [str(name), str(value)]:
                    fields.append((name, value))
                case _:
                    raise self._error("expected pairs of texts for the headers")
        return tuple(fields)

    def _text(self, node: Mapping[str, Json], name: str) -> str | None:
        value = node.get(name)
        if value is not None and not isinstance(value, str):
            raise self._error(f'expected a text or null for "{name}"')
        return value

    def _list(self, value: Json) -> list[Json]:
        if not isinstance(value, list):
            raise self._error("expected an array")
        return value

    def _error(self, problem: str) -> ParseError:
        return ParseError(f"{problem} in {MANIFEST}", self._source, 0)
