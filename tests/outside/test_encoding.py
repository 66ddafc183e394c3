"""The Encoding Standard beside its own tables (whatwg/encoding) and hsivonen/encoding_rs's data.

The tables say every label, and every code point of a single byte. The data hold every pointer of
the multi-byte indexes with what comes of it, errors included.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.outside.conftest import Suite

from permacite.charsets import codec_of, decode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

STANDARD = "whatwg/encoding"
NAMES = {"jis0208": "euc-jp", "jis0212": "euc-jp"}
"""What the octets of an index are in, where the file is not named after it."""
DECODED = "browsers refuse it for the sake of scripts; mail in it would be lost (decision 0020)"


def labels(place: Path) -> Iterator[tuple[str, object]]:
    """Yield each label with the name of its encoding."""
    for heading in json.loads((place / "encodings.json").read_text("utf-8")):
        for encoding in heading["encodings"]:
            for label in encoding["labels"]:
                yield label, (label, encoding["name"])


def single_bytes(place: Path) -> Iterator[tuple[str, object]]:
    """Yield each index of single bytes, which has 128 entries."""
    for name, index in json.loads((place / "indexes.json").read_text("utf-8")).items():
        if len(index) == 128:
            yield name, (name, index)


def octets(place: Path) -> Iterator[tuple[str, object]]:
    """Yield the octets of each index with the text that they stand for."""
    folder = place / "tests/test_data"
    for path in sorted(folder.glob("*_in.txt")):
        name = path.stem.removesuffix("_in")
        wanted = (folder / f"{path.stem}_ref.txt").read_text("utf-8")
        yield name, (NAMES.get(name, name.replace("_", "-")), path.read_bytes(), wanted)


SUITES = {
    "label": Suite(
        STANDARD, labels, dict.fromkeys(("csiso2022kr", "iso-2022-kr", "hz-gb-2312"), DECODED)
    ),
    "single_byte": Suite(STANDARD, single_bytes),
    "data": Suite("hsivonen/encoding_rs", octets),
}


def test_labels_name_their_encodings(label: tuple[str, str]) -> None:
    text, name = label
    assert codec_of(text) == codec_of(name) is not None


def test_single_bytes_are_their_code_points(single_byte: tuple[str, list[int | None]]) -> None:
    name, index = single_byte
    wanted = "".join("\ufffd" if point is None else chr(point) for point in index)
    codec = codec_of(name)
    assert codec is not None
    assert decode(bytes(range(128, 256)), codec) == wanted


def test_octets_are_their_text(data: tuple[str, bytes, str]) -> None:
    name, content, wanted = data
    codec = codec_of(name)
    assert codec is not None
    assert decode(content, codec) == wanted
