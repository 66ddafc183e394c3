"""Prints PDFs of known text by Chromium, LibreOffice and TeX, and writes their words beside them.

`python tests/golden/pdf/generate.py [NAME...]`: those that are named, or all that are missing. It
needs chromium, libreoffice-writer, texlive-xetex, texlive-luatex, texlive-latex-extra,
texlive-lang-arabic, texlive-lang-cjk, texlive-lang-german, fonts-noto-core, fonts-noto-cjk,
fonts-unfonts-core.
"""

from __future__ import annotations

import html
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[3]))
from tests.golden.pdf.texts import NOTE, NOTED, ROWS, SYLLABLES, TEXTS

# ruff: noqa: E501, RUF001, T201 - documents to be printed, and what was
FOLDER = Path(__file__).parent
FONTS = {
    "ar": "Noto Naskh Arabic",
    "he": "Noto Serif Hebrew",
    "hi": "Noto Serif Devanagari",
    "zh": "Noto Serif CJK SC",
    "ja": "Noto Serif CJK JP",
    "ko": "UnBatang",
}
LEFTWARDS = frozenset({"ar", "he"})
TABLE = "\n".join(" ".join(row) for row in ROWS)
NOTES = f"{NOTED[0]}1{NOTED[1]} {TEXTS['en'][0]}\n1 {NOTE}"


class Printed(NamedTuple):
    """A document: what it is written in, and its words."""

    source: str
    words: str


def lines_of(language: str, times: int = 1) -> str:
    return "\n".join(TEXTS[language] * times)


# ---------------------------------------------------------------- Chromium


def web(style: str, content: str, words: str, language: str = "en") -> Printed:
    font = FONTS.get(language, "DejaVu Serif")
    style = f'@page{{size:A5;margin:18mm}}body{{font:11pt "{font}";{style}}}'
    head = f"<meta charset=utf-8><title>Printed</title><style>{style}</style>"
    return Printed(f"<!doctype html><html lang={language}>{head}<body>{content}", words)


def web_text(language: str, style: str = "", times: int = 1) -> Printed:
    content = "".join(f"<p>{each}</p>" for each in TEXTS[language] * times)
    if language in LEFTWARDS:
        style += ";direction:rtl"
    return web(style, content, lines_of(language, times), language)


def _web_table() -> str:
    rows = ("<td>" + "</td><td>".join(row) + "</td>" for row in ROWS)
    return "<table cellpadding=6><tr>" + "</tr><tr>".join(rows) + "</tr></table>"


def _aside() -> Printed:
    own, beside = TEXTS["en"][0], TEXTS["en"][1]
    narrow = f"<aside style='float:right;width:38%;margin-left:8mm'><p>{beside}</p></aside>"
    return web("", f"{narrow}<p>{own}</p>", f"{beside}\n{own}")


def _formulas() -> Printed:
    row = "<math><msup><mi>a</mi><mn>2</mn></msup><mo>+</mo><msup><mi>b</mi><mn>2</mn></msup><mo>=</mo><msup><mi>c</mi><mn>2</mn></msup></math>"
    text = "is what Pythagoras is said to have found, and what carpenters use to this day."
    return web(
        "",
        f"<p>The rule {row} {text}</p>",
        f"The rule \U0001d44e2 + \U0001d44f2 = \U0001d4502 {text}",
    )


