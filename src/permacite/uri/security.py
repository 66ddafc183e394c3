"""Cautions: legal but dangerous parts of a URI (RFC 2396 §7), as data.

| section | function |
|---|---|
| RFC 2396 §7 Security Considerations | `warnings` |

Deviations: None.

Readings:
- "Escaped delimiters for a given protocol" are escaped CR and LF, for every protocol.
- A port below 1024 is in the reserved space; where the scheme has no default that is known here,
  every such port is reported.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from permacite.uri.normalization import DEFAULT_PORTS
from permacite.uri.reference import Reference, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Caution", "warnings"]

_RESERVED_PORTS = 1024


class Caution(NamedTuple):
    """One danger: its kind, and its offsets in the text."""

    kind: Literal["password", "reserved-port", "escaped-line-break"]
    problem: str
    start: int
    end: int


def warnings(reference: str | Reference) -> tuple[Caution, ...]:
    """The cautions that a user should hear before a reference goes to a protocol, by offset.

    Raises ParseError if the text does not parse.
    """
    if isinstance(reference, str):
        reference = parse(reference)
    return tuple(sorted(_cautions(reference), key=lambda caution: caution.start))


def _cautions(reference: Reference) -> Iterator[Caution]:
    """Yield every danger, password and port first."""
    text = reference.text
    start = text.find("//") + 2
    if reference.userinfo is not None:
        end = start + len(reference.userinfo)
        colon = text.find(":", start, end)
        if colon >= 0:
            yield Caution("password", "the password can be read by anyone", colon + 1, end)
        start = end + 1
    port = reference.port
    default = DEFAULT_PORTS.get((reference.scheme or "").lower())
    if port is not None and port < _RESERVED_PORTS and port != default:
        start += len(reference.host or "") + 1
        problem = f"port {port} belongs to another protocol"
        yield Caution("reserved-port", problem, start, start + len(reference.port_text or ""))
    for match in re.finditer(r"(?i:%0[ad])+", text):
        problem = "an escaped line break could start another command"
        yield Caution("escaped-line-break", problem, match.start(), match.end())
