"""RFC 5147 §2.3: integrity checks for another charset, after the entity was transcoded to it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from permacite.errors import IntegrityError
from permacite.fragments import Text

if TYPE_CHECKING:
    from pathlib import Path

WORDS = "naïve café\r\nsecond\nthird\r"
LATIN = WORDS.encode("iso-8859-1")


def md5(octets: bytes) -> str:
    return hashlib.md5(octets, usedforsecurity=False).hexdigest()


TRANSCODED = [
    # clause id, charset of the check, what its maker had
    ("rfc5147-a26-utf-8", "utf-8", WORDS.encode()),
    ("rfc5147-a26-utf-8-marked", "UTF-8", b"\xef\xbb\xbf" + WORDS.encode()),
    ("rfc5147-a26-utf-16-little", "utf-16", b"\xff\xfe" + WORDS.encode("utf-16-le")),
    ("rfc5147-a26-utf-16-big", "utf-16", b"\xfe\xff" + WORDS.encode("utf-16-be")),
    ("rfc5147-a26-utf-16-unmarked", "utf-16", WORDS.encode("utf-16-be")),
    ("rfc5147-a26-utf-16le", "utf-16le", WORDS.encode("utf-16-le")),
    ("rfc5147-a26-utf-32", "utf-32", b"\x00\x00\xfe\xff" + WORDS.encode("utf-32-be")),
    ("rfc5147-a26-ebcdic", "ibm037", WORDS.encode("cp037")),
    ("rfc5147-a26-gb18030", "gb18030", WORDS.encode("gb18030")),
]


@pytest.mark.parametrize(
    ("charset", "octets"), [row[1:] for row in TRANSCODED], ids=[row[0] for row in TRANSCODED]
)
def test_checks_made_in_another_charset_hold(charset: str, octets: bytes) -> None:
    text = Text(LATIN, "iso-8859-1")
    fragment = f"char=0,5;length=24,{charset};md5={md5(octets)},{charset}"
    location = text.locate(fragment, transcode=True)
    assert location.status == "ok"
    assert [(one.result, one.transcoded) for one in location.checks] == [("ok", True)] * 2
    assert [one.actual for one in location.checks] == ["24", md5(octets)]
    assert text.excerpt(fragment, transcode=True) == "naïve"
    skipped = [(one.result, one.transcoded) for one in text.locate(fragment).checks]
    assert skipped == [("other-charset", False)] * 2


REFUSED = [
    # clause id, checks, results
    ("rfc5147-a26-length", "length=25,utf-8", ["failed"]),
    ("rfc5147-a26-md5", f"md5={md5(LATIN)},utf-8", ["failed"]),
    ("rfc5147-a26-one-of-two", f"length=24,utf-8;md5={md5(b'')},utf-16le", ["ok", "failed"]),
]


@pytest.mark.parametrize(
    ("checks", "results"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_checks_that_fail_in_another_charset(checks: str, results: list[str]) -> None:
    text = Text(LATIN, "iso-8859-1")
    location = text.locate(f"char=0,5;{checks}", transcode=True)
    assert (location.status, location.reason, location.spans) == ("ignored", "integrity", ())
    assert [one.result for one in location.checks] == results
    assert all(one.transcoded for one in location.checks)
    with pytest.raises(IntegrityError):
        text.excerpt(f"char=0,5;{checks}", transcode=True)
    assert text.locate(f"char=0,5;{checks}", transcode=True, force=True).status == "ok"


IMPOSSIBLE = [
    # clause id, bytes, charset of the entity, charset of the check
    ("rfc5147-a26-lacks-a-character", LATIN, "iso-8859-1", "us-ascii"),
    ("rfc5147-a26-no-characters", b"caf\xe9", "utf-8", "iso-8859-1"),
    ("rfc5147-a26-unheard-of", LATIN, "iso-8859-1", "x-none"),
    ("rfc5147-a26-many-ways", LATIN, "iso-8859-1", "utf-7"),
]


@pytest.mark.parametrize(
    ("octets", "mine", "other"), [row[1:] for row in IMPOSSIBLE], ids=[row[0] for row in IMPOSSIBLE]
)
def test_what_cannot_be_transcoded_is_not_checked(octets: bytes, mine: str, other: str) -> None:
    fragment = f"char=0,1;length=99,{other};md5={md5(b'')},{other}"
    location = Text(octets, mine).locate(fragment, transcode=True)
    assert location.status == "ok"
    found = [(one.result, one.actual, one.transcoded) for one in location.checks]
    assert found == [("other-charset", None, False)] * 2


def test_rfc5147_a26_a_mark_is_not_transcoded_as_a_character() -> None:
    text = Text(b"\xff\xfe" + WORDS.encode("utf-16-le"), "utf-16")
    for octets in (WORDS.encode(), b"\xef\xbb\xbf" + WORDS.encode()):
        location = text.locate(f"char=0;md5={md5(octets)},utf-8", transcode=True)
        assert location.checks[0].result == "ok"


def test_rfc5147_a26_nothing_is_transcoded_that_need_not_be() -> None:
    text = Text(LATIN, "iso-8859-1")
    fragment = f"char=0;md5={md5(LATIN)},latin1;md5={md5(LATIN)};x=y"
    found = [(one.result, one.transcoded) for one in text.locate(fragment, transcode=True).checks]
    assert found == [("ok", False), ("ok", False), ("unknown", False)]
    (check,) = text.locate("char=0;length=1,utf-8", transcode=True, check=False).checks
    assert (check.result, check.transcoded) == ("not-run", False)


def test_rfc5147_a26_long_texts_are_transcoded_block_by_block(tmp_path: Path) -> None:
    words = "naïve 中文 😀\r\n日本語\x1b ~{}\n" * 20_000
    path = tmp_path / "long"
    path.write_text(words, encoding="utf-8", newline="")
    for codec in ("utf-16-be", "gb18030"):
        fragment = f"line=1;md5={md5(words.encode(codec))},{codec.replace('16-', '16')}"
        location = Text(path, "utf-8").locate(fragment, transcode=True)
        assert location.checks[0].result == "ok"
    japanese = "日本語 kana かな\r\n" * 20_000
    check = f"md5={md5(japanese.encode('iso-2022-jp'))},iso-2022-jp"
    (found,) = Text.of(japanese).locate(f"char=0;{check}", transcode=True).checks
    assert found.result == "ok"
