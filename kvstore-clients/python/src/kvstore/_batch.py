"""Changes that are applied together."""

from __future__ import annotations

from typing import Any

from ._calls import Calls
from ._errors import invalid_request
from ._table import Table
from ._values import Bytes, Condition, Key, key_bytes, value_bytes, whole_number, write_options
from .gen import ttypes
from .gen.ttypes import Check, Durability, Merge, Mutation, Patch, TableName

TableOrName = Table | str


class Batch:
    """Changes of tables of one database, which write() applies in their order, together or not at
    all, if every check holds before all of them. A table is given as a Table or by its name."""

    def __init__(self, calls: Calls, database: str) -> None:
        self._calls = calls
        self._database = database
        self._mutations: list[Mutation] = []
        self._checks: list[Check] = []

    def put(self, table: TableOrName, key: Key, value: Bytes) -> Batch:
        """Adds a value to be put."""
        name = self._table(table)
        self._mutations.append(Mutation(key_bytes(key), value_bytes(value), name))
        return self

    def remove(self, table: TableOrName, key: Key) -> Batch:
        """Adds a key to be removed."""
        self._mutations.append(Mutation(key_bytes(key), None, self._table(table)))
        return self

    def add(self, table: TableOrName, key: Key, delta: int = 1) -> Batch:
        """Adds an addition to a number, see Table.add."""
        return self._merge(table, key, Merge(add=whole_number(delta, 64, "the delta")))

    def append(self, table: TableOrName, key: Key, suffix: Bytes) -> Batch:
        """Adds bytes to be appended to a value, see Table.append."""
        return self._merge(table, key, Merge(append=value_bytes(suffix)))

    def patch(self, table: TableOrName, key: Key, offset: int, part: Bytes) -> Batch:
        """Adds a part of a value to be overwritten, see Table.patch."""
        patch = Patch(whole_number(offset, 32, "the offset"), value_bytes(part))
        return self._merge(table, key, Merge(patch=patch))

    def check(self, table: TableOrName, key: Key, condition: Condition) -> Batch:
        """Adds a condition that must hold."""
        name = self._table(table)
        self._checks.append(Check(key_bytes(key), condition.to_thrift(), name))
        return self

    def write(self, *, durability: Durability | None = None) -> int:
        """Applies the batch; returns its place in the store's log, which grows with each batch."""
        if not self._mutations and not self._checks:
            raise invalid_request("the batch is empty")
        first: Any = (self._mutations or self._checks)[0].table
        table = TableName(self._database, first)
        batch = ttypes.Batch(table, list(self._mutations), list(self._checks))
        options = write_options(durability)
        if any(mutation.merge is not None for mutation in self._mutations):
            # a server without merges would take one for a removal; it does not know the method
            return self._calls.write(lambda stub: stub.writeMerges(batch, options))
        return self._calls.write(lambda stub: stub.write(batch, options))

    def _merge(self, table: TableOrName, key: Key, merge: Merge) -> Batch:
        name = self._table(table)
        self._mutations.append(Mutation(key_bytes(key), None, name, merge))
        return self

    def _table(self, table: TableOrName) -> str:
        if not isinstance(table, Table):
            return table
        if table.database != self._database:
            raise invalid_request(f"{table!r} is not in the batch's database {self._database!r}")
        return table.name
