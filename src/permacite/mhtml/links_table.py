"""Table of the attributes of HTML and SVG that hold references, and their purpose.

Sources: HTML Living Standard (attributes index, obsolete features §16), HTML 4.01, SVG 2 §16.1.
Names are local names in lower case, so that `xlink:href` is `href`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

__all__ = ["ATTRIBUTES", "LAZY", "PAINT", "Kind", "Role", "link_relation"]

Role: TypeAlias = Literal["embed", "navigate", "hint", "base", "refresh"]
"""Shown with the page; where it leads; what may be wanted later; what references are resolved
against; where it goes by itself."""

Kind: TypeAlias = Literal[
    "anchor",
    "base",
    "cite",
    "codebase",
    "dns-prefetch",
    "font",
    "form",
    "frame",
    "icon",
    "image",
    "import",
    "link",
    "manifest",
    "media",
    "modulepreload",
    "object",
    "ping",
    "preconnect",
    "prefetch",
    "preload",
    "prerender",
    "refresh",
    "script",
    "style-url",
    "stylesheet",
    "svg",
    "track",
]

_EMBED: dict[Kind, str] = {
    "image": "img.src img.srcset source.srcset img.lowsrc img.dynsrc image.src image.href "
    "feimage.href video.poster body.background table.background thead.background "
    "tbody.background tfoot.background tr.background td.background th.background",
    "frame": "iframe.src frame.src portal.src fencedframe.src",
    "media": "video.src audio.src source.src bgsound.src",
    "track": "track.src",
    "object": "object.data object.archive applet.archive embed.src",
    "script": "script.src script.href",
    "svg": "use.href lineargradient.href radialgradient.href pattern.href textpath.href "
    "mpath.href filter.href tref.href cursor.href animate.href animatemotion.href "
    "animatetransform.href set.href discard.href color-profile.href font-face-uri.href",
}
_NAVIGATE: dict[Kind, str] = {
    "anchor": "a.href area.href",
    "form": "form.action button.formaction input.formaction isindex.action",
    "cite": "blockquote.cite q.cite ins.cite del.cite img.longdesc frame.longdesc iframe.longdesc",
}
_HINT: dict[Kind, str] = {
    "manifest": "html.manifest",
    "codebase": "object.codebase applet.codebase",
    "ping": "a.ping area.ping",
    "preload": "link.imagesrcset",
}


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _rows(role: Role, kinds: dict[Kind, str]) -> dict[tuple[str, str], tuple[Role, Kind]]:
    return {
        (element, attribute): (role, kind)
        for kind, names in kinds.items()
        for element, _, attribute in (name.partition(".") for name in names.split())
    }


ATTRIBUTES: dict[tuple[str, str], tuple[Role, Kind]] = {
    **_rows("embed", _EMBED),
    **_rows("navigate", _NAVIGATE),
    **_rows("hint", _HINT),
    ("base", "href"): ("base", "base"),
}
"""(element, attribute) -> (role, kind); the rest depends on other attributes."""

PAINT = _names("clip-path cursor fill filter marker marker-end marker-mid marker-start mask stroke")
"""Presentation attributes of SVG, whose value is CSS."""

LAZY = _names(
    "data-src data-lazy-src data-original data-background data-background-image data-bg data-poster"
)
"""Where scripts keep what they will show later; `data-srcset` and its kind are read as `srcset`."""

_ICONS = _names(
    "icon apple-touch-icon apple-touch-icon-precomposed apple-touch-startup-image mask-icon "
    "fluid-icon"
)
_HINTS: tuple[Kind, ...] = (
    "manifest",
    "preload",
    "modulepreload",
    "prefetch",
    "prerender",
    "preconnect",
    "dns-prefetch",
)


def link_relation(rel: str) -> tuple[Role, Kind]:
    """What a `link` element is for, by its `rel`: the strongest use of all it names."""
    relations = rel.lower().split()
    if "stylesheet" in relations:
        return "embed", "stylesheet"
    if _ICONS.intersection(relations):
        return "embed", "icon"
    for hint in _HINTS:
        if hint in relations:
            return "hint", hint
    return "navigate", "link"
