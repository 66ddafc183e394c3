"""Two versions of a document beside each other: each change of words, and both pages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.archives import Archive
from tests.faces.test_http import ask

from permacite.errors import LimitError, NotFoundError, ParseError, RestrictedError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page
    from tests.faces.conftest import Outcome, Running

pytestmark = pytest.mark.engines(deep=True)

EDITIONS = (
    "<title>Harbour</title><h1>The harbour</h1><p>The pier is 40 metres long.</p><p>Old words.</p>",
    "<title>Harbour</title><h1>The harbour</h1><p>The pier is 45 metres long, since May.</p>",
    "<title>Harbour</title><h1>The harbour</h1><p>The pier is 45  metres long, since May.</p>",
)


@pytest.fixture
def name(archive: Path) -> str:
    """Commit the editions as versions of one document; return its name."""
    with Archive.open(archive) as service:
        document = service.add(EDITIONS[0].encode(), name="a.html").document.pdi
        for edition in EDITIONS[1:]:
            service.lists.submissions.put(f"{document}.html", edition.encode(), "text/html")
    return document


def test_each_change_is_told_and_resolves_to_its_words(archive: Path, name: str) -> None:
    with Archive.open(archive) as service:
        changed = service.drift.changes(f"{name}.html.2")
        assert (changed.earlier.number, changed.later.number) == (1, 2)
        assert changed.numbers == (1, 2, 3)
        told = [(change.was, change.now) for change in changed.changes]
        assert told == [("40", "45"), (". Old words", ", since May")]
        for change in changed.changes:
            for words, reference in (
                (change.was, change.reference_was),
                (change.now, change.reference_now),
            ):
                assert bool(words) == (reference is not None)
                if reference is not None:
                    resolved = service.resolve(reference).text or ""
                    assert " ".join(resolved.split()) == words
        assert not changed.more


def test_which_versions_are_compared(archive: Path, name: str) -> None:
    with Archive.open(archive) as service:
        for reference, other, pair in (
            (name, None, (2, 3)),
            (f"{name}.html.1", None, (1, 2)),
            (f"{name}.html.1", 3, (1, 3)),
            (name, 1, (1, 3)),
        ):
            changed = service.drift.changes(reference, other=other)
            assert (changed.earlier.number, changed.later.number) == pair
        assert service.drift.changes(name).changes == (), "white space alone is no change"


def test_what_cannot_be_compared_is_told(archive: Path, name: str) -> None:
    with Archive.open(archive) as service:
        alone = service.add(b"alone", name="a.txt").pdi
        picture = service.add(b"\x89PNG\r\n\x1a\n", name="a.png").document.pdi
        service.lists.submissions.put(f"{picture}.png", b"\x89PNG\r\n\x1a\n2", "image/png")
        for reference, other, error in (
            (alone, None, NotFoundError),
            (name, 9, NotFoundError),
            (name, 3, NotFoundError),
            (picture, None, NotFoundError),
            (f"{name}.utf-8.1#char=0,3", None, ParseError),
        ):
            with pytest.raises(error):
                service.drift.changes(reference, other=other)
        with pytest.raises(LimitError):
            service.drift.changes(name, longest=3)
        service.access.withdraw(f"{name}.utf-8.2", reason="own-error")
        with pytest.raises((RestrictedError, NotFoundError)):
            service.drift.changes(f"{name}.html.2", other=1)


def test_the_command_and_the_interface_say_the_same(
    cli: Callable[..., Outcome], running: Running, name: str
) -> None:
    printed = json.loads(cli("changes", "--json", f"{name}.html.2").out)
    assert ask(running.base, f"/-/api/changes?name={name}.html.2").json == printed
    told = cli("changes", name, "--with", "1").out
    assert "- 40\n" in told
    assert "+ 45\n" in told
    assert "the words are the same" in cli("changes", name).err
    assert cli("changes", name, "--with", "9").status == 1
    assert ask(running.base, "/-/api/changes").status == 400
    assert ask(running.base, f"/-/changes/{name}?with=x").status == 400


@pytest.mark.browser
def test_both_are_seen_side_by_side(page: Page, running: Running, name: str) -> None:
    page.goto(f"{running.base}/{name}.html.2?view=reader")
    page.get_by_role("link", name="What was changed since the version before").click()
    assert page.locator("ol.changes del").first.inner_text() == "40"
    assert page.locator("ol.changes ins").first.inner_text() == "45"
    frames = page.locator(".beside iframe")
    assert frames.count() == 2
    for number, words in enumerate(("40 metres", "45 metres")):
        frames.nth(number).scroll_into_view_if_needed()
        shown = frames.nth(number).content_frame.locator("p").first
        assert words in shown.inner_text()
    boxes = [frames.nth(number).bounding_box() for number in range(2)]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["y"] == boxes[1]["y"]
    axe = Axe().run(page)
    assert axe.violations_count == 0, axe.generate_report()
    page.locator("ol.changes a").first.press("Enter")
    assert page.locator(".lead .passage mark").inner_text() == "40"
