"""Style sheets that fetch nothing: every reference in them satisfied from the aggregate.

An imported sheet becomes a `data:` URI with its own references satisfied in turn. A reference to a
place in the page itself (`url(#gradient)`) stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.markup import css_urls, decode, sniff_charset
from permacite.mhtml.export.data import NOTHING, Resource, data_uri
from permacite.mhtml.links import rewrite
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from permacite.mhtml.export.supply import Supply
    from permacite.mhtml.reading.part import BodyPart

__all__ = ["Styles", "without_tags"]

_TYPE = "text/css;charset=utf-8"
_IMPORT_DEPTH = 8

# What could be read as a tag, were the text not in a `style` element after all.
_TAG_LIKE = compile_pattern(
    r"(?P<comment>/\*(?:[^*]++|\*(?!/))*+(?:\*/)?+)"
    r"|(?P<string>\"(?:[^\"\\\n\f\r]++|\\[\s\S])*+\"?+|'(?:[^'\\\n\f\r]++|\\[\s\S])*+'?+)"
    r"|(?P<cdo><!--)|<(?=[A-Za-z/!?])"
)


class Styles:
    """The style sheets of one page; each part is read once."""

    def __init__(self, supply: Supply) -> None:
        self._supply = supply
        self._sheets: dict[str, str] = {}

    def sheet(self, reference: str, within: BodyPart, *, depth: int = 0) -> str:
        """Return a `data:` URI for the style sheet that a reference names."""
        found = self._supply.find(reference, within)
        if found is None or reference == NOTHING:
            return NOTHING
        if depth == _IMPORT_DEPTH:
            self._supply.leave_out(reference, within)
            return NOTHING
        key = f"{depth} {found.path}" if not isinstance(found, Resource) else ""
        known = self._sheets.get(key) if key else None
        if known is None:
            known = self._read(found, within, depth)
            self._sheets[key] = known
        return known if self._supply.charge(len(known), reference, within) else NOTHING

    def _read(self, found: Resource | BodyPart, within: BodyPart, depth: int) -> str:
        if isinstance(found, Resource):
            codec = sniff_charset(found.content, found.charset, "text/css").codec
        else:
            within, codec = found, found.charset or "utf-8"
        text = self.inlined(decode(found.content, codec), within, depth=depth)
        return data_uri(text.encode("utf-8", "replace"), _TYPE)

    def inlined(self, source: str, within: BodyPart, *, depth: int = 0) -> str:
        """Return CSS with each reference replaced by a `data:` URI."""
        return rewrite(source, self._edits(source, within, depth))

    def _edits(self, source: str, within: BodyPart, depth: int) -> Iterator[tuple[int, int, str]]:
        for url in css_urls(source):
            if url.kind == "import":
                yield url.start, url.end, self.sheet(url.value, within, depth=depth + 1)
            elif not url.value.lstrip().startswith("#"):
                yield url.start, url.end, self._supply.embed(url.value, within)


def without_tags(css: str) -> str:
    """Return CSS of the same meaning in which `<` begins nothing that is like a tag."""
    return _TAG_LIKE.sub(_without_tag, css) if "<" in css else css


def _without_tag(found: re.Match[str]) -> str:
    if found["comment"]:
        return found[0].replace("<", "")
    if found["string"]:
        return found[0].replace("<", "\\3c ")
    return "" if found["cdo"] else "< "
