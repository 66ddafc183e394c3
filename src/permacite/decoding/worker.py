"""Worker process: it loads its kind, confines itself for good, and answers requests until it ends.

A request is words and the octets of an object, as a descriptor of its file, which is mapped: a part
of a large one costs no memory for the rest. If the file is truncated meanwhile, the system ends
this process, and no other. Before the work takes more memory than its base, it asks for it and
waits for the answer. An answer is an excerpt or a PermaciteError; of any other error only the name
is reported, and the process ends. It also ends if a job leaves much memory behind, which the next
would lack.

Confinement precedes any hostile octet: resource limits, no new privileges, Landlock with nothing
allowed, and a seccomp list of the remaining system calls: memory, threads, time, and what is open
already. None of them is `open`, `socket` or `execve`. What the kernel lacks is skipped and
reported.
"""

from __future__ import annotations

import ctypes
import gc
import mmap
import os
import platform
import resource
import socket
import struct
import sys
from typing import TYPE_CHECKING

from permacite.decoding.kinds import KINDS
from permacite.decoding.messages import EndedError, receive, send
from permacite.errors import LimitError, PermaciteError
from permacite.extract.media import decoders

if TYPE_CHECKING:
    from permacite.decoding.kinds import Kind, Work
    from permacite.decoding.messages import Message
    from permacite.extract.media.decoders import Octets

__all__ = ["confine", "limit_cpu", "limit_memory", "main"]


_NO_NEW_PRIVS, _SET_DUMPABLE, _SET_SECCOMP, _FILTER = 38, 4, 22, 2

_CREATE_RULESET, _RESTRICT_SELF, _VERSION = 444, 446, 1
_FILES = (0, 13, 14, 15, 15, 16, 16, 16)
"""How many kinds of access to files each version of Landlock knows; later ones know no more."""
_NETWORK_SINCE, _SCOPES_SINCE = 4, 6

_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""The kernel's name of each, and which of the two numbers below is a system call's there."""
_CALLS = {
    # memory
    "brk": (12, 214),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "madvise": (28, 233),
    # what is open already
    "read": (0, 63),
    "write": (1, 64),
    "readv": (19, 65),
    "writev": (20, 66),
    "pread64": (17, 67),
    "lseek": (8, 62),
    "close": (3, 57),
    "fcntl": (72, 25),  # to have a descriptor twice, no more
    "recvmsg": (47, 212),
    "recvfrom": (45, 207),
    "sendmsg": (46, 211),
    "sendto": (44, 206),
    "ppoll": (271, 73),
    "poll": (7, 73),  # one machine has ppoll alone
    # threads, signals and the end
    "futex": (202, 98),
    "set_robust_list": (273, 99),
    "rseq": (334, 293),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "gettid": (186, 178),
    "getpid": (39, 172),
    "tgkill": (234, 131),
    "exit": (60, 93),
    "exit_group": (231, 94),
    # clocks, chance, limits
    "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115),
    "gettimeofday": (96, 169),
    "getrandom": (318, 278),
    "getrusage": (98, 165),
    "prlimit64": (302, 261),
    "sysinfo": (99, 179),
    "uname": (63, 160),
}
_CLONE, _CLONE3 = (56, 220), (435, 435)
_THREAD = 0x10000
"""The flag of `clone` without which it would make a process."""
_EXECUTABLE = 4
"""The protection of memory that could be run; nothing new can be."""
_TWICE = 1030
"""The command of `fcntl` with which Python keeps a descriptor of what it maps."""

_LOAD, _EQUAL, _ANY_BIT, _AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_ALLOW, _REFUSE, _NOT_KNOWN, _KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000
"""Answers: go on; EPERM; ENOSYS, for which libraries have another way; the end."""
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND, _THIRD = 0, 4, 16, 24, 32
"""Where these stand in what a filter is shown: the low words of three arguments."""
_OTHER_NUMBERS = 0x40000000


def confine(*, memory_bytes: int, descriptors: int) -> tuple[str, ...]:
    """Close the doors; return what holds from now on. `memory_bytes`: all it may ever ask for."""
    _limit("RLIMIT_CORE", 0)
    _limit("RLIMIT_FSIZE", 0)
    _limit("RLIMIT_NOFILE", descriptors)
    _limit("RLIMIT_AS", memory_bytes)
    holds = ["limits"]
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
            libc.prctl(_SET_DUMPABLE, 0, 0, 0, 0)
            holds.append("no new privileges")
            holds += _landlock(libc)
            holds += _seccomp(libc)
    return tuple(holds)


def limit_memory(octets: int) -> None:
    """Limit what is written to: data, stacks and private mappings."""
    _limit("RLIMIT_DATA", octets, soft=True)


def limit_cpu(seconds: int) -> None:
    """Have the process end after so many more seconds of computing."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _limit("RLIMIT_CPU", int(used.ru_utime + used.ru_stime) + 1 + seconds, soft=True)


