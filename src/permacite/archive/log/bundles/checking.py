"""Check a proof bundle offline: octets or absence, entry, way to the root, signature, cited words.

What holds is worth as much as the key that signed it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite import pdi as grammar
from permacite.archive.canonical_json import canonical_json
from permacite.archive.entries import CITATION, FORMAT, disclosed, opened, read, tokens
from permacite.archive.log.bundles.tlog_proof import (
    NEEDED,
    Check,
    ProofReport,
    Signed,
    checked_stamp,
    checked_trust,
    cites_entry,
    inclusion,
    others,
    signature,
    signed_part,
)
from permacite.archive.log.keys import Verifier
from permacite.archive.log.plain_zip import CONTENT, SPEC, members
from permacite.archive.log.policy import Policy
from permacite.archive.name_tree import fault_of, read_places
from permacite.archive.objects.source import digest_of
from permacite.archive.records.days import names_in
from permacite.archive.texts import charset_of, document_text, is_of_first_rules
from permacite.errors import ParseError, PermaciteError
from permacite.renditions import printed_at, read_labels
from permacite.renditions.stored import LABELS
from permacite.scan import compile_pattern
from permacite.text import first_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from permacite.extract import Decode, Excerpt
    from permacite.pdi import PDI

__all__ = ["check_proof"]

_NAMES = "names.txt"
_PLACES = "places.json"
_CITATION = "citation.json"
_CITATION_PROOF = "citation.tlog-proof"
_CITATION_OPENING = "citation-opening.json"
_CITED = (_CITATION, _CITATION_PROOF, _CITATION_OPENING)
_OPENING = "opening.json"
_STAMP = "timestamp.tsr"
_LABELS = "labels.txt"
_CUT = compile_pattern("#char=([0-9]{1,15}),([0-9]{1,15})$")
_MEMBERS = frozenset({"reference", "quote", "before", "after"})


class _CitedPassage(NamedTuple):
    """The passage that a bundle cites, its words, and what is wrong with them or ""."""

    reference: str | None
    """None where it cannot be read."""
    quote: str | None
    fault: str


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
        checked = {CONTENT, _OPENING, _LABELS, *(_CITED if _CITATION in files else ())}
    else:
        entry = _day_of(files["leaf.json"], pdi)
        listing = _PLACES if _PLACES in files else _NAMES
        absent = _not_placed if _PLACES in files else _not_listed
        checks = [absent(pdi, entry, files[listing])]
        time, digest, checked = entry.get("sealed_at"), digest_of(files[listing]), {listing}
    name = str(pdi)
    stamped_at, stamps = checked_stamp(files.get(_STAMP), signed.own_note, tsa_roots)
    checked.add(_STAMP)
    frame = [inclusion(files["leaf.json"], signed), signature(signed)]
    frame.append(others(files, signed, name, checked=checked))
    trust = checked_trust(signed, key, rule)
    return ProofReport(
        name=name,
        absent=CONTENT not in files,
        versions=_versions(pdi, files.get(_PLACES)),
        digest=digest,
        committed_at=str(time),
        origin=signed.checkpoint.origin,
        tree_size=signed.checkpoint.size,
        root=signed.checkpoint.root,
        key=str(signed.verifier),
        trusted=bool(trust) and all(check.ok for check in trust),
        stamped_at=stamped_at,
        reference=None if cited is None else cited.reference,
        quote=None if cited is None else cited.quote,
        printed=None if cited is None else _printed(files, cited.reference),
        checks=(checks[0], *frame, *trust, *checks[1:], *stamps),
    )


def _files(data: bytes, max_bytes: int) -> dict[str, bytes]:
    """Return the files of a bundle. Raises ParseError, LimitError."""
    files = members(data, max_bytes=max_bytes)
    for name in NEEDED:
        if name not in files:
            raise ParseError(f"a proof bundle holds {name}", "(a zip file)", 0, SPEC)
    if files.keys().isdisjoint((CONTENT, _PLACES, _NAMES)):
        problem = f"a proof bundle holds {CONTENT}, {_PLACES} or {_NAMES}"
        raise ParseError(problem, "(a zip file)", 0, SPEC)
    return files


def _name(content: bytes) -> grammar.PDI:
    """Return the name in name.txt. Raises ParseError."""
    text = content.decode("utf-8", "replace").strip()
    name = grammar.parse(text)
    if not isinstance(name, grammar.PDI):
        raise ParseError("expected the name of a document", text, 0, SPEC)
    return name


def _held(
    files: dict[str, bytes], signed: Signed, pdi: grammar.PDI, decode: Decode | None
) -> tuple[dict[str, object], list[Check], _CitedPassage | None]:
    """Return the entry, what was checked of octets and words, and what is cited."""
    entry, described, fault = _entry(files, pdi)
    checks = [_content(files[CONTENT], described)]
    if _OPENING in files:
        checks.append(Check("opening", not fault, fault or f"{_OPENING}, as the entry commits"))
    if _LABELS in files:
        checks.append(_labels(files[_LABELS], described))
    if _CITATION not in files:
        return entry, checks, None
    logged = _CITATION_PROOF in files
    cited = _checked_quote(
        _said(files), files[CONTENT], str(pdi), described=described, logged=logged, decode=decode
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
        described = [
            described for described in entry.get("formats", ()) if described["format"] == pdi.format
        ]
    except (ValueError, LookupError, TypeError) as error:
        raise ParseError(f"{problem}: {error}", "(leaf.json)", 0, SPEC) from error
    if about != (pdi.document, pdi.version) or tokens(entry).count(str(pdi.format)) != 1:
        raise ParseError(problem, "(leaf.json)", 0, SPEC)
    if described:
        return entry, dict(described[0]), f"what {_OPENING} opens is in clear"
    try:
        format_ = opened(entry, f"{FORMAT}{pdi.format}", files.get(_OPENING, b""))
    except ValueError as error:
        return entry, {}, str(error)
    same = format_.get("format") == pdi.format
    return entry, format_, "" if same else f"{_OPENING} is about the format {format_.get('format')}"


def _said(files: dict[str, bytes]) -> object:
    """The members of the citation; None where it cannot be read."""
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
    detail = f"{digest}, {size} bytes; the entry says {recorded[0]}, {recorded[1]} bytes"
    return Check("content", (digest, size) == recorded, detail)


def _labels(content: bytes, described: Mapping[str, object]) -> Check:
    """Compare the labels with the digest that the entry says of them."""
    attachments = described.get("attachments")
    recorded = attachments.get(LABELS) if isinstance(attachments, dict) else None
    try:
        count = len(read_labels(content))
    except ParseError as error:
        return Check("labels", ok=False, detail=error.problem)
    detail = f"{count} labels, {digest_of(content)}; the entry says {recorded}"
    return Check("labels", digest_of(content) == recorded, detail)


def _printed(files: Mapping[str, bytes], reference: str | None) -> str | None:
    """Where the cited words stand, as the document numbers its own parts: "p. 17"."""
    found = _CUT.search(reference or "")
    if found is None or _LABELS not in files:
        return None
    try:
        printed = printed_at(read_labels(files[_LABELS]), int(found[1]), int(found[2]))
    except ParseError:
        return None
    return ", ".join(each.told for each in printed) or None


def _day_of(leaf: bytes, pdi: PDI) -> dict[str, object]:
    """Return the entry that seals the day in a name. Raises ParseError."""
    day = pdi.document.canonical().rpartition("/")[0]
    problem = f"expected the entry that seals {day}"
    try:
        entry = json.loads(leaf)
        said = (entry["kind"], entry["name"]) == ("day", day) and canonical_json(entry) == leaf
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise ParseError(problem, "(leaf.json)", 0, SPEC) from error
    if not said:
        raise ParseError(problem, "(leaf.json)", 0, SPEC)
    return dict(entry)


def _unique_id(pdi: PDI) -> str:
    return pdi.document.canonical().rpartition("/")[2]


def _not_placed(pdi: PDI, entry: dict[str, object], content: bytes) -> Check:
    """Say whether places in the tree of a sealed day leave none for a name, or for its version."""
    unique_id, size = _unique_id(pdi), entry.get("documents")
    try:
        places = read_places(content)
    except ValueError as error:
        return Check("absence", ok=False, detail=f"{_PLACES} cannot be read: {error}")
    if type(size) is not int or size < 0:
        return Check("absence", ok=False, detail="the entry does not tell how many names there are")
    fault = fault_of(places, unique_id, pdi.version, size=size, root=entry.get("tree"))
    versions = _versions(pdi, content)
    if versions is None:
        detail = f"no {unique_id} among {size} names of the day"
    else:
        detail = (
            f"no version {pdi.version} of {unique_id} when the day was sealed: it had {versions}"
        )
    return Check("absence", not fault, fault or detail)


def _versions(pdi: PDI, content: bytes | None) -> int | None:
    """How many versions the document has that is told in the place of an absent one, if any is."""
    try:
        places = [] if content is None else read_places(content)
    except ValueError:
        return None
    found = [place.document for place in places]
    same = [document for document in found if document.unique_id == _unique_id(pdi)]
    return same[0].versions if same else None


def _not_listed(pdi: PDI, entry: dict[str, object], names: bytes) -> Check:
    """Say whether a name is not among those of its sealed day, all of which are listed."""
    unique_id = _unique_id(pdi)
    if digest_of(names) != entry.get("names"):
        return Check("absence", ok=False, detail="names.txt is not the list that the entry tells")
    try:
        unique_ids = names_in(names)
    except ValueError:
        return Check("absence", ok=False, detail="names.txt is no sorted list of names")
    if len(unique_ids) != entry.get("documents"):
        return Check(
            "absence", ok=False, detail="names.txt has another length than the entry tells"
        )
    detail = f"{unique_id} among {len(unique_ids)} names of the day"
    if unique_id in unique_ids:
        return Check("absence", ok=False, detail=f"there is {detail}")
    return Check("absence", ok=True, detail=f"no {detail}")


def _checked_quote(
    said: Any,
    content: bytes,
    name: str,
    *,
    described: Mapping[str, object],
    logged: bool,
    decode: Decode | None = None,
) -> _CitedPassage:
    """The passage that citation.json cites in the document `name`.

    `said` is what stands in it, or in its opening; `described`, what the log's entry says of the
    document; `logged`, whether citation.json is itself an entry of the log, which then vouches for
    all that it says; `decode` is as in `extract`.
    """
    try:
        reference, quote = str(said["reference"]), str(said["quote"])
        around = str(said.get("before") or ""), str(said.get("after") or "")
        kind = said.get("kind")
        unsigned = sorted(
            {str(member) for member in said if member not in _MEMBERS and said[member]}
        )
    except (LookupError, TypeError, AttributeError):
        return _CitedPassage(None, None, "citation.json is not readable")
    if logged and kind != "citation":
        return _CitedPassage(reference, quote, "citation.json is no entry about a citation")
    if unsigned and not logged:
        members_beside = ", ".join(unsigned)
        problem = f"citation.json says what nothing vouches for: {members_beside}"
        return _CitedPassage(reference, quote, problem)
    try:
        excerpt = _excerpt(content, reference, name, described=described, decode=decode)
        words = excerpt.text or ""
        fault = f"{reference} says {words!r}" if words != quote else ""
        fault = fault or (
            _fault_around(content, reference, around, described=described, logged=logged)
        )
    except PermaciteError as error:
        fault = error.problem
    return _CitedPassage(reference, quote, fault)


def _excerpt(
    content: bytes,
    reference: str,
    name: str,
    *,
    described: Mapping[str, object],
    decode: Decode | None,
) -> Excerpt:
    """The passage that is cited. Raises ParseError and others where there is none."""
    from permacite import extract

    fragment = _fragment(reference)
    if fragment.pdi.canonical() != name:
        raise ParseError(f"expected a part of {name}", reference, 0, SPEC)
    media_type, charset = _recorded(described)
    settled = charset_of(media_type, charset, content)
    excerpt = extract.extract(content, media_type, fragment, charset=settled, decode=decode)
    if excerpt.clipped:
        raise ParseError("it reaches beyond the end of the document", reference, 0, SPEC)
    return excerpt


def _fault_around(
    content: bytes,
    reference: str,
    around: tuple[str, str],
    *,
    described: Mapping[str, object],
    logged: bool,
) -> str:
    """Say that the words before or after are others; only places in a text have such words."""
    if around == ("", ""):
        return ""
    fragment = _fragment(reference)
    if fragment.scheme != "char":
        unplaced = "citation.json says what stands before or after what has no such place"
        return "" if logged else unplaced
    start, end = (int(position) for position in fragment.positions)
    fault = ""
    for text in _texts(content, *_recorded(described)):
        if text is None:
            return "" if logged else "citation.json says what stands around what cannot be read"
        lead = start - len(around[0])
        before = lead >= 0 and text.startswith(around[0], lead)
        if before and text.startswith(around[1], end):
            return ""
        fault = fault or f"other words stand {'after' if before else 'before'} {reference}"
    return fault


def _texts(content: bytes, media_type: str, recorded: str | None) -> Iterator[str | None]:
    """Yield the text of a document, and the one in which the first rules recorded words around."""
    yield document_text(content, media_type, recorded).text
    if is_of_first_rules(recorded):
        yield first_rules.text_around(content, recorded)


def _recorded(described: Mapping[str, object]) -> tuple[str, str | None]:
    """Return the media type and the charset of a document."""
    charset = described.get("charset")
    return str(described.get("media_type")), None if charset is None else str(charset)


def _fragment(reference: str) -> grammar.FragmentPDI:
    """Return the passage that `reference` names. Raises ParseError."""
    name = grammar.parse(reference)
    if not isinstance(name, grammar.FragmentPDI):
        raise ParseError("expected a part of a document", reference, 0, SPEC)
    return name
