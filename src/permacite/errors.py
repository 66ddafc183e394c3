"""Errors that permacite raises: plain data, a code for machines, a sentence for people.

Each class carries `code`, a short word that faces map to an exit status and an HTTP status, and
`details()`, its fields as plain values. No error holds an object of another package.
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "BusyError",
    "CaptureError",
    "ClosedError",
    "ConflictError",
    "DecodingError",
    "ErasedError",
    "IntegrityError",
    "LimitError",
    "NotFoundError",
    "ParseError",
    "PermaciteError",
    "RateError",
    "RestrictedError",
    "StorageError",
    "TokenError",
    "WithdrawnError",
]

Detail = str | int | tuple[str, ...] | None

_WINDOW = 60
"""How many characters of the source are shown on either side of the caret."""


class PermaciteError(Exception):
    """The root of all errors that permacite raises on purpose."""

    code: ClassVar[str] = "error"
    fields: ClassVar[tuple[str, ...]] = ()
    """The attributes that `details` reports."""

    def __init__(self, problem: str, *, hint: str = "") -> None:
        """`problem` says what was expected; `hint`, if any, what the user could do."""
        super().__init__(problem)
        self.problem = problem
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.problem} ({self.hint})" if self.hint else self.problem

    def details(self) -> dict[str, Detail]:
        """Return the fields beside `code` and `problem`, for JSON."""
        return {name: getattr(self, name) for name in self.fields}

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (type(self), self.args, self.__dict__)


def _restore(
    kind: type[PermaciteError], args: tuple[object, ...], state: dict[str, object]
) -> PermaciteError:
    """Rebuild a pickled error without calling its constructor."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class ParseError(PermaciteError, ValueError):
    """Text that a grammar does not allow.

    Fields: `problem` (what was expected), `source` (the text as the user gave it), `offset`
    (0-based index in `source` of the first character that cannot be right; `len(source)` where
    the text ends too early), `spec` (the rule, such as "RFC 5147 §3").
    """

    code = "syntax"
    fields = ("source", "offset", "spec")

    def __init__(
        self, problem: str, source: str, offset: int, spec: str = "", *, hint: str = ""
    ) -> None:
        super().__init__(problem, hint=hint)
        self.source = source
        self.offset = offset
        self.spec = spec

    def within(self, outer: str, start: int) -> ParseError:
        """Return the same error, placed in `outer`, where our source begins at `start`."""
        return ParseError(self.problem, outer, start + self.offset, self.spec, hint=self.hint)

    def __str__(self) -> str:
        rule = f" ({self.spec})" if self.spec else ""
        lines = [f"{self.problem} at {self.offset}{rule}", *_caret(self.source, self.offset)]
        if self.hint:
            lines.append(self.hint)
        return "\n".join(lines)


def _caret(source: str, offset: int) -> list[str]:
    """Return two lines: the source around `offset`, and a caret below the place."""
    start = max(0, offset - _WINDOW)
    shown = source[start : offset + _WINDOW]
    # A control character (a line break above all) would move the caret: one mark stands for each.
    visible = "".join(character if character.isprintable() else "\ufffd" for character in shown)
    lead = "..." if start else ""
    tail = "..." if offset + _WINDOW < len(source) else ""
    return [f"  {lead}{visible}{tail}", "  " + " " * (len(lead) + offset - start) + "^"]


class NotFoundError(PermaciteError, LookupError):
    """A well-formed name that nothing here answers to.

    Fields: `name`, `candidates` (the nearest things that do exist, best first; may be empty).
    """

    code = "not-found"
    fields: ClassVar[tuple[str, ...]] = ("name", "candidates")

    def __init__(
        self, problem: str, name: str, *, candidates: tuple[str, ...] = (), hint: str = ""
    ) -> None:
        super().__init__(problem, hint=hint)
        self.name = name
        self.candidates = candidates


