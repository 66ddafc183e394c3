"""Broken pictures, sounds and videos through the workers: a part or an error of ours, in time.

`./do deep` runs a hundred thousand, the suite a sample. Each is known by its number:
`tests.media.mutations.mutated(number)` makes it again.
"""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.media.mutations import mutated

from permacite.decoding.workers import DecodingPool
from permacite.errors import DecodingError, LimitError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable

pytest.importorskip("av", reason="needs the media extra")
pytest.importorskip("PIL.Image", reason="needs the media extra")

JOB_S = 60.0


def finding(workers: DecodingPool, number: int) -> str | None:
    """Return what is wrong with how a broken document is answered; None if nothing is."""
    name, content, media_type, fragment = mutated(number)
    try:
        workers.extract(content, media_type, fragment)
    except DecodingError as error:
        return f"{name}: {error}" if "broke down" in str(error) else None
    except LimitError as error:
        return f"{name}: {error}" if error.limit == "time" else None
    except NotFoundError:
        pass
    except Exception as error:  # noqa: BLE001 - whatever else it is, it is a finding
        return f"{name}: {type(error).__name__} {error}"
    return None


@pytest.mark.slow
def test_broken_media_is_cut_or_refused(times: Callable[[int, int], int]) -> None:
    mutated(0)  # what all are made of, before two threads would make it twice
    workers = DecodingPool(most=2, job_s=JOB_S)
    with closing(workers), ThreadPoolExecutor(2) as pool:
        found = pool.map(functools.partial(finding, workers), range(times(120, 100_000)))
        assert [one for one in found if one is not None] == []
