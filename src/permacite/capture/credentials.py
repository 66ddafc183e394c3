"""Credentials of a person for requests: header fields, cookies and passwords, read from files.

They are sent and never recorded. Header fields and passwords go to the origin of the page alone
(RFC 6454 §4: scheme, host and port), whatever it shows or redirects to; cookies go where they
belong (RFC 6265 §5.4).

Forms: a field on each line, `Name: value` (RFC 9112 §5); a cookie on each line, as browsers and
curl export them (`cookies.txt`, seven columns set apart by tabs); `.netrc`, as curl reads it.
"""

from __future__ import annotations

import base64
import netrc
from dataclasses import field
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["WITHHELD", "Cookie", "Credentials", "origin_of", "read_credentials", "withhold"]

WITHHELD = "(not on record)"
"""What a record says in place of a value."""

_FIELD = compile_pattern(r"([!#$%&'*+.^_`|~0-9A-Za-z-]++):[ \t]*+([^\x00-\x08\x0a-\x1f\x7f]*+)")
_OURS = frozenset(
    {"accept-encoding", "connection", "content-length", "host", "te", "transfer-encoding"}
)
"""Fields that say how an answer travels: the fetcher sets them."""
_COLUMNS = 7
_HTTP_ONLY = "#HttpOnly_"


@dataclass(frozen=True, slots=True)
class Cookie:
    """A cookie of a host, and of all hosts below it where `below`."""

    host: str
    below: bool
    path: str
    secure: bool
    name: str
    value: str = field(repr=False)

    def morsels(self) -> SimpleCookie:
        """As a jar takes it. Raises ParseError for a name that is none."""
        cookies = SimpleCookie()
        try:
            cookies[self.name] = self.value
        except CookieError as error:
            raise ParseError("expected the name of a cookie", self.name, 0, "RFC 6265") from error
        cookies[self.name]["path"] = self.path
        cookies[self.name]["secure"] = self.secure
        if self.below:
            cookies[self.name]["domain"] = self.host
        return cookies


@dataclass(frozen=True, slots=True)
class Credentials:
    """What is sent beside what is always sent."""

    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    cookies: tuple[Cookie, ...] = field(default=(), repr=False)
    passwords: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """(host, value of Authorization) pairs."""

    def __bool__(self) -> bool:
        return bool(self.headers or self.cookies or self.passwords)

    def fields(self, uri: str) -> dict[str, str]:
        """The header fields for the origin of `uri`."""
        host = urlsplit(uri).hostname or ""
        password = next((value for name, value in self.passwords if name == host), None)
        said = {} if password is None else {"Authorization": password}
        return said | dict(self.headers)


def withhold(
    fields: tuple[tuple[str, str], ...], private: set[str] | frozenset[str]
) -> tuple[tuple[str, str], ...]:
    """Header fields without the values of private ones, whose names are in lower case."""
    return tuple((name, WITHHELD if name.lower() in private else value) for name, value in fields)


def origin_of(uri: str) -> tuple[str, str, int | None]:
    """Scheme, host and port (RFC 6454 §4)."""
    parts = urlsplit(uri)
    ports = {"http": 80, "https": 443}
    return parts.scheme, parts.hostname or "", parts.port or ports.get(parts.scheme)


def read_credentials(headers: str = "", cookies: str = "", passwords: str = "") -> Credentials:
    """Read what files of these three forms hold. Raises ParseError with the line at fault."""
    return Credentials(
        tuple(_headers(headers)), tuple(_cookies(cookies)), tuple(_passwords(passwords))
    )


def _headers(text: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        found = _FIELD.fullmatch(line.strip())
        if found is None:
            problem = f"expected `Name: value` in line {number} of the header fields"
            raise ParseError(problem, line[:3] + "...", 0, "RFC 9112 §5")
        if found[1].lower() in _OURS:
            problem = f"the field {found[1]} says how an answer travels: it cannot be set"
            raise ParseError(problem, found[1], 0, "RFC 9110")
        yield found[1], found[2].rstrip()


def _cookies(text: str) -> Iterator[Cookie]:
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.removeprefix(_HTTP_ONLY).removesuffix("\r")
        if not bare.strip() or bare.startswith("#"):
            continue
        columns = bare.split("\t")
        if len(columns) != _COLUMNS:
            problem = f"expected {_COLUMNS} columns set apart by tabs in line {number} of cookies"
            raise ParseError(problem, columns[0][:40], 0)
        host, below, path, secure, _, name, value = columns
        cookie = Cookie(
            host.lstrip(".").lower(), _is_true(below), path or "/", _is_true(secure), name, value
        )
        cookie.morsels()
        yield cookie


def _is_true(column: str) -> bool:
    return column.strip().upper() == "TRUE"


def _passwords(text: str) -> Iterator[tuple[str, str]]:
    if not text.strip():
        return
    with TemporaryDirectory() as folder:  # the module reads files alone
        file = Path(folder, "netrc")
        file.touch(mode=0o600)
        file.write_text(text, encoding="utf-8")
        try:
            hosts = netrc.netrc(str(file)).hosts
        except netrc.NetrcParseError as error:
            problem = f"{error.msg} in line {error.lineno} of the passwords"
            raise ParseError(problem, "", 0, ".netrc") from error
    for host, (login, _, password) in hosts.items():
        if host != "default":  # a password for whoever asks is no secret
            pair = base64.b64encode(f"{login}:{password}".encode()).decode()
            yield host.lower(), f"Basic {pair}"
