"""RFC 2396 §5 Relative URI References, the other way: the short form that resolves to a target."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from permacite.uri import Base, parse, relativize, resolve

if TYPE_CHECKING:
    from permacite.uri.syntax import Profile

RELATIVE = [
    # clause id, target, base, RFC 2396, RFC 3986 where that differs
    ("rfc2396-v06-sibling", "http://a/b/c", "http://a/b/d", "c", None),
    ("rfc2396-v06-below", "http://a/b/c/d", "http://a/b/x", "c/d", None),
    ("rfc2396-v06-above", "http://a/b/c/d", "http://a/b/c/e/f", "../d", None),
    ("rfc2396-v06-directory", "http://a/b/", "http://a/b/c", ".", None),
    ("rfc2396-v06-parent", "http://a/b/", "http://a/b/c/d", "../", None),
    ("rfc2396-v06-query", "http://a/b?c#d", "http://a/b", "b?c#d", "?c#d"),
    ("rfc2396-v06-query-of-directory", "http://a/b/?c", "http://a/b/d", "?c", ".?c"),
    ("rfc2396-v05-shorter-from-the-root", "http://a/b", "http://a/c/d/e/f", "/b", None),
    ("rfc2396-v04-other-authority", "http://x/b", "http://a/b", "//x/b", None),
    ("rfc2396-v04-empty-path", "http://a", "http://a/b", "//a", None),
    ("rfc2396-v03-other-scheme", "ftp://a/b", "http://a/b", "ftp://a/b", None),
    ("rfc2396-v03-scheme-in-other-case", "HTTP://a/b", "http://a/b", "HTTP://a/b", None),
    ("rfc2396-v03-opaque", "mailto:a", "mailto:b", "mailto:a", "a"),
    ("rfc2396-v02-itself", "http://a/b", "http://a/b", "b", ""),
    ("rfc2396-v02-itself-with-fragment", "http://a/b#c", "http://a/b#d", "b#c", "#c"),
    ("rfc2396-v11-relative-base", "http://a/b", "c/d", "http://a/b", None),
    ("rfc2396-u18-colon", "http://a/b:c", "http://a/d", "/b:c", None),
    ("rfc2396-u18-colon-below", "http://a/b/b:c", "http://a/b/d", "./b:c", None),
    ("rfc2396-u15-empty-segment", "http://a//b", "http://a/c", "//a//b", None),
    ("rfc2396-u15-empty-segment-below", "http://a/b//c", "http://a/b/d", ".//c", None),
    ("rfc2396-v07-dots-kept", "http://a/../b", "http://a/c", "../b", "http://a/../b"),
    ("rfc2396-v06-dots-of-the-base", "http://a/b/c", "http://a/b/./d", "/b/c", None),
]


@pytest.mark.parametrize(
    ("target", "base", "expected", "expected_3986"),
    [c[1:] for c in RELATIVE],
    ids=[c[0] for c in RELATIVE],
)
@pytest.mark.parametrize("profile", ["rfc2396", "rfc3986"])
def test_relativizes(
    target: str, base: str, expected: str, expected_3986: str | None, profile: Profile
) -> None:
    if profile == "rfc3986" and expected_3986 is not None:
        expected = expected_3986
    relative = relativize(target, base, profile=profile)
    assert str(relative) == expected
    if relative.text != target:
        assert str(resolve(relative, base, profile=profile).reference) == target
    assert relativize(parse(target, profile), Base(base, profile=profile)) == relative
