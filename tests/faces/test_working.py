"""`permacite bulk` and `permacite work`: the same jobs, in a folder and in PostgreSQL."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.engines import on

from permacite.loops import to_the_end
from permacite.service.archive import Archive
from permacite.service.lists.reading import Keys
from permacite.service.work import job_queue
from permacite.service.work.job_queue import SqliteQueue
from permacite.service.work.jobs import of_list
from permacite.service.work.pools import ProcessPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.engines import Server
    from tests.faces.conftest import Outcome, Site

    from permacite.service.work.jobs import JobRun

    Cli = Callable[..., Outcome]


@pytest.fixture
def location(
    request: pytest.FixtureRequest, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> str:
    """A new archive, which commands use."""
    location = str(tmp_path / "kept")
    if getattr(request, "param", "folder") == "postgresql":
        server: Server = request.getfixturevalue("postgresql")
        location = server.location(tmp_path / "kept")
    monkeypatch.setenv("PERMACITE_ARCHIVE", location)
    assert cli("init", location, "--series", "lab.example.us").status == 0
    return location


def status(cli: Cli) -> list[dict[str, Any]]:
    """What is told of all runs, the newest first."""
    told: list[dict[str, Any]] = json.loads(cli("work", "--status", "--json").out)
    return told


@on("postgresql")
def test_jobs_done_twice_change_nothing(location: str, cli: Cli, tmp_path: Path) -> None:
    for number in range(45):
        (tmp_path / f"{number}.txt").write_text(f"tide {number % 40}")
    for processes in ("2", "1"):
        assert cli("bulk", "import", *map(str, tmp_path.glob("*.txt"))).status == 0
        for kind in ("derive", "index", "fixity"):
            assert cli("bulk", kind, "--entries", "10").status == 0
        assert cli("work", "--once", "--jobs", processes).status == 0
        with Archive.open(location) as archive:
            assert (archive._repository.lists.count(), archive._repository.log.size()) == (40, 40)  # noqa: SLF001 - counted here
    runs = status(cli)
    by_kind = {run["kind"]: run for run in runs[:4]}
    # Of an empty log there were no jobs to be put the first time.
    assert [run["kind"] for run in runs] == ["fixity", "index", "derive", "import", "import"]
    assert by_kind["import"]["counts"] == {"unchanged": 45}
    assert by_kind["fixity"]["counts"] == {"checked": 40}
    assert by_kind["fixity"]["state"] == {"waiting": 0, "doing": 0, "done": 4, "given_up": 0}
    assert by_kind["index"]["counts"] == {"entries": 40}
    assert by_kind["derive"]["counts"] == {"present": 40}
    assert "tide 7" in cli("search", "tide 7").out


@on("folder")
def test_what_is_bad_is_told_by_name(location: str, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "tide.txt").write_text("The tide." * 20_000)
    name = cli("import", str(tmp_path / "tide.txt")).out.split()[0]
    assert cli("bulk", "fixity").status == 0
    assert cli("work", "--once").status == 0
    files = (path for path in (tmp_path / "kept" / "objects").rglob("*") if path.is_file())
    octets = max(files, key=lambda path: path.stat().st_size)
    octets.chmod(0o600)
    octets.write_bytes(octets.read_bytes().replace(b"The tide.", b"The tidy.", 1))
    assert cli("bulk", "fixity").status == 0
    ended = cli("work", "--once")
    assert ended.status == 1
    assert name in ended.err
    (bad,) = status(cli)[0]["told"]
    assert bad["what"] == "bad"
    assert bad["name"] == name
    assert bad["problem"].startswith("altered")
    assert location


@on("postgresql")
def test_the_same_octets_at_the_same_moment_have_one_name(location: str, tmp_path: Path) -> None:
    path, key_of = tmp_path / "tide.txt", Keys("a run").key
    path.write_text("The tide.")
    with Archive.open(location) as one, Archive.open(location) as other:
        seconds: list[tuple[Path, object]] = []

        def paths() -> Iterator[Path]:
            yield path
            # It was looked for and not found, and is not committed so far.
            seconds.extend(other.lists.files.add_files([path], key_of=key_of))

        firsts = list(one.lists.files.add_files(paths(), key_of=key_of))
        ((_, first),), ((_, second),) = firsts, seconds
        assert getattr(first, "pdi", first) == getattr(second, "pdi", second)
        assert one._repository.lists.count() == 1  # noqa: SLF001 - counted here
        path.write_bytes(b"The tide.\r\n")
        assert [_name(each) for _, each in one.lists.files.add_files([path], key_of=key_of)] != [
            _name(first)
        ]


def _name(outcome: object) -> str:
    return str(getattr(outcome, "pdi", outcome))


def test_pages_are_saved_and_compared_site_by_site(
    location: str, cli: Cli, site: Site, tmp_path: Path
) -> None:
    addresses = [
        site.put(f"/{word}", "text/html", f"<title>{word}</title>") for word in ("ebb", "flood")
    ]
    listed = tmp_path / "list.txt"
    listed.write_text("\n".join([*addresses, "no address", addresses[0], f"{site.base}/gone"]))
    put = cli("bulk", "save", "--from", str(listed), "--allow-private")
    assert put.status == 1
    assert "no address" in put.err
    assert cli("work", "--once", "--jobs", "2").status == 0
    (saved,) = status(cli)
    assert saved["counts"] == {"failed": 1, "saved": 2}
    assert saved["told"][0]["name"] == f"{site.base}/gone"
    assert sorted(site.requests) == ["/ebb", "/flood", "/gone"]
    site.put("/flood", "text/html", "<title>flood</title><p>It came.")
    assert cli("bulk", "drift", "--allow-private").status == 0
    assert cli("work", "--once", "--jobs", "2").status == 0
    assert status(cli)[0]["counts"] == {"same": 1, "changed": 1}
    assert site.requests.count("/robots.txt") == 1
    assert location


def test_what_ended_long_ago_is_forgotten(location: str, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "tide.txt").write_text("The tide.")
    cli("bulk", "import", str(tmp_path / "tide.txt"))
    cli("work", "--once")
    cli("bulk", "fixity")
    with sqlite3.connect(Path(location) / "work.sqlite") as connection:
        connection.execute("UPDATE run SET put_at = '2020-01-01T00:00:00+00:00'")
    connection.close()
    cli("bulk", "derive")
    assert [run["kind"] for run in status(cli)] == ["derive", "fixity"]  # which is to be done


@on("folder")
def test_what_cannot_be_done_is_refused(location: str, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "crawl.warc").write_bytes(b"WARC/1.0\r\n")
    put = cli("bulk", "import", str(tmp_path / "crawl.warc"))
    assert put.status == 1
    assert "left to `permacite import`" in put.err
    assert cli("bulk", "fixity").status == 0  # of an empty log: nothing to do
    assert cli("work", "--once").status == 0
    assert status(cli) == []
    assert cli("--archive", str(tmp_path / "none"), "work", "--once").status == 1
    assert location


def test_of_a_folder_one_worker_does_the_jobs(location: str, cli: Cli) -> None:
    queue = SqliteQueue(Path(location), works=True)
    refused = cli("work", "--once")
    assert refused.status == 1
    assert "another worker" in refused.err
    assert cli("work", "--status").status == 0
    to_the_end(queue.close())
    assert cli("work", "--once").status == 0


def test_a_program_that_runs_a_loop_may_call_them(location: str, tmp_path: Path) -> None:
    path = tmp_path / "tide.txt"
    path.write_text("The tide.")

    async def program() -> list[JobRun]:
        job_queue.put_listed(Path(location), "import", [str(path)])
        job_queue.do_jobs(Path(location), ProcessPool(Path(location), 1), once=True)
        return job_queue.runs(Path(location))

    with ThreadPoolExecutor(1) as thread:  # this one may have a loop already
        (run,) = thread.submit(asyncio.run, program()).result()
    assert run.counts == {"imported": 1}


def test_a_site_is_in_one_share() -> None:
    addresses = [f"https://user@EXAMPLE.org/{number}" for number in range(50)]
    jobs = list(of_list("save", [*addresses, "https://example.org/x"], {}))
    assert len({job.lock for job in jobs}) == 1
    assert sum(len(job.what["listed"]) for job in jobs) == 51
