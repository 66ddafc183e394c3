"""Names that were minted by the first rules: every passage says what it said then."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.archives import Archive
from tests.earlier import unpack_files
from tests.engines import Repository

from permacite.service.proofs import proofs

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.engines(deep=True)

PACKED = Path(__file__).parents[1] / "golden/archive/charsets.tar.gz"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, engine: object) -> Path:
    """Return where the archive of then, and its answers, are unpacked."""
    assert engine is Repository.engine
    path = tmp_path_factory.mktemp("first")
    unpack_files(PACKED, path)
    Repository.adopt(path / "archive")
    return path


@pytest.fixture(scope="module")
def answers(folder: Path) -> dict[str, Any]:
    """Return the words of each passage then, and whether the record had the same."""
    found: dict[str, Any] = json.loads((folder / "answers.json").read_bytes())
    return found


@pytest.fixture
def service(folder: Path) -> Iterator[Archive]:
    """Return the service of the archive of then."""
    with Archive.open(folder / "archive") as opened:
        yield opened


def test_what_was_resolved_then_is_resolved_now(service: Archive, answers: dict[str, Any]) -> None:
    given = {name: words for name, (words, *_) in answers.items() if words is not None}
    for whole in (True, False):
        assert {name: service.resolve(name, whole=whole).text for name in given} == given


def test_the_whole_text_has_the_words_of_its_passages(
    service: Archive, answers: dict[str, Any]
) -> None:
    for name, (words, *_) in answers.items():
        if words is None:
            continue
        document, _, span = name.partition("#char=")
        start, end = map(int, span.split(","))
        text = service.resolve(document).text
        assert text is not None
        assert text[start:end] == words


def test_fsck_tells_of_records_that_differ_and_rewrites_none(
    folder: Path, answers: dict[str, Any]
) -> None:
    with Repository.open(folder / "archive") as archive:
        before = list(archive.passages.citations())
        findings = [one for one in archive.fixity.fsck() if one.kind != "ok"]
        assert {one.kind for one in findings} == {"quote"}
        told = {one.name for one in findings}
        known = {name: same for name, (words, same, _) in answers.items() if words is not None}
        assert {name for name in known if name in told} == {
            n for n, same in known.items() if not same
        }
        assert list(archive.passages.citations()) == before


def test_proofs_that_held_then_hold_now(service: Archive, answers: dict[str, Any]) -> None:
    for name in [name for name, (*_, held) in answers.items() if held][::3]:
        report = proofs.check(service.prove(name))
        assert (report.holds, report.quote) == (True, answers[name][0])


def test_the_next_version_is_read_by_the_rules_of_today(service: Archive) -> None:
    saved = service.add(b"\xad\xa1\xb3\xf4 ", name="a.txt", charset="EUC-JP")
    assert service.resolve(saved.pdi).text == "①株 "
    assert saved.document.formats[0].charset == "euc-jp"
