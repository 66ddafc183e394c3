"""Every example of the PDI draft, in its order: as it is printed, and as it is said to work.

The draft breaks its own rules in several of them. Such a name is refused by the strict reader; the
lenient one takes it where it can be meant (`pdi-12`, `pdi-41`), and not where it cannot (`pdi-05`).
"""

from __future__ import annotations

import io
import struct
import wave
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository

from permacite.archive.model.submitted import NewRepresentation
from permacite.errors import ConflictError, ParseError
from permacite.extract import extract
from permacite.pdi import (
    PDI,
    CitationPDI,
    FragmentPDI,
    check_mintable,
    decapsulate,
    default_scheme,
    denotes_same,
    encapsulate,
    lexically_equal,
    media_type_for,
    parse,
    token_for,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEXT = "pdi://oma.eop.gov.us/1997/09/01/1.text.1"
CITING = "pdi://oma.eop.gov.us/1997/11/03/4.text.1"
GIF = "pdi://images.satellite.nasa.gov.us/1997/09/30/1234.gif"
FILM = "pdi://video.cnn.co.us/1997/09/30/1234.mpeg.1"
SITE = "pdi://oma.eop.gov.us/1994/10/20/http%3a%2f%2fwww%2ewhitehouse%2egov%2f.html.1"

STRICT, LENIENT, NEVER = "strict", "lenient", "never"

NAMES = [
    # clause id and section, the name as it is printed, who reads it
    ("pdi-29-s2.5-address", SITE, STRICT),
    ("pdi-05-s2.6-html", "pdi://oma.eop.gov/1997/09/01.html.1", NEVER),
    ("pdi-05-s2.6-text", "pdi://oma.eop.gov/1997/09/01.text.1", NEVER),
    ("pdi-05-s2.6-corrected", "pdi://oma.eop.gov/1997/09/01.text.2", NEVER),
    ("pdi-35-s3.4.1-char", f"{TEXT}#char=37,51", STRICT),
    ("pdi-35-s3.4.1-default", f"{TEXT}#37,51", STRICT),
    ("pdi-12-s3.4.5-rect", f"{GIF}#(5,10),(25,30)", LENIENT),
    ("pdi-12-s3.4.5-first-frame", f"{GIF}#(5,10),(25,30),0", LENIENT),
    ("pdi-12-s3.4.5-third-frame", f"{GIF}#(5,10),(25,30),2", LENIENT),
    ("pdi-12-s3.4.4-clip", "pdi://audio.npr.org.us/1997/09/30/1234.au#sec=23,57", LENIENT),
    ("pdi-41-s3.4.5-comma", f"{FILM}#sec,23,51", LENIENT),
    ("pdi-41-s3.4.5-crop", f"{FILM}#crop=sec,23,51", STRICT),
    ("pdi-41-s3.4.5-area", f"{FILM}#crop=sec,23,51,(10,10),(20,20)", STRICT),
    (
        "pdi-12-s3.4.6-byte",
        "pdi://documentation.adobe.co.us/1997/09/30/1234.pdf#byte=23,57",
        LENIENT,
    ),
    ("pdi-45-s3.5.2-citation", f"{CITING}@103={TEXT}#37,51", STRICT),
    ("pdi-45-s3.5.2-cited", f"{TEXT}#37,51", STRICT),
    ("pdi-45-s3.5.2-citing", CITING, STRICT),
    ("pdi-46-s3.5.2-whole", f"{CITING}@103={TEXT}", STRICT),
    ("pdi-06-s4-deployed", "pdi://oma.eop.gov.us/1999/9/16/1.text.1", LENIENT),
]


@pytest.mark.parametrize(("text", "reader"), [c[1:] for c in NAMES], ids=[c[0] for c in NAMES])
def test_a_name_as_it_is_printed(text: str, reader: str) -> None:
    for strict in (True, False):
        if reader == STRICT or (reader == LENIENT and not strict):
            found = parse(text, strict=strict)
            assert str(found) == text
            assert bool(found.violations) == (reader == LENIENT)
            whole = parse(f"urn:{text}", strict=strict)
            assert whole.canonical() == f"urn:{found.canonical()}"
        else:
            with pytest.raises(ParseError):
                parse(text, strict=strict)


def test_pdi_05_the_printed_name_lacks_a_country_and_a_unique_id() -> None:
    """Clause pdi-05, §2.6: wrong twice; with the country it still lacks the day's unique id."""
    with pytest.raises(ParseError) as error:
        parse("pdi://oma.eop.gov/1997/09/01.html.1")
    assert error.value.offset == len("pdi://oma.eop.")
    with pytest.raises(ParseError) as error:
        parse("pdi://oma.eop.gov.us/1997/09/01.html.1")
    assert error.value.offset == len("pdi://oma.eop.gov.us/1997/09/01")


SAME = [
    # clause id and section, a name, what the draft calls the same
    ("pdi-35-s3.4.1", f"{TEXT}#char=37,51", f"{TEXT}#37,51"),
    ("pdi-39-s3.4.5", f"{GIF}#(5,10),(25,30)", f"{GIF}#(5,10),(25,30),0"),
    ("pdi-39-s3.4.5-scheme", f"{GIF}#(5,10),(25,30)", f"{GIF}#rect=(5,10),(25,30)"),
    ("pdi-41-s3.4.5", f"{FILM}#sec,23,51", f"{FILM}#crop=sec,23,51"),
    ("pdi-40-s3.4.4", f"{FILM}#23,51", f"{FILM}#sec=23,51"),
    ("pdi-57-s3.8", f"urn:{TEXT}", TEXT),
]


@pytest.mark.parametrize(("a", "b"), [c[1:] for c in SAME], ids=[c[0] for c in SAME])
def test_equivalents_mean_the_same_and_are_written_otherwise(a: str, b: str) -> None:
    assert denotes_same(a, b)
    assert not lexically_equal(a, b), "no default is filled in (pdi-58)"


def test_pdi_39_the_third_frame_is_another() -> None:
    """Clause pdi-39, §3.4.5."""
    assert not denotes_same(f"{GIF}#(5,10),(25,30),2", f"{GIF}#(5,10),(25,30)")


TOKENS = [
    # clause id and section, media type, token, default scheme
    ("pdi-62-s2.5-text", "text/plain", "text", "char"),
    ("pdi-62-s2.5-header", "message/header", "header", "char"),
    ("pdi-62-s3.4.2-html", "text/html", "html", "char"),
    ("pdi-62-s3.4.2-sgml", "text/sgml", "sgml", "char"),
    ("pdi-62-s3.4.2-xml", "text/xml", "xml", "char"),
    ("pdi-62-s3.4.5-gif", "image/gif", "gif", "rect"),
    ("pdi-62-s3.4.5-mpeg", "video/mpeg", "mpeg", "sec"),
    ("pdi-62-s3.4.6-pdf", "application/pdf", "pdf", None),
]


@pytest.mark.parametrize(
    ("media_type", "token", "scheme"), [c[1:] for c in TOKENS], ids=[c[0] for c in TOKENS]
)
def test_a_token_and_its_default_scheme(media_type: str, token: str, scheme: str | None) -> None:
    assert token_for(media_type) == token
    assert media_type_for(token) == media_type
    assert default_scheme(token) == scheme


def test_pdi_62_the_clip_is_of_no_registered_minor_type() -> None:
    """Clause pdi-62, §3.4.4: `au` is read as audio/basic, which is written `basic`."""
    assert media_type_for("au") == "audio/basic"
    assert token_for("audio/basic") == "basic"


def test_pdi_29_an_address_is_carried_within_a_name() -> None:
    """Clause pdi-29, §2.4.1 and §2.5: the front page of a site on the day on which it opened."""
    name = parse(SITE)
    assert isinstance(name, PDI)
    assert decapsulate(name.unique_id) == "http://www.whitehouse.gov/"
    assert (name.year, name.month, name.day) == ("1994", "10", "20")
    check_mintable(name)
    carried = encapsulate("http://www.whitehouse.gov/")
    assert lexically_equal(SITE.replace("http%3a%2f%2fwww%2ewhitehouse%2egov%2f", carried), SITE)


def test_pdi_45_what_cites_and_what_is_cited() -> None:
    """Clause pdi-45, §3.5.2."""
    found = parse(f"{CITING}@103={TEXT}#37,51")
    assert isinstance(found, CitationPDI)
    assert (str(found.pdi), found.origin, str(found.cited)) == (CITING, "103", f"{TEXT}#37,51")
    whole = parse(f"{CITING}@103={TEXT}")
    assert isinstance(whole, CitationPDI)
    assert isinstance(whole.cited, PDI)


# ---------------------------------------------------------------- what the fragments hold


def fragment(text: str) -> FragmentPDI:
    """Return a fragment as it is printed."""
    found = parse(text, strict=False)
    assert isinstance(found, FragmentPDI)
    return found


@pytest.mark.parametrize("specifier", ["char=37,51", "37,51"])
def test_pditext_c1_from_character_37_up_to_51(specifier: str) -> None:
    """Clause pditext-c1, §3.4.1: both ends from 0, the second one excluded."""
    data = bytes(range(32, 127))
    found = extract(data, "text/plain", fragment(f"{TEXT}#{specifier}"), charset="us-ascii")
    assert found.data == data[37:51]


@pytest.mark.parametrize(("tail", "frame"), [("", 0), (",0", 0), (",2", 2)])
def test_pdi_39_the_rectangle_has_the_corners_that_are_told(tail: str, frame: int) -> None:
    """Clause pdi-39, §3.4.5: (5,10) (24,10) (24,29) (5,29) belong to it, (25,30) does not."""
    image = pytest.importorskip("PIL.Image")
    frames = []
    for number in range(3):
        made = image.new("L", (40, 40), 255)
        for x, y in ((5, 10), (24, 10), (24, 29), (5, 29)):
            made.putpixel((x, y), 60 * number)
        for x, y in ((4, 10), (5, 9), (25, 29), (24, 30), (25, 30)):
            made.putpixel((x, y), 200)
        frames.append(made)
    file = io.BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], disposal=2)
    found = extract(file.getvalue(), "image/gif", fragment(f"{GIF}#(5,10),(25,30){tail}"))
    with image.open(io.BytesIO(found.data)) as cut:
        shown = cut.convert("L")
        assert shown.size == (20, 20)
        levels = {shown.getpixel((x, y)) for x in range(20) for y in range(20)}
        assert levels == {60 * frame, 255}
        assert {shown.getpixel(at) for at in ((0, 0), (19, 0), (19, 19), (0, 19))} == {60 * frame}


