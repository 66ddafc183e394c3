"""Measure beside named rivals, in one run: ./do bench [NAME...] writes benchmarks/RESULTS.md.

Each bench_*.py beside this file offers TITLE, RIVALS (packages) and measure(), which returns a
Markdown section of medians and ratios. Sections are kept in results/, so that one can be measured
again alone; RESULTS.md is all of them under a description of the machine.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

HERE = Path(__file__).parent


def load(path: Path) -> ModuleType:
    """Import one benchmark by its path."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        sys.exit(f"{path} is no Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def machine() -> str:
    """Return one line about where this ran."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
        model = next((line.split(":")[1].strip() for line in lines if "model name" in line), model)
    return (
        f"{model}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
    )


def versions(packages: list[str]) -> str:
    """Return the versions of the rivals, and which of them were not at hand."""
    shown = []
    for package in packages:
        try:
            shown.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            shown.append(f"{package} (not at hand)")
    return ", ".join(shown)


def section(path: Path) -> str:
    """Measure one benchmark and return its section."""
    module = load(path)
    day = datetime.now(UTC).strftime("%Y-%m-%d")
    about = f"Measured {day} on {machine()}. Rivals: {versions(module.RIVALS) or 'none'}."
    return f"# {module.TITLE}\n\n{about}\n\n{module.measure().strip()}\n"


def main() -> None:
    """Measure what is named, or everything, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="such as uri; all by default")
    options = parser.parse_args()
    sys.path.insert(0, str(HERE))
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    for path in sorted(HERE.glob("bench_*.py")):
        name = path.stem.removeprefix("bench_")
        if options.names and name not in options.names:
            continue
        print(f"measuring {name}", file=sys.stderr, flush=True)
        (results / f"{name}.md").write_text(section(path), encoding="utf-8")
    # In a file of its own a section is a page; among the others it is a part.
    sections = [
        "#" + item.read_text(encoding="utf-8").replace("](./", "](results/")
        for item in sorted(results.glob("*.md"))
    ]
    about = "Made by `./do bench`. Ratios compare libraries in one run; bare times do not travel."
    head = f"# Results\n\n{about}\n"
    (HERE / "RESULTS.md").write_text("\n".join([head, *sections]), encoding="utf-8")
    print(f"{HERE / 'RESULTS.md'}: {len(sections)} sections", file=sys.stderr)


if __name__ == "__main__":
    main()
