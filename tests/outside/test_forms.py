"""Every form of a citation is read by TeX and by pandoc, whatever it holds."""

from __future__ import annotations

import json
import shutil
import subprocess
import unicodedata
from typing import TYPE_CHECKING

import pytest
from tests.faces.test_forms_read_back import SOURCES, squeezed

from permacite.service.citations.recorded import CitationForms

if TYPE_CHECKING:
    from pathlib import Path

FORMS = [CitationForms(each) for each in SOURCES]


def test_biber_and_pdflatex_read_every_entry(tmp_path: Path) -> None:
    if shutil.which("biber") is None or shutil.which("pdflatex") is None:
        pytest.skip("no biber or no pdflatex here")
    (tmp_path / "all.bib").write_text("\n".join(made.bibtex for made in FORMS), encoding="utf-8")
    (tmp_path / "doc.tex").write_text(
        r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{textcomp}"
        r"\usepackage[backend=biber,style=authoryear]{biblatex}\addbibresource{all.bib}"
        r"\begin{document}\nocite{*}\printbibliography\end{document}",
        encoding="utf-8",
    )
    latex = ["pdflatex", "-interaction=nonstopmode", "doc.tex"]
    subprocess.run(latex, cwd=tmp_path, check=False, capture_output=True)
    told = subprocess.run(
        ["biber", "doc"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert "WARN" not in told.stdout
    assert "ERROR" not in told.stdout
    printed = subprocess.run(latex, cwd=tmp_path, check=False, capture_output=True)
    lines = printed.stdout.decode("utf-8", "replace").splitlines()
    faults = [line for line in lines if line.startswith("! ")]
    assert all("Unicode character" in fault for fault in faults)  # letters that its fonts lack
    entries = (tmp_path / "doc.bbl").read_text(encoding="utf-8").count(r"\entry{")
    assert entries == len(SOURCES)


def test_pandoc_reads_markdown_and_csl_json(tmp_path: Path) -> None:
    if shutil.which("pandoc") is None:
        pytest.skip("no pandoc here")
    for each, made in zip(SOURCES, FORMS, strict=True):
        page = subprocess.run(
            ["pandoc", "--from=markdown", "--to=plain", "--wrap=none"],
            input=made.markdown, check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        quoted = squeezed(page.partition("\u2014 Ann Lee")[0])
        assert plain(quoted) == plain(each.words or each.place)
    items = [json.loads(made.csl_json)[0] for made in FORMS]
    (tmp_path / "all.json").write_text(json.dumps(items), encoding="utf-8")
    command = ["pandoc", "--from=csljson", "--to=csljson", "all.json"]
    read = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert len(json.loads(read)) == len(SOURCES)


def plain(text: str) -> str:
    """Text as print has it, with its quotation marks and dashes made straight again."""
    marks = {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2013": "--",
        "\u2026": "...",
    }
    straight = "".join(marks.get(character, character) for character in text)
    return squeezed("".join(c for c in straight if unicodedata.category(c) != "Cf"))
