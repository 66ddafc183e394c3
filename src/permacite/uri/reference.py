"""URI references: text to an immutable value with exact components.

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
    from collections.abc import Iterator

    from permacite.errors import ParseError
    from permacite.uri.syntax import Profile

__all__ = ["Reference", "Segment", "from_parts", "iter_errors", "parse", "trusted"]

_MAX_PORT_DIGITS = 4000  # `int` refuses more than 4300, leading zeros included
_COMPONENTS = ("scheme", "opaque_part", "authority", "path", "query", "fragment")
_SERVER = ("userinfo", "host", "port_text", "reg_name")


class Segment(NamedTuple):
    """A segment of a path with its parameters, all still escaped (RFC 2396 §3.3)."""

    name: str
    params: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ";".join((self.name, *self.params))


class _Parts:
    """The storage of a Reference: written here once, before it becomes immutable."""

    # By hand rather than a frozen dataclass: building one of those takes longer than the parsing.
    # Slots that are left empty are filled by Reference.__getattr__ when they are first read.
    __slots__ = (
        "authority",
        "fragment",
        "host",
        "opaque_part",
        "path",
        "port_text",
        "profile",
        "query",
        "reg_name",
        "scheme",
        "text",
        "userinfo",
    )

    text: str
    profile: Profile
    scheme: str | None
    opaque_part: str | None
    authority: str | None
    path: str | None
    query: str | None
    fragment: str | None
    userinfo: str | None
    host: str | None
    port_text: str | None
    reg_name: str | None


class Reference(_Parts):
    """A URI reference, exactly as written: `str()` gives back the text (RFC 2396 §4).

    Components are text, still escaped. None means absent, "" means present and empty.
    `scheme`, `opaque_part`, `authority`, `path`, `query` and `fragment` are those of §3 and §4;
    `path` and `query` are None where there is an `opaque_part`, which keeps its "?".
    `userinfo`, `host` and `port_text` are those of a server (§3.2.2); `reg_name` is the authority
    where it is not one (§3.2.1). `profile` is the grammar that the text was read by.
    Two references are equal if they have the same text and the same profile.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        """Fill the slots that were left empty."""
        if name in _COMPONENTS:
            _fill_components(self)
        elif name in _SERVER:
            _fill_server(self)
        else:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self, name)

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

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        profile = "" if self.profile == "rfc2396" else f", profile={self.profile!r}"
        return f"parse({self.text!r}{profile})"

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


# A new value is a _Parts until it is complete; Any lets it be returned as what it becomes.
_new: Any = _Parts
_common_2396 = GRAMMARS["rfc2396"].common


def parse(text: str, profile: Profile = "rfc2396") -> Reference:
    """Return `text` as a URI reference of `profile`, "rfc2396" or "rfc3986".

    Raises ParseError at the first character that cannot be right (RFC 2396 §4.3, App. A and B).
    """
    # The usual case has no call in it but the match: this is where documents spend their time.
    matched = _common_2396(text) if profile == "rfc2396" else GRAMMARS[profile].common(text)
    if matched is None:
        return _parse_uncommon(text, profile)
    reference = _new()
    reference.text = text
    reference.profile = profile
    (
        reference.scheme,
        reference.authority,
        reference.path,
        reference.query,
        reference.fragment,
    ) = matched.groups()
    reference.__class__ = Reference
    return reference  # type: ignore[no-any-return]  # it is a Reference since the line above


def _parse_uncommon(text: str, profile: Profile) -> Reference:
    """Parse what does not have the form `scheme://authority/path`."""
    matched = GRAMMARS[profile].reference(text)
    if matched is None:
        raise next(reference_faults(text, profile))
    return from_parts(text, profile, matched.groups())


def from_parts(text: str, profile: Profile, parts: tuple[str | None, ...]) -> Reference:
    """Return the Reference of `text` whose six components are known to be `parts`."""
    reference = trusted(text, profile)
    for name, part in zip(_COMPONENTS, parts, strict=True):
        object.__setattr__(reference, name, part)
    return reference


def trusted(text: str, profile: Profile) -> Reference:
    """Return the Reference of a `text` that is known to parse, without parsing it yet."""
    reference = _new()
    reference.text = text
    reference.profile = profile
    reference.__class__ = Reference
    return reference  # type: ignore[no-any-return]  # it is a Reference since the line above


def _fill_components(reference: Reference) -> None:
    """Divide the text into its components (RFC 2396 App. B)."""
    matched = GRAMMARS[reference.profile].reference(reference.text)
    if matched is None:  # a registry-based authority that came through `resolve`
        matched = GRAMMARS["rfc2396"].reference(reference.text)
    if matched is None:
        raise next(reference_faults(reference.text, reference.profile))
    for name, part in zip(_COMPONENTS, matched.groups(), strict=True):
        object.__setattr__(reference, name, part)


def _fill_server(reference: Reference) -> None:
    """Divide the authority, if it has the form of a server (RFC 2396 §3.2)."""
    authority = reference.authority
    matched = None if authority is None else GRAMMARS[reference.profile].server(authority)
    userinfo, host, port_text = (None, None, None) if matched is None else matched.groups()
    object.__setattr__(reference, "userinfo", userinfo)
    object.__setattr__(reference, "host", host)
    object.__setattr__(reference, "port_text", port_text)
    object.__setattr__(reference, "reg_name", None if matched or not authority else authority)


def iter_errors(text: str, profile: Profile = "rfc2396") -> Iterator[ParseError]:
    """Yield every fault of `text` in order of offset; the first is what `parse` raises."""
    return reference_faults(text, profile)
