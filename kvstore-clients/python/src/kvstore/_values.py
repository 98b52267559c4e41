"""Values that calls take and give."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple

from ._errors import KVStoreError, from_service_error, invalid_request
from .gen import ttypes
from .gen.ttypes import ConditionKind, Durability, OperationKind, OperationState

Bytes = bytes | bytearray | memoryview
Key = Bytes | str


def key_bytes(key: Key) -> bytes:
    """The bytes of a key; text is taken as UTF-8."""
    if isinstance(key, bytes):
        return key
    if isinstance(key, str):
        try:
            return key.encode()
        except UnicodeEncodeError as error:
            message = "the key has half of a surrogate pair, which UTF-8 cannot express: give bytes"
            raise invalid_request(message) from error
    if isinstance(key, (bytearray, memoryview)):
        return bytes(key)
    raise TypeError(f"a key is bytes or str, not {type(key).__name__}")


def several_keys(keys: Iterable[Key]) -> list[bytes]:
    """The bytes of keys. One key is refused: its letters would be taken for keys."""
    if isinstance(keys, (str, bytes, bytearray, memoryview)):
        raise TypeError("keys are an iterable of keys, such as a list, not one key")
    return [key_bytes(key) for key in keys]


def optional_key_bytes(key: Key | None) -> bytes | None:
    """The bytes of a key that may be missing."""
    return None if key is None else key_bytes(key)


def value_bytes(value: Bytes) -> bytes:
    """The bytes of a value."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    raise TypeError(f"a value is bytes, not {type(value).__name__}")


def whole_number(number: int, bits: int, name: str) -> int:
    """A signed number of so many bits."""
    if not isinstance(number, int):
        raise TypeError(f"{name} is an int, not {type(number).__name__}")
    if not -(1 << bits - 1) <= number < 1 << bits - 1:
        raise invalid_request(f"{name} is {number}, which {bits} bits do not take")
    return number


def write_options(durability: Durability | None) -> ttypes.WriteOptions:
    """The options of a write."""
    return ttypes.WriteOptions(durability=durability)


def key_range(
    prefix: Key | None,
    start: Key | None,
    stop: Key | None,
    start_exclusive: bool,
    stop_inclusive: bool,
) -> ttypes.KeyRange:
    """The range of a scan or count."""
    if prefix is not None and not (start is None and stop is None):
        raise invalid_request("a range has a prefix or bounds, not both")
    return ttypes.KeyRange(
        start_key=optional_key_bytes(start),
        start_exclusive=start_exclusive,
        stop_key=optional_key_bytes(stop),
        stop_inclusive=stop_inclusive,
        prefix=optional_key_bytes(prefix),
    )


class Entry(NamedTuple):
    """A key and its value, as a scan gives it.

    value: None when only keys were asked for, and when the value is too large for an answer.
    value_bytes: its size, only when it is left out because it is too large: get it by its key.
    """

    key: bytes
    value: bytes | None
    value_bytes: int | None = None


class TaggedValue(NamedTuple):
    """A value and its tag, a hash for Condition.tag_is."""

    value: bytes
    tag: int


@dataclass(frozen=True)
class Condition:
    """What must hold for a key before a write."""

    kind: ConditionKind
    tag: int | None = None
    value: bytes | None = None

    @staticmethod
    def absent() -> Condition:
        """The key has no value."""
        return Condition(ConditionKind.ABSENT)

    @staticmethod
    def exists() -> Condition:
        """The key has a value."""
        return Condition(ConditionKind.EXISTS)

    @staticmethod
    def tag_is(tag: int) -> Condition:
        """The key's value has this tag, see Table.get_tagged."""
        return Condition(ConditionKind.TAG_IS, tag=tag)

    @staticmethod
    def value_is(value: Bytes) -> Condition:
        """The key's value has exactly these bytes."""
        return Condition(ConditionKind.VALUE_IS, value=value_bytes(value))

    def to_thrift(self) -> ttypes.Condition:
        """The condition as it is sent."""
        return ttypes.Condition(self.kind, self.tag, self.value)


