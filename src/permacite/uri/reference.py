"""Reference: an immutable URI reference with exact components, and its parser.

RFC 2396, Uniform Resource Identifiers (URI): Generic Syntax (T. Berners-Lee, R. Fielding,
L. Masinter, August 1998), and RFC 3986 (January 2005) as the second profile.

| section | function |
|---|---|
| §3 URI Syntactic Components, §4 URI References, App. A | `parse`, `iter_errors` |
| §3.2.1 reg_name, §3.2.2 server | `Reference.userinfo`, `.host`, `.port`, `.reg_name` |
| §3.3 Path Component | `Reference.segments`, `Segment` |
| §4.3, App. B | the division into components: the greedy rule, absent differs from empty |

Deviations: None.

Readings:
- App. A cannot derive a bare `?y`, which App. C.1 resolves: accepted (an empty path may be followed
  by a query).
- A text such as `1a:b` is neither a URI (a scheme begins with a letter) nor a relative path (no
  colon in its first segment). Errors take what stands before the colon for a scheme, as App. B.
- `http:` alone is an error (opaque_part is not empty); in RFC 3986 it is a URI with an empty path.
- An authority that does not have the form of a server is a reg_name (`//1/`, `//a_b/`): its
  userinfo, host and port are absent. An empty authority (`file:///x`) has no host either.
  In RFC 3986 every authority has a host, which may be empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from permacite.uri.faults import reference_faults
from permacite.uri.syntax import GRAMMARS

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from permacite.errors import ParseError
    from permacite.uri.syntax import Matcher, Profile

__all__ = ["Reference", "Segment", "UndividedReference", "blank", "iter_errors", "parse", "trusted"]

_MAX_PORT_DIGITS = 4000  # `int` refuses more than 4300, leading zeros included
_COMPONENTS = ("scheme", "opaque_part", "authority", "path", "query", "fragment")
_NO_SERVER = (None, None, None)


class Segment(NamedTuple):
    """A segment of a path with its parameters, all still escaped (RFC 2396 §3.3)."""

    name: str
    params: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ";".join((self.name, *self.params))


class _Components:
    """The storage of a Reference: filled here once, before it becomes immutable."""

    # By hand rather than a frozen dataclass: building one of those takes longer than the parsing.
    __slots__ = (
        "_server",
        "authority",
        "fragment",
        "opaque_part",
        "path",
        "profile",
        "query",
        "scheme",
        "text",
    )

    text: str
    profile: Profile
    scheme: str | None
    opaque_part: str | None
    authority: str | None
    path: str | None
    query: str | None
    fragment: str | None
    _server: tuple[str | None, ...]


class Reference(_Components):
    """A URI reference, exactly as written: `str()` gives back the text (RFC 2396 §4).

    Components are text, still escaped. None means absent, "" means present and empty.
    `scheme`, `opaque_part`, `authority`, `path`, `query` and `fragment` are those of §3 and §4;
    `path` and `query` are None where there is an `opaque_part`, which keeps its "?".
    `userinfo`, `host` and `port_text` are those of a server (§3.2.2); `reg_name` is the authority
    where it is not one (§3.2.1). `profile` is the grammar that the text was read by.
    Two references are equal if they have the same text and the same profile.
    """

    __slots__ = ()

    def __new__(cls, text: str, profile: Profile = "rfc2396") -> Reference:  # noqa: PYI034 - no subclass is made by it
        """Parse `text`: the same as the function `parse`."""
        return parse(text, profile)

    @property
    def userinfo(self) -> str | None:
        """What stands before the "@" of a server."""
        return self._parts_of_server()[0]

    @property
    def host(self) -> str | None:
        """The host name or address of a server."""
        return self._parts_of_server()[1]

    @property
    def port_text(self) -> str | None:
        """The port as written; "" where nothing follows the colon."""
        return self._parts_of_server()[2]

    @property
    def port(self) -> int | None:
        """The port as a number; None where it is absent or empty (see `port_text`).

        A port of more than 4,000 digits counts as the largest number of 4,000 digits.
        """
        digits = self.port_text
        if not digits:
            return None
        return int(digits) if len(digits) <= _MAX_PORT_DIGITS else 10**_MAX_PORT_DIGITS - 1

    @property
    def reg_name(self) -> str | None:
        """An authority that does not have the form of a server."""
        return self.authority if self.authority and self.host is None else None

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The segments of the path; none where it is empty or absent (RFC 2396 §3.3).

        `/a;x/b` and `a;x/b` have the same two segments; `/` has one, which is empty.
        """
        if not self.path:
            return ()
        pieces = (piece.split(";") for piece in self.path.removeprefix("/").split("/"))
        return tuple(Segment(name, tuple(params)) for name, *params in pieces)

    @property
    def is_absolute(self) -> bool:
        """Whether it has a scheme (RFC 2396 §3)."""
        return self.scheme is not None

    @property
    def is_opaque(self) -> bool:
        """Whether its scheme is followed by an opaque part (RFC 2396 §3)."""
        return self.opaque_part is not None

    def _parts_of_server(self) -> tuple[str | None, ...]:
        """Divide the authority when that is first asked for (RFC 2396 §3.2.2)."""
        try:
            return self._server
        except AttributeError:
            authority = self.authority
        matched = None if authority is None else GRAMMARS[self.profile].server(authority)
        server = _NO_SERVER if matched is None else matched.groups()
        object.__setattr__(self, "_server", server)
        return server

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        profile = "" if self.profile == "rfc2396" else f", profile={self.profile!r}"
        return f"Reference({self.text!r}{profile})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reference):
            return NotImplemented
        return self.text == other.text and self.profile == other.profile

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> tuple[object, ...]:
        return trusted, (self.text, self.profile)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Reference cannot be changed: {name}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Reference cannot be changed: {name}")


