"""Aggregate documents (RFC 2557, MHTML): read, resolve, write, unpack. The standard library alone.

open      a message as an Aggregate of BodyParts     build, write    a page and its resources
links     the references of HTML and CSS             export          one self-contained page
extract, pack   to a folder and back                 disclosures     what a page would give away
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.mhtml import export, links
    from permacite.mhtml.disclosure import Disclosure, disclosures
    from permacite.mhtml.folder import MANIFEST, File, Packed, extract, pack
    from permacite.mhtml.mime.model import DEFECTS, Defect, Limits
    from permacite.mhtml.reading import Aggregate
    from permacite.mhtml.reading import open_aggregate as open  # noqa: A004 - called mhtml.open
    from permacite.mhtml.reading.part import BodyPart
    from permacite.mhtml.reading.resolve import Profile as Matching
    from permacite.mhtml.reading.resolve import Resolution
    from permacite.mhtml.writing import Written, WrittenPart, build, write
    from permacite.mhtml.writing.profiles import Profile
    from permacite.mhtml.writing.resource import Multipart, Resource, Subtype
    from permacite.mhtml.writing.rewrite import contents_of, for_browsers, rewritten

__all__ = [
    "DEFECTS",
    "MANIFEST",
    "Aggregate",
    "BodyPart",
    "Defect",
    "Disclosure",
    "File",
    "Limits",
    "Matching",
    "Multipart",
    "Packed",
    "Profile",
    "Resolution",
    "Resource",
    "Subtype",
    "Written",
    "WrittenPart",
    "build",
    "contents_of",
    "disclosures",
    "export",
    "extract",
    "for_browsers",
    "links",
    "open",
    "pack",
    "rewritten",
    "write",
]

on_demand(
    __name__,
    {
        "permacite.mhtml": "export, links",
        "permacite.mhtml.disclosure": "Disclosure, disclosures",
        "permacite.mhtml.folder": "MANIFEST, File, Packed, extract, pack",
        "permacite.mhtml.mime.model": "DEFECTS, Defect, Limits",
        "permacite.mhtml.reading": "Aggregate, open_aggregate as open",
        "permacite.mhtml.reading.part": "BodyPart",
        "permacite.mhtml.reading.resolve": "Profile as Matching, Resolution",
        "permacite.mhtml.writing.profiles": "Profile",
        "permacite.mhtml.writing.resource": "Multipart, Resource, Subtype",
        "permacite.mhtml.writing.rewrite": "contents_of, for_browsers, rewritten",
        "permacite.mhtml.writing": "Written, WrittenPart, build, write",
    },
)
