"""Broken books, office files, markup, notebooks, mails: a text or an error of ours, by its number.

`./do deep` breaks a hundred thousand, the suite a sample. Half of them are broken as they stand; of
the others an entry of the zip is, and packed anew, or check sums would keep all else from it.
"""

from __future__ import annotations

import io
import random
import re
import zipfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from permacite.errors import LimitError, ParseError
from permacite.renditions import Original, media_type_of, rendition_named, renditions

if TYPE_CHECKING:
    from collections.abc import Callable

GOLDEN = Path(__file__).parents[1] / "golden"
PICTURES = Path(__file__).parents[2] / "demo" / "site" / "pictures"
MARKUP = [
    b"""<TEI><teiHeader><fileDesc><titleStmt><title>On Light</title></titleStmt></fileDesc>
</teiHeader><text><body><pb n='1'/><div n='2'><head>Rays</head><p>It falls<note n='1'>at
noon</note> on wa<lb break='no'/>ter.</p><pb n='2'/><list><item>blue</item></list></div></body>
</text></TEI>""",
    b"""<article><front><article-meta><title-group><article-title>On Light</article-title>
</title-group></article-meta></front><body><sec><label>2</label><title>Rays</title><p>It falls
</p><table-wrap><table><tr><td>42</td><td/></tr></table></table-wrap></sec></body></article>""",
    b"<!DOCTYPE a [<!ENTITY b 'c'><!ENTITY d '&b;&b;'>]><a x='1'>&b;<![CDATA[<b>]]>&d;<?e f?></a>",
]
_READ = (".xml", ".xhtml", ".opf", ".rels")
TAG = re.compile(rb"<[^<>]*>")


@cache
def seeds() -> dict[str, list[bytes]]:
    """Octets of all documents, by the rules that read them."""
    rules = {
        kind: str(each) for each in renditions() if not each.on_request for kind in each.media_types
    }
    chosen: dict[str, list[bytes]] = {}
    for each in sorted((GOLDEN / "office").iterdir()) + sorted((GOLDEN / "rfc2557").glob("*.eml")):
        name = rules.get(media_type_of(each.name) or "")
        if name is not None:
            chosen.setdefault(name, []).append(each.read_bytes())
    drawings = [each.read_bytes() for each in sorted(PICTURES.glob("*.svg"))]
    chosen["xml-text/1"] = MARKUP + drawings
    return chosen | {"docx-reviewed-text/1": chosen["docx-text/1"]}


def entries(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        return {each: opened.read(each) for each in opened.namelist()}


def broken(data: bytes, rng: random.Random) -> bytes:
    """Octets flipped, cut, repeated; tags moved, taken away, or put in each other."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(made) + 1)
        end = at + rng.choice((1, 4, 30, 300))
        kind = rng.randrange(7)
        tags = list(TAG.finditer(made)) if kind > 3 else []
        if kind == 0:
            made[at:end] = bytes(rng.randrange(256) for _ in range(min(4, end - at)))
        elif kind == 1:
            del made[at:end]
        elif kind == 2:
            made[at:at] = made[at:end] * rng.choice((1, 2, 50))
        elif not tags:
            del made[at:]
        else:
            first, second = rng.choice(tags), rng.choice(tags)
            if kind == 4:
                del made[first.start() : first.end()]
            elif kind == 5:
                made[second.start() : second.start()] = first[0]
            else:
                made[min(first.start(), second.start()) : max(first.end(), second.end())] = b""
    return bytes(made)


def mutated(number: int) -> tuple[str, bytes]:
    """A broken document by its number: the rules that read it, and its octets."""
    rng = random.Random(number)  # noqa: S311 - reproducible, not secret
    rules = rng.choice(list(seeds()))
    content = rng.choice(seeds()[rules])
    if not content.startswith(b"PK") or rng.random() < 0.5:
        return rules, broken(content, rng)
    files = entries(content)
    chosen = rng.choice(
        [each for each in files if each.endswith((".xml", ".xhtml", ".opf", ".rels"))]
    )
    files[chosen] = broken(files[chosen], rng)
    if rng.random() < 0.1:
        del files[rng.choice(list(files))]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, octets in files.items():
            archive.writestr(name, octets)
    return rules, packed.getvalue()


@pytest.mark.slow
def test_broken_documents_have_a_text_or_are_refused(times: Callable[[int, int], int]) -> None:
    texts = 0
    for number in range(times(2000, 100_000)):
        rules, content = mutated(number)
        rendition = rendition_named(rules)
        try:
            result = rendition(Original(content, min(rendition.media_types, default="")))
        except (ParseError, LimitError):
            continue
        except Exception as error:
            raise AssertionError(f"{number} {rules}") from error
        texts += 1
        assert result.text == "" or result.text.endswith("\r\n"), number
        assert all(0 <= each.start < each.end <= len(result.text) for each in result.labels), number
    assert texts
