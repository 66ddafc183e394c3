"""Feed permacite.uri: any text parses or raises ParseError, and what parses keeps its laws."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from permacite import uri
from permacite.errors import ParseError

if TYPE_CHECKING:
    from permacite.uri.syntax import Profile

SEEDS: list[bytes] = [
    b"http://u:p@www.example.org:8080/a;x=1/../b/./c%20?q=1&r#f",
    b"../../g;x=1/./y?z/../#s",
    b"//[2001:db8::1.2.3.4]:80/\n//[v1.a:b]",
    b"mailto:a@b.example?subject=%C3%A9\nurn:pdi://a.us/1999/1/1/1.text.1#char=1,2",
    b'see <URL: http://a/b-\n c> or "http://d/\r\ne", (http://f/g_(h)). www.i.example/j',
    "http://b\u00fccher.example/\u00fc?%zz#a#b".encode(),
    b"HTTP://A:80/%7e/%2E%2e/./b\nhttp:g",
    b"",
]


def target(data: bytes) -> None:
    """Read the first line as a reference, the second as its base, and all as prose."""
    text = data.decode("utf-8", "surrogateescape")
    first, _, rest = text.partition("\n")
    base = rest.partition("\n")[0] or "http://a/b/c/d;p?q"
    profile: Profile = "rfc3986" if len(data) % 2 else "rfc2396"
    _reference(first, base, profile)
    with suppress(ParseError):
        uri.unquote(first)
    converted = uri.from_iri(first)
    _law(uri.from_iri(converted) == converted, "from_iri is idempotent")
    uri.to_iri(first)
    for found in uri.find(text, abbreviated=True, profile=profile):
        _law(uri.parse(found.uri, profile).is_absolute, "what is found is absolute")
        _law(found.start < found.end <= len(text), "what is found stands in the text")


def _reference(text: str, base: str, profile: Profile) -> None:
    """Parse, resolve and normalise one reference."""
    faults = [str(fault) for fault in uri.iter_errors(text, profile)]
    try:
        reference = uri.parse(text, profile)
    except ParseError as error:
        _law(faults[:1] == [str(error)], "the first fault is the one that is raised")
        return
    _law(not faults and str(reference) == text, "what parses is given back")
    uri.warnings(reference)
    _law(reference.port is None or reference.port >= 0, "a port is a number")
    for level in ("syntax", "path", "scheme"):
        normal = uri.normalize(text, level, profile=profile)
        _law(
            uri.normalize(normal.text, level, profile=profile) == normal, "normal forms are normal"
        )
    with suppress(ParseError):
        resolved = uri.resolve(text, base, profile=profile).reference
        _law(resolved.path is not None or resolved.is_opaque, "what is resolved can be read")
        relative = uri.relativize(resolved, base, profile=profile)
        back = relative == resolved or uri.resolve(relative, base, profile=profile).reference
        _law(back in {True, resolved}, "a relative reference resolves to its target")


def _law(held: bool, law: str) -> None:  # noqa: FBT001 - what the law says
    """Raise for a law that is broken."""
    if not held:
        raise AssertionError(law)
