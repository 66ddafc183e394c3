"""RFC 2396 §7 Security Considerations: dangers are reported with their offsets."""

from __future__ import annotations

import pytest

from permacite.errors import ParseError
from permacite.uri import parse, warnings

CAUTIONS = [
    # clause id, text, (kind, what stands there)
    ("rfc2396-s01-none", "http://u@h:8080/%20?a:b@c", []),
    ("rfc2396-s01-password", "http://u:secret@h/", [("password", "secret")]),
    ("rfc2396-s01-empty-password", "//u:@h", [("password", "")]),
    ("rfc2396-s01-port", "gopher://h:25/", [("reserved-port", "25")]),
    ("rfc2396-s01-default-port", "https://h:443/", []),
    ("rfc2396-s01-default-port-of-another", "http://h:443/", [("reserved-port", "443")]),
    ("rfc2396-s01-unknown-scheme", "s://h:0022/", [("reserved-port", "0022")]),
    ("rfc2396-s01-opaque", "mailto:a%0D%0aBcc:b", [("escaped-line-break", "%0D%0a")]),
    ("rfc2396-s01-line-breaks", "/%0a/%0D", [("escaped-line-break", "%0a"),
                                             ("escaped-line-break", "%0D")]),
    ("rfc2396-s01-all", "telnet://u:%0a@h:25/",
     [("password", "%0a"), ("escaped-line-break", "%0a"), ("reserved-port", "25")]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"), [c[1:] for c in CAUTIONS], ids=[c[0] for c in CAUTIONS]
)
def test_dangers_are_reported_with_their_offsets(
    text: str, expected: list[tuple[str, str]]
) -> None:
    cautions = warnings(text)
    assert [(c.kind, text[c.start : c.end]) for c in cautions] == expected
    assert all(c.problem for c in cautions)
    assert warnings(parse(text)) == cautions


def test_what_does_not_parse_is_refused() -> None:
    """rfc2396-s01: there is nothing to warn of."""
    with pytest.raises(ParseError):
        warnings("http://a b/")
