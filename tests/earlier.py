"""Archives as earlier versions of permacite made them, with proofs, for tests."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import tarfile
from pathlib import Path

from permacite.archive.sqlite.connection import APPLICATION_ID
from permacite.archive.sqlite.schema import earlier

__all__ = ["POSTGRESQL_12", "to_texts", "unpack", "unpack_files", "with_texts"]

_PACKED = Path(__file__).parent / "golden/archive/236669f.tar.gz"
POSTGRESQL_12 = Path(__file__).parent / "golden/archive/postgresql-12.sql"
"""The statements of schema 12, the first that there was in PostgreSQL."""


def unpack(folder: Path) -> tuple[Path, dict[str, bytes]]:
    """Unpack an archive of schema 3 into `folder`; return its directory, and proofs of it by name.

    Beside the proofs stands "ca.pem", the certificate of the authority that stamped the log.
    """
    unpack_files(_PACKED, folder)
    return folder / "archive", {one.name: one.read_bytes() for one in (folder / "proofs").iterdir()}


def unpack_files(packed: Path, folder: Path) -> None:
    """Unpack files and folders, by hand: Pythons differ in what `extractall` wants to be told."""
    with tarfile.open(packed) as files:
        for member in files:
            target = folder / member.name
            content = files.extractfile(member)
            if content is None:
                target.mkdir(parents=True, exist_ok=True)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content.read())


def with_texts(catalog: Path) -> None:
    """Write a catalog as schema 12 had it, which kept digests as texts; whoever has it open may."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        made.executescript(earlier(12))
        made.execute("ATTACH ? AS later", (str(catalog),))
        triggers = made.execute(
            "SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger'"
        ).fetchall()
        for name, _ in triggers:
            made.execute(f"DROP TRIGGER main.{name}")
        tables = made.execute("SELECT name FROM main.sqlite_schema WHERE type = 'table'").fetchall()
        for (table,) in tables:
            columns = made.execute(f"PRAGMA main.table_info({table})").fetchall()
            values = ", ".join(_as_text(row[1], row[2]) for row in columns)
            made.execute(f"INSERT INTO main.{table} SELECT {values} FROM later.{table}")  # noqa: S608 - its own
        for _, words in triggers:
            made.execute(words)
        made.execute("DETACH later")
        made.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        made.execute("PRAGMA user_version = 12")
        with contextlib.closing(sqlite3.connect(catalog)) as target:
            made.backup(target)


def _as_text(column: str, kind: str) -> str:
    """The value of a column as it was, where octets of a digest stand in it now."""
    if kind != "TEXT":
        return f'"{column}"'
    digits = f'lower(hex("{column}"))'
    mark = "'sha-256:' || " if column != "name" else ""
    return f"""CASE typeof("{column}") WHEN 'blob' THEN {mark}{digits} ELSE "{column}" END"""


_WITH_DIGESTS = {
    "representation": ("digest", "canonical_digest", "received_digest"),
    "attachment": ("digest",),
    "unsettled": ("digest",),
    "erasure_object": ("digest",),
    "git_blob": ("digest", "name"),
    "content_pieces": ("digest",),
    "packed": ("digest", "pack"),
    "emptied_pack": ("pack",),
}
"""The columns that had digests as texts."""


def to_texts() -> list[str]:
    """The statements that make a schema of PostgreSQL what it was as the twelfth, its first."""
    statements = []
    for table, columns in _WITH_DIGESTS.items():
        for column in columns:
            check = f"{table}_{column}_check"
            mark = "'sha-256:' ||" if column != "name" else ""
            statements.append(
                f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {check},"
                f' ALTER COLUMN {column} TYPE TEXT COLLATE "C"'
                f" USING {mark} encode({column}, 'hex')"
            )
            if column in {"digest", "name", "pack"}:
                size = 72 if column != "name" else 40
                statements.append(
                    f"ALTER TABLE {table} ADD CONSTRAINT {check} CHECK (length({column}) = {size})"
                )
    (rule,) = re.findall(
        r"CREATE FUNCTION representation_no_update\(.*?\$\$(.*?)\$\$",
        POSTGRESQL_12.read_text(),
        re.DOTALL,
    )
    statements.append(
        "CREATE OR REPLACE FUNCTION representation_no_update() RETURNS TRIGGER LANGUAGE plpgsql"
        f" SET search_path FROM CURRENT AS $${rule}$$"
    )
    return [*statements, "UPDATE archive SET schema = 12"]
