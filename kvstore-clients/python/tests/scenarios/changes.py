"""Tables that get other names and options, and backups."""

from __future__ import annotations

from kvstore import (
    AlreadyExistsError,
    InvalidRequestError,
    NotFoundError,
    OperationKind,
    OperationState,
    TooLargeError,
)

from .harness import Skipped, World, raises, same

FOR_LIFE = {"bplus": "BTREE_ORDER", "lsm": "SPARSE_INDEX_SIZE"}


def rename(world: World) -> None:
    """Another name, with a snapshot open, and another table of the first name."""
    client, table, other = world.client, world.new_table("named"), world.new_table("other")
    before = table.describe()
    table.put("key", b"old")
    with client.snapshot() as snapshot:
        table.put("key", b"new")
        raises(AlreadyExistsError, lambda: table.rename(other.name), "ALREADY_EXISTS")
        raises(InvalidRequestError, lambda: table.rename("no/name"), "INVALID_REQUEST")

        renamed = table.rename(f"renamed_{world.engine}")
        same((world.database, f"renamed_{world.engine}"), (renamed.database, renamed.name))
        same((b"new", None), (renamed.get("key"), renamed.get("none")))
        same(b"old", snapshot.table(world.database, renamed.name).get("key"))
    after = renamed.describe()
    same((before.table_id, before.options), (after.table_id, after.options))
    same((renamed.name, world.engine), (after.table, after.engine))
    names = client.tables(world.database)
    same((True, False), (renamed.name in names, table.name in names))
    raises(NotFoundError, lambda: table.get("key"), "TABLE_NOT_FOUND")
    raises(NotFoundError, lambda: table.rename("again"), "TABLE_NOT_FOUND")

    client.create_table(world.database, table.name, world.engine)
    same((None, b"new"), (table.get("key"), renamed.get("key")))
    renamed.drop()


def alter(world: World) -> None:
    """Other values of options count at once."""
    table = world.new_table("altered")
    before = table.describe()
    for durability, limit in (("SYNC", 10), ("BUFFERED", 11)):
        options = {"DURABILITY": durability, "MAX_VALUE_BYTES": str(limit)}
        altered = table.alter(options)
        same({**before.options, **options}, altered.options)
        same((before.table_id, altered), (altered.table_id, table.describe()))
        table.put("key", bytes(limit))
        raises(TooLargeError, lambda size=limit: table.put("key", bytes(size + 1)), "TOO_LARGE")
    for wrong in (
        {FOR_LIFE[world.engine]: "77"},
        {"DURABILITY": "SYNC", "NO_SUCH_OPTION": "1"},
        {"DURABILITY": "NEVER"},
    ):
        raises(InvalidRequestError, lambda given=wrong: table.alter(given), "INVALID_REQUEST")
    same(altered, table.describe())
    missing = world.client.table(world.database, "missing")
    raises(NotFoundError, lambda: missing.alter({"DURABILITY": "SYNC"}), "TABLE_NOT_FOUND")


def backups(world: World) -> None:
    """A backup, a restore of it, and its end."""
    client, database, table = world.client, world.database, world.new_table("saved")
    try:
        client.backups()
    except InvalidRequestError as error:
        raise Skipped("the server has no directory for them") from error
    keys = world.fill(table, 1_000)
    made = client.backup()
    same((OperationState.DONE, OperationKind.BACKUP, None), (made.state, made.kind, made.table))
    backup = made.backup
    if backup is None:
        raise AssertionError("the operation does not tell its backup")
    same((True, True), (backup.store_bytes > 0, backup in client.backups()))
    verified = client.verify_backups()
    same((OperationState.DONE, 0), (verified.state, verified.findings_total))

    restored_as, never = f"{database}_restored", "e2e_python_never"
    try:
        table.remove(keys[0])
        restored = client.restore(backup.backup_id, database, restored_as)
        same((OperationState.DONE, OperationKind.RESTORE), (restored.state, restored.kind))
        asked = restored.restore
        same(restored_as, asked and asked.restored_as)
        copy = client.table(restored_as, table.name)
        entries = [(entry.key, entry.value) for entry in copy.scan()]
        same([(key, b"value of " + key) for key in keys], entries)
        copy.put(keys[0], b"another")
        same(None, table.get(keys[0]))
        raises(
            AlreadyExistsError,
            lambda: client.restore(backup.backup_id, database, restored_as),
            "ALREADY_EXISTS",
        )
    finally:
        world.drop(restored_as)
    raises(InvalidRequestError, lambda: client.restore(backup.backup_id, database, "no/name"))
    raises(NotFoundError, lambda: client.restore(backup.backup_id, "e2e_python_none", never))
    client.delete_backup(backup.backup_id)
    same(False, backup in client.backups())
    raises(NotFoundError, lambda: client.delete_backup(backup.backup_id), "NOT_FOUND")
    raises(NotFoundError, lambda: client.restore(backup.backup_id, database, never), "NOT_FOUND")
    same(True, made.operation_id in [found.operation_id for found in client.operations()])
