"""Defects by code, and limits, of reading a message."""

from __future__ import annotations

from permacite.lazy_dataclass import dataclass

__all__ = ["DEFECTS", "Defect", "Limits"]

DEFECTS: dict[str, tuple[str, str]] = {
    # code: (rule, what it means)
    "envelope-line": ("RFC 5322 §2.1", "something stands before the first field"),
    "bad-field": ("RFC 822 §3.2", "a line of the heading is not a field"),
    "heading-not-ended": ("RFC 822 §3.1", "no empty line ends the heading"),
    "heading-too-long": ("limit", "the heading is longer than the limit; the rest is body"),
    "duplicate-field": ("RFC 2045 §3", "a field stands twice; the first counts"),
    "bad-content-type": ("RFC 2045 §5.1", "the media type is malformed; text/plain is assumed"),
    "no-boundary": ("RFC 2046 §5.1.1", "a multipart names no boundary"),
    "bad-boundary": ("RFC 2046 §5.1.1", "a boundary has 1 to 70 characters of a small set"),
    "boundary-reused": ("RFC 2046 §5.1.2", "a nested multipart has the boundary of an outer one"),
    "no-parts": ("RFC 2046 §5.1.1", "no delimiter stands in a multipart; it is read as one part"),
    "not-closed": ("RFC 2046 §5.1.1", "the closing delimiter of a multipart is missing"),
    "too-deep": ("limit", "parts are nested deeper than the limit; this one is not opened"),
    "multipart-encoded": ("RFC 2045 §6.4", "a multipart has a transfer encoding; it is ignored"),
    "message-encoded": ("RFC 2046 §5.2.1", "a message has a transfer encoding; it is not opened"),
    "content-encoding": ("RFC 2557 §10", "Content-Encoding is of HTTP, not of MIME"),
    "content-base": ("RFC 2557 §12", "Content-Base was removed; it is understood"),
    "label-twice": ("RFC 2557 §4.2", "a heading has two Content-Locations; the first counts"),
    "label-empty": ("RFC 2557 §4.1", "the Content-Location is empty"),
    "label-note": ("RFC 2557 §4.1", "words follow the URI after a semicolon; they are left out"),
    "label-space": ("RFC 2557 §4.4.1", "the Content-Location holds a raw space"),
    "label-illegal": ("RFC 2557 §4.4.1", "the Content-Location holds characters no URI may hold"),
    "label-words": ("RFC 2047 §5", "an encoded word stands inside another word"),
    "cl-cid": (
        "RFC 2557 §8.3",
        "a cid: URI in Content-Location is no label, and there is no Content-ID",
    ),
    "bad-content-id": ("RFC 2045 §7", "a Content-ID stands in angle brackets"),
    "duplicate-id": ("RFC 2557 §7", "two parts have one Content-ID; the first wins"),
    "duplicate-label": ("RFC 2557 §7", "two labels resolve to one URI; the first part wins"),
    "no-type": ("RFC 2387 §3.1", "a multipart/related names no type"),
    "type-differs": ("RFC 2387 §3.1", "the root is not of the declared type"),
    "start-unknown": ("RFC 2387 §3.2", "start names no part; the first is the root"),
    "start-brackets": ("RFC 2387 §3.2", "start has no angle brackets"),
    "outside-related": ("RFC 2557 §7", "the parts are not inside one multipart/related"),
    "unknown-encoding": ("RFC 2045 §6.4", "the transfer encoding is unknown; octets stay"),
    "bad-base64": ("RFC 2045 §6.8", "a character is not of the base64 alphabet"),
    "short-base64": ("RFC 2045 §6.8", "the base64 text ends within a group of four"),
    "bad-quoted-printable": ("RFC 2045 §6.7", "an = is followed by no two hexadecimal digits"),
    "decoded-too-long": ("limit", "the decoded content is larger than the limit"),
    "charset-differs": ("RFC 2557 §10", "heading and content declare different charsets"),
    "content-differs": ("RFC 2046 §1", "the content is not of the declared media type"),
}
"""Every code a defect may have."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Where reading stops. Reaching `parts` or `decoded_bytes` raises LimitError.

    What is deeper than `depth`, or a heading longer than `heading_bytes`, is a defect of one part.
    """

    depth: int = 64
    parts: int = 100_000
    heading_bytes: int = 256 * 1024
    decoded_bytes: int = 1024**3
    """Of one part."""


@dataclass(frozen=True, slots=True)
class Defect:
    """A fault that was tolerated. `code` is a key of `DEFECTS`.

    `offset` counts the file's octets from 0; `path` is the part's number, "" for the message.
    """

    code: str
    offset: int
    path: str = ""
    detail: str = ""

    @property
    def spec(self) -> str:
        """The rule that was broken."""
        return DEFECTS[self.code][0]

    @property
    def problem(self) -> str:
        """What is wrong, in words."""
        meaning = DEFECTS[self.code][1]
        return f"{meaning} ({self.detail})" if self.detail else meaning

    def __str__(self) -> str:
        part = f"part {self.path}: " if self.path else ""
        return f"{self.code} at {self.offset}: {part}{self.problem} [{self.spec}]"
