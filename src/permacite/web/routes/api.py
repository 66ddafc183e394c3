"""API for the reader's scripts and other programs: JSON under /-/api/.

Only `cite` and `derive` change anything. They take JSON only: a browser does not send JSON from
another site without a preflight request, and nothing here answers one.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from permacite import media_types
from permacite.errors import NotFoundError, ParseError, RestrictedError
from permacite.limits import COMPARED_BYTES, LARGEST_PAGE_ITEMS, VERSION_ITEMS
from permacite.options import from_json
from permacite.service.citations.parts import WAYS, CiteTarget
from permacite.service.names import as_address
from permacite.service.reader.selection import Selected
from permacite.web import headers
from permacite.web.requests import (
    JSONAnswer,
    ask,
    body_of,
    check_reference,
    is_own,
    next_link,
    note_written,
    parse_number,
    requested_page,
)
from permacite.web.templates import kept, page
from permacite.words import LANGUAGES

if TYPE_CHECKING:
    from starlette.requests import Request


__all__ = [
    "cite",
    "cite_form",
    "derive",
    "documents",
    "look_up",
    "passages",
    "place",
    "proof",
    "quoters",
    "quotes",
    "reference",
    "show",
    "statements",
    "versions",
]


_PROOFS = {"zip": "application/zip", "html": "text/html"}
"""The forms of a proof, and their media types."""
_TARGET = ("quote", "before", "after", "page", *WAYS, "nth", "frame")
"""Members that a selector stands in place of."""
_COUNTS, _AROUND = ("start", "end", "checksum"), ("head", "before", "after")
_NUMBERS_OF_A_PART = ("left", "top", "right", "bottom"), ("start", "end")
_NUMBER_FIELDS = {"nth": 1, "frame": 0}
"""Members that are whole numbers, and the least they may be."""


async def documents(request: Request) -> Response:
    """GET /-/api/documents?pattern=&limit=&after=&until= answers a Listing, a page of it.

    `Link: <...>; rel="next"` leads to the next page. 1000 documents are on a page at most.
    """
    pattern = request.query_params.get("pattern") or None
    page = requested_page(request.query_params)
    listing = await ask(request, lambda archive: archive.documents.list(pattern, **page))
    return _json(listing, 200, next_link(request, listing.next, listing.until))


async def show(request: Request) -> Response:
    """GET /-/api/document?name= answers a Shown."""
    return _json(
        await ask(request, lambda archive: archive.documents.show(_wanted(request, "name")))
    )


async def passages(request: Request) -> Response:
    """GET /-/api/passages?name=&quote= answers a list of Passage."""
    name, quote = _wanted(request, "name"), _wanted(request, "quote")
    return _json(await ask(request, lambda archive: archive.citations.passages(name, quote)))


async def reference(request: Request) -> Response:
    """GET /-/api/reference?name=&style=&for= answers a Description, or the text of a style.

    `for=hypothesis` and `for=zotero` answer a passage as that program keeps it.
    """
    name, style = _wanted(request, "name"), request.query_params.get("style")
    program = request.query_params.get("for")
    if program is not None:
        told = await ask(
            request, lambda archive: archive.citations.selection_export.write(program, name)
        )
        return Response(told, headers=headers.reader_headers(), media_type="application/json")
    if style is None:
        return _json(
            await ask(request, lambda archive: archive.citations.references.describe(name))
        )
    return _json(
        {
            "style": style,
            "text": await ask(
                request, lambda archive: archive.citations.references.styled(name, style)
            ),
        }
    )


async def proof(request: Request) -> Response:
    """GET /-/api/proof?name=&format= answers a proof, which `permacite verify` checks offline.

    `format` is zip, or html for a page to keep that checks itself, in English or in that of `lang`.
    """
    form = request.query_params.get("format") or "zip"
    if form not in _PROOFS:
        raise ParseError("expected zip or html", form, 0)
    html = form == "html"
    language = request.query_params.get("lang") or LANGUAGES[0]
    if language not in LANGUAGES:
        raise ParseError(f"expected {', '.join(LANGUAGES)}", language, 0)
    name = _wanted(request, "name")
    content = await ask(request, lambda archive: archive.prove(name, html=html, language=language))
    fields = headers.bytes_headers() | {
        "Content-Disposition": f'attachment; filename="proof.{form}"',
        "Cache-Control": "no-cache",
    }
    return Response(content, headers=fields, media_type=_PROOFS[form])


async def look_up(request: Request) -> Response:
    """POST /-/api/look-up answers a list of LookedUp: one for each name of a JSON list, in order.

    1000 names and addresses are looked up at a time at most. The body may be text/uri-list instead.
    """
    body = await body_of(request)
    wanted = _names(body, media_types.essence(request.headers.get("content-type", "")))
    if len(wanted) > LARGEST_PAGE_ITEMS:
        raise HTTPException(413, f"expected at most {LARGEST_PAGE_ITEMS} names")
    found = await ask(request, lambda archive: list(archive.documents.look_ups.look_up(wanted)))
    return _json(found)


def _names(body: bytes, kind: str) -> list[str]:
    """The names in a body. Raises ParseError, 415."""
    text = body.decode("utf-8", "replace")
    if kind == "text/uri-list":  # RFC 2483 §5
        lines = (line.strip() for line in text.splitlines())
        return [line for line in lines if line and not line.startswith("#")]
    if kind != "application/json":
        raise HTTPException(415, "expected application/json or text/uri-list")
    try:
        wanted: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"expected JSON: {error}", text[:80], 0, "RFC 8259") from None
    if not isinstance(wanted, list) or not all(isinstance(each, str) for each in wanted):
        raise ParseError("expected a list of names", text[:80], 0)
    return wanted


async def quotes(request: Request) -> Response:
    """GET /-/api/quotes?name= answers a list of Quotation: what a document quotes."""
    quotations = await ask(request, lambda archive: archive.quotations.of(_wanted(request, "name")))
    return JSONAnswer(quotations, headers=headers.reader_headers())


async def quoters(request: Request) -> Response:
    """GET /-/api/quoters?name=&limit=&after= answers a list of Quotation, a page of it.

    Who quotes a name, or overlaps it. `Link: <...>; rel="next"` leads to the next page; 1000 are on
    one at most, and where `limit` says nothing.
    """
    name = _wanted(request, "name")
    page = requested_page(request.query_params, usual=LARGEST_PAGE_ITEMS)
    known = await ask(
        request,
        lambda archive: archive.quotations.quoter_page(
            name, limit=page["limit"], after=page["after"]
        ),
    )
    return _json(known.items, 200, next_link(request, known.next))


async def versions(request: Request) -> Response:
    """GET /-/api/versions?name=&limit=&after= answers a Through, a page of it.

    What became of a cited passage in the other versions of its document. `Link: <...>; rel="next"`
    leads to the next page; 10 versions are on one where `limit` says nothing.
    """
    name, after = _wanted(request, "name"), request.query_params.get("after")
    page = requested_page(request.query_params, usual=VERSION_ITEMS)
    through = await ask(
        request,
        lambda archive: archive.drift.versions(
            name,
            limit=page["limit"],
            after=parse_number(after, "after") if after else None,
            longest=COMPARED_BYTES,
        ),
    )
    place = None if through.next is None else str(through.next)
    return _json(through, 200, next_link(request, place))


async def statements(request: Request) -> Response:
    """GET /-/api/statements?name=&predicate=&limit=&after= answers a list of Statement.

    About anything without a name. `Link: <...>; rel="next"` leads to the next page; 1000 are on one
    at most, and where `limit` says nothing. Where `Accept` says application/ld+json, the same as
    JSON-LD.
    """
    name = request.query_params.get("name") or None
    predicate = request.query_params.get("predicate") or None
    wanted = requested_page(request.query_params, usual=LARGEST_PAGE_ITEMS)
    page = await ask(
        request,
        lambda archive: archive.annotations.statements.page(
            name,
            predicate=predicate,
            parts=name is not None,
            limit=wanted["limit"],
            after=wanted["after"],
        ),
    )
    fields = headers.reader_headers() | {"Vary": "Accept"} | next_link(request, page.next)
    if "application/ld+json" in request.headers.get("accept", ""):
        linked = await ask(
            request, lambda archive: archive.annotations.statements.json_ld(list(page.items))
        )
        return JSONAnswer(linked, headers=fields, media_type="application/ld+json")
    return JSONAnswer(page.items, headers=fields)


async def cite(request: Request) -> Response:
    """POST /-/api/cite {reference, quote | a part | selector, nth, before, after, page, ...}.

    Answers a Cited.

    A part is one of the members `char`, `line` (places in the text), `elt`, `name`, `rect`, `sec`,
    `msec`, `crop` and `byte` (of the format that `reference` names), each a text as `permacite
    cite` takes it: `{"rect": "5,10,25,30", "frame": 2}`, `{"sec": "12,31"}`,
    `{"sec": "0:12.5-0:31"}`, `{"crop": "sec,12,31,5,10,25,30"}`, `{"byte": "0,100"}`. Without one,
    the fragment in `reference` is cited. A part of a recording in which something is damaged is
    cited if `damaged` is true.

    In place of all these `selector` is what another program selected: a Web Annotation, a selector
    or an array of them, an annotation of Hypothesis, an annotation or a position of Zotero.
    """
    wanted, body = await _object(request)
    check_reference(request, str(wanted["reference"]))
    if wanted.get("selector") is not None:
        return await _cite_selected(request, wanted, body)
    return await _cite(request, wanted, body)


async def derive(request: Request) -> Response:
    """POST /-/api/derive {reference, renew, rendition} answers a Derived: a document gets its text.

    405 where the server does not write without a token. `renew`: whether newer rules may make a new
    version. `rendition`: other rules than the usual ones, such as docx-reviewed-text.
    """
    wanted, body = await _object(request)
    renew, rendition = wanted.get("renew") is True, wanted.get("rendition")
    if rendition is not None and not isinstance(rendition, str):
        raise ParseError("expected text in `rendition`", body, max(0, body.find("rendition")))
    reference = str(wanted["reference"])
    check_reference(request, reference)
    derived = await ask(
        request,
        lambda archive: archive.documents.derivations.derive(
            reference, renew=renew, rendition=rendition
        ),
    )
    await note_written(request, derived.text or derived.pdi)
    return _json(derived)


async def place(request: Request) -> Response:
    """POST /-/api/place {reference, start, end, head, before, after, checksum} answers a Place.

    What the reader's frame tells of a selection: how many characters stand before its start and its
    end, white space not counted; the first of them that are selected, and those around; a CRC-32
    of those selected, in UTF-8. Changes nothing: `char` of the answer is what `cite` takes.
    """
    wanted, body = await _object(request)
    told: dict[str, Any] = {name: wanted.get(name) for name in (*_COUNTS, *_AROUND)}
    for name, value in told.items():
        if name in _COUNTS and (type(value) is not int or value < 0):
            raise ParseError(f"expected a number in `{name}`", body, max(0, body.find(name)))
        if name in _AROUND and not isinstance(value, str):
            raise ParseError(f"expected text in the member `{name}`", body, max(0, body.find(name)))
    return _json(
        await ask(
            request,
            lambda archive: archive.documents.reader.place(
                str(wanted["reference"]), Selected(**told)
            ),
        )
    )


async def _object(request: Request) -> tuple[dict[str, object], str]:
    """The JSON object that a request holds, which has a `reference`, and its text."""
    if media_types.essence(request.headers.get("content-type", "")) != "application/json":
        raise HTTPException(415, "expected Content-Type: application/json")
    body = (await body_of(request)).decode("utf-8", "replace")
    try:
        wanted = json.loads(body)
    except json.JSONDecodeError as error:
        raise ParseError(error.msg, body, error.pos, "RFC 8259") from error
    if not isinstance(wanted, dict) or not isinstance(wanted.get("reference"), str):
        raise ParseError("expected an object with the member `reference`", body, 0)
    return wanted, body


async def _cite(request: Request, wanted: dict[str, object], body: str) -> Response:
    target, reference = from_json(CiteTarget, wanted, body), str(wanted["reference"])
    note = wanted.get("note")
    if note is not None and not isinstance(note, str):
        raise ParseError("expected text in the member `note`", body, max(0, body.find("note")))
    cited = await ask(request, lambda archive: archive.cite(reference, target, note=note))
    await note_written(request, cited.reference)
    return _json(cited, 201, {"Location": cited.url})


async def _cite_selected(request: Request, wanted: dict[str, object], body: str) -> Response:
    others = [name for name in _TARGET if name in wanted]
    if others:
        problem = f"expected `selector` or `{others[0]}`, found both"
        raise ParseError(problem, body, max(0, body.find(others[0])))
    note = wanted.get("note")
    selector = json.dumps(wanted["selector"])
    cited = await ask(
        request,
        lambda archive: archive.citations.selections.cite(
            str(wanted["reference"]), selector, note=note if isinstance(note, str) else None
        ),
    )
    await note_written(request, cited.reference)
    return _json(cited, 201, {"Location": cited.url})


async def cite_form(request: Request) -> Response:
    """POST /-/cite: the same from a plain form, for readers without scripts.

    Fields: reference, quote or one of the parts, nth, frame. Empty ones count as left out. `left`,
    `top`, `right` and `bottom` are a rectangle too, `start` and `end` a time; both are a `crop`.
    `show=text` leads on to the citation in the text. A quote that stands in several places, or in
    none, is answered with a page of places to choose from.
    """
    if not is_own(request):  # a form can come from any site
        raise HTTPException(403, "a citation is made from this archive's own pages alone")
    form = _form(await body_of(request))
    fields: dict[str, Any] = {name: form[name] for name in ("quote", *WAYS) if form.get(name)}
    fields |= {
        name: parse_number(form[name], name, least=least)
        for name, least in _NUMBER_FIELDS.items()
        if form.get(name)
    }
    target = CiteTarget(**fields)
    wanted, show = form.get("reference", ""), form.get("show", "")
    request.state.typed = form.get("quote", "")
    check_reference(request, wanted)
    try:
        cited = await ask(request, lambda archive: archive.cite(wanted, target))
    except NotFoundError as error:
        # What is withdrawn has no places to choose from.
        if isinstance(error, RestrictedError) or fields.keys() != {"quote"}:
            raise
        return await _choice(request, wanted, form["quote"], show)
    await note_written(request, cited.reference)
    in_text = "&show=text" if show == "text" else ""
    return RedirectResponse(kept(request, f"/{as_address(cited.reference)}{in_text}"), 303)


async def _choice(request: Request, wanted: str, quote: str, show: str) -> Response:
    """The places of a quote that stands in several, or what is most like one that does not."""
    count, places = await ask(request, lambda archive: archive.citations.choices(wanted, quote))
    return page(
        request,
        "choose.html",
        300 if count else 404,
        reference=wanted,
        quote=quote,
        show=show,
        count=count,
        places=places,
    )


def _form(body: bytes) -> dict[str, str]:
    """Read application/x-www-form-urlencoded fields; one field for the numbers of a part."""
    from starlette.datastructures import QueryParams

    form = dict(QueryParams(body.decode("ascii", "replace")).items())
    corners, times = ([form.pop(name, "") for name in names] for names in _NUMBERS_OF_A_PART)
    rectangle, time = ",".join(corners) if any(corners) else "", "-".join(times)
    if any(times):
        return form | ({"crop": f"sec,{time},{rectangle}"} if rectangle else {"sec": time})
    return form | ({"rect": rectangle} if rectangle else {})


def _wanted(request: Request, name: str) -> str:
    value = request.query_params.get(name)
    if not value:
        raise ParseError(f"expected the parameter `{name}`", request.url.query, 0)
    return value


def _json(value: object, status: int = 200, fields: dict[str, str] | None = None) -> Response:
    return JSONAnswer(value, status, headers.reader_headers() | (fields or {}))
