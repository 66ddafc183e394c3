"""Frozen launcher: runs permacite commands in forks, with a set clock and repeatable random bytes.

It reads one JSON object a line from standard input and answers with one number a line: the exit
status of a command, or the process of a server. It uses the standard library and what is the same
in every version of permacite: `python -m permacite`.
"""

from __future__ import annotations

import datetime as dt
import functools
import gc
import hashlib
import importlib
import json
import linecache
import os
import pkgutil
import runpy
import signal
import sys
import time
import traceback
from collections import Counter
from typing import Any, ClassVar


class Frozen:
    """The clock and the random bytes of this process."""

    now: ClassVar[float] = 1795339800.0
    drawn: ClassVar[Counter[tuple[int, bool]]] = Counter()


def _urandom(size: int) -> bytes:
    """Return the next bytes of this size; salts are counted apart from names of temporary files."""
    caller = sys._getframe(1)  # noqa: SLF001 - the one way to the line that asks
    line = linecache.getline(caller.f_code.co_filename, caller.f_lineno)
    key = (size, "SALT" in line)
    Frozen.drawn[key] += 1
    seed = f"{Frozen.now} {key} {Frozen.drawn[key]}".encode()
    return hashlib.shake_256(seed).digest(size)


_Real = dt.datetime


class _Kind(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _Real)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, _Real)


class _Datetime(_Real, metaclass=_Kind):
    __slots__ = ()

    def __new__(cls, *parts: Any, **named: Any) -> Any:
        return _Real(*parts, **named)

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Any:
        return _Real.fromtimestamp(Frozen.now, tz)

    @classmethod
    def utcnow(cls) -> Any:
        return _Real.fromtimestamp(Frozen.now, dt.UTC).replace(tzinfo=None)


def _freeze() -> None:
    """Replace the clock and the random bytes, before anything imports them."""
    os.urandom = _urandom
    time.time = lambda: Frozen.now
    time.time_ns = lambda: int(Frozen.now * 1_000_000_000)
    time.monotonic = functools.partial(_monotonic, time.monotonic)
    for name in ("gmtime", "localtime"):
        real = getattr(time, name)
        setattr(time, name, functools.partial(_at, real))
    dt.datetime = _Datetime  # type: ignore[misc]


def _monotonic(real: Any) -> float:
    """Return 1 to permacite, so that what it measures took no time; loops go on as they do."""
    asking = sys._getframe(1).f_globals.get("__name__", "")  # noqa: SLF001 - as above
    return 1.0 if asking.startswith("permacite.") else real()


def _at(real: Any, seconds: float | None = None) -> time.struct_time:
    return real(Frozen.now if seconds is None else seconds)  # type: ignore[no-any-return]


def _warm() -> None:
    """Import all of permacite, so that forks have it; what needs a missing extra is left out."""
    import permacite

    for module in pkgutil.walk_packages(permacite.__path__, "permacite.", onerror=lambda _: None):
        if not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except ImportError:
                continue
    gc.collect()
    gc.freeze()


def _run(task: dict[str, Any]) -> None:
    """Run one command in this process, which is a fork; never returns."""
    status = 70
    try:
        Frozen.now = task["now"]
        Frozen.drawn.clear()
        sys.modules["random"].seed(0)
        os.chdir(task["folder"])
        os.environ.clear()
        os.environ.update(task["environment"])
        time.tzset()
        for number, name, flags in (
            (0, task.get("input") or os.devnull, os.O_RDONLY),
            (1, task["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
            (2, task["err"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        ):
            descriptor = os.open(name, flags, 0o600)
            os.dup2(descriptor, number)
            os.close(descriptor)
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - of this command
        sys.argv = ["permacite", *task["words"]]
        sys.orig_argv = [sys.executable, "-m", "permacite", *task["words"]]
        runpy.run_module("permacite", run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as ended:
        code = ended.code
        status = code if isinstance(code, int) else int(code is not None)
    except BaseException:  # noqa: BLE001 - a traceback is a result too
        traceback.print_exc()
        status = 71
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status)


def main() -> None:
    """Answer until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    sys.stdin = open(os.devnull)  # noqa: PTH123, SIM115 - stays open
    tasks = os.fdopen(os.dup(0))
    _warm()
    for line in tasks:
        task = json.loads(line)
        if "end" in task:
            os.kill(task["end"], signal.SIGTERM)
            process = task["end"]
        else:
            process = os.fork()
            if process == 0:
                tasks.close()
                _run(task)
            if task.get("serves"):
                answers.write(f"{process}\n")
                continue
        _, status = os.waitpid(process, 0)
        answers.write(f"{os.waitstatus_to_exitcode(status)}\n")


_freeze()
if __name__ == "__main__":
    main()
