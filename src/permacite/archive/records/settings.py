"""Settings, and the series that mint; a setting holds the digest of both."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from permacite.archive.canonical_json import canonical_json
from permacite.archive.objects.source import digest_of
from permacite.archive.records.rows import timestamp
from permacite.errors import StorageError

if TYPE_CHECKING:
    from permacite.archive.records.rows import Session, Transaction

__all__ = [
    "ALL",
    "COPY_KEYS",
    "COSIGNED",
    "DIGEST",
    "MARKED",
    "OF_ONE_PLACE",
    "ORIGIN",
    "ORIGIN_KEYS",
    "SERIES",
    "SET",
    "STORE",
    "UNFINISHED",
    "WITNESSED",
    "add_series",
    "all_series",
    "await_copy",
    "begin_copy",
    "check_finished",
    "fill",
    "kept_json",
    "keys_of_others",
    "let_write",
    "name_store",
    "note_marked",
    "read_alone",
    "series_names",
    "set_setting",
    "setting",
    "settings",
    "settings_digest",
    "written_elsewhere",
]

ALL = "SELECT name, value FROM setting"
SET = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
"""Sets or replaces a setting."""

SERIES = "series"
"""The setting that says which series mints where none is named."""

ORIGIN = "mirror of"
"""The setting that says of which archive this is a mirror: its address."""
ORIGIN_KEYS = "mirror of keys"
"""The public keys that sign its log, one a line."""
COSIGNED = "mirror cosigned"
"""The last checkpoint that the mirror cosigned, with that signature."""

_ADD_SERIES = (
    "INSERT INTO series (name, added_at) SELECT * FROM (SELECT ? AS name, ?) AS new"
    " WHERE NOT EXISTS (SELECT 1 FROM series WHERE name = new.name)"
)

WITNESSED = "cosigned by witnesses"
"""The last checkpoint of this log that witnesses cosigned, with their signatures."""

COPY_KEYS = "copy of keys"
"""The setting of a copy that reads alone: the public keys that sign its log, one a line, as far as
they are known."""

STORE = "store"
"""The setting that the store of octets has a mark of, if it is named apart from the catalog: a
number by chance. It is of one place too."""

MARKED = "store marked"
"""The setting that says that the store was seen to have that mark: one without it is another."""

OF_ONE_PLACE = (COPY_KEYS, STORE, MARKED)
"""The settings that are not copied, and no part of the digest."""

UNFINISHED = "unfinished copy"
"""The setting of an archive into which another is being copied, until all of it is there."""

DIGEST = "digest"
"""The setting that holds the digest of all others and of the series."""


def fill(transaction: Transaction, series: str) -> None:
    """Write the first rows of a new catalog, in which `series` mints."""
    add_series(transaction, series)
    set_setting(transaction, SERIES, series)


def await_copy(transaction: Transaction) -> None:
    """Let nobody open this archive until all of another is copied into it."""
    set_setting(transaction, UNFINISHED, "yes")


def begin_copy(transaction: Transaction, keys: str | None) -> None:
    """Write the first rows of a copy, which reads alone if `keys` are told. See `await_copy`."""
    await_copy(transaction)
    if keys is not None:
        read_alone(transaction, keys)


def read_alone(transaction: Transaction, keys: str) -> None:
    """Make this a copy that mints and signs nothing; its log is signed by `keys`, one a line.

    Where none are told, those that were told earlier stay.
    """
    known = setting(transaction.connection, COPY_KEYS) or ""
    transaction.connection.execute(SET, (COPY_KEYS, keys or known))


def name_store(transaction: Transaction) -> str:
    """Give the store of octets the number that its mark is to have, and return it.

    One that has a number keeps it.
    """
    known = setting(transaction.connection, STORE)
    if not known:
        import secrets

        known = secrets.token_hex(16)
    transaction.connection.execute(SET, (STORE, known))
    return known


def note_marked(transaction: Transaction) -> None:
    """Note that the store of octets has its mark."""
    transaction.connection.execute(SET, (MARKED, "yes"))


def let_write(transaction: Transaction) -> None:
    """Let a copy mint and sign from now on."""
    transaction.connection.execute("DELETE FROM setting WHERE name = ?", (COPY_KEYS,))


def keys_of_others(connection: Session) -> str | None:
    """The public keys that sign the log of a mirror or a copy, one a line; else None."""
    told = setting(connection, ORIGIN_KEYS)
    return setting(connection, COPY_KEYS) if told is None else told


def written_elsewhere(connection: Session) -> str | None:
    """Where all that is entered here comes from; None where this archive mints and signs.

    That is the address of the origin of a mirror, "" of a copy that reads alone.
    """
    if setting(connection, COPY_KEYS) is not None:
        return ""
    return setting(connection, ORIGIN)


def check_finished(connection: Session) -> None:
    """Raise StorageError where a copy into this archive was cut short."""
    if setting(connection, UNFINISHED) is not None:
        raise StorageError(
            "another archive is being copied into this one, and not all of it is there",
            path="",
            reason="unfinished",
            hint="where that was cut short, run `permacite copy` again, and it goes on",
        )


def setting(connection: Session, name: str) -> str | None:
    """One setting, or None."""
    row = connection.execute("SELECT value FROM setting WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def kept_json(connection: Session, name: str) -> Any:
    """The value that a setting holds as JSON, or None. Raises LookupError where it is none."""
    text = setting(connection, name)
    try:
        return None if text is None else json.loads(text)
    except ValueError as error:
        raise LookupError(f"the setting {name!r} is no JSON") from error


def settings(connection: Session) -> dict[str, str]:
    """All settings."""
    return dict(connection.execute(ALL).fetchall())


def set_setting(transaction: Transaction, name: str, value: str) -> None:
    """Set or replace one setting, and the digest that guards them all."""
    transaction.connection.execute(SET, (name, value))
    transaction.connection.execute(SET, settings_digest(transaction.connection))


def series_names(connection: Session) -> list[str]:
    """The series that mint here, the first one first. Raises LookupError where there is none."""
    names = [name for (name,) in connection.execute("SELECT name FROM series ORDER BY series_id")]
    if not names:
        raise LookupError("no series mints here")
    return names


def all_series(connection: Session) -> set[str]:
    """All series that mint here; in a copy that has just begun, none do."""
    return {name for (name,) in connection.execute("SELECT name FROM series")}


def add_series(transaction: Transaction, name: str) -> None:
    """Let `name` mint here; nothing happens where it does already."""
    row = (name, timestamp(transaction.clock()))
    transaction.connection.execute(_ADD_SERIES, row)
    transaction.connection.execute(SET, settings_digest(transaction.connection))


def settings_digest(connection: Session) -> tuple[str, str]:
    """Return the setting that guards all settings and the series, as they are now."""
    settings = connection.execute(
        "SELECT name, value FROM setting WHERE name NOT LIKE 'sum of %' ORDER BY name"
    ).fetchall()
    settings = [row for row in settings if row[0] not in {DIGEST, *OF_ONE_PLACE}]
    series = connection.execute("SELECT * FROM series ORDER BY series_id").fetchall()
    rows = [list(row) for row in (*settings, *series)]
    return DIGEST, digest_of(canonical_json(rows))
