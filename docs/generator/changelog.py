"""CHANGELOG.md: the fragments of changes/, moved under the heading of a release."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["release"]

KINDS = {
    "break": "What you must change",
    "feature": "New",
    "fix": "Mended",
    "doc": "Documentation",
}
"""The heading of each kind of fragment, in the order of the page."""

MARK = "<!-- releases: newest first -->\n"

_FRAGMENT = re.compile(r"(?P<name>[0-9a-z-]+)[.](?P<kind>[a-z]+)[.]md")


def release(root: Path, version: str) -> None:
    """Put the fragments under `version` in CHANGELOG.md and remove them.

    Raises ValueError for a file in changes/ that is no fragment, or when there are none.
    """
    found = sorted(path for path in (root / "changes").glob("*.md") if path.name != "README.md")
    chapters: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for path in found:
        name = _FRAGMENT.fullmatch(path.name)
        if name is None or name["kind"] not in KINDS:
            raise ValueError(
                f"changes/{path.name}: a fragment is named <name>.<{'|'.join(KINDS)}>.md"
            )
        chapters[name["kind"]].append(_body(path))
    if not found:
        raise ValueError("changes/ holds no fragment: there is nothing to release")
    page = root / "CHANGELOG.md"
    head, mark, rest = page.read_text(encoding="utf-8").partition(MARK)
    page.write_text(head + mark + _entry(version, chapters) + rest, encoding="utf-8")
    for path in found:
        path.unlink()


def _body(path: Path) -> str:
    """Return a fragment without its heading, as one item of a list."""
    lines = path.read_text(encoding="utf-8").strip().splitlines()
    text = "\n".join(lines[1:] if lines[0].startswith("# ") else lines).strip()
    return "- " + text.replace("\n", "\n  ")


def _entry(version: str, chapters: dict[str, list[str]]) -> str:
    """Return the chapter of one release."""
    parts = [f"\n## {version}\n"]
    for kind, items in chapters.items():
        if items:
            parts += [f"\n### {KINDS[kind]}\n\n", "\n".join(items), "\n"]
    return "".join(parts)
