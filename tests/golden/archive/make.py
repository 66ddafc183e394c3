"""Make 236669f.tar.gz: an archive with every kind of entry, and proofs of it, by the code of then.

It runs with the code of that commit, never with that of today:

    git archive 236669f | tar -x -C OLD
    PYTHONPATH=OLD/src python tests/golden/archive/make.py tests/golden/archive/236669f.tar.gz

The key, the time-stamp and the node hashes are made anew each time; all else is always the same.
"""
# mypy: ignore-errors
# ruff: noqa: I001 - modules of then

from __future__ import annotations

import io
import os
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from permacite import pdi
from permacite.archive import Archive
from permacite.archive.model.answered import Provenance
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.log.timestamps import Request
from permacite.service.cases import Service

SERIES = "lab.example.us"
START = datetime(2026, 11, 18, 12, tzinfo=UTC)
CANARY = "canary-{}-7f3a"
"""A word that stands in one place only, by the place: title, uri, quote, note, reason, who..."""

PAGES: list[tuple[str, str, bytes, str]] = [
    ("utf-8", "text/html; charset=utf-8", "<p>Grüße, “Welt” 東京".encode(), "Welt” 東"),
    ("us-ascii", "text/html; charset=us-ascii", b"<p>caf\xe9 \x93au lait\x94 x", "au lait"),
    ("iso-8859-1", "text/html; charset=iso-8859-1", b"<p>caf\xe9 \x93au lait\x94 x", "au lait"),
    ("windows-1252", "text/html; charset=windows-1252", b"<p>caf\xe9 \x93au lait\x94", "caf"),
    ("gb2312", "text/html; charset=gb2312", "<p>中文 朱镕基 完".encode("gbk"), "朱镕基"),
    ("big5", "text/html; charset=big5", "<p>台北市 中文".encode("big5"), "台北"),
    (
        "euc-jp",
        "text/html; charset=euc-jp",
        b"<p>\xad\xa1" + "株式会社 abc".encode("euc-jp"),
        "abc",
    ),
    ("shift_jis", "text/html; charset=shift_jis", "<p>東京 日本語".encode("shift_jis"), "東京"),
    ("iso-2022-jp", "text/html; charset=iso-2022-jp", "<p>東京 日本".encode("iso-2022-jp"), "東京"),
    ("koi8-r", "text/html; charset=koi8-r", "<p>Привет, мир".encode("koi8-r"), "Привет"),
    ("utf-16le", "text/plain; charset=utf-16le", "Zeile\nzwei ☃".encode("utf-16-le"), "zwei"),
    ("plain", "text/plain", b"one\ntwo\r\nthree\r", "two"),
    ("undeclared", "text/html", "<p>naïve façade".encode(), "ade"),
]
"""A page in each of several charsets, some with octets that the label does not allow for."""


@dataclass
class Clock:
    """A clock that shows what it is told, a second later each time."""

    now: datetime = START

    def __call__(self) -> datetime:
        """Return the next second."""
        self.now += timedelta(seconds=1)
        return self.now


