"""Cosign the checkpoints of an archive that a mirror holds whole (C2SP tlog-cosignature).

The signature says: at this time, all entries up to this root were here, and the log had only grown.
"""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING

from permacite.archive.log import Checkpoint
from permacite.archive.log.cosignature import KeyType
from permacite.archive.log.keys import Signer
from permacite.archive.log.note import Note, signed
from permacite.archive.objects import flush_folder, write_file
from permacite.errors import ParseError, StorageError

if TYPE_CHECKING:
    from pathlib import Path

    from permacite.archive.transport.mirror import Mirror

__all__ = ["cosigned", "cosigner_in"]

_SEED_BYTES = 32


def cosigned(mirror: Mirror, note: str, path: Path) -> str:
    """Keep the checkpoint in `note` with a signature by the key in `path`; its public key.

    Raises StorageError where the file cannot be read, or holds no key that cosigns.
    """
    parsed = Note.parse(note)
    signer = cosigner_in(path, f"{Checkpoint.parse(parsed.text).origin}/mirror")
    line = signer.signature(parsed.text, time=int(time.time()))
    mirror.keep_cosigned(signed(parsed.text, [*parsed.signatures, line]))
    return str(signer.verifier)


def cosigner_in(path: Path, name: str) -> Signer:
    """The key in a file, which is made for `name` where there is none. Raises StorageError."""
    try:
        if not path.exists():
            made = Signer(name, secrets.token_bytes(_SEED_BYTES), KeyType.COSIGNATURE)
            write_file(path, f"{made.text}\n".encode(), mode=0o600)
            flush_folder(path.parent)
        signer = Signer.parse(path.read_text(encoding="utf-8"))
    except (OSError, ParseError, UnicodeDecodeError) as error:
        problem = f"the key cannot be read: {path}"
        raise StorageError(problem, path=str(path), reason="io") from error
    if signer.key_type is KeyType.ED25519:
        raise StorageError(
            f"{path} holds a key that signs logs, and not one that cosigns",
            path=str(path),
            reason="io",
            hint="name a file that is not there: the key is made",
        )
    return signer
