"""src/permacite/web/static/openapi.json: the routes of the server, as OpenAPI has them.

Made of the route table, the handlers' own words and the values that they answer with: what a
handler says of its parameters (`?limit=`) and of its answer ("answers a Listing") is all there is.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
import pkgutil
import re
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.routing import Route

__all__ = ["page"]

_PARAMETER = re.compile(r"[?&]([a-z0-9_]+)=")
_NAME = re.compile(r"\b[A-Z][A-Za-z]+\b")
_OBJECT = re.compile(r"POST \S+ \{([^}]*)\}")
_IN_PATH = re.compile(r"\{([a-z]+)(?::path)?\}")
_BODIES = frozenset({"POST", "PUT"})
_UNTOLD = frozenset({"HEAD", "OPTIONS"})
_NUMBERS = frozenset({"limit", "offset", "year", "since_size"})

_PROBLEM = {
    "description": "What is wrong, as RFC 9457 has it; the reference of errors lists the codes.",
    "content": {
        "application/problem+json": {
            "schema": {
                "type": "object",
                "required": ["type", "title", "status", "detail", "code"],
                "properties": {
                    "type": {"type": "string"},
                    "title": {"type": "string"},
                    "status": {"type": "integer"},
                    "detail": {"type": "string"},
                    "code": {"type": "string"},
                    "hint": {"type": "string"},
                },
            }
        },
        "text/html": {},
    },
}


def page(root: Path) -> str:
    """Return the whole description."""
    del root
    from permacite.version import __version__
    from permacite.web.route_table import TABLE

    paths: dict[str, dict[str, object]] = {}
    for route in TABLE:
        described = paths.setdefault(_IN_PATH.sub(r"{\1}", route.path), {})
        for method in sorted((route.methods or set()) - _UNTOLD):
            described[method.lower()] = _operation(route, method)
    about = {
        "openapi": "3.1.0",
        "info": {
            "title": "permacite",
            "version": __version__,
            "description": "The resolver and the reader of an archive.",
        },
        "paths": paths,
        "components": {
            "schemas": {name: _schema(name) for name in sorted(_named(json.dumps(paths)))},
            "responses": {"problem": _PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
    return _lines(about) + "\n"


def _lines(value: object, depth: int = 3) -> str:
    """JSON with a line for each operation and each schema, so that a change of one is seen."""
    if not depth or not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    members = (f"{json.dumps(name)}: {_lines(each, depth - 1)}" for name, each in value.items())
    return "{\n" + ",\n".join(members) + "\n}"


def _operation(route: Route, method: str) -> dict[str, object]:
    words = inspect.cleandoc(route.endpoint.__doc__ or "")
    summary, _, rest = words.partition("\n\n")
    in_path = [_parameter(name, "path") for name in _IN_PATH.findall(route.path)]
    asked = dict.fromkeys(_PARAMETER.findall(words))
    operation: dict[str, object] = {
        "operationId": f"{route.endpoint.__name__}_{method.lower()}",
        "summary": " ".join(summary.split()),
        "description": " ".join(rest.split()),
        "parameters": in_path + [_parameter(name, "query") for name in asked],
        "responses": {
            "2XX": _answer(route, words),
            "3XX": {"description": "Elsewhere, or as before."},
        }
        | {"default": {"$ref": "#/components/responses/problem"}},
    }
    if method in _BODIES:
        operation["requestBody"] = _body(route, words)
    return operation


def _parameter(name: str, place: str) -> dict[str, object]:
    kind = "integer" if name in _NUMBERS else "string"
    return {"name": name, "in": place, "required": place == "path", "schema": {"type": kind}}


def _answer(route: Route, words: str) -> dict[str, object]:
    """The values that the first sentences name; a list of them where they say so."""
    told = words.partition("\n\n")[0]
    found = [name for name in _NAME.findall(told) if name in _values()]
    if "/-/api/" not in route.path or not found:
        return {"description": "What is asked for."}
    named: list[dict[str, object]] = [{"$ref": f"#/components/schemas/{name}"} for name in found]
    schema = named[0] if len(named) == 1 else {"anyOf": named}
    if f"a list of {found[0]}" in told:
        schema = {"type": "array", "items": schema}
    content = {"application/json": {"schema": schema}}
    return {"description": " or ".join(found), "content": content}


def _body(route: Route, words: str) -> dict[str, object]:
    if "/-/api/" in route.path and (told := _OBJECT.match(words)):
        names = re.findall(r"\b([a-z_]+)\b", told[1])
        first = names[:1]
        schema = {"type": "object", "required": first, "properties": {first[0]: {"type": "string"}}}
        return {"required": True, "content": {"application/json": {"schema": schema}}}
    kind = "application/octet-stream" if "/-/" not in route.path or "api" in route.path else None
    return {"required": True, "content": {kind or "application/x-www-form-urlencoded": {}}}


@cache
def _values() -> dict[str, Any]:
    """The values that use cases answer with, by their names; None where two have the same."""
    import permacite.service

    values: dict[str, Any] = {}
    for found in pkgutil.walk_packages(permacite.service.__path__, "permacite.service."):
        module = importlib.import_module(found.name)
        for name, value in vars(module).items():
            if inspect.isclass(value) and dataclasses.is_dataclass(value):
                values[name] = value if values.get(name, value) is value else None
    return values


def _schema(name: str) -> dict[str, object]:
    """An object with the members that a value is printed with."""
    if _values()[name] is None:
        raise ValueError(f"two values are called {name}: one of them needs another name")
    fields = dataclasses.fields(_values()[name])
    printed = [item.name for item in fields if item.metadata.get("json", True)]
    told = inspect.cleandoc(_values()[name].__doc__ or "").partition("\n")[0]
    return {"type": "object", "description": told, "required": printed} | {
        "properties": {item: {} for item in printed}
    }


def _named(text: str) -> set[str]:
    return set(re.findall(r"#/components/schemas/(\w+)", text))
