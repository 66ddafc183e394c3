"""Write the generated pages of docs/, or check that they still say what the code says.

docs/generate.py                  write every generated page
docs/generate.py --check          write nothing; name the pages that have drifted, exit 1
docs/generate.py conformance      only this page (a page is named by its path without docs/, .md)
docs/generate.py --release 0.2.0  move the fragments of changes/ into CHANGELOG.md
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from . import (
    changelog,
    commands,
    conformance,
    doors,
    house,
    interfaces,
    limits,
    openapi,
    problems,
    routes,
)

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]

PAGES: dict[str, Callable[[Path], str]] = {
    "conformance": conformance.page,
    "explanation/architecture": house.page,
    "explanation/architecture.svg": house.picture,
    "reference/access": doors.page,
    "reference/cli": commands.page,
    "reference/errors": problems.page,
    "reference/http": routes.page,
    "reference/limits": limits.page,
    "openapi.json": openapi.page,
} | {
    f"reference/{name}": interfaces.page_of(name)
    for name in (interfaces.LIBRARY, *interfaces.PACKAGES)
}
"""What writes each page, given the root of the repository."""


def main() -> int:
    """Write or check the pages; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="docs/generate.py", description="Write the generated pages of docs/."
    )
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="only these; default: all")
    parser.add_argument("--check", action="store_true", help="write nothing, fail on drift")
    parser.add_argument("--release", metavar="VERSION", help="assemble CHANGELOG.md instead")
    options = parser.parse_args()
    if options.release:
        changelog.release(ROOT, options.release)
        return 0
    unknown = set(options.pages) - PAGES.keys()
    if unknown:
        parser.error(f"no such page: {', '.join(sorted(unknown))}; there are {', '.join(PAGES)}")
    drifted = [name for name in options.pages or PAGES if _differs(name)]
    for name in drifted:
        if options.check:
            sys.stderr.write(
                f"{_path(name).relative_to(ROOT)} differs from what `./do docs` writes\n"
            )
        else:
            _path(name).write_text(PAGES[name](ROOT), encoding="utf-8")
            sys.stderr.write(f"wrote {_path(name).relative_to(ROOT)}\n")
    return 1 if options.check and drifted else 0


def _path(name: str) -> Path:
    """Return where a page is; a picture has a suffix of its own, and what is served its folder."""
    if name.endswith(".json"):
        return ROOT / "src/permacite/web/static" / name
    return ROOT / "docs" / (name if name.endswith(".svg") else f"{name}.md")


def _differs(name: str) -> bool:
    """Return whether the page on disk is absent or says something else."""
    path = _path(name)
    return not path.exists() or path.read_text(encoding="utf-8") != PAGES[name](ROOT)


if __name__ == "__main__":
    sys.exit(main())
