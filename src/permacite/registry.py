"""Registry of parts by name: a static table of ours, then entry points of installed packages.

To read the entry points of all installed packages takes six times as long as `python -c pass`.
So installed packages are asked only for a name that the table lacks, or where all names are wanted.
A package therefore cannot replace a part of ours by being installed: it declares another name, and
the user asks for that name.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Generic, TypeVar

from permacite.errors import NotFoundError, PermaciteError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.metadata import EntryPoint

__all__ = ["Registry"]

_OURS = "permacite"
Part = TypeVar("Part")


class Registry(Generic[Part]):
    """Parts of one kind by their names. Each is imported when it is first asked for."""

    def __init__(
        self,
        group: str,
        sources: Mapping[str, str],
        *,
        kind: type[Part],
        extras: Mapping[str, str] | None = None,
    ) -> None:
        """`sources` leads from a name of ours to "module:attribute".

        `group` is that of the entry points of installed packages, such as "permacite.renditions".
        `extras` says which extra of permacite a part of ours needs: {"wacz": "archive"}.
        """
        self.group = group
        self.sources = sources
        self._kind = kind
        self._extras = extras or {}
        self._parts: dict[str, Part] = {}
        self._points: dict[str, EntryPoint] | None = None

    def __contains__(self, name: str) -> bool:
        """Whether a part of ours has this name."""
        return name in self.sources

    def __iter__(self) -> Iterator[str]:
        """The names of our parts, in the order of the table."""
        return iter(self.sources)

    def load(self, name: str) -> Part:
        """The part with this name: ours, else that of an installed package.

        Raises NotFoundError, and PermaciteError for a part whose packages are not installed.
        """
        part = self.find(name)
        if part is None:
            known = tuple(self.sources)
            raise NotFoundError(f"no {self._noun} {name} is installed", name, candidates=known)
        return part

    def find(self, name: str) -> Part | None:
        """The same; None where nothing has this name, or where it cannot be loaded."""
        if name not in self._parts:
            if name in self.sources:
                self._parts[name] = self._own(name)
            elif name in self.installed():
                part = self._foreign(self.installed()[name])
                if part is None:
                    return None
                self._parts[name] = part
        return self._parts.get(name)

    def installed(self) -> Mapping[str, EntryPoint]:
        """What installed packages declare, by name, without what the table has."""
        if self._points is None:
            from importlib import metadata

            self._points = {
                point.name: point
                for point in sorted(metadata.entry_points(group=self.group), key=lambda p: p.name)
                if point.name not in self.sources and point.module.partition(".")[0] != _OURS
            }
        return self._points

    @property
    def _noun(self) -> str:
        """One part in a word, for messages: the last part of the group without its s."""
        return self.group.rpartition(".")[2].removesuffix("s")

    def _own(self, name: str) -> Part:
        module, _, attribute = self.sources[name].partition(":")
        try:
            part = getattr(importlib.import_module(module), attribute)
        except ModuleNotFoundError as error:
            if name not in self._extras or (error.name or "").partition(".")[0] == _OURS:
                raise
            hint = f"pip install 'permacite[{self._extras[name]}]'"
            raise PermaciteError(f"{name} needs {error.name}", hint=hint) from error
        assert isinstance(part, self._kind)  # noqa: S101 - a fault of ours, not of the user
        return part

    def _foreign(self, point: EntryPoint) -> Part | None:
        """Load what an installed package declares; warn and return None where that fails."""
        try:
            part = point.load()
        except Exception as error:  # noqa: BLE001 - whatever a third-party package raises
            problem = f"cannot be loaded: {error}"
        else:
            if isinstance(part, self._kind):
                return part
            problem = f"is no {self._kind.__name__}"
        import warnings

        left_out = f"the {self._noun} {point.name} ({point.value}) is left out: it {problem}"
        warnings.warn(left_out, RuntimeWarning, stacklevel=2)
        return None
