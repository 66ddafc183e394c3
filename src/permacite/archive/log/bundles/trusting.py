"""Check whose word a proof is: of a key, or of the logs and witnesses in a policy."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from permacite.archive.log.bundles.framing import vouched
from permacite.archive.log.bundles.reports import Check
from permacite.archive.log.cosignature import split
from permacite.archive.log.policy import Policy, shown

if TYPE_CHECKING:
    from permacite.archive.log.bundles.framing import Signed
    from permacite.archive.log.keys import Verifier
    from permacite.archive.log.note import Note

__all__ = ["checked_trust"]

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
