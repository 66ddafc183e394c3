"""The words of recordings: captions that are archived, cited, resolved and proven."""

from __future__ import annotations

import json
import re
import urllib.request
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository
from tests.faces.recordings import VTT, recording

import permacite
from permacite.errors import ConflictError, LimitError, NotFoundError, ParseError, WithdrawnError
from permacite.service.access import Choice
from permacite.service.archive import public_view
from permacite.service.preservation import restore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.faces.conftest import Outcome, Running

pytestmark = pytest.mark.engines(deep=True)

SRT = "1\r\n00:00:01,000 --> 00:00:03,000\r\n<i>Qui \xe9tait l\xe0 ?</i>\r\n"


@pytest.fixture
def opened(archive: Path) -> Iterator[permacite.Archive]:
    with permacite.open(Repository.at(archive)) as made:
        yield made


def test_words_are_cited_resolved_verified_and_proven(opened: permacite.Archive) -> None:
    saved = opened.add(VTT.encode(), name="talk.vtt")
    formats = {item.format: item for item in saved.document.formats}
    assert list(formats) == ["vtt", "utf-8"]
    assert formats["utf-8"].derived_from == "vtt"
    assert formats["utf-8"].rendition == "permacite-captions/1"
    cited = opened.cite(saved.pdi, quote="pier? Nobody & no")
    assert cited.reference == f"{formats['utf-8'].pdi}#char=15,33"
    assert opened.resolve(cited.reference).text == "pier?\r\nNobody & no"
    assert opened.verify(cited.reference).ok
    assert opened.prove(cited.reference)


@pytest.mark.parametrize(
    ("content", "charset", "token"),
    [
        (SRT.encode(), None, "application+x-subrip"),
        (SRT.encode("utf-8-sig"), None, "application+x-subrip"),
        (SRT.encode("windows-1252"), "windows-1252", "application+x-subrip"),
        (SRT.encode("utf-16"), None, "application+x-subrip"),
    ],
    ids=["utf-8", "mark", "windows-1252", "utf-16"],
)
def test_srt_in_any_charset(
    opened: permacite.Archive, content: bytes, charset: str | None, token: str
) -> None:
    saved = opened.add(content, name="talk.srt", charset=charset)
    assert [item.format for item in saved.document.formats] == [token, "utf-8"]
    assert opened.resolve(saved.pdi).text == "Qui \xe9tait l\xe0 ?\r\n"
    assert saved.warnings == ()


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"not captions at all", "talk.vtt"),
        (b"", "talk.vtt"),
        (b"WEBVTTX\n", "talk.vtt"),
        (b"WEBVTT\n\n00:01.000 --> 00:02.000\nx", "talk.srt"),
        (SRT.encode("windows-1252"), "talk.srt"),
        (b"\x00\xff" * 50, "talk.srt"),
    ],
    ids=["text", "empty", "glued", "webvtt-as-srt", "unknown-charset", "octets"],
)
def test_what_is_called_captions_and_is_none(
    opened: permacite.Archive, content: bytes, name: str
) -> None:
    saved = opened.add(content, name=name)
    (only,) = saved.document.formats
    assert opened.resolve(only.pdi).content == content
    (warning,) = saved.warnings
    assert warning.startswith(f"{only.format}: nothing in it can be read as captions")


def test_webvtt_that_is_no_utf_8_is_refused_as_any_text_is(opened: permacite.Archive) -> None:
    with pytest.raises(ParseError, match="text that is no UTF-8"):
        opened.add(b"WEBVTT\n\n00:01.000 --> 00:02.000\n\xe9", name="talk.vtt")


def test_a_hundred_thousand_cues(opened: permacite.Archive) -> None:
    cues = "".join(f"{n}\n00:00:01,000 --> 00:00:02,000\nword{n}\n\n" for n in range(100_000))
    saved = opened.add(cues.encode(), name="long.srt")
    cited = opened.cite(saved.pdi, quote="word99999")
    assert opened.resolve(cited.reference).text == "word99999"


@pytest.fixture
def talk(tmp_path: Path, cli: Callable[..., Outcome]) -> tuple[str, str]:
    """Import a recording and its transcript; return their names."""
    (tmp_path / "talk.webm").write_bytes(recording())
    (tmp_path / "talk.vtt").write_text(VTT, "utf-8")
    outcome = cli("import", str(tmp_path / "talk.vtt"), str(tmp_path / "talk.webm"), "--json")
    assert outcome.status == 0, outcome.err
    words, heard = (item["pdi"] for item in json.loads(outcome.out))
    assert f"{words}: transcript of {heard}" in outcome.err
    return heard, words


