"""Names of a package that are imported when they are first asked for (PEP 562).

A package shows what its rooms hold. Were all of them imported for one name, each command would
wait for what it never uses. Type checkers read the imports that stand beside, under TYPE_CHECKING.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # to import typing would take longer than all else that `permacite` does
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["on_demand"]


def on_demand(package: str, rooms: Mapping[str, str]) -> None:
    """Let `package` import the names of its `rooms` when they are first asked for.

    `rooms` is written as import statements are: {"package.room": "name, other as another"}, and
    {"package": "room"} for a room itself.
    """
    sources = {}
    for room, names in rooms.items():
        for name in names.split(", "):
            source, _, alias = name.partition(" as ")
            sources[alias or source] = (room, source)
    module = sys.modules[package]

    def attribute(name: str) -> object:
        if name not in sources:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        room, source = sources[name]
        if room == package:
            return __import__(f"{package}.{source}", fromlist=["__name__"])
        value = getattr(__import__(room, fromlist=[source]), source)
        setattr(module, name, value)  # it is found without us from now on
        return value

    module.__getattr__ = attribute  # type: ignore[method-assign]
    module.__dir__ = lambda: sorted({*vars(module), *sources})  # type: ignore[method-assign]
