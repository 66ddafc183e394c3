"""The type and text of an import equal those of every later reading, for all files of corpora."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from permacite.archive.objects.source import digest_of
from permacite.errors import PermaciteError
from permacite.service import names
from permacite.service.archive import Archive
from permacite.service.sources import Incoming

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = Path(__file__).parents[2]
_LARGEST = 300_000
_FILES = sorted(
    path
    for folder in ("tests/golden", "demo/site", "demo/changed", "docs/how-to")
    for path in (_ROOT / folder).rglob("*")
    if path.is_file() and path.stat().st_size < _LARGEST
)
_AGGREGATES = {"multipart/related", "message/rfc822"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """Return one archive for all files."""
    with Archive.create(tmp_path_factory.mktemp("incoming") / "archive") as opened:
        yield opened


@pytest.mark.parametrize("path", _FILES, ids=[str(path.relative_to(_ROOT)) for path in _FILES])
def test_an_import_is_read_as_it_is_read_later(service: Archive, path: Path) -> None:
    """An aggregate is committed as its root too: there the aggregate itself is compared."""
    content = path.read_bytes()
    incoming = Incoming.of_file(path.name, content)
    try:
        saved = service.add(content, name=path.name, misquoted=True)
    except PermaciteError as error:
        pytest.skip(f"not imported: {error}")
    repository = service._repository  # noqa: SLF001 - what is stored is compared
    version = repository.lookup.version(names.document_of(saved.pdi)[0])
    own = next(each for each in version.representations if each.digest == digest_of(content))
    assert own.media_type == incoming.media_type
    again = Incoming.of_field(repository.contents.read(own), own.media_type, charset=own.charset)
    assert again.text == incoming.text
    derived = [each for each in version.representations if each.derived_from == own.format]
    if derived and incoming.media_type not in _AGGREGATES:
        assert repository.contents.read(derived[0]).decode() == incoming.text
    elif incoming.decoding is not None and own.decoding is not None:
        assert repository.contents.text(own).text == incoming.document.text.text
