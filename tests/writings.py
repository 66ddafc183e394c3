"""Documents that nobody here made, in many scripts: a few that are kept, or a thousand of Debian's.

The thousand are pages, help texts and catalogs of messages of packages that apt downloads into
build/documents/. What stands in the script that a document is known for decides, not its name.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.packages import unpacked

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Writing", "few", "script_of", "thousand"]

_KEPT = Path(__file__).parent / "golden" / "writings"
PACKAGES = (
    # package, where its documents are, what they are called once they are added
    ("python3-django", "usr/lib/python3/dist-packages/django", "*.po", ".txt"),
    ("installation-guide-amd64", "usr/share/doc/installation-guide-amd64", "*.html", ".html"),
    ("debian-handbook", "usr/share/doc/debian-handbook/html", "*.html", ".html"),
    ("gnome-user-docs", "usr/share/help", "*.page", ".xml"),
)
_OF_A_SCRIPT = 90
"""At most; few documents are in the rarer ones."""
_ALL = 1000
_LEAST_SHARE = 0.08
"""Of its letters stand in the script of a document; names and commands are Latin anywhere."""
_TAG = compile_pattern(r"<[^>]{0,2000}+>")
_OTHER_NAMES = {"CJK": "HAN", "HIRAGANA": "KANA", "KATAKANA": "KANA"}


@dataclass(frozen=True)
class Writing:
    """A document: its name, the script it is in, its octets."""

    name: str
    script: str
    content: bytes


@cache
def script_of(sign: str) -> str:
    """The script of a letter, as the first word of its Unicode name; "" of anything else."""
    if not sign.isalpha():
        return ""
    first = unicodedata.name(sign, "").partition(" ")[0].partition("-")[0]
    return _OTHER_NAMES.get(first, first)


def few() -> list[Writing]:
    """The catalogs that are kept beside the tests."""
    return [
        Writing(f"{path.stem}.txt", _script(path.read_text(encoding="utf-8")), path.read_bytes())
        for path in sorted(_KEPT.glob("*.po"))
    ]


def thousand() -> list[Writing]:
    """A thousand documents, of each script at most as many, as far as there are enough."""
    held: Counter[str] = Counter()
    kept: list[Writing] = []
    rest: list[Writing] = []
    for writing in _in_turn():
        chosen = kept if held[writing.script] < _OF_A_SCRIPT else rest
        held[writing.script] += 1
        chosen.append(writing)
    return (kept + rest)[:_ALL]


def _in_turn() -> Iterator[Writing]:
    """Yield those of each package, its languages mixed: they are sorted by their last name."""
    for package, folder, pattern, ending in PACKAGES:
        root = unpacked(package, folder) / folder
        for number, path in enumerate(
            sorted(root.rglob(pattern), key=lambda path: (path.name, path))
        ):
            if path.is_symlink():
                continue
            content = path.read_bytes()
            script = _script(content.decode("utf-8", "replace"))
            if script:
                yield Writing(f"{package}-{number}{ending}", script, content)


def _script(text: str) -> str:
    """The script that a document is in: the one beside Latin that has a share, else Latin."""
    letters = Counter(map(script_of, _TAG.sub("", text)[:20_000]))
    del letters[""]
    others = letters.total() - letters["LATIN"]
    if not letters or others < _LEAST_SHARE * letters.total():
        return "LATIN" if letters["LATIN"] > 200 else ""
    del letters["LATIN"]
    if letters["KANA"] > others / 5:
        return "KANA"
    return letters.most_common(1)[0][0]
