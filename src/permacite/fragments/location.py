"""Location of a fragment in an entity, and the results of its integrity checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from permacite.text.entity import Span

__all__ = ["Check", "CheckResult", "Located", "Location", "Reason"]

CheckResult = Literal["ok", "failed", "other-charset", "unknown", "not-run"]


@dataclass(frozen=True, slots=True)
class Check:
    """What became of one integrity check (RFC 5147 §2.3, §4.4).

    `result` is "ok", "failed", "other-charset" (it was made for another, and is not used),
    "unknown" (of a kind that RFC 5147 does not define) or "not-run". `actual` is what the entity
    has; None where it was not computed. `transcoded` says that it is what the entity has in the
    charset that the check names (§2.3), where characters may have been lost: take "failed" with
    care.
    """

    name: str
    result: CheckResult
    expected: str = ""
    actual: str | None = None
    transcoded: bool = False


@dataclass(frozen=True, slots=True)
class Located:
    """Where one part of a draft-wilde-text-fragment-00 fragment is, or why it is ignored.

    `reason` is None, "order", "zero" (there is no character or line 0) or "regex" (which is not
    right). A part that matches nothing is "ok" and has no spans.
    """

    part: str
    status: Literal["ok", "ignored"]
    reason: Literal["order", "zero", "regex"] | None = None
    spans: tuple[Span, ...] = ()
    problem: str = ""


Reason = Literal["syntax", "order", "integrity"]


@dataclass(frozen=True, slots=True)
class Location:
    """Where a fragment is, or why it is not interpreted.

    `kind` tells a "position", for a cursor, from a "range", to be highlighted (RFC 5147 §2.1.1).
    `reason` is None, or "syntax", "order" or "integrity"; `problem` says it in a sentence. `notes`
    may hold "bom-stripped", "invalid-bytes" (seen as far as was read) and "forced", and warnings.
    The spans of a draft-wilde-text-fragment-00 fragment are its union: in order, and apart; `parts`
    tells what each of its parts names.
    """

    status: Literal["ok", "ignored"]
    reason: Reason | None = None
    spans: tuple[Span, ...] = ()
    checks: tuple[Check, ...] = ()
    problem: str = ""
    notes: tuple[str, ...] = ()
    kind: Literal["position", "range"] | None = None
    parts: tuple[Located, ...] = ()
