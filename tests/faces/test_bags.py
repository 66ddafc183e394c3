"""Bags for deposit: every file in them is named, and checked by programs of others."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from tests.archives import Archive

from permacite.service.exchange.bag_export import _safe

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)


def files_of(bag: Path) -> set[str]:
    """Return the paths of all files."""
    return {path.relative_to(bag).as_posix() for path in bag.rglob("*") if path.is_file()}


def lines_of(path: Path) -> list[Any]:
    """Return the values in a file of lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_bag_has_all_that_is_given_out(archive: Path, cli: Cli, tmp_path: Path) -> None:
    with Archive.open(archive) as service:
        page = service.add(b"<title>T</title>The tide.", name="a.html").pdi
        service.lists.submissions.put(page, b"<title>T</title>The tides.", "text/html")
        secret = service.add(b"secret", name="b.txt").pdi
        reference = service.cite(page, quote="tide").reference
        service.access.withdraw(secret, reason="safety")
    bag = tmp_path / "bag"
    outcome = cli("export", "--bag", str(bag))
    assert (outcome.status, outcome.err) == (0, f"2 versions, 4 files -> {bag}\n")
    versions = lines_of(bag / "permacite/versions.jsonl")
    with Archive.open(archive) as service:
        for name, path in (pair for each in versions for pair in each["files"].items()):
            assert (bag / path).read_bytes() == service.resolve(name).content
    (cited,) = lines_of(bag / "permacite/citations.jsonl")
    assert cited["reference"] == reference
    assert b"secret" not in b"".join((bag / path).read_bytes() for path in files_of(bag))
    listed = {"tagmanifest-sha256.txt", "tagmanifest-sha512.txt"}
    for algorithm in ("sha256", "sha512"):
        for manifest in (f"manifest-{algorithm}.txt", f"tagmanifest-{algorithm}.txt"):
            command = [f"{algorithm}sum", "--check", "--strict", manifest]
            assert (
                subprocess.run(command, cwd=bag, capture_output=True, check=False).returncode == 0
            )
            lines = (bag / manifest).read_text(encoding="utf-8").splitlines()
            listed |= {line.split("  ", 1)[1] for line in lines}
    assert files_of(bag) == listed
    info = (bag / "bag-info.txt").read_text(encoding="utf-8")
    size = sum((bag / path).stat().st_size for path in files_of(bag) if path.startswith("data/"))
    assert f"Payload-Oxum: {size}.4" in info.splitlines()
    tool = shutil.which("bagit.py")  # of the package bagit, where somebody has it
    assert tool is None or subprocess.run([tool, "--validate", bag], check=False).returncode == 0
    again = cli("export", "--bag", str(bag))
    assert again.status == 1
    assert files_of(bag) == listed


def test_names_of_files_are_safe_and_differ() -> None:
    names = [
        "a",
        "A",
        "..",
        ".",
        "",
        "a%2fb",
        "a/b",
        "a_b",
        "x" * 200,
        "x" * 201,
        "con\r\n",
        "\xe4",
    ]
    made = [_safe(name) for name in names]
    assert len({each.casefold() for each in made}) == len(names)
    assert all(len(each) < 130 and not each.startswith(".") and each.isascii() for each in made)
    assert not any(set(each) & set("/%\\\r\n") for each in made)
