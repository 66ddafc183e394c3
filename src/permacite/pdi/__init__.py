"""Persistent Document Identifiers: permanent names of documents, their parts and their citations.

Persistent Document Identifiers (draft-mallery-urn-pdi-00), whole as far as names go.

| section | function |
|---|---|
| §1 the syntax of names, §3.8 names as URLs | parse |
| §2.4.1 foreign identifiers | encapsulate, decapsulate |
| §2.5 formats and media types | token_for, media_type_for, alias_for, charset_for, default_scheme |
| §3.3 fragment schemes, and how to add one | SCHEMES, Schemes, FragmentScheme, LINE |
| §3.6.1 what may be minted | PDI.make, check_mintable |
| §3.6.3 wildcards | PDIPattern, covers |
| §3.6.4 lexical equivalence; what defaults mean | lexically_equal, denotes_same |

Deviations: `line` is an extension, read on request; `au` and the short
endings of files, such as `docx`, are read as the types they stand for, and never written.

Readings: those of the draft's contradictions are in the modules `syntax`, `schemes`, `model`,
`grammar`, `equivalence` and `minting`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.pdi.equivalence import covers, denotes_same, lexically_equal
    from permacite.pdi.grammar import Violation, decapsulate, encapsulate
    from permacite.pdi.minting import check_mintable
    from permacite.pdi.model import (
        DRAWN_PAGE,
        DRAWN_TEXT,
        PDI,
        CitationPDI,
        FragmentPDI,
        PDIPattern,
        alias_for,
        charset_for,
        default_scheme,
        media_type_for,
        token_for,
    )
    from permacite.pdi.rfc8118 import PagePlace, parse_rfc8118
    from permacite.pdi.schemes import LINE, SCHEMES, FragmentScheme, Schemes
    from permacite.pdi.syntax import MAX_DEPTH, Specifier, parse, parse_specifier

__all__ = [
    "DRAWN_PAGE",
    "DRAWN_TEXT",
    "LINE",
    "MAX_DEPTH",
    "PDI",
    "SCHEMES",
    "CitationPDI",
    "FragmentPDI",
    "FragmentScheme",
    "PDIPattern",
    "PagePlace",
    "Schemes",
    "Specifier",
    "Violation",
    "alias_for",
    "charset_for",
    "check_mintable",
    "covers",
    "decapsulate",
    "default_scheme",
    "denotes_same",
    "encapsulate",
    "lexically_equal",
    "media_type_for",
    "parse",
    "parse_rfc8118",
    "parse_specifier",
    "token_for",
]

on_demand(
    __name__,
    {
        "permacite.pdi.equivalence": "covers, denotes_same, lexically_equal",
        "permacite.pdi.grammar": "Violation, decapsulate, encapsulate",
        "permacite.pdi.minting": "check_mintable",
        "permacite.pdi.model": (
            "DRAWN_PAGE, DRAWN_TEXT, PDI, CitationPDI, FragmentPDI, PDIPattern, alias_for,"
            " charset_for, default_scheme, media_type_for, token_for"
        ),
        "permacite.pdi.rfc8118": "PagePlace, parse_rfc8118",
        "permacite.pdi.schemes": "LINE, SCHEMES, FragmentScheme, Schemes",
        "permacite.pdi.syntax": "MAX_DEPTH, Specifier, parse, parse_specifier",
    },
)
