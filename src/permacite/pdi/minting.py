"""Rules for names that may be minted.

Persistent Document Identifiers (draft-mallery-urn-pdi-00) §2.1 to §2.6, §3.6.1.

Deviations: none.

Readings:
- Fragments and citations are immediate (§3.2.2): they are written, never minted.
- A country is one that ISO 3166 has assigned (October 2025), or, where the caller allows it, one
  of the codes that the standard leaves to its users, such as zz: for an archive of one's own.
- That components have no hyphen at an edge, and serial numbers begin at 1, is asked of new names
  only: any name that has been minted is read.
"""

from __future__ import annotations

from permacite.errors import ParseError
from permacite.pdi.grammar import decapsulate
from permacite.pdi.model import PDI, CitationPDI, FragmentPDI, PDIPattern
from permacite.pdi.syntax import parse
from permacite.scan import compile_pattern

__all__ = ["ASSIGNED", "check_mintable"]

_CODES = """
ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs
bt bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee
eg eh er es et fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm
hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc
li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na
nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw
sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st sv sx sy sz tc td tf tg th tj tk tl tm tn to
tr tt tv tw tz ua ug um us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw
"""
ASSIGNED = frozenset(_CODES.split())
"""The country codes of ISO 3166-1."""

_USER_ASSIGNED = compile_pattern(r"aa|q[m-z]|x[a-z]|zz")
_EDGE_HYPHEN = compile_pattern(r"-.*|.*-")
_ZERO = compile_pattern(r"0+")


def check_mintable(
    name: PDI | FragmentPDI | CitationPDI | PDIPattern | str, *, user_assigned: bool = False
) -> None:
    """Raise ParseError, placed in the name, unless it may be minted (PDI §3.6.1).

    `user_assigned`: whether the country may be a code that ISO 3166 leaves to its users.
    """
    value = parse(name) if isinstance(name, str) else name
    text = str(value)
    if isinstance(value, PDIPattern):
        raise ParseError("a minted name has no wildcards", text, text.find("*"), "PDI §3.6.1")
    if isinstance(value, FragmentPDI | CitationPDI):
        offset = len(str(value.pdi))
        raise ParseError("fragments and citations are not minted", text, offset, "PDI §3.2.2")
    if value.version is None:
        missing = "format and a version" if value.format is None else "version"
        raise ParseError(f"expected a {missing} to mint", text, len(text), "PDI §3.6.1")
    if value.violations:
        violation = value.violations[0]
        raise ParseError("expected the date as yyyy/mm/dd", text, violation.offset, "PDI §2.3")
    _check_series(value, text, user_assigned=user_assigned)
    _check_unique_id(value, text)


def _check_series(value: PDI, text: str, *, user_assigned: bool) -> None:
    offset = text.index("//") + 2
    for component in value.series[:-1]:
        if _EDGE_HYPHEN.fullmatch(component):
            raise ParseError("expected no hyphen at the edge", text, offset, "PDI §2.2")
        offset += len(component) + 1
    country = value.series[-1]
    if country in ASSIGNED or (user_assigned and _USER_ASSIGNED.fullmatch(country)):
        return
    raise ParseError(
        f"{country} is no country code that ISO 3166 has assigned", text, offset, "PDI §2.2"
    )


def _check_unique_id(value: PDI, text: str) -> None:
    offset = text.rindex("/") + 1
    if _ZERO.fullmatch(value.unique_id):
        raise ParseError("serial numbers begin at 1", text, offset, "PDI §2.4")
    try:
        decapsulate(value.unique_id)
    except ParseError as error:
        raise error.within(text, offset) from error
