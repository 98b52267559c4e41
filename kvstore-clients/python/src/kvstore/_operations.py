"""Jobs that run on the server."""

from __future__ import annotations

import time

from ._calls import Calls
from ._errors import KVStoreError
from ._values import Operation
from .gen.ttypes import (
    OperationKind,
    OperationRequest,
    OperationState,
    Outcome,
    Restore,
    TableName,
)

_FIRST_PAUSE = 0.01
_LONGEST_PAUSE = 0.5


class Operations:
    """Starts jobs and waits for them."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def run(
        self,
        kind: OperationKind,
        wait: bool,
        *,
        table: TableName | None = None,
        restore: Restore | None = None,
    ) -> Operation:
        """Starts a job and, if told so, waits for its end."""
        request = OperationRequest(kind, table, restore)
        started = Operation.from_thrift(
            self._calls.write(lambda stub: stub.startOperation(request))
        )
        return self.wait(started) if wait else started

    def get(self, operation_id: int) -> Operation:
        """How far a job is."""
        return Operation.from_thrift(self._calls.read(lambda stub: stub.operation(operation_id)))

    def all(self) -> list[Operation]:
        """Jobs that run and those that ended lately, oldest first."""
        found = self._calls.read(lambda stub: stub.operations())
        return [Operation.from_thrift(operation) for operation in found]

    def cancel(self, operation_id: int) -> Operation:
        """Asks a job to stop."""
        return Operation.from_thrift(
            self._calls.write(lambda stub: stub.cancelOperation(operation_id))
        )

    def wait(self, operation: Operation) -> Operation:
        """Waits for a job's end; one that failed is raised."""
        pause = _FIRST_PAUSE
        while operation.state == OperationState.RUNNING:
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
            operation = self.get(operation.operation_id)
        if operation.state == OperationState.FAILED:
            message = f"operation {operation.operation_id} failed"
            raise operation.error or KVStoreError(message, outcome=Outcome.FAILED)
        return operation
