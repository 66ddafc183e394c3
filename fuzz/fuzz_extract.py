"""Fragments of hostile text and markup: an excerpt that is a slice of the document, or an error."""

from __future__ import annotations

from permacite.errors import LimitError, NotFoundError, ParseError
from permacite.extract import extract

_DOCUMENTS = (
    "elt=0,2\n<!doctype html><p>1<b>2<i>3</b>4</i>5<table><tr><td>x<td>y</table><li>a<li>b",
    "name=a,b\n<a name=a>x</a><svg><title><b>t</title><![CDATA[<p>]]></svg><p id=b>",
    "elt=1,3\n<select><option>1<optgroup><option>2</select><template><td>x</template><form></form>",
    "char=3,9\none\r\ntwo\nthree\rfour",
    "line=1,2\none\r\ntwo\nthree\rfour",
    "byte=2,5\nabcdef",
)
SEEDS: list[bytes] = [document.encode() for document in _DOCUMENTS]

_TYPES = ("text/html", "text/plain", "text/xml", "application/xhtml+xml", "image/svg+xml")
_CHARSETS = (None, "utf-8", "utf-16", "iso-2022-jp", "windows-1252", "shift_jis")


def target(data: bytes) -> None:
    """Cut the fragment in the first line out of what follows it."""
    fragment, _, document = data.partition(b"\n")
    for media_type in _TYPES:
        charset = _CHARSETS[len(document) % len(_CHARSETS)]
        try:
            found = extract(
                document, media_type, fragment.decode("utf-8", "replace"), charset=charset
            )
        except (ParseError, NotFoundError, LimitError):
            continue
        if found.source_range is None:
            raise AssertionError("text is cut where it stands")
        start, end = found.source_range
        if not 0 <= start <= end <= len(document) or found.data != document[start:end]:
            raise AssertionError("the excerpt is not the slice that it says")
