"""The workers of this process that decode: started when first needed, for all archives."""

from __future__ import annotations

import atexit
import functools
import threading
from typing import TYPE_CHECKING, Any

from permacite.errors import PermaciteError
from permacite.media_types import PDF

if TYPE_CHECKING:
    from permacite.decoding.workers import DecodingPool
    from permacite.extract import Decode, Excerpt, Stored
    from permacite.renditions.pdf.pages import PageFrame

__all__ = ["decode", "decoder_of", "described", "keep_parts_small", "load", "measured", "workers"]

_SMALL = {"answer_bytes": 64 << 20, "kept_bytes": 32 << 20}
"""What parts may take in a process that answers many, so that it stays below 300 MiB."""

_MEASURES = 6

_options: dict[str, Any] = {}
_pools: dict[str, DecodingPool] = {}
_starting = threading.Lock()


def workers(kind: str = "media") -> DecodingPool:
    """The workers of a kind; they end with this process."""
    return _pool(kind)


def _pool(kind: str) -> DecodingPool:
    from permacite.decoding.workers import DecodingPool

    with _starting:
        if kind not in _pools:
            _pools[kind] = DecodingPool(kind, **_options)
            atexit.register(_pools[kind].close)
        return _pools[kind]


def keep_parts_small() -> None:
    """Limit what parts take in this process; for workers that are started from now on."""
    _options.update(_SMALL)
    with _starting:
        for pool in _pools.values():
            pool.close()
        _pools.clear()


def load() -> tuple[int, int]:
    """How many jobs are done in this process at this moment, and how many wait."""
    with _starting:
        loads = [pool.load() for pool in _pools.values()]
    return sum(busy for busy, _ in loads), sum(waiting for _, waiting in loads)


def decode(
    content: bytes | Stored,
    media_type: str,
    fragment: str,
    *,
    preview: bool = False,
    digest: str | None = None,
) -> Excerpt:
    """A part of a picture, a sound or a video, or a drawn page, as `DecodingPool.extract`."""
    kind = "pages" if media_type == PDF else "media"
    return workers(kind).extract(content, media_type, fragment, preview=preview, digest=digest)


def measured(content: bytes | Stored, number: int) -> tuple[int, PageFrame]:
    """How many pages a PDF has, and the frame of one of them.

    Raises what `DecodingPool.run` does.
    """
    from permacite.renditions.pdf.pages import PageFrame

    told = workers("pages").run({"measure": number}, content)[0].get("measured")
    if not isinstance(told, list) or len(told) != _MEASURES:
        raise PermaciteError("the decoder's answer measures no page")
    left, bottom, right, top = map(float, told[1:5])
    return int(told[0]), PageFrame(left, bottom, right, top, int(told[5]))


def decoder_of(digest: str) -> Decode:
    """What cuts parts out of the octets of a digest."""
    return functools.partial(decode, digest=digest)


def described() -> str:
    """A sentence on what decoders cannot do here, or why there are none; one is started."""
    try:
        return f"media is decoded apart, behind {', '.join(workers().holds())}"
    except PermaciteError as error:
        return f"media is not decoded: {error}"