def web_pages() -> dict[str, Printed]:
    """What Chromium prints."""
    turned = "position:absolute;left:2mm;top:60mm;writing-mode:vertical-rl;transform:rotate(180deg)"
    own = TEXTS["en"][0]
    return {
        "columns": web_text("en", "columns:2;text-align:justify"),
        "three-columns": web_text("en", "columns:3;column-gap:5mm;font-size:8pt", 2),
        "hyphens": web(
            "width:7em;text-align:justify",
            f"<p>{SYLLABLES.replace('|', '&shy;')}</p>",
            SYLLABLES.replace("|", ""),
        ),
        "ligatures": web_text("fi"),
        "smallcaps": web_text("capitals", "font-variant:small-caps"),
        "letterspaced": web_text("letters", "letter-spacing:0.25em"),
        "footnotes": web(
            "",
            f"<p>{NOTED[0]}<sup>1</sup>{NOTED[1]} {TEXTS['en'][0]}</p><p><small>1 {NOTE}</small></p>",
            NOTES,
        ),
        "table": web("", _web_table(), TABLE),
        "aside": _aside(),
        "turned": web("", f"<p>{own}</p><p style='{turned}'>{NOTE}</p>", f"{own}\n{NOTE}"),
        "formulas": _formulas(),
        "german": web_text("de"),
        "greek": web_text("el"),
        "arabic": web_text("ar"),
        "hebrew": web_text("he"),
        "hebrew-columns": web_text("he", "columns:2", 2),
        "devanagari": web_text("hi"),
        "chinese": web_text("zh"),
        "japanese": web_text("ja"),
        "vertical": web_text("ja", "writing-mode:vertical-rl"),
        "korean": web_text("ko"),
        "korean-narrow": web_text("ko", "width:60mm"),
    }


# ---------------------------------------------------------------- LibreOffice

OFFICE = """<?xml version="1.0" encoding="UTF-8"?>
<office:document office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text"
 xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"
 xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0">
<office:font-face-decls><style:font-face style:name="F" svg:font-family="'{font}'"/></office:font-face-decls>
<office:styles><style:default-style style:family="paragraph"><style:paragraph-properties
 style:writing-mode="{paragraphs}"/><style:text-properties style:font-name="F" fo:font-size="11pt"
 style:font-name-asian="F" style:font-size-asian="11pt" style:font-name-complex="F"
 style:font-size-complex="11pt"/></style:default-style></office:styles>
<office:automatic-styles>
<style:page-layout style:name="L"><style:page-layout-properties fo:page-width="14.8cm"
 fo:page-height="21cm" fo:margin="1.8cm" style:writing-mode="{pages}"/></style:page-layout>
<style:style style:name="P" style:family="paragraph"><style:paragraph-properties
 fo:margin-bottom="0.3cm" {paragraph}/><style:text-properties {letters}/></style:style>
<style:style style:name="S" style:family="section"><style:section-properties><style:columns
 fo:column-count="2" fo:column-gap="0.7cm"/></style:section-properties></style:style>
</office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="L">
{edges}</style:master-page></office:master-styles>
<office:body><office:text>{content}</office:text></office:body></office:document>
"""


def office(content: str, words: str, language: str = "en", **settings: str) -> Printed:
    known = {
        "font": FONTS.get(language, "DejaVu Serif"),
        "paragraphs": "rl-tb" if language in LEFTWARDS else "lr-tb",
        "pages": "lr-tb",
        "paragraph": "",
        "letters": "",
        "edges": "",
    }
    return Printed(OFFICE.format(content=content, **known | settings), words)


def _paragraphs(language: str, times: int = 1) -> str:
    return "".join(
        f'<text:p text:style-name="P">{each}</text:p>' for each in TEXTS[language] * times
    )


def office_text(language: str, **settings: str) -> Printed:
    return office(_paragraphs(language), lines_of(language), language, **settings)


def _office_table() -> str:
    cells = "".join(
        "<table:table-row>"
        + "".join(f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in row)
        + "</table:table-row>"
        for row in ROWS
    )
    columns = '<table:table-column table:number-columns-repeated="3"/>'
    return f'<table:table table:name="T">{columns}{cells}</table:table>'


