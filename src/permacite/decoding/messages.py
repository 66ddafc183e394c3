"""Protocol between a worker and its pool: JSON and octets, and a file descriptor with a request.

A message is two lengths, the JSON and the octets. Neither side can have the other run anything:
JSON is all that is read. What is longer than allowed, or no JSON object, ends the conversation.
Only the side that asks for work sends a descriptor: what a worker sends along is never taken.
"""

from __future__ import annotations

import io
import json
import os
import socket
import struct
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["EndedError", "Message", "answer", "receive", "send"]

_LENGTHS = struct.Struct(">II")
_MAX_WORDS = 1 << 20
_MAX_OCTETS = 1 << 30
_PIECE = 1 << 20

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


def answer(channel: socket.socket, room: Callable[[int], bool]) -> Message:
    """Wait for what a worker says; `room` is asked for its octets first, and may wait.

    Raises EndedError, also where there is no room, and TimeoutError.
    """
    try:
        length, size = _LENGTHS.unpack(_exactly(channel, _LENGTHS.size))
        if size and not room(size):
            raise EndedError("there is no room for an answer")
        return Message(*_contents(channel, length, size), None)
    except TimeoutError:
        raise
    except OSError as error:
        raise EndedError(str(error)) from error


def receive(channel: socket.socket) -> Message:
    """Wait for a request. Raises EndedError, TimeoutError."""
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
    """Return so many octets; they are in memory once, not twice."""
    gathered = io.BytesIO()
    while gathered.tell() < length:
        piece = channel.recv(min(length - gathered.tell(), _PIECE))
        if not piece:
            raise EndedError("the other side is gone")
        gathered.write(piece)
    return gathered.getvalue()


def _read(said: bytes) -> Words:
    try:
        words = json.loads(said)
    except (ValueError, RecursionError) as error:
        raise EndedError("a message is no JSON") from error
    if not isinstance(words, dict):
        raise EndedError("a message is no JSON object")
    return words
