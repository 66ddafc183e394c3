"""The archive: octets under permanent names, committed once, never changed.

`Repository.create` and `Repository.open` are the way in. From below:

| module | what it holds |
|---|---|
| model, names, entries, merkle, canonical_json | values, and the forms that are stored and hashed |
| objects | octets by their digest: put, and opened as a source |
| records | questions and changes in plain SQL, over a session |
| transport | copies, backups, mirrors and exchange formats, as one stream |
| engine | what catalogs on any engine share: the thread that writes, write-behind |
| schema | the tables of the catalog, as data that engines render |
| sqlite | the catalog in one file: connections, migrations |
| texts | which charset a text has; the index of a large one |
| log | the Merkle log: keys, checkpoints, tiles, proofs, and whether records agree with it |
| gate | what is given out, and to whom |
| lookup, contents, passages, statement_search, annotations, live_pages | questions to one archive |
| committing, statements, delegation, administration | changes of one archive |
| verification, copies | checks and proofs; backups, copies and mirrors |
| repository | one open archive, which holds an object for each of these |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.archive.administration import place_of
    from permacite.archive.annotations import KINDS, Jotting, Kind, Subject
    from permacite.archive.engine.location import Location
    from permacite.archive.entries import Leaf
    from permacite.archive.gate import Audience, of_all
    from permacite.archive.model import (
        ACCESSES,
        ERASURE_GROUNDS,
        GROUNDS,
        JSON,
        NOBODY,
        REASONS,
        Assertion,
        Citation,
        Clock,
        Decoding,
        Delegation,
        Finding,
        LiveCheck,
        NewCitation,
        NewRepresentation,
        News,
        NewVersion,
        Page,
        Provenance,
        Representation,
        Restriction,
        Standing,
        Timekeeper,
        Version,
        Watch,
        Withdrawal,
        Witness,
        utc_now,
    )
    from permacite.archive.repository import Repository
    from permacite.archive.texts import (
        DERIVED,
        decoding_of,
        document_text,
        settle,
        text_of_new,
        with_indexes,
    )
    from permacite.archive.tokens import (
        USUAL_SHARE,
        Share,
        Token,
        TokenStore,
        WrittenName,
        new_token,
    )
    from permacite.archive.transport.backup import FINISHED, BackupResult, is_cut_short
    from permacite.archive.transport.copying import Copied

__all__ = [
    "ACCESSES",
    "DERIVED",
    "ERASURE_GROUNDS",
    "FINISHED",
    "GROUNDS",
    "JSON",
    "KINDS",
    "NOBODY",
    "REASONS",
    "USUAL_SHARE",
    "Assertion",
    "Audience",
    "BackupResult",
    "Citation",
    "Clock",
    "Copied",
    "Decoding",
    "Delegation",
    "Finding",
    "Jotting",
    "Kind",
    "Leaf",
    "LiveCheck",
    "Location",
    "NewCitation",
    "NewRepresentation",
    "NewVersion",
    "News",
    "Page",
    "Provenance",
    "Repository",
    "Representation",
    "Restriction",
    "Share",
    "Standing",
    "Subject",
    "Timekeeper",
    "Token",
    "TokenStore",
    "Version",
    "Watch",
    "Withdrawal",
    "Witness",
    "WrittenName",
    "decoding_of",
    "document_text",
    "is_cut_short",
    "new_token",
    "of_all",
    "place_of",
    "settle",
    "text_of_new",
    "utc_now",
    "with_indexes",
]

on_demand(
    __name__,
    {
        "permacite.archive.gate": "Audience, of_all",
        "permacite.archive.tokens": "USUAL_SHARE, Share, Token, TokenStore, WrittenName, new_token",
        "permacite.archive.transport.copying": "Copied",
        "permacite.archive.engine.location": "Location",
        "permacite.archive.transport.backup": "FINISHED, BackupResult, is_cut_short",
        "permacite.archive.entries": "Leaf",
        "permacite.archive.annotations": "KINDS, Jotting, Kind, Subject",
        "permacite.archive.model": (
            "ACCESSES, ERASURE_GROUNDS, GROUNDS, JSON, NOBODY, REASONS, Assertion, Citation, "
            "Clock, Decoding, Delegation, Finding, LiveCheck, NewCitation, NewRepresentation, "
            "NewVersion, News, Page, Provenance, Representation, Restriction, Standing, "
            "Timekeeper, Version, Watch, Withdrawal, Witness, utc_now"
        ),
        "permacite.archive.administration": "place_of",
        "permacite.archive.repository": "Repository",
        "permacite.archive.texts": (
            "DERIVED, decoding_of, document_text, settle, text_of_new, with_indexes"
        ),
    },
)
