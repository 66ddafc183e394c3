"""What was cited and noted goes out as Web Annotations, and comes in again, elsewhere too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.archives import Archive
from tests.crawled import HTML

from permacite.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Site

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)


def test_citations_and_notes_travel_with_an_archive(
    archive: Path, cli: Cli, site: Site, tmp_path: Path
) -> None:
    assert cli("save", site.put("/", "text/html", HTML), "--allow-private").status == 0
    with Archive.open(archive) as service:
        (held,) = service.documents.list().documents
        cited = service.cite(held.pdi, quote="tide is high", note="high water").reference
        service.annotations.annotate(cited, "note", "Read on.")
        service.annotations.annotate(held.pdi, "tag", "sea")
        service.annotations.annotate(held.pdi, "collection", "Shores")
    files = [str(tmp_path / name) for name in ("a.json", "b.json", "a.wacz")]
    assert cli("annotations", "--export", files[0]).status == 0
    assert cli("export", "--wacz", files[2]).status == 0
    page = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert page["type"] == "AnnotationPage"
    assert [each["motivation"] for each in page["items"]] == [
        *("highlighting", "commenting", "tagging", "classifying")
    ]
    other = tmp_path / "other"
    assert cli("init", other, "--series", "other.zz").status == 0
    assert cli("--archive", other, "import", files[2]).status == 0
    outcome = cli("--archive", other, "annotations", "--import", files[0])
    assert (outcome.status, outcome.err) == (0, "")
    with Archive.open(other) as service:
        (document,) = service.documents.list().documents
        (again,) = service.documents.show(document.pdi).citations
        assert (again.quote, again.note) == ("tide is high", "high water")
        assert {(each.kind, each.text) for each in service.annotations.list(document.pdi)} >= {
            ("tag", "sea"),
            ("collection", "Shores"),
        }
        (noted,) = service.annotations.list(again.reference, kind="note")
        assert (noted.text, service.resolve(noted.reference).text) == ("Read on.", "tide is high")
    assert cli("--archive", other, "annotations", "--export", files[1]).status == 0
    back = json.loads((tmp_path / "b.json").read_text(encoding="utf-8"))
    assert [each.get("body") for each in back["items"]] == [
        each.get("body") for each in page["items"]
    ]


def of_hypothesis(uri: str, exact: str) -> dict[str, Any]:
    """Return an annotation as the API of Hypothesis answers it."""
    selector = [{"type": "TextQuoteSelector", "exact": exact}]
    target = [{"source": uri, "selector": selector}]
    return {"id": exact, "uri": uri, "text": "why", "tags": ["sea"], "target": target}


def test_those_of_hypothesis_are_taken_in(
    archive: Path, cli: Cli, site: Site, tmp_path: Path
) -> None:
    uri = site.put("/", "text/html", HTML)
    assert cli("save", uri, "--allow-private").status == 0
    rows = [of_hypothesis(uri, "tide is high"), of_hypothesis(uri, "no such words")]
    rows += [of_hypothesis("https://b.example/", "a"), {"id": "none", "target": []}]
    (tmp_path / "a.json").write_text(json.dumps({"total": 4, "rows": rows}), encoding="utf-8")
    outcome = cli("annotations", "--import", str(tmp_path / "a.json"))
    assert outcome.status == 1
    reference = outcome.out.strip()
    told = [line.split(": ")[0] for line in outcome.err.splitlines() if "not taken in" in line]
    assert told == ["no such words", "a", "none"]
    with Archive.open(archive) as service:
        assert service.resolve(reference).text == "tide is high"
        kept = {(each.kind, each.text) for each in service.annotations.list()}
    assert kept == {("note", "why"), ("tag", "sea")}


@pytest.mark.parametrize("text", ["", "{", "7", "{}", "[1]", '{"items": 1}', "[" * 99_999])
def test_what_holds_no_annotations_is_refused(archive: Path, text: str) -> None:
    with Archive.open(archive) as service, pytest.raises(ParseError):
        list(service.lists.importer("annotations").add(text))
