"""The workers of this process that decode media: started when first needed, for all archives."""

from __future__ import annotations

import atexit
import functools
from typing import TYPE_CHECKING, Any

from permacite.errors import PermaciteError

if TYPE_CHECKING:
    from permacite.decoding import Workers
    from permacite.extract import Decode

__all__ = ["decoder_of", "described", "keep_parts_small", "workers"]

_SMALL = {"answer_bytes": 64 << 20, "kept_bytes": 32 << 20}
"""What parts may take in a process that answers many, so that it stays below 300 MiB."""

_options: dict[str, Any] = {}


@functools.cache
def workers() -> Workers:
    """The workers; they end with this process."""
    from permacite.decoding import Workers  # noqa: PLC0415 - most commands decode nothing

    pool = Workers(**_options)
    atexit.register(pool.close)
    return pool


def keep_parts_small() -> None:
    """Limit what parts take in this process; for workers that are started from now on."""
    _options.update(_SMALL)
    if workers.cache_info().currsize:
        workers().close()
        workers.cache_clear()


def decoder_of(digest: str) -> Decode:
    """What cuts parts out of the octets of a digest."""
    return functools.partial(workers().extract, digest=digest)


def described() -> str:
    """A sentence on what decoders cannot do here, or why there are none; one is started."""
    try:
        return f"media is decoded apart, behind {', '.join(workers().holds())}"
    except PermaciteError as error:
        return f"media is not decoded: {error}"
