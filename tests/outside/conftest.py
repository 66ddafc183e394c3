"""How suites of others run: from the folder that `--outside` names, each where its repository is.

A module lists in `SUITES`, by the argument of a test, what that test gets. A difference that is
meant is in the suite's table with its reason, and must still be one.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.faces.conftest import browser, chromium, playwright

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["Suite", "browser", "chromium", "playwright"]


class Suite(NamedTuple):
    """The cases of one repository on GitHub, each with an id; the ids that differ on purpose."""

    repository: str
    cases: Callable[[Path], Iterator[tuple[str, object]]]
    differences: Mapping[str, str] = {}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a test every case of its suite; one that is skipped where the folder lacks the suite."""
    suites: dict[str, Suite] = getattr(metafunc.module, "SUITES", {})
    folder = Path(metafunc.config.getoption("--outside"))
    for name in suites.keys() & set(metafunc.fixturenames):
        metafunc.parametrize(name, list(_cases(suites[name], folder)))


def _cases(suite: Suite, folder: Path) -> Iterator[object]:
    place = folder / suite.repository
    if not place.is_dir():
        address = f"https://github.com/{suite.repository}"
        reason = f"{place} is not there: git clone {address} {place}"
        yield pytest.param(None, id=suite.repository, marks=pytest.mark.skip(reason=reason))
        return
    missing = set(suite.differences)
    for name, case in suite.cases(place):
        missing.discard(name)
        reason = suite.differences.get(name, "")
        marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
        yield pytest.param(case, id=name, marks=marks)
    if missing:
        raise LookupError(f"{suite.repository} has no such cases any more: {sorted(missing)}")
