"""Decode pages in each legacy charset of several octets, beside Python's own codecs.

Alone: python benchmarks/bench_charsets.py
"""

from __future__ import annotations

import random
import time
from functools import partial
from typing import TYPE_CHECKING

from permacite.charsets import decode, encode
from permacite.charsets.indexes import ABSENT, index_of

if TYPE_CHECKING:
    from collections.abc import Callable

TITLE = "Charsets: decoding"
RIVALS: list[str] = []

ROUNDS = 7
PAGE_BYTES = 2_000_000
CODECS = {
    "gbk": ("gb18030", "gb18030", range(8930, 16300)),
    "big5": ("big5", "big5", range(5495, 10000)),
    "shift_jis": ("cp932", "jis0208", range(282, 4300)),
    "euc-jp": ("euc_jp", "jis0208", range(282, 4300)),
    "iso-2022-jp": ("iso2022_jp", "jis0208", range(282, 4300)),
    "euc-kr": ("cp949", "euc-kr", range(9030, 13700)),
    "windows-1251": ("cp1251", None, range(0x410, 0x450)),
}
"""Python's codec for nearly the same, and where the common letters are."""


def page(codec: str) -> bytes:
    """Return a page of short links and sentences that both decoders read alike."""
    rng = random.Random(1)  # noqa: S311 - the same page each time
    python, index, common = CODECS[codec]
    letters = (
        [chr(one) for one in common] if index is None else [index_of(index)[i] for i in common]
    )
    letters = [one for one in letters if one != ABSENT and _is_shared(one, codec, python)]
    pieces, size = [], 0
    while size < PAGE_BYTES:
        words = "".join(rng.choices(letters, k=rng.randint(5, 40)))
        pieces.append(f'<p class="x"><a href="/news/2020/1.html">{words}</a>\n'.encode(python))
        size += len(pieces[-1])
    return b"".join(pieces)


def _is_shared(letter: str, codec: str, python: str) -> bool:
    try:
        return letter.encode(python) == encode(letter, codec)
    except UnicodeError:
        return False


def _seconds(work: Callable[[], object]) -> float:
    """Return the processor's time of the quickest round: the machine may have other work."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def measure() -> str:
    """Return the section."""
    rows = []
    for codec, (python, _, _) in CODECS.items():
        data = page(codec)
        assert decode(data, codec) == data.decode(python)
        ours = _seconds(partial(decode, data, codec))
        theirs = _seconds(partial(data.decode, python))
        rows.append(f"| {codec} | {len(data) / ours / 1e6:.0f} MB/s | {ours / theirs:.1f} |")
    return "\n".join(
        [
            "Pages of 2 MB by the rules of the Encoding Standard, of which Python's codecs differ.",
            "",
            "| charset | decoded | time, times Python's codec |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


if __name__ == "__main__":
    print(measure())
