"""Key and signature in the forms that common tools read, such as OpenSSL."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from permacite.archive.log.keys import Verifier
    from permacite.archive.log.note import Note

__all__ = ["keys_file", "pem_of", "signature_of"]

_ED25519_SPKI = bytes.fromhex("302a300506032b6570032100")
"""What stands before the 32 octets of a public key in a SubjectPublicKeyInfo (RFC 8410 §4)."""


def pem_of(verifier: Verifier) -> str:
    """Return an Ed25519 key as OpenSSL reads it (RFC 8410 §10)."""
    data = base64.b64encode(_ED25519_SPKI + verifier.public_key).decode()
    return f"-----BEGIN PUBLIC KEY-----\n{data}\n-----END PUBLIC KEY-----\n"


def signature_of(note: Note, verifier: Verifier) -> bytes:
    """Return the 64 octets by which an Ed25519 key signed a note; b"" where it did not."""
    return next(iter(verifier.signatures(note)), b"")


def keys_file(verifiers: Iterable[Verifier]) -> bytes:
    """Return log-key.txt: the keys that signed, one a line."""
    return "".join(f"{one}\n" for one in verifiers).encode()
