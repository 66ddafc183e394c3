"""Catalog on any engine: shared sessions, one thread that writes, write-behind.

`Catalog` says what each engine has to bring: `permacite.archive.sqlite` is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.archive.engine.catalog import Catalog
    from permacite.archive.engine.write_behind import WriteBehind, open_objects

__all__ = ["Catalog", "WriteBehind", "open_objects"]

on_demand(
    __name__,
    {
        "permacite.archive.engine.catalog": "Catalog",
        "permacite.archive.engine.write_behind": "WriteBehind, open_objects",
    },
)
