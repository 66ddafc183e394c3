"""Relativization: the short reference for an absolute URI, relative to a base.

| section | function |
|---|---|
| RFC 2396 §5 Relative URI References | `relativize` |

The law: `resolve(relativize(target, base), base).reference == target`. Each candidate is resolved
before it is returned, so that a base with dot segments, or anything else that is unusual, costs
length and never correctness.

Readings:
- RFC 2396 has no reference that means a new retrieval of the base: "" and "#s" are the current
  document. A target that equals the base gets a reference with a path.
- RFC 3986 removes dot segments from every reference, an absolute one too: a target with dot
  segments comes back as it is, and only its normal form can be resolved to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.errors import ParseError
from permacite.uri.reference import Reference, parse
from permacite.uri.resolution import Base

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.uri.syntax import Profile

__all__ = ["relativize"]


def relativize(
    target: str | Reference, base: str | Reference | Base, *, profile: Profile | None = None
) -> Reference:
    """Return the shortest of the usual references that resolves to `target` from `base`.

    `profile` is as for `resolve`. Raises ParseError if either does not parse.
    """
    prepared = base if isinstance(base, Base) else Base(base, profile=profile)
    if isinstance(target, str) or target.profile != prepared.profile:
        target = parse(str(target), prepared.profile)
    for candidate in _candidates(target, prepared.reference):
        if _means(candidate, target, prepared):
            return parse(candidate, prepared.profile)
    return target


def _means(candidate: str, target: Reference, base: Base) -> bool:
    """Whether `candidate` resolves to `target`."""
    try:
        return base.resolve(candidate).reference == target
    except ParseError:
        return False


def _candidates(target: Reference, base: Reference) -> Iterator[str]:
    """Yield references that may mean `target`, the shortest kind first."""
    if target.scheme != base.scheme or target.is_opaque or base.is_opaque:
        return
    path = target.path or ""
    fragment = "" if target.fragment is None else "#" + target.fragment
    tail = fragment if target.query is None else f"?{target.query}{fragment}"
    if target.authority == base.authority:
        yield fragment
        yield tail
        yield from (relative + tail for relative in _relative_paths(path, base.path or ""))
        yield path + tail
    if target.authority is not None:
        yield f"//{target.authority}{path}{tail}"


def _relative_paths(path: str, base: str) -> Iterator[str]:
    """Yield the way from the directory of `base` to `path`, if there is one worth writing."""
    here = base.split("/")[:-1]
    there = path.split("/")
    shared = 0
    while shared < len(here) and shared < len(there) - 1 and here[shared] == there[shared]:
        shared += 1
    relative = "../" * (len(here) - shared) + "/".join(there[shared:])
    # "./" keeps an empty first segment, and one with a colon, from being read as something else.
    yield from (way for way in (relative or ".", "./" + relative) if len(way) <= len(path))
