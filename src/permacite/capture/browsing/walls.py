"""Walls: what a server shows in place of a page to whom it takes for a robot. None is got round.

They are told by marks that the makers of such walls put there for all to see: a header field, the
title of the page in between, the address of the script that asks. A mark says no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.capture.model import Headers

__all__ = ["wall"]

_FIELDS = {
    "cf-mitigated": "Cloudflare's challenge",
    "x-datadome": "DataDome's challenge",
    "x-amzn-waf-action": "a challenge of AWS WAF",
    "x-sucuri-block": "Sucuri's wall",
}
_MARKS = tuple(
    (compile_pattern(mark), name)
    for mark, name in (
        (rb"/cdn-cgi/challenge-platform/[^\"' >]{0,80}orchestrate/", "Cloudflare's challenge"),
        (rb"<title>Just a moment\.\.\.</title>", "Cloudflare's challenge"),
        (rb"<title>Attention Required! \| Cloudflare</title>", "Cloudflare's wall"),
        (rb"geo\.captcha-delivery\.com", "DataDome's challenge"),
        (rb"_Incapsula_Resource\?", "Imperva's challenge"),
        (rb"<title>Making sure you(?:&#39;|')re not a bot!</title>", "Anubis' challenge"),
        (rb"/\.within\.website/x/cmd/anubis/", "Anubis' challenge"),
        (rb"id=[\"']?px-captcha", "HUMAN's challenge"),
        (rb"\.awswaf\.com/[^\"' >]{0,120}/challenge\.js", "a challenge of AWS WAF"),
        (rb"<title>Access Denied</title>[^<]{0,200}", "Akamai's wall"),
    )
)
_HEAD = 64 * 1024
"""How much of a page is looked at: those of walls are small."""
_SMALL = 32 * 1024
"""A larger page has more to say than that there is a wall."""
_REFUSED = frozenset({401, 403, 405, 429, 503})


def wall(status: int, headers: Headers, content: bytes) -> str | None:
    """Say whose wall an answer is; None where it is none, or none that is known."""
    for name, value in headers:
        if name.lower() in _FIELDS and value.strip().lower() not in {"", "protected", "0"}:
            return _FIELDS[name.lower()]
    if status not in _REFUSED and len(content) > _SMALL:
        return None
    head = content[:_HEAD]
    return next((name for mark, name in _MARKS if mark.search(head)), None)