def test_import_states_whose_transcript_it_is(
    talk: tuple[str, str], cli: Callable[..., Outcome]
) -> None:
    heard, words = talk
    captions = words.replace("utf-8", "vtt")
    stated = json.loads(cli("assertions", captions, "--json").out)
    told = {(item["predicate"], item["object"]) for item in stated}
    assert told == {("transcript-of", heard), ("language", "en")}
    shown = json.loads(cli("show", heard, "--json").out)
    assert shown["transcripts"] == [{"pdi": words, "title": "talk.vtt", "language": "en"}]
    assert shown["transcript_of"] == []
    shown = json.loads(cli("show", words, "--json").out)
    assert [item["pdi"] for item in shown["transcript_of"]] == [heard]
    assert re.search(rf"transcript +{re.escape(words)} \[en\]", cli("show", heard).out)
    assert re.search(rf"transcript of +{re.escape(heard)} talk.webm", cli("show", words).out)
    assert f"talk.vtt (transcript of {heard})" in cli("list").out


def test_from_words_to_seconds(talk: tuple[str, str], cli: Callable[..., Outcome]) -> None:
    heard, words = talk
    cited = json.loads(cli("cite", words, "--quote", "Nobody & nothing.", "--json").out)
    (place,) = cited["heard"]
    assert place == {
        "reference": f"{heard}#msec=3500,5000",
        "pdi": heard,
        "start_ms": 3500,
        "end_ms": 5000,
        "title": "talk.webm",
    }
    for form in ("markdown", "html", "bibtex", "csl_json", "ris", "wiki"):
        assert "talk.vtt (0:03.5-0:05 of talk.webm)" in cited["forms"][form]
    told = cli("cite", words, "--quote", "Nobody & nothing.").out
    assert f"\nheard     {place['reference']}\n" in told
    part = json.loads(cli("resolve", cited["reference"], "--json").out)
    assert part["heard"] == [place]
    assert part["said"] == []
    assert json.loads(cli("resolve", place["reference"], "--json").out)["media_type"].startswith(
        "video/"
    )
    whole = json.loads(cli("resolve", words, "--json").out)
    assert [item["reference"] for item in whole["heard"]] == [heard]


def test_from_seconds_to_words(talk: tuple[str, str], cli: Callable[..., Outcome]) -> None:
    heard, words = talk
    part = json.loads(cli("resolve", f"{heard}#sec=2,4", "--json").out)
    (said,) = part["said"]
    assert said["quote"] == "Ann: Who was on the pier?\nBob: Nobody & nothing."
    assert (said["pdi"], said["language"]) == (words, "en")
    assert said["references"] == [f"{words}#char=0,39"]
    for line in said["lines"]:
        assert json.loads(cli("resolve", line["reference"], "--json").out)["text"] == line["text"]
    assert json.loads(cli("resolve", f"{heard}#msec=3000,3500", "--json").out)["said"] == []
    assert (
        json.loads(cli("resolve", f"{heard}#msec=5000,5001", "--json").out)["said"][0]["quote"]
        == "Bob: Only the fog."
    )
    crop = f"{heard}#crop=sec,6,7,(0,0),(80,45)"
    assert "Thank you." in json.loads(cli("resolve", crop, "--json").out)["said"][0]["quote"]


def test_a_cited_interview_keeps_its_words(
    talk: tuple[str, str], cli: Callable[..., Outcome]
) -> None:
    cited = json.loads(cli("cite", f"{talk[0]}#sec=2,4", "--json").out)
    assert cited["said"][0]["quote"].startswith("Ann: Who was on the pier?")
    told = cli("cite", f"{talk[0]}#sec=2,4").out
    assert "\nsaid      Ann: Who was on the pier? Bob: Nobody & nothing.\n" in told
    assert "> Ann: Who was on the pier?\n> Bob: Nobody" in cited["forms"]["markdown"]
    for form in ("html", "bibtex", "csl_json", "ris", "wiki"):
        assert "Who was on the pier?" in cited["forms"][form]
    assert json.loads(cli("verify", cited["reference"], "--json").out)["bad"] == []


