"""The client: databases, tables and what concerns the whole store."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from types import TracebackType

from ._batch import Batch
from ._calls import Calls, retry
from ._operations import Operations
from ._options import Options, parse
from ._pool import Pool
from ._snapshot import Snapshot
from ._table import Table
from ._values import Backup, Operation, ServerInfo, Stats, TableInfo
from .gen import ttypes
from .gen.ttypes import OperationKind, TableName


def connect(
    url: str,
    *,
    token: str | None = None,
    connect_timeout_ms: int | None = None,
    timeout_ms: int | None = None,
    pool: int | None = None,
    max_frame_bytes: int | None = None,
    ssl_context: ssl.SSLContext | None = None,
) -> Client:
    """Connects to a server: kvstore://[TOKEN@]HOST[:PORT], or kvstores:// for TLS.

    token: the server's token, instead of the URL's.
    connect_timeout_ms: how long opening a connection may take; 5,000.
    timeout_ms: how long a call may take, and how long it may wait for a connection; 30,000.
    pool: connections at most; 8. A snapshot has one beside them.
    max_frame_bytes: the largest request and answer; 17 MiB.
    ssl_context: whom to trust with TLS; the system's authorities if it is left out.

    The four numbers can be parameters of the URL too: kvstore://localhost?pool=4&timeout_ms=1000.
    """
    client = Client(
        parse(
            url,
            token=token,
            connect_timeout_ms=connect_timeout_ms,
            timeout_ms=timeout_ms,
            pool=pool,
            max_frame_bytes=max_frame_bytes,
            ssl_context=ssl_context,
        )
    )
    try:
        client.ping()
    except BaseException:
        client.close()
        raise
    return client


class Client:
    """A server. It may be used by several threads. connect() makes one."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._pool = Pool(options)
        self._calls = Calls(self._pool)
        self._operations = Operations(self._calls)

    def ping(self) -> None:
        """Returns if the server answers."""
        self._calls.read(lambda stub: stub.ping())

    def server_info(self) -> ServerInfo:
        """What the server is and what it takes at most."""
        return ServerInfo.from_thrift(self._calls.read(lambda stub: stub.serverInfo()))

    def databases(self) -> list[str]:
        """The names of the databases, sorted."""
        return self._calls.read(lambda stub: stub.databases())

    def create_database(self, database: str) -> bool:
        """Creates a database; tells whether it is new."""
        return self._calls.write(lambda stub: stub.createDatabase(database))

    def drop_database(self, database: str) -> None:
        """Removes a database; refused while it has tables."""
        self._calls.write(lambda stub: stub.dropDatabase(database))

    def tables(self, database: str) -> list[str]:
        """The names of a database's tables, sorted."""
        return self._calls.read(lambda stub: stub.tables(database))

    def create_table(
        self,
        database: str,
        table: str,
        engine: str,
        options: Mapping[str, str] | None = None,
    ) -> TableInfo:
        """Creates a table with the engine "bplus", "hash" or "lsm", or describes it if it is there so.

        options are those of the engine, such as MEM_CACHE_SIZE, or of any table, such as
        DURABILITY.
        """
        name, given = TableName(database, table), dict(options or {})
        return TableInfo.from_thrift(
            self._calls.write(lambda stub: stub.createTable(name, engine, given))
        )

    def table(self, database: str, name: str) -> Table:
        """A table. Asks the server nothing."""
        return Table(self._calls, self._operations, database, name)

    def batch(self, database: str) -> Batch:
        """A batch of changes of a database's tables, empty at first."""
        return Batch(self._calls, database)

    def snapshot(self, *, lease_ms: int = 0) -> Snapshot:
        """A view of the whole store at this moment, with a connection of its own, to be closed.

        lease_ms: how long it lives after its last use, 1,000 to 3,600,000; 0: 60,000.
        """
        timeout = self._options.timeout
        return retry(lambda: Snapshot(self._pool.connect(), timeout, lease_ms), False)

    def stats(self) -> Stats:
        """The store's figures."""
        stats = self._calls.read(lambda stub: stub.storeStats())
        return Stats(stats.numbers, stats.texts)

    def checkpoint(self, *, wait: bool = True) -> Operation:
        """Makes a checkpoint of the store."""
        return self._operations.run(OperationKind.CHECKPOINT, wait)

    def backup(self, *, wait: bool = True) -> Operation:
        """Makes a backup of the store in the server's directory for backups.

        It is the operation's backup. One that was cancelled is no error, and leaves nothing.
        """
        return self._operations.run(OperationKind.BACKUP, wait)

    def backups(self) -> list[Backup]:
        """The backups in the server's directory for backups, oldest first."""
        found = self._calls.read(lambda stub: stub.backups())
        return [Backup.from_thrift(backup) for backup in found]

    def verify_backups(self, *, wait: bool = True) -> Operation:
        """Reads every byte of all backups and checks it; see the operation's findings."""
        return self._operations.run(OperationKind.VERIFY_BACKUPS, wait)

    def delete_backup(self, backup_id: int) -> None:
        """Deletes a backup. Parts that others need stay."""
        self._calls.write(lambda stub: stub.deleteBackup(backup_id))

    def restore(
        self, backup_id: int, database: str, restored_as: str, *, wait: bool = True
    ) -> Operation:
        """Puts the tables of a database, as a backup has them, into a new database.

        database: the name that the backup has.
        restored_as: the new name; there must be no such database.

        One that was cancelled is no error, and leaves nothing.
        """
        restore = ttypes.Restore(backup_id, database, restored_as)
        return self._operations.run(OperationKind.RESTORE, wait, restore=restore)

    def operation(self, operation_id: int) -> Operation:
        """How far an operation is."""
        return self._operations.get(operation_id)

    def operations(self) -> list[Operation]:
        """Operations that run and those that ended lately, oldest first."""
        return self._operations.all()

    def cancel_operation(self, operation_id: int) -> Operation:
        """Asks an optimize, a backup, a verify_backups or a restore to stop at its next safe point.

        Others run to their end.
        """
        return self._operations.cancel(operation_id)

    def wait(self, operation: Operation) -> Operation:
        """Waits for an operation's end; the error of one that failed is raised."""
        return self._operations.wait(operation)

    def close(self) -> None:
        """Closes the connections; more often is harmless. Snapshots are closed by themselves."""
        self._pool.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
