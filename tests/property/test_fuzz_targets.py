"""Fuzz targets: each one accepts its own seeds."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

TARGETS = sorted((Path(__file__).parents[2] / "fuzz").glob("fuzz_*.py"))


@pytest.mark.parametrize("path", TARGETS, ids=lambda path: path.stem)
def test_a_target_takes_its_seeds(path: Path) -> None:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.SEEDS
    for seed in module.SEEDS:
        module.target(seed)
