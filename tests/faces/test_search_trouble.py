"""Searching where something is wrong: the question, the disk; no commit is held back by it."""

from __future__ import annotations

import contextlib
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, cast
from urllib.parse import quote

import pytest
from tests.archives import Archive
from tests.engines import Repository
from tests.faces.conftest import served
from tests.faces.test_http import ask
from tests.needs import no_right
from tests.spec.test_archive_catalog import mounted

from permacite.archive.sqlite.connection import write_ahead
from permacite.errors import ParseError, StorageError
from permacite.service.search.indexing import follow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.faces.conftest import Outcome, Running

pytestmark = pytest.mark.engines(deep=True)

QUESTIONS = {
    # what is typed: how many documents are found, or None where nothing is asked for
    "": None,
    " \t\n": None,
    "* AND OR NOT": 0,
    "( ) : ^ { } + - *": None,
    "NEAR(lantern quay, 3)": 0,
    "lantern)": 1,
    "text:lantern": 0,
    "title : lantern": 0,
    "^lantern": 1,
    "lantern OR 1=1": 0,
    "'; DROP TABLE words; --": 0,
    '"; DELETE FROM document; --': 0,
    '"lantern': 1,
    '"""': None,
    "-lantern": None,
    "--lantern": None,
    "\u200f\u200e\u202e": None,
    "\u202elantern\u202c": 1,
    "lan\u00adtern": 0,
    "lantern\x00quay": 0,
    "\ud800": None,
    "%00%27": 0,
    "lantern " * 64: 1,
    "lantern " * 65: None,
    "x" * 4000: 0,
    "x" * 100_000: None,
    "\u0301" * 3000: None,
}


@pytest.fixture
def library(archive: Path) -> Path:
    """An archive with two texts; one has the word lantern."""
    with Archive.open(archive) as held:
        held.add(b"Nobody saw the lantern go out.", name="a.txt")
        held.add(b"The boats were moored.", name="b.txt")
    return archive


@pytest.mark.parametrize("typed", QUESTIONS, ids=lambda typed: ascii(typed)[:24])
def test_any_question_has_an_answer(library: Path, typed: str) -> None:
    with Archive.open(library) as held:
        if QUESTIONS[typed] is None:
            with pytest.raises(ParseError, match="expected"):
                held.search(typed)
        else:
            assert len(held.search(typed).hits) == QUESTIONS[typed]
        assert len(held.search("lantern").hits) == 1


@pytest.mark.usefixtures("library")
def test_any_question_has_an_answer_over_http(running: Running) -> None:
    for typed, found in QUESTIONS.items():
        sent = quote(typed.encode(errors="surrogatepass"))
        answer = ask(running.base, f"/-/api/search?q={sent}")
        assert answer.status in ({200} if found is not None else {400, 414, 431}), typed[:40]
        assert ask(running.base, f"/-/search?q={sent}").status in {200, 400, 414, 431}


def test_on_a_disk_that_may_only_be_read_words_are_found(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if not mounted(["mount", "--bind", str(library), str(library)]):
        no_right("only root can make a disk read-only")
    try:
        assert mounted(["mount", "-o", "remount,ro,bind", str(library)])
        with Archive.open(library) as held:
            for _ in range(2):
                assert len(held.search("lantern").hits) == 1
    finally:
        subprocess.run(["umount", str(library)], check=True)
    assert not list(library.glob("search*"))


@pytest.fixture
def small_files() -> Iterator[int]:
    """No file of this process may grow beyond this many octets."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (256 * 1024, hard))
    yield 256 * 1024
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_disk_that_is_full_is_told_and_holds_no_commit_back(
    library: Path, cli: Callable[..., Outcome], small_files: int
) -> None:
    words = " ".join(f"w{number}" for number in range(small_files // 8))
    with Archive.open(library) as held:
        for part in range(2):
            held.add(f"{part} {words}".encode(), name=f"{part}.txt")
        with pytest.raises(StorageError, match="index of words") as error:
            held.search("lantern")
        assert error.value.reason in {"full", "io"}
        assert held.add(b"one more", name="c.txt").document.title == "c.txt"
    told = cli("search", "lantern")
    assert (told.status, "index of words" in told.err) == (1, True)


INDEXING = """
import sys
from permacite.service.archive import Archive
with Archive.open(sys.argv[1]) as held:
    print("here", flush=True)
    words = held.documents.word_index
    words.update(anew=True, progress=lambda done, all: print(done, flush=True))
    print("done", flush=True)
"""


def test_indexing_that_is_killed_goes_on(library: Path) -> None:
    with Archive.open(library) as held:
        for number in range(450):  # more than are indexed in one step
            held.add(f"lantern {number}".encode(), name=f"{number}.txt")
    for lines in (1, 2, 3):
        process = subprocess.Popen(
            [sys.executable, "-c", INDEXING, str(Repository.at(library))],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        for _ in range(lines):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        with Archive.open(library) as held:
            assert len(held.search("lantern", limit=1000).hits) == 451
            assert held.documents.word_index.update() == 452


def test_two_servers_index_one_archive_at_once(library: Path) -> None:
    with Archive.open(library) as held, served(library) as one, served(library) as other:
        for number in range(40):
            held.add(f"lantern {number}".encode(), name=f"{number}.txt")
        with ThreadPoolExecutor(4) as askers:
            bases = [one.base, other.base] * 4
            found = list(askers.map(lambda base: ask(base, "/-/api/search?q=lantern"), bases))
        assert {answer.status for answer in found} == {200}
        assert held.documents.word_index.update() == 42
        for base in (one.base, other.base):
            last = ask(base, "/-/api/search?q=%22lantern+39%22").json
            assert (len(last["hits"]), last["indexed"]) == (1, 42)


def test_a_file_that_another_process_makes_meanwhile_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "words.sqlite"
    with (
        contextlib.closing(sqlite3.connect(path, check_same_thread=False)) as there,
        contextlib.closing(sqlite3.connect(path, timeout=0)) as here,
        ThreadPoolExecutor(1) as meanwhile,
    ):
        there.execute("BEGIN EXCLUSIVE")
        waiting = meanwhile.submit(time.sleep, 0.2)
        waiting.add_done_callback(lambda _: there.commit())
        write_ahead(here)
        assert waiting.done()
        assert here.execute("PRAGMA journal_mode").fetchone() == ("wal",)


class Passing:
    """Something of ours, and what is put in the place of some of its members."""

    def __init__(self, inner: object, **members: object) -> None:
        self._inner = inner
        self.__dict__ |= members

    def __getattr__(self, name: str) -> object:
        """Any other member."""
        return getattr(self._inner, name)


def test_an_index_that_others_bring_up_meanwhile_is_kept(archive: Path) -> None:
    with Archive.open(archive) as here, Archive.open(archive) as there:
        here.add(b"lantern", name="a.txt")
        assert here.documents.word_index.update() == 1
        repository = here._repository.public()  # noqa: SLF001 - what searches are given
        sizes = []

        def size() -> int:
            """Tell a size that is out of date when it is told."""
            sizes.append(repository.log.size())
            there.add(b"quay %d" % len(sizes), name="b.txt")
            there.documents.word_index.update()
            return sizes[-1]

        late = Passing(repository, log=Passing(repository.log, size=size))
        with here.documents.word_index.file() as index:
            follow(cast("Repository", late), index, most_s=0)
            assert index.count() == 2, "it is not thrown away"
        assert len(sizes) == 1
        assert here.search("quay").hits
