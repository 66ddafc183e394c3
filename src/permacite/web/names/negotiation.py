"""Which form of a document a request wants: the reader's page, the bytes, or JSON.

The choice follows the Accept field (RFC 9110 §12.5.1); `?view=` overrides it, for links.
"""

from __future__ import annotations

from typing import Literal

from permacite.web.headers import weights

__all__ = ["View", "chosen_view"]

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
