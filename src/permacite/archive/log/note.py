"""Signed notes and checkpoints: a few lines of text that name a tree and who vouches for it.

C2SP signed-note and tlog-checkpoint (c2sp.org):
  signed-note, Format        -> `signed`, `Note.parse`
  signed-note, Signatures    -> `key_id`
  tlog-checkpoint, Note text -> `Checkpoint.body`, `Checkpoint.parse`
  tlog-proof, Format         -> `proof_text`, `parse_proof`

Deviations: none.
Readings: at most 64 signatures are read, and 500 kB of text; both are far beyond what is in use.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import TYPE_CHECKING, Self

from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "HASH_BYTES",
    "KEY_NAME",
    "SIZE",
    "Checkpoint",
    "Note",
    "Signature",
    "decoded",
    "key_id",
    "parse_proof",
    "proof_text",
    "signed",
]

_DASH = "\u2014 "
KEY_NAME = compile_pattern("[^\\s+\ud800-\udfff]++")
"""No white space, no plus (signed-note, Format), and nothing that UTF-8 cannot say."""
_NOT_IN_NOTES = compile_pattern("[\x00-\x09\x0b-\x1f\ud800-\udfff]")
SIZE = compile_pattern(r"0|[1-9][0-9]{0,17}")
"""How many entries a log has."""
HASH_BYTES = 32
_ID_BYTES = 4
_MAX_SIGNATURES = 64
_MAX_CHARACTERS = 500_000
_PROOF = "c2sp.org/tlog-proof@v1"


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature line: who signed, with which key, and what."""

    name: str
    key_id: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class Note:
    """Text, with its last newline, and the signatures below it."""

    text: str
    signatures: tuple[Signature, ...]

    @classmethod
    def parse(cls, source: str) -> Self:
        """Read a signed note. Raises ParseError."""
        spec = "C2SP signed-note, Format"
        if len(source) > _MAX_CHARACTERS:
            raise ParseError("expected a note of less than 500 kB", source, _MAX_CHARACTERS, spec)
        bad = _NOT_IN_NOTES.search(source)
        if bad is not None:
            raise ParseError("a note is UTF-8 without controls", source, bad.start(), spec)
        start = source.rfind("\n\n")
        if start < 0 or not source.endswith("\n"):
            raise ParseError("expected a blank line and signatures", source, len(source), spec)
        return cls(source[: start + 1], tuple(_signatures(source, start + 2)))

    def signed_by(self, name: str) -> str:
        """Return the note with the signatures of the keys of one name alone."""
        return signed(
            self.text, [signature for signature in self.signatures if signature.name == name]
        )


def _signatures(source: str, start: int) -> list[Signature]:
    """Read the signature lines from offset `start` on."""
    spec = "C2SP signed-note, Signatures"
    signatures: list[Signature] = []
    for line in source[start:-1].split("\n"):
        name, _, encoded = line.removeprefix(_DASH).partition(" ")
        data = decoded(encoded)
        wrong = not line.startswith(_DASH) or not KEY_NAME.fullmatch(name)
        if wrong or data is None or len(data) <= _ID_BYTES or len(signatures) == _MAX_SIGNATURES:
            raise ParseError("expected a signature line", source, start, spec)
        signatures.append(Signature(name, data[:_ID_BYTES], data[_ID_BYTES:]))
        start += len(line) + 1
    return signatures


def signed(text: str, signatures: Sequence[Signature]) -> str:
    """Return the note with these signatures below `text`, which ends in a newline."""
    lines = [
        f"{_DASH}{line.name} {base64.b64encode(line.key_id + line.signature).decode()}\n"
        for line in signatures
    ]
    return f"{text}\n{''.join(lines)}"


def key_id(name: str, key_type: int, public_key: bytes) -> bytes:
    """Return the four octets that name a key in a signature line."""
    return hashlib.sha256(name.encode() + b"\n" + bytes([key_type]) + public_key).digest()[:4]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A tree head: how many leaves the log of `origin` has, and the hash over them."""

    origin: str
    size: int
    root: bytes

    @property
    def body(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the text of a checkpoint; extension lines are passed over. Raises ParseError."""
        spec = "C2SP tlog-checkpoint, Note text"
        lines = text.split("\n")
        if len(lines) <= len(("origin", "size", "root")) or not all(lines[:-1]):
            raise ParseError("expected origin, size and root hash", text, len(text), spec)
        if not SIZE.fullmatch(lines[1]):
            raise ParseError("expected the tree size", text, len(lines[0]) + 1, spec)
        root = decoded(lines[2])
        if root is None or len(root) != HASH_BYTES:
            offset = len(lines[0]) + len(lines[1]) + 2
            raise ParseError("expected a root hash in base64", text, offset, spec)
        return cls(lines[0], int(lines[1]), root)


def proof_text(index: int, hashes: Sequence[bytes], checkpoint: str) -> str:
    """Return an inclusion proof with its signed checkpoint (C2SP tlog-proof)."""
    lines = [_PROOF, f"index {index}", *(base64.b64encode(sibling).decode() for sibling in hashes)]
    return "\n".join(lines) + f"\n\n{checkpoint}"


def parse_proof(text: str) -> tuple[int, list[bytes], str]:
    """Return index, hashes and signed checkpoint of a proof (C2SP tlog-proof).

    Raises ParseError.
    """
    spec = "C2SP tlog-proof, Format"
    head, blank, checkpoint = text.partition("\n\n")
    if not blank:
        raise ParseError("expected a blank line and a checkpoint", text, len(text), spec)
    lines = head.split("\n")
    if lines[0] != _PROOF:
        raise ParseError(f"expected {_PROOF!r}", text, 0, spec)
    first = 2 if lines[1:2] and lines[1].startswith("extra ") else 1
    index = lines[first].removeprefix("index ") if first < len(lines) else ""
    offset = sum(len(line) + 1 for line in lines[:first])
    if not SIZE.fullmatch(index) or not lines[first].startswith("index "):
        raise ParseError("expected 'index' and a number", text, min(offset, len(text)), spec)
    hashes: list[bytes] = []
    for line in lines[first + 1 :]:
        offset = text.index(line, offset)
        sibling = decoded(line)
        if sibling is None or len(sibling) != HASH_BYTES or len(hashes) == _MAX_SIGNATURES:
            raise ParseError("expected a hash in base64", text, offset, spec)
        hashes.append(sibling)
    return int(index), hashes, checkpoint


def decoded(text: str) -> bytes | None:
    """The octets of standard base64, None where it is none."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
