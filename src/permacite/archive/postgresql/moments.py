"""How many commits there were, asked by who cannot wait: a server asks it for each request.

The question is put by libpq's own calls, which take a fifth of the time of a statement, and no
longer than a moment is waited for its answer; connecting is left to a thread. A server that is slow
or away so delays what it is asked, and nobody else.
"""

from __future__ import annotations

import contextlib
import select
import threading
import time
from typing import TYPE_CHECKING

import psycopg
from psycopg.pq import ExecStatus

from permacite.errors import PermaciteError

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.archive.postgresql.session import Session

__all__ = ["Moments"]

_NAME = b"moment"
_QUESTION = b"SELECT commits FROM log_head"
_MOST_S = 0.02
_REST_S = 1.0
"""How long nothing is asked after an answer that came too late, or not."""


class Moments:
    """Tells the number of commits, or None where that cannot be told at once. For one thread."""

    def __init__(self, connect: Callable[[], Session]) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._session: Session | None = None
        self._is_closed = self._is_connecting = self._is_asked = False
        self._rests_until = 0.0

    def __call__(self) -> int | None:
        """The number of commits when this is called, or a later one."""
        session = self._session
        if time.monotonic() < self._rests_until:
            return None
        if session is None:
            self._begin()
            return None
        try:
            if self._is_asked:  # its answer tells of an earlier moment
                self._answer(session, 0.0)
            number = None if self._is_asked else self._ask(session)
        except psycopg.Error:
            self._let_go()
            number = None
        if number is None:
            self._rests_until = time.monotonic() + _REST_S
        return number

    def close(self) -> None:
        """Let the connection go; none is made any more."""
        with self._lock:
            self._is_closed = True
        self._let_go()

    def open(self) -> None:
        """Connect. Raises StorageError."""
        session = self._connect()
        session.connection.pgconn.prepare(_NAME, _QUESTION)
        with self._lock:
            if not self._is_closed:
                self._session = session
                return
        session.close()

    def _begin(self) -> None:
        """Connect in a thread, unless one is at it."""
        if not self._is_connecting:
            self._is_connecting = True
            threading.Thread(target=self._reopen, name="permacite-moments", daemon=True).start()

    def _reopen(self) -> None:
        try:
            with contextlib.suppress(PermaciteError, psycopg.Error):
                self.open()
        finally:
            self._is_connecting = False

    def _let_go(self) -> None:
        self._is_asked = False
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def _ask(self, session: Session) -> int | None:
        session.connection.pgconn.send_query_prepared(_NAME, [])
        self._is_asked = True
        return self._answer(session, _MOST_S)

    def _answer(self, session: Session, wait_s: float) -> int | None:
        """What was asked for, if it comes within this time; else it stays asked."""
        line = session.connection.pgconn
        deadline = time.monotonic() + wait_s
        number = None
        while True:
            line.flush()
            while line.is_busy():
                left_s = max(0.0, deadline - time.monotonic())
                if not select.select([line.socket], [], [], left_s)[0]:
                    return None
                line.consume_input()
            result = line.get_result()
            if result is None:
                self._is_asked = False
                return number
            if result.status != ExecStatus.TUPLES_OK:
                raise psycopg.OperationalError(result.get_error_message())
            number = int(result.get_value(0, 0) or 0)
