"""What a process gives up for good before it touches hostile octets.

Limits of the system, no new privileges, Landlock with nothing allowed, and a list of the system
calls that are left (seccomp): memory, threads, time, and what is open already. None of them is
`open`, `socket` or `execve`. What the kernel lacks is left out, and said.
"""

from __future__ import annotations

import ctypes
import platform
import resource
import struct
import sys

__all__ = ["confine", "limit_cpu", "limit_memory"]

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
