"""Fast paths of resolution: references that resolve by a prefix, which is nearly all of them.

The algorithms of RFC 2396 §5.2 and RFC 3986 §5.2 are in `resolution`. This answers the references
of which no path need be taken apart, from strings prepared once for a base, in a third of the time;
tests/property/test_uri.py holds the two against each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite.scan import compile_pattern
from permacite.uri.reference import Reference, trusted
from permacite.uri.syntax import GRAMMARS, PATH, QUERY, REL_SEGMENT, SCHEME, run

if TYPE_CHECKING:
    import re

    from permacite.uri.syntax import Matcher

__all__ = ["Resolved", "Shortcuts"]

_MOST_ANCESTORS = 16
_NOT_PLAIN = (".", "/", "")
_SEGMENT = run(";:@&=+$,")
_ABSOLUTE, _RELATIVE, _ROOTED = 1, 2, 3  # the groups of the pattern; none is the same document
_SIMPLE_2396 = (
    rf"(?:({SCHEME}):(?!#|\Z){QUERY}"
    rf"|((?!\.|[/?#]|\Z){REL_SEGMENT}(?:/(?!\.){_SEGMENT})*+(?:\?{QUERY})?+|\?{QUERY})"
    rf"|(/(?!/){PATH})(?:\?{QUERY})?+)?+(?:#{QUERY})?+"
)


class Resolved(NamedTuple):
    """What a reference refers to (RFC 2396 §5.2); a pair, so that it can be built fast."""

    reference: Reference
    """The absolute form; in RFC 2396, the reference as written where `same_document`."""
    same_document: bool
    """Whether it refers to the document it stands in (§4.2)."""

    def uri(self, base: object) -> str:
        """Return the absolute URI (with fragment) that a new request would be for.

        `base` (text, Reference or Base) is used for the same document, less its own fragment.
        """
        if self.reference.is_absolute:
            return self.reference.text
        return str(base).partition("#")[0] + self.reference.text


def _compile_simple(text: str) -> re.Match[str] | None:
    """Compile the pattern and take its place, so that importing this costs nothing."""
    matcher = globals()["_simple"] = compile_pattern(_SIMPLE_2396).fullmatch
    return matcher(text)


_simple: Matcher = _compile_simple
_pair = tuple.__new__  # the constructor of a NamedTuple, without the function around it


class Shortcuts:
    """What is put before references to one base; `rfc2396` and `rfc3986` are its two ways."""

    __slots__ = ("_ancestors", "_document", "_far", "_match", "_near", "_queried", "_strict")

    def __init__(self, base: Reference, *, root: str, directory: str, strict: bool) -> None:
        """`root` ends where the path begins; `directory` is the path up to its last slash."""
        self._match = GRAMMARS[base.profile].reference
        self._document = base.text.partition("#")[0]
        self._queried = self._document.partition("?")[0]
        self._ancestors = _plain_ancestors(root, directory)
        self._near = self._ancestors[0] if self._ancestors else ""
        self._far = root if self._ancestors else ""
        self._strict = strict

    def rfc2396(self, text: str) -> Resolved | None:
        """Resolve `text`; None where its path, or that of the base, must be taken apart."""
        matched = _simple(text)
        if matched is None:
            return self._climbed(text) if text[:1] == "." else None
        kind = matched.lastindex
        if kind == _RELATIVE:
            before = self._near
        elif kind is None:
            return _pair(Resolved, (trusted(text, "rfc2396"), True))
        elif kind == _ROOTED:
            before = self._far
        else:
            return _pair(Resolved, (trusted(text, "rfc2396"), False)) if self._strict else None
        return _pair(Resolved, (trusted(before + text, "rfc2396"), False)) if before else None

    def _climbed(self, text: str) -> Resolved | None:
        """Resolve what begins with "./" or "../" and holds no other dot segment."""
        matched = self._match(text)
        if matched is None or not matched[4]:
            return None
        before, start = self._appended(matched[4])
        reference = trusted(before + text[start:], "rfc2396")
        return Resolved(reference, same_document=False) if before else None

    def rfc3986(self, text: str) -> Resolved | None:
        """The same, where absolute paths lose dot segments too, and the base may be meant."""
        matched = self._match(text)
        if matched is None:
            return None
        scheme, _, authority, path, query, fragment = matched.groups()
        if scheme is not None or authority is not None or "/." in path:
            return None
        if not path:
            if not self._ancestors:
                return None
            before, start = self._document if query is None else self._queried, 0
        else:
            before, start = self._appended(path)
            if not before:
                return None
        text = before + text[start:]
        document = text if fragment is None else text[: -1 - len(fragment)]
        return _pair(Resolved, (trusted(text, "rfc3986"), document == self._document))

    def _appended(self, path: str) -> tuple[str, int]:
        """The text before a path, and the path's start; "" where it must be taken apart."""
        first = path[0]
        if first == "/":
            return self._far, 0
        start = level = 0
        if first == ".":
            start = 2 if path.startswith("./") else 0
            while path.startswith("../", start):
                start += 3
                level += 1
        if level >= len(self._ancestors) or path[start : start + 1] in _NOT_PLAIN:
            return "", 0
        return self._ancestors[level] if path.find("/.", start) < 0 else "", start


def _plain_ancestors(root: str, directory: str) -> list[str]:
    """Return `root` with `directory`, and with those above it.

    None where appending to them is not enough: the base is no URI, or has no path, or one with
    dot segments, or one that may come to begin with "//".
    """
    if not root or directory[:1] != "/" or "//" in directory or "/." in directory:
        return []
    ancestors: list[str] = []
    while len(ancestors) < _MOST_ANCESTORS and directory:
        ancestors.append(root + directory)
        directory = directory[: directory.rfind("/", 0, -1) + 1]
    return ancestors
