"""python -m scenarios HOST:PORT [TOKEN]: runs all scenarios; ends with 0 when all hold."""

from __future__ import annotations

import sys

import kvstore

from .harness import ENGINES, World, run
from .changes import alter, backups, rename
from .ranges import counts, own_order, scan_limits, scans, snapshots
from .store import (
    authentication,
    definitions,
    errors,
    maintenance,
    restart,
    restart_before_write,
    threads,
    unreachable,
)
from .values import (
    batches,
    conditions,
    counter,
    get_all,
    large_values,
    merges,
    put_get_remove,
)

FOR_EACH_ENGINE = (
    put_get_remove,
    large_values,
    get_all,
    conditions,
    merges,
    batches,
    scans,
    scan_limits,
    counts,
    snapshots,
    maintenance,
    rename,
    alter,
    errors,
)
ONCE = (
    counter,
    own_order,
    backups,
    threads,
    restart,
    restart_before_write,
    unreachable,
    authentication,
)


def main(address: str, token: str | None) -> int:
    """Runs all scenarios against the server."""
    with kvstore.connect(f"kvstore://{address}", token=token) as client:
        world = World(address, token, client)
        try:
            held = [run(definitions, world)]
            held += [run(each, world, engine) for engine in ENGINES for each in FOR_EACH_ENGINE]
            held += [run(each, world) for each in ONCE]
        finally:
            world.drop()
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None))
