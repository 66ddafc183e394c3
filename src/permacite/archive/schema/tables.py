"""Tables of the catalog as they are today.

A change here is a new schema: raise `SCHEMA_VERSION`, and write `steps/NNN.sql` for each engine,
which leads from the schema before to this one.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from permacite.archive.schema import SITE, rules
from permacite.archive.schema.declaration import (
    BYTES,
    IDENTITY,
    NUMBER,
    TEXT,
    Changes,
    Column,
    ColumnCheck,
    Nature,
    Table,
    TableIndex,
    Wording,
)

__all__ = ["TABLES"]

_DATE = Wording(
    sqlite="date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'",
    postgresql="date ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'",
)


def _committed(name: str, since: int, *columns: Column, **details: Any) -> Table:
    """A table whose rows are committed, and never change."""
    return Table(name, since, Nature.COMMITTED, Changes.NONE, columns, **details)


def _rebuildable(name: str, since: int, *columns: Column, **details: Any) -> Table:
    """A table that can be made again."""
    return Table(name, since, Nature.REBUILDABLE, Changes.ANY, columns, **details)


def _free(name: str, since: int, *columns: Column, **details: Any) -> Table:
    """A table that is free to change."""
    return Table(name, since, Nature.FREE, Changes.ANY, columns, **details)


def _deletable(name: str, since: int, *columns: Column, **details: Any) -> Table:
    """A table whose rows may only be deleted."""
    return Table(name, since, Nature.FREE, Changes.DELETE, columns, **details)


_hashed = partial(TableIndex, is_hash=True)


def _digest(name: str = "digest", **details: Any) -> Column:
    """A column of SHA-256 digests."""
    return Column(name, BYTES, check=f"length({name}) = 32", **details)


_DOCUMENTS = (
    _free(
        "setting",
        1,
        Column("name", TEXT, is_key=True),
        Column("value", TEXT),
        checks=(ColumnCheck.DIGEST,),
    ),
    _committed(
        "series",
        1,
        Column("series_id", IDENTITY, is_key=True),
        Column("name", TEXT, is_unique=True),
        Column("added_at", TEXT),
        checks=(ColumnCheck.DIGEST,),
    ),
    _committed(
        "document",
        1,
        Column("document_id", NUMBER, is_key=True),
        Column("series", TEXT, references="series (name)"),
        Column("date", TEXT, check=_DATE),
        Column("unique_id", TEXT, check="unique_id <> ''"),
        Column("serial", NUMBER, is_optional=True, check="serial > 0"),
        unique=("series", "date", "unique_id"),
        indexes=(
            TableIndex(
                "document_serial",
                "series, date, serial",
                where="serial IS NOT NULL",
                is_unique=True,
            ),
        ),
        rules=(rules.DOCUMENT_DATE, rules.DOCUMENT_SEALED),
        checks=(ColumnCheck.ENTRY, ColumnCheck.DERIVED),
    ),
    _committed(
        "version",
        1,
        Column("version_id", NUMBER, is_key=True),
        Column("document_id", NUMBER, references="document"),
        Column("number", NUMBER, check="number > 0"),
        Column("committed_at", TEXT),
        Column("title", TEXT, is_optional=True),
        Column("uri", TEXT, is_optional=True),
        Column("final_uri", TEXT, is_optional=True),
        Column("retrieved_at", TEXT, is_optional=True),
        Column("details", TEXT),
        unique=("document_id", "number"),
        indexes=(
            _hashed("version_uri", "uri", where="uri IS NOT NULL"),
            _hashed("version_final_uri", "final_uri", where="final_uri IS NOT NULL"),
            TableIndex(
                "version_site",
                Wording(
                    sqlite=f"{SITE.format(uri='uri')}, uri, version_id DESC", postgresql="site(uri)"
                ),
                where="instr(uri, '://') > 0",
            ),
        ),
        rules=(rules.VERSION_NEXT, rules.VERSION_ERASED),
        update=rules.EMPTIED_VERSION,
        checks=(ColumnCheck.ENTRY,),
        logged_since=1,
    ),
    _committed(
        "representation",
        1,
        Column("representation_id", NUMBER, is_key=True),
        Column("version_id", NUMBER, references="version"),
        Column("format", TEXT, check="format <> ''"),
        Column("media_type", TEXT),
        Column("charset", TEXT, is_optional=True),
        Column("size_bytes", NUMBER, check="size_bytes >= 0"),
        _digest(),
        _digest("canonical_digest", is_optional=True),
        _digest("received_digest", is_optional=True),
        Column("derived_from", TEXT, is_optional=True),
        Column("rendition", TEXT, is_optional=True),
        Column("committed_at", TEXT),
        unique=("version_id", "format"),
        indexes=(
            _hashed("representation_digest", "digest"),
            _hashed(
                "representation_received", "received_digest", where="received_digest IS NOT NULL"
            ),
        ),
        rules=(rules.REPRESENTATION_ERASED,),
        update=rules.EMPTIED_FORMAT,
        checks=(ColumnCheck.ENTRY, ColumnCheck.CONTENT),
        logged_since=1,
    ),
    _committed(
        "attachment",
        1,
        Column("representation_id", NUMBER, references="representation"),
        Column("name", TEXT),
        _digest(),
        key=("representation_id", "name"),
        indexes=(_hashed("attachment_digest", "digest"),),
        delete=rules.ERASED_FORMAT,
        is_clustered=True,
        checks=(ColumnCheck.ENTRY, ColumnCheck.CONTENT),
    ),
    _committed(
        "idempotency",
        1,
        Column("key", TEXT, is_key=True),
        Column("request", TEXT),
        Column("version_id", NUMBER, references="version"),
        indexes=(TableIndex("idempotency_version", Wording(sqlite="", postgresql="version_id")),),
        update=rules.EMPTIED_REQUEST,
        is_clustered=True,
        summed=("key", "version_id"),
    ),
    _committed(
        "citation",
        1,
        Column("citation_id", IDENTITY, is_key=True),
        Column("identity", TEXT, is_unique=True),
        Column("representation_id", NUMBER, references="representation"),
        Column("fragment", TEXT),
        Column("start", NUMBER, is_optional=True),
        Column("end", NUMBER, is_optional=True),
        Column("quote", TEXT),
        Column("before", TEXT),
        Column("after", TEXT),
        Column("media_type", TEXT, is_optional=True),
        Column("cited_at", TEXT),
        Column("note", TEXT, is_optional=True),
        indexes=(TableIndex("citation_representation", "representation_id"),),
        rules=(rules.CITATION_ERASED,),
        delete=rules.ERASED_CITATION,
        checks=(ColumnCheck.ENTRY, ColumnCheck.DERIVED),
        logged_since=2,
    ),
    _committed(
        "quotation",
        1,
        Column("quotation_id", IDENTITY, is_key=True),
        Column("representation_id", NUMBER, references="representation"),
        Column("origin", TEXT),
        Column("cited", TEXT),
        Column("cited_document", TEXT),
        unique=("representation_id", "origin", "cited"),
        indexes=(TableIndex("quotation_cited", "cited_document"),),
        delete=rules.ERASED_FORMAT,
        checks=(ColumnCheck.ENTRY, ColumnCheck.DERIVED),
    ),
)

_LOG = (
    _committed(
        "leaf",
        1,
        Column("sequence", NUMBER, is_key=True, check="sequence >= 0"),
        Column("subject", TEXT),
        Column("content", TEXT),
        indexes=(TableIndex("leaf_subject", "subject"),),
        rules=(rules.LEAF_NEXT,),
        update=rules.EMPTIED_ENTRY,
        checks=(ColumnCheck.TREE, ColumnCheck.DERIVED),
    ),
    _committed(
        "log_node",
        1,
        Column("level", NUMBER, check="level >= 0"),
        Column("position", NUMBER, check="position >= 0"),
        Column("hash", BYTES, check="length(hash) = 32"),
        key=("level", "position"),
        is_clustered=True,
        checks=(ColumnCheck.TREE,),
    ),
    _committed(
        "assertion",
        1,
        Column("assertion_id", IDENTITY, is_key=True),
        Column("sequence", NUMBER, is_unique=True, references="leaf"),
        Column("subject", TEXT),
        Column("predicate", TEXT, check="predicate <> ''"),
        Column("object", TEXT),
        Column("who", TEXT, is_optional=True),
        Column("stated_at", TEXT),
        indexes=(TableIndex("assertion_subject", "subject, predicate"),),
        delete=rules.ERASED_ENTRY,
        checks=(ColumnCheck.ENTRY, ColumnCheck.DERIVED),
        logged_since=1,
    ),
    _committed(
        "delegation",
        1,
        Column("delegation_id", IDENTITY, is_key=True),
        Column("kind", TEXT, check="kind IN ('resolver', 'minter')"),
        Column("series", TEXT),
        Column("first_date", TEXT),
        Column("last_date", TEXT, check="last_date >= first_date"),
        Column("target", TEXT),
        Column("recorded_at", TEXT),
        indexes=(TableIndex("delegation_series", "series, kind"),),
        checks=(ColumnCheck.ENTRY,),
        logged_since=2,
    ),
    _committed(
        "checkpoint",
        1,
        Column("size", NUMBER, is_key=True, check="size >= 0"),
        Column("note", TEXT),
        Column("signed_at", TEXT),
        checks=(ColumnCheck.TREE,),
    ),
    _committed(
        "day",
        2,
        Column("series", TEXT, references="series (name)"),
        Column("date", TEXT, check=_DATE),
        Column("sequence", NUMBER, is_unique=True, references="leaf"),
        Column("sealed_at", TEXT, check="substr(sealed_at, 1, 10) > date"),
        key=("series", "date"),
        is_clustered=True,
        checks=(ColumnCheck.ENTRY,),
        logged_since=2,
    ),
    _committed(
        "citation_leaf",
        2,
        Column("citation_id", NUMBER, is_key=True, references="citation"),
        Column("sequence", NUMBER, is_unique=True, references="leaf"),
        delete=rules.ERASED_ENTRY,
        checks=(ColumnCheck.ENTRY,),
    ),
    _committed(
        "delegation_leaf",
        2,
        Column("delegation_id", NUMBER, is_key=True, references="delegation"),
        Column("sequence", NUMBER, is_unique=True, references="leaf"),
        checks=(ColumnCheck.ENTRY,),
    ),
    _committed(
        "timestamp",
        2,
        Column("timestamp_id", IDENTITY, is_key=True),
        Column("size", NUMBER, references="checkpoint"),
        Column("authority", TEXT),
        Column("response", BYTES),
        Column("stamped_at", TEXT),
        indexes=(TableIndex("timestamp_size", "size"),),
        checks=(ColumnCheck.TREE,),
    ),
    _committed(
        "opening",
        4,
        Column("sequence", NUMBER, references="leaf"),
        Column("part", TEXT, check="part <> ''"),
        Column("content", TEXT),
        key=("sequence", "part"),
        delete=rules.ERASED_OPENING,
        is_clustered=True,
        checks=(ColumnCheck.ENTRY,),
    ),
    _committed(
        "person",
        4,
        Column("person_id", TEXT, is_key=True, check="person_id LIKE 'person:%'"),
        Column("name", TEXT, is_optional=True, is_unique=True),
        Column("added_at", TEXT),
        update=rules.FORGOTTEN_PERSON,
        is_clustered=True,
    ),
    _deletable(
        "remark",
        4,
        Column("sequence", NUMBER, is_key=True, references="leaf"),
        Column("content", TEXT),
    ),
)

_ACCESS = (
    _committed(
        "erasure",
        4,
        Column("erasure_id", IDENTITY, is_key=True),
        Column("sequence", NUMBER, is_unique=True, references="leaf"),
        Column("document_id", NUMBER, references="document"),
        Column("version_id", NUMBER, is_optional=True, references="version"),
        Column("representation_id", NUMBER, is_optional=True, references="representation"),
        Column("entry", NUMBER, is_optional=True, references="leaf"),
        Column("ground", TEXT, check="ground <> ''"),
        Column("erased_at", TEXT),
        Column("done_at", TEXT, is_optional=True),
        check="representation_id IS NULL OR version_id IS NOT NULL",
        indexes=(TableIndex("erasure_document", "document_id"),),
        update=rules.FINISHED_ERASURE,
    ),
    _deletable(
        "erasure_object",
        4,
        Column("erasure_id", NUMBER, references="erasure"),
        _digest(),
        key=("erasure_id", "digest"),
        is_clustered=True,
    ),
    _committed(
        "standing",
        4,
        Column("standing_id", IDENTITY, is_key=True),
        Column("document_id", NUMBER, references="document"),
        Column("access", TEXT, check="access IN ('public', 'closed', 'embargo')"),
        Column(
            "embargo_until",
            TEXT,
            is_optional=True,
            check="(embargo_until IS NULL) = (access <> 'embargo')",
        ),
        Column(
            "ground",
            TEXT,
            check="ground IN ('deposit', 'licence', 'consent', 'quotation', 'unknown')",
        ),
        Column("retain_until", TEXT, is_optional=True),
        Column("set_at", TEXT),
        indexes=(TableIndex("standing_document", "document_id"),),
        summed=("document_id", "access", "embargo_until", "ground", "retain_until", "set_at"),
    ),
    _committed(
        "building",
        12,
        Column("standing_id", NUMBER, is_key=True, references="standing"),
        rules=(rules.BUILDING_CLOSED,),
        summed=("standing_id",),
    ),
)

_OBJECTS = (
    _deletable(
        "unsettled",
        3,
        Column("unsettled_id", IDENTITY, is_key=True),
        _digest(is_unique=True),
        Column("content", BYTES),
        checks=(ColumnCheck.CONTENT,),
    ),
    _rebuildable(
        "git_blob",
        7,
        _digest(is_key=True),
        Column("name", BYTES, is_optional=True, check="length(name) = 20"),
        indexes=(TableIndex("git_blob_name", "name"),),
        is_clustered=True,
    ),
    _rebuildable(
        "content_pieces",
        10,
        _digest(is_key=True),
        Column("pieces", BYTES),
        checks=(ColumnCheck.CONTENT,),
    ),
    _free(
        "packed",
        11,
        _digest(is_key=True),
        _digest("pack"),
        Column("start", NUMBER, check="start >= 0"),
        Column("size_bytes", NUMBER, check="size_bytes >= 0"),
        indexes=(TableIndex("packed_pack", "pack, start"),),
        is_clustered=True,
        checks=(ColumnCheck.CONTENT,),
    ),
    _free("emptied_pack", 11, _digest("pack", is_key=True), is_clustered=True),
    _free(
        "lease",
        11,
        Column("name", TEXT, is_key=True),
        Column("holder", TEXT),
        Column("until", TEXT),
        is_clustered=True,
    ),
)

_NOTES = (
    _free(
        "live_page",
        5,
        Column("version_id", NUMBER, is_key=True, references="version"),
        Column("checked_at", TEXT),
        Column(
            "outcome", TEXT, check="outcome IN ('same', 'changed', 'answers', 'gone', 'unanswered')"
        ),
    ),
    _free(
        "live_passage",
        5,
        Column("citation_id", NUMBER, is_key=True, references="citation ON DELETE CASCADE"),
        Column("checked_at", TEXT),
        Column("outcome", TEXT, check="outcome <> ''"),
    ),
    _free(
        "jotting",
        6,
        Column("jotting_id", IDENTITY, is_key=True),
        Column("document_id", NUMBER, references="document"),
        Column("version_id", NUMBER, is_optional=True, references="version"),
        Column("part", TEXT),
        Column("kind", TEXT, check="kind IN ('tag', 'collection', 'note')"),
        Column("text", TEXT, check="text <> ''"),
        Column("written_at", TEXT),
        unique_text=("document_id", "part", "kind", "text"),
        indexes=(
            TableIndex("jotting_text", Wording(sqlite="kind, text", postgresql="kind, md5(text)")),
        ),
    ),
    _free(
        "watch",
        8,
        Column("uri", TEXT, is_key=True, check="uri <> ''"),
        Column("every_s", NUMBER, check="every_s > 0"),
        Column("added_at", TEXT),
        Column("looked_at", TEXT, is_optional=True),
        Column("outcome", TEXT, default=""),
        Column("problem", TEXT, default=""),
        is_clustered=True,
    ),
    _free(
        "passage_news",
        8,
        Column("news_id", IDENTITY, is_key=True),
        Column("citation_id", NUMBER, references="citation ON DELETE CASCADE"),
        Column("found_at", TEXT),
        Column("outcome", TEXT, check="outcome <> ''"),
        Column("there", TEXT),
        indexes=(TableIndex("passage_news_citation", "citation_id"),),
    ),
)

TABLES: tuple[Table, ...] = (*_DOCUMENTS, *_LOG, *_ACCESS, *_OBJECTS, *_NOTES)
"""All tables, each after those to which its rows refer."""
