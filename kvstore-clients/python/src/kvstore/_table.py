"""Tables: reading, writing and looking after them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ._calls import Calls, Reader
from ._operations import Operations
from ._scan import Scan
from ._values import (
    Bytes,
    Condition,
    Key,
    Operation,
    Stats,
    TableInfo,
    TaggedValue,
    key_bytes,
    key_range,
    several_keys,
    value_bytes,
    whole_number,
    write_options,
)
from .gen.ttypes import Durability, OperationKind, ReadOptions, ScanRequest, TableName


class TableView:
    """Reads a table: the newest, or what a snapshot sees. Keys are bytes, or str in UTF-8."""

    def __init__(
        self, calls: Reader, database: str, name: str, snapshot_id: int | None = None
    ) -> None:
        self.database = database
        self.name = name
        self._reader = calls
        self._snapshot_id = snapshot_id
        self._name = TableName(database, name)
        self._options = ReadOptions(snapshot_id=snapshot_id)

    def get(self, key: Key) -> bytes | None:
        """The value of a key; None if it has none."""
        data = key_bytes(key)
        result = self._reader.read(lambda stub: stub.get(self._name, data, self._options))
        value: bytes | None = result.value
        return value

    def get_tagged(self, key: Key) -> TaggedValue | None:
        """The value of a key with its tag; None if it has none."""
        data = key_bytes(key)
        options = ReadOptions(snapshot_id=self._snapshot_id, with_tag=True)
        result = self._reader.read(lambda stub: stub.get(self._name, data, options))
        tag: Any = result.tag
        return None if result.value is None else TaggedValue(result.value, tag)

    def get_all(self, keys: Iterable[Key]) -> list[bytes | None]:
        """The values of several keys, in the order given, all as they were at one moment."""
        data = several_keys(keys)
        results = self._reader.read(lambda stub: stub.multiGet(self._name, data, self._options))
        return [result.value for result in results]

    def contains(self, key: Key) -> bool:
        """Whether a key has a value."""
        data = key_bytes(key)
        return self._reader.read(lambda stub: stub.contains(self._name, data, self._options))

    def scan(
        self,
        *,
        prefix: Key | None = None,
        start: Key | None = None,
        stop: Key | None = None,
        start_exclusive: bool = False,
        stop_inclusive: bool = False,
        reverse: bool = False,
        keys_only: bool = False,
        limit: int | None = None,
        page_entries: int | None = None,
        page_bytes: int | None = None,
        max_value_bytes: int | None = None,
        continuation: bytes | None = None,
    ) -> Scan:
        """The entries with a prefix, between two bounds, or all, in the order of their keys.

        start is taken and stop is left out unless said otherwise. limit is for the whole scan,
        page_entries and page_bytes for each page. A value over max_value_bytes, or too large for an
        answer, is told by its size. continuation goes on where another scan was, see Scan.
        """
        request = ScanRequest(
            table=self._name,
            range=key_range(prefix, start, stop, start_exclusive, stop_inclusive),
            reversed=reverse,
            keys_only=keys_only,
            max_entries=page_entries,
            max_bytes=page_bytes,
            max_value_bytes=max_value_bytes,
            continuation=continuation,
            snapshot_id=self._snapshot_id,
        )
        return Scan(self._reader, request, limit)

    def count(
        self,
        *,
        prefix: Key | None = None,
        start: Key | None = None,
        stop: Key | None = None,
        start_exclusive: bool = False,
        stop_inclusive: bool = False,
    ) -> int:
        """How many keys have a prefix, are between two bounds, or are there at all."""
        keys = key_range(prefix, start, stop, start_exclusive, stop_inclusive)
        return self._reader.read(lambda stub: stub.countKeys(self._name, keys, self._options))

    def __getitem__(self, key: Key) -> bytes:
        value = self.get(key)
        if value is None:
            raise KeyError(key)
        return value

    def __contains__(self, key: Key) -> bool:
        return self.contains(key)

    def __iter__(self) -> Iterator[bytes]:
        return (entry.key for entry in self.scan(keys_only=True))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.database!r}, {self.name!r})"


class Table(TableView):
    """Reads, writes and looks after a table. It may be used by several threads.

    It is a handle, that is, the name and no more, whether there is such a table or not.
    A write's durability is the table's, unless the call says otherwise.
    """

    def __init__(self, calls: Calls, operations: Operations, database: str, name: str) -> None:
        super().__init__(calls, database, name)
        self._calls = calls
        self._operations = operations

    def put(self, key: Key, value: Bytes, *, durability: Durability | None = None) -> None:
        """Puts a value."""
        data, new, options = key_bytes(key), value_bytes(value), write_options(durability)
        self._calls.write(lambda stub: stub.put(self._name, data, new, options))

    def remove(self, key: Key, *, durability: Durability | None = None) -> None:
        """Removes a key, whether it has a value or not."""
        data, options = key_bytes(key), write_options(durability)
        self._calls.write(lambda stub: stub.remove(self._name, data, options))

    def put_if(
        self,
        key: Key,
        value: Bytes,
        condition: Condition,
        *,
        durability: Durability | None = None,
    ) -> bool:
        """Puts a value if a condition holds; tells whether it did."""
        data, new, options = key_bytes(key), value_bytes(value), write_options(durability)
        wanted = condition.to_thrift()
        return self._calls.write(lambda stub: stub.putIf(self._name, data, new, wanted, options))

    def remove_if(
        self, key: Key, condition: Condition, *, durability: Durability | None = None
    ) -> bool:
        """Removes a key if a condition holds; tells whether it did."""
        data, options = key_bytes(key), write_options(durability)
        wanted = condition.to_thrift()
        return self._calls.write(lambda stub: stub.removeIf(self._name, data, wanted, options))

    def put_if_absent(
        self, key: Key, value: Bytes, *, durability: Durability | None = None
    ) -> bool:
        """Puts a value if the key has none; tells whether it had none."""
        return self.put_if(key, value, Condition.absent(), durability=durability)

    def replace(
        self, key: Key, value: Bytes, *, expected: Bytes, durability: Durability | None = None
    ) -> bool:
        """Puts a value if the key has the expected one; tells whether it had."""
        return self.put_if(key, value, Condition.value_is(expected), durability=durability)

    def remove_expected(
        self, key: Key, expected: Bytes, *, durability: Durability | None = None
    ) -> bool:
        """Removes a key if it has the expected value; tells whether it had."""
        return self.remove_if(key, Condition.value_is(expected), durability=durability)

    def add(self, key: Key, delta: int = 1, *, durability: Durability | None = None) -> int:
        """Adds to the number that a key has; gives the sum. The value is decimal text of 64 bits,
        such as b"-7"; a missing key counts as 0. A value that is no number is an
        InvalidRequestError.

        After an OutcomeUnknownError do not just call it again: that could add twice.
        """
        data, options = key_bytes(key), write_options(durability)
        number = whole_number(delta, 64, "the delta")
        return self._calls.write(lambda stub: stub.add(self._name, data, number, options))

    def append(self, key: Key, suffix: Bytes, *, durability: Durability | None = None) -> int:
        """Appends to a value, up to 1 MiB; gives its new length. A missing key counts as empty.

        After an OutcomeUnknownError do not just call it again: that could append twice.
        """
        data, more, options = key_bytes(key), value_bytes(suffix), write_options(durability)
        return self._calls.write(lambda stub: stub.append(self._name, data, more, options))

    def patch(
        self, key: Key, offset: int, part: Bytes, *, durability: Durability | None = None
    ) -> int:
        """Overwrites a part of a value, from an offset up to its length; gives its new length."""
        data, new, options = key_bytes(key), value_bytes(part), write_options(durability)
        place = whole_number(offset, 32, "the offset")
        return self._calls.write(lambda stub: stub.patch(self._name, data, place, new, options))

    def get_and_put(
        self, key: Key, value: Bytes, *, durability: Durability | None = None
    ) -> bytes | None:
        """Puts a value; gives the one before, None if there was none.

        If that does not fit into an answer, the TooLargeError's outcome tells whether the value was
        put: it was not if it is REJECTED.
        """
        data, new, options = key_bytes(key), value_bytes(value), write_options(durability)
        result = self._calls.write(lambda stub: stub.getAndPut(self._name, data, new, options))
        previous: bytes | None = result.value
        return previous

    def get_and_remove(self, key: Key, *, durability: Durability | None = None) -> bytes | None:
        """Removes a key; gives its value, None if it had none. Errors are those of get_and_put."""
        data, options = key_bytes(key), write_options(durability)
        result = self._calls.write(lambda stub: stub.getAndRemove(self._name, data, options))
        previous: bytes | None = result.value
        return previous

    def describe(self) -> TableInfo:
        """The table's engine and options."""
        return TableInfo.from_thrift(self._calls.read(lambda stub: stub.describeTable(self._name)))

    def stats(self) -> Stats:
        """The table's figures."""
        stats = self._calls.read(lambda stub: stub.tableStats(self._name))
        return Stats(stats.numbers, stats.texts)

    def rename(self, name: str) -> Table:
        """Gives the table another name in its database; gives the handle of the new name.

        From then on this handle and others of the old name find no table, or another one that was
        given the name since.
        """
        info = self._calls.write(lambda stub: stub.renameTable(self._name, name))
        return Table(self._calls, self._operations, info.database, info.table)

    def alter(self, options: Mapping[str, str]) -> TableInfo:
        """Gives options other values, at once and for good; describes the table with them.

        An option that a table has for life is an InvalidRequestError.
        """
        given = dict(options)
        return TableInfo.from_thrift(
            self._calls.write(lambda stub: stub.alterTable(self._name, given))
        )

    def truncate(self) -> None:
        """Removes the table's data."""
        self._calls.write(lambda stub: stub.truncateTable(self._name))

    def drop(self) -> None:
        """Removes the table and its data."""
        self._calls.write(lambda stub: stub.dropTable(self._name))

    def flush(self, *, wait: bool = True) -> Operation:
        """Brings the table's memory to its files."""
        return self._operations.run(OperationKind.FLUSH, wait, table=self._name)

    def optimize(self, *, wait: bool = True) -> Operation:
        """Compacts the table, or puts its values in order."""
        return self._operations.run(OperationKind.OPTIMIZE, wait, table=self._name)

    def verify(self, *, wait: bool = True) -> Operation:
        """Reads all of the table and checks it; what is damaged is in the operation's findings."""
        return self._operations.run(OperationKind.VERIFY, wait, table=self._name)

    def __setitem__(self, key: Key, value: Bytes) -> None:
        self.put(key, value)

    def __delitem__(self, key: Key) -> None:
        self.remove(key)
