"""The keys that sign checkpoints, their public keys, and the message that each type of key signs.

C2SP tlog-cosignature (c2sp.org):
  Format                    -> `split`, `stamped`
  Ed25519 signed message    -> `signed_message` of COSIGNATURE
  ML-DSA-44 signed message  -> `signed_message` of ML_DSA_44
C2SP signed-note:
  Signature types           -> `KeyType`

Deviations: none.
Readings: an ML-DSA-44 signature confirms origin, size and root; so it does not hold for a text that
says more in extension lines. A log signs with the time 0, which states nothing about time.

Key texts are those of the Go package sumdb/note, which other programs for C2SP notes read too:
"PRIVATE+KEY+<name>+<id>+<base64>" is kept, "<name>+<id>+<base64>" is published. Ed25519 (RFC 8032)
and ML-DSA-44 (FIPS 204) come from the package cryptography, imported when it is first needed; the
latter since its version 48.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import hmac
import os
import secrets
import struct
from dataclasses import field
from enum import IntEnum
from functools import cache, cached_property
from typing import TYPE_CHECKING, Self

from permacite.archive.log.note import KEY_NAME, Checkpoint, Note, Signature, key_id, signed
from permacite.archive.objects.durable import flush_folder
from permacite.errors import ParseError, StorageError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )
    from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey, MLDSA44PublicKey

__all__ = [
    "LONGEST_NAME",
    "KeyType",
    "Signer",
    "Verifier",
    "load_or_make",
    "signed_message",
    "split",
    "stamped",
]

_PRIVATE = "PRIVATE+KEY+"
_SEED_BYTES = 32
_ID_BYTES = 4
_SPEC = "the key text of a signed note"
_TIME = struct.Struct(">Q")
_LATEST = (1 << 63) - 1
LONGEST_NAME = 255
"""Octets, of a key or a log, in what ML-DSA-44 signs."""

_SUBTREE = b"subtree/v1\n\0"


class KeyType(IntEnum):
    """The signature types of notes that are read here (signed-note, Signature types)."""

    ED25519 = 1
    """Over the text of the note."""
    COSIGNATURE = 4
    """Ed25519, over a time and the text of a checkpoint."""
    ML_DSA_44 = 6
    """Over a time and the tree that a checkpoint names, with the name of who signs."""

    @property
    def key_bytes(self) -> int:
        """How many octets a public key has."""
        return 1312 if self is KeyType.ML_DSA_44 else 32


@dataclass(frozen=True, slots=True)
class Verifier:
    """A public key and the name it signs under. `str(verifier)` is its text."""

    name: str
    public_key: bytes
    key_type: KeyType = KeyType.ED25519

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read "<name>+<id>+<base64>". Raises ParseError."""
        name, identifier, key_type, data = _fields(text.strip())
        if len(data) != key_type.key_bytes:
            problem = f"expected a key of {key_type.key_bytes} octets"
            raise ParseError(problem, text, len(name) + 10, _SPEC)
        key = cls(name, data, key_type)
        if key.key_id != identifier:
            raise ParseError("the key is not the one its id names", text, len(name) + 1, _SPEC)
        return key

    @property
    def key_id(self) -> bytes:
        """The four octets that name the key in signature lines."""
        return key_id(self.name, self.key_type, self.public_key)

    @property
    def label(self) -> str:
        """The text where it is short; else name, id and algorithm, for ML-DSA keys are long."""
        if self.key_type is not KeyType.ML_DSA_44:
            return str(self)
        return f"{self.name}+{self.key_id.hex()} (ML-DSA-44)"

    def signatures(self, note: Note) -> list[bytes]:
        """The signatures of this key that the note bears, good or not."""
        own = (self.name, self.key_id)
        return [line.signature for line in note.signatures if (line.name, line.key_id) == own]

    def verifies(self, note: Note) -> bool:
        """Say whether the note bears a signature of this key, and all it bears are good.

        Raises StorageError where the package that computes is missing, or too old for the key.
        """
        own = self.signatures(note)
        return bool(own) and all(self._holds(signature, note.text) for signature in own)

    def _holds(self, line: bytes, text: str) -> bool:
        """Say whether one signature is good."""
        from cryptography.exceptions import InvalidSignature

        try:
            time, signature = split(self.key_type, line)
            self._key().verify(signature, signed_message(self.key_type, self.name, time, text))
        except (InvalidSignature, ValueError):
            return False
        return True

    def _key(self) -> Ed25519PublicKey | MLDSA44PublicKey:
        """Return the key as the package has it. Raises StorageError."""
        key: Ed25519PublicKey | MLDSA44PublicKey
        if self.key_type is KeyType.ML_DSA_44:
            key = _mldsa().MLDSA44PublicKey.from_public_bytes(self.public_key)
        else:
            key = _ed25519().Ed25519PublicKey.from_public_bytes(self.public_key)
        return key

    def __str__(self) -> str:
        data = base64.b64encode(bytes([self.key_type]) + self.public_key).decode()
        return f"{self.name}+{self.key_id.hex()}+{data}"


