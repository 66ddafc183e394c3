"""Start the command line, or say which extra it needs."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> int:
    """Run the `permacite` command and return its exit status."""
    try:
        from permacite.cli import run  # noqa: PLC0415 - the core installs without click
    except ModuleNotFoundError as error:
        if error.name not in {"click", "rich", "platformdirs"}:
            raise
        sys.stderr.write(
            f"permacite: the command line needs {error.name}: pip install 'permacite[archive]'\n"
        )
        return 1
    return run()


if __name__ == "__main__":
    sys.exit(main())