@dataclass(frozen=True)
class TableInfo:
    """What a table is: its engine, "bplus", "hash" or "lsm", and every option with its value.

    ordered tells whether the table keeps its entries in the order of keys. Any other table has an
    order of its own: it refuses bounds, a prefix and reverse.
    """

    database: str
    table: str
    table_id: int
    engine: str
    ordered: bool
    options: dict[str, str]

    @staticmethod
    def from_thrift(info: ttypes.TableInfo) -> TableInfo:
        """What the server answered."""
        # A server of a version that does not say has only tables that are ordered.
        ordered = info.ordered is not False
        return TableInfo(
            info.database, info.table, info.table_id, info.engine, ordered, info.options
        )


@dataclass(frozen=True)
class ServerInfo:
    """What a server is and what it takes at most."""

    version: str
    engines: list[str]
    durability: str
    max_key_bytes: int
    max_value_bytes: int
    max_frame_bytes: int
    max_items: int

    @staticmethod
    def from_thrift(info: ttypes.ServerInfo) -> ServerInfo:
        """What the server answered."""
        return ServerInfo(
            info.version,
            info.engines,
            info.durability,
            info.max_key_bytes,
            info.max_value_bytes,
            info.max_frame_bytes,
            info.max_items,
        )


@dataclass(frozen=True)
class Stats:
    """Figures by their place, such as "engine.height"."""

    numbers: dict[str, float]
    texts: dict[str, str]


_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Backup:
    """A backup of the server's store.

    time: when it was made, in UTC.
    lsn: the operation up to which the backup has all.
    store_bytes: the size of the store that a restore makes.
    written_bytes: what this backup added to the directory.
    damage: what is wrong with its description; None if nothing is. verify_backups reads the rest.
    """

    backup_id: int
    time: datetime
    lsn: int
    store_bytes: int
    written_bytes: int
    damage: str | None

    @staticmethod
    def from_thrift(backup: ttypes.Backup) -> Backup:
        """What the server answered."""
        return Backup(
            backup.backup_id,
            _EPOCH + timedelta(milliseconds=backup.time_millis),
            backup.lsn,
            backup.store_bytes,
            backup.written_bytes,
            backup.damage,
        )


@dataclass(frozen=True)
class Restore:
    """Which database of which backup becomes which database."""

    backup_id: int
    database: str
    restored_as: str


@dataclass(frozen=True)
class Finding:
    """A damaged place that a verify, of a table or of backups, found."""

    place: str
    message: str


@dataclass(frozen=True)
class Operation:
    """A job that runs, or ran, on the server.

    database, table: of a flush, an optimize and a verify.
    done_bytes, total_bytes: of a job that can be cancelled, how far it is, of how much.
    findings: of a verify, of a table or of backups, the first of findings_total.
    error: of a job that failed.
    backup: of a backup that is done.
    restore: of a restore.
    """

    operation_id: int
    kind: OperationKind
    state: OperationState
    seconds: float
    database: str | None
    table: str | None
    done_bytes: int | None
    total_bytes: int | None
    findings_total: int | None
    findings: list[Finding]
    error: KVStoreError | None
    backup: Backup | None = None
    restore: Restore | None = None

    @staticmethod
    def from_thrift(operation: ttypes.Operation) -> Operation:
        """What the server answered."""
        kind: Any = operation.kind
        state: Any = operation.state
        table, backup, restore = operation.table, operation.backup, operation.restore
        findings = operation.findings or []
        return Operation(
            operation_id=operation.operation_id,
            kind=kind,
            state=state,
            seconds=operation.seconds,
            database=table.database if table else None,
            table=table.table if table else None,
            done_bytes=operation.done_bytes,
            total_bytes=operation.total_bytes,
            findings_total=operation.findings_total,
            findings=[Finding(finding.place, finding.message) for finding in findings],
            error=from_service_error(operation.error) if operation.error else None,
            backup=Backup.from_thrift(backup) if backup else None,
            restore=Restore(restore.backup_id, restore.database, restore.restored_as)
            if restore
            else None,
        )
