"""Checks of live pages: the last results, news of cited passages, and watched pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.records import live_pages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime, timedelta

    from permacite.archive.gate import Gate
    from permacite.archive.model.answered import LiveCheck, News, Version, Watch
    from permacite.archive.parts import ArchiveParts
    from permacite.pdi import PDI

__all__ = ["LivePages"]


class LivePages:
    """Results of checks of live pages in one archive, as an audience sees them."""

    def __init__(self, parts: ArchiveParts, gate: Gate) -> None:
        self._catalog = parts.catalog
        self._gate = gate

    def last_check(self, version: Version, fragment: str = "") -> LiveCheck | None:
        """What the last look at a version's live page found, and of a citation; None: no look."""
        return self._catalog.read(live_pages.last_check, version.pdi, fragment)

    def last_news(self, version: Version) -> dict[str, tuple[str, str]]:
        """What was told last of each citation of a version: its fate, and what stood there."""
        return self._catalog.read(live_pages.last_news, version.pdi)

    def news(self, most: int) -> Sequence[News]:
        """What became of citations, as looks at live pages found it; the newest `most`."""
        news = self._catalog.read(live_pages.news, most)
        shown = {each.fragment for each in self._gate.citations([one.citation for one in news])}
        return [each for each in news if each.citation.fragment in shown]

    def watches(self) -> Sequence[Watch]:
        """The pages that are looked at again and again. Not for the public."""
        return [] if self._gate.public else self._catalog.read(live_pages.watches)

    def note_check(
        self,
        pdi: PDI,
        uri: str,
        outcome: str,
        passages: Mapping[str, str],
        *,
        news: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        """Note what a look at the live page of a version found, in place of the look before.

        `outcome` as in LiveCheck; `passages` tells what became of each citation, by its name.
        `news` is what of that is told: the fate, and the name of what stands there now.
        """
        self._catalog.write(
            live_pages.note_check, pdi, uri, outcome=outcome, passages=passages, news=news or {}
        )

    def watch(self, uri: str, every: timedelta) -> None:
        """Look at a page again and again, from now on or as often as this."""
        self._catalog.write(live_pages.watch, uri, every)

    def unwatch(self, uri: str) -> bool:
        """Look at a page no longer; False where it was not watched."""
        return self._catalog.write(live_pages.unwatch, uri)

    def note_watched(self, uri: str, looked_at: datetime, outcome: str, problem: str = "") -> None:
        """Note when a page that is watched was looked at, and what came of that."""
        self._catalog.write(
            live_pages.note_watched, uri, looked_at, outcome=outcome, problem=problem
        )
