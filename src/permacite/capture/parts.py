"""A capture as body parts of an aggregate document: labels, types and bytes as they came."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.mhtml import Resource

if TYPE_CHECKING:
    from permacite.capture.model import Capture

__all__ = ["body_parts"]


def body_parts(capture: Capture) -> tuple[Resource, tuple[Resource, ...]]:
    """Return the root and the other resources, ready for `permacite.mhtml.build`.

    Each is labelled with the URI that the page refers to it by. The root is labelled with the URI
    that it came from at last, for that is the base of its references. A resource of a redirected
    frame or style sheet appears a second time, under the name that its references have when they
    are resolved against that frame's label (RFC 2557 §5 knows no redirects). Pages that led to the
    root come next, under the URIs that they were asked by.
    """
    others = (*capture.led_by, *capture.resources)
    by_uri = {each.uri: each for each in capture.resources}
    root = Resource(capture.root.content, capture.root.content_type, capture.root.final_uri)
    labels = [(each.uri, each) for each in others]
    labels += [(label, by_uri[uri]) for label, uri in capture.aliases]
    taken = {capture.root.final_uri}
    resources = []
    for label, exchange in labels:
        if label not in taken:
            taken.add(label)
            resources.append(Resource(exchange.content, exchange.content_type, label))
    return root, tuple(resources)
