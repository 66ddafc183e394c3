"""Tags that do nothing: which attributes stay, and how a tag is written again.

A tag that needs no change stays byte for byte as it is. One that does is written anew, with every
value in quotation marks and nothing in it that any state of a tokenizer could take for markup.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.mhtml.export.data import NOTHING
from permacite.mhtml.links_table import ATTRIBUTES, PAINT
from permacite.mhtml.links_values import in_srcset
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    from permacite.markup import StartTag
    from permacite.mhtml.export.styles import Styles
    from permacite.mhtml.export.supply import Supply
    from permacite.mhtml.reading.part import BodyPart

__all__ = ["Attributes", "escape", "get", "is_odd", "start_tag"]

Values = list[tuple[str, str | None]]
"""Attributes in order; None: a name without a value."""

_ODD = compile_pattern(r"[\x00-\x20\"'<>/=`\x7f]")


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DROPPED = _names(
    "action archive attributionsrc autofocus autoplay base classid code codebase datasrc dynsrc "
    "formaction imagesrcset imagesizes integrity lowsrc manifest nonce ping pluginspage pluginurl "
    "profile srcdoc"
)
"""Attributes that send, fetch, run or take the reader away by themselves."""

_FETCHING = _names("src srcset href poster data background")
_SHOWN = _names("image media track svg")
_ANIMATION = _names("animate animatemotion animatetransform set discard")
_ANIMATED_VALUES = _names("to from by values attributename")
_SCRIPT = compile_pattern(r"script[\x00-\x20]*+:|href|\Aon")


def escape(text: str) -> str:
    """Return text as it stands in an attribute value or between tags."""
    # Most of what comes here is long and holds none of these: four searches, and no copy.
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return text.replace(">", "&gt;").replace('"', "&quot;")


def is_odd(name: str) -> bool:
    """Whether a name holds what another reading could take for more than a name."""
    return _ODD.search(name) is not None


def start_tag(name: str, values: Iterable[tuple[str, str | None]], *, closed: bool = False) -> str:
    """Write a start tag."""
    written = "".join(
        f" {key}" if value is None else f' {key}="{escape(value)}"' for key, value in values
    )
    return f"<{name}{written}{' /' if closed else ''}>"


def get(tag: StartTag, name: str) -> str | None:
    """Return the value that an attribute will have in HTML, which knows no case; None: absent."""
    return next((each.value for each in tag.attributes if each.name.lower() == name), None)


class Attributes:
    """What becomes of attributes in one document; references are resolved within `part`."""

    def __init__(self, supply: Supply, styles: Styles, part: BodyPart, *, scripts: bool) -> None:
        self._scripts = scripts
        self._supply = supply
        self._styles = styles
        self._part = part

    def harmless(self, tag: StartTag, element: str) -> tuple[Values, bool]:
        """Return the attributes that stay, with their values, and whether any has changed."""
        values: Values = []
        changed = False
        for attribute in tag.attributes:
            name = attribute.name.lower()
            key = name.rpartition(":")[2]
            is_handler = (key.startswith("on") or name.startswith("on")) and not self._scripts
            if is_odd(attribute.name) or key in _DROPPED or is_handler:
                changed = True
                continue
            value = None if attribute.quote is None else attribute.value
            kept = value and self._value(element, key, value)
            if kept is None and value:
                changed = True
                continue
            changed = changed or kept != value
            values.append((attribute.name, kept))
        return values, changed

    def _value(self, element: str, key: str, value: str) -> str | None:
        """Return the value that is to stand for `value`; None: the attribute goes."""
        if key == "style" or key in PAINT:
            return self._styles.inlined(value, self._part)
        if element in _ANIMATION and key in _ANIMATED_VALUES:
            return None if _SCRIPT.search(value.lower()) else value
        role, kind = ATTRIBUTES.get((element, key), (None, None))
        if role == "navigate" or (role is None and key in ("href", "cite", "longdesc")):
            return self._supply.absolute(value, self._part)
        if kind in _SHOWN or (element, key) == ("input", "src"):
            return self._shown(element, key, value)
        return None if key in _FETCHING else value

    def _shown(self, element: str, key: str, value: str) -> str | None:
        """Return a `data:` URI, or several. SVG may show parts of its own (`<use href="#x">`)."""
        if key == "srcset":
            return self._srcset(value)
        if value.startswith("#") and key == "href":
            return value
        if ATTRIBUTES.get((element, key)) == ("embed", "svg"):
            # Browsers take no part of a drawing from a `data:` URI.
            if self._supply.find(value, self._part) is not None:
                self._supply.leave_out(value, self._part)
            return None
        return self._supply.embed(value, self._part)

    def _srcset(self, value: str) -> str | None:
        """Return the candidates that can be shown; None where there is none."""
        candidates: list[str] = []
        places = list(in_srcset(value))
        ends = [start for start, _ in places[1:]] + [len(value)]
        for (start, end), behind in zip(places, ends, strict=True):
            uri = self._supply.embed(value[start:end], self._part)
            descriptors = value[end:behind].strip(" \t\n\f\r,")
            if uri != NOTHING:
                candidates.append(f"{uri} {descriptors}".strip())
        return ", ".join(candidates) or None
