"""The command line: one command per use case, each in a room named after what it is about.

`commands` holds the group; `uri` answers without it, since click comes with an extra.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.cli.commands import main, run

__all__ = ["main", "run"]

on_demand(__name__, {"permacite.cli.commands": "main, run"})
