"""Parts of every kind are cited by one option, keyword or member each, alike in every face."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode

import pytest
from tests.archives import Archive
from tests.engines import Repository
from tests.faces.test_http import ask
from tests.faces.test_regions import picture, sound
from tests.spec.test_extract_s3_4_media import animation, film

from permacite import errors
from permacite.pdi import LINE, SCHEMES
from permacite.service.citations.parts import WAYS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Running

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

PAGE = """<!DOCTYPE html><html><head><title>Tides</title></head>
<body><p id="first day">It rained.</p><p name=second>It blew.</p></body></html>"""


@pytest.fixture
def names(archive: Path) -> dict[str, str]:
    """Return the full names of a page, a picture, an animation, a sound and a film."""
    files = {
        "page": ("tides.html", PAGE.encode()),
        "picture": ("harbour.jpg", picture()),
        "moving": ("waves.gif", animation()),
        "sound": ("horn.wav", sound()),
        "film": ("pier.mkv", film()),
        "table": ("rain.csv", b'day,"rain, mm"\r\nMonday,3\r\nTuesday,"4\r\n5"\r\n'),
        "data": ("rain.json", b'{"days": [{"mm": 3}], "a b/c": [1 ]}'),
    }
    with Archive.open(archive) as service:
        saved = {kind: service.add(data, name=name).pdi for kind, (name, data) in files.items()}
    return saved | {"data": saved["data"].replace(".utf-8.", ".json.")}  # its own format


CITED: list[tuple[str, dict[str, str | int], str, str]] = [
    # document, what is given, the fragment, the part in words
    ("page", {"elt": "4,5"}, "elt=4,5", "elements 4-5"),
    ("page", {"name": "second"}, "name=second,second", "element second"),
    ("page", {"name": "first day"}, "name=first%20day,first%20day", "element first day"),
    ("page", {"name": "first%20day,second"}, "name=first%20day,second", "elements first day to"),
    ("page", {"byte": "0,15"}, "byte=0,15", "bytes 0-14"),
    ("page", {"byte": "7,8"}, "byte=7,8", "byte 7"),
    ("picture", {"rect": "120,80,300,180"}, "rect=(120,80),(300,180)", "rectangle from 120,80 to"),
    ("picture", {"rect": "(0,0),(5,5)"}, "rect=(0,0),(5,5)", "rectangle from 0,0 to 5,5"),
    ("picture", {"rect": "0, 0, 5, 5"}, "rect=(0,0),(5,5)", "rectangle"),
    ("moving", {"rect": "0,0,2,2", "frame": 1}, "rect=(0,0),(2,2),1", "frame 1, rectangle"),
    ("moving", {"rect": "0,0,2,2,1"}, "rect=(0,0),(2,2),1", "frame 1, rectangle"),
    ("sound", {"sec": "0,1"}, "sec=0,1", "0:00-0:01"),
    ("sound", {"sec": "0:00-0:01"}, "sec=0,1", "0:00-0:01"),
    ("sound", {"sec": "0:00:00.000 \u2013 0:01"}, "sec=0,1", "0:00-0:01"),
    ("sound", {"sec": "0.25,1"}, "msec=250,1000", "0:00.25-0:01"),
    ("sound", {"sec": "0:00.5,0:01.125"}, "msec=500,1125", "0:00.5-0:01.125"),
    ("sound", {"msec": "500,1250"}, "msec=500,1250", "0:00.5-0:01.25"),
    ("sound", {"msec": "0:01-0:02"}, "msec=1000,2000", "0:01-0:02"),
    ("film", {"sec": "0,1"}, "sec=0,1", "0:00-0:01"),
    ("film", {"crop": "sec,0,1"}, "crop=sec,0,1", "0:00-0:01"),
    ("film", {"crop": "sec,0:00.5-0:01,0,0,4,4"}, "crop=msec,500,1000,(0,0),(4,4)", "0:00.5-"),
    ("film", {"crop": "MSEC,500,1000,(0,0),(4,4)"}, "crop=msec,500,1000,(0,0),(4,4)", "0:00.5"),
    ("table", {"row": "2"}, "row=2", "row 2"),
    ("table", {"row": "2 \u2013 *"}, "row=2-*", "row 2 to the last"),
    ("table", {"col": "2"}, "col=2", "column 2"),
    ("table", {"cell": "2,1"}, "cell=2,1", "row 2, column 1"),
    ("table", {"cell": "2,1 - 3,2"}, "cell=2,1-3,2", "rows 2-3, columns 1-2"),
    ("data", {"pointer": "/days/0/mm"}, "pointer=%2fdays%2f0%2fmm", "value at /days/0/mm"),
    ("data", {"pointer": "/a b~1c"}, "pointer=%2fa%20b%7e1c", "value at /a b~1c"),
    ("film", {"rect": "0,0,4,4", "frame": 3}, "rect=(0,0),(4,4),3", "frame 3, rectangle"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "given", "fragment", "told"), CITED)
def test_a_part_is_cited_as_it_is_said(
    names: dict[str, str], archive: Path, kind: str, given: dict[str, str | int], fragment: str,
    told: str,
) -> None:  # fmt: skip
    frame = cast("int | None", given.get("frame"))
    part = cast("Any", {way: typed for way, typed in given.items() if way != "frame"})
    with Archive.open(archive) as service:
        cited = service.cite(names[kind], frame=frame, **part)
        assert cited.reference == f"{names[kind]}#{fragment}"
        assert cited.part.startswith(told)
        again = service.cite(cited.reference)
        assert again.reference == cited.reference
        assert service.resolve(cited.reference).content
        assert service.verify(cited.reference).ok


REFUSED = [
    # document, what is given, what is wrong, the place in the text that the error shows
    ("picture", {"rect": "30,80,20,90"}, errors.ParseError, "runs backwards: 30", 5),
    ("picture", {"rect": "30,80,40"}, errors.ParseError, "expected the corners", 5),
    ("picture", {"rect": "30,80,40,90,0,0"}, errors.ParseError, "expected the corners", 5),
    ("picture", {"rect": "(30,80),(40,x)"}, errors.ParseError, "expected the y coordinate", 17),
    ("picture", {"rect": "5,5,5,9"}, errors.ParseError, "not empty", 5),
    ("picture", {"rect": "0,0,700,10"}, errors.NotFoundError, "reaches beyond the end", None),
    ("picture", {"rect": "700,0,710,10"}, errors.NotFoundError, "600 pixels across", None),
    ("picture", {"rect": "0,0,5,5", "frame": 9}, errors.NotFoundError, "1 frames", None),
    ("picture", {"frame": 9}, errors.ParseError, "expected a rectangle", 0),
    ("picture", {"sec": "0,1"}, errors.ParseError, "image/jpeg has no fragment scheme sec", 0),
    ("picture", {"sec": "0,1", "byte": "0,1"}, errors.ParseError, "found sec and byte", 0),
    ("picture", {"char": "0,1"}, errors.NotFoundError, "has no text", None),
    ("sound", {"rect": "0,0,5,5"}, errors.ParseError, "has no fragment scheme rect", 0),
    ("sound", {"sec": "1,0"}, errors.ParseError, "runs backwards", 4),
    ("sound", {"sec": "0:61-0:62"}, errors.ParseError, "expected two times", 4),
    ("sound", {"sec": "-1,2"}, errors.ParseError, "expected two times", 4),
    ("sound", {"sec": "0.0001,2"}, errors.ParseError, "expected two times", 4),
    ("sound", {"msec": "0.5,2"}, errors.ParseError, "expected two times", 5),
    ("sound", {"sec": "1,1"}, errors.ParseError, "not empty", 4),
    ("sound", {"sec": "60,61"}, errors.NotFoundError, "the sound lasts 2", None),
    ("sound", {"sec": "1,61"}, errors.NotFoundError, "reaches beyond the end", None),
    ("film", {"crop": "0,1"}, errors.ParseError, "expected a unit", 5),
    ("film", {"crop": "sec,0,1,5,5"}, errors.ParseError, "expected a unit", 5),
    ("film", {"sec": "0,60"}, errors.NotFoundError, "reaches beyond the end", None),
    ("page", {"elt": "5"}, errors.ParseError, "expected two numbers", 4),
    ("page", {"elt": "5,4"}, errors.ParseError, "runs backwards", 4),
    ("page", {"elt": "5,99"}, errors.NotFoundError, "reaches beyond the end", None),
    ("page", {"name": "third"}, errors.NotFoundError, "no element has this name", None),
    ("page", {"name": "first,"}, errors.ParseError, "expected the name", 5),
    ("page", {"byte": "4,4"}, errors.ParseError, "found an empty one", 0),
    ("page", {"byte": "4,99999"}, errors.NotFoundError, "reaches beyond the end", None),
    ("page", {"line": "x"}, errors.ParseError, "expected two numbers", 5),
    ("page", {"line": "0,0"}, errors.ParseError, "found an empty one", 0),
    ("page", {"line": "0,99"}, errors.NotFoundError, "the text ends at line", None),
]


@pytest.mark.parametrize(("kind", "given", "error", "problem", "offset"), REFUSED)
def test_what_is_no_part_is_refused(
    names: dict[str, str], archive: Path, kind: str, given: dict[str, str | int],
    error: type[errors.PermaciteError], problem: str, offset: int | None,
) -> None:  # fmt: skip
    frame = cast("int | None", given.get("frame"))
    part = cast("Any", {way: typed for way, typed in given.items() if way != "frame"})
    with Archive.open(archive) as service, pytest.raises(error) as raised:
        service.cite(names[kind], frame=frame, **part)
    assert problem in raised.value.problem
    assert getattr(raised.value, "offset", None) == offset


def test_a_text_says_which_format_has_elements(names: dict[str, str], archive: Path) -> None:
    text = names["page"].replace(".html.", ".utf-8.")
    with Archive.open(archive) as service, pytest.raises(errors.ParseError) as raised:
        service.cite(text, elt="4,5")
    assert raised.value.hint.endswith(f"{names['page']} has elt")


def test_a_word_that_is_no_scheme_is_a_fault_of_the_program(
    names: dict[str, str], archive: Path
) -> None:
    with Archive.open(archive) as service, pytest.raises(TypeError, match="'folio'"):
        service.cite(names["page"], folio="3")


def test_others_may_show_what_is_cut_out_of_a_picture_of_a_public_archive(
    names: dict[str, str], running: Running, archive: Path
) -> None:
    rectangle = f"/{names['picture']}?fragment=rect=(0,0),(5,5)"

    def policy(path: str) -> str:
        answer = ask(running.base, path, Accept="image/avif,image/webp,*/*;q=0.8")
        assert answer.status == 200
        return answer.headers["cross-origin-resource-policy"]

    assert policy(rectangle) == "same-origin"
    with Repository.open(archive) as repository:
        repository.settings.set("resolver", "https://archive.example.org")
    assert policy(rectangle) == "cross-origin"
    for other in (f"/{names['picture']}", f"/{names['page']}", f"/{names['sound']}"):
        assert policy(other) == "same-origin"
    for fragment in ("rect=(0,0),(2,2)", "byte=0,4"):
        shown = policy(f"/{names['moving']}?fragment={fragment}")
        assert shown == ("cross-origin" if "rect" in fragment else "same-origin")


def test_every_scheme_is_a_way_to_say_a_part() -> None:
    known = {scheme.name for scheme in SCHEMES.extended(LINE).known}
    assert WAYS.keys() == known - {"page"}  # which is said by the number that is printed


def test_the_command_line_cites_parts(names: dict[str, str], cli: Cli) -> None:
    for kind, given, fragment, _ in CITED:
        words = [word for way, typed in given.items() for word in (f"--{way}", str(typed))]
        outcome = cli("cite", names[kind], *words)
        assert (outcome.status, outcome.out.split()[0]) == (0, f"{names[kind]}#{fragment}")


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--rect", "0,0,5,5", "--byte", "0,5"], 2, "give one of --rect and --byte"),
        (["--quote", "words", "--rect", "0,0,5,5"], 2, "give one of --quote and --rect"),
        (["--frame", "1"], 2, "--frame needs --rect"),
        (["--rect", "9,0,5,5"], 2, "rect=9,0,5,5"),
        (["--rect", "900,0,905,5"], 1, "600 pixels across"),
    ],
)
def test_the_command_line_refuses(
    names: dict[str, str], cli: Cli, words: list[str], status: int, said: str
) -> None:
    outcome = cli("cite", names["picture"], *words)
    assert outcome.status == status
    assert said in outcome.err


def test_the_reader_s_interface_cites_parts(names: dict[str, str], running: Running) -> None:
    wanted = {"reference": names["moving"], "rect": "0,0,2,2", "frame": 1, "note": "a wave"}
    body = json.dumps(wanted).encode()
    answer = ask(running.base, "/-/api/cite", "POST", body, Content_Type="application/json")
    assert answer.status == 201
    assert answer.json["reference"] == f"{names['moving']}#rect=(0,0),(2,2),1"
    assert answer.json["part"] == "frame 1, rectangle from 0,0 to 2,2"
    for faulty, status in [
        ('"rect": "0,0,2,2", "frame": -1', 400),
        ('"rect": "0,0,2,2", "frame": true', 400),
        ('"rect": 5', 400),
        ('"sec": "0,1"', 400),
        ('"rect": "0,0,2,2", "byte": "0,1"', 400),
        ('"rect": "0,0,2,2000"', 404),
    ]:
        body = f'{{"reference": "{names["moving"]}", {faulty}}}'.encode()
        refused = ask(running.base, "/-/api/cite", "POST", body, Content_Type="application/json")
        assert refused.status == status
    form = urlencode({"reference": names["sound"], "sec": "0:00-0:01", "quote": "", "frame": ""})
    kind = "application/x-www-form-urlencoded"
    plain = ask(running.base, "/-/cite", "POST", form.encode(), Content_Type=kind)
    assert plain.status == 303
    assert plain.headers["location"] == f"/{names['sound']}?fragment=sec=0,1"
