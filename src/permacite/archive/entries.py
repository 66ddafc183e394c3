"""Entries of the log: public values in clear, and commitments to the rest.

An entry of schema 2 tells its kind, a name, version, format and time. All else (words, titles,
addresses, digests, persons) stands in *openings*, one for each part that can be told by itself. The
entry holds the SHA-256 of each. An opening is a JSON array of three: what it is, 32 random octets
in hexadecimal, and what is told; without the random octets nobody can try out what it tells.
Openings can be erased, the entry stays.

Entries without a schema, the first, tell everything themselves.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from permacite.archive.canonical_json import canonical_json
from permacite.archive.merkle import leaf_hash
from permacite.archive.objects.source import digest_of
from permacite.errors import ConflictError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from permacite.archive.model.answered import JSON

__all__ = [
    "CITATION",
    "FORMAT",
    "Entry",
    "Leaf",
    "OwnSealer",
    "Sealed",
    "Sealer",
    "commitments",
    "digests_in",
    "disclosed",
    "hash_of",
    "in_clear",
    "is_erased",
    "lenient",
    "opened",
    "read",
    "reopened",
    "seal",
    "tokens",
    "tombstone",
]

FORMAT = "format."
"""Begins the part of one format; its token follows."""
CITATION = "citation"
"""The part of a citation with its words."""

_SCHEMA = 2
_TAG = "permacite-opening/1"
_SALT_BYTES = 32
_ERASED = b'{"erased":true,'


class Entry(NamedTuple):
    """What is to be entered: what is told in clear, and what is committed to, by part."""

    clear: dict[str, JSON]
    parts: dict[str, dict[str, JSON]]


@dataclass(frozen=True, slots=True)
class Leaf:
    """One entry of the Merkle log: what was committed, in canonical JSON."""

    sequence: int
    """From 0, without gaps."""
    content: bytes
    hash: bytes
    """SHA-256 of an octet 0 and `content` (RFC 6962 §2.1)."""


class Sealed(NamedTuple):
    """An entry as it is kept: the octets of the leaf, its hash, its openings by part."""

    content: bytes
    hash: bytes
    openings: dict[str, bytes]


Sealer: TypeAlias = Callable[[Entry], Sealed]
"""Makes a leaf of an entry."""


def seal(entry: Entry) -> Sealed:
    """Return an entry with commitments to its parts, each under a fresh salt."""
    openings = {
        part: _opening(os.urandom(_SALT_BYTES).hex(), content)
        for part, content in entry.parts.items()
    }
    return _sealed(
        entry, openings, {part: digest_of(opening) for part, opening in openings.items()}
    )


class OwnSealer:
    """Seals what is entered here; mirrors, and copies that read, enter nothing of their own."""

    def __init__(self, written_elsewhere: Callable[[], str | None]) -> None:
        """Take what says where all that is entered here comes from: it is asked once."""
        self._written_elsewhere = cache(written_elsewhere)

    def __call__(self, entry: Entry) -> Sealed:
        """The leaf of an entry: see `seal`. Raises ConflictError in a mirror or such a copy."""
        origin = self._written_elsewhere()
        if origin == "":
            raise ConflictError(
                "this archive is a copy that reads: all that is entered comes from the archive",
                "copy",
                hint="write there, and `permacite copy` brings it here; with the key of the log"
                " (--with-key, or its file and `permacite promote`) this copy takes its place",
            )
        if origin is not None:
            raise ConflictError(
                f"this archive is a mirror of {origin}: all that is entered comes from there",
                origin,
                hint="commit, cite and state there; `permacite mirror` brings it here",
            )
        return seal(entry)


def reopened(entry: Entry, kept: Mapping[str, bytes], erased: Mapping[str, str]) -> Sealed:
    """Return an entry as it must be if it was sealed with the salts of the openings `kept`.

    What is erased keeps its commitment. Raises ValueError, LookupError where an opening lacks.
    """
    openings = {
        part: _opening(_parsed(kept[part])[1], content)
        for part, content in entry.parts.items()
        if part not in erased
    }
    hashes = {part: digest_of(opening) for part, opening in openings.items()} | dict(erased)
    return _sealed(entry, openings, hashes)


def in_clear(entry: Entry, said: Mapping[str, Any], gone: Collection[str | None] = ()) -> Sealed:
    """Return an entry as the first schema has it: all is told in clear.

    Formats whose parts are `gone`, and digests that nothing else has, are as they were `said`.
    Raises ValueError, LookupError, TypeError where that is no such entry.
    """
    clear, parts = dict(entry.clear), dict(entry.parts)
    provenance = parts.pop("provenance", {})
    if clear["kind"] == "version":
        row = [provenance.get(member) for member in ("title", "uri", "final_uri", "retrieved_at")]
        row.append(canonical_json(provenance.get("details", {})).decode())
        clear |= {"uri": row[1], "retrieved_at": row[3]}
        clear["provenance"] = digest_of(canonical_json(row))
    if clear["kind"] in {"version", "format"}:
        own = {FORMAT + described["format"]: described for described in said["formats"]}
        clear["formats"] = [
            own[part] if part in gone else _kept(fields, own[part], "canonical_digest")
            for part, fields in parts.items()
        ]
    else:
        for fields in parts.values():
            clear |= fields
    if "subject" in clear:
        clear["name"] = clear.pop("subject")
        clear |= {"version": None, "format": None}
    content = canonical_json(_kept(clear))
    return Sealed(content, leaf_hash(content), {})


def _kept(
    fields: Mapping[str, JSON], said: Mapping[str, JSON] = {}, *others: str
) -> dict[str, JSON]:
    """Return the members that have a value, and those of `others` as they were `said`."""
    members = {name: value for name, value in fields.items() if value is not None}
    return members | {name: said[name] for name in others if name in said}


def _sealed(entry: Entry, openings: dict[str, bytes], hashes: Mapping[str, str]) -> Sealed:
    """Return an entry with its commitments; members without a value are left out."""
    said = _kept(entry.clear)
    said["schema"] = _SCHEMA
    if hashes:
        said["commitments"] = hashes
    content = canonical_json(said)
    return Sealed(content, leaf_hash(content), openings)


def _opening(salt: str, content: Mapping[str, JSON]) -> bytes:
    """Return an opening; members without a value are left out."""
    return canonical_json([_TAG, salt, _kept(content)])


def _parsed(opening: bytes) -> list[Any]:
    """Return the three members of an opening. Raises ValueError for anything else."""
    try:
        members = json.loads(opening)
        good = [type(member) for member in members] == [str, str, dict] and members[0] == _TAG
        # Where a member stood twice, programs would differ on which one counts.
        good = good and len(members[1]) == 2 * _SALT_BYTES and canonical_json(members) == opening
    except (TypeError, RecursionError) as error:
        raise ValueError("expected an opening") from error
    if not good:
        raise ValueError("expected an opening")
    return list(members)


def opened(entry: Mapping[str, Any], part: str, opening: bytes) -> dict[str, Any]:
    """The content of an opening, if `entry` commits to it as `part`. Raises ValueError."""
    if digest_of(opening) != commitments(entry).get(part):
        raise ValueError(f"the entry does not commit to this as its {part}")
    return dict(_parsed(opening)[2])


def read(content: bytes) -> dict[str, Any]:
    """Return an entry of either schema. Raises ValueError for anything else, damaged or hostile."""
    try:
        entry = json.loads(content)
        same = canonical_json(entry) == content
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    if not isinstance(entry, dict) or not same:
        raise ValueError("expected an object in canonical JSON (RFC 8785)")
    return entry


def lenient(leaf: Leaf) -> dict[str, Any]:
    """The entry of a leaf, empty where it cannot be read."""
    try:
        entry = json.loads(leaf.content)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def commitments(entry: Mapping[str, Any]) -> dict[str, str]:
    """Return the commitments of an entry by part; none are in one of the first schema."""
    hashes = entry.get("commitments")
    return hashes if entry.get("schema") == _SCHEMA and isinstance(hashes, dict) else {}


def tokens(entry: Mapping[str, Any]) -> list[str]:
    """Return the formats that an entry of either schema commits, also where they are erased."""
    formats = entry.get("formats", ())
    listed = [
        member.get("format") if isinstance(member, dict) else member
        for member in (formats if isinstance(formats, list) else ())
    ]
    return [
        *(token for token in listed if isinstance(token, str)),
        *(part.removeprefix(FORMAT) for part in commitments(entry) if part.startswith(FORMAT)),
    ]


def is_erased(content: bytes) -> bool:
    """Say whether an entry of the first schema was erased; a hash without its words is left."""
    return content.startswith(_ERASED)


def tombstone(content: bytes) -> bytes:
    """The rest of an entry of the first schema when it is erased; its hash stays.

    Raises ValueError for what is no entry, or one of another schema: its openings are erased.
    """
    said = read(content)
    if "schema" in said:
        raise ValueError("expected an entry of the first schema")
    left = {name: said.get(name) for name in ("kind", "version", "format")}
    left |= {"erased": True, "name": str(said["name"]).partition("#")[0]}
    left["formats"] = tokens(said) or None
    return canonical_json(_kept(left))


def hash_of(leaf: Leaf) -> bytes:
    """Return the hash of an entry as it was entered."""
    return leaf.hash if is_erased(leaf.content) else leaf_hash(leaf.content)


def digests_in(said: Mapping[str, Any]) -> list[str]:
    """The digests of the octets that a disclosed entry tells of, each once."""
    formats = [each for each in said.get("formats", ()) if isinstance(each, dict)]
    return list(
        dict.fromkeys(
            str(digest)
            for each in formats
            for digest in (
                each["digest"],
                *([each["received_digest"]] if "received_digest" in each else ()),
                *each.get("attachments", {}).values(),
            )
        )
    )


def disclosed(entry: Mapping[str, Any], openings: Mapping[str, bytes]) -> dict[str, Any]:
    """Return all that an entry and its openings tell, in the words of the first schema.

    Raises ValueError for an opening that the entry does not commit to.
    """
    members: dict[str, Any] = {}
    formats = [
        opened(entry, part, opening)
        for part, opening in openings.items()
        if part.startswith(FORMAT)
    ]
    if formats:
        members["formats"] = formats
    for part, opening in openings.items():
        if not part.startswith(FORMAT):
            members |= opened(entry, part, opening)
    clear = {name: value for name, value in entry.items() if name not in {"schema", "commitments"}}
    return members | clear