def test_http_tells_both_ways(
    talk: tuple[str, str], archive: Path, running: Running, opened: permacite.Archive
) -> None:
    heard, words = talk
    del archive

    def asked(reference: str) -> tuple[str, dict[str, list[dict[str, object]]]]:
        name, _, fragment = reference.partition("#")
        address = f"{running.base}/{name}?fragment={fragment}"
        request = urllib.request.Request(address, headers={"Accept": "application/json"})  # noqa: S310 - ours
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - ours
            return answer.headers["Link"], json.loads(answer.read())

    relation = 'rel="urn:permacite:predicate:transcript-of"'
    link, part = asked(f"{words}#char=0,20")
    assert part["heard"][0]["reference"] == f"{heard}#msec=1000,3000"
    assert f'<{heard}#msec=1000,3000>; {relation}; anchor="{words}#char=0,20"' in link
    link, part = asked(f"{heard}#sec=1,2")
    assert part["said"][0]["quote"] == "Ann: Who was on the pier?"
    assert f'<{heard}#sec=1,2>; {relation}; anchor="{words}#char=0,20"' in link
    assert opened.resolve(f"{words}#char=0,20").text == "Who was on the pier?"


def test_transcript_of_by_name_in_another_language(
    talk: tuple[str, str], tmp_path: Path, cli: Callable[..., Outcome]
) -> None:
    heard, _ = talk
    (tmp_path / "other.srt").write_text(SRT, "utf-8")
    command = ("import", str(tmp_path / "other.srt"), "--transcript-of", heard, "--language", "fr")
    assert cli(*command).status == 0
    said = json.loads(cli("resolve", f"{heard}#sec=1,2", "--json").out)["said"]
    assert [(item["language"], item["quote"]) for item in said] == [
        ("en", "Ann: Who was on the pier?"),
        ("fr", "Qui \xe9tait l\xe0 ?"),
    ]


