"""The pages hold together: links lead somewhere, and examples do what they show."""

from __future__ import annotations

import doctest
import io
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

_LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)(?:\s+\"[^\"]*\")?\)")
_IMAGE = re.compile(r"!\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_FENCE = re.compile(
    r"^(?P<fence>```+)(?P<language>[a-z]*)[^\n]*\n(?P<body>.*?)^(?P=fence)\s*$",
    re.MULTILINE | re.DOTALL,
)
_HEADING = re.compile(r"^#{1,6} +(?P<words>.+?)\s*$", re.MULTILINE)


@cache
def pages() -> tuple[str, ...]:
    """Return every Markdown page of ours, relative to the root."""
    shallow = [
        *ROOT.glob("*.md"),
        *(ROOT / "changes").glob("*.md"),
        *(ROOT / "benchmarks").glob("*.md"),
    ]
    return tuple(
        str(path.relative_to(ROOT)) for path in sorted([*shallow, *(ROOT / "docs").rglob("*.md")])
    )


@cache
def text(page: str) -> str:
    """Return the text of a page."""
    return (ROOT / page).read_text(encoding="utf-8")


def prose(page: str) -> str:
    """Return the text of a page without its code."""
    return re.sub(r"`[^`\n]*`", "", _FENCE.sub("", text(page)))


def anchors(page: str) -> set[str]:
    """Return what a fragment of a link to `page` may be: its headings, as forges spell them."""
    words = [match["words"] for match in _HEADING.finditer(_FENCE.sub("", text(page)))]
    return {re.sub(r"[^\w -]", "", word.lower()).replace(" ", "-") for word in words}


@pytest.mark.parametrize("page", pages())
def test_relative_links_lead_somewhere(page: str) -> None:
    targets = [
        match["target"] for pattern in (_LINK, _IMAGE) for match in pattern.finditer(prose(page))
    ]
    broken = []
    for target in targets:
        path, _, fragment = target.partition("#")
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        place = (ROOT / page).parent / path if path else ROOT / page
        if not place.exists() or (
            fragment and fragment not in anchors(str(place.resolve().relative_to(ROOT)))
        ):
            broken.append(target)
    assert broken == []


def test_decisions_stand_in_the_order_of_their_numbers() -> None:
    folder = ROOT / "docs" / "decisions"
    numbers = sorted(path.name[:4] for path in folder.glob("[0-9]*.md"))
    assert len(numbers) == len(set(numbers)), "no two have one number"
    listed = re.findall(r"^\| \[(\d{4})\]\((\d{4})", text("docs/decisions/README.md"), re.MULTILINE)
    assert listed == [(number, number) for number in numbers]


def test_the_index_leads_to_every_page() -> None:
    reached: set[str] = set()
    waiting = ["docs/index.md"]
    while waiting:
        page = waiting.pop()
        if page in reached:
            continue
        reached.add(page)
        for match in _LINK.finditer(prose(page)):
            place = ((ROOT / page).parent / match["target"].partition("#")[0]).resolve()
            if place.suffix == ".md" and place.exists():
                waiting.append(str(place.relative_to(ROOT)))
    assert {page for page in pages() if page.startswith("docs/")} - reached == set()


def examples(page: str) -> str:
    """Return the text of a page with all but its Python sessions blanked, lines in their places."""
    kept = [""] * (text(page).count("\n") + 2)
    for block in _FENCE.finditer(text(page)):
        if block["language"] in {"python", "pycon"} and ">>>" in block["body"]:
            first = text(page)[: block.start("body")].count("\n")
            for number, line in enumerate(block["body"].splitlines()):
                kept[first + number] = line
    return "\n".join(kept)


@pytest.mark.parametrize(
    "page", [page for page in pages() if not page.startswith("docs/reference/")]
)
def test_python_sessions_run_as_shown(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The blocks of one page share their names, in order, and run in an empty folder."""
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(examples(page), {}, page, page, 0)
    report = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test, out=report.write)
    assert runner.failures == 0, report.getvalue()
