"""Pages of the reader: the list of documents, one document, one document in its frame, links.

A link of an archived page leads to the version nearest in time, or to a page of choices. Other
sites do not learn what is archived. A request from a page of another site is refused before
anything is looked up, and a window that it opens here is cut off from it.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from email.utils import format_datetime
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from starlette.responses import RedirectResponse, Response

from permacite.errors import ParseError, PermaciteError
from permacite.limits import HOME_ITEMS, QUOTER_ITEMS
from permacite.pdi import DRAWN_PAGE
from permacite.service.addresses import moment
from permacite.service.reader.pages import FrameOptions, Scripts
from permacite.web import headers
from permacite.web.requests import (
    JSONAnswer,
    ask,
    ask_owner,
    at,
    caller_of,
    link_next,
    parse_number,
    reference_of,
    refuse_embedding,
    refuse_others,
)
from permacite.web.templates import kept, page, words_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.requests import Request

    from permacite.service.archive import Archive
    from permacite.service.assertions.jottings import Jotting
    from permacite.service.citations.describing import Description
    from permacite.service.holdings import About, Listing
    from permacite.service.reader.links import Followed
    from permacite.service.reader.reading import Reading
    from permacite.service.reader.sheets import PaperPage

__all__ = ["SCRIPTS", "answer", "document", "follow", "followed", "frame", "home"]

_STATIC = Path(__file__).parents[1] / "static"
SCRIPTS = Scripts(
    words=(_STATIC / "frame.js").read_text(encoding="utf-8").strip(),
    parts=(_STATIC / "stage.js").read_text(encoding="utf-8").strip(),
    sheets="\n".join(
        (_STATIC / name).read_text(encoding="utf-8").strip() for name in ("frame.js", "sheet.js")
    ),
    follow="/-/follow",
)
"""Each is the one script that a frame may run: it tells the reader what is selected or marked."""

_KINDS = {
    "webpage": "WebPage",
    "article": "Article",
    "article-journal": "ScholarlyArticle",
    "article-magazine": "Article",
    "article-newspaper": "NewsArticle",
    "post-weblog": "BlogPosting",
    "book": "Book",
    "chapter": "Chapter",
    "report": "Report",
    "thesis": "Thesis",
    "dataset": "Dataset",
    "software": "SoftwareSourceCode",
}
"""Types of CSL, and those of schema.org."""
_STYLES = ("Chicago", "APA", "MLA")
_DRAWING: set[asyncio.Task[None]] = set()


async def home(request: Request) -> Response:
    """GET /: the documents that `?pattern=` covers, newest first, by pages.

    `?after=` shows what is older than the document that it names, `?before=` what is newer.
    """
    parameters = request.query_params
    pattern = parameters.get("pattern") or None
    before = parameters.get("before") or None
    about, listing, opened = await ask(
        request,
        partial(
            _shown_at_home,
            pattern=pattern,
            after=before or parameters.get("after") or None,
            until=parameters.get("until") or None,
            newest_first=before is None,
        ),
    )
    documents = listing.documents if before is None else listing.documents[::-1]
    days = groupby(documents, key=lambda document: document.committed_at.date())
    newer, older = _neighbours(parameters, listing)
    return page(
        request,
        "home.html",
        fields=link_next(at(request, older)) if older else {},
        about=about,
        listing=listing,
        opened=opened,
        days=[(day, list(of_day)) for day, of_day in days],
        pattern=pattern or "",
        feed=request.app.state.public,
        newer=newer,
        older=older,
        newest="/" + _query(parameters) if before or parameters.get("after") else None,
    )


def _shown_at_home(
    archive: Archive,
    pattern: str | None,
    *,
    after: str | None,
    until: str | None,
    newest_first: bool,
) -> tuple[About, Listing, dict[str, str]]:
    """What home shows, asked for at once: each way into a thread and back has its cost.

    Last, by its name, what is opened of each page that a browser drew.
    """
    listing = archive.documents.list(
        pattern, limit=HOME_ITEMS, after=after, until=until, newest_first=newest_first
    )
    drawn = [each.full_name for each in listing.documents if DRAWN_PAGE in each.tokens]
    return (
        archive.documents.about(),
        listing,
        {name: archive.documents.opened(name) for name in drawn},
    )


def _neighbours(parameters: Mapping[str, str], listing: Listing) -> tuple[str | None, str | None]:
    """The addresses of the page with newer documents and of that with older ones, if any are."""
    until = listing.until or parameters.get("until")
    ends = [document.formats[0].pdi for document in listing.documents if document.formats]
    older = newer = None
    if parameters.get("before"):
        newer, older = listing.next, ends[0] if ends else None
    else:
        older = listing.next
        newer = ends[0] if ends and parameters.get("after") else None
    return (
        newer and "/" + _query(parameters, before=newer, until=until),
        older and "/" + _query(parameters, after=older, until=until),
    )


def _query(parameters: Mapping[str, str], **cursor: str | None) -> str:
    """The query that keeps the pattern of a request and goes to another page of it."""
    fields = {"pattern": parameters.get("pattern"), **cursor}
    given = {name: value for name, value in fields.items() if value}
    return f"?{urlencode(given)}" if given else ""


def _frame(request: Request) -> int | None:
    """The `?frame=` of several, or the `?page=`, that is to be shown. Raises ParseError."""
    page = request.query_params.get("page")
    if page:
        return parse_number(page, "page", least=1)
    wanted = request.query_params.get("frame")
    return parse_number(wanted, "frame", least=0) if wanted else None


def _at(request: Request) -> int | None:
    """The position `?at=` from which a long text is to be shown. Raises ParseError."""
    wanted = request.query_params.get("at")
    return parse_number(wanted, "at", least=0) if wanted else None


def _typed_lines(request: Request) -> str | None:
    """The lines that a reader typed, as RFC 5147 counts them. Raises ParseError."""
    first, last = (request.query_params.get(name) for name in ("first", "last"))
    if not first:
        return None
    start = parse_number(first, "first")
    return f"line={start - 1},{parse_number(last, 'last', least=start) if last else start}"


async def _fields(request: Request, reading: Reading, about: Description) -> dict[str, str]:
    """Header fields of the page around a document."""
    licences = await ask(
        request, lambda archive: archive.annotations.statements.licences(reading.pdi)
    )
    link = _signposts(request, reading, about, licences)
    return {"Content-Location": reading.pdi, "Vary": "Accept", "Link": link}


async def document(request: Request, reference: str) -> Response:
    """Answer a name with the reader's page around the document; `?frame=` shows one of several.

    `?at=` shows a long text from that position on, `?first=` and `?last=` mark lines, from 1.
    `?part=` shows another page of the same aggregate.
    """
    show_text = request.query_params.get("show") == "text"
    text_fragment = request.query_params.get("rfc5147") or _typed_lines(request)
    wanted_frame = _frame(request)
    reading = await ask(
        request,
        lambda archive: archive.documents.reader.read(
            reference,
            text=show_text,
            text_fragment=text_fragment,
            frame=wanted_frame,
            at=_at(request),
        ),
    )
    if reading.leaf is not None:
        _draw_ahead(request, reading.leaf)
    after = request.query_params.get("quoters")
    quoters = await ask(
        request,
        lambda archive: archive.quotations.quoter_page(reference, limit=QUOTER_ITEMS, after=after),
    )
    words = reading.passage.quote if reading.passage else ""
    seen = await ask(
        request, lambda archive: archive.citations.references.seen(reading.reference, words)
    )
    styled = (
        await ask(request, partial(_styled, reference=reading.reference)) if reading.cited else {}
    )
    about = await ask(request, lambda archive: archive.citations.references.describe(reading.pdi))
    return page(
        request,
        "document.html",
        fields=await _fields(request, reading, about),
        reading=reading,
        quoters=quoters,
        paged=after is not None,
        about=about,
        styled=styled,
        coins=seen.coins,
        preview=seen.preview if request.app.state.public else (),
        sandbox=headers.FRAME_SANDBOX,
        frame=wanted_frame,
        part=request.query_params.get("part") or "",
        followed=await followed(request),
        jottings=await _annotations(request, reading.pdi),
    )


async def _annotations(request: Request, name: str) -> Sequence[Jotting] | None:
    """The annotations of a document; None for a caller who is not the owner of the archive."""
    if caller_of(request).owned is None:
        return None
    return await ask_owner(request, lambda archive: archive.annotations.list(name))


def _draw_ahead(request: Request, leaf: PaperPage) -> None:
    """Begin to draw what the frame of a page will ask for, while that page is made."""
    task = asyncio.create_task(ask(request, lambda archive: archive.documents.reader.draw(leaf)))
    _DRAWING.add(task)  # it would be forgotten else
    task.add_done_callback(_DRAWING.discard)


def _styled(archive: Archive, reference: str) -> dict[str, str]:
    """A reference in the styles that are asked for most; none where no styles are installed."""
    with contextlib.suppress(PermaciteError):
        return {style: archive.citations.references.styled(reference, style) for style in _STYLES}
    return {}


def _signposts(
    request: Request, reading: Reading, about: Description, licences: Sequence[str]
) -> str:
    """Links for programs: how to cite it, what describes it, its formats (RFC 8288, RFC 8574).

    As Signposting has them (level 1): the page is about an object of a type of schema.org, under
    the licences that are stated of it.
    """
    described = at(request, f"/-/api/document?name={quote(reading.pdi, safe='')}")
    kinds = ("AboutPage", _KINDS.get(about.type, "CreativeWork"))
    links = [
        f'<{reading.reference}>; rel="cite-as"',
        *(f'<https://schema.org/{kind}>; rel="type"' for kind in kinds),
        *(f'<{licence}>; rel="license"' for licence in licences),
        f'<{described}>; rel="describedby"; type="application/json"',
    ]
    formats = [item for item in reading.document.formats if item.restricted is None]
    links += [
        f'<{at(request, "/")}{item.pdi}>; rel="item"; type="{item.media_type}"' for item in formats
    ]
    return ", ".join(links)


async def frame(request: Request) -> Response:
    """GET /-/page/{name}: the archived page itself, inert, for the reader's frame.

    `?frame=` shows one frame of an animation, or one page of several, as a PNG made of it;
    `?part=` another page of the same aggregate, by the path of its part. The page
    is asked for again each time, since it may be withdrawn, and answered with 304 while it is
    the same.
    """
    reference = reference_of(request, "/-/page/")
    options = FrameOptions(
        scripts=replace(SCRIPTS, follow=kept(request, SCRIPTS.follow)),
        text_fragment=request.query_params.get("rfc5147"),
        frame=_frame(request),
        part=request.query_params.get("part"),
        words=words_for(request),
    )
    state = await ask(
        request, lambda archive: archive.documents.reader.page_state(reference, options)
    )
    tag = f'"{state.tag}"'
    fields = headers.frame_headers(state.script) | {
        "ETag": tag,
        "Last-Modified": format_datetime(state.modified_at, usegmt=True),
        "Vary": "Accept-Language",
    }
    # The date alone decides nothing: a later permacite may make another page of the same bytes.
    if headers.names_tag(request.headers.get("if-none-match"), tag):
        return Response(status_code=304, headers=fields)
    shown = await ask(request, lambda archive: archive.documents.reader.page(reference, options))
    if not shown.tag:
        del fields["ETag"]
    return Response(shown.html, headers=fields, media_type="text/html")


async def follow(request: Request) -> Response:
    """GET /-/follow?to=&from=&when= leads to what was archived from the address `to`.

    To the version saved nearest to the time `when`, or to that of the page `from`, on which the
    link was; the reader says there how far apart the two are. Else to the part of that page's own
    aggregate that has the address. Where there is none, and with `&all=`, a page says what there
    is: the archived versions, the page as it is now, and saving it where this server commits
    (`permacite serve --writable`). Links in frames have `to` at their end, so that what a browser
    adds to them (the place of a click in a picture) belongs to it.
    """
    refuse_embedding(request)
    found = await _found(request)
    if found.reference is None or "all" in request.query_params:
        writable = caller_of(request).may("save")
        return page(request, "follow.html", found=found, writable=writable)
    return RedirectResponse(kept(request, shown_at(found)), 303, headers=_link_fields())


async def answer(request: Request) -> Response:
    """GET /-/api/follow?to=&from=&when= answers a Followed: where a link leads in the archive."""
    refuse_others(request)
    return JSONAnswer(await _found(request), headers=_link_fields())


async def followed(request: Request) -> Followed | None:
    """How somebody came to a page of the reader, if by a link: `?to=` and `?from=`, as above."""
    return await _found(request) if request.query_params.get("to") else None


def shown_at(found: Followed) -> str:
    """The address of the reader at the version that a link leads to."""
    name, _, fragment = (found.reference or "").partition("#")
    source = found.source and found.source.pdi
    query = {"fragment": fragment, "part": found.part, "from": source, "to": found.to}
    return f"/{name}?{urlencode({key: value for key, value in query.items() if value})}"


async def _found(request: Request) -> Followed:
    parameters = request.query_params
    to, when = parameters.get("to"), parameters.get("when")
    if not to:
        raise ParseError("expected the parameter `to`", request.url.query, 0)
    return await ask(
        request,
        lambda archive: archive.documents.reader.follow(
            to, source=parameters.get("from") or None, when=moment(when) if when else None
        ),
    )


def _link_fields() -> dict[str, str]:
    return headers.reader_headers()
