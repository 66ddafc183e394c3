"""The tree over the documents of a sealed day, by which a few hashes show that a name is not there.

Its leaves are the documents, sorted by the octets of their unique ids: canonical JSON of the unique
id and of how many versions there were when the day was sealed. It is a Merkle tree of RFC 6962, and
the entry that seals the day tells its root and its size.

| what is shown | by |
|---|---|
| that a document is not there | the leaves before and behind it, which stand side by side |
| that a version was not there | the leaf of its document, with fewer versions |

Deviations: none.
Readings: before the first leaf and behind the last one nothing stands, and the places say so.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.archive.canonical_json import canonical_json
from permacite.archive.merkle import (
    inclusion_proof,
    leaf_hash,
    nodes_over,
    root_of_inclusion,
    tree_hash,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["DayDocument", "Place", "fault_of", "places_for", "read_places", "root_over", "written"]


class DayDocument(NamedTuple):
    """A document of a day, as the tree has it."""

    unique_id: str
    versions: int
    """How many there were when the day was sealed."""

    def leaf(self) -> bytes:
        """The octets of its leaf."""
        return canonical_json([self.unique_id, self.versions])


class Place(NamedTuple):
    """Where a document stands in the tree."""

    leaf_index: int
    document: DayDocument
    hashes: list[bytes]
    """The way to the root (RFC 6962 §2.1.1)."""


def root_over(documents: Sequence[DayDocument]) -> str:
    """The root of the tree over sorted documents, as an entry tells it."""
    node = nodes_over([leaf_hash(document.leaf()) for document in documents])
    return _told(tree_hash(len(documents), node))


def places_for(documents: Sequence[DayDocument], unique_id: str) -> list[Place]:
    """The place of a document; where it is none of these, the places on either side of it."""
    node = nodes_over([leaf_hash(document.leaf()) for document in documents])
    size = len(documents)
    behind = sum(document.unique_id < unique_id for document in documents)
    is_there = behind < size and documents[behind].unique_id == unique_id
    indexes = [behind] if is_there else [behind - 1, behind]
    return [
        Place(index, documents[index], inclusion_proof(index, size, node))
        for index in indexes
        if 0 <= index < size
    ]


def written(places: Sequence[Place]) -> bytes:
    """Places as they stand in a proof."""
    return canonical_json(
        [
            {
                "index": place.leaf_index,
                "unique_id": place.document.unique_id,
                "versions": place.document.versions,
                "hashes": [base64.b64encode(each).decode() for each in place.hashes],
            }
            for place in places
        ]
    )


def read_places(content: bytes) -> list[Place]:
    """The places in a proof. Raises ValueError for anything else."""
    try:
        said: list[dict[str, Any]] = json.loads(content)
        places = [
            Place(
                int(each["index"]),
                DayDocument(str(each["unique_id"]), int(each["versions"])),
                [base64.b64decode(text, validate=True) for text in each["hashes"]],
            )
            for each in said
        ]
    except (LookupError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise ValueError("expected places in the tree") from error
    if written(places) != content:
        raise ValueError("expected places in canonical JSON")
    return places


def fault_of(
    places: Sequence[Place], unique_id: str, version: int | None, *, size: int, root: object
) -> str:
    """Why places do not show that a document, or a version of it, was not there; "" if they do."""
    for place in places:
        found = root_of_inclusion(
            leaf_hash(place.document.leaf()), place.leaf_index, size, place.hashes
        )
        if found is None or _told(found) != root:
            return f"{place.document.unique_id} does not lead to the root that the entry tells"
    if [place.document.unique_id for place in places] == [unique_id]:
        versions = places[0].document.versions
        if version is None or version <= versions:
            return f"there is {unique_id}, with versions up to {versions}"
        return ""
    if not places and size == 0:
        return "" if root == _told(tree_hash(0, nodes_over([]))) else "the tree is not empty"
    return _fault_between(places, unique_id, size)


def _fault_between(places: Sequence[Place], unique_id: str, size: int) -> str:
    """Why places do not stand on either side of a document, with nothing between; "" if so."""
    indexes = [place.leaf_index for place in places]
    before = [place for place in places if place.document.unique_id < unique_id]
    behind = [place for place in places if place.document.unique_id > unique_id]
    if [*before, *behind] != list(places):
        return "the names are not in order"
    side_by_side = len(before) == len(behind) == 1 and indexes[1] == indexes[0] + 1
    at_an_end = indexes == ([size - 1] if before else [0])
    if not (side_by_side or at_an_end):
        return f"other names may stand where {unique_id} would"
    return ""


def _told(root: bytes) -> str:
    return f"sha-256:{root.hex()}"
