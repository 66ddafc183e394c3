"""Composition of references from components, and replacement of components.

| section | function |
|---|---|
| RFC 2396 §5.2(7) (recombination), §3 | `compose`, `replace` |

What is put together is parsed again: a text whose components would not be those that were asked for
is refused, with the component that is to blame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.errors import ParseError
from permacite.uri.faults import component_faults
from permacite.uri.reference import parse
from permacite.uri.syntax import GRAMMARS, PATH, QUERY, USERINFO

if TYPE_CHECKING:
    from types import EllipsisType

    from permacite.uri.reference import Reference
    from permacite.uri.syntax import Profile

    Changed = str | None | EllipsisType
    Parts = dict[str, str | None]

__all__ = ["compose", "replace"]

_LEGAL = {
    # the components that are only runs of characters; the others are judged in the whole
    "opaque_part": ("opaque part", QUERY),
    "path": ("path", PATH),
    "query": ("query", QUERY),
    "fragment": ("fragment", QUERY),
}


def compose(
    *,
    scheme: str | None = None,
    opaque_part: str | None = None,
    authority: str | None = None,
    path: str | None = None,
    query: str | None = None,
    fragment: str | None = None,
    profile: Profile = "rfc2396",
) -> Reference:
    """Return the reference that has exactly these components, which are escaped already.

    None is an absent component, "" an empty one; a path of None is empty where there is no
    opaque part. Raises ParseError, in the component or else in the whole, where there is none.
    """
    parts = {
        "scheme": scheme,
        "opaque_part": opaque_part,
        "authority": authority,
        "path": path if path is not None or opaque_part is not None else "",
        "query": query,
        "fragment": fragment,
    }
    for name, (what, legal) in _LEGAL.items():
        for fault in component_faults(parts.get(name) or "", legal, what, profile):
            raise fault
    text = _recombine(parts)
    reference = parse(text, profile)
    for name, part in parts.items():
        if getattr(reference, name) != part:
            _refuse(name, part, reference)
    return reference


def _recombine(parts: dict[str, str | None]) -> str:
    """Put separators before the components that are there (§5.2(7))."""
    before = {"authority": "//", "query": "?", "fragment": "#"}
    text = "" if parts["scheme"] is None else parts["scheme"] + ":"
    for name in ("opaque_part", "authority", "path", "query", "fragment"):
        part = parts[name]
        text += "" if part is None else before.get(name, "") + part
    return text


def _refuse(name: str, part: str | None, reference: Reference) -> None:
    """Raise for a component that would be read as something else."""
    what = name.replace("_", " ")
    wanted = f"without {what}" if part is None else f"with the {what} {part!r}"
    problem = f"this would not be read as a reference {wanted}"
    raise ParseError(problem, reference.text, 0, f"{GRAMMARS[reference.profile].rfc} §3")


def replace(  # noqa: PLR0913 - one option for each component
    reference: Reference,
    *,
    scheme: Changed = ...,
    opaque_part: Changed = ...,
    authority: Changed = ...,
    userinfo: Changed = ...,
    host: Changed = ...,
    port: int | Changed = ...,
    path: Changed = ...,
    query: Changed = ...,
    fragment: Changed = ...,
) -> Reference:
    """Return `reference` with other components; None takes one away, `...` keeps it.

    `userinfo`, `host` and `port` change a part of the authority, which must have a host then.
    Raises ParseError where the result would not have exactly these components.
    """
    if not (userinfo is host is port is ...):
        authority = _server(reference, userinfo, host, port)
    return compose(
        scheme=reference.scheme if scheme is ... else scheme,
        opaque_part=reference.opaque_part if opaque_part is ... else opaque_part,
        authority=reference.authority if authority is ... else authority,
        path=reference.path if path is ... else path,
        query=reference.query if query is ... else query,
        fragment=reference.fragment if fragment is ... else fragment,
        profile=reference.profile,
    )


def _server(
    reference: Reference, userinfo: Changed, host: Changed, port: int | Changed
) -> str | None:
    """[ [ userinfo "@" ] host [ ":" port ] ]   (RFC 2396 §3.2.2)."""
    userinfo = reference.userinfo if userinfo is ... else userinfo
    host = reference.host if host is ... else host
    digits = reference.port_text if port is ... else port
    digits = None if digits is None else str(digits)
    rfc, profile = GRAMMARS[reference.profile], reference.profile
    if host is None:
        if userinfo is None and digits is None:
            return None
        raise ParseError("userinfo and port need a host", reference.text, 0, f"{rfc.rfc} §3.2.2")
    for fault in component_faults(userinfo or "", USERINFO, "userinfo", profile):
        raise fault
    for fault in component_faults(digits or "", "[0-9]*+", "port", profile):
        raise fault
    matched = rfc.server(host)
    if matched is None or matched[2] != host:
        raise ParseError(f"{host!r} is not a host", host, 0, f"{rfc.rfc} §3.2.2")
    before = "" if userinfo is None else userinfo + "@"
    return before + host + ("" if digits is None else ":" + digits)
