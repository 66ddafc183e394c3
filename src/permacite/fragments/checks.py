"""Integrity checks of an entity: what became of them, and new ones.

URI Fragment Identifiers for the text/plain Media Type (RFC 5147)

| section | function |
|---|---|
| §2.3 checks for another charset, transcoding | checked |
| §3.1 length and md5 | check_of |
| §4.4 unknown checks | checked |

Deviations: none.

Readings:
- `length` counts characters as positions do: no byte order mark, a line ending as one. Transcoding
  leaves it as it is.
- `md5` is taken over the bytes of the entity as they are, byte order mark and all.
- Nothing tells whether an entity in another charset began with a byte order mark, nor in which
  byte order it was: a transcoded entity has every such form, and a check that fits one is right.
- What cannot be transcoded (bytes that are no characters, or characters that the other charset
  lacks) cannot be checked there: the check counts as one for another charset.
"""

from __future__ import annotations

import codecs
import hashlib
from typing import TYPE_CHECKING

from permacite import charsets
from permacite.errors import ParseError
from permacite.fragments import rfc5147
from permacite.fragments.location import Check

if TYPE_CHECKING:
    from collections.abc import Iterable

    from permacite.text.entity import Entity
    from permacite.text.reading import Reader

__all__ = ["check_of", "checked"]


def checked(
    entity: Entity, checks: Iterable[rfc5147.IntegrityCheck], *, run: bool, transcode: bool
) -> tuple[Check, ...]:
    """Evaluate all checks (§3.1, §4.4); those for another charset only if `transcode` (§2.3)."""
    transcoded: dict[str, tuple[str, ...]] = {}
    answers = []
    for check in checks:
        charset = check.charset or entity.charset.label
        elsewhere = not charsets.same(charset, entity.charset.label)
        if not check.known:
            answers.append(Check(check.name, "unknown", check.value))
        elif elsewhere and not transcode:
            answers.append(Check(check.name, "other-charset", check.value))
        elif not run:
            answers.append(Check(check.name, "not-run", check.value))
        elif not elsewhere:
            answers.append(_compared(entity, check, (entity.md5,) if check.name == "md5" else ()))
        else:
            if charset not in transcoded:
                transcoded[charset] = _fingerprints(entity.reader, charset)
            answers.append(_compared_elsewhere(entity, check, transcoded[charset]))
    return tuple(answers)


def _compared(entity: Entity, check: rfc5147.IntegrityCheck, md5s: tuple[str, ...]) -> Check:
    """Compare a check with the length, or with each of the fingerprints."""
    is_length = check.name == "length"
    expected = check.value.lstrip("0") or "0" if is_length else check.value.lower()
    actual = (str(entity.length),) if is_length else md5s
    if expected in actual:
        return Check(check.name, "ok", check.value, expected)
    return Check(check.name, "failed", check.value, actual[0])


def _compared_elsewhere(
    entity: Entity, check: rfc5147.IntegrityCheck, md5s: tuple[str, ...]
) -> Check:
    """Compare a check for another charset; without fingerprints the entity is not to be had so."""
    if not md5s:
        return Check(check.name, "other-charset", check.value)
    compared = _compared(entity, check, md5s)
    return Check(
        compared.name, compared.result, compared.expected, compared.actual, transcoded=True
    )


def _fingerprints(reader: Reader, label: str) -> tuple[str, ...]:
    """Return the MD5 fingerprints of the entity in another charset, of each form that it has there.

    Reads the entity once, in constant memory. Empty where it cannot be transcoded.
    """
    try:
        forms = charsets.resolve(label).forms()
    except ParseError:
        return ()
    hashes = [hashlib.md5(mark, usedforsecurity=False) for mark, _ in forms]
    encoders = {codec: codecs.getincrementalencoder(codec)() for _, codec in forms}
    try:
        for block in reader.blocks():
            if block.invalid:
                return ()
            octets = {
                codec: encoder.encode(block.text, block.last) for codec, encoder in encoders.items()
            }
            for hashing, (_, codec) in zip(hashes, forms, strict=True):
                hashing.update(octets[codec])
    except UnicodeError:
        return ()
    return tuple(hashing.hexdigest() for hashing in hashes)


def check_of(entity: Entity, name: str) -> rfc5147.IntegrityCheck:
    """Make the check of that name (§3.1), with the charset where the syntax can say it.

    Raises ValueError for a check that RFC 5147 does not define.
    """
    label = entity.charset.label
    charset = label if rfc5147.is_mime_charset(label) else None
    if name == "length":
        return rfc5147.IntegrityCheck(name, str(entity.length), charset)
    if name == "md5":
        return rfc5147.IntegrityCheck(name, entity.md5, charset)
    raise ValueError("checks: expected 'length' or 'md5'")
