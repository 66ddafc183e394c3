"""Citation objects A@origin=B, recorded when a composite document is committed (PDI §3.5)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository

from permacite import pdi
from permacite.archive.model.submitted import NewRepresentation
from permacite.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.engines(deep=True)

BASE = "urn:pdi://lab.example.us/2026/11/21"
OTHER = "urn:pdi://oma.eop.gov.us/1997/09/01/1"


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Repository]:
    """An empty archive at noon of a day of 2026."""
    noon = datetime(2026, 11, 21, 12, tzinfo=UTC)
    with Repository.create(
        tmp_path / "archive", series="lab.example.us", clock=lambda: noon
    ) as opened:
        yield opened


def text(content: bytes, *quotations: tuple[str, str]) -> NewRepresentation:
    """Return a text that quotes."""
    return NewRepresentation(content, "text/plain", charset="us-ascii", quotations=quotations)


def name(value: str) -> pdi.PDI:
    """Return the name of one document."""
    found = pdi.parse(value)
    assert isinstance(found, pdi.PDI)
    return found


def test_pdi_45_citation_objects_are_recorded_with_the_composite(archive: Repository) -> None:
    """Clause pdi-45."""
    archive.committer.commit([text(b"to be or not to be")])
    composite = archive.committer.commit(
        [
            text(
                b"He wrote: not to be.",
                ("10", f"{BASE}/1.text.1#char=9,18"),
                ("0", OTHER.removeprefix("urn:") + ".TEXT.1#37,51"),
            )
        ]
    )
    first, second = archive.passages.quotations(composite.pdi)
    assert str(first) == f"{BASE}/2.text.1@10=pdi://lab.example.us/2026/11/21/1.text.1#char=9,18"
    assert str(second) == f"{BASE}/2.text.1@0=pdi://oma.eop.gov.us/1997/09/01/1.text.1#37,51"
    assert isinstance(first.cited, pdi.FragmentPDI)
    assert list(archive.passages.quotations(name(f"{BASE}/1"))) == []
    entry = archive.log.disclosed([*archive.log.leaves()][-1])
    assert entry["formats"][0]["quotations"][0] == ["10", f"{BASE}/1.text.1#char=9,18"]
    assert {finding.kind for finding in archive.fixity.verify()} == {"ok"}


def test_pdi_45_who_quotes_a_document_is_found(archive: Repository) -> None:
    """Clause pdi-45."""
    whole = ("0", f"{OTHER}.text.2")
    part = ("5", f"{OTHER}.html.1#elt=3,4")
    nested = ("7", f"{BASE}/1.text.1@0={OTHER.removeprefix('urn:')}.text.2")
    archive.committer.commit([text(b"one", whole)])
    archive.committer.commit([text(b"two", part)])
    archive.committer.commit([text(b"three", nested)])
    quoters = [str(one.pdi) for one in archive.passages.quoters(name(OTHER))]
    assert quoters == [f"{BASE}/1.text.1", f"{BASE}/2.text.1"]
    assert [str(one.pdi) for one in archive.passages.quoters(name(f"{OTHER}.html.1"))] == quoters[
        1:
    ]
    assert [str(one.pdi) for one in archive.passages.quoters(name(f"{OTHER}.text.2"))] == quoters[
        :1
    ]
    assert list(archive.passages.quoters(name(f"{OTHER}.text.1"))) == []
    # Who quotes a quotation quotes the document that holds it.
    assert [one.origin for one in archive.passages.quoters(name(f"{BASE}/1"))] == ["7"]


REFUSED = [
    ("pdi-45-cited-without-version", ("0", f"{OTHER}.text"), 1),
    ("pdi-45-pattern", ("0", "urn:pdi://oma.eop.gov.us/1997/09/01/*.text.1"), 1),
    ("pdi-45-no-name", ("0", "http://example.org/"), 1),
    ("pdi-45-no-origin", ("", f"{OTHER}.text.1"), 0),
    ("pdi-45-origin-of-a-picture", ("(5,10)", f"{OTHER}.text.1"), 0),
    ("pdi-45-two-origins", ("1,2", f"{OTHER}.text.1"), 0),
]


@pytest.mark.parametrize(
    ("quotation", "part"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_refuses_what_is_no_citation(
    archive: Repository, quotation: tuple[str, str], part: int
) -> None:
    with pytest.raises(ParseError) as error:
        archive.committer.commit([text(b"one", quotation)])
    assert error.value.source == quotation[part]
    assert 0 <= error.value.offset <= len(quotation[part])
    assert archive.lists.count() == 0


CHECKED = [
    ("exact", b"He wrote: not to be.", "10"),
    ("space", b"He wrote: not  to\n  be.", "10"),
    ("differs", b"He wrote: not to see.", "10"),
    ("differs", b"He wrote: not to be.", "11"),
    ("differs", b"", "9" * 40),
    ("reference", b"see pdi://lab.example.us/2026/11/21/1.text.1#char=9,18 there", "4"),
    ("reference", b"see urn:pdi://lab.example.us/2026/11/21/1.text.1#char=9,18.", "4"),
    ("differs", b"see pdi://lab.example.us/2026/11/21/1.text.1#char=9,18 there", "0"),
    ("differs", b"see pdi://lab.example.us/2026/11/21/1.text.1#char=9,180 there", "4"),
]


@pytest.mark.parametrize(("answer", "content", "origin"), CHECKED)
def test_what_stands_at_the_origin_is_compared(
    archive: Repository, answer: str, content: bytes, origin: str
) -> None:
    """Clause pdi-47."""
    archive.committer.commit([text(b"to be or not to be")])
    composite = archive.committer.commit([text(content, (origin, f"{BASE}/1.text.1#char=9,18"))])
    (citation,) = archive.passages.quotations(composite.pdi)
    assert archive.passages.check_quotation(citation).outcome == answer


def test_a_quotation_of_a_whole_document_begins_at_its_origin(archive: Repository) -> None:
    """Clause pdi-46."""
    archive.committer.commit([text(b"to be")])
    composite = archive.committer.commit([text(b"whether to be or", ("8", f"{BASE}/1.text.1"))])
    (citation,) = archive.passages.quotations(composite.pdi)
    assert archive.passages.check_quotation(citation).outcome == "exact"


def test_what_is_no_text_is_not_compared(archive: Repository) -> None:
    """Clause pdi-47."""
    archive.committer.commit([NewRepresentation(b"GIF89a", "image/gif")])
    composite = archive.committer.commit([text(b"a picture", ("0", f"{BASE}/1.gif.1"))])
    (citation,) = archive.passages.quotations(composite.pdi)
    assert archive.passages.check_quotation(citation).outcome == "unchecked"
