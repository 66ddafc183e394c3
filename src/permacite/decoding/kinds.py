"""The kinds of workers: what each loads before its doors close, what it does, and its limits.

A kind is a row here. Its `load` imports all that its work can need, fonts and models included, for
nothing can be opened later; it returns the work itself.
"""

from __future__ import annotations

import ctypes
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.extract.media.decoders import Octets
    from permacite.renditions import Rendered

__all__ = ["KINDS", "Kind", "Work"]

Work: TypeAlias = "Callable[[Octets, dict[str, object], bytes], tuple[dict[str, object], bytes]]"
"""From octets, words that say what is wanted, and octets that go along, to words and octets.

It raises errors of ours.
"""

_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind. Memory is counted beyond what is in use once all is loaded.

    `base_bytes`: what a job may take before it has asked for more. `cpu_s`: computing for one job.
    """

    name: str
    load: Callable[[], Work]
    base_bytes: int
    cpu_s: int


_CHARSETS = (
    "ISO6937 KSC_5601 GB2312 BIG5 UCS-2BE UTF-16 UTF-16LE "
    "ISO-8859-5 ISO-8859-6 ISO-8859-7 ISO-8859-8 ISO-8859-9 ISO-8859-10 ISO-8859-11 ISO-8859-13 "
    "ISO-8859-14 ISO-8859-15"
)
"""In which broadcasts, and others that FFmpeg reads, name themselves (ETSI EN 300 468 annex A)."""


def _media() -> Work:
    """Load what cuts parts out of pictures, sound and video."""
    from permacite.extract import extract
    from permacite.extract.media import decoders, seeking

    decoders.preload()
    _keep_charsets()

    def work(
        content: Octets, words: dict[str, object], index: bytes
    ) -> tuple[dict[str, object], bytes]:
        media_type, fragment = str(words["media_type"]), str(words["fragment"])
        known = seeking.Seeking(index)
        token = seeking.SEEKING.set(known)
        try:
            excerpt = extract(content, media_type, fragment, preview=words.get("preview") is True)
        finally:
            seeking.SEEKING.reset(token)
        said = asdict(excerpt)
        part = said.pop("data")
        return said | {"index_bytes": len(known.made)}, part + known.made

    return work


def _keep_charsets() -> None:
    """Have the system's library open what it reads these by: it would when a file names itself."""
    begin = getattr(ctypes.CDLL(None), "iconv_open", None)
    if begin is not None:  # else it is no part of the system's library, and opens nothing
        for name in _CHARSETS.split():
            begin(b"UTF-8", name.encode())


def _pdf() -> Work:
    """Load the renditions of PDFs, and what checks signatures."""
    from permacite.decoding import signatures

    signatures.preload()
    return _renditions("pdf", signatures.with_signatures)


def _renditions(kind: str, amended: Callable[[Rendered, Octets], Rendered] | None = None) -> Work:
    """Load the renditions that run in this kind of worker, and all charsets."""
    from permacite import charsets
    from permacite.renditions import Original, renditions
    from permacite.renditions.stored import pack

    charsets.preload()
    known = {str(each): each for each in renditions() if each.worker == kind}
    for rendition in known.values():
        if rendition.preload is not None:
            rendition.preload()

    def work(
        content: Octets, words: dict[str, object], _: bytes
    ) -> tuple[dict[str, object], bytes]:
        rendition = known[str(words["rendition"])]
        codec = words.get("codec")
        original = Original(
            content, str(words["media_type"]), codec if isinstance(codec, str) else None
        )
        rendered = rendition(original)
        if amended is not None:
            rendered = amended(rendered, content)
        return pack(rendered, str(rendition))

    return work


def _pages() -> Work:
    """Load what draws pages of PDFs."""
    from permacite.decoding import pages

    pages.preload()
    return pages.work


KINDS = {
    kind.name: kind
    for kind in [
        Kind("media", _media, base_bytes=384 * _MIB, cpu_s=60),
        Kind("documents", partial(_renditions, "documents"), base_bytes=1024 * _MIB, cpu_s=60),
        Kind("pages", _pages, base_bytes=1024 * _MIB, cpu_s=30),
        Kind("pdf", _pdf, base_bytes=2048 * _MIB, cpu_s=120),
    ]
}
