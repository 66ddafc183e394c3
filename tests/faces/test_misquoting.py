"""A document that misquotes is refused before it has a name, with both texts, at both faces."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive

from permacite.errors import IntegrityError, ParseError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Site

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

RULING = "The court finds that the harbour was closed on Monday. It was reopened\r\non Friday."


@pytest.fixture
def ruling(archive: Path) -> str:
    """The permanent name of a text."""
    with Archive.open(archive) as service:
        return service.add(RULING.encode(), name="ruling.txt").pdi


def brief(name: str, words: str, form: str = "html") -> str:
    """Return a document that quotes `words` from a name."""
    forms = {
        "html": f'<title>Brief</title><p>See <blockquote cite="{name}">{words}</blockquote>',
        "xhtml": f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Brief</title></head>'
        f'<body><p><q cite="{name}">{words}</q></p></body></html>',
        "md": f"See\n\n> {words}\n>\n> `{name}`\n",
    }
    return forms[form]


QUOTED = [
    # clause id, fragment, words, whether they are taken
    ("pdi-47-exact", "#char=4,15", "court finds", True),
    ("pdi-47-space", "#char=55,82", "It was  reopened on Friday.", True),
    ("pdi-47-letter", "#char=25,32", "harbor", False),
    ("pdi-47-case", "#char=4,15", "Court finds", False),
    ("pdi-47-left-out", "#char=4,53", "court finds the harbour was closed on Monday", False),
    ("pdi-47-cut-short", "#char=4,53", "court finds", False),
    ("pdi-46-whole", "", RULING.replace("\r\n", " "), True),
    ("pdi-46-part-of-the-whole", "", "court finds", False),
    ("pdi-44-beyond-the-end", "#char=4,999", "court finds", True),
]


@pytest.mark.parametrize("form", ["html", "xhtml", "md"])
@pytest.mark.parametrize(
    ("fragment", "words", "taken"), [c[1:] for c in QUOTED], ids=[c[0] for c in QUOTED]
)
def test_what_is_altered_is_refused(
    archive: Path, ruling: str, form: str, fragment: str, words: str, *, taken: bool
) -> None:
    written = brief(f"{ruling}{fragment}", words, form).encode()
    with Archive.open(archive) as service:
        if taken:
            assert service.add(written, name=f"brief.{form}").quotations
            return
        with pytest.raises(IntegrityError) as error:
            service.add(written, name=f"brief.{form}")
        assert error.value.actual == words
        assert error.value.expected == service.resolve(f"{ruling}{fragment}").text
        assert service.documents.about().documents == 1


ADDRESSES = [
    # clause id, what stands before the name, and the name's fragment in it
    ("pdi-47-resolver", "http://127.0.0.1:8420/{}?fragment=char=25,32"),
    ("pdi-47-resolver-escaped", "https://resolver.example/{}%23char=25,32"),
    ("pdi-47-resolver-in-a-folder", "https://a.example/our/names/{}?fragment=char=25,32"),
    ("pdi-57-bare", "pdi:{}#25,32"),
]


@pytest.mark.parametrize("form", ["html", "md"])
@pytest.mark.parametrize("address", [c[1] for c in ADDRESSES], ids=[c[0] for c in ADDRESSES])
def test_a_name_may_stand_in_an_address(
    archive: Path, ruling: str, form: str, address: str
) -> None:
    name = ruling.removeprefix("urn:pdi:") if address.startswith("pdi:") else ruling
    cite = address.format(name)
    with Archive.open(archive) as service:
        with pytest.raises(IntegrityError):
            service.add(brief(cite, "harbor", form).encode(), name=f"a.{form}")
        made = service.add(brief(cite, "harbour", form).encode(), name=f"a.{form}")
        assert [one.status for one in made.quotations] == ["exact"]


@pytest.mark.parametrize(
    "address",
    ["http://a.example/{}?x=1&fragment=char%3=1,2", " https://a.example/{}?fragment=%ff&y=%zz"],
)
def test_a_fault_in_an_address_is_placed_in_it(archive: Path, ruling: str, address: str) -> None:
    text = address.format(ruling)
    with Archive.open(archive) as service, pytest.raises(ParseError) as error:
        service.resolve(text)
    assert error.value.source == text
    assert error.value.offset == text.index("%")


@pytest.mark.parametrize("before", ["http://a.example/", "https://a.example/uri-res/N2R?"])
def test_any_address_of_a_name_is_resolved(archive: Path, ruling: str, before: str) -> None:
    with Archive.open(archive) as service:
        assert service.resolve(f"{before}{ruling}%23char=25,32").text == "harbour"


def test_quotations_within_quotations_are_each_compared(archive: Path, ruling: str) -> None:
    inner = f'<q cite="{ruling}#char=25,32">harbour</q>'
    outer = (
        f'<title>x</title><blockquote cite="{ruling}#char=21,53">the {inner} was closed on Monday'
    )
    with Archive.open(archive) as service:
        made = service.add(f"{outer}</blockquote>".encode(), name="x.html")
        assert [one.status for one in made.quotations] == ["exact", "exact"]
        wrong = outer.replace(">harbour<", ">harbor<").encode()
        with pytest.raises(IntegrityError, match="2 quotations differ") as error:
            service.add(wrong, name="x.html")
        assert "here:  harbor\n" in error.value.problem


def test_both_texts_are_told_and_nothing_is_committed(
    cli: Cli, archive: Path, ruling: str, tmp_path: Path
) -> None:
    file = tmp_path / "brief.html"
    file.write_text(brief(f"{ruling}#char=25,32", "harbor"))
    refused = cli("import", str(file))
    assert refused.status == 1
    assert "  here:  harbor\n  there: harbour\n" in refused.err
    assert f"{ruling}#char=25,32\n" in refused.err
    assert "--misquoted" in refused.err
    as_json = cli("import", "--json", str(file))
    assert as_json.status == 1
    assert json.loads(as_json.out) == []
    told = json.loads(as_json.err[as_json.err.index("{") :])
    assert (told["code"], told["actual"], told["expected"]) == ("integrity", "harbor", "harbour")
    with Archive.open(archive) as service:
        assert service.documents.about().documents == 1
    taken = cli("import", "--misquoted", str(file))
    assert (taken.status, "there: harbour" in taken.err) == (0, True)


def test_pages_of_others_are_archived_as_they_are(
    cli: Cli, ruling: str, site: Site, tmp_path: Path
) -> None:
    page = brief(f"{ruling}#char=25,32", "harbor")
    file = tmp_path / "brief.html"
    file.write_text(page)
    assert cli("import", "--uri", "http://example.org/", str(file)).status == 0
    message = tmp_path / "brief.mhtml"
    heading = "MIME-Version: 1.0\nContent-Type: text/html\nContent-Location: http://example.org/"
    message.write_text(f"{heading}\n\n{page}")
    assert cli("import", str(message)).status == 0
    saved = cli("save", site.put("/", "text/html", page), "--allow-private")
    assert (saved.status, "there: harbour" in saved.err) == (0, True)
    quoters = json.loads(cli("quoted-by", ruling, "--json").out)
    assert [one["status"] for one in quoters] == ["differs"] * 3


def test_names_are_found_in_wide_characters_too(archive: Path, ruling: str) -> None:
    page = f"\ufeff{brief(f'{ruling}#char=25,32', 'harbor')}"
    with Archive.open(archive) as service, pytest.raises(IntegrityError):
        service.add(page.encode("utf-16-le"), name="x.html")


def test_the_fault_of_a_template_is_found_by_its_line(cli: Cli, tmp_path: Path) -> None:
    template = tmp_path / "a.md"
    template.write_text("# A\n\nSay {{q no name}}.\n")
    refused = cli("compose", str(template))
    assert (refused.status, "line 3: " in refused.err) == (2, True)


INLINE = [
    # clause id, a Markdown text with {} for the name, the words that are found
    (
        "pdi-47-curly",
        "They \u201charbour\u201d ([source](<http://127.0.0.1:8420/{}>)).",
        ["harbour"],
    ),
    ("pdi-47-straight", 'They "har\\-bour" (`{}`), "more" and "most".', ["har-bour"]),
    ("pdi-47-bare", 'The "harbour" ({}).', ["harbour"]),
    ("pdi-47-inner", "\u201cthe \u201charbour\u201d\u201d ({})", ["the \u201charbour\u201d"]),
    ("pdi-47-element", 'The <q cite="{}">har<b>bour</b></q>.', ["harbour"]),
    ("pdi-47-block", '<blockquote cite="{}">\nharbour\n</blockquote>', ["harbour"]),
    ("pdi-47-fenced", '```\n"harbour" ({0})\n<q cite="{0}">x</q>\n```\n', []),
    ("pdi-47-two-paragraphs", 'A " mark.\n\nAnother " ({}).', []),
    ("pdi-47-no-quotation", "The harbour ({}).", []),
    ("pdi-47-another-link", 'The "harbour" (http://example.org/).', []),
    ("pdi-47-both", '> harbour\n>\n> `{0}`\n\nand "harbour" ({0})', ["harbour", "harbour"]),
]


@pytest.mark.parametrize(("text", "words"), [c[1:] for c in INLINE], ids=[c[0] for c in INLINE])
def test_quotations_within_a_line_of_markdown(
    archive: Path, ruling: str, text: str, words: list[str]
) -> None:
    written = text.format(f"{ruling}#char=25,32").encode()
    with Archive.open(archive) as service:
        made = service.add(written, name="a.md", misquoted=True)
        assert [one.words for one in made.quotations] == words
        whole = written.decode().replace("\n", "\r\n")
        for one in made.quotations:
            assert one.citation is not None
            plain = whole[one.start : one.end].replace("\\", "").replace("<b>", "")
            assert plain.replace("</b>", "").strip() == one.words


@pytest.mark.parametrize("suffix", ["html", "md"])
def test_what_is_filled_in_is_found_again(
    cli: Cli, archive: Path, ruling: str, tmp_path: Path, suffix: str
) -> None:
    template, made = tmp_path / f"t.{suffix}", tmp_path / f"made.{suffix}"
    template.write_text(
        f"{{{{quote {ruling}#char=4,53}}}}\n\nand {{{{q {ruling}#char=25,32}}}},"
        f" {{{{q {ruling}#char=62,82}}}}, {{{{words {ruling}#char=4,9}}}}\n"
    )
    assert cli("compose", str(template), "-o", str(made)).status == 0
    with Archive.open(archive) as service:
        found = service.add(made.read_bytes(), name=made.name).quotations
        assert [one.status for one in found[:2]] == ["exact", "exact"]
        assert [one.status in {"exact", "space"} for one in found[2:]] == [True], "a line end"
        (quoter,) = service.quotations.quoters(f"{ruling}#char=26,27")[1:]
        assert quoter.words == "harbour"


def test_elements_that_nobody_closes_are_told_apart_from_quotations(
    archive: Path, ruling: str
) -> None:
    page = f"<title>x</title>{f'<q cite={ruling}>word ' * 2000}{'x' * 20_000}"
    with Archive.open(archive) as service:
        made = service.add(page.encode(), name="x.html", uri="http://example.org/")
        assert sum(len(one.words) for one in made.quotations) <= 20 * 40_000
