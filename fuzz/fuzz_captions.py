"""Captions, WebVTT and SRT: read any text, and map its words to times and back."""

from __future__ import annotations

from permacite.captions import MEDIA_TYPES, read_captions, words_of
from permacite.errors import ParseError

SEEDS = [
    b"WEBVTT\n\n1\n00:01.000 --> 00:02.000 line:0\n<v Ann>a<00:01.500><c.x> b</c></v>",
    b"WEBVTT - x\nLanguage: en\n\nNOTE a --> b\n\nSTYLE\n::cue{}\n\n1:00:00.000-->00:00.000\n&lt\0",
    b"1\r\n00:00:01,000 --> 00:00:02,5 X1:0\r\n<i>a</i>{\\an8}\r\n\r\n2\r\n-0:0:1.0-->1:1\r\nb",
]


def target(data: bytes) -> None:
    """`data`: the file, in UTF-8 as far as it is that."""
    text = data.decode(errors="replace")
    for media_type in MEDIA_TYPES:
        try:
            words = words_of(read_captions(text, media_type), media_type)
        except ParseError:
            continue
        end = 0
        for span in words.spans:
            if not end <= span.start < span.end <= len(words.text):
                raise AssertionError("spans are in order, apart, and not empty")
            end = span.end
            times = words.times(span.start, span.end)
            if times is not None and span not in words.during(*times):
                raise AssertionError("words are said in their time")
