"""The key that signs checkpoints, and the public key by which anyone checks them.

Key texts are those of the Go package sumdb/note, which other programs for C2SP notes read too:
"PRIVATE+KEY+<name>+<id>+<base64>" is kept, "<name>+<id>+<base64>" is published. Ed25519 (RFC 8032)
comes from the package cryptography, and is imported when it is first needed.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import os
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from permacite.archive.log.note import ED25519, KEY_NAME, Note, Signature, key_id, signed
from permacite.archive.objects import flush_folder
from permacite.errors import ParseError, StorageError

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["Signer", "Verifier", "load_or_make"]

_PRIVATE = "PRIVATE+KEY+"
_KEY_BYTES = 32
_ID_BYTES = 4
_SPEC = "the key text of a signed note"


@dataclass(frozen=True, slots=True)
class Verifier:
    """A public key and the name it signs under. `str(verifier)` is its text."""

    name: str
    public_key: bytes

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read "<name>+<id>+<base64>". Raises ParseError."""
        name, identifier, data = _fields(text.strip())
        found = cls(name, data)
        if found.key_id != identifier:
            raise ParseError("the key is not the one its id names", text, len(name) + 1, _SPEC)
        return found

    @property
    def key_id(self) -> bytes:
        """The four octets that name the key in signature lines."""
        return key_id(self.name, self.public_key)

    def verifies(self, note: Note) -> bool:
        """Say whether the note bears a signature of this key, and all it bears are good."""
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - see the caption

        key = _ed25519().Ed25519PublicKey.from_public_bytes(self.public_key)
        own = [one for one in note.signatures if (one.name, one.key_id) == (self.name, self.key_id)]
        try:
            for one in own:
                key.verify(one.signature, note.text.encode())
        except (InvalidSignature, ValueError):
            return False
        return bool(own)

    def __str__(self) -> str:
        data = base64.b64encode(bytes([ED25519]) + self.public_key).decode()
        return f"{self.name}+{self.key_id.hex()}+{data}"


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key. `text` is to be kept secret."""

    name: str
    _seed: bytes = field(repr=False)

    @classmethod
    def make(cls, name: str) -> Self:
        """Make a new key for `name`, which has no white space and no plus."""
        return cls(name, secrets.token_bytes(_KEY_BYTES))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read "PRIVATE+KEY+<name>+<id>+<base64>". Raises ParseError."""
        if not text.startswith(_PRIVATE):
            raise ParseError(f"expected {_PRIVATE!r}", "(a private key)", 0, _SPEC)
        name, _, seed = _fields(text.strip().removeprefix(_PRIVATE))
        return cls(name, seed)

    @property
    def text(self) -> str:
        """The key as it is kept."""
        data = base64.b64encode(bytes([ED25519]) + self._seed).decode()
        return f"{_PRIVATE}{self.name}+{self.verifier.key_id.hex()}+{data}"

    @property
    def verifier(self) -> Verifier:
        """The public key."""
        return Verifier(self.name, self._key().public_key().public_bytes_raw())

    def sign(self, text: str) -> str:
        """Return a signed note with this text, which ends in a newline."""
        signature = self._key().sign(text.encode())
        return signed(text, [Signature(self.name, self.verifier.key_id, signature)])

    def _key(self) -> Ed25519PrivateKey:
        """Return the key as the package has it."""
        key: Ed25519PrivateKey = _ed25519().Ed25519PrivateKey.from_private_bytes(self._seed)
        return key


def load_or_make(path: Path, name: str) -> Signer:
    """Return the key in `path`; a new one for `name`, written there first, if it is missing.

    The file is for its owner alone (mode 0600). Raises StorageError.
    """
    try:
        if not path.exists():
            _write(path, Signer.make(name).text)
        if os.access(path.parent, os.W_OK):
            flush_folder(path.parent)  # whoever wrote it may not have come to that yet
        return Signer.parse(path.read_text(encoding="utf-8"))
    except (OSError, ParseError, UnicodeDecodeError) as error:
        raise StorageError(
            f"the log's key cannot be read: {path}", path=str(path), reason="io"
        ) from error


def _write(path: Path, text: str) -> None:
    """Write the key whole or not at all; a key that another process wrote meanwhile stays."""
    aside = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(f"{text}\n")
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(aside, path)
    finally:
        aside.unlink()


def _fields(text: str) -> tuple[str, bytes, bytes]:
    """Return name, id and key of "<name>+<id>+<base64>". Raises ParseError."""
    name, _, rest = text.partition("+")
    identifier, _, encoded = rest.partition("+")
    try:
        data = base64.b64decode(encoded, validate=True)
        number = bytes.fromhex(identifier)
    except (binascii.Error, ValueError):
        data = number = b""
    if not KEY_NAME.fullmatch(name) or len(number) != _ID_BYTES or data[:1] != bytes([ED25519]):
        raise ParseError("expected <name>+<id>+<base64> of an Ed25519 key", text, 0, _SPEC)
    if len(data) != 1 + _KEY_BYTES:
        raise ParseError("expected a key of 32 octets", text, len(name) + 10, _SPEC)
    return name, number, data[1:]


def _ed25519() -> ModuleType:
    """Return the module that computes. Raises StorageError where it is not installed."""
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - see caption
    except ImportError as error:
        raise StorageError(
            "signing and checking need the package cryptography",
            path="cryptography",
            reason="missing",
            hint="pip install permacite[archive]",
        ) from error
    return ed25519
