"""What left a browser, as rows of the table in the documentation; each test compares its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol

    from tests.faces.account import Sent

    class Places(Protocol):
        """Where what is expected goes to."""

        @property
        def site(self) -> str:
            """The page's own."""

        @property
        def server(self) -> str:
            """The user's own."""


__all__ = ["documented", "rows"]

_PAGE = Path(__file__).resolve().parents[2] / "docs/explanation/what-leaves-your-browser.md"
_CELLS = 5


def rows(sent: Iterable[Sent], places: Places) -> set[tuple[str, ...]]:
    """To whom, what, with a cookie, with Authorization: each row once, and none for preflights."""
    names = {
        places.site.removeprefix("http://"): "the page's own site",
        places.server.removeprefix("http://"): "your server",
    }
    made = set()
    for each in sent:
        to = names.get(each.host, each.host or each.address)
        has = ["its own" if "cookie" in each.headers else "none"]
        has.append("the token" if "authorization" in each.headers else "none")
        made.add((to, f"{each.method} {urlsplit(each.address).path}", *has))
    preflight = ("your server", "OPTIONS /-/api/captures", "none", "none")
    return made - {preflight}  # a browser remembers for minutes that it has asked


def documented(what: str) -> set[tuple[str, ...]]:
    """The rows of one save, as the documentation has them."""
    lines = _PAGE.read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines]
    found = {tuple(row[1:]) for row in cells if len(row) == _CELLS and row[0] == what}
    assert found, f"the table has no {what}"
    return found - {("nobody", "nothing", "none", "none")}
