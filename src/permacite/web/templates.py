"""Templates and assets of the reader: pages in the language of the visitor, styles and scripts.

The language is that of `?lang=`, which every link of such a page keeps, or else what the browser
asks for (Accept-Language). No cookie is set, so that a link says all that it shows. Every value in
a page is escaped.

Pages ask for assets (style sheet, scripts, icon) under a path with the digest of all of them, which
browsers may keep for a year. The digest covers all, because scripts import one another by name. The
same names without a digest, or with another one, are answered too, and are not kept.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.exceptions import HTTPException
from starlette.responses import Response

from permacite.service.citations.parts import clock, told_of
from permacite.service.names import as_address
from permacite.service.reader.links import apart
from permacite.web import headers
from permacite.web.requests import JSONAnswer, at
from permacite.web.route import cache_field
from permacite.words import ENGLISH, LANGUAGES, Words, words_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

    from permacite.service.citations.recorded import Cited

__all__ = [
    "FOLDER",
    "address_of",
    "asset",
    "description",
    "edition",
    "kept",
    "page",
    "prepare",
    "words_for",
]

_ENVIRONMENT = Environment(
    loader=PackageLoader("permacite.web", "pages"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_OF_SCRIPTS = ("script",)
"""The tables of words that scripts need too."""
FOLDER = Path(__file__).parent / "static"
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_ASSETS = {
    path.name: path.read_bytes() for path in sorted(FOLDER.iterdir()) if path.suffix in _TYPES
}
_DESCRIPTION = FOLDER / "openapi.json"
_EDITION = hashlib.sha256(
    b"".join(
        hashlib.sha256(name.encode() + b"\0" + content).digest()
        for name, content in _ASSETS.items()
    )
).hexdigest()[:16]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _spaced(text: str) -> str:
    """A text on one line that stands between others: a space where there was any white space."""
    return re.sub(r"\s+", " ", text)


def _sentence(text: str) -> str:
    """A notice as a sentence of its own."""
    return f"{text[:1].upper()}{text[1:]}."


_ENVIRONMENT.filters |= {
    "as_address": as_address,
    "clock": clock,
    "one_line": _one_line,
    "sentence": _sentence,
    "spaced": _spaced,
}
_ENVIRONMENT.globals["apart_in"] = apart


class _Choice(NamedTuple):
    """A language that the page can be read in."""

    language: str
    name: str
    address: str


def words_for(request: Request) -> Words:
    """The words of the language that a request asks for."""
    language = _asked(request)
    return words_in(language or headers.chosen_language(request.headers, LANGUAGES))


def kept(request: Request, address: str) -> str:
    """An address of ours that goes on in the language that was chosen, where one was."""
    language, address = _asked(request), at(request, address)
    if language is None:
        return address
    resource, mark, fragment = address.partition("#")
    return f"{resource}{'&' if '?' in resource else '?'}lang={language}{mark}{fragment}"


def _asked(request: Request) -> str | None:
    language = request.query_params.get("lang")
    return language if language in LANGUAGES else None


def _choices(request: Request) -> list[_Choice]:
    """The same page in each language; home, where the page answers a form."""
    fields = [item for item in request.query_params.multi_items() if item[0] != "lang"]
    path, fields = ("", fields) if request.method in {"GET", "HEAD"} else (at(request, "/"), [])
    return [
        _Choice(
            language,
            words_in(language)("language.name"),
            f"{path}?{urlencode([*fields, ('lang', language)])}",
        )
        for language in LANGUAGES
    ]


def prepare() -> None:
    """Compile all templates, which are compiled when they are first asked for else."""
    for name in _ENVIRONMENT.list_templates():
        _ENVIRONMENT.get_template(name)


def _told(cited: Cited, words: Words) -> str:
    """What is cited, on one line: the words, or else the part and the title."""
    before = ENGLISH("parts.of", part=cited.part, title="")
    if not cited.part or not cited.told.startswith(before):
        return cited.told
    part = told_of(cited.reference, words)
    return words("parts.of", part=part, title=cited.told.removeprefix(before))


def page(
    request: Request,
    template: str,
    status: int = 200,
    *,
    fields: Mapping[str, str] | None = None,
    **values: object,
) -> Response:
    """An answer made from a template of `pages/`, with `fields` beside those of every page."""
    words = words_for(request)
    language = _asked(request)

    def t(key: str, /, **parts: object) -> Markup:
        """The sentence of a key; what it is made of is escaped, unless it is markup."""
        return escape(words.pattern(key, parts)).format(**words.shown(parts))

    def reason(code: str) -> str:
        """Why something is not given out; early archives said it in words of their own."""
        return words(f"reason.{code}") if f"reason.{code}" in words.texts else code

    hidden = Markup('<input type="hidden" name="lang" value="{}">\n').format(language)
    body = _ENVIRONMENT.get_template(template).render(
        values,
        t=t,
        words=words,
        kept=lambda address: kept(request, address),
        at=lambda address: at(request, address),
        static=lambda name: at(request, address_of(name)),
        base=at(request, "/").removesuffix("/"),
        reason=reason,
        told=lambda item: _told(item, words),
        language_kept=hidden if language else "",
        languages=_choices(request),
        words_of_scripts=words.texts_under(*_OF_SCRIPTS),
    )
    shown = headers.reader_headers() | dict(fields or {}) | {"Content-Language": words.language}
    shown["Vary"] = ", ".join(filter(None, [(fields or {}).get("Vary"), "Accept-Language"]))
    return Response(body, status, shown, "text/html")


def address_of(name: str) -> str:
    """The address of one, for as long as none of them changes."""
    return f"/-/static/{_EDITION}/{name}"


async def asset(request: Request) -> Response:
    """GET /-/static/{file}: the reader's stylesheet, scripts and icon."""
    return _answer(request, headers.reader_headers())


async def edition(request: Request) -> Response:
    """GET /-/static/{edition}/{file}: the same, to be kept for a year; pages ask for these."""
    is_this = request.path_params["edition"] == _EDITION
    caching = cache_field(request) if is_this else {}
    return _answer(request, headers.reader_headers() | caching)


def _answer(request: Request, fields: dict[str, str]) -> Response:
    name = request.path_params["file"]
    content = _ASSETS.get(name)
    if content is None:
        raise HTTPException(404, "the reader has no such asset")
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    fields = fields | {"ETag": tag}
    if headers.names_tag(request.headers.get("if-none-match"), tag):
        return Response(status_code=304, headers=fields)
    return Response(content, headers=fields, media_type=_TYPES[Path(name).suffix])


async def description(request: Request) -> Response:
    """GET /-/openapi.json: this list of routes, for programs (OpenAPI 3.1)."""
    described = json.loads(_DESCRIPTION.read_bytes())
    described["servers"] = [{"url": at(request, "/").removesuffix("/") or "/"}]
    kind = "application/vnd.oai.openapi+json"
    return JSONAnswer(described, 200, headers.reader_headers(), kind)
