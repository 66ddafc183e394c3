"""Start the command line, or say which extra it needs."""

from __future__ import annotations

import gc
import sys

__all__ = ["main"]


def main() -> int:
    """Run the `permacite` command and return its exit status.

    What needs no extra is answered before click is imported. Garbage is not collected until all is
    imported, and not at the end: that took a seventh of the time of a short command.
    """
    gc.disable()
    try:
        return _answer(sys.argv[1:])
    finally:
        gc.freeze()


def _answer(words: list[str]) -> int:
    if words == ["--version"]:
        from permacite.version import __version__

        sys.stdout.write(f"permacite, version {__version__}\n")
        return 0
    if words[:1] == ["uri"]:
        from permacite.cli.uri import run as run_uri

        gc.enable()
        return run_uri(words[1:])
    try:
        from permacite.cli.commands import run
    except ModuleNotFoundError as error:
        if error.name not in {"click", "rich", "platformdirs"}:
            raise
        sys.stderr.write(
            f"permacite: this command needs {error.name}: pip install 'permacite[archive]'\n"
        )
        return 1
    return run(words)


if __name__ == "__main__":
    sys.exit(main())
