"""Incremental decoders for charsets of one octet and of several.

| section | class |
|---|---|
| Encoding Standard §9.1 single-byte decoder, §14.5.1 x-user-defined | SingleByte |
| Encoding Standard §10 to §13 multi-byte decoders without shifts | MultiByte |

Every decoder gives U+FFFD for octets that are malformed, or what the named handler of Python gives,
which sees how many octets one error is.
"""

from __future__ import annotations

import codecs
from abc import ABC, abstractmethod
from collections import Counter
from typing import TYPE_CHECKING, Protocol

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.charsets.multibyte import Bulk, CharsetRules

__all__ = ["Decoder", "MultiByte", "Pending", "SingleByte", "WithoutSurrogates"]


class Decoder(Protocol):
    """What decodes text in pieces, as Python's incremental decoders do."""

    def decode(self, data: bytes, /, *, final: bool = False) -> str:
        """Return the characters of the octets so far that are whole; all of them if `final`."""

    def getstate(self) -> tuple[bytes, int]:
        """Return the octets that wait for more, and what else is remembered; a fresh one's is 0."""

    def setstate(self, state: tuple[bytes, int], /) -> None:
        """Go on from what `getstate` returned."""

    def reset(self) -> None:
        """Forget everything."""


class SingleByte:
    """An octet is a character, or an error: U+FFFE in the table means no character."""

    def __init__(self, table: str, errors: str) -> None:
        self._table = table
        self._errors = errors

    def decode(self, data: bytes, /, *, final: bool = False) -> str:
        """Return the characters of the octets, whether they are the last or not."""
        del final
        return codecs.charmap_decode(data, self._errors, self._table)[0]

    def getstate(self) -> tuple[bytes, int]:
        """Return nothing: no octet waits for another."""
        return b"", 0

    def setstate(self, state: tuple[bytes, int], /) -> None:
        """Go on as before."""

    def reset(self) -> None:
        """Go on as before."""


class Pending(ABC):
    """A decoder that keeps octets until more of them say what they are."""

    def __init__(self, codec: str, errors: str) -> None:
        self._codec = codec
        self._errors = errors
        self._pending = b""
        self._state = 0

    def decode(self, data: bytes, /, *, final: bool = False) -> str:
        """Return the characters that are whole; all of them if `final`."""
        data = self._pending + bytes(data)
        text, used, self._state = self._run(data, self._state, final=final)
        self._pending = data[used:]
        return text

    def getstate(self) -> tuple[bytes, int]:
        """Return the octets that wait for more, and the shift that they are read in."""
        return self._pending, self._state

    def setstate(self, state: tuple[bytes, int], /) -> None:
        """Go on from what `getstate` returned."""
        self._pending, self._state = state

    def reset(self) -> None:
        """Forget everything."""
        self._pending, self._state = b"", 0

    @abstractmethod
    def _run(self, data: bytes, state: int, *, final: bool) -> tuple[str, int, int]:
        """Return the text of whole characters, how many octets they are, and the state after."""

    def _malformed(self, data: bytes, start: int, end: int) -> str:
        """The text for malformed octets. Raises what the handler does."""
        if self._errors == "replace":
            return "\ufffd"
        error = UnicodeDecodeError(self._codec, data, start, end, "no character")
        return str(codecs.lookup_error(self._errors)(error)[0])


_PIECE_BYTES = 1 << 13
"""How much is decoded in bulk at a time: what is doubtful in it costs no more than this."""

_WORTH_COMPARING_BYTES = 1 << 18
"""After so much by the rules, comparing Python's codec with them is worth its time."""

_decoded_bytes: Counter[str] = Counter()


class MultiByte(Pending):
    """Decodes by rules, and in bulk where that gives the same."""

    def __init__(self, codec: str, errors: str, rules: CharsetRules) -> None:
        super().__init__(codec, errors)
        self._rules = rules

    def _run(self, data: bytes, state: int, *, final: bool) -> tuple[str, int, int]:
        _decoded_bytes[self._codec] += len(data)
        is_worth = _decoded_bytes[self._codec] > _WORTH_COMPARING_BYTES
        bulk = _bulk_of(self._codec) if is_worth else None
        texts: list[str] = []
        done = 0
        while done < len(data):
            stop = min(done + _PIECE_BYTES, len(data))
            piece = data[done:stop]
            text, used = (bulk and bulk.text(piece)) or ("", 0)
            if not used:
                text, used = self._by_rules(data, done, stop, final=final and stop == len(data))
            texts.append(text)
            done += used
            if stop == len(data) and not (final and done < stop):
                break
        return "".join(texts), done, state

    def _by_rules(self, data: bytes, start: int, stop: int, *, final: bool) -> tuple[str, int]:
        """Return the text of the units between two places, and how many octets these are."""
        units, pattern, partial, _ = self._rules
        found = pattern.findall(data, start, stop)
        if found and not final and partial.fullmatch(found[-1]):
            stop -= len(found.pop())
        if self._errors == "replace":
            return "".join(map(units.__getitem__, found)), stop - start
        texts = []
        place = start
        for unit in found:
            text = units.text(unit)
            if text is None:
                width = units.width(unit)
                text = self._malformed(data, place, place + width) + unit[width:].decode("ascii")
            texts.append(text)
            place += len(unit)
        return "".join(texts), stop - start


def _bulk_of(codec: str) -> Bulk | None:
    from permacite.charsets.multibyte import bulk_of

    return bulk_of(codec)


_SURROGATES = compile_pattern("[\ud800-\udfff]")


class WithoutSurrogates:
    """A decoder of Python's that may give surrogates, which are no characters."""

    def __init__(self, decoder: codecs.IncrementalDecoder) -> None:
        self._decoder = decoder
        self.getstate, self.setstate, self.reset = decoder.getstate, decoder.setstate, decoder.reset

    def decode(self, data: bytes, /, *, final: bool = False) -> str:
        """Return the characters that are whole; U+FFFD for each surrogate."""
        return _SURROGATES.sub("\ufffd", self._decoder.decode(data, final=final))
