"""Key and signature in the forms that common tools read, such as OpenSSL."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from permacite.archive.log.keys import Verifier
    from permacite.archive.log.note import Note

__all__ = ["pem_of", "signature_of"]

_ED25519_SPKI = bytes.fromhex("302a300506032b6570032100")
"""What stands before the 32 octets of a public key in a SubjectPublicKeyInfo (RFC 8410 §4)."""


def pem_of(verifier: Verifier) -> str:
    """Return a public key as OpenSSL reads it (RFC 8410 §10)."""
    data = base64.b64encode(_ED25519_SPKI + verifier.public_key).decode()
    return f"-----BEGIN PUBLIC KEY-----\n{data}\n-----END PUBLIC KEY-----\n"


def signature_of(note: Note, verifier: Verifier) -> bytes:
    """Return the 64 octets by which a key signed a note; b"" where it did not."""
    own = (verifier.name, verifier.key_id)
    found = [one.signature for one in note.signatures if (one.name, one.key_id) == own]
    return found[0] if found else b""
