"""Persistent Document Identifiers: permanent names of documents, their parts and their citations.

draft-mallery-urn-pdi-00, whole as far as names go: `parse` reads one, `PDI.make` builds one.
"""

from permacite.pdi.equivalence import covers, denotes_same, lexically_equal
from permacite.pdi.escapes import decapsulate, encapsulate
from permacite.pdi.formats import charset_for, default_scheme, media_type_for, token_for
from permacite.pdi.grammar import Violation
from permacite.pdi.minting import check_mintable
from permacite.pdi.model import PDI, CitationPDI, FragmentPDI, PDIPattern
from permacite.pdi.schemes import LINE, SCHEMES, FragmentScheme, Schemes
from permacite.pdi.specifier import Specifier, parse_specifier
from permacite.pdi.syntax import MAX_DEPTH, parse

__all__ = [
    "LINE",
    "MAX_DEPTH",
    "PDI",
    "SCHEMES",
    "CitationPDI",
    "FragmentPDI",
    "FragmentScheme",
    "PDIPattern",
    "Schemes",
    "Specifier",
    "Violation",
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
    "parse_specifier",
    "token_for",
]
