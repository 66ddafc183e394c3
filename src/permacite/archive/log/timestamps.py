"""Time-stamps of other authorities on a checkpoint: who else says when the log was like that.

Time-Stamp Protocol (RFC 3161), by the package rfc3161-client, imported when it is first needed:
  §2.4.1 Request Format  -> `Request`
  §2.4.2 Response Format -> `read`, `fault_of`
  §2.3 the TSA's certificate, and the signature -> `fault_of` with the authority's root

What is stamped is the SHA-256 of the signed note, its signatures included.

Deviations: none.
Readings: a response counts only if its status is "granted"; certificates must be valid at the time
that is stamped, not at the time of checking.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Self

from permacite.errors import ParseError, StorageError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from datetime import datetime
    from types import ModuleType

    from rfc3161_client import TimeStampResponse

__all__ = ["MEDIA_TYPES", "Request", "Stamp", "fault_of", "read", "roots_in"]

MEDIA_TYPES = ("application/timestamp-query", "application/timestamp-reply")
"""Of a request and of a response (RFC 3161 §3.4)."""

_SHA256 = "2.16.840.1.101.3.4.2.1"
_MAX_BYTES = 1_000_000
_SPEC = "RFC 3161 §2.4.2"


@dataclass(frozen=True, slots=True)
class Request:
    """A request for a time-stamp on a signed note, and the number that the answer must repeat."""

    content: bytes
    nonce: int | None

    @classmethod
    def about(cls, note: str) -> Self:
        """Make a request. Raises StorageError where rfc3161-client is not installed."""
        tsp = _tsp()
        builder = tsp.TimestampRequestBuilder().data(note.encode())
        complete = builder.hash_algorithm(tsp.HashAlgorithm.SHA256).cert_request(cert_request=True)
        request = complete.build()
        return cls(request.as_bytes(), request.nonce)


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a response says."""

    stamped_at: datetime
    imprint: bytes
    """The digest that is stamped."""
    algorithm: str
    """The object identifier of the digest's function."""
    nonce: int | None
    granted: bool

    def fault(self, note: str, *, nonce: int | None = None) -> str:
        """Say why this is no time-stamp on `note`, as an answer with `nonce`; "" where it is."""
        if not self.granted:
            return "the time-stamp was not granted"
        if self.algorithm != _SHA256 or self.imprint != hashlib.sha256(note.encode()).digest():
            return "the time-stamp is on something else"
        if nonce is not None and self.nonce != nonce:
            return "the time-stamp answers another request"
        return ""


def read(response: bytes) -> Stamp:
    """Read a TimeStampResp in DER. Raises ParseError, StorageError as `Request.about`."""
    answer = _decoded(response)
    try:
        info = answer.tst_info
        return Stamp(
            stamped_at=info.gen_time,
            imprint=bytes(info.message_imprint.message),
            algorithm=info.message_imprint.hash_algorithm.dotted_string,
            nonce=info.nonce,
            granted=answer.status == 0,
        )
    except Exception as error:
        raise ParseError(f"expected a time-stamp: {error}", "(a response)", 0, _SPEC) from error


def fault_of(response: bytes, note: str, roots: bytes) -> str:
    """Say why no authority under the certificates in `roots` (PEM) stamped `note`; "" if one did.

    Raises ParseError where `roots` holds no certificate, or `response` is none.
    """
    tsp = _tsp()
    verifier = tsp.VerifierBuilder(roots=roots_in(roots)).build()
    decoded = _decoded(response)
    try:
        verifier.verify_message(decoded, note.encode())
    except Exception as error:  # noqa: BLE001 - hostile certificates raise of every kind there
        return f"the time-stamp does not hold: {error}"
    return ""


def roots_in(pem: bytes) -> list[object]:
    """Return the certificates in a PEM file. Raises ParseError."""
    from cryptography.x509 import load_pem_x509_certificates

    try:
        return list(load_pem_x509_certificates(pem))
    except ValueError as error:
        problem = "expected the certificate of a time-stamp authority, in PEM"
        raise ParseError(problem, "(a file)", 0, "RFC 7468 §5") from error


def _decoded(response: bytes) -> TimeStampResponse:
    """Return a response as the package reads it. Raises ParseError."""
    tsp = _tsp()
    if len(response) > _MAX_BYTES:
        raise ParseError("expected a time-stamp of less than 1 MB", "(a response)", 0, _SPEC)
    try:
        answer: TimeStampResponse = tsp.decode_timestamp_response(response)
    except Exception as error:
        raise ParseError(f"expected a time-stamp: {error}", "(a response)", 0, _SPEC) from error
    return answer


def _tsp() -> ModuleType:
    """Return the package. Raises StorageError where it is not installed."""
    try:
        import rfc3161_client
    except ImportError as error:
        problem = "time-stamps need the package rfc3161-client"
        hint = "pip install permacite[timestamp]"
        raise StorageError(problem, path="rfc3161-client", reason="missing", hint=hint) from error
    return rfc3161_client
