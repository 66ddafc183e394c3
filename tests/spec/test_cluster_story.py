"""The story on a cluster: from a page to a proof, while one process of each kind is killed."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import shutil
import signal
import threading
import uuid
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from tests import engines
from tests.clusters import cluster
from tests.faces.conftest import archive, cli, site

from permacite.archive.repository import Repository
from permacite.archive.tokens import Share
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.clusters import Cluster, Part
    from tests.faces.conftest import Outcome, Site
    from tests.faces.test_http import Answer
    from tests.stores import Store

    Cli = Callable[..., Outcome]

__all__ = ["archive", "cli", "site"]

SERIES = "lab.example.us"
PAGE = "<!doctype html><title>Tide</title><p>The highest tide of the year."
CREATED, REFUSED, SERVERS = 201, 409, 500
LARGE = 7
"""Who puts large documents too, which wait for the store."""


class Depositors:
    """Two who put documents through nginx all the time; who is not answered asks again."""

    def __init__(self, running: Cluster, token: str) -> None:
        self.kept: dict[str, str] = {}
        """Digests of what was acknowledged, by name."""
        self.wrong: list[object] = []
        self._cluster = running
        self._fields = {"Authorization": f"Bearer {token}", "Content_Type": "application/gzip"}
        self._over = threading.Event()
        self._left = threading.Event()
        self._more = threading.Condition()

    @contextlib.contextmanager
    def working(self) -> Iterator[Depositors]:
        """Let them work until the block ends; what they had begun is acknowledged then."""
        threads = [threading.Thread(target=self._work, args=(number,)) for number in (2, LARGE)]
        for thread in threads:
            thread.start()
        try:
            yield self
        except BaseException:
            self._left.set()
            raise
        finally:
            self._over.set()
            for thread in threads:
                thread.join()

    def expect(self, more: int) -> None:
        """Wait until so many more documents were acknowledged."""
        with self._more:
            wanted = len(self.kept) + more
            assert self._more.wait_for(lambda: self.wrong or len(self.kept) >= wanted, 120)
        assert self.wrong == []

    def _work(self, number: int) -> None:
        count = 0
        while not self._over.is_set():
            count += 1
            content = os.urandom(70_000 if number == LARGE and count % 5 == 0 else 300)
            try:
                name = self._put(content, number)
            except Exception as error:  # noqa: BLE001 - whatever it is, the test tells it
                self.wrong.append(error)
                return
            with self._more:
                if name in self.kept:
                    self.wrong.append(name)
                self.kept[name] = hashlib.sha256(content).hexdigest()
                self._more.notify_all()

    def _put(self, content: bytes, number: int) -> str:
        """Put a document with a key of its own until that is acknowledged; its name."""
        key = str(uuid.uuid4())
        while not self._left.is_set():
            with contextlib.suppress(OSError, http.client.HTTPException):
                answer = self._cluster.ask(
                    f"/pdi://{SERIES}/",
                    "PUT",
                    content,
                    number=number,
                    Idempotency_Key=key,
                    **self._fields,
                )
                if answer.status == CREATED:
                    return answer.headers["content-location"]
                # What was asked before, and not answered, may be at work still.
                assert answer.status == REFUSED or answer.status >= SERVERS, answer.body
            self._left.wait(0.05)
        raise AssertionError("the test left")


@pytest.fixture
def running(
    store: Store, bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> Iterator[Cluster]:
    """A cluster with an empty archive, of which the database and the store run."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    with (
        engines.server() as server,
        store.gateway() as gateway,
        cluster(folder, server, gateway, bucket) as made,
    ):
        monkeypatch.setenv("AWS_ENDPOINT_URL", gateway.endpoint)
        outcome = cli("init", made.location("writer1"), "--series", SERIES)
        assert outcome.status == 0, outcome.err
        yield made


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "store", ["moto", pytest.param("ceph", marks=pytest.mark.deep)], indirect=True
)
def test_the_story_goes_on_while_one_of_each_is_killed(
    running: Cluster, cli: Cli, site: Site, tmp_path: Path
) -> None:
    token = admitted(running)
    started(*running.resolvers, *running.writers, running.proxy)
    page = site.put("/tide", "text/html", PAGE)
    saved = cli("--archive", running.location("writer1"), "save", page, "--allow-private")
    assert saved.status == 0, saved.err
    name = saved.out.split()[0]
    with Depositors(running, token).working() as depositors:
        passage = told_while_parts_are_killed(running, depositors, token, name)
    with Repository.open(running.location("writer2")) as repository:
        assert repository.lists.count() == len(depositors.kept) + 1, "nothing lost, nothing doubled"
        assert {finding.kind for finding in repository.fixity.fsck()} <= {"ok", "orphan"}
        size = repository.log.size()
        root = repository.log.root(size)
    proof = tmp_path / "proof.zip"
    proof.write_bytes(answered(running, f"/-/api/proof?name={quote(passage)}").body)
    assert cli("verify", str(proof)).status == 0
    running.follower.start()
    assert running.follower.end() == 0
    started(running.mirror)
    for part in (*running.resolvers, *running.writers):
        part.kill()
    running.gateway.kill()
    running.server.stop("immediate")
    with Repository.open(running.mirrored) as mirror:
        assert {finding.kind for finding in mirror.fixity.fsck()} == {"ok"}
        assert (mirror.log.size(), mirror.log.root(size)) == (size, root)
    assert resolved(running, passage) == "highest tide"
    for each, digest in depositors.kept.items():
        assert hashlib.sha256(answered(running, f"/{each}").body).hexdigest() == digest
    proof.write_bytes(answered(running, f"/-/api/proof?name={quote(passage)}").body)
    assert cli("verify", str(proof)).status == 0


