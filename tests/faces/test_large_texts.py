"""Passages of a large text are found by its index, through every face, as if it were read whole."""

from __future__ import annotations

import http.client
import json
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from tests.archives import Archive
from tests.engines import Repository
from tests.kept import file_of

from permacite.errors import IntegrityError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Running

pytestmark = pytest.mark.engines(deep=True)

TEXT = "".join(f"{number}: naïve 中文 words\n" for number in range(9000))
CANONICAL = TEXT.replace("\n", "\r\n")
START = CANONICAL.index("5000: ")
SPAN = f"char={START},{START + 20}"
WORDS = CANONICAL[START : START + 20]


@pytest.fixture
def name(archive: Path) -> str:
    """Archive a large text and return its name."""
    with Archive.open(archive) as service:
        return service.add(TEXT.encode(), name="log.txt").pdi


def get(running: Running, path: str) -> tuple[int, str]:
    """Return the status and the text of an answer, its line ends as CRLF."""
    place = urlsplit(running.base)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=20)
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read().decode().replace("\n", "\r\n")
    connection.close()
    return answer.status, body


def damage(archive: Path, name: str) -> None:
    """Change the last byte of the text."""
    with Repository.open(archive) as opened:
        found = next(one for one in opened.lists.list()).representations[0]
        assert str(found.pdi) == name
        path = file_of(archive, found.digest)
    path.chmod(0o644)
    path.write_bytes(TEXT.encode()[:-1] + b"!")


def test_resolve_checks_all_of_it_or_what_is_read(archive: Path, name: str) -> None:
    with Archive.open(archive) as service:
        for whole in (True, False):
            found = service.resolve(f"{name}#{SPAN}", context=6, whole=whole)
            assert (found.text, found.checked) == (WORDS, "whole" if whole else "pieces")
            assert (found.before, found.after) == ("ords\r\n", CANONICAL[START + 20 : START + 26])
            assert found.content.decode().replace("\n", "\r\n") == WORDS
        with pytest.raises(NotFoundError, match="beyond the end"):
            service.resolve(f"{name}#char=0,{len(CANONICAL) + 1}")
        damage(archive, name)
        assert service.resolve(f"{name}#{SPAN}", whole=False).text == WORDS
        with pytest.raises(IntegrityError):
            service.resolve(f"{name}#{SPAN}")


def test_passages_are_cited_and_verified_by_their_index(archive: Path, name: str) -> None:
    with Archive.open(archive) as service:
        cited = service.cite(name, char=SPAN.removeprefix("char="))
        assert (cited.quote, cited.before) == (WORDS, CANONICAL[START - 32 : START])
        assert cited.rfc5147_url is not None
        assert f"length={len(TEXT)},utf-8" in cited.rfc5147_url
        assert service.cite(name, quote="5000: naïve").start == START
        reading = service.documents.reader.read(f"{name}#{SPAN}")
        assert reading.passage is not None
        assert (reading.passage.quote, reading.passage.line) == (WORDS, 5001)
        by_text = service.documents.reader.read(
            name, text_fragment=cited.rfc5147_url.partition("#")[2]
        )
        assert by_text.passage == reading.passage
        report = service.verify(name)
        assert (report.checked, report.findings) == (3, ())


def test_the_command_line_and_http_offer_it(
    cli: Callable[..., Outcome], name: str, running: Running, archive: Path
) -> None:
    damage(archive, name)
    assert cli("resolve", "--quick", f"{name}#{SPAN}").out == WORDS
    assert (
        json.loads(cli("resolve", "--quick", "--json", f"{name}#{SPAN}").out)["checked"] == "pieces"
    )
    assert cli("resolve", f"{name}#{SPAN}").status == 1
    assert get(running, f"/{name}?fragment={SPAN}") == (200, WORDS)
    assert get(running, f"/{name}?fragment={SPAN}&check=whole")[0] == 409


def test_fsck_is_content_with_it(cli: Callable[..., Outcome], name: str) -> None:
    assert name
    assert cli("fsck").out == "2 checked, 0 bad\n"
