"""WebVTT as Chromium's own parser reads it: the same cues, times and words, whatever the file."""

from __future__ import annotations

import base64
import random
from typing import TYPE_CHECKING, Any

import pytest
from tests.faces.recordings import VTT
from tests.spec.test_webvtt_s6_parsing import FILES, INSIDE, TEXTS, TIMES, UNSIGNED

from permacite.captions import read_captions
from permacite.captions.formats import pieces_of
from permacite.errors import ParseError

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

READ = """
async (sources) => {
  const answers = [];
  for (const source of sources) {
    const video = document.createElement("video");
    const track = document.createElement("track");
    video.append(track);
    document.body.append(video);
    const ended = new Promise((tell) => {
      track.onload = () => tell(true);
      track.onerror = () => tell(false);
    });
    track.track.mode = "hidden";
    track.src = `data:text/vtt;base64,${source}`;
    const loaded = await ended;
    const cues = [...(track.track.cues ?? [])];
    const told = cues.map((cue) => [
      cue.startTime, cue.endTime, cue.id, cue.text, cue.getCueAsHTML().textContent,
    ]);
    answers.push(loaded ? told : null);
    video.remove();
  }
  return answers;
}
"""
PARTS = (
    "\n", "\n\n", "\r\n\r\n", "\r", "00:01.000 --> 00:02.000", "-->",
    "00:01.500-->00:09.000 line:0", "1:00:00.000 --> 1:00:01.000", "00:61.000 --> 00:02.000",
    "NOTE x", "STYLE", "::cue{}", "id",
    "<v Ann>", "<v>", "</v>", "<b>", "</b>", "<c.x>", "<ruby>", "<rt>", "</ruby>", "<00:01.200>",
    "&amp;", "&lt", "&#65;", "&nope;", "<", ">", "words ", " \t", "\x00", "\xe9\u4e16", "WEBVTT",
)  # fmt: skip


def files() -> list[str]:
    """Files by clause, and six hundred put together at random, the same each time."""
    chance = random.Random(41)  # noqa: S311 - no secret
    one = "WEBVTT\n\n00:01.000 --> 00:09.000\n"
    made = [VTT, "WEBVTT", *(case[1] for case in UNSIGNED), *(f"WEBVTT{case[1]}" for case in FILES)]
    made += [f"{one}{case[1]}\n" for case in (*TEXTS, *INSIDE)]
    made += [f"WEBVTT\n\n{case[1]} --> {case[1]}\na" for case in TIMES if "many" not in case[0]]
    for _ in range(600):
        rest = "".join(chance.choices(PARTS, k=chance.randrange(1, 14)))
        made.append(chance.choice((one, "WEBVTT\n", "WEBVTT\n\n")) + rest)
    return made


def ours(source: str) -> list[tuple[float, float, str, str, str]] | None:
    """The cues as a list of text tracks has them: by their times."""
    try:
        cues = read_captions(source, "text/vtt").cues
    except ParseError:
        return None
    ordered = sorted(cues, key=lambda cue: (cue.start_ms, -cue.end_ms))
    return [
        (
            cue.start_ms / 1000,
            cue.end_ms / 1000,
            cue.identifier,
            cue.text,
            "".join(piece.text for piece in pieces_of(cue, "text/vtt")),
        )
        for cue in ordered
    ]


def test_chromium_reads_the_same(page: Page) -> None:
    sources = files()
    page.goto("about:blank")
    encoded = [base64.b64encode(source.encode()).decode() for source in sources]
    answers: list[Any] = page.evaluate(READ, encoded)
    differing = [
        (source, told, mine)
        for source, told, mine in zip(sources, answers, map(ours, sources), strict=True)
        if _without_headers(source, told) != _without_headers(source, mine)
    ]
    assert differing == []
    assert sum(bool(told) for told in answers) > 250, "many files have cues"


def _without_headers(source: str, cues: list[Any] | None) -> list[Any] | None:
    """Cues as tuples; without identifiers where a header runs into a cue.

    Chromium takes the last line of such a header for one; by WebVTT §6.1 it is header.
    """
    if cues is None:
        return None
    has_header = not source.startswith("WEBVTT\n\n")
    return [(*cue[:2], "" if has_header else cue[2], *cue[3:]) for cue in cues]