def told_while_parts_are_killed(
    running: Cluster, depositors: Depositors, token: str, name: str
) -> str:
    """Cite words of a page, read and find them, while one of each kind is killed; the citation."""
    depositors.expect(4)
    for part in (running.resolvers[0], running.writers[0]):
        part.kill()
        depositors.expect(4)
        assert answered(running, f"/{name}").body == PAGE.encode()
        started(part)
    passage = cited(running, token, name)
    running.proxy.kill()
    started(running.proxy)
    depositors.expect(4)
    running.follower.start()
    while not any(running.mirrored.glob("objects/??/??/*")):
        running.follower.check_lives()
        depositors.expect(1)
    running.follower.kill()
    a_backend_is_killed(running, depositors)
    assert resolved(running, passage) == "highest tide"
    running.server.stop("immediate")
    running.server.start()
    depositors.expect(4)
    running.gateway.kill()
    depositors.expect(4)
    running.gateway.start()
    depositors.expect(4)
    while not any(each["pdi"] == name for each in found(running, "highest")):
        depositors.expect(1)
    return passage


def admitted(running: Cluster) -> str:
    """A token that admits to both writers: its file is copied from one to the other."""
    with Archive.open(running.location("writer1")) as service:
        token = service.access.tokens.add(scope="save", share=Share(requests=100_000)).secret
    running.location("writer2")
    shutil.copy(running.folder / "writer1" / "tokens.sqlite", running.folder / "writer2")
    return token


def started(*parts: Part) -> None:
    """Start parts together, and wait for all."""
    for part in parts:
        part.start()
    for part in parts:
        part.wait()


def a_backend_is_killed(running: Cluster, depositors: Depositors) -> None:
    """Kill -9 a process of PostgreSQL, which ends all its connections then."""
    ((pid,), *_) = running.server.execute(
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'permacite'"
    )
    os.kill(pid, signal.SIGKILL)
    depositors.expect(4)


def answered(running: Cluster, path: str) -> Answer:
    """What nginx answers to a reader, which has to be 200."""
    answer = running.ask(path)
    assert answer.status == 200, (path, answer.status, answer.body)
    return answer


def resolved(running: Cluster, reference: str) -> str:
    """The words of a citation."""
    name, _, fragment = reference.partition("#")
    return answered(running, f"/{name}?fragment={quote(fragment)}").body.decode()


def cited(running: Cluster, token: str, name: str) -> str:
    """Cite words of a page."""
    body = json.dumps({"reference": name, "quote": "highest tide"}).encode()
    bearer = f"Bearer {token}"
    answer = running.ask(
        "/-/api/cite", "POST", body, Authorization=bearer, Content_Type="application/json"
    )
    assert answer.status == CREATED, answer.body
    return str(answer.json["reference"])


def found(running: Cluster, words: str) -> list[dict[str, str]]:
    """What a search finds."""
    hits: list[dict[str, str]] = answered(running, f"/-/api/search?q={words}").json["hits"]
    return hits
