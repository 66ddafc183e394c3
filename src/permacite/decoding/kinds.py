"""The kinds of workers: what each loads before its doors close, what it does, and its limits.

A kind is a row here. Its `load` imports all that its work can need, fonts and models included, for
nothing can be opened later; it returns the work itself.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.extract.media.decoders import Octets

__all__ = ["KINDS", "Kind", "Work"]

Work: TypeAlias = "Callable[[Octets, dict[str, object]], tuple[dict[str, object], bytes]]"
"""From octets, and words that say what is wanted, to words and octets. It raises errors of ours."""

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


def _media() -> Work:
    """Load what cuts parts out of pictures, sound and video."""
    from permacite.extract import extract  # noqa: PLC0415 - the libraries are for this process alone
    from permacite.extract.media import decoders  # noqa: PLC0415 - the same

    decoders.preload()

    def work(content: Octets, words: dict[str, object]) -> tuple[dict[str, object], bytes]:
        excerpt = extract(content, str(words["media_type"]), str(words["fragment"]))
        said = asdict(excerpt)
        return said, said.pop("data")

    return work


KINDS = {kind.name: kind for kind in [Kind("media", _media, base_bytes=384 * _MIB, cpu_s=60)]}
