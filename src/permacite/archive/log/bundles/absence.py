"""Check a proof of absence: all names of a day, which the seal of the day vouches for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from permacite.archive.canonical_json import canonical_json
from permacite.archive.log.bundles.members import SPEC
from permacite.archive.log.bundles.reports import Check
from permacite.archive.objects import digest_of
from permacite.archive.records.days import names_in
from permacite.errors import ParseError

if TYPE_CHECKING:
    from permacite.pdi import PDI

__all__ = ["absent", "day_of"]


def day_of(leaf: bytes, pdi: PDI) -> dict[str, object]:
    """Return the entry that seals the day in a name. Raises ParseError."""
    day = pdi.document.canonical().rpartition("/")[0]
    problem = f"expected the entry that seals {day}"
    try:
        entry = json.loads(leaf)
        said = (entry["kind"], entry["name"]) == ("day", day) and canonical_json(entry) == leaf
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise ParseError(problem, "(leaf.json)", 0, SPEC) from error
    if not said:
        raise ParseError(problem, "(leaf.json)", 0, SPEC)
    return dict(entry)


def absent(pdi: PDI, entry: dict[str, object], names: bytes) -> Check:
    """Say whether a name is not among those of its sealed day."""
    unique_id = pdi.document.canonical().rpartition("/")[2]
    if digest_of(names) != entry.get("names"):
        return Check("absence", ok=False, detail="names.txt is not the list that the entry tells")
    try:
        found = names_in(names)
    except ValueError:
        return Check("absence", ok=False, detail="names.txt is no sorted list of names")
    if len(found) != entry.get("documents"):
        return Check(
            "absence", ok=False, detail="names.txt has another length than the entry tells"
        )
    told = f"{unique_id} among {len(found)} names of the day"
    if unique_id in found:
        return Check("absence", ok=False, detail=f"there is {told}")
    return Check("absence", ok=True, detail=f"no {told}")
