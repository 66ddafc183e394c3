"""The reader's templates: every value is escaped unless a template says otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined

from permacite.service.citations.parts import clock

if TYPE_CHECKING:
    from datetime import datetime

__all__ = ["render"]

_ENVIRONMENT = Environment(
    loader=PackageLoader("permacite.web", "pages"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def _size(size_bytes: int) -> str:
    """A size for people: 1536 is 1.5 KiB."""
    size = float(size_bytes)
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:  # noqa: PLR2004 - what a KiB is
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"


def _moment(moment: datetime | None) -> str:
    """A time for people, in UTC, to the minute."""
    return moment.strftime("%-d %B %Y, %H:%M UTC") if moment else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())


_ENVIRONMENT.filters |= {
    "size": _size,
    "moment": _moment,
    "one_line": _one_line,
    "clock": clock,
}


def render(template: str, **values: object) -> str:
    """A page made from a template of `pages/`."""
    return _ENVIRONMENT.get_template(template).render(**values)
