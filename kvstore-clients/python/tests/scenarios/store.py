"""The server, its databases and tables, jobs, and errors."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
import time

import kvstore
from kvstore import (
    AlreadyExistsError,
    ConnectionFailedError,
    InvalidRequestError,
    KVStoreError,
    NotFoundError,
    OperationState,
    TableDroppedError,
    UnauthenticatedError,
)

from .harness import ENGINES, Skipped, World, raises, same


def definitions(world: World) -> None:
    """The server's description, databases and tables."""
    client, database = world.client, world.database
    info = client.server_info()
    same([], sorted({*ENGINES, "hash"} - set(info.engines)))
    same(True, bool(info.version) and info.durability in ("sync", "buffered"))
    same(17 * 1024 * 1024, info.max_frame_bytes)
    same((True, False), (client.create_database(database), client.create_database(database)))
    same(True, database in client.databases())
    for engine in ENGINES:
        options = {"DURABILITY": "BUFFERED"}
        made = client.create_table(database, f"table_{engine}", engine, options)
        same((database, f"table_{engine}", engine), (made.database, made.table, made.engine))
        same(True, made.ordered)
        same("BUFFERED", made.options["DURABILITY"].upper())
        same(made, client.create_table(database, f"table_{engine}", engine, options))
        same(made, client.create_table(database, f"table_{engine}", engine))
        same(made, client.table(database, f"table_{engine}").describe())
        other = ENGINES[1 - ENGINES.index(engine)]
        name = made.table
        code = "DEFINITION_DIFFERS"
        raises(AlreadyExistsError, lambda n=name, o=other: _create(world, n, o), code)
    same(["table_bplus", "table_lsm"], client.tables(database))
    raises(KVStoreError, lambda: client.drop_database(database), "DATABASE_NOT_EMPTY")


def _create(world: World, name: str, engine: str) -> kvstore.TableInfo:
    return world.client.create_table(world.database, name, engine)


def maintenance(world: World) -> None:
    """Figures and jobs."""
    client, table = world.client, world.new_table("maintenance")
    world.fill(table, 1_000)
    for stats in (table.stats(), client.stats()):
        same((True, True), (len(stats.numbers) > 0, len(stats.numbers) + len(stats.texts) > 3))
    for job in (table.flush, table.optimize, client.checkpoint):
        same(OperationState.DONE, job().state)
    verified = table.verify()
    same((OperationState.DONE, 0, []), (verified.state, verified.findings_total, verified.findings))
    same((world.database, table.name), (verified.database, verified.table))

    started = table.verify(wait=False)
    same(True, started.state in (OperationState.RUNNING, OperationState.DONE))
    same(OperationState.DONE, client.wait(started).state)
    same(OperationState.DONE, client.operation(started.operation_id).state)
    same(True, started.operation_id in [found.operation_id for found in client.operations()])
    same(started.operation_id, client.cancel_operation(started.operation_id).operation_id)
    raises(NotFoundError, lambda: client.operation(2**60), "NOT_FOUND")
    same(1_000, table.count())


def errors(world: World) -> None:
    """Names that are not there or not valid, and a table dropped under a scan."""
    client = world.client
    nowhere = client.table("e2e_python_nowhere", "table")
    raises(NotFoundError, lambda: nowhere.get("key"), "DATABASE_NOT_FOUND")
    raises(NotFoundError, lambda: client.tables("e2e_python_nowhere"), "DATABASE_NOT_FOUND")
    missing = client.table(world.database, "missing")
    raises(NotFoundError, lambda: missing.put("key", b""), "TABLE_NOT_FOUND")
    raises(InvalidRequestError, lambda: client.create_database("no/name"), "INVALID_REQUEST")
    raises(InvalidRequestError, lambda: _create(world, "x" * 65, "lsm"), "INVALID_REQUEST")
    raises(InvalidRequestError, lambda: _create(world, "engine", "none"), "INVALID_REQUEST")

    table = world.new_table("truncated")
    world.fill(table, 50)
    scan = table.scan(page_entries=7)
    scan.next_page()
    table.truncate()
    raises(TableDroppedError, lambda: next(scan), "TABLE_DROPPED")

    table = world.new_table("dropped")
    keys = world.fill(table, 50)
    scan = table.scan(page_entries=7)
    same(keys[:7], [next(scan).key for _ in range(7)])
    table.drop()
    raises(TableDroppedError, lambda: next(scan), "TABLE_DROPPED")
    raises(NotFoundError, lambda: table.get("key"), "TABLE_NOT_FOUND")
    world.new_table("dropped").put(keys[20], b"again")
    raises(TableDroppedError, lambda: next(scan), "TABLE_DROPPED")
    table.drop()
    raises(NotFoundError, table.drop, "TABLE_NOT_FOUND")


