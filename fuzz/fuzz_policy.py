"""Trust policies: any octets are a policy, which judges any checkpoint, or a told fault."""

from __future__ import annotations

from permacite.archive.log.keys import KeyType, Signer
from permacite.archive.log.note import Checkpoint, Note, signed
from permacite.archive.log.policy import Policy
from permacite.errors import LimitError, ParseError

_LOG = Signer("a.us/log", bytes(32))
_BODY = Checkpoint(_LOG.name, 7, bytes(32)).body
_WITNESSES = [
    Signer(f"w{number}.us", bytes([number]) * 32, KeyType.COSIGNATURE) for number in range(3)
]
_SIGNATURES = [one.signature(_BODY, time=1) for one in (_LOG, *_WITNESSES)]
_NOTE = Note.parse(signed(_BODY, _SIGNATURES))

_LINES = f"log {_LOG.verifier} https://a.us/\n" + "".join(
    f"witness w{number} {one.verifier}\n" for number, one in enumerate(_WITNESSES)
)

SEEDS: list[bytes] = [
    f"{_LINES}group g 2 w0 w1 w2\nquorum g\n".encode(),
    f"# a comment\n{_LINES}group g any w0\ngroup h all g w1\nquorum h\n".encode(),
    f"{_LINES}quorum none\n".encode(),
    b"quorum none\n",
    b"group \xff all \xff\n",
]


def target(data: bytes) -> None:
    """Read a policy, and judge a checkpoint by it: fewer signatures never count for more."""
    try:
        policy = Policy.parse(data)
    except (ParseError, LimitError):
        return
    counts = [
        policy.judge(Note(_NOTE.text, _NOTE.signatures[:number]), _LOG.verifier).ok
        for number in range(1, len(_NOTE.signatures) + 1)
    ]
    if counts != sorted(counts):
        raise AssertionError("a checkpoint counts with fewer signatures")
