"""What the two sides say to each other: JSON and octets, and a descriptor with a request.

A message is two lengths, the JSON and the octets. Neither side can have the other run anything:
JSON is all that is read. What is longer than allowed, or no JSON object, ends the conversation.
"""

from __future__ import annotations

import json
import os
import socket
import struct
from typing import NamedTuple, TypeAlias

__all__ = ["EndedError", "Message", "receive", "send"]

_LENGTHS = struct.Struct(">II")
_MAX_WORDS = 1 << 20
_MAX_OCTETS = 1 << 30

Words: TypeAlias = dict[str, object]


class EndedError(Exception):
    """The other side is gone, or says what is no message."""


class Message(NamedTuple):
    """What was said, the octets that came with it, and a descriptor to close, if any came."""

    words: Words
    octets: bytes
    descriptor: int | None


def send(
    channel: socket.socket, words: Words, octets: bytes = b"", descriptor: int | None = None
) -> None:
    """Say something. Raises EndedError, TimeoutError."""
    said = json.dumps(words).encode()
    head = _LENGTHS.pack(len(said), len(octets)) + said
    try:
        if descriptor is None:
            channel.sendall(head)
        else:
            sent = socket.send_fds(channel, [head], [descriptor])
            channel.sendall(head[sent:])
        channel.sendall(octets)
    except TimeoutError:
        raise
    except OSError as error:
        raise EndedError(str(error)) from error


def receive(channel: socket.socket) -> Message:
    """Wait for what is said. Raises EndedError, TimeoutError."""
    descriptors: list[int] = []
    try:
        head, descriptors, _, _ = socket.recv_fds(channel, _LENGTHS.size, 1)
        head += _exactly(channel, _LENGTHS.size - len(head))
        words, octets = _contents(channel, *_LENGTHS.unpack(head))
    except BaseException as error:
        for descriptor in descriptors:
            os.close(descriptor)
        if isinstance(error, OSError) and not isinstance(error, TimeoutError):
            raise EndedError(str(error)) from error
        raise
    return Message(words, octets, descriptors[0] if descriptors else None)


def _contents(channel: socket.socket, length: int, size: int) -> tuple[Words, bytes]:
    if length > _MAX_WORDS or size > _MAX_OCTETS:
        raise EndedError("a message is too long")
    return _read(_exactly(channel, length)), _exactly(channel, size)


def _exactly(channel: socket.socket, length: int) -> bytes:
    """Return so many octets."""
    gathered = bytearray()
    while len(gathered) < length:
        piece = channel.recv(min(length - len(gathered), 1 << 20))
        if not piece:
            raise EndedError("the other side is gone")
        gathered += piece
    return bytes(gathered)


def _read(said: bytes) -> Words:
    try:
        words = json.loads(said)
    except (ValueError, RecursionError) as error:
        raise EndedError("a message is no JSON") from error
    if not isinstance(words, dict):
        raise EndedError("a message is no JSON object")
    return words
