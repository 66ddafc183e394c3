"""The journeys that a page shows are those that data take: each is run, and its functions seen."""

from __future__ import annotations

import importlib.util
import sys
import threading
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests import inside
from tests.faces.conftest import archive, cli, site

from permacite.service.archive import Archive
from permacite.web.app import create_app

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType, ModuleType

    from tests.faces.conftest import Outcome, Site

    Cli = Callable[..., Outcome]

__all__ = ["archive", "cli", "site"]

ROOT = Path(__file__).resolve().parents[2]
SOURCE = f"{ROOT}/src/permacite/"
PAGE = "<!doctype html><title>Tide</title><link rel=stylesheet href=s.css><p>The highest tide."


def _generator() -> ModuleType:
    """Return the module of the pages' generator that lists the journeys."""
    path = ROOT / "docs/generator/journeys.py"
    spec = importlib.util.spec_from_file_location("journeys", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


JOURNEYS: dict[str, Any] = {journey.name: journey for journey in _generator().JOURNEYS}


class Entered:
    """The functions of ours that are entered within the block, by any thread, in order."""

    def __init__(self) -> None:
        self.functions: dict[tuple[str, str], int] = {}
        self._met: set[CodeType] = set()

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or code in self._met:
            return
        self._met.add(code)
        if code.co_filename.startswith(SOURCE):
            key = code.co_filename.removeprefix(SOURCE), code.co_qualname
            self.functions.setdefault(key, len(self.functions))

    def __enter__(self) -> dict[tuple[str, str], int]:
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        return self.functions

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)


@pytest.fixture
def ways(cli: Cli, site: Site, archive: Path, tmp_path: Path) -> dict[str, Callable[[], object]]:
    """Return what sets out on each journey, in the order of the story."""
    site.put("/s.css", "text/css", "p{}")
    address = site.put("/", "text/html", PAGE)
    proof = str(tmp_path / "proof.zip")
    told: dict[str, str] = {}

    def save() -> None:
        told["page"] = cli("save", address, "--allow-private").out.split()[0]

    def cite() -> None:
        told["passage"] = cli("cite", told["page"], "--quote", "highest tide").out.split()[0]

    def read() -> None:
        with Archive.open(archive) as opened:
            app = create_app(opened, names=["localhost"])
            cited = told["passage"].replace("#", "?fragment=")
            assert inside.ask(app, "/" + cited, accept="text/html").status == 200
            assert inside.ask(app, f"/-/page/{told['page']}", accept="text/html").status == 200

    def prove() -> None:
        assert cli("prove", told["passage"], "-o", proof).status == 0

    return {
        "save": save,
        "cite": cite,
        "resolve": lambda: cli("resolve", told["passage"]),
        "prove": prove,
        "verify": lambda: cli("verify", proof),
        "read": read,
    }


def test_data_take_the_journeys_that_are_shown(ways: dict[str, Callable[[], object]]) -> None:
    missed = []
    for name, way in ways.items():
        with Entered() as entered:
            way()
        steps = [tuple(step) for step in JOURNEYS[name].steps] if name in JOURNEYS else []
        missed += [f"{name}: {step} is not entered" for step in steps if step not in entered]
        places = [(entered[step], step) for step in steps if step in entered]
        missed += [
            f"{name}: {later[1]} comes before {earlier[1]}"
            for earlier, later in pairwise(places)
            if later[0] < earlier[0]
        ]
    assert missed == [], "\n".join(missed)
    assert JOURNEYS.keys() <= ways.keys()