def test_languages_in_the_names_of_files(tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    (tmp_path / "talk.webm").write_bytes(recording())
    for language in ("en", "pt-BR"):
        (tmp_path / f"talk.{language}.vtt").write_text(f"{VTT}\nNOTE {language}\n", "utf-8")
    (tmp_path / "walk.vtt").write_text(VTT, "utf-8")
    files = sorted(map(str, tmp_path.glob("*.*")))
    outcome = cli("import", *files)
    assert outcome.status == 0, outcome.err
    assert outcome.err.count("transcript of") == 2
    (heard,) = re.findall(r"urn:\S+webm[.]1", outcome.out)
    shown = json.loads(cli("show", heard, "--json").out)
    assert [item["language"] for item in shown["transcripts"]] == ["en", "pt-BR"]


@pytest.mark.parametrize(
    ("transcript", "recorded", "language", "error"),
    [
        ("vtt", "vtt", None, ConflictError),
        ("webm", "webm", None, ConflictError),
        ("vtt", "urn:pdi://lab.example.us/2000/01/01/1.mp4.1", None, ConflictError),
        ("urn:pdi://lab.example.us/2000/01/01/1.vtt.1", "webm", None, NotFoundError),
        ("vtt", "webm", "in English", ParseError),
    ],
    ids=["of-no-recording", "no-captions", "not-here", "captions-not-here", "no-language"],
)
def test_what_is_no_transcript(
    opened: permacite.Archive,
    transcript: str,
    recorded: str,
    language: str | None,
    error: type[Exception],
) -> None:
    known = {
        "vtt": opened.add(VTT.encode(), name="talk.vtt").pdi,
        "webm": opened.add(recording(), name="talk.webm").pdi,
    }
    with pytest.raises(error):
        opened.quotations.transcripts.state(
            known.get(transcript, transcript), known.get(recorded, recorded), language=language
        )
    assert opened.annotations.statements.about() == []


def test_a_statement_by_hand_is_understood(opened: permacite.Archive) -> None:
    words = opened.add(VTT.encode(), name="talk.vtt")
    heard = opened.add(recording(), name="talk.webm")
    opened.annotations.statements.state(words.document.pdi, "transcript-of", heard.document.pdi)
    opened.annotations.statements.state(words.document.pdi, "transcript-of", "no name at all")
    opened.annotations.statements.state(
        words.document.pdi, "transcript-of", "urn:pdi://far.example.us/2020/01/01/1.mp4.1"
    )
    opened.annotations.statements.state(
        "urn:pdi://far.example.us/2020/01/01/2.vtt.1", "transcript-of", heard.pdi
    )
    assert len(opened.resolve(f"{heard.pdi}#sec=1,2").said) == 1
    told = opened.resolve(f"{words.pdi}#char=0,5").heard
    assert [item.reference for item in told] == [
        f"{heard.pdi}#msec=1000,3000",
        "urn:pdi://far.example.us/2020/01/01/1.mp4.1#msec=1000,3000",
    ]


def test_words_that_are_withdrawn_are_not_said(opened: permacite.Archive) -> None:
    words = opened.add(VTT.encode(), name="talk.vtt")
    heard = opened.add(recording(), name="talk.webm")
    opened.quotations.transcripts.state(words.pdi, heard.pdi)
    opened.cite(f"{heard.pdi}#sec=1,2")
    opened.access.withdraw(words.document.pdi, reason="copyright")
    assert opened.resolve(f"{heard.pdi}#sec=1,2").said == ()
    (cited,) = opened.documents.show(heard.pdi).citations
    assert cited.said == ()
    with pytest.raises(WithdrawnError):
        opened.resolve(f"{words.pdi}#char=0,5")


def test_what_is_closed_is_said_to_nobody_else(opened: permacite.Archive) -> None:
    words = opened.add(VTT.encode(), name="talk.vtt")
    heard = opened.add(recording(), name="talk.webm")
    opened.quotations.transcripts.state(words.pdi, heard.pdi)
    opened.access.standing(words.document.pdi, Choice(access="closed"))
    public = public_view(opened)
    assert public.resolve(f"{heard.pdi}#sec=1,2").said == ()
    assert public.documents.show(heard.pdi).transcripts == ()
    assert all(not item.transcript_of for item in public.documents.list().documents)


def test_lying_times(opened: permacite.Archive) -> None:
    lying = (
        "WEBVTT\n\n00:03.000 --> 00:01.000\nbackwards\n\n"
        "999999999:00:00.000 --> 999999999:00:01.000\nlate\n\n00:00.000 --> 99:00:00.000\nlong\n"
    )
    words = opened.add(lying.encode(), name="lying.vtt")
    heard = opened.add(recording(), name="talk.webm")
    opened.quotations.transcripts.state(words.pdi, heard.pdi)
    assert opened.cite(words.pdi, quote="backwards").heard == ()
    (late,) = opened.cite(words.pdi, quote="late").heard
    assert late.start_ms == 999_999_999 * 3_600_000
    with pytest.raises((NotFoundError, LimitError)):
        opened.resolve(late.reference)
    assert opened.resolve(f"{heard.pdi}#sec=1,2").said[0].quote == "long"


def test_what_cannot_be_imported_hinders_no_statement(
    tmp_path: Path, cli: Callable[..., Outcome]
) -> None:
    (tmp_path / "talk.webm").write_bytes(recording())
    (tmp_path / "talk.vtt").write_text(VTT, "utf-8")
    files = [str(tmp_path / name) for name in ("none.txt", "talk.vtt", "talk.webm")]
    outcome = cli("import", *files)
    assert outcome.status == 1
    assert outcome.err.count("transcript of") == 1


def test_a_copy_of_an_archive_knows_whose_words_they_are(
    talk: tuple[str, str], tmp_path: Path, opened: permacite.Archive
) -> None:
    heard, words = talk
    opened.copies.export("ocfl", tmp_path / "ocfl")
    opened.close()
    restore(tmp_path / "ocfl", tmp_path / "copy")
    with permacite.open(tmp_path / "copy") as copy:
        (said,) = copy.resolve(f"{heard}#sec=1,2").said
        assert (said.quote, said.language) == ("Ann: Who was on the pier?", "en")
        (place,) = copy.resolve(f"{words}#char=0,20").heard
        assert place.reference == f"{heard}#msec=1000,3000"


def test_captions_of_an_archive_of_before_stay_without_words(
    opened: permacite.Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("permacite.captions.MEDIA_TYPES", frozenset())
    before = opened.add(VTT.encode(), name="talk.vtt")
    monkeypatch.undo()
    heard = opened.add(recording(), name="talk.webm")
    opened.annotations.statements.state(before.pdi, "transcript-of", heard.pdi)
    assert [item.format for item in before.document.formats] == ["vtt"]
    assert opened.resolve(f"{heard.pdi}#sec=1,2").said == ()
    assert opened.cite(before.pdi, quote="Thank you.").heard == ()
    assert opened.documents.reader.read(f"{heard.pdi}#sec=1,2").speaking is None
