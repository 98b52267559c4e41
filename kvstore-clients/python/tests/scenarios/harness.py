"""Runs scenarios and prints one line for each."""

from __future__ import annotations

import secrets
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field

import kvstore

ENGINES = ("bplus", "lsm")


class Skipped(Exception):
    """A scenario that cannot run here; the text says why."""


@dataclass
class World:
    """What a scenario works with: a client and a database of its own."""

    address: str
    token: str | None
    client: kvstore.Client
    engine: str = ""
    database: str = field(default_factory=lambda: f"e2e_python_{secrets.token_hex(4)}")

    def url(self, address: str | None = None) -> str:
        """The URL of the server, or of another with the same token."""
        return f"kvstore://{f'{self.token}@' if self.token else ''}{address or self.address}"

    def new_table(self, name: str) -> kvstore.Table:
        """A table of the scenario's engine, without entries."""
        name = f"{name}_{self.engine}"
        self.client.create_table(self.database, name, self.engine)
        table = self.client.table(self.database, name)
        table.truncate()
        return table

    def fill(self, table: kvstore.Table, count: int) -> list[bytes]:
        """Puts so many entries, and gives their keys in order."""
        keys = [b"key%06d" % number for number in range(count)]
        for begin in range(0, count, 500):
            batch = self.client.batch(self.database)
            for key in keys[begin : begin + 500]:
                batch.put(table, key, b"value of " + key)
            batch.write()
        return keys

    def drop(self, database: str | None = None) -> None:
        """Drops the database, or another one, and all in it, if it is there."""
        database = database or self.database
        if database in self.client.databases():
            for name in self.client.tables(database):
                self.client.table(database, name).drop()
            self.client.drop_database(database)


Scenario = Callable[[World], None]


def run(scenario: Scenario, world: World, engine: str = "") -> bool:
    """Runs a scenario; tells whether it did not fail."""
    name = scenario.__name__ + (f" {engine}" if engine else "")
    world.engine = engine or ENGINES[0]
    begin = time.monotonic()
    try:
        scenario(world)
    except Skipped as skipped:
        print(f"skipped {name}: {skipped}")
    except Exception as error:
        traceback.print_exc(limit=-2, file=sys.stderr)
        print(f"not ok {name}: {type(error).__name__}: {error}", flush=True)
        return False
    else:
        print(f"ok {name} ({time.monotonic() - begin:.1f} s)", flush=True)
    return True


def same(expected: object, actual: object) -> None:
    """Fails unless both are the same."""
    if expected != actual:
        raise AssertionError(f"expected {expected!r:.200}, not {actual!r:.200}")


def raises(
    kind: type[kvstore.KVStoreError], call: Callable[[], object], code: str | None = None
) -> kvstore.KVStoreError:
    """Fails unless the call raises exactly this error, with this code; gives it."""
    try:
        result = call()
    except kvstore.KVStoreError as error:
        if type(error) is not kind:
            raise AssertionError(f"expected {kind.__name__}") from error
        same(code, code and error.code and error.code.name)
        if not error.message:
            raise AssertionError("the error has no message") from error
        return error
    raise AssertionError(f"expected {kind.__name__}, not {result!r:.200}")
