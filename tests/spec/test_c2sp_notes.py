"""Signed notes, checkpoints and proofs as texts (C2SP signed-note, tlog-checkpoint, tlog-proof)."""

from __future__ import annotations

import base64
import contextlib
import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from permacite.archive.log.bundles.checking import check_proof
from permacite.archive.log.keys import Signer, Verifier
from permacite.archive.log.note import Checkpoint, Note, parse_proof, proof_text
from permacite.errors import ParseError

pytest.importorskip("cryptography", reason="signatures need it")

# The example of signed-note: an independent signature over an independent text.
NOTE = """\
Ognuno sta solo sul cuor della terra
trafitto da un raggio di sole:

ed è subito sera.

— quasimodo.example/salvatore \
NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=
"""


def test_c2sp_signed_note_reads_the_published_example() -> None:
    note = Note.parse(NOTE)
    assert note.text.endswith("\n\ned è subito sera.\n")
    (signature,) = note.signatures
    assert signature.name == "quasimodo.example/salvatore"
    assert (signature.key_id.hex(), len(signature.signature)) == ("367ba04b", 64)


BAD_NOTES = [
    ("no-blank-line", "text\n— a AAAAAAA=\n"),
    ("no-last-newline", "text\n\n— a AAAAAAA="),
    ("no-signature", "text\n\n\n"),
    ("no-dash", "text\n\n- a AAAAAAA=\n"),
    ("no-name", "text\n\n—  AAAAAAA=\n"),
    ("plus-in-name", "text\n\n— a+b AAAAAAA=\n"),
    ("bad-base64", "text\n\n— a AAAA\u00e9AA=\n"),
    ("key-id-alone", "text\n\n— a AAAAAA==\n"),
    ("control-character", "te\txt\n\n— a AAAAAAA=\n"),
    ("half-a-surrogate-pair", "te\udc8axt\n\n— a AAAAAAA=\n"),
    ("half-a-surrogate-pair-in-a-name", "text\n\n— a\udc8a AAAAAAA=\n"),
    ("too-long", "x" * 500_001),
]


@pytest.mark.parametrize("source", [row[1] for row in BAD_NOTES], ids=[row[0] for row in BAD_NOTES])
def test_c2sp_signed_note_refuses(source: str) -> None:
    with pytest.raises(ParseError):
        Note.parse(source)


def test_c2sp_keys_sign_and_verify_in_the_texts_of_sumdb_note() -> None:
    # RFC 8032 §7.1, TEST 1: the key of the seed, and its signature of nothing.
    seed = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    public = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    identifier = hashlib.sha256(b"example.com/log\n\x01" + public).hexdigest()[:8]
    encoded = base64.b64encode(b"\x01" + public).decode()
    private = base64.b64encode(b"\x01" + seed).decode()
    signer = Signer.parse(f"PRIVATE+KEY+example.com/log+{identifier}+{private}")
    assert str(signer.verifier) == f"example.com/log+{identifier}+{encoded}"
    assert Verifier.parse(str(signer.verifier)) == signer.verifier
    assert Signer.parse(signer.text) == signer
    note = Note.parse(signer.sign("one\ntwo\n"))
    assert signer.verifier.verifies(note)
    assert not signer.verifier.verifies(Note("one\n", note.signatures))
    assert not Signer.make("example.com/log").verifier.verifies(note)
    assert "9d61" not in repr(signer)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a+00+",
        "a+00000000+AAAA",
        "a+zz+AQ==",
        "a+00000000+" + "A" * 44,
        "a\udc8a+00000000+AQ==",
        "a+b",
    ],
)
def test_c2sp_keys_refuse_what_is_no_key(text: str) -> None:
    with pytest.raises(ParseError):
        Verifier.parse(text)


BAD_CHECKPOINTS = [
    "",
    "a\n",
    "a\n1\n",
    "a\n01\nAAAA\n",
    "a\n1\nAAAA\n",
    "a\n-1\n" + "A" * 43 + "=\n",
]


@pytest.mark.parametrize("text", BAD_CHECKPOINTS)
def test_c2sp_checkpoint_refuses(text: str) -> None:
    with pytest.raises(ParseError):
        Checkpoint.parse(text)


def test_c2sp_checkpoint_round_trip_passes_over_extension_lines() -> None:
    checkpoint = Checkpoint("example.com/log", 5, bytes(range(32)))
    assert Checkpoint.parse(checkpoint.body) == checkpoint
    assert Checkpoint.parse(checkpoint.body + "an extension\n") == checkpoint


def test_c2sp_tlog_proof_round_trip_with_and_without_extra() -> None:
    text = proof_text(7, [bytes(32), b"x" * 32], "origin\n8\nroot\n\n— a AAAA\n")
    assert parse_proof(text) == (7, [bytes(32), b"x" * 32], "origin\n8\nroot\n\n— a AAAA\n")
    extra = text.replace("index 7", "extra AAAA\nindex 7")
    assert parse_proof(extra) == parse_proof(text)
    for bad in ("", "x\n\n", text.replace("index 7", "index 07"), text.replace("AAAA", "AA", 1)):
        with pytest.raises(ParseError):
            parse_proof(bad)


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=60), st.binary(max_size=60))
def test_c2sp_any_text_parses_or_raises_parse_error(text: str, data: bytes) -> None:
    for read in (Note.parse, Checkpoint.parse, parse_proof, Verifier.parse, Signer.parse):
        with contextlib.suppress(ParseError):
            read(text)
    with contextlib.suppress(ParseError):
        check_proof(data)
