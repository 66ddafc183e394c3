"""The whole story on a small site of its own: save, cite, resolve, drift, verify, prove, read.

Run by `./do demo`. Every command is printed as a user would type it, with its real output, and
every outcome is compared with what it must be: the demonstration fails where permacite does.
"""

# ruff: noqa: INP001, T201 - a script that prints

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from server import SENTENCES, serve

HOME = Path(__file__).parent.parent / ".demo"
ARCHIVE = HOME / "archive"
SERIES = "skerrin.demo.zz"


def say(text: str) -> None:
    """Print a sentence of the story."""
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n# {text}", flush=True)


def permacite(*words: str, status: int = 0, quiet: bool = False) -> str:
    """Run one command, show it with its output, and return what it printed."""
    shown = shlex.join(words).replace(str(HOME), HOME.name)
    if not quiet:
        print(f"\n$ permacite {shown}", flush=True)
    done = subprocess.run(  # noqa: S603 - our own command with our own words
        [sys.executable, "-m", "permacite", *words],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        env=os.environ | {"PERMACITE_ARCHIVE": str(ARCHIVE)},
        stderr=subprocess.PIPE if quiet else None,
    )
    if not quiet:
        print(done.stdout, end="" if done.stdout.endswith("\n") else "\n", flush=True)
    if done.returncode != status:
        sys.exit(f"demo: expected exit status {status}, got {done.returncode}: {shown}")
    return done.stdout


def expect(found: object, wanted: object) -> None:
    """End the demonstration where an outcome is not what it must be."""
    if found != wanted:
        sys.exit(f"demo: expected {wanted!r}, got {found!r}")


def save(address: str) -> str:
    """Save the page and return its name."""
    say("Save a page as it is served, with all it shows, under a permanent name.")
    permacite("init", str(ARCHIVE), "--series", SERIES)
    name = permacite("save", address, "--allow-private").split("\n", maxsplit=1)[0]
    permacite("show", name)
    return name


def cite(name: str) -> dict[str, str]:
    """Cite four sentences; returns their references by what will become of them."""
    say("Cite a sentence by its words. The name of the passage extends the name of the page.")
    permacite("cite", name, "--quote", SENTENCES["changed"])
    references = {}
    for fate, sentence in SENTENCES.items():
        cited = json.loads(permacite("cite", name, "--quote", sentence, "--json", quiet=True))
        references[fate] = cited["reference"]
    say("Resolve the citation: exactly those words, checked against the digest of the text.")
    found = permacite("resolve", references["changed"])
    expect(" ".join(found.split()), SENTENCES["changed"])
    permacite("resolve", references["changed"], "--context", "24")
    return references


def drift(name: str, references: dict[str, str]) -> None:
    """Compare the changed site with what is archived; the citations still hold."""
    say("A year later the site has been edited. What became of each cited passage?")
    permacite("check", name, "--allow-private", status=1)
    checked = json.loads(
        permacite("check", name, "--allow-private", "--json", status=1, quiet=True)
    )
    fates = {drifted["reference"]: drifted["status"] for drifted in checked["passages"]}
    expect(fates, {reference: fate for fate, reference in references.items()})
    say("The citation resolves to the same words all the same, and everything verifies.")
    found = permacite("resolve", references["gone"])
    expect(" ".join(found.split()), SENTENCES["gone"])
    permacite("verify", "--all")
    say("A proof of it for others, in one file: checked offline, without this archive.")
    proof = str(HOME / "proof.zip")
    permacite("prove", references["gone"], "-o", proof)
    permacite("verify", proof)


def main() -> None:
    """Tell the story."""
    shutil.rmtree(HOME, ignore_errors=True)
    HOME.mkdir()
    site = serve()
    with site as base:
        name = save(base + "storm.html")
        references = cite(name)
        say("A plain text file, whatever its line ends: cite it by line.")
        log = permacite("save", base + "log/december-1959.txt", "--allow-private").split()[0]
        permacite("cite", log, "--line", "4,6", "--form", "wiki")
        for page in ("", "letters.html", "visitors.html", "instruments.html"):
            permacite("save", base + page, "--allow-private", quiet=True)
        site.change()
        drift(name, references)
        say("Save it again: the edited page is the next version. The first one stays.")
        permacite("save", base + "storm.html", "--allow-private")
    say("Everything there is, and the page as one file that browsers open.")
    permacite("list")
    permacite("export", name.rsplit(".", 2)[0], "--for-browsers", "-o", str(HOME / "storm.mhtml"))
    reference = references["changed"].replace("#", "?fragment=")
    say("Open the reader on this archive:")
    print("\n    ./do run --archive .demo/archive serve\n")
    print("then the cited sentence in its page:\n")
    print(f"    http://127.0.0.1:8420/{reference}\n")


if __name__ == "__main__":
    main()
