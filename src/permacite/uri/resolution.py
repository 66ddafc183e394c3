"""Resolution of relative references against a base (RFC 2396 §5.2).

| section | function |
|---|---|
| RFC 2396 §4.2 Same-document References | `Resolved.same_document` |
| RFC 2396 §5.1 Establishing a Base URI, App. D | `establish_base`, `Base` |
| RFC 2396 §5.2 Resolving Relative References, App. C | `resolve`, `Base.resolve` |
| RFC 3986 §5.2, §5.4 | the same, with profile="rfc3986" |
| RFC 2396 §5 Relative URI References | `relativize`: the short reference for an absolute URI |

The law: `resolve(relativize(target, base), base).reference == target`. Each candidate is resolved
before it is returned, so that an unusual base costs length and never correctness.

Deviations: None.

Readings:
- §5.2(2) ends for a same-document reference before any URI is made: `Resolved.reference` is then
  the reference as written (`#s`), and `same_document` is true. `Resolved.uri(base)` gives the URI
  that a new request would need (§4.2, last paragraph). RFC 3986 always gives a URI, and calls it
  the same document where it equals the base up to the fragment.
- §5.2(6): a base with an authority and no path (`http://a` + `g`) gives `http://ag` by the letter.
  Read as in RFC 3986: the path of the base counts as "/". `empty_path="literal"` gives the letter.
- §5.2(6e): the empty segment between two slashes is a segment, and ".." removes it; the "/" that a
  path begins with is not.
- §5.2(6g): excess ".." is kept; `excess="remove"` and `excess="error"` are the other two answers.
- §5.2(5): dot segments of an absolute path are left alone. RFC 3986 removes them everywhere.
- RFC 3986 has no registry-based authority (`//a:b:c/`), but does not look into an authority either
  when it resolves: `resolve` accepts there what RFC 2396 accepts. `parse` does not.
- A path that begins with "//" where there is no authority would be read as one: it is refused.
- RFC 2396 has no reference that means a new retrieval of the base: "" and "#s" are the current
  document. A target that equals the base gets a reference with a path.
- RFC 3986 removes dot segments from every reference, an absolute one too: a target with dot
  segments comes back as it is, and only its normal form can be resolved to.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from permacite.errors import ParseError
from permacite.uri.dots import ExcessiveDotsError, remove_2396, remove_dot_segments
from permacite.uri.reference import Reference, iter_errors, parse, trusted
from permacite.uri.shortcuts import Resolved, Shortcuts
from permacite.uri.syntax import GRAMMARS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.uri.syntax import Profile


__all__ = [
    "Base",
    "EmptyPath",
    "Excess",
    "Resolved",
    "SameScheme",
    "establish_base",
    "relativize",
    "resolve",
]

Excess = Literal["keep", "remove", "error"]
"""What becomes of ".." above the root (§5.2(6g)); RFC 3986 always removes it."""
SameScheme = Literal["strict", "loose"]
"""Whether `http:g` is a URI, or relative to a base that is also http (§5.2(3))."""
EmptyPath = Literal["root", "literal"]
"""Whether a base such as `http://a` has the path "/" (see Readings)."""


class Base:
    """A base URI, prepared for many references (§5.1).

    The options are those of `resolve`. `document` is the base without its fragment, which takes no
    part (§5.2). Raises ParseError if the base does not parse. One that is relative or opaque is
    refused when a relative reference comes to need it.
    """

    __slots__ = (
        "_directory",
        "_root",
        "_scheme_colon",
        "_shortcut",
        "document",
        "empty_path",
        "excess",
        "profile",
        "reference",
        "same_scheme",
    )

    def __init__(
        self,
        base: str | Reference,
        *,
        profile: Profile | None = None,
        same_scheme: SameScheme = "strict",
        excess: Excess | None = None,
        empty_path: EmptyPath = "root",
    ) -> None:
        """Without `profile`, a Reference keeps its own and text is read by RFC 2396."""
        self.reference = _read(base, profile)
        self.profile = self.reference.profile
        self.same_scheme = same_scheme
        self.excess = excess or ("keep" if self.profile == "rfc2396" else "remove")
        self.empty_path = empty_path
        scheme, authority = self.reference.scheme, self.reference.authority
        self.document = self.reference.text.partition("#")[0]
        self._scheme_colon = "" if scheme is None else scheme + ":"
        self._root = self._scheme_colon + ("" if authority is None else "//" + authority)
        self._directory = _merge_directory(self.reference, empty_path)
        shortcuts = Shortcuts(
            self.reference,
            root=self._root if scheme else "",
            directory=self._directory,
            strict=same_scheme == "strict",
        )
        self._shortcut = shortcuts.rfc2396 if self._is_2396 else shortcuts.rfc3986

    @property
    def _is_2396(self) -> bool:
        """Whether the rules are those of RFC 2396."""
        return self.profile == "rfc2396"

    def __str__(self) -> str:
        return self.reference.text

    def __repr__(self) -> str:
        return f"Base({self.reference.text!r}, profile={self.profile!r})"

    def resolve(self, reference: str | Reference) -> Resolved:
        """The target of `reference` in a document with this base (§5.2)."""
        if isinstance(reference, str):
            resolved = self._shortcut(reference)
            if resolved is not None:
                return resolved
        reference = _read(reference, self.profile)
        return self._resolve_2396(reference) if self._is_2396 else self._resolve_3986(reference)

    def _resolve_2396(self, reference: Reference) -> Resolved:
        """The seven steps of RFC 2396 §5.2, which are numbered here as there."""
        scheme, authority, path, query = self._loosened(reference)
        if not path and scheme is None and authority is None and query is None:  # (2)
            return Resolved(reference, same_document=True)
        if scheme is not None:  # (3)
            return Resolved(reference, same_document=False)
        if not self._scheme_colon or self.reference.is_opaque:
            raise _unsuitable(self.reference)
        if authority is not None:  # (4)
            return self._recombine(self._scheme_colon + "//" + authority, path, query, reference)
        if not path.startswith("/"):  # (5), (6)
            path = self._remove_dots(self._directory, path, reference)
        return self._recombine(self._root, path, query, reference)

    def _resolve_3986(self, reference: Reference) -> Resolved:
        """The pseudocode of RFC 3986 §5.2.2."""
        scheme, authority, path, query = self._loosened(reference)
        root, directory = self._root, ""
        if scheme is not None:
            root = scheme + ":" + ("" if authority is None else "//" + authority)
        elif not self._scheme_colon:
            raise _unsuitable(self.reference)
        elif authority is not None:
            root = self._scheme_colon + "//" + authority
        elif not path:
            path = self.reference.path or ""
            query = self.reference.query if query is None else query
            return self._recombine(root, path, query, reference)
        elif not path.startswith("/"):
            directory = self._directory
        path = self._remove_dots(directory, path, reference)
        return self._recombine(root, path, query, reference)

    def _loosened(self, reference: Reference) -> tuple[str | None, str | None, str, str | None]:
        """Return scheme, authority, path and query, the scheme dropped where that is allowed.

        The loophole of §5.2(3): the scheme is that of the base, which is hierarchical.
        """
        scheme, path, query = reference.scheme, reference.path, reference.query
        same = scheme is not None and scheme.lower() == self._scheme_colon[:-1].lower()
        if self.same_scheme == "strict" or not same or self.reference.is_opaque:
            return scheme, reference.authority, path or "", query
        if reference.opaque_part is not None:  # `http:g?y`: path and query, were it not opaque
            path, mark, rest = reference.opaque_part.partition("?")
            query = rest if mark else None
        return None, reference.authority, path or "", query

    def _remove_dots(self, directory: str, path: str, reference: Reference) -> str:
        """Append `path` to `directory` and remove dot segments ((6) of RFC 2396 §5.2)."""
        remove = remove_2396 if self._is_2396 else remove_dot_segments
        try:
            return remove(directory + path, self.excess)
        except ExcessiveDotsError as found:
            offset = max(0, found.args[0] - len(directory) + reference.text.find(path))
            rule = f"{GRAMMARS[self.profile].rfc} §5.2"
            raise ParseError('".." goes above the root', reference.text, offset, rule) from None

    def _recombine(self, root: str, path: str, query: str | None, reference: Reference) -> Resolved:
        """Put the components together again (§5.2(7)); absent and empty stay different."""
        if path.startswith("//") and "//" not in root:
            rule = f"{GRAMMARS[self.profile].rfc} §5.2"
            problem = "the result would have its path read as an authority"
            raise ParseError(f"{problem}: {root}{path}", reference.text, 0, rule)
        text = root + path if query is None else f"{root}{path}?{query}"
        same = self.profile == "rfc3986" and text == self.document
        if reference.fragment is not None:
            text = f"{text}#{reference.fragment}"
        return Resolved(trusted(text, self.profile), same)


def _merge_directory(base: Reference, empty_path: EmptyPath) -> str:
    """All but the last segment of the path: what a relative path is appended to (6a)."""
    path = base.path
    if path:
        return path[: path.rfind("/") + 1]
    rooted = empty_path == "root" or base.profile != "rfc2396"
    rooted = rooted and base.authority is not None
    return "/" if rooted and not base.is_opaque else ""


def _unsuitable(base: Reference) -> ParseError:
    """Say why nothing can be relative to this base (§5, §5.1)."""
    problem = "a relative URI cannot be a base: it has no scheme"
    if base.is_opaque:
        problem = "an opaque URI cannot be the base of a relative reference"
    rule = f"{GRAMMARS[base.profile].rfc} §5.1"
    scheme = 0 if base.scheme is None else len(base.scheme) + 1
    return ParseError(problem, base.text, scheme, rule)


def _read(reference: str | Reference, profile: Profile | None) -> Reference:
    """Parse an operand; an authority that is only legal in RFC 2396 does for RFC 3986 too."""
    if isinstance(reference, Reference):
        if profile is None or profile == reference.profile:
            return reference
        reference = reference.text
    try:
        return parse(reference, profile or "rfc2396")
    except ParseError:
        if profile == "rfc3986" and not any(iter_errors(reference)):
            return trusted(reference, "rfc3986")
        raise


def resolve(
    reference: str | Reference,
    base: str | Reference | Base,
    *,
    profile: Profile | None = None,
    same_scheme: SameScheme = "strict",
    excess: Excess | None = None,
    empty_path: EmptyPath = "root",
) -> Resolved:
    """The target of `reference` in a document whose base URI is `base` (RFC 2396 §5.2).

    `profile`: "rfc2396" unless `base` is a Reference, which has its own. A prepared `Base` has all
    its options already, and the others are not looked at. The last bases given as text are kept
    prepared, so that many references in one document cost little more than with a `Base`.
    Raises ParseError where either does not parse, where a relative reference meets a base that is
    relative or opaque, where the result would be read as something else, and, with excess="error",
    where ".." goes above the root.
    """
    if isinstance(base, str):
        prepare = _kept if len(base) <= _LONGEST_KEPT else _prepare
        base = prepare(base, profile, same_scheme, excess, empty_path)
    elif not isinstance(base, Base):
        base = _prepare(base, profile, same_scheme, excess, empty_path)
    return base.resolve(reference)


_LONGEST_KEPT = 2048
"""Characters of a base that is kept: a few hostile ones must not fill the memory."""


def _prepare(  # noqa: PLR0917 - what names a kept base: keywords would take longer than to find it
    base: str | Reference,
    profile: Profile | None,
    same_scheme: SameScheme,
    excess: Excess | None,
    empty_path: EmptyPath,
) -> Base:
    return Base(
        base, profile=profile, same_scheme=same_scheme, excess=excess, empty_path=empty_path
    )


_kept = lru_cache(maxsize=32)(_prepare)


def establish_base(
    *,
    content: str | None = None,
    entity: str | None = None,
    retrieval: str | None = None,
    default: str | None = None,
    profile: Profile = "rfc2396",
) -> Base | None:
    """Return the innermost base URI that is given (RFC 2396 §5.1); None where none is.

    In order: the one embedded in the content (such as HTML's BASE HREF, which must be absolute:
    App. D), that of the enclosing entity, the URI of the retrieval (the last, after redirections),
    and the application's own. Raises ParseError if it is not an absolute URI.
    """
    for candidate in (content, entity, retrieval, default):
        if candidate is not None:
            base = Base(candidate, profile=profile)
            base.resolve("?")  # refuses a base that nothing can be relative to
            return base
    return None


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
