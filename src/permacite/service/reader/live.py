"""The live page of a passage: its address with a text directive, which browsers scroll to.

URL Fragment Text Directives (WICG): `#:~:text=` and the words; of many, the first and the last.
Where the words are no longer there, a browser opens the page and marks nothing.
"""

from __future__ import annotations

from permacite import uri as references

__all__ = ["live_address"]

_WORDS = 12
"""More words than these are named by their first and last."""
_ENDS = 5


def live_address(address: str | None, quote: str) -> str | None:
    """The address of the page as it is now, at the quoted words; None where there is no address."""
    if address is None or not address.lower().startswith(("http:", "https:")):
        return None
    words = quote.split()
    if not words:
        return address
    ends = [words] if len(words) <= _WORDS else [words[:_ENDS], words[-_ENDS:]]
    text = ",".join(_escaped(" ".join(end)) for end in ends)
    page, _, fragment = address.partition("#")
    return f"{page}#{fragment}:~:text={text}"


def _escaped(words: str) -> str:
    """Words without the marks that a directive is divided by."""
    return references.quote(words, "fragment").translate({0x2C: "%2C", 0x2D: "%2D", 0x26: "%26"})
