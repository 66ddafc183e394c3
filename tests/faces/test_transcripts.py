"""The words of recordings: captions that are archived, cited, resolved and proven."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import permacite
from permacite.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VTT = """WEBVTT
Language: en

00:01.000 --> 00:03.000
<v Ann>Who was <b>there</b>?

00:03.500 --> 00:06.000
<v Bob>Nobody &amp; no one.
"""
SRT = "1\r\n00:00:01,000 --> 00:00:03,000\r\n<i>Qui \xe9tait l\xe0 ?</i>\r\n"


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[permacite.Archive]:
    with permacite.create(tmp_path / "archive", series="lab.example.us") as made:
        yield made


def test_words_are_cited_resolved_verified_and_proven(archive: permacite.Archive) -> None:
    saved = archive.add(VTT.encode(), name="talk.vtt")
    formats = {item.format: item for item in saved.document.formats}
    assert list(formats) == ["vtt", "utf-8"]
    assert formats["utf-8"].derived_from == "vtt"
    assert formats["utf-8"].rendition == "permacite-captions/1"
    cited = archive.cite(saved.pdi, quote="there? Nobody & no")
    assert cited.reference == f"{formats['utf-8'].pdi}#char=8,27"
    assert archive.resolve(cited.reference).text == "there?\r\nNobody & no"
    assert archive.verify(cited.reference).ok
    assert archive.prove(cited.reference)


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
    archive: permacite.Archive, content: bytes, charset: str | None, token: str
) -> None:
    saved = archive.add(content, name="talk.srt", charset=charset)
    assert [item.format for item in saved.document.formats] == [token, "utf-8"]
    assert archive.resolve(saved.pdi).text == "Qui \xe9tait l\xe0 ?\r\n"
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
    archive: permacite.Archive, content: bytes, name: str
) -> None:
    saved = archive.add(content, name=name)
    (only,) = saved.document.formats
    assert archive.resolve(only.pdi).content == content
    (warning,) = saved.warnings
    assert warning.startswith(f"{only.format}: nothing in it can be read as captions")


def test_webvtt_that_is_no_utf_8_is_refused_as_any_text_is(archive: permacite.Archive) -> None:
    with pytest.raises(ParseError, match="text that is no UTF-8"):
        archive.add(b"WEBVTT\n\n00:01.000 --> 00:02.000\n\xe9", name="talk.vtt")


def test_a_hundred_thousand_cues(archive: permacite.Archive) -> None:
    cues = "".join(f"{n}\n00:00:01,000 --> 00:00:02,000\nword{n}\n\n" for n in range(100_000))
    saved = archive.add(cues.encode(), name="long.srt")
    cited = archive.cite(saved.pdi, quote="word99999")
    assert archive.resolve(cited.reference).text == "word99999"
