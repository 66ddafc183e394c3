"""Proof bundles, signed notes, checkpoints and keys: any octets are a report or a told fault."""

from __future__ import annotations

import io
import tempfile
import zipfile
from pathlib import Path

from permacite.archive.log.bundles.checking import check_proof
from permacite.archive.log.keys import Signer, Verifier
from permacite.archive.log.note import Checkpoint, Note, parse_proof
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository
from permacite.errors import LimitError, ParseError

_FILES = ("name.txt", "content", "leaf.json", "proof.tlog-proof", "log-key.txt", "citation.json")


def _bundle() -> dict[str, bytes]:
    """Return the files of a bundle about a short text."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Repository.create(Path(folder) / "archive", series="lab.example.us") as archive,
    ):
        text = NewRepresentation(b"words", "text/plain", charset="us-ascii")
        versions = [archive.committer.commit([text]) for _ in range(5)]
        proof = archive.proofs.prove(versions[2].representations[0].pdi)
    with zipfile.ZipFile(io.BytesIO(proof)) as files:
        return {name: files.read(name) for name in files.namelist()}


_SOUND = _bundle()
_NAME = _SOUND["name.txt"].decode().strip()
_SOUND["citation.json"] = f'{{"quote":"word","reference":"{_NAME}#char=0,4"}}'.encode()


def _zipped(files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


SEEDS: list[bytes] = [bytes([number]) + _SOUND[name] for number, name in enumerate(_FILES)]
SEEDS.append(b"\xff" + _zipped(_SOUND))


def target(data: bytes) -> None:
    """Put `data` in the place of one file of a sound bundle, or of the whole of it."""
    kind, content = data[:1], data[1:]
    name = _FILES[kind[0] % len(_FILES)] if kind else "content"
    bundle = content if kind == b"\xff" else _zipped(_SOUND | {name: content})
    try:
        report = check_proof(bundle, max_bytes=1 << 24)
    except (ParseError, LimitError):
        pass
    else:
        if report.ok and name not in {"citation.json", "name.txt"} and kind != b"\xff":
            # Only what was signed may pass; notes and keys may differ in what is not read.
            unread = name in {"proof.tlog-proof", "log-key.txt"}
            if content != _SOUND[name] and not unread:
                raise AssertionError(f"a forged {name} passes")
    text = content.decode("utf-8", "surrogateescape")
    for read in (Note.parse, Checkpoint.parse, parse_proof, Verifier.parse, Signer.parse):
        try:
            read(text)
        except ParseError:
            continue