def threads(world: World) -> None:
    """Eight threads and a pool of four."""
    name = world.new_table("threads").name
    failures: list[BaseException] = []
    with kvstore.connect(world.url(), pool=4) as client:
        table = client.table(world.database, name)

        def work(thread: int) -> None:
            try:
                for number in range(200):
                    key = f"{thread}/{number}"
                    table.put(key, key.encode())
                    same(key.encode(), table.get(key))
            except BaseException as error:
                failures.append(error)

        workers = [threading.Thread(target=work, args=(thread,)) for thread in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        if failures:
            raise failures[0]
        same(1_600, table.count())
        entries = list(table.scan())
        same([entry.key for entry in entries], [entry.value for entry in entries])


def restart(world: World) -> None:
    """The server is restarted under a scan."""
    command = os.environ.get("KVSTORE_E2E_RESTART")
    if not command:
        raise Skipped("KVSTORE_E2E_RESTART is not set")
    table = world.new_table("restart")
    keys = world.fill(table, 2_500)
    scan = table.scan(page_entries=100)
    found = [next(scan).key for _ in range(250)]
    with world.client.snapshot() as view:
        old = view.table(world.database, table.name)
        same(2_500, old.count())
        subprocess.run(command, shell=True, check=True, stdout=subprocess.DEVNULL)
        try:
            old.count()
            raise AssertionError("a snapshot outlived a restart")
        except (ConnectionFailedError, kvstore.SnapshotExpiredError):
            pass
    found += [entry.key for entry in scan]
    same(keys, found)
    table.put("after", b"restart")
    same(b"restart", table.get("after"))


def restart_before_write(world: World) -> None:
    """The server is restarted, and the first call after it is a write."""
    command = os.environ.get("KVSTORE_E2E_RESTART")
    if not command:
        raise Skipped("KVSTORE_E2E_RESTART is not set")
    table = world.new_table("restart")
    subprocess.run(command, shell=True, check=True, stdout=subprocess.DEVNULL)
    table.put("after", b"restart")
    same(b"restart", table.get("after"))


def unreachable(world: World) -> None:
    """Where nobody listens, and URLs that are not valid."""
    with socket.socket() as taken:  # no other process gets its port meanwhile
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        raises(ConnectionFailedError, lambda: kvstore.connect(f"kvstore://127.0.0.1:{port}"))
    for url in (f"http://{world.address}", f"kvstore://{world.address}?unknown=1"):
        raises(InvalidRequestError, lambda wrong=url: kvstore.connect(wrong), "INVALID_REQUEST")


def authentication(world: World) -> None:
    """No token and a wrong one are refused."""
    if not world.token:
        raise Skipped("no token is given")
    for token in (None, "wrong" * 8):
        raises(
            UnauthenticatedError, lambda given=token: _databases(world, given), "UNAUTHENTICATED"
        )
    with kvstore.connect(f"kvstore://{world.address}", token=world.token) as client:
        same(True, world.database in client.databases())


def _databases(world: World, token: str | None) -> list[str]:
    with kvstore.connect(f"kvstore://{world.address}", token=token) as client:
        return client.databases()
