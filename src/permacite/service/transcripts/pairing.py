"""Which files of captions belong to which files of recordings, by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite import captions
from permacite.scan import compile_pattern
from permacite.service import sources
from permacite.service.transcripts.relating import is_recording

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["Pair", "pairs_of"]

_LANGUAGE = compile_pattern(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,8}")


class Pair(NamedTuple):
    """Captions and their recording: `talk.vtt`, or `talk.en.vtt`, and `talk.mp4` beside it."""

    captions: Path
    recording: Path
    language: str | None


def pairs_of(paths: Iterable[Path]) -> Iterator[Pair]:
    """Yield the captions among files whose recording, and no other, has their name."""
    kinds = {path: sources.media_type_of(path.name, b"") for path in paths}
    recordings: dict[Path, list[Path]] = {}
    for path, kind in kinds.items():
        if is_recording(kind):
            recordings.setdefault(path.with_suffix(""), []).append(path)
    for path, kind in kinds.items():
        if kind not in captions.MEDIA_TYPES:
            continue
        stem = path.with_suffix("")
        named = recordings.get(stem, [])
        language = None
        if not named and _LANGUAGE.fullmatch(stem.suffix[1:]):
            named, language = recordings.get(stem.with_suffix(""), []), stem.suffix[1:]
        if len(named) == 1:
            yield Pair(path, named[0], language)
