"""Save options: how a page is fetched or drawn, within which limits, and how it is committed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from permacite.lazy_dataclass import dataclass
from permacite.options import option
from permacite.service.access import UNSAID

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from permacite.archive.model.answered import JSON
    from permacite.capture.browsing.pool import BrowserPool
    from permacite.capture.credentials import Credentials
    from permacite.service.access import Choice

__all__ = ["CommitOptions", "SaveOptions", "SaveRun", "Via", "credentials_of"]

Via: TypeAlias = Literal["auto", "http", "browser"]

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class SaveOptions:
    """What a user may say of how a page is saved. The time and the sizes are of the whole page."""

    via: Via = option(
        "Over HTTP alone, or drawn by a browser; auto: drawn where scripts make the words.",
        "auto",
        choices=("auto", "http", "browser"),
        shows_default=True,
    )
    browser: str | None = option(
        "A Chromium, if not the one on PATH.", kind="path", metavar="PATH", in_json=False
    )
    sandbox: bool = option(
        "Draw without Chromium's own sandbox.",
        default=True,
        name="no-sandbox",
        is_inverted=True,
        in_json=False,
    )
    series: str | None = option("Mint the name in this series of the archive.")
    new: bool = option("Mint a new name even if this address is archived.", default=False)
    allow_private: bool = option("Allow addresses of this machine or network.", default=False)
    timeout_s: float = option(
        "Seconds for the whole page.", 60.0, name="timeout", least=0.1, shows_default=True
    )
    most_bytes: int = option(
        "MiB for the whole page.",
        200 * _MIB,
        name="max-size",
        shown=200,
        scale=_MIB,
        least=1,
        shows_default=True,
    )
    most_parts: int = option(
        "Resources of the page.", 500, name="max-parts", least=1, shows_default=True
    )
    confirmed_date: date | None = option(
        "Today in UTC, where a long pause and a clock that nothing bears out make it doubtful.",
        kind="date",
        name="confirm-date",
        metavar="YYYY-MM-DD",
    )
    behaviour: str = ""
    """A script that a browser runs in the page before it is kept: it takes `via` "browser"."""
    credentials: Credentials | None = None
    """Sent to where the page is, never recorded: see `credentials_of`."""
    standing: Choice = UNSAID
    """Who may see it, and why it is kept."""


@dataclass(frozen=True, slots=True)
class CommitOptions:
    """How the bytes of a file are committed."""

    uri: str | None = None
    """Where the file came from."""
    charset: str | None = None
    """Of a text, where it does not say."""
    media_type: str | None = None
    """In place of the one that its name and its octets tell."""
    series: str | None = None
    """Mint the name in this series of the archive."""
    new: bool = False
    """Mint a new name even if the same bytes are archived."""
    misquoted: bool = False
    """Commit a document although it quotes other words than its sources have."""
    rendition: str | None = None
    """The rules that make its text, such as docx-reviewed-text, in place of the usual ones."""
    confirmed_date: date | None = None
    """Today in UTC, as a person says."""
    standing: Choice = UNSAID
    """Who may see it, and why it is kept."""


class SaveRun(NamedTuple):
    """What a page has of the run that it is saved in, with other pages or without a person."""

    key: str | None = None
    """The idempotency key of the commit."""
    crawled: Mapping[str, JSON] | None = None
    """The rules of a crawl, which are recorded; a crawl fetches only what has changed."""
    browsers: BrowserPool | None = None
    """Browsers that are shared with other pages."""


def credentials_of(headers: str = "", cookies: str = "", passwords: str = "") -> Credentials:
    """What requests are to say beside, from texts of three forms. Raises ParseError."""
    from permacite.capture.credentials import read_credentials

    return read_credentials(headers, cookies, passwords)
