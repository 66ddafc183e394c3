"""Prints PDFs of known text by Chromium: `python tests/golden/pdf/generate.py`, with Noto fonts."""

from __future__ import annotations

import html
import re
import subprocess
from pathlib import Path

FOLDER = Path(__file__).parent
# ruff: noqa: E501 - prose to be printed
PROSE = [
    (
        "The first column of this page holds a paragraph that is long enough to be broken into a good "
        "number of lines, so that whoever reads it from the left to the right across the gutter gets "
        "nonsense."
    ),
    (
        "A second paragraph follows, about archives and libraries, catalogues and manuscripts, and about "
        "the responsibilities of those who keep them for generations to come."
    ),
    (
        "The third one speaks of permanence: a citation should lead to exactly the same words in a "
        "hundred years, wherever they are kept, and whoever keeps them."
    ),
]
ROWS = [("Alpha", "one hundred", "12.5"), ("Beta", "two hundred", "7.25"), ("Gamma", "three", "1")]
PAGES = {
    # name: style of the body, its content
    "columns": ("columns:2;text-align:justify", "".join(f"<p>{each}</p>" for each in PROSE * 2)),
    "hyphens": (
        "width:7em;text-align:justify",
        "<p>Charac&shy;teris&shy;tically in&shy;com&shy;pre&shy;hen&shy;sible words necessi&shy;tate cir&shy;cum&shy;spec&shy;tion.</p>",
    ),
    "ligatures": (
        "",
        "<p>The official affinity of different offices: fluffy waffles, first flights.</p>",
    ),
    "smallcaps": ("font-variant:small-caps", "<p>Small Capitals Of The House Of Permanence</p>"),
    "letterspaced": ("letter-spacing:0.25em", "<p>Letter spaced words are told apart</p>"),
    "footnotes": (
        "",
        "<p>The text has a note here<sup>1</sup> and goes on.</p><p><small>1 This is the note.</small></p>",
    ),
    "table": (
        "",
        "<table cellpadding=6>"
        + "".join("<tr><td>" + " </td><td>".join(row) + "</td></tr>\n" for row in ROWS)
        + "</table>",
    ),
    "arabic": (
        'font-family:"Noto Naskh Arabic";direction:rtl',
        (
            "<p>هذا نص باللغة العربية يمتد على عدة أسطر حتى نرى كيف تقرأ الكلمات من اليمين إلى اليسار في "
            "صفحة واحدة.</p><p>تأسست المكتبة عام 1923 وفيها 45 كتابا (من بينها كتب نادرة) عن permacite "
            "والأرشيف.</p>"
        ),
    ),
}


def main() -> None:
    """Write each page as HTML, print it, and keep its words beside it."""
    for name, (style, content) in PAGES.items():
        source = FOLDER / f"{name}.html"
        source.write_text(
            f"<!doctype html><meta charset=utf-8><title>{name}</title><style>@page{{size:A5;"
            f'margin:18mm}}body{{font:11pt "DejaVu Serif";{style}}}</style>{content}',
            encoding="utf-8",
        )
        printed = FOLDER / f"{name}.pdf"
        options = ["--headless", "--no-sandbox", "--no-pdf-header-footer"]
        command = ["chromium", *options, f"--print-to-pdf={printed}", str(source)]
        subprocess.run(command, check=True, timeout=60, capture_output=True)
        source.unlink()
        words = html.unescape(re.sub("<[^>]+>", "", content.replace("</p>", "\n")))
        (FOLDER / f"{name}.txt").write_text(words.replace("\u00ad", ""), encoding="utf-8")


if __name__ == "__main__":
    main()
