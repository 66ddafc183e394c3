"""Check whose word a proof is: of a key, of logs and witnesses in a policy, of a time-stamp."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from permacite.archive.log import timestamps
from permacite.archive.log.bundles.framing import vouched
from permacite.archive.log.bundles.reports import Check
from permacite.archive.log.cosignature import split
from permacite.archive.log.policy import Policy, shown
from permacite.errors import ParseError, StorageError

if TYPE_CHECKING:
    from permacite.archive.log.bundles.framing import Signed
    from permacite.archive.log.keys import Verifier
    from permacite.archive.log.note import Note

__all__ = ["checked_stamp", "checked_trust"]

_YEAR_10000 = 253_402_300_800


def checked_trust(signed: Signed, key: Verifier | None, policy: Policy | None) -> list[Check]:
    """Return what the reader's key and policy say of the checkpoint, as checks "key" and "policy".

    None at all where neither is given: anyone could have made the proof. Raises StorageError where
    a signature of the kind cannot be checked here.
    """
    checks: list[Check] = []
    if key is not None:
        told = f"signed by {signed.verifier}, expected {key.label}"
        checks.append(Check("key", vouched(signed, key), told))
    if policy is not None:
        checks.append(_by_policy(signed.note, policy, key))
    return checks


def _by_policy(note: Note, policy: Policy, key: Verifier | None) -> Check:
    """Say whether a checkpoint counts under a policy, and who signed it."""
    verdict = policy.judge(note, key)
    if verdict.log is None or not verdict.ok:
        return Check("policy", ok=False, detail=verdict.fault)
    told = [shown(name) + _when(policy.witnesses[name], note) for name in verdict.witnesses]
    witnesses = f", cosigned by {', '.join(told)}" if told else ""
    return Check("policy", ok=True, detail=f"signed by {verdict.log.label}{witnesses}")


def _when(witness: Verifier, note: Note) -> str:
    """Return the time at which a witness says that it cosigned, in brackets; "" for none."""
    time, _ = split(witness.key_type, witness.signatures(note)[0])
    if not 0 < time < _YEAR_10000:
        return ""
    return f" ({datetime.fromtimestamp(time, UTC):%Y-%m-%d %H:%M:%S} UTC)"


def checked_stamp(
    response: bytes | None, note: str, roots: bytes | None
) -> tuple[datetime | None, list[Check]]:
    """Return the time that is stamped on the signed note, and what was checked of it.

    `roots` are the certificates of authorities that the caller trusts (PEM): without them, whose
    time-stamp it is stays open; with them, a proof without a time-stamp fails. Raises StorageError
    where `roots` are given and rfc3161-client is not installed, ParseError where they are none.
    """
    if response is None:
        missing = Check("timestamp", ok=False, detail="this proof bears no time-stamp")
        return None, [] if roots is None else [missing]
    try:
        stamp = timestamps.read(response)
    except ParseError as error:
        return None, [Check("timestamp", ok=False, detail=error.problem)]
    except StorageError as error:
        if roots is not None:
            raise
        return None, [Check("timestamp", ok=True, detail=f"not read: {error}")]
    fault = stamp.fault(note)
    if roots is not None:
        fault = fault or timestamps.fault_of(response, note, roots)
    when = f"{stamp.stamped_at:%Y-%m-%d %H:%M:%S} UTC"
    by = "an authority that nobody vouched for" if roots is None else "the authority that was given"
    return stamp.stamped_at, [Check("timestamp", not fault, fault or f"{when}, by {by}")]
