"""Resolve references that are no names: a part of a text on the web or on this machine.

`http:`, `https:` and `file:` references with a fragment of RFC 5147 (`#char=10,25`) or of its
first draft (`#match(word)`). The text is whatever stands there now; integrity checks in the
fragment tell whether it has changed. Nothing is archived.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from permacite import uri
from permacite.archive.objects.source import digest_of
from permacite.errors import IntegrityError, NotFoundError, ParseError
from permacite.fragments import Text, rfc5147, wilde00
from permacite.service import sources
from permacite.service.resolution.resolving import Resolved

if TYPE_CHECKING:
    from permacite.fragments import Location

__all__ = ["resolve"]


def resolve(reference: str, *, allow_private: bool = False, force: bool = False) -> Resolved:
    """The part of a text that `reference` names now. It needs no archive.

    Raises IntegrityError where a check in the fragment fails, unless `force`; ParseError for a
    fragment of neither syntax, and for what is no plain text.
    """
    typed = reference.strip()
    address, mark, fragment = typed.partition("#")
    content, source = _content(address, allow_private=allow_private)
    if not mark:
        return _answer(typed, address, source, content, text=None, part=content)
    if source.document.media_type != "text/plain":
        raise ParseError(
            f"expected text/plain, the address gives {source.document.media_type}",
            typed,
            len(address) + 1,
            "RFC 5147 §1",
            hint="save it first: its text has a permanent name, and parts of that can be named",
        )
    try:
        parsed = wilde00.parse(fragment) if "(" in fragment else rfc5147.parse(fragment)
    except ParseError as error:
        raise error.within(typed, len(address) + 1) from error
    entity = Text(content, source.charset or "us-ascii")
    location = entity.locate(parsed, force=force)
    _require(location, typed)
    pieces = [entity.slice(span) for span in location.spans]
    part = b"".join(content[slice(*span.byte)] for span in location.spans)
    text = "\n".join(pieces)
    return _answer(typed, address, source, content, text=text, part=part, location=location)


def _content(address: str, *, allow_private: bool) -> tuple[bytes, sources.Incoming]:
    """What stands at an address. Raises CaptureError, NotFoundError, ParseError."""
    if address.partition(":")[0].lower() == "file":
        path = _path(address)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise NotFoundError(f"no file can be read there: {error.strerror}", address) from error
        return content, sources.read_source(content, sources.media_type_of(path.name, content))
    from permacite import capture

    exchange = capture.fetch(address, capture.FetchOptions(allow_private=allow_private))
    return exchange.content, sources.source_of(exchange.document)


def _path(address: str) -> Path:
    parsed = uri.parse(address)
    if parsed.host not in (None, "", "localhost") or not parsed.path:
        raise ParseError(
            "expected a file of this machine, such as file:///home/me/notes.txt",
            address,
            len("file:"),
            "RFC 2396 §3",
        )
    return Path(os.fsdecode(uri.unquote_to_bytes(parsed.path)))


def _require(location: Location, typed: str) -> None:
    """Raise the error of a fragment that is not interpreted."""
    if location.status == "ok":
        return
    failed = next((check for check in location.checks if check.result == "failed"), None)
    if failed is not None:
        raise IntegrityError(
            f"the text has changed since this was cited: {location.problem}",
            expected=failed.expected,
            actual=failed.actual or "",
            hint="--force shows what stands at the place now",
        )
    raise NotFoundError(location.problem or "the fragment names nothing in this text", typed)


def _answer(
    typed: str,
    address: str,
    source: sources.Incoming,
    content: bytes,
    *,
    text: str | None,
    part: bytes,
    location: Location | None = None,
) -> Resolved:
    spans = location.spans if location else ()
    return Resolved(
        reference=typed,
        pdi=address,
        exact=typed,
        media_type=source.document.media_type,
        charset=source.charset,
        text=text,
        before="",
        after="",
        start=spans[0].char[0] if spans else None,
        end=spans[-1].char[1] if spans else None,
        digest=digest_of(content),
        title=source.title,
        uri=address,
        assumed=False,
        warnings=_warnings(location) if location else (),
        content=part,
    )


_NOTES = {
    "bom-stripped": "the byte order mark at the start is not counted",
    "invalid-bytes": "the text holds bytes that are no characters of its charset",
    "forced": "a check has failed; this stands at the place now, and may not be what was cited",
}
_RESULTS = {
    "other-charset": "a check was made for another charset and is not used",
    "unknown": "a check is of an unknown kind and is not used",
}


def _warnings(location: Location) -> tuple[str, ...]:
    """What the user should know about how the fragment was interpreted (RFC 5147 §4.3)."""
    warnings = [_NOTES.get(note, note) for note in location.notes]
    warnings += [f"{_RESULTS[c.result]}: {c.name}" for c in location.checks if c.result in _RESULTS]
    warnings += [f"a part is ignored: {part.part}" for part in location.parts if part.reason]
    return tuple(warnings)
