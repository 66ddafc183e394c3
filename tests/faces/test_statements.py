"""Statements about names: recorded, listed, and given as JSON-LD."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.engines import Repository

from permacite.errors import ParseError
from permacite.pdi.predicates import check_predicate, predicate_iri

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

OA = "http://www.w3.org/ns/oa#"
DC = "http://purl.org/dc/terms/"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
OURS = "urn:permacite:predicate:"
ANNO = Path(__file__).parents[1] / "golden/annotation/anno.jsonld"


@pytest.fixture
def name(archive: Path) -> str:
    """The full name of a text."""
    with Archive.open(archive) as service:
        saved = service.add(b"The tide.", name="tide.txt", uri="https://example.org/tide")
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
    ("oa:", OA),
    ("oa:é", f"{OA}é"),
    ("https://example.org/p", "https://example.org/p"),
    ("http://bücher.example/p?q#ü", "http://bücher.example/p?q#ü"),
    ("oa://host", "oa://host"),
    ("my own word", f"{OURS}my%20own%20word"),
    ("@type", f"{OURS}@type"),
    (" <x> ", f"{OURS}%3Cx%3E"),
]


@pytest.mark.parametrize(("written", "iri"), PREDICATES)
def test_a_predicate_has_an_iri(written: str, iri: str) -> None:
    check_predicate(written)
    assert predicate_iri(written) == iri


REFUSED = [
    # predicate, offset, the IRI where an archive of before holds it
    ("oa:<x>", 3, f"{OURS}oa:%3Cx%3E"),
    ("  oa:a#b", 6, f"{OURS}oa:a%23b"),
    ("cito:dis putes", 8, f"{OURS}cito:dis%20putes"),
    ("https://example.org/{p}", 20, f"{OURS}https:%2F%2Fexample.org%2F%7Bp%7D"),
    ("no uri: here", 2, f"{OURS}no%20uri:%20here"),
    ("é:x", 0, f"{OURS}%C3%A9:x"),
    ("http://a:é/", 9, f"{OURS}http:%2F%2Fa:%C3%A9%2F"),
    ("oa:\u202ex", 3, f"{OURS}oa:%E2%80%AEx"),
    ("x:%zz", 2, f"{OURS}x:%25zz"),
    ("_:b", 0, f"{OURS}_:b"),
    (":x", 0, f"{OURS}:x"),
    ("two\nlines", 3, f"{OURS}two%0Alines"),
    ("  ", 0, OURS),
]


@pytest.mark.parametrize(("written", "offset", "iri"), REFUSED)
def test_a_predicate_that_is_no_iri_is_refused(written: str, offset: int, iri: str) -> None:
    with pytest.raises(ParseError) as error:
        check_predicate(written)
    assert (error.value.source, error.value.offset) == (written, offset)
    assert error.value.spec.startswith("PDI §3.6.5")
    assert predicate_iri(written) == iri


def test_a_refused_predicate_is_shown_with_its_place(cli: Cli, name: str) -> None:
    refused = cli("assert", name, "oa:<x>", "Ann")
    assert refused.status == 2
    assert "at 3 (PDI §3.6.5, RFC 3987 §2.2)" in refused.err
    assert "  oa:<x>\n     ^" in refused.err
    assert json.loads(cli("assertions", "--json").out) == []


@pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib")
def test_all_that_is_stated_can_be_written_as_rdf(cli: Cli, archive: Path, name: str) -> None:
    rdflib = pytest.importorskip("rdflib", reason="an RDF parser is needed to read it")
    bare = "urn:pdi://lab.example.us/2026/11/21/9"
    with Archive.open(archive) as service:
        source = service.add(b"x", name="x.txt", uri="https://example.org/<x>").pdi
    for written, _ in PREDICATES:
        assert cli("assert", source, written, "https://example.org/<x>").status == 0
    with Repository.open(archive) as opened:
        for written, _, _ in REFUSED[:-1]:
            opened.statements.repeat(name, written, "said before", who=None)
        opened.statements.repeat(bare, "oa:<x>", "of another archive", who=None)
    assert "oa:<x>" in cli("assertions").out
    assert len(json.loads(cli("assertions", "--json").out)) == len(PREDICATES) + len(REFUSED)
    graph = rdflib.Graph().parse(data=cli("assertions", "--jsonld").out, format="json-ld")
    again = rdflib.Graph().parse(data=graph.serialize(format="turtle"), format="turtle")
    assert set(again.predicates()) == set(graph.predicates())
    assert {str(iri) for iri in again.predicates(subject=rdflib.URIRef(name))} >= {
        iri for _, _, iri in REFUSED[:-1]
    }


@pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib")
def test_annotations_are_as_their_model_wants(cli: Cli, archive: Path, name: str) -> None:
    """Web Annotation Data Model §3.1: read with the W3C's own context."""
    rdflib = pytest.importorskip("rdflib", reason="an RDF parser is needed to read it")
    cli("assert", name, "creator", "Ann", "--who", "https://example.org/ben")
    cli("assert", name, "creator", "Ann")
    cli("assert", f"{name}#char=4,8", "cito:disputes", "https://example.org/x")
    context = json.loads(ANNO.read_text("utf-8"))["@context"]
    graph = rdflib.Graph().parse(data=cli("assertions", "--jsonld").out, format="json-ld")
    compact = json.loads(graph.serialize(format="json-ld", context=context, auto_compact=True))
    notes = [node for node in compact["@graph"] if "Annotation" in node.get("type", ())]
    assert len(notes) == 3
    assert len({note["id"] for note in notes}) == 3
    for note in notes:
        assert note["id"].startswith("urn:permacite:assertion:")
        assert note["target"].startswith(name)
        assert (isinstance(note["body"], str), note["motivation"]) == (True, "describing")
    with Archive.open(archive) as service:
        written = service.annotations.statements.json_ld(service.annotations.statements.about())[
            "@graph"
        ]
    assert {note["id"] for note in notes} == {
        node["@id"]
        for node in (written if isinstance(written, list) else ())
        if isinstance(node, dict) and "oa:motivatedBy" in node
    }


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
    told = [name, "creator", "Ann", annotation["dcterms:created"]["@value"]]
    digest = hashlib.sha256(json.dumps(told, separators=(",", ":")).encode()).hexdigest()
    assert annotation["@id"] == f"urn:permacite:assertion:{digest}"
    assert annotation["oa:hasTarget"] == {"@id": name}
    assert annotation["rdf:object"] == {"@value": "Ann"}
    assert annotation["dcterms:created"]["@value"].endswith("Z")
