"""Check a proof bundle offline: octets or absence, entry, way to the root, signature, cited words.

What holds is worth as much as the key that signed it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from permacite import pdi as grammar
from permacite.archive.entries import CITATION, FORMAT, disclosed, opened, read, tokens
from permacite.archive.log.bundles.absence import absent, day_of
from permacite.archive.log.bundles.framing import (
    NEEDED,
    Signed,
    cites_entry,
    inclusion,
    others,
    signature,
    signed_part,
)
from permacite.archive.log.bundles.members import CONTENT, SPEC, members
from permacite.archive.log.bundles.quoting import Cited, checked_quote
from permacite.archive.log.bundles.reports import Check, ProofReport
from permacite.archive.log.bundles.trusting import checked_stamp, checked_trust
from permacite.archive.log.keys import Verifier
from permacite.archive.log.policy import Policy
from permacite.archive.objects import digest_of
from permacite.errors import ParseError

if TYPE_CHECKING:
    from permacite.extract import Decode

__all__ = ["check_proof"]

_NAMES = "names.txt"
_CITATION = "citation.json"
_CITATION_PROOF = "citation.tlog-proof"
_CITATION_OPENING = "citation-opening.json"
_CITED = (_CITATION, _CITATION_PROOF, _CITATION_OPENING)
_OPENING = "opening.json"
_STAMP = "timestamp.tsr"


def check_proof(
    data: bytes,
    public_key: str | None = None,
    *,
    policy: bytes | None = None,
    tsa_roots: bytes | None = None,
    decode: Decode | None = None,
    max_bytes: int = 1 << 30,
) -> ProofReport:
    """Check a proof bundle, without any archive or network.

    `public_key` is the key text that the archive publishes ("<name>+<id>+<base64>"), `policy` a
    file that tells which logs count, and whose witness they need (C2SP tlog-policy). With either,
    the bundle proves what it says if every check passed; without, anyone could have made it. A
    policy that names no log needs the key as well.
    `tsa_roots` are certificates (PEM) of authorities whose time-stamp the bundle must bear.
    `decode` cuts pictures, sound and video, as in `extract`.

    Raises ParseError where `data` is no bundle, LimitError where it unpacks to more than
    `max_bytes`, StorageError where time-stamps cannot be checked here.
    """
    files = _files(data, max_bytes)
    pdi = _name(files["name.txt"])
    signed = signed_part(files)
    key = None if public_key is None else Verifier.parse(public_key)
    rule = None if policy is None else Policy.parse(policy)
    cited = None
    if CONTENT in files:
        entry, checks, cited = _held(files, signed, pdi, decode)
        time, digest = entry.get("committed_at"), digest_of(files[CONTENT])
        checked = {CONTENT, _OPENING, *(_CITED if _CITATION in files else ())}
    else:
        entry = day_of(files["leaf.json"], pdi)
        checks = [absent(pdi, entry, files[_NAMES])]
        time, digest, checked = entry.get("sealed_at"), digest_of(files[_NAMES]), {_NAMES}
    name = str(pdi)
    stamped_at, stamps = checked_stamp(files.get(_STAMP), signed.own_note, tsa_roots)
    checked.add(_STAMP)
    frame = [inclusion(files["leaf.json"], signed), signature(signed)]
    frame.append(others(files, signed, name, checked=checked))
    trust = checked_trust(signed, key, rule)
    return ProofReport(
        name=name,
        absent=CONTENT not in files,
        digest=digest,
        committed_at=str(time),
        origin=signed.checkpoint.origin,
        tree_size=signed.checkpoint.size,
        root=signed.checkpoint.root,
        key=str(signed.verifier),
        trusted=bool(trust) and all(one.ok for one in trust),
        stamped_at=stamped_at,
        reference=None if cited is None else cited.reference,
        quote=None if cited is None else cited.quote,
        checks=(checks[0], *frame, *trust, *checks[1:], *stamps),
    )


def _files(data: bytes, max_bytes: int) -> dict[str, bytes]:
    """Return the files of a bundle. Raises ParseError, LimitError."""
    files = members(data, max_bytes=max_bytes)
    for name in NEEDED:
        if name not in files:
            raise ParseError(f"a proof bundle holds {name}", "(a zip file)", 0, SPEC)
    if CONTENT not in files and _NAMES not in files:
        raise ParseError(f"a proof bundle holds {CONTENT} or {_NAMES}", "(a zip file)", 0, SPEC)
    return files


def _name(content: bytes) -> grammar.PDI:
    """Return the name in name.txt. Raises ParseError."""
    text = content.decode("utf-8", "replace").strip()
    found = grammar.parse(text)
    if not isinstance(found, grammar.PDI):
        raise ParseError("expected the name of a document", text, 0, SPEC)
    return found


def _held(
    files: dict[str, bytes], signed: Signed, pdi: grammar.PDI, decode: Decode | None
) -> tuple[dict[str, object], list[Check], Cited | None]:
    """Return the entry, what was checked of octets and words, and what is cited."""
    entry, described, fault = _entry(files, pdi)
    checks = [_content(files[CONTENT], described)]
    if _OPENING in files:
        checks.append(Check("opening", not fault, fault or f"{_OPENING}, as the entry commits"))
    if _CITATION not in files:
        return entry, checks, None
    logged = _CITATION_PROOF in files
    cited = checked_quote(
        _cited(files),
        files[CONTENT],
        str(pdi),
        described=described,
        logged=logged,
        decode=decode,
    )
    fault = cited.fault
    if logged and not cites_entry(files, signed):
        fault = fault or "citation.json is no entry of the log"
    checks.append(Check("quote", not fault, fault or str(cited.reference)))
    return entry, checks, cited


def _entry(
    files: dict[str, bytes], pdi: grammar.PDI
) -> tuple[dict[str, object], dict[str, object], str]:
    """Return a log entry, what it says of the format that `pdi` names, and a fault or "".

    Raises ParseError where the entry is about something else.
    """
    problem = f"expected a log entry about {pdi}"
    try:
        entry = read(files["leaf.json"])
        about = grammar.parse(str(entry["name"])), entry["version"]
        described = [one for one in entry.get("formats", ()) if one["format"] == pdi.format]
    except (ValueError, LookupError, TypeError) as error:
        raise ParseError(f"{problem}: {error}", "(leaf.json)", 0, SPEC) from error
    if about != (pdi.document, pdi.version) or tokens(entry).count(str(pdi.format)) != 1:
        raise ParseError(problem, "(leaf.json)", 0, SPEC)
    if described:
        return entry, dict(described[0]), f"what {_OPENING} opens is in clear"
    try:
        told = opened(entry, f"{FORMAT}{pdi.format}", files.get(_OPENING, b""))
    except ValueError as error:
        return entry, {}, str(error)
    same = told.get("format") == pdi.format
    return entry, told, "" if same else f"{_OPENING} is about the format {told.get('format')}"


def _cited(files: dict[str, bytes]) -> object:
    """Return what is said of the citation; None where it cannot be read."""
    try:
        if _CITATION_OPENING not in files:
            return json.loads(files[_CITATION])
        return disclosed(read(files[_CITATION]), {CITATION: files[_CITATION_OPENING]})
    except (ValueError, RecursionError):
        return None


def _content(content: bytes, described: dict[str, object]) -> Check:
    """Compare the octets with what the entry says of them."""
    digest, size = digest_of(content), len(content)
    recorded = described.get("digest"), described.get("size_bytes")
    told = f"{digest}, {size} bytes; the entry says {recorded[0]}, {recorded[1]} bytes"
    return Check("content", (digest, size) == recorded, told)