def office_pages() -> dict[str, Printed]:
    """What LibreOffice prints, tagged."""
    note = (
        '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>'
        f"<text:note-body><text:p>{NOTE}</text:p></text:note-body></text:note>"
    )
    noted = f'<text:p text:style-name="P">{NOTED[0]}{note}{NOTED[1]} {TEXTS["en"][0]}</text:p>'
    section = '<text:section text:name="A" text:style-name="S">{}</text:section>'
    edges = "<style:header><text:p>A running head</text:p></style:header>"
    edges += "<style:footer><text:p>Page one of one</text:p></style:footer>"
    narrow = 'fo:margin-right="7.5cm" fo:text-align="justify"'
    return {
        "columns": office(section.format(_paragraphs("en")), lines_of("en")),
        "hyphens": office(
            f'<text:p text:style-name="P">{SYLLABLES.replace("|", chr(0xAD))}</text:p>',
            SYLLABLES.replace("|", ""),
            paragraph=narrow,
        ),
        "ligatures": office_text("fi"),
        "smallcaps": office(
            _paragraphs("capitals"),
            lines_of("capitals").upper(),  # LibreOffice writes capitals
            letters='fo:font-variant="small-caps"',
        ),
        "letterspaced": office_text("letters", letters='fo:letter-spacing="2.5pt"'),
        "footnotes": office(noted, NOTES),
        "table": office(_office_table(), TABLE),
        "edges": office(
            _paragraphs("en"), f"A running head\n{lines_of('en')}\nPage one of one", edges=edges
        ),
        "russian": office_text("ru"),
        "czech": office_text("cs"),
        "arabic": office_text("ar"),
        "hebrew": office_text("he"),
        "devanagari": office_text("hi"),
        "chinese": office_text("zh"),
        "japanese": office_text("ja"),
        "vertical": office_text("ja", pages="tb-rl", paragraphs="tb-rl"),
        "korean": office_text("ko"),
        "korean-narrow": office_text("ko", paragraph='fo:margin-right="5cm"'),
    }


# ---------------------------------------------------------------- TeX

TEX = r"""\documentclass[%s]{article}
\usepackage[a5paper,margin=18mm]{geometry}\pagestyle{empty}\setlength\parindent{1em}
%s
\begin{document}
%s
\end{document}
"""
LATIN = r"\usepackage[T1]{fontenc}\usepackage{lmodern}"


def tex(
    body: str, words: str, *, head: str = LATIN, engine: str = "pdflatex", options: str = "11pt"
) -> Printed:
    return Printed(f"% {engine}\n" + TEX % (options, head, body), words)


def tex_text(
    language: str,
    head: str = LATIN,
    *,
    engine: str = "pdflatex",
    part: int | None = None,
    **more: str,
) -> Printed:
    texts = TEXTS[language][:part]
    body = more.pop("before", "") + "\n\n".join(texts) + more.pop("after", "")
    return tex(body, "\n".join(texts), head=head, engine=engine, **more)


def _script(language: str, engine: str, main: str = r"\setmainfont{%s}", **more: Any) -> Printed:
    font = more.pop("font", FONTS[language])
    head = r"\usepackage{fontspec}" + main % font + more.pop("head", "")
    return tex_text(language, head, engine=engine, **more)


