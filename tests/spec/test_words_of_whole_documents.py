"""Whole documents, as pandoc and LibreOffice write them: text and labels to the last character.

`python -m tests.spec.test_words_of_whole_documents` writes them again: read the difference.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from permacite.renditions import Original, media_type_of, rendition_for, rendition_named
from permacite.renditions.stored import RenditionRecord, write_labels

GOLDEN = Path(__file__).parents[1] / "golden" / "office"
FILES = sorted(each.name for each in GOLDEN.iterdir() if each.suffix in {
    ".docx", ".odt", ".epub", ".ipynb"
})  # fmt: skip
REVIEWED = "docx-reviewed-text/1"


def golden(name: str) -> dict[str, bytes]:
    """What is kept beside a file, by its name: text, labels, and what is said of it."""
    content = (GOLDEN / name).read_bytes()
    media_type = media_type_of(name) or ""
    rendition = rendition_for(media_type)
    assert rendition is not None
    written = {}
    for rules in [rendition] + ([rendition_named(REVIEWED)] if name.endswith("docx") else []):
        result = rules(Original(content, media_type))
        stated = RenditionRecord(str(rules), result.title, result.stated, result.notices).to_bytes()
        stem = f"{name}.{rules.name}"
        written[f"{stem}.txt"] = result.text.encode()
        written[f"{stem}.labels"] = write_labels(result.labels)
        written[f"{stem}.json"] = stated + b"\n"
    return written


@pytest.mark.parametrize("name", FILES)
def test_whole_documents(name: str) -> None:
    for made, content in golden(name).items():
        assert content == (GOLDEN / made).read_bytes(), made


if __name__ == "__main__":
    for file_name in FILES:
        for beside, octets in golden(file_name).items():
            (GOLDEN / beside).write_bytes(octets)
