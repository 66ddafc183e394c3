"""Documents in workers: the same words as in process, limits kept, confinement kept."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.media.watching import calls_behind_doors

from permacite.decoding.workers import DecodingPool
from permacite.errors import LimitError, ParseError
from permacite.renditions import Original, media_type_of, rendition_named, renditions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GOLDEN = Path(__file__).parents[1] / "golden" / "office"
RULES = {
    kind: str(each) for each in renditions() if not each.on_request for kind in each.media_types
}


def packed(entries: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return target.getvalue()


def documents() -> dict[str, Callable[[], bytes]]:
    """What makes whole documents, one in a charset of old, and hostile ones, by file names."""
    files = {
        each.name: each.read_bytes
        for each in GOLDEN.iterdir()
        if each.suffix in {".docx", ".odt", ".epub", ".ipynb"}
    }
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    run = "<w:p><w:r><w:t>\u044f</w:t></w:r></w:p>"
    old = f"<?xml version='1.0' encoding='koi8-r'?><w:body xmlns:w='{space}'>{run}</w:body>"
    return files | {
        "old.docx": lambda: packed({"word/document.xml": old.encode("koi8-r")}),
        "unpacks.docx": lambda: packed({"word/document.xml": b"<a>" + bytes(300 << 20)}),
        "deep.docx": lambda: packed({"word/document.xml": b"<a>" * 1_000_000}),
        "outside.docx": lambda: packed(
            {
                "word/document.xml": b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>"
            }
        ),
        "deep.ipynb": lambda: b"[" * 1_000_000,
        "none.epub": lambda: b"PK\x03\x04" + bytes(5000),
    }


@pytest.fixture(scope="module")
def workers() -> Iterator[DecodingPool]:
    """Return workers for this whole file."""
    made = DecodingPool("documents", most=1)
    with closing(made):
        yield made


@pytest.mark.parametrize(("name", "make"), documents().items(), ids=documents())
def test_a_worker_finds_the_words_that_a_library_would(
    workers: DecodingPool, name: str, make: Callable[[], bytes]
) -> None:
    media_type = media_type_of(name) or ""
    original, rendition = Original(make(), media_type), rendition_named(RULES[media_type])
    try:
        expected = rendition(original)
    except (ParseError, LimitError) as error:
        with pytest.raises(type(error)):
            workers.render(original, rendition)
    else:
        assert workers.render(original, rendition) == expected


AT_WORK = """
import json, sys
from pathlib import Path
from permacite.decoding.workers import DecodingPool
from permacite.errors import PermaciteError
from permacite.renditions import Original, media_type_of, rendition_for
workers = DecodingPool("documents", most=1)
for path in json.load(sys.stdin):
    kind = media_type_of(path)
    try:
        workers.render(Original(Path(path).read_bytes(), kind), rendition_for(kind))
    except PermaciteError as error:
        print(path, error.code)
    else:
        print(path, "words")
workers.close()
"""


@pytest.mark.slow
def test_workers_open_nothing_whatever_they_read(tmp_path: Path, tracer: str) -> None:
    """As the system sees it: no file, no socket, no program, not even tried."""
    paths = []
    for name, make in documents().items():
        (tmp_path / name).write_bytes(make())
        paths.append(str(tmp_path / name))
    trace = tmp_path / "trace"
    command = [tracer, "-f", "-o", str(trace), sys.executable, "-c", AT_WORK]
    done = subprocess.run(
        command, input=json.dumps(paths), capture_output=True, text=True, check=True
    )
    said = dict(line.rsplit(maxsplit=1) for line in done.stdout.splitlines())
    assert set(said) == set(paths)
    assert {Path(path).name for path in paths if said[path] != "words"} == {
        "unpacks.docx", "deep.docx", "outside.docx", "deep.ipynb", "none.epub"
    }  # fmt: skip
    calls = calls_behind_doors(trace.read_text("utf-8", "replace"))
    assert sum(call.startswith("mmap(NULL") for call in calls) >= len(paths)  # they did read
    opened = re.compile(r"open|creat|socket|connect|bind|listen|exec|fork|vfork|memfd|ptrace|kill")
    assert [call for call in calls if opened.match(call)] == []
