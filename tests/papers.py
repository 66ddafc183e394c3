"""Small PDFs for tests: pages of lines in Helvetica, with printed numbers, turned or oversized."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Sheet", "paper"]


class Sheet(NamedTuple):
    """A page: lines, each with its left edge and baseline in points from the lower left corner."""

    lines: tuple[tuple[float, float, str], ...]
    box: tuple[float, float, float, float] = (0, 0, 300, 400)
    turned: int = 0
    more: str = ""
    """Operators behind the lines."""


def paper(*sheets: Sheet, labels: str = "") -> bytes:
    """A PDF. `labels`: the number tree of its page labels, such as "0<</S/r>>1<</S/D>>"."""
    kids = " ".join(f"{4 + 2 * index} 0 R" for index in range(len(sheets)))
    named = f"/PageLabels<</Nums[{labels}]>>" if labels else ""
    objects = [
        f"<</Type/Catalog/Pages 2 0 R{named}>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(sheets)}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for index, sheet in enumerate(sheets):
        box = " ".join(f"{edge:g}" for edge in sheet.box)
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[{box}]/Rotate {sheet.turned}"
            f"/Contents {5 + 2 * index} 0 R/Resources<</Font<</F 3 0 R>>>>>>"
        )
        drawn = "".join(f"BT/F 12 Tf {x:g} {y:g} Td({text})Tj ET\n" for x, y, text in sheet.lines)
        drawn += sheet.more
        objects.append(f"<</Length {len(drawn)}>>stream\n{drawn}\nendstream")
    made = "%PDF-1.7\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(made))
        made += f"{number} 0 obj{content}endobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer<</Root 1 0 R/Size {size}>>\n"
    return f"{made}{end}startxref\n{len(made)}\n%%EOF\n".encode("latin-1")
