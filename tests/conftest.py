"""How all tests run: hypothesis profiles, and no archive of the user's in reach.

`--hypothesis-profile=deep` tries many more inputs. No test asserts a time, so no profile has a
deadline: machines are shared and noisy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pathlib import Path

_PATIENT = [HealthCheck.too_slow]

settings.register_profile("default", deadline=None, max_examples=50, suppress_health_check=_PATIENT)
settings.register_profile("deep", deadline=None, max_examples=2000, suppress_health_check=_PATIENT)
settings.load_profile("default")


@pytest.fixture(autouse=True)
def _no_archive_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep tests away from the archive of whoever runs them."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("PERMACITE_ARCHIVE", raising=False)
