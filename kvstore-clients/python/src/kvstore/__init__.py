"""Client of KVStore, a key-value server::

with kvstore.connect("kvstore://localhost") as client:
    table = client.table("demo", "fruit")
    table.put("apple", b"red")
"""

from __future__ import annotations

from ._batch import Batch
from ._client import Client, connect
from ._errors import (
    AlreadyExistsError,
    ConditionFailedError,
    ConnectionFailedError,
    CorruptionError,
    InvalidRequestError,
    KVStoreError,
    NotFoundError,
    OutcomeUnknownError,
    SnapshotExpiredError,
    TableDroppedError,
    TooLargeError,
    UnauthenticatedError,
    UnavailableError,
)
from ._scan import Scan
from ._snapshot import Snapshot
from ._table import Table, TableView
from ._values import (
    Backup,
    Condition,
    Entry,
    Finding,
    Operation,
    Restore,
    ServerInfo,
    Stats,
    TableInfo,
    TaggedValue,
)
from .gen.ttypes import Durability, ErrorCode, OperationKind, OperationState, Outcome

__all__ = [
    "AlreadyExistsError",
    "Backup",
    "Batch",
    "Client",
    "Condition",
    "ConditionFailedError",
    "ConnectionFailedError",
    "CorruptionError",
    "Durability",
    "Entry",
    "ErrorCode",
    "Finding",
    "InvalidRequestError",
    "KVStoreError",
    "NotFoundError",
    "Operation",
    "OperationKind",
    "OperationState",
    "Outcome",
    "OutcomeUnknownError",
    "Restore",
    "Scan",
    "ServerInfo",
    "Snapshot",
    "SnapshotExpiredError",
    "Stats",
    "Table",
    "TableDroppedError",
    "TableInfo",
    "TableView",
    "TaggedValue",
    "TooLargeError",
    "UnauthenticatedError",
    "UnavailableError",
    "connect",
]
