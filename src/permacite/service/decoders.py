"""The workers of this process that decode media: started when first needed, for all archives."""

from __future__ import annotations

import atexit
import functools
from typing import TYPE_CHECKING

from permacite.decoding import Workers
from permacite.errors import PermaciteError

if TYPE_CHECKING:
    from permacite.extract import Decode

__all__ = ["decoder_of", "described", "workers"]


@functools.cache
def workers() -> Workers:
    """Return the workers; they end with this process."""
    made = Workers()
    atexit.register(made.close)
    return made


def decoder_of(digest: str) -> Decode:
    """Return what cuts parts out of the octets of a digest."""
    return functools.partial(workers().extract, digest=digest)


def described() -> str:
    """Say in a sentence what decoders cannot do here, or why there are none; one is started."""
    try:
        return f"media is decoded apart, behind {', '.join(workers().holds())}"
    except PermaciteError as error:
        return f"media is not decoded: {error}"
