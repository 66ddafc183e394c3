"""Locations such as `postgresql://host/db?schema=archive&objects=/folder&log-key=/file`.

No secret stands in a location: it is shown in processes, logs and messages. libpq finds passwords
in PGPASSWORD, PGPASSFILE and service files, and all else that is left out.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from permacite.errors import ParseError
from permacite.scan import compile_pattern

__all__ = ["SCHEMES", "Located", "located"]

SCHEMES = ("postgresql://", "postgres://")
_OURS = ("schema", "objects", "log-key", "local", "grant")
_SECRET = ("password", "passfile", "sslpassword")
_NAME = compile_pattern(r"[a-z_][a-z0-9_]{0,62}")
_SPEC = "location of an archive"


@dataclass(frozen=True, slots=True)
class Located:
    """What a location says."""

    where: str
    """The location without what is not ours to tell."""
    server: str
    """How libpq is told where the server is."""
    schema: str
    objects: Path | str
    """A folder, or the address of a store."""
    log_key: Path | None
    local: Path
    """The folder of what this machine keeps for itself."""
    grant: str | None
    """The role that is to write, beside the one that makes the archive."""


def located(location: str) -> Located:
    """Read a location. Raises ParseError, which never shows a password."""
    try:
        parts = urlsplit(location)
        parameters = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=True))
    except ValueError as error:
        raise _refused("expected postgresql://host/database?objects=/folder") from error
    if parts.password is not None or not parameters.keys().isdisjoint(_SECRET):
        raise _refused(
            "a password does not stand in a location, which others see",
            hint="put it into PGPASSWORD, or a file that PGPASSFILE names",
        )
    if parts.fragment:
        raise _refused("a location has no fragment")
    schema = parameters.get("schema", "permacite")
    grant = parameters.get("grant")
    if not _NAME.fullmatch(schema) or not _NAME.fullmatch(grant or "none"):
        raise _refused("expected a schema, and a role, of small letters, digits and _")
    store = parameters.get("objects")
    objects = store if store and "://" in store else _folder(store, "objects")
    log_key = _folder(parameters["log-key"], "log-key") if "log-key" in parameters else None
    others = "&".join(
        f"{name}={quote(value)}" for name, value in parameters.items() if name not in _OURS
    )
    server = f"postgresql://{parts.netloc}{parts.path}" + (f"?{others}" if others else "")
    local = parameters.get("local")
    return Located(
        where=f"{server}{'&' if others else '?'}schema={schema}",
        server=server,
        schema=schema,
        objects=objects,
        log_key=log_key,
        local=_local(server, schema, log_key) if local is None else _folder(local, "local"),
        grant=grant,
    )


def _folder(text: str | None, name: str) -> Path:
    if text is None or not unquote(text).startswith("/"):
        raise _refused(f"expected {name}=/path in the location, from the root on")
    return Path(text)


def _local(server: str, schema: str, log_key: Path | None) -> Path:
    """Beside the key of the log, if it is here; else a folder of the user's."""
    if log_key is not None:
        return log_key.parent
    import platformdirs  # noqa: PLC0415 - not needed where a folder is given

    state = Path(platformdirs.user_state_dir("permacite", appauthor=False))
    return state / hashlib.sha256(f"{server} {schema}".encode()).hexdigest()[:16]


def _refused(problem: str, *, hint: str = "") -> ParseError:
    """The error of a location; it shows the scheme alone, for the rest may hold a password."""
    return ParseError(problem, "postgresql://", len("postgresql://"), _SPEC, hint=hint)
