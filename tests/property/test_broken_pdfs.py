"""Broken PDFs, books and office files through the workers: a text or an error of ours, in time.

`./do deep` breaks a hundred thousand, the suite a sample. Each is known by its number. Half of the
PDFs are broken as they stand; of the others a compressed stream is, and packed anew.
"""

from __future__ import annotations

import functools
import random
import re
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.property.test_broken_documents import mutated as mutated_document

from permacite.decoding import Workers
from permacite.errors import LimitError, ParseError
from permacite.renditions import Original, rendition_named

if TYPE_CHECKING:
    from collections.abc import Callable

pytest.importorskip("pypdfium2_raw", reason="needs the extra pdf")

PDFS = sorted((Path(__file__).parents[1] / "golden" / "pdf").glob("*.pdf"))
STREAM = re.compile(rb"/Length [0-9]+(?P<rest>[^>]*>>\s*stream\r?\n)")
NUMBER = re.compile(rb"(?<![0-9.])[0-9]+(?![0-9.])")
WORD = re.compile(rb"/[A-Za-z0-9]+|[0-9]+ 0 R|<<|>>|\[|\]")
NUMBERS = (
    b"0",
    b"-1",
    b"1",
    b"65535",
    b"2147483647",
    b"-2147483648",
    b"4294967296",
    b"1e30",
    b"nan",
)
JOB_S = 60.0


def changed(data: bytes, rng: random.Random) -> bytes:
    """Octets flipped, cut, repeated; numbers, names and references put in each other's place."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 12))):
        at = rng.randrange(len(made) + 1)
        end = at + rng.choice((1, 4, 30, 400))
        kind = rng.randrange(7)
        found = list((NUMBER if kind < 5 else WORD).finditer(made)) if kind > 2 else []
        if kind == 0:
            made[at:end] = rng.randbytes(min(4, end - at))
        elif kind == 1:
            del made[at:end]
        elif kind == 2:
            made[at:at] = made[at:end] * rng.choice((1, 2, 50))
        elif not found:
            del made[at:]
        else:
            first, second = rng.choice(found), rng.choice(found)
            new = rng.choice(NUMBERS) if kind == 3 else bytes(second[0])
            made[first.start() : first.end()] = new
    return bytes(made)


def mutated(number: int) -> bytes:
    """A broken PDF by its number."""
    rng = random.Random(number)  # noqa: S311 - reproducible, not secret
    content = rng.choice(PDFS).read_bytes()
    streams = list(STREAM.finditer(content))
    if not streams or rng.random() < 0.5:
        return changed(content, rng)
    chosen = rng.choice(streams)
    end = content.find(b"endstream", chosen.end())
    unpacking = zlib.decompressobj()
    try:
        plain = unpacking.decompress(content[chosen.end() : end], 1 << 20)
    except zlib.error:
        return changed(content, rng)
    packed = zlib.compress(changed(plain, rng))
    head = b"/Length %d%s" % (len(packed), chosen["rest"])
    return b"".join([content[: chosen.start()], head, packed, b"\n", content[end:]])


def finding(workers: dict[str, Workers], number: int) -> str | None:
    """What is wrong with how a broken document is answered; None if nothing is."""
    rules, content = ("pdf-text/1", mutated(number)) if number % 2 else mutated_document(number)
    rendition = rendition_named(rules)
    kind = min(rendition.media_types, default="")
    try:
        text = workers[rendition.worker].render(Original(content, kind), rendition).text
    except ParseError:
        return None
    except LimitError as error:
        return f"{number} {rules}: {error}" if error.limit == "time" else None
    except Exception as error:  # noqa: BLE001 - whatever else it is, it is a finding
        return f"{number} {rules}: {type(error).__name__} {error}"
    return None if text == "" or text.endswith("\r\n") else f"{number} {rules}: ends badly"


@pytest.mark.slow
def test_broken_documents_are_read_or_refused_by_workers(times: Callable[[int, int], int]) -> None:
    with ExitStack() as stack:
        workers = {
            kind: stack.enter_context(closing(Workers(kind, most=1, job_s=JOB_S)))
            for kind in ("pdf", "documents")
        }
        pool = stack.enter_context(ThreadPoolExecutor(2))
        found = pool.map(functools.partial(finding, workers), range(times(600, 200_000)))
        assert [each for each in found if each is not None] == []