class UndividedReference(Reference):
    """A Reference whose text is known to parse, and is divided when that is first asked for.

    It is a class of its own because `__getattr__` slows down every access, found or not.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name not in _COMPONENTS:
            raise AttributeError(f"a Reference has no attribute {name!r}")
        matched = GRAMMARS[self.profile].reference(self.text)
        if matched is None:  # a registry-based authority that came through `resolve`
            matched = GRAMMARS["rfc2396"].reference(self.text)
        if matched is None:
            raise next(reference_faults(self.text, self.profile))
        for component, part in zip(_COMPONENTS, matched.groups(), strict=True):
            object.__setattr__(self, component, part)
        object.__setattr__(self, "__class__", Reference)
        return getattr(self, name)


# A new value is a _Parts until it is complete; Any lets it be returned as what it becomes.
blank: Any = _Components


def _compile_common_2396(text: str) -> re.Match[str] | None:
    """Compile the pattern and take its place, so that importing this costs nothing."""
    matcher = globals()["_common_2396"] = GRAMMARS["rfc2396"].common
    return matcher(text)


_common_2396: Matcher = _compile_common_2396


def parse(text: str, profile: Profile = "rfc2396") -> Reference:
    """Return `text` as a URI reference of `profile`, "rfc2396" or "rfc3986".

    Raises ParseError at the first character that cannot be right (RFC 2396 §4.3, App. A and B).
    """
    # The usual case has no call in it but the match: this is where documents spend their time.
    matched = _common_2396(text) if profile == "rfc2396" else GRAMMARS[profile].common(text)
    if matched is None:
        return _parse_uncommon(text, profile)
    new = blank()
    new.text = text
    new.profile = profile
    new.opaque_part = None
    new.scheme, new.authority, new.path, new.query, new.fragment = matched.groups()
    new.__class__ = Reference
    return new  # type: ignore[no-any-return]  # it is a Reference since the line above


def _parse_uncommon(text: str, profile: Profile) -> Reference:
    """Parse what does not have the form `scheme://authority/path`."""
    matched = GRAMMARS[profile].reference(text)
    if matched is None:
        raise next(reference_faults(text, profile))
    new = blank()
    new.text = text
    new.profile = profile
    new.scheme, new.opaque_part, new.authority, new.path, new.query, new.fragment = matched.groups()
    new.__class__ = Reference
    return new  # type: ignore[no-any-return]  # it is a Reference since the line above


def trusted(text: str, profile: Profile) -> Reference:
    """Return the Reference of a `text` that is known to parse, without parsing it yet."""
    new = blank()
    new.text = text
    new.profile = profile
    new.__class__ = UndividedReference
    return new  # type: ignore[no-any-return]  # it is a Reference since the line above


def iter_errors(text: str, profile: Profile = "rfc2396") -> Iterator[ParseError]:
    """Yield every fault of `text` in order of offset; the first is what `parse` raises."""
    return reference_faults(text, profile)
