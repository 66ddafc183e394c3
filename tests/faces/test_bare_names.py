"""A name without a format means one format of the document, whoever is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.engines import Repository

from permacite.archive.model.submitted import NewRepresentation
from permacite.pdi import PDI, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.faces.conftest import Outcome

pytestmark = pytest.mark.engines(deep=True)

XHTML = (
    b'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>w</body></html>'
)


@pytest.fixture
def service(archive: Path) -> Iterator[Archive]:
    """Return the service of an empty archive."""
    with Archive.open(archive) as opened:
        yield opened


def bare(name: str) -> str:
    """Return a name without its format and version."""
    return name.rsplit(".", 2)[0]


def everyones(service: Archive, name: str) -> set[str]:
    """Return what a name means to each of those who are asked."""
    shown = service.documents.show(name)
    return {
        service.resolve(name).pdi,
        service.documents.reader.read(name).pdi,
        service.documents.reader.page(name).pdi,
        shown.history[-1].pdi,
    }


@pytest.mark.parametrize(
    ("file", "content", "token"),
    [
        ("a.xhtml", XHTML, "xhtml%2bxml"),
        ("a.html", b"<p>words", "html"),
        ("a.txt", b"words", "text"),
        ("a.md", "wörds".encode(), "markdown"),
        ("a.bin", b"\0\1", "octet-stream"),
    ],
)
def test_all_agree(service: Archive, file: str, content: bytes, token: str) -> None:
    saved = service.add(content, name=file)
    assert saved.pdi.rsplit(".", 2)[1] == token
    assert everyones(service, bare(saved.pdi)) == {saved.pdi}


def test_what_is_withdrawn_gives_way(service: Archive, archive: Path) -> None:
    saved = service.add(XHTML, name="a.xhtml")
    text = f"{bare(saved.pdi)}.utf-8.1"
    service.access.withdraw(saved.pdi, reason="own-error")
    assert everyones(service, bare(saved.pdi)) == {text}
    service.access.withdraw(text, reason="own-error")
    with Repository.open(archive) as opened:
        name = parse(bare(saved.pdi))
        assert isinstance(name, PDI)
        assert str(opened.lookup.representation(name).pdi) == saved.pdi


def test_many_names_are_answered_as_one_is(service: Archive, archive: Path) -> None:
    first = service.add(XHTML, name="a.xhtml").pdi
    second = service.add(XHTML + b" ", name="a.xhtml").pdi
    service.access.withdraw(first, reason="own-error")
    with Repository.open(archive) as opened:
        asked = [parse(bare(one)) for one in (first, second)]
        named = [one for one in asked if isinstance(one, PDI)]
        found = opened.lookup.find_representations(named)
        assert list(found) == [opened.lookup.representation(one) for one in named]


def test_a_text_in_several_charsets(archive: Path) -> None:
    with Repository.open(archive) as opened:
        formats = [
            NewRepresentation(b"\xd6\xd0", "text/plain", charset="gbk"),
            NewRepresentation("中".encode(), "text/plain", charset="utf-8"),
        ]
        version = opened.committer.commit(formats)
        assert opened.lookup.main(version) == version.representations[0]


def test_the_commands_agree(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    path = tmp_path / "a.xhtml"
    path.write_bytes(XHTML)
    saved = cli("import", str(path)).out
    name = next(word for word in saved.split() if word.startswith("urn:pdi:"))
    assert cli("resolve", bare(name)).out == XHTML.decode()