def test_pdi_40_the_clip_ends_before_second_57() -> None:
    """Clause pdi-40, §3.4.4: a sound in 8-bit mu-law, a level a second."""
    pytest.importorskip("av")
    samples = b"".join(bytes([second]) * 8000 for second in range(60))
    head = struct.pack(">4sIIIII", b".snd", 24, len(samples), 1, 8000, 1)
    clip = fragment("pdi://audio.npr.org.us/1997/09/30/1234.au#sec=23,57")
    found = extract(head + samples, "audio/basic", clip)
    with wave.open(io.BytesIO(found.data)) as cut:
        levels = [cut.readframes(8000) for _ in range(cut.getnframes() // 8000)]
        assert cut.getnframes() == (57 - 23) * 8000
    assert all(len(set(struct.unpack("<8000h", level))) == 1 for level in levels)
    assert len(set(levels)) == 57 - 23, "a level a second, each whole"


def test_pdi_42_bytes_are_those_of_an_http_range() -> None:
    """Clause pdi-42, §3.4.6: from byte 23 up to 57, which a Range field calls bytes=23-56."""
    data = bytes(range(100))
    part = fragment("pdi://documentation.adobe.co.us/1997/09/30/1234.pdf#byte=23,57")
    assert extract(data, "application/pdf", part).data == data[23 : 56 + 1]


# ---------------------------------------------------------------- §2.6, a document and its formats


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Repository]:
    """An archive of the series in the examples, on their day."""
    day = datetime(1997, 9, 1, 12, tzinfo=UTC)
    with Repository.create(tmp_path / "a", series="oma.eop.gov.us", clock=lambda: day) as made:
        yield made


@pytest.mark.engines(deep=True)
def test_pdi_23_a_document_is_issued_converted_and_corrected(archive: Repository) -> None:
    """Clauses pdi-23, pdi-24, §2.6: a further format is version 1, a correction 2."""
    issued = archive.committer.commit([NewRepresentation(b"<p>The budgte.", "text/html")])
    assert f"{issued.representations[0].pdi}" == "urn:pdi://oma.eop.gov.us/1997/09/01/1.html.1"
    plain = NewRepresentation(b"The budgte.", "text/plain")
    assert archive.committer.add_format(issued.pdi, plain).number == 1
    corrected = [
        NewRepresentation(b"<p>The budget.", "text/html"),
        NewRepresentation(b"The budget.", "text/plain"),
    ]
    with pytest.raises(ConflictError):
        archive.committer.add_format(issued.pdi, corrected[1])
    made = archive.committer.commit(corrected, replaces=issued.pdi)
    assert [str(one.pdi).rpartition("/")[2] for one in made.representations] == [
        "1.html.2",
        "1.text.2",
    ]
    first = parse(TEXT)
    assert isinstance(first, PDI)
    assert archive.contents.read(archive.lookup.representation(first)) == b"The budgte."