@dataclass(frozen=True)  # without slots: the expanded key is kept, for it takes longer than to sign
class Signer:
    """A private key. `text` is to be kept secret."""

    name: str
    _seed: bytes = field(repr=False)
    key_type: KeyType = KeyType.ED25519

    @classmethod
    def make(cls, name: str) -> Self:
        """Make a new key for `name`, which has no white space and no plus."""
        return cls(name, secrets.token_bytes(_SEED_BYTES))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read "PRIVATE+KEY+<name>+<id>+<base64>". Raises ParseError."""
        if not text.startswith(_PRIVATE):
            raise ParseError(f"expected {_PRIVATE!r}", "(a private key)", 0, _SPEC)
        name, _, key_type, seed = _fields(text.strip().removeprefix(_PRIVATE))
        if len(seed) != _SEED_BYTES:
            raise ParseError("expected a seed of 32 octets", "(a private key)", 0, _SPEC)
        return cls(name, seed, key_type)

    def ml_dsa(self) -> Signer | None:
        """The ML-DSA-44 key of the same name, whose seed is made from this one.

        So one secret is kept, and every copy of it has both keys. Nobody gets from one key to the
        other, nor, by breaking Ed25519, to the seed. None where the package has no ML-DSA, or the
        name is too long for it.
        """
        if len(self.name.encode()) > LONGEST_NAME:
            return None
        try:
            _mldsa()
        except StorageError:
            return None
        label = f"permacite ML-DSA-44 {self.name}".encode()
        return Signer(self.name, hmac.digest(self._seed, label, "sha256"), KeyType.ML_DSA_44)

    @property
    def text(self) -> str:
        """The key as it is kept."""
        data = base64.b64encode(bytes([self.key_type]) + self._seed).decode()
        return f"{_PRIVATE}{self.name}+{self.verifier.key_id.hex()}+{data}"

    @cached_property
    def verifier(self) -> Verifier:
        """The public key."""
        return Verifier(self.name, self._key.public_key().public_bytes_raw(), self.key_type)

    def signature(self, text: str, *, time: int = 0) -> Signature:
        """Return the signature line for a text that ends in a newline.

        A key that cosigns signs a `time`, in seconds since 1970, too. Raises ParseError where it
        signs checkpoints alone, and `text` is none.
        """
        message = signed_message(self.key_type, self.name, time, text)
        signature = stamped(self.key_type, time, self._key.sign(message))
        return Signature(self.name, self.verifier.key_id, signature)

    def sign(self, text: str) -> str:
        """Return a signed note with this text, which ends in a newline."""
        return signed(text, [self.signature(text)])

    @cached_property
    def _key(self) -> Ed25519PrivateKey | MLDSA44PrivateKey:
        """The key as the package has it. Raises StorageError."""
        key: Ed25519PrivateKey | MLDSA44PrivateKey
        if self.key_type is KeyType.ML_DSA_44:
            key = _mldsa().MLDSA44PrivateKey.from_seed_bytes(self._seed)
        else:
            key = _ed25519().Ed25519PrivateKey.from_private_bytes(self._seed)
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
        return _kept(path.read_text(encoding="utf-8"))
    except (OSError, ParseError, UnicodeDecodeError) as error:
        raise StorageError(
            f"the log's key cannot be read: {path}", path=str(path), reason="io"
        ) from error


def _kept(text: str) -> Signer:
    """Return the key in a file, from which the other follows. Raises ParseError."""
    signer = Signer.parse(text)
    if signer.key_type is not KeyType.ED25519:
        raise ParseError("expected a key of Ed25519", "(a private key)", 0, _SPEC)
    return signer


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


def _fields(text: str) -> tuple[str, bytes, KeyType, bytes]:
    """Return name, id, type and key of "<name>+<id>+<base64>". Raises ParseError."""
    name, _, rest = text.partition("+")
    identifier, _, encoded = rest.partition("+")
    try:
        data = base64.b64decode(encoded, validate=True)
        number = bytes.fromhex(identifier)
    except (binascii.Error, ValueError):
        data = number = b""
    if not KEY_NAME.fullmatch(name) or len(number) != _ID_BYTES or not data:
        raise ParseError("expected <name>+<id>+<base64>, the text of a key", text, 0, _SPEC)
    try:
        return name, number, KeyType(data[0]), data[1:]
    except ValueError as error:
        problem = "expected a key of Ed25519 (type 1, or 4 for cosigners) or ML-DSA-44 (type 6)"
        raise ParseError(problem, text, len(name) + 10, _SPEC) from error


def _ed25519() -> ModuleType:
    """Return the module that computes Ed25519. Raises StorageError where it is not installed."""
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError as error:
        problem = "signing and checking need the package cryptography"
        raise _without_package(problem, "permacite[archive]") from error
    return ed25519


@cache
def _mldsa() -> ModuleType:
    """Return the module that computes ML-DSA-44. Raises StorageError where there is none."""
    _ed25519()
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        from cryptography.hazmat.primitives.asymmetric import mldsa

        mldsa.MLDSA44PrivateKey.from_seed_bytes(bytes(_SEED_BYTES))
    except (ImportError, UnsupportedAlgorithm) as error:
        problem = "ML-DSA-44 needs the package cryptography, 48 or newer"
        raise _without_package(problem, "'cryptography>=48'") from error
    return mldsa


def _without_package(problem: str, package: str) -> StorageError:
    hint = f"pip install {package}"
    return StorageError(problem, path="cryptography", reason="missing", hint=hint)


def split(key_type: KeyType, signature: bytes) -> tuple[int, bytes]:
    """Return the time of a signature in seconds since 1970, 0 where it tells none, and the rest.

    Raises ParseError.
    """
    if key_type is KeyType.ED25519:
        return 0, signature
    if len(signature) < _TIME.size or (time := _TIME.unpack_from(signature)[0]) > _LATEST:
        problem = "expected a time and a signature"
        raise ParseError(problem, signature.hex(), 0, "C2SP tlog-cosignature, Format")
    return time, signature[_TIME.size :]


def stamped(key_type: KeyType, time: int, signature: bytes) -> bytes:
    """Return a signature as it stands in its line, with its time before it where it has one."""
    return signature if key_type is KeyType.ED25519 else _TIME.pack(time) + signature


def signed_message(key_type: KeyType, name: str, time: int, text: str) -> bytes:
    """The octets that the key `name` signs of a note's text at a time.

    Raises ParseError where keys of this type do not sign such a text.
    """
    if key_type is KeyType.ED25519:
        return text.encode()
    if key_type is KeyType.COSIGNATURE:
        return f"cosignature/v1\ntime {time}\n{text}".encode()
    tree = Checkpoint.parse(text)
    names = [each.encode() for each in (name, tree.origin)]
    if tree.body != text or any(len(octets) > LONGEST_NAME for octets in names):
        problem = "expected a checkpoint of three lines, with names of at most 255 octets"
        raise ParseError(problem, text, 0, "C2SP tlog-cosignature, ML-DSA-44 signed message")
    cosigner, origin = (bytes([len(octets)]) + octets for octets in names)
    return b"".join(
        (_SUBTREE, cosigner, _TIME.pack(time), origin, struct.pack(">QQ", 0, tree.size), tree.root)
    )
