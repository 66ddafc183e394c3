"""Headers that keep archived pages harmless, and headers that describe a representation.

An archived page is hostile. It is shown in a frame of an opaque origin, under a policy that lets
it load nothing and run nothing but one script of ours, named by its digest. Its links lead to a
page of ours alone, and that opens outside of the frame; the reader around it may load its own
assets alone, so that whatever else is in the frame leads nowhere.
"""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "FRAME_SANDBOX",
    "View",
    "bytes_headers",
    "chosen_language",
    "chosen_view",
    "frame_headers",
    "kept_from_view",
    "names_tag",
    "reader_headers",
    "repr_digest",
    "weights",
]

_PAGES = frozenset({"text/html", "multipart/related", "message/rfc822"})
_SHOWN = frozenset({"document", "frame", "iframe", "embed", "object", "fencedframe"})
"""What Sec-Fetch-Dest says where a browser is to show what it asks for (Fetch Metadata §2.1)."""

FRAME_SANDBOX = "allow-scripts allow-popups allow-popups-to-escape-sandbox"
"""The frame's sandbox: without allow-same-origin its origin is opaque; ours is the one script.

A link that somebody follows may open a window, which is no longer in the sandbox: a page of ours.
"""

_COMMON = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-DNS-Prefetch-Control": "off",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}

_READER_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)

_FRAME_POLICY = (
    "default-src 'none'; {script}img-src data: blob:; style-src 'unsafe-inline' data:; "
    "font-src data:; media-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'; sandbox {sandbox}"
)


def reader_headers() -> dict[str, str]:
    """The headers of the reader's own pages; no page of another site has a hold of their window."""
    return _COMMON | {
        "Content-Security-Policy": _READER_POLICY,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": "no-cache",
    }


def frame_headers(script: str) -> dict[str, str]:
    """The headers of an archived page in its frame; only `script`, exactly, may run."""
    allowed = ""
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        allowed = f"script-src 'sha256-{digest}'; "
    policy = _FRAME_POLICY.format(script=allowed, sandbox=FRAME_SANDBOX)
    return _COMMON | {"Content-Security-Policy": policy, "Cache-Control": "no-cache"}


def bytes_headers() -> dict[str, str]:
    """The headers of archived bytes as they are: shown by a browser, they can do nothing."""
    return _COMMON | {"Content-Security-Policy": "default-src 'none'; sandbox"}


def kept_from_view(media_type: str, destination: str | None) -> dict[str, str]:
    """The header that has a browser keep octets which it would show as a page.

    A page in a sandbox may still connect ahead, and tells who opened it how many frames it has.
    """
    kind = media_type.lower()
    is_page = kind.endswith(("/xml", "+xml")) or kind in _PAGES
    if not is_page or destination not in _SHOWN:
        return {}
    return {"Content-Disposition": "attachment"}


def names_tag(wanted: str | None, tag: str) -> bool:
    """Whether an If-None-Match field names a tag; weak and strong are alike (RFC 9110 §13)."""
    tags = {item.strip().removeprefix("W/") for item in (wanted or "").split(",")}
    return tag in tags or "*" in tags


def weights(field: str) -> dict[str, float]:
    """The weight of each that an Accept field names (RFC 9110 §12.4.2); faulty ones count as 0."""
    named: dict[str, float] = {}
    for item in field.split(","):
        name, *parameters = (part.strip().lower() for part in item.split(";"))
        weight = 1.0
        for parameter in parameters:
            if parameter.startswith("q="):
                try:
                    weight = min(1.0, max(0.0, float(parameter[2:])))
                except ValueError:
                    weight = 0.0
        named[name] = weight
    return named


def chosen_language(fields: Mapping[str, str], offered: Sequence[str]) -> str:
    """What Accept-Language asks for most of what is offered; the first for nothing of it.

    A tag asks for what it begins with too: `de-CH` for `de` (Lookup, RFC 4647 §3.4).
    """
    wanted = weights(fields.get("accept-language", ""))
    for tag in sorted(wanted, key=wanted.__getitem__, reverse=True):
        if not wanted[tag]:
            break
        if tag == "*":
            return next((item for item in offered if wanted.get(item) != 0), offered[0])
        language = tag.partition("-")[0]
        if language in offered:
            return language
    return offered[0]


def repr_digest(content: bytes) -> dict[str, str]:
    """Repr-Digest (RFC 9530) and a strong ETag made of the same digest."""
    digest = hashlib.sha256(content)
    encoded = base64.b64encode(digest.digest()).decode()
    return {"Repr-Digest": f"sha-256=:{encoded}:", "ETag": f'"{digest.hexdigest()}"'}


View = Literal["reader", "bytes", "json", "preview"]

_VIEWS: dict[str | None, View] = {
    "reader": "reader",
    "bytes": "bytes",
    "json": "json",
    "preview": "preview",
}

_OFFERED: tuple[tuple[str, View], ...] = (("text/html", "reader"), ("application/json", "json"))


def chosen_view(accept: str, wanted: str | None) -> View:
    """What to answer with. Browsers ask for text/html by name; programs rarely do."""
    if wanted in _VIEWS:
        return _VIEWS[wanted]
    wanted_most = weights(accept)
    best: View = "bytes"
    best_weight = 0.0
    for media_type, view in _OFFERED:
        weight = wanted_most.get(media_type, 0.0)
        if weight > best_weight:
            best, best_weight = view, weight
    return best
