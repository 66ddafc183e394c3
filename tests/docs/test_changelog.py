"""A release moves the fragments of changes/ into the change log, by kind, and loses none."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

HEAD = "# Changes\n\nWords.\n\n<!-- releases: newest first -->\n"


def release(root: Path, fragments: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Release 1.2 from `fragments` in an empty tree, and return the change log."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    (root / "changes").mkdir()
    (root / "changes/README.md").write_text("# Fragments\n")
    (root / "CHANGELOG.md").write_text(HEAD + "\n## 1.1\n")
    for name, text in fragments.items():
        (root / "changes" / name).write_text(text)
    importlib.import_module("generator.changelog").release(root, "1.2")
    return (root / "CHANGELOG.md").read_text()


def test_fragments_become_the_newest_chapter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fragments = {
        "0001-a.fix.md": "# Head\n\nMended a\nfault.\n",
        "0002-b.feature.md": "Did more.",
        "0003-c.fix.md": "# Head\n\nMended another.",
    }
    assert release(tmp_path, fragments, monkeypatch) == (
        HEAD
        + "\n## 1.2\n"
        + "\n### New\n\n- Did more.\n"
        + "\n### Mended\n\n- Mended a\n  fault.\n- Mended another.\n"
        + "\n## 1.1\n"
    )
    assert [path.name for path in (tmp_path / "changes").iterdir()] == ["README.md"]


def test_a_file_that_is_no_fragment_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match=r"changes/0001-a[.]fxi[.]md"):
        release(tmp_path, {"0001-a.fxi.md": "Mended."}, monkeypatch)
    assert (tmp_path / "changes/0001-a.fxi.md").exists()


def test_a_release_of_nothing_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="no fragment"):
        release(tmp_path, {}, monkeypatch)


def test_the_fragments_of_this_tree_have_names_and_headings() -> None:
    fragments = [path for path in (ROOT / "changes").glob("*.md") if path.name != "README.md"]
    wrong = [
        path.name
        for path in fragments
        if not re.fullmatch(r"[0-9]{4}-[0-9a-z-]+[.](feature|fix|break|doc)[.]md", path.name)
    ]
    assert wrong == []
