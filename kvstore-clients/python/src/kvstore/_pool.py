"""The connections of a client."""

from __future__ import annotations

import threading
import time

from ._connection import Connection
from ._errors import ConnectionFailedError
from ._options import Options
from .gen.ttypes import Outcome


class Pool:
    """Connections that are lent to one thread at a time, a bounded number of them.

    _changed guards all fields.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._changed = threading.Condition()
        self._idle: list[Connection] = []
        self._count = 0
        self._closed = False

    def connect(self) -> Connection:
        """Opens a connection that does not belong to the pool."""
        with self._changed:
            self._check_open()
        return Connection(self._options)

    def acquire(self) -> Connection:
        """Lends a connection, a new one if need be; waits for one as long as a call may take."""
        idle = self._take()
        if idle is not None:
            return idle
        try:
            return Connection(self._options)
        except BaseException:
            self._forget()
            raise

    def release(self, connection: Connection) -> None:
        """Takes a connection back. If the server ended it, the idle ones are closed too."""
        with self._changed:
            if connection.peer_gone:
                self._close_idle()
            if connection.is_open and not self._closed:
                self._idle.append(connection)
            else:
                connection.close()
                self._count -= 1
            self._changed.notify()

    def close(self) -> None:
        """Closes the idle connections now, and those that are lent when they come back."""
        with self._changed:
            self._closed = True
            self._close_idle()
            self._changed.notify_all()

    def _take(self) -> Connection | None:
        """An idle connection, or None and the right to open one."""
        deadline = time.monotonic() + self._options.timeout
        with self._changed:
            while True:
                self._check_open()
                while self._idle:
                    connection = self._idle.pop()
                    if not connection.is_stale():
                        return connection
                    connection.close()
                    self._count -= 1
                if self._count < self._options.pool:
                    self._count += 1
                    return None
                seconds = deadline - time.monotonic()
                if seconds <= 0:
                    raise ConnectionFailedError(
                        f"all {self._count} connections of the pool are in use",
                        timed_out=True,
                        retryable=True,
                        outcome=Outcome.REJECTED,
                    )
                self._changed.wait(seconds)

    def _check_open(self) -> None:
        if self._closed:
            raise ConnectionFailedError("the client is closed", outcome=Outcome.REJECTED)

    def _forget(self) -> None:
        with self._changed:
            self._count -= 1
            self._changed.notify()

    def _close_idle(self) -> None:
        for connection in self._idle:
            connection.close()
        self._count -= len(self._idle)
        self._idle.clear()