class RestrictedError(NotFoundError):
    """A name that is known, and whose octets are not given out; the kinds say why.

    Fields: `name` (as asked), `status` (as in HTTP), `reason` (a code from a list),
    `candidates` (other formats of the same version that are given out).
    """

    fields: ClassVar[tuple[str, ...]] = ("name", "status", "reason", "candidates")

    def __init__(
        self, problem: str, name: str, *, status: int, reason: str, candidates: tuple[str, ...] = ()
    ) -> None:
        super().__init__(problem, name, candidates=candidates)
        self.status = status
        self.reason = reason


class WithdrawnError(RestrictedError):
    """What was withdrawn (410, or 451 for legal reasons): the name stays (PDI §2.1)."""

    code = "withdrawn"


class ErasedError(RestrictedError):
    """What was erased (410): nothing is left but the name, and that and why it was done."""

    code = "erased"


class ClosedError(RestrictedError):
    """What is not open to all (403); `reason` is "closed", "embargo" or "building"."""

    code = "closed"


class IntegrityError(PermaciteError):
    """Bytes that are not those which were committed. Fields: `expected`, `actual` (digests)."""

    code = "integrity"
    fields = ("expected", "actual")

    def __init__(self, problem: str, *, expected: str, actual: str, hint: str = "") -> None:
        super().__init__(problem, hint=hint)
        self.expected = expected
        self.actual = actual


class ConflictError(PermaciteError):
    """A request that would change what is committed. Field: `name`."""

    code = "conflict"
    fields = ("name",)

    def __init__(self, problem: str, name: str, *, hint: str = "") -> None:
        super().__init__(problem, hint=hint)
        self.name = name


class LimitError(PermaciteError):
    """A limit was reached before the work was done. Fields: `limit` (its name), `maximum`."""

    code = "limit"
    fields = ("limit", "maximum")

    def __init__(self, problem: str, *, limit: str, maximum: int, hint: str = "") -> None:
        super().__init__(problem, hint=hint)
        self.limit = limit
        self.maximum = maximum


class DecodingError(PermaciteError):
    """A picture, a sound or a video that is broken, or in none of the formats that are read."""

    code = "undecodable"


class BusyError(PermaciteError):
    """Too much is asked for at once; the same may be asked later. Field: `retry_after_s`."""

    code = "busy"
    fields = ("retry_after_s",)

    def __init__(self, problem: str, *, retry_after_s: int, hint: str = "") -> None:
        super().__init__(problem, hint=hint)
        self.retry_after_s = retry_after_s


class RateError(BusyError):
    """A token has had its share for now."""

    code = "rate"


class CaptureError(PermaciteError):
    """A page that could not be fetched. Fields: `uri`, `reason` (one word: see `capture`).

    `status` is that of the answer, where the server gave one.
    """

    code = "capture"
    fields = ("uri", "reason")

    def __init__(
        self, problem: str, *, uri: str, reason: str, hint: str = "", status: int | None = None
    ) -> None:
        super().__init__(problem, hint=hint)
        self.uri = uri
        self.reason = reason
        self.status = status

    def __str__(self) -> str:
        told = super().__str__()
        return told if self.uri in told else f"{self.uri}: {told}"


class StorageError(PermaciteError):
    """The archive itself cannot serve: missing, locked, full, damaged, or of a newer schema.

    Fields: `path`, `reason` ("missing" "locked" "full" "newer" "not-an-archive" "damaged"
    "unfinished" "clock" "closed" "away" "versioned" "other-store" "lost"
    "io").
    """

    code = "storage"
    fields = ("path", "reason")

    def __init__(self, problem: str, *, path: str, reason: str, hint: str = "") -> None:
        super().__init__(problem, hint=hint)
        self.path = path
        self.reason = reason


class TokenError(PermaciteError):
    """A token that does not let its bearer do what is asked.

    Field: `reason` ("missing" "unknown" "scope" "series").
    """

    code = "token"
    fields = ("reason",)

    def __init__(self, problem: str, *, reason: str, hint: str = "") -> None:
        super().__init__(problem, hint=hint)
        self.reason = reason

    @property
    def is_unknown(self) -> bool:
        """Whether there is no valid token, so that another one may help."""
        return self.reason in {"missing", "unknown"}
