"""The order in which the tags of a page have its parts: of each marked content its block."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from permacite.renditions.pdf.library import Library

__all__ = ["NO_BLOCK", "blocks_of"]

NO_BLOCK = -1
_WITHIN = frozenset(
    {
        "Span",
        "Link",
        "Em",
        "Strong",
        "Sub",
        "Quote",
        "Code",
        "Reference",
        "Annot",
        "Ruby",
        "RB",
        "RT",
    }
    | {"RP", "Warichu", "WT", "WP", "Lbl", "LBody", "TR", "TH", "TD", "THead", "TBody", "TFoot"}
    | {"NonStruct", "Private"}
)
"""What stands in the lines of the block around it (ISO 32000-1, 14.8.4)."""
_WHOLE = frozenset({"Table", "LI", "TOCI", "Formula", "Figure", "P", "Caption"})
"""What is one block with all that it holds."""
_DEEPEST, _MOST = 60, 100_000


def blocks_of(pdfium: Library, page: int) -> dict[int, int]:
    """Of each number of marked content the number of its block, in the order of the tags."""
    tree = pdfium.FPDF_StructTree_GetForPage(page)
    if not tree:
        return {}
    try:
        return _Walk(pdfium).blocks(tree)
    finally:
        pdfium.FPDF_StructTree_Close(tree)


class _Walk:
    """One way through a tree, from its root to its leaves; what is too deep or too much is left."""

    def __init__(self, pdfium: Library) -> None:
        self._pdfium = pdfium
        self._found: dict[int, int] = {}
        self._block = 0
        self._left = _MOST

    def blocks(self, tree: int) -> dict[int, int]:
        """All blocks, or none where the tree is too large to be one."""
        count = self._pdfium.FPDF_StructTree_CountChildren(tree)
        for index in range(min(max(count, 0), self._left)):
            element = self._pdfium.FPDF_StructTree_GetChildAtIndex(tree, index)
            if element:
                self._element(element, 0, whole=False)
        return self._found if self._left > 0 else {}

    def _element(self, element: int, depth: int, *, whole: bool) -> None:
        pdfium = self._pdfium
        self._left -= 1
        if self._left <= 0 or depth > _DEEPEST:
            return
        kind = pdfium.words("FPDF_StructElement_GetType", element)
        begins = not whole and kind not in _WITHIN
        whole = whole or kind in _WHOLE
        self._block += begins
        count = pdfium.FPDF_StructElement_CountChildren(element)
        for index in range(min(max(count, 0), self._left)):
            content = pdfium.FPDF_StructElement_GetChildMarkedContentID(element, index)
            if content >= 0:
                self._found.setdefault(content, self._block)
                continue
            child = pdfium.FPDF_StructElement_GetChildAtIndex(element, index)
            if child:
                self._element(child, depth + 1, whole=whole)
        self._block += begins  # what follows in the element around it is a block of its own
