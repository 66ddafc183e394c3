"""The slow reference: a text taken apart character by character, the obvious way."""

from __future__ import annotations

from dataclasses import dataclass

MODES = ("http", "mime", "all", "lf")

ENDINGS = {
    "http": ("\r\n", "\r", "\n"),
    "mime": ("\r\n",),
    "all": ("\r\n", "\r\x85", "\r", "\n", "\x85"),
    "lf": ("\r\n", "\n"),
}


@dataclass(frozen=True)
class Slow:
    """Characters of a text, one by one: what each is, and where it begins in bytes."""

    characters: tuple[str, ...]
    starts: tuple[int, ...]
    """For each code point, and the end, the byte where it begins."""

    def joined(self, mode: str) -> list[tuple[int, int]]:
        """Each character of RFC 5147 as a range of code points."""
        text, place, found = "".join(self.characters), 0, []
        while place < len(text):
            ending = next((e for e in ENDINGS[mode] if text.startswith(e, place)), None)
            width = len(ending) if ending else 1
            found.append((place, place + width))
            place += width
        return found

    def lines(self, mode: str) -> list[int]:
        """The code point where each line position is."""
        text = "".join(self.characters)
        places = [0]
        places += [end for start, end in self.joined(mode) if text[start:end] in ENDINGS[mode]]
        return places if places[-1] == len(text) else [*places, len(text)]

    def chars(self, mode: str) -> list[int]:
        """The code point where each character position is."""
        return [0, *(end for _, end in self.joined(mode))]


def utf8_pieces(data: bytes) -> list[tuple[str, int]]:
    """Each character with its length in bytes; U+FFFD for each maximal part of a sequence."""
    found = []
    place = 0
    while place < len(data):
        for width in (1, 2, 3, 4):
            try:
                found.append((data[place : place + width].decode(), width))
                break
            except UnicodeDecodeError:
                continue
        else:
            width = 1
            while (
                width < 4
                and place + width < len(data)
                and _is_start(data[place : place + width + 1])
            ):
                width += 1
            found.append(("\ufffd", width))
        place += found[-1][1]
    return found


def _is_start(part: bytes) -> bool:
    """Whether some sequence begins with these bytes (by trying all that could follow)."""
    tails = (b"\x80", b"\xbf", b"\x80\x80", b"\xbf\xbf", b"\x80\x80\x80", b"\xbf\xbf\xbf")
    for tail in tails:
        try:
            return len((part + tail).decode()) == 1
        except UnicodeDecodeError:
            continue
    return False


def unit_pieces(text: str, codec: str) -> list[tuple[str, int]]:
    return [(character, len(character.encode(codec))) for character in text]


def slow(pieces: list[tuple[str, int]], mark: int) -> Slow:
    starts = [mark]
    for _, width in pieces:
        starts.append(starts[-1] + width)
    return Slow(tuple(piece for piece, _ in pieces), tuple(starts))
