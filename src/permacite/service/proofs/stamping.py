"""Have an authority say when it saw the log, and keep its answer with the checkpoint (RFC 3161).

What leaves this machine is the SHA-256 of the signed checkpoint, and nothing of what is archived.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite import capture
from permacite.archive.log import timestamps
from permacite.errors import CaptureError, IntegrityError
from permacite.service.promises_model import StampedLog

if TYPE_CHECKING:
    from permacite.archive import Repository

__all__ = ["stamp"]

_LIMITS = capture.Limits(total_s=30, part_bytes=1_000_000)


def stamp(
    archive: Repository, authority: str, *, roots: bytes | None = None, allow_private: bool = False
) -> StampedLog:
    """Have the log, as it is now, stamped by the authority at an address, and keep the answer.

    With `roots`, certificates in PEM, the answer must be of an authority under them. Raises
    CaptureError where the authority cannot be asked, ParseError and IntegrityError where its
    answer is no time-stamp on the checkpoint, StorageError where rfc3161-client is missing.
    """
    note = archive.log.checkpoint()
    request = timestamps.Request.about(note)
    sent = capture.Sent(request.content, timestamps.MEDIA_TYPES[0])
    answer = capture.fetch(authority, limits=_LIMITS, allow_private=allow_private, sent=sent)
    if answer.media_type != timestamps.MEDIA_TYPES[1]:
        raise CaptureError(
            f"expected {timestamps.MEDIA_TYPES[1]}, the server answers {answer.content_type}",
            uri=authority,
            reason="type",
        )
    fault = "" if roots is None else timestamps.fault_of(answer.content, note, roots)
    if fault:
        raise IntegrityError(fault, expected="an authority under the certificate", actual="another")
    kept = archive.log.keep_timestamp(note, authority, answer.content, nonce=request.nonce)
    return StampedLog(
        size=int(note.split("\n")[1]),
        authority=authority,
        stamped_at=kept.stamped_at,
        checked=roots is not None,
    )
