"""Documents as a WARC file, which web archives and their tools read.

WARC 1.1 (ISO 28500:2017):
  §5 named fields                -> `_record`
  §6.2 warcinfo                  -> `_info`
  §6.4 resource                  -> each body part of a page, under the address it was fetched from
  §6.6 metadata                  -> the permanent names, title and digest of each document
  §6.8 conversion                -> the text of a page
  Annex on compression           -> a file that ends in .gz has one member a record

Deviations: none.
Readings: what is archived are the octets after transfer and content codings were taken off, so they
are given as resources; a `response` record would have to invent what came over the network. What
was withdrawn is left out: the file is for others.
"""

from __future__ import annotations

import base64
import dataclasses
import gzip
import hashlib
import uuid
from typing import TYPE_CHECKING

from permacite import mhtml, uri
from permacite.archive import utc_now
from permacite.errors import ParseError
from permacite.service.resolution.holdings import pattern_of
from permacite.service.sources import MESSAGES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from permacite.archive import Repository, Representation, Version

__all__ = ["export"]

_WITH_PAYLOAD = ("resource", "conversion")
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "urn:permacite:warc")


def export(repository: Repository, path: Path, pattern: str | None) -> tuple[int, int]:
    """Write the versions that `pattern` covers (all where None); return versions and records.

    Raises FileExistsError where `path` is there.
    """
    repository = repository.public()
    wanted = None if pattern is None else pattern_of(pattern)
    compressed = path.suffix == ".gz"
    versions = count = 0
    with path.open("xb") as file:
        info = _info(path.name)
        file.write(gzip.compress(info, mtime=0) if compressed else info)
        for version in repository.list(wanted):
            versions += 1
            for record in _version(repository, version):
                count += 1
                file.write(gzip.compress(record, mtime=0) if compressed else record)
    return versions, count


def _info(name: str) -> bytes:
    """The record that says what made the file, and when."""
    now = _date(utc_now())
    body = (
        "software: permacite\r\nformat: WARC File Format 1.1\r\n"
        "conformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/"
        "warc-1.1/\r\n"
    )
    fields = {
        "WARC-Type": "warcinfo",
        "WARC-Record-ID": _identifier(f"{name} {now}"),
        "WARC-Date": now,
        "WARC-Filename": name,
        "Content-Type": "application/warc-fields",
    }
    return _record(fields, body.encode())


def _version(repository: Repository, version: Version) -> Iterator[bytes]:
    """The records of one version: its document, what belongs to it, its text, its names."""
    date = _date(version.provenance.retrieved_at or version.committed_at)
    main = repository.main(version)
    root = _identifier(str(main.pdi))
    target = _address(version)
    restricted = repository.restrictions(version.representations)
    given = tuple(item for item in version.representations if item.pdi not in restricted)
    if not given:
        return
    for item in given:
        fields = {"WARC-Date": date, "WARC-Record-ID": _identifier(str(item.pdi))}
        if item.media_type in MESSAGES and item != main and item.derived_from is None:
            yield from _parts(repository.read(item), root, date)
        elif item.derived_from is not None:
            fields |= {"WARC-Type": "conversion", "WARC-Refers-To": root, "WARC-Target-URI": target}
            yield _record(fields | _type(item), repository.read(item))
        else:
            fields |= {"WARC-Type": "resource", "WARC-Target-URI": target}
            yield _record(fields | _type(item), repository.read(item))
    yield _names(dataclasses.replace(version, representations=given), root, date, target)


def _parts(aggregate: bytes, root: str, date: str) -> Iterator[bytes]:
    """What a page shows, each body part under its own address."""
    opened = mhtml.open(aggregate)
    for part in opened.body_parts:
        if part is opened.root or part.content_type.lower().startswith("multipart/"):
            continue
        address = part.content_location or (part.content_id and f"cid:{part.content_id}")
        if not address:
            continue
        legal = uri.from_iri(address)
        fields = {
            "WARC-Type": "resource",
            "WARC-Record-ID": _identifier(f"{root} {part.path}"),
            "WARC-Date": date,
            "WARC-Target-URI": legal,
            "WARC-Concurrent-To": root,
            "Content-Type": part.content_type,
        }
        yield _record(fields, part.content)


def _names(version: Version, root: str, date: str, target: str) -> bytes:
    """The record of what a document is called here."""
    lines = [("pdi", str(item.pdi)) for item in version.representations]
    lines += [("digest", f"{item.format} {item.digest}") for item in version.representations]
    if version.title:
        lines.append(("title", " ".join(version.title.split())))
    body = "".join(f"{name}: {value}\r\n" for name, value in lines)
    fields = {
        "WARC-Type": "metadata",
        "WARC-Record-ID": _identifier(f"{root} names"),
        "WARC-Date": date,
        "WARC-Target-URI": target,
        "WARC-Refers-To": root,
        "Content-Type": "application/warc-fields",
    }
    return _record(fields, body.encode())


def _address(version: Version) -> str:
    """Where a document came from; its own name where it came from no address."""
    address = version.provenance.final_uri or version.provenance.uri
    try:
        return uri.from_iri(address) if address else str(version.pdi.document)
    except ParseError:
        return str(version.pdi.document)


def _type(representation: Representation) -> dict[str, str]:
    charset = f"; charset={representation.charset}" if representation.charset else ""
    return {"Content-Type": representation.media_type + charset}


def _record(fields: dict[str, str], content: bytes) -> bytes:
    """One record, its block digested (WARC 1.1 §5.8), and its payload, which is the same.

    Indexes of web archives go by the digest of the payload, in SHA-1 and base32.
    """
    value = base64.b32encode(hashlib.sha1(content, usedforsecurity=False).digest()).decode()
    digests = {"WARC-Block-Digest": f"sha1:{value}"}
    if fields["WARC-Type"] in _WITH_PAYLOAD:
        digests["WARC-Payload-Digest"] = f"sha1:{value}"
    every = fields | digests | {"Content-Length": str(len(content))}
    head = "".join(f"{name}: {value}\r\n" for name, value in every.items())
    return b"WARC/1.1\r\n" + head.encode() + b"\r\n" + content + b"\r\n\r\n"


def _identifier(name: str) -> str:
    """The id of a record, the same whenever it is written."""
    return f"<urn:uuid:{uuid.uuid5(_NAMESPACE, name)}>"


def _date(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
