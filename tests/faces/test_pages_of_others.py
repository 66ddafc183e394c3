"""Random selections in the documentation that is installed here, or in the pages of `--pages`.

Only with `--deep` or `--pages DIR`; the folder has a folder for each kind of pages.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.faces.selecting import Chromium
from tests.faces.trying import draw, try_pages

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

DOCUMENTS = 50
EACH = 40


@pytest.mark.timeout(7200)
def test_random_selections_are_cited(
    browser: Browser, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    folder = Path(request.config.getoption("--pages") or "/usr/share/doc")
    paths = draw(folder, DOCUMENTS, seed=1)
    assert paths, f"{folder} has no folders with pages: install documentation, or say --pages DIR"
    page = browser.new_page()
    outcomes = try_pages(Chromium(page), tmp_path, folder, paths, EACH)
    page.close()
    assert [outcome.failures for outcome in outcomes if outcome.failures] == []
    assert sum(outcome.tried for outcome in outcomes) >= len(paths) * EACH // 2
