"""Search query: what finds are restricted to, in which order they are, and how many of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.lazy_dataclass import dataclass
from permacite.options import option

if TYPE_CHECKING:
    from datetime import date

__all__ = ["SearchQuery"]

_DAY = ("%Y-%m-%d", "%Y-%m", "%Y")


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What is asked beside the words. An empty text or None leaves a restriction out."""

    site: str = option("Of this site, and those below it.", "", metavar="HOST")
    media_type: str = option("Of this media type, such as text/html.", "", name="type")
    since: date | None = option("Saved on this day or later.", kind="date", formats=_DAY)
    until: date | None = option("Saved before this day.", kind="date", formats=_DAY)
    cited: bool | None = option(
        "Of which something is cited, or nothing.", kind="flag", negative="not-cited"
    )
    tag: str = option("That you gave this tag.", "")
    collection: str = option("In this collection of yours.", "", metavar="NAME")
    every_version: bool = option("Older versions too.", default=False, name="all-versions")
    newest: bool = option("The newest first, in place of the best.", default=False)
    limit: int = option("At most so many.", 20, least=1, most=1000, shows_default=True)
    offset: int = option("Leave so many out at the start.", 0, least=0)
