"""Locations such as `postgresql://host/db?schema=archive&objects=/folder&log-key=/file`.

A location has no secret, since it is shown in process lists, logs and messages. libpq finds
passwords in PGPASSWORD, PGPASSFILE and service files, and everything else that is left out.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from permacite.archive.objects.store import check_address
from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping
    from urllib.parse import SplitResult

__all__ = ["PostgresqlLocation", "located"]

_SCHEMES = ("postgresql://", "postgres://")
_OURS = ("schema", "objects", "log-key", "local", "grant")
_SECRET = ("password", "passfile", "sslpassword")
_SHOWN = ("host", "hostaddr", "port", "user", "dbname", "service")
"""The parameters of libpq that are shown to people."""
_PARAMETER = compile_pattern(r"[a-z_]+|log-key")
_HOST = compile_pattern(r"(?:\[[0-9A-Fa-f:.]+\]|[^\[\]:]*)(?::[0-9]{0,5})?")
_NAME = compile_pattern(r"[a-z_][a-z0-9_]{0,62}")
_SPEC = "location of an archive"
_FORM = "postgresql://host/database?objects=/folder"


@dataclass(frozen=True, slots=True)
class PostgresqlLocation:
    """A parsed location."""

    where: str
    """Where the server and the archive are, for people."""
    server: str
    """The connection string of libpq."""
    schema: str
    objects: Path | str
    """A folder, or the address of a store."""
    log_key: Path | None
    local: Path
    """The folder of this machine's own files."""
    grant: str | None
    """The role that may write, besides the one that makes the archive."""


def located(location: str) -> PostgresqlLocation:
    """Parse a location. Raises ParseError, which never shows a password."""
    parts, parameters = _read(location)
    schema = parameters.get("schema", "permacite")
    grant = parameters.get("grant")
    if not _NAME.fullmatch(schema) or not _NAME.fullmatch(grant or "none"):
        raise _refused("expected a schema, and a role, of small letters, digits and _")
    store = parameters.get("objects")
    objects = check_address(store) if store and "://" in store else _folder(store, "objects")
    log_key = _folder(parameters["log-key"], "log-key") if "log-key" in parameters else None
    base = f"postgresql://{parts.netloc}{parts.path}"
    own = {name: value for name, value in parameters.items() if name not in _OURS}
    server = _with(base, own)
    shown = {name: value for name, value in own.items() if name in _SHOWN}
    local = parameters.get("local")
    return PostgresqlLocation(
        where=_with(base, shown | {"schema": schema}),
        server=server,
        schema=schema,
        objects=objects,
        log_key=log_key,
        local=_local(server, schema, log_key) if local is None else _folder(local, "local"),
        grant=grant,
    )


def _read(location: str) -> tuple[SplitResult, dict[str, str]]:
    """Return the parts of a location, and its parameters. Raises ParseError.

    A password with an unescaped character ends up in another part.
    """
    if not location.startswith(_SCHEMES):
        raise _refused(f"expected a folder, or {_FORM}")
    try:
        parts = urlsplit(location)
        parameters = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=True))
    except ValueError as error:
        raise _refused(f"expected {_FORM}") from error
    is_told = parts.password is not None or not parameters.keys().isdisjoint(_SECRET)
    if is_told or "@" in f"{parts.path}{parts.fragment}":
        raise _refused(
            "a password does not stand in a location, which others see",
            hint="put it into PGPASSWORD, or a file that PGPASSFILE names",
        )
    if parts.fragment:
        raise _refused("a location has no fragment")
    if not all(map(_HOST.fullmatch, parts.netloc.rpartition("@")[2].split(","))):
        raise _refused("expected a host, or a host and the number of its port")
    if not all(map(_PARAMETER.fullmatch, parameters)):
        raise _refused(f"expected parameters by their names, in small letters: {_FORM}")
    return parts, parameters


def _with(base: str, parameters: Mapping[str, str]) -> str:
    told = "&".join(f"{name}={quote(value)}" for name, value in parameters.items())
    return f"{base}?{told}" if told else base


def _folder(text: str | None, name: str) -> Path:
    if text is None or not unquote(text).startswith("/"):
        raise _refused(f"expected {name}=/path in the location, from the root on")
    return Path(text)


def _local(server: str, schema: str, log_key: Path | None) -> Path:
    """Return the folder of the log's key, if that is here; otherwise one of the user's."""
    if log_key is not None:
        return log_key.parent
    import platformdirs

    state = Path(platformdirs.user_state_dir("permacite", appauthor=False))
    return state / hashlib.sha256(f"{server} {schema}".encode()).hexdigest()[:16]


def _refused(problem: str, *, hint: str = "") -> ParseError:
    """Return the error of a location; it shows only the scheme: the rest may hold a password."""
    return ParseError(problem, "postgresql://", len("postgresql://"), _SPEC, hint=hint)
