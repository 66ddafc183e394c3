"""Names, format tokens and unique-ids: any text is a value or a ParseError, and goes round."""

from __future__ import annotations

from permacite import pdi
from permacite.errors import LimitError, ParseError

_NAMES = (
    "urn:pdi://web.example.us/2026/11/21/7.html.1",
    "pdi://oma.eop.gov.us/1994/10/20/http%3a%2f%2fwww%2ewhitehouse%2egov%2f.html.1",
    "pdi://oma.eop.gov.us/1997/09/01/1.text.1#char=37,51",
    "pdi://images.satellite.nasa.gov.us/1997/09/30/1234.gif#(5,10),(25,30),2",
    "pdi://video.cnn.co.us/1997/09/30/1234.mpeg.1#crop=sec,23,51,(10,10),(20,20)",
    "pdi://video.cnn.co.us/1997/09/30/1234.mpeg.1#sec,23,51",
    "pdi://a.us/1999/9/16/1.html.1#name=a%2cb,c",
    "pdi://a.us/1997/11/03/4.text.1@103=pdi://a.us/1997/09/01/1.text.1#37,51",
    "pdi://a.us/1997/*/01/*.utf-8.*",
    "application/vnd.ms-excel; charset=utf-8",
)
SEEDS: list[bytes] = [name.encode() for name in _NAMES]


def target(data: bytes) -> None:
    """Read `data` as every kind of text that permacite.pdi reads."""
    text = data.decode("utf-8", "surrogateescape")
    _name(text)
    for function in (pdi.token_for, pdi.decapsulate, pdi.encapsulate):
        try:
            function(text)
        except ParseError as error:
            _check(error, text)
    pdi.media_type_for(text)
    pdi.charset_for(text)


def _name(text: str) -> None:
    schemes = pdi.SCHEMES.extended(pdi.LINE, generic=True)
    for strict in (True, False):
        try:
            value = pdi.parse(text, strict=strict, schemes=schemes)
        except ParseError as error:
            _check(error, text)
            continue
        except LimitError:
            continue
        if str(value) != text:
            raise AssertionError("the text does not come back")
        again = pdi.parse(value.canonical(), strict=False, schemes=schemes)
        if again.canonical() != value.canonical() or not pdi.denotes_same(again, value):
            raise AssertionError("the canonical form is not canonical")
        pdi.covers(value, again)


def _check(error: ParseError, text: str) -> None:
    if error.source != text or not 0 <= error.offset <= len(text):
        raise AssertionError(f"the error is not placed in the text: {error!r}")
    str(error)