def _limit(name: str, value: int, *, soft: bool = False) -> None:
    which = getattr(resource, name)
    hard = resource.getrlimit(which)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(which, (value, hard if soft else value))


def _landlock(libc: ctypes.CDLL) -> list[str]:
    """Allow no file, no port and no other process."""
    version = libc.syscall(_CREATE_RULESET, None, 0, _VERSION)
    if version < 1:
        return []
    files = (1 << _FILES[min(version, len(_FILES) - 1)]) - 1
    ruleset = struct.pack("QQQ", files, 3, 3)
    size = 24 if version >= _SCOPES_SINCE else 16 if version >= _NETWORK_SINCE else 8
    descriptor = libc.syscall(_CREATE_RULESET, ruleset, size, 0)
    if descriptor < 0 or libc.syscall(_RESTRICT_SELF, descriptor, 0) != 0:
        return []
    return [f"Landlock {version}"]


def _seccomp(libc: ctypes.CDLL) -> list[str]:
    """Leave the system calls of the list."""
    architecture = _ARCHITECTURES.get(platform.machine())
    if architecture is None:
        return []
    program = _program(*architecture)
    octets = ctypes.create_string_buffer(b"".join(program), len(program) * 8)
    header = struct.pack("H6xP", len(program), ctypes.addressof(octets))
    if libc.prctl(_SET_SECCOMP, _FILTER, ctypes.c_char_p(header), 0, 0) != 0:
        return []
    return ["seccomp"]


def _program(architecture: int, column: int) -> list[bytes]:
    """Return the filter, an instruction of 8 octets each (struct sock_filter)."""
    numbers = {name: pair[column] for name, pair in _CALLS.items()}
    checked = [(_CLONE[column], _FIRST, _ANY_BIT, _THREAD, True)]
    checked += [(numbers.pop("fcntl"), _SECOND, _EQUAL, _TWICE, True)]
    checked += [
        (numbers.pop(name), _THIRD, _ANY_BIT, _EXECUTABLE, False) for name in ("mmap", "mprotect")
    ]
    program = [
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_EQUAL, architecture, 1, 0),
        _instruction(_RETURN, _KILL),
        _instruction(_LOAD, _NUMBER),
        _instruction(_AT_LEAST, _OTHER_NUMBERS, 0, 1),
        _instruction(_RETURN, _REFUSE),
        _instruction(_EQUAL, _CLONE3[column], 0, 1),
        _instruction(_RETURN, _NOT_KNOWN),
    ]
    for number, argument, test, value, wanted in checked:
        program += [
            _instruction(_EQUAL, number, 0, 4),
            _instruction(_LOAD, argument),
            _instruction(test, value, 0, 1),
            _instruction(_RETURN, _ALLOW if wanted else _REFUSE),
            _instruction(_RETURN, _REFUSE if wanted else _ALLOW),
        ]
    for number in sorted(set(numbers.values())):
        program += [_instruction(_EQUAL, number, 0, 1), _instruction(_RETURN, _ALLOW)]
    return [*program, _instruction(_RETURN, _REFUSE)]


def _instruction(code: int, value: int, if_so: int = 0, if_not: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_so, if_not, value)


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
    memory = _MemoryBudget()
    loaded = memory.written_bytes
    most = memory.mapped_bytes + 2 * budget_bytes + _LARGEST_FILE
    holds = confine(memory_bytes=most, descriptors=_DESCRIPTORS)
    try:
        send(channel, {"holds": holds})
        while memory.tidied_bytes() <= loaded + kind.base_bytes // _LEFT:
            _DecodingJob(channel, kind, loaded, answer_bytes).run(work, receive(channel))
    except EndedError:
        sys.exit(0)


class _DecodingJob:
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
    return {"code": error.code, "problem": error.problem, "hint": error.hint, **error.details()}


def _content(request: Message) -> tuple[Octets, dict[str, object], bytes]:
    """Return the octets of the object, the words, and the octets that go along.

    Both are in the request if it has no descriptor, the accompanying octets last.
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


class _MemoryBudget:
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
