"""Scans, counts and snapshots."""

from __future__ import annotations

import kvstore
from kvstore import Entry, InvalidRequestError, SnapshotExpiredError

from .harness import World, raises, same

COUNT = 2_500


def scans(world: World) -> None:
    """Scans of several pages, in both directions, over all and over parts."""
    table = world.new_table("scans")
    keys = world.fill(table, COUNT)
    entries = [Entry(key, b"value of " + key) for key in keys]
    for page in (None, 7):
        same(entries, list(table.scan(page_entries=page)))
        same(entries[::-1], list(table.scan(page_entries=page, reverse=True)))
        _parts(table, entries, page)
    same(entries, list(table.scan(page_bytes=1_000)))
    same(keys, list(table))

    scan = table.scan(page_entries=10)
    same(entries[:10], scan.next_page())
    rest = table.scan(page_entries=10, continuation=scan.continuation)
    same(entries[10:], list(rest))
    same((None, []), (rest.continuation, rest.next_page()))


def _parts(table: kvstore.Table, entries: list[Entry], page: int | None) -> None:
    start, stop = entries[10].key, entries[40].key
    bounds = {(False, False): (10, 40), (True, True): (11, 41), (True, False): (11, 40)}
    for (start_exclusive, stop_inclusive), (begin, end) in bounds.items():
        for reverse in (False, True):
            found = table.scan(
                start=start,
                stop=stop,
                start_exclusive=start_exclusive,
                stop_inclusive=stop_inclusive,
                reverse=reverse,
                page_entries=page,
            )
            same(entries[begin:end][:: -1 if reverse else 1], list(found))
    same(entries[1000:2000], list(table.scan(prefix="key001", page_entries=page)))
    same([], list(table.scan(prefix="nothing", page_entries=page)))
    same([], list(table.scan(start=stop, stop=start, page_entries=page)))
    found = table.scan(keys_only=True, prefix="key0000", page_entries=page)
    same([Entry(entry.key, None) for entry in entries[:100]], list(found))
    for limit in (0, 1, 7, 14, 50, 1_500):
        same(entries[:limit], list(table.scan(limit=limit, page_entries=page)))


def own_order(world: World) -> None:
    """A table without an order of keys has each key once, and no ranges."""
    made = world.client.create_table(world.database, "own_order", "hash")
    same(False, made.ordered)
    table = world.client.table(world.database, "own_order")
    keys = world.fill(table, 500)
    found = [entry.key for entry in table.scan(page_entries=7)]
    same(keys, sorted(found))
    same(found, list(table))
    same(500, table.count())
    for refused in ({"prefix": "k"}, {"start": "a"}, {"stop": "z"}, {"reverse": True}):
        raises(InvalidRequestError, lambda r=refused: list(table.scan(**r)), "INVALID_REQUEST")
    raises(InvalidRequestError, lambda: table.count(prefix="k"), "INVALID_REQUEST")


def scan_limits(world: World) -> None:
    """A value that is too large arrives by its size, and the scan goes on."""
    table = world.new_table("limits")
    large = world.client.server_info().max_value_bytes
    table.put("a", b"12345")
    table.put("b", bytes(large))
    table.put("c", b"123456")
    table.put("d", b"")
    same(
        [Entry(b"a", b"12345"), Entry(b"b", None, large), Entry(b"c", None, 6), Entry(b"d", b"")],
        list(table.scan(max_value_bytes=5)),
    )
    same([5, large, 6, 0], [len(entry.value or b"") for entry in table.scan()])

    garbage = table.scan(continuation=b"garbage")
    raises(InvalidRequestError, lambda: next(garbage), "CONTINUATION_INVALID")
    for page in (0, -1, 100_001):
        wrong = table.scan(page_entries=page)
        raises(InvalidRequestError, lambda scan=wrong: next(scan), "INVALID_REQUEST")
    both = {"prefix": "a", "start": "a"}
    raises(InvalidRequestError, lambda: table.scan(**both), "INVALID_REQUEST")


def counts(world: World) -> None:
    """Counts of all and of ranges."""
    table = world.new_table("counts")
    same(0, table.count())
    keys = world.fill(table, COUNT)
    same(COUNT, table.count())
    same(1_000, table.count(prefix="key001"))
    same(30, table.count(start=keys[10], stop=keys[40]))
    same(29, table.count(start=keys[10], stop=keys[40], start_exclusive=True))
    same(31, table.count(start=keys[10], stop=keys[40], stop_inclusive=True))
    same(COUNT - 10, table.count(start=keys[10]))


def snapshots(world: World) -> None:
    """A snapshot sees the old state, until it is closed."""
    table = world.new_table("snapshots")
    keys = world.fill(table, 50)
    with world.client.snapshot() as view:
        same(60_000, view.lease_ms)
        table.put(keys[0], b"new")
        table.remove(keys[1])
        table.put("later", b"new")
        old = view.table(world.database, table.name)
        same(b"value of " + keys[0], old.get(keys[0]))
        same(b"value of " + keys[1], old[keys[1]])
        same([None, b"value of " + keys[1]], old.get_all(["later", keys[1]]))
        same((True, False), (old.contains(keys[1]), old.contains("later")))
        same(keys, [entry.key for entry in old.scan(page_entries=7)])
        same((50, 50), (old.count(), table.count()))
        same([keys[0], *keys[2:], b"later"], [entry.key for entry in table.scan()])
        view.close()
        view.close()
        raises(SnapshotExpiredError, lambda: old.get(keys[0]), "SNAPSHOT_EXPIRED")
        raises(SnapshotExpiredError, lambda: next(old.scan()), "SNAPSHOT_EXPIRED")
    for lease in (-1, 999, 3_600_001):
        raises(InvalidRequestError, lambda ms=lease: world.client.snapshot(lease_ms=ms))
    short = world.client.snapshot(lease_ms=1_000)
    same(1_000, short.lease_ms)
    short.close()
