"""Statements about names: recorded, listed, and given as JSON-LD."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from permacite.service.archive import Archive
from permacite.service.assertions.statements import predicate_iri

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

OA = "http://www.w3.org/ns/oa#"
DC = "http://purl.org/dc/terms/"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"


@pytest.fixture
def name(archive: Path) -> str:
    """The full name of a text."""
    with Archive.open(archive) as service:
        saved = service.import_document("tide.txt", b"The tide.", uri="https://example.org/tide")
    return saved.pdi


def test_statements_are_recorded_and_listed(cli: Cli, name: str) -> None:
    document = name.removesuffix(".text.1")
    assert cli("assert", document, "creator", "Ann", "--who", "Ben").status == 0
    assert cli("assert", f"{name}#char=4,8", "cito:disputes", "https://example.org/x").status == 0
    made = json.loads(cli("assert", name, "checked", "yes", "--json").out)
    assert (made["subject"], made["predicate"], made["who"]) == (name, "checked", None)
    listed = json.loads(cli("assertions", document, "--json").out)
    assert [(one["object"], one["who"]) for one in listed] == [("Ann", "Ben")]
    assert len(json.loads(cli("assertions", document, "--parts", "--json").out)) == 3
    assert len(json.loads(cli("assertions", name, "--parts", "--json").out)) == 2
    assert len(json.loads(cli("assertions", "--predicate", "checked", "--json").out)) == 1
    assert "cito:disputes" in cli("assertions").out
    address = f"http://127.0.0.1:8420/{name}?fragment=char=4,8"
    assert len(json.loads(cli("assertions", address, "--json").out)) == 1


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("nonsense", "creator", "Ann"), 2),
        (("urn:pdi://lab.example.us/2026/11/21/1", " ", "Ann"), 2),
        (("urn:pdi://lab.example.us/2026/11/21/1", "withdrawn", "Ann"), 1),
    ],
)
def test_what_cannot_be_stated_is_refused(cli: Cli, words: tuple[str, ...], status: int) -> None:
    assert cli("assert", *words).status == status


PREDICATES = [
    ("creator", f"{DC}creator"),
    ("dcterms:creator", f"{DC}creator"),
    ("oa:hasBody", f"{OA}hasBody"),
    ("https://example.org/p", "https://example.org/p"),
    ("my own word", "urn:permacite:predicate:my%20own%20word"),
    ("no uri: here", "urn:permacite:predicate:no%20uri:%20here"),
]


@pytest.mark.parametrize(("written", "iri"), PREDICATES)
def test_a_predicate_has_an_iri(written: str, iri: str) -> None:
    assert predicate_iri(written) == iri


@pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib")
def test_an_rdf_parser_reads_the_json_ld(cli: Cli, name: str) -> None:
    rdflib = pytest.importorskip("rdflib", reason="an RDF parser is needed to read it")
    passage = f"{name}#char=4,8"
    cli("assert", passage, "cito:disputes", "https://example.org/x", "--who", "Ann")
    cli("assert", name, "my own", 'a "text"')
    out = cli("assertions", "--jsonld").out
    graph = rdflib.Graph().parse(data=out, format="json-ld")

    def ask(subject: str, predicate: str) -> list[str]:
        found = graph.objects(rdflib.URIRef(subject), rdflib.URIRef(predicate))
        return sorted(str(one) for one in found)

    assert ask(passage, "http://purl.org/spar/cito/disputes") == ["https://example.org/x"]
    assert ask(name, "urn:permacite:predicate:my%20own") == ['a "text"']
    assert ask(name, f"{DC}source") == ["https://example.org/tide"]
    assert ask(name, f"{DC}format") == ["text/plain"]
    assert ask(passage, f"{OA}hasSource") == [name]
    notes = list(graph.subjects(rdflib.URIRef(f"{RDF}type"), rdflib.URIRef(f"{OA}Annotation")))
    assert len(notes) == 2
    assert {
        str(one) for note in notes for one in graph.objects(note, rdflib.URIRef(f"{DC}creator"))
    } == {"Ann"}
    values = {str(one) for one in graph.objects(None, rdflib.URIRef(f"{RDF}value"))}
    assert values == {"char=4,8", 'a "text"'}


def test_the_json_ld_brings_its_context(cli: Cli, name: str) -> None:
    cli("assert", name, "creator", "Ann")
    found = json.loads(cli("assertions", "--jsonld").out)
    assert found["@context"]["oa"] == OA
    triple, annotation = found["@graph"][-2:]
    assert triple == {"@id": name, f"{DC}creator": {"@value": "Ann"}}
    assert annotation["oa:hasTarget"] == {"@id": name}
    assert annotation["rdf:object"] == {"@value": "Ann"}
    assert annotation["dcterms:created"]["@value"].endswith("Z")
