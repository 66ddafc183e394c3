"""What a public archive tells of itself to programs: a feed, a map of its documents, robots.txt.

| address | |
|---|---|
| `/-/feed` | what was archived, newest first (RFC 4287), by pages (RFC 5005 §3) |
| `/sitemap.xml` | the maps below, each of some thousand documents (sitemaps.org) |
| `/-/sitemap?after=` | one of them |
| `/robots.txt` | what the operator chose (RFC 9309): `permacite serve --public`, or nothing |

Only what is open is listed, by its name, its title and where it came from; no words of a document.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response

from permacite.service.archive import Archive
from permacite.service.names import as_address
from permacite.web.requests import ask

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import Request

    from permacite.service.documents import Document
    from permacite.service.resolution.holdings import Listing

__all__ = ["feed", "robots", "sitemap", "sitemaps"]

_ATOM = "application/atom+xml"
_IN_A_FEED = 50
_IN_A_MAP = 2000
_FIELDS = {"Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"}
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML document can hold (XML 1.0 §2.2)."""


async def feed(request: Request) -> Response:
    """GET /-/feed: what was archived, newest first, as Atom; `?after=` goes on behind a page."""
    _refuse_private(request)
    listing = await _page(request, _IN_A_FEED, newest_first=True)
    shown = _open(listing)
    updated = max((each.committed_at for each in shown), default=None)
    base, own = request.base_url, str(request.url)
    about = await ask(request, Archive.about)
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<title>{_text(about.series)}</title><id>{_text(f'{base}-/feed')}</id>",
        f"<updated>{(updated.isoformat() if updated else '1970-01-01T00:00:00Z')}</updated>",
        f"<author><name>{_text(about.series)}</name></author>",
        f'<link rel="self" type="{_ATOM}" href={_value(own)}/>',
        f'<link rel="alternate" type="text/html" href={_value(str(base))}/>',
    ]
    if listing.next is not None:
        following = str(request.url.replace_query_params(after=listing.next, until=listing.until))
        lines.append(f'<link rel="next" type="{_ATOM}" href={_value(following)}/>')
    lines += [_entry(request, document) for document in shown]
    return Response("\n".join([*lines, "</feed>\n"]), headers=_FIELDS, media_type=_ATOM)


async def sitemaps(request: Request) -> Response:
    """GET /sitemap.xml: where the maps of all documents are."""
    _refuse_private(request)
    starts = await ask(request, Archive.starts, _IN_A_MAP)
    base = f"{request.base_url}-/sitemap"
    places = [base, *(f"{base}?after={as_address(name)}" for name in starts)]
    return _xml("sitemapindex", (f"<sitemap><loc>{_text(each)}</loc></sitemap>" for each in places))


async def sitemap(request: Request) -> Response:
    """GET /-/sitemap?after= lists the documents committed behind one, by their addresses here."""
    _refuse_private(request)
    listing = await _page(request, _IN_A_MAP, newest_first=False)
    return _xml(
        "urlset",
        (
            f"<url><loc>{_text(_address(request, each))}</loc>"
            f"<lastmod>{each.committed_at.isoformat()}</lastmod></url>"
            for each in _open(listing)
        ),
    )


async def robots(request: Request) -> Response:
    """GET /robots.txt: a public archive may be read by programs, but not searched; others not."""
    lines = ["User-agent: *", "Disallow: /"]
    if request.app.state.public:
        lines = ["User-agent: *", "Disallow: /-/", "Allow: /-/feed", "Allow: /-/sitemap"]
        lines += ["Allow: /-/static/", "Disallow: /web/", f"Sitemap: {request.base_url}sitemap.xml"]
    return PlainTextResponse("\n".join(lines) + "\n", headers=_FIELDS)


def _refuse_private(request: Request) -> None:
    if not request.app.state.public:
        raise HTTPException(403, "this archive is private: permacite serve --public tells of it")


async def _page(request: Request, limit: int, *, newest_first: bool) -> Listing:
    parameters = request.query_params
    return await ask(
        request,
        Archive.list,
        None,
        limit=limit,
        after=parameters.get("after") or None,
        until=parameters.get("until") or None,
        newest_first=newest_first,
        fill=True,
    )


def _open(listing: Listing) -> list[Document]:
    return [each for each in listing.documents if each.restricted is None]


def _entry(request: Request, document: Document) -> str:
    """A document as an entry; its id is its permanent name (RFC 4287 §4.2.6)."""
    title = " ".join((document.title or document.pdi).split())
    source = ""
    if document.uri:
        source = f'<link rel="via" href={_value(document.uri)}/>'
    return (
        f"<entry><id>{_text(document.full_name)}</id><title>{_text(title)}</title>"
        f"<updated>{document.committed_at.isoformat()}</updated>"
        f'<link rel="alternate" href={_value(_address(request, document))}/>{source}</entry>'
    )


def _address(request: Request, document: Document) -> str:
    return f"{request.base_url}{as_address(document.full_name)}"


def _xml(root: str, items: Iterator[str]) -> Response:
    head = f'<?xml version="1.0" encoding="utf-8"?>\n<{root} xmlns='
    body = "\n".join(items)
    space = '"http://www.sitemaps.org/schemas/sitemap/0.9"'
    text = f"{head}{space}>\n{body}\n</{root}>\n"
    return Response(text, headers=_FIELDS, media_type="application/xml")


def _text(value: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", value))


def _value(value: str) -> str:
    return quoteattr(_NOT_XML.sub("\ufffd", value))
