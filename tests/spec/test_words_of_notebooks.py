"""The words of Jupyter notebooks: each rule of docs/explanation/the-words-of-notebooks.md."""

from __future__ import annotations

import json
from typing import Any

import pytest

from permacite.errors import ParseError
from permacite.renditions import Label, Original, Rendered, rendition_named


def rendered(notebook: Any) -> Rendered:
    content = notebook if isinstance(notebook, bytes) else json.dumps(notebook).encode()
    return rendition_named("notebook-text/1")(Original(content, "application/x-ipynb+json"))


def code(source: Any, *outputs: dict[str, Any], number: int | None = 4) -> dict[str, Any]:
    return {
        "cell_type": "code", "source": source, "execution_count": number, "outputs": list(outputs)
    }  # fmt: skip


def result(**data: Any) -> dict[str, Any]:
    forms = {name.replace("_", "/"): value for name, value in data.items()}
    return {"output_type": "execute_result", "data": forms}


RULES = [
    # what it shows, cells, text
    ("1 lines", [code(["\n", "a = 1\n", "\tb\n", "\n"])], "a = 1\r\n\tb\r\n"),
    ("1 apart", [code("a"), code(""), code("b")], "a\r\n\r\nb\r\n"),
    ("1 characters", [code("a\x00\ud800")], "a\ufffd\r\n"),
    ("2 streams", [code("a", {"output_type": "stream", "text": ["x\n", "y\n"]})],
     "a\r\n\r\nx\r\ny\r\n"),
    ("2 plain", [code("a", result(text_plain="4", text_html="<b>no</b>"))], "a\r\n\r\n4\r\n"),
    ("2 markdown", [code("a", result(text_markdown="*4*", text_latex="no"))], "a\r\n\r\n*4*\r\n"),
    ("2 pages", [code("a", result(text_html="<p>4<br>5"))], "a\r\n\r\n4\r\n5\r\n"),
    ("2 errors", [code("a", {"output_type": "error", "ename": "E", "evalue": "v"})],
     "a\r\n\r\nE: v\r\n"),
    ("3 colours", [code("a", {"output_type": "error", "traceback": ["\x1b[0;31mE\x1b[0m"]})],
     "a\r\n\r\nE\r\n"),
    ("4 markdown", [{"cell_type": "markdown", "source": "# a *b*"}], "# a *b*\r\n"),
    ("damage", [None, 3, {"cell_type": "code", "source": {"a": 1}, "outputs": [{}]}, code("a")],
     "a\r\n"),
]  # fmt: skip


@pytest.mark.parametrize(("cells", "text"), [c[1:] for c in RULES], ids=[c[0] for c in RULES])
def test_rules(cells: list[Any], text: str) -> None:
    assert rendered({"nbformat": 4, "cells": cells}).text == text


def test_cells_and_outputs_are_labels() -> None:
    """Rule 5."""
    cells = [
        {"cell_type": "markdown", "source": "# Light\nx"},
        code("a", result(image_png="AAAA"), result(text_plain="7")),
        code("b", number=None),
    ]
    metadata = {"authors": [{"name": "Jane Roe"}]}
    found = rendered({"nbformat": 4, "metadata": metadata, "cells": cells})
    assert found.text == "# Light\r\nx\r\n\r\na\r\n\r\n7\r\n\r\nb\r\n"
    assert found.labels == (
        Label(0, 10, "cell", "1", "/cells/0"),
        Label(14, 15, "cell", "In [4]", "/cells/1"),
        Label(19, 20, "output", "Out[4]", "/cells/1/outputs/1"),
        Label(24, 25, "cell", "In [ ]", "/cells/2"),
    )
    assert found.title == "Light"
    assert [claim.value for claim in found.stated] == ["Jane Roe"]
    assert [notice.text for notice in found.notices] == [
        "1 outputs have no words, such as pictures"
    ]


def test_notebooks_of_the_third_format() -> None:
    output = {"output_type": "pyout", "prompt_number": 2, "text": ["7"], "html": "<b>no</b>"}
    cell = {"cell_type": "code", "input": ["a\n", "b"], "prompt_number": 2, "outputs": [output]}
    heading = {"cell_type": "heading", "level": 1, "source": "Title"}
    found = rendered({"nbformat": 3, "worksheets": [{"cells": [heading, cell]}]})
    assert found.text == "Title\r\n\r\na\r\nb\r\n\r\n7\r\n"
    assert [(label.name, label.target) for label in found.labels] == [
        ("1", "/worksheets/0/cells/0"),
        ("In [2]", "/worksheets/0/cells/1"),
        ("Out[2]", "/worksheets/0/cells/1/outputs/0"),
    ]


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"cells": 1}', b"[" * 100_000, b"\xff"])
def test_what_is_no_notebook_is_refused(content: bytes) -> None:
    with pytest.raises(ParseError):
        rendered(content)
