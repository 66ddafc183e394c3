"""The process that decodes: it loads its kind, closes its doors, and answers until it is let go.

A request is words and the octets of an object, as a descriptor of its file, which is mapped: a part
of a large one costs no memory for the rest. Where the file is cut short underneath, the system ends
this process, and nobody else. Before it takes more memory than its base, the work asks for it, and
waits for the answer. An answer is an excerpt or an error of ours; of any other fault only its name
is told, and the process ends. It ends too where a job leaves much memory behind, which the next
would lack.
"""

from __future__ import annotations

import ctypes
import gc
import mmap
import os
import socket
import sys
from typing import TYPE_CHECKING

from permacite.decoding.confinement import confine, limit_cpu, limit_memory
from permacite.decoding.kinds import KINDS
from permacite.decoding.messages import EndedError, receive, send
from permacite.errors import LimitError, PermaciteError
from permacite.extract.media import decoders

if TYPE_CHECKING:
    from permacite.decoding.kinds import Kind, Work
    from permacite.decoding.messages import Message
    from permacite.extract.media.decoders import Octets

__all__ = ["main"]

_DESCRIPTORS = 16
_LARGEST_FILE = 1 << 36
"""How much may be mapped of files, beside the memory that is asked for."""

_KEPT_BYTES = 32 << 20
"""What the next job may find as it was left: to get it from the system again takes a while."""

_LEFT = 4
"""A job may leave one in so many octets of its base behind."""


def main(descriptor: int, name: str, budget_bytes: int, answer_bytes: int) -> None:
    """Serve one channel: that of the descriptor. No part is larger than `answer_bytes`."""
    channel = socket.socket(fileno=descriptor)
    kind = KINDS[name]
    try:
        work = kind.load()
    except PermaciteError as error:
        send(channel, {"error": _said(error)})
        return
    memory = _Memory()
    loaded = memory.written_bytes
    most = memory.mapped_bytes + 2 * budget_bytes + _LARGEST_FILE
    holds = confine(memory_bytes=most, descriptors=_DESCRIPTORS)
    try:
        send(channel, {"holds": holds})
        while memory.tidied_bytes() <= loaded + kind.base_bytes // _LEFT:
            _Job(channel, kind, loaded, answer_bytes).run(work, receive(channel))
    except EndedError:
        sys.exit(0)


class _Job:
    """One request, from its words to its answer."""

    def __init__(self, channel: socket.socket, kind: Kind, loaded: int, answer_bytes: int) -> None:
        self._channel = channel
        self._answer_bytes = answer_bytes
        self._most = loaded + kind.base_bytes
        limit_cpu(kind.cpu_s)
        limit_memory(self._most)

    def run(self, work: Work, request: Message) -> None:
        """Do the work and say what came of it."""
        send(self._channel, {"begun": True})
        token = decoders.ADMISSION.set(self._ask)
        try:
            words, octets = work(*_content(request))
            self._check(len(octets))
        except PermaciteError as error:
            send(self._channel, {"error": _said(error)})
        except MemoryError:
            problem = "decoding it takes more memory than its header says"
            too_much = LimitError(problem, limit="memory", maximum=self._most)
            send(self._channel, {"error": _said(too_much)})
        else:
            send(self._channel, {"answer": words}, octets)
        finally:
            decoders.ADMISSION.reset(token)

    def _check(self, octets: int) -> None:
        if octets > self._answer_bytes:
            raise LimitError(
                f"the part takes {octets >> 20} MiB, more than the {self._answer_bytes >> 20} MiB "
                "that a part may take here",
                limit="bytes",
                maximum=self._answer_bytes,
                hint="ask for a shorter or a smaller part",
            )

    def _ask(self, octets: int) -> None:
        """Ask for memory and wait until it is there. Raises LimitError where it never will be."""
        send(self._channel, {"ask": octets})
        granted = receive(self._channel).words.get("granted")
        if not granted:
            raise LimitError(
                f"decoding it takes {octets >> 20} MiB, more than there is for decoders",
                limit="memory",
                maximum=octets,
            )
        self._most += octets
        limit_memory(self._most)


def _said(error: PermaciteError) -> dict[str, object]:
    """Return an error in words, from which the other side makes it again."""
    return {
        "code": error.code,
        "problem": error.problem,
        "hint": error.hint,
        **error.details(),
    }


def _content(request: Message) -> tuple[Octets, dict[str, object], bytes]:
    """Return the octets of the object, the words, and the octets that go along.

    Both stand in the request, those that go along last, where it has no descriptor.
    """
    along = request.words.get("along_bytes")
    size = len(request.octets) - (along if isinstance(along, int) else 0)
    octets, rest = request.octets[:size], request.octets[size:]
    if request.descriptor is None:
        return octets, request.words, rest
    return _mapped(request.descriptor), request.words, rest


def _mapped(descriptor: int) -> Octets:
    try:
        size = os.lseek(descriptor, 0, os.SEEK_END)
        if not size:
            return b""
        return mmap.mmap(
            descriptor, size, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ
        )  # its size is given: to ask the system for it is no call that is left
    except OSError as error:
        raise PermaciteError(f"the octets cannot be mapped: {error.strerror}") from error
    finally:
        os.close(descriptor)


class _Memory:
    """What this process has of memory, as the system counts it, behind closed doors too."""

    def __init__(self) -> None:
        """Take what is there for good, which is then not looked through after each job."""
        self._trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        try:
            self._descriptor: int | None = os.open("/proc/self/statm", os.O_RDONLY)
        except OSError:  # not Linux
            self._descriptor = None
        gc.collect()
        gc.freeze()
        self._kept = self.written_bytes + _KEPT_BYTES

    @property
    def mapped_bytes(self) -> int:
        """All of it, files too."""
        return self._column(0)

    @property
    def written_bytes(self) -> int:
        """What is for data; the system's own limit counts the same."""
        return self._column(5)

    def tidied_bytes(self) -> int:
        """What is for data once all is given back that is of no use: errors hold whole pictures."""
        gc.collect()
        if self._trim is not None and self.written_bytes > self._kept:
            self._trim(0)
        return self.written_bytes if self._descriptor is not None else 0

    def _column(self, number: int) -> int:
        if self._descriptor is None:
            return 1 << 30
        pages = os.pread(self._descriptor, 200, 0).split()[number]
        return int(pages) * mmap.PAGESIZE
