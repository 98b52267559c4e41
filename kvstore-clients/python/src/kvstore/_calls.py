"""Calls over the pool, and the rule when a call is tried again."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol, TypeVar

from ._connection import Connection, Invoke
from ._errors import ConnectionFailedError, KVStoreError
from ._pool import Pool
from .gen.ttypes import Outcome

T = TypeVar("T")

_PAUSES = (0.05, 0.25)
_PING_AFTER_SECONDS = 1.0


class Reader(Protocol):
    """Makes calls that change nothing."""

    def read(self, invoke: Invoke[T]) -> T:
        """Makes the call."""


class Calls:
    """Makes calls over connections of a pool."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def read(self, invoke: Invoke[T]) -> T:
        """Makes a call that changes nothing."""
        return retry(lambda: self._once(invoke, False), False)

    def write(self, invoke: Invoke[T]) -> T:
        """Makes a call that may change something."""
        return retry(lambda: self._once(invoke, True), True)

    def _once(self, invoke: Invoke[T], write: bool) -> T:
        connection = self._connection(write)
        try:
            return connection.call(invoke, write)
        finally:
            self._pool.release(connection)

    def _connection(self, write: bool) -> Connection:
        """A connection; for a write it is a fresh one, was used lately, or answers a ping."""
        while True:
            connection = self._pool.acquire()
            if not write or connection.idle_seconds <= _PING_AFTER_SECONDS:
                return connection
            usable = False
            try:
                usable = connection.answers()
            finally:
                if not usable:
                    connection.close()
                    self._pool.release(connection)
            if usable:
                return connection


def retry(attempt: Callable[[], T], write: bool) -> T:
    """Attempts a call and repeats it, twice at most, if that is safe."""
    pauses = iter(_PAUSES)
    while True:
        try:
            return attempt()
        except KVStoreError as error:
            pause = next(pauses, None)
            if pause is None or not may_repeat(error, write):
                raise
        time.sleep(pause)


def may_repeat(error: KVStoreError, write: bool) -> bool:
    """Whether a call that failed so is tried again: a read if that can help and time did not run
    out, a write only if the failure also left it untried."""
    if isinstance(error, ConnectionFailedError) and error.timed_out:
        return False
    return error.retryable and (not write or error.outcome == Outcome.REJECTED)
