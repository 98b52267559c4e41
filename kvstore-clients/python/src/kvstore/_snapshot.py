"""A view of the whole store at one moment."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import TypeVar

from ._connection import Connection, Invoke
from ._errors import ConnectionFailedError, KVStoreError, snapshot_expired
from ._table import TableView
from .gen.ttypes import Outcome

T = TypeVar("T")


class Snapshot:
    """Sees the store as it was when the snapshot was opened, until it is closed, was not used for
    its lease, or its connection ends. Several threads may use it; their calls wait for each other.

    _lock guards the use of the connection, which is not one of the client's pool.
    """

    def __init__(self, connection: Connection, timeout: float, lease_ms: int) -> None:
        self._timeout = timeout
        self._lock = threading.Lock()
        self._connection = connection
        try:
            lease = self._connection.call(lambda stub: stub.openSnapshot(lease_ms), False)
        except BaseException:
            self._connection.close()
            raise
        self._snapshot_id: int = lease.snapshot_id
        self.lease_ms: int = lease.lease_millis

    def table(self, database: str, name: str) -> TableView:
        """A table as the snapshot sees it."""
        return TableView(self, database, name, self._snapshot_id)

    def read(self, invoke: Invoke[T]) -> T:
        """Makes a call on the snapshot's connection. It is never tried again: the snapshot ends
        with its connection."""
        if not self._lock.acquire(timeout=self._timeout):
            raise ConnectionFailedError(
                "the snapshot's connection is in use", timed_out=True, outcome=Outcome.REJECTED
            )
        try:
            if not self._connection.is_open:
                raise snapshot_expired("the snapshot is closed, or its connection ended")
            return self._connection.call(invoke, False)
        finally:
            self._lock.release()

    def close(self) -> None:
        """Ends the snapshot; more often is harmless."""
        with self._lock:
            if not self._connection.is_open:
                return
            try:
                snapshot_id = self._snapshot_id
                self._connection.call(lambda stub: stub.closeSnapshot(snapshot_id), False)
            except KVStoreError:
                # The server ends the snapshot with the connection.
                pass
            finally:
                self._connection.close()

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
