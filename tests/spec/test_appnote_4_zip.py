"""The zip of a proof (PKWARE APPNOTE 6.3.10 §4): what can be read in two ways is refused.

Each row changes one thing in a zip that is written octet by octet here; the same zip without the
change is read. Python's zipfile, which many programs unpack with, reads most of the rows.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.spec.zips import unzipped, zipped

from permacite.archive.log.bundles.checking import check_proof
from permacite.archive.log.plain_zip import members
from permacite.errors import LimitError, ParseError

GOLDEN = Path(__file__).parents[1] / "golden/proof"
MAX = 1 << 20
WORDS = b"the very words " * 9


@dataclass(frozen=True)
class File:
    """A file in a zip, and what may be told of it in the one place and not in the other."""

    name: bytes = b"content"
    content: bytes = WORDS
    method: int = 8
    flags: int = 0
    version: int = 20
    local_name: bytes | None = None
    local_extra: bytes = b""
    extra: bytes = b""
    comment: bytes = b""
    attributes: int = 0o644 << 16
    disk: int = 0
    crc: int | None = None
    local_crc: int | None = None
    size: int | None = None
    local_size: int | None = None
    packed_behind: bytes = b""
    behind: bytes = b""
    offset: int = 0
    time: int = 0
    local_time: int = 0

    @property
    def packed(self) -> bytes:
        """The octets as they stand in the zip."""
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = packer.compress(self.content) + packer.flush() if self.method else self.content
        return packed + self.packed_behind

    def described(self, *, local: bool) -> bytes:
        """Version, flags, method, time, date, checksum and sizes."""
        crc = zlib.crc32(self.content) if self.crc is None else self.crc
        size = len(self.content) if self.size is None else self.size
        sums = (crc, len(self.packed), size)
        time = self.local_time if local else self.time
        if local and self.flags & 8:
            sums = (0, 0, 0)
        if local and self.local_crc is not None:
            sums = (self.local_crc, *sums[1:])
        if local and self.local_size is not None:
            sums = (*sums[:2], self.local_size)
        return struct.pack("<5H3L", self.version, self.flags, self.method, time, 33, *sums)

    def written(self) -> bytes:
        """The file with what stands before and behind it."""
        name = self.name if self.local_name is None else self.local_name
        head = b"PK\3\4" + self.described(local=True)
        head += struct.pack("<2H", len(name), len(self.local_extra))
        return head + name + self.local_extra + self.packed + self.behind

    def listed(self, offset: int) -> bytes:
        """Its entry in the directory."""
        head = b"PK\1\2" + struct.pack("<H", 0x031E) + self.described(local=False)
        lengths = (len(self.name), len(self.extra), len(self.comment), self.disk, 0)
        head += struct.pack("<5H2L", *lengths, self.attributes, offset + self.offset)
        return head + self.name + self.extra + self.comment


def descriptor(content: bytes, packed: int) -> bytes:
    """Return what stands behind a file whose sizes were not known before it."""
    return struct.pack("<4s3L", b"PK\7\x08", zlib.crc32(content), packed, len(content))


SECOND = File(b"name.txt", b"urn:pdi://lab.example.us/2026/11/21/4.utf-8.1\n", method=0)


def written(*files: File, end: dict[int, int] | None = None, locator: bool = False) -> bytes:
    """Return a zip; `end` replaces fields of its last record."""
    body, directory = b"", b""
    for one in files:
        directory += one.listed(len(body))
        body += one.written()
    fields = [0, 0, len(files), len(files), len(directory), len(body), 0]
    for number, value in (end or {}).items():
        fields[number] = value
    beyond = struct.pack("<4sLQL", b"PK\6\7", 0, 0, 1) if locator else b""
    return body + directory + beyond + struct.pack("<4s4H2LH", b"PK\5\6", *fields)


PLAIN = File()
PIPED = replace(PLAIN, flags=8, behind=descriptor(WORDS, len(PLAIN.packed)))
NAME = b"name.txt"
UNICODE_PATH = struct.pack("<HHBL", 0x7075, 5 + len(NAME), 1, zlib.crc32(b"content")) + NAME

READ = [
    ("deflate", PLAIN),
    ("stored", replace(PLAIN, method=0)),
    ("empty", replace(PLAIN, content=b"")),
    ("descriptor", PIPED),
    ("utf-8-names", replace(PLAIN, flags=0x800)),
]


@pytest.mark.parametrize("file", [row[1] for row in READ], ids=[row[0] for row in READ])
def test_appnote_4_reads_plain_files(file: File) -> None:
    found = members(written(file, SECOND), max_bytes=MAX)
    assert found == {"content": file.content, "name.txt": SECOND.content}


REFUSED = [
    ("4.3.7-other-name", replace(PLAIN, local_name=b"contend"), "what stands before content"),
    ("4.3.7-name-cut", replace(PLAIN, local_name=b"content\0"), "what stands before content"),
    ("4.3.7-other-checksum", replace(PLAIN, local_crc=1), "what stands before content"),
    ("4.3.7-other-size", replace(PLAIN, local_size=3), "what stands before content"),
    ("4.3.7-other-time", replace(PLAIN, local_time=1), "what stands before content"),
    ("4.3.7-extra", replace(PLAIN, local_extra=UNICODE_PATH), "what stands before content"),
    ("4.3.8-octets-behind", replace(PLAIN, behind=b"hidden"), "something stands before name.txt"),
    ("4.3.8-octets-packed", replace(PLAIN, packed_behind=b"hidden"), "unpacks to other octets"),
    ("4.3.8-longer", replace(PLAIN, size=9, crc=zlib.crc32(WORDS[:9])), "unpacks to other octets"),
    ("4.3.8-shorter", replace(PLAIN, size=len(WORDS) + 1), "unpacks to other octets"),
    ("4.3.8-not-deflate", replace(PLAIN, method=0, flags=0, size=9), "does not say where it ends"),
    ("4.3.9-missing", replace(PIPED, behind=b""), "what stands behind content"),
    ("4.3.9-unsigned", replace(PIPED, behind=PIPED.behind[4:]), "what stands behind content"),
    (
        "4.3.9-other-size",
        replace(PIPED, behind=descriptor(WORDS, 1)),
        "what stands behind content",
    ),
    (
        "4.3.9-behind-stored",
        replace(PLAIN, method=0, flags=8, behind=descriptor(WORDS, len(WORDS))),
        "does not say where it ends",
    ),
    ("4.3.12-over-another", replace(PLAIN, offset=3), "something stands before content"),
    ("4.4.2-zip64-version", replace(PLAIN, version=45), "newer way than 2.0"),
    ("4.4.4-encrypted", replace(PLAIN, flags=1), "encrypted"),
    ("4.4.4-patched", replace(PLAIN, flags=0x20), "encrypted"),
    ("4.4.4-masked", replace(PLAIN, flags=0x2000), "encrypted"),
    ("4.4.5-bzip2", replace(PLAIN, method=12), "another way than deflate"),
    ("4.4.7-checksum", replace(PLAIN, crc=1), "unpacks to other octets"),
    ("4.4.12-comment", replace(PLAIN, comment=b"trust me"), "extra fields, or a comment"),
    ("4.4.13-another-disk", replace(PLAIN, disk=1), "no plain file"),
    ("4.4.15-symbolic-link", replace(PLAIN, attributes=0o120777 << 16), "no plain file"),
    ("4.4.15-folder", replace(PLAIN, attributes=0x10), "no plain file"),
    ("4.4.17-no-name", replace(PLAIN, name=b""), "not of printable ASCII"),
    ("4.4.17-zero-octet", replace(PLAIN, name=b"content\0"), "not of printable ASCII"),
    ("4.4.17-zero-and-more", replace(PLAIN, name=b"content\0.txt"), "not of printable ASCII"),
    ("4.4.17-right-to-left", replace(PLAIN, name="con\u202etent".encode()), "printable ASCII"),
    ("4.4.28-other-extra", replace(PLAIN, extra=b"UT\5\0\3abcd"), "extra fields, or a comment"),
    ("4.6.9-unicode-path", replace(PLAIN, extra=UNICODE_PATH), "extra fields, or a comment"),
    ("twice", replace(PLAIN, name=b"name.txt"), "name.txt stands in it twice"),
]


@pytest.mark.parametrize(
    ("file", "told"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_appnote_4_refuses_what_says_two_things(file: File, told: str) -> None:
    with pytest.raises(ParseError) as error:
        members(written(file, SECOND), max_bytes=MAX)
    assert error.value.problem.startswith("not a proof bundle: ")
    assert told in error.value.problem


SOUND = written(PLAIN, SECOND)
AROUND = [
    ("octets-behind", SOUND + b"\0"),
    ("octets-before", b"\0" + SOUND),
    ("a-zip-behind", SOUND + written(PLAIN)),
    ("a-zip-before", written(PLAIN) + SOUND),
    ("comment", SOUND[:-2] + b"\5\0hello"),
    ("4.3.15-zip64", written(PLAIN, SECOND, locator=True)),
    ("zip64-counted-in", written(PLAIN, SECOND, locator=True, end={4: 129})),
    ("another-disk", written(PLAIN, SECOND, end={0: 1})),
    ("fewer-listed", written(PLAIN, SECOND, end={2: 1, 3: 1})),
    ("more-listed", written(PLAIN, SECOND, end={2: 3, 3: 3})),
    ("counts-differ", written(PLAIN, SECOND, end={3: 3})),
    ("too-many", written(*(replace(PLAIN, name=b"%d" % number) for number in range(101)))),
    ("unlisted-file", PLAIN.written() + written(SECOND)),
    ("nothing", b""),
    ("cut-short", SOUND[:-1]),
    ("the-end-alone", SOUND[-22:]),
]


@pytest.mark.parametrize("data", [row[1] for row in AROUND], ids=[row[0] for row in AROUND])
def test_appnote_4_3_refuses_what_stands_around(data: bytes) -> None:
    with pytest.raises(ParseError, match="not a proof bundle: "):
        members(data, max_bytes=MAX)


def test_appnote_4_3_the_whole_is_limited_before_it_is_unpacked() -> None:
    with pytest.raises(LimitError) as error:
        members(written(replace(PLAIN, size=MAX)), max_bytes=1000)
    assert (error.value.limit, error.value.maximum) == ("bundle_bytes", 1000)


@settings(max_examples=max(60, settings().max_examples))
@given(data=st.data())
def test_appnote_4_one_octet_changed_is_refused_or_changes_nothing(data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(SOUND) - 1))
    changed = bytearray(SOUND)
    changed[position] = data.draw(st.integers(0, 255))
    try:
        found = members(bytes(changed), max_bytes=MAX)
    except (ParseError, LimitError):
        return
    assert found == {"content": WORDS, "name.txt": SECOND.content}
    with zipfile.ZipFile(io.BytesIO(changed)) as other:
        assert {one: other.read(one) for one in other.namelist()} == found


@pytest.mark.parametrize("what", ["passage", "cited", "absence"])
def test_bundles_of_the_first_versions_hold(what: str) -> None:
    key = (GOLDEN / "key-1.txt").read_text()
    data = (GOLDEN / f"{what}-1.zip").read_bytes()
    report = check_proof(data, key)
    assert (report.ok, report.trusted) == (True, True)
    assert check_proof(zipped(unzipped(data)), key) == report
