"""What is cited is what is resolved, verified, proven and shown, in whatever charset it came."""

from __future__ import annotations

import http.client
import itertools
import json
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.archives import Archive

from permacite.archive.texts import SMALLEST_BYTES
from permacite.service.proofs import proofs
from permacite.text.first_rules import CODEC_OF_LABEL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.faces.conftest import Running

pytestmark = pytest.mark.engines(deep=True)

LABELS = [
    *["us-ascii", "iso-8859-1", "latin1", "windows-1252", "utf-8", "iso-8859-2", "iso-8859-9"],
    *["iso-8859-15", "windows-1251", "koi8-r", "koi8-u", "macintosh", "tis-620", "windows-1255"],
    *["gb2312", "gbk", "gb18030", "big5", "big5-hkscs", "euc-jp", "iso-2022-jp", "shift_jis"],
    *["windows-31j", "euc-kr", "ks_c_5601-1987", "utf-16", "utf-16le", "x-user-defined"],
]
CONTENTS = {
    "line ends of all kinds": b"one\r\ntwo\nthree\rfour\r\r\nfive\n\r",
    "quotes and accents of one octet": b"a \x93caf\xe9\x94 \x80 \x85 \x81 \xa4 end\n",
    "UTF-8 with a mark": b"\xef\xbb\xbfna\xc3\xafve \xe4\xb8\xad\xe6\x96\x87\r\n",
    "UTF-16 with a mark": b"\xff\xfen\0a\0\xef\0v\0e\0\r\0\n\0-N",
    "letters of two octets": b"\xad\xa1\xb3\xf4\xbc\xb0\xb2\xf1\xbc\xd2\r\n\x81\x40\x87\x40 a\xa4",
    "shifts, and no characters": b"\x1b$B0l\x1b(B \xff\xfe\xfd \xc3\n\x8f\xa2\xaf\x1b$)C\x0e",
}


@pytest.fixture
def service(archive: Path) -> Iterator[Archive]:
    """Return the service of an empty archive."""
    with Archive.open(archive) as opened:
        yield opened


def spans(length: int) -> list[tuple[int, int]]:
    """Return parts to be cited: all of it, its ends, and its middle."""
    middle = length // 2
    found = {(0, length), (0, 1), (length - 1, length), (middle - 1, middle + 2)}
    return sorted((max(0, start), min(end, length)) for start, end in found)


def check_passage(service: Archive, name: str, start: int, end: int) -> str:
    """Cite a passage, assert that everyone gives the same words, and return its name."""
    cited = service.cite(name, char=f"{start},{end}")
    whole, quick = (service.resolve(cited.reference, whole=each) for each in (True, False))
    assert whole.text == quick.text == cited.quote
    assert service.verify(cited.reference).findings == ()
    proof = service.proofs.proof(cited.reference)
    report = proofs.check(proof.content, key=service.log.state().key)
    assert report.holds, report
    assert report.trusted
    assert report.quote == cited.quote
    shown = service.documents.reader.read(cited.reference, text=True)
    assert shown.passage is not None
    assert shown.passage.quote == cited.quote
    assert shown.text is not None
    pieces = [piece for line in shown.text.lines for piece in line.pieces]
    marked = "".join(piece.text for piece in pieces if piece.marked)
    wanted = cited.quote.replace("\r\n", "\n")
    assert wanted.startswith(marked)
    assert marked
    assert marked == wanted or not shown.text.is_whole  # of a long text, a piece is shown
    return cited.reference


def check_document(service: Archive, content: bytes, label: str, name: str = "a.txt") -> list[str]:
    """Import a document, assert the law for some of its passages, and return their names."""
    saved = service.add(content, name=name, charset=label)
    text = service.resolve(saved.pdi).text or ""
    named = [check_passage(service, saved.pdi, *span) for span in spans(len(text)) if len(text)]
    report = service.verify(saved.pdi)
    assert report.checked
    assert report.findings == ()
    return named


def words_over_http(running: Running, reference: str) -> str:
    """Return the words of a passage as the API gives them."""
    name, _, fragment = reference.partition("#")
    place = urlsplit(running.base)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=20)
    query = f"/{name}?fragment={quote(fragment)}"
    connection.request("GET", query, headers={"Accept": "application/json"})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status == 200, body
    return str(json.loads(body)["text"])


@pytest.mark.parametrize("label", LABELS)
def test_none_is_refused_and_none_differs(
    service: Archive, label: str, times: Callable[[int, int], int]
) -> None:
    """Each label with every second content in a sample, by turns."""
    every = times(2, 1)
    for content in list(CONTENTS.values())[LABELS.index(label) % every :: every]:
        assert check_document(service, content, label)


@given(st.binary(max_size=60), st.sampled_from(sorted(CODEC_OF_LABEL)))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_the_octets(service: Archive, content: bytes, label: str) -> None:
    check_document(service, content, label)


@pytest.mark.parametrize(
    "label",
    [
        "utf-8",
        "gb2312",
        "utf-16le",
        *(
            pytest.param(label, marks=pytest.mark.deep)
            for label in ("us-ascii", "euc-jp", "koi8-u")
        ),
    ],
)
def test_large_texts_too(service: Archive, label: str) -> None:
    line = b"".join(CONTENTS.values())
    content = line * (SMALLEST_BYTES // len(line) + 1)
    check_document(service, content, label)


def test_the_api_gives_the_same_words(service: Archive, running: Running) -> None:
    for label, content in itertools.product(LABELS[::5], CONTENTS.values()):
        for reference in check_document(service, content, label):
            expected = service.resolve(reference).text
            assert words_over_http(running, reference) == expected
