"""Quirks mode, where a table does not end a paragraph (HTML §13.2.6.4.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from permacite.markup.tokens import Doctype

__all__ = ["is_quirky"]

_PUBLIC_IDS = frozenset(
    {"-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html"}
)
_SYSTEM_ID = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd"
_IETF = (
    "2.0 level 1",
    "2.0 level 2",
    "2.0 strict level 1",
    "2.0 strict level 2",
    "2.0 strict",
    "2.0",
    "2.1e",
    "3.0",
    "3.2 final",
    "3.2",
    "3",
    "level 0",
    "level 1",
    "level 2",
    "level 3",
    "strict level 0",
    "strict level 1",
    "strict level 2",
    "strict level 3",
    "strict",
)
_W3C = (
    "3 1995-03-24",
    "3.2 draft",
    "3.2 final",
    "3.2",
    "3.2s draft",
    "4.0 frameset",
    "4.0 transitional",
    "experimental 19960712",
    "experimental 970421",
)
_PREFIXES = (
    "+//silmaril//dtd html pro v0r11 19970101//",
    "-//as//dtd html 3.0 aswedit + extensions//",
    "-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
    *(f"-//ietf//dtd html {name}//" for name in _IETF),
    "-//ietf//dtd html//",
    "-//metrius//dtd metrius presentational//",
    "-//microsoft//dtd internet explorer 2.0 html strict//",
    "-//microsoft//dtd internet explorer 2.0 html//",
    "-//microsoft//dtd internet explorer 2.0 tables//",
    "-//microsoft//dtd internet explorer 3.0 html strict//",
    "-//microsoft//dtd internet explorer 3.0 html//",
    "-//microsoft//dtd internet explorer 3.0 tables//",
    "-//netscape comm. corp.//dtd html//",
    "-//netscape comm. corp.//dtd strict html//",
    "-//o'reilly and associates//dtd html 2.0//",
    "-//o'reilly and associates//dtd html extended 1.0//",
    "-//o'reilly and associates//dtd html extended relaxed 1.0//",
    "-//sq//dtd html 2.0 hotmetal + extensions//",
    "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
    "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//",
    "-//spyglass//dtd html 2.0 extended//",
    "-//sun microsystems corp.//dtd hotjava html//",
    "-//sun microsystems corp.//dtd hotjava strict html//",
    *(f"-//w3c//dtd html {name}//" for name in _W3C),
    "-//w3c//dtd w3 html//",
    "-//w3o//dtd w3 html 3.0//",
    "-//webtechs//dtd mozilla html 2.0//",
    "-//webtechs//dtd mozilla html//",
)
_WITHOUT_SYSTEM_ID = ("-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//")


def is_quirky(doctype: Doctype) -> bool:
    """Whether a document with this doctype is in quirks mode; without any it is too."""
    public = (doctype.public_id or "").lower()
    system = doctype.system_id
    return (
        doctype.name != "html"
        or public in _PUBLIC_IDS
        or public.startswith(_PREFIXES)
        or (system or "").lower() == _SYSTEM_ID
        or (system is None and public.startswith(_WITHOUT_SYSTEM_ID))
    )
