"""The values of the archive: what it answers, and what is handed in to be committed.

Whoever reads never imports what only those need who commit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.archive.model.answered import (
        ACCESSES,
        ERASURE_GROUNDS,
        GROUNDS,
        JSON,
        NOBODY,
        REASONS,
        UNSTATED,
        Assertion,
        Citation,
        Clock,
        Decoding,
        Delegation,
        Erased,
        Erasure,
        Finding,
        Kind,
        LiveCheck,
        News,
        Page,
        Provenance,
        Representation,
        Restriction,
        Selection,
        Standing,
        Timekeeper,
        Version,
        Watch,
        Withdrawal,
        Witness,
        utc_now,
    )
    from permacite.archive.model.submitted import NewCitation, NewRepresentation, NewVersion

__all__ = [
    "ACCESSES",
    "ERASURE_GROUNDS",
    "GROUNDS",
    "JSON",
    "NOBODY",
    "REASONS",
    "UNSTATED",
    "Assertion",
    "Citation",
    "Clock",
    "Decoding",
    "Delegation",
    "Erased",
    "Erasure",
    "Finding",
    "Kind",
    "LiveCheck",
    "NewCitation",
    "NewRepresentation",
    "NewVersion",
    "News",
    "Page",
    "Provenance",
    "Representation",
    "Restriction",
    "Selection",
    "Standing",
    "Timekeeper",
    "Version",
    "Watch",
    "Withdrawal",
    "Witness",
    "utc_now",
]

on_demand(
    __name__,
    {
        "permacite.archive.model.answered": (
            "ACCESSES, ERASURE_GROUNDS, GROUNDS, JSON, NOBODY, REASONS, UNSTATED, Assertion, "
            "Citation, Clock, Decoding, Delegation, Erased, Erasure, Finding, Kind, LiveCheck, "
            "News, Page, Provenance, Representation, Restriction, Selection, Standing, Timekeeper, "
            "Version, Watch, Withdrawal, Witness, utc_now"
        ),
        "permacite.archive.model.submitted": "NewCitation, NewRepresentation, NewVersion",
    },
)
