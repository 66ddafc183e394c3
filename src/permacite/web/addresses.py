"""From the address of a request to the reference it names, and addresses of ours.

| request line | reference |
|---|---|
| `GET /urn:pdi://series/2026/11/21/1.text.1` | the path as it is |
| `GET pdi://series/2026/11/21/1.text.1` (PDI §3.8.2) | the same, once put together again |
| `PUT pdi://series/` (PDI §3.8.2) | the series |

Readings: what stands before the path of a whole URI in a request line is told again by the Host
field (RFC 9112 §3.2.2), and by that alone once a server has read the line. So a date at the root
of a host that is called like a series means a name in it; a client that takes a series for a domain
name (PDI §3.8.1) finds it there as well.

A server may stand under a path of another site (`--base-path`): its own addresses begin with that,
names do not. Where an address is made, `at` puts it before, and where one is read, it is left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from permacite.service.names import from_path
from permacite.web.caller import caller_of

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["asked_path", "at", "reference_of"]

_DATED = re.compile(r"(?:[0-9]{1,4}|\*)/")


def at(request: Request, address: str) -> str:
    """An address of ours such as `/-/search`, under the path that the server stands at."""
    base: str = request.scope.get("root_path", "")
    return base + address if address.startswith("/") else address


def asked_path(request: Request) -> str:
    """The path of a request as it was written, behind the path that the server stands at."""
    raw: bytes = request.scope.get("raw_path") or request.url.path.encode()
    base: str = request.scope.get("root_path", "")
    return raw.decode("ascii", "replace").partition("?")[0].removeprefix(base)


def reference_of(request: Request, before: str) -> str:
    """The reference that a request names: its path after `before`, and its fragment."""
    name = from_path(asked_path(request)[len(before) :])
    if _DATED.match(name) or (not name and request.method == "PUT"):
        name = _in_series_of_host(request, name)
    fragment = request.query_params.get("fragment")
    return name if fragment is None or "#" in name else f"{name}#{fragment}"


def _in_series_of_host(request: Request, name: str) -> str:
    """A name that a series was parted from, whole again; as it is where no series was."""
    archive = caller_of(request).archive
    host = request.url.hostname or ""
    return f"pdi://{host}/{name}" if host in archive.documents.series.names() else name
