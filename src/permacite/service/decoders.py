"""The workers of this process that decode media: started when first needed, for all archives."""

from __future__ import annotations

import atexit
import functools
from typing import TYPE_CHECKING

from permacite.errors import PermaciteError

if TYPE_CHECKING:
    from permacite.decoding import Workers
    from permacite.extract import Decode

__all__ = ["decoder_of", "described", "workers"]


@functools.cache
def workers() -> Workers:
    """The workers; they end with this process."""
    from permacite.decoding import Workers  # noqa: PLC0415 - most commands decode nothing

    pool = Workers()
    atexit.register(pool.close)
    return pool


def decoder_of(digest: str) -> Decode:
    """What cuts parts out of the octets of a digest."""
    return functools.partial(workers().extract, digest=digest)


def described() -> str:
    """A sentence on what decoders cannot do here, or why there are none; one is started."""
    try:
        return f"media is decoded apart, behind {', '.join(workers().holds())}"
    except PermaciteError as error:
        return f"media is not decoded: {error}"