def main(target: Path) -> None:
    """Write the archive and its proofs into one tar file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "proofs").mkdir()
        clock = Clock()
        with Archive.create(folder / "archive", series=SERIES, clock=clock) as archive:
            fill(archive, clock, folder)
        leave_unsettled(folder / "archive", clock.now)
        pack(folder, target)


def fill(archive: Archive, clock: Clock, folder: Path) -> None:
    """Commit on three days, cite, state, withdraw, delegate, seal, stamp and prove."""
    service = Service(archive)
    service.add_series(f"press.{SERIES}")
    names = [imported(service, *page[:3]) for page in PAGES]
    for name, (_, _, _, quote) in zip(names, PAGES, strict=True):
        service.cite(text_of(archive, name), quote=quote)
    first = documents(archive)
    for place, name in enumerate(first):
        prove(folder, f"first-{place}", service, str(name))
    stamp(archive, folder)
    clock.now += timedelta(days=1)
    second = documents(archive)
    statements(service, str(first[0].document), second[0])
    clock.now += timedelta(days=1)
    imported(service, "later", "text/plain", b"a later day")
    for number, citation in enumerate(archive.citations()):
        prove(folder, f"cited-{number}", service, citation.fragment)
    absent = f"urn:pdi://{SERIES}/{START:%Y/%m/%d}/nowhere.html.1"
    prove(folder, "absent", service, absent)


def imported(service: Service, name: str, content_type: str, content: bytes) -> str:
    """Commit a document as the command `import` does, and return its name."""
    path = f"{name}.{'html' if 'html' in content_type else 'txt'}"
    charset = content_type.partition("charset=")[2] or None
    address = f"https://example.org/{name}?token={CANARY.format('uri')}"
    return service.import_document(path, content, charset=charset, uri=address).pdi


def text_of(archive: Archive, name: str) -> str:
    """Return the plain text beside a page."""
    found = [one.pdi for one in archive.version(parsed(name)).representations]
    return str(next((one for one in found if one.format != "html"), found[0]))


def documents(archive: Archive) -> list[pdi.PDI]:
    """Commit a document with all that can stand beside it, then a version and a format more."""
    provenance = Provenance(
        title=f"A title with {CANARY.format('title')}",
        uri=f"https://example.org/secret?key={CANARY.format('uri')}",
        final_uri=f"https://example.org/final?key={CANARY.format('final')}",
        retrieved_at=archive._catalog._clock(),  # noqa: SLF001 - the same clock
        details={"requests": [{"uri": CANARY.format("details"), "status": 200}]},
    )
    page = b"<title>x</title><p>" + CANARY.format("text").encode()
    formats = [
        NewRepresentation(page, "text/html", "utf-8", received=page + b"\n"),
        NewRepresentation(
            CANARY.format("text").encode(),
            "text/plain",
            "utf-8",
            derived_from="html",
            rendition="permacite-plain/1",
            attachment={"text-index": b"index", "piece-digests": b"pieces"},
        ),
    ]
    made = archive.commit(formats, provenance=provenance, key=f"key-{archive.count()}")
    twice = archive.commit(formats, replaces=made.pdi, provenance=provenance)
    archive.add_format(made.pdi, NewRepresentation(b"{}", "application/json"))
    cited = f"urn:{str(made.representations[1].pdi).removeprefix('urn:')}#char=0,6"
    quoting = NewRepresentation(b"<p>canary", "text/html", "utf-8", quotations=(("3", cited),))
    composite = archive.commit([quoting], unique_id=f"quotes-{archive.count()}")
    return [
        *(one.pdi for one in archive.versions(made.pdi)[0].representations),
        twice.representations[0].pdi,
        composite.representations[0].pdi,
    ]


def statements(service: Service, document: str, representation: pdi.PDI) -> None:
    """Cite with a note, state, withdraw, reinstate, delegate."""
    quote = CANARY.format("text")[:10]
    service.cite(document, quote=quote, note=CANARY.format("note"))
    service.state(document, "same-as", CANARY.format("object"), who=CANARY.format("who"))
    reason = f"erasure request of {CANARY.format('reason')}"
    service.withdraw(document, reason=reason, status=451, who=CANARY.format("who"))
    service.reinstate(document, reason=CANARY.format("reason"), who=CANARY.format("who"))
    service.withdraw(str(representation), reason=reason)
    service.delegate("resolver", f"a.{SERIES}", "https://pdi.example.org")
    first, last = date(2027, 1, 1).isoformat(), date(2027, 12, 31).isoformat()
    service.delegate("minter", f"press.{SERIES}", CANARY.format("who"), first=first, last=last)


def parsed(name: str) -> pdi.PDI:
    """Return a name as a value."""
    found = pdi.parse(name)
    return found if isinstance(found, pdi.PDI) else found.pdi  # type: ignore[union-attr]


def prove(folder: Path, name: str, service: Service, reference: str) -> None:
    """Keep a proof; what is withdrawn has none."""
    (folder / "proofs" / f"{name}.zip").write_bytes(service.prove(reference, seal=True).content)


def stamp(archive: Archive, folder: Path) -> None:
    """Let OpenSSL stamp the log, as an authority of its own."""
    from tests.spec.test_rfc3161_timestamps import make_authority

    authority = make_authority(folder / "tsa")
    (folder / "proofs/ca.pem").write_bytes((authority / "ca.pem").read_bytes())
    note = archive.log.checkpoints.current()
    request = Request.about(note)
    (authority / "query").write_bytes(request.content)
    command = ["openssl", "ts", "-reply", "-config", "tsa.cnf"]
    command += ["-queryfile", "query", "-out", "reply"]
    subprocess.run(command, cwd=authority, check=True, capture_output=True)
    archive.log.checkpoints.keep_timestamp(
        note, "https://tsa.example.org", (authority / "reply").read_bytes()
    )


def leave_unsettled(directory: Path, now: datetime) -> None:
    """Commit octets that are no file so far, and stop as a process does that is killed."""
    for _ in range(20):
        child = os.fork()
        if not child:
            archive = Archive.open(directory, clock=lambda: now)
            with archive._catalog.group_commit.announced():  # noqa: SLF001 - as if another committed too
                archive.commit([NewRepresentation(b"left behind", "text/plain")], key="left")
            os._exit(0)
        os.waitpid(child, 0)
        with closing(sqlite3.connect(directory / "catalog.sqlite")) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            if connection.execute("SELECT 1 FROM unsettled").fetchone():
                return
    raise RuntimeError("the octets were made files of too soon")


def pack(folder: Path, target: Path) -> None:
    """Write what tests need into one file."""
    with tarfile.open(target, "w:gz", compresslevel=9) as archive:
        for part in ("archive", "proofs"):
            for path in sorted((folder / part).rglob("*")):
                if path.is_file() and not path.name.endswith(("-wal", "-shm")):
                    info = tarfile.TarInfo(str(path.relative_to(folder)))
                    content = path.read_bytes()
                    info.size, info.mtime = len(content), int(START.timestamp())
                    archive.addfile(info, io.BytesIO(content))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
