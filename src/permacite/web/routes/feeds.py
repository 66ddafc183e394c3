"""Feed, sitemaps and robots.txt of a public archive.

| address | |
|---|---|
| `/-/feed` | what was archived, newest first (RFC 4287), by pages (RFC 5005 §3) |
| `/sitemap.xml` | the maps below, each of some thousand documents (sitemaps.org) |
| `/-/sitemap?after=` | one of them |
| `/robots.txt` | what the operator chose (RFC 9309): `permacite serve --public`, or nothing |

Only public documents are listed, by name, title and source; no words of a document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response

from permacite.limits import FEED_ITEMS, SITEMAP_ITEMS
from permacite.service.feeds import MEDIA_TYPE, Feed, FeedEntry, FeedLink, moment, text
from permacite.service.names import as_address
from permacite.web.requests import ask, at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import Request

    from permacite.service.documents import Document
    from permacite.service.holdings import Listing

__all__ = ["feed", "robots", "sitemap", "sitemaps"]

_FIELDS = {"Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"}


async def feed(request: Request) -> Response:
    """GET /-/feed: what was archived, newest first, as Atom; `?after=` goes on behind a page."""
    _refuse_private(request)
    listing = await _page(request, FEED_ITEMS, newest_first=True)
    base = str(request.base_url)
    links = [
        FeedLink("self", str(request.url), MEDIA_TYPE),
        FeedLink("alternate", base, "text/html"),
    ]
    if listing.next is not None:
        following = request.url.replace_query_params(after=listing.next, until=listing.until)
        links.append(FeedLink("next", str(following), MEDIA_TYPE))
    series = (await ask(request, lambda archive: archive.documents.about())).series
    made = Feed(
        id=f"{base}-/feed",
        title=series,
        author=series,
        links=tuple(links),
        entries=tuple(_entry(request, each) for each in _open(listing)),
    )
    return Response(str(made), headers=_FIELDS, media_type=MEDIA_TYPE)


async def sitemaps(request: Request) -> Response:
    """GET /sitemap.xml: where the maps of all documents are."""
    _refuse_private(request)
    starts = await ask(request, lambda archive: archive.documents.starts(SITEMAP_ITEMS))
    base = f"{request.base_url}-/sitemap"
    places = [base, *(f"{base}?after={as_address(name)}" for name in starts)]
    return _xml("sitemapindex", (f"<sitemap><loc>{text(each)}</loc></sitemap>" for each in places))


async def sitemap(request: Request) -> Response:
    """GET /-/sitemap?after= lists the documents committed behind one, by their addresses here."""
    _refuse_private(request)
    listing = await _page(request, SITEMAP_ITEMS, newest_first=False)
    return _xml(
        "urlset",
        (
            f"<url><loc>{text(_address(request, each))}</loc>"
            f"<lastmod>{moment(each.committed_at)}</lastmod></url>"
            for each in _open(listing)
        ),
    )


async def robots(request: Request) -> Response:
    """GET /robots.txt: a public archive may be read by programs, but not searched; others not."""
    base = at(request, "/")
    lines = ["User-agent: *", f"Disallow: {base}"]
    if request.app.state.public:
        lines = ["User-agent: *", f"Disallow: {base}-/", f"Allow: {base}-/feed"]
        lines += [f"Allow: {base}-/sitemap", f"Allow: {base}-/static/", f"Disallow: {base}web/"]
        lines += [f"Sitemap: {request.base_url}sitemap.xml"]
    return PlainTextResponse("\n".join(lines) + "\n", headers=_FIELDS)


def _refuse_private(request: Request) -> None:
    if not request.app.state.public:
        raise HTTPException(403, "this archive is private: permacite serve --public tells of it")


async def _page(request: Request, limit: int, *, newest_first: bool) -> Listing:
    parameters = request.query_params
    return await ask(
        request,
        lambda archive: archive.documents.list(
            None,
            limit=limit,
            after=parameters.get("after") or None,
            until=parameters.get("until") or None,
            newest_first=newest_first,
            fill=True,
        ),
    )


def _open(listing: Listing) -> list[Document]:
    return [each for each in listing.documents if each.restricted is None]


def _entry(request: Request, document: Document) -> FeedEntry:
    """A document as an entry; its id is its permanent name (RFC 4287 §4.2.6)."""
    links = [FeedLink("alternate", _address(request, document))]
    if document.uri:
        links.append(FeedLink("via", document.uri))
    return FeedEntry(
        id=document.full_name,
        title=" ".join((document.title or document.pdi).split()),
        updated=document.committed_at,
        links=tuple(links),
    )


def _address(request: Request, document: Document) -> str:
    return f"{request.base_url}{as_address(document.full_name)}"


def _xml(root: str, items: Iterator[str]) -> Response:
    head = f'<?xml version="1.0" encoding="utf-8"?>\n<{root} xmlns='
    body = "\n".join(items)
    space = '"http://www.sitemaps.org/schemas/sitemap/0.9"'
    content = f"{head}{space}>\n{body}\n</{root}>\n"
    return Response(content, headers=_FIELDS, media_type="application/xml")