def tex_pages() -> dict[str, Printed]:
    """What TeX prints."""
    narrow: dict[str, Any] = {"before": r"\begin{minipage}{42mm}", "after": r"\end{minipage}"}
    formulas = r"Let $E = mc^2$ hold, and let $x_1 + x_2 = y$ be given. If $n > 1$ then $a^n = b$ has a root, as $\alpha + \beta = \gamma$ shows."
    seen = "Let E = mc2 hold, and let x1 + x2 = y be given. If n > 1 then an = b has a root, as α + β = γ shows."
    rows = r" \\ ".join(" & ".join(row) for row in ROWS)
    indic = r"[Script=Devanagari]"
    bidi = (
        r"\usepackage{polyglossia}\setmainlanguage{%s}\newfontfamily\%sfont[Script=%s]{DejaVu Sans}"
    )
    arabic = tex_text("ar", bidi % ("arabic", "arabic", "Arabic"), engine="xelatex")
    luatex = r"\setmainfont[Renderer=HarfBuzz,Script=%s]{%%s}"
    return {
        "columns": tex_text("en", options="twocolumn,10pt"),
        "three-columns": tex_text(
            "en",
            LATIN + r"\usepackage{multicol}",
            options="9pt",
            before=r"\begin{multicols}{3}",
            after=r"\end{multicols}",
        ),
        "hyphens": tex_text("compounds", **narrow),
        "ligatures": tex_text("fi"),
        "ligatures-old": tex_text("fi", ""),
        "smallcaps": tex_text("capitals", before=r"\scshape "),
        "letterspaced": tex_text(
            "letters", LATIN + r"\usepackage[letterspace=250]{microtype}", before=r"\lsstyle "
        ),
        "footnotes": tex(rf"{NOTED[0]}\footnote{{{NOTE}}}{NOTED[1]} {TEXTS['en'][0]}", NOTES),
        "table": tex(rf"\begin{{tabular}}{{lll}}{rows}\end{{tabular}}", TABLE),
        "formulas": tex(formulas, seen),
        "german": tex_text("de", LATIN + r"\usepackage[ngerman]{babel}", **narrow),
        "german-old": tex_text("de", r"\usepackage[ngerman]{babel}", part=1, **narrow),
        "czech": tex_text("cs", LATIN),
        "greek": tex_text("el", r"\usepackage{fontspec}\setmainfont{Noto Serif}", engine="xelatex"),
        "arabic": arabic._replace(words=arabic.words.replace("12.5", "5.12")),  # as XeTeX sets it
        "hebrew": tex_text("he", bidi % ("hebrew", "hebrew", "Hebrew"), engine="xelatex"),
        "devanagari": _script("hi", "xelatex", rf"\setmainfont{indic}{{%s}}"),
        "devanagari-actual": _script(
            "hi", "xelatex", rf"\setmainfont{indic}{{%s}}", head=r"\XeTeXgenerateactualtext=1 "
        ),
        "devanagari-lua": _script("hi", "lualatex", luatex % "Devanagari"),
        "arabic-lua": tex_text(
            "ar",
            r"\usepackage[bidi=basic]{babel}\babelprovide[import,main]{arabic}"
            r"\babelfont{rm}[Renderer=HarfBuzz]{DejaVu Sans}",
            engine="lualatex",
        ),
        "chinese": _script("zh", "xelatex", r'\setmainfont{%s}\XeTeXlinebreaklocale"zh"'),
        "japanese": _script("ja", "xelatex", r'\setmainfont{%s}\XeTeXlinebreaklocale"ja"'),
        "korean": _script("ko", "xelatex", r'\setmainfont{%s}\XeTeXlinebreaklocale"ko"', **narrow),
    }


# ---------------------------------------------------------------- printing


def print_web(source: Path, folder: Path) -> None:
    target = folder / f"{source.stem}.pdf"
    options = ["--headless", "--no-sandbox", "--no-pdf-header-footer", f"--print-to-pdf={target}"]
    subprocess.run(["chromium", *options, source], check=True, timeout=90, capture_output=True)


def print_office(source: Path, folder: Path) -> None:
    export = 'pdf:writer_pdf_Export:{"UseTaggedPDF":{"type":"boolean","value":"true"}}'
    profile = f"-env:UserInstallation=file://{folder}/profile"
    command = ["soffice", profile, "--headless", "--convert-to", export]
    command += ["--outdir", str(folder), str(source)]
    subprocess.run(command, check=True, timeout=120, capture_output=True)


def print_tex(source: Path, folder: Path) -> None:
    engine = re.match("% (.*)", source.read_text(encoding="utf-8"))
    command = [engine[1] if engine else "", "-interaction=nonstopmode", source.name]
    subprocess.run(command, check=True, timeout=120, capture_output=True, cwd=folder)


PRINTERS = {
    "": (web_pages, "html", print_web),
    "office-": (office_pages, "fodt", print_office),
    "tex-": (tex_pages, "tex", print_tex),
}


def main() -> None:
    """Print what is named, or all that is missing."""
    wanted = frozenset(sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for prefix, (pages, suffix, print_it) in PRINTERS.items():
            for stem, (source, words) in pages().items():
                target = FOLDER / f"{prefix}{stem}.pdf"
                if (target.stem not in wanted) if wanted else target.exists():
                    continue
                written = folder / f"{target.stem}.{suffix}"
                written.write_text(source, encoding="utf-8")
                print_it(written, folder)
                target.write_bytes((folder / target.name).read_bytes())
                target.with_suffix(".txt").write_text(html.unescape(words) + "\n", encoding="utf-8")
                print(target.name, target.stat().st_size)


if __name__ == "__main__":
    main()
